//! What a step does with a DD. All pages and the graph ask [`StepPrograms::usage`] and [`StepPrograms::access`].

use super::model::{Allocation, DdUsage};
use super::step_programs::StepPrograms;
use super::utilities::{Utility, UtilityKind};

/// DDs that contain programs or receive dumps.
const LIBRARIES: [&str; 11] = [
    "STEPLIB", "JOBLIB", "STEPCAT", "JOBCAT", "DFSRESLB", "SYSPROC", "SYSEXEC", "SYSUDUMP", "SYSABEND", "SORTLIB",
    "IMS",
];

/// DDs of libraries of programs and copybooks: all jobs share these, so they show no order of jobs.
const SHARED_LIBRARIES: [&str; 4] = ["STEPLIB", "JOBLIB", "SYSLIB", "SYSLMOD"];

/// What reads and writes DDs of some names. A `#` stands for any one character.
struct DdRules {
    reads: &'static [&'static str],
    writes: &'static [&'static str],
    /// DDs that are read and written, or whose direction control statements decide.
    either: &'static [&'static str],
}

/// The DDs of single programs, from the manuals of their products.
const OF_PROGRAMS: [(&[&str], DdRules); 11] = [
    (
        &["HEWL", "HEWBLINK", "HEWLH096", "HEWLKED", "IEWL", "IEWBLINK", "LOADER"],
        DdRules { reads: &["SYSLIN", "SYSLIB"], writes: &["SYSLMOD", "SYSDEFSD", "SYSLOUT"], either: &[] },
    ),
    (
        &["IEBCOMPR", "ISRSUPC"],
        DdRules { reads: &["SYSUT1", "SYSUT2", "NEWDD", "OLDDD"], writes: &["OUTDD"], either: &[] },
    ),
    (&["AMBLIST"], DdRules { reads: &["SYSLIB"], writes: &[], either: &[] }),
    (&["IEHMOVE"], DdRules { reads: &[], writes: &[], either: &["SYSUT1"] }),
    (&["IRRUT200"], DdRules { reads: &["SYSRACF"], writes: &["SYSUT1", "SYSUT2"], either: &[] }),
    (&["IRRDBU00"], DdRules { reads: &["INDD#"], writes: &["OUTDD"], either: &[] }),
    (&["DFSURGU0"], DdRules { reads: &[], writes: &["DFSURGU#"], either: &[] }),
    (&["DFSURGL0"], DdRules { reads: &["DFSUINPT"], writes: &[], either: &[] }),
    (&["DFSUDMP0"], DdRules { reads: &[], writes: &["DATAOUT#"], either: &[] }),
    (&["DSNTIAUL"], DdRules { reads: &[], writes: &["SYSREC##"], either: &[] }),
    // SYSREC is input of LOAD and output of UNLOAD; the others are work files.
    (&["DSNUTILB"], DdRules { reads: &[], writes: &["SYSDISC"], either: &["SYSREC", "SYSUT1", "SORTOUT"] }),
];

/// The DDs of each kind of program.
const OF_KINDS: [(UtilityKind, DdRules); 3] = [
    // OUTFIL writes SORTOF01 and similar DDs.
    (UtilityKind::Sort, SORT),
    // SYSUT1 and its like are work files.
    (
        UtilityKind::Build,
        DdRules { reads: &["SYSLIB"], writes: &["SYSLIN", "SYSCIN", "DBRMLIB", "SYSGO"], either: &[] },
    ),
    // BIND reads it.
    (UtilityKind::Driver, DdRules { reads: &["DBRMLIB"], writes: &[], either: &[] }),
];

const SORT: DdRules = DdRules {
    reads: &["SORTIN", "SORTIN#", "SORTIN##", "SORTJNF1", "SORTJNF2"],
    writes: &["SORTOUT", "SORTOUT#", "SORTOF##", "SORTXSUM"],
    either: &[],
};

