//! The commands of IDCAMS.
//!
//! ```text
//! command = verb { word | keyword "(" text ")" }
//! condition = "IF" text "THEN" [ command ]        its command is taken as if it stood alone
//! ```

use super::control_statements::{CommandWord, ControlCommand, commands, unquoted_name, words};
use super::model::JobStep;
use super::step_programs::{IdcamsCommand, KeyPlace, RecordSize};

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

/// Returns the commands that a step passes to IDCAMS in SYSIN.
pub(super) fn commands_of_step(step: &JobStep) -> Vec<IdcamsCommand> {
    let all = step.dds.iter().filter(|dd| dd.name == "SYSIN").flat_map(commands);
    all.filter_map(|command| read(&command)).collect()
}

fn whole(table: &[(&'static str, &str)], word: &str) -> Option<&'static str> {
    let is_it = |name: &str| name.eq_ignore_ascii_case(word);
    table.iter().find(|(whole, short)| is_it(whole) || is_it(short)).map(|(whole, _)| *whole)
}

fn read(command: &ControlCommand) -> Option<IdcamsCommand> {
    let mut rest = command.text.as_str();
    let first = rest.split(' ').next().unwrap_or_default();
    if first.eq_ignore_ascii_case("IF") {
        // The conditional command follows THEN; a group of commands is on lines of its own.
        let at = rest.to_ascii_uppercase().find(" THEN")?;
        rest = rest[at + " THEN".len()..].trim_start();
    } else if first.eq_ignore_ascii_case("ELSE") {
        rest = rest[first.len()..].trim_start();
    }
    let mut found = IdcamsCommand {
        text: command.text.clone(),
        lines: command.lines,
        file: command.file.clone(),
        verb: String::new(),
        object: None,
        names: Vec::new(),
        related: None,
        organization: None,
        keys: None,
        record_size: None,
        input_dds: Vec::new(),
        input_datasets: Vec::new(),
        output_dds: Vec::new(),
        output_datasets: Vec::new(),
    };
    let mut all = words(rest);
    let verb = all.next()?;
    if verb.text.is_empty() || ["DO", "END", "ELSE"].iter().any(|word| word.eq_ignore_ascii_case(verb.text)) {
        return None;
    }
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
        let Some(inner) = word.inner else { return };
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
        let command = ControlCommand { text: text.to_owned(), lines: LineRange::single(LineNumber::FIRST), file: None };
        let shown = read(&command).map(|found| {
            let mut parts = vec![found.verb.clone()];
            parts.extend(found.object.clone());
            parts.push(found.names.join("+"));
            parts.extend(found.related.iter().map(|related| format!("of {related}")));
            parts.extend(found.organization.clone());
            parts.extend(found.keys.map(|keys| format!("keys {},{}", keys.length, keys.offset)));
            parts.extend(found.record_size.map(|size| format!("records {},{}", size.average, size.largest)));
            parts.extend(found.input_dds.iter().map(|dd| format!("<dd {dd}")));
            parts.extend(found.input_datasets.iter().map(|dataset| format!("<{dataset}")));
            parts.extend(found.output_dds.iter().map(|dd| format!(">dd {dd}")));
            parts.extend(found.output_datasets.iter().map(|dataset| format!(">{dataset}")));
            parts.join(" ")
        });
        assert_eq!(shown.unwrap_or_default(), expected, "{text}");
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
            "DEFINE ALTERNATEINDEX A.AIX of A.B keys 11,25 records 50,50",
        );
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
    fn conditions_lead_to_their_command_alone() {
        check("IF MAXCC=8 THEN SET MAXCC=0", "SET ");
        check("IF LASTCC = 0 THEN DELETE A", "DELETE A");
        check("IF LASTCC = 0 THEN DO", "");
        check("END", "");
        check("IF LASTCC", "");
        check("ELSE DELETE B", "DELETE B");
    }
}
