//! Comments that the code contradicts: names of paragraphs, and lengths of records.

use super::{FoundHazards, Hazard, HazardKind, comment_lengths};
use crate::analysis::Analysis;
use crate::model::ParsedCobol;
use crate::named_words::NamedWords;
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::collections::BTreeSet;
use war_rig_text::{LineNumber, LineRange, SourceLine, SourceText};

/// Returns the hazards in the comments of a source; in a fragment only those about lengths.
pub(crate) fn comment_hazards(analysis: &Analysis, source: &SourceText) -> Vec<Hazard> {
    let parsed = analysis.parsed();
    let mut found = FoundHazards::default();
    comment_lengths::find(parsed, source, &mut found);
    if !parsed.programs.is_empty() && !parsed.is_copybook_missing("PROCEDURE") {
        names(parsed, source, &mut found);
    }
    found.into_hazards()
}

/// The least number of numbered paragraphs from which names of their form are taken for names of paragraphs.
const NUMBERED: usize = 3;

/// Finds comments that name a paragraph that nothing has.
fn names(parsed: &ParsedCobol, source: &SourceText, found: &mut FoundHazards) {
    let known = KnownNames::of(parsed);
    let procedures = parsed.divisions.iter().filter(|division| division.name == "PROCEDURE" && division.file.is_none());
    for division in procedures {
        let lines = source.lines().skip(division.lines.start().index()).take(division.lines.indices().len());
        let lines: Vec<SourceLine<'_>> = lines.collect();
        for block in lines.chunk_by(|one, other| one.is_comment() == other.is_comment()) {
            // One line of code shows that all of the block is code.
            if !block[0].is_comment() || block.iter().any(|line| is_code(line.visible())) {
                continue;
            }
            let is_banner = block.last().is_some_and(|last| known.begins_below(last.number()));
            for line in block {
                let words: Vec<&str> = words_of(line.visible()).collect();
                for (at, word) in words.iter().enumerate() {
                    let is_title = words.len() == 1 && is_banner;
                    if (is_title || is_referred_to(&words[..at])) && known.lacks(word) {
                        let kind = HazardKind::CommentedName { name: (*word).to_owned() };
                        found.add(kind, division.program, LineRange::single(line.number()));
                    }
                }
            }
        }
    }
}

/// Words before the name of a paragraph.
const REFERRING: [&str; 9] =
    ["PERFORM", "PERFORMS", "PERFORMING", "PARAGRAPH", "PARAGRAPHS", "PARA", "SECTION", "ROUTINE", "VIA"];

/// Returns whether the words before a name say that control goes there: `PERFORM`, `GO TO`, `PERFORMED BY`; also behind another such name and
/// `AND`.
fn is_referred_to(before: &[&str]) -> bool {
    let upper: Vec<String> = before.iter().map(|word| word.to_uppercase()).collect();
    let mut before: Vec<&str> = upper.iter().map(String::as_str).collect();
    while let [.., name, "AND" | "OR" | "THRU"] = before[..] {
        if numbered(name).is_none() {
            return false;
        }
        before.truncate(before.len() - 2);
    }
    match before[..] {
        [.., verb, "TO"] => ["GO", "GOES", "JUMPS", "BRANCHES"].contains(&verb),
        [.., verb, "BY" | "FROM"] => ["PERFORMED", "CALLED"].contains(&verb),
        [.., last] => REFERRING.contains(&last),
        [] => false,
    }
}

/// Returns the words of a comment, with the hyphens in them.
fn words_of(comment: &str) -> impl Iterator<Item = &str> {
    let words = comment.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
    words.map(|word| word.trim_matches(['-', '_'])).filter(|word| !word.is_empty())
}

/// Returns whether a comment begins like a statement.
fn is_code(comment: &str) -> bool {
    words_of(comment).next().is_some_and(|first| {
        let is_upper = !first.chars().any(char::is_lowercase);
        let is_phrase = ["ELSE", "WHEN", "COPY", "UNTIL", "VARYING"].contains(&first) || first.starts_with("END-");
        is_upper && (Verb::of(first).is_some() || is_phrase)
    })
}

/// The names of a source, and the form of its numbered paragraphs.
struct KnownNames {
    names: BTreeSet<String>,
    /// The numbers of paragraphs by how many digits begin their names.
    numbered: HashMap<usize, usize>,
    begins: HashSet<LineNumber>,
}

impl KnownNames {
    fn of(parsed: &ParsedCobol) -> Self {
        let mut names: BTreeSet<String> = NamedWords::of(parsed).into_names().collect();
        names.extend(parsed.data_items.iter().map(|item| item.name.clone()));
        names.extend(parsed.copies.iter().map(|copy| copy.name.to_uppercase()));
        names.extend(parsed.sections.iter().map(|section| section.name.to_uppercase()));
        names.extend(parsed.programs.iter().map(|program| program.name.to_uppercase()));
        let mut known = Self { names, numbered: HashMap::new(), begins: HashSet::new() };
        for paragraph in parsed.paragraphs.iter().filter(|paragraph| paragraph.has_label()) {
            let name = paragraph.name.to_uppercase();
            if let Some((digits, _)) = numbered(&name) {
                *known.numbered.entry(digits).or_default() += 1;
            }
            known.names.insert(name);
            if paragraph.file.is_none() {
                known.begins.insert(paragraph.lines.start());
            }
        }
        known
    }

    fn begins_below(&self, line: LineNumber) -> bool {
        self.begins.contains(&line.saturating_add(1))
    }

    /// Returns whether a word has the form of the numbered paragraphs, and nothing has this name or a longer or shorter form of it.
    fn lacks(&self, word: &str) -> bool {
        let Some((digits, _)) = numbered(word) else { return false };
        let is_usual = self.numbered.get(&digits).is_some_and(|count| *count >= NUMBERED);
        let is_longer = || self.names.range(word.to_owned()..).next().is_some_and(|name| name.starts_with(word));
        let mut shorter = word.match_indices('-').map(|(end, _)| &word[..end]);
        is_usual && !is_longer() && !shorter.any(|name| self.names.contains(name))
    }
}

/// Splits a name in upper case into the number of its first digits and the words behind its first hyphen.
fn numbered(name: &str) -> Option<(usize, &str)> {
    let (number, rest) = name.split_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let letters = rest.bytes().filter(u8::is_ascii_uppercase).count();
    let is_upper = !rest.bytes().any(|byte| byte.is_ascii_lowercase());
    let ends_with_number = rest.rsplit('-').next().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    (is_number && is_upper && letters >= 3 && !ends_with_number).then_some((number.len(), rest))
}
