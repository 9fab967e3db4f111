//! Describes CICS commands in words: what a command does, the resource that it works on, and its name in parentheses, by which it is known.
//!
//! What the commands do: CICS Transaction Server for z/OS, Application Programming Reference.

use crate::phrases::list;
use war_rig_cobol::ExecBlock;

/// What RETURN without a transaction does: in a program that others link to, and in the first one of a task.
pub(crate) const RETURNS: &str = "returns to its caller, or ends the task";

/// What commands do to the resource that they name.
const WITH_RESOURCE: &[(&str, &str)] = &[
    ("CANCEL", "cancels"),
    ("DELETE", "deletes from"),
    ("DELETE CONTAINER", "deletes container"),
    ("DELETEQ", "deletes queue"),
    ("DELETEQ TD", "deletes queue"),
    ("DELETEQ TS", "deletes queue"),
    ("DEQ", "unlocks"),
    ("ENDBR", "ends browsing"),
    ("ENQ", "waits for and locks"),
    ("FETCH", "waits for the end of child"),
    ("GET CONTAINER", "gets container"),
    ("LINK", "links to"),
    ("LOAD", "loads"),
    ("PUT CONTAINER", "puts container"),
    ("READ", "reads"),
    ("READNEXT", "reads the next of"),
    ("READPREV", "reads the record before in"),
    ("READQ", "reads from queue"),
    ("READQ TD", "takes from queue"),
    ("READQ TS", "reads from queue"),
    ("RECEIVE MAP", "receives map"),
    ("RELEASE", "releases"),
    ("RESETBR", "starts anew to browse"),
    ("REWRITE", "rewrites"),
    ("RUN", "starts as a child, to run beside it, transaction"),
    ("SEND MAP", "sends map"),
    ("START", "starts transaction"),
    ("STARTBR", "starts to browse"),
    ("UNLOCK", "gives up the lock on a record of"),
    ("WRITE", "writes"),
    ("WRITEQ", "writes to queue"),
    ("WRITEQ TD", "writes to queue"),
    ("WRITEQ TS", "writes to queue"),
    ("XCTL", "passes control to"),
];

/// What commands do that name no resource.
const ALONE: &[(&str, &str)] = &[
    ("ADDRESS", "asks for the addresses of areas"),
    ("ASSIGN", "asks CICS for values"),
    ("DELAY", "waits"),
    ("FREEMAIN", "gives storage back"),
    ("GETMAIN", "gets storage"),
    ("POP HANDLE", "brings back the handlers that were set aside"),
    ("PUSH HANDLE", "sets the handlers in force aside"),
    ("RECEIVE", "receives data from the terminal"),
    ("RETRIEVE", "fetches the data that it was started with"),
    ("SEND", "sends data to the terminal"),
    ("SEND PAGE", "sends the collected pages to the terminal"),
    ("SEND TEXT", "sends text to the terminal"),
    ("SIGNOFF", "signs the user off"),
    ("SIGNON", "signs a user on"),
    ("SUSPEND", "lets other tasks run"),
    ("VERIFY PASSWORD", "checks a password"),
    ("WRITE OPERATOR", "writes to the operator's console"),
];

