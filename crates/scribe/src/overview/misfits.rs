//! Calls whose arguments do not fit the parameters of the called program.

use super::estate_page::{EstatePage, section};
use war_rig_estate::Misfit;
use war_rig_template::{MarkdownTable, escape_code, group_digits};

/// How many calls the first page lists.
const LISTED: usize = 20;

/// Lists calls that hand over fewer or shorter items than the called program describes.
pub(super) fn misfits(page: &EstatePage<'_>) -> String {
    let all = page.overview.graph.misfits();
    let mut table = MarkdownTable::new(["program", "calls", "it hands over", "which is described there as", "where"]);
    let bytes = |count: u64| format!("{} byte{}", group_digits(count), if count == 1 { "" } else { "s" });
    for call in all.iter().take(LISTED) {
        let (handed, received) = match &call.misfit {
            Misfit::Fewer { handed, received } => {
                (format!("{handed} item{}", if *handed == 1 { "" } else { "s" }), format!("{received} parameters"))
            }
            Misfit::Shorter { handed, received } => (
                format!("{}, {}", escape_code(&handed.name), bytes(handed.bytes)),
                format!("{}, {}", escape_code(&received.name), bytes(received.bytes)),
            ),
        };
        table.row([page.node(&call.from), page.node(&call.to), handed, received, page.place(&call.place)]);
    }
    if table.is_empty() {
        return String::new();
    }
    let lead =
        "The called program may read or change what lies behind what it is given, unless it looks at the length first.";
    let more = match all.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("{} more stand on the pages of their programs, in *Look twice*.", group_digits(more as u64)),
    };
    section("Calls that hand over less than is described", &[lead.to_owned(), table.render(), more])
}
