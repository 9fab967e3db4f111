//! Links from a page into the source.

use super::jobs::mention;
use crate::escape::{code, prose, target};
use crate::names::page_from;
use crate::{Citation, CitationStatus, Users};
use std::collections::HashSet;
use war_rig_text::LineRange;

/// Citations of one item that are printed; a call repeated in every paragraph would else fill its cell.
const CITATIONS_SHOWN: usize = 20;

/// Users of one thing that are printed.
const USERS_SHOWN: usize = 8;

/// Where the files that a page cites lie.
pub(super) struct Links {
    own: String,
    source: String,
    /// The path to the folder that file names are relative to, where the link tells it.
    base: Option<String>,
}

impl Links {
    /// Links from a page to its source: the file's name in the document, and the path that leads there.
    pub(super) fn new(own: &str, source: &str) -> Self {
        Self {
            own: own.to_owned(),
            source: source.to_owned(),
            base: source.strip_suffix(own).map(str::to_owned),
        }
    }

    /// A link to the documented file.
    pub(super) fn whole_file(&self) -> String {
        format!("[{}]({})", prose(&self.own), target(&self.source))
    }

    /// The documented file's name.
    pub(super) fn own(&self) -> &str {
        &self.own
    }

    /// A name as code, as a link to the page of the source that tells more of it.
    pub(super) fn name(&self, name: &str, document: Option<&str>) -> String {
        match (code(name), document) {
            (shown, Some(document)) if !shown.is_empty() && document != self.own => {
                format!("[{shown}]({})", target(&page_from(&self.own, document)))
            }
            (shown, _) => shown,
        }
    }

    /// Users by name, each with what is said of it, and how many there are besides.
    pub(super) fn users(&self, users: &Users) -> String {
        let mut shown: Vec<String> =
            users.named.iter().take(USERS_SHOWN).map(|user| mention(user, self)).collect();
        let more = users.more + users.named.len().saturating_sub(USERS_SHOWN) as u64;
        if more > 0 {
            shown.push(format!("and {more} more"));
        }
        shown.join(", ")
    }

    /// A link to lines of a file; lines without a link when it is another file that cannot be told where it lies.
    pub(super) fn lines(&self, file: &str, lines: LineRange) -> String {
        let text = if file == self.own { lines.to_string() } else { format!("{}:{lines}", prose(file)) };
        let path = match &self.base {
            _ if file == self.own => self.source.clone(),
            Some(base) => format!("{base}{file}"),
            None => return text,
        };
        let anchor = match (lines.start(), lines.end()) {
            (start, end) if start == end => format!("L{start}"),
            (start, end) => format!("L{start}-L{end}"),
        };
        format!("[{text}]({}#{anchor})", target(&path))
    }

    /// A link to the lines of an item that stands in the documented file, or in the copybook that is named.
    pub(super) fn lines_of_item(&self, copybook: Option<&str>, lines: LineRange) -> String {
        self.lines(copybook.unwrap_or(&self.own), lines)
    }

    /// The citations of an item, with commas between them. One that does not hold has no link.
    pub(super) fn citations<'a>(&self, citations: impl IntoIterator<Item = &'a Citation>) -> String {
        let mut seen = HashSet::new();
        let mut shown: Vec<String> = Vec::new();
        let mut more = 0;
        for citation in citations {
            let text = self.citation(citation);
            if !seen.insert(text.clone()) {
                continue;
            }
            if shown.len() < CITATIONS_SHOWN { shown.push(text) } else { more += 1 }
        }
        if more > 0 {
            shown.push(format!("and {more} more in the JSON"));
        }
        shown.join(", ")
    }

    fn citation(&self, citation: &Citation) -> String {
        let lines = || self.lines(citation.file(), citation.lines());
        match citation.status() {
            CitationStatus::Verified => lines(),
            CitationStatus::Relocated => format!("{} (relocated)", lines()),
            CitationStatus::Unsupported if citation.file() == self.own => {
                format!("{} (unsupported)", citation.lines())
            }
            CitationStatus::Unsupported => {
                format!("{}:{} (unsupported)", prose(citation.file()), citation.lines())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::citation::tests::range;

    #[test]
    fn another_file_is_found_below_the_same_folder_or_not_linked() {
        let links = Links::new("cbl/X.cbl", "../../my src/cbl/X.cbl");
        assert_eq!(links.lines("cbl/X.cbl", range(3, 3)), "[3](../../my%20src/cbl/X.cbl#L3)");
        assert_eq!(links.lines("cpy/Y.cpy", range(3, 5)), "[cpy/Y.cpy:3-5](../../my%20src/cpy/Y.cpy#L3-L5)");
        let elsewhere = Links::new("cbl/X.cbl", "../X.cbl");
        assert_eq!(elsewhere.lines("cpy/Y.cpy", range(3, 5)), "cpy/Y.cpy:3-5");
    }
}
