//! Lines that were once cards of 80 columns.

/// The columns of a card that hold what it says; the rest holds its number.
const CODE: usize = 72;
/// The columns of a card.
const CARD: usize = 80;

/// What a line says: without the number in columns 73 to 80, where it has one, and without trailing blanks.
///
/// A longer line, or one with something else behind column 72, was never a card, and is taken whole.
pub(crate) fn strip_sequence_number(line: &str) -> &str {
    let numbered = line.get(CODE..CARD).filter(|_| line.trim_end().len() <= CARD);
    let is_number = numbered.is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()));
    // Before a character of several bytes the eight digits would stand in other columns.
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
