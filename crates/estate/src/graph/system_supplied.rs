//! Nodes that a system supplies, so that no estate defines them.

use super::node::{NodeId, NodeKind};
use crate::jcl::{procedure_supplier, utility};

/// Prefixes of program names by their system, from IBM's manuals for that system.
const BEGINNINGS: &[(&str, &[&str])] = &[
    ("Language Environment", &["CEE"]),
    ("the COBOL run-time system", &["IGZ", "ILBO"]),
    ("CICS", &["DFHEI", "DFHCSDUP"]),
    ("DB2", &["DSN"]),
    ("MQ", &["CSQ"]),
    ("Communications Server", &["EZA"]),
    ("TSO", &["IKJ"]),
    ("REXX", &["IRX"]),
    ("ISPF", &["ISR", "ISP"]),
    ("the COBOL run-time system", &["CBL_", "C$"]),
    ("IMS", &["DFSRRC"]),
];

/// Whole program names, likewise.
const NAMES: &[(&str, &[&str])] = &[
    ("IMS", &["CBLTDLI", "AIBTDLI", "CEETDLI", "AERTDLI", "DFSDDLT0"]),
    (
        "MQ",
        &[
            "MQCONN", "MQCONNX", "MQDISC", "MQOPEN", "MQCLOSE", "MQGET", "MQPUT", "MQPUT1", "MQINQ", "MQSET", "MQCMIT",
            "MQBACK",
        ],
    ),
    ("z/OS", &["IDCAMS", "IEBGENER", "IEBCOPY", "IEBUPDTE", "IEBPTPCH", "IEFBR14", "IEHPROGM", "ADRDSSU", "AMASPZAP"]),
    ("DFSORT", &["SORT", "ICEMAN", "DFSORT", "ICETOOL"]),
    ("Syncsort", &["SYNCSORT"]),
    ("SDSF", &["SDSF"]),
    // The routine of Micro Focus COBOL, GnuCOBOL and ACUCOBOL that runs a command.
    ("the COBOL run-time system", &["SYSTEM"]),
    ("Communications Server", &["FTP"]),
];

/// Copybooks that come with CICS, DB2, MQ and Language Environment.
const COPYBOOKS: &[(&str, &[&str])] = &[
    ("CICS", &["DFHAID", "DFHBMSCA", "DFHEIBLK", "DFHMSRCA"]),
    ("DB2", &["SQLCA", "SQLDA"]),
    ("MQ", &["CMQV", "CMQODV", "CMQMDV", "CMQGMOV", "CMQPMOV", "CMQTML", "CMQCFV", "CMQXV"]),
    ("Language Environment", &["CEEIGZCT", "CEEIGZTD"]),
];

/// Transient data queues that CICS itself defines, in its groups DFHDCTG and DFHDCTL.
const QUEUES: [&str; 18] = [
    "CADL", "CAIL", "CCPI", "CCSE", "CCSI", "CCSO", "CDBC", "CDUL", "CESE", "CESO", "CKQQ", "CPLI", "CRDI", "CRPO",
    "CSCS", "CSDL", "CSMT", "CSSL",
];

/// Schemas of the catalog of DB2.
const SCHEMAS: [&str; 4] = ["SYSIBM", "SYSCAT", "SYSFUN", "SYSPROC"];

/// Returns the first system of a table that has a name for which this is true.
fn system_of(table: &[(&'static str, &[&str])], is_it: impl Fn(&str) -> bool) -> Option<&'static str> {
    table.iter().find(|(_, names)| names.iter().any(|name| is_it(name))).map(|(system, _)| *system)
}

/// Returns the system that supplies a program of this upper-case name.
pub fn supplying_system(program: &str) -> Option<&'static str> {
    system_of(NAMES, |name| name == program)
        .or_else(|| system_of(BEGINNINGS, |beginning| program.starts_with(beginning)))
        .or_else(|| utility(program).map(|_| "the system"))
}

/// Returns the system that supplies a node.
pub fn supplier_of_node(id: &NodeId) -> Option<&'static str> {
    match id.kind {
        NodeKind::Program => supplying_system(&id.name),
        NodeKind::Procedure => procedure_supplier(&id.name),
        NodeKind::Copybook => system_of(COPYBOOKS, |name| name == &*id.name),
        NodeKind::Queue => QUEUES.contains(&id.name.as_ref()).then_some("CICS"),
        NodeKind::Table => {
            let schema = id.name.split_once('.').map(|(schema, _)| schema)?;
            SCHEMAS.contains(&schema).then_some("DB2")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_known_by_the_names_of_its_programs() {
        assert_eq!(supplying_system("CEEDAYS"), Some("Language Environment"));
        assert_eq!(supplying_system("CBLTDLI"), Some("IMS"));
        assert_eq!(supplying_system("SORT"), Some("DFSORT"));
        assert_eq!(supplying_system("SORTCUST"), None);
        assert_eq!(supplying_system("POLINQ"), None);
    }
}
