//! Each paragraph in a sentence.

use super::{Writer, name_some};
use crate::phrases::{list, sentence};
use std::collections::HashSet;
use war_rig_template::PartialParagraph;

impl Writer<'_, '_> {
    pub(super) fn paragraphs(&self) -> Vec<PartialParagraph> {
        let mut of_paragraph = vec![Vec::new(); self.parsed.paragraphs.len()];
        for (index, statement) in self.parsed.statements.iter().enumerate() {
            if let Some(paragraph) = statement.paragraph {
                of_paragraph[paragraph].push(index);
            }
        }
        let own =
            self.parsed.paragraphs.iter().zip(of_paragraph).filter(|(paragraph, _)| paragraph.file.is_none());
        own.filter_map(|(paragraph, statements)| {
            let citations = self.cite(paragraph.lines);
            // A chunk that only goes on with a paragraph gives a stub: the one that begins it has said what it does.
            let begins = self.facts.owned().contains(paragraph.lines.start());
            let summary = if begins { sentence(&self.actions(&statements)) } else { String::new() };
            (!citations.is_empty()).then(|| PartialParagraph {
                paragraph_name: paragraph.name.clone(),
                summary,
                purpose: None,
                citations,
            })
        })
        .collect()
    }

    /// What a paragraph does: the statements that reach beyond it, else its first ones.
    pub(super) fn actions(&self, statements: &[usize]) -> String {
        const TELLING: &[&str] = &[
            "PERFORM", "CALL", "EXEC", "OPEN", "READ", "WRITE", "REWRITE", "DELETE", "START", "CLOSE",
            "RETURN", "RELEASE", "SORT", "MERGE", "SEARCH", "COMPUTE", "GO", "GOBACK", "STOP", "ACCEPT",
            "STRING", "UNSTRING", "XML", "JSON",
        ];
        let phrases = |telling: bool| {
            let mut seen = HashSet::new();
            let mut phrases: Vec<String> = Vec::new();
            for index in statements {
                let verb = self.parsed.statements[*index].verb.as_str();
                let chosen = TELLING.contains(&verb)
                    || (verb == "EXIT" && self.parsed.statements[*index].text.len() > 4);
                if chosen == telling
                    && let Some(phrase) = self.phrase(*index)
                    && seen.insert(phrase.clone())
                {
                    phrases.push(phrase);
                }
            }
            phrases
        };
        let mut told = join_performs(phrases(true));
        if told.is_empty() {
            told = phrases(false);
        }
        if told.is_empty() {
            return "only a label: it holds no statement that does anything".to_owned();
        }
        name_some(told, "action")
    }
}

/// Joins the names of neighbouring `performs` phrases, so that a sentence lists them once.
fn join_performs(phrases: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut run: Vec<String> = Vec::new();
    let flush = |run: &mut Vec<String>, joined: &mut Vec<String>| {
        if !run.is_empty() {
            joined.push(format!("performs {}", list(run)));
            run.clear();
        }
    };
    for phrase in phrases {
        match phrase.strip_prefix("performs ") {
            Some(name) => run.push(name.to_owned()),
            None => {
                flush(&mut run, &mut joined);
                joined.push(phrase);
            }
        }
    }
    flush(&mut run, &mut joined);
    joined
}
