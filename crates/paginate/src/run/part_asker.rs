//! Processing one part, from its prompt to an answer that is ready for the merge.

use super::blocking;
use crate::agent::Agent;
use crate::carry;
use crate::cutter::InputPart;
use crate::external_part::weight;
use crate::extractor::{ExtractError, ExtractedAnswer, Extractor};
use crate::merge::{GatheredAnswers, InputLocation, MergeRules, PartAnswer, ValueLocator, ValueOrigin};
use crate::prompt::PartPromptRenderer;
use crate::value_locator::Locator;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_llm::{BudgetedPrompt, UsageTotals};

/// The result of a part.
pub(super) struct PartResult {
    pub(super) part: InputPart,
    /// The prompt; none if no prompt fits it.
    pub(super) prompt: Option<BudgetedPrompt>,
    pub(super) bill: UsageTotals,
    pub(super) result: Result<LocatedPartAnswer, ExtractError>,
}

/// An answer with locations, ready for the merge.
pub(super) struct LocatedPartAnswer {
    pub(super) gathered: GatheredAnswers,
    pub(super) dropped: Vec<String>,
}

/// Processes parts.
pub(super) struct PartAsker<E> {
    pub(super) agent: Arc<Agent>,
    /// The merge rules.
    pub(super) rules: MergeRules,
    pub(super) extractor: Arc<E>,
    pub(super) frame: PartPromptRenderer,
    pub(super) counter: TokenCounter,
    /// The maximum tokens of the carried answer.
    pub(super) carry_room: TokenCount,
}

impl<E: Extractor> PartAsker<E> {
    /// Processes a part. A piece has no prompt yet, nor has a part whose prompt contains the answer so far.
    pub(super) async fn ask(
        self: Arc<Self>,
        part: InputPart,
        prompt: Option<BudgetedPrompt>,
        so_far: Option<GatheredAnswers>,
    ) -> PartResult
    where
        E: 'static,
    {
        let mut bill = UsageTotals::default();
        let (part, prompt) = match prompt.filter(|_| so_far.is_none()) {
            Some(prompt) => (part, Some(prompt)),
            None => {
                let asker = Arc::clone(&self);
                blocking(move || {
                    let text = so_far.map(|so_far| asker.so_far(so_far));
                    let prompt = asker.frame.render(&part.slice, part.label, text.as_deref()).ok();
                    (part, prompt)
                })
                .await
            }
        };
        let Some(prompt) = prompt else {
            return PartResult { part, prompt: None, bill, result: Err(ExtractError::TooLong(None)) };
        };
        let extracted = match self.extractor.extract(&prompt, &part.slice, &mut bill).await {
            Ok(extracted) => extracted,
            Err(error) => return PartResult { part, prompt: Some(prompt), bill, result: Err(error) },
        };
        let (part, answered) = blocking(move || {
            let answered = self.answered(&part, extracted);
            (part, answered)
        })
        .await;
        PartResult { part, prompt: Some(prompt), bill, result: Ok(answered) }
    }

    fn so_far(&self, so_far: GatheredAnswers) -> String {
        carry::text(so_far.merge(&self.rules).value, &self.counter, self.carry_room)
    }

    fn answered(&self, part: &InputPart, extracted: ExtractedAnswer) -> LocatedPartAnswer {
        let ExtractedAnswer { value, dropped, places } = extracted;
        let known = places.into_iter().collect();
        let others = Locator::new(&part.slice, part.order);
        let locator = ReportedLocations { known, others, part: part.order };
        let weight = weight(&part.slice);
        let answer = PartAnswer { number: part.order, weight, value };
        LocatedPartAnswer { gathered: GatheredAnswers::from_answer(answer, &locator), dropped }
    }
}

/// Uses the locations that the extractor reported; the others are searched for.
struct ReportedLocations {
    known: HashMap<String, InputLocation>,
    others: Locator,
    part: u64,
}

impl ValueLocator for ReportedLocations {
    fn origin(&self, value: &Value) -> ValueOrigin {
        self.others.origin(value)
    }

    fn origin_at(&self, path: &str, value: &Value) -> ValueOrigin {
        match self.known.get(path) {
            Some(place) => ValueOrigin { part: self.part, place: place.clone(), located: true, in_overlap: false },
            None => self.origin(value),
        }
    }
}
