//! The data items that EXEC blocks read and set, by their options.
//!
//! Source: CICS Transaction Server for z/OS, Application Programming Reference; IMS Application Programming APIs, EXEC DLI.

use crate::embedded_sql::HostVariableDirection;
use crate::model::{ExecBlock, ExecKind};
use crate::operands::OperandRole;

/// Returns the options of a block that name data, with their roles, without labels and names of resources that are not data.
pub(super) fn options(exec: &ExecBlock) -> impl Iterator<Item = (&str, OperandRole)> {
    let given = exec.options.iter().enumerate();
    given.filter_map(|(place, (option, value))| {
        let role = match exec.kind {
            ExecKind::Cics => of_cics(exec, place, option),
            ExecKind::Dli => of_dli(option, value.as_deref()?),
            ExecKind::Sql | ExecKind::Other => OperandRole::Ignored,
        };
        value.as_deref().map(|value| (value, role)).filter(|(_, role)| *role != OperandRole::Ignored)
    })
}

/// Returns the host variables of an SQL statement with their roles, and their indicators: names without colons, after the group and a
/// period if one is written: `DCLAGENT.AGENT-NO`.
pub(super) fn host_variables(exec: &ExecBlock) -> impl Iterator<Item = (&str, OperandRole)> {
    let all = exec.sql.iter().flat_map(|sql| &sql.host_variables);
    all.flat_map(|variable| {
        let role = match variable.direction {
            HostVariableDirection::In => OperandRole::Read,
            HostVariableDirection::Out => OperandRole::Set,
            HostVariableDirection::InOut => OperandRole::Both,
        };
        std::iter::once(variable.name.as_str()).chain(variable.indicator.as_deref()).map(move |name| (name, role))
    })
}

/// Returns the symbolic map of a command that names none: BMS derives its name from the map, with I for input and O for
/// output.
pub(super) fn symbolic_map(exec: &ExecBlock) -> Option<(String, OperandRole)> {
    let value_of = |name: &str| exec.options.iter().find(|(option, _)| option == name);
    let map = value_of("MAP")?.1.as_deref()?.trim();
    let name = map.strip_prefix(['\'', '"'])?.trim_end_matches(['\'', '"']).trim().to_uppercase();
    let has = |name: &str| value_of(name).is_some();
    match exec.command.as_str() {
        "RECEIVE MAP" if !has("INTO") && !has("SET") => Some((format!("{name}I"), OperandRole::Set)),
        "SEND MAP" if !has("FROM") && !has("MAPONLY") => Some((format!("{name}O"), OperandRole::Read)),
        _ => None,
    }
}

/// Options that always return data.
const GIVE_BACK: &[&str] = &["INTO", "SET", "RESP", "RESP2", "NUMITEMS", "ESMRESP", "ESMREASON"];

