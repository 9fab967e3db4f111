//! Lines that may come from 80-column cards.

/// The columns of a card that contain text; the rest contains its number.
const CODE: usize = 72;
/// The columns of a card.
const CARD: usize = 80;

/// Removes the number in columns 73 to 80, if the line has one, and trailing blanks.
///
/// A longer line, or one with something else after column 72, is not a card and is returned whole.
pub(crate) fn strip_sequence_number(line: &str) -> &str {
    let numbered = line.get(CODE..CARD).filter(|_| line.trim_end().len() <= CARD);
    let is_number = numbered.is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()));
    // Before a multi-byte character the eight digits would be in other columns.
    if is_number && line[..CODE].is_ascii() { line[..CODE].trim_end() } else { line.trim_end() }
}

#[cfg(test)]
mod tests {
    use super::strip_sequence_number;

    #[test]
    fn the_number_of_a_card_is_not_what_it_says() {
        assert_eq!(strip_sequence_number(&format!("{:<72}00010002", "DEFINE")), "DEFINE");
        assert_eq!(strip_sequence_number(&format!("{:<72}00010002  ", "DEFINE")), "DEFINE");
        assert_eq!(strip_sequence_number(&format!("{:<72}0001000", "DEFINE")).len(), 79);
        assert_eq!(strip_sequence_number(&format!("{:<72}000100023", "DEFINE")).len(), 81);
        assert_eq!(strip_sequence_number(&format!("{:<72}GROUP(A)", "DEFINE")).len(), 80);
        assert_eq!(strip_sequence_number("SHORT  "), "SHORT");
        assert_eq!(strip_sequence_number("é"), "é");
    }
}
