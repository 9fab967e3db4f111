//! What a job really runs: procedures and included members put in place, symbols replaced, DDs overridden.

use super::facts::joined;
use super::merge::{self, KEYWORDS, Lost};
use super::model::{
    Body, Comment, Condition, Dd, Include, JclSource, Job, Procedure, ProcedureKind, Step, Symbol,
};
use super::operands::{unquoted, upper};
use super::references;
use super::symbols::{Symbols, is_of_the_system};
use super::values::{Under, again, resolve, symbols_of};
use serde::Serialize;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;
use war_rig_cobol::{Diagnostic, Expansion, Severity};
use war_rig_text::{LineNumber, LineRange, line_and_end};

/// How deep procedures and included members may nest, as the system has it.
const DEEPEST: usize = 15;
/// The most steps of one job; the system has 255.
const MOST_STEPS: usize = 1000;
/// The most statements that are put in place for one source, where it and its members are small and where they are large.
const STATEMENTS: (usize, usize) = (20_000, 1_000_000);

/// Where procedures and included members come from: a port that the caller fills.
pub trait ProcedureLibrary {
    /// The source of the member with this name, looked for in these libraries first: those of the job's JCLLIB ORDER, resolved.
    fn find(&self, name: &str, libraries: &[String]) -> Option<Arc<JclSource>>;
}

/// A library without members.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProcedures;

impl ProcedureLibrary for NoProcedures {
    fn find(&self, _name: &str, _libraries: &[String]) -> Option<Arc<JclSource>> {
        None
    }
}

/// The steps of a job as they run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct EffectiveSteps {
    /// The steps in their order. A step whose procedure was not found stands as it is written.
    pub steps: Vec<EffectiveStep>,
    /// The files that procedures and included members came from, in the order of their first use.
    pub files: Vec<Arc<str>>,
    /// What was not found, has no value or goes in a circle. Lines are lines of the file that holds the job.
    pub diagnostics: Vec<Diagnostic>,
}

/// A step as it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EffectiveStep {
    /// The names of the steps that lead here, outermost first: those that execute procedures, then its own.
    #[serde(serialize_with = "joined")]
    pub path: Vec<String>,
    /// The procedures it came through, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub procedures: Vec<String>,
    /// The EXEC statements of those procedures, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub called_from: Vec<Place>,
    /// The comments above those statements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub caller_comments: Vec<Comment>,
    /// The step with all its symbols replaced, and its operands and DDs overridden. What stands in another file says so.
    #[serde(flatten)]
    pub step: Step,
}

impl EffectiveStep {
    /// Its name as messages of the system have it: `STEP` or `STEP.PROCSTEP`.
    pub fn qualified_name(&self) -> String {
        self.path.join(".")
    }
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The lines.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The file; none is the one that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

impl JclSource {
    /// What its jobs and procedures run, with the members of a library.
    pub fn expanded<'a>(&'a self, library: &'a dyn ProcedureLibrary) -> Expanded<'a> {
        let bodies =
            self.jobs.iter().map(|job| &job.body).chain(self.procedures.iter().map(|found| &found.body));
        let room = Expansion::of(bodies.map(statements_of).sum(), STATEMENTS.0, STATEMENTS.1);
        Expanded { source: self, library, room }
    }

    /// The steps of one of its jobs as they run, where no other is asked about.
    pub fn effective_steps(&self, job: &Job, library: &dyn ProcedureLibrary) -> EffectiveSteps {
        self.expanded(library).job(job)
    }
}

/// What the jobs and procedures of one source run. They share the room for what is put in place.
pub struct Expanded<'a> {
    source: &'a JclSource,
    library: &'a dyn ProcedureLibrary,
    room: Expansion,
}

