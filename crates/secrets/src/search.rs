//! The search for the secrets of a source.

use super::code;
use super::found_secret::{FoundSecret, SecretKind};
use super::headings::{self, TableHeading};
use super::known_secrets::{KnownSecrets, is_like_object};
use super::name_search;
use super::passage::{Passage, SecretRange};
use super::patterns;
use super::rules::SecretRules;
use std::cell::LazyCell;
use war_rig_cobol::LexedSource;
use war_rig_text::{ColumnSpan, SourceText};

/// Returns the secrets of a source, which `lexed` was made from, in the order of their lines: those that the table identifies, and those known
/// from other sources. The time is linear in the size of the source.
pub fn find_secrets(
    source: &SourceText,
    lexed: &LexedSource,
    table: &SecretRules,
    known: &KnownSecrets,
) -> Vec<FoundSecret> {
    let mut headings = Vec::new();
    let objects = LazyCell::new(|| name_search::objects_in_code(lexed));
    let is_object = |value: &str| {
        known.is_object(value) || (is_like_object(value) && objects.contains(&value.to_ascii_uppercase()))
    };
    let table = Some(table).filter(|_| !known.is_searched(source.hash()));
    let needs_rest = table.is_some() || known.may_occur_in(source.characters());
    let rest = needs_rest.then(|| Passage::of_rest(source, lexed)).flatten();
    let mut found =
        rest.map(|rest| look(&rest, source, (table, known), &mut headings, &is_object, |_, _| {})).unwrap_or_default();
    found.extend(look(&Passage::of_code(lexed), source, (table, known), &mut headings, &is_object, |_, _| {}));
    in_order(found)
}

/// Returns the secrets of a source that is not COBOL, in the order of their lines: by form, or after a word that names a secret.
pub fn find_secrets_in_text(source: &SourceText, table: &SecretRules, known: &KnownSecrets) -> Vec<FoundSecret> {
    let Some(text) = Passage::of_text(source) else { return Vec::new() };
    // Job control may well have the name of a program as a password.
    in_order(look(&text, source, (Some(table), known), &mut Vec::new(), &|_| false, |table, found| {
        patterns::search_definitions(&text.text, table, found)
    }))
}

/// Returns the values of secrets, which other sources may repeat.
pub fn values_of_secrets(source: &SourceText, secrets: &[FoundSecret]) -> Vec<String> {
    let text = |stretch: &ColumnSpan| {
        let line = source.line(stretch.line).map(|line| line.text()).unwrap_or_default();
        let columns = stretch.columns.start.saturating_sub(1) as usize..stretch.columns.end.saturating_sub(1) as usize;
        line.chars().skip(columns.start).take(columns.len()).collect::<String>()
    };
    let of_secret = |secret: &FoundSecret| -> Vec<String> {
        let pieces = secret.spans.iter().map(text);
        // Each line of a long key identifies the key.
        if secret.kind == SecretKind::PrivateKey { pieces.collect() } else { vec![pieces.collect()] }
    };
    secrets.iter().flat_map(of_secret).collect()
}

fn in_order(mut secrets: Vec<FoundSecret>) -> Vec<FoundSecret> {
    secrets.sort_by_key(|secret| secret.spans.first().map(|first| (first.line, first.columns.start)));
    secrets
}

/// Returns the secrets of a passage, by its own words and by the headings of earlier comments; adds the passage's table headings to those. Without a
/// table, only known secrets are looked for.
fn look(
    passage: &Passage<'_>,
    source: &SourceText,
    (table, known): (Option<&SecretRules>, &KnownSecrets),
    headings: &mut Vec<TableHeading>,
    is_object: &dyn Fn(&str) -> bool,
    also: impl FnOnce(&SecretRules, &mut Vec<SecretRange>),
) -> Vec<FoundSecret> {
    let (mut found, mut keys) = (Vec::new(), Vec::new());
    if let Some(table) = table
        && let Some(hits) = passage.hits(table, !headings.is_empty())
    {
        code::search_code(passage, &hits, headings, table, &mut found);
        if !passage.is_code {
            let words = hits.marks.iter().filter(|mark| mark.shape.is_none());
            let marks: Vec<usize> = words.map(|mark| mark.at).collect();
            headings.extend(headings::search_headings(passage, &marks, table, &mut found));
        }
        patterns::search_patterns(passage, &hits, table, &mut found, &mut keys);
        also(table, &mut found);
    }
    // The name of a program is no secret, unless it is passed as one.
    found.retain(|found| {
        !matches!(found.kind, SecretKind::Value | SecretKind::Moved | SecretKind::Compared | SecretKind::Keyed)
            || !is_object(passage.text[found.range.clone()].trim())
    });
    // A named secret is reported by its name, not as one known from other sources.
    found.extend(passage.find_known(known));
    let mut secrets = passage.locate(found);
    secrets.extend(patterns::find_private_keys(source, &passage.lines(&keys)));
    secrets
}
