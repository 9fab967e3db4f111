//! Derives the purpose of a program from its facts.

use super::operations::program_named;
use super::{StaticWriter, name_list};
use crate::phrases::{count, list, sentence};
use foldhash::{HashSet, HashSetExt};
use war_rig_cobol::comments::{head_comment, reached_by};
use war_rig_cobol::{
    CallKind, DELETES_FILE, ExecBlock, ExecKind, Operand, OperationStatus, Paragraph, ParagraphHead, Program,
    ProgramCall, Resource, ResourceKind, UserContact, is_dummy_table, move_operands,
};
use war_rig_template::{PartialItem, Purpose};
use war_rig_text::{LineNumber, LineRange, SourceLine};

/// How many consecutive paragraphs are described if control falls from the first into the next.
const FALLEN_INTO: usize = 4;

/// How many return codes are named.
const RETURN_CODES: usize = 4;

impl StaticWriter<'_, '_> {
    /// Writes the purpose in the chunk with the lines that name the first program, or with the first words of what has no name.
    pub(super) fn purpose(&self) -> Option<PartialItem<Purpose>> {
        let parsed = self.reading.parsed;
        let mut citations = match parsed.programs.first().filter(|program| program.is_named) {
            Some(program) => {
                let division = parsed
                    .divisions
                    .iter()
                    .find(|d| d.name == "IDENTIFICATION" && d.program == Some(0) && d.file.is_none());
                self.cite(division.map_or(program.lines, |division| division.lines))
            }
            None => {
                let words = |line: &SourceLine<'_>| line.visible().chars().filter(|c| c.is_alphabetic()).count() >= 3;
                let first = self.facts.file.source.lines().find(words).map_or(LineNumber::FIRST, SourceLine::number);
                self.cite_decision(LineRange::single(first))
            }
        };
        if citations.is_empty() {
            return None;
        }
        let mut sentences = Vec::new();
        if let Some((comment, first)) = head_comment(self.facts.file.source, parsed) {
            // A chunk that begins after the comment does not show it and cannot cite it.
            citations.extend(self.cite_decision(LineRange::single(first)));
            sentences.push(format!("\"{}\" (its own comment)", comment.trim_end_matches('.')));
        }
        for named in reached_by(self.facts.file.source, parsed) {
            citations.extend(self.cite_decision(LineRange::single(named.line)));
            sentences.push(format!("its comment names {} as \"{}\"", name_list(&named.names), named.label));
        }
        sentences.extend(match parsed.programs.first() {
            Some(_) => self.program_sentences(),
            None => vec![self.copybook_sentence()],
        });
        if sentences.is_empty() {
            sentences.extend(parsed.programs.first().map(|program| self.size_in_a_sentence(program)));
        }
        let summary = sentences.iter().map(|text| sentence(text)).collect::<Vec<_>>().join(" ");
        let body = Purpose { summary, program_type: self.program_type(), ..Purpose::default() };
        Some(PartialItem::new(body, citations))
    }

    fn program_sentences(&self) -> Vec<String> {
        let parsed = self.reading.parsed;
        let mut sentences = Vec::new();
        if parsed.programs.len() > 1 {
            let named = parsed.programs.iter().map(|program| match program.nested_in {
                Some(outer) => format!("{} (inside {})", program.name, parsed.programs[outer].name),
                None => program.name.clone(),
            });
            sentences.push(format!(
                "the file holds {} programs: {}",
                parsed.programs.len(),
                list(&named.collect::<Vec<_>>())
            ));
        }
        sentences.extend(self.reads_and_writes(&parsed.programs[0].name));
        sentences.extend(self.calls_in_a_sentence());
        sentences.extend(self.return_codes());
        sentences
    }