/// The DDs that utilities use in one way, but for those of the tables above.
const OF_UTILITIES: DdRules =
    DdRules { reads: &["SYSUT1", "INFILE", "FILEIN"], writes: &["SYSUT2", "OUTFILE", "FILEOUT"], either: &[] };

/// The DDs of a procedure that was not found: of copies, compilers and linkers.
const OF_PROCEDURES: DdRules =
    DdRules { reads: &["SYSUT1", "SYSLIB"], writes: &["SYSUT2", "SYSCIN", "DBRMLIB"], either: &[] };

/// The DDs that have one meaning in every program.
const OF_ALL: DdRules = DdRules {
    reads: &["STEPLIB", "JOBLIB", "SYSIN", "SYSTSIN", "TOOLIN", "SYMNAMES", "SYSPROC", "SYSEXEC"],
    writes: &[
        "SYSPRINT", "SYSOUT", "SYSTSPRT", "SYSUDUMP", "SYSABEND", "SYSMDUMP", "CEEDUMP", "SYSTERM", "SYSDBOUT",
        "SYSPUNCH", "SYSLMOD", "SYSADATA", "SYSDEBUG", "TOOLMSG", "DFSMSG",
    ],
    either: &[],
};

impl DdRules {
    /// Returns the usage of a DD; the inner one is none if it is not known whether the DD is read or written.
    fn usage(&self, dd: &str) -> Option<Option<DdUsage>> {
        let has = |names: &[&str]| names.iter().any(|name| is_like(dd, name));
        match () {
            () if has(self.reads) => Some(Some(DdUsage::Read)),
            () if has(self.writes) => Some(Some(DdUsage::Written)),
            () if has(self.either) => Some(None),
            () => None,
        }
    }
}

fn is_like(dd: &str, pattern: &str) -> bool {
    dd.len() == pattern.len() && dd.bytes().zip(pattern.bytes()).all(|(byte, wanted)| wanted == b'#' || byte == wanted)
}

/// Whether a DD of this name contains programs or receives dumps, and so no data of the estate.
pub fn is_library(dd: &str) -> bool {
    LIBRARIES.contains(&dd)
}

/// Whether a DD of this name is a library of programs or copybooks. What one job adds to it is no input of another one.
pub fn is_shared_library(dd: &str) -> bool {
    SHARED_LIBRARIES.contains(&dd)
}

/// Whether only a sort has a DD of this name.
pub(super) fn is_of_sort(dd: &str) -> bool {
    SORT.usage(dd).is_some()
}

/// The access of a step to what a DD allocates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DdAccess {
    /// It reads it.
    pub reads: bool,
    /// It creates, extends or writes it.
    pub writes: bool,
    /// A normal end of the step deletes what existed before.
    pub deletes: bool,
    /// Whether only `DISP=SHR` suggests that it reads.
    pub is_guess: bool,
}

impl DdAccess {
    /// Returns the access as letters of `CRUD`.
    pub fn letters(self) -> String {
        let all = [('C', self.writes), ('R', self.reads), ('D', self.deletes)];
        all.iter().filter(|(_, is_so)| *is_so).map(|(letter, _)| *letter).collect()
    }
}

impl StepPrograms {
    /// Returns the step's usage of a DD of this name, according to its control statements, its programs, or the name if all programs use
    /// such a DD in one way. None if that is unknown, and only DISP gives a hint.
    pub fn known_usage(&self, dd: &str) -> Option<DdUsage> {
        if self.written_by_command.contains(dd) {
            return Some(DdUsage::Written);
        }
        if self.read_by_command.contains(dd) {
            return Some(DdUsage::Read);
        }
        let by_program = self.programs.iter().filter_map(|run| run.utility).find_map(|known| usage_by(known, dd));
        let by_procedure = || {
            let rules = [SORT, OF_PROCEDURES];
            self.is_procedure.then(|| rules.iter().find_map(|rules| rules.usage(dd))).flatten()
        };
        let by_utility = || {
            let kind = self.without_exits().last()?.utility?.kind;
            (kind != UtilityKind::Build)
                .then(|| [SORT, OF_UTILITIES].iter().find_map(|rules| rules.usage(dd)))
                .flatten()
        };
        by_program.or_else(by_procedure).or_else(by_utility).or_else(|| OF_ALL.usage(dd)).flatten()
    }

