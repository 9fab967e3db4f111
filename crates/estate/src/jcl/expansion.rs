//! Expands a job to what really runs: expands procedures and included members, replaces symbols, applies DD overrides.

use super::back_references;
use super::model::{
    Dd, IfCondition, Include, JclBody, JclComment, JclOperand, JclSource, Job, JobStep, Procedure, ProcedureKind,
    Symbol, SymbolExport,
};
use super::operands::{list, unquoted, upper};
use super::overrides::{self, KEYWORDS, UnmatchedOverride};
use super::serialized::joined;
use super::supplied_procedures::procedure_supplier;
use super::symbols::{Symbols, is_system_symbol};
use super::values::{SymbolContext, replace_symbols, resolve, symbols_of};
use foldhash::{HashSet, HashSetExt};
use serde::Serialize;
use std::rc::Rc;
use std::sync::Arc;
use war_rig_cobol::{Diagnostic, ExpansionBudget};
use war_rig_text::{LineNumber, LineRange, line_and_end};

/// The maximum nesting of procedures and included members, as in the system.
const DEEPEST: usize = 15;
/// The maximum number of steps in one job; the system allows 255.
const MOST_STEPS: usize = 1000;
/// The maximum number of statements expanded for one source, if it and its members are small, and if they are large.
const STATEMENTS: (usize, usize) = (20_000, 1_000_000);

/// The source of procedures and included members: a port that the caller implements.
pub trait ProcedureLibrary {
    /// Returns the member with this name. It searches these libraries first: those of the job's JCLLIB ORDER, resolved.
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
    /// The steps in order. A step whose procedure was not found is unchanged.
    pub steps: Vec<EffectiveStep>,
    /// The files of procedures and included members, in the order of their first use.
    pub files: Vec<Arc<str>>,
    /// Names that were not found and that no system supplies, symbols without value, and circular references. Lines are lines of the file with the job.
    pub diagnostics: Vec<Diagnostic>,
}

impl EffectiveSteps {
    /// Returns the step at which RESTART lets a job begin, as its card names it; none if that is the first step, where it begins anyway, or no step of it.
    pub fn restart_of(&self, job: &Job) -> Option<String> {
        let restart = list(&job.parameter("RESTART")?.value.resolved);
        let step = restart.first().map(|step| step.trim()).filter(|step| !matches!(*step, "" | "*"))?;
        // The steps of a procedure that was not found are not known.
        let is_inside = |found: &EffectiveStep| {
            let inner = step.strip_prefix(&found.qualified_name());
            found.step.procedure().is_some() && inner.is_some_and(|inner| inner.starts_with('.'))
        };
        let is_it =
            |found: &EffectiveStep| found.qualified_name() == step || found.path.first().is_some_and(|own| own == step);
        let place = self.steps.iter().position(|found| is_it(found) || is_inside(found))?;
        (place > 0 || is_inside(&self.steps[0])).then(|| step.to_owned())
    }
}

/// A step as it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EffectiveStep {
    /// The names of the steps that lead here, outermost first: those that execute procedures, then its own name.
    #[serde(serialize_with = "joined")]
    pub path: Vec<String>,
    /// The procedures that contain it, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub procedures: Vec<String>,
    /// The EXEC statements of those procedures, outermost first.
    #[serde(rename = "called_from", skip_serializing_if = "Vec::is_empty")]
    pub call_sites: Vec<JclSpan>,
    /// The comments above those statements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub caller_comments: Vec<JclComment>,
    /// The values that the innermost of those statements gives to symbols of its procedure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<JclOperand>,
    /// The step after symbol replacement and overrides. Parts from another file name that file.
    #[serde(flatten)]
    pub step: JobStep,
}

