//! Statements to jobs and procedures.

use super::comments::Pending;
use super::dd::announces_data;
use super::model::{
    Allocation, Body, Condition, Dd, Executes, InStream, Include, JclSource, JesControl, Job, Parameter,
    Procedure, ProcedureKind, Step, Symbolic,
};
use super::operands::{list, unquoted};
use super::statement::{Cursor, Entry, Fault, RECORD, Statement, columns};
use super::symbols::Symbols;
use super::values::{executes, parameters, symbols_of};
use std::ops::Range;
use war_rig_cobol::{Diagnostic, Severity};
use war_rig_text::{LineNumber, LineRange, SourceText};

/// How deep IF may nest, as the system has it.
const MOST_CONDITIONS: usize = 15;

/// Reads a source.
pub(super) fn source(source: &SourceText) -> JclSource {
    let mut reader = Reader {
        source,
        cursor: Cursor::new(source),
        found: JclSource { file: source.name().into(), ..JclSource::default() },
        pending: Pending::default(),
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

struct Reader<'a> {
    source: &'a SourceText,
    cursor: Cursor<'a>,
    found: JclSource,
    pending: Pending,
    job: Option<(Job, Open)>,
    procedure: Option<(Procedure, Open)>,
    /// What stands outside of jobs and procedures.
    member: Option<(LineRange, Open)>,
    /// Where a null statement has ended a job, and whether statements behind it have been told of.
    ended: Option<(LineNumber, bool)>,
    has_jcl: bool,
}

/// The statements that are being gathered.
#[derive(Default)]
struct Open {
    body: Body,
    symbols: Symbols,
    conditions: Vec<Condition>,
    /// How many IFs stand open beyond those that are kept.
    deeper: usize,
    /// Whether a DD belongs to the last step.
    in_step: bool,
    /// Whether the comments at the head have been taken.
    begun: bool,
}

impl Reader<'_> {
    fn entry(&mut self, entry: Entry) {
        match entry {
            Entry::Comment(line, text) => self.pending.push(line, text),
            Entry::Jes(line, text) => {
                self.found.controls.push(JesControl { text, lines: LineRange::single(line) });
            }
            Entry::Delimiter => {}
            Entry::Null(line) => self.end(line),
            Entry::Data(lines) => self.stray(lines),
            Entry::Statement(statement) => {
                self.has_jcl = true;
                self.statement(&statement);
            }
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let lines = statement.lines();
        match statement.fault {
            None => {}
            Some(Fault::NoContinuation) => {
                self.warn(
                    "missing-continuation",
                    lines.end(),
                    "the operands end with a comma, and no line goes on".to_owned(),
                );
            }
            Some(Fault::OpenLiteral) => {
                self.warn("unclosed-literal", lines.end(), "a literal is not closed".to_owned());
            }
            Some(Fault::NoThen) => self.warn("if-without-then", lines.start(), "IF has no THEN".to_owned()),
        }
        if statement.operation == "JOB" {
            return self.job(statement);
        }
        if self.job.is_none()
            && let Some((null, told)) = &mut self.ended
        {
            let message = format!("what stands behind the null statement on line {null} belongs to no job");
            if !std::mem::replace(told, true) {
                self.warn("behind-the-end", lines.start(), message);
            }
            if matches!(statement.operation.as_str(), "DD" | "XMIT") {
                self.data(statement, &parameters(&statement.operands, |_| lines, &Symbols::default()));
            }
            return;
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
            "XMIT" => {
                let operands = self.operands(statement);
                self.data(statement, &operands);
            }
            other if PASSED_OVER.contains(&other) => self.head(false, lines),
            "" => self.warn(
                "unknown-statement",
                lines.start(),
                format!("`{}` has no operation", statement.name),
            ),
            other => {
                let message = format!("`{}` is no statement that is known", excerpt(other));
                self.warn("unknown-statement", lines.start(), message);
            }
        }
        self.reach(lines.end());
    }

    /// What is being gathered: a procedure, else a job, else a member.
    fn open(&mut self, lines: LineRange) -> &mut Open {
        match (&mut self.procedure, &mut self.job) {
            (Some((_, open)), _) | (None, Some((_, open))) => open,
            (None, None) => &mut self.member.get_or_insert_with(|| (lines, Open::default())).1,
        }
    }

    fn reach(&mut self, line: LineNumber) {
        if let (None, None, Some((lines, _))) = (&self.procedure, &self.job, &mut self.member) {
            *lines = LineRange::spanning(lines.start(), line.max(lines.end()));
        }
    }

    /// Gives the comments at the head of a job or procedure to it, before its first statement is taken in. Where that is a step, the last
    /// of several stays for the step.
    fn head(&mut self, is_step: bool, lines: LineRange) {
        if std::mem::replace(&mut self.open(lines).begun, true) {
            return;
        }
        let comments = match (&mut self.procedure, &mut self.job) {
            (Some((procedure, _)), _) => &mut procedure.comments,
            (None, Some((job, _))) => &mut job.comments,
            (None, None) => return,
        };
        let mut found = self.pending.take();
        let kept = if is_step && found.len() > 1 { found.pop() } else { None };
        comments.extend(found);
        if let Some(kept) = kept {
            self.pending.restore(kept);
        }
    }

    fn operands(&mut self, statement: &Statement) -> Vec<Parameter> {
        let symbols = &self.open(statement.lines()).symbols;
        parameters(&statement.operands, |part: Range<usize>| statement.lines_of(part), symbols)
    }

    fn job(&mut self, statement: &Statement) {
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
            body: Body::default(),
        };
        self.job = Some((job, Open::default()));
    }

    fn exec(&mut self, statement: &Statement) {
        let lines = statement.lines();
        self.head(true, lines);
        let parameters = self.operands(statement);
        let executes = executes(&parameters);
        if executes == Executes::Nothing {
            self.warn(
                "exec-of-nothing",
                lines.start(),
                "EXEC names neither a program nor a procedure".to_owned(),
            );
        }
        let comments = self.pending.take();
        let open = self.open(lines);
        open.in_step = true;
        open.body.steps.push(Step {
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

    fn dd(&mut self, statement: &Statement) {
        let lines = statement.lines();
        self.head(false, lines);
        let operands = self.operands(statement);
        let (data, end) = self.data(statement, &operands);
        let lines = LineRange::spanning(lines.start(), end);
        let comments = self.pending.take();
        let (target, name) = match statement.name.rsplit_once('.') {
            Some((target, name)) => (Some(target.to_owned()), name.to_owned()),
            None => (None, statement.name.clone()),
        };
        let allocation = Allocation::of(operands, data, lines, None);
        self.add(Dd { name, target, allocations: vec![allocation], comments, lines, file: None });
    }

    /// Adds a DD, or its allocation to the DD before it where it has no name.
    fn add(&mut self, dd: Dd) {
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
                    message = Some((
                        "dd-without-step",
                        format!("the DD `{}` belongs to no step", excerpt(&dd.name)),
                    ));
                }
                dds.push(dd);
            }
        }
        if let Some((code, message)) = message {
            self.warn(code, lines.start(), message);
        }
    }

    /// The in-stream data that a statement announces, and the last line that belongs to the statement.
    fn data(&mut self, statement: &Statement, operands: &[Parameter]) -> (Option<InStream>, LineNumber) {
        let end = statement.lines().end();
        let announced = match statement.operation.as_str() {
            "XMIT" => {
                let delimiter = super::model::find(operands, "DLM").map(|dlm| unquoted(&dlm.value.resolved));
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

    fn in_stream(&self, data: Range<usize>) -> InStream {
        let lines = LineRange::from_indices(data);
        let mut text = String::new();
        for line in lines.into_iter().flat_map(|lines| self.source.lines_of(lines)) {
            text.push_str(columns(line.text(), 0..RECORD).trim_end());
            text.push('\n');
        }
        InStream { lines, text: text.into() }
    }

    /// Lines that are no JCL: where a step is open, the system takes them for its SYSIN.
    fn stray(&mut self, lines: LineRange) {
        let in_step = match (&self.procedure, &self.job) {
            (Some((_, open)), _) | (None, Some((_, open))) => open.in_step,
            (None, None) => false,
        };
        if !in_step {
            if self.has_jcl || self.job.is_some() {
                self.warn(
                    "no-statement",
                    lines.start(),
                    "the line is no statement, and belongs to no data".to_owned(),
                );
            }
            return;
        }
        let message = "data stand here without a DD statement, and are taken for SYSIN".to_owned();
        self.warn("data-without-dd", lines.start(), message);
        let indices = lines.indices();
        let operand = Parameter {
            name: None,
            value: Symbolic { written: "*".to_owned(), resolved: "*".to_owned() },
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

    fn proc(&mut self, statement: &Statement) {
        let lines = statement.lines();
        self.close_procedure(lines.start().previous(), false);
        if self.job.is_some() {
            // What stands above the first procedure of a job is told of the job where it is more than one comment.
            self.head(true, lines);
        }
        let comments = self.pending.take();
        let mut symbols = match &self.job {
            Some((_, open)) => open.symbols.clone(),
            None => Symbols::default(),
        };
        let mut found = Vec::new();
        // A default may be made of symbols that stand before it on the card.
        for symbol in
            symbols_of(&parameters(&statement.operands, |part| statement.lines_of(part), &Symbols::default()))
        {
            let mut symbol = symbol;
            symbol.value.resolved = symbols.replace(&symbol.value.resolved);
            // An empty default asks for a value. Read on its own, the procedure shows the symbol's name.
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
            body: Body::default(),
        };
        self.procedure = Some((procedure, Open { symbols, ..Open::default() }));
    }

    fn pend(&mut self, statement: &Statement) {
        if self.procedure.is_none() {
            self.warn("pend-without-proc", statement.lines().start(), "PEND ends no procedure".to_owned());
        }
        self.close_procedure(Some(statement.lines().end()), true);
    }

    fn set(&mut self, statement: &Statement) {
        self.head(false, statement.lines());
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

    fn include(&mut self, statement: &Statement) {
        let lines = statement.lines();
        self.head(false, lines);
        let operands = self.operands(statement);
        let Some(member) = super::model::find(&operands, "MEMBER").map(|member| member.value.clone()) else {
            self.warn("include-of-nothing", lines.start(), "INCLUDE names no member".to_owned());
            return;
        };
        let open = self.open(lines);
        let conditions = open.conditions.clone();
        open.body.includes.push(Include { member, conditions, lines });
    }

    fn jcllib(&mut self, statement: &Statement) {
        self.head(false, statement.lines());
        let operands = self.operands(statement);
        let Some((job, _)) = &mut self.job else { return };
        let Some(order) = super::model::find(&operands, "ORDER") else { return };
        let written = list(&order.value.written);
        let resolved = list(&order.value.resolved);
        job.libraries.extend(
            written.into_iter().zip(resolved).map(|(written, resolved)| Symbolic { written, resolved }),
        );
    }

    fn condition(&mut self, statement: &Statement) {
        let lines = statement.lines();
        self.head(true, lines);
        let open = self.open(lines);
        if open.conditions.len() == MOST_CONDITIONS {
            open.deeper += 1;
            return self.warn("deep-if", lines.start(), format!("IF nests deeper than {MOST_CONDITIONS}"));
        }
        open.conditions.push(Condition { text: statement.operands.clone(), holds: true, lines, file: None });
    }

    fn otherwise(&mut self, statement: &Statement) {
        let open = self.open(statement.lines());
        if open.deeper > 0 {
            return;
        }
        match open.conditions.last_mut().filter(|condition| condition.holds) {
            Some(condition) => condition.holds = false,
            None => {
                self.warn("else-without-if", statement.lines().start(), "ELSE belongs to no IF".to_owned())
            }
        }
    }

    fn endif(&mut self, statement: &Statement) {
        let open = self.open(statement.lines());
        if open.deeper > 0 {
            open.deeper -= 1;
        } else if open.conditions.pop().is_none() {
            self.warn("endif-without-if", statement.lines().start(), "ENDIF ends no IF".to_owned());
        }
    }

    /// A null statement.
    fn end(&mut self, line: LineNumber) {
        if self.job.is_none() {
            return;
        }
        self.close_procedure(Some(line), false);
        self.close_job(Some(line));
        self.ended = Some((line, false));
    }

    fn close_procedure(&mut self, end: Option<LineNumber>, pended: bool) {
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

    fn close_job(&mut self, end: Option<LineNumber>) {
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
            self.warn(
                "job-without-step",
                job.card.start(),
                format!("the job `{}` has no step", excerpt(&job.name)),
            );
        }
        job.body = open.body;
        self.found.jobs.push(job);
    }

    fn unclosed(&mut self, open: &Open) {
        if let Some(condition) = open.conditions.last() {
            self.warn("unclosed-if", condition.lines.start(), "no ENDIF ends the IF".to_owned());
        }
    }

    fn finish(mut self) -> JclSource {
        let last = self.source.all_lines().map(LineRange::end);
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
            let message = "the source has no JCL statement".to_owned();
            self.found.diagnostics.push(Diagnostic {
                severity: Severity::Warning,
                code: "no-jcl",
                line: None,
                message,
            });
        }
        // Where a procedure in a job's stream is not closed, what is said of it comes after what is said of later lines.
        self.found.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
        self.found.procedures.sort_by_key(|procedure| procedure.lines.start());
        self.found
    }

    fn warn(&mut self, code: &'static str, line: LineNumber, message: String) {
        self.found.diagnostics.push(Diagnostic {
            severity: Severity::Warning,
            code,
            line: Some(line),
            message,
        });
    }
}

/// Statements that say nothing of what runs.
const PASSED_OVER: [&str; 17] = [
    "OUTPUT",
    "CNTL",
    "ENDCNTL",
    "COMMAND",
    "EXPORT",
    "NOTIFY",
    "SCHEDULE",
    "JOBGROUP",
    "ENDGROUP",
    "GJOB",
    "JOBSET",
    "SJOB",
    "ENDSET",
    "AFTER",
    "BEFORE",
    "CONCURRENT",
    "GROUP",
];

/// Enough of a word for a message.
fn excerpt(word: &str) -> String {
    word.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::ReadOptions;

    fn read(text: &str) -> JclSource {
        source(&SourceText::read("T.jcl", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap())
    }

    /// The outline of a source: each job and procedure with its steps, their DDs and lines; then the diagnostics.
    fn check(text: &str, expected: &[&str]) {
        let found = read(text);
        let mut rows: Vec<(LineNumber, String)> = Vec::new();
        let body = |body: &Body| {
            let dd = |dd: &Dd| {
                let target = dd.target.as_ref().map(|target| format!("{target}.")).unwrap_or_default();
                format!("{target}{}*{} {}", dd.name, dd.allocations.len(), dd.lines)
            };
            let step = |step: &Step| {
                let what = step.program().or(step.procedure()).unwrap_or("?");
                let dds: Vec<String> = step.dds.iter().map(dd).collect();
                let conditions: Vec<String> = step
                    .conditions
                    .iter()
                    .map(|c| format!("{}{}", if c.holds { "" } else { "not " }, c.text))
                    .collect();
                let conditions = conditions.iter().map(|c| format!(" if {c}")).collect::<String>();
                format!("; {}={what} {}{conditions} [{}]", step.name, step.lines, dds.join(", "))
            };
            let own: String = body.dds.iter().map(|own| format!(" {}", dd(own))).collect();
            own + &body.steps.iter().map(step).collect::<String>()
        };
        for job in &found.jobs {
            rows.push((job.lines.start(), format!("job {} {}{}", job.name, job.lines, body(&job.body))));
        }
        for procedure in &found.procedures {
            let name = procedure.name.as_deref().unwrap_or("-");
            let kind = procedure.kind.as_str();
            rows.push((
                procedure.lines.start(),
                format!("{kind} {name} {}{}", procedure.lines, body(&procedure.body)),
            ));
        }
        rows.sort();
        let mut rows: Vec<String> = rows.into_iter().map(|(_, row)| row).collect();
        let line = |d: &Diagnostic| d.line.map_or(0, LineNumber::get);
        rows.extend(found.diagnostics.iter().map(|d| format!("{} {}", d.code, line(d))));
        assert_eq!(rows, expected, "{text}");
    }

    #[test]
    fn jobs_end_at_null_statements_and_at_the_next_card() {
        check(
            "//A JOB (1)\n//S EXEC PGM=X\n//\n//B JOB\n//S EXEC PGM=Y\n//C JOB\n//T EXEC Z\n",
            &["job A 1-3; S=X 2 []", "job B 4-5; S=Y 5 []", "job C 6-7; T=Z 7 []"],
        );
        check(
            "//A JOB\n//S EXEC PGM=X\n//\n//T EXEC PGM=Y\n//D DD *\n//B JOB\n/*\n",
            &["job A 1-3; S=X 2 []", "job B 6-7", "behind-the-end 4", "job-without-step 6"],
        );
    }

    #[test]
    fn the_card_names_account_programmer_and_libraries() {
        let found = read(
            "//A JOB (4711,'POL,X'),'O''NEIL',CLASS=B,\n// RESTART=S2,COND=(4,LT)\n//P JCLLIB ORDER=('A.B',&H..C)\n//S EXEC PGM=X\n",
        );
        let job = &found.jobs[0];
        assert_eq!(job.accounting.as_deref(), Some("4711,'POL,X'"));
        assert_eq!(job.programmer.as_deref(), Some("O'NEIL"));
        assert_eq!(job.parameter("RESTART").unwrap().value.resolved, "S2");
        assert_eq!(job.parameter("COND").unwrap().lines.to_string(), "2");
        let libraries: Vec<&str> = job.libraries.iter().map(|library| library.resolved.as_str()).collect();
        assert_eq!(libraries, ["A.B", "&H..C"]);
        let bare = &read("//A JOB ,SMITH\n").jobs[0];
        assert_eq!((bare.accounting.as_deref(), bare.programmer.as_deref()), (None, Some("SMITH")));
    }

    #[test]
    fn dds_belong_to_their_step_and_unnamed_ones_to_the_dd_before() {
        check(
            "//A JOB\n//JOBLIB DD DSN=L\n//S EXEC PGM=X\n//D DD DSN=A\n//  DD DSN=B\n//* C\n//  DD *\nDATA\n/*\n//R.E DD\n//T EXEC P\n",
            &["job A 1-11 JOBLIB*1 2; S=X 3-10 [D*3 4-9, R.E*1 10]; T=P 11 []"],
        );
        check("//S EXEC PGM=X\n//  DD DSN=B\n", &["member - 1-2; S=X 1-2 [*1 2]", "dd-without-name 2"]);
    }

    #[test]
    fn data_end_at_their_delimiter() {
        check(
            "//A JOB\n//S EXEC PGM=X\n//D DD *\nA\n//E DD DATA\n//F DD *\n/*\n//G DD DATA,DLM=@@\n/*\n//H\n@@\n//I DD *,DLM='##'\n//J\n##\n//K DD *\n",
            &["job A 1-15; S=X 2-15 [D*1 3-4, E*1 5-7, G*1 8-11, I*1 12-14, K*1 15]"],
        );
        check(
            "//S EXEC PGM=X\n//D DD DATA\n//E DD *\n",
            &["member - 1-3; S=X 1-3 [D*1 2-3]", "unclosed-data 2"],
        );
        let found = read("//S EXEC PGM=X\n//D DD *\nA  \n\n B\n/*\n");
        let data = found.procedures[0].body.steps[0].dds[0].allocations[0].in_stream.clone().unwrap();
        assert_eq!((&*data.text, data.lines.unwrap().to_string()), ("A\n\n B\n", "3-5".to_owned()));
    }

    #[test]
    fn data_without_a_dd_are_sysin() {
        check(
            "//A JOB\n//S EXEC PGM=X\n//D DD *\nA\n/*\nB\nC\n/*\n",
            &["job A 1-8; S=X 2-7 [D*1 3-5, SYSIN*1 6-7]", "data-without-dd 6"],
        );
        check("A README\n\nOF MANY LINES\n", &["no-jcl 0"]);
        check("//A JOB\nDATA\n//S EXEC PGM=X\n", &["job A 1-3; S=X 3 []", "no-statement 2"]);
    }

    #[test]
    fn procedures_stand_in_jobs_and_alone() {
        check(
            "//A JOB\n//P PROC X=1\n//R EXEC PGM=&X\n// PEND\n//S EXEC P\n",
            &["job A 1-5; S=P 5 []", "in_stream P 2-4; R=1 3 []"],
        );
        check(
            "//P PROC PGM=,H='A B'\n//R EXEC PGM=&PGM\n//D DD DSN=&H\n",
            &["catalogued P 1-3; R=&PGM 2-3 [D*1 3]"],
        );
        check("//R EXEC PGM=X\n//*C\n//D DD *\n", &["member - 1-3; R=X 1-3 [D*1 3]"]);
        check("//D DD DSN=A\n//E DD DSN=B\n", &["member - 1-2 D*1 1 E*1 2"]);
        check(
            "//A JOB\n//P PROC\n//R EXEC PGM=X\n//Q PROC\n//B JOB\n//S EXEC PGM=Y\n",
            &[
                "job A 1-4",
                "in_stream P 2-3; R=X 3 []",
                "in_stream Q 4",
                "job B 5-6; S=Y 6 []",
                "job-without-step 1",
                "missing-pend 2",
                "missing-pend 4",
            ],
        );
        check(
            "//S EXEC PGM=X\n//P PROC\n// PEND\n//D DD DSN=A\n",
            &["member - 1-4 D*1 4; S=X 1 []", "catalogued P 2-3", "dd-without-step 4"],
        );
        check("//S EXEC PGM=X\n// PEND\n", &["member - 1-2; S=X 1 []", "pend-without-proc 2"]);
    }

    #[test]
    fn steps_know_the_branches_they_stand_in() {
        check(
            "//A JOB\n// IF (S.RC = 0) THEN\n//S EXEC PGM=X\n//  IF ABEND THEN\n//T EXEC PGM=Y\n// ENDIF\n//   ELSE\n//U EXEC PGM=Z\n// ENDIF\n//V EXEC PGM=W\n",
            &[
                "job A 1-10; S=X 3 if (S.RC = 0) []; T=Y 5 if (S.RC = 0) if ABEND []; U=Z 8 if not (S.RC = 0) []; V=W 10 []",
            ],
        );
        check(
            "//A JOB\n// ELSE\n// ENDIF\n// IF X THEN\n//S EXEC PGM=X\n",
            &["job A 1-5; S=X 5 if X []", "else-without-if 2", "endif-without-if 3", "unclosed-if 4"],
        );
        let deep =
            format!("//A JOB\n{}//S EXEC PGM=X\n{}", "// IF X THEN\n".repeat(40), "// ENDIF\n".repeat(40));
        let found = read(&deep);
        assert_eq!(found.jobs[0].body.steps[0].conditions.len(), MOST_CONDITIONS);
        assert!(found.diagnostics.iter().all(|d| d.code == "deep-if"));
    }

    #[test]
    fn what_is_no_statement_is_told() {
        check(
            "//A JOB\n//S EXEC PGM=X\n//T EXCE PGM=Y\n//LONELY\n//O OUTPUT CLASS=A\n//U EXEC\n",
            &[
                "job A 1-6; S=X 2 []; U=? 6 []",
                "unknown-statement 3",
                "unknown-statement 4",
                "exec-of-nothing 6",
            ],
        );
        check("//A JOB\n// INCLUDE X=Y\n//S EXEC PGM=X\n", &["job A 1-3; S=X 3 []", "include-of-nothing 2"]);
        check("//a job\n//s exec pgm=x\n//d dd dsn=a.b,\n// disp=shr\n", &["job A 1-4; S=X 2-4 [D*1 3-4]"]);
        check("", &["no-jcl 0"]);
    }

    #[test]
    fn symbols_have_values_from_their_statement_on() {
        let found = read(
            "//A JOB\n// SET A=1,B='X Y'\n//S EXEC PGM=P&A\n// SET A=&A.2\n//T EXEC PGM=P&A\n//D DD DSN=&C..X\n",
        );
        let steps = &found.jobs[0].body.steps;
        assert_eq!(steps[0].program(), Some("P1"));
        assert_eq!(steps[1].program(), Some("P12"));
        let dataset = steps[1].dds[0].allocations[0].dataset.clone().unwrap();
        assert_eq!(
            (dataset.resolved.as_str(), dataset.unresolved().collect::<Vec<_>>()),
            ("&C..X", vec!["C"])
        );
        let values: Vec<&str> =
            found.jobs[0].body.symbols.iter().map(|s| s.value.resolved.as_str()).collect();
        assert_eq!(values, ["1", "X Y", "12"]);
    }

    #[test]
    fn comments_go_to_what_stands_below_them() {
        let found = read(
            "//A JOB\n//* LICENCE\n//*\n//* OF S\n//S EXEC PGM=X\n//* OF D\n//D DD *\n/*\n//* OF T\n// IF A THEN\n//* TOO\n//T EXEC PGM=Y\n//*U EXEC PGM=Z\n",
        );
        let words = |comments: &[super::super::model::Comment]| {
            comments.iter().map(|c| format!("{} {}", c.lines, c.text.join("/"))).collect::<Vec<_>>()
        };
        let job = &found.jobs[0];
        assert_eq!(words(&job.comments), ["2 LICENCE"]);
        assert_eq!(words(&job.body.steps[0].comments), ["4 OF S"]);
        assert_eq!(words(&job.body.steps[0].dds[0].comments), ["6 OF D"]);
        assert_eq!(words(&job.body.steps[1].comments), ["9 OF T", "11 TOO"]);
        assert_eq!(words(&job.body.trailing), ["13 U EXEC PGM=Z"]);
    }
}
