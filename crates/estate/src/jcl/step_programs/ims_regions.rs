//! Finds the programs that regions of IMS run.

use super::super::control_statements::{StatementPlace, data_lines, unquoted_name};
use super::super::model::JobStep;
use super::super::operands::unquoted;
use super::super::supplied_procedures::region_of;
use super::{ProgramRun, RunMethod};
use war_rig_text::LineRange;

/// The types of IMS region that name a program.
const REGIONS: [&str; 10] = ["DLI", "DBB", "BMP", "BMPNOCAP", "ULU", "UDR", "UPB", "JBP", "JMP", "IFP"];

/// Parses the program in the operands of an IMS region: `DLI,PROGRAM,PSB`. Without a PSB, the program's name is the PSB's; a utility has a
/// database in that position.
pub(super) fn of_operands(text: &str, place: &StatementPlace) -> Option<ProgramRun> {
    let mut fields = text.split(',').map(unquoted_name);
    let region = fields.next().filter(|region| REGIONS.contains(&region.as_str()))?;
    let program = fields.next().filter(|program| !program.is_empty())?;
    let third = fields.next().filter(|third| !third.is_empty());
    let run = ProgramRun::of(&program, RunMethod::ImsRegion, place);
    let (psb, database) = match region.as_str() {
        "ULU" | "UDR" => (None, third),
        _ => (third.or_else(|| Some(program.clone())), None),
    };
    Some(ProgramRun { region: Some(region), psb, database, ..run })
}

/// Returns the program that a procedure of IMS runs: MBR names it, and PSB its PSB.
pub(super) fn of_procedure(step: &JobStep) -> Option<ProgramRun> {
    let region = region_of(step.procedure()?)?;
    let member = step.parameter("MBR")?;
    let psb = step.parameter("PSB").map(|psb| unquoted(&psb.value.resolved)).unwrap_or_default();
    let operands = format!("{region},{},{psb}", unquoted(&member.value.resolved));
    let run = of_operands(&operands, &StatementPlace::of_operand(member))?;
    Some(ProgramRun { driver: Some("DFSRRC00".to_owned()), ..run })
}

/// Returns the program that DSNMTV01 runs: the ninth field of a line in DDITV02, after the plan.
pub(super) fn under_dsnmtv01(step: &JobStep) -> Vec<ProgramRun> {
    let mut found = Vec::new();
    for dd in step.dds.iter().filter(|dd| dd.name == "DDITV02") {
        for (number, line, file) in data_lines(dd, 72) {
            let fields: Vec<String> = line.split(',').map(unquoted_name).collect();
            if let [subsystem, _, _, _, _, _, _, plan, program, ..] = fields.as_slice()
                && !program.is_empty()
            {
                let place = StatementPlace { lines: LineRange::single(number), file: file.cloned() };
                found.push(ProgramRun {
                    plan: Some(plan.clone()).filter(|plan| !plan.is_empty()),
                    subsystem: Some(subsystem.clone()).filter(|name| !name.is_empty()),
                    driver: Some("DSNMTV01".to_owned()),
                    ..ProgramRun::of(program, RunMethod::ImsRegion, &place)
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::check_programs as check;

    #[test]
    fn a_region_runs_its_program_with_a_psb() {
        check(
            "PGM=DFSRRC00,PARM='DLI,LIFREG,LIFPSB,,'",
            "",
            &[
                "DFSRRC00 direct system with DLI,LIFREG,LIFPSB,, @1",
                "LIFREG ims_region driver DFSRRC00 region DLI psb LIFPSB @1",
            ],
        );
        check(
            "PGM=DFSRRC00,\n// PARM=(BMP,LIFREG)",
            "",
            &[
                "DFSRRC00 direct system with BMP,LIFREG @1-2",
                "LIFREG ims_region driver DFSRRC00 region BMP psb LIFREG @2",
            ],
        );
        check(
            "PGM=DFSRRC00,PARM=(ULU,DFSURGU0,LIFEDB)",
            "",
            &[
                "DFSRRC00 direct system with ULU,DFSURGU0,LIFEDB @1",
                "DFSURGU0 ims_region system driver DFSRRC00 region ULU database LIFEDB @1",
            ],
        );
        check("PGM=DFSRRC00,PARM='WHAT,EVER'", "", &["DFSRRC00 direct system with WHAT,EVER @1"]);
        check(
            "PGM=DFSRRC00,PARM='BMP,DSNMTV01,LIFPSB'",
            "//DDITV02 DD *\nDB2P,SYS1,DSNMIN10,,R,-,,LIFPLAN,LIFREG\n/*\n",
            &[
                "DFSRRC00 direct system with BMP,DSNMTV01,LIFPSB @1",
                "DSNMTV01 ims_region system driver DFSRRC00 region BMP psb LIFPSB @1",
                "LIFREG ims_region driver DSNMTV01 plan LIFPLAN in DB2P @3",
            ],
        );
    }

    #[test]
    fn a_procedure_of_ims_runs_the_program_that_its_caller_names() {
        check("DLIBATCH,MBR=IMSB,PSB=PSBB", "", &["IMSB ims_region driver DFSRRC00 region DLI psb PSBB @1"]);
        check("IMSBATCH,\n// MBR='LIFREG'", "", &["LIFREG ims_region driver DFSRRC00 region BMP psb LIFREG @2"]);
        check("DBBBATCH,PSB=PSBB", "", &[]);
        check("OWNPROC,MBR=IMSB,PSB=PSBB", "", &[]);
    }
}
