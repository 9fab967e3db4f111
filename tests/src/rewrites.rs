//! Laws: a rewrite of sources that changes no meaning changes no document but for what it rewrites.
//!
//! # The normal form
//!
//! Documents of both estates are brought to one form before they are compared, line by line, as JSON and as a page. In it
//!
//! - hashes, the seal, totals of lines, tokens and citations, and the borders of chunks are left out;
//! - places are by the shift: a line is named by the first of the old lines that it was made of or is made from, and the same citation twice in a
//!   list is one;
//! - names are by the renaming: a new name is replaced by the old one, and lists are compared without their order;
//! - letters are in lower case where the rewrite is of letter case or of names;
//! - quoted lines are left out where the rewrite is of what stands on a line;
//! - the line of the next sentence is left out;
//! - words that may be left out are left out of statements that are shown as they are written, where the rewrite is of those;
//! - where copybooks are put in line, what names them is left out: the list of copybooks, of which copybook a record is, where things are defined.
//!
//! # The rewriters
//!
//! They know COBOL by a small reader of their own (`source`), which shares nothing with the parser. They are right and not total: a line of
//! which the reader is not sure stays as it is, and so do EXEC blocks, pictures and COPY where a rewrite is of lines or words.

mod inline_copybooks;
mod layout;
mod normal_form;
mod positions;
mod scopes;
mod source;
mod words;

use inline_copybooks::member_of;
use normal_form::{Normalization, Normalizer};
use positions::{LinePositions, RewrittenFile, Side};
use source::CobolText;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use words::NameMap;

/// Files by name below their folder.
pub type FileTree = BTreeMap<String, Vec<u8>>;

/// The JSON and the page of each documented source, by its name.
pub type DocumentTexts = BTreeMap<String, (String, String)>;

/// A rewrite that changes no meaning.
#[derive(Debug, Clone, Copy)]
pub struct MetamorphicRule {
    /// What it is called.
    pub name: &'static str,
    kind: RewriteKind,
    form: Normalization,
}

#[derive(Debug, Clone, Copy)]
enum RewriteKind {
    /// Each source by itself.
    PerFile(fn(&CobolText) -> RewrittenFile),
    Renaming,
    InlineCopybooks,
}

/// A rewritten estate.
#[derive(Debug)]
pub struct RewrittenEstate {
    /// All files of the estate.
    pub files: FileTree,
    /// How many of them are not as they were.
    pub changed: usize,
    places: LinePositions,
    names: BTreeMap<String, String>,
}

/// What a law has come to.
#[derive(Debug, Default)]
pub struct ComparisonResult {
    /// How many documents were compared.
    pub compared: usize,
    /// Those that differ, each with its differing lines, old and new.
    pub differing: BTreeMap<String, Vec<(String, String)>>,
}

const SAME_LINES: Normalization = Normalization {
    has_other_case: false,
    has_other_lines: false,
    has_other_words: false,
    has_other_names: false,
    has_no_copybooks: false,
};
const OTHER_LINES: Normalization = Normalization { has_other_lines: true, ..SAME_LINES };

/// The laws.
pub const METAMORPHIC_RULES: &[MetamorphicRule] = &[
    law(
        "letter-case",
        RewriteKind::PerFile(layout::in_lower_case),
        Normalization { has_other_case: true, ..SAME_LINES },
    ),
    law("statements-over-lines", RewriteKind::PerFile(layout::over_several_lines), OTHER_LINES),
    law("lines-of-statements", RewriteKind::PerFile(layout::on_one_line), OTHER_LINES),
    law("blanks", RewriteKind::PerFile(layout::with_other_blanks), OTHER_LINES),
    law("columns", RewriteKind::PerFile(layout::with_columns), SAME_LINES),
    law("empty-comments", RewriteKind::PerFile(layout::with_empty_comments), SAME_LINES),
    law("continued-literals", RewriteKind::PerFile(layout::with_continued_literals), OTHER_LINES),
    law("names", RewriteKind::Renaming, Normalization { has_other_names: true, has_other_case: true, ..SAME_LINES }),
    law(
        "optional-words",
        RewriteKind::PerFile(words::with_other_optional_words),
        Normalization { has_other_words: true, ..OTHER_LINES },
    ),
    law("ends", RewriteKind::PerFile(scopes::with_other_ends), OTHER_LINES),
    law("periods", RewriteKind::PerFile(scopes::with_fewer_periods), OTHER_LINES),
    law("copybooks-in-line", RewriteKind::InlineCopybooks, Normalization { has_no_copybooks: true, ..OTHER_LINES }),
];

const fn law(name: &'static str, kind: RewriteKind, form: Normalization) -> MetamorphicRule {
    MetamorphicRule { name, kind, form }
}

/// Whether a file is COBOL by its name.
pub fn is_cobol(name: &str) -> bool {
    is_program(name) || has_extension(name, &["cpy", "dcl"])
}

fn is_program(name: &str) -> bool {
    has_extension(name, &["cbl", "cob", "cobol", "pco"])
}

fn has_extension(name: &str, extensions: &[&str]) -> bool {
    name.rsplit_once('.').is_some_and(|(_, found)| extensions.iter().any(|each| found.eq_ignore_ascii_case(each)))
}

