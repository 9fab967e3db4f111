//! The procedures of an estate, by the names of their members.

use super::survey::Survey;
use crate::jcl::{JclSource, ProcedureLibrary};
use crate::source_kind::member_name;
use std::collections::HashMap;
use std::sync::Arc;

/// The members of an estate that hold procedures, or statements that jobs include.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProcedureIndex {
    members: HashMap<String, Arc<JclSource>>,
}

impl ProcedureIndex {
    /// The members among surveyed sources. Of two with one name the first in order is taken; in which library of the system a
    /// file would lie, its name does not say.
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
