//! A query, with the catalogue that answers it.

use super::failures::query_failure;
use crate::args::{QueryArgs, SearchArgs};
use crate::failure::Failure;
use crate::printer::{Printer, counted};
use crate::run_state::{relative_to_state, resolve_from_state};
use crate::store_failures::catalogue_failure;
use std::path::Path;
use war_rig_catalogue::{CatalogueReader, Query, RawQuery, RowKind};

/// The display name of the folder that contains the state folder; its name in the catalogue is empty.
const HERE: &str = ".";

/// A query with the catalogue that answers it.
pub struct CatalogueQuery<'a> {
    /// The catalogue.
    pub reader: CatalogueReader,
    /// The query.
    pub query: Query,
    args: &'a QueryArgs,
}

impl<'a> CatalogueQuery<'a> {
    /// Creates the query of a search's arguments.
    ///
    /// # Errors
    /// Usage and catalogue failures.
    pub fn from_search_args(args: &'a SearchArgs, kind: RowKind) -> Result<Self, Failure> {
        let fields = args.fields.as_ref();
        let fields = fields.map(|fields| fields.iter().map(|name| name.trim().to_owned()).collect());
        Self::new(kind, &args.query, fields, args.sort.clone(), &args.place.state_dir)
    }

    /// Creates a query that returns these fields in this order.
    ///
    /// # Errors
    /// Usage and catalogue failures.
    pub fn new(
        kind: RowKind,
        args: &'a QueryArgs,
        fields: Option<Vec<String>>,
        sort: Option<String>,
        folder: &Path,
    ) -> Result<Self, Failure> {
        let asked = RawQuery { text: args.text(), filter: args.filter.clone(), fields, sort, docs: None };
        let ask = |asked| Query::parse(kind, asked).map_err(|error| query_failure(kind, args, error));
        // An invalid query is reported before the catalogue is opened.
        let query = ask(asked.clone())?;
        let reader = match kind.is_of_estate() {
            true => CatalogueReader::open_estate(folder, &|docs| resolve_from_state(folder, docs)),
            false => CatalogueReader::open(folder, kind),
        };
        let reader = reader.map_err(catalogue_failure)?;
        let query = match &args.docs {
            None => query,
            Some(given) => {
                let known = reader.folders().map_err(catalogue_failure)?;
                ask(RawQuery { docs: Some(folder_of(given, folder, &known)?), ..asked })?
            }
        };
        Ok(Self { reader, query, args })
    }

    /// Suggests a remedy when nothing was found: there are no documents, or words match only as a whole.
    pub fn suggest_if_empty(&self, total: u64, printer: &Printer) {
        if total > 0 {
            return;
        }
        if self.reader.folders().is_ok_and(|folders| folders.is_empty()) {
            printer.note("hint: nothing is documented yet; `war-rig document` does it, and `war-rig index --rebuild` takes in documents that are there");
            return;
        }
        let Some((longer, found)) = self.args.text().as_deref().and_then(begun).and_then(|text| self.longer(text))
        else {
            return;
        };
        let found = counted(found, "result");
        printer.note(&format!("hint: words are looked for whole; with `*`, as in `{longer}`, there are {found}"));
    }

    /// Returns the text and its number of matches with every word as a prefix, if there are any.
    fn longer(&self, text: String) -> Option<(String, u64)> {
        let asked = RawQuery {
            text: Some(text.clone()),
            filter: self.args.filter.clone(),
            docs: self.query.docs().map(str::to_owned),
            ..RawQuery::default()
        };
        let query = Query::parse(self.query.kind, asked).ok()?;
        let found = self.reader.count(&query).ok()?;
        (found > 0).then_some((text, found))
    }
}

/// Turns the words of a text into prefixes; `None` when that changes nothing, or when the text contains phrases.
fn begun(text: &str) -> Option<String> {
    if text.contains('"') {
        return None;
    }
    let words = text.split_whitespace().map(|word| format!("{}*", word.trim_end_matches('*')));
    let begun = words.collect::<Vec<_>>().join(" ");
    (begun != text).then_some(begun)
}

/// Returns the catalogue's name of a document folder: given as for `document`, or by its display name.
fn folder_of(given: &str, state: &Path, known: &[String]) -> Result<String, Failure> {
    let path = relative_to_state(state, Path::new(given));
    let shown = given.trim_start_matches("./").trim_end_matches('/');
    let stored = if shown == HERE { "" } else { shown };
    if let Some(found) = [path.as_str(), stored].into_iter().find(|name| known.iter().any(|known| known == name)) {
        return Ok(found.to_owned());
    }
    let known: Vec<String> =
        known.iter().map(|name| format!("`{}`", if name.is_empty() { HERE } else { name })).collect();
    let failure = Failure::usage(format!("`--docs`: the catalogue knows no documents in `{given}`"));
    Err(match known.is_empty() {
        true => failure.with_hint(
            "it knows of none yet; `war-rig document` makes some, and `war-rig index --rebuild` takes in those that are there",
        ),
        false => failure.with_hint(format!("it knows those in {}", known.join(", "))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_on_where_they_did_not() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(begun(text).as_deref(), expected, "{text}");
        check("2000-", Some("2000-*"));
        check("credit lim", Some("credit* lim*"));
        check("credit* lim", Some("credit* lim*"));
        check("credit*", None);
        check("\"credit lim\"", None);
        check("", None);
    }

    #[test]
    fn a_folder_is_known_by_its_path_and_by_its_name() {
        let place = tempfile::tempdir().unwrap();
        let state = place.path().join(".war_rig");
        let known = ["docs".to_owned(), String::new()];
        let check = |given: &str, expected: Option<&str>| {
            assert_eq!(folder_of(given, &state, &known).ok().as_deref(), expected, "{given}");
        };
        check("docs", Some("docs"));
        check("./docs/", Some("docs"));
        check(place.path().join("docs").to_str().unwrap(), Some("docs"));
        check(".", Some(""));
        check("other", None);
        let failure = folder_of("other", &state, &known).unwrap_err();
        assert_eq!(failure.line(), "`--docs`: the catalogue knows no documents in `other`");
        assert_eq!(failure.hint(), Some("it knows those in `docs`, `.`"));
        assert!(folder_of("docs", &state, &[]).unwrap_err().hint().unwrap().contains("index --rebuild"));
    }
}
