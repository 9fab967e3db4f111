//! Results of operations that nothing is seen to test.

use super::{FoundHazards, HazardKind};
use crate::access::ConditionHandling;
use crate::analysis::Analysis;
use crate::control_flow::ControlFlowGraph;
use crate::decisions::Decisions;
use crate::model::{BranchKind, ExecKind, FileControl, ParsedCobol, Statement};
use crate::operands::{Operand, OperandPhrase, OperandRole};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet};

/// The SQL statements whose result matters: they read or change rows.
const SQL: [&str; 7] = ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "FETCH", "OPEN"];

/// CICS commands whose failure changes nothing that matters.
const WITHOUT_WEIGHT: [&str; 4] = ["ASKTIME", "FORMATTIME", "ASSIGN", "SEND CONTROL"];

pub(super) fn find(analysis: &Analysis, found: &mut FoundHazards) {
    let parsed = analysis.parsed();
    let checks = analysis.status_checks();
    let reads = StatusReads::of(analysis);
    let tests = (0..parsed.branches.len()).filter(|branch| parsed.branches[*branch].kind != BranchKind::Phrase);
    let tested: HashSet<usize> = tests.flat_map(|branch| checks.checked_operations(branch).iter().copied()).collect();
    // WHENEVER and USE procedures test without a statement of their own.
    let has_whenever = parsed.execs.iter().any(|exec| exec.kind == ExecKind::Sql && exec.command == "WHENEVER");
    for (index, statement) in parsed.statements.iter().enumerate() {
        if statement.file.is_some() || tested.contains(&index) {
            continue;
        }
        let program = statement.program;
        if let Some(exec) = statement.exec {
            let block = &parsed.execs[exec];
            let of = block.resource.as_deref().or(block.tables.first().map(String::as_str));
            let operation = match of {
                Some(of) => format!("{} of {of}", block.command),
                None => block.command.clone(),
            };
            let is_untested = match block.kind {
                ExecKind::Cics => {
                    let handling = analysis.responses().of_exec(exec).map(|response| response.handling);
                    handling == Some(ConditionHandling::NotTested) && !WITHOUT_WEIGHT.contains(&&*block.command)
                }
                ExecKind::Sql => {
                    let asks = SQL.iter().any(|command| block.command.starts_with(command));
                    let status = |name: &str| matches!(name, "SQLCODE" | "SQLSTATE" | "SQLERRD" | "SQLWARN0" | "SQLCA");
                    asks && !has_whenever && !reads.follow(index, &status)
                }
                _ => false,
            };
            if is_untested {
                let item = match block.kind {
                    ExecKind::Sql => "SQLCODE".to_owned(),
                    _ => block.option("RESP").unwrap_or("EIBRESP").trim().to_uppercase(),
                };
                found.add(HazardKind::UntestedStatus { operation, item }, program, statement.own_lines());
            }
            continue;
        }
        if parsed.programs.iter().any(|program| program.after_declaratives.is_some()) {
            continue;
        }
        for file in reads.files_of(statement) {
            let Some(item) = file.status.as_ref() else { continue };
            if !reads.follow(index, &|name| reads.is_about(name, item)) {
                // AT END and INVALID KEY are two failures of many.
                let phrase = analysis.decisions().branches_of(index).first().map(|branch| {
                    let words = parsed.condition(&parsed.branches[*branch]);
                    format!(" (apart from {})", words.text())
                });
                let operation = format!("{} of {}{}", statement.verb, file.name, phrase.unwrap_or_default());
                found.add(HazardKind::UntestedStatus { operation, item: item.clone() }, program, statement.own_lines());
            }
        }
    }
}

/// Where the source reads statuses.
struct StatusReads<'a> {
    parsed: &'a ParsedCobol,
    /// The files by program and name, and by the names of their records.
    files: HashMap<(Option<usize>, String), &'a FileControl>,
    decisions: Decisions<'a>,
    flow: &'a ControlFlowGraph,
    /// The other names of the statuses of files, each with the status: the items above and below it, and its condition names.
    parts: HashMap<String, String>,
    /// The statuses that each paragraph or section names, by its name.
    of_label: HashMap<String, HashSet<String>>,
}

