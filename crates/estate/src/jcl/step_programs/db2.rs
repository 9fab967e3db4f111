//! Finds the utilities of DB2 that a step runs, and their statements.

use super::super::control_statements::{StatementPlace, unquoted_name};
use super::super::db2_utilities;
use super::super::model::{JclOperand, JobStep};
use super::super::operands::list;
use super::{ProgramRun, RunMethod, StepPrograms};

/// Whether a program is a utility of DB2.
pub(super) fn is_utility(program: &str) -> bool {
    db2_utilities::PROGRAMS.contains(&program)
}

/// Returns the program that the procedure for utilities of DB2 runs. SYSTEM or the first field of PARM is the subsystem.
pub(super) fn of_procedure(step: &JobStep) -> Option<ProgramRun> {
    step.procedure().filter(|procedure| *procedure == "DSNUPROC")?;
    let subsystem = step.parameter("SYSTEM").or_else(|| step.parameter("PARM")).and_then(subsystem_in);
    Some(ProgramRun { subsystem, ..ProgramRun::of("DSNUTILB", RunMethod::Direct, &StatementPlace::of_exec(step)) })
}

/// Returns the subsystem of DB2 that an operand names first.
pub(super) fn subsystem_in(operand: &JclOperand) -> Option<String> {
    let values = list(&operand.value.resolved);
    let first = values.first()?.split(',').next()?;
    Some(unquoted_name(first)).filter(|name| !name.is_empty())
}

/// Adds the statements for a utility of DB2.
pub(super) fn add_statements(step: &JobStep, runs: &mut StepPrograms) {
    let is_utility = runs.programs.iter().any(|run| is_utility(&run.program));
    let is_unknown = runs.sort.is_empty() && runs.programs.iter().all(|run| run.utility.is_none());
    if is_utility || is_unknown {
        let found = db2_utilities::statements(step);
        // Many sites unload tables by a program or procedure of their own.
        if is_utility || db2_utilities::are_unloads(&found) {
            runs.db2 = found;
        }
    }
}
