//! The procedures that products of IBM supply.

/// The procedures by the product that supplies them, from the manuals of each.
const SUPPLIED: [(&str, &[&str]); 11] = [
    (
        "IMS",
        &[
            "ACBGEN", "CBLTDLI", "DBBBATCH", "DBDGEN", "DBRC", "DFSMPR", "DLIBATCH", "DLISAS", "FPUTIL", "IMSBATCH",
            "IMSBATGO", "IMSCOBGO", "IMSCOBOL", "IMSFP", "IMSMSG", "IMSPLI", "IMSPLIGO", "IMSRDR", "MFSBTCH1",
            "MFSBTCH2", "MFSRVC", "MFSUTL", "PSBGEN", "RDIBATCH",
        ],
    ),
    (
        "Enterprise COBOL",
        &[
            "IGYQC", "IGYQCB", "IGYQCBG", "IGYWC", "IGYWCG", "IGYWCL", "IGYWCLG", "IGYWCPG", "IGYWCPL", "IGYWCPLG",
            "IGYWPL",
        ],
    ),
    ("VS COBOL", &["COB2UC", "COB2UCG", "COB2UCL", "COB2UCLG", "COBUC", "COBUCG", "COBUCL", "COBUCLG"]),
    (
        "CICS",
        &[
            "DFHASMVS", "DFHBMSUP", "DFHEBTAL", "DFHEBTPL", "DFHEBTVL", "DFHEITAL", "DFHEITCL", "DFHEITPL", "DFHEITVL",
            "DFHEXTAL", "DFHEXTPL", "DFHEXTVL", "DFHJS2LS", "DFHLNKVS", "DFHLS2JS", "DFHLS2SC", "DFHLS2WS", "DFHMAPS",
            "DFHMAPT", "DFHSC2LS", "DFHWS2LS", "DFHYBTPL", "DFHYBTVL", "DFHYITDL", "DFHYITEL", "DFHYITFL", "DFHYITGL",
            "DFHYITPL", "DFHYITVL", "DFHYXTDL", "DFHYXTEL", "DFHYXTPL", "DFHYXTVL", "DFHZITCL", "DFHZITDL", "DFHZITEL",
            "DFHZITFL", "DFHZITGL", "DFHZITPL", "DFHZXTCL",
        ],
    ),
    ("High Level Assembler", &["ASMAC", "ASMACG", "ASMACL", "ASMACLG", "HLASMC", "HLASMCG", "HLASMCL", "HLASMCLG"]),
    ("the assembler", &["ASMFC", "ASMFCG", "ASMFCL", "ASMFCLG", "ASMHC", "ASMHCG", "ASMHCL", "ASMHCLG"]),
    (
        "DB2",
        &[
            "DSNHASM", "DSNHASMH", "DSNHC", "DSNHCOB", "DSNHCOB2", "DSNHCPP", "DSNHCPP2", "DSNHFOR", "DSNHICB2",
            "DSNHICOB", "DSNHPLI", "DSNHSQL", "DSNUPROC",
        ],
    ),
    (
        "C/C++",
        &[
            "CBCB", "CBCBG", "CBCC", "CBCCB", "CBCCBG", "CBCCL", "CBCCLG", "EDCB", "EDCBG", "EDCC", "EDCCB", "EDCCBG",
            "EDCCL", "EDCCLG", "EDCCLIB", "EDCLIB", "EDCPL",
        ],
    ),
    ("PL/I", &["IBMZC", "IBMZCB", "IBMZCBG", "IBMZCG", "IBMZCPG", "IBMZCPL", "IEL1C", "IEL1CG", "IEL1CL", "IEL1CLG"]),
    ("Language Environment", &["CEEWG", "CEEWL", "CEEWLG"]),
    ("DFSORT", &["SORT", "SORTD"]),
];

/// The procedures that run the program of MBR under the PSB of PSB, with the type of their IMS region.
const REGIONS: [(&str, &str); 4] = [("DBBBATCH", "DBB"), ("DLIBATCH", "DLI"), ("IMSBATCH", "BMP"), ("IMSFP", "IFP")];

/// Returns the product that supplies a procedure of this upper-case name.
pub fn procedure_supplier(name: &str) -> Option<&'static str> {
    SUPPLIED.iter().find(|(_, names)| names.contains(&name)).map(|(product, _)| *product)
}

/// Returns the type of IMS region in which a supplied procedure runs the program that MBR names.
pub(super) fn region_of(procedure: &str) -> Option<&'static str> {
    REGIONS.iter().find(|(name, _)| *name == procedure).map(|(_, region)| *region)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_supplied_procedure_stands_in_one_row() {
        let mut names: Vec<&str> = SUPPLIED.iter().flat_map(|(_, names)| *names).copied().collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert_eq!(procedure_supplier("DFHZITCL"), Some("CICS"));
        assert_eq!(procedure_supplier("MYPROC"), None);
        assert!(REGIONS.iter().all(|(name, _)| procedure_supplier(name) == Some("IMS")));
    }
}