impl EffectiveStep {
    /// Returns its name as in messages of the system: `STEP` or `STEP.PROCSTEP`.
    pub fn qualified_name(&self) -> String {
        self.path.join(".")
    }
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JclSpan {
    /// The lines.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The file; `None` is the file that was parsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

impl JclSource {
    /// Expands its jobs and procedures with the members of a library.
    pub fn expansion<'a>(&'a self, library: &'a dyn ProcedureLibrary) -> JclExpansion<'a> {
        let bodies = self.jobs.iter().map(|job| &job.body).chain(self.procedures.iter().map(|found| &found.body));
        let room = ExpansionBudget::of(bodies.map(statements_of).sum(), STATEMENTS.0, STATEMENTS.1);
        JclExpansion { source: self, library, room }
    }
}

/// Expands the jobs and procedures of one source, which share one expansion budget.
pub struct JclExpansion<'a> {
    source: &'a JclSource,
    library: &'a dyn ProcedureLibrary,
    room: ExpansionBudget,
}

impl JclExpansion<'_> {
    /// Returns the steps of one of its jobs as they run.
    ///
    /// Procedures in the job's stream come before those of the library. Procedures and included members are followed fifteen deep, as
    /// in the system. At most a thousand steps are expanded, and in all jobs together at most some dozen times the content of their
    /// members; a diagnostic reports the rest.
    pub fn job(&mut self, job: &Job) -> EffectiveSteps {
        let libraries = job.libraries.iter().map(|library| library.resolved.clone()).collect();
        self.expand(&job.body, libraries, ExpansionStart::default(), Some(job))
    }

    /// Returns the steps of one of its procedures without overrides and with the default values of symbols.
    pub fn procedure(&mut self, procedure: &Procedure) -> EffectiveSteps {
        let mut symbols = Symbols::default();
        for symbol in procedure.symbols.iter().filter(|symbol| !symbol.value.resolved.is_empty()) {
            let value = symbols.replace(&symbol.value.resolved);
            symbols.set(&symbol.name, value);
        }
        // Callers set these symbols, so their missing values are not reported here.
        let declared = procedure.symbols.iter().map(|symbol| symbol.name.clone()).collect();
        let job = procedure.job.and_then(|job| self.source.jobs.get(job));
        let exports = job.into_iter().flat_map(|job| &job.body.exports).flat_map(|export| export.names.clone());
        let start = ExpansionStart { symbols: Rc::new(symbols), declared, exports: exports.collect() };
        self.expand(&procedure.body, Vec::new(), start, job)
    }

    fn expand(
        &mut self,
        body: &JclBody,
        libraries: Vec<String>,
        start: ExpansionStart,
        job: Option<&Job>,
    ) -> EffectiveSteps {
        let ExpansionStart { mut symbols, declared, exports } = start;
        let in_stream = job.map_or(&[][..], |job| {
            let all = &self.source.procedures;
            let behind = |line| all.partition_point(|procedure| procedure.lines.start() < line);
            &all[behind(job.lines.start())..behind(job.lines.end().saturating_add(1))]
        });
        let mut expander = BodyExpander {
            in_stream,
            library: self.library,
            libraries,
            exports: Rc::new(exports),
            found: EffectiveSteps::default(),
            reported_symbols: declared,
            reported_names: HashSet::new(),
            room: &mut self.room,
            is_full: false,
        };
        let scope = ExpansionScope::default();
        let mut steps = Vec::new();
        expander.gather(body, &scope, &mut symbols, &mut steps, &[]);
        for step in steps {
            expander.execute(step, &scope, &CallChain::default());
        }
        let mut found = expander.found;
        back_references::resolve(&mut found.steps);
        found
    }
}

/// What is known before the first statement of a job or procedure.
#[derive(Default)]
struct ExpansionStart {
    symbols: Rc<Symbols>,
    /// The symbols whose missing values are not reported.
    declared: HashSet<String>,
    /// The symbols that are exported.
    exports: Vec<String>,
}

/// The location from which statements are read.
#[derive(Clone, Default)]
struct ExpansionScope {
    /// The file, if it is not the one that was parsed.
    file: Option<Arc<str>>,
    /// Whether the statements are those of a procedure that a step executes, or of a member that it includes.
    is_of_procedure: bool,
    /// The files and first lines of the procedures and members that lead here.
    chain: Vec<(Option<Arc<str>>, LineNumber)>,
    /// The line of the parsed file that leads here; none in that file itself.
    line: Option<LineNumber>,
}

/// A step with its DDs, and the symbols in force at its EXEC.
struct CollectedStep {
    step: JobStep,
    /// The line of the parsed file that leads to it.
    line: LineNumber,
    symbols: Rc<Symbols>,
    /// The symbols that are exported there.
    exports: Rc<Vec<String>>,
}

