//! The blocks of a prompt about a part of an input, read back by the contract's words alone.

use std::ops::RangeInclusive;

/// What a prompt about a part of an input shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartBlock {
    /// The word of all its headers and ends.
    pub word: String,
    /// The name of the input, decoded.
    pub file: String,
    /// Which part it is, as the header says; none where it says nothing.
    pub part: Option<u64>,
    /// How many there are, where the header says it.
    pub parts: Option<u64>,
    /// What the numbers of its place are: `pages`, `records` or `lines`; empty without a place.
    pub unit: String,
    /// Its place; one page and the like is a range as well.
    pub place: Option<RangeInclusive<u64>>,
    /// The context blocks before it, by kind, in order.
    pub context: Vec<(String, String)>,
    /// The text, each line with its end, rows that name pages included.
    pub text: String,
    /// What stands before the first block.
    pub opening: String,
}

impl PartBlock {
    /// Whether a message of the user has such a block.
    pub fn is_in(user: &str) -> bool {
        user.starts_with("<<<INPUT ") || user.contains("\n<<<INPUT ")
    }

    /// Finds the one block of a user message, and the context before it.
    ///
    /// # Errors
    /// What is wrong with the message: no block, a header of another form, an unknown kind or one out of order, an empty block, no end, another word, something that
    /// opens behind it.
    pub fn parse(user: &str) -> Result<Self, String> {
        let mut lines = user.split_inclusive('\n');
        let mut opening = String::new();
        let mut context: Vec<(String, String)> = Vec::new();
        let mut word_of_context = None;
        loop {
            let line = lines.next().ok_or("no input block")?;
            let row = line.trim_end_matches('\n');
            if let Some(rest) = row.strip_prefix("<<<CONTEXT ") {
                let (word, kind) = rest.strip_suffix(">>>").and_then(|rest| rest.split_once(" kind=")).ok_or(row)?;
                if word_of_context.get_or_insert(word) != &word {
                    return Err(format!("`{row}` has another word"));
                }
                context.push((kind.to_owned(), up_to_end(&mut lines, word)?));
            } else if let Some(rest) = row.strip_prefix("<<<INPUT ") {
                let rest = rest.strip_suffix(">>>").ok_or("the header has no end")?;
                let mut block = Self::header(rest)?;
                if word_of_context.is_some_and(|word| word != block.word) {
                    return Err(format!("`{row}` has another word than its context"));
                }
                block.text = up_to_end(&mut lines, &block.word)?;
                // A repair has words behind the block.
                if lines.any(|line| line.starts_with("<<<")) {
                    return Err("something opens after the end".to_owned());
                }
                (block.context, block.opening) = (context, opening);
                return block.checked();
            } else if row.starts_with("<<<") {
                return Err(format!("`{row}` opens nothing"));
            } else if context.is_empty() {
                opening.push_str(line);
            } else {
                return Err(format!("`{row}` stands between the blocks"));
            }
        }
    }

