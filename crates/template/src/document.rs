//! A document: the documentation template of one file, filled in.

use crate::layout::ItemPerLine;
use crate::{
    BusinessRule, CalledProgram, CallingContext, CicsOperation, Citation, CitationStatus, ControlEdge,
    CopiedItems, CopybookUse, DataDictionaryItem, DataFlow, DatabaseUnit, DefinitionUnit, DliOperation,
    DocumentItem, ErrorHandling, Interface, JobUnit, MapSetUnit, OpenQuestion, Paragraph, ProcedureUnit,
    PsbUnit, Purpose, SqlOperation, StepDd, StepUnit, TableUnit,
};
use serde::{Deserialize, Serialize};
use serde_json::Serializer;
use std::io::{self, Write};
use std::ops::AddAssign;
use war_rig_text::{ContentHash, LineRange};

/// The documentation of one file; the JSON is its fields in this order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Which file, and how far its documentation got.
    pub header: DocumentHeader,
    /// The programs of the file, in source order.
    pub programs: Vec<ProgramUnit>,
    /// What the program is for.
    pub purpose: DocumentItem<Purpose>,
    /// What data comes from.
    pub inputs: Vec<DocumentItem<Interface>>,
    /// What data goes to.
    pub outputs: Vec<DocumentItem<Interface>>,
    /// The programs it calls.
    pub called_programs: Vec<DocumentItem<CalledProgram>>,
    /// How it is reached.
    pub calling_context: CallingContext,
    /// The rules it applies.
    pub business_rules: Vec<DocumentItem<BusinessRule>>,
    /// How data moves through it.
    pub data_flow: DataFlow,
    /// The copybooks it copies.
    pub copybooks_used: Vec<DocumentItem<CopybookUse>>,
    /// Its paragraphs, in source order.
    pub paragraphs: Vec<DocumentItem<Paragraph>>,
    /// How control goes between them, in source order.
    #[serde(default)]
    pub control_flow: Vec<ControlEdge>,
    /// What it does when things go wrong.
    pub error_handling: Vec<DocumentItem<ErrorHandling>>,
    /// Its SQL statements.
    pub sql_operations: Vec<DocumentItem<SqlOperation>>,
    /// Its CICS commands.
    pub cics_operations: Vec<DocumentItem<CicsOperation>>,
    /// Its DL/I operations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dli_operations: Vec<DocumentItem<DliOperation>>,
    /// Its data items, in source order, without those of `copied_data`.
    pub data_dictionary: Vec<DataDictionaryItem>,
    /// The data items that the documents of copybooks describe, by the COPY that brings them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copied_data: Vec<CopiedItems>,
    /// The jobs of a source of job control.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobUnit>,
    /// Its procedures, and the members it is for others to include.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub procedures: Vec<ProcedureUnit>,
    /// The map sets of a source of BMS.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub map_sets: Vec<MapSetUnit>,
    /// What is defined to CICS, here or by a job's step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<DefinitionUnit>,
    /// The tables and views of a source of DDL, or of a job's step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableUnit>,
    /// The PSBs of a source of IMS.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub program_specifications: Vec<PsbUnit>,
    /// The databases of a source of IMS.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub databases: Vec<DatabaseUnit>,
    /// What the source alone does not answer.
    pub open_questions: Vec<DocumentItem<OpenQuestion>>,
    /// Where two chunks said different things.
    pub conflicts: Vec<DocumentConflict>,
    /// What a model said of things that the source does not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<RejectedItem>,
    /// How many lines the document accounts for.
    pub coverage: Coverage,
    /// The chunks it was made from, in order.
    pub chunks: Vec<ChunkRecord>,
}

/// Which file a document is of, and how far it got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentHeader {
    /// The first program of the file; none in a copybook.
    pub program_id: Option<String>,
    /// The file's name, as its source was read under it.
    pub file_name: String,
    /// `program` or `copybook`, or what else the file is: `jcl`, `bms`, `csd`, `ddl`, `asm`.
    pub file_type: String,
    /// What wrote the prose: `static`, or the model's name.
    pub produced_by: String,
    /// The hash of the file's bytes.
    pub source_hash: ContentHash,
    /// The hash of the source, of what its COPY statements have found, and of how they were read; none where nobody noted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_from: Option<ContentHash>,
    /// How far the documentation got.
    pub status: DocumentStatus,
    /// The reference format: `fixed` or `free`.
    pub format: String,
    /// The encoding the file was read with.
    pub encoding: String,
    /// What was concluded from its bytes alone, and may be wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The version of the JSON's format: [`DocumentHeader::VERSION`], or that of an earlier version of this program.
    #[serde(default = "DocumentHeader::first_version")]
    pub version: u32,
}

