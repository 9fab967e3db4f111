//! `index.md`: the first page of an estate's documentation.

use crate::output::OutputFolder;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use war_rig_estate::EstateGraph;
use war_rig_pool::{TicketReport, TicketState};
use war_rig_template::{escape_prose, escape_target};

/// The page: every program and copybook with its document, what was passed over, and what is missing.
pub fn page(reports: &[TicketReport], graph: &EstateGraph) -> String {
    let mut page = String::from("# Documentation\n\n");
    let documented: Vec<_> =
        reports.iter().filter_map(|report| Some((report, report.documented.as_ref()?))).collect();
    let (programs, copybooks): (Vec<_>, Vec<_>) =
        documented.into_iter().partition(|(_, document)| !document.programs.is_empty());
    let lines: u64 = programs.iter().chain(&copybooks).map(|(_, document)| u64::from(document.lines)).sum();
    let count: usize = programs.iter().map(|(_, document)| document.programs.len()).sum();
    line(&mut page, &format!("{count} programs and {} copybooks, {lines} lines.", copybooks.len()));
    if !programs.is_empty() {
        page.push_str(
            "\n## Programs\n\n| program | type | what for | lines | called by | source |\n|---|---|---|---|---|---|\n",
        );
        for (report, document) in &programs {
            let callers = if document.called_by.is_empty() {
                "-".to_owned()
            } else {
                escape_prose(&document.called_by.join(", "))
            };
            let file = report.ticket.file();
            let partial = if report.ticket.state() == TicketState::Partial { " (partial)" } else { "" };
            let kind = escape_prose(&document.program_type);
            line(
                &mut page,
                &format!(
                    "| [{}]({}){partial} | {kind} | {} | {} | {callers} | {} |",
                    escape_prose(&document.programs.join(", ")),
                    link(file),
                    escape_prose(&document.purpose),
                    document.lines,
                    escape_prose(file)
                ),
            );
        }
    }
    if !copybooks.is_empty() {
        page.push_str("\n## Copybooks\n\n| copybook | lines |\n|---|---|\n");
        for (report, document) in &copybooks {
            let file = report.ticket.file();
            line(&mut page, &format!("| [{}]({}) | {} |", escape_prose(file), link(file), document.lines));
        }
    }
    if !graph.calls.is_empty() {
        page.push_str("\n## Calls\n\n");
        page.push_str(&drawing(graph));
        page.push_str("| program | calls | how |\n|---|---|---|\n");
        for call in &graph.calls {
            line(
                &mut page,
                &format!(
                    "| {} | {} | {} |",
                    escape_prose(&call.from),
                    escape_prose(&call.to),
                    escape_prose(&call.kind)
                ),
            );
        }
    }
    missing(&mut page, graph);
    let passed_over: Vec<_> = reports.iter().filter(|report| report.documented.is_none()).collect();
    if !passed_over.is_empty() {
        page.push_str("\n## Without a document\n\n| file | why |\n|---|---|\n");
        for report in passed_over {
            line(
                &mut page,
                &format!(
                    "| {} | {}: {} |",
                    escape_prose(report.ticket.file()),
                    report.ticket.state(),
                    escape_prose(report.ticket.reason())
                ),
            );
        }
    }
    page
}

/// Calls up to which a drawing helps.
const CALLS_DRAWN: usize = 60;

/// The call graph drawn: what is not in the estate is round, calls that are not static are dotted; nothing when it is too large to read.
fn drawing(graph: &EstateGraph) -> String {
    if graph.calls.len() > CALLS_DRAWN {
        return format!("{} calls, too many to draw.\n\n", graph.calls.len());
    }
    let names: BTreeSet<&str> =
        graph.calls.iter().flat_map(|call| [call.from.as_str(), call.to.as_str()]).collect();
    let number: BTreeMap<&str, usize> =
        names.iter().enumerate().map(|(number, name)| (*name, number)).collect();
    let plain = |name: &str| {
        name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect::<String>()
    };
    let mut text = String::from("```mermaid\nflowchart LR\n");
    for (name, number) in &number {
        let (open, close) = if graph.programs.contains_key(*name) { ("[", "]") } else { ("([", "])") };
        line(&mut text, &format!("  p{number}{open}\"{}\"{close}", plain(name)));
    }
    let mut drawn = BTreeSet::new();
    for call in &graph.calls {
        let shaft = if call.kind == "static" { "-->" } else { "-.->" };
        let arrow = format!("  p{} {shaft} p{}", number[call.from.as_str()], number[call.to.as_str()]);
        if drawn.insert(arrow.clone()) {
            line(&mut text, &arrow);
        }
    }
    text.push_str("```\n\nRound: not among the sources. Dotted: CICS LINK and XCTL, and calls by the name in an item.\n\n");
    text
}

fn missing(page: &mut String, graph: &EstateGraph) {
    if graph.missing_programs.is_empty() && graph.missing_copybooks.is_empty() {
        return;
    }
    page.push_str("\n## Not in the estate\n\n");
    if !graph.missing_programs.is_empty() {
        line(page, &format!("Called and not found: {}.", escape_prose(&graph.missing_programs.join(", "))));
    }
    for (copybook, files) in &graph.missing_copybooks {
        line(
            page,
            &format!(
                "\nCopybook {} is named by {} and not found.",
                escape_prose(copybook),
                escape_prose(&files.join(", "))
            ),
        );
    }
}

fn line(page: &mut String, text: &str) {
    writeln!(page, "{text}").expect("a string takes every write");
}

/// The path of a source's page, encoded for a link.
fn link(file: &str) -> String {
    escape_target(&format!("{}.md", OutputFolder::document_name(file).display()))
}
