//! The programs that the system supplies, and what they do.

use foldhash::HashMap;
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};
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
    /// It copies SYSUT1 to SYSUT2, as it is unless control statements say otherwise.
    Copy,
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

/// Returns the facts about a program that the system supplies.
pub fn utility(name: &str) -> Option<&'static Utility> {
    UTILITIES.get(name)
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
}