    /// Returns the step's usage of what a DD of this name allocates: the known one, else that of DISP.
    pub fn usage(&self, dd: &str, allocation: &Allocation) -> DdUsage {
        match (allocation.usage, self.known_usage(dd)) {
            (DdUsage::Nothing, _) => DdUsage::Nothing,
            // The system creates it, whatever the program does.
            (DdUsage::Created, Some(DdUsage::Nothing)) => DdUsage::Created,
            // What DISP=NEW makes has no records to read, whatever the DD is called.
            (DdUsage::Created, Some(DdUsage::Read)) if allocation.disposition.is_some() => DdUsage::Created,
            (_, Some(known)) => known,
            (by_disp, None) => by_disp,
        }
    }

    /// Returns the step's access to what a DD of this name allocates.
    pub fn access(&self, dd: &str, allocation: &Allocation) -> DdAccess {
        let usage = self.usage(dd, allocation);
        // One command may read what another one writes.
        let is_input = self.read_by_command.contains(dd);
        DdAccess {
            reads: matches!(usage, DdUsage::Read | DdUsage::Shared)
                || is_input && !matches!(usage, DdUsage::Nothing | DdUsage::Created),
            writes: matches!(usage, DdUsage::Created | DdUsage::Extended | DdUsage::Written),
            deletes: allocation.is_deleted() && allocation.usage != DdUsage::Created,
            is_guess: usage == DdUsage::Shared,
        }
    }
}

fn usage_by(known: &Utility, dd: &str) -> Option<Option<DdUsage>> {
    if known.kind == UtilityKind::Nothing {
        return Some(Some(DdUsage::Nothing));
    }
    let of_program = OF_PROGRAMS.iter().filter(|(names, _)| names.contains(&known.name)).map(|(_, rules)| rules);
    let of_kind = OF_KINDS.iter().filter(|(kind, _)| *kind == known.kind).map(|(_, rules)| rules);
    of_program.chain(of_kind).find_map(|rules| rules.usage(dd))
}

#[cfg(test)]
mod tests {
    use super::super::step_programs::step_programs;
    use super::super::testing::stepping;
    use super::super::utilities::utility;
    use super::*;

    fn check(executes: &str, dd: &str, expected: Option<DdUsage>) {
        let found = step_programs(&stepping(executes, "")).known_usage(dd);
        assert_eq!(found, expected, "{executes} {dd}");
    }

    const READ: Option<DdUsage> = Some(DdUsage::Read);
    const WRITTEN: Option<DdUsage> = Some(DdUsage::Written);

    #[test]
    fn what_programs_of_the_system_do_with_their_dds_is_known() {
        check("PGM=IEBGENER", "SYSUT1", READ);
        check("PGM=IEBGENER", "SYSUT2", WRITTEN);
        check("PGM=IEBCOPY", "SYSUT2", WRITTEN);
        check("PGM=IEBCOMPR", "SYSUT2", READ);
        check("PGM=IRRUT200", "SYSUT1", WRITTEN);
        check("PGM=IEHMOVE", "SYSUT1", None);
        check("PGM=DSNUTILB", "SORTOUT", None);
        check("PGM=SORT", "SORTIN02", READ);
        check("PGM=SORT", "SORTJNF1", READ);
        check("PGM=SORT", "SORTWK01", None);
        check("PGM=SORT", "SORTOUT", WRITTEN);
        check("PGM=IEWL", "SYSLIN", READ);
        check("PGM=IEWBLINK", "SYSLMOD", WRITTEN);
        check("PGM=IGYCRCTL", "SYSLIN", WRITTEN);
        check("PGM=IGYCRCTL", "SYSLIB", READ);
        check("PGM=IGYCRCTL", "SYSUT1", None);
        check("PGM=AMASPZAP", "SYSLIB", None);
        check("PGM=IEFBR14", "OLD", Some(DdUsage::Nothing));
        check("PGM=DFSRRC00,PARM='ULU,DFSURGU0,DB'", "DFSURGU1", WRITTEN);
    }

