//! Describes each paragraph in a sentence.

use super::clauses::SENTENCE;
use super::{StaticWriter, name_some};
use crate::phrases::{list, sentence};
use war_rig_template::{Paragraph, PartialItem};

/// Marks a comment as such.
fn said(comment: &str) -> String {
    format!("Its comment: \"{}\".", comment.trim_end_matches('.'))
}

impl StaticWriter<'_, '_> {
    pub(super) fn paragraphs(&self) -> Vec<PartialItem<Paragraph>> {
        let parsed = self.reading.parsed;
        let comments = self.facts.file.comments(|| self.comments());
        let own = self.reading.paragraphs_on.on(self.facts.owned());
        own.map(|index| {
            let paragraph = &parsed.paragraphs[index];
            // A chunk that only continues a paragraph gives a stub: the chunk that begins the paragraph describes it.
            let begins = self.facts.owned().contains(paragraph.lines.start());
            let body = Paragraph {
                paragraph_name: paragraph.name.clone(),
                summary: if begins { self.does(index) } else { String::new() },
                purpose: comments.get(&index).filter(|_| begins).map(|text| said(text)),
                ..Paragraph::default()
            };
            PartialItem::new(body, self.cite(paragraph.lines))
        })
        .collect()
    }

    fn does(&self, index: usize) -> String {
        let missing: Vec<String> = self.missing_copies(index).map(|copy| copy.name.clone()).collect();
        if self.reading.flow.is_label_only(index) && missing.is_empty() {
            return "Does nothing itself.".to_owned();
        }
        let mut told = self.story(&self.reading.of_paragraph[index], SENTENCE);
        if !missing.is_empty() {
            told.push(format!("copies in {}, not among the sources", list(&missing)));
        }
        if told.is_empty() {
            return "Nothing that reaches beyond it.".to_owned();
        }
        sentence(&name_some(told, "action"))
    }
}
