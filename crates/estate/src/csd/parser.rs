//! Parses the commands of DFHCSDUP.
//!
//! ```text
//! DEFINE type(name) GROUP(group) [attribute(value) ...]
//! ADD GROUP(group) LIST(list)     DELETE GROUP(group)     LIST ALL     ...
//! ```
//! A command begins on a new line and ends before the next line that begins with a verb. An attribute may have the name of a verb, but a
//! parenthesis follows it. `*` in column 1 begins a comment. A value may contain blanks and parentheses, and may be in quotes.

use super::bundle;
use super::model::SHORTEST_ABBREVIATION;
use super::{CsdAttribute, CsdCommand, CsdDefinition, CsdResourceType, CsdSource};
use crate::cards;
use foldhash::{HashSet, HashSetExt};
use strum::VariantNames;
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineNumber, LineRange, SourceText};

/// The commands of DFHCSDUP.
const VERBS: [&str; 17] = [
    "ADD", "ALTER", "APPEND", "COPY", "DEFINE", "DELETE", "EXTRACT", "INITIALIZE", "LIST", "MIGRATE", "PROCESS",
    "REMOVE", "SCAN", "SERVICE", "UPGRADE", "USERDEFINE", "VERIFY",
];

/// The types of resources without a variant of their own. An ambiguous abbreviation means the first.
const OTHER_TYPES: [&str; 24] = [
    "ATOMSERVICE", "BUNDLE", "CONNECTION", "DOCTEMPLATE", "DUMPCODE", "ENQMODEL", "IPCONN", "JOURNALMODEL",
    "JVMSERVER", "LSRPOOL", "MQCONN", "MQMONITOR", "PARTITIONSET", "PARTNER", "PIPELINE", "PROCESSTYPE", "PROFILE",
    "SESSIONS", "TCPIPSERVICE", "TERMINAL", "TRANCLASS", "TYPETERM", "URIMAP", "WEBSERVICE",
];

/// Parses a source of DFHCSDUP commands, or a part of a bundle. Any input yields the facts that were understood, and diagnostics for the rest.
///
/// ```
/// use war_rig_estate::csd::{CsdResourceType, parse};
/// use war_rig_text::{ReadOptions, SourceText};
///
/// let code = "DEFINE TRANSACTION(PI01) GROUP(POL)\n       PROGRAM(POLINQ) DESCRIPTION(POLICY INQUIRY)\nADD GROUP(POL) LIST(ALL)\n";
/// let source = SourceText::read("POL.csd", code.into(), &ReadOptions::default()).unwrap();
/// let csd = parse(&source);
/// assert_eq!(csd.definitions[0].resource_type, CsdResourceType::Transaction);
/// assert_eq!(csd.definitions[0].upper("PROGRAM").as_deref(), Some("POLINQ"));
/// assert_eq!(csd.commands[0].operands[1].value.as_deref(), Some("ALL"));
/// ```
pub fn parse(source: &SourceText) -> CsdSource {
    match source.line_range() {
        Some(_) if bundle::is_xml(source) => bundle::parse(source),
        Some(all) => parse_lines(source, all),
        None => empty(source),
    }
}

/// Parses DFHCSDUP commands in some lines of a source, such as the SYSIN of a job.
pub fn parse_lines(source: &SourceText, lines: LineRange) -> CsdSource {
    let mut reader = CsdParser { csd: empty(source), open: None, known: HashSet::new(), stray: false };
    for line in source.lines_in(lines) {
        let text = cards::strip_sequence_number(line.text());
        // The lines may include the DD statement of the data.
        if text.starts_with('*') || text.starts_with("//") || text.starts_with("/*") || text.trim().is_empty() {
            continue;
        }
        reader.line(text, line.number());
    }
    reader.end_command();
    let mut csd = reader.csd;
    csd.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    csd
}

fn empty(source: &SourceText) -> CsdSource {
    CsdSource { file: source.name().to_owned(), ..CsdSource::default() }
}

struct CsdParser {
    csd: CsdSource,
    open: Option<OpenCommand>,
    /// The definitions read so far, by type, name and group.
    known: HashSet<(String, String, Option<String>)>,
    /// Whether the previous line also belongs to no command.
    stray: bool,
}

/// A command that is not complete yet.
struct OpenCommand {
    verb: &'static str,
    /// The text after the verb, its lines joined.
    text: String,
    lines: LineRange,
    /// The number of open parentheses at its end.
    depth: u32,
    /// Whether the last line reached column 72, so that the next line may continue a word.
    is_full: bool,
}

