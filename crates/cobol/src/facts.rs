//! The facts of one source in the JSON shape that `war-rig facts` promises.

use crate::model::{CallKind, Diagnostic, ExecKind, Parsed, ReferenceKind};
use serde::Serialize;
use war_rig_text::{LineNumber, SourceText};

/// All facts of one source. Names are upper case, lines one-based and inclusive, lists in source order.
#[derive(Debug, Clone, Serialize)]
pub struct Facts<'a> {
    file: &'a str,
    format: &'static str,
    encoding: &'static str,
    lines: usize,
    programs: Vec<ProgramFact<'a>>,
    divisions: Vec<DivisionFact<'a>>,
    sections: Vec<SectionFact<'a>>,
    paragraphs: Vec<ParagraphFact<'a>>,
    copies: Vec<CopyFact<'a>>,
    calls: Vec<CallFact<'a>>,
    performs: Vec<ReferenceFact<'a>>,
    statements: Vec<StatementFact<'a>>,
    execs: Vec<ExecFact<'a>>,
    files: Vec<FileFact<'a>>,
    data_items: Vec<DataFact<'a>>,
    diagnostics: &'a [Diagnostic],
}

#[derive(Debug, Clone, Serialize)]
struct ProgramFact<'a> {
    program_id: &'a str,
    start_line: LineNumber,
    end_line: LineNumber,
    nested_in: Option<&'a str>,
    using: &'a [String],
    entries: &'a [String],
}

#[derive(Debug, Clone, Serialize)]
struct DivisionFact<'a> {
    name: &'a str,
    line: LineNumber,
    end_line: LineNumber,
    program: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

#[derive(Debug, Clone, Serialize)]
struct SectionFact<'a> {
    name: &'a str,
    line: LineNumber,
    end_line: LineNumber,
    division: &'a str,
    program: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

#[derive(Debug, Clone, Serialize)]
struct ParagraphFact<'a> {
    name: &'a str,
    line: LineNumber,
    end_line: LineNumber,
    section: Option<&'a str>,
    program: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

#[derive(Debug, Clone, Serialize)]
struct CopyFact<'a> {
    name: &'a str,
    library: Option<&'a str>,
    line: LineNumber,
    replacing: bool,
    resolved: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    passed_over: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

#[derive(Debug, Clone, Serialize)]
struct CallFact<'a> {
    target: &'a str,
    kind: CallKind,
    line: LineNumber,
    end_line: LineNumber,
    using: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<&'a str>,
    /// How many candidates are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    candidates_left_out: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

#[derive(Debug, Clone, Serialize)]
struct ReferenceFact<'a> {
    kind: ReferenceKind,
    target: &'a str,
    through: Option<&'a str>,
    line: LineNumber,
    from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

#[derive(Debug, Clone, Serialize)]
struct StatementFact<'a> {
    verb: &'a str,
    line: LineNumber,
    end_line: LineNumber,
    depth: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

#[derive(Debug, Clone, Serialize)]
struct ExecFact<'a> {
    kind: ExecKind,
    command: &'a str,
    resource: Option<&'a str>,
    line: LineNumber,
    end_line: LineNumber,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

#[derive(Debug, Clone, Serialize)]
struct FileFact<'a> {
    name: &'a str,
    assign: Option<&'a str>,
    organization: &'a str,
    access: Option<&'a str>,
    key: Option<&'a str>,
    status: Option<&'a str>,
    line: Option<LineNumber>,
    records: &'a [String],
}

#[derive(Debug, Clone, Serialize)]
struct DataFact<'a> {
    name: &'a str,
    level: u8,
    picture: Option<&'a str>,
    usage: Option<&'a str>,
    offset: Option<u64>,
    length: Option<u64>,
    occurs: Option<u32>,
    redefines: Option<&'a str>,
    value: Option<&'a str>,
    line: Option<LineNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