    #[test]
    fn a_name_with_one_meaning_is_known_in_every_program() {
        check("PGM=PRMBILL", "SYSOUT", WRITTEN);
        check("PGM=PRMBILL", "SYSPUNCH", WRITTEN);
        check("PGM=PRMBILL", "SYSIN", READ);
        check("PGM=PRMBILL", "SYSUT1", None);
        check("PGM=PRMBILL", "SORTIN", None);
        check("SOMEPROC", "SORTOUT", WRITTEN);
        check("SOMEPROC", "SYSUT1", READ);
        check("SOMEPROC", "SYSLMOD", WRITTEN);
        check("SOMEPROC", "ENTRADA", None);
    }

    #[test]
    fn every_program_of_the_table_is_one_of_the_system() {
        for name in OF_PROGRAMS.iter().flat_map(|(names, _)| *names) {
            assert!(utility(name).is_some(), "{name}");
        }
    }

    #[test]
    fn an_allocation_is_used_as_its_program_does_else_as_disp_says() {
        let check = |executes, dd: &str, letters: &str, is_guess| {
            let step = stepping(
                executes,
                &format!("//{dd}\n//SYSIN DD *\n REPRO INFILE(A) OUTFILE(B)\n REPRO INFILE(B) OUTFILE(C)\n/*\n"),
            );
            let found = step_programs(&step).access(&step.dds[0].name, &step.dds[0].allocations[0]);
            assert_eq!((found.letters().as_str(), found.is_guess), (letters, is_guess), "{executes} {dd}");
        };
        check("PGM=IEWL", "SYSLMOD DD DSN=X,DISP=SHR", "C", false);
        check("PGM=SORT", "SORTIN DD DSN=X,DISP=(OLD,DELETE)", "RD", false);
        check("PGM=SORT", "SORTIN DD DUMMY,DSN=X", "", false);
        check("PGM=IDCAMS", "B DD DSN=X,DISP=SHR", "CR", false);
        check("SOMEPROC", "SYSUT1 DD DSN=X,DISP=(,CATLG,DELETE)", "C", false);
        check("PGM=SORT", "SORTIN DD DSN=X,DISP=(NEW,CATLG)", "C", false);
        check("PGM=SORT", "SORTIN DD DSN=X", "R", false);
        check("PGM=OWN", "DATA DD DSN=X,DISP=SHR", "R", true);
        check("PGM=OWN", "DATA DD DSN=X,DISP=OLD", "", false);
        check("PGM=IEFBR14", "DATA DD DSN=X,DISP=(,CATLG)", "C", false);
        let cards = "//TOOLIN DD *\n COPY FROM(A) TO(T)\n COPY FROM(T) TO(B)\n/*\n//A DD DSN=X,DISP=OLD\n//T DD DSN=Y,DISP=MOD\n//B DD DSN=Z,DISP=OLD\n";
        let step = stepping("PGM=ICETOOL", cards);
        let runs = step_programs(&step);
        let letters = step.dds[1..].iter().map(|dd| runs.access(&dd.name, &dd.allocations[0]).letters());
        assert_eq!(letters.collect::<Vec<_>>(), ["R", "CR", "C"]);
        check("PGM=IEFBR14", "DATA DD DSN=X,DISP=(MOD,DELETE)", "D", false);
    }
}