    fn header(header: &str) -> Result<Self, String> {
        let mut words = header.split(' ');
        let word = words.next().unwrap_or_default();
        if word.len() != 12 || !word.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')) {
            return Err(format!("`{word}` is no word of twelve hexadecimal digits"));
        }
        let mut block = Self {
            word: word.to_owned(),
            file: String::new(),
            part: None,
            parts: None,
            unit: String::new(),
            place: None,
            context: Vec::new(),
            text: String::new(),
            opening: String::new(),
        };
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is no number"));
        for (at, field) in words.enumerate() {
            match (at, field.split_once('=').ok_or(format!("`{field}` says nothing"))?) {
                (0, ("file", name)) => {
                    let name = percent_encoding::percent_decode_str(name).decode_utf8();
                    block.file = name.map_err(|error| error.to_string())?.into_owned();
                }
                (1, ("part", part)) => {
                    let (part, parts) = part.split_once('/').map_or((part, None), |(k, n)| (k, Some(n)));
                    (block.part, block.parts) = (Some(number(part)?), parts.map(number).transpose()?);
                }
                (1 | 2, (unit @ ("pages" | "records" | "lines"), place)) if block.place.is_none() => {
                    let (first, last) = place.split_once('-').unwrap_or((place, place));
                    (block.unit, block.place) = (unit.to_owned(), Some(number(first)?..=number(last)?));
                }
                _ => return Err(format!("`{field}` is out of place")),
            }
        }
        match block.file.is_empty() {
            true => Err("no file".to_owned()),
            false => Ok(block),
        }
    }

    fn checked(self) -> Result<Self, String> {
        const KINDS: [&str; 3] = ["header", "overlap", "so-far"];
        let places: Option<Vec<usize>> =
            self.context.iter().map(|(kind, _)| KINDS.iter().position(|known| known == kind)).collect();
        if !places.is_some_and(|places| places.is_sorted_by(|one, other| one < other)) {
            return Err("a kind of context is unknown or out of order".to_owned());
        }
        if self.context.iter().any(|(_, text)| text.is_empty()) {
            return Err("a context block is empty".to_owned());
        }
        if self.part == Some(0) || self.parts.is_some_and(|parts| self.part > Some(parts)) {
            return Err("the part is none of its parts".to_owned());
        }
        if self.place.as_ref().is_some_and(RangeInclusive::is_empty) {
            return Err("the place ends before it begins".to_owned());
        }
        let told = self.opening.lines().any(|line| line.starts_with("Part ") && line.ends_with('.'));
        match (told, self.part) {
            (false, Some(_)) => Err("the header tells a part that is not told before it".to_owned()),
            _ => Ok(self),
        }
    }

    /// The context of a kind; empty where there is none.
    pub fn context(&self, kind: &str) -> &str {
        self.context.iter().find(|(known, _)| known == kind).map_or("", |(_, text)| text)
    }

    /// The text without the rows that name pages.
    pub fn bare(&self) -> String {
        self.text.split_inclusive('\n').filter(|line| !is_page_row(line)).collect()
    }

    /// The text page by page, each with its number; one piece for what is no page.
    pub fn pages(&self) -> Vec<(u64, String)> {
        let first = self.place.as_ref().map_or(0, |place| *place.start());
        let mut pages: Vec<(u64, String)> = Vec::new();
        for line in self.text.split_inclusive('\n') {
            if is_page_row(line) && self.unit == "pages" {
                let number = line.trim_end().trim_start_matches("[page ").trim_end_matches(']').parse();
                pages.push((number.unwrap_or_default(), String::new()));
                continue;
            }
            if pages.is_empty() {
                pages.push((first, String::new()));
            }
            if let Some((_, text)) = pages.last_mut() {
                text.push_str(line);
            }
        }
        pages
    }
}

fn is_page_row(line: &str) -> bool {
    let inner = line.trim_end_matches('\n').strip_prefix("[page ").and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

fn up_to_end<'a>(lines: &mut impl Iterator<Item = &'a str>, word: &str) -> Result<String, String> {
    let end = format!("<<<END {word}>>>\n");
    let mut text = String::new();
    loop {
        let line = lines.next().ok_or("a block has no end")?;
        if line == end {
            return Ok(text);
        }
        text.push_str(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "Find all.\n\nPart 2 of 3.\n<<<CONTEXT 3fa9c1d2e4b7 kind=overlap>>>\nbefore\n<<<END 3fa9c1d2e4b7>>>\n\
        <<<INPUT 3fa9c1d2e4b7 file=my%20notes.pdf part=2/3 pages=5-6>>>\n[page 5]\nfive\n[page 6]\nsix\n<<<END 3fa9c1d2e4b7>>>\n";

    #[test]
    fn blocks_read_back() {
        let block = PartBlock::parse(GOOD).expect("it is whole");
        assert_eq!((block.file.as_str(), block.part, block.parts), ("my notes.pdf", Some(2), Some(3)));
        assert_eq!((block.unit.as_str(), block.place.clone()), ("pages", Some(5..=6)));
        assert_eq!((block.context("overlap"), block.context("header")), ("before\n", ""));
        assert_eq!(block.bare(), "five\nsix\n");
        assert_eq!(block.pages(), [(5, "five\n".to_owned()), (6, "six\n".to_owned())]);
    }

    #[test]
    fn broken_blocks_are_refused() {
        for (from, to) in [
            ("kind=overlap", "kind=other"),
            ("before\n", ""),
            ("<<<END 3fa9c1d2e4b7>>>\n<<<INPUT", "<<<INPUT"),
            ("<<<INPUT 3fa9c1d2e4b7", "<<<INPUT 3fa9c1d2e4b8"),
            ("part=2/3", "part=4/3"),
            ("part=2/3", "part=0/3"),
            ("pages=5-6", "pages=6-5"),
            ("pages=5-6", "rows=5-6"),
            ("file=my%20notes.pdf ", ""),
            ("Part 2 of 3.\n", ""),
            ("six\n<<<END 3fa9c1d2e4b7>>>\n", "six\n"),
        ] {
            assert!(GOOD.contains(from), "{from}");
            assert!(PartBlock::parse(&GOOD.replacen(from, to, 1)).is_err(), "{from} -> {to}");
        }
        assert!(PartBlock::parse(&GOOD.repeat(2)).is_err());
    }
}
