//! Parses the control statements of the utilities of DB2, and of its High Performance Unload.
//!
//! ```text
//! statement = utility { option }
//! ```
//! Nothing ends a statement: a line that begins with the name of a utility begins one, in any column. Two hyphens begin a comment.

use super::control_statements::data_lines;
use super::model::{AllocationKind, Dd, JobStep};
use crate::ddl;
use foldhash::{HashSet, HashSetExt};
use serde::Serialize;
use std::sync::Arc;
use war_rig_text::{LineRange, columns};

/// The programs that read such statements.
pub(super) const PROGRAMS: [&str; 2] = ["DSNUTILB", "INZUTILB"];

/// The utilities. Source: Db2 for z/OS, Utility Guide and Reference.
const UTILITIES: [&str; 24] = [
    "BACKUP", "CATENFM", "CATMAINT", "CHECK", "COPY", "COPYTOCOPY", "DIAGNOSE", "EXEC", "GLOBAL", "LISTDEF", "LOAD",
    "MERGECOPY", "MODIFY", "OPTIONS", "QUIESCE", "REBUILD", "RECOVER", "REORG", "REPAIR", "REPORT", "RESTORE",
    "RUNSTATS", "TEMPLATE", "UNLOAD",
];

/// Words behind the name of a utility that show that it is an option of the statement before: `UNLOAD CONTINUE` of REORG.
const OF_OPTIONS: [&str; 6] = ["CONTINUE", "EXTERNAL", "NO", "ONLY", "PAUSE", "YES"];

/// The columns of a statement.
const STATEMENT: usize = 72;

/// A control statement for a utility of DB2.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Db2Statement {
    /// The utility: `LOAD`, `UNLOAD`, `RUNSTATS`, `REORG`, `COPY`; `EXEC SQL` for an embedded statement.
    pub verb: String,
    /// The statement with single blanks, without comments.
    pub text: String,
    /// The type and name of the object: `TABLESPACE A.B`, `INDEX A.C`, `LIST L`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<(String, String)>,
    /// The tables that it loads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written_tables: Vec<String>,
    /// The tables that it unloads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read_tables: Vec<String>,
    /// Whether a LOAD empties the table space before (REPLACE).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replaces: bool,
    /// Whether a LOAD adds to the rows that exist (RESUME YES).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub adds: bool,
    /// The DDs that it reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input_dds: Vec<String>,
    /// The DDs that it writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output_dds: Vec<String>,
    /// Its lines.
    #[serde(flatten, serialize_with = "war_rig_text::line_and_end")]
    pub lines: LineRange,
    /// The file that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

/// Returns the statements that a step passes to a utility.
pub(super) fn statements(step: &JobStep) -> Vec<Db2Statement> {
    step.dds.iter().filter(|dd| dd.name == "SYSIN").flat_map(statements_of).collect()
}

/// Whether statements unload tables that they name, and do nothing else.
pub(super) fn are_unloads(statements: &[Db2Statement]) -> bool {
    let unloads = |statement: &Db2Statement| statement.verb == "UNLOAD" && !statement.read_tables.is_empty();
    !statements.is_empty() && statements.iter().all(unloads)
}

