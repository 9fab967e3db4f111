//! Programs under the names of their load modules, which need not be those of PROGRAM-ID: the binder names a module, and so does the file of the source.

use super::Survey;
use super::node::{NodeId, NodeKind};
use super::program_names::{ProgramNames, steps_between};
use crate::jcl::{JclSource, JobStep};
use foldhash::HashMap;
use std::sync::Arc;
use war_rig_text::member_name;

/// The programs that are known by another name, by that name, each with the file of its source.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ModuleNames {
    programs: HashMap<String, Vec<(Arc<str>, NodeId)>>,
}

impl ModuleNames {
    /// Collects the names: first those under which jobs bind what they compile, then those of the files.
    pub(super) fn of(surveys: &[Survey], names: &ProgramNames) -> Self {
        let of_files = Self::of_files(surveys, names);
        let defined =
            surveys.iter().flat_map(|survey| survey.declared.iter().map(move |found| (&survey.file, &found.id)));
        let defined: HashMap<&str, (&Arc<str>, &NodeId)> =
            defined.filter(|(_, id)| id.kind == NodeKind::Program).map(|(file, id)| (&*id.name, (file, id))).collect();
        let mut found = Self::default();
        for survey in surveys {
            let program = |member: &str| match defined.get(member) {
                Some((_, id)) => Some(names.meant(&survey.file, id)),
                None => of_files.program(&survey.file, member).cloned(),
            };
            for (program, module) in survey.jcl.iter().flat_map(|jcl| bound_modules(jcl, program)) {
                let of_name = defined.get(program.plain_name());
                let mut files = of_name.into_iter().flat_map(|(_, id)| names.files(id));
                let own = files.find(|(_, node)| **node == program).map(|(file, _)| file);
                let file = own.or(of_name.map(|(file, _)| *file)).unwrap_or(&survey.file);
                found.add(module, file, &program);
            }
        }
        for (name, programs) in of_files.programs {
            found.programs.entry(name).or_insert(programs);
        }
        found
    }

    fn of_files(surveys: &[Survey], names: &ProgramNames) -> Self {
        let mut found = Self::default();
        for survey in surveys.iter().filter(|survey| survey.kind.is_cobol()) {
            let Some(first) = survey.declared.iter().find(|declared| declared.id.kind == NodeKind::Program) else {
                continue;
            };
            let member = member_name(&survey.file);
            let program = names.defined(&survey.file, &first.id);
            found.add(member.split('.').next().unwrap_or_default(), &survey.file, &program);
            // A file may have the name of a data set.
            if member.matches('.').count() >= 2 {
                found.add(member.rsplit('.').next().unwrap_or_default(), &survey.file, &program);
            }
        }
        found
    }

    fn add(&mut self, name: &str, file: &Arc<str>, program: &NodeId) {
        let known = self.programs.entry(name.to_uppercase()).or_default();
        if known.iter().all(|(_, other)| other != program) {
            known.push((Arc::clone(file), program.clone()));
        }
    }

    /// Returns the program that a file means by a name in upper case: the only one that is known by it, or of several of one name the nearest.
    pub(super) fn program(&self, file: &str, name: &str) -> Option<&NodeId> {
        let known = self.programs.get(name)?;
        let (_, first) = known.first()?;
        let are_one = known.iter().all(|(_, program)| program.plain_name() == first.plain_name());
        let nearest = known.iter().min_by_key(|(other, _)| steps_between(file, other));
        nearest.map(|(_, program)| program).filter(|_| are_one)
    }
}

/// Returns the programs that jobs compile, each with the module that the binder makes of it: the DD SYSIN names the one, SYSLMOD behind it the other. Where
/// several are compiled before one is bound, the last of them is. The SYSIN of a binder names no program.
fn bound_modules(jcl: &JclSource, program: impl Fn(&str) -> Option<NodeId>) -> impl Iterator<Item = (NodeId, &str)> {
    let mut found = Vec::new();
    for job in &jcl.jobs {
        let mut source = None;
        for step in &job.body.steps {
            let (read, module) = (member(step, "SYSIN"), member(step, "SYSLMOD"));
            let compiled = read.and_then(&program);
            // A binder reads its own cards.
            source = if module.is_some() || read.is_none() { compiled.or(source) } else { compiled };
            if let Some(module) = module {
                found.extend(source.take().map(|source| (source, module)));
            }
        }
    }
    found.into_iter()
}

fn member<'a>(step: &'a JobStep, dd: &str) -> Option<&'a str> {
    let of_name = step.dds.iter().filter(|found| found.name == dd);
    of_name.flat_map(|dd| &dd.allocations).find_map(|allocation| allocation.member.as_deref())
}
