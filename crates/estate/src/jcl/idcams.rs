//! The commands of IDCAMS.
//!
//! ```text
//! command = verb { word | keyword "(" text ")" }
//! condition = "IF" text "THEN" clause [ "ELSE" clause ]
//! clause = [ command | "DO" { command } "END" ]
//! ```

use super::control_statements::{CommandWord, ControlCommand, commands, unquoted_name, words};
use super::model::{IfCondition, JobStep};
use super::parser::MOST_CONDITIONS;
use super::step_programs::TsoCommand;
use serde::Serialize;
use std::sync::Arc;
use war_rig_text::{LineRange, line_and_end};

/// Verbs with an abbreviation.
const VERBS: [(&str, &str); 7] = [
    ("BLDINDEX", "BIX"),
    ("DEFINE", "DEF"),
    ("DELETE", "DEL"),
    ("EXPORT", "EXP"),
    ("IMPORT", "IMP"),
    ("LISTCAT", "LISTC"),
    ("VERIFY", "VFY"),
];

/// Objects of DEFINE and DELETE, and their abbreviations.
const OBJECTS: [(&str, &str); 9] = [
    ("ALIAS", "ALIAS"),
    ("ALTERNATEINDEX", "AIX"),
    ("CLUSTER", "CL"),
    ("GENERATIONDATAGROUP", "GDG"),
    ("NONVSAM", "NVSAM"),
    ("PAGESPACE", "PAGESPACE"),
    ("PATH", "PATH"),
    ("USERCATALOG", "UCAT"),
    ("VVDS", "VVDS"),
];

/// Record organizations, and their abbreviations.
const ORGANIZATIONS: [(&str, &str); 4] =
    [("INDEXED", "IXD"), ("LINEAR", "LIN"), ("NONINDEXED", "NIXD"), ("NUMBERED", "NUMD")];

/// Properties of clusters and indexes, and their abbreviations.
const PROPERTIES: [(&str, &str, ClusterProperty); 3] = [
    ("NONUNIQUEKEY", "NUNQK", ClusterProperty::NonUniqueKey),
    ("REUSE", "RUS", ClusterProperty::Reuse),
    ("UPGRADE", "UPG", ClusterProperty::Upgrade),
];

/// The position of a record's key, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct KeyPlace {
    /// Its length.
    pub length: u32,
    /// How many bytes precede it.
    pub offset: u32,
}

/// The length of records, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RecordSize {
    /// The average.
    pub average: u32,
    /// The maximum.
    pub largest: u32,
}

/// A property of a cluster or an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ClusterProperty {
    /// Keys may repeat.
    NonUniqueKey,
    /// It is emptied when it is opened for output.
    Reuse,
    /// It follows changes of its base.
    Upgrade,
}

/// A command for IDCAMS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IdcamsCommand {
    /// `DEFINE`, `DELETE`, `REPRO`, `ALTER`, `LISTCAT`, unabbreviated.
    pub verb: String,
    /// The object of DEFINE or DELETE, unabbreviated: `CLUSTER`, `ALTERNATEINDEX`, `PATH`, `GENERATIONDATAGROUP`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The names of its objects: NAME, or the list of DELETE and similar commands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The names of a DELETE that its job then defines anew.
    #[serde(skip)]
    pub recreated: Vec<String>,
    /// The cluster of an alternate index (RELATE), or the entry of a path (PATHENTRY).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<String>,
    /// `INDEXED`, `NONINDEXED`, `NUMBERED` or `LINEAR`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization: Option<String>,
    /// The key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<KeyPlace>,
    /// The lengths of its records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record_size: Option<RecordSize>,
    /// What DEFINE says besides, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<ClusterProperty>,
    /// The DDs that it reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input_dds: Vec<String>,
    /// The datasets that it reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input_datasets: Vec<String>,
    /// The DDs that it writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output_dds: Vec<String>,
    /// The datasets that it writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output_datasets: Vec<String>,
    /// The conditions of IF that it is under, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<IfCondition>,
    /// The command as written, with single blanks and without its conditions.
    pub text: String,
    /// Its lines.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The file that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

