//! The data items, files, tables and maps that each paragraph uses.

use foldhash::{HashSet, HashSetExt};
use war_rig_cobol::{Analysis, ExecBlock, ExecKind};
use war_rig_template::Paragraph;

/// Adds to each paragraph of a source what its own statements use, in words.
pub(crate) fn add_uses(analysis: &Analysis, paragraphs: &mut [Paragraph]) {
    let parsed = analysis.parsed();
    for (paragraph, touched) in paragraphs.iter_mut().zip(analysis.paragraph_def_use()) {
        (paragraph.reads, paragraph.writes) = (touched.describe_reads(parsed), touched.describe_writes(parsed));
    }
    // The parser lists files and blocks separately; a reader wants them in source order.
    let files = parsed
        .file_uses
        .iter()
        .map(|used| (used.paragraph, used.lines.start(), format!("{} {}", used.operation, used.file)));
    let execs = parsed.execs.iter().filter_map(|exec| Some((exec.paragraph, exec.lines.start(), operation(exec)?)));
    let segments = analysis.dli_operations().iter().filter_map(|operation| {
        let names: Vec<&str> = operation.targets().map(|segment| segment.name.as_str()).collect();
        let told = format!("{} {}", operation.function(), names.join(", "));
        (!names.is_empty()).then_some((operation.paragraph, operation.lines.start(), told))
    });
    let mut all: Vec<_> = files.chain(execs).chain(segments).collect();
    all.sort_by_key(|(_, line, _)| *line);
    let mut seen = HashSet::new();
    for (paragraph, _, text) in all {
        if let Some(paragraph) = paragraph
            && seen.insert((paragraph, text.clone()))
        {
            paragraphs[paragraph].uses.push(text);
        }
    }
}

/// Names what a block does with a file, table, map or queue: `SEND MAP COSGN0A`.
fn operation(exec: &ExecBlock) -> Option<String> {
    const HOLD_DATA: &[&str] = &["FILE", "DATASET", "MAP", "QUEUE", "QNAME", "CONTAINER"];
    let names = match exec.kind {
        ExecKind::Sql => exec.tables.join(", "),
        ExecKind::Cics => {
            let holds_data = exec.options.iter().any(|(option, _)| HOLD_DATA.contains(&option.as_str()));
            exec.resource.clone().filter(|_| holds_data)?
        }
        // DL/I has calls besides blocks, so its operations describe it.
        ExecKind::Dli | ExecKind::Other => return None,
    };
    (!names.is_empty()).then(|| format!("{} {names}", exec.command))
}
