//! Who performs a paragraph by the words of a text, compared with the source.

use super::EvidenceIndex;
use super::tokens::{is_at, tokens};
use super::wording::plain_sentences;
use foldhash::{HashSet, HashSetExt};
use war_rig_cobol::ReferenceKind;

impl EvidenceIndex<'_> {
    /// Whether a text has a paragraph performed by another one, which performs it neither itself nor by what it performs.
    pub(super) fn has_another_performer(&self, text: &str) -> bool {
        plain_sentences(text).any(|sentence| {
            let tokens = tokens(sentence);
            let label = |at: usize| self.name_at(&tokens, at).filter(|name| self.names.is_label(name));
            (0..tokens.len()).filter(|at| is_at(&tokens, *at, &["performed"])).any(|verb| {
                let by =
                    verb + 1 + usize::from(is_at(&tokens, verb + 1, &["only", "once", "again", "first", "directly"]));
                let performed = (0..verb).rev().find(|at| self.name_at(&tokens, *at).is_some()).and_then(label);
                // `performed from within X`.
                let at = by + 1 + usize::from(is_at(&tokens, by + 1, &["within", "inside"]));
                let performer = Some(at).filter(|at| is_at(&tokens, by, &["by", "from"]) && *at < tokens.len());
                let pair = performed.zip(performer.and_then(label));
                pair.is_some_and(|(performed, performer)| self.never_performs(&performer, &performed))
            })
        })
    }

    /// Whether a paragraph or section leads to another one neither itself nor by what it leads to, and others perform that.
    fn never_performs(&self, performer: &str, performed: &str) -> bool {
        let parsed = self.parsed();
        let has_name = |paragraph: usize, name: &str| {
            let found = &parsed.paragraphs[paragraph];
            let section = found.section.map(|section| parsed.sections[section].name.as_str());
            [Some(found.name.as_str()), section].into_iter().flatten().any(|own| own.eq_ignore_ascii_case(name))
        };
        let is_performed = parsed.references.iter().any(|reference| {
            reference.kind == ReferenceKind::Perform && reference.target.eq_ignore_ascii_case(performed)
        });
        let mut open: Vec<usize> =
            (0..parsed.paragraphs.len()).filter(|paragraph| has_name(*paragraph, performer)).collect();
        if open.is_empty() || !is_performed || parsed.programs.len() != 1 {
            return false;
        }
        let flow = self.analysis.control_flow();
        let mut seen: HashSet<usize> = HashSet::new();
        while let Some(paragraph) = open.pop().filter(|paragraph| !has_name(*paragraph, performed)) {
            if !seen.insert(paragraph) {
                continue;
            }
            for (index, reference) in parsed.references.iter().enumerate() {
                if reference.paragraph == Some(paragraph)
                    && let Some((first, last)) = flow.reference_span(index)
                {
                    if (first..=last).any(|at| has_name(at, performed)) {
                        return false;
                    }
                    open.extend(first..=last);
                }
            }
            open.extend(Some(paragraph + 1).filter(|_| flow.falls_through(paragraph)));
        }
        open.is_empty()
    }
}
