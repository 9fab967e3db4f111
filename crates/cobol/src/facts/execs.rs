//! The facts of EXEC blocks.

use super::{Candidates, Names, is_empty, is_false, is_true};
use crate::access::{Accesses, CicsResource, DliOperation, DliSegment, Handler, Response, ResponseTest};
use crate::embedded::{Direction, HostVariable, Place, SqlColumn, SqlReading, SqlStatement, SqlTable};
use crate::model::{Exec, ExecKind};
use crate::outcome::Outcome;
use serde::Serialize;
use war_rig_text::LineNumber;

#[derive(Serialize)]
pub(super) struct ExecFact<'a> {
    kind: ExecKind,
    command: &'a str,
    resource: Option<&'a str>,
    /// Whether the resource is named by the block itself; left out where it is.
    #[serde(skip_serializing_if = "is_true")]
    is_literal: bool,
    #[serde(flatten)]
    candidates: Candidates<'a>,
    #[serde(skip_serializing_if = "is_empty")]
    tables: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<OptionFact<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sql: Option<SqlFact<'a>>,
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
        exec: &'a Exec,
        response: Option<&'a Response>,
        dli: Option<&'a DliOperation>,
        names: Names<'a>,
    ) -> Self {
        let option =
            |(name, value): &'a (String, Option<String>)| OptionFact { name, value: value.as_deref() };
        Self {
            kind: exec.kind,
            command: &exec.command,
            resource: exec.resource.as_deref(),
            is_literal: exec.is_literal,
            candidates: Candidates::of(&exec.candidates),
            tables: &exec.tables,
            cursor: exec.cursor.as_deref(),
            options: exec.options.iter().map(option).collect(),
            sql: exec.sql.as_deref().map(SqlFact::of),
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
struct SqlFact<'a> {
    read_by: SqlReading,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tables: Vec<SqlTableFact<'a>>,
    #[serde(skip_serializing_if = "is_empty")]
    columns_unplaced: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    host_variables: Vec<HostVariableFact<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor_declared_at: Option<PlaceFact<'a>>,
    #[serde(skip_serializing_if = "is_false")]
    dynamic: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    prepared: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_in: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    defines: Vec<SqlColumnFact<'a>>,
}

impl<'a> SqlFact<'a> {
    fn of(sql: &'a SqlStatement) -> Self {
        Self {
            read_by: sql.read_by,
            refused: sql.refused.as_deref(),
            tables: sql.tables.iter().map(SqlTableFact::of).collect(),
            columns_unplaced: &sql.columns_unplaced,
            host_variables: sql.host_variables.iter().map(HostVariableFact::of).collect(),
            cursor_declared_at: sql.cursor_declared.as_ref().map(PlaceFact::of),
            dynamic: sql.is_dynamic,
            prepared: sql.prepared.as_deref(),
            text_in: sql.text_in.as_deref(),
            defines: sql.defines.iter().map(SqlColumnFact::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct SqlTableFact<'a> {
    name: &'a str,
    /// The letters of CRUD; empty where the statement does nothing with its rows.
    access: String,
    #[serde(skip_serializing_if = "is_false")]
    all_columns_read: bool,
    #[serde(skip_serializing_if = "is_empty")]
    columns_read: &'a [String],
    #[serde(skip_serializing_if = "is_false")]
    all_columns_written: bool,
    #[serde(skip_serializing_if = "is_empty")]
    columns_written: &'a [String],
}

impl<'a> SqlTableFact<'a> {
    fn of(table: &'a SqlTable) -> Self {
        Self {
            name: &table.name,
            access: Accesses::letters(table.accesses),
            all_columns_read: table.reads_all,
            columns_read: &table.columns_read,
            all_columns_written: table.writes_all,
            columns_written: &table.columns_written,
        }
    }
}

#[derive(Serialize)]
struct HostVariableFact<'a> {
    name: &'a str,
    direction: Direction,
    #[serde(skip_serializing_if = "Option::is_none")]
    indicator: Option<&'a str>,
}

impl<'a> HostVariableFact<'a> {
    fn of(variable: &'a HostVariable) -> Self {
        Self { name: &variable.name, direction: variable.direction, indicator: variable.indicator.as_deref() }
    }
}

#[derive(Serialize)]
struct PlaceFact<'a> {
    line: LineNumber,
    end_line: LineNumber,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

impl<'a> PlaceFact<'a> {
    fn of(place: &'a Place) -> Self {
        Self { line: place.lines.start(), end_line: place.lines.end(), file: place.file.as_deref() }
    }
}

#[derive(Serialize)]
struct SqlColumnFact<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    data_type: &'a str,
    #[serde(skip_serializing_if = "is_false")]
    not_null: bool,
    line: LineNumber,
}

impl<'a> SqlColumnFact<'a> {
    fn of(column: &'a SqlColumn) -> Self {
        Self {
            name: &column.name,
            data_type: &column.data_type,
            not_null: column.not_null,
            line: column.line,
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
    response: Option<ResponseFact<'a>>,
}

impl<'a> CicsFact<'a> {
    fn of(exec: &'a Exec, response: Option<&'a Response>) -> Option<Self> {
        (exec.kind == ExecKind::Cics).then(|| Self {
            resource_kind: exec.cics_resource().map(CicsResource::in_words),
            map_set: exec.map_set(),
            response: response.map(ResponseFact::of),
        })
    }
}

#[derive(Serialize)]
struct ResponseFact<'a> {
    handling: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    second_item: Option<&'a str>,
    #[serde(skip_serializing_if = "is_false")]
    no_handle: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests: Vec<TestFact<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tested_at: Option<LineNumber>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    handlers: Vec<HandlerFact<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    abend_handler: Option<&'a str>,
}

impl<'a> ResponseFact<'a> {
    fn of(response: &'a Response) -> Self {
        Self {
            handling: response.handling.as_str(),
            item: response.item.as_deref(),
            second_item: response.second_item.as_deref(),
            no_handle: response.no_handle,
            tests: response.tests.iter().map(TestFact::of).collect(),
            tested_at: response.tested_at,
            handlers: response.handlers.iter().map(HandlerFact::of).collect(),
            abend_handler: response.abend_handler.as_ref().map(|(name, _)| name.as_str()),
        }
    }
}

#[derive(Serialize)]
struct TestFact<'a> {
    values: &'a [String],
    outcome: &'static str,
    line: LineNumber,
}

impl<'a> TestFact<'a> {
    fn of(test: &'a ResponseTest) -> Self {
        let outcome = match test.outcome {
            Outcome::Success => "success",
            Outcome::EndOfData => "end_of_data",
            Outcome::Failure => "failure",
        };
        Self { values: &test.values, outcome, line: test.line }
    }
}

#[derive(Serialize)]
struct HandlerFact<'a> {
    condition: &'a str,
    label: Option<&'a str>,
    line: LineNumber,
}

impl<'a> HandlerFact<'a> {
    fn of(handler: &'a Handler) -> Self {
        Self { condition: &handler.condition, label: handler.label.as_deref(), line: handler.line }
    }
}

#[derive(Serialize)]
struct DliFact<'a> {
    functions: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    function_item: Option<&'a str>,
    /// The letters of CRUD.
    access: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pcb: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    psb: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    area: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    segments: Vec<DliSegmentFact<'a>>,
    /// Whether the segment is concluded from the area.
    #[serde(skip_serializing_if = "is_false")]
    segment_of_area: bool,
}

impl<'a> DliFact<'a> {
    fn of(operation: &'a DliOperation) -> Self {
        Self {
            functions: &operation.functions,
            function_item: operation.function_item.as_deref(),
            access: operation.accesses().letters(),
            pcb: operation.pcb.as_deref(),
            psb: operation.psb.as_deref(),
            area: operation.area.as_deref(),
            segments: operation.segments.iter().map(DliSegmentFact::of).collect(),
            segment_of_area: operation.is_segment_of_area,
        }
    }
}

#[derive(Serialize)]
struct DliSegmentFact<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    argument: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    area: Option<&'a str>,
    /// Left out where it is one that the operation is about.
    #[serde(skip_serializing_if = "is_true")]
    target: bool,
}

impl<'a> DliSegmentFact<'a> {
    fn of(segment: &'a DliSegment) -> Self {
        Self {
            name: &segment.name,
            argument: segment.argument.as_deref(),
            area: segment.area.as_deref(),
            target: segment.is_target,
        }
    }
}

/// A CALL of the DL/I interface.
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
    pub(super) fn of(operation: &'a DliOperation, names: Names<'a>) -> Self {
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