/// Describes a CICS command, without its other options: `sends map COACTUPA (CICS SEND MAP)`.
pub(crate) fn cics_phrase(exec: &ExecBlock) -> String {
    let option = |name: &str| exec.has_option(name).then(|| exec.option(name).unwrap_or_default());
    let command = exec.command.as_str();
    let of = exec.resource.as_deref();
    match command {
        "HANDLE CONDITION" | "HANDLE AID" | "IGNORE CONDITION" => handlers(exec),
        "HANDLE ABEND" => abend_handler(exec),
        "RETURN" => match option("TRANSID") {
            Some(transaction) if option("IMMEDIATE").is_some() => {
                format!("returns to CICS, to go on at once with transaction {transaction}")
            }
            Some(transaction) => format!("returns to CICS, to go on with transaction {transaction}"),
            None => RETURNS.to_owned(),
        },
        "ABEND" => match option("ABCODE") {
            Some(code) => format!("abends with code {code}"),
            None => "abends (CICS ABEND)".to_owned(),
        },
        "READ" if option("UPDATE").is_some() => with_resource("reads for update", of, command),
        "ENQ" if option("NOSUSPEND").is_some() => {
            format!("locks {}, or goes on at once if another task has it (CICS ENQ)", of.unwrap_or("a resource"))
        }
        "ENTER" => "writes an entry of the trace (CICS ENTER)".to_owned(),
        "SEND CONTROL" if option("ERASE").is_some() => "clears the screen (CICS SEND CONTROL)".to_owned(),
        "SYNCPOINT ROLLBACK" => "backs out its changes (CICS SYNCPOINT ROLLBACK)".to_owned(),
        "SYNCPOINT" => "commits its changes (CICS SYNCPOINT)".to_owned(),
        "ASKTIME" => "asks for the time".to_owned(),
        "FORMATTIME" => "formats the time".to_owned(),
        "RUN" if option("TRANSID").is_none() => issued(of, command),
        "FETCH" if option("ANY").is_some() => "waits for any of its children to end (CICS FETCH)".to_owned(),
        _ => match (words_for(WITH_RESOURCE, command), words_for(ALONE, command), of) {
            (Some(verb), ..) => with_resource(verb, of, command),
            (None, Some(what), None) => format!("{what} (CICS {command})"),
            (None, ..) => issued(of, command),
        },
    }
}

/// Returns whether the phrase of a command contains all its options.
pub(crate) fn tells_its_options(exec: &ExecBlock) -> bool {
    matches!(exec.command.as_str(), "HANDLE CONDITION" | "HANDLE AID" | "HANDLE ABEND" | "IGNORE CONDITION")
}

