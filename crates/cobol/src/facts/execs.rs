//! The facts of EXEC blocks.

use super::{CandidateFact, FactNames};
use crate::access::{CicsResource, CicsResponse, CrudAccess, DliOperation, DliSegment};
use crate::embedded_sql::SqlStatement;
use crate::model::{ExecBlock, ExecKind};
use crate::skipped_fields::{is_empty, is_true};
use serde::Serialize;
use std::ops::Not;
use war_rig_text::LineNumber;

#[derive(Serialize)]
pub(super) struct ExecFact<'a> {
    kind: ExecKind,
    command: &'a str,
    resource: Option<&'a str>,
    /// Whether the block names the resource itself; omitted if it does.
    #[serde(skip_serializing_if = "is_true")]
    is_literal: bool,
    #[serde(flatten)]
    candidates: CandidateFact<'a>,
    #[serde(skip_serializing_if = "is_empty")]
    tables: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<OptionFact<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sql: Option<&'a SqlStatement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cics: Option<CicsFact<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dli: Option<DliFact<'a>>,
    line: LineNumber,
    end_line: LineNumber,
    paragraph: Option<&'a str>,
    program: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

#[derive(Serialize)]
struct OptionFact<'a> {
    name: &'a str,
    value: Option<&'a str>,
}

impl<'a> ExecFact<'a> {
    pub(super) fn of(
        exec: &'a ExecBlock,
        response: Option<&'a CicsResponse>,
        dli: Option<&'a DliOperation>,
        names: FactNames<'a>,
    ) -> Self {
        let option = |(name, value): &'a (String, Option<String>)| OptionFact { name, value: value.as_deref() };
        Self {
            kind: exec.kind,
            command: &exec.command,
            resource: exec.resource.as_deref(),
            is_literal: exec.is_literal,
            candidates: CandidateFact::of(&exec.candidates),
            tables: &exec.tables,
            cursor: exec.cursor.as_deref(),
            options: exec.options.iter().map(option).collect(),
            sql: exec.sql.as_deref(),
            cics: CicsFact::of(exec, response),
            dli: dli.map(DliFact::of),
            line: exec.lines.start(),
            end_line: exec.lines.end(),
            paragraph: names.paragraph(exec.paragraph),
            program: names.program(exec.program),
            file: exec.file.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct CicsFact<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    map_set: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<&'a CicsResponse>,
}

impl<'a> CicsFact<'a> {
    fn of(exec: &'a ExecBlock, response: Option<&'a CicsResponse>) -> Option<Self> {
        (exec.kind == ExecKind::Cics).then(|| Self {
            resource_kind: exec.cics_resource().map(CicsResource::in_words),
            map_set: exec.map_set(),
            response,
        })
    }
}

#[derive(Serialize)]
struct DliFact<'a> {
    functions: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    function_item: Option<&'a str>,
    access: CrudAccess,
    #[serde(skip_serializing_if = "Option::is_none")]
    pcb: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    psb: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    area: Option<&'a str>,
    #[serde(skip_serializing_if = "is_empty")]
    segments: &'a [DliSegment],
    /// Whether the segment is inferred from the area.
    #[serde(skip_serializing_if = "Not::not")]
    segment_of_area: bool,
}

impl<'a> DliFact<'a> {
    fn of(operation: &'a DliOperation) -> Self {
        Self {
            functions: &operation.functions,
            function_item: operation.function_item.as_deref(),
            access: operation.accesses(),
            pcb: operation.pcb.as_deref(),
            psb: operation.psb.as_deref(),
            area: operation.area.as_deref(),
            segments: &operation.segments,
            segment_of_area: operation.is_segment_inferred,
        }
    }
}

/// A CALL to the DL/I interface.
#[derive(Serialize)]
pub(super) struct DliCallFact<'a> {
    interface: Option<&'a str>,
    #[serde(flatten)]
    operation: DliFact<'a>,
    line: LineNumber,
    end_line: LineNumber,
    paragraph: Option<&'a str>,
    program: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

impl<'a> DliCallFact<'a> {
    pub(super) fn of(operation: &'a DliOperation, names: FactNames<'a>) -> Self {
        Self {
            interface: operation.interface.as_deref(),
            operation: DliFact::of(operation),
            line: operation.lines.start(),
            end_line: operation.lines.end(),
            paragraph: names.paragraph(operation.paragraph),
            program: names.program(operation.program),
            file: operation.file.as_deref(),
        }
    }
}
