//! The procedures of an estate, by member name.

use super::survey::Survey;
use crate::jcl::{JclSource, ProcedureLibrary};
use foldhash::{HashMap, HashMapExt};
use std::sync::Arc;
use war_rig_text::member_name;

/// The members of an estate that contain procedures, or statements that jobs include.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProcedureIndex {
    members: HashMap<String, Arc<JclSource>>,
}

impl ProcedureIndex {
    /// Indexes the members among surveyed sources. If two have one name, the first in order wins: a file name does not show
    /// which library of the system the file belongs to.
    pub(super) fn of<'a>(surveys: impl IntoIterator<Item = &'a Survey>) -> Self {
        let mut members = HashMap::new();
        for survey in surveys {
            if let Some(jcl) = survey.jcl.as_ref().filter(|jcl| jcl.has_procedure()) {
                members.entry(member_name(&survey.file).to_uppercase()).or_insert_with(|| Arc::clone(jcl));
            }
        }
        Self { members }
    }
}

impl ProcedureLibrary for ProcedureIndex {
    fn find(&self, name: &str, _libraries: &[String]) -> Option<Arc<JclSource>> {
        self.members.get(&name.to_uppercase()).map(Arc::clone)
    }
}