    /// Describes a program that says nothing of itself and works with nothing: `CLMX has 2 parameters and 4 paragraphs; it touches no files ...`.
    fn size_in_a_sentence(&self, program: &Program) -> String {
        let parsed = self.reading.parsed;
        let own = parsed.paragraphs.iter().filter(|paragraph| paragraph.program == Some(0) && paragraph.file.is_none());
        let paragraphs = own.filter(|paragraph| paragraph.has_label()).count();
        let sizes = [
            (program.parameters.len(), "parameter"),
            (paragraphs, "paragraph"),
            (parsed.statements.iter().filter(|statement| statement.file.is_none()).count(), "statement"),
        ];
        let sizes: Vec<String> =
            sizes.into_iter().filter(|(number, _)| *number > 0).map(|(number, what)| count(number, what)).collect();
        let name = if program.is_named { &program.name } else { "this program" };
        if sizes.is_empty() {
            return format!("{name} has no statements");
        }
        // EXEC blocks may work with what no resource names.
        let alone = if parsed.execs.is_empty() { "; it touches no files and calls no programs" } else { "" };
        format!("{name} has {}{alone}", list(&sizes))
    }

    /// Describes a source in its own sentences, without marks of their origin.
    pub(super) fn outline_sentences(&self) -> Vec<String> {
        let comment = head_comment(self.facts.file.source, self.reading.parsed);
        let comment = comment.map(|(comment, _)| format!("its own comment: {comment}"));
        let told = match self.reading.parsed.programs.first() {
            Some(program) => [self.reads_and_writes(&program.name), self.calls_in_a_sentence(), self.return_codes()],
            None => [Some(self.copybook_sentence()), None, None],
        };
        comment.into_iter().chain(told.into_iter().flatten().map(|text| sentence(&text))).collect()
    }

    pub(super) fn program_type(&self) -> String {
        let parsed = self.reading.parsed;
        if parsed.programs.is_empty() {
            return "copybook".to_owned();
        }
        let uses = |kind: ExecKind| parsed.execs.iter().any(|exec| exec.kind == kind);
        let base = parsed.programs[0].environment(UserContact::of(parsed, 0, uses(ExecKind::Cics)));
        let calls_ims = parsed.calls.iter().any(|call| matches!(call.target.as_str(), "CBLTDLI" | "AIBTDLI"));
        // What only declares a table is no use of it.
        let is_executed = |exec: &ExecBlock| {
            let is_declaration =
                ["INCLUDE", "DECLARE", "BEGIN", "END", "WHENEVER"].iter().any(|word| exec.command.starts_with(word));
            exec.kind == ExecKind::Sql && !is_declaration
        };
        let database = match (parsed.execs.iter().any(is_executed), uses(ExecKind::Dli) || calls_ims) {
            (true, true) => " SQL and DL/I",
            (true, false) => " SQL",
            (false, true) => " DL/I",
            (false, false) => "",
        };
        format!("{base}{database}")
    }

