//! A document: the completed documentation template of one file.

use crate::layout::ItemPerLine;
use crate::{
    BusinessRule, CalledProgram, CallingContext, CicsOperation, Citation, CitationStatus, ControlEdge, CopiedItems,
    CopybookUse, DataDictionaryItem, DataFlow, DatabaseUnit, DefinitionUnit, DliOperation, DocumentItem, ErrorHandling,
    Hazard, Interface, JobUnit, MapSetUnit, OpenQuestion, Paragraph, ProcedureUnit, PsbUnit, Purpose, RecordState,
    SqlOperation, StepDd, StepUnit, TableUnit,
};
use serde::{Deserialize, Serialize};
use serde_json::Serializer;
use std::fmt;
use std::io::{self, Write};
use std::ops::AddAssign;
use war_rig_text::{ContentHash, LineRange, SourceText};

/// The documentation of one file. The JSON contains the fields in this order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The documented file, and how complete the documentation is.
    pub header: DocumentHeader,
    /// The programs of the file, in source order.
    pub programs: Vec<ProgramUnit>,
    /// The purpose of the program.
    pub purpose: DocumentItem<Purpose>,
    /// The sources of its data.
    pub inputs: Vec<DocumentItem<Interface>>,
    /// The destinations of its data.
    pub outputs: Vec<DocumentItem<Interface>>,
    /// The programs that it calls.
    pub called_programs: Vec<DocumentItem<CalledProgram>>,
    /// How the program is reached.
    pub calling_context: CallingContext,
    /// The business rules that it applies.
    pub business_rules: Vec<DocumentItem<BusinessRule>>,
    /// How data moves through it.
    pub data_flow: DataFlow,
    /// The copybooks that it copies.
    pub copybooks_used: Vec<DocumentItem<CopybookUse>>,
    /// Its paragraphs, in source order.
    pub paragraphs: Vec<DocumentItem<Paragraph>>,
    /// The control flow between paragraphs, in source order.
    #[serde(default)]
    pub control_flow: Vec<ControlEdge>,
    /// What the program does on errors.
    pub error_handling: Vec<DocumentItem<ErrorHandling>>,
    /// Its SQL statements.
    pub sql_operations: Vec<DocumentItem<SqlOperation>>,
    /// Its CICS commands.
    pub cics_operations: Vec<DocumentItem<CicsOperation>>,
    /// Its DL/I operations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dli_operations: Vec<DocumentItem<DliOperation>>,
    /// The states of the records that it stores.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub record_states: Vec<DocumentItem<RecordState>>,
    /// What a maintainer should look at twice, the weightiest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hazards: Vec<DocumentItem<Hazard>>,
    /// Its data items, in source order, without those of `copied_data`.
    pub data_dictionary: Vec<DataDictionaryItem>,
    /// Data items that the documents of copybooks describe, by the COPY that includes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copied_data: Vec<CopiedItems>,
    /// The jobs of a JCL source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobUnit>,
    /// Its procedures, and its members for other sources to include.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub procedures: Vec<ProcedureUnit>,
    /// The map sets of a BMS source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub map_sets: Vec<MapSetUnit>,
    /// CICS definitions, in this source or by a step of a job.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<DefinitionUnit>,
    /// The tables and views of a DDL source, or of a step of a job.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableUnit>,
    /// The PSBs of an IMS source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub program_specifications: Vec<PsbUnit>,
    /// The databases of an IMS source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub databases: Vec<DatabaseUnit>,
    /// Questions that the source alone does not answer.
    pub open_questions: Vec<DocumentItem<OpenQuestion>>,
    /// Conflicts between two chunks.
    pub conflicts: Vec<DocumentConflict>,
    /// Statements of a model about things that the source does not contain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<RejectedItem>,
    /// The lines that the document covers, counted.
    pub coverage: Coverage,
    /// The chunks that the document was made from, in order.
    pub chunks: Vec<ChunkRecord>,
}

/// Identifies the file of a document and records how complete the document is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentHeader {
    /// The first program of the file; `None` in a copybook.
    pub program_id: Option<String>,
    /// The name under which the source was read.
    pub file_name: String,
    /// `program` or `copybook`, or another type of file: `jcl`, `bms`, `csd`, `ddl`, `asm`.
    pub file_type: String,
    /// The writer of the prose: `static`, or the model's name.
    pub produced_by: String,
    /// The hash of the file's bytes.
    pub source_hash: ContentHash,
    /// The hash of the source, of the copybooks that its COPY statements found, and of the reading options; `None` if not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_from: Option<ContentHash>,
    /// How complete the documentation is.
    pub status: DocumentStatus,
    /// The reference format: `fixed` or `free`.
    pub format: String,
    /// The encoding the file was read with.
    pub encoding: String,
    /// Conclusions drawn from the bytes alone, which may be wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The format version of the JSON: [`DocumentHeader::VERSION`], or that of an earlier version of this program.
    #[serde(default = "DocumentHeader::first_version")]
    pub version: u32,
}