/// Returns the commands that a step passes to IDCAMS in SYSIN.
pub(super) fn commands_of_step(step: &JobStep) -> Vec<IdcamsCommand> {
    let mut reader = CommandReader::default();
    step.dds.iter().filter(|dd| dd.name == "SYSIN").flat_map(commands).for_each(|command| reader.read(&command));
    reader.found
}

/// Whether the control statements of a step are commands of IDCAMS, whatever it executes.
pub(super) fn are_commands(step: &JobStep) -> bool {
    let is_verb = |verb: &str| {
        VERBS.iter().any(|(whole, _)| *whole == verb) || ["ALTER", "EXAMINE", "PRINT", "REPRO", "SET"].contains(&verb)
    };
    let commands = commands_of_step(step);
    !commands.is_empty() && commands.iter().all(|command| is_verb(&command.verb))
}

/// Reads commands one after the other and keeps the conditions that are open.
#[derive(Default)]
struct CommandReader {
    found: Vec<IdcamsCommand>,
    open: Vec<OpenClause>,
    /// The conditions that have just ended, to which an ELSE may belong, outermost first.
    ended: Vec<OpenClause>,
}

/// A clause of IF or ELSE. It has one command, or those up to END.
struct OpenClause {
    condition: IfCondition,
    is_group: bool,
}

impl CommandReader {
    fn read(&mut self, command: &ControlCommand) {
        let mut rest = command.text.as_str();
        if !["DO", "ELSE", "END"].iter().any(|word| word.eq_ignore_ascii_case(first_word(rest))) {
            // The command of THEN is on its line, or on one that continues it.
            self.end_clauses();
        }
        loop {
            let first = first_word(rest);
            match first.to_ascii_uppercase().as_str() {
                "" => return,
                "IF" => {
                    let Some(at) = word_behind_blank(rest, "THEN") else { return };
                    self.begin(&rest[first.len()..at], command);
                    rest = &rest[at + " THEN".len()..];
                }
                "ELSE" => {
                    self.turn();
                    rest = &rest[first.len()..];
                }
                "DO" => {
                    if let Some(clause) = self.open.last_mut() {
                        clause.is_group = true;
                    }
                    rest = &rest[first.len()..];
                }
                "END" => {
                    // What a THEN without a command left open ends with its group.
                    self.end_clauses();
                    if let Some(clause) = self.open.last_mut() {
                        clause.is_group = false;
                    }
                    self.end_clauses();
                    rest = &rest[first.len()..];
                }
                _ => {
                    let end = word_behind_blank(rest, "ELSE").unwrap_or(rest.len());
                    self.command(&rest[..end], command);
                    rest = &rest[end..];
                }
            }
            rest = rest.trim_start_matches([' ', ';']);
        }
    }

    /// Opens a condition. Only a THEN, or nothing, precedes it.
    fn begin(&mut self, text: &str, command: &ControlCommand) {
        let (text, lines, file) = (text.trim().to_owned(), command.lines, command.file.clone());
        self.ended.clear();
        self.open.push(OpenClause { condition: IfCondition { text, holds: true, lines, file }, is_group: false });
    }

    /// Turns the last condition that ended into its contrary.
    fn turn(&mut self) {
        if self.ended.is_empty() {
            // The THEN has no command.
            self.end_clauses();
        }
        let Some(mut last) = self.ended.pop() else { return };
        last.condition.holds = false;
        self.open.append(&mut self.ended);
        self.open.push(last);
    }

    fn command(&mut self, text: &str, line: &ControlCommand) {
        self.ended.clear();
        if let Some(mut found) = read(text, line) {
            let around = self.open.iter().take(MOST_CONDITIONS);
            found.conditions = around.map(|clause| clause.condition.clone()).collect();
            self.found.push(found);
        }
        self.end_clauses();
    }

    /// Ends the innermost clauses that have one command.
    fn end_clauses(&mut self) {
        let at = self.open.iter().rposition(|clause| clause.is_group).map_or(0, |at| at + 1);
        self.ended = self.open.split_off(at);
        // An ELSE has no other one.
        while self.ended.pop_if(|clause| !clause.condition.holds).is_some() {}
    }
}

fn first_word(text: &str) -> &str {
    text.split([' ', '(', ';']).next().unwrap_or_default()
}

