//! What a model writes about business functions and the system, when all programs are documented.

use super::{DocumentJob, interrupt_calls};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::model_connection::ConnectedModel;
use crate::settings::Provider;
use crate::signals::{RunResult, listen};
use futures::StreamExt;
use std::sync::Arc;
use tokio::runtime::Runtime;
use war_rig_llm::UsageTotals;
use war_rig_scribe::{Overview, Scribe, ScribeError, ScribeResponse};
use war_rig_template::{EstateWords, SourcedSentence};

/// What was written, and what it took.
#[derive(Debug, Default)]
pub(super) struct WrittenWords {
    pub(super) words: EstateWords,
    pub(super) usage: UsageTotals,
    /// Whether somebody has to be asked again, because programs are not documented yet or an answer has not come.
    pub(super) is_incomplete: bool,
    /// The signal that came meanwhile.
    pub(super) signal: Option<ExitStatus>,
}

impl WrittenWords {
    /// Names the model that wrote.
    pub(super) fn by(mut self, model: &str) -> Self {
        self.words.by = Some(model.to_owned());
        self
    }
}

impl DocumentJob<'_> {
    /// Returns the model that writes about functions, if one does. Workers are not asked: what they write belongs to one source.
    pub(super) fn words_by(&self, is_distributed: bool) -> Option<String> {
        let settings = &self.settings.scribe;
        let writes = settings.functions && settings.provider != Provider::Static && !is_distributed;
        writes.then(|| settings.overview_model.as_ref().unwrap_or(&settings.model).clone())
    }

    /// Asks about the functions, and then about the system, over what was written about them.
    pub(super) fn write_words<S: Scribe>(
        &self,
        runtime: &Runtime,
        (scribe, asked): (&S, Option<&Arc<ConnectedModel>>),
        overview: &Overview<'_>,
        since: u64,
    ) -> Result<WrittenWords, Failure> {
        let asking = async {
            let mut written = WrittenWords::default();
            let subjects = overview.function_subjects();
            let calls = subjects.iter().filter_map(|(name, subject)| Some((name, subject.as_ref()?)));
            let calls =
                calls.map(|(name, subject)| async move { (name, scribe.write_about_estate(subject, since).await) });
            let mut answers = futures::stream::iter(calls).buffered(self.settings.scribe.concurrency.get());
            while let Some((name, answer)) = answers.next().await {
                let sentences = self.taken(&format!("function `{name}`"), answer, &mut written);
                written.words.functions.insert(name.clone(), sentences);
            }
            written.is_incomplete |= subjects.iter().any(|(_, subject)| subject.is_none());
            let system = match written.is_incomplete {
                true => None,
                false => overview.system_subject(&written.words.functions),
            };
            if let Some(system) = system {
                let answer = scribe.write_about_estate(&system, since).await;
                written.words.system = self.taken("the system", answer, &mut written);
            }
            written
        };
        let stop = || interrupt_calls(asked, None);
        let (written, signal) = match runtime.block_on(listen(asking, Some(&stop), self.printer))? {
            RunResult::Ended(written, signal) => (written, signal),
            RunResult::CutOff(status) => {
                (WrittenWords { is_incomplete: true, ..WrittenWords::default() }, Some(status))
            }
        };
        Ok(WrittenWords { signal, ..written })
    }

    /// Returns the sentences of an answer, and notes what it took.
    fn taken(
        &self,
        about: &str,
        answer: Option<ScribeResponse<Vec<SourcedSentence>>>,
        written: &mut WrittenWords,
    ) -> Vec<SourcedSentence> {
        let Some(ScribeResponse { result, usage }) = answer else { return Vec::new() };
        written.usage += usage;
        match result {
            Ok(sentences) => sentences,
            // The next run asks what a stopped run did not.
            Err(ScribeError::Stopped(_)) => {
                written.is_incomplete = true;
                Vec::new()
            }
            Err(error) => {
                self.printer.warn(&format!("{about}: nothing is written about it: {error}"));
                Vec::new()
            }
        }
    }
}
