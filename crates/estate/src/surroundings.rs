//! A source that is no COBOL, read by the reader for its kind.

use crate::bms::{self, BmsSource};
use crate::csd::{self, CsdSource};
use crate::ddl::{self, DdlSource};
use crate::ims::{self, ImsSource};
use crate::jcl::{self, JclSource};
use crate::{Assembler, SourceKind};
use serde::Serialize;
use std::sync::Arc;
use war_rig_cobol::Diagnostic;
use war_rig_text::SourceText;

/// What the reader for its kind found in a source that is no COBOL.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Surroundings {
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
    Assembler(Assembler),
}

impl Surroundings {
    /// Reads a source of this kind; none for COBOL.
    pub fn read(kind: SourceKind, source: &SourceText) -> Option<Self> {
        Some(match kind {
            SourceKind::Jcl => Surroundings::Jcl(Arc::new(jcl::read(source))),
            SourceKind::Bms => Surroundings::Bms(bms::parse(source)),
            SourceKind::Csd => Surroundings::Csd(csd::parse(source)),
            SourceKind::Ddl => Surroundings::Ddl(ddl::parse(source)),
            SourceKind::Ims => Surroundings::Ims(ims::parse(source)),
            SourceKind::Assembler => Surroundings::Assembler(Assembler::read(source)),
            SourceKind::Cobol | SourceKind::Copybook => return None,
        })
    }

    /// What it is.
    pub fn kind(&self) -> SourceKind {
        match self {
            Surroundings::Jcl(_) => SourceKind::Jcl,
            Surroundings::Bms(_) => SourceKind::Bms,
            Surroundings::Csd(_) => SourceKind::Csd,
            Surroundings::Ddl(_) => SourceKind::Ddl,
            Surroundings::Ims(_) => SourceKind::Ims,
            Surroundings::Assembler(_) => SourceKind::Assembler,
        }
    }

    /// What went wrong or deserves notice, in the order of lines.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Surroundings::Jcl(found) => &found.diagnostics,
            Surroundings::Bms(found) => &found.diagnostics,
            Surroundings::Csd(found) => &found.diagnostics,
            Surroundings::Ddl(found) => &found.diagnostics,
            Surroundings::Ims(found) => &found.diagnostics,
            Surroundings::Assembler(_) => &[],
        }
    }

    /// Whether nothing was found that its kind of source would have.
    pub fn is_empty(&self) -> bool {
        match self {
            Surroundings::Jcl(found) => found.jobs.is_empty() && found.procedures.is_empty(),
            Surroundings::Bms(found) => found.map_sets.is_empty(),
            Surroundings::Csd(found) => found.definitions.is_empty() && found.commands.is_empty(),
            Surroundings::Ddl(found) => found.statements.is_empty(),
            Surroundings::Ims(found) => found.program_specifications.is_empty() && found.databases.is_empty(),
            Surroundings::Assembler(found) => found.programs.is_empty(),
        }
    }
}