/// The calls that lead to a step.
#[derive(Clone, Default)]
struct CallChain {
    path: Vec<String>,
    procedures: Vec<String>,
    called_from: Vec<JclSpan>,
    comments: Vec<JclComment>,
    given: Vec<JclOperand>,
    conditions: Vec<IfCondition>,
}

struct BodyExpander<'a> {
    /// The in-stream procedures of the job, which take precedence.
    in_stream: &'a [Procedure],
    library: &'a dyn ProcedureLibrary,
    libraries: Vec<String>,
    /// The symbols that are exported to data in the stream.
    exports: Rc<Vec<String>>,
    found: EffectiveSteps,
    /// The symbols without value that were already reported, or need not be.
    reported_symbols: HashSet<String>,
    /// The reports about names, so that each is made only once.
    reported_names: HashSet<(&'static str, String)>,
    /// The budget for statements of procedures and members.
    room: &'a mut ExpansionBudget,
    is_full: bool,
}

/// A statement of a body in source order.
enum BodyItem<'a> {
    Dd(&'a Dd),
    Step(&'a JobStep),
    Set(&'a Symbol),
    Include(&'a Include),
    Export(&'a SymbolExport),
}

/// Returns the statements of a body in source order.
fn in_order(body: &JclBody) -> Vec<BodyItem<'_>> {
    let dds = body.dds.iter().chain(body.steps.iter().flat_map(|step| &step.dds));
    let mut items: Vec<_> = dds.map(|dd| (dd.lines.start(), BodyItem::Dd(dd))).collect();
    items.extend(body.steps.iter().map(|step| (step.exec.start(), BodyItem::Step(step))));
    items.extend(body.symbols.iter().map(|symbol| (symbol.lines.start(), BodyItem::Set(symbol))));
    items.extend(body.includes.iter().map(|include| (include.lines.start(), BodyItem::Include(include))));
    items.extend(body.exports.iter().map(|export| (export.lines.start(), BodyItem::Export(export))));
    items.sort_by_key(|(line, _)| *line);
    items.into_iter().map(|(_, item)| item).collect()
}

impl<'a> BodyExpander<'a> {
    /// Collects the steps of a body in order with their DDs, and expands included members.
    fn gather(
        &mut self,
        body: &JclBody,
        scope: &ExpansionScope,
        symbols: &mut Rc<Symbols>,
        steps: &mut Vec<CollectedStep>,
        conditions: &[IfCondition],
    ) {
        for item in in_order(body) {
            if self.is_full() {
                return;
            }
            let (file, is_of_procedure, exports) =
                (scope.file.as_ref(), scope.is_of_procedure, Rc::clone(&self.exports));
            let under = SymbolContext { symbols, file, is_of_procedure, exports: &exports };
            match item {
                BodyItem::Export(export) => {
                    Rc::make_mut(&mut self.exports).extend(export.names.iter().cloned());
                }
                BodyItem::Set(symbol) => {
                    let value = unquoted(&resolve(&symbol.value.written, symbols).resolved);
                    Rc::make_mut(symbols).set(&symbol.name, value);
                }
                BodyItem::Step(step) => {
                    let mut step = under.exec(step);
                    step.conditions.splice(0..0, conditions.iter().cloned());
                    let line = scope.line.unwrap_or(step.exec.start());
                    steps.push(CollectedStep { step, line, symbols: Rc::clone(symbols), exports });
                }
                BodyItem::Dd(dd) => {
                    // Before the first step there are only JOBLIB and similar DDs, which belong to no step.
                    let Some(last) = steps.last_mut() else { continue };
                    let dd = under.dd(dd);
                    match last.step.dds.last_mut().filter(|_| dd.name.is_empty()) {
                        Some(before) => before.allocations.extend(dd.allocations),
                        None => last.step.dds.push(dd),
                    }
                }
                BodyItem::Include(include) => {
                    let member = resolve(&include.member.written, symbols).resolved;
                    let line = scope.line.unwrap_or(include.lines.start());
                    let mut conditions = conditions.to_vec();
                    conditions.extend(include.conditions.iter().map(|condition| under.condition(condition)));
                    let Some(found) = self.find(&member) else {
                        self.warn_missing("member", &member, line);
                        continue;
                    };
                    let Some(procedure) = of_library(&found, &member) else { continue };
                    let file = Some(Arc::clone(&found.file));
                    if let Some(inner) = self.enter(scope, file, procedure, line, &member) {
                        self.gather(&procedure.body, &inner, symbols, steps, &conditions);
                    }
                }
            }
        }
    }

    /// Adds a step to the result, or the steps of the procedure that it executes.
    fn execute(&mut self, gathered: CollectedStep, scope: &ExpansionScope, callers: &CallChain) {
        let CollectedStep { mut step, line, symbols, exports } = gathered;
        self.exports = exports;
        let mut callers = callers.clone();
        let Some(name) = step.procedure().map(str::to_owned) else { return self.add(step, callers, line) };
        let library;
        let (procedure, file) = match self.in_stream(&name) {
            Some(procedure) => (procedure, None),
            None => {
                let Some(found) = self.find(&name) else {
                    if procedure_supplier(&name).is_none() {
                        self.warn_missing("procedure", &name, line);
                    }
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
        let inner = ExpansionScope { is_of_procedure: true, ..inner };
        let mut symbols = Rc::new(symbols_for(procedure, &step, &symbols));
        let inner_symbols = Rc::clone(&symbols);
        let mut gathered = Vec::new();
        self.gather(&procedure.body, &inner, &mut symbols, &mut gathered, &[]);
        let of_step = gathered.into_iter().map(|gathered| (gathered.step, (gathered.symbols, gathered.exports)));
        let (mut steps, contexts): (Vec<JobStep>, Vec<_>) = of_step.unzip();
        let declares = |name: &str| procedure.symbols.iter().any(|symbol| symbol.name == name);
        let operands: Vec<_> = step
            .parameters
            .iter()
            .filter(|operand| operand.name.as_deref().is_some_and(|name| !declares(name)))
            .cloned()
            .collect();
        let mut lost = overrides::override_operands(&mut steps, &operands);
        // A symbol without a value outside takes its value in the procedure.
        let overrides =
            std::mem::take(&mut step.dds).into_iter().map(|dd| replace_symbols(dd, &inner_symbols)).collect();
        lost.extend(overrides::override_dds(&mut steps, &step.name, overrides));
        for lost in lost {
            let UnmatchedOverride { what, step, taken_for, lines, file } = lost;
            let line = if file.is_none() { lines.start() } else { line };
            let mut message = format!("`{what}` is for the step `{step}`, which `{name}` does not have");
            if let Some(only) = taken_for {
                message.push_str(&format!(", and is taken as meant for its only step `{only}`"));
            }
            self.warn("override-without-step", line, message);
        }
        callers.given = step.handed_operands().cloned().collect();
        callers.path.push(step.name);
        callers.procedures.push(name);
        callers.called_from.push(JclSpan { file: step.file, lines: step.exec });
        callers.comments.extend(step.comments);
        callers.conditions.extend(step.conditions);
        for (step, (symbols, exports)) in steps.into_iter().zip(contexts) {
            self.execute(CollectedStep { step, line, symbols, exports }, &inner, &callers);
        }
    }

    fn add(&mut self, mut step: JobStep, callers: CallChain, line: LineNumber) {
        if self.is_full() {
            return;
        }
        self.tell_symbols(&step, line);
        let CallChain { mut path, procedures, called_from, comments, given, conditions } = callers;
        path.push(step.name.clone());
        step.conditions.splice(0..0, conditions);
        self.found.steps.push(EffectiveStep {
            step,
            path,
            procedures,
            call_sites: called_from,
            caller_comments: comments,
            given,
        });
    }

    /// Whether the job has the maximum number of steps.
    fn is_full(&mut self) -> bool {
        if self.found.steps.len() >= MOST_STEPS {
            self.fill();
        }
        self.is_full
    }

    /// Reports that expansion stops here.
    fn fill(&mut self) {
        if !std::mem::replace(&mut self.is_full, true) {
            let message = format!(
                "more than {MOST_STEPS} steps, or many times the statements of all members, are put in place: the rest is left out"
            );
            self.found.diagnostics.push(Diagnostic::warning("too-many-steps", None, message));
        }
    }

    /// Finds the procedure of this name in the job's own stream.
    fn in_stream(&self, name: &str) -> Option<&'a Procedure> {
        let is_it = |procedure: &&Procedure| {
            procedure.kind == ProcedureKind::InStream && procedure.name.as_deref() == Some(name)
        };
        self.in_stream.iter().find(is_it)
    }

    fn find(&mut self, name: &str) -> Option<Arc<JclSource>> {
        let found = self.library.find(name, &self.libraries)?;
        if !self.found.files.contains(&found.file) {
            self.found.files.push(Arc::clone(&found.file));
        }
        Some(found)
    }

    fn warn_missing(&mut self, what: &str, name: &str, line: LineNumber) {
        let code = if what == "member" { "missing-member" } else { "missing-procedure" };
        self.warn_of(name, code, line, format!("the {what} `{name}` was not found"));
    }

    /// Returns the scope of a procedure or member, unless it is too deep or already open.
    fn enter(
        &mut self,
        scope: &ExpansionScope,
        file: Option<Arc<str>>,
        procedure: &Procedure,
        line: LineNumber,
        name: &str,
    ) -> Option<ExpansionScope> {
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
        if !self.room.try_take(file.as_deref().unwrap_or_default(), 1 + statements_of(&procedure.body)) {
            self.fill();
            return None;
        }
        let mut chain = scope.chain.clone();
        chain.push(own);
        Some(ExpansionScope { file, is_of_procedure: scope.is_of_procedure, chain, line: Some(line) })
    }

    /// Reports each symbol without a value once.
    fn tell_symbols(&mut self, step: &JobStep, line: LineNumber) {
        let allocations = step.dds.iter().flat_map(|dd| &dd.allocations);
        let operands = step.parameters.iter().chain(allocations.flat_map(|allocation| &allocation.operands));
        for operand in operands {
            let line = if operand.file.is_none() { operand.lines.start() } else { line };
            for name in operand.value.unresolved() {
                if !is_system_symbol(name) && self.reported_symbols.insert(name.to_owned()) {
                    let place = match &operand.file {
                        Some(file) => format!(" on line {} of {file}", operand.lines.start()),
                        None => String::new(),
                    };
                    self.warn("symbol-without-value", line, format!("the symbol `{name}`{place} has no value"));
                }
            }
        }
    }

    /// Warns about a name, once.
    fn warn_of(&mut self, name: &str, code: &'static str, line: LineNumber, message: String) {
        if self.reported_names.insert((code, name.to_owned())) {
            self.warn(code, line, message);
        }
    }

    fn warn(&mut self, code: &'static str, line: LineNumber, message: String) {
        self.found.diagnostics.push(Diagnostic::warning(code, line, message));
    }
}

/// Returns the number of statements in a body.
fn statements_of(body: &JclBody) -> usize {
    let allocations = body.dds.iter().chain(body.steps.iter().flat_map(|step| &step.dds));
    body.steps.len()
        + body.includes.len()
        + body.symbols.len()
        + allocations.map(|dd| dd.allocations.len().max(1)).sum::<usize>()
}

/// Finds the procedure in a member of a library. The member's name decides; among several procedures, the one with that name.
fn of_library<'b>(source: &'b JclSource, name: &str) -> Option<&'b Procedure> {
    let outside = || source.procedures.iter().filter(|procedure| procedure.kind != ProcedureKind::InStream);
    outside().find(|procedure| procedure.name.as_deref() == Some(name)).or_else(|| outside().next())
}

/// Returns the symbols in a procedure: its caller's, overridden by its defaults, overridden by those on EXEC.
fn symbols_for(procedure: &Procedure, step: &JobStep, outer: &Symbols) -> Symbols {
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
    // A default may contain other symbols, in any order on the card.
    for _ in 0..2 {
        for symbol in procedure.symbols.iter().filter(|symbol| !given.contains(&symbol.name)) {
            let value = symbols.replace(&unquoted(&upper(&symbol.value.written)));
            symbols.set(&symbol.name, value);
        }
    }
    symbols
}

#[cfg(test)]
mod tests;
