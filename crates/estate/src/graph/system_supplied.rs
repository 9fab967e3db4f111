//! Nodes that a system supplies, so that no estate defines them.

use super::node::{NodeId, NodeKind};
use crate::jcl::utility;

/// Prefixes of program names with their system, from IBM's manuals for that system.
const BEGINNINGS: [(&str, &str); 14] = [
    ("CEE", "Language Environment"),
    ("IGZ", "the COBOL run-time system"),
    ("ILBO", "the COBOL run-time system"),
    ("DFHEI", "CICS"),
    ("DFHCSDUP", "CICS"),
    ("DSN", "DB2"),
    ("CSQ", "MQ"),
    ("EZA", "Communications Server"),
    ("IKJ", "TSO"),
    ("IRX", "REXX"),
    ("ISR", "ISPF"),
    ("ISP", "ISPF"),
    ("CBL_", "Micro Focus COBOL"),
    ("DFSRRC", "IMS"),
];

/// Whole program names.
const NAMES: [(&str, &str); 33] = [
    ("CBLTDLI", "IMS"),
    ("AIBTDLI", "IMS"),
    ("CEETDLI", "IMS"),
    ("AERTDLI", "IMS"),
    ("DFSDDLT0", "IMS"),
    ("MQCONN", "MQ"),
    ("MQCONNX", "MQ"),
    ("MQDISC", "MQ"),
    ("MQOPEN", "MQ"),
    ("MQCLOSE", "MQ"),
    ("MQGET", "MQ"),
    ("MQPUT", "MQ"),
    ("MQPUT1", "MQ"),
    ("MQINQ", "MQ"),
    ("MQSET", "MQ"),
    ("MQCMIT", "MQ"),
    ("MQBACK", "MQ"),
    ("IDCAMS", "z/OS"),
    ("SORT", "DFSORT"),
    ("ICEMAN", "DFSORT"),
    ("DFSORT", "DFSORT"),
    ("SYNCSORT", "Syncsort"),
    ("ICETOOL", "DFSORT"),
    ("IEBGENER", "z/OS"),
    ("IEBCOPY", "z/OS"),
    ("IEBUPDTE", "z/OS"),
    ("IEBPTPCH", "z/OS"),
    ("IEFBR14", "z/OS"),
    ("IEHPROGM", "z/OS"),
    ("ADRDSSU", "z/OS"),
    ("AMASPZAP", "z/OS"),
    ("SDSF", "SDSF"),
    ("FTP", "Communications Server"),
];

/// Copybooks that come with CICS, DB2, MQ and Language Environment.
const COPYBOOKS: [(&str, &str); 16] = [
    ("DFHAID", "CICS"),
    ("DFHBMSCA", "CICS"),
    ("DFHEIBLK", "CICS"),
    ("DFHMSRCA", "CICS"),
    ("SQLCA", "DB2"),
    ("SQLDA", "DB2"),
    ("CMQV", "MQ"),
    ("CMQODV", "MQ"),
    ("CMQMDV", "MQ"),
    ("CMQGMOV", "MQ"),
    ("CMQPMOV", "MQ"),
    ("CMQTML", "MQ"),
    ("CMQCFV", "MQ"),
    ("CMQXV", "MQ"),
    ("CEEIGZCT", "Language Environment"),
    ("CEEIGZTD", "Language Environment"),
];

/// Transient data queues that CICS itself defines, in its groups DFHDCTG and DFHDCTL.
const QUEUES: [&str; 18] = [
    "CADL", "CAIL", "CCPI", "CCSE", "CCSI", "CCSO", "CDBC", "CDUL", "CESE", "CESO", "CKQQ", "CPLI", "CRDI", "CRPO",
    "CSCS", "CSDL", "CSMT", "CSSL",
];

/// Schemas of the catalog of DB2.
const SCHEMAS: [&str; 4] = ["SYSIBM", "SYSCAT", "SYSFUN", "SYSPROC"];

/// Returns the system that supplies a program of this upper-case name.
pub fn supplying_system(program: &str) -> Option<&'static str> {
    let whole = NAMES.iter().find(|(name, _)| *name == program);
    let beginning = || BEGINNINGS.iter().find(|(beginning, _)| program.starts_with(beginning));
    let listed = whole.or_else(beginning).map(|(_, system)| *system);
    listed.or_else(|| utility(program).map(|_| "the system"))
}

/// Returns the system that supplies a node.
pub fn supplier_of_node(id: &NodeId) -> Option<&'static str> {
    match id.kind {
        NodeKind::Program => supplying_system(&id.name),
        NodeKind::Copybook => COPYBOOKS.iter().find(|(name, _)| **name == *id.name).map(|(_, system)| *system),
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
