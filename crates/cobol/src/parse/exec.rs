//! EXEC blocks: the facts that need no parser for their language.

use super::grammar::unquoted;
use super::sql;
use crate::access::{OF_SECOND_WORDS, resource_option};
use crate::embedded_sql::SqlStatement;
use crate::model::ExecKind;
use foldhash::{HashSet, HashSetExt};

/// The contents of an EXEC block.
#[derive(Debug, Default)]
pub(super) struct ParsedExec {
    pub(super) kind: ExecKind,
    pub(super) command: String,
    pub(super) resource: Option<String>,
    /// Whether the resource is not a data item.
    pub(super) is_literal: bool,
    pub(super) tables: Vec<String>,
    pub(super) cursor: Option<String>,
    pub(super) options: Vec<(String, Option<String>)>,
    pub(super) sql: Option<Box<SqlStatement>>,
    /// The columns of DECLARE TABLE, each with its byte offset in the block.
    pub(super) columns: Vec<sql::DeclaredColumn>,
}

/// Words that belong to the CICS command before them: `SEND MAP`, `READQ TS`, `SYNCPOINT ROLLBACK`.
const SECOND_WORDS: &[&str] = &[
    "MAP", "TEXT", "CONTROL", "PAGE", "CONDITION", "ABEND", "AID", "TS", "TD", "ROLLBACK", "CONTAINER", "COUNTER",
    "DCOUNTER", "EVENT", "OPEN", "OPERATOR", "CLOSE",
];

/// Parses a block's text, from EXEC to END-EXEC.
pub(super) fn parse_exec(text: &str) -> ParsedExec {
    let mut words = text.split_whitespace().skip(1);
    let kind = match words.next().map(str::to_uppercase).as_deref() {
        Some("SQL") => ExecKind::Sql,
        Some("CICS") => ExecKind::Cics,
        Some("DLI") => ExecKind::Dli,
        _ => ExecKind::Other,
    };
    let body = body(text);
    match kind {
        ExecKind::Sql => {
            let mut block = sql::parse_sql(body);
            let start = text.find(body).unwrap_or_default();
            block.columns.iter_mut().for_each(|column| column.at += start);
            block
        }
        ExecKind::Cics | ExecKind::Dli | ExecKind::Other => command(kind, body),
    }
}