fn words_for(table: &[(&str, &'static str)], command: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == command).map(|(_, words)| *words)
}

fn issued(of: Option<&str>, command: &str) -> String {
    of.map_or(format!("issues CICS {command}"), |of| format!("issues CICS {command} of {of}"))
}

fn with_resource(verb: &str, of: Option<&str>, command: &str) -> String {
    let of = of.map(|of| format!(" {of}")).unwrap_or_default();
    format!("{verb}{of} (CICS {command})")
}

/// Describes HANDLE and IGNORE, which say what happens from there on: a label gets control, or, without one, no longer does.
fn handlers(exec: &ExecBlock) -> String {
    let names = |is_wanted: fn(&Option<String>) -> bool| {
        let options = exec.options.iter().skip(2).filter(move |(_, label)| is_wanted(label));
        list(&options.map(|(name, _)| key_of_handler(name).to_owned()).collect::<Vec<_>>())
    };
    let command = &exec.command;
    if command.starts_with("IGNORE") {
        return format!("ignores {} from here on (CICS {command})", names(|_| true));
    }
    let labelled = exec.options.iter().skip(2).filter_map(|(name, label)| Some((name, label.as_ref()?)));
    let targets = labelled.map(|(name, label)| format!("to {label} on {}", key_of_handler(name)));
    let targets: Vec<String> = targets.collect();
    let without = names(Option::is_none);
    let ends = (!without.is_empty()).then(|| format!("no longer handles {without}"));
    let goes = (!targets.is_empty()).then(|| format!("goes {}", list(&targets)));
    let does: Vec<String> = goes.into_iter().chain(ends).collect();
    format!("{} from here on (CICS {command})", list(&does))
}

/// Returns the name of what a HANDLE names; ANYKEY is no key, but any for which no handler is set (CICS Transaction Server for z/OS, HANDLE AID).
pub(crate) fn key_of_handler(name: &str) -> &str {
    if name == "ANYKEY" { "any key but Enter that has no handler of its own" } else { name }
}

/// Describes HANDLE ABEND, which without a label or program turns the handler off.
fn abend_handler(exec: &ExecBlock) -> String {
    let does = match (exec.option("LABEL"), exec.option("PROGRAM")) {
        (Some(label), _) => format!("goes to {label} on an abend from here on"),
        (None, Some(program)) => format!("passes control to {program} on an abend from here on"),
        (None, None) if exec.has_option("RESET") => "handles abends again as before the last one".to_owned(),
        (None, None) => "no longer handles abends from here on".to_owned(),
    };
    format!("{does} (CICS HANDLE ABEND)")
}

#[cfg(test)]
mod tests {
    use super::RETURNS;
    use crate::phrases::exec_in_full;
    use std::sync::Arc;
    use war_rig_cobol::{LexedSource, NoCopybooks, parse};
    use war_rig_text::{ReadOptions, SourceText};

    #[test]
    fn commands_are_told_by_what_they_do() {
        let check = |command: &str, expected: &str| {
            let code = format!(
                "       PROCEDURE DIVISION.\n       MAIN.\n           EXEC CICS {command}\n           END-EXEC.\n"
            );
            let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
            let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
            assert_eq!(exec_in_full(&parsed.execs[0]), expected, "{command}");
        };
        check(
            "HANDLE CONDITION NOTFND(A-100) ERROR",
            "goes to A-100 on NOTFND and no longer handles ERROR from here on (CICS HANDLE CONDITION)",
        );
        check("HANDLE CONDITION ERROR", "no longer handles ERROR from here on (CICS HANDLE CONDITION)");
        check("HANDLE AID PF3(A) CLEAR(B)", "goes to A on PF3 and to B on CLEAR from here on (CICS HANDLE AID)");
        check(
            "HANDLE AID ANYKEY(A)",
            "goes to A on any key but Enter that has no handler of its own from here on (CICS HANDLE AID)",
        );
        check("IGNORE CONDITION DUPREC LENGERR", "ignores DUPREC and LENGERR from here on (CICS IGNORE CONDITION)");
        check("HANDLE ABEND LABEL(A)", "goes to A on an abend from here on (CICS HANDLE ABEND)");
        check("HANDLE ABEND CANCEL", "no longer handles abends from here on (CICS HANDLE ABEND)");
        check("WRITEQ TS QUEUE('Q1') FROM(A)", "writes to queue Q1 (CICS WRITEQ TS): FROM A");
        check("START TRANSID('T1') INTERVAL(0)", "starts transaction T1 (CICS START): INTERVAL 0");
        check("DELAY INTERVAL(5)", "waits (CICS DELAY): INTERVAL 5");
        check("START TRANSID('T1') QUEUE('Q1')", "starts transaction T1 (CICS START): QUEUE 'Q1'");
        check("FETCH CHILD(T) ABCODE(A)", "waits for the end of child T (CICS FETCH): ABCODE A");
        check("FETCH ANY(T) COMPSTATUS(C)", "waits for any of its children to end (CICS FETCH): ANY T, COMPSTATUS C");
        check("RUN ACQPROCESS SYNCHRONOUS", "issues CICS RUN: ACQPROCESS, SYNCHRONOUS");
        check("RUN TRANSID('T1') CHILD(T)", "starts as a child, to run beside it, transaction T1 (CICS RUN): CHILD T");
        check("ASSIGN STARTCODE(A)", "asks CICS for values (CICS ASSIGN): STARTCODE A");
        check("ASSIGN PROGRAM(A)", "asks CICS for values (CICS ASSIGN): PROGRAM A");
        check("WEB RECEIVE INTO(A)", "issues CICS WEB RECEIVE: INTO A");
        check("RETURN", RETURNS);
        check("RETURN TRANSID('T1')", "returns to CICS, to go on with transaction 'T1'");
        let at_once = "returns to CICS, to go on at once with transaction 'T1': IMMEDIATE";
        check("RETURN TRANSID('T1') IMMEDIATE", at_once);
    }
}
