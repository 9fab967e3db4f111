//! `--changed-since`: finds the sources that have changed, and reports them.

use crate::args::PickArgs;
use crate::failure::Failure;
use crate::git::{Repository, RevisionDiff};
use crate::printer::{Printer, counted};
use crate::settings::SourceSettings;
use crate::sources::{ChangedSources, Inventory};
use war_rig_estate::ChangedFiles;

/// Returns what has changed among the sources and copybooks since the requested revision, if any, and prints what it was compared with.
///
/// # Errors
/// A usage failure when git cannot answer.
pub fn find_changes(
    pick: &PickArgs,
    sources: &Inventory,
    settings: &SourceSettings,
    printer: &Printer,
) -> Result<Option<ChangedFiles>, Failure> {
    let Some(revision) = &pick.changed_since else { return Ok(None) };
    let since = Repository::discover(&sources.base)?.changes_since(revision)?;
    let changed = sources.changes_since(&since, settings, printer);
    say(&since, &changed, printer);
    Ok(Some(changed.changes))
}

fn say(since: &RevisionDiff, changed: &ChangedSources, printer: &Printer) {
    let RevisionDiff { revision, base, .. } = since;
    if changed.changes.is_empty() {
        printer.note(&format!("nothing has changed since `{revision}` ({base})"));
    } else {
        let mut line =
            format!("{} changed since `{revision}` ({base})", counted(changed.changes.files().count(), "file"));
        for (count, what) in [(changed.uncommitted, "not committed"), (changed.untracked, "not known to git")] {
            if count > 0 {
                line.push_str(&format!(", {count} of them {what}"));
            }
        }
        printer.note(&line);
    }
    if since.is_unrelated {
        printer.warn(&format!("`{revision}` and HEAD have no history in common, and are compared as they are"));
    }
    if changed.outside > 0 {
        printer.warn(&format!(
            "{} outside of `{}` counted as not changed, because git does not tell",
            match changed.outside {
                1 => "1 file is".to_owned(),
                count => format!("{count} files are"),
            },
            since.top.display()
        ));
    }
    if changed.has_settings {
        printer
            .warn("war_rig.toml has changed as well; what that changes elsewhere a run without --changed-since brings");
    }
}
