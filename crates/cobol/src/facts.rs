//! The facts of one source in the JSON format of `war-rig facts`.
//!
//! Nothing is copied: each fact is created from the parser's results when it is serialized, so that printing a source with many
//! thousand items takes no extra memory.

mod execs;
mod references;

use crate::Analysis;
use crate::access::DliOperation;
use crate::control_flow::{ExitKind, UnreachableReason};
use crate::decision_facts::decision_facts;
use crate::def_use::names_of;
use crate::model::{DataItem, Paragraph, ParagraphHead, ParsedCobol, Program, ReferenceKind, Statement, TableKey};
use crate::skipped_fields::{is_empty, is_zero};
use crate::verb::Verb;
use execs::{DliCallFact, ExecFact};
use references::ReferenceFact;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use war_rig_text::{LineNumber, SourceText, write_json_at};

/// All facts of one source. Names are upper case, lines one-based and inclusive, lists in source order.
#[derive(Debug, Clone)]
pub struct CobolFacts<'a> {
    source: &'a SourceText,
    analysis: &'a Analysis,
}

/// Returns the facts of a source.
pub fn facts<'a>(source: &'a SourceText, analysis: &'a Analysis) -> CobolFacts<'a> {
    CobolFacts { source, analysis }
}

impl CobolFacts<'_> {
    /// Writes the facts as JSON, indented for this depth of lists and objects. The code that serializes is compiled and optimized here, once, not
    /// for each type of output.
    ///
    /// # Errors
    /// The output's errors.
    pub fn write_json(&self, depth: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(JSON_BUFFER, out);
        write_json_at(depth, self, &mut out)?;
        out.flush()
    }
}

/// The bytes of JSON that are handed to an output at a time.
const JSON_BUFFER: usize = 16 * 1024;

impl Serialize for CobolFacts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { source, analysis } = self;
        let parsed = analysis.parsed();
        let names = FactNames { parsed };
        let mut out = serializer.serialize_struct("Facts", 19)?;
        out.serialize_field("file", source.name())?;
        out.serialize_field("format", source.format().as_str())?;
        out.serialize_field("encoding", source.encoding().as_str())?;
        out.serialize_field("lines", &source.line_count())?;
        out.serialize_field(
            "programs",
            &ListFacts(|| parsed.programs.iter().map(|program| ProgramFact::of(program, names))),
        )?;
        out.serialize_field(
            "divisions",
            &ListFacts(|| parsed.divisions.iter().map(|fact| names.around(fact, None, fact.program, &fact.file))),
        )?;
        out.serialize_field(
            "sections",
            &ListFacts(|| parsed.sections.iter().map(|fact| names.around(fact, None, fact.program, &fact.file))),
        )?;
        out.serialize_field("paragraphs", &ListFacts(|| paragraphs(analysis)))?;
        out.serialize_field("copies", &parsed.copies)?;
        out.serialize_field(
            "calls",
            &ListFacts(|| {
                parsed.calls.iter().map(|fact| names.around(fact, Some(fact.paragraph), fact.program, &fact.file))
            }),
        )?;
        out.serialize_field(
            "performs",
            &ListFacts(|| parsed.references.iter().map(|reference| ReferenceFact::of(reference, names))),
        )?;
        out.serialize_field("statements", &ListFacts(|| statements(names)))?;
        out.serialize_field("decisions", &ListFacts(|| decision_facts(analysis)))?;
        out.serialize_field("execs", &ListFacts(|| execs(analysis)))?;
        if dli_calls(analysis).next().is_some() {
            let calls = ListFacts(|| dli_calls(analysis).map(|operation| DliCallFact::of(operation, names)));
            out.serialize_field("dli_calls", &calls)?;
        } else {
            out.skip_field("dli_calls")?;
        }
        out.serialize_field(
            "files",
            &ListFacts(|| parsed.files.iter().map(|fact| names.around(fact, None, fact.program, &None))),
        )?;
        out.serialize_field(
            "file_uses",
            &ListFacts(|| {
                parsed.file_uses.iter().map(|fact| names.around(fact, Some(fact.paragraph), fact.program, &None))
            }),
        )?;
        out.serialize_field(
            "data_items",
            &ListFacts(|| parsed.data_items.iter().map(|item| DataItemFact::of(item, names))),
        )?;
        out.serialize_field("diagnostics", &parsed.diagnostics)?;
        out.end()
    }
}

/// Returns the facts of the paragraphs that have a label.
fn paragraphs(analysis: &Analysis) -> impl Iterator<Item = ParagraphFact<'_>> {
    let labelled = analysis.parsed().paragraphs.iter().enumerate().filter(|(_, paragraph)| paragraph.has_label());
    labelled.map(|(index, paragraph)| ParagraphFact::of(index, paragraph, analysis))
}

