//! The programs that come with the system, and what they do.

use serde::Serialize;

/// What a program of the system is to the step that runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UtilityKind {
    /// It does the work itself, told by control statements.
    Utility,
    /// It runs another program.
    Driver,
    /// It sorts, merges and copies.
    Sort,
    /// It keeps VSAM datasets and the catalog.
    Idcams,
    /// It translates, binds or links programs.
    Build,
    /// It does nothing: the step is there for its DDs.
    Nothing,
}

/// A program that comes with the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Utility {
    /// Its name.
    pub name: &'static str,
    /// What it is to the step.
    pub kind: UtilityKind,
    /// What it does, to stand behind its name.
    pub does: &'static str,
}

const fn of(name: &'static str, kind: UtilityKind, does: &'static str) -> Utility {
    Utility { name, kind, does }
}

/// In the order of the alphabet, so that they are found by halving.
static UTILITIES: &[Utility] = &[
    of("ADRDSSU", UtilityKind::Utility, "dumps, restores, copies or moves datasets and volumes"),
    of("AMASPZAP", UtilityKind::Utility, "inspects and changes load modules and data in place"),
    of("AOPBATCH", UtilityKind::Utility, "runs a UNIX command"),
    of("ARCUTIL", UtilityKind::Utility, "reports on what hierarchical storage management holds"),
    of("ASMA90", UtilityKind::Build, "assembles"),
    of("BPXBATCH", UtilityKind::Driver, "runs a UNIX command, script or program"),
    of("BPXBATSL", UtilityKind::Driver, "runs a UNIX program in its own address space"),
    of("CEEDOPT", UtilityKind::Utility, "sets options of the run-time environment"),
    of("CSQUTIL", UtilityKind::Utility, "keeps queues and page sets of IBM MQ"),
    of("DFHCSDUP", UtilityKind::Utility, "keeps the definitions of CICS"),
    of("DFHECP1$", UtilityKind::Build, "translates CICS commands in COBOL"),
    of("DFHLS2WS", UtilityKind::Build, "makes a web service description from a language structure"),
    of("DFHMEU", UtilityKind::Utility, "edits messages of CICS"),
    of("DFHSIP", UtilityKind::Utility, "starts a CICS region"),
    of("DFHSTUP", UtilityKind::Utility, "reports the statistics of CICS"),
    of("DFHXQMN", UtilityKind::Utility, "starts a server of shared temporary storage queues"),
    of("DFSRRC00", UtilityKind::Driver, "runs a program in a region of IMS"),
    of("DFSUDMP0", UtilityKind::Utility, "takes an image copy of an IMS database"),
    of("DFSURGL0", UtilityKind::Utility, "reloads an IMS database"),
    of("DFSURGU0", UtilityKind::Utility, "unloads an IMS database"),
    of("DFSURDB0", UtilityKind::Utility, "recovers an IMS database"),
    of("DSNMTV01", UtilityKind::Driver, "runs an IMS program with a connection to DB2"),
    of("DSNTEP2", UtilityKind::Utility, "runs SQL statements and prints their results"),
    of("DSNTEP4", UtilityKind::Utility, "runs SQL statements and prints their results"),
    of("DSNTIAD", UtilityKind::Utility, "runs SQL statements that return no rows"),
    of("DSNTIAUL", UtilityKind::Utility, "unloads rows of DB2 tables"),
    of(
        "DSNUTILB",
        UtilityKind::Utility,
        "runs DB2 utilities: load, unload, reorganise, copy, collect statistics",
    ),
];

/// What is known of a program that comes with the system.
pub fn utility(name: &str) -> Option<&'static Utility> {
    UTILITIES.binary_search_by(|utility| utility.name.cmp(name)).ok().map(|index| &UTILITIES[index])
}
