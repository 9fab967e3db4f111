//! The definition of a secret, and the search for the secrets of a source.

use super::code;
use super::headings::{self, TableHeading};
use super::known_secrets::KnownSecrets;
use super::passage::{Passage, SecretRange};
use super::patterns;
use super::rules::SecretRules;
use std::fmt;
use war_rig_cobol::LexedSource;
use war_rig_text::{ColumnSpan, LineNumber, SourceText};

/// A text that looks like a password or a key, and its place. It does not contain the secret itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSecret {
    /// The evidence for it.
    pub kind: SecretKind,
    /// The data item, keyword or parameter that names it.
    pub name: Option<String>,
    /// Its characters, in the order of lines; at least one span.
    pub spans: Vec<ColumnSpan>,
}

/// The evidence for a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecretKind {
    /// It is the initial value of an item or condition whose name indicates a secret.
    Value,
    /// It is moved or strung into such an item.
    Moved,
    /// It is compared with such an item.
    Compared,
    /// A statement of SQL or CICS passes it as a password.
    Connection,
    /// It follows such a name and `=` or a colon in a text.
    Keyed,
    /// It has the form of an access key or a token.
    Key,
    /// It is between user and host in an address.
    Address,
    /// It belongs to a private key in PEM.
    PrivateKey,
    /// Another source names it as a secret.
    Repeated,
}

impl FoundSecret {
    /// Returns its first line.
    pub fn line(&self) -> LineNumber {
        self.spans.first().map_or(LineNumber::FIRST, |stretch| stretch.line)
    }
}

impl fmt::Display for FoundSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.as_deref().unwrap_or("a password");
        match self.kind {
            SecretKind::Value => write!(f, "the value of {name} looks like a password"),
            SecretKind::Moved => write!(f, "what is moved to {name} looks like a password"),
            SecretKind::Compared => write!(f, "what {name} is compared with looks like a password"),
            SecretKind::Connection => write!(f, "what {name} hands over looks like a password"),
            SecretKind::Keyed => write!(f, "what follows {name} looks like a password"),
            SecretKind::Key => f.write_str("this looks like a key or a password"),
            SecretKind::Address => f.write_str("this looks like a password in an address"),
            SecretKind::PrivateKey => f.write_str("this looks like a private key"),
            SecretKind::Repeated => f.write_str("this looks like a password that another line names"),
        }
    }
}

/// Returns the secrets of a source, which `lexed` was made from, in the order of their lines: those that the table identifies, and those known
/// from other sources. The time is linear in the size of the source.
pub fn find_secrets(
    source: &SourceText,
    lexed: &LexedSource,
    table: &SecretRules,
    known: &KnownSecrets,
) -> Vec<FoundSecret> {
    let mut headings = Vec::new();
    let rest = Passage::of_rest(source, lexed);
    let mut found = rest.map(|rest| look(&rest, source, (table, known), &mut headings, |_| {})).unwrap_or_default();
    found.extend(look(&Passage::of_code(lexed), source, (table, known), &mut headings, |_| {}));
    in_order(found)
}

/// Returns the secrets of a source that is not COBOL, in the order of their lines: by form, or after a word that names a secret.
pub fn find_secrets_in_text(source: &SourceText, table: &SecretRules, known: &KnownSecrets) -> Vec<FoundSecret> {
    let Some(text) = Passage::of_text(source) else { return Vec::new() };
    in_order(look(&text, source, (table, known), &mut Vec::new(), |found| {
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

/// Returns the secrets of a passage, by its own words and by the headings of earlier comments; adds the passage's table headings to those.
fn look(
    passage: &Passage<'_>,
    source: &SourceText,
    (table, known): (&SecretRules, &KnownSecrets),
    headings: &mut Vec<TableHeading>,
    also: impl FnOnce(&mut Vec<SecretRange>),
) -> Vec<FoundSecret> {
    let (mut found, mut keys) = (Vec::new(), Vec::new());
    if let Some(hits) = passage.hits(table, !headings.is_empty()) {
        code::search_code(passage, &hits, headings, table, &mut found);
        if !passage.is_code {
            let words = hits.marks.iter().filter(|mark| mark.shape.is_none());
            let marks: Vec<usize> = words.map(|mark| mark.at).collect();
            headings.extend(headings::search_headings(passage, &marks, table, &mut found));
        }
        patterns::search_patterns(passage, &hits, table, &mut found, &mut keys);
        also(&mut found);
    }
    // A named secret is reported by its name, not as one known from other sources.
    found.extend(passage.find_known(known));
    let mut secrets = passage.locate(found);
    secrets.extend(patterns::find_private_keys(source, &passage.lines(&keys)));
    secrets
}
