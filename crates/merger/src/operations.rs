//! What the parser knows of SQL statements, CICS commands and DL/I operations beside their names.

use crate::claims::Claimed;
use crate::frame::{Entry, Programs};
use std::collections::HashMap;
use war_rig_cobol::{
    Analysis, Direction, DliOperation as Dli, Exec, ExecKind, Handling, Response, SqlReading, SqlStatement,
};
use war_rig_template::{
    CicsOperation, Cursor, DliOperation, Dynamic, HostVariable, SqlOperation, TableAccess, TableColumn,
};
use war_rig_text::LineRange;

/// How many tested values or handled conditions are named before they are only counted.
const VALUES_NAMED: usize = 8;

/// The facts of one operation; what a Scribe says of it is filled in later.
#[derive(Debug, Clone)]
pub(crate) enum Facts {
    Sql(SqlOperation),
    Cics(CicsOperation),
    Dli(DliOperation),
}

impl Entry {
    /// The facts of an SQL statement; none for one that the parser does not know.
    pub(crate) fn take_sql(&mut self) -> SqlOperation {
        match self.facts.take().map(|facts| *facts) {
            Some(Facts::Sql(facts)) => facts,
            _ => SqlOperation::default(),
        }
    }

    /// The facts of a CICS command.
    pub(crate) fn take_cics(&mut self) -> CicsOperation {
        match self.facts.take().map(|facts| *facts) {
            Some(Facts::Cics(facts)) => facts,
            _ => CicsOperation::default(),
        }
    }

    /// The facts of a DL/I operation.
    pub(crate) fn take_dli(&mut self) -> DliOperation {
        match self.facts.take().map(|facts| *facts) {
            Some(Facts::Dli(facts)) => facts,
            _ => DliOperation::default(),
        }
    }
}

/// The facts of every SQL statement and CICS command, by its index in the list of blocks.
pub(crate) fn of_blocks(analysis: &Analysis) -> HashMap<usize, Facts> {
    let (parsed, responses) = (analysis.parsed(), analysis.responses());
    let of_block = |(index, exec): (usize, &Exec)| {
        let facts = match exec.kind {
            ExecKind::Sql => Facts::Sql(of_sql(exec, exec.sql.as_deref()?)),
            ExecKind::Cics => Facts::Cics(of_cics(exec, responses.of_exec(index))),
            ExecKind::Dli | ExecKind::Other => return None,
        };
        Some((index, facts))
    };
    parsed.execs.iter().enumerate().filter(|(_, exec)| exec.file.is_none()).filter_map(of_block).collect()
}

fn of_sql(exec: &Exec, sql: &SqlStatement) -> SqlOperation {
    // A column stands under the name of its table where there are several.
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
    columns_read.extend(sql.columns_unplaced.iter().cloned());
    let declared = sql.cursor_declared.as_ref();
    SqlOperation {
        tables: sql
            .tables
            .iter()
            .map(|table| TableAccess { name: table.name.clone(), access: table.accesses.letters() })
            .collect(),
        clauses: sql.clauses.iter().map(|clause| format!("{} {}", clause.word, clause.text)).collect(),
        columns_read,
        columns_written: columns(&|table| (table.writes_all, table.columns_written.clone())),
        host_variables: sql
            .host_variables
            .iter()
            .map(|variable| HostVariable {
                name: variable.name.clone(),
                direction: match variable.direction {
                    Direction::In => "in",
                    Direction::Out => "out",
                    Direction::InOut => "in_out",
                }
                .to_owned(),
                indicator: variable.indicator.clone(),
            })
            .collect(),
        cursor: exec.cursor.as_ref().map(|name| Cursor {
            name: name.clone(),
            declared_at: declared.map(|place| place.lines.start()),
            file: declared.and_then(|place| place.file.clone()),
        }),
        dynamic: sql
            .is_dynamic
            .then(|| Dynamic { prepared: sql.prepared.clone(), text_in: sql.text_in.clone() }),
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
        by_words: sql.read_by == SqlReading::Words,
        ..SqlOperation::default()
    }
}

fn of_cics(exec: &Exec, response: Option<&Response>) -> CicsOperation {
    CicsOperation {
        resource_kind: exec.cics_resource().map(|kind| kind.in_words().to_owned()),
        candidates: exec.candidates.iter().take(VALUES_NAMED).map(|(name, _)| name.clone()).collect(),
        map_set: exec.map_set(),
        data: exec.told_options().collect(),
        response: response.map(in_words),
        ..CicsOperation::default()
    }
}

/// What becomes of a command that fails.
fn in_words(response: &Response) -> String {
    let kept = match (&response.item, response.no_handle) {
        (Some(item), _) => format!("RESP in {item}"),
        (None, _) => "NOHANDLE".to_owned(),
    };
    match response.handling {
        Handling::Tested => {
            let mut values: Vec<&str> = Vec::new();
            for value in response.tests.iter().flat_map(|test| &test.values) {
                if !values.contains(&value.as_str()) {
                    values.push(value);
                }
            }
            format!("{kept}, tested for {}", some(&values))
        }
        Handling::TestedElsewhere => {
            let line = response.tested_at.map(|line| format!(" (line {line})")).unwrap_or_default();
            format!("{kept}, tested elsewhere{line}")
        }
        Handling::NotTested => format!("{kept}, which nothing is seen to test"),
        Handling::Handled => {
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
        Handling::Default => match &response.abend_handler {
            Some((target, line)) => {
                format!("not handled here; HANDLE ABEND (line {line}) goes to {target}")
            }
            None => "not handled here".to_owned(),
        },
    }
}

/// The first of several, the others counted.
fn some(values: &[&str]) -> String {
    match values.get(..VALUES_NAMED).filter(|_| values.len() > VALUES_NAMED) {
        Some(first) => format!("{} and {} more", first.join(", "), values.len() - VALUES_NAMED),
        None => values.join(", "),
    }
}

/// The DL/I operations of a file as entries.
pub(crate) fn dli(
    analysis: &Analysis,
    programs: &Programs<'_>,
    claim: impl Fn(LineRange) -> Claimed,
) -> Vec<Entry> {
    let operations = analysis.dli_operations().iter().filter(|operation| operation.file.is_none());
    operations
        .map(|operation| Entry {
            name: operation.function(),
            detail: operation.targets().next().map(|segment| segment.name.clone()),
            claims: vec![claim(operation.lines)],
            parsed: true,
            program: programs.name(operation.program),
            // What its statement names instead, where it is a CALL.
            list: named(operation),
            facts: Some(Box::new(Facts::Dli(of_dli(operation)))),
            ..Entry::default()
        })
        .collect()
}

fn named(operation: &Dli) -> Vec<String> {
    let arguments = operation.segments.iter().filter_map(|segment| segment.argument.clone());
    let others = [&operation.interface, &operation.function_item, &operation.area];
    others.into_iter().flatten().cloned().chain(arguments).collect()
}

fn of_dli(operation: &Dli) -> DliOperation {
    DliOperation {
        segments: operation.segments.iter().map(|segment| segment.name.clone()).collect(),
        access: operation.accesses().letters(),
        pcb: operation.pcb.clone(),
        psb: operation.psb.clone(),
        area: operation.targets().find_map(|segment| segment.area.clone()).or_else(|| operation.area.clone()),
        interface: operation.interface.clone(),
        ..DliOperation::default()
    }
}