impl CsdParser {
    fn line(&mut self, text: &str, number: LineNumber) {
        let is_within = self.open.as_ref().is_some_and(|open| open.depth > 0);
        let code = text.trim_start();
        if let Some((verb, rest)) = command(code, is_within) {
            self.end_command();
            let lines = LineRange::single(number);
            self.open = Some(OpenCommand { verb, text: String::new(), lines, depth: 0, is_full: false });
            self.add(rest, text, number);
            self.stray = false;
        } else if self.open.is_some() {
            self.add(text, text, number);
        } else if !std::mem::replace(&mut self.stray, true) {
            let word = code.split_whitespace().next().unwrap_or_default();
            let message = format!("`{word}` is no command of DFHCSDUP");
            self.csd.diagnostics.push(Diagnostic::warning("unknown-command", number, message));
        }
    }

    /// Appends a part of a line to the open command.
    fn add(&mut self, part: &str, line: &str, number: LineNumber) {
        let Some(open) = self.open.as_mut() else { return };
        if !open.is_full {
            open.text.push(' ');
        }
        // Within a value, the end of a full line continues in the first column of the next line.
        open.text.push_str(if open.is_full { part } else { part.trim_start() });
        for character in part.chars() {
            match character {
                '(' => open.depth += 1,
                ')' => open.depth = open.depth.saturating_sub(1),
                _ => {}
            }
        }
        open.is_full = open.depth > 0 && line.chars().count() >= 72;
        open.lines = LineRange::spanning(open.lines.start(), number);
    }

    fn end_command(&mut self) {
        let Some(open) = self.open.take() else { return };
        let mut operands = attributes(&open.text, open.lines.start(), &mut self.csd.diagnostics);
        if !matches!(open.verb, "DEFINE" | "USERDEFINE") {
            self.csd.commands.push(CsdCommand { verb: open.verb.to_owned(), operands, lines: open.lines });
            return;
        }
        let is_group = |operand: &CsdAttribute| operand.name == "GROUP";
        let group =
            operands.iter().position(is_group).and_then(|at| operands.remove(at).value).map(|g| g.to_uppercase());
        let named = (!operands.is_empty()).then(|| operands.remove(0));
        let Some((word, Some(name))) = named.map(|named| (named.name, named.value)) else {
            let message = "this DEFINE names no resource";
            self.csd.diagnostics.push(Diagnostic::warning("unnamed-resource", open.lines.start(), message));
            return;
        };
        let definition = CsdDefinition {
            resource_type: resource_type(&word),
            name: name.to_uppercase(),
            group,
            attributes: operands,
            lines: open.lines,
        };
        self.check(&definition);
        self.csd.definitions.push(definition);
    }

    fn check(&mut self, definition: &CsdDefinition) {
        let (kind, name, line) = (definition.resource_type.as_str(), &definition.name, definition.lines.start());
        if definition.group.is_none() {
            let message = format!("{kind} `{name}` is in no group");
            self.csd.diagnostics.push(Diagnostic::warning("missing-group", line, message));
        }
        if !self.known.insert((kind.to_owned(), name.clone(), definition.group.clone())) {
            let message = format!("{kind} `{name}` is defined in the same group before");
            self.csd.diagnostics.push(Diagnostic::note("duplicate-definition", line, message));
        }
    }
}

/// Splits a line into its verb and the rest.
///
/// Within a value, text may begin with such a word: there the word is a verb only if the text after it looks like a command.
fn command(code: &str, is_within: bool) -> Option<(&'static str, &str)> {
    let (word, rest) = code.split_once(' ').unwrap_or((code, ""));
    let verb = in_full(word, &VERBS)?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let is_operand = end > 0 && (rest[end..].starts_with('(') || rest[end..].trim().is_empty());
    // DELETE has a keyword REMOVE, which may be on a line of its own.
    let is_keyword = verb == "REMOVE" && rest.is_empty();
    (!is_keyword && (!is_within || is_operand)).then_some((verb, rest))
}