impl DocumentHeader {
    /// The version of the format that is written. The first one had no number: it wrote what is empty as well, hashes of cited lines with 64 digits, and every
    /// field of an item on a line.
    pub const VERSION: u32 = 2;

    fn first_version() -> u32 {
        1
    }
}

/// How far the documentation of a file got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentStatus {
    /// Every chunk was documented.
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

/// Two statements of which the document could keep one only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentConflict {
    /// What both speak of, as a path: `paragraphs.0000-MAIN.summary`.
    pub field: String,
    /// What the document says.
    pub kept: String,
    /// What it does not say.
    pub dropped: String,
    /// The chunks that said it: the kept one's first.
    pub chunks: Vec<String>,
}

/// An item of an answer that is not in the document, because the source has no such thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectedItem {
    /// The list it was in: `paragraphs`.
    pub field: String,
    /// What it called itself.
    pub name: String,
    /// What it said.
    pub text: String,
    /// Why it is left out.
    pub reason: String,
    /// The chunk whose answer it was in.
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
    /// Whether it was documented.
    pub status: ChunkStatus,
    /// How far its documentation can be trusted, 0 to 1: the share of its citations that hold, times that of its items that could be
    /// read.
    pub confidence: f64,
    /// What could not be used of its answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Whether a chunk was documented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChunkStatus {
    /// It was.
    Complete,
    /// No answer could be had for it.
    Failed,
}

/// Citations counted by what the source says to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CitationTotals {
    /// Those that hold where they were claimed.
    pub verified: u64,
    /// Those that hold at another place, which they now say.
    pub relocated: u64,
    /// Those that do not hold.
    pub unsupported: u64,
}

impl Document {
    /// A document that says nothing yet.
    pub fn new(header: DocumentHeader) -> Self {
        Self {
            header,
            programs: Vec::new(),
            purpose: DocumentItem::default(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            called_programs: Vec::new(),
            calling_context: CallingContext::default(),
            business_rules: Vec::new(),
            data_flow: DataFlow::default(),
            copybooks_used: Vec::new(),
            paragraphs: Vec::new(),
            control_flow: Vec::new(),
            error_handling: Vec::new(),
            sql_operations: Vec::new(),
            cics_operations: Vec::new(),
            dli_operations: Vec::new(),
            data_dictionary: Vec::new(),
            copied_data: Vec::new(),
            jobs: Vec::new(),
            procedures: Vec::new(),
            map_sets: Vec::new(),
            definitions: Vec::new(),
            tables: Vec::new(),
            program_specifications: Vec::new(),
            databases: Vec::new(),
            open_questions: Vec::new(),
            conflicts: Vec::new(),
            rejected: Vec::new(),
            coverage: Coverage::default(),
            chunks: Vec::new(),
        }
    }

    /// The JSON of the contract without its seal: an item a line, ended by a line feed.
    pub fn to_json(&self) -> String {
        let mut json = Vec::new();
        self.write_json(&mut json).expect("memory takes every write");
        json.push(b'\n');
        String::from_utf8(json).expect("JSON is written as UTF-8")
    }

    /// Writes that JSON, all but the line feed.
    pub(crate) fn write_json(&self, out: impl Write) -> io::Result<()> {
        self.serialize(&mut Serializer::with_formatter(out, ItemPerLine::default()))?;
        Ok(())
    }

    /// All citations, item by item in the order of the fields.
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
                self.jobs.iter().flat_map(|item| {
                    item.citations.iter().chain(of_dds(&item.dds)).chain(of_steps(&item.steps))
                }),
            )
            .chain(
                self.procedures.iter().flat_map(|item| {
                    item.citations.iter().chain(of_dds(&item.dds)).chain(of_steps(&item.steps))
                }),
            )
            .chain(self.map_sets.iter().flat_map(of_map_set))
            .chain(self.definitions.iter().flat_map(|item| &item.citations))
            .chain(self.tables.iter().flat_map(of_table))
            .chain(self.program_specifications.iter().flat_map(|item| {
                item.citations.iter().chain(item.pcbs.iter().flat_map(|pcb| &pcb.citations))
            }))
            .chain(self.databases.iter().flat_map(|item| {
                item.citations.iter().chain(item.segments.iter().flat_map(|segment| &segment.citations))
            }))
            .chain(self.dli_operations.iter().flat_map(|item| &item.citations))
            .chain(self.open_questions.iter().flat_map(|item| &item.citations))
    }

    /// How many lines of the documented file stand under a citation that holds.
    pub fn cited_lines(&self, file_lines: u32) -> u32 {
        let mut cited = vec![false; file_lines as usize];
        let of_this_file = self.citations().filter(|citation| {
            citation.status() != CitationStatus::Unsupported && citation.file() == self.header.file_name
        });
        for citation in of_this_file {
            for index in citation.lines().indices() {
                if let Some(line) = cited.get_mut(index) {
                    *line = true;
                }
            }
        }
        cited.into_iter().filter(|line| *line).count().try_into().unwrap_or(u32::MAX)
    }

    /// Its citations, counted.
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
    /// All of them.
    pub fn all(self) -> u64 {
        self.verified + self.relocated + self.unsupported
    }
}

