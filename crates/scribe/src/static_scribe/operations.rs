//! Calls, copybooks, embedded commands, and what they leave open.

use super::conditions::SHORT;
use super::{Writer, name_list};
use crate::phrases::{exec_phrase, list, sentence};
use war_rig_cobol::{BranchKind, Call, Exec, ExecKind, Outcome};
use war_rig_template::{
    BlockCitation, PartialCall, PartialCics, PartialCopybook, PartialQuestion, PartialSql,
};
use war_rig_text::LineRange;

/// What the callable services of the run-time systems do, of those that programs call most. Sources: IBM z/OS Language Environment
/// Programming Reference; IBM MQ, MQI calls; IMS application programming, DL/I calls; Db2 for z/OS, DSNTIAR.
const SYSTEM_PROGRAMS: &[(&str, &str)] = &[
    ("AIBTDLI", "IMS: a DL/I call."),
    ("CBLTDLI", "IMS: a DL/I call."),
    ("CEE3ABD", "Language Environment: ends the program with an abend."),
    ("CEE3DMP", "Language Environment: writes a dump."),
    ("CEEDATE", "Language Environment: turns a Lilian day into a date."),
    ("CEEDAYS", "Language Environment: turns a date into a Lilian day, and so checks it."),
    ("CEELOCT", "Language Environment: the local time."),
    ("CEEMSG", "Language Environment: writes the message of a condition."),
    ("DSNTIAR", "Db2: turns the SQLCA into a message."),
    ("ILBOABN0", "Run-time library: ends the program with an abend."),
    ("MQCLOSE", "MQ: closes an object."),
    ("MQCONN", "MQ: connects to a queue manager."),
    ("MQDISC", "MQ: disconnects from the queue manager."),
    ("MQGET", "MQ: takes a message from a queue."),
    ("MQOPEN", "MQ: opens an object."),
    ("MQPUT", "MQ: puts a message on a queue."),
    ("MQPUT1", "MQ: puts one message on a queue."),
];

fn system_program(name: &str) -> Option<&'static str> {
    SYSTEM_PROGRAMS.iter().find(|(known, _)| *known == name).map(|(_, what)| *what)
}

/// How many of the values of a dynamic call are named before they are only counted.
const CANDIDATES_NAMED: usize = 20;

impl<'a> Writer<'_, 'a> {
    pub(super) fn calls(&self) -> Vec<PartialCall> {
        let mut calls = Vec::new();
        for call in self.reading.parsed.calls.iter().filter(|call| call.file.is_none()) {
            let citations = self.cite(call.lines);
            if citations.is_empty() {
                continue;
            }
            calls.push(PartialCall {
                program_name: call.target.clone(),
                call_type: call.kind.as_str().to_owned(),
                purpose: self.called(call),
                citations,
            });
        }
        calls
    }

    /// In which paragraph and under which condition a call is made, and what the program is where it belongs to the run-time system.
    fn called(&self, call: &Call) -> String {
        let parsed = self.reading.parsed;
        let from = match call.paragraph {
            Some(paragraph) => format!("in {}", parsed.paragraphs[paragraph].name),
            None => "in the main line".to_owned(),
        };
        let branch = call.statement.and_then(|index| parsed.statements[index].branch);
        let when = branch.map(|at| match self.reading.outcomes.of_branch(at) {
            Some(Outcome::Failure) => ", when something failed".to_owned(),
            _ => match parsed.branches[at].kind {
                BranchKind::Loop => ", again and again".to_owned(),
                _ => format!(", when {}", self.condition(&parsed.branches[at], SHORT)),
            },
        });
        let known = system_program(&call.target).filter(|_| call.is_literal);
        let known = known.map(|what| format!(" {what}")).unwrap_or_default();
        format!("{}{known}", sentence(&format!("{from}{}", when.unwrap_or_default())))
    }

    pub(super) fn copybooks(&self) -> Vec<PartialCopybook> {
        let mut copybooks = Vec::new();
        for copy in self.reading.parsed.copies.iter().filter(|copy| copy.file.is_none()) {
            let citations = self.cite(copy.lines);
            if citations.is_empty() {
                continue;
            }
            let brought = copy.resolved.as_deref().and_then(|file| self.reading.brought.get(file));
            let records: Vec<String> = brought.into_iter().flatten().map(|name| (*name).clone()).collect();
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
        self.reading
            .parsed
            .execs
            .iter()
            .filter(move |exec| exec.kind == kind && exec.file.is_none() && exec.command != "INCLUDE")
            .filter_map(|exec| {
                let citations = self.cite(exec.lines);
                let place = exec
                    .paragraph
                    .map(|paragraph| format!(" in {}", self.reading.parsed.paragraphs[paragraph].name))
                    .unwrap_or_default();
                (!citations.is_empty())
                    .then(|| (exec, sentence(&format!("{}{place}", exec_phrase(exec))), citations))
            })
    }

    pub(super) fn questions(&self) -> Vec<PartialQuestion> {
        let mut questions = Vec::new();
        for call in self.reading.parsed.calls.iter().filter(|call| !call.is_literal && call.file.is_none()) {
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
        for copy in
            self.reading.parsed.copies.iter().filter(|copy| copy.resolved.is_none() && copy.file.is_none())
        {
            let context =
                "It is not among the sources, so what it defines is not documented here.".to_owned();
            questions.push((copy.lines, format!("What does copybook {} hold?", copy.name), context));
        }
        for (index, reference) in self.reading.parsed.references.iter().enumerate() {
            if self.reading.flow.target(index).is_none() && reference.file.is_none() {
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