/// Returns the word of a list that matches a word or its abbreviation, in any case.
fn in_full(word: &str, words: &[&'static str]) -> Option<&'static str> {
    if word.len() < SHORTEST_ABBREVIATION {
        return None;
    }
    let begins = |full: &str| full.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let exact = words.iter().find(|full| full.eq_ignore_ascii_case(word));
    exact.or_else(|| words.iter().find(|full| begins(full))).copied()
}

fn resource_type(word: &str) -> CsdResourceType {
    // The last variant contains any other type.
    let (_, own) = CsdResourceType::VARIANTS.split_last().expect("types of resources");
    let own = in_full(word, own).filter(|_| !OTHER_TYPES.contains(&word));
    CsdResourceType::from(own.or_else(|| in_full(word, &OTHER_TYPES)).unwrap_or(word))
}

/// Parses the keywords of a command with their values.
fn attributes(text: &str, line: LineNumber, diagnostics: &mut Vec<Diagnostic>) -> Vec<CsdAttribute> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut may_be_quoted = true;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ')' | ';'));
        if rest.is_empty() {
            return found;
        }
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';')).unwrap_or(rest.len());
        let name = rest[..end].to_uppercase();
        rest = rest[end..].trim_start();
        let mut value = None;
        if let Some(inner) = rest.strip_prefix('(') {
            let (read, behind) = parenthesised(inner, &mut may_be_quoted);
            if behind.is_none() {
                let message = format!("the value of `{name}` is not closed");
                diagnostics.push(Diagnostic::warning("unclosed-value", line, message));
            }
            value = Some(read);
            rest = behind.unwrap_or("");
        }
        found.push(CsdAttribute { name, value });
    }
}