impl Expanded<'_> {
    /// The steps of one of its jobs as they run.
    ///
    /// Procedures in the job's stream come before those of the library. Procedures and included members are followed fifteen deep, as
    /// the system does, and at most a thousand steps are put in place, in all jobs together at most some dozen times what their members
    /// hold; what lies beyond is a diagnostic.
    pub fn job(&mut self, job: &Job) -> EffectiveSteps {
        let libraries = job.libraries.iter().map(|library| library.resolved.clone()).collect();
        self.expand(&job.body, libraries, Rc::default(), HashSet::new(), Some(job))
    }

    /// The steps of one of its procedures as they run where nothing is overridden and symbols have their defaults.
    pub fn procedure(&mut self, procedure: &Procedure) -> EffectiveSteps {
        let mut symbols = Symbols::default();
        for symbol in procedure.symbols.iter().filter(|symbol| !symbol.value.resolved.is_empty()) {
            let value = symbols.replace(&symbol.value.resolved);
            symbols.set(&symbol.name, value);
        }
        // A caller gives values to these: that they have none here is nothing to tell.
        let declared = procedure.symbols.iter().map(|symbol| symbol.name.clone()).collect();
        let job = procedure.job.and_then(|job| self.source.jobs.get(job));
        self.expand(&procedure.body, Vec::new(), Rc::new(symbols), declared, job)
    }

    fn expand(
        &mut self,
        body: &Body,
        libraries: Vec<String>,
        mut symbols: Rc<Symbols>,
        declared: HashSet<String>,
        job: Option<&Job>,
    ) -> EffectiveSteps {
        let in_stream = job.map_or(&[][..], |job| {
            let all = &self.source.procedures;
            let behind = |line| all.partition_point(|procedure| procedure.lines.start() < line);
            &all[behind(job.lines.start())..behind(job.lines.end().plus(1))]
        });
        let mut expander = Expander {
            in_stream,
            library: self.library,
            libraries,
            found: EffectiveSteps::default(),
            symbols_told: declared,
            names_told: HashSet::new(),
            room: &mut self.room,
            is_full: false,
        };
        let scope = Scope::default();
        let mut steps = Vec::new();
        expander.gather(body, &scope, &mut symbols, &mut steps, &[]);
        for step in steps {
            expander.execute(step, &scope, &Callers::default());
        }
        let mut found = expander.found;
        references::resolve(&mut found.steps);
        found
    }
}

/// Where statements are read.
#[derive(Clone, Default)]
struct Scope {
    /// The file, where it is not the one that was read.
    file: Option<Arc<str>>,
    /// The files and first lines of the procedures and members that lead here.
    chain: Vec<(Option<Arc<str>>, LineNumber)>,
    /// The line of the file that was read from which all this comes; none where that is the file.
    line: Option<LineNumber>,
}

/// A step with the DDs behind it, and the symbols in force at its EXEC.
struct Gathered {
    step: Step,
    /// The line of the file that was read from which it comes.
    line: LineNumber,
    symbols: Rc<Symbols>,
}

/// What leads to a step.
#[derive(Clone, Default)]
struct Callers {
    path: Vec<String>,
    procedures: Vec<String>,
    called_from: Vec<Place>,
    comments: Vec<Comment>,
    conditions: Vec<Condition>,
}

struct Expander<'a> {
    /// The procedures between the lines of the job, which come first.
    in_stream: &'a [Procedure],
    library: &'a dyn ProcedureLibrary,
    libraries: Vec<String>,
    found: EffectiveSteps,
    /// The symbols without value that have been told of, or need not be.
    symbols_told: HashSet<String>,
    /// What was told of names, each once: they may be met often.
    names_told: HashSet<(&'static str, String)>,
    /// The room for statements of procedures and members.
    room: &'a mut Expansion,
    is_full: bool,
}