    /// Describes the data that the program accesses, in one sentence that names the program.
    fn reads_and_writes(&self, program: &str) -> Option<String> {
        let named = |wanted: &dyn Fn(&Resource) -> bool| {
            let mut kinds: Vec<(&'static str, Vec<String>)> = Vec::new();
            let mut seen = HashSet::new();
            let resources = self.reading.resources.iter();
            for resource in resources.filter(|resource| holds_its_data(resource) && wanted(resource)) {
                let kind = match resource.kind {
                    ResourceKind::Database => "DL/I database of PCB",
                    ResourceKind::Messages => "IMS messages of PCB",
                    _ => resource.kind.in_words(),
                };
                if !kinds.iter().any(|(known, _)| *known == kind) {
                    kinds.push((kind, Vec::new()));
                }
                let names = kinds.iter_mut().find(|(known, _)| *known == kind);
                // An item that always holds one name is that name.
                let is_constant = || self.reading.decisions.constant(&resource.name, resource.program).is_some();
                let name = match resource.estate_names.as_slice() {
                    [only] if !matches!(resource.kind, ResourceKind::File(_)) && is_constant() => only,
                    _ => &resource.name,
                };
                if let Some((_, names)) = names.filter(|_| seen.insert((kind, name))) {
                    names.push(name.clone());
                }
            }
            let told = kinds.iter().map(|(kind, names)| match names.as_slice() {
                [one] => format!("the {kind} {one}"),
                several => format!("the {kind}s {}", name_list(several)),
            });
            list(&told.collect::<Vec<_>>())
        };
        // In the order in which each kind of access first occurs.
        let mut ways: Vec<String> = Vec::new();
        for way in self.reading.resources.iter().filter(|found| holds_its_data(found)).map(works_on) {
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        let parts = ways.iter().map(|way| (way, named(&|resource| works_on(resource) == *way)));
        let parts = parts.filter(|(_, names)| !names.is_empty());
        let parts: Vec<String> = parts.map(|(way, names)| format!("{way} {names}")).collect();
        (!parts.is_empty()).then(|| format!("{program} {}", list(&parts)))
    }

    fn calls_in_a_sentence(&self) -> Option<String> {
        let (mut calls, mut passes, mut copied): (Vec<String>, Vec<String>, Vec<String>) = Default::default();
        let (mut told, mut seen) = (HashSet::new(), HashSet::new());
        let reached = self.reading.parsed.calls.iter().filter(|call| !self.is_never_reached(call));
        // What the source itself calls goes before what its copybooks call.
        let (of_copybooks, own): (Vec<&ProgramCall>, Vec<&ProgramCall>) = reached.partition(|call| call.file.is_some());
        for call in own.into_iter().chain(of_copybooks) {
            // Many calls of an item may share their candidates.
            let held = (call.candidates.as_ptr(), call.moved_items.as_ref());
            if !told.insert((call.is_literal, call.program.filter(|_| !call.is_literal), &call.target, held)) {
                continue;
            }
            let name = match (call.is_literal, call.candidates.as_ref()) {
                (true, _) => call.shown().to_owned(),
                (false, [(only, _)]) if self.only_program(call).is_some() => only.clone(),
                (false, _) => program_named(call),
            };
            if seen.insert(name.clone()) {
                let names = match call.kind {
                    CallKind::CicsXctl => &mut passes,
                    _ if call.file.is_some() => &mut copied,
                    _ => &mut calls,
                };
                names.push(name);
            }
        }
        let parts = [("calls", calls), ("passes control to", passes), ("in its copybooks calls", copied)];
        let parts = parts.into_iter().filter(|(_, names)| !names.is_empty());
        let parts: Vec<String> = parts.map(|(verb, names)| format!("{verb} {}", list(&names))).collect();
        (!parts.is_empty()).then(|| format!("it {}", list(&parts)))
    }

    /// Describes the content of a copybook.
    fn copybook_sentence(&self) -> String {
        let parsed = self.reading.parsed;
        let own: Vec<String> =
            parsed.paragraphs.iter().filter(|p| p.has_label() && p.file.is_none()).map(|p| p.name.clone()).collect();
        let level = parsed.data_items.iter().map(|item| item.level).min().unwrap_or(1);
        let records = parsed.data_items.iter().filter(|item| item.level == level && item.name != "FILLER");
        let records: Vec<String> = records
            .map(|item| match item.length.filter(|_| level == 1) {
                Some(length) => {
                    format!("{} ({})", item.name, count(usize::try_from(length).unwrap_or(usize::MAX), "byte"))
                }
                None => item.name.clone(),
            })
            .collect();
        match (own.is_empty(), records.is_empty()) {
            (true, true) => format!("this copybook holds {}", count(parsed.statements.len(), "statement")),
            (true, false) => format!("this copybook describes {}", name_list(&records)),
            (false, _) => format!(
                "this copybook holds the {} {}",
                if own.len() == 1 { "paragraph" } else { "paragraphs" },
                name_list(&own)
            ),
        }
    }

    /// Returns the paragraph at the entry of the first program, and those that control falls into from there.
    pub(super) fn main_line_paragraphs(&self) -> Vec<usize> {
        let parsed = self.reading.parsed;
        let is_own = |paragraph: &Paragraph| paragraph.program == Some(0) && paragraph.file.is_none();
        // Execution begins after DECLARATIVES.
        let before = parsed.programs.first().and_then(|program| program.after_declaratives).unwrap_or(0);
        let own = parsed.paragraphs.get(before..).unwrap_or_default().iter().position(is_own);
        let mut paragraphs = Vec::new();
        let mut next = own.map(|own| before + own);
        while let Some(index) = next.filter(|_| paragraphs.len() < FALLEN_INTO) {
            paragraphs.push(index);
            let goes_on = parsed.paragraphs.get(index + 1).is_some_and(is_own);
            let falls = self.reading.flow.falls_through(index) && !self.reading.performed.contains(&(index + 1));
            next = (goes_on && falls).then_some(index + 1);
        }
        paragraphs
    }

    /// Lists the values that RETURN-CODE is set to, and when.
    fn return_codes(&self) -> Option<String> {
        let parsed = self.reading.parsed;
        let mut told = Vec::new();
        let mut seen = HashSet::new();
        for (statement, found) in parsed.statements.iter().enumerate().filter(|(_, found)| found.file.is_none()) {
            let is_code = |target: &Operand<'_>| target.name().eq_ignore_ascii_case("RETURN-CODE");
            let moved = move_operands(parsed, found).filter(|moved| moved.to.iter().any(is_code));
            let Some(from) = moved.map(|moved| moved.from) else { continue };
            let value =
                if from.is_constant() { from.text().to_owned() } else { format!("the value of {}", from.text()) };
            // The statements of a section stand under its name.
            let place = || {
                let paragraph = &parsed.paragraphs[found.paragraph.filter(|paragraph| *paragraph > 0)?];
                (paragraph.head != ParagraphHead::Division).then_some(paragraph.name.as_str())
            };
            let when = found.branch.map(|at| {
                let branch = &parsed.branches[at];
                match self.reading.outcomes.of_branch(at) {
                    Some(OperationStatus::Failure) => " on a failure".to_owned(),
                    _ => format!(" when {}", self.condition(branch, super::conditions::SHORT)),
                }
            });
            let when = when.or_else(|| self.behind_a_success(statement).then(|| " on a failure".to_owned()));
            let when = when.or_else(|| place().map(|label| format!(" in {label}")));
            let text = format!("{value}{}", when.unwrap_or_default());
            if seen.insert(text.clone()) {
                told.push(text);
            }
        }
        let more = told.len().saturating_sub(RETURN_CODES);
        told.truncate(RETURN_CODES);
        if more > 0 {
            told.push(count(more, "more value"));
        }
        (!told.is_empty()).then(|| format!("it sets the return code to {}", list(&told)))
    }

    /// Returns whether control comes to a statement under no condition only past a check that leaves when an operation succeeded.
    fn behind_a_success(&self, statement: usize) -> bool {
        let checks = self.earlier_checks(statement).leaving;
        checks.iter().any(|branch| self.reading.outcomes.of_branch(*branch) == Some(OperationStatus::Success))
    }
}

/// Whether a resource holds data of its own: the table that only serves to calculate does not.
fn holds_its_data(resource: &Resource) -> bool {
    resource.kind.holds_data() && !(resource.kind == ResourceKind::Table && is_dummy_table(&resource.name))
}

/// Words the access of a program to a resource: `reads`, `reads, changes and deletes from`.
fn works_on(resource: &Resource) -> String {
    let done = resource.accesses;
    let has = |deletion: &str| resource.operations.iter().any(|(operation, _)| operation == deletion);
    let is_whole = has(DELETES_FILE) && !has("DELETE");
    let deletes = if is_whole { "deletes" } else { "deletes from" };
    let ways = [(done.read, "reads"), (done.create, "writes"), (done.update, "changes"), (done.delete, deletes)];
    let ways: Vec<String> = ways.iter().filter(|(is_done, _)| *is_done).map(|(_, way)| (*way).to_owned()).collect();
    match (resource.kind == ResourceKind::Map, ways.is_empty()) {
        (true, false) if done.read && done.create => "works with".to_owned(),
        (_, true) if has("SORT") => "sorts in".to_owned(),
        (_, true) if has("MERGE") => "merges in".to_owned(),
        (_, true) if matches!(resource.kind, ResourceKind::File(_)) => "opens".to_owned(),
        (_, true) if resource.is_read && resource.is_written => "reads and writes".to_owned(),
        (_, true) if resource.is_written => "writes".to_owned(),
        (_, true) => "reads".to_owned(),
        _ => list(&ways),
    }
}