impl AddAssign for CitationTotals {
    fn add_assign(&mut self, other: Self) {
        self.verified += other.verified;
        self.relocated += other.relocated;
        self.unsupported += other.unsupported;
    }
}

impl AddAssign<CitationStatus> for CitationTotals {
    fn add_assign(&mut self, status: CitationStatus) {
        match status {
            CitationStatus::Verified => self.verified += 1,
            CitationStatus::Relocated => self.relocated += 1,
            CitationStatus::Unsupported => self.unsupported += 1,
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
            program_id: None,
            file_name: "cbl/X.cbl".to_owned(),
            file_type: "program".to_owned(),
            produced_by: "static".to_owned(),
            source_hash: source.hash(),
            made_from: None,
            status: DocumentStatus::Partial,
            format: "fixed".to_owned(),
            encoding: "utf-8".to_owned(),
            notes: Vec::new(),
        });
        document.programs =
            vec![ProgramUnit { program_id: "A".to_owned(), lines: range(1, 2), summary: "Ends.".to_owned() }];
        document.purpose.citations = cite(1, "A");
        let flow = DataFlowStep { name: "A".to_owned(), description: "Nothing.".to_owned() };
        document.data_flow.transforms =
            vec![DocumentItem::parsed(flow, [cite(2, "A"), cite(2, "B")].concat())];
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
        assert!(
            json.starts_with("{\n  \"header\": {\n    \"program_id\": null,\n") && json.ends_with("}\n"),
            "{json}"
        );
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        let fields: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = "header programs purpose inputs outputs called_programs calling_context business_rules data_flow \
                        copybooks_used paragraphs control_flow error_handling sql_operations cics_operations data_dictionary \
                        open_questions conflicts coverage chunks";
        assert_eq!(fields.join(" "), expected);
        let program = serde_json::to_string(&value["programs"][0]).unwrap();
        assert_eq!(program, r#"{"program_id":"A","start_line":1,"end_line":2,"summary":"Ends."}"#);
        let chunk = serde_json::to_string(&value["chunks"][0]).unwrap();
        let expected =
            r#"{"chunk_id":"X-001","start_line":1,"end_line":2,"status":"failed","confidence":0.5}"#;
        assert_eq!(chunk, expected);
        assert!(!json.contains("\"program\":"), "{json}");
        assert_eq!(serde_json::from_str::<Document>(&json).unwrap(), document());
    }

    #[test]
    fn citations_are_counted_by_what_the_source_says() {
        let mut totals = document().citation_totals();
        assert_eq!(totals, CitationTotals { verified: 1, relocated: 1, unsupported: 1 });
        totals += totals;
        assert_eq!((totals.all(), document().citations().count()), (6, 3));
    }
}
