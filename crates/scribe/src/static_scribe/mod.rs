//! The Scribe without a model: it turns the parser's facts into sentences.
//!
//! It writes only what the parser knows, and quotes the program's own comments as quotes. Its text about an item is
//! the same for every chunk, so the plan of chunks does not affect the document.

mod called_failures;
mod clauses;
mod comments;
mod condition_wording;
mod conditions;
mod consequences;
mod decisions;
mod earlier_checks;
mod entries;
mod fact_index;
mod failures;
mod frames;
mod keys;
mod operations;
mod outcomes;
mod paragraphs;
mod phrase_runs;
mod purpose;
mod resources;
mod rights;
mod statuses;
mod steps;

pub(crate) use fact_index::FactIndex;

use crate::phrases::{count, list};
use crate::{ChunkFacts, FileFacts, Scribe, ScribeOutput, ScribeResponse};
use std::collections::BTreeSet;
use war_rig_cobol::{Analysis, Resource};
use war_rig_llm::{BudgetedPrompt, UsageTotals};
use war_rig_template::{BlockCitation, ParagraphStep, PartialTemplate};
use war_rig_text::{LineRange, SourceText};

/// Writes documentation from the parser's facts alone; the embedded default.
#[derive(Debug, Clone, Copy, Default)]
pub struct StaticScribe;

/// How many actions the sentence about a paragraph names; the rest are counted.
const ACTIONS_NAMED: usize = 6;

impl Scribe for StaticScribe {
    fn produced_by(&self) -> &str {
        "static"
    }

    fn is_parser_only(&self) -> bool {
        true
    }

    async fn write(&self, prompt: &BudgetedPrompt, facts: &ChunkFacts<'_>) -> ScribeResponse<ScribeOutput> {
        let tokens = prompt.tokens().get();
        // It needs no model, but its input is counted like a call, so that a plan can be compared with it.
        let bill = UsageTotals { calls: 1, prompt_tokens: tokens, largest_prompt: tokens, ..UsageTotals::default() };
        ScribeResponse {
            result: Ok(ScribeOutput { partial: self.parser_template(facts), notes: Vec::new(), usable_share: 1.0 }),
            usage: bill,
        }
    }
}

impl StaticScribe {
    /// Describes the parser's facts about a chunk in sentences.
    pub fn parser_template(&self, facts: &ChunkFacts<'_>) -> PartialTemplate {
        StaticWriter::new(facts).write()
    }
}

/// The parser's outline of a whole source.
#[derive(Default)]
pub(crate) struct ProgramOutline {
    /// The kind of program.
    pub(crate) kind: String,
    /// What it works on and calls, and its return codes, in sentences.
    pub(crate) sentences: Vec<String>,
    /// The paragraphs of its main line.
    pub(crate) main_line: Vec<usize>,
    /// What the main line does, step by step.
    pub(crate) steps: Vec<ParagraphStep>,
}

/// Tells the outline of a source.
pub(crate) fn program_outline(source: &SourceText, analysis: &Analysis) -> ProgramOutline {
    let Some(all) = source.line_range() else {
        return ProgramOutline::default();
    };
    let file = FileFacts::new(source, analysis);
    let facts = ChunkFacts::new(&file, all);
    let writer = StaticWriter::new(&facts);
    let main_line = writer.main_line_paragraphs();
    let steps = writer.steps().into_iter().filter(|told| main_line.contains(&told.paragraph));
    let steps = steps.map(|told| told.step).collect();
    ProgramOutline { kind: writer.program_type(), sentences: writer.outline_sentences(), main_line, steps }
}

struct StaticWriter<'f, 'a> {
    facts: &'f ChunkFacts<'a>,
    reading: &'a FactIndex<'a>,
    /// The resources that the chunk uses.
    resources: Vec<&'a Resource>,
}

impl<'f, 'a> StaticWriter<'f, 'a> {
    fn new(facts: &'f ChunkFacts<'a>) -> Self {
        let reading = facts.file.fact_index();
        let touched: BTreeSet<usize> = reading.resources_on.on(facts.owned()).collect();
        let resources = touched.into_iter().map(|index| &reading.resources[index]).collect();
        Self { facts, reading, resources }
    }

    fn write(&self) -> PartialTemplate {
        let (business_rules, error_handling) = self.decisions();
        PartialTemplate {
            purpose: self.purpose(),
            inputs: self.interfaces(|resource| resource.is_read),
            outputs: self.interfaces(|resource| resource.is_written),
            called_programs: self.calls(),
            business_rules,
            data_flow: self.data_flow(),
            copybooks_used: self.copybooks(),
            paragraphs: self.paragraphs(),
            error_handling,
            sql_operations: self.sql(),
            cics_operations: self.cics(),
            dli_operations: self.dli(),
            open_questions: self.questions(),
            steps: self.steps(),
        }
    }

    fn cite(&self, lines: LineRange) -> Vec<BlockCitation> {
        self.facts.cite(lines).into_iter().collect()
    }

    /// Cites a decision with the words of its first line as a quote. A chunk that contains only later lines
    /// gives no quote, and the merger joins both.
    fn cite_decision(&self, lines: LineRange) -> Vec<BlockCitation> {
        let mut citations = self.cite(lines);
        if self.facts.owned().contains(lines.start()) {
            let quote = self.facts.file.source.line(lines.start()).map(|line| line.code().trim().to_owned());
            citations.iter_mut().for_each(|citation| citation.quote.clone_from(&quote));
        }
        citations
    }
}

/// Joins the first names and counts the others.
fn name_list(names: &[String]) -> String {
    match names.get(..ACTIONS_NAMED).filter(|_| names.len() > ACTIONS_NAMED + 1) {
        Some(first) => format!("{} and {} more", first.join(", "), names.len() - ACTIONS_NAMED),
        None => list(names),
    }
}

/// Joins the first phrases and all that describe external effects, and counts the others where they stand.
fn name_some(phrases: Vec<String>, what: &str) -> String {
    name_some_with(phrases, what, |_| false, |_| 1)
}

/// Joins the first phrases, all that describe external effects and all that must be told, and counts where they stand what the others tell.
fn name_some_with(
    phrases: Vec<String>,
    what: &str,
    must_be_told: impl Fn(&str) -> bool,
    tells: impl Fn(&str) -> usize,
) -> String {
    let gap = |more| count(more, &format!("more {what}"));
    match phrases.len() > ACTIONS_NAMED {
        true => clauses::keep_telling(phrases, ACTIONS_NAMED, must_be_told, tells, gap).join("; "),
        false => phrases.join("; "),
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod outcomes_tests;
#[cfg(test)]
mod rules_tests;

#[cfg(test)]
mod keys_tests;