/// The members that a COPY with REPLACING names.
fn replaced_members(sources: &BTreeMap<String, CobolText>) -> BTreeSet<String> {
    let mut members = BTreeSet::new();
    for source in sources.values() {
        let tokens: Vec<_> = source.lines.iter().flat_map(|line| &line.tokens).collect();
        members.extend(
            tokens
                .windows(3)
                .filter(|three| three[0].is("COPY") && three[2].is("REPLACING"))
                .map(|three| three[1].text.to_ascii_uppercase()),
        );
    }
    members
}

impl MetamorphicRule {
    /// An estate as this law rewrites it.
    pub fn rewritten(&self, files: &FileTree) -> RewrittenEstate {
        let cobol = files.iter().filter(|(name, _)| is_cobol(name));
        let sources: BTreeMap<String, CobolText> =
            cobol.filter_map(|(name, bytes)| Some((name.clone(), CobolText::read(bytes)?))).collect();
        let mut names = NameMap::default();
        if matches!(self.kind, RewriteKind::Renaming) {
            let others = files.iter().filter(|(name, _)| !sources.contains_key(*name));
            let texts: Vec<String> = others.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect();
            names = NameMap::of(&sources, &texts);
        }
        let all: Vec<&str> = files.keys().map(String::as_str).collect();
        let mut rewritten =
            RewrittenEstate { files: files.clone(), changed: 0, places: LinePositions::default(), names: names.back() };
        // Other words in a copybook are no longer those that a REPLACING names.
        let replaced = if self.form.has_other_words { replaced_members(&sources) } else { BTreeSet::new() };
        for (name, source) in &sources {
            if replaced.contains(&member_of(name)) {
                continue;
            }
            let rewrite = match self.kind {
                RewriteKind::PerFile(rewrite) => rewrite(source),
                RewriteKind::Renaming => names.renamed(source),
                RewriteKind::InlineCopybooks if !is_program(name) => continue,
                RewriteKind::InlineCopybooks => inline_copybooks::inline_copybooks(source, &sources, &all),
            };
            rewritten.changed += usize::from(rewrite.text.as_bytes() != files[name]);
            rewritten.files.insert(name.clone(), rewrite.text.clone().into_bytes());
            rewritten.places.insert(name, source.lines.len(), rewrite);
        }
        rewritten
    }

    /// Holds the documents of an estate as it was against those of the rewritten one.
    pub fn compare(&self, rewritten: &RewrittenEstate, old: &DocumentTexts, new: &DocumentTexts) -> ComparisonResult {
        let normal = Normalizer { form: self.form, places: &rewritten.places, names: &rewritten.names };
        let mut outcome = ComparisonResult::default();
        let in_line = matches!(self.kind, RewriteKind::InlineCopybooks);
        for (name, (_, page)) in old.iter().filter(|(name, _)| is_program(name) || (is_cobol(name) && !in_line)) {
            let Some((_, new_page)) = new.get(name) else {
                outcome.differing.insert(name.clone(), vec![(name.clone(), "is missing".to_owned())]);
                continue;
            };
            outcome.compared += 1;
            let mut lines = differences(
                &normal.json(Side::Old, name, old),
                &normal.json(Side::New, name, new),
                self.form.has_other_names,
            );
            lines.extend(differences(
                &normal.page(Side::Old, name, page),
                &normal.page(Side::New, name, new_page),
                self.form.has_other_names,
            ));
            if !lines.is_empty() {
                outcome.differing.insert(name.clone(), lines);
            }
        }
        outcome
    }
}

/// The lines that only one of two texts has, side by side; of the same lines in another order the first that is elsewhere.
fn differences(old: &[String], new: &[String], in_any_order: bool) -> Vec<(String, String)> {
    let without = |these: &[String], those: &[String]| {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        those.iter().for_each(|line| *counts.entry(line).or_default() += 1);
        let mut is_left = |line: &&String| match counts.get_mut(line.as_str()) {
            Some(count @ 1..) => {
                *count -= 1;
                false
            }
            _ => true,
        };
        these.iter().filter(|line| is_left(line)).cloned().collect::<Vec<String>>()
    };
    let (mut gone, mut come) = (without(old, new), without(new, old));
    if gone.is_empty() && come.is_empty() && in_any_order {
        return Vec::new();
    }
    if gone.is_empty() && come.is_empty() {
        let moved = old.iter().zip(new).find(|(old, new)| old != new);
        return moved.map(|(old, new)| (old.clone(), new.clone())).into_iter().collect();
    }
    let count = gone.len().max(come.len());
    gone.resize(count, String::new());
    come.resize(count, String::new());
    gone.into_iter().zip(come).collect()
}

/// The documents of COBOL in a folder of output, and those of the map sets that they refer to.
///
/// # Panics
/// When a document has no page, or cannot be read.
pub fn documents_in(out: &Path) -> DocumentTexts {
    let mut files = crate::files_below(out);
    let names: Vec<String> = files.keys().filter_map(|name| name.strip_suffix(".json")).map(str::to_owned).collect();
    let mut text = |name: String| {
        let bytes = files.remove(&name).unwrap_or_else(|| panic!("{name} is missing"));
        String::from_utf8(bytes).expect("documents are UTF-8")
    };
    let wanted = names.into_iter().filter(|name| is_cobol(name) || has_extension(name, &["bms"]));
    wanted.map(|name| (name.clone(), (text(format!("{name}.json")), text(format!("{name}.md"))))).collect()
}
