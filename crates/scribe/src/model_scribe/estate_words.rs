//! A few sentences about a business function or about the whole system, by one call each.
//!
//! A model sees what the graph knows of the function and the purpose of each of its programs. What it says must name programs of the function, and no
//! name that it was not shown; a sentence that does neither is left out.

use super::block_prompt::BlockPrompts;
use super::scribe_error;
use crate::{EstateSubject, ScribeError};
use foldhash::{HashMap, HashSet};
use serde::Deserialize;
use serde_json::Value;
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
        let chosen = self.prompts.with_rows("", &subject.about, |room| Some((self.rows_within(subject, room)?, ())));
        let Some((prompt, ())) = chosen else { return Ok(Vec::new()) };
        let prompt = prompt.with_reuse(AnswerReuse { since, ..AnswerReuse::default() });
        let answer = model.ask(&prompt, bill).await.map_err(|error| scribe_error(error.into()))?;
        let is_whole = answer.finish != FinishReason::Length && answer.has_content();
        let sentences = if is_whole { sentences_of(&answer.text, prompt.messages().user, subject) } else { Vec::new() };
        Ok(sentences)
    }

    /// Returns the first rows that fit into so many tokens, numbered.
    fn rows_within(&self, subject: &EstateSubject, room: TokenCount) -> Option<String> {
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
        (shown > 0).then_some(text)
    }
}

/// Reads the sentences of an answer that are from what was shown, and name nothing of the estate that was not.
fn sentences_of(answer: &str, rows: &str, subject: &EstateSubject) -> Vec<SourcedSentence> {
    let fields = answer_object(answer, |name| name == "sentences").unwrap_or_default();
    let Some(Value::Array(told)) = fields.get("sentences") else { return Vec::new() };
    let upper = rows.to_uppercase();
    let shown: HashSet<&str> = words_of(&upper).collect();
    let is_shown_name = |name: &str| {
        let name = name.to_uppercase();
        words_of(&name).all(|word| shown.contains(word))
    };
    let names = subject.names.iter().filter(|name| is_shown_name(name));
    let names: HashMap<String, &String> = names.map(|name| (name.to_uppercase(), name)).collect();
    // What has a digit or a hyphen is a name, whether or not the estate has it; an abbreviation such as VSAM is not.
    let is_name = |word: &str| {
        let is_made_up = word.len() > 3 && word.contains(|c: char| c == '-' || c.is_ascii_digit());
        is_made_up || subject.known.contains(word)
    };
    let names_no_other = |text: &str| words_in_capitals(text).all(|word| shown.contains(word) || !is_name(word));
    let sentence = |value: &Value| -> Option<SourcedSentence> {
        let SentenceAnswer { text, from } = SentenceAnswer::deserialize(value).ok()?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut sources: Vec<String> = Vec::new();
        for name in from.iter().filter_map(|name| names.get(&name.trim().to_uppercase())) {
            if !sources.contains(name) {
                sources.push((*name).clone());
            }
        }
        let is_kept = !text.is_empty() && !sources.is_empty() && names_no_other(&text);
        is_kept.then_some(SourcedSentence { text, from: sources })
    };
    told.iter().filter_map(sentence).take(SENTENCES).collect()
}

/// Returns the words of a text: letters, digits, and hyphens inside.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '-').map(|word| word.trim_matches('-'));
    words.filter(|word| !word.is_empty())
}

/// Returns the words that are written as sources write names.
fn words_in_capitals(text: &str) -> impl Iterator<Item = &str> {
    let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-';
    words_of(text).filter(move |word| word.chars().all(is_capital) && word.contains(|c: char| c.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    const ROWS: &str =
        "1|function: Policy\n2|program POLINQ: online. Shows a policy.\n3|program PRMBILL: batch. Bills POL-MASTER.\n";

    fn told(answer: &str) -> Vec<String> {
        let names = ["POLINQ", "PRMBILL", "HIDDEN"].map(str::to_owned);
        let known = ["POLINQ", "PRMBILL", "HIDDEN", "LEDGER"].map(str::to_owned);
        let subject = EstateSubject {
            names: names.into_iter().collect(),
            known: Arc::new(known.into_iter().collect()),
            ..EstateSubject::default()
        };
        let sentences = sentences_of(answer, ROWS, &subject);
        sentences.into_iter().map(|sentence| format!("{} [{}]", sentence.text, sentence.from.join(" "))).collect()
    }

    #[test]
    fn a_sentence_is_from_programs_that_were_shown_and_names_nothing_else() {
        let answer = r#"{"sentences": [
            {"text": "It shows\n policies in CICS and DB2.", "from": ["polinq", "POLINQ"]},
            {"text": "It bills POL-MASTER once a night.", "from": ["PRMBILL", "NOBODY"]},
            {"text": "It writes CLM-FILE.", "from": ["PRMBILL"]},
            {"text": "It calls CLM0100.", "from": ["PRMBILL"]},
            {"text": "It reads POL-MAST.", "from": ["PRMBILL"]},
            {"text": "It keeps the LEDGER.", "from": ["PRMBILL"]},
            {"text": "It was not shown.", "from": ["HIDDEN"]},
            {"text": "It is from nowhere.", "from": ["OTHER"]},
            {"text": " ", "from": ["POLINQ"]},
            {"text": "It has no source."},
            "no sentence"]}"#;
        assert_eq!(
            told(answer),
            ["It shows policies in CICS and DB2. [POLINQ]", "It bills POL-MASTER once a night. [PRMBILL]"]
        );
        assert!(told("no JSON").is_empty() && told(r#"{"sentences": "x"}"#).is_empty());
    }

    #[test]
    fn rows_that_do_not_fit_are_counted() {
        let counter = TokenCounter::new(war_rig_estimator::TokenizerEncoding::Heuristic);
        let writer = EstateWriter::new(&counter, TokenCount::new(4000));
        let rows = (0..500).map(|number| format!("program P{number:03}: batch. Does one thing, and then another."));
        let subject =
            EstateSubject { about: "function X".to_owned(), rows: rows.collect(), ..EstateSubject::default() };
        let all = writer.prompts.with_rows("", &subject.about, |room| Some((writer.rows_within(&subject, room)?, ())));
        let (prompt, ()) = all.expect("some rows fit");
        let rows = prompt.messages().user;
        assert!(prompt.tokens_with_schema() <= TokenCount::new(4000));
        // The block's head, its end, and the row that counts.
        let shown = rows.lines().count() - 3;
        assert!(shown > 50 && rows.contains(&format!("\n{}|({} more not shown)\n", shown + 1, 500 - shown)), "{rows}");
    }
}