/// A statement of a body in its place.
enum Item<'a> {
    Dd(&'a Dd),
    Step(&'a Step),
    Set(&'a Symbol),
    Include(&'a Include),
}

/// The statements of a body as they follow each other.
fn in_order(body: &Body) -> Vec<Item<'_>> {
    let dds = body.dds.iter().chain(body.steps.iter().flat_map(|step| &step.dds));
    let mut items: Vec<_> = dds.map(|dd| (dd.lines.start(), Item::Dd(dd))).collect();
    items.extend(body.steps.iter().map(|step| (step.exec.start(), Item::Step(step))));
    items.extend(body.symbols.iter().map(|symbol| (symbol.lines.start(), Item::Set(symbol))));
    items.extend(body.includes.iter().map(|include| (include.lines.start(), Item::Include(include))));
    items.sort_by_key(|(line, _)| *line);
    items.into_iter().map(|(_, item)| item).collect()
}

impl<'a> Expander<'a> {
    /// The steps of a body in their order with their DDs, included members put in place.
    fn gather(
        &mut self,
        body: &Body,
        scope: &Scope,
        symbols: &mut Rc<Symbols>,
        steps: &mut Vec<Gathered>,
        conditions: &[Condition],
    ) {
        for item in in_order(body) {
            if self.is_full() {
                return;
            }
            let under = Under { symbols, file: scope.file.as_ref() };
            match item {
                Item::Set(symbol) => {
                    let value = unquoted(&resolve(&symbol.value.written, symbols).resolved);
                    Rc::make_mut(symbols).set(&symbol.name, value);
                }
                Item::Step(step) => {
                    let mut step = under.exec(step);
                    step.conditions.splice(0..0, conditions.iter().cloned());
                    let line = scope.line.unwrap_or(step.exec.start());
                    steps.push(Gathered { step, line, symbols: Rc::clone(symbols) });
                }
                Item::Dd(dd) => {
                    // Before the first step there are JOBLIB and its like, which are no step's.
                    let Some(last) = steps.last_mut() else { continue };
                    let dd = under.dd(dd);
                    match last.step.dds.last_mut().filter(|_| dd.name.is_empty()) {
                        Some(before) => before.allocations.extend(dd.allocations),
                        None => last.step.dds.push(dd),
                    }
                }
                Item::Include(include) => {
                    let member = resolve(&include.member.written, symbols).resolved;
                    let line = scope.line.unwrap_or(include.lines.start());
                    let mut conditions = conditions.to_vec();
                    conditions.extend(include.conditions.iter().map(|condition| under.condition(condition)));
                    let Some(found) = self.find(&member, line, "member") else { continue };
                    let Some(procedure) = of_library(&found, &member) else { continue };
                    let file = Some(Arc::clone(&found.file));
                    if let Some(inner) = self.enter(scope, file, procedure, line, &member) {
                        self.gather(&procedure.body, &inner, symbols, steps, &conditions);
                    }
                }
            }
        }
    }

    /// Adds a step to what is found, or the steps of the procedure that it executes.
    fn execute(&mut self, gathered: Gathered, scope: &Scope, callers: &Callers) {
        let Gathered { mut step, line, symbols } = gathered;
        let mut callers = callers.clone();
        let Some(name) = step.procedure().map(str::to_owned) else { return self.add(step, callers, line) };
        let library;
        let (procedure, file) = match self.in_stream(&name) {
            Some(procedure) => (procedure, None),
            None => {
                let Some(found) = self.find(&name, line, "procedure") else {
                    return self.add(step, callers, line);
                };
                library = found;
                let Some(procedure) = of_library(&library, &name) else {
                    self.warn("missing-procedure", line, format!("`{}` holds no procedure", library.file));
                    return self.add(step, callers, line);
                };
                (procedure, Some(Arc::clone(&library.file)))
            }
        };
        let Some(inner) = self.enter(scope, file, procedure, line, &name) else {
            return self.add(step, callers, line);
        };
        let mut symbols = Rc::new(symbols_for(procedure, &step, &symbols));
        let inner_symbols = Rc::clone(&symbols);
        let mut gathered = Vec::new();
        self.gather(&procedure.body, &inner, &mut symbols, &mut gathered, &[]);
        let (mut steps, symbols): (Vec<Step>, Vec<Rc<Symbols>>) =
            gathered.into_iter().map(|gathered| (gathered.step, gathered.symbols)).unzip();
        let declares = |name: &str| procedure.symbols.iter().any(|symbol| symbol.name == name);
        let operands: Vec<_> = step
            .parameters
            .iter()
            .filter(|operand| operand.name.as_deref().is_some_and(|name| !declares(name)))
            .cloned()
            .collect();
        let mut lost = merge::operands(&mut steps, &operands);
        // What has no value outside takes the one that it has in the procedure.
        let overrides =
            std::mem::take(&mut step.dds).into_iter().map(|dd| again(dd, &inner_symbols)).collect();
        lost.extend(merge::dds(&mut steps, overrides));
        for lost in lost {
            let Lost { what, step, lines, file } = lost;
            let line = if file.is_none() { lines.start() } else { line };
            let message = format!("`{what}` is for the step `{step}`, which `{name}` does not have");
            self.warn("override-without-step", line, message);
        }
        callers.path.push(step.name);
        callers.procedures.push(name);
        callers.called_from.push(Place { file: step.file, lines: step.exec });
        callers.comments.extend(step.comments);
        callers.conditions.extend(step.conditions);
        for (step, symbols) in steps.into_iter().zip(symbols) {
            self.execute(Gathered { step, line, symbols }, &inner, &callers);
        }
    }

    fn add(&mut self, mut step: Step, callers: Callers, line: LineNumber) {
        if self.is_full() {
            return;
        }
        self.tell_symbols(&step, line);
        let Callers { mut path, procedures, called_from, comments, conditions } = callers;
        path.push(step.name.clone());
        step.conditions.splice(0..0, conditions);
        self.found.steps.push(EffectiveStep {
            step,
            path,
            procedures,
            called_from,
            caller_comments: comments,
        });
    }

    /// Whether the job has all the steps that it may have.
    fn is_full(&mut self) -> bool {
        if self.found.steps.len() >= MOST_STEPS {
            self.fill();
        }
        self.is_full
    }

    /// Says that nothing more is put in place.
    fn fill(&mut self) {
        if !std::mem::replace(&mut self.is_full, true) {
            let message = format!(
                "more than {MOST_STEPS} steps, or many times the statements of all members, are put in place: the rest is left out"
            );
            let severity = Severity::Warning;
            self.found.diagnostics.push(Diagnostic { severity, code: "too-many-steps", line: None, message });
        }
    }

    /// The procedure of this name in the job's own stream.
    fn in_stream(&self, name: &str) -> Option<&'a Procedure> {
        let is_it = |procedure: &&Procedure| {
            procedure.kind == ProcedureKind::InStream && procedure.name.as_deref() == Some(name)
        };
        self.in_stream.iter().find(is_it)
    }

    fn find(&mut self, name: &str, line: LineNumber, what: &str) -> Option<Arc<JclSource>> {
        let found = self.library.find(name, &self.libraries);
        match &found {
            Some(found) if !self.found.files.contains(&found.file) => {
                self.found.files.push(Arc::clone(&found.file));
            }
            None => {
                self.warn_of(name, "missing-procedure", line, format!("the {what} `{name}` was not found"))
            }
            Some(_) => {}
        }
        found
    }

    /// The scope of a procedure or member, unless it lies too deep or is open already.
    fn enter(
        &mut self,
        scope: &Scope,
        file: Option<Arc<str>>,
        procedure: &Procedure,
        line: LineNumber,
        name: &str,
    ) -> Option<Scope> {
        let own = (file.clone(), procedure.lines.start());
        if scope.chain.contains(&own) {
            self.warn_of(name, "procedure-cycle", line, format!("`{name}` leads back to itself"));
            return None;
        }
        if scope.chain.len() >= DEEPEST {
            let message = format!("`{name}` lies deeper than {DEEPEST} procedures");
            self.warn_of(name, "deep-procedure", line, message);
            return None;
        }
        if !self.room.takes(file.as_deref().unwrap_or_default(), 1 + statements_of(&procedure.body)) {
            self.fill();
            return None;
        }
        let mut chain = scope.chain.clone();
        chain.push(own);
        Some(Scope { file, chain, line: Some(line) })
    }

    /// Tells of each symbol without value once.
    fn tell_symbols(&mut self, step: &Step, line: LineNumber) {
        let allocations = step.dds.iter().flat_map(|dd| &dd.allocations);
        let operands = step.parameters.iter().chain(allocations.flat_map(|allocation| &allocation.operands));
        for operand in operands {
            let line = if operand.file.is_none() { operand.lines.start() } else { line };
            for name in operand.value.unresolved() {
                if !is_of_the_system(name) && self.symbols_told.insert(name.to_owned()) {
                    let place = match &operand.file {
                        Some(file) => format!(" on line {} of {file}", operand.lines.start()),
                        None => String::new(),
                    };
                    self.warn(
                        "symbol-without-value",
                        line,
                        format!("the symbol `{name}`{place} has no value"),
                    );
                }
            }
        }
    }

    /// Warns of a name, once.
    fn warn_of(&mut self, name: &str, code: &'static str, line: LineNumber, message: String) {
        if self.names_told.insert((code, name.to_owned())) {
            self.warn(code, line, message);
        }
    }

    fn warn(&mut self, code: &'static str, line: LineNumber, message: String) {
        let diagnostic = Diagnostic { severity: Severity::Warning, code, line: Some(line), message };
        self.found.diagnostics.push(diagnostic);
    }
}

/// How many statements a body has.
fn statements_of(body: &Body) -> usize {
    let allocations = body.dds.iter().chain(body.steps.iter().flat_map(|step| &step.dds));
    body.steps.len()
        + body.includes.len()
        + body.symbols.len()
        + allocations.map(|dd| dd.allocations.len().max(1)).sum::<usize>()
}

/// The procedure in a member of a library. The member's name counts, and of several the one that is called so too.
fn of_library<'b>(source: &'b JclSource, name: &str) -> Option<&'b Procedure> {
    let outside = || source.procedures.iter().filter(|procedure| procedure.kind != ProcedureKind::InStream);
    outside().find(|procedure| procedure.name.as_deref() == Some(name)).or_else(|| outside().next())
}

