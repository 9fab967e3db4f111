//! Steps, their DDs and their data.

use super::super::dd::announces_data;
use super::super::model::{
    Allocation, Dd, ExecTarget, InStreamData, JclComment, JclOperand, JobStep, SymbolicText, find,
};
use super::super::operands::unquoted;
use super::super::scanner::{JclStatement, RECORD};
use super::super::values::exec_target;
use super::{JclParser, excerpt};
use std::ops::Range;
use war_rig_text::{LineNumber, LineRange, columns};

impl JclParser<'_> {
    pub(super) fn exec(&mut self, statement: &JclStatement) {
        let lines = statement.lines();
        self.head(Some(&statement.name), lines);
        let parameters = self.operands(statement);
        let executes = exec_target(&parameters);
        if executes == ExecTarget::Nothing {
            self.warn("exec-of-nothing", lines.start(), "EXEC names neither a program nor a procedure".to_owned());
        }
        let comments = above_step(self.comments_behind_step(lines), &statement.name);
        let open = self.open(lines);
        open.in_step = true;
        open.body.steps.push(JobStep {
            name: statement.name.clone(),
            executes,
            parameters,
            conditions: open.conditions.clone(),
            dds: Vec::new(),
            comments,
            exec: lines,
            lines,
            file: None,
        });
    }

    pub(super) fn dd(&mut self, statement: &JclStatement) {
        let lines = statement.lines();
        self.head(None, lines);
        let operands = self.operands(statement);
        let (data, end) = self.data(statement, &operands);
        let lines = LineRange::spanning(lines.start(), end);
        let (target, name) = match statement.name.rsplit_once('.') {
            Some((target, name)) => (Some(target.to_owned()), name.to_owned()),
            None => (None, statement.name.clone()),
        };
        let comments = self.comments_of_dd(target.is_some(), lines);
        let allocation = Allocation::of(operands, data, lines, None);
        self.add(Dd { name, target, allocations: vec![allocation], comments, lines, file: None });
    }

    /// Takes the comments above a DD. Above the first DD of a step they are about the step, but for a last one that stands directly above the DD.
    fn comments_of_dd(&mut self, overrides: bool, lines: LineRange) -> Vec<JclComment> {
        let is_apart = self.pending.ends_apart();
        let mut found = self.pending.take();
        let open = self.open(lines);
        let step = open.body.steps.last_mut().filter(|step| open.in_step && step.dds.is_empty() && !overrides);
        if let Some(step) = step {
            let of_dd = if is_apart { None } else { found.pop() };
            step.comments.append(&mut found);
            found.extend(of_dd);
        }
        found
    }

    /// Takes the comments above the EXEC of a step. Of several, the first goes to the step before, if that has no DD and the comment stands
    /// directly behind its EXEC.
    fn comments_behind_step(&mut self, lines: LineRange) -> Vec<JclComment> {
        let begin = self.pending.first_words();
        let mut found = self.pending.take();
        let open = self.open(lines);
        let step = open.body.steps.last_mut().filter(|step| open.in_step && step.dds.is_empty());
        if let Some(step) = step
            && found.len() > 1
            && begin.is_some_and(|begin| step.exec.end().saturating_add(1) == begin)
        {
            step.comments.push(found.remove(0));
        }
        found
    }

    /// Adds a DD. An unnamed one adds its allocation to the previous DD.
    pub(super) fn add(&mut self, dd: Dd) {
        let lines = dd.lines;
        self.reach(lines.end());
        let open = self.open(lines);
        let has_steps = !open.body.steps.is_empty();
        let step = open.body.steps.last_mut().filter(|_| open.in_step);
        let in_step = step.is_some();
        let dds = match step {
            Some(step) => {
                step.lines = LineRange::spanning(step.lines.start(), lines.end());
                &mut step.dds
            }
            None => &mut open.body.dds,
        };
        let mut message = None;
        match dds.last_mut() {
            Some(last) if dd.name.is_empty() => {
                last.lines = LineRange::spanning(last.lines.start(), lines.end());
                last.comments.extend(dd.comments);
                last.allocations.extend(dd.allocations);
            }
            _ => {
                if dd.name.is_empty() {
                    message = Some(("dd-without-name", "the DD has no name, and none before it".to_owned()));
                } else if !in_step && has_steps {
                    message = Some(("dd-without-step", format!("the DD `{}` belongs to no step", excerpt(&dd.name))));
                }
                dds.push(dd);
            }
        }
        if let Some((code, message)) = message {
            self.warn(code, lines.start(), message);
        }
    }

    /// Returns the in-stream data that a statement announces, and the statement's last line.
    pub(super) fn data(
        &mut self,
        statement: &JclStatement,
        operands: &[JclOperand],
    ) -> (Option<InStreamData>, LineNumber) {
        let end = statement.lines().end();
        let announced = match statement.operation.as_str() {
            "XMIT" => {
                let delimiter = find(operands, "DLM").map(|dlm| unquoted(&dlm.value.resolved));
                Some((true, delimiter))
            }
            _ => announces_data(operands),
        };
        let Some((ends_at_jcl, delimiter)) = announced else { return (None, end) };
        let (data, all, closed) = self.cursor.in_stream(delimiter.as_deref(), ends_at_jcl);
        if !closed {
            let delimiter = delimiter.as_deref().unwrap_or("/*");
            let message = format!("no `{}` closes the data that begin here", excerpt(delimiter));
            self.warn("unclosed-data", statement.lines().start(), message);
        }
        let last = LineRange::from_indices(all).map_or(end, LineRange::end);
        (Some(self.in_stream(data)), last)
    }

    pub(super) fn in_stream(&self, data: Range<usize>) -> InStreamData {
        let lines = LineRange::from_indices(data);
        let mut text = String::new();
        for line in lines.into_iter().flat_map(|lines| self.source.lines_in(lines)) {
            text.push_str(columns(line.text(), 0..RECORD).trim_end());
            text.push('\n');
        }
        InStreamData { lines, text: text.into(), is_assumed: false }
    }

    /// Handles lines that are not JCL: after an open step, the system reads them as its SYSIN.
    pub(super) fn stray(&mut self, lines: LineRange) {
        let in_step = match (&self.procedure, &self.job) {
            (Some((_, open)), _) | (None, Some((_, open))) => open.in_step,
            (None, None) => false,
        };
        if !in_step {
            if self.has_jcl || self.job.is_some() {
                self.warn("no-statement", lines.start(), "the line is no statement, and belongs to no data".to_owned());
            }
            return;
        }
        let message = "data stand here without a DD statement, and are taken for SYSIN".to_owned();
        self.warn("data-without-dd", lines.start(), message);
        let indices = lines.indices();
        let operand = JclOperand {
            name: None,
            value: SymbolicText { written: "*".to_owned(), resolved: "*".to_owned() },
            lines,
            file: None,
        };
        let data = self.in_stream(indices);
        let allocation = Allocation::of(vec![operand], Some(data), lines, None);
        self.add(Dd {
            name: "SYSIN".to_owned(),
            target: None,
            allocations: vec![allocation],
            comments: Vec::new(),
            lines,
            file: None,
        });
    }
}

/// Returns which comments are about the step below them: the last one, and the one above it if it begins with the name of the step.
fn above_step(mut comments: Vec<JclComment>, step: &str) -> Vec<JclComment> {
    let last = comments.pop();
    let heading = comments.pop().filter(|comment| comment.is_of_step(step));
    heading.into_iter().chain(last).collect()
}
