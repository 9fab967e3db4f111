//! One part: from its prompt to an answer that can be put to the others.

use super::blocking;
use crate::agent::Agent;
use crate::carry;
use crate::cut::Part;
use crate::extractor::{ExtractError, Extracted, Extractor};
use crate::given::weight;
use crate::input::Content;
use crate::locate::Locator;
use crate::merge::{Gathered, Locate, Origin, PartAnswer, Place, Rules};
use crate::prompt::Frame;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_llm::{BudgetedPrompt, UsageTotals};

/// What came of a part.
pub(super) struct Asked {
    pub(super) part: Part,
    /// What it was asked by; none where no prompt holds it.
    pub(super) prompt: Option<BudgetedPrompt>,
    pub(super) bill: UsageTotals,
    pub(super) result: Result<Answered, ExtractError>,
}

/// An answer, ready to be put to the others.
pub(super) struct Answered {
    pub(super) gathered: Gathered,
    pub(super) dropped: Vec<String>,
}

/// Asks about parts.
pub(super) struct Asker<E> {
    pub(super) agent: Arc<Agent>,
    /// How answers are gathered.
    pub(super) rules: Rules,
    pub(super) extractor: Arc<E>,
    pub(super) frame: Frame,
    pub(super) counter: TokenCounter,
    pub(super) content: Content,
    /// The tokens that what is carried may have.
    pub(super) carry_room: TokenCount,
}

impl<E: Extractor> Asker<E> {
    /// Asks about a part. A piece of one has no prompt yet; nor has one that is told what those before it came to.
    pub(super) async fn ask(
        self: Arc<Self>,
        part: Part,
        prompt: Option<BudgetedPrompt>,
        so_far: Option<Gathered>,
    ) -> Asked
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
            return Asked { part, prompt: None, bill, result: Err(ExtractError::TooLong(None)) };
        };
        let extracted = match self.extractor.extract(&prompt, &part.slice, &mut bill).await {
            Ok(extracted) => extracted,
            Err(error) => return Asked { part, prompt: Some(prompt), bill, result: Err(error) },
        };
        let (part, answered) = blocking(move || {
            let answered = self.answered(&part, extracted);
            (part, answered)
        })
        .await;
        Asked { part, prompt: Some(prompt), bill, result: Ok(answered) }
    }

    fn so_far(&self, so_far: Gathered) -> String {
        carry::text(so_far.merged(&self.rules).value, &self.counter, self.carry_room)
    }

    fn answered(&self, part: &Part, extracted: Extracted) -> Answered {
        let Extracted { value, dropped, places } = extracted;
        let known = places.into_iter().collect();
        let others = Locator::new(&part.slice, self.content, part.order);
        let locator = Known { known, others, part: part.order };
        let weight = weight(&part.slice, self.content);
        let answer = PartAnswer { number: part.order, weight, value };
        Answered { gathered: Gathered::of(&self.rules, answer, &locator), dropped }
    }
}

/// Where values stand of which it was said; the others are looked for.
struct Known {
    known: HashMap<String, Place>,
    others: Locator,
    part: u64,
}

impl Locate for Known {
    fn origin(&self, value: &Value) -> Origin {
        self.others.origin(value)
    }

    fn origin_at(&self, path: &str, value: &Value) -> Origin {
        match self.known.get(path) {
            Some(place) => Origin { part: self.part, place: place.clone(), located: true, in_overlap: false },
            None => self.origin(value),
        }
    }
}