/// The symbols in a procedure: those of its caller, over them its defaults, over them what EXEC gives.
fn symbols_for(procedure: &Procedure, step: &Step, outer: &Symbols) -> Symbols {
    let mut symbols = outer.clone();
    let declared: HashSet<&str> = procedure.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    let is_keyword = |name: &str| KEYWORDS.contains(&name.split('.').next().unwrap_or_default());
    let mut given: HashSet<String> = HashSet::new();
    for symbol in symbols_of(&step.parameters) {
        let is_symbol = declared.contains(symbol.name.as_str()) || !is_keyword(&symbol.name);
        // Of two values the first counts.
        if is_symbol && given.insert(symbol.name.clone()) {
            symbols.set(&symbol.name, symbol.value.resolved);
        }
    }
    // A default may be made of other symbols, wherever those stand on the card.
    for _ in 0..2 {
        for symbol in procedure.symbols.iter().filter(|symbol| !given.contains(&symbol.name)) {
            let value = symbols.replace(&unquoted(&upper(&symbol.value.written)));
            symbols.set(&symbol.name, value);
        }
    }
    symbols
}

#[cfg(test)]
mod tests {
    use super::super::testing::source;
    use super::*;
    use std::cell::RefCell;
    use std::collections::HashMap;

    #[derive(Default)]
    struct Members(HashMap<String, Arc<JclSource>>);