/// Returns the facts of the statements that are executed. USE is not executed: it tells the compiler when the procedure below it runs.
fn statements(names: FactNames<'_>) -> impl Iterator<Item = StatementFact<'_>> {
    let all = &names.parsed.statements;
    let left_out: Vec<usize> = (0..all.len()).filter(|index| all[*index].verb == Verb::Use).collect();
    all.iter().filter(|statement| statement.verb != Verb::Use).map(move |statement| {
        let place = |index: usize| index - left_out.partition_point(|left_out| *left_out < index);
        StatementFact::of(statement, statement.parent.map(place), names)
    })
}

/// Returns the facts of the EXEC blocks.
fn execs(analysis: &Analysis) -> impl Iterator<Item = ExecFact<'_>> {
    let (parsed, responses) = (analysis.parsed(), analysis.responses());
    // Operations of EXEC DLI are in the order of their blocks.
    let mut commands = analysis.dli_operations().iter().filter(|operation| operation.exec.is_some()).peekable();
    parsed.execs.iter().enumerate().map(move |(index, exec)| {
        let dli = commands.next_if(|operation| operation.exec == Some(index));
        ExecFact::of(exec, responses.of_exec(index), dli, FactNames { parsed })
    })
}

/// Returns the DL/I operations that CALL statements request.
fn dli_calls(analysis: &Analysis) -> impl Iterator<Item = &DliOperation> {
    analysis.dli_operations().iter().filter(|operation| operation.interface.is_some())
}

/// A list that creates its elements one by one during serialization.
struct ListFacts<F>(F);

impl<F, I> Serialize for ListFacts<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Names for the indices in the model.
#[derive(Clone, Copy)]
struct FactNames<'a> {
    parsed: &'a ParsedCobol,
}

impl<'a> FactNames<'a> {
    fn program(self, index: Option<usize>) -> Option<&'a str> {
        index.map(|index| self.parsed.programs[index].name.as_str())
    }

    fn paragraph(self, index: Option<usize>) -> Option<&'a str> {
        self.parsed.label(index)
    }

    fn item(self, index: Option<usize>) -> Option<&'a str> {
        index.map(|index| self.parsed.data_items[index].name.as_str())
    }

    fn around<T>(
        self,
        fact: &'a T,
        paragraph: Option<Option<usize>>,
        program: Option<usize>,
        file: &'a Option<String>,
    ) -> InProgram<'a, T> {
        let paragraph = paragraph.map(|paragraph| self.paragraph(paragraph));
        InProgram { fact, paragraph, program: self.program(program), file: file.as_deref() }
    }
}

#[derive(Serialize)]
struct ProgramFact<'a> {
    program_id: &'a str,
    start_line: LineNumber,
    end_line: LineNumber,
    nested_in: Option<&'a str>,
    using: &'a [String],
    entries: &'a [String],
}

impl<'a> ProgramFact<'a> {
    fn of(program: &'a Program, names: FactNames<'a>) -> Self {
        Self {
            program_id: &program.name,
            start_line: program.lines.start(),
            end_line: program.lines.end(),
            nested_in: names.program(program.nested_in),
            using: &program.parameters,
            entries: &program.entries,
        }
    }
}

/// A fact with the names of what contains it.
#[derive(Serialize)]
struct InProgram<'a, T> {
    #[serde(flatten)]
    fact: &'a T,
    /// The label of its paragraph; none if facts of this kind are not in paragraphs.
    #[serde(skip_serializing_if = "Option::is_none")]
    paragraph: Option<Option<&'a str>>,
    program: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

#[derive(Serialize)]
struct ParagraphFact<'a> {
    name: &'a str,
    line: LineNumber,
    end_line: LineNumber,
    section: Option<&'a str>,
    program: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    /// The data items that its own statements read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reads: Vec<&'a str>,
    /// The data items that they set, or pass to a program that may set them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    writes: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unreached: Option<UnreachableFact<'a>>,
}

impl<'a> ParagraphFact<'a> {
    fn of(index: usize, paragraph: &'a Paragraph, analysis: &'a Analysis) -> Self {
        let parsed = analysis.parsed();
        let (names, touched) = (FactNames { parsed }, &analysis.paragraph_def_use()[index]);
        let unreachable = analysis.control_flow().unreachable_reason(index);
        Self {
            name: &paragraph.name,
            line: paragraph.lines.start(),
            end_line: paragraph.lines.end(),
            section: paragraph.section.map(|section| parsed.sections[section].name.as_str()),
            program: names.program(paragraph.program),
            file: paragraph.file.as_deref(),
            reads: names_of(parsed, &touched.reads),
            writes: names_of(parsed, &touched.writes),
            unreached: unreachable.map(|reason| UnreachableFact::of(reason, names)),
        }
    }
}

/// The reason why control never reaches a paragraph.
#[derive(Serialize)]
struct UnreachableFact<'a> {
    because: &'static str,
    /// The paragraph that refers to it, or that precedes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    paragraph: Option<&'a str>,
    /// The kind of the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<ReferenceKind>,
    /// The line of the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<LineNumber>,
    /// How control leaves before it gets here.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    /// The range that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[&'a str; 2]>,
}

