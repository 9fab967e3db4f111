//! The programs that the system supplies, and what they do.

use super::model::DdUsage;
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The role of a system program in its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UtilityKind {
    /// It does the work itself, controlled by control statements.
    Utility,
    /// It runs another program.
    Driver,
    /// It sorts, merges and copies.
    Sort,
    /// It manages VSAM datasets and the catalog.
    Idcams,
    /// It translates, binds or links programs.
    Build,
    /// It does nothing: the step exists for its DDs.
    Nothing,
}

/// A program that the system supplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utility {
    /// Its name.
    pub name: &'static str,
    /// Its role in the step.
    pub kind: UtilityKind,
    /// What it does, to follow its name.
    pub does: &'static str,
}

/// The known programs, one in each row. A test reads all of them.
const ROWS: &str = include_str!("utilities.tsv");

/// The known programs by name.
static UTILITIES: LazyLock<HashMap<&str, Utility>> =
    LazyLock::new(|| ROWS.lines().filter_map(read).map(|utility| (utility.name, utility)).collect());

fn read(row: &'static str) -> Option<Utility> {
    let (name, rest) = row.split_once('\t')?;
    let (kind, does) = rest.split_once('\t')?;
    let kind = UtilityKind::deserialize(StrDeserializer::<Error>::new(kind)).ok()?;
    Some(Utility { name, kind, does })
}

/// DDs that contain programs or receive dumps.
const LIBRARIES: [&str; 11] = [
    "STEPLIB", "JOBLIB", "STEPCAT", "JOBCAT", "DFSRESLB", "SYSPROC", "SYSEXEC", "SYSUDUMP", "SYSABEND", "SORTLIB",
    "IMS",
];

/// Whether a DD of this name contains programs or receives dumps, and so no data of the estate.
pub fn is_library(dd: &str) -> bool {
    LIBRARIES.contains(&dd)
}

/// Returns the facts about a program that the system supplies.
pub fn utility(name: &str) -> Option<&'static Utility> {
    UTILITIES.get(name)
}

/// Returns a system program's known usage of a DD of this name: it reads or writes it. None if the usage is unknown or depends on
/// control statements.
pub fn known_usage(program: &str, dd: &str) -> Option<DdUsage> {
    let known = utility(program)?;
    if known.kind == UtilityKind::Nothing {
        return Some(DdUsage::Nothing);
    }
    let (reads, writes): (&[&str], &[&str]) = match (known.kind, known.name) {
        (_, "IEBGENER" | "ICEGENER") => (&["SYSUT1"], &["SYSUT2"]),
        (_, "IEBCOMPR" | "ISRSUPC") => (&["SYSUT1", "SYSUT2", "NEWDD", "OLDDD"], &["OUTDD"]),
        (_, "IEBUPDTE") => (&["SYSUT1"], &["SYSUT2"]),
        (_, "HEWL" | "HEWBLINK" | "HEWLH096" | "HEWLKED" | "IEWL" | "IEWBLINK") => {
            (&["SYSLIN", "SYSLIB"], &["SYSLMOD"])
        }
        (UtilityKind::Build, _) => (&["SYSLIB"], &["SYSLIN", "SYSPUNCH", "SYSCIN", "DBRMLIB"]),
        _ => (&[], &[]),
    };
    match dd {
        _ if reads.contains(&dd) => Some(DdUsage::Read),
        _ if writes.contains(&dd) => Some(DdUsage::Written),
        _ if known.kind == UtilityKind::Sort => usage_by_sort(dd).or_else(|| usage_by_system(dd)),
        _ => usage_by_system(dd),
    }
}

/// Returns the usage of a DD by a program that is not known, if utilities use a DD of this name in one way only.
pub(super) fn usual_usage(dd: &str) -> Option<DdUsage> {
    let by_copy = match dd {
        "SYSUT1" => Some(DdUsage::Read),
        "SYSUT2" => Some(DdUsage::Written),
        _ => None,
    };
    usage_by_sort(dd).or(by_copy).or_else(|| usage_by_system(dd))
}

/// Whether only a sort has a DD of this name.
pub(super) fn is_of_sort(dd: &str) -> bool {
    usage_by_sort(dd).is_some()
}

/// Returns a sort's usage of a DD. SORTIN01 to SORTIN99 are merged; SORTOF01 and similar DDs receive the output of OUTFIL.
fn usage_by_sort(dd: &str) -> Option<DdUsage> {
    let numbered = |stem: &str| dd.strip_prefix(stem).is_some_and(|rest| rest.len() == 2);
    match dd {
        "SORTIN" | "SORTJNF1" | "SORTJNF2" => Some(DdUsage::Read),
        "SORTOUT" | "SORTXSUM" => Some(DdUsage::Written),
        _ if numbered("SORTIN") => Some(DdUsage::Read),
        _ if numbered("SORTOF") => Some(DdUsage::Written),
        _ => None,
    }
}

/// Returns the usage of a DD that has one meaning in every step.
fn usage_by_system(dd: &str) -> Option<DdUsage> {
    match dd {
        "SYSPRINT" | "SYSOUT" | "SYSTSPRT" | "SYSUDUMP" | "SYSABEND" | "CEEDUMP" => Some(DdUsage::Written),
        "STEPLIB" | "JOBLIB" | "SYSIN" | "SYSTSIN" | "TOOLIN" | "SYMNAMES" | "SYSPROC" | "SYSEXEC" => {
            Some(DdUsage::Read)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_of_the_table_is_a_program() {
        let rows: Vec<&str> = ROWS.lines().skip(1).collect();
        assert!(rows.is_sorted());
        for row in &rows {
            assert!(read(row).is_some(), "{row}");
        }
        assert_eq!(UTILITIES.len(), rows.len());
        assert_eq!(utility("PRMBILL"), None);
        assert_eq!(utility("IKJEFT1B").map(|utility| utility.kind), Some(UtilityKind::Driver));
    }

    #[test]
    fn what_utilities_do_with_their_dds_is_known() {
        let check = |program, dd, expected| assert_eq!(known_usage(program, dd), expected, "{program} {dd}");
        check("IEBGENER", "SYSUT1", Some(DdUsage::Read));
        check("IEBGENER", "SYSUT2", Some(DdUsage::Written));
        check("SORT", "SORTIN02", Some(DdUsage::Read));
        check("SORT", "SORTWK01", None);
        check("SORT", "SORTOUT", Some(DdUsage::Written));
        check("IEWL", "SYSLIN", Some(DdUsage::Read));
        check("IGYCRCTL", "SYSLIN", Some(DdUsage::Written));
        check("IEFBR14", "OLD", Some(DdUsage::Nothing));
        check("PRMBILL", "SYSOUT", None);
        assert_eq!(usual_usage("SORTOUT"), Some(DdUsage::Written));
        assert_eq!(usual_usage("ENTRADA"), None);
    }
}
