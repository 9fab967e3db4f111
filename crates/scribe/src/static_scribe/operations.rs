//! Calls, copybooks, embedded commands, and what they leave open.

use super::{Writer, name_list};
use crate::phrases::{exec_phrase, list, sentence};
use std::collections::BTreeSet;
use war_rig_cobol::{CallKind, Exec, ExecKind};
use war_rig_template::{
    BlockCitation, PartialCall, PartialCics, PartialCopybook, PartialQuestion, PartialSql,
};
use war_rig_text::LineRange;

/// How many of the values of a dynamic call are named before they are only counted.
const CANDIDATES_NAMED: usize = 20;

impl<'a> Writer<'_, 'a> {
    pub(super) fn calls(&self) -> Vec<PartialCall> {
        let mut calls = Vec::new();
        for call in self.parsed.calls.iter().filter(|call| call.file.is_none()) {
            let citations = self.cite(call.lines);
            if citations.is_empty() {
                continue;
            }
            let from = call
                .paragraph
                .map(|paragraph| format!(" in {}", self.parsed.paragraphs[paragraph].name))
                .unwrap_or_default();
            let with =
                if call.using.is_empty() { String::new() } else { format!(" with {}", list(&call.using)) };
            let how = match call.kind {
                CallKind::Static => "Called",
                CallKind::Dynamic => "Called by the name in this item",
                CallKind::CicsLink => "Linked to",
                CallKind::CicsXctl => "Control passed on (XCTL)",
            };
            calls.push(PartialCall {
                program_name: call.target.clone(),
                call_type: call.kind.as_str().to_owned(),
                purpose: format!("{how}{from}{with}."),
                citations,
            });
        }
        calls
    }

    pub(super) fn copybooks(&self) -> Vec<PartialCopybook> {
        let mut copybooks = Vec::new();
        for copy in self.parsed.copies.iter().filter(|copy| copy.file.is_none()) {
            let citations = self.cite(copy.lines);
            if citations.is_empty() {
                continue;
            }
            let of_copybook = self
                .parsed
                .data_items
                .iter()
                .filter(|item| item.level == 1 && item.file.is_some() && item.file == copy.resolved);
            let records: BTreeSet<&String> = of_copybook.map(|item| &item.name).collect();
            let records: Vec<String> = records.into_iter().cloned().collect();
            let others = match copy.passed_over.as_slice() {
                [] => String::new(),
                others => format!(" (other files of that name differ: {})", name_list(others)),
            };
            let purpose = match (&copy.resolved, records.is_empty()) {
                (None, _) => "Not among the sources.".to_owned(),
                (Some(file), true) => format!("Copied from {file}{others}."),
                (Some(file), false) => format!("Copied from {file}{others}; brings {}.", name_list(&records)),
            };
            copybooks.push(PartialCopybook { copybook_name: copy.name.clone(), purpose, citations });
        }
        copybooks
    }

    pub(super) fn sql(&self) -> Vec<PartialSql> {
        self.execs(ExecKind::Sql)
            .map(|(exec, purpose, citations)| PartialSql {
                operation: exec.command.clone(),
                table: exec.resource.clone(),
                purpose,
                citations,
            })
            .collect()
    }

    pub(super) fn cics(&self) -> Vec<PartialCics> {
        self.execs(ExecKind::Cics)
            .map(|(exec, purpose, citations)| PartialCics {
                command: exec.command.clone(),
                resource: exec.resource.clone(),
                purpose,
                citations,
            })
            .collect()
    }

    fn execs(&self, kind: ExecKind) -> impl Iterator<Item = (&'a Exec, String, Vec<BlockCitation>)> + '_ {
        self.parsed.execs.iter().filter(move |exec| exec.kind == kind && exec.file.is_none()).filter_map(
            |exec| {
                let citations = self.cite(exec.lines);
                let place = exec
                    .paragraph
                    .map(|paragraph| format!(" in {}", self.parsed.paragraphs[paragraph].name))
                    .unwrap_or_default();
                (!citations.is_empty())
                    .then(|| (exec, sentence(&format!("{}{place}", exec_phrase(exec))), citations))
            },
        )
    }

    pub(super) fn questions(&self) -> Vec<PartialQuestion> {
        let mut questions = Vec::new();
        for call in self.parsed.calls.iter().filter(|call| !call.is_literal && call.file.is_none()) {
            if self.facts.cite(call.lines).is_none() {
                continue;
            }
            let named = call
                .candidates
                .iter()
                .take(CANDIDATES_NAMED)
                .map(|(name, line)| format!("{name} (line {line})"));
            let mut values: Vec<String> = named.collect();
            if call.candidates.len() > CANDIDATES_NAMED {
                values.push(format!("{} more", call.candidates.len() - CANDIDATES_NAMED));
            }
            let context = if values.is_empty() {
                "No literal is moved to it in this program.".to_owned()
            } else {
                format!("Values moved to it here: {}.", list(&values))
            };
            questions.push((
                call.lines,
                format!("Which programs can {} name when it is called?", call.target),
                context,
            ));
        }
        for copy in self.parsed.copies.iter().filter(|copy| copy.resolved.is_none() && copy.file.is_none()) {
            let context =
                "It is not among the sources, so what it defines is not documented here.".to_owned();
            questions.push((copy.lines, format!("What does copybook {} hold?", copy.name), context));
        }
        for (index, reference) in self.parsed.references.iter().enumerate() {
            if self.facts.flow.target(index).is_none() && reference.file.is_none() {
                let context =
                    "No paragraph or section of that name was found; a copybook that is missing may hold it."
                        .to_owned();
                questions.push((
                    LineRange::single(reference.line),
                    format!("Where is {}?", reference.target),
                    context,
                ));
            }
        }
        questions
            .into_iter()
            .filter_map(|(lines, question, context)| {
                let citations = self.cite(lines);
                (!citations.is_empty()).then_some(PartialQuestion {
                    question,
                    context: Some(context),
                    suggestion: None,
                    citations,
                })
            })
            .collect()
    }
}
