//! The Markdown view: a document as one page for engineers.
//!
//! Sentences come first, tables where a reader compares, and empty parts are not printed. Only the last block depends on how the file was
//! split into chunks, so that the page stays the same under another budget.

pub(crate) mod common_effects;
mod data;
mod databases;
mod definitions;
mod estate_section;
mod flowchart;
mod job_flowchart;
mod jobs;
mod keys;
mod links;
mod look_twice;
mod maps;
mod numbered_rows;
mod operations;
pub(crate) mod outcomes;
mod resources;
mod sections;
mod states;
mod steps;
mod table;
mod tables;

use crate::escape::{code, prose};
use crate::{CitationTotals, Coverage, Document, DocumentStatus};
pub use links::{PageLinks, SourceLinks};
use std::borrow::Cow;
pub use table::MarkdownTable;
use war_rig_text::capitalized;

impl Document {
    /// Returns the document as a Markdown page.
    ///
    /// `source` is the path from the page to the documented file, with `/` between folders and not yet encoded:
    /// `../../src/cbl/X.cbl`. Citations link to it with an anchor for their lines, by references that are defined at the end of the page;
    /// citations of another file link to that file below the same folder.
    pub fn to_markdown(&self, source: &str) -> String {
        self.to_markdown_with(SourceLinks::Path(source))
    }

    /// Returns the same page with other link targets for sources.
    pub fn to_markdown_with(&self, sources: SourceLinks<'_>) -> String {
        let links = PageLinks::new(&self.header.file_name, sources);
        let sections = [
            self.heading(&links),
            self.opening(&links),
            sections::programs(self, &links),
            estate_section::where_it_sits(self, &links),
            sections::how_it_runs(self, &links),
            keys::keys(self, &links),
            sections::rights(self, &links),
            sections::rules(self, &links),
            outcomes::outcomes(self, &links),
            states::states(self),
            look_twice::hazards(self, &links),
            data::data(self, &links),
            sections::data_flow(self, &links),
            operations::sql(self, &links),
            operations::cics(self, &links),
            operations::dli(self, &links),
            sections::copybooks(self, &links),
            jobs::jobs(self, &links),
            maps::map_sets(self, &links),
            definitions::definitions(self, &links),
            tables::tables(self, &links),
            databases::databases(self, &links),
            sections::questions(self, &links),
            sections::conflicts(self),
            sections::making(self),
        ];
        let sections = sections.into_iter().chain([links.targets()]);
        let mut page = sections.filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n\n");
        page.push('\n');
        page
    }

    /// Returns the title, and the line that identifies the page and how far it can be trusted.
    fn heading(&self, links: &PageLinks) -> String {
        let header = &self.header;
        let title = self.title();
        // Only COBOL has reference formats.
        let format = match self.is_around() {
            true => String::new(),
            false => format!(", {} format", prose(&header.format)),
        };
        let mut parts = vec![
            format!("{}, {} lines{format}", self.kind(), group_digits(self.coverage.lines.into())),
            links.whole_file(),
            format!("written by {}", code(&header.produced_by)),
        ];
        match header.status {
            DocumentStatus::Complete => {}
            DocumentStatus::Partial => parts.push("**partial**".to_owned()),
            DocumentStatus::Failed => parts.push("**failed**".to_owned()),
        }
        parts.extend(header.notes.iter().map(|note| prose(note)));
        parts.push(covered(self.coverage));
        parts.push(cited(self.citation_totals()));
        format!("# {}\n\n{}", prose(title), parts.join(" · "))
    }

    /// Returns the title of the page: its only program, job or map set, else its file.
    fn title(&self) -> &str {
        let jobs = self.jobs.iter().map(|job| job.job_name.as_str());
        let sets = self.map_sets.iter().map(|set| set.map_set_name.as_str());
        let mut names: Vec<&str> = jobs.chain(sets).collect();
        if names.is_empty() {
            names.extend(self.procedures.iter().map(|procedure| procedure.procedure_name.as_str()));
        }
        if names.is_empty() {
            names.extend(self.tables.iter().map(|table| table.table_name.as_str()));
            names.extend(self.program_specifications.iter().map(|psb| psb.psb_name.as_str()));
            names.extend(self.databases.iter().map(|database| database.database_name.as_str()));
        }
        match (self.header.program_id.as_deref(), names.as_slice()) {
            (Some(program), _) => program,
            (None, [only]) if !only.is_empty() => only,
            (None, _) => &self.header.file_name,
        }
    }