impl DocumentHeader {
    /// The current format version. The first version had no number: it also wrote empty values, hashes of cited lines with 64 digits, and each
    /// field of an item on its own line. The second had no citations that are `unchecked` or `contradicted`, and no overview of several chunks.
    /// The third had no hazards, no keys of rules, and no programs that the item of a call may name.
    pub const VERSION: u32 = 4;

    /// Returns the header of the document of a source.
    pub fn of(source: &SourceText, file_type: &str, produced_by: &str) -> Self {
        Self {
            file_name: source.name().to_owned(),
            file_type: file_type.to_owned(),
            produced_by: produced_by.to_owned(),
            source_hash: source.hash(),
            format: source.format().as_str().to_owned(),
            encoding: source.encoding().as_str().to_owned(),
            notes: source.notes().iter().map(ToString::to_string).collect(),
            version: Self::VERSION,
            ..Self::default()
        }
    }

    fn first_version() -> u32 {
        1
    }
}

/// How complete the documentation of a file is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentStatus {
    /// Every chunk was documented.
    #[default]
    Complete,
    /// Some chunks failed.
    Partial,
    /// All of them failed.
    Failed,
}

/// A program of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramUnit {
    /// Its PROGRAM-ID.
    pub program_id: String,
    /// Its lines; `start_line` and `end_line` in JSON.
    #[serde(flatten)]
    pub lines: LineRange,
    /// What it does.
    pub summary: String,
}

/// Two statements of which the document could keep only one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentConflict {
    /// The subject of both, as a path: `paragraphs.0000-MAIN.summary`.
    pub field: String,
    /// The statement that the document keeps.
    pub kept: String,
    /// The statement that the document leaves out.
    pub dropped: String,
    /// The chunks that made the statements; the chunk of the kept one comes first.
    pub chunks: Vec<String>,
}

/// An item of an answer that the document leaves out, because the source contains no such thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectedItem {
    /// The list that contained it: `paragraphs`.
    pub field: String,
    /// The name that the item gave itself.
    pub name: String,
    /// The text of the item.
    pub text: String,
    /// Why the document leaves it out.
    pub reason: String,
    /// The chunk whose answer contained it.
    pub chunk_id: String,
}

/// Lines of the file, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// All lines of the file.
    pub lines: u32,
    /// Lines in chunks that were documented.
    pub documented: u32,
    /// Lines under a verified citation.
    pub cited: u32,
    /// Lines in chunks that failed.
    pub failed: u32,
    /// Lines left out on purpose.
    pub excluded: u32,
}

/// A chunk that the document was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkRecord {
    /// Its name, unique in the file.
    pub chunk_id: String,
    /// The lines it owns; `start_line` and `end_line` in JSON.
    #[serde(flatten)]
    pub lines: LineRange,
    /// Whether the chunk was documented.
    pub status: ChunkStatus,
    /// How far its documentation can be trusted, 0 to 1: the share of its valid citations times the share of its readable items.
    pub confidence: f64,
    /// Parts of its answer that could not be used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Whether a chunk was documented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChunkStatus {
    /// The chunk was documented.
    Complete,
    /// There is no answer for the chunk.
    Failed,
}

/// Citations counted by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CitationTotals {
    /// Citations that are valid where they were claimed.
    pub verified: u64,
    /// Citations that are valid at another place, which they now cite.
    pub relocated: u64,
    /// Citations of texts that name nothing of the source.
    #[serde(default)]
    pub unchecked: u64,
    /// Citations that are not valid.
    pub unsupported: u64,
    /// Citations of texts that the parser's facts refute.
    #[serde(default)]
    pub contradicted: u64,
}

impl Document {
    /// Makes a document without contents.
    pub fn new(header: DocumentHeader) -> Self {
        Self { header, ..Self::default() }
    }

    /// Returns the JSON of the contract without its seal: one item a line, with a final line feed.
    pub fn to_json(&self) -> String {
        let mut json = Vec::new();
        self.write_json(&mut json).expect("memory takes every write");
        json.push(b'\n');
        String::from_utf8(json).expect("JSON is written as UTF-8")
    }

