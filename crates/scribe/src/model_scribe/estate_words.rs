//! A few sentences about a business function or about the whole system, by one call each.
//!
//! A model sees what the graph knows of the function and the purpose of each of its programs. What it says must name programs of the function, and no
//! name that it was not shown; a sentence that does neither is left out.

use super::block_prompt::BlockPrompts;
use super::scribe_error;
use crate::{EstateSubject, ScribeError};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_llm::{AnswerReuse, FinishReason, ModelClient, ModelProvider, PromptKind, UsageTotals, answer_object};
use war_rig_template::{SourcedSentence, estate_words_schema};

const SYSTEM: &str = include_str!("../estate_words.txt");

/// The name of the schema in requests.
const SCHEMA_NAME: &str = "estate_words";

/// The most sentences that are kept.
const SENTENCES: usize = 6;

/// Asks for words about estates.
#[derive(Debug)]
pub(super) struct EstateWriter {
    prompts: BlockPrompts,
}

#[derive(Debug, Deserialize)]
struct SentenceAnswer {
    text: String,
    #[serde(default)]
    from: Vec<String>,
}

impl EstateWriter {
    pub(super) fn new(counter: &TokenCounter, limit: TokenCount) -> Self {
        let kind = PromptKind::new(SCHEMA_NAME, SYSTEM, estate_words_schema(), counter);
        Self { prompts: BlockPrompts::new(kind, "ESTATE", counter, limit) }
    }

    pub(super) async fn write<P: ModelProvider>(
        &self,
        model: &ModelClient<P>,
        subject: &EstateSubject,
        since: u64,
        bill: &mut UsageTotals,
    ) -> Result<Vec<SourcedSentence>, ScribeError> {
        let too_long = || ScribeError::Unusable("nothing of what is known fits into its prompt".to_owned());
        let chosen = self.prompts.with_rows("", &subject.about, |room| self.rows_within(subject, room));
        let (prompt, rows) = chosen.ok_or_else(too_long)?;
        let prompt = prompt.with_reuse(AnswerReuse { since, ..AnswerReuse::default() });
        let answer = model.ask(&prompt, bill).await.map_err(|error| scribe_error(error.into()))?;
        if answer.finish == FinishReason::Length || !answer.has_content() {
            return Err(ScribeError::Unusable("no whole answer came".to_owned()));
        }
        sentences_of(&answer.text, &rows, &subject.names)
    }

    /// Returns the first rows that fit into so many tokens, numbered, twice: the second time for what was shown.
    fn rows_within(&self, subject: &EstateSubject, room: TokenCount) -> Option<(String, String)> {
        let mut left = room.checked_sub(self.prompts.counter.count("9999|(9999 more not shown)\n"))?;
        let mut text = String::new();
        let mut shown = 0;
        for (number, row) in (1..).zip(&subject.rows) {
            let row = format!("{number}|{row}\n");
            let Some(rest) = left.checked_sub(self.prompts.counter.count(&row)) else { break };
            (left, shown) = (rest, shown + 1);
            text.push_str(&row);
        }
        let missing = subject.rows.len() - shown;
        if missing > 0 {
            text.push_str(&format!("{}|({missing} more not shown)\n", shown + 1));
        }
        (shown > 0).then(|| (text.clone(), text))
    }
}

/// Reads an answer: the sentences that are from what may be named, and name nothing that the rows do not have.
fn sentences_of(answer: &str, rows: &str, names: &[String]) -> Result<Vec<SourcedSentence>, ScribeError> {
    let unusable = |why: &str| ScribeError::Unusable(why.to_owned());
    let fields =
        answer_object(answer, |name| name == "sentences").map_err(|_| unusable("the answer has no sentences"))?;
    let Some(Value::Array(told)) = fields.get("sentences") else {
        return Err(unusable("the answer has no sentences"));
    };
    let known: HashMap<String, &String> = names.iter().map(|name| (name.to_uppercase(), name)).collect();
    let rows = rows.to_uppercase();
    let is_shown = |text: &str| names_in(text).all(|name| rows.contains(name));
    let sentence = |value: &Value| -> Option<SourcedSentence> {
        let SentenceAnswer { text, from } = SentenceAnswer::deserialize(value).ok()?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut sources: Vec<String> = Vec::new();
        for name in from.iter().filter_map(|name| known.get(&name.trim().to_uppercase())) {
            if !sources.contains(name) {
                sources.push((*name).clone());
            }
        }
        (!text.is_empty() && !sources.is_empty() && is_shown(&text)).then_some(SourcedSentence { text, from: sources })
    };
    let sentences: Vec<SourcedSentence> = told.iter().filter_map(sentence).take(SENTENCES).collect();
    match sentences.is_empty() {
        true => Err(unusable("no sentence of the answer is about what was asked")),
        false => Ok(sentences),
    }
}

/// Returns the names of a text as sources have them: capitals, digits and hyphens, with one of the latter two, so that no word of English and no
/// abbreviation is one.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '-').map(|word| word.trim_matches('-'));
    words.filter(|word| {
        let is_name = word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-');
        let has = |what: fn(char) -> bool| word.contains(what);
        is_name && has(|c| c.is_ascii_uppercase()) && has(|c| c == '-' || c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str =
        "1|function: Policy\n2|program POLINQ: online. Shows a policy.\n3|program PRMBILL: batch. Bills POL-MASTER.\n";

    fn told(answer: &str) -> Vec<String> {
        let names = ["POLINQ", "PRMBILL"].map(str::to_owned);
        let sentences = sentences_of(answer, ROWS, &names).unwrap_or_default();
        sentences.into_iter().map(|sentence| format!("{} [{}]", sentence.text, sentence.from.join(" "))).collect()
    }

    #[test]
    fn a_sentence_is_from_programs_that_were_shown_and_names_nothing_else() {
        let answer = r#"{"sentences": [
            {"text": "It shows\n policies in CICS.", "from": ["polinq", "POLINQ"]},
            {"text": "It bills POL-MASTER once a night.", "from": ["PRMBILL", "NOBODY"]},
            {"text": "It writes CLM-FILE.", "from": ["PRMBILL"]},
            {"text": "It calls CLM0100.", "from": ["PRMBILL"]},
            {"text": "It is from nowhere.", "from": ["OTHER"]},
            {"text": " ", "from": ["POLINQ"]},
            {"text": "It has no source."},
            "no sentence"]}"#;
        assert_eq!(
            told(answer),
            ["It shows policies in CICS. [POLINQ]", "It bills POL-MASTER once a night. [PRMBILL]"]
        );
        assert!(told("no JSON").is_empty() && told(r#"{"sentences": "x"}"#).is_empty());
    }

    #[test]
    fn rows_that_do_not_fit_are_counted() {
        let counter = TokenCounter::new(war_rig_estimator::TokenizerEncoding::Heuristic);
        let writer = EstateWriter::new(&counter, TokenCount::new(4000));
        let rows = (0..500).map(|number| format!("program P{number:03}: batch. Does one thing, and then another."));
        let subject = EstateSubject { about: "function X".to_owned(), names: Vec::new(), rows: rows.collect() };
        let all = writer.prompts.with_rows("", &subject.about, |room| writer.rows_within(&subject, room));
        let (prompt, rows) = all.expect("some rows fit");
        assert!(prompt.tokens_with_schema() <= TokenCount::new(4000));
        let shown = rows.lines().count() - 1;
        assert!(shown > 50 && rows.ends_with(&format!("{}|({} more not shown)\n", shown + 1, 500 - shown)), "{rows}");
    }
}
