//! Assembles statements to jobs and procedures.

mod branches;
mod steps;
#[cfg(test)]
mod tests;
mod units;

use super::comments::PendingComments;
use super::model::{
    IfCondition, Include, JclBody, JclComment, JclOperand, JclSource, JesControl, Job, Procedure, SymbolExport, find,
};
use super::operands::list;
use super::scanner::{JclEntry, JclStatement, StatementFault, StatementScanner};
use super::symbols::Symbols;
use super::values::{parameters, symbols_of};
pub(super) use branches::MOST_CONDITIONS;
use std::ops::Range;
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineNumber, LineRange, SourceText};

/// Parses a source.
pub(super) fn parse_source(source: &SourceText) -> JclSource {
    let mut reader = JclParser {
        source,
        cursor: StatementScanner::new(source),
        found: JclSource { file: source.name().into(), ..JclSource::default() },
        pending: PendingComments::default(),
        job: None,
        procedure: None,
        member: None,
        ended: None,
        has_jcl: false,
    };
    while let Some(entry) = reader.cursor.next() {
        reader.entry(entry);
    }
    reader.finish()
}

struct JclParser<'a> {
    source: &'a SourceText,
    cursor: StatementScanner<'a>,
    found: JclSource,
    pending: PendingComments,
    job: Option<(Job, OpenBody)>,
    procedure: Option<(Procedure, OpenBody)>,
    /// Statements outside of jobs and procedures.
    member: Option<(LineRange, OpenBody)>,
    /// The line where a null statement ended a job.
    ended: Option<LineNumber>,
    has_jcl: bool,
}

/// The statements collected so far.
#[derive(Default)]
struct OpenBody {
    body: JclBody,
    symbols: Symbols,
    conditions: Vec<IfCondition>,
    /// The number of open IFs beyond the maximum depth.
    deeper: usize,
    /// Whether a DD belongs to the last step.
    in_step: bool,
    /// Whether the comments at the head were consumed.
    begun: bool,
}

