//! The programs that come with the system, and what they do.

use super::model::Usage;
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

/// In the order of their names, so that they are found by halving.
static UTILITIES: &[Utility] = &[
    of("ADRDSSU", UtilityKind::Utility, "dumps, restores, copies or moves datasets and volumes"),
    of("AMASPZAP", UtilityKind::Utility, "inspects and changes load modules and data in place"),
    of("AMBLIST", UtilityKind::Utility, "lists load modules and object modules"),
    of("AOPBATCH", UtilityKind::Driver, "runs a UNIX command"),
    of("ASMA90", UtilityKind::Build, "assembles"),
    of("BPXBATCH", UtilityKind::Driver, "runs a UNIX command, script or program"),
    of("BPXBATSL", UtilityKind::Driver, "runs a UNIX program in its own address space"),
    of("CCNDRVR", UtilityKind::Build, "compiles C and C++"),
    of("CSQUCVX", UtilityKind::Build, "makes a conversion routine for messages of IBM MQ"),
    of("CSQUTIL", UtilityKind::Utility, "keeps queues and page sets of IBM MQ"),
    of("DFHCSDUP", UtilityKind::Utility, "keeps the resource definitions of CICS"),
    of("DFHEAP1$", UtilityKind::Build, "translates CICS commands in assembler"),
    of("DFHECP1$", UtilityKind::Build, "translates CICS commands in COBOL"),
    of("DFHEPP1$", UtilityKind::Build, "translates CICS commands in PL/I"),
    of("DFHNCMN", UtilityKind::Utility, "is a server of named counters for CICS"),
    of("DFHSIP", UtilityKind::Utility, "is a CICS region"),
    of("DFHSTUP", UtilityKind::Utility, "reports the statistics of CICS"),
    of("DFHXQMN", UtilityKind::Utility, "is a server of shared temporary storage queues for CICS"),
    of("DFSORT", UtilityKind::Sort, "sorts, merges or copies records"),
    of("DFSRRC00", UtilityKind::Driver, "runs a program in a region of IMS"),
    of("DFSUDMP0", UtilityKind::Utility, "takes an image copy of an IMS database"),
    of("DFSURDB0", UtilityKind::Utility, "recovers an IMS database"),
    of("DFSURGL0", UtilityKind::Utility, "reloads an IMS database"),
    of("DFSURGU0", UtilityKind::Utility, "unloads an IMS database"),
    of("DSNHPC", UtilityKind::Build, "precompiles SQL"),
    of("DSNMTV01", UtilityKind::Driver, "runs an IMS program that has a connection to DB2"),
    of("DSNTEP2", UtilityKind::Utility, "runs SQL statements and prints their results"),
    of("DSNTEP4", UtilityKind::Utility, "runs SQL statements and prints their results"),
    of("DSNTIAD", UtilityKind::Utility, "runs SQL statements that return no rows"),
    of("DSNTIAUL", UtilityKind::Utility, "unloads rows of DB2 tables"),
    of(
        "DSNUTILB",
        UtilityKind::Utility,
        "runs utilities of DB2: load, unload, reorganise, copy, collect statistics",
    ),
    of("DSNX9WLM", UtilityKind::Utility, "is an address space for stored procedures of DB2"),
    of("EYU9XDUT", UtilityKind::Utility, "prepares the data repository of the CICSPlex manager"),
    of("EYU9XECS", UtilityKind::Utility, "is a region of the CICSPlex manager"),
    of("EZACFSM1", UtilityKind::Utility, "replaces system symbols in a dataset"),
    of("FDRABR", UtilityKind::Utility, "dumps, restores and archives datasets"),
    of("FDRDSF", UtilityKind::Utility, "dumps and restores datasets"),
    of("FILEAID", UtilityKind::Utility, "copies, selects, edits and prints records"),
    of("FTP", UtilityKind::Utility, "transfers files"),
    of("GIMSMP", UtilityKind::Utility, "installs and maintains software"),
    of("HEWBLINK", UtilityKind::Build, "binds load modules"),
    of("HEWL", UtilityKind::Build, "binds load modules"),
    of("HEWLH096", UtilityKind::Build, "binds load modules"),
    of("HEWLKED", UtilityKind::Build, "binds load modules"),
    of("IBMZPLI", UtilityKind::Build, "compiles PL/I"),
    of("ICEGENER", UtilityKind::Utility, "copies records as the sort does"),
    of("ICEMAN", UtilityKind::Sort, "sorts, merges or copies records"),
    of("ICETOOL", UtilityKind::Sort, "runs several sorts, copies, counts and reports"),
    of("ICKDSF", UtilityKind::Utility, "prepares volumes"),
    of("IDCAMS", UtilityKind::Idcams, "keeps VSAM datasets and the catalog: defines, deletes, copies, lists"),
    of("IEBCOMPR", UtilityKind::Utility, "compares datasets"),
    of("IEBCOPY", UtilityKind::Utility, "copies, merges, compresses and unloads libraries"),
    of("IEBDG", UtilityKind::Utility, "makes test data"),
    of("IEBEDIT", UtilityKind::Utility, "selects steps of jobs and submits them"),
    of("IEBGENER", UtilityKind::Utility, "copies records of one dataset to another"),
    of("IEBPTPCH", UtilityKind::Utility, "prints or punches datasets"),
    of("IEBUPDTE", UtilityKind::Utility, "changes members of a library of source"),
    of(
        "IEFBR14",
        UtilityKind::Nothing,
        "does nothing itself: the system allocates, catalogs or deletes what its DDs name",
    ),
    of("IEHINITT", UtilityKind::Utility, "labels tapes"),
    of("IEHLIST", UtilityKind::Utility, "lists catalogs and directories"),
    of("IEHMOVE", UtilityKind::Utility, "moves or copies datasets"),
    of("IEHPROGM", UtilityKind::Utility, "deletes, renames and catalogs datasets"),
    of("IERRCO00", UtilityKind::Sort, "sorts, merges or copies records"),
    of("IEV90", UtilityKind::Build, "assembles"),
    of("IEWBLINK", UtilityKind::Build, "binds load modules"),
    of("IEWL", UtilityKind::Build, "binds load modules"),
    of("IFASMFDP", UtilityKind::Utility, "dumps records of system management"),
    of("IFHSTATR", UtilityKind::Utility, "reports errors of tapes"),
    of("IFOX00", UtilityKind::Build, "assembles"),
    of("IGYCRCTL", UtilityKind::Build, "compiles COBOL"),
    of("IKFCBL00", UtilityKind::Build, "compiles COBOL"),
    of(
        "IKJEFT01",
        UtilityKind::Driver,
        "runs commands of TSO in batch, programs with a connection to DB2 among them",
    ),
    of(
        "IKJEFT1A",
        UtilityKind::Driver,
        "runs commands of TSO in batch, and ends with the code of the last one or its abend",
    ),
    of(
        "IKJEFT1B",
        UtilityKind::Driver,
        "runs commands of TSO in batch, and ends with the code of the first one that fails",
    ),
    of("IRRADU00", UtilityKind::Utility, "unloads the records of security events"),
    of("IRRDBU00", UtilityKind::Utility, "unloads the database of RACF"),
    of("IRRUT200", UtilityKind::Utility, "copies and checks the database of RACF"),
    of("IRXJCL", UtilityKind::Driver, "runs a REXX program"),
    of("ISRSUPC", UtilityKind::Utility, "compares and searches texts"),
    of("ITPENTER", UtilityKind::Utility, "simulates terminals and networks"),
    of("ITPLL", UtilityKind::Build, "makes scripts of simulated terminals"),
    of("ITPSTL", UtilityKind::Build, "translates scripts of simulated terminals"),
    of("JVMLDM80", UtilityKind::Driver, "runs a Java program"),
    of("JVMLDM86", UtilityKind::Driver, "runs a Java program"),
    of("LOADER", UtilityKind::Driver, "binds a program and runs it"),
    of("PKUNZIP", UtilityKind::Utility, "unpacks archives"),
    of("PKZIP", UtilityKind::Utility, "packs archives"),
    of("SDSF", UtilityKind::Utility, "shows and handles jobs and their output"),
    of("SORT", UtilityKind::Sort, "sorts, merges or copies records"),
    of("SORTD", UtilityKind::Sort, "sorts, merges or copies records"),
    of("SYNCSORT", UtilityKind::Sort, "sorts, merges or copies records"),
    of("SYNCTOOL", UtilityKind::Sort, "runs several sorts, copies, counts and reports"),
    of("XMITIP", UtilityKind::Utility, "sends mail"),
];

