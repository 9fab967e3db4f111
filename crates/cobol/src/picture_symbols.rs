//! The symbols of pictures, however they are written.

/// Returns the symbols of a picture in upper case, each with how often it stands there in a row: `S9(03)V99` and `s999V9(2)` are S once, 9 three times,
/// V once, 9 twice. None for a picture that has no number in its parentheses.
pub fn picture_symbols(picture: &str) -> Option<Vec<(char, u64)>> {
    let mut symbols: Vec<(char, u64)> = Vec::new();
    let mut rest = picture.trim();
    while let Some(symbol) = rest.chars().next() {
        rest = &rest[symbol.len_utf8()..];
        let times = match rest.strip_prefix('(').and_then(|inner| inner.split_once(')')) {
            Some((count, behind)) => {
                rest = behind;
                count.trim().parse().ok()?
            }
            None => 1,
        };
        let symbol = symbol.to_ascii_uppercase();
        match symbols.last_mut().filter(|(last, _)| *last == symbol) {
            Some((_, count)) => *count = count.saturating_add(times),
            None => symbols.push((symbol, times)),
        }
    }
    Some(symbols)
}

#[cfg(test)]
mod tests {
    use super::picture_symbols;

    #[test]
    fn pictures_are_the_same_however_they_are_written() {
        assert_eq!(picture_symbols("S9(03)V99"), picture_symbols("S999V9(2)"));
        assert_ne!(picture_symbols("S9(03)V99"), picture_symbols("S9(5)"));
        assert_eq!(picture_symbols("s9(3)"), Some(vec![('S', 1), ('9', 3)]));
        assert_eq!(picture_symbols("X(LENGTH-OF-IT)"), None);
    }
}