impl<'a> UnreachableFact<'a> {
    fn of(reason: UnreachableReason, names: FactNames<'a>) -> Self {
        let name = |index: usize| names.parsed.paragraphs[index].name.as_str();
        let plain = |because: &'static str, paragraph: Option<usize>, by: Option<ExitKind>| Self {
            because,
            paragraph: paragraph.filter(|at| names.parsed.paragraphs[*at].head != ParagraphHead::Division).map(name),
            kind: None,
            line: None,
            by: by.map(ExitKind::as_str),
            range: None,
        };
        match reason {
            UnreachableReason::OnlyFromUnreachable { paragraph, kind } => {
                Self { kind: Some(kind), ..plain("only_from_unreached", Some(paragraph), None) }
            }
            UnreachableReason::OnlyFromDeadCode { paragraph, kind, line, by } => Self {
                kind: Some(kind),
                line: Some(line),
                ..plain("only_from_unreachable_statement", paragraph, Some(by))
            },
            UnreachableReason::RangeExitedEarly { first, last, before, by } => {
                Self { range: Some([name(first), name(last)]), ..plain("range_left", Some(before), Some(by)) }
            }
            UnreachableReason::AfterExit { before, by } => plain("behind", Some(before), Some(by)),
            UnreachableReason::AfterPerformed { before } => plain("behind_performed", Some(before), None),
            UnreachableReason::AfterUnreachable { before } => plain("behind_unreached", Some(before), None),
            UnreachableReason::NoPredecessor => plain("nothing_leads_here", None, None),
        }
    }
}

/// The maximum number of values listed for a data item at each place that uses it as a name.
const CANDIDATES_LISTED: usize = 100;

/// Writes the literals that a data item may contain.
pub(crate) fn candidates<S: Serializer>(all: &[(String, LineNumber)], serializer: S) -> Result<S::Ok, S::Error> {
    CandidateFact::of(all).serialize(serializer)
}

#[derive(Serialize)]
struct CandidateFact<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<&'a str>,
    /// The number of candidates that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    candidates_left_out: usize,
}

impl<'a> CandidateFact<'a> {
    fn of(all: &'a [(String, LineNumber)]) -> Self {
        Self {
            candidates: all.iter().take(CANDIDATES_LISTED).map(|(name, _)| name.as_str()).collect(),
            candidates_left_out: all.len().saturating_sub(CANDIDATES_LISTED),
        }
    }
}

#[derive(Serialize)]
struct StatementFact<'a> {
    verb: &'a str,
    line: LineNumber,
    end_line: LineNumber,
    depth: u16,
    /// The zero-based position in the list of the statement that contains it.
    parent: Option<usize>,
    paragraph: Option<&'a str>,
    program: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

impl<'a> StatementFact<'a> {
    fn of(statement: &'a Statement, parent: Option<usize>, names: FactNames<'a>) -> Self {
        Self {
            verb: statement.verb.as_str(),
            line: statement.lines.start(),
            end_line: statement.lines.end(),
            depth: statement.depth,
            parent,
            paragraph: names.paragraph(statement.paragraph),
            program: names.program(statement.program),
            file: statement.file.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct DataItemFact<'a> {
    name: &'a str,
    level: u8,
    picture: Option<&'a str>,
    usage: Option<&'a str>,
    offset: Option<u64>,
    /// The length of one occurrence in bytes.
    length: Option<u64>,
    occurs: Option<u32>,
    /// The minimum number of occurrences, if it differs from the maximum.
    #[serde(skip_serializing_if = "Option::is_none")]
    occurs_at_least: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depending_on: Option<&'a str>,
    #[serde(skip_serializing_if = "is_empty")]
    indexed_by: &'a [String],
    #[serde(skip_serializing_if = "is_empty")]
    keys: &'a [TableKey],
    redefines: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    renames_through: Option<&'a str>,
    value: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attributes: Vec<Cow<'static, str>>,
    parent: Option<&'a str>,
    section: Option<&'a str>,
    program: Option<&'a str>,
    line: Option<LineNumber>,
    end_line: Option<LineNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

impl<'a> DataItemFact<'a> {
    fn of(item: &'a DataItem, names: FactNames<'a>) -> Self {
        let table = item.table.as_deref();
        Self {
            name: &item.name,
            level: item.level,
            picture: item.picture.as_deref(),
            usage: item.usage,
            offset: item.offset,
            length: item.length,
            occurs: item.occurs,
            occurs_at_least: table.map(|table| table.min_occurs).filter(|fewest| Some(*fewest) != item.occurs),
            depending_on: item.depending_on.as_deref(),
            indexed_by: table.map_or(&[], |table| &table.indexed_by),
            keys: table.map_or(&[], |table| &table.keys),
            redefines: item.redefines.as_deref(),
            renames_through: item.renames_through.as_deref(),
            value: item.value.as_deref(),
            attributes: item.clauses().collect(),
            parent: names.item(item.parent),
            section: item.section.as_deref(),
            program: names.program(item.program),
            line: item.line,
            end_line: item.lines.map(|lines| lines.end()),
            file: item.file.as_deref(),
        }
    }
}
