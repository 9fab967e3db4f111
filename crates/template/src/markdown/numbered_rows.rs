//! Rows that say the same of one numbered item after the other, as the lines of a list on a screen have them.

use crate::citation::{Citation, CitationStatus};
use std::ops::RangeInclusive;
use war_rig_text::LineRange;

/// The minimum number of rows behind the first that are told as one.
const ROWS: usize = 3;

/// Returns how many rows from the first on differ only in numbers that count on, and one sentence for those behind the first; `None` if they are too few.
pub(super) fn numbered<'a>(mut sentences: impl Iterator<Item = &'a str>) -> Option<(usize, String)> {
    let mut rows = vec![Row::of(sentences.next()?), Row::of(sentences.next()?)];
    let places = rows[0].places_counted(&rows[1])?;
    // A number that stays must not be taken for one that counts.
    let first = rows[0].number(places[0]);
    if (0..rows[0].numbers.len()).any(|place| !places.contains(&place) && rows[0].number(place) == first) {
        return None;
    }
    for next in sentences.map(Row::of) {
        if rows[rows.len() - 1].places_counted(&next).as_ref() != Some(&places) {
            break;
        }
        rows.push(next);
    }
    let (first, next, last) = (&rows[0], &rows[1], &rows[rows.len() - 1]);
    if rows.len() <= ROWS {
        return None;
    }
    let number = |row: &Row<'_>| row.number(places[0]).unwrap_or_default();
    let mut words: Vec<String> = Vec::new();
    for place in &places {
        let [from, to] = [next, last].map(|row| row.word(*place));
        let word = format!("{from} to {to}");
        let is_told = from.contains(char::is_alphabetic) || first.digits(*place).starts_with('0');
        if is_told && !words.contains(&word) {
            words.push(word);
        }
    }
    let named = if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) };
    let told = format!("Likewise with {} to {} in place of {}{named}.", number(next), number(last), number(first));
    Some((rows.len(), told))
}

/// Returns the lines from the first citation to the last; `None` if they are not of one file and in order, or one does not hold.
pub(super) fn joined_lines<'c>(items: impl Iterator<Item = &'c [Citation]>) -> Option<(&'c str, LineRange)> {
    let mut joined: Option<(&str, LineRange)> = None;
    for citations in items {
        let [citation] = citations else { return None };
        let (file, lines) = (citation.file(), citation.lines());
        joined = match joined {
            _ if citation.status() != CitationStatus::Verified => return None,
            None => Some((file, lines)),
            // Statements may share a line.
            Some((known, before)) if known == file && before.end() <= lines.start() => {
                Some((file, LineRange::spanning(before.start(), lines.end())))
            }
            Some(_) => return None,
        };
    }
    joined
}

/// A sentence, and where the numbers in it stand.
struct Row<'a> {
    text: &'a str,
    numbers: Vec<RangeInclusive<usize>>,
}