    /// Writes that JSON without the final line feed.
    pub(crate) fn write_json(&self, out: impl Write) -> io::Result<()> {
        self.serialize(&mut Serializer::with_formatter(out, ItemPerLine::default()))?;
        Ok(())
    }

    /// Returns all citations, item by item in the order of the fields.
    pub fn citations(&self) -> impl Iterator<Item = &Citation> {
        let flow = &self.data_flow;
        let flows = flow.reads_from.iter().chain(&flow.writes_to).chain(&flow.transforms);
        (self.purpose.citations.iter())
            .chain(self.inputs.iter().chain(&self.outputs).flat_map(|item| &item.citations))
            .chain(self.called_programs.iter().flat_map(|item| &item.citations))
            .chain(self.business_rules.iter().flat_map(|item| &item.citations))
            .chain(flows.flat_map(|item| &item.citations))
            .chain(self.copybooks_used.iter().flat_map(|item| &item.citations))
            .chain(self.paragraphs.iter().flat_map(|item| &item.citations))
            .chain(self.error_handling.iter().flat_map(|item| &item.citations))
            .chain(self.sql_operations.iter().flat_map(|item| &item.citations))
            .chain(self.cics_operations.iter().flat_map(|item| &item.citations))
            .chain(
                self.jobs
                    .iter()
                    .flat_map(|item| item.citations.iter().chain(of_dds(&item.dds)).chain(of_steps(&item.steps))),
            )
            .chain(
                self.procedures
                    .iter()
                    .flat_map(|item| item.citations.iter().chain(of_dds(&item.dds)).chain(of_steps(&item.steps))),
            )
            .chain(self.map_sets.iter().flat_map(of_map_set))
            .chain(self.definitions.iter().flat_map(|item| &item.citations))
            .chain(self.tables.iter().flat_map(of_table))
            .chain(
                self.program_specifications
                    .iter()
                    .flat_map(|item| item.citations.iter().chain(item.pcbs.iter().flat_map(|pcb| &pcb.citations))),
            )
            .chain(self.databases.iter().flat_map(|item| {
                item.citations.iter().chain(item.segments.iter().flat_map(|segment| &segment.citations))
            }))
            .chain(self.dli_operations.iter().flat_map(|item| &item.citations))
            .chain(self.record_states.iter().flat_map(|item| &item.citations))
            .chain(self.hazards.iter().flat_map(|item| &item.citations))
            .chain(self.open_questions.iter().flat_map(|item| &item.citations))
    }

    /// Counts the lines of the documented file that valid citations cover.
    pub fn cited_lines(&self, file_lines: u32) -> u32 {
        let mut cited = vec![false; file_lines as usize];
        let of_this_file =
            self.citations().filter(|citation| citation.status().holds() && citation.file() == self.header.file_name);
        for citation in of_this_file {
            for index in citation.lines().indices() {
                if let Some(line) = cited.get_mut(index) {
                    *line = true;
                }
            }
        }
        cited.into_iter().filter(|line| *line).count().try_into().unwrap_or(u32::MAX)
    }

    /// Counts its citations.
    pub fn citation_totals(&self) -> CitationTotals {
        self.citations().collect()
    }
}

fn of_steps(steps: &[StepUnit]) -> impl Iterator<Item = &Citation> {
    steps.iter().flat_map(|step| step.citations.iter().chain(of_dds(&step.dds)))
}

fn of_dds(dds: &[StepDd]) -> impl Iterator<Item = &Citation> {
    dds.iter().flat_map(|dd| &dd.citations)
}

fn of_map_set(set: &MapSetUnit) -> impl Iterator<Item = &Citation> {
    let maps = set
        .maps
        .iter()
        .flat_map(|map| map.citations.iter().chain(map.fields.iter().flat_map(|field| &field.citations)));
    set.citations.iter().chain(maps)
}

fn of_table(table: &TableUnit) -> impl Iterator<Item = &Citation> {
    table.citations.iter().chain(table.indexes.iter().flat_map(|index| &index.citations))
}