fn statements_of(dd: &Dd) -> Vec<Db2Statement> {
    let mut found: Vec<(String, LineRange, Option<Arc<str>>)> = Vec::new();
    // EXEC SQL ends with ENDEXEC, and contains anything.
    let (mut depth, mut in_sql) = (0_i32, false);
    let mut lines = data_lines(dd, STATEMENT)
        .map(|(number, line, file)| (number, without_comment(columns(line, 0..STATEMENT)), file))
        .peekable();
    while let Some((number, line, file)) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(first) = words.first() else { continue };
        // The second word of an option may stand on the next line.
        let next = lines.peek().and_then(|(_, line, _)| line.split_whitespace().next());
        let is_option =
            words.get(1).copied().or(next).is_some_and(|word| OF_OPTIONS.contains(&word.to_uppercase().as_str()));
        let begins =
            depth <= 0 && !in_sql && !is_option && UTILITIES.iter().any(|name| name.eq_ignore_ascii_case(first));
        match found.last_mut().filter(|_| !begins) {
            Some((text, lines, _)) => {
                text.push(' ');
                text.push_str(&words.join(" "));
                *lines = LineRange::spanning(lines.start(), number);
            }
            // What stands before the first statement is none.
            None if !begins => continue,
            None => {
                depth = 0;
                in_sql = first.eq_ignore_ascii_case("EXEC");
                found.push((words.join(" "), LineRange::single(number), file.cloned()));
            }
        }
        in_sql &= !words.iter().any(|word| word.trim_end_matches(';').eq_ignore_ascii_case("ENDEXEC"));
        for (_, token) in tokens(line) {
            depth += match token {
                "(" => 1,
                ")" => -1,
                _ => 0,
            };
        }
    }
    found.into_iter().map(|(text, lines, file)| statement(text, lines, file)).collect()
}

fn statement(text: String, lines: LineRange, file: Option<Arc<str>>) -> Db2Statement {
    let first = text.split(' ').next().unwrap_or_default().to_uppercase();
    let verb = if first == "EXEC" { "EXEC SQL".to_owned() } else { first };
    let options = Options::of(&text);
    let object = options.object();
    let mut found = Db2Statement {
        verb,
        object,
        written_tables: Vec::new(),
        read_tables: Vec::new(),
        replaces: false,
        adds: false,
        input_dds: Vec::new(),
        output_dds: Vec::new(),
        lines,
        file,
        text: String::new(),
    };
    match found.verb.as_str() {
        "LOAD" => {
            found.written_tables = options.names_behind(&["INTO", "TABLE"]);
            found.replaces = options.has(&["REPLACE"]);
            found.adds = options.has(&["RESUME", "YES"]);
            found.input_dds = options.names_behind(&["INDDN"]);
            if found.input_dds.is_empty() && !options.has(&["INCURSOR"]) {
                found.input_dds.push("SYSREC".to_owned());
            }
        }
        "UNLOAD" => {
            found.read_tables = options.names_behind(&["FROM", "TABLE"]);
            let query = options.words.iter().find(|word| word.text.eq_ignore_ascii_case("SELECT"));
            let tables = query.map(|word| ddl::tables_in(&text[word.at..])).unwrap_or_default();
            found.read_tables.extend(tables.iter().map(ToString::to_string));
            found.output_dds =
                ["OUTDDN", "UNLDDN"].iter().flat_map(|keyword| options.names_behind(&[keyword])).collect();
            if found.output_dds.is_empty() {
                found.output_dds.push("SYSREC".to_owned());
            }
        }
        _ => {}
    }
    for names in [&mut found.written_tables, &mut found.read_tables] {
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
    }
    found.text = text;
    found
}

impl Db2Statement {
    /// Whether all that it would load is DUMMY.
    pub fn reads_nothing(&self, step: &JobStep) -> bool {
        let is_dummy = |name: &String| {
            let dd = step.dds.iter().find(|dd| dd.name == *name);
            dd.is_some_and(|dd| dd.allocations.iter().all(|allocation| allocation.kind == AllocationKind::Dummy))
        };
        !self.input_dds.is_empty() && self.input_dds.iter().all(is_dummy)
    }
}

/// A word of a statement.
struct OptionWord<'a> {
    at: usize,
    text: &'a str,
    /// Whether it stands directly behind an opening parenthesis.
    is_inner: bool,
}

/// The words of a statement outside of parentheses, and the first one in each pair.
struct Options<'a> {
    words: Vec<OptionWord<'a>>,
}

impl<'a> Options<'a> {
    fn of(text: &'a str) -> Self {
        let (mut depth, mut is_inner) = (0_i32, false);
        let mut words = Vec::new();
        for (at, token) in tokens(text) {
            match token {
                "(" => (depth, is_inner) = (depth + 1, true),
                ")" => (depth, is_inner) = (depth - 1, false),
                text => {
                    if depth <= 0 || (depth == 1 && is_inner) {
                        words.push(OptionWord { at, text, is_inner });
                    }
                    is_inner = false;
                }
            }
        }
        Self { words }
    }

