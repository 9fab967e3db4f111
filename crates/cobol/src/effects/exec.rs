//! What EXEC blocks read and set, by their options.
//!
//! Source: CICS Transaction Server for z/OS, Application Programming Reference; IMS Application Programming APIs, EXEC DLI.

use crate::embedded::Direction;
use crate::model::{Exec, ExecKind};
use crate::operands::Role;

/// The options of a block that name data, with their roles. Labels and names of resources that are no data are left out.
pub(super) fn options(exec: &Exec) -> impl Iterator<Item = (&str, Role)> {
    let given = exec.options.iter().enumerate();
    given.filter_map(|(place, (option, value))| {
        let role = match exec.kind {
            ExecKind::Cics => of_cics(exec, place, option),
            ExecKind::Dli => of_dli(option, value.as_deref()?),
            ExecKind::Sql | ExecKind::Other => Role::Ignored,
        };
        value.as_deref().map(|value| (value, role)).filter(|(_, role)| *role != Role::Ignored)
    })
}

/// The host variables of an SQL statement with their roles, and their indicators: names without their colons, after the group and a
/// point where one is written: `DCLAGENT.AGENT-NO`.
pub(super) fn host_variables(exec: &Exec) -> impl Iterator<Item = (&str, Role)> {
    let all = exec.sql.iter().flat_map(|sql| &sql.host_variables);
    all.flat_map(|variable| {
        let role = match variable.direction {
            Direction::In => Role::Read,
            Direction::Out => Role::Set,
            Direction::InOut => Role::Both,
        };
        std::iter::once(variable.name.as_str())
            .chain(variable.indicator.as_deref())
            .map(move |name| (name, role))
    })
}

/// The symbolic map that a command means where it names none: BMS calls it after the map, with I for what comes in and O for what
/// goes out.
pub(super) fn symbolic_map(exec: &Exec) -> Option<(String, Role)> {
    let value_of = |name: &str| exec.options.iter().find(|(option, _)| option == name);
    let map = value_of("MAP")?.1.as_deref()?.trim();
    let name = map.strip_prefix(['\'', '"'])?.trim_end_matches(['\'', '"']).trim().to_uppercase();
    let has = |name: &str| value_of(name).is_some();
    match exec.command.as_str() {
        "RECEIVE MAP" if !has("INTO") && !has("SET") => Some((format!("{name}I"), Role::Set)),
        "SEND MAP" if !has("FROM") && !has("MAPONLY") => Some((format!("{name}O"), Role::Read)),
        _ => None,
    }
}

/// Options that always give something back.
const GIVE_BACK: &[&str] = &["INTO", "SET", "RESP", "RESP2", "NUMITEMS"];

fn of_cics(exec: &Exec, place: usize, option: &str) -> Role {
    let command = exec.command.as_str();
    let verb = command.split(' ').next().unwrap_or_default();
    let has = |names: &[&str]| exec.options.iter().any(|(option, _)| names.contains(&option.as_str()));
    if GIVE_BACK.contains(&option) {
        return Role::Set;
    }
    match (verb, option) {
        ("HANDLE", _) => Role::Ignored,
        ("ASSIGN" | "ADDRESS" | "EXTRACT", _) => Role::Set,
        ("ASKTIME", "ABSTIME") => Role::Set,
        ("FORMATTIME", "ABSTIME" | "DATESEP" | "TIMESEP") => Role::Read,
        ("FORMATTIME", _) => Role::Set,
        // The first option of INQUIRE says of what, the others ask.
        ("INQUIRE", _) if exec.options[..place].iter().all(|(_, value)| value.is_none()) => Role::Read,
        ("INQUIRE", _) => Role::Set,
        ("BIF", "FIELD") => Role::Both,
        ("LINK", "COMMAREA") => Role::Handed,
        ("READNEXT" | "READPREV", "RIDFLD") => Role::Both,
        ("READ" | "READNEXT" | "READPREV", "TOKEN") => Role::Set,
        ("RETRIEVE", "RTRANSID" | "RTERMID" | "QUEUE") => Role::Set,
        ("WRITEQ", "ITEM") if !has(&["REWRITE"]) => Role::Set,
        ("CONVERSE", "TOLENGTH" | "TOFLENGTH") => Role::Both,
        ("GET", "VALUE") => Role::Set,
        // The most that may come, and then how much came.
        (_, "LENGTH" | "FLENGTH") if has(&["INTO", "SET"]) => Role::Both,
        _ => Role::Read,
    }
}

fn of_dli(option: &str, value: &str) -> Role {
    match option {
        "INTO" | "KEYFEEDBACK" => Role::Set,
        // A segment is named as such; an item that holds its name stands in parentheses of its own.
        "SEGMENT" | "PSB" if !value.trim_start().starts_with('(') => Role::Ignored,
        _ => Role::Read,
    }
}