/// Returns whether a block is not an operation: `EXEC SQL INCLUDE`, which is a COPY or, for SQLCA and SQLDA, is the precompiler's own
/// and cannot be read; `BEGIN` and `END DECLARE SECTION`, which only show the precompiler where the host variables are.
pub(super) fn is_no_operation(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().skip(1).take(3).map(str::to_uppercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    matches!(words.as_slice(), ["SQL", "INCLUDE", ..] | ["SQL", "BEGIN" | "END", "DECLARE"])
}

/// Returns whether a block is only a directive to a precompiler: `EXEC SQL DECLARE`, `EXEC SQL WHENEVER`.
pub(super) fn is_declaration(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let exec = words.next().is_some_and(|word| word.eq_ignore_ascii_case("EXEC"));
    let sql = words.next().is_some_and(|word| word.eq_ignore_ascii_case("SQL"));
    let declares = ["DECLARE", "WHENEVER"];
    exec && sql && words.next().is_some_and(|word| declares.iter().any(|verb| word.eq_ignore_ascii_case(verb)))
}

/// Returns the text between the language name and END-EXEC.
fn body(text: &str) -> &str {
    let mut rest = text.trim_start();
    for _ in 0..2 {
        rest = rest.trim_start();
        rest = &rest[rest.find(char::is_whitespace).unwrap_or(rest.len())..];
    }
    let end = rest.len().saturating_sub("END-EXEC".len());
    match rest.get(end..) {
        Some(tail) if tail.eq_ignore_ascii_case("END-EXEC") => &rest[..end],
        _ => rest,
    }
}

fn command(kind: ExecKind, body: &str) -> ParsedExec {
    let options = options(body);
    let mut command = options.first().map(|(word, _)| word.clone()).unwrap_or_default();
    if let Some((second, _)) = options.get(1)
        && (SECOND_WORDS.contains(&second.as_str())
            || kind == ExecKind::Dli && command == "GET"
            || kind == ExecKind::Cics && OF_SECOND_WORDS.contains(&command.as_str()))
    {
        command = format!("{command} {second}");
    }
    let named = |value: &str| {
        let value = value.trim();
        let inside = value.strip_prefix('(').and_then(|value| value.strip_suffix(')')).unwrap_or(value);
        unquoted(inside.trim()).trim().to_uppercase()
    };
    // A DL/I command names the parents of its segment first.
    let segments: Vec<&str> = options
        .iter()
        .filter(|(option, _)| kind == ExecKind::Dli && option == "SEGMENT")
        .filter_map(|(_, value)| value.as_deref())
        .collect();
    let naming = match kind {
        ExecKind::Cics => resource_option(&options),
        _ => options.iter().find(|(option, value)| option == "PSB" && value.is_some()),
    };
    let operand = segments.last().copied().or(naming.and_then(|(_, value)| value.as_deref()));
    // In DL/I an item that contains a name has its own parentheses: `PSB((WS-PSB))`.
    let held = |operand: &str| operand.trim().starts_with('(');
    let is_literal = operand.is_none_or(|operand| match kind {
        ExecKind::Dli => !held(operand),
        _ => operand.trim().starts_with(['\'', '"']) || naming.is_some_and(|(option, _)| option == "LABEL"),
    });
    let resource = operand.map(named).filter(|name| !name.is_empty());
    let mut seen = HashSet::new();
    let tables = segments.into_iter().map(named).filter(|segment| seen.insert(segment.clone())).collect();
    ParsedExec { kind, command, resource, is_literal, tables, options, ..ParsedExec::default() }
}

/// Returns the words and the text in the parentheses after them: `FILE('ACCTDAT') INTO(REC) RESP(WS-RESP)`.
fn options(body: &str) -> Vec<(String, Option<String>)> {
    let mut options: Vec<(String, Option<String>)> = Vec::new();
    let mut rest = body.trim_start();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('(') {
            let end = closing(inside);
            let value = inside[..end].trim();
            // The blanks of a literal count.
            let is_literal = value.starts_with(['\'', '"']) && !value.contains('\n');
            let value =
                if is_literal { value.to_owned() } else { value.split_whitespace().collect::<Vec<_>>().join(" ") };
            match options.last_mut() {
                Some(last) if last.1.is_none() => last.1 = Some(value),
                _ => {}
            }
            rest = inside.get(end + 1..).unwrap_or_default().trim_start();
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(rest.len()).max(1);
            let end = (end..=rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
            options.push((rest[..end].to_uppercase(), None));
            rest = rest[end..].trim_start();
        }
    }
    options
}

/// Returns the byte of the parenthesis that closes one opened before this text, or the text's length.
fn closing(text: &str) -> usize {
    let mut depth = 1;
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('(', None) => depth += 1,
            (')', None) => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, command: &str, resource: Option<&str>) {
        let block = parse_exec(text);
        assert_eq!((block.command.as_str(), block.resource.as_deref()), (command, resource), "{text}");
    }

    #[test]
    fn cics_commands_and_their_resources() {
        check("EXEC CICS READ FILE('ACCTDAT') INTO(REC (1)) RESP(WS-R) END-EXEC", "READ", Some("ACCTDAT"));
        check("exec cics send map ('MAPA')\n mapset('SETA') end-exec", "SEND MAP", Some("MAPA"));
        check("EXEC CICS RETURN TRANSID(LIT-TRAN) COMMAREA(A) END-EXEC", "RETURN", Some("LIT-TRAN"));
        check("EXEC CICS XCTL PROGRAM(CDEMO-TO-PROGRAM)END-EXEC", "XCTL", Some("CDEMO-TO-PROGRAM"));
        check("EXEC CICS SEND FROM(ABEND-DATA) NOHANDLE END-EXEC", "SEND", None);
        check("EXEC CICS ASKTIME NOHANDLE END-EXEC", "ASKTIME", None);
        check("EXEC CICS", "", None);
        check("EXEC CICS GET DCOUNTER('NEXTNO') VALUE(N) END-EXEC", "GET DCOUNTER", Some("NEXTNO"));
        check("EXEC CICS INQUIRE TRANSACTION('ABCD') PROGRAM(P) END-EXEC", "INQUIRE TRANSACTION", Some("ABCD"));
        check("EXEC CICS INQUIRE PROGRAM NEXT FILE(F) END-EXEC", "INQUIRE PROGRAM", None);
        check("EXEC CICS WEB RECEIVE INTO(R) END-EXEC", "WEB RECEIVE", None);
        check("EXEC CICS SET FILE('F1') CLOSED END-EXEC", "SET FILE", Some("F1"));
        check("EXEC CICS WRITE OPERATOR TEXT(T) END-EXEC", "WRITE OPERATOR", None);
        check("EXEC CICS HANDLE ABEND LABEL(FAILED) END-EXEC", "HANDLE ABEND", Some("FAILED"));
        check("EXEC CICS ) ( END-EXEC", ")", None);
    }

    #[test]
    fn dli_commands_and_their_segments() {
        check(
            "EXEC DLI GU USING PCB(2) SEGMENT(POLICY) WHERE(NO = X) SEGMENT(CLAIM) INTO(C) END-EXEC",
            "GU",
            Some("CLAIM"),
        );
        check("EXEC DLI GET NEXT IN PARENT USING PCB(1) SEGMENT('ROOT') END-EXEC", "GET NEXT", Some("ROOT"));
        check("EXEC DLI SCHD PSB((WS-PSB)) END-EXEC", "SCHD", Some("WS-PSB"));
        check("EXEC DLI TERM END-EXEC", "TERM", None);
        let block = parse_exec("EXEC DLI GU USING PCB(2) SEGMENT(A) SEGMENT(B) SEGMENT(A) END-EXEC");
        assert_eq!(block.tables, ["A", "B"]);
        assert!(block.options.contains(&("PCB".to_owned(), Some("2".to_owned()))));
    }

    #[test]
    fn a_resource_is_a_literal_or_a_data_item() {
        assert!(parse_exec("EXEC CICS READ FILE('ACCTDAT') END-EXEC").is_literal);
        assert!(!parse_exec("EXEC CICS READ FILE(WS-FILE) RESP(WS-R) END-EXEC").is_literal);
    }
}