/// How many values of a dynamic call are listed at each call.
const CANDIDATES_LISTED: usize = 100;

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The facts of a parsed source.
pub fn facts<'a>(source: &'a SourceText, parsed: &'a Parsed) -> Facts<'a> {
    let program = |index: Option<usize>| index.map(|index| parsed.programs[index].name.as_str());
    let paragraph = |index: Option<usize>| index.map(|index| parsed.paragraphs[index].name.as_str());
    Facts {
        file: source.name(),
        format: source.format().as_str(),
        encoding: source.encoding().as_str(),
        lines: source.line_count(),
        programs: parsed
            .programs
            .iter()
            .map(|p| ProgramFact {
                program_id: &p.name,
                start_line: p.lines.start(),
                end_line: p.lines.end(),
                nested_in: program(p.nested_in),
                using: &p.parameters,
                entries: &p.entries,
            })
            .collect(),
        divisions: parsed
            .divisions
            .iter()
            .map(|d| DivisionFact {
                name: d.name,
                line: d.lines.start(),
                end_line: d.lines.end(),
                program: program(d.program),
                file: d.file.as_deref(),
            })
            .collect(),
        sections: parsed
            .sections
            .iter()
            .map(|s| SectionFact {
                name: &s.name,
                line: s.lines.start(),
                end_line: s.lines.end(),
                division: s.division,
                program: program(s.program),
                file: s.file.as_deref(),
            })
            .collect(),
        paragraphs: parsed
            .paragraphs
            .iter()
            .map(|p| ParagraphFact {
                name: &p.name,
                line: p.lines.start(),
                end_line: p.lines.end(),
                section: p.section.map(|section| parsed.sections[section].name.as_str()),
                program: program(p.program),
                file: p.file.as_deref(),
            })
            .collect(),
        copies: parsed
            .copies
            .iter()
            .map(|c| CopyFact {
                name: &c.name,
                library: c.library.as_deref(),
                line: c.lines.start(),
                replacing: c.replacing,
                resolved: c.resolved.as_deref(),
                passed_over: &c.passed_over,
                file: c.file.as_deref(),
            })
            .collect(),
        calls: parsed
            .calls
            .iter()
            .map(|c| CallFact {
                target: &c.target,
                kind: c.kind,
                line: c.lines.start(),
                end_line: c.lines.end(),
                using: &c.using,
                candidates: c
                    .candidates
                    .iter()
                    .take(CANDIDATES_LISTED)
                    .map(|(name, _)| name.as_str())
                    .collect(),
                candidates_left_out: c.candidates.len().saturating_sub(CANDIDATES_LISTED),
                file: c.file.as_deref(),
            })
            .collect(),
        performs: parsed
            .references
            .iter()
            .map(|r| ReferenceFact {
                kind: r.kind,
                target: &r.target,
                through: r.through.as_deref(),
                line: r.line,
                from: paragraph(r.paragraph),
                file: r.file.as_deref(),
            })
            .collect(),
        statements: parsed
            .statements
            .iter()
            .map(|s| StatementFact {
                verb: &s.verb,
                line: s.lines.start(),
                end_line: s.lines.end(),
                depth: s.depth,
                file: s.file.as_deref(),
            })
            .collect(),
        execs: parsed
            .execs
            .iter()
            .map(|e| ExecFact {
                kind: e.kind,
                command: &e.command,
                resource: e.resource.as_deref(),
                line: e.lines.start(),
                end_line: e.lines.end(),
                file: e.file.as_deref(),
            })
            .collect(),
        files: parsed
            .files
            .iter()
            .map(|f| FileFact {
                name: &f.name,
                assign: f.assign.as_deref(),
                organization: &f.organization,
                access: f.access.as_deref(),
                key: f.key.as_deref(),
                status: f.status.as_deref(),
                line: f.line,
                records: &f.records,
            })
            .collect(),
        data_items: parsed
            .data_items
            .iter()
            .map(|d| DataFact {
                name: &d.name,
                level: d.level,
                picture: d.picture.as_deref(),
                usage: d.usage.as_deref(),
                offset: d.offset,
                length: d.length,
                occurs: d.occurs,
                redefines: d.redefines.as_deref(),
                value: d.value.as_deref(),
                line: d.lines.map(|lines| lines.start()),
                file: d.file.as_deref(),
            })
            .collect(),
        diagnostics: &parsed.diagnostics,
    }
}