    impl Members {
        fn of(members: &[(&str, &str)]) -> Self {
            let member = |(name, text): &(&str, &str)| ((*name).to_owned(), Arc::new(source(name, text)));
            Self(members.iter().map(member).collect())
        }
    }

    impl ProcedureLibrary for Members {
        fn find(&self, name: &str, _libraries: &[String]) -> Option<Arc<JclSource>> {
            self.0.get(name).cloned()
        }
    }

    /// The steps of the first job: path, program, operands beside it, conditions, DDs with what they allocate and where it stands; then
    /// the diagnostics.
    fn shown(text: &str, members: &Members) -> Vec<String> {
        let jcl = source("JOB.jcl", text);
        let effective = jcl.effective_steps(&jcl.jobs[0], members);
        let at = |lines: LineRange, file: &Option<Arc<str>>| match file {
            Some(file) => format!("{file}:{lines}"),
            None => lines.to_string(),
        };
        let mut rows = Vec::new();
        for found in &effective.steps {
            let step = &found.step;
            let what = step.program().or(step.procedure()).unwrap_or("?");
            let mut row = format!("{}={what} {}", found.qualified_name(), at(step.exec, &step.file));
            for operand in step.parameters.iter().filter(|p| p.name.as_deref().is_some_and(|n| n != "PGM")) {
                let name = operand.name.as_deref().unwrap();
                row += &format!(" {name}={} @{}", operand.value.resolved, at(operand.lines, &operand.file));
            }
            for condition in &step.conditions {
                row += &format!(" if {}{}", if condition.holds { "" } else { "not " }, condition.text);
            }
            for dd in &step.dds {
                let allocations: Vec<String> = dd
                    .allocations
                    .iter()
                    .map(|a| {
                        let name = a.dataset.as_ref().map_or(a.kind.as_str(), |dataset| &dataset.resolved);
                        let member = a.member.as_ref().map(|m| format!("({m})")).unwrap_or_default();
                        format!("{name}{member} {} @{}", a.usage.as_str(), at(a.lines, &a.file))
                    })
                    .collect();
                row += &format!("; {} {}", dd.name, allocations.join(" + "));
            }
            rows.push(row);
        }
        let line = |d: &Diagnostic| d.line.map_or(0, LineNumber::get);
        rows.extend(effective.diagnostics.iter().map(|d| format!("{} {}: {}", d.code, line(d), d.message)));
        rows
    }

