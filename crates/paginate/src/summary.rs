//! Summarizing several texts: if the texts of all parts exceed one prompt, groups of them are summarized, and the results again, until there is one.

use crate::extractor::{ExtractError, Extractor};
use crate::paginator::PaginateOptions;
use crate::prompt::PartPromptRenderer;
use crate::slice::{InputUnit, SliceBy, SliceOptions, Slicer};
use futures::StreamExt;
use war_rig_estimator::TokenCount;
use war_rig_llm::{BudgetedPrompt, UsageTotals};

/// The maximum number of rounds: each at least halves the number of texts, or they were pieces of one that is too long.
const ROUNDS: usize = 24;

/// Whether the joined texts exceed the maximum size of a part.
pub(crate) fn is_too_long(texts: &[String], options: &PaginateOptions) -> bool {
    let tokens: TokenCount = texts.iter().map(|text| options.counter.count(text)).sum();
    texts.len() > 1 && tokens > most(options)
}

/// Returns the maximum tokens of texts in one prompt.
fn most(options: &PaginateOptions) -> TokenCount {
    options.max_part.min(options.max_prompt)
}

/// Summarizes all texts; returns none for an extractor that cannot write.
pub(crate) async fn one<E: Extractor>(
    texts: &[String],
    frame: &PartPromptRenderer,
    extractor: &E,
    options: &PaginateOptions,
    bill: &mut UsageTotals,
) -> Result<Option<String>, ExtractError> {
    let mut texts = texts.to_vec();
    for _ in 0..ROUNDS {
        let groups = groups(&texts, frame, options)?;
        let asked = groups.into_iter().map(|group| async move {
            let mut bill = UsageTotals::default();
            let text = match group {
                TextGroup::One(text) => Ok(Some(text)),
                TextGroup::Several(prompt) => extractor.summarize(&prompt, &mut bill).await,
            };
            (text, bill)
        });
        let answers: Vec<_> = futures::stream::iter(asked).buffered(options.width()).collect().await;
        let mut next = Vec::new();
        let mut failed = None;
        for (text, spent) in answers {
            *bill += spent;
            match text {
                Ok(Some(text)) => next.push(text),
                Ok(None) => return Ok(None),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
        texts = next;
        if let [text] = texts.as_slice() {
            return Ok(Some(text.clone()));
        }
    }
    Err(ExtractError::Unusable("what is said of the texts together does not get shorter".to_owned()))
}

/// Texts for one prompt.
enum TextGroup {
    /// A single text, which needs no summary.
    One(String),
    Several(BudgetedPrompt),
}

/// Groups all texts in order, as many in each prompt as fit. A text that exceeds a prompt is divided.
fn groups(
    texts: &[String],
    frame: &PartPromptRenderer,
    options: &PaginateOptions,
) -> Result<Vec<TextGroup>, ExtractError> {
    let pieces: Vec<String> = texts.iter().flat_map(|text| pieces(text, options)).collect();
    let mut groups = Vec::new();
    let mut rest: &[String] = &pieces;
    while let Some(first) = rest.first() {
        let mut group = TextGroup::One(first.clone());
        // The sum of separate counts is close to the joint count.
        let mut sum = TokenCount::ZERO;
        let fits = |text: &&String| {
            sum += options.counter.count(text);
            sum <= frame.limit()
        };
        let mut taken = rest.iter().take_while(fits).count();
        while taken > 1 {
            let together: Vec<&str> = rest[..taken].iter().map(String::as_str).collect();
            match frame.summing(&together) {
                Ok(prompt) => {
                    group = TextGroup::Several(prompt);
                    break;
                }
                Err(_) => taken -= taken.div_ceil(16),
            }
        }
        groups.push(group);
        rest = &rest[taken.max(1)..];
    }
    // If no two fit together, no round would make progress.
    match pieces.len() > 1 && groups.len() == pieces.len() {
        true => Err(ExtractError::Unusable("no two of the texts fit into one prompt".to_owned())),
        false => Ok(groups),
    }
}

/// Divides a text into pieces of which at least three fit into a prompt.
fn pieces(text: &str, options: &PaginateOptions) -> Vec<String> {
    let max_tokens = TokenCount::new(most(options).get() / 4);
    if options.counter.count(text) <= max_tokens {
        return vec![text.to_owned()];
    }
    let by = SliceBy::Tokens { overlap: TokenCount::ZERO };
    let mut slicer = Slicer::new(SliceOptions { by, max_tokens }, options.counter.clone());
    let mut slices = slicer.push(InputUnit::Text(text.to_owned()));
    slices.extend(slicer.finish());
    slices.into_iter().flatten().map(|slice| slice.text).collect()
}

/// Explains why texts could not be summarized.
pub(crate) fn why(error: &ExtractError) -> String {
    match error {
        ExtractError::TooLong(_) => "the answer is longer than an answer may be".to_owned(),
        ExtractError::Unusable(reason) => reason.clone(),
        ExtractError::Stopped(stopped) => stopped.to_string(),
    }
}