impl CitationTotals {
    /// Returns the counts with the names of their statuses, from the best to the worst.
    pub fn by_status(self) -> [(&'static str, u64); 5] {
        [
            (CitationStatus::Verified.as_str(), self.verified),
            (CitationStatus::Relocated.as_str(), self.relocated),
            (CitationStatus::Unchecked.as_str(), self.unchecked),
            (CitationStatus::Unsupported.as_str(), self.unsupported),
            (CitationStatus::Contradicted.as_str(), self.contradicted),
        ]
    }

    /// Returns the total.
    pub fn all(self) -> u64 {
        self.by_status().into_iter().map(|(_, count)| count).sum()
    }
}

impl fmt::Display for CitationTotals {
    /// Writes the counts in words; those that only a model's text can have only if there are any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let optional = [CitationStatus::Unchecked.as_str(), CitationStatus::Contradicted.as_str()];
        let shown = self.by_status().into_iter().filter(|(status, count)| *count > 0 || !optional.contains(status));
        for (at, (status, count)) in shown.enumerate() {
            write!(f, "{}{count} {status}", if at > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

impl AddAssign for CitationTotals {
    fn add_assign(&mut self, other: Self) {
        self.verified += other.verified;
        self.relocated += other.relocated;
        self.unchecked += other.unchecked;
        self.unsupported += other.unsupported;
        self.contradicted += other.contradicted;
    }
}

impl AddAssign<CitationStatus> for CitationTotals {
    fn add_assign(&mut self, status: CitationStatus) {
        match status {
            CitationStatus::Verified => self.verified += 1,
            CitationStatus::Relocated => self.relocated += 1,
            CitationStatus::Unchecked => self.unchecked += 1,
            CitationStatus::Unsupported => self.unsupported += 1,
            CitationStatus::Contradicted => self.contradicted += 1,
        }
    }
}

impl<'a> FromIterator<&'a Citation> for CitationTotals {
    fn from_iter<I: IntoIterator<Item = &'a Citation>>(citations: I) -> Self {
        let mut totals = Self::default();
        citations.into_iter().for_each(|citation| totals += citation.status());
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::citation::tests::{range, source};
    use crate::{Claim, DataFlowStep};

    fn document() -> Document {
        let source = source(&[" A.", "     GOBACK."]);
        let cite = |line, anchor: &str| {
            let claim = Claim { lines: range(line, line), quote: None };
            vec![Citation::verify(&claim, &source, range(1, 2), &[anchor.to_owned()])]
        };
        let mut document = Document::new(DocumentHeader {
            version: DocumentHeader::VERSION,
            file_name: "cbl/X.cbl".to_owned(),
            file_type: "program".to_owned(),
            produced_by: "static".to_owned(),
            source_hash: source.hash(),
            status: DocumentStatus::Partial,
            format: "fixed".to_owned(),
            encoding: "utf-8".to_owned(),
            ..DocumentHeader::default()
        });
        document.programs =
            vec![ProgramUnit { program_id: "A".to_owned(), lines: range(1, 2), summary: "Ends.".to_owned() }];
        document.purpose.citations = cite(1, "A");
        let flow = DataFlowStep { name: "A".to_owned(), description: "Nothing.".to_owned() };
        document.data_flow.transforms = vec![DocumentItem::parsed(flow, [cite(2, "A"), cite(2, "B")].concat())];
        document.chunks = vec![ChunkRecord {
            chunk_id: "X-001".to_owned(),
            lines: range(1, 2),
            status: ChunkStatus::Failed,
            confidence: 0.5,
            notes: Vec::new(),
        }];
        document
    }

    #[test]
    fn json_has_the_fields_of_the_contract_in_order_and_reads_back() {
        let json = document().to_json();
        assert!(json.starts_with("{\n  \"header\": {\n    \"program_id\": null,\n") && json.ends_with("}\n"), "{json}");
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        let fields: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = "header programs purpose inputs outputs called_programs calling_context business_rules data_flow \
                        copybooks_used paragraphs control_flow error_handling sql_operations cics_operations data_dictionary \
                        open_questions conflicts coverage chunks";
        assert_eq!(fields.join(" "), expected);
        let program = serde_json::to_string(&value["programs"][0]).unwrap();
        assert_eq!(program, r#"{"program_id":"A","start_line":1,"end_line":2,"summary":"Ends."}"#);
        let chunk = serde_json::to_string(&value["chunks"][0]).unwrap();
        let expected = r#"{"chunk_id":"X-001","start_line":1,"end_line":2,"status":"failed","confidence":0.5}"#;
        assert_eq!(chunk, expected);
        assert!(!json.contains("\"program\":"), "{json}");
        assert_eq!(serde_json::from_str::<Document>(&json).unwrap(), document());
    }

    #[test]
    fn citations_are_counted_by_what_the_source_says() {
        let mut totals = document().citation_totals();
        assert_eq!(totals, CitationTotals { verified: 1, unsupported: 2, ..CitationTotals::default() });
        totals += totals;
        assert_eq!((totals.all(), document().citations().count()), (6, 3));
    }
}