    fn check(text: &str, members: &[(&str, &str)], expected: &[&str]) {
        assert_eq!(shown(text, &Members::of(members)), expected, "{text}");
    }

    const BATCH: &str = "//ANY PROC PGM=,HLQ='TMA.PROD',LIB=&HLQ..LOADLIB\n//RUN EXEC PGM=&PGM,REGION=0M\n//STEPLIB DD DSN=&LIB,DISP=SHR\n//  DD DSN=CEE.LIB,DISP=SHR\n//OUT DD SYSOUT=*\n//  PEND\n";

    #[test]
    fn a_procedure_takes_symbols_and_dds_and_says_where_it_stands() {
        check(
            "//A JOB\n//S EXEC BATCH,PGM=PRMBILL,HLQ=TEST\n//RUN.IN DD DSN=&HLQ..IN,DISP=OLD\n//OUT DD DSN=O,DISP=(,CATLG)\n",
            &[("BATCH", BATCH)],
            &[
                "S.RUN=PRMBILL BATCH:2 REGION=0M @BATCH:2; STEPLIB TEST.LOADLIB shared @BATCH:3 + CEE.LIB shared @BATCH:4; OUT O created @4; IN TEST.IN exclusive @3",
            ],
        );
        check(
            "//A JOB\n//S EXEC BATCH,PGM=X\n",
            &[("BATCH", BATCH)],
            &[
                "S.RUN=X BATCH:2 REGION=0M @BATCH:2; STEPLIB TMA.PROD.LOADLIB shared @BATCH:3 + CEE.LIB shared @BATCH:4; OUT sysout written @BATCH:5",
            ],
        );
        check(
            "//A JOB\n//S EXEC PROC=NONE\n//D DD DSN=A,DISP=SHR\n//T EXEC NONE\n",
            &[],
            &[
                "S=NONE 2 PROC=NONE @2; D A shared @3",
                "T=NONE 4",
                "missing-procedure 2: the procedure `NONE` was not found",
            ],
        );
    }

    #[test]
    fn a_procedure_in_the_stream_comes_first() {
        check(
            "//A JOB\n//BATCH PROC X=1\n//R EXEC PGM=P&X\n// PEND\n//S EXEC BATCH\n//T EXEC BATCH,X=\n",
            &[("BATCH", BATCH)],
            &["S.R=P1 3", "T.R=P 3"],
        );
    }

    #[test]
    fn concatenations_are_overridden_one_by_one() {
        let member = "//R EXEC PGM=X\n//D DD DSN=A,DISP=SHR\n//  DD DSN=B,DISP=SHR\n//E DD DSN=E,DISP=(NEW,CATLG),UNIT=SYSDA\n//F DD SYSOUT=*\n//G DD DUMMY\n";
        check(
            "//A JOB\n//S EXEC P\n//R.D DD\n//  DD DSN=NEW\n//  DD DSN=MORE,DISP=SHR\n//E DD DISP=SHR\n//F DD DSN=F,DISP=OLD\n//G DD DSN=G,DISP=SHR\n",
            &[("P", member)],
            &[
                "S.R=X P:1; D A shared @P:2 + NEW shared @4 + MORE shared @5; E E shared @P:4; F F exclusive @7; G G shared @8",
            ],
        );
        check(
            "//A JOB\n//S EXEC P\n//D DD *\nX\n/*\n//E DD SYSOUT=A\n//R.F DD DUMMY\n//Z.H DD DSN=H\n",
            &[("P", member)],
            &[
                "S.R=X P:1; D in_stream read @3-5 + B shared @P:3; E sysout written @6; F dummy nothing @7; G dummy nothing @P:6",
                "override-without-step 8: `H` is for the step `Z`, which `P` does not have",
            ],
        );
    }

