//! PageLinks from a page into the source.

use super::jobs::mention;
use crate::escape::{code, prose, target};
use crate::output_names::{document_name, page_from};
use crate::source_url::path_in_repository;
use crate::{Citation, CitationStatus, SourceUrl, Users};
use foldhash::{HashSet, HashSetExt};
use std::cell::RefCell;
use std::collections::BTreeMap;
use war_rig_text::{LineRange, member_name};

/// The maximum number of printed citations of one item; a call repeated in every paragraph would otherwise fill its cell.
const CITATIONS_SHOWN: usize = 20;

/// The maximum number of printed users of one thing.
const USERS_SHOWN: usize = 8;

/// The targets of a page's links to sources.
#[derive(Debug, Clone, Copy)]
pub enum SourceLinks<'a> {
    /// Files: the path from the page to the documented file, with `/` between folders and not yet encoded.
    Path(&'a str),
    /// A repository on the web.
    Web {
        /// The address of the repository.
        url: &'a SourceUrl,
        /// The folder of the repository that source names are relative to; empty for its top.
        folder: &'a str,
    },
}

/// The location of the files that a page cites. Citations are reference links, so that the page reads well as text: `[12-14]`, with the
/// target defined once at its end.
pub struct PageLinks<'a> {
    /// The documented file; empty for a page about the estate.
    own: String,
    /// The path of the page below the output folder, without extension.
    page: String,
    sources: SourceLinks<'a>,
    cited: RefCell<BTreeMap<CitedPlace, (String, String)>>,
}

/// A file, none for the documented one, and lines of it.
type CitedPlace = (Option<String>, LineRange);

impl<'a> PageLinks<'a> {
    /// Makes the links from a page to its source, under its name in the document.
    pub(super) fn new(own: &str, sources: SourceLinks<'a>) -> Self {
        Self { own: own.to_owned(), page: document_name(own), sources, cited: RefCell::default() }
    }

    /// Makes the links of a page about the estate: its path below the output folder, without extension. A path to the sources leads to the folder that
    /// their names are relative to, and is empty or ends with `/`.
    pub fn of_estate_page(page: &str, sources: SourceLinks<'a>) -> Self {
        Self { own: String::new(), page: page.to_owned(), sources, cited: RefCell::default() }
    }

    /// Returns the target of a link to another page about the estate.
    pub fn to_estate_page(&self, page: &str) -> String {
        target(&page_from(&self.page, page))
    }

    /// Returns the target of a link to the page of a source.
    pub fn to_document(&self, source: &str) -> String {
        target(&page_from(&self.page, &document_name(source)))
    }

    /// Links to lines of a file by its member name: `[COTRN02C:12-14]`.
    pub fn member_lines(&self, file: &str, lines: LineRange) -> String {
        let label = format!("{}:{lines}", prose(member_name(file)));
        let Some(target) = self.target_of(file, Some(lines)) else { return format!("{}:{lines}", prose(file)) };
        self.reference((Some(file.to_owned()), lines), label, target)
    }

    /// PageLinks to the documented file.
    pub(super) fn whole_file(&self) -> String {
        match self.target_of(&self.own, None) {
            Some(target) => format!("[{}]({target})", prose(&self.own)),
            None => prose(&self.own),
        }
    }

    /// Returns the target of a link to a file, or to lines of it; `None` if the file's location is unknown.
    fn target_of(&self, file: &str, lines: Option<LineRange>) -> Option<String> {
        let path = match self.sources {
            SourceLinks::Web { url, folder } => {
                return Some(url.of(&path_in_repository(folder, file)?, lines));
            }
            SourceLinks::Path(path) if file == self.own => path.to_owned(),
            // The folder that names are relative to, if the path contains it.
            SourceLinks::Path(path) => format!("{}{file}", path.strip_suffix(self.own.as_str())?),
        };
        let anchor = lines.map(|lines| match (lines.start(), lines.end()) {
            (start, end) if start == end => format!("#L{start}"),
            (start, end) => format!("#L{start}-L{end}"),
        });
        Some(format!("{}{}", target(&path), anchor.unwrap_or_default()))
    }

    /// Returns the name of the documented file.
    pub(super) fn own(&self) -> &str {
        &self.own
    }

    /// Formats a name as code, linked to the page of the source that describes it.
    pub(super) fn name(&self, name: &str, document: Option<&str>) -> String {
        match (code(name), document) {
            (shown, Some(document)) if !shown.is_empty() && document != self.own => {
                format!("[{shown}]({})", self.to_document(document))
            }
            (shown, _) => shown,
        }
    }

