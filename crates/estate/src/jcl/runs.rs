//! Which programs a step runs, and what it tells them in control statements.

use super::model::Step;
use super::utilities::Utility;
use serde::Serialize;
use std::sync::Arc;
use war_rig_text::LineRange;

/// What a step runs, and the control statements that it hands to utilities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runs {
    /// The programs, that of `PGM=` first, then those that it is told to run.
    pub programs: Vec<Run>,
    /// The commands for IDCAMS.
    pub idcams: Vec<IdcamsCommand>,
    /// The statements for a sort.
    pub sort: Vec<SortStatement>,
}

impl Runs {
    /// The programs that are neither utilities nor drivers: those of the estate itself, as far as the table of utilities reaches.
    pub fn applications(&self) -> impl Iterator<Item = &Run> {
        self.programs.iter().filter(|run| run.utility.is_none())
    }
}

/// How a program comes to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunHow {
    /// `EXEC PGM=`.
    Direct,
    /// `RUN PROGRAM(X)` under the DSN command of DB2.
    Db2Run,
    /// CALL of a terminal monitor program.
    TsoCall,
    /// A REXX program or CLIST.
    Script,
    /// A region of IMS.
    ImsRegion,
}

impl RunHow {
    /// The name as documents and JSON spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            RunHow::Direct => "direct",
            RunHow::Db2Run => "db2_run",
            RunHow::TsoCall => "tso_call",
            RunHow::Script => "script",
            RunHow::ImsRegion => "ims_region",
        }
    }
}

/// A program that a step runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The program.
    pub program: String,
    /// How it comes to be run.
    pub how: RunHow,
    /// What is known of it where it is a utility or a driver.
    pub utility: Option<&'static Utility>,
    /// The driver that runs it; none where it is the program of `PGM=`.
    pub driver: Option<String>,
    /// The plan of DB2.
    pub plan: Option<String>,
    /// The subsystem of DB2.
    pub subsystem: Option<String>,
    /// The type of IMS region: `DLI`, `BMP`.
    pub region: Option<String>,
    /// The PSB of IMS.
    pub psb: Option<String>,
    /// The library that it is taken from, where the statement names one.
    pub library: Option<String>,
    /// What is handed to it: the text of PARM or PARMS.
    pub parameters: Option<String>,
    /// The lines of the statement that names it.
    pub lines: LineRange,
    /// The file it stands in.
    pub file: Option<Arc<str>>,
}

/// A command for IDCAMS.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IdcamsCommand {
    /// `DEFINE`, `DELETE`, `REPRO`, `ALTER`, `LISTCAT`, never abbreviated.
    pub verb: String,
    /// What is defined or deleted, never abbreviated: `CLUSTER`, `ALTERNATEINDEX`, `PATH`, `GENERATIONDATAGROUP`.
    pub object: Option<String>,
    /// The names it is about: NAME, or what DELETE and its like list.
    pub names: Vec<String>,
    /// The cluster of an alternate index (RELATE), or the entry of a path (PATHENTRY).
    pub related: Option<String>,
    /// `INDEXED`, `NONINDEXED`, `NUMBERED` or `LINEAR`.
    pub organization: Option<String>,
    /// The length and the offset of the key, in bytes.
    pub keys: Option<(u32, u32)>,
    /// The average and the largest length of a record, in bytes.
    pub record_size: Option<(u32, u32)>,
    /// The DDs that are read.
    pub input_dds: Vec<String>,
    /// The datasets that are read.
    pub input_datasets: Vec<String>,
    /// The DDs that are written.
    pub output_dds: Vec<String>,
    /// The datasets that are written.
    pub output_datasets: Vec<String>,
    /// The command as written, single blanks between its words.
    pub text: String,
    /// Its lines.
    pub lines: Option<LineRange>,
    /// The file it stands in.
    pub file: Option<Arc<str>>,
}

/// A control statement of a sort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortStatement {
    /// The DD whose data it stands in.
    pub dd: String,
    /// `SORT`, `MERGE`, `OPTION`, `INCLUDE`, `OMIT`, `SUM`, `INREC`, `OUTREC`, `OUTFIL`, and ICETOOL's operators.
    pub verb: String,
    /// What stands behind it, without continuation and comments.
    pub operands: String,
    /// Its lines.
    pub lines: LineRange,
    /// The file it stands in.
    pub file: Option<Arc<str>>,
}

/// What a step runs. The symbols that it has are taken as they are: hand in a step of
/// [`EffectiveSteps`](super::EffectiveSteps) to have procedures and symbols seen through.
pub fn runs(step: &Step) -> Runs {
    let _ = step;
    Runs::default()
}
