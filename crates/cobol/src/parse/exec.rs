//! EXEC blocks: what can be said of them without parsing their language.

use super::grammar::unquoted;
use crate::model::ExecKind;

/// What an EXEC block says.
pub(super) struct Block {
    pub(super) kind: ExecKind,
    pub(super) command: String,
    pub(super) resource: Option<String>,
    pub(super) options: Vec<(String, Option<String>)>,
}

/// Words that belong to the CICS command before them: `SEND MAP`, `READQ TS`, `SYNCPOINT ROLLBACK`.
const SECOND_WORDS: &[&str] = &[
    "MAP",
    "TEXT",
    "CONTROL",
    "PAGE",
    "CONDITION",
    "ABEND",
    "AID",
    "TS",
    "TD",
    "ROLLBACK",
    "CONTAINER",
    "COUNTER",
    "EVENT",
    "OPEN",
    "CLOSE",
];

/// CICS options that name what a command works on, the most telling first.
const RESOURCES: &[&str] = &[
    "FILE",
    "DATASET",
    "MAP",
    "PROGRAM",
    "QUEUE",
    "QNAME",
    "TRANSID",
    "CONTAINER",
    "ABCODE",
    "JOURNALNAME",
    "RESOURCE",
];

/// Reads a block's text, from EXEC to END-EXEC.
pub(super) fn read(text: &str) -> Block {
    let mut words = text.split_whitespace().skip(1);
    let kind = match words.next().map(str::to_uppercase).as_deref() {
        Some("SQL") => ExecKind::Sql,
        Some("CICS") => ExecKind::Cics,
        Some("DLI") => ExecKind::Dli,
        _ => ExecKind::Other,
    };
    let body = body(text);
    match kind {
        ExecKind::Sql => sql(body),
        ExecKind::Cics | ExecKind::Dli | ExecKind::Other => command(kind, body),
    }
}

/// The text between the kind and END-EXEC.
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

fn command(kind: ExecKind, body: &str) -> Block {
    let options = options(body);
    let mut command = options.first().map(|(word, _)| word.clone()).unwrap_or_default();
    if let Some((second, _)) = options.get(1)
        && (SECOND_WORDS.contains(&second.as_str()) || kind == ExecKind::Dli && command == "GET")
    {
        command = format!("{command} {second}");
    }
    let named = RESOURCES.iter().find_map(|resource| {
        options
            .iter()
            .find(|(option, value)| option == resource && value.is_some())
            .and_then(|(_, value)| value.clone())
    });
    let segment = (kind == ExecKind::Dli)
        .then(|| options.iter().find(|(option, _)| option == "SEGMENT").and_then(|(_, value)| value.clone()))
        .flatten();
    let resource = segment.or(named).map(|value| unquoted(value.trim()).trim().to_uppercase());
    Block { kind, command, resource, options }
}

/// Words and what stands in the parentheses behind them: `FILE('ACCTDAT') INTO(REC) RESP(WS-RESP)`.
fn options(body: &str) -> Vec<(String, Option<String>)> {
    let mut options: Vec<(String, Option<String>)> = Vec::new();
    let mut rest = body.trim_start();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('(') {
            let end = closing(inside);
            let value = inside[..end].split_whitespace().collect::<Vec<_>>().join(" ");
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

/// The byte of the parenthesis that closes one opened before this text, or its length.
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

fn sql(body: &str) -> Block {
    let words = sql_words(body);
    let word = |at: usize| words.get(at).map(String::as_str).unwrap_or_default();
    let after = |keywords: &[&str]| {
        let at = words.iter().position(|word| keywords.contains(&word.as_str()))?;
        words.get(at + 1).filter(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '"')).cloned()
    };
    let first = word(0).to_owned();
    let (command, resource) = match first.as_str() {
        "DECLARE" if words.iter().any(|word| word == "CURSOR") => {
            ("DECLARE CURSOR".to_owned(), after(&["FROM"]))
        }
        "DECLARE" if words.iter().any(|word| word == "TABLE") => {
            ("DECLARE TABLE".to_owned(), Some(word(1).to_owned()))
        }
        "SELECT" | "DELETE" | "WITH" => (first, after(&["FROM"])),
        "INSERT" | "MERGE" => (first, after(&["INTO"])),
        "UPDATE" => (first, Some(word(1).to_owned())),
        "FETCH" => {
            let cursor = words[1..]
                .iter()
                .find(|w| !["NEXT", "PRIOR", "FIRST", "LAST", "CURRENT", "FROM"].contains(&w.as_str()));
            (first, cursor.cloned())
        }
        "LOCK" => (first, Some(word(2).to_owned())),
        "OPEN" | "CLOSE" | "INCLUDE" | "CALL" => (first, Some(word(1).to_owned())),
        _ => (first, None),
    };
    let resource = resource.map(|name| name.trim_matches('"').to_owned()).filter(|name| !name.is_empty());
    Block { kind: ExecKind::Sql, command, resource, options: Vec::new() }
}

/// The words of SQL, upper case, without `--` comments, literals left out.
fn sql_words(body: &str) -> Vec<String> {
    let mut words = Vec::new();
    for line in body.lines() {
        let line = line.split("--").next().unwrap_or_default();
        let mut rest = line;
        while let Some(start) =
            rest.find(|c: char| !(c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';' | '=')))
        {
            rest = &rest[start..];
            let end = if let Some(inside) = rest.strip_prefix('\'') {
                inside.find('\'').map_or(rest.len(), |end| end + 2)
            } else {
                rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';' | '=' | '\''))
                    .unwrap_or(rest.len())
            };
            if !rest.starts_with('\'') {
                words.push(rest[..end].to_uppercase());
            }
            rest = &rest[end..];
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, command: &str, resource: Option<&str>) {
        let block = read(text);
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
        check("EXEC CICS ) ( END-EXEC", ")", None);
    }

    #[test]
    fn sql_operations_and_their_tables() {
        check(
            "EXEC SQL SELECT A, 'FROM X' INTO :B\n -- FROM NOWHERE\n FROM POLICY WHERE C = :D END-EXEC",
            "SELECT",
            Some("POLICY"),
        );
        check(
            "EXEC SQL DECLARE C1 CURSOR FOR SELECT A FROM GEN.CLAIM END-EXEC",
            "DECLARE CURSOR",
            Some("GEN.CLAIM"),
        );
        check("EXEC SQL UPDATE ACCT SET A=1 END-EXEC", "UPDATE", Some("ACCT"));
        check("EXEC SQL FETCH NEXT FROM C1 INTO :A END-EXEC", "FETCH", Some("C1"));
        check("EXEC SQL COMMIT END-EXEC", "COMMIT", None);
        check("EXEC SQL FETCH END-EXEC", "FETCH", None);
    }
}