/// Splits text after an open parenthesis into the value and the rest, which is empty if the value is not closed.
///
/// If a quote is not closed, no later one is, so the text is not searched again.
fn parenthesised<'a>(inner: &'a str, may_be_quoted: &mut bool) -> (String, Option<&'a str>) {
    // Quotes count only around the whole value: a description may contain an apostrophe.
    if let Some(quoted) = inner.trim_start().strip_prefix('\'').filter(|_| *may_be_quoted) {
        for (at, _) in quoted.match_indices('\'') {
            let behind = quoted[at + 1..].trim_start();
            if let Some(behind) = behind.strip_prefix(')') {
                return (quoted[..at].replace("''", "'"), Some(behind));
            }
        }
        *may_be_quoted = false;
    }
    let mut depth = 0_u32;
    for (at, character) in inner.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return (inner[..at].trim().to_owned(), Some(&inner[at + 1..])),
            ')' => depth -= 1,
            _ => {}
        }
    }
    (inner.trim().to_owned(), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::ReadOptions;

    fn read(text: &str) -> CsdSource {
        parse(&SourceText::read("T.csd", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap())
    }

    fn codes(text: &str) -> Vec<&'static str> {
        read(text).diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    }

    fn shown(attributes: &[CsdAttribute]) -> String {
        let one = |a: &CsdAttribute| a.value.as_ref().map_or(a.name.clone(), |value| format!("{}({value})", a.name));
        attributes.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found = read(text);
        let mut all: Vec<(LineRange, String)> = Vec::new();
        for d in &found.definitions {
            let group = d.group.as_deref().unwrap_or("-");
            let shown = format!("{} {group}/{}: {}", d.resource_type.as_str(), d.name, shown(&d.attributes));
            all.push((d.lines, shown));
        }
        all.extend(found.commands.iter().map(|c| (c.lines, format!("{}: {}", c.verb, shown(&c.operands)))));
        all.sort();
        let all: Vec<String> = all.into_iter().map(|(lines, shown)| format!("{lines} {shown}")).collect();
        assert_eq!(all, expected);
    }

    #[test]
    fn a_definition_goes_on_over_lines_and_may_be_indented() {
        let text = "* COMMENT\n DEFINE FILE(A) GROUP(G)\n DESCRIPTION(X (Y) Z'S)\n        ADD(YES) DELETE(NO)\n\n DEFINE PROGRAM(B) GROUP(G)\n";
        check(text, &["2-4 FILE G/A: DESCRIPTION(X (Y) Z'S) ADD(YES) DELETE(NO)", "6 PROGRAM G/B: "]);
        assert_eq!(codes(text), [""; 0]);
    }

    #[test]
    fn words_may_be_lower_case_and_abbreviated() {
        check("def trans(ab12) g(x) group(g)\n  Prog( pgm )\n", &["1-2 TRANSACTION G/AB12: G(x) PROG(pgm)"]);
        check("DEFINE TRANCLASS(A) GROUP(G)\n", &["1 TRANCLASS G/A: "]);
        check("DEFINE URI(A) GROUP(G)\n", &["1 URIMAP G/A: "]);
        check("DEFINE WHATEVER(A) GROUP(G)\n", &["1 WHATEVER G/A: "]);
        check("DEFINE GROUP(G) MAPSET (A)\n", &["1 MAPSET G/A: "]);
        check("USERDEFINE LIBRARY(A) GROUP(G)\n", &["1 LIBRARY G/A: "]);
    }

    #[test]
    fn other_commands_are_kept() {
        let text = "ADD GROUP(G) LIST(L)\nLIST ALL\nDELETE GROUP(G)\n REMOVE\nUPGRADE USING(DFHX)\nVERIFY\n";
        check(
            text,
            &[
                "1 ADD: GROUP(G) LIST(L)",
                "2 LIST: ALL",
                "3-4 DELETE: GROUP(G) REMOVE",
                "5 UPGRADE: USING(DFHX)",
                "6 VERIFY: ",
            ],
        );
    }

    #[test]
    fn a_value_may_be_quoted_and_may_go_on_in_the_next_line() {
        check("DEFINE URIMAP(A) GROUP(G) PATH('/a (b)''s')\n", &["1 URIMAP G/A: PATH(/a (b)'s)"]);
        check(
            "DEFINE FILE(A) GROUP(G) DESCRIPTION(ONE\n  DELETE AND TWO)\n",
            &["1-2 FILE G/A: DESCRIPTION(ONE DELETE AND TWO)"],
        );
        let full = format!("{:<72}\n23) RECORDFORMAT(V)\n", format!("DEFINE FILE(A) GROUP(G) {:>48}", "DESCRIPTION(1"));
        check(&full, &["1-2 FILE G/A: DESCRIPTION(123) RECORDFORMAT(V)"]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        assert_eq!(codes("HELLO\nWORLD\nDEFINE FILE(A) GROUP(G)\n"), ["unknown-command"]);
        assert_eq!(codes("DEFINE FILE(A)\n"), ["missing-group"]);
        assert_eq!(codes("DEFINE\n"), ["unnamed-resource"]);
        assert_eq!(codes("DEFINE FILE(A) GROUP(G)\nDEFINE FILE(A) GROUP(G)\n"), ["duplicate-definition"]);
        let open = "DEFINE FILE(A) GROUP(G) DESCRIPTION(X\nDEFINE FILE(B) GROUP(G)\n";
        assert_eq!(codes(open), ["unclosed-value"]);
        check(open, &["1 FILE G/A: DESCRIPTION(X)", "2 FILE G/B: "]);
    }

    #[test]
    fn values_are_found_by_their_full_names() {
        let found = read(
            "DEFINE TRANSACTION(T) GROUP(G) PROGRAM(p)\nDEFINE FILE(F) GROUP(G) DSN(a.b)\nDEFINE PROGRAM(P) GROUP(G) LANGUAGE(cobol) TRANSID(T)\nDEFINE DB2ENTRY(E) GROUP(G) PLAN(PL)\nDEFINE DB2TRAN(D) GROUP(G) ENTRY(E) TRANSID(T)\nDEFINE TDQUEUE(Q) GROUP(G) TYPE(EXTRA) DDNAME(DD) PROGRAM(X)\n",
        );
        let [t, f, p, e, d, q] = found.definitions.as_slice() else { panic!("six definitions") };
        assert_eq!(t.upper("PROGRAM").as_deref(), Some("P"));
        assert_eq!(f.upper("DSNAME").as_deref(), Some("A.B"));
        assert_eq!((p.upper("LANGUAGE").as_deref(), p.upper("TRANSID").as_deref()), (Some("COBOL"), Some("T")));
        assert_eq!(e.upper("PLAN").as_deref(), Some("PL"));
        assert_eq!((d.upper("ENTRY").as_deref(), d.upper("TRANSID").as_deref()), (Some("E"), Some("T")));
        assert_eq!((q.upper("DDNAME").as_deref(), q.upper("PLAN")), (Some("DD"), None));
    }

    #[test]
    fn some_lines_of_a_job_are_read_alone() {
        let text = "//S EXEC PGM=DFHCSDUP\n//SYSIN DD *\nDefine File(A) Group(G)\n/*\nDEFINE FILE(B) GROUP(G)\n";
        let source = SourceText::read("T.jcl", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
        let line = |number| LineNumber::new(number).unwrap();
        let found = parse_lines(&source, LineRange::new(line(3), line(3)).unwrap());
        assert_eq!((found.definitions.len(), found.definitions[0].lines), (1, LineRange::single(line(3))));
        assert_eq!(parse_lines(&source, LineRange::new(line(90), line(99)).unwrap()).definitions, []);
    }
}
