//! Facts of JCL sources: jobs, procedures, steps, DDs, and what really runs.
//!
//! [`parse`] returns the facts of one file. [`JclSource::expansion`] returns what a job runs after its procedures, found in a
//! [`ProcedureLibrary`], are expanded and overridden. [`step_programs`] returns the programs that a step runs, including those that
//! utilities and drivers start.
//!
//! Any input yields the facts that were understood and diagnostics for the rest. Time grows with the size of the source, and no input
//! deepens a recursion.

mod back_references;
mod comments;
mod control_statements;
mod db2_utilities;
mod dd;
mod dd_usages;
mod expansion;
mod facts;
mod handed_words;
mod idcams;
mod model;
mod operands;
mod overrides;
mod parser;
mod recreations;
mod scanner;
mod serialized;
mod sort;
mod step_programs;
mod submissions;
mod supplied_procedures;
mod symbols;
#[cfg(test)]
mod testing;
mod utilities;
mod values;

pub use db2_utilities::Db2Statement;
pub use dd_usages::{DdAccess, is_library, is_shared_library};
pub use expansion::{EffectiveStep, EffectiveSteps, JclExpansion, JclSpan, NoProcedures, ProcedureLibrary};
pub use handed_words::HandedWord;
pub use idcams::{ClusterProperty, IdcamsCommand, KeyPlace, RecordSize};
pub use model::{
    Allocation, AllocationKind, Dd, DdUsage, Disposition, ExecTarget, IfCondition, InStreamData, Include, JclBody,
    JclComment, JclOperand, JclSource, JesControl, Job, JobStep, Procedure, ProcedureKind, Symbol, SymbolExport,
    SymbolicText, UnreadStatements,
};
pub use operands::{list as elements, split_at_commas};
pub use recreations::programs_of_steps;
pub use sort::{SortOperand, SortStatement};
pub use step_programs::{BindCommand, ProgramRun, RunMethod, StepPrograms, TsoCommand, step_programs};
pub use submissions::{Submission, SubmittedStatements, submissions, submitting_dds};
pub use supplied_procedures::procedure_supplier;
pub use utilities::{Utility, UtilityKind, utility};

use war_rig_text::SourceText;

/// Parses a JCL source.
///
/// ```
/// use war_rig_estate::jcl::{NoProcedures, parse};
/// use war_rig_text::{ReadOptions, SourceText};
///
/// let job = "//NIGHT JOB (4711),'BILLS'\n//BILL EXEC PGM=PRMBILL\n//RATECARD DD DSN=TMA.RATECARD,DISP=SHR\n";
/// let source = SourceText::read("NIGHT.jcl", job.into(), &ReadOptions::default()).unwrap();
/// let jcl = parse(&source);
/// let steps = jcl.expansion(&NoProcedures).job(&jcl.jobs[0]).steps;
/// assert_eq!(steps[0].step.program(), Some("PRMBILL"));
/// assert_eq!(steps[0].step.dds[0].lines.start().get(), 3);
/// ```
pub fn parse(source: &SourceText) -> JclSource {
    parser::parse_source(source)
}
