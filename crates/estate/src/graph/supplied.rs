//! Programs that no estate has to bring, because a system does.

/// Names of programs by their beginnings, with the system they belong to; as IBM's books of that system name them.
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

/// Programs by their whole names.
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

/// The system that brings a program of this name; the name is in upper case.
pub fn supplied_by(program: &str) -> Option<&'static str> {
    let whole = NAMES.iter().find(|(name, _)| *name == program);
    let beginning = || BEGINNINGS.iter().find(|(beginning, _)| program.starts_with(beginning));
    whole.or_else(beginning).map(|(_, system)| *system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_known_by_the_names_of_its_programs() {
        assert_eq!(supplied_by("CEEDAYS"), Some("Language Environment"));
        assert_eq!(supplied_by("CBLTDLI"), Some("IMS"));
        assert_eq!(supplied_by("SORT"), Some("DFSORT"));
        assert_eq!(supplied_by("SORTCUST"), None);
        assert_eq!(supplied_by("POLINQ"), None);
    }
}