/// What is known of a program that comes with the system.
pub fn utility(name: &str) -> Option<&'static Utility> {
    UTILITIES.binary_search_by(|utility| utility.name.cmp(name)).ok().map(|index| &UTILITIES[index])
}

/// What a program of the system is known to do with a DD of this name: it reads it or writes it. None where that is not known, or hangs on
/// its control statements.
pub fn known_usage(program: &str, dd: &str) -> Option<Usage> {
    let known = utility(program)?;
    if known.kind == UtilityKind::Nothing {
        return Some(Usage::Nothing);
    }
    let (reads, writes): (&[&str], &[&str]) = match (known.kind, known.name) {
        (UtilityKind::Sort, _) => (&["SORTIN", "SORTJNF1", "SORTJNF2"], &["SORTOUT", "SORTXSUM"]),
        (_, "IEBGENER" | "ICEGENER") => (&["SYSUT1"], &["SYSUT2"]),
        (_, "IEBCOMPR" | "ISRSUPC") => (&["SYSUT1", "SYSUT2", "NEWDD", "OLDDD"], &["OUTDD"]),
        (_, "IEBUPDTE") => (&["SYSUT1"], &["SYSUT2"]),
        (_, "HEWL" | "HEWBLINK" | "HEWLH096" | "HEWLKED" | "IEWL" | "IEWBLINK") => {
            (&["SYSLIN", "SYSLIB"], &["SYSLMOD"])
        }
        (UtilityKind::Build, _) => (&["SYSLIB"], &["SYSLIN", "SYSPUNCH", "SYSCIN", "DBRMLIB"]),
        _ => (&[], &[]),
    };
    // SORTIN01 to SORTIN99 are merged, SORTOF01 and its like take what OUTFIL says.
    let numbered = |stem: &str| dd.strip_prefix(stem).is_some_and(|rest| rest.len() == 2);
    match dd {
        "SYSPRINT" | "SYSOUT" | "SYSTSPRT" | "SYSUDUMP" | "SYSABEND" | "CEEDUMP" => Some(Usage::Written),
        "STEPLIB" | "JOBLIB" | "SYSIN" | "SYSTSIN" | "TOOLIN" | "SYMNAMES" | "SYSPROC" | "SYSEXEC" => {
            Some(Usage::Read)
        }
        _ if reads.contains(&dd) => Some(Usage::Read),
        _ if writes.contains(&dd) => Some(Usage::Written),
        _ if known.kind == UtilityKind::Sort && numbered("SORTIN") => Some(Usage::Read),
        _ if known.kind == UtilityKind::Sort && numbered("SORTOF") => Some(Usage::Written),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_everything_in_it_is_found() {
        assert!(UTILITIES.is_sorted_by(|a, b| a.name < b.name));
        for known in UTILITIES {
            assert_eq!(utility(known.name), Some(known));
        }
        assert_eq!(utility("PRMBILL"), None);
        assert_eq!(utility("IKJEFT1B").map(|utility| utility.kind), Some(UtilityKind::Driver));
    }

    #[test]
    fn what_utilities_do_with_their_dds_is_known() {
        let check = |program, dd, expected| assert_eq!(known_usage(program, dd), expected, "{program} {dd}");
        check("IEBGENER", "SYSUT1", Some(Usage::Read));
        check("IEBGENER", "SYSUT2", Some(Usage::Written));
        check("SORT", "SORTIN02", Some(Usage::Read));
        check("SORT", "SORTWK01", None);
        check("SORT", "SORTOUT", Some(Usage::Written));
        check("IEWL", "SYSLIN", Some(Usage::Read));
        check("IGYCRCTL", "SYSLIN", Some(Usage::Written));
        check("IEFBR14", "OLD", Some(Usage::Nothing));
        check("PRMBILL", "SYSOUT", None);
    }
}