    /// Returns whether the document describes a file other than COBOL.
    fn is_around(&self) -> bool {
        !matches!(self.header.file_type.as_str(), "program" | "copybook")
    }

    /// Returns the kind of program: what the source leaves open, whether a job or a program runs it, the estate may know.
    pub(crate) fn program_type(&self) -> Cow<'_, str> {
        let (own, context) = (self.purpose.program_type.trim(), &self.calling_context);
        let is_run = context.run_by.iter().any(|run| run.kind == "step");
        let known = match (is_run, context.called_by.is_empty()) {
            (false, false) => Some("called"),
            (true, true) => Some("batch"),
            _ => None,
        };
        let refined = own.strip_prefix("batch or called").zip(known);
        refined.map_or(own.into(), |(rest, known)| format!("{known}{rest}").into())
    }

    /// Returns the kind of file as the start of a line: `Batch program`, `Copybook`.
    fn kind(&self) -> String {
        let (own, file_type) = (self.program_type(), self.header.file_type.as_str());
        let kind = match own.rsplit([' ', '-']).next().unwrap_or_default().to_lowercase().as_str() {
            "" => file_type.to_owned(),
            _ if self.is_around() => own.into_owned(),
            "program" | "subprogram" | "copybook" | "module" | "routine" | "subroutine" | "function" => {
                own.into_owned()
            }
            _ => format!("{own} {file_type}"),
        };
        prose(&capitalized(&kind))
    }

    /// Returns the purpose, in paragraphs.
    fn opening(&self, links: &PageLinks) -> String {
        let purpose = &self.purpose;
        let summary = spaced([prose(&purpose.summary), links.citations(&purpose.citations)]);
        let context = prose(purpose.business_context.as_deref().unwrap_or_default());
        [summary, context].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    }
}

fn covered(coverage: Coverage) -> String {
    let (documented, lines) = (group_digits(coverage.documented.into()), group_digits(coverage.lines.into()));
    if coverage.documented == coverage.lines {
        return "every line covered".to_owned();
    }
    let mut text = format!("{documented} of {lines} lines documented");
    for (count, what) in [(coverage.failed, "failed"), (coverage.excluded, "excluded")] {
        if count > 0 {
            text.push_str(&format!(", {} {what}", group_digits(count.into())));
        }
    }
    text
}

fn cited(totals: CitationTotals) -> String {
    let all = match totals.all() {
        0 => return "no citations".to_owned(),
        1 => "1 citation".to_owned(),
        count => format!("{} citations", group_digits(count)),
    };
    if totals.verified == totals.all() {
        return format!("{all}, {}verified", if totals.all() == 1 { "" } else { "all " });
    }
    let parts = totals.by_status().into_iter().filter(|(_, count)| *count > 0);
    let parts: Vec<String> = parts.map(|(what, count)| format!("{} {what}", group_digits(count))).collect();
    format!("{all}: {}", parts.join(", "))
}

/// Formats a number with commas between thousands.
pub fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Joins the texts that are not empty with a blank.
fn spaced<const N: usize>(texts: [String; N]) -> String {
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Formats names as code, with commas between them.
fn names(names: &[String]) -> String {
    names.iter().map(|name| code(name)).filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Formats a name in bold, or returns nothing.
fn bold(name: &str) -> String {
    let name = prose(name);
    if name.is_empty() { name } else { format!("**{name}**") }
}

/// Returns the first entries of a list, and how many more there are; one alone is not counted, but shown.
fn listed<T>(all: &[T], most: usize, show: impl Fn(&T) -> String) -> String {
    let more = all.len().saturating_sub(most);
    let more = if more > 1 { more } else { 0 };
    let mut shown: Vec<String> = all[..all.len() - more].iter().map(show).collect();
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join(", ")
}

/// Returns an optional text.
fn optional(text: &Option<String>) -> String {
    prose(text.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod around_tests;
#[cfg(test)]
mod tests;
