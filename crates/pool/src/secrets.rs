//! What is done with passwords and keys that stand in a source, before anything is made of it.

use std::sync::Arc;
use war_rig_cobol::LexedSource;
use war_rig_secrets::{FoundSecret, KnownSecrets, SecretRules, find_secrets, find_secrets_in_text};
use war_rig_text::{ContentHash, LineNumber, SourceText};

/// What is done with a source that holds what looks like a secret.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SecretPolicy {
    /// It is said, and nothing else.
    Warn,
    /// The secret is shown as a row of X wherever the source is shown, in prompts as in documents.
    #[default]
    Redact,
    /// The source is refused.
    Block,
}

/// How secrets are known, and what is done with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screening {
    /// What is done with a source that holds one.
    pub policy: SecretPolicy,
    /// The words and forms by which they are known.
    pub table: Arc<SecretRules>,
}

impl Default for Screening {
    fn default() -> Self {
        Self { policy: SecretPolicy::default(), table: SecretRules::built_in() }
    }
}

/// A source whose secrets were looked for.
#[derive(Debug, Clone)]
pub struct ScreenedSource {
    /// Its lines; masked where the policy says so.
    pub source: SourceText,
    /// The same, cut into tokens.
    pub lexed: Arc<LexedSource>,
    /// What was found, in the order of lines.
    pub secrets: Vec<FoundSecret>,
}

impl Screening {
    /// Looks for the secrets of a source, and for what is known from elsewhere, and masks both where that is the policy. Refusing it is left to the caller.
    pub fn screen(&self, source: SourceText, known: &KnownSecrets) -> ScreenedSource {
        let lexed = LexedSource::of(&source);
        let secrets = find_secrets(&source, &lexed, &self.table, known);
        if self.policy != SecretPolicy::Redact || secrets.is_empty() {
            return ScreenedSource { source, lexed: Arc::new(lexed), secrets };
        }
        let source = masked(source, &secrets);
        ScreenedSource { lexed: Arc::new(LexedSource::of_masked(&source)), source, secrets }
    }

    /// The same for a source that is no COBOL.
    pub fn screen_text(&self, source: SourceText, known: &KnownSecrets) -> (SourceText, Vec<FoundSecret>) {
        let secrets = find_secrets_in_text(&source, &self.table, known);
        if self.policy != SecretPolicy::Redact || secrets.is_empty() {
            return (source, secrets);
        }
        (masked(source, &secrets), secrets)
    }
}

fn masked(source: SourceText, secrets: &[FoundSecret]) -> SourceText {
    let stretches: Vec<_> = secrets.iter().flat_map(|secret| secret.spans.iter().cloned()).collect();
    source.masked(&stretches)
}

/// What stands for the known secrets of a source, which are masked in it wherever they are named; none where it has none.
pub(crate) fn known_secrets_digest(source: &SourceText, known: &KnownSecrets) -> Option<ContentHash> {
    if known.is_empty() {
        return None;
    }
    let lines: String = source.lines().flat_map(|line| [line.text(), "\n"]).collect();
    known.digest(&lines)
}

impl SecretPolicy {
    /// The names that settings have for them.
    pub const NAMES: [(&'static str, SecretPolicy); 3] =
        [("warn", SecretPolicy::Warn), ("redact", SecretPolicy::Redact), ("block", SecretPolicy::Block)];

    /// What is said of one secret, without its line.
    pub fn notice(self, secret: &FoundSecret) -> String {
        match self {
            SecretPolicy::Redact => format!("{secret} and is shown as XXXXXXXX"),
            SecretPolicy::Warn | SecretPolicy::Block => secret.to_string(),
        }
    }

    /// What is said of a file whose secrets begin on these lines, in one sentence.
    pub fn warning(self, lines: &[LineNumber]) -> String {
        let mut numbers: Vec<u32> = lines.iter().map(|line| line.get()).collect();
        numbers.dedup();
        let shown: Vec<String> = numbers.iter().take(LINES_NAMED).map(u32::to_string).collect();
        let more = match numbers.len() - shown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (line, verb) = if numbers.len() == 1 { ("line", "holds") } else { ("lines", "hold") };
        let done = match self {
            SecretPolicy::Warn => "it is shown as it is",
            SecretPolicy::Redact => "it is shown as XXXXXXXX",
            SecretPolicy::Block => "nothing of the file is used",
        };
        format!("{line} {}{more} {verb} what looks like a secret; {done}", shown.join(", "))
    }
}

/// The lines that a warning names, so that it stays one line.
const LINES_NAMED: usize = 20;
