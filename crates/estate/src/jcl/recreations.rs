//! Finds what a job deletes only to define it anew.

use super::expansion::EffectiveStep;
use super::model::IfCondition;
use super::step_programs::{StepPrograms, step_programs};
use foldhash::HashMap;

/// The conditions of IF that a command is under: those of its step, then its own.
type CommandConditions<'a> = (&'a [IfCondition], Vec<IfCondition>);

/// Returns the programs of each step of a job. Its commands for IDCAMS say what a later one defines anew: under the same conditions, or under none.
pub fn programs_of_steps(steps: &[EffectiveStep]) -> Vec<StepPrograms> {
    let mut all: Vec<StepPrograms> = steps.iter().map(|effective| step_programs(&effective.step)).collect();
    let mut defined: HashMap<String, Vec<CommandConditions<'_>>> = HashMap::default();
    for (runs, effective) in all.iter_mut().zip(steps).rev() {
        let around = effective.step.conditions.as_slice();
        for command in runs.idcams.iter_mut().rev() {
            match command.verb.as_str() {
                "DEFINE" => {
                    if let Some(name) = command.names.first() {
                        let conditions = (around, command.conditions.clone());
                        defined.entry(name.to_uppercase()).or_default().push(conditions);
                    }
                }
                "DELETE" => {
                    let follows = |(step, own): &CommandConditions<'_>| {
                        step.is_empty() && own.is_empty() || *step == around && *own == command.conditions
                    };
                    let later = |name: &&String| defined.get(&name.to_uppercase());
                    let is_recreated = |name: &&String| later(name).is_some_and(|found| found.iter().any(follows));
                    command.recreated = command.names.iter().filter(is_recreated).cloned().collect();
                }
                _ => {}
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::{NoProcedures, parse};
    use super::*;
    use war_rig_text::{ReadOptions, SourceText};

    /// Returns the names that the job deletes to define them anew.
    fn recreated(statements: &str) -> Vec<String> {
        let job = format!("//J JOB 1\n{statements}");
        let source = SourceText::read("J.jcl", job.into(), &ReadOptions::default()).unwrap();
        let jcl = parse(&source);
        let steps = jcl.expansion(&NoProcedures).job(&jcl.jobs[0]).steps;
        programs_of_steps(&steps)
            .into_iter()
            .flat_map(|runs| runs.idcams)
            .flat_map(|command| command.recreated)
            .collect()
    }

    fn step(commands: &str) -> String {
        format!("//A EXEC PGM=IDCAMS\n//SYSIN DD *\n{commands}/*\n")
    }

    #[test]
    fn what_is_defined_behind_its_delete_is_defined_anew() {
        let (delete, define) = (step(" DELETE X.D\n"), step(" DEFINE CLUSTER (NAME(X.D))\n"));
        assert_eq!(recreated(&format!("{delete}{define}")), ["X.D"]);
        assert_eq!(recreated(&step(" DELETE X.D\n DEFINE CLUSTER (NAME(X.D))\n")), ["X.D"]);
        assert_eq!(recreated(&format!("{define}{delete}")), [""; 0]);
        assert_eq!(recreated(&format!("{delete}{define}{delete}")), ["X.D"]);
    }

    #[test]
    fn a_branch_that_does_not_delete_defines_nothing_anew() {
        let (delete, define) = (step(" DELETE X.D\n"), step(" DEFINE CLUSTER (NAME(X.D))\n"));
        let begin = "// IF S.RC = 0 THEN\n";
        assert_eq!(recreated(&format!("{begin}{delete}// ELSE\n{define}// ENDIF\n")), [""; 0]);
        assert_eq!(recreated(&format!("{delete}{begin}{define}// ENDIF\n")), [""; 0]);
        assert_eq!(recreated(&format!("{begin}{delete}{define}// ENDIF\n")), ["X.D"]);
        assert_eq!(recreated(&format!("{begin}{delete}// ENDIF\n{define}")), ["X.D"]);
        assert_eq!(recreated(&step(" DELETE X.D\n IF LASTCC = 0 THEN DEFINE CLUSTER (NAME(X.D))\n")), [""; 0]);
        assert_eq!(recreated(&step(" IF LASTCC = 0 THEN DELETE X.D\n DEFINE CLUSTER (NAME(X.D))\n")), ["X.D"]);
    }

    #[test]
    fn a_generation_is_not_its_base() {
        let define = " DEFINE GDG (NAME(X.GDG) LIMIT(5))\n";
        assert_eq!(recreated(&step(&format!(" DELETE X.GDG(0)\n{define}"))), [""; 0]);
        assert_eq!(recreated(&step(&format!(" DELETE X.GDG GDG FORCE\n{define}"))), ["X.GDG"]);
    }
}
