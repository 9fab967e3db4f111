//! Into how many batches the questions of a plan go.

use super::limits::{BatchLimits, CallSize};
use crate::configured_model::ConfiguredModel;
use crate::failure::Failure;
use crate::model_connection;
use crate::settings::ScribeSettings;
use war_rig_llm::{BatchApi, Dialect, ModelProvider, OpenAi, tokens_as_worded};
use war_rig_pool::{ParsedSource, Planner, SourcePlan};

/// An id as long as those of first questions.
const FIRST_ID: &str = "00000000000000000000000000000000-0";

/// Words the questions of a plan as a run would hand them in, and counts its batches.
#[derive(Debug)]
pub struct BatchCounter {
    client: OpenAi,
    dialect: Dialect,
    limits: BatchLimits,
}

impl BatchCounter {
    /// Creates a counter, which needs no key and makes no connection.
    ///
    /// # Errors
    /// A usage failure if no client can be made for the address of the settings.
    pub fn new(scribe: &ScribeSettings, model: &ConfiguredModel) -> Result<Self, Failure> {
        let (client, dialect) = model_connection::wording_client(scribe, model)?;
        Ok(Self { client, dialect, limits: BatchLimits::of(scribe) })
    }

    /// Returns what the questions about a source's chunks take of a batch, in the order in which a run hands them in.
    pub fn sizes(&self, planner: &Planner, prepared: &ParsedSource, plan: &SourcePlan) -> Vec<CallSize> {
        let limit = planner.budget().max_prompt();
        let worded = plan.chunks.iter().filter(|planned| planned.chunk.fits).filter_map(|planned| {
            let (part, chunk) = (planned.position, &planned.chunk);
            let rendered = planner.renderer();
            let rendered =
                rendered.render(&prepared.source, chunk, &planned.context, part.index, part.total, limit).ok()?;
            let tokens = tokens_as_worded(&rendered, self.dialect)?;
            let body = self.client.request_body(&rendered, self.dialect).ok()?;
            let bytes = (BatchApi::input_line(FIRST_ID, "").len() + body.len()) as u64;
            Some((rendered.about().to_owned(), CallSize { bytes, tokens }))
        });
        let mut worded: Vec<(String, CallSize)> = worded.collect();
        worded.sort_by(|one, other| one.0.cmp(&other.0));
        worded.into_iter().map(|(_, size)| size).collect()
    }

    /// Returns into how many batches the questions about these files go.
    pub fn batches(&self, mut files: Vec<(String, Vec<CallSize>)>) -> u64 {
        files.sort_by(|one, other| one.0.cmp(&other.0));
        let sizes: Vec<CallSize> = files.into_iter().flat_map(|(_, sizes)| sizes).collect();
        self.limits.batches(&sizes)
    }
}