    /// Lists users by name, each with its details, and the number of other users.
    pub(super) fn users(&self, users: &Users) -> String {
        let mut shown: Vec<String> = users.named.iter().take(USERS_SHOWN).map(|user| mention(user, self)).collect();
        let more = users.more + users.named.len().saturating_sub(USERS_SHOWN) as u64;
        if more > 0 {
            shown.push(format!("and {more} more"));
        }
        shown.join(", ")
    }

    /// PageLinks to lines of a file; returns lines without a link for another file whose location is unknown.
    pub(super) fn lines(&self, file: &str, lines: LineRange) -> String {
        let text = if file == self.own { lines.to_string() } else { format!("{}:{lines}", prose(file)) };
        let Some(target) = self.target_of(file, Some(lines)) else { return text };
        let other = (file != self.own).then(|| file.to_owned());
        self.reference((other, lines), text, target)
    }

    /// Returns a reference link, and keeps its target for the end of the page.
    fn reference(&self, place: CitedPlace, text: String, target: String) -> String {
        let mut cited = self.cited.borrow_mut();
        // References know no case: of two files whose names differ only in it, the second is linked where it is cited.
        let is_taken = |(known, (label, _)): (&CitedPlace, &(String, String))| {
            known.1 == place.1 && known.0 != place.0 && label.to_lowercase() == text.to_lowercase()
        };
        if place.0.is_some() && cited.iter().any(is_taken) {
            return format!("[{text}]({target})");
        }
        let link = format!("[{text}]");
        cited.entry(place).or_insert_with(|| (text, target));
        link
    }

    /// Returns the targets of the citations that were made so far, for the end of the page.
    pub fn targets(&self) -> String {
        let cited = self.cited.borrow();
        cited.values().map(|(text, target)| format!("[{text}]: {target}")).collect::<Vec<_>>().join("\n")
    }

    /// PageLinks to the lines of an item in the documented file, or in the named copybook.
    pub(super) fn lines_of_item(&self, copybook: Option<&str>, lines: LineRange) -> String {
        self.lines(copybook.unwrap_or(&self.own), lines)
    }

    /// Lists the citations of an item, with commas between them. An invalid one has no link.
    pub(super) fn citations<'b>(&self, citations: impl IntoIterator<Item = &'b Citation>) -> String {
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
        let lines = self.lines(citation.file(), citation.lines());
        match citation.status() {
            CitationStatus::Verified => lines,
            status => format!("{lines} ({})", status.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::citation::tests::range;

    #[test]
    fn another_file_is_found_below_the_same_folder_or_not_linked() {
        let links = PageLinks::new("cbl/X.cbl", SourceLinks::Path("../../my src/cbl/X.cbl"));
        assert_eq!(links.lines("cpy/Y.cpy", range(3, 5)), "[cpy/Y.cpy:3-5]");
        assert_eq!(links.lines("cbl/X.cbl", range(3, 3)), "[3]");
        assert_eq!(links.lines("cbl/X.cbl", range(3, 3)), "[3]");
        let targets = "[3]: ../../my%20src/cbl/X.cbl#L3\n[cpy/Y.cpy:3-5]: ../../my%20src/cpy/Y.cpy#L3-L5";
        assert_eq!(links.targets(), targets);
        let elsewhere = PageLinks::new("cbl/X.cbl", SourceLinks::Path("../X.cbl"));
        assert_eq!(elsewhere.lines("cpy/Y.cpy", range(3, 5)), "cpy/Y.cpy:3-5");
    }

    #[test]
    fn on_the_web_files_are_found_from_the_top_of_the_repository() {
        let url = SourceUrl::parse("https://h/blob/main").unwrap();
        let links = PageLinks::new("X.cbl", SourceLinks::Web { url: &url, folder: "my src/cbl" });
        assert_eq!(links.whole_file(), "[X.cbl](https://h/blob/main/my%20src/cbl/X.cbl)");
        assert_eq!(links.lines("X.cbl", range(3, 3)), "[3]");
        assert_eq!(links.lines("../cpy/Y.cpy", range(3, 5)), "[../cpy/Y.cpy:3-5]");
        assert_eq!(links.lines("../../../Y.cpy", range(3, 5)), "../../../Y.cpy:3-5");
        let targets = "[3]: https://h/blob/main/my%20src/cbl/X.cbl#L3\n\
                       [../cpy/Y.cpy:3-5]: https://h/blob/main/my%20src/cpy/Y.cpy#L3-L5";
        assert_eq!(links.targets(), targets);
    }
}
