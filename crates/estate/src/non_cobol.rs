//! Parses a source that is not COBOL with the parser for its kind.

use crate::bms::{self, BmsSource};
use crate::csd::{self, CsdSource};
use crate::ddl::{self, DdlSource};
use crate::ims::{self, ImsSource};
use crate::jcl::{self, JclSource};
use crate::{AssemblerSource, SourceKind};
use serde::Serialize;
use std::sync::Arc;
use war_rig_cobol::Diagnostic;
use war_rig_text::SourceText;

/// The facts that the parser for its kind found in a source that is not COBOL.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ParsedNonCobol {
    /// Job control.
    Jcl(Arc<JclSource>),
    /// Maps.
    Bms(BmsSource),
    /// CICS definitions.
    Csd(CsdSource),
    /// Tables.
    Ddl(DdlSource),
    /// PSBs and DBDs.
    Ims(ImsSource),
    /// Assembler.
    Assembler(AssemblerSource),
}

impl ParsedNonCobol {
    /// Parses a source of this kind; none for COBOL.
    pub fn parse(kind: SourceKind, source: &SourceText) -> Option<Self> {
        Some(match kind {
            SourceKind::Jcl => ParsedNonCobol::Jcl(Arc::new(jcl::parse(source))),
            SourceKind::Bms => ParsedNonCobol::Bms(bms::parse(source)),
            SourceKind::Csd => ParsedNonCobol::Csd(csd::parse(source)),
            SourceKind::Ddl => ParsedNonCobol::Ddl(ddl::parse(source)),
            SourceKind::Ims => ParsedNonCobol::Ims(ims::parse(source)),
            SourceKind::Assembler => ParsedNonCobol::Assembler(AssemblerSource::read(source)),
            SourceKind::Cobol | SourceKind::Copybook => return None,
        })
    }

    /// Returns the kind of the source.
    pub fn kind(&self) -> SourceKind {
        match self {
            ParsedNonCobol::Jcl(_) => SourceKind::Jcl,
            ParsedNonCobol::Bms(_) => SourceKind::Bms,
            ParsedNonCobol::Csd(_) => SourceKind::Csd,
            ParsedNonCobol::Ddl(_) => SourceKind::Ddl,
            ParsedNonCobol::Ims(_) => SourceKind::Ims,
            ParsedNonCobol::Assembler(_) => SourceKind::Assembler,
        }
    }

    /// Returns errors and notes, in the order of lines.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            ParsedNonCobol::Jcl(found) => &found.diagnostics,
            ParsedNonCobol::Bms(found) => &found.diagnostics,
            ParsedNonCobol::Csd(found) => &found.diagnostics,
            ParsedNonCobol::Ddl(found) => &found.diagnostics,
            ParsedNonCobol::Ims(found) => &found.diagnostics,
            ParsedNonCobol::Assembler(_) => &[],
        }
    }

    /// Whether the source contains nothing of its kind.
    pub fn is_empty(&self) -> bool {
        match self {
            ParsedNonCobol::Jcl(found) => found.jobs.is_empty() && found.procedures.is_empty(),
            ParsedNonCobol::Bms(found) => found.map_sets.is_empty(),
            ParsedNonCobol::Csd(found) => found.definitions.is_empty() && found.commands.is_empty(),
            ParsedNonCobol::Ddl(found) => found.statements.is_empty(),
            ParsedNonCobol::Ims(found) => found.program_specifications.is_empty() && found.databases.is_empty(),
            ParsedNonCobol::Assembler(found) => found.programs.is_empty(),
        }
    }
}
