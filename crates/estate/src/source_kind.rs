//! The kinds of source files.

mod content;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// The kind of a source file, which selects its parser.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SourceKind {
    /// A COBOL program.
    Cobol,
    /// A copybook.
    Copybook,
    /// Job control: jobs, procedures, and members that they include.
    Jcl,
    /// Maps of screens.
    Bms,
    /// Definitions of CICS resources.
    Csd,
    /// Tables of a database.
    Ddl,
    /// IMS: a program specification block, or the description of a database.
    Ims,
    /// Assembler. Only the names of its programs are read.
    #[strum(serialize = "asm")]
    Assembler,
}

impl SourceKind {
    /// Every kind.
    pub const ALL: &[SourceKind] = Self::VARIANTS;

    /// Guesses the kind from the file name's extension; a COBOL program by default.
    pub fn from_file_name(name: &str) -> Self {
        let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        match extension.as_deref() {
            Some("cpy" | "copy" | "cpb" | "cblcpy" | "inc" | "dcl") => SourceKind::Copybook,
            Some("jcl" | "prc" | "proc") => SourceKind::Jcl,
            Some("bms") => SourceKind::Bms,
            Some("csd" | "rdo" | "transaction" | "program" | "urimap") => SourceKind::Csd,
            Some("ddl" | "sql") => SourceKind::Ddl,
            Some("psb" | "dbd" | "pcb") => SourceKind::Ims,
            Some("asm" | "mlc" | "hlasm") => SourceKind::Assembler,
            _ => SourceKind::Cobol,
        }
    }

    /// Returns the name in settings, facts and documents.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether it is COBOL: a program or a copybook.
    pub fn is_cobol(self) -> bool {
        matches!(self, SourceKind::Cobol | SourceKind::Copybook)
    }

    /// Returns the kind in words.
    pub fn in_words(self) -> &'static str {
        match self {
            SourceKind::Cobol => "COBOL",
            SourceKind::Copybook => "copybook",
            SourceKind::Jcl => "JCL",
            SourceKind::Bms => "BMS",
            SourceKind::Csd => "CSD",
            SourceKind::Ddl => "DDL",
            SourceKind::Ims => "IMS",
            SourceKind::Assembler => "assembler",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_its_extension_says() {
        for (name, kind) in [
            ("jcl/POST.JCL", SourceKind::Jcl),
            ("proc/BATCH.prc", SourceKind::Jcl),
            ("bms/MENU.bms", SourceKind::Bms),
            ("cpy/REC.CPY", SourceKind::Copybook),
            ("db/ACCT.ddl", SourceKind::Ddl),
            ("ims/PSBX.PSB", SourceKind::Ims),
            ("COBOL/MEMBER", SourceKind::Cobol),
        ] {
            assert_eq!(SourceKind::from_file_name(name), kind, "{name}");
        }
    }
}
