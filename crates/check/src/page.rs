//! Whether the page of a document says what its JSON says.

use crate::finding::Finding;
use crate::rule::Rule;
use war_rig_template::Document;
use war_rig_text::{LineNumber, LineRange};

/// Holds a page against its document. Where its links lead does not matter: that depends on where the page was written.
pub fn hold_page(document: &Document, page: &str) -> Option<Finding> {
    let expected = document.to_markdown(&document.header.file_name);
    if without_targets(page).eq(without_targets(&expected)) {
        return None;
    }
    let same = |(one, other): &(&str, &str)| without_targets(one).eq(without_targets(other));
    let equal = page.lines().zip(expected.lines()).take_while(same).count();
    let at = u32::try_from(equal + 1).ok().and_then(LineNumber::new).unwrap_or(LineNumber::FIRST);
    let message = format!(
        "its page says something else than its JSON, from line {} of the page on",
        LineRange::single(at)
    );
    Some(Finding::new(Rule::StaleDocument, &document.header.file_name, message).about("page"))
}

/// The text, piece by piece, without the targets of its links. Text of sources is escaped, so that it holds no link.
fn without_targets(text: &str) -> impl Iterator<Item = char> + '_ {
    let mut rest = text.char_indices();
    let mut before = ' ';
    std::iter::from_fn(move || {
        let (at, c) = rest.next()?;
        if before == ']'
            && c == '('
            && let Some(end) = text[at..].find([')', '\n'])
        {
            // The sign that ends the target stays.
            while rest.clone().next().is_some_and(|(next, _)| next < at + end) {
                rest.next();
            }
        }
        before = c;
        Some(c)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_may_lead_elsewhere_and_words_may_not_differ() {
        let plain = |text: &str| without_targets(text).collect::<String>();
        assert_eq!(plain("see [a](../x/y.cbl#L1), [b](z)!"), "see [a](), [b]()!");
        assert_eq!(plain("a (b) [c] (d) [e]("), "a (b) [c] (d) [e](");
        assert_ne!(plain("[12-14](x)"), plain("[12-15](x)"));
    }
}
