//! IMS databases on a page.

use super::jobs::{joined, mention};
use super::links::PageLinks;
use super::table::MarkdownTable;
use super::{bold, group_digits, names, optional, prose};
use crate::{DatabaseUnit, Document, PsbUnit};

/// Returns the PSBs and databases of a page.
pub(super) fn databases(document: &Document, links: &PageLinks) -> String {
    let psbs = document.program_specifications.iter().map(|psb| self::psb(psb, links));
    let databases = document.databases.iter().map(|database| self::database(database, links));
    psbs.chain(databases).collect::<Vec<_>>().join("\n\n")
}

fn psb(psb: &PsbUnit, links: &PageLinks) -> String {
    let mut table = MarkdownTable::new(["PCB", "database", "may", "segments", "where"]);
    for pcb in &psb.pcbs {
        let segments: Vec<String> = pcb.segments.iter().map(|segment| prose(segment)).collect();
        table.row([
            prose(&pcb.pcb_type),
            pcb.database.as_ref().map(|database| mention(database, links)).unwrap_or_default(),
            prose(&pcb.may),
            segments.join("; "),
            links.citations(&pcb.citations),
        ]);
    }
    joined([
        format!("## PSB {} {}", prose(&psb.psb_name), links.citations(&psb.citations)),
        match psb.used_by.is_empty() {
            true => "Nothing among these sources is seen to work under it.".to_owned(),
            false => format!("Used by {}.", links.users(&psb.used_by)),
        },
        table.render(),
    ])
}

fn database(database: &DatabaseUnit, links: &PageLinks) -> String {
    let mut table = MarkdownTable::new(["segment", "under", "bytes", "fields", "tied to", "where"]);
    for segment in &database.segments {
        let fields: Vec<String> = segment.fields.iter().map(|field| prose(field)).collect();
        table.row([
            bold(&segment.segment_name),
            optional(&segment.parent),
            segment.bytes.map(|bytes| group_digits(bytes.into())).unwrap_or_default(),
            fields.join("; "),
            names(&segment.related),
            links.citations(&segment.citations),
        ]);
    }
    let mut sentences = vec![format!("Kept as {}.", prose(&database.access))];
    if !database.dd_names.is_empty() {
        sentences.push(format!("Its data sets are the DDs {}.", names(&database.dd_names)));
    }
    sentences.extend(database.records.iter().map(|records| format!("Its records have {}.", prose(records))));
    if !database.used_by.is_empty() {
        sentences.push(format!("Used by {}.", links.users(&database.used_by)));
    }
    joined([
        format!("## Database {} {}", prose(&database.database_name), links.citations(&database.citations)),
        sentences.join(" "),
        table.render(),
    ])
}
