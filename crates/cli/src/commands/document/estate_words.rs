//! What a model writes about business functions and the system, when all programs are documented.

use super::{DocumentJob, interrupt_calls};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::model_connection::ConnectedModel;
use crate::printer::counted;
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
    /// The words of before, which somebody has to be asked about again.
    pub(super) fn as_before(before: &EstateWords) -> Self {
        Self { words: before.clone(), is_incomplete: true, ..Self::default() }
    }

    /// Names the model that wrote.
    pub(super) fn by(mut self, model: &str) -> Self {
        self.words.by = Some(model.to_owned());
        self
    }
}

impl DocumentJob<'_> {
    /// Returns the model that writes about functions, if one does.
    pub(super) fn words_by(&self) -> Option<String> {
        let scribe = &self.settings.scribe;
        let writes = self.settings.writes_about_functions();
        writes.then(|| scribe.overview_model.as_ref().unwrap_or(&scribe.model).clone())
    }

    /// Asks about the functions, and then about the system, over what was written about them. What nobody could be asked about stands as in the
    /// documents of before, until the next run asks. With `is_whole`, no document is still to come.
    pub(super) fn write_words<S: Scribe>(
        &self,
        runtime: &Runtime,
        (scribe, asked): (&S, Option<&Arc<ConnectedModel>>),
        overview: &Overview<'_>,
        (since, is_whole): (u64, bool),
        before: &EstateWords,
    ) -> Result<WrittenWords, Failure> {
        let subjects = overview.function_subjects(is_whole);
        if subjects.is_empty() {
            return Ok(WrittenWords::default());
        }
        let several = counted(subjects.len(), "business function");
        self.printer.note(&format!("writing what the system and {several} are for"));
        let asking = async {
            let mut written = WrittenWords::default();
            let calls = subjects.iter().map(|(name, subject)| async move {
                match subject {
                    Some(subject) => (name, scribe.write_about_estate(subject, since).await),
                    None => (name, None),
                }
            });
            let mut answers = futures::stream::iter(calls).buffered(self.settings.scribe.concurrency.get());
            while let Some((name, answer)) = answers.next().await {
                let sentences = self.taken(&format!("function `{name}`"), answer, &mut written);
                let sentences = sentences.unwrap_or_else(|| before.of_function(name).to_vec());
                written.words.functions.insert(name.clone(), sentences);
            }
            let system = overview.system_subject(&written.words.functions).filter(|_| !written.is_incomplete);
            let answer = match &system {
                Some(system) => scribe.write_about_estate(system, since).await,
                None => None,
            };
            let told = self.taken("the system", answer, &mut written);
            written.words.system = told.unwrap_or_else(|| before.system.clone());
            written
        };
        let stop = || interrupt_calls(asked, None);
        Ok(match runtime.block_on(listen(asking, Some(&stop), self.printer))? {
            RunResult::Ended(written, signal) => WrittenWords { signal, ..written },
            RunResult::CutOff(status) => WrittenWords { signal: Some(status), ..WrittenWords::as_before(before) },
        })
    }

    /// Returns the sentences of an answer, and notes what it took; `None` if none has come, so that the next run asks.
    fn taken(
        &self,
        about: &str,
        answer: Option<ScribeResponse<Vec<SourcedSentence>>>,
        written: &mut WrittenWords,
    ) -> Option<Vec<SourcedSentence>> {
        let Some(ScribeResponse { result, usage }) = answer else {
            written.is_incomplete = true;
            return None;
        };
        written.usage += usage;
        match result {
            Ok(sentences) => {
                if sentences.is_empty() {
                    self.printer
                        .warn(&format!("{about}: the answer says nothing that can be used; its page does without"));
                }
                Some(sentences)
            }
            Err(error) => {
                if !matches!(error, ScribeError::Stopped(_)) {
                    self.printer
                        .warn(&format!("{about}: nothing is written about it: {error}; the next run asks again"));
                }
                written.is_incomplete = true;
                None
            }
        }
    }
}
