//! Joins what chunks say about the same thing, and records where they contradict each other.

use war_rig_template::DocumentConflict;
use war_rig_text::LineNumber;

/// A text in pieces, joined in the order of the lines that they are about.
#[derive(Debug, Clone, Default)]
pub(crate) struct MergedText {
    pieces: Vec<(Option<LineNumber>, String)>,
    text: String,
}

impl MergedText {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Adds what is said about lines that begin here, unless the text says it already.
    pub(crate) fn join(&mut self, text: &str, line: Option<LineNumber>) {
        let text = text.trim();
        if text.is_empty() || self.pieces.iter().any(|(_, piece)| piece.contains(text)) {
            return;
        }
        self.pieces.retain(|(_, piece)| !text.contains(piece.as_str()));
        let place = self.pieces.partition_point(|(other, _)| *other <= line);
        self.pieces.insert(place, (line, text.to_owned()));
        self.text = self.pieces.iter().map(|(_, piece)| piece.as_str()).collect::<Vec<_>>().join(" ");
    }
}

/// The kind of a program in words, with the chunk that says so.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProgramType {
    words: String,
    by: String,
}

/// What words say about how a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunMode {
    Batch,
    Online,
}

impl RunMode {
    fn of(words: &str) -> Option<Self> {
        let words = words.to_lowercase();
        let is = |word: &str| words.contains(word);
        match (is("batch"), is("online") || is("cics") || is("interactive")) {
            (true, false) if !is("called") => Some(RunMode::Batch),
            (false, true) => Some(RunMode::Online),
            _ => None,
        }
    }
}

impl ProgramType {
    pub(crate) fn words(&self) -> &str {
        &self.words
    }

    pub(crate) fn into_words(self) -> String {
        self.words
    }

    /// Takes a chunk's words if there are none; words that contradict the earlier ones are a conflict.
    pub(crate) fn take(&mut self, words: &str, chunk: &str, conflicts: &mut Vec<DocumentConflict>) {
        let words = words.trim();
        if self.words.is_empty() {
            (self.words, self.by) = (words.to_owned(), chunk.to_owned());
        } else if self.contradicts(words) {
            conflicts.push(self.conflict(&self.words, words, chunk));
        }
    }

    /// Whether other words exclude these.
    pub(crate) fn contradicts(&self, words: &str) -> bool {
        RunMode::of(&self.words).zip(RunMode::of(words)).is_some_and(|(one, other)| one != other)
    }

    /// Replaces words that the parser's refute.
    pub(crate) fn correct(&mut self, fact: &str, conflicts: &mut Vec<DocumentConflict>) {
        conflicts.push(self.conflict(fact, &self.words, ""));
        self.words = fact.to_owned();
    }

    fn conflict(&self, kept: &str, dropped: &str, chunk: &str) -> DocumentConflict {
        let chunks = [self.by.as_str(), chunk].into_iter().filter(|chunk| !chunk.is_empty());
        DocumentConflict {
            field: "purpose.program_type".to_owned(),
            kept: kept.to_owned(),
            dropped: dropped.to_owned(),
            chunks: chunks.map(str::to_owned).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_joined_in_the_order_of_their_lines_and_said_once() {
        let mut text = MergedText::default();
        let line = LineNumber::new;
        text.join("", line(1));
        text.join("Prints a report.", line(30));
        text.join(" Opens the files. ", line(10));
        text.join("Opens the files.", line(20));
        text.join("report", line(40));
        assert_eq!(text.text(), "Opens the files. Prints a report.");
        text.join("Opens the files. Prints a report. Ends.", line(50));
        assert_eq!(text.text(), "Opens the files. Prints a report. Ends.");
    }

    #[test]
    fn only_types_that_exclude_each_other_are_a_conflict() {
        let mut conflicts = Vec::new();
        let mut kind = ProgramType::default();
        kind.take("batch", "X-001", &mut conflicts);
        kind.take("batch program with SQL", "X-002", &mut conflicts);
        kind.take("subprogram", "X-003", &mut conflicts);
        assert!(conflicts.is_empty());
        kind.take("online", "X-004", &mut conflicts);
        assert_eq!(kind.words(), "batch");
        assert_eq!(
            (conflicts[0].dropped.as_str(), conflicts[0].chunks.join(" ")),
            ("online", "X-001 X-004".to_owned())
        );
        kind.correct("online (CICS)", &mut conflicts);
        assert_eq!(kind.into_words(), "online (CICS)");
        assert_eq!((conflicts[1].kept.as_str(), conflicts[1].dropped.as_str()), ("online (CICS)", "batch"));
    }
}