impl<'a> StatusReads<'a> {
    fn of(analysis: &'a Analysis) -> Self {
        let (parsed, decisions) = (analysis.parsed(), analysis.decisions());
        let mut files = HashMap::new();
        for file in &parsed.files {
            for name in file.records.iter().chain([&file.name]) {
                files.entry((file.program, name.to_uppercase())).or_insert(file);
            }
        }
        let statuses: HashSet<String> = parsed.files.iter().filter_map(|file| file.status.clone()).collect();
        let mut parts = HashMap::new();
        for item in &parsed.data_items {
            let mut above = item.parent;
            while let Some(group) = above.map(|index| &parsed.data_items[index]) {
                if statuses.contains(&group.name) {
                    parts.insert(item.name.clone(), group.name.clone());
                }
                if statuses.contains(&item.name) {
                    parts.insert(group.name.clone(), item.name.clone());
                }
                above = group.parent;
            }
        }
        let mut reads =
            Self { parsed, files, decisions, flow: analysis.control_flow(), parts, of_label: HashMap::new() };
        for (index, statement) in parsed.statements.iter().enumerate() {
            let Some(paragraph) = statement.paragraph.map(|at| &parsed.paragraphs[at]) else { continue };
            let is_status = |name: &String| {
                analysis.status_checks().is_status_item(name)
                    || reads.parts.contains_key(name)
                    || name.starts_with("SQL")
            };
            let named: Vec<String> = reads.names(index).filter(is_status).collect();
            if !named.is_empty() {
                reads.of_label.entry(paragraph.name.to_uppercase()).or_default().extend(named.iter().cloned());
                let sections = parsed.sections.iter().filter(|section| {
                    section.program == paragraph.program
                        && section.file.is_none()
                        && section.lines.covers(paragraph.lines)
                });
                for section in sections {
                    reads.of_label.entry(section.name.to_uppercase()).or_default().extend(named.iter().cloned());
                }
            }
        }
        reads
    }

    /// Returns whether a name is that of a status, of a part of it, of its group, or of one of its condition names.
    fn is_about(&self, name: &str, status: &str) -> bool {
        name.eq_ignore_ascii_case(status) || self.parts.get(name).is_some_and(|of| of.eq_ignore_ascii_case(status))
    }

    /// Returns the files that a statement opens, reads or changes.
    fn files_of(&self, statement: &Statement) -> Vec<&'a FileControl> {
        use Verb::{Delete, Open, Read, Rewrite, Start, Write};
        if !matches!(statement.verb, Open | Read | Write | Rewrite | Delete | Start) {
            return Vec::new();
        }
        let is_record = matches!(statement.verb, Write | Rewrite);
        let of_files = self.parsed.operands(statement).filter(|operand| {
            let is_first = operand.phrase() == OperandPhrase::First && !operand.is_inner();
            operand.role() == OperandRole::File || (is_record && is_first)
        });
        let key = |operand: Operand<'_>| (statement.program, operand.name().to_uppercase());
        of_files.filter_map(|operand| self.files.get(&key(operand)).copied()).collect()
    }

    /// Returns the words of a statement and of its conditions, in upper case.
    fn names(&self, statement: usize) -> impl Iterator<Item = String> + '_ {
        let own = self.parsed.words(&self.parsed.statements[statement]).iter();
        let branches = self.decisions.branches_of(statement).iter();
        let conditions = branches.flat_map(|branch| self.parsed.condition(&self.parsed.branches[*branch]).iter());
        own.chain(conditions).map(|word| word.text.to_uppercase())
    }

    /// Returns whether the program reads a status after an operation and before the next one of its paragraph, there or in a paragraph that
    /// control goes to meanwhile.
    fn follow(&self, operation: usize, is_status: &dyn Fn(&str) -> bool) -> bool {
        let statements = &self.parsed.statements;
        let own = &statements[operation];
        let is_operation = |next: &Statement| match next.exec {
            Some(exec) => own.exec.is_some() && self.parsed.execs[exec].kind == ExecKind::Sql,
            None => self.files_of(next).iter().any(|file| file.status.as_deref().is_some_and(is_status)),
        };
        for (index, next) in statements.iter().enumerate().skip(operation + 1) {
            if is_operation(next) {
                return false;
            }
            if next.paragraph != own.paragraph {
                // Control may fall into the next paragraph.
                let falls = own.paragraph.is_some_and(|paragraph| self.flow.falls_through(paragraph));
                let label = next.paragraph.map(|at| self.parsed.paragraphs[at].name.to_uppercase());
                let named = label.and_then(|label| self.of_label.get(&label)).filter(|_| falls);
                return named.is_some_and(|named| named.iter().any(|name| is_status(name)));
            }
            if self.names(index).any(|name| is_status(&name)) {
                return true;
            }
            let goes = matches!(next.verb, Verb::Perform | Verb::Go);
            let labels = self.parsed.words_after_verb(next).iter().filter(|_| goes);
            let reads = |label: &str| {
                self.of_label.get(&label.to_uppercase()).is_some_and(|named| named.iter().any(|name| is_status(name)))
            };
            if labels.into_iter().any(|word| reads(word.text)) {
                return true;
            }
        }
        false
    }
}
