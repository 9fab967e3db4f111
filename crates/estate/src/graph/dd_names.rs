//! The names of DDs that ASSIGN clauses mean.

/// Parses the DD name in an ASSIGN clause: the part after the last hyphen, as in IBM's compilers.
pub(super) fn dd_name(assign: &str) -> Option<String> {
    let name = assign.rsplit('-').next().unwrap_or(assign).to_uppercase();
    is_dd_name(&name).then_some(name)
}

/// Returns the word of an ASSIGN clause if a DD can have it as a whole.
pub(super) fn whole_dd_name(assign: &str) -> Option<String> {
    Some(assign.to_uppercase()).filter(|name| is_dd_name(name))
}

fn is_dd_name(name: &str) -> bool {
    (1..=8).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '$' | '#' | '@'))
}

/// Returns the stem of a file name: `OUT` of `'data/OUT.DAT'`. Only a literal has a period; ports to the mainframe often name the DD like it.
pub(super) fn stem(assign: &str) -> Option<String> {
    let name = assign.rsplit(['/', '\\']).next()?;
    name.rsplit_once('.').map(|(stem, _)| stem.to_uppercase()).filter(|stem| is_dd_name(stem))
}