    fn is_at(&self, at: usize, keywords: &[&str]) -> bool {
        let is_it = |(place, keyword): (usize, &&str)| {
            self.words.get(at + place).is_some_and(|word| !word.is_inner && word.text.eq_ignore_ascii_case(keyword))
        };
        keywords.iter().enumerate().all(is_it)
    }

    fn has(&self, keywords: &[&str]) -> bool {
        (0..self.words.len()).any(|at| self.is_at(at, keywords))
    }

    /// Returns the word behind each place where these keywords follow each other.
    fn names_behind(&self, keywords: &[&str]) -> Vec<String> {
        let places = (0..self.words.len()).filter(|at| self.is_at(*at, keywords));
        places.filter_map(|at| Some(name(self.words.get(at + keywords.len())?.text))).collect()
    }

    /// Returns the type and the name of the object, which stands at the head of a statement.
    fn object(&self) -> Option<(String, String)> {
        let at = (1..3).find(|at| OBJECTS.iter().any(|kind| self.is_at(*at, &[kind])))?;
        let (kind, object) = (self.words.get(at)?.text, self.words.get(at + 1)?.text);
        // `UNLOAD TABLESPACE DB2 YES` of High Performance Unload has no name: its SELECT names the tables.
        let is_option = ["DB2", "LOCK", "QUIESCE"].iter().any(|option| option.eq_ignore_ascii_case(object));
        (!is_option).then(|| (kind.to_uppercase(), name(object)))
    }
}

/// The types of objects that utilities work on.
const OBJECTS: [&str; 4] = ["TABLESPACE", "INDEX", "INDEXSPACE", "LIST"];

/// Returns a name without quotes, in upper case.
fn name(word: &str) -> String {
    word.replace('"', "").trim_end_matches(';').to_uppercase()
}

/// Splits a text into parentheses and words, each with its position. A quoted text belongs to its word; commas separate.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches([' ', ',']);
        let first = rest.chars().next()?;
        let mut quote = None;
        let end = match first {
            '(' | ')' => 1,
            _ => rest
                .char_indices()
                .find(|(_, c)| match quote {
                    Some(open) => {
                        if *c == open {
                            quote = None;
                        }
                        false
                    }
                    None if matches!(c, '"' | '\'') => {
                        quote = Some(*c);
                        false
                    }
                    None => matches!(c, ' ' | ',' | '(' | ')'),
                })
                .map_or(rest.len(), |(at, _)| at),
        };
        let (at, token) = (text.len() - rest.len(), &rest[..end]);
        rest = &rest[end..];
        Some((at, token))
    })
}

