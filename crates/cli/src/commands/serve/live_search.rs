//! The search of a served site: it asks the catalogue.

use crate::args::ServeArgs;
use crate::commands::site::{texts_of, title_of};
use crate::failure::Failure;
use crate::run_state::{relative_to_state, resolve_from_state};
use crate::settings::Settings;
use crate::store_failures::catalogue_failure;
use percent_encoding::percent_decode_str;
use std::path::PathBuf;
use war_rig_catalogue::{CatalogueError, CatalogueReader, CatalogueRow, PageStart, Query, RawQuery, RowKind};
use war_rig_site::{SearchEntry, answer_script, served_script};

/// The most rows of a kind that is asked for alone, and of each when all are.
const ROWS: u64 = 60;
const ROWS_OF_EACH: u64 = 8;

/// A catalogue that answers searches.
pub(super) struct LiveSearch {
    state: PathBuf,
    /// The folder of documents, as the catalogue calls it.
    docs: String,
}

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LiveQuestion {
    typed: String,
    /// The name of a kind; empty for all.
    kind: String,
}

impl LiveQuestion {
    /// Reads the query of an address: `words=…&kind=…`.
    pub(super) fn of(query: &str) -> Self {
        let value = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let value = pairs.find(|(known, _)| *known == name).map_or("", |(_, value)| value);
            percent_decode_str(value).decode_utf8_lossy().into_owned()
        };
        Self { typed: value("words"), kind: value("kind") }
    }

    /// Returns the words as the beginnings of words, and the program after `in:`.
    fn parts(&self) -> (String, Option<String>) {
        let (mut words, mut within) = (Vec::new(), None);
        for word in self.typed.split_whitespace() {
            match word.get(..3).filter(|start| start.eq_ignore_ascii_case("in:")) {
                Some(_) => within = Some(word[3..].to_uppercase()).filter(|name| !name.is_empty()),
                None => words.push(word.replace(['"', '*'], "")),
            }
        }
        let begun = words.iter().filter(|word| word.chars().any(char::is_alphanumeric)).map(|word| format!("{word}*"));
        (begun.collect::<Vec<_>>().join(" "), within)
    }
}

impl LiveSearch {
    /// Opens the catalogue of a state folder.
    ///
    /// # Errors
    /// A failure if there is none, or if it knows no documents in the folder.
    pub(super) fn open(args: &ServeArgs, settings: &Settings) -> Result<Self, Failure> {
        let state = args.place.state_dir.clone();
        let folder = settings.document_folder(args.docs.as_deref(), "--docs")?;
        let docs = relative_to_state(&state, &folder);
        let reader = CatalogueReader::open(&state, RowKind::Programs).map_err(catalogue_failure)?;
        if !reader.folders().map_err(catalogue_failure)?.contains(&docs) {
            return Err(Failure::usage(format!(
                "the catalogue in `{}` knows no documents in `{}`",
                state.display(),
                folder.display()
            )));
        }
        Ok(Self { state, docs })
    }

    /// Returns the script that says that this search is asked, and for what kinds.
    pub(super) fn begin(&self) -> String {
        served_script(kinds().map(RowKind::name))
    }

    /// Returns the script with the answer to a question.
    ///
    /// # Errors
    /// A failure if the catalogue cannot be read.
    pub(super) fn answer(&self, question: &LiveQuestion) -> Result<String, Failure> {
        let (words, within) = question.parts();
        let has_any = !words.is_empty() || within.is_some();
        let is_asked = |kind: &RowKind| has_any && (question.kind.is_empty() || kind.name() == question.kind);
        let limit = if question.kind.is_empty() { ROWS_OF_EACH } else { ROWS };
        let (mut found, mut total) = (Vec::new(), 0);
        for kind in kinds().filter(is_asked) {
            let filter = match &within {
                None => None,
                Some(program) => {
                    let fields = [("program", "program"), ("programs", "name")];
                    let field = fields.into_iter().find(|(of, field)| {
                        kind.field(field).is_ok() && (*of == "program" || kind == RowKind::Programs)
                    });
                    let Some((_, field)) = field else { continue };
                    Some(format!("{field} = \"{}\"", program.replace(['"', '\\'], "")))
                }
            };
            let text = Some(words.clone()).filter(|words| !words.is_empty());
            let asked = RawQuery { text, filter, docs: Some(self.docs.clone()), ..RawQuery::default() };
            // Words that the catalogue cannot look for find nothing.
            let Ok(query) = Query::parse(kind, asked) else { continue };
            let rows = self.rows(&query, limit).map_err(catalogue_failure)?;
            total += rows.1;
            found.extend(rows.0);
        }
        let typed = question.typed.trim().to_lowercase();
        // As in each kind: first the names that begin so.
        found.sort_by_key(|entry| match entry.name.to_lowercase() {
            name if name == typed => 0,
            name if name.starts_with(&typed) => 1,
            _ => 2,
        });
        Ok(answer_script(&question.typed, &question.kind, &found, total))
    }

    fn rows(&self, query: &Query, limit: u64) -> Result<(Vec<SearchEntry>, u64), CatalogueError> {
        let reader = match query.kind.is_of_estate() {
            true => CatalogueReader::open_estate(&self.state, &|docs| resolve_from_state(&self.state, docs))?,
            false => CatalogueReader::open(&self.state, query.kind)?,
        };
        let page = reader.page(query, &PageStart::Offset(0), limit, None)?;
        let (found, total) = (page.rows.len() as u64, page.total);
        let entries = page.rows.into_iter().filter_map(|row| entry(&CatalogueRow::of(query.kind, row.values)));
        let entries: Vec<SearchEntry> = entries.collect();
        // What has no page cannot be shown, however it is narrowed down.
        let hidden = found - entries.len() as u64;
        Ok((entries, total - hidden))
    }
}

/// Returns the kinds that are searched, in the order in which what they find is shown.
fn kinds() -> impl Iterator<Item = RowKind> {
    RowKind::ALL.into_iter().filter(|kind| *kind != RowKind::Tickets)
}

fn entry(row: &CatalogueRow) -> Option<SearchEntry> {
    let name = texts_of(row).or_else(|| title_of(row))?;
    let of = ["program", "file"].into_iter().find_map(|field| row.text(field)).unwrap_or_default();
    let what = match row.lines() {
        Some(lines) => format!("{of}:{}", lines.start()),
        None => of.to_owned(),
    };
    let place = match (row.text("page"), row.text("document")) {
        (Some(page), _) => war_rig_site::page_place(page),
        (None, document) => {
            let item = row.text("name").filter(|_| row.kind() == RowKind::DataItems);
            war_rig_site::document_place(document?, item, row.text("file").zip(row.lines()))
        }
    };
    Some(SearchEntry { name, kind: row.kind().name(), what, place })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_the_beginnings_of_words_in_a_program() {
        let check = |query: &str, words: &str, within: Option<&str>| {
            assert_eq!(LiveQuestion::of(query).parts(), (words.to_owned(), within.map(str::to_owned)), "{query}");
        };
        check("words=pol-sta%20over&kind=rules", "pol-sta* over*", None);
        check("words=in%3Aprmbill%20due", "due*", Some("PRMBILL"));
        check("words=%22%20*%20in:", "", None);
        check("kind=rules", "", None);
        check("", "", None);
    }
}
