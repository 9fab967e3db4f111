//! CICS commands that change records of files which the program has not read for update. Source: CICS Transaction Server, API commands, REWRITE.

use super::{FoundHazards, HazardContext, HazardKind};
use crate::model::{ExecBlock, ExecKind};

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let parsed = context.parsed;
    // A macro may read it.
    if parsed.has_macros() {
        return;
    }
    let cics = || parsed.execs.iter().filter(|exec| exec.kind == ExecKind::Cics);
    let has = |exec: &ExecBlock, option: &str| exec.options.iter().any(|(name, _)| name == option);
    let updates: Vec<&ExecBlock> =
        cics().filter(|exec| exec.command.starts_with("READ") && has(exec, "UPDATE")).collect();
    for exec in cics().filter(|exec| exec.command == "REWRITE" && exec.file.is_none()) {
        let Some(file) = exec.resource.as_deref() else { continue };
        // A name in an item may be any file.
        let may_be_it = |read: &&ExecBlock| {
            !read.is_literal || !exec.is_literal || read.resource.as_deref() == exec.resource.as_deref()
        };
        if !updates.iter().any(may_be_it) {
            let kind = HazardKind::RewrittenUnread { command: exec.command.clone(), file: file.to_owned() };
            found.add(kind, exec.program, exec.lines);
        }
    }
}
