//! Resolves differences between chunks about the same thing.

use war_rig_template::DocumentConflict;

/// A text that chunks may contradict: the first non-empty text wins, and another is recorded as a conflict.
#[derive(Debug, Clone, Default)]
pub(crate) struct MergedText {
    text: String,
    by: String,
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

    /// Sets a text that is more complete than the current one: a full entry always beats a stub, whichever came first.
    pub(crate) fn set_or_conflict(
        &mut self,
        text: &str,
        chunk: &str,
        field: impl FnOnce() -> String,
        conflicts: &mut Vec<DocumentConflict>,
    ) {
        let text = text.trim();
        if text.is_empty() || text == self.text {
            return;
        }
        if self.text.is_empty() {
            self.text = text.to_owned();
            self.by = chunk.to_owned();
            return;
        }
        conflicts.push(DocumentConflict {
            field: field(),
            kept: self.text.clone(),
            dropped: text.to_owned(),
            chunks: vec![self.by.clone(), chunk.to_owned()],
        });
    }

    /// Appends a sentence to the text unless the text contains it.
    pub(crate) fn append_sentence(&mut self, text: &str, chunk: &str) {
        let text = text.trim();
        if text.is_empty() || self.text.contains(text) {
            return;
        }
        if self.text.is_empty() {
            self.by = chunk.to_owned();
        } else {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_full_text_stands_and_a_different_one_is_on_record() {
        let mut conflicts = Vec::new();
        let mut said = MergedText::default();
        let field = || "paragraphs.A.summary".to_owned();
        said.set_or_conflict("", "X-001", field, &mut conflicts);
        said.set_or_conflict("Opens the files.", "X-002", field, &mut conflicts);
        said.set_or_conflict(" Opens the files. ", "X-003", field, &mut conflicts);
        assert!(conflicts.is_empty());
        said.set_or_conflict("Closes the files.", "X-004", field, &mut conflicts);
        assert_eq!(said.text(), "Opens the files.");
        assert_eq!(
            (conflicts[0].dropped.as_str(), conflicts[0].chunks.join(" ")),
            ("Closes the files.", "X-002 X-004".to_owned())
        );
    }

    #[test]
    fn an_added_sentence_counts_once() {
        let mut said = MergedText::default();
        said.append_sentence("Posts interest.", "X-001");
        said.append_sentence("Posts interest.", "X-002");
        said.append_sentence("Prints a report.", "X-002");
        assert_eq!(said.text(), "Posts interest. Prints a report.");
    }
}