/// Returns the place of a blank with this word behind it.
fn word_behind_blank(text: &str, word: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    text.match_indices(' ').map(|(at, _)| at).find(|at| {
        let (begin, end) = (at + 1, at + 1 + word.len());
        let ends = bytes.get(end).is_none_or(|next| matches!(next, b' ' | b'(' | b';'));
        ends && bytes.get(begin..end).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
    })
}

fn whole(table: &[(&'static str, &str)], word: &str) -> Option<&'static str> {
    let is_it = |name: &str| name.eq_ignore_ascii_case(word);
    table.iter().find(|(whole, short)| is_it(whole) || is_it(short)).map(|(whole, _)| *whole)
}

/// Reads one command of these lines, without its conditions.
fn read(text: &str, line: &ControlCommand) -> Option<IdcamsCommand> {
    let mut found = IdcamsCommand {
        text: text.trim_end_matches([' ', ';']).to_owned(),
        conditions: Vec::new(),
        lines: line.lines,
        file: line.file.clone(),
        verb: String::new(),
        object: None,
        names: Vec::new(),
        recreated: Vec::new(),
        related: None,
        organization: None,
        keys: None,
        record_size: None,
        properties: Vec::new(),
        input_dds: Vec::new(),
        input_datasets: Vec::new(),
        output_dds: Vec::new(),
        output_datasets: Vec::new(),
    };
    let mut all = words(text);
    let verb = all.next().filter(|verb| !verb.text.is_empty())?;
    found.verb = whole(&VERBS, verb.text).map_or_else(|| verb.text.to_ascii_uppercase(), str::to_owned);
    if let (Some(names), "DELETE" | "ALTER" | "VERIFY") = (verb.inner, found.verb.as_str()) {
        found.names.extend(names_of(names));
    }
    for (index, word) in all.enumerate() {
        found.take(index, word);
    }
    Some(found)
}

/// Returns the names in parentheses: `A.B (C D)` has two.
fn names_of(text: &str) -> impl Iterator<Item = String> {
    words(text).map(|word| dataset(word.text, word.inner)).filter(|name| !name.is_empty())
}

/// Returns a name with its generation or member.
fn dataset(text: &str, inner: Option<&str>) -> String {
    match inner {
        Some(inner) => format!("{}({})", unquoted_name(text), unquoted_name(inner)),
        None => unquoted_name(text),
    }
}

impl IdcamsCommand {
    /// Returns a command of TSO as one of IDCAMS, whose commands TSO has, too.
    pub(super) fn of_tso(command: &TsoCommand) -> Option<Self> {
        let TsoCommand { text, lines, file, .. } = command.clone();
        read(&command.text, &ControlCommand { text, lines, file })
    }

    fn take(&mut self, index: usize, word: CommandWord<'_>) {
        let listed = matches!(self.verb.as_str(), "DELETE" | "ALTER" | "EXPORT" | "EXAMINE");
        if listed && index == 0 && self.names.is_empty() {
            match (word.text, word.inner) {
                ("", Some(names)) => self.names.extend(names_of(names)),
                (text, inner) => self.names.push(dataset(text, inner)),
            }
            return;
        }
        if self.object.is_none()
            && matches!(self.verb.as_str(), "DEFINE" | "DELETE" | "LISTCAT")
            && let Some(object) = whole(&OBJECTS, word.text)
        {
            self.object = Some(object.to_owned());
        } else if let Some(organization) = whole(&ORGANIZATIONS, word.text) {
            self.organization = Some(organization.to_owned());
        } else {
            self.keyword(word);
            return;
        }
        self.deeper(word);
    }

    /// Reads the parentheses of a word that groups others: CLUSTER, DATA, INDEX. They are at most two deep.
    fn deeper(&mut self, word: CommandWord<'_>) {
        for word in word.inner.into_iter().flat_map(words) {
            match whole(&ORGANIZATIONS, word.text) {
                Some(organization) => self.organization = Some(organization.to_owned()),
                None => self.attribute(word),
            }
        }
    }

    fn keyword(&mut self, word: CommandWord<'_>) {
        if ["DATA", "INDEX", "IX"].iter().any(|group| group.eq_ignore_ascii_case(word.text)) {
            self.deeper(word);
        } else {
            self.attribute(word);
        }
    }

    fn attribute(&mut self, word: CommandWord<'_>) {
        let Some(inner) = word.inner else {
            let is_it = |name: &str| name.eq_ignore_ascii_case(word.text);
            let found = PROPERTIES.iter().find(|(whole, short, _)| is_it(whole) || is_it(short));
            let found = found.filter(|_| self.verb == "DEFINE").map(|(_, _, property)| *property);
            self.properties.extend(found.filter(|property| !self.properties.contains(property)));
            return;
        };
        match word.text.to_ascii_uppercase().as_str() {
            "NAME" if self.names.is_empty() => self.names.push(unquoted_name(inner)),
            "ENTRIES" | "ENT" => self.names.extend(names_of(inner)),
            "LEVEL" | "LVL" if self.verb == "LISTCAT" => self.names.extend(names_of(inner)),
            "RELATE" | "REL" | "PATHENTRY" | "PENT" => self.related = Some(unquoted_name(inner)),
            "KEYS" | "KEY" => self.keys = two(inner).map(|(length, offset)| KeyPlace { length, offset }),
            "RECORDSIZE" | "RECSZ" => {
                self.record_size = two(inner).map(|(average, largest)| RecordSize { average, largest })
            }
            "INFILE" | "IFILE" => self.input_dds.push(first_name(inner)),
            "FILE" if self.verb == "VERIFY" => self.input_dds.push(first_name(inner)),
            "INDATASET" | "IDS" => self.input_datasets.push(unquoted_name(inner)),
            "DATASET" | "DS" if self.verb == "VERIFY" => self.input_datasets.push(unquoted_name(inner)),
            "OUTFILE" | "OFILE" => self.output_dds.push(first_name(inner)),
            "OUTDATASET" | "ODS" => self.output_datasets.push(unquoted_name(inner)),
            _ => {}
        }
    }
}

fn first_name(text: &str) -> String {
    words(text).next().map_or_else(String::new, |word| unquoted_name(word.text))
}

fn two(text: &str) -> Option<(u32, u32)> {
    let mut numbers = words(text).map(|word| word.text.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::{LineNumber, LineRange};

    fn check(text: &str, expected: &str) {
        let mut reader = CommandReader::default();
        for text in text.lines() {
            let (text, lines) = (text.to_owned(), LineRange::single(LineNumber::FIRST));
            reader.read(&ControlCommand { text, lines, file: None });
        }
        let shown = reader.found.iter().map(|found| {
            let condition = |at: &IfCondition| format!("{} {}:", if at.holds { "if" } else { "unless" }, at.text);
            let mut parts: Vec<String> = found.conditions.iter().map(condition).collect();
            parts.push(found.verb.clone());
            parts.extend(found.object.clone());
            parts.push(found.names.join("+"));
            parts.extend(found.related.iter().map(|related| format!("of {related}")));
            parts.extend(found.organization.clone());
            parts.extend(found.keys.map(|keys| format!("keys {},{}", keys.length, keys.offset)));
            parts.extend(found.record_size.map(|size| format!("records {},{}", size.average, size.largest)));
            parts.extend(found.properties.iter().map(|property| format!("{property:?}").to_lowercase()));
            parts.extend(found.input_dds.iter().map(|dd| format!("<dd {dd}")));
            parts.extend(found.input_datasets.iter().map(|dataset| format!("<{dataset}")));
            parts.extend(found.output_dds.iter().map(|dd| format!(">dd {dd}")));
            parts.extend(found.output_datasets.iter().map(|dataset| format!(">{dataset}")));
            parts.join(" ")
        });
        assert_eq!(shown.collect::<Vec<_>>().join("; "), expected, "{text}");
    }

    #[test]
    fn what_is_defined_has_name_keys_and_records() {
        check(
            "DEFINE CLUSTER (NAME(TMA.POL) INDEXED VOLUMES(A B)) DATA (NAME(TMA.POL.DATA) KEYS(10 0) RECORDSIZE(225 300)) INDEX (NAME(TMA.POL.INDEX))",
            "DEFINE CLUSTER TMA.POL INDEXED keys 10,0 records 225,300",
        );
        check("def cl(name('a.b') numd recsz(80,80))", "DEFINE CLUSTER A.B NUMBERED records 80,80");
        check(
            "DEFINE ALTERNATEINDEX (NAME(A.AIX) RELATE(A.B) KEYS(11,25) NONUNIQUEKEY UPGRADE RECORDSIZE(50,50))",
            "DEFINE ALTERNATEINDEX A.AIX of A.B keys 11,25 records 50,50 nonuniquekey upgrade",
        );
        check("DEFINE CLUSTER (NAME(A.B) REUSE)", "DEFINE CLUSTER A.B reuse");
        check("DEFINE PATH (NAME(A.PATH) PATHENTRY(A.AIX))", "DEFINE PATH A.PATH of A.AIX");
        check("DEFINE GDG (NAME(A.B) LIMIT(5) SCRATCH)", "DEFINE GENERATIONDATAGROUP A.B");
        check("DEFINE GDG NAME(A.B)", "DEFINE GENERATIONDATAGROUP A.B");
    }

    #[test]
    fn what_is_deleted_copied_and_listed_is_named() {
        check("DELETE A.B CLUSTER PURGE", "DELETE CLUSTER A.B");
        check("DEL (A.B 'C.D(E)') NVSAM", "DELETE NONVSAM A.B+C.D(E)");
        check("DELETE A.GDG.* GDG", "DELETE GENERATIONDATAGROUP A.GDG.*");
        check("REPRO INFILE(IN) OUTFILE(OUT ENV(X))", "REPRO  <dd IN >dd OUT");
        check("REPRO IDS(A.B) ODS('A.C(+1)') REPLACE", "REPRO  <A.B >A.C(+1)");
        check("LISTCAT ENTRIES(A.B C.D) ALL", "LISTCAT A.B+C.D");
        check("BIX IDS(A) ODS(B)", "BLDINDEX  <A >B");
        check("PRINT INFILE(X) CHAR", "PRINT  <dd X");
    }

    #[test]
    fn commands_have_the_conditions_that_they_are_under() {
        check("IF MAXCC=8 THEN SET MAXCC=0\nDELETE A", "if MAXCC=8: SET ; DELETE A");
        check(
            "IF LASTCC = 0 THEN DO\nDELETE A\nDELETE B\nEND\nDELETE C",
            "if LASTCC = 0: DELETE A; if LASTCC = 0: DELETE B; DELETE C",
        );
        check("IF LASTCC = 0 THEN\nDELETE A", "DELETE A");
        check("IF LASTCC = 0 THEN\nDO\nDELETE A\nEND", "if LASTCC = 0: DELETE A");
        check(
            "IF LASTCC = 0 THEN DELETE A ELSE DELETE B\nDELETE C",
            "if LASTCC = 0: DELETE A; unless LASTCC = 0: DELETE B; DELETE C",
        );
        check(
            "IF LASTCC = 0 THEN DELETE A\nELSE DO\nDELETE B\nEND\nDELETE C",
            "if LASTCC = 0: DELETE A; unless LASTCC = 0: DELETE B; DELETE C",
        );
        check(
            "IF MAXCC = 0 THEN DO\nIF LASTCC = 4 THEN DELETE A\nDELETE B\nEND\nELSE DELETE C",
            "if MAXCC = 0: if LASTCC = 4: DELETE A; if MAXCC = 0: DELETE B; unless MAXCC = 0: DELETE C",
        );
        check(
            "IF MAXCC = 0 THEN IF LASTCC = 4 THEN DELETE A\nELSE DELETE B\nDELETE C",
            "if MAXCC = 0: if LASTCC = 4: DELETE A; if MAXCC = 0: unless LASTCC = 4: DELETE B; DELETE C",
        );
        check(
            "IF MAXCC = 0 THEN DELETE A\nELSE IF LASTCC = 4 THEN DELETE B\nELSE DELETE C\nELSE DELETE D",
            "if MAXCC = 0: DELETE A; unless MAXCC = 0: if LASTCC = 4: DELETE B; unless MAXCC = 0: unless LASTCC = 4: DELETE C; DELETE D",
        );
        check("IF LASTCC = 0 THEN DO", "");
        check("END", "");
        check("IF LASTCC", "");
        check("ELSE DELETE B", "DELETE B");
        check("DELETE A.ELSEWHERE", "DELETE A.ELSEWHERE");
    }
}