/// Returns a line up to two hyphens outside of quotes.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == '-' && before == '-' => return &line[..at - 1],
            None => {}
        }
        before = c;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::model::DdUsage;
    use super::super::step_programs;
    use super::super::testing::stepping;

    #[track_caller]
    fn check(operands: &str, cards: &str, expected: &[&str]) {
        let runs = step_programs(&stepping(operands, &format!("//SYSIN DD *\n{cards}/*\n")));
        let shown: Vec<String> = runs
            .db2
            .iter()
            .map(|found| {
                let mut words = vec![format!("{} {}", found.verb, found.lines)];
                let object = found.object.as_ref().map(|(kind, name)| format!("{kind} {name}"));
                words.extend(object);
                words.extend(found.replaces.then(|| "replaces".to_owned()));
                words.extend(found.adds.then(|| "adds".to_owned()));
                let lists = [
                    ("to", &found.written_tables),
                    ("from", &found.read_tables),
                    ("in", &found.input_dds),
                    ("out", &found.output_dds),
                ];
                let lists = lists.iter().filter(|(_, names)| !names.is_empty());
                words.extend(lists.map(|(what, names)| format!("{what} {}", names.join(" "))));
                words.join("; ")
            })
            .collect();
        assert_eq!(shown, expected, "{operands}\n{cards}");
    }

    #[test]
    fn a_load_names_the_tables_that_it_writes() {
        check(
            "PGM=DSNUTILB",
            " LOAD DATA LOG NO -- QUICK\n RESUME NO REPLACE\n STATISTICS TABLE(ALL) INDEX(ALL)\n INDDN SYSREC00 INTO TABLE\n   PRM.\"POLICY\"\n (\n \"KEY\"\n\
             \x20 POSITION ( 1 ) CHAR(3),\n REPLACE\n  POSITION(4) CHAR(2))\n LOAD RESUME YES INTO TABLE A INTO TABLE B\n",
            &["LOAD 3-12; replaces; to PRM.POLICY; in SYSREC00", "LOAD 13; adds; to A B; in SYSREC"],
        );
        check(
            "DSNUPROC,PARM='DB2P,X'",
            "LOAD DATA INDDN(IN1)\n INTO TABLE A (REPLACE POSITION(1))\n",
            &["LOAD 3-4; to A; in IN1"],
        );
        let runs =
            step_programs(&stepping("DSNUPROC", "//SYSIN DD *\n LOAD DATA RESUME NO REPLACE\n INTO TABLE A\n/*\n"));
        assert_eq!(runs.db2[0].text, "LOAD DATA RESUME NO REPLACE INTO TABLE A");
        assert_eq!(runs.known_usage("SYSREC"), Some(DdUsage::Read));
        assert!(runs.sort.is_empty());
    }

    #[test]
    fn an_unload_names_the_tables_that_it_reads() {
        check(
            "PGM=INZUTILB,PARM='DB2P,X'",
            "  UNLOAD TABLESPACE DB2 YES LOCK NO\n  SELECT A.K CONCAT '--'\n  FROM PRM.POLICY A\n     , PRM.BILL B\n  WHERE A.K = B.K\n  WITH UR\n\
             \x20 OUTDDN (UNL1)\n  LOADDDN LOAD1\n",
            &["UNLOAD 3-10; from PRM.POLICY PRM.BILL; out UNL1"],
        );
        check(
            "PGM=DSNUTILB",
            "UNLOAD TABLESPACE D.S FROM TABLE PRM.POLICY WHEN (K = 1)\n",
            &["UNLOAD 3; TABLESPACE D.S; from PRM.POLICY; out SYSREC"],
        );
    }

    #[test]
    fn cards_that_unload_a_table_are_read_whatever_runs_them() {
        let cards =
            " UNLOAD TABLESPACE PRMD01.PRMS01\n SELECT * FROM PRM.POLICY\n OUTDDN (SYSREC00)\n FORMAT DSNTIAUL\n";
        let expected = ["UNLOAD 3-6; TABLESPACE PRMD01.PRMS01; from PRM.POLICY; out SYSREC00"];
        check("OWNHPU", cards, &expected);
        check("PGM=OWNHPU", cards, &expected);
        check("OWNHPU", " UNLOAD THE TRUCK\n", &[]);
        check("PGM=OWNHPU", " LOAD INTO TABLE PRM.POLICY\n", &[]);
    }

    #[test]
    fn a_utility_begins_in_any_column() {
        check(
            "PGM=DSNUTILB",
            "RUNSTATS TABLESPACE D.S INDEX(ALL KEYCARD)\n         SHRLEVEL CHANGE\n REORG TABLESPACE D.S\n   UNLOAD CONTINUE\n  COPY TABLESPACE D.S\n\
             EXEC SQL\n DELETE FROM X\nENDEXEC\n QUIESCE LIST L\n",
            &[
                "RUNSTATS 3-4; TABLESPACE D.S",
                "REORG 5-6; TABLESPACE D.S",
                "COPY 7; TABLESPACE D.S",
                "EXEC SQL 8-10",
                "QUIESCE 11; LIST L",
            ],
        );
        check("PGM=SORT", " UNLOAD TABLESPACE D.S\n", &[]);
    }
}
