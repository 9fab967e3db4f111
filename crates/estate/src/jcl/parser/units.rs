//! Finds where jobs and procedures begin and end.

use super::super::model::{
    ExecTarget, JclBody, JclSource, Job, Procedure, ProcedureKind, SymbolicText, UnreadStatements, find,
};
use super::super::operands::{list, unquoted};
use super::super::scanner::JclStatement;
use super::super::symbols::Symbols;
use super::super::values::{exec_target, parameters, symbols_of};
use super::{JclParser, OpenBody, excerpt};
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineNumber, LineRange};

impl JclParser<'_> {
    pub(super) fn job(&mut self, statement: &JclStatement) {
        self.close_procedure(statement.lines().start().previous(), false);
        self.close_job(statement.lines().start().previous());
        let comments = self.pending.take();
        self.ended = None;
        let card = statement.lines();
        let operands = parameters(&statement.operands, |part| statement.lines_of(part), &Symbols::default());
        let positional = |index: usize| {
            let operand = operands.get(index).filter(|operand| operand.name.is_none())?;
            let text = operand.value.written.as_str();
            let text = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
            Some(unquoted(text)).filter(|text| !text.is_empty())
        };
        let (accounting, programmer) = (positional(0), positional(1));
        let job = Job {
            name: statement.name.clone(),
            accounting,
            programmer,
            parameters: operands,
            libraries: Vec::new(),
            card,
            lines: card,
            comments,
            body: JclBody::default(),
        };
        self.job = Some((job, OpenBody::default()));
    }

    pub(super) fn proc(&mut self, statement: &JclStatement) {
        let lines = statement.lines();
        self.close_procedure(lines.start().previous(), false);
        if self.job.is_some() {
            // If there are several comments above a job's first procedure, the first ones describe the job.
            self.head(Some(""), lines);
        }
        let comments = self.pending.take();
        let mut symbols = match &self.job {
            Some((_, open)) => open.symbols.clone(),
            None => Symbols::default(),
        };
        let mut found = Vec::new();
        // A default may contain symbols that precede it on the card.
        for symbol in symbols_of(&parameters(&statement.operands, |part| statement.lines_of(part), &Symbols::default()))
        {
            let mut symbol = symbol;
            symbol.value.resolved = symbols.replace(&symbol.value.resolved);
            // An empty default requires a value. A procedure parsed on its own shows the symbol's name.
            if !symbol.value.resolved.is_empty() {
                symbols.set(&symbol.name, symbol.value.resolved.clone());
            }
            found.push(symbol);
        }
        let (kind, job) = match &mut self.job {
            Some((_, open)) => {
                open.in_step = false;
                (ProcedureKind::InStream, Some(self.found.jobs.len()))
            }
            None => {
                if let Some((_, open)) = &mut self.member {
                    open.in_step = false;
                }
                (ProcedureKind::Catalogued, None)
            }
        };
        if kind == ProcedureKind::InStream && statement.name.is_empty() {
            self.warn("procedure-without-name", lines.start(), "PROC in a job has no name".to_owned());
        }
        let procedure = Procedure {
            name: Some(statement.name.clone()).filter(|name| !name.is_empty()),
            kind,
            job,
            symbols: found,
            lines,
            comments,
            body: JclBody::default(),
        };
        self.procedure = Some((procedure, OpenBody { symbols, ..OpenBody::default() }));
    }

    pub(super) fn pend(&mut self, statement: &JclStatement) {
        if self.procedure.is_none() {
            self.warn("pend-without-proc", statement.lines().start(), "PEND ends no procedure".to_owned());
        }
        self.close_procedure(Some(statement.lines().end()), true);
    }

    /// Handles a null statement.
    pub(super) fn end(&mut self, line: LineNumber) {
        if self.job.is_none() {
            return;
        }
        self.close_procedure(Some(line), false);
        self.close_job(Some(line));
        self.ended = Some(line);
    }

    /// Notes a statement behind a null statement.
    pub(super) fn unread(&mut self, statement: &JclStatement, null: LineNumber) {
        let lines = statement.lines();
        let operands = parameters(&statement.operands, |_| lines, &Symbols::default());
        let end = match statement.operation.as_str() {
            "DD" | "XMIT" => self.data(statement, &operands).1.max(lines.end()),
            _ => lines.end(),
        };
        self.extend_unread(null, LineRange::spanning(lines.start(), end));
        let Some(unread) = self.found.unread.last_mut() else { return };
        if statement.operation == "EXEC" {
            unread.executed.push(match exec_target(&operands) {
                ExecTarget::Program(name) | ExecTarget::Procedure(name) => name.resolved,
                ExecTarget::Reference(name) => name,
                ExecTarget::Nothing => String::new(),
            });
        }
    }

    /// Notes lines behind a null statement.
    pub(super) fn extend_unread(&mut self, null: LineNumber, lines: LineRange) {
        match self.found.unread.last_mut().filter(|unread| unread.null == null) {
            Some(unread) => unread.lines = LineRange::spanning(unread.lines.start(), lines.end()),
            None => self.found.unread.push(UnreadStatements { null, lines, executed: Vec::new() }),
        }
    }

    pub(super) fn close_procedure(&mut self, end: Option<LineNumber>, pended: bool) {
        let Some((mut procedure, mut open)) = self.procedure.take() else { return };
        let start = procedure.lines.start();
        procedure.lines = LineRange::spanning(start, end.unwrap_or(start).max(procedure.lines.end()));
        let comments = self.pending.take();
        if open.begun {
            open.body.trailing = comments;
        } else {
            procedure.comments.extend(comments);
        }
        if !pended && procedure.kind == ProcedureKind::InStream {
            self.warn("missing-pend", start, "no PEND ends the procedure".to_owned());
        }
        self.unclosed(&open);
        procedure.body = open.body;
        self.found.procedures.push(procedure);
    }

    pub(super) fn close_job(&mut self, end: Option<LineNumber>) {
        let Some((mut job, mut open)) = self.job.take() else { return };
        job.lines = LineRange::spanning(job.card.start(), end.unwrap_or(job.card.end()).max(job.card.end()));
        let comments = self.pending.take();
        if open.begun {
            open.body.trailing = comments;
        } else {
            job.comments.extend(comments);
        }
        self.unclosed(&open);
        if open.body.steps.is_empty() && open.body.includes.is_empty() {
            self.warn("job-without-step", job.card.start(), format!("the job `{}` has no step", excerpt(&job.name)));
        }
        job.body = open.body;
        self.found.jobs.push(job);
    }

    pub(super) fn unclosed(&mut self, open: &OpenBody) {
        if let Some(condition) = open.conditions.last() {
            self.warn("unclosed-if", condition.lines.start(), "no ENDIF ends the IF".to_owned());
        }
    }

    pub(super) fn finish(mut self) -> JclSource {
        let last = self.source.line_range().map(LineRange::end);
        self.close_procedure(last, false);
        self.close_job(last);
        if let Some((lines, mut open)) = self.member.take() {
            open.body.trailing = self.pending.take();
            self.unclosed(&open);
            self.found.procedures.push(Procedure {
                name: None,
                kind: ProcedureKind::Member,
                job: None,
                symbols: Vec::new(),
                lines,
                comments: Vec::new(),
                body: open.body,
            });
        }
        if !self.has_jcl {
            self.found.diagnostics.push(Diagnostic::warning("no-jcl", None, "the source has no JCL statement"));
        }
        // Diagnostics of an unclosed in-stream procedure are added after those of later lines.
        self.found.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
        self.found.procedures.sort_by_key(|procedure| procedure.lines.start());
        self.found
    }

    pub(super) fn jcllib(&mut self, statement: &JclStatement) {
        self.head(None, statement.lines());
        let operands = self.operands(statement);
        let Some((job, _)) = &mut self.job else { return };
        let Some(order) = find(&operands, "ORDER") else { return };
        let written = list(&order.value.written);
        let resolved = list(&order.value.resolved);
        job.libraries
            .extend(written.into_iter().zip(resolved).map(|(written, resolved)| SymbolicText { written, resolved }));
    }
}
