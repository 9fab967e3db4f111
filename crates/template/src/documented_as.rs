//! A short summary of a document, for a list of documents.

use crate::{CitationTotals, Document, JobUnit, PackedOutline, RunOutline, StepUnit, unfold_repeated_steps};
use serde::{Deserialize, Serialize};

/// The entry of a document in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexEntry {
    /// The programs of the file, in order; empty for a copybook.
    pub programs: Vec<String>,
    /// The kind of program.
    pub program_type: String,
    /// The first sentence of its purpose.
    pub purpose: String,
    /// Lines of the source.
    pub lines: u32,
    /// Lines that valid citations cover.
    pub cited: u32,
    /// The programs that call it.
    pub called_by: Vec<String>,
    /// The type of file: `program`, `copybook`, `jcl`.
    pub file_type: String,
    /// Its citations by status.
    #[serde(default)]
    pub citations: CitationTotals,
    /// Lines in chunks that were documented.
    #[serde(default)]
    pub documented: u32,
    /// What its first program does from start to end.
    #[serde(default, skip_serializing_if = "PackedOutline::is_empty")]
    pub outline: PackedOutline,
    /// The number of its business rules.
    #[serde(default)]
    pub rules: u32,
    /// The number of the places that a maintainer should look at twice.
    #[serde(default)]
    pub hazards: u32,
    /// The steps of its jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<OutlinedStep>,
}

/// A step of a job, for the pages about the estate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlinedStep {
    /// The name of the job.
    pub job: String,
    /// The name of the step.
    pub step: String,
    /// What it does.
    pub summary: String,
    /// How it reaches its program: through which other, in which region, with which plan or PSB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<String>,
    /// Its PARM; none if it only says how the program is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// The DDs whose data stand in the job, with the first lines of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<(String, Vec<String>)>,
    /// The DDs that name a generation or a member, each with the name: `A.B(+1)`, `A.LIB(X)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dd_names: Vec<(String, String)>,
    /// The data sets whose generations its job made before, each with which generation it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generation_notes: Vec<(String, String)>,
    /// The conditions under which it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
}

impl IndexEntry {
    /// Returns the index entry of a document.
    pub fn of(document: &Document) -> Self {
        Self {
            programs: document.programs.iter().map(|program| program.program_id.clone()).collect(),
            program_type: document.program_type().into_owned(),
            purpose: first_sentence(&document.purpose.summary),
            lines: document.coverage.lines,
            cited: document.coverage.cited,
            called_by: document.calling_context.called_by.clone(),
            file_type: document.header.file_type.clone(),
            citations: document.citation_totals(),
            documented: document.coverage.documented,
            outline: PackedOutline::of(&RunOutline::of(document)),
            rules: u32::try_from(document.business_rules.len()).unwrap_or(u32::MAX),
            hazards: u32::try_from(document.hazards.len()).unwrap_or(u32::MAX),
            steps: steps(document),
        }
    }
}

fn steps(document: &Document) -> Vec<OutlinedStep> {
    let of_job = |job: &JobUnit| {
        let steps = unfold_repeated_steps(&job.steps);
        steps.iter().map(|step| outlined_step(&job.job_name, step)).collect::<Vec<_>>()
    };
    document.jobs.iter().flat_map(of_job).collect()
}

fn outlined_step(job: &str, step: &StepUnit) -> OutlinedStep {
    // How the step reaches a program that gets its own name does not tell how it reaches the program.
    let is_inferred = step.programs.iter().any(|program| program.is_inferred);
    let how = step.programs.iter().find_map(|program| program.how.clone()).filter(|_| !is_inferred);
    let operands: Vec<String> =
        step.operands.iter().map(|operand| format!("{}={}", operand.name, operand.value)).collect();
    let operands = (is_inferred && !operands.is_empty()).then(|| operands.join(","));
    let data = || step.dds.iter().flat_map(|dd| dd.data.iter().map(move |data| (&dd.dd_name, data)));
    let given = data().filter(|(_, data)| !data.first_lines.is_empty());
    OutlinedStep {
        job: job.to_owned(),
        step: step.step_name.clone(),
        summary: step.summary.clone(),
        parameter: step.parameter.clone().filter(|parameter| !parameter.is_empty() && how.is_none()).or(operands),
        how,
        given: given
            .map(|(dd, data)| match data.usage.as_str() {
                "" => (dd.clone(), data.first_lines.clone()),
                usage => (format!("{dd} ({usage})"), data.first_lines.clone()),
            })
            .collect(),
        dd_names: data()
            .filter(|(_, data)| data.name.ends_with(')'))
            .map(|(dd, data)| (dd.clone(), data.name.clone()))
            .collect(),
        generation_notes: data()
            .filter_map(|(_, data)| Some((data.name.clone(), data.generation_note.clone()?)))
            .collect(),
        conditions: step.conditions.clone(),
    }
}

/// Returns a text up to the first full stop that ends a sentence outside brackets, with the quotation in it closed.
fn first_sentence(text: &str) -> String {
    let ends = text.match_indices(". ").map(|(at, _)| &text[..=at]);
    let is_whole = |sentence: &&str| {
        let last = sentence.trim_end_matches('.').rsplit([' ', '(', '"']).next().unwrap_or_default();
        let is_shortened = last.len() < 2 || last.contains('.') || SHORTENED.contains(&last);
        !is_shortened && sentence.matches('(').count() == sentence.matches(')').count()
    };
    let mut sentences = ends;
    let sentence = sentences.find(is_whole).unwrap_or(text);
    let is_open = sentence.matches('"').count() % 2 == 1 && sentence.len() < text.len();
    format!("{sentence}{}", if is_open { "\"" } else { "" })
}

/// Words that end with a full stop within a sentence.
const SHORTENED: [&str; 8] = ["etc", "Mr", "Mrs", "Ms", "No", "Nos", "approx", "incl"];