impl<'a> Row<'a> {
    fn of(text: &'a str) -> Self {
        let mut numbers: Vec<RangeInclusive<usize>> = Vec::new();
        for (at, _) in text.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
            match numbers.last_mut() {
                Some(number) if *number.end() + 1 == at => *number = *number.start()..=at,
                _ => numbers.push(at..=at),
            }
        }
        Self { text, numbers }
    }

    fn digits(&self, place: usize) -> &'a str {
        &self.text[self.numbers[place].clone()]
    }

    fn number(&self, place: usize) -> Option<u64> {
        self.digits(place).parse().ok()
    }

    /// Returns the text around the numbers.
    fn between(&self) -> impl Iterator<Item = &'a str> + '_ {
        let starts = std::iter::once(0).chain(self.numbers.iter().map(|number| number.end() + 1));
        let ends = self.numbers.iter().map(|number| *number.start()).chain([self.text.len()]);
        starts.zip(ends).map(|(start, end)| &self.text[start..end])
    }

    /// Returns the numbers that are one more in the next sentence, if all of them are equal, and nothing else changes.
    fn places_counted(&self, next: &Row<'_>) -> Option<Vec<usize>> {
        if self.numbers.len() != next.numbers.len() || !self.between().eq(next.between()) {
            return None;
        }
        let changes = |place: &usize| self.digits(*place) != next.digits(*place);
        let places: Vec<usize> = (0..self.numbers.len()).filter(changes).collect();
        let from = self.number(*places.first()?)?;
        // `1` and `02` are written differently.
        let is_padded = |row: &Row<'_>, place: usize| row.digits(place).starts_with('0');
        let is_alike = |place: usize| {
            self.digits(place).len() == next.digits(place).len() || !(is_padded(self, place) || is_padded(next, place))
        };
        let counts = |place: &usize| {
            let is_next = self.number(*place) == Some(from) && next.number(*place) == from.checked_add(1);
            is_next && is_alike(*place)
        };
        places.iter().all(counts).then_some(places)
    }

    /// Returns the word that contains a number.
    fn word(&self, place: usize) -> &'a str {
        let number = &self.numbers[place];
        let is_between = |letter: char| !letter.is_alphanumeric() && !['-', '_', '\\'].contains(&letter);
        let before = self.text[..*number.start()].rsplit(is_between).next().unwrap_or_default();
        let behind = self.text[*number.start()..].split(is_between).next().unwrap_or_default();
        &self.text[number.start() - before.len()..number.start() + behind.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pattern: impl Fn(u32) -> String, rows: u32) -> Option<(usize, String)> {
        let sentences: Vec<String> = (1..=rows).map(pattern).collect();
        numbered(sentences.iter().map(String::as_str))
    }

    #[test]
    fn rows_that_count_on_are_one() {
        let row = |at| format!("When IX is {at}: moves KEY to KEY{at:02}I of MAP7, AMT (99) to AMT{at:03}I of MAP7.");
        let expected = "Likewise with 2 to 10 in place of 1: KEY02I to KEY10I, AMT002I to AMT010I.";
        assert_eq!(told(row, 10), Some((10, expected.to_owned())));
        // Few rows are shorter as they are.
        assert_eq!(told(row, 3), None);
        assert_eq!(
            told(|at| format!("When IX is {at}: ends."), 4),
            Some((4, "Likewise with 2 to 4 in place of 1.".to_owned()))
        );
    }

    #[test]
    fn rows_end_where_something_else_changes() {
        let odd = |at| match at {
            6 => "When IX is 6: moves KEY to KEY6 and LAST-KEY.".to_owned(),
            at => format!("When IX is {at}: moves KEY to KEY{at}."),
        };
        assert_eq!(told(odd, 9), Some((5, "Likewise with 2 to 5 in place of 1: KEY2 to KEY5.".to_owned())));
        // Numbers that differ from each other say different things.
        assert_eq!(told(|at| format!("When IX is {at}: sets CODE to {}.", at + 7), 9), None);
        assert_eq!(told(|at| format!("When IX is {}: ends.", at * at), 9), None);
        assert_eq!(told(|at| format!("When IX is {}: ends.", at * 10), 9), None);
        assert_eq!(told(|at| format!("When IX is {at}: sets CODE to 1."), 9), None);
        assert_eq!(told(|at| format!("When WS-IN({at}:1) is 'X': ends."), 9), None);
        assert_eq!(told(|at| format!("When IX is {:0>1$}: ends.", at, (at as usize).min(2)), 9), None);
        let padded = told(|at| format!("When IX is '{at:02}': ends."), 9);
        assert_eq!(padded.unwrap().1, "Likewise with 2 to 9 in place of 1: 02 to 09.");
        let long = |at| format!("When IX is 1234567890123456789012345{at}: ends.");
        assert_eq!(told(long, 9), None);
        assert_eq!(told(|_| "Ends.".to_owned(), 9), None);
        assert_eq!(told(|at| format!("When IX is {at}: ä {at}."), 9).map(|told| told.0), Some(9));
    }
}
