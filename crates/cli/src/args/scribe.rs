//! The arguments that record answers to a file or replay them from one.

use crate::failure::Failure;
use crate::settings::{Options, Provider, ScribeArgs};
use clap::Args;
use std::path::{Path, PathBuf};

/// Whether the answers of a model are kept in a file, or taken from one.
#[derive(Debug, Args)]
pub struct CassetteArgs {
    /// Ask the model for everything, and keep every answer in FILE
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub record: Option<PathBuf>,
    /// Take every answer from FILE, which an earlier run recorded, and make no connection
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// Ask the model for the answers that FILE does not hold, and add them to it
    #[arg(long, requires = "replay")]
    pub record_missing: bool,
}

/// What is done with a file of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CassetteMode<'a> {
    /// There is none.
    None,
    /// Every answer is added to it.
    Record(&'a Path),
    /// Every answer comes from it; one that it does not hold is an error.
    Replay(&'a Path),
    /// Answers come from it; those that it does not hold are asked of the model and added.
    RecordMissing(&'a Path),
}

impl CassetteMode<'_> {
    /// Whether a model is asked, so that a key and a connection are needed.
    pub fn calls_model(self, provider: Provider) -> bool {
        provider == Provider::OpenAi || matches!(self, CassetteMode::RecordMissing(_))
    }

    /// How what was paid for is kept when the command of a run that was stopped is given again.
    pub fn rerun_hint(self, is_forced: bool) -> &'static str {
        match self {
            CassetteMode::None if is_forced => {
                "run again without --force, which goes on from here and pays for nothing twice"
            }
            CassetteMode::None => "run again, which goes on from here and pays for nothing twice",
            CassetteMode::Record(_) | CassetteMode::Replay(_) | CassetteMode::RecordMissing(_) => {
                "run again with --replay FILE --record-missing, which pays for nothing twice"
            }
        }
    }
}

impl CassetteArgs {
    /// What is set beside a file of answers: one that is replayed names the provider where nothing else does.
    pub fn options(&self, scribe: &ScribeArgs) -> Box<Options> {
        let mut options = scribe.options.clone();
        let replay = self.replay.as_ref().map(|_| Provider::Replay.as_str().to_owned());
        options.scribe.provider = options.scribe.provider.or(replay);
        options
    }

    /// What is done with a file of answers under this provider.
    ///
    /// # Errors
    /// A usage failure when the two do not go together.
    pub fn mode(&self, provider: Provider) -> Result<CassetteMode<'_>, Failure> {
        match (provider, self.record.as_deref(), self.replay.as_deref()) {
            (Provider::Replay, _, Some(file)) if self.record_missing => Ok(CassetteMode::RecordMissing(file)),
            (Provider::Replay, _, Some(file)) => Ok(CassetteMode::Replay(file)),
            (Provider::Replay, _, None) => Err(Failure::usage("the Scribe `replay` has no file of answers")
                .with_hint("name the file with --replay FILE; a run with --scribe openai --record FILE makes one")),
            (Provider::OpenAi, Some(file), _) => Ok(CassetteMode::Record(file)),
            (Provider::OpenAi | Provider::Static, None, None) => Ok(CassetteMode::None),
            (Provider::Static, Some(_), _) => {
                Err(Failure::usage("`--record`: the Scribe `static` asks no model, so there is nothing to record")
                    .with_hint("add --scribe openai, or leave out --record"))
            }
            (Provider::OpenAi | Provider::Static, None, Some(_)) => Err(Failure::usage(format!(
                "`--replay`: the answers come from a file, so `--scribe {}` cannot stand beside it",
                provider.as_str()
            ))
            .with_hint("leave out --scribe; --record-missing asks the model for what the file does not hold")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::document;
    use super::*;

    #[test]
    fn a_file_of_answers_goes_with_its_provider() {
        let file = Path::new("Cargo.toml");
        let check = |line: &str, provider, expected: Option<CassetteMode<'_>>| {
            let args = document(&format!("document a -o out{line}"));
            assert_eq!(args.tape.mode(provider).ok(), expected, "{line}");
        };
        check("", Provider::Static, Some(CassetteMode::None));
        check("", Provider::OpenAi, Some(CassetteMode::None));
        check("", Provider::Replay, None);
        check(" --record Cargo.toml", Provider::OpenAi, Some(CassetteMode::Record(file)));
        check(" --record Cargo.toml", Provider::Static, None);
        check(" --record Cargo.toml", Provider::Replay, None);
        check(" --replay Cargo.toml", Provider::Replay, Some(CassetteMode::Replay(file)));
        check(" --replay Cargo.toml", Provider::OpenAi, None);
        check(" --replay Cargo.toml", Provider::Static, None);
        check(" --replay Cargo.toml --record-missing", Provider::Replay, Some(CassetteMode::RecordMissing(file)));
    }

    #[test]
    fn a_file_of_answers_names_the_provider() {
        let provider = |line: &str| document(line).options().scribe.provider;
        assert_eq!(provider("document a -o out --replay Cargo.toml").as_deref(), Some("replay"));
        assert_eq!(provider("document a -o out --replay Cargo.toml --scribe static").as_deref(), Some("static"));
        assert_eq!(provider("document a -o out --record x"), None);
    }
}
