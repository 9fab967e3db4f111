//! What the whole site needs to know of each document before any of its pages is made.

use serde::Deserialize;
use serde::de::IgnoredAny;
use war_rig_catalogue::RowKind;
use war_rig_site::ProgramLinks;
use war_rig_text::ContentHash;

/// The part of a document that is read first.
#[derive(Debug, Deserialize)]
pub(super) struct DocumentHead {
    header: HeaderHead,
    #[serde(default)]
    programs: Vec<ProgramHead>,
    #[serde(default)]
    called_programs: Vec<CallHead>,
    #[serde(default)]
    calling_context: ContextHead,
    #[serde(default)]
    business_rules: Vec<IgnoredAny>,
    #[serde(default)]
    error_handling: Vec<IgnoredAny>,
    #[serde(default)]
    hazards: Vec<IgnoredAny>,
    #[serde(default)]
    open_questions: Vec<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
struct HeaderHead {
    source_hash: ContentHash,
}

#[derive(Debug, Deserialize)]
struct ProgramHead {
    program_id: String,
}

#[derive(Debug, Deserialize)]
struct CallHead {
    program_name: String,
    #[serde(default)]
    call_type: String,
    #[serde(default)]
    may_call: Vec<String>,
    #[serde(default)]
    program: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct ContextHead {
    #[serde(default)]
    run_by: Vec<RunHead>,
}

#[derive(Debug, Deserialize)]
struct RunHead {
    kind: String,
    name: String,
}

impl DocumentHead {
    /// Returns the hash of the source that the document was made from.
    pub(super) fn source_hash(&self) -> ContentHash {
        self.header.source_hash
    }

    /// Returns the names of its programs.
    pub(super) fn programs(&self) -> Vec<String> {
        self.programs.iter().map(|program| program.program_id.clone()).collect()
    }

    /// Returns the kinds of texts that it has and that the site lists.
    pub(super) fn lists(&self) -> impl Iterator<Item = RowKind> {
        let has = [
            (RowKind::Rules, self.business_rules.is_empty()),
            (RowKind::Errors, self.error_handling.is_empty()),
            (RowKind::Hazards, self.hazards.is_empty()),
            (RowKind::Questions, self.open_questions.is_empty()),
        ];
        has.into_iter().filter(|(_, is_empty)| !is_empty).map(|(kind, _)| kind)
    }

    /// Returns what its programs call, and what starts them. What starts a source starts its first program.
    pub(super) fn links(&self) -> impl Iterator<Item = ProgramLinks> {
        self.programs.iter().enumerate().map(|(at, program)| {
            let is_own = |call: &&CallHead| match &call.program {
                Some(owner) => *owner == program.program_id,
                None => at == 0,
            };
            let callees = |call: &CallHead| -> Vec<(String, String)> {
                let names =
                    if call.may_call.is_empty() { vec![call.program_name.clone()] } else { call.may_call.clone() };
                names.into_iter().map(|name| (name, call.call_type.clone())).collect()
            };
            let started_by = self.calling_context.run_by.iter().filter(|_| at == 0);
            ProgramLinks {
                program: program.program_id.clone(),
                calls: self.called_programs.iter().filter(is_own).flat_map(callees).collect(),
                started_by: started_by.map(|run| format!("{} {}", run.kind, run.name)).collect(),
            }
        })
    }
}
