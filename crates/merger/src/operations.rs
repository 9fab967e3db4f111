//! The parser's facts about SQL statements, CICS commands and DL/I operations.

use war_rig_cobol::{
    CicsResponse, ConditionHandling, Decisions, DliOperation as Dli, ExecBlock, HostVariableDirection, SqlClause,
    SqlParseMethod, SqlStatement,
};
use war_rig_template::{
    CicsOperation, DliOperation, DynamicSql, SqlCursor, SqlHostVariable, SqlOperation, TableAccess, TableColumn,
};

/// How many tested values or handled conditions are named; the rest are only counted.
const VALUES_NAMED: usize = 8;

/// Describes an SQL statement; one that is not understood gets only its names.
pub(crate) fn sql(exec: &ExecBlock) -> SqlOperation {
    let facts = exec.sql.as_deref().map(|sql| facts_of(exec, sql)).unwrap_or_default();
    SqlOperation { operation: exec.command.clone(), table: exec.resource.clone(), ..facts }
}

fn facts_of(exec: &ExecBlock, sql: &SqlStatement) -> SqlOperation {
    // If there are several tables, a column is listed under the name of its table.
    let columns = |column: &dyn Fn(&war_rig_cobol::SqlTable) -> (bool, Vec<String>)| {
        let mut all = Vec::new();
        for table in &sql.tables {
            let (is_all, columns) = column(table);
            let columns = is_all.then(|| "*".to_owned()).into_iter().chain(columns);
            all.extend(columns.map(|column| match sql.tables.len() {
                1 => column,
                _ => format!("{}.{column}", table.name),
            }));
        }
        all
    };
    let mut columns_read = columns(&|table| (table.reads_all, table.columns_read.clone()));
    columns_read.extend(sql.unresolved_columns.iter().cloned());
    let declared = sql.cursor_declared.as_ref();
    SqlOperation {
        tables: sql
            .tables
            .iter()
            .map(|table| TableAccess { name: table.name.clone(), access: table.accesses.crud_letters() })
            .collect(),
        clauses: sql.clauses.iter().map(SqlClause::to_string).collect(),
        columns_read,
        columns_written: columns(&|table| (table.writes_all, table.columns_written.clone())),
        host_variables: sql
            .host_variables
            .iter()
            .map(|variable| SqlHostVariable {
                name: variable.name.clone(),
                direction: match variable.direction {
                    HostVariableDirection::In => "in",
                    HostVariableDirection::Out => "out",
                    HostVariableDirection::InOut => "in_out",
                }
                .to_owned(),
                indicator: variable.indicator.clone(),
            })
            .collect(),
        cursor: exec.cursor.as_ref().map(|name| SqlCursor {
            name: name.clone(),
            declared_at: declared.map(|place| place.lines.start()),
            file: declared.and_then(|place| place.file.clone()),
        }),
        dynamic: sql
            .is_dynamic
            .then(|| DynamicSql { prepared: sql.prepared.clone(), text_in: sql.text_source.clone() }),
        defines: sql
            .defines
            .iter()
            .map(|column| TableColumn {
                name: column.name.clone(),
                data_type: column.data_type.clone(),
                not_null: column.not_null,
                line: column.line,
            })
            .collect(),
        by_words: sql.parsed_by == SqlParseMethod::Words,
        ..SqlOperation::default()
    }
}

/// Describes a CICS command.
pub(crate) fn cics(exec: &ExecBlock, response: Option<&CicsResponse>, decisions: Decisions<'_>) -> CicsOperation {
    let is_constant = |name: &String| decisions.constant(name, exec.program).is_some();
    CicsOperation {
        command: exec.command.clone(),
        resource: exec.resource.clone(),
        resource_kind: exec.cics_resource().map(|kind| kind.in_words().to_owned()),
        candidates: exec.candidates.iter().take(VALUES_NAMED).map(|(name, _)| name.clone()).collect(),
        is_constant: exec.candidates.len() == 1 && exec.resource.as_ref().is_some_and(is_constant),
        map_set: exec.map_set(),
        data: exec.detail_options().collect(),
        response: response.map(in_words),
        ..CicsOperation::default()
    }
}

/// Describes in words what happens when a command fails.
fn in_words(response: &CicsResponse) -> String {
    let kept = match (&response.item, response.no_handle) {
        (Some(item), _) => format!("RESP in {item}"),
        (None, _) => "NOHANDLE".to_owned(),
    };
    match response.handling {
        ConditionHandling::Tested => {
            let mut values: Vec<&str> = Vec::new();
            for value in response.tests.iter().flat_map(|test| &test.values) {
                if !values.contains(&value.as_str()) {
                    values.push(value);
                }
            }
            format!("{kept}, tested for {}", some(&values))
        }
        ConditionHandling::TestedForNothing => {
            let lines: Vec<String> = response.tests.iter().map(|test| test.line.to_string()).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let (lines, does) = match lines.as_slice() {
                [line] => (format!("the test (line {line})"), "does"),
                lines => (format!("the tests (lines {})", some(lines)), "do"),
            };
            format!("{kept}; {lines} {does} nothing either way: a failure is ignored")
        }
        ConditionHandling::TestedElsewhere => {
            let line = response.tested_at.map(|line| format!(" (line {line})")).unwrap_or_default();
            format!("{kept}, tested with other things or elsewhere{line}")
        }
        ConditionHandling::ReturnsOnFailure => format!("{kept}; control comes back only if it fails"),
        ConditionHandling::NotTested => format!("{kept}, which nothing is seen to test"),
        ConditionHandling::Handled => {
            let handlers: Vec<String> = response
                .handlers
                .iter()
                .map(|handler| match &handler.label {
                    Some(label) => format!("{} goes to {label} (line {})", handler.condition, handler.line),
                    None => format!("{} is ignored (line {})", handler.condition, handler.line),
                })
                .collect();
            let handlers: Vec<&str> = handlers.iter().map(String::as_str).collect();
            format!("what is handled above may be in force: {}", some(&handlers))
        }
        ConditionHandling::Default => match &response.abend_handler {
            Some((target, line)) => {
                format!("not handled here; HANDLE ABEND (line {line}) goes to {target}")
            }
            None => "not handled here".to_owned(),
        },
    }
}

/// Joins the first of several values and counts the others.
fn some(values: &[&str]) -> String {
    match values.get(..VALUES_NAMED).filter(|_| values.len() > VALUES_NAMED) {
        Some(first) => format!("{} and {} more", first.join(", "), values.len() - VALUES_NAMED),
        None => values.join(", "),
    }
}

/// Returns the names in the statement of a DL/I operation besides its function and segments.
pub(crate) fn statement_names(operation: &Dli) -> Vec<String> {
    let arguments = operation.segments.iter().filter_map(|segment| segment.argument.clone());
    let others = [&operation.interface, &operation.function_item, &operation.area];
    others.into_iter().flatten().cloned().chain(arguments).collect()
}

/// Describes a DL/I operation.
pub(crate) fn dli(operation: &Dli) -> DliOperation {
    DliOperation {
        function: operation.function(),
        segment: operation.targets().next().map(|segment| segment.name.clone()),
        parents: operation.parents().map(|segment| segment.name.clone()).collect(),
        segments: operation.segments.iter().map(|segment| segment.name.clone()).collect(),
        access: operation.accesses().crud_letters(),
        pcb: operation.pcb.clone(),
        psb: operation.psb.clone(),
        is_message: operation.is_message,
        area: operation.targets().find_map(|segment| segment.area.clone()).or_else(|| operation.area.clone()),
        interface: operation.interface.clone(),
        ..DliOperation::default()
    }
}
