//! The names and literals that identify a citation without a quote in the source.

use foldhash::{HashMap, HashSet, HashSetExt};
use war_rig_cobol::{BranchKind, OperandKind, ParsedCobol, Verb};
use war_rig_template::is_word;

/// The names in a source.
pub(crate) struct SourceNames {
    known: HashSet<String>,
    /// What statements name in place of a resource: the records of a file, the cursors that are fetched from a table.
    stand_ins: HashMap<String, Vec<String>>,
}

impl SourceNames {
    pub(crate) fn of(parsed: &ParsedCobol) -> Self {
        let mut known = HashSet::new();
        known.extend(parsed.programs.iter().map(|program| program.name.clone()));
        known.extend(parsed.sections.iter().map(|section| section.name.clone()));
        known.extend(parsed.paragraphs.iter().map(|paragraph| paragraph.name.clone()));
        known.extend(parsed.copies.iter().map(|copy| copy.name.clone()));
        // The words of a text end at the point before an extension.
        known.extend(parsed.copies.iter().filter_map(|copy| copy.name.split('.').next()).map(str::to_owned));
        known.extend(parsed.calls.iter().flat_map(|call| call.using.iter().chain([&call.target])).cloned());
        known.extend(parsed.references.iter().flat_map(|of| [&of.target].into_iter().chain(&of.through)).cloned());
        known.extend(parsed.execs.iter().flat_map(|exec| exec.resource.iter().chain(&exec.tables)).cloned());
        // If a DCLGEN is missing, its items occur only in SQL.
        let hosts = parsed.execs.iter().filter_map(|exec| exec.sql.as_ref()).flat_map(|sql| &sql.host_variables);
        known.extend(hosts.filter_map(|host| host.name.rsplit('.').next()).map(str::to_owned));
        known.extend(parsed.files.iter().map(|file| file.name.clone()));
        known.extend(parsed.data_items.iter().filter(|item| item.name != "FILLER").map(|item| item.name.clone()));
        // Names from missing copybooks and names that a compiler supplies occur only in statements. Only verbs with a fully known
        // vocabulary count: the keywords of other verbs would be mistaken for names.
        let tells = |verb: Verb| {
            use Verb::{Add, Call, Compute, Divide, Move, Multiply, Set, String, Subtract, Unstring};
            matches!(verb, Add | Call | Compute | Divide | Move | Multiply | Set | String | Subtract | Unstring)
        };
        let of_statements = parsed.statements.iter().filter(|found| tells(found.verb));
        let of_statements = of_statements.flat_map(|found| parsed.operands(found));
        let asked = parsed.branches.iter().filter(|found| found.kind != BranchKind::Loop);
        let of_conditions = asked.flat_map(|found| parsed.condition_operands(found));
        let names = of_statements.chain(of_conditions).filter(|operand| operand.kind() == OperandKind::Name);
        let names = names.map(|operand| operand.name().to_uppercase()).filter(|name| name.len() > 2);
        let translated = translated(parsed);
        known.extend(names.filter(|name| !translated.contains(name)));
        let supplied = parsed.all_words().iter().filter(|word| is_supplied(word.text));
        known.extend(supplied.map(|word| word.text.to_uppercase()));
        let mut stand_ins: HashMap<String, Vec<String>> =
            parsed.files.iter().map(|file| (file.name.clone(), file.records.clone())).collect();
        for exec in parsed.execs.iter().filter(|exec| exec.command == "FETCH") {
            for table in exec.sql.iter().flat_map(|sql| &sql.tables) {
                stand_ins.entry(table.name.to_uppercase()).or_default().extend(exec.cursor.clone());
            }
        }
        Self { known, stand_ins }
    }

    /// Whether the source has the name, which is in upper case.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.known.contains(name)
    }

    /// Returns the names of the source and the quoted literals in these texts, which a citation can be verified against.
    pub(crate) fn anchors<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let mut anchors = Vec::new();
        let mut add = |anchor: String| {
            if !anchors.contains(&anchor) {
                anchors.push(anchor);
            }
        };
        for text in texts {
            let whole = text.to_uppercase();
            self.stand_ins.get(&whole).into_iter().flatten().cloned().for_each(&mut add);
            if self.known.contains(&whole) {
                add(whole);
            }
            words(text).map(str::to_uppercase).filter(|word| self.known.contains(word)).for_each(&mut add);
            literals(text).map(str::to_owned).for_each(&mut add);
        }
        anchors
    }
}

/// Whether a compiler or translator supplies the name, so no source declares it: SQLCODE, EIBCALEN, DIBSTAT, DFHENTER.
pub(crate) fn is_supplied(word: &str) -> bool {
    let begins = |start: &&str| word.get(..3).is_some_and(|head| head.eq_ignore_ascii_case(start));
    word.len() > 4 && ["SQL", "EIB", "DIB", "DFH"].iter().any(begins)
}

/// What CICS translates to the number of a response or a value that is named behind it: `DFHRESP(NORMAL)`.
pub(crate) const TRANSLATED: [&str; 2] = ["DFHRESP", "DFHVALUE"];

/// Returns the responses and values that a source names so. They are no names of its own.
pub(crate) fn translated(parsed: &ParsedCobol) -> HashSet<String> {
    let words = parsed.all_words();
    let found = words.iter().enumerate().filter(|(_, word)| word.is_any(&TRANSLATED));
    found.filter_map(|(at, _)| Some(words.get(at + 2)?.text.to_uppercase())).collect()
}

/// Returns the words of a text, without hyphens at their ends.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_word(c)).map(|word| word.trim_matches('-')).filter(|word| !word.is_empty())
}

/// Returns the quoted literals of two or more characters: a single character occurs in too many places.
fn literals(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(['\'', '"'])?;
            let quote = char::from(rest.as_bytes()[start]);
            let end = start + 1 + rest[start + 1..].find(quote)?;
            let literal = &rest[start..=end];
            rest = &rest[end + 1..];
            if literal.len() > 3 {
                return Some(literal);
            }
        }
    })
}