    #[test]
    fn empty_operands_take_away_and_dcb_is_merged() {
        check(
            "//A JOB\n//S EXEC P,PARM=\n//D DD UNIT=,DCB=LRECL=90\n",
            &[("P", "//R EXEC PGM=X,PARM=A\n//D DD DSN=A,UNIT=TAPE,DCB=(RECFM=FB,LRECL=80),DISP=SHR\n")],
            &["S.R=X P:1; D A shared @P:2"],
        );
        let member = source("P", "//R EXEC PGM=X\n//D DD DSN=A,UNIT=TAPE,DCB=(RECFM=FB,LRECL=80),DISP=SHR\n");
        let jcl = source("JOB.jcl", "//A JOB\n//S EXEC P\n//D DD UNIT=,DCB=LRECL=90\n");
        let members = Members(HashMap::from([("P".to_owned(), Arc::new(member))]));
        let steps = jcl.effective_steps(&jcl.jobs[0], &members).steps;
        let allocation = &steps[0].step.dds[0].allocations[0];
        assert_eq!(allocation.operand("DCB").unwrap().value.resolved, "(LRECL=90,RECFM=FB)");
        assert!(allocation.operand("UNIT").is_none());
    }

    #[test]
    fn operands_go_to_their_step_or_to_all() {
        let member = "//R EXEC PGM=X,PARM=A,COND=(1,LT)\n//Q EXEC PGM=Y,PARM=B\n";
        check(
            "//A JOB\n//S EXEC P,PARM='N',COND.Q=(4,LT,R),TIME=5\n",
            &[("P", member)],
            &["S.R=X P:1 PARM='N' @2 COND=(1,LT) @P:1 TIME=5 @2", "S.Q=Y P:2 COND=(4,LT,R) @2 TIME=5 @2"],
        );
        check(
            "//A JOB\n//S EXEC P,PARM.Q=N,COND.Z=ONLY\n",
            &[("P", member)],
            &[
                "S.R=X P:1 PARM=A @P:1 COND=(1,LT) @P:1",
                "S.Q=Y P:2 PARM=N @2",
                "override-without-step 2: `COND.Z` is for the step `Z`, which `P` does not have",
            ],
        );
    }

    #[test]
    fn procedures_nest_and_circles_end() {
        check(
            "//A JOB\n// IF OUT THEN\n//S EXEC P,N=1\n//Q.D DD DSN=JOB,DISP=SHR\n// ENDIF\n",
            &[
                ("P", "//P PROC N=,M=2\n// IF IN THEN\n//Q EXEC R,N=&N&M\n//D DD DSN=P,DISP=SHR\n// ENDIF\n"),
                ("R", "//R PROC N=\n//T EXEC PGM=X&N&M\n"),
            ],
            &["S.Q.T=X122 R:2 if OUT if IN; D JOB shared @4"],
        );
        check(
            "//A JOB\n//S EXEC P\n",
            &[("P", "//Q EXEC R\n//U EXEC PGM=Y\n"), ("R", "//T EXEC P\n")],
            &["S.Q.T=P R:1", "S.U=Y P:2", "procedure-cycle 2: `P` leads back to itself"],
        );
        let chain: Vec<(String, String)> =
            (0..30).map(|n| (format!("P{n}"), format!("//S EXEC P{}\n", n + 1))).collect();
        let chain: Vec<(&str, &str)> =
            chain.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let deep = shown("//A JOB\n//S EXEC P0\n", &Members::of(&chain));
        assert!(deep[1].starts_with("deep-procedure 2"), "{deep:?}");
    }

    #[test]
    fn doubling_procedures_end() {
        let chain: Vec<(String, String)> = (0..14)
            .map(|n| {
                let next = format!("P{}", n + 1);
                (format!("P{n}"), format!("//S EXEC {next}\n//T EXEC {next}\n//U EXEC {next}\n"))
            })
            .chain([("P14".to_owned(), "//X EXEC PGM=X\n".to_owned())])
            .collect();
        let chain: Vec<(&str, &str)> =
            chain.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let found = shown("//A JOB\n//S EXEC P0\n", &Members::of(&chain));
        assert!(found.len() <= MOST_STEPS + 1 && found.last().unwrap().starts_with("too-many-steps"));
    }

