//! What holds of any text that is looked for and of any filter, asserted, as [`fuzz_checks`](crate::fuzz_checks) does for COBOL.

use war_rig_catalogue::{CatalogueRow, Filter, RowKind, SearchColumns, SearchWords};

/// Reads the bytes as a filter, the first of them saying of which kind.
///
/// # Panics
/// When an error stands beside the text or has no advice.
pub fn filter(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let kind = RowKind::ALL[usize::from(*first) % RowKind::ALL.len()];
    let text = String::from_utf8_lossy(bytes);
    if let Err(error) = Filter::parse(kind, &text) {
        assert!((1..=text.chars().count() + 1).contains(&error.column), "{error}");
        assert!(!error.hint.is_empty() && error.message.len() < 1000, "{error}");
        assert!(!error.to_string().contains(char::is_control), "{error}");
    }
}

/// Reads the first line of the bytes as what is looked for, the second as the name of a row and all else as what is said of it.
///
/// # Panics
/// When the row's own text is not found in it, and when what is shown is no line with matches in it.
pub fn words(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (asked, row) = text.split_once('\n').unwrap_or((&text, ""));
    let (name, summary) = row.split_once('\n').unwrap_or((row, ""));
    let row = CatalogueRow::new(RowKind::Programs).with("name", name).with("summary", summary);
    let columns = SearchColumns::of(row.kind(), row.values());
    assert!(columns.name.starts_with(name) && columns.prose == summary && !columns.parts.contains('\n'));
    let Ok(words) = SearchWords::parse(asked) else { return };
    for with_prose in [true, false] {
        let searches = words.ranked_expressions(with_prose);
        assert!((2..=5).contains(&searches.len()));
        let all = words.match_all_expression();
        let texts = searches.iter().map(|(_, search)| search).chain([&all]);
        assert!(texts.map(|search| search.matches('"').count()).all(|marks| marks % 2 == 0));
    }
    if let Some(snippet) = words.snippet(row.kind(), row.values()) {
        assert!(snippet.text.chars().count() <= 120 && !snippet.text.contains(char::is_control));
        assert!(!snippet.matches.is_empty());
        let mut end = 0;
        for place in snippet.matches {
            assert!(end <= place.start && place.start < place.end && snippet.text.get(place.clone()).is_some());
            end = place.end;
        }
    }
    // What is looked for is found in itself. The character of private use stands between texts, and nobody can look for it.
    let itself = CatalogueRow::new(RowKind::Programs).with("summary", asked.replace('\u{E000}', " "));
    assert!(words.snippet(itself.kind(), itself.values()).is_some());
}