/// The options of a command that return data, by the first words of the command; lengths of what is returned are also read.
const RETURNED: &[(&str, &[&str], &[&str])] = &[
    (
        "WEB EXTRACT",
        &[
            "SCHEME", "HOST", "HTTPMETHOD", "HTTPVERSION", "PATH", "QUERYSTRING", "PORTNUMBER", "REQUESTTYPE",
            "HOSTTYPE", "URIMAP",
        ],
        &["HOSTLENGTH", "METHODLENGTH", "VERSIONLEN", "PATHLENGTH", "QUERYSTRLEN", "REALMLEN"],
    ),
    (
        "WEB PARSE",
        &["SCHEMENAME", "HOST", "HOSTTYPE", "PORTNUMBER", "PATH", "QUERYSTRING"],
        &["HOSTLENGTH", "PATHLENGTH", "QUERYSTRLEN"],
    ),
    ("WEB RECEIVE", &["MEDIATYPE", "TYPE", "STATUSCODE", "STATUSTEXT", "BODYCHARSET"], &["STATUSLEN"]),
    ("WEB CONVERSE", &["STATUSCODE", "STATUSTEXT", "BODYCHARSET"], &["STATUSLEN", "MEDIATYPE"]),
    ("WEB READNEXT", &["FORMFIELD", "HTTPHEADER", "QUERYPARM", "VALUE"], &["NAMELENGTH", "VALUELENGTH"]),
    ("WEB READ", &["VALUE"], &["VALUELENGTH"]),
    ("WEB OPEN", &["SESSTOKEN", "HTTPVNUM", "HTTPRNUM"], &[]),
    ("DOCUMENT CREATE", &["DOCTOKEN", "DOCSIZE"], &[]),
    ("DOCUMENT INSERT", &["DOCSIZE"], &[]),
    ("DOCUMENT SET", &["DOCSIZE"], &[]),
    ("QUERY COUNTER", &["VALUE", "MINIMUM", "MAXIMUM"], &[]),
    ("QUERY DCOUNTER", &["VALUE", "MINIMUM", "MAXIMUM"], &[]),
    ("QUERY SECURITY", &["READ", "UPDATE", "CONTROL", "ALTER"], &[]),
    ("VERIFY", &["CHANGETIME", "DAYSLEFT", "EXPIRYTIME", "INVALIDCOUNT", "LASTUSETIME"], &[]),
    ("WRITE OPERATOR", &["REPLY"], &["REPLYLENGTH"]),
    ("LOAD", &["ENTRY", "LENGTH", "FLENGTH"], &[]),
    ("CONVERTTIME", &["ABSTIME"], &[]),
    ("STARTBROWSE", &["BROWSETOKEN"], &[]),
    ("GETNEXT", &["CONTAINER"], &[]),
    ("RUN", &["CHILD"], &[]),
    ("FETCH", &["ANY", "CHANNEL", "COMPSTATUS", "ABCODE"], &[]),
    ("SPOOLOPEN", &["TOKEN"], &[]),
    ("SPOOLREAD", &["TOFLENGTH"], &[]),
    ("RETRIEVE", &["RTRANSID", "RTERMID", "QUEUE"], &[]),
    ("GET", &["VALUE"], &[]),
];

fn of_cics(exec: &ExecBlock, place: usize, option: &str) -> OperandRole {
    let command = exec.command.as_str();
    let verb = command.split(' ').next().unwrap_or_default();
    let has = |names: &[&str]| exec.options.iter().any(|(option, _)| names.contains(&option.as_str()));
    if GIVE_BACK.contains(&option) {
        return OperandRole::Set;
    }
    let begins = |words: &str| command.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    if let Some((_, returned, both)) = RETURNED.iter().find(|(words, ..)| begins(words)) {
        if returned.contains(&option) {
            return OperandRole::Set;
        }
        if both.contains(&option) {
            return OperandRole::Both;
        }
    }
    match (verb, option) {
        ("HANDLE", _) => OperandRole::Ignored,
        ("ASSIGN" | "ADDRESS" | "EXTRACT", _) => OperandRole::Set,
        ("ASKTIME", "ABSTIME") => OperandRole::Set,
        ("FORMATTIME", "ABSTIME" | "DATESEP" | "TIMESEP") => OperandRole::Read,
        ("FORMATTIME", _) => OperandRole::Set,
        // The first option of INQUIRE names the resource, the others return data.
        ("INQUIRE", _) if exec.options[..place].iter().all(|(_, value)| value.is_none()) => OperandRole::Read,
        ("INQUIRE", _) => OperandRole::Set,
        ("BIF", "FIELD") => OperandRole::Both,
        ("LINK", "COMMAREA") => OperandRole::Handed,
        ("READNEXT" | "READPREV", "RIDFLD") => OperandRole::Both,
        ("READ" | "READNEXT" | "READPREV", "TOKEN") => OperandRole::Set,
        ("WRITEQ", "ITEM") if !has(&["REWRITE"]) => OperandRole::Set,
        ("CONVERSE", "TOLENGTH" | "TOFLENGTH") => OperandRole::Both,
        // The maximum length on input, the actual length on output.
        (_, "LENGTH" | "FLENGTH") if has(&["INTO", "SET"]) => OperandRole::Both,
        _ => OperandRole::Read,
    }
}

fn of_dli(option: &str, value: &str) -> OperandRole {
    match option {
        "INTO" | "KEYFEEDBACK" => OperandRole::Set,
        // A segment's name is written directly; an item that contains the name has its own parentheses.
        "SEGMENT" | "PSB" if !value.trim_start().starts_with('(') => OperandRole::Ignored,
        _ => OperandRole::Read,
    }
}