    /// Includes over sixteen levels, six of the next in each.
    #[test]
    fn members_that_include_each_other_many_times_end() {
        let chain: Vec<(String, String)> =
            (0..16).map(|n| (format!("M{n}"), format!("// INCLUDE MEMBER=M{}\n", n + 1).repeat(6))).collect();
        let chain: Vec<(&str, &str)> =
            chain.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let members = Members::of(&chain);
        let found = shown("//A JOB\n// INCLUDE MEMBER=M0\n//S EXEC PGM=X\n", &members);
        assert_eq!(found.iter().filter(|row| row.starts_with("too-many-steps")).count(), 1, "{found:?}");
        assert!(found.len() < 20, "{found:?}");
        // Jobs of one source share the room.
        let jcl = source("JOBS.jcl", &"//A JOB\n// INCLUDE MEMBER=M0\n".repeat(50));
        let opened = RefCell::new(0);
        let counting = Counting { members: &members, opened: &opened };
        let mut expanded = jcl.expanded(&counting);
        jcl.jobs.iter().for_each(|job| drop(expanded.job(job)));
        assert!(*opened.borrow() < 30_000, "{opened:?}");
    }

    /// Counts what is asked for.
    struct Counting<'a> {
        members: &'a Members,
        opened: &'a RefCell<usize>,
    }

    impl ProcedureLibrary for Counting<'_> {
        fn find(&self, name: &str, libraries: &[String]) -> Option<Arc<JclSource>> {
            *self.opened.borrow_mut() += 1;
            self.members.find(name, libraries)
        }
    }

    #[test]
    fn members_are_included_where_they_are_named() {
        check(
            "//A JOB\n// SET N=1\n//S EXEC PGM=X\n//B DD DSN=B,DISP=SHR\n// INCLUDE MEMBER=M&N\n//E DD DSN=E&N,DISP=SHR\n//T EXEC PGM=&P\n// INCLUDE MEMBER=NONE\n",
            &[("M1", "//C DD DSN=C&N,DISP=SHR\n//  DD DSN=D,DISP=SHR\n// SET P=Y,N=2\n//I EXEC PGM=I\n")],
            &[
                "S=X 3; B B shared @4; C C1 shared @M1:1 + D shared @M1:2",
                "I=I M1:4; E E2 shared @6",
                "T=Y 7",
                "missing-procedure 8: the member `NONE` was not found",
            ],
        );
        check(
            "//A JOB\n// INCLUDE MEMBER=M\n",
            &[("M", "// INCLUDE MEMBER=M\n//S EXEC PGM=X\n")],
            &["S=X M:2", "procedure-cycle 2: `M` leads back to itself"],
        );
    }

    #[test]
    fn references_lead_to_their_dataset() {
        check(
            "//A JOB\n//S EXEC PGM=X\n//D DD DSN=A.B(M),DISP=SHR\n//E DD DSN=*.D,DISP=OLD\n//T EXEC PGM=*.S.D\n//F DD DSN=*.S.E,DISP=SHR\n//G DD DSN=*.NONE.D,DISP=SHR\n//U EXEC P\n//H DD DSN=*.S.D,DISP=SHR\n",
            &[("P", "//R EXEC PGM=Y\n//I DD DSN=C\n//J DD DSN=*.R.I,DISP=OLD\n")],
            &[
                "S=X 2; D A.B(M) shared @3; E A.B(M) exclusive @4",
                "T=M 5; F A.B(M) shared @6; G reference shared @7",
                "U.R=Y P:1; I C created @P:2; J C exclusive @P:3; H A.B(M) shared @9",
            ],
        );
    }

    #[test]
    fn a_procedure_alone_shows_what_it_asks_for() {
        let batch = source("BATCH.prc", BATCH);
        let alone = batch.expanded(&NoProcedures).procedure(&batch.procedures[0]);
        assert_eq!(alone.steps[0].step.program(), Some("&PGM"));
        let library = alone.steps[0].step.dds[0].allocations[0].dataset.clone().unwrap();
        assert_eq!(library.resolved, "TMA.PROD.LOADLIB");
        assert!(alone.diagnostics.is_empty());
    }
}