impl JclParser<'_> {
    fn entry(&mut self, entry: JclEntry) {
        match entry {
            JclEntry::Comment(line, text) => self.pending.push(line, text),
            JclEntry::Jes(line, text) => {
                self.found.controls.push(JesControl { text, lines: LineRange::single(line) });
            }
            JclEntry::Delimiter => {}
            JclEntry::Null(line) => self.end(line),
            JclEntry::Data(lines) => match self.ended.filter(|_| self.job.is_none()) {
                Some(null) => self.extend_unread(null, lines),
                None => self.stray(lines),
            },
            JclEntry::Statement(statement) => {
                self.has_jcl = true;
                self.statement(&statement);
            }
        }
    }

    fn statement(&mut self, statement: &JclStatement) {
        let lines = statement.lines();
        match statement.fault {
            None => {}
            Some(StatementFault::NoContinuation) => {
                self.warn(
                    "missing-continuation",
                    lines.end(),
                    "the operands end with a comma, and no line goes on".to_owned(),
                );
            }
            Some(StatementFault::OpenLiteral) => {
                self.warn("unclosed-literal", lines.end(), "a literal is not closed".to_owned());
            }
            Some(StatementFault::NoThen) => self.warn("if-without-then", lines.start(), "IF has no THEN".to_owned()),
        }
        if statement.operation == "JOB" {
            return self.job(statement);
        }
        if self.job.is_none()
            && let Some(null) = self.ended
        {
            return self.unread(statement, null);
        }
        match statement.operation.as_str() {
            "EXEC" => self.exec(statement),
            "DD" => self.dd(statement),
            "PROC" => self.proc(statement),
            "PEND" => self.pend(statement),
            "SET" => self.set(statement),
            "INCLUDE" => self.include(statement),
            "JCLLIB" => self.jcllib(statement),
            "IF" => self.condition(statement),
            "ELSE" => self.otherwise(statement),
            "ENDIF" => self.endif(statement),
            "EXPORT" => self.export(statement),
            "XMIT" => {
                let operands = self.operands(statement);
                self.data(statement, &operands);
            }
            other if PASSED_OVER.contains(&other) => self.head(None, lines),
            "" => self.warn("unknown-statement", lines.start(), format!("`{}` has no operation", statement.name)),
            other => {
                let message = format!("`{}` is no statement that is known", excerpt(other));
                self.warn("unknown-statement", lines.start(), message);
            }
        }
        self.reach(lines.end());
    }

    /// Returns the open unit: a procedure, else a job, else a member.
    fn open(&mut self, lines: LineRange) -> &mut OpenBody {
        match (&mut self.procedure, &mut self.job) {
            (Some((_, open)), _) | (None, Some((_, open))) => open,
            (None, None) => &mut self.member.get_or_insert_with(|| (lines, OpenBody::default())).1,
        }
    }

    fn reach(&mut self, line: LineNumber) {
        if let (None, None, Some((lines, _))) = (&self.procedure, &self.job, &mut self.member) {
            *lines = LineRange::spanning(lines.start(), line.max(lines.end()));
        }
    }

    /// Assigns the comments at the head of a job or procedure to it: those before its first statement, and those before its first step. Above a step the
    /// last of several comments stays for the step, and so does one that begins with the name of the step, or the only one behind a first statement.
    fn head(&mut self, step: Option<&str>, lines: LineRange) {
        let open = self.open(lines);
        let begun = std::mem::replace(&mut open.begun, true);
        if begun && (step.is_none() || !open.body.steps.is_empty()) {
            return;
        }
        let comments = match (&mut self.procedure, &mut self.job) {
            (Some((procedure, _)), _) => &mut procedure.comments,
            (None, Some((job, _))) => &mut job.comments,
            (None, None) => return,
        };
        let mut found = self.pending.take();
        let mut kept = Vec::new();
        if let Some(step) = step {
            let is_named = |comment: Option<&JclComment>| comment.is_some_and(|comment| comment.is_of_step(step));
            if begun || found.len() > 1 || is_named(found.last()) {
                kept.extend(found.pop());
            }
            if begun && is_named(found.last()) {
                kept.splice(0..0, found.pop());
            }
        }
        comments.extend(found);
        self.pending.restore(kept);
    }

    fn operands(&mut self, statement: &JclStatement) -> Vec<JclOperand> {
        let symbols = &self.open(statement.lines()).symbols;
        parameters(&statement.operands, |part: Range<usize>| statement.lines_of(part), symbols)
    }

    fn set(&mut self, statement: &JclStatement) {
        self.head(None, statement.lines());
        let operands = self.operands(statement);
        let open = self.open(statement.lines());
        for operand in &operands {
            for mut symbol in symbols_of(std::slice::from_ref(operand)) {
                symbol.value.resolved = open.symbols.replace(&symbol.value.resolved);
                open.symbols.set(&symbol.name, symbol.value.resolved.clone());
                open.body.symbols.push(symbol);
            }
        }
    }

    fn export(&mut self, statement: &JclStatement) {
        let lines = statement.lines();
        self.head(None, lines);
        let operands = self.operands(statement);
        let names = find(&operands, "SYMLIST").map(|names| list(&names.value.resolved)).unwrap_or_default();
        self.open(lines).body.exports.push(SymbolExport { names, lines });
    }

    fn include(&mut self, statement: &JclStatement) {
        let lines = statement.lines();
        self.head(None, lines);
        let operands = self.operands(statement);
        let Some(member) = find(&operands, "MEMBER").map(|member| member.value.clone()) else {
            self.warn("include-of-nothing", lines.start(), "INCLUDE names no member".to_owned());
            return;
        };
        let open = self.open(lines);
        let conditions = open.conditions.clone();
        open.body.includes.push(Include { member, conditions, lines });
    }

    fn warn(&mut self, code: &'static str, line: LineNumber, message: String) {
        self.found.diagnostics.push(Diagnostic::warning(code, line, message));
    }
}

/// Statements that do not affect what runs.
const PASSED_OVER: [&str; 16] = [
    "OUTPUT", "CNTL", "ENDCNTL", "COMMAND", "NOTIFY", "SCHEDULE", "JOBGROUP", "ENDGROUP", "GJOB", "JOBSET", "SJOB",
    "ENDSET", "AFTER", "BEFORE", "CONCURRENT", "GROUP",
];

/// Shortens a word for a message.
fn excerpt(word: &str) -> String {
    word.chars().take(40).collect()
}
