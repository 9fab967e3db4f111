//! Programs under the names of their load modules, which need not be those of PROGRAM-ID: the binder names a module, and so does the file of the source.

use super::Survey;
use super::node::{NodeId, NodeKind};
use crate::jcl::{JclSource, JobStep};
use foldhash::HashMap;
use war_rig_text::member_name;

/// The programs that are known by another name, by that name; none where several programs have it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ModuleNames {
    programs: HashMap<String, Option<NodeId>>,
}

impl ModuleNames {
    /// Collects the names: first those under which jobs bind what they compile, then those of the files.
    pub(super) fn of(surveys: &[Survey]) -> Self {
        let of_files = Self::of_files(surveys);
        let defined = surveys.iter().flat_map(|survey| &survey.declared).map(|declared| &declared.id);
        let defined: HashMap<&str, &NodeId> =
            defined.filter(|id| id.kind == NodeKind::Program).map(|id| (&*id.name, id)).collect();
        let program = |member: &str| defined.get(member).copied().or_else(|| of_files.program(member));
        let mut found = Self::default();
        for jcl in surveys.iter().filter_map(|survey| survey.jcl.as_deref()) {
            for (program, module) in bound_modules(jcl, program) {
                found.add(module, program);
            }
        }
        for (name, program) in of_files.programs {
            found.programs.entry(name).or_insert(program);
        }
        found
    }

    fn of_files(surveys: &[Survey]) -> Self {
        let mut found = Self::default();
        for survey in surveys.iter().filter(|survey| survey.kind.is_cobol()) {
            let Some(first) = survey.declared.iter().find(|declared| declared.id.kind == NodeKind::Program) else {
                continue;
            };
            let member = member_name(&survey.file);
            found.add(member.split('.').next().unwrap_or_default(), &first.id);
            // A file may have the name of a data set.
            if member.matches('.').count() >= 2 {
                found.add(member.rsplit('.').next().unwrap_or_default(), &first.id);
            }
        }
        found
    }

    fn add(&mut self, name: &str, program: &NodeId) {
        let known = self.programs.entry(name.to_uppercase()).or_insert_with(|| Some(program.clone()));
        if known.as_ref() != Some(program) {
            *known = None;
        }
    }

    /// Returns the only program that is known by a name in upper case.
    pub(super) fn program(&self, name: &str) -> Option<&NodeId> {
        self.programs.get(name)?.as_ref()
    }
}

/// Returns the programs that jobs compile, each with the module that the binder makes of it: the DD SYSIN names the one, SYSLMOD behind it the other. Where
/// several are compiled before one is bound, the last of them is. The SYSIN of a binder names no program.
fn bound_modules<'a>(
    jcl: &'a JclSource,
    program: impl Fn(&str) -> Option<&'a NodeId>,
) -> impl Iterator<Item = (&'a NodeId, &'a str)> {
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
