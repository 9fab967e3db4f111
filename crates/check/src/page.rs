//! Whether the page of a document says what its JSON says.

use crate::finding::Finding;
use crate::rule::Rule;
use war_rig_template::{Document, without_targets};
use war_rig_text::{LineNumber, LineRange};

/// Holds a page against its document. Where its links lead does not matter: that depends on where the page was written.
pub fn hold_page(document: &Document, page: &str) -> Option<Finding> {
    let expected = document.to_markdown(&document.header.file_name);
    // Git gives pages other line ends on some machines.
    let (page, expected) = (without_targets(&page.replace("\r\n", "\n")), without_targets(&expected));
    if page == expected {
        return None;
    }
    let equal = page.lines().zip(expected.lines()).take_while(|(one, other)| one == other).count();
    let at = u32::try_from(equal + 1).ok().and_then(LineNumber::new).unwrap_or(LineNumber::FIRST);
    let message = format!(
        "its page says something else than its JSON, from line {} of the page on",
        LineRange::single(at)
    );
    Some(Finding::new(Rule::StaleDocument, &document.header.file_name, message).about("page"))
}
