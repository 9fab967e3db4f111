//! Labels by name, and the paragraphs that references cover.

use crate::model::{LabelReference, ParsedCobol, ReferenceKind};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// The target of a name after PERFORM or GO TO.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LabelTarget {
    /// The index of a paragraph.
    Paragraph(usize),
    /// The index of a section of a PROCEDURE DIVISION.
    Section(usize),
}

pub(super) struct LabelResolver<'a> {
    /// The paragraphs with each name in a program.
    paragraphs: HashMap<(Option<usize>, &'a str), Vec<usize>>,
    /// The paragraphs with each name in a section.
    in_sections: HashMap<(usize, &'a str), Vec<usize>>,
    sections: HashMap<(Option<usize>, &'a str), usize>,
}

impl<'a> LabelResolver<'a> {
    pub(super) fn of(parsed: &'a ParsedCobol) -> Self {
        let (mut paragraphs, mut in_sections) = (HashMap::new(), HashMap::new());
        for (index, paragraph) in parsed.paragraphs.iter().enumerate().filter(|(_, unit)| unit.has_label()) {
            paragraphs.entry((paragraph.program, paragraph.name.as_str())).or_insert_with(Vec::new).push(index);
            if let Some(section) = paragraph.section {
                in_sections.entry((section, paragraph.name.as_str())).or_insert_with(Vec::new).push(index);
            }
        }
        let mut sections = HashMap::new();
        for (index, section) in
            parsed.sections.iter().enumerate().filter(|(_, section)| section.division == "PROCEDURE")
        {
            sections.entry((section.program, section.name.as_str())).or_insert(index);
        }
        Self { paragraphs, in_sections, sections }
    }

    /// Resolves a name to the paragraph in its qualifying section, else in the section of the reference, else to the only one. A compiler refuses a name that
    /// several paragraphs have; here it means the first of them from a paragraph on, or the first of all.
    pub(super) fn resolve(
        &self,
        parsed: &ParsedCobol,
        reference: &LabelReference,
        name: &str,
        qualifier: Option<&String>,
        from: usize,
    ) -> Option<LabelTarget> {
        let key = (reference.program, name);
        let wanted = match qualifier {
            Some(qualifier) => self.sections.get(&(reference.program, qualifier.as_str())).copied(),
            None => reference.paragraph.and_then(|paragraph| parsed.paragraphs[paragraph].section),
        };
        let next = |found: &Vec<usize>| {
            let at = found.partition_point(|paragraph| *paragraph < from);
            found.get(at).or(found.first()).copied()
        };
        let paragraph = wanted
            .and_then(|section| self.in_sections.get(&(section, name)))
            .or_else(|| self.paragraphs.get(&key).filter(|_| qualifier.is_none()));
        match (paragraph.and_then(next), self.sections.get(&key)) {
            (Some(paragraph), _) => Some(LabelTarget::Paragraph(paragraph)),
            (None, Some(section)) => Some(LabelTarget::Section(*section)),
            (None, None) => None,
        }
    }
}

/// The resolved references of a source.
pub(super) struct ResolvedReferences {
    /// The target of each reference.
    pub(super) targets: Vec<Option<LabelTarget>>,
    /// The references with a label after THRU that the source does not have.
    pub(super) without_end: HashSet<usize>,
    /// The first and last paragraph of each reference.
    pub(super) spans: Vec<Option<(usize, usize)>>,
    /// The first and last paragraph of every section that has paragraphs.
    pub(super) sections: HashMap<usize, (usize, usize)>,
}

impl ResolvedReferences {
    pub(super) fn of(parsed: &ParsedCobol) -> Self {
        let labels = LabelResolver::of(parsed);
        let mut sections: HashMap<usize, (usize, usize)> = HashMap::new();
        for (index, paragraph) in parsed.paragraphs.iter().enumerate() {
            if let Some(section) = paragraph.section {
                sections.entry(section).or_insert((index, index)).1 = index;
            }
        }
        let of_label = |label: Option<LabelTarget>| match label? {
            LabelTarget::Paragraph(paragraph) => Some((paragraph, paragraph)),
            LabelTarget::Section(section) => sections.get(&section).copied(),
        };
        let (mut targets, mut spans, mut without_end) = (Vec::new(), Vec::new(), HashSet::new());
        for (index, reference) in parsed.references.iter().enumerate() {
            let from = reference.paragraph.filter(|_| reference.kind == ReferenceKind::GoTo).unwrap_or(0);
            let target = labels.resolve(parsed, reference, &reference.target, reference.qualifier.as_ref(), from);
            let range = of_label(target);
            let from = range.map_or(0, |(first, _)| first);
            // A label after THRU without its own section is looked up in the section of the first label, and then everywhere.
            let section = reference.through_section.as_ref().or(reference.qualifier.as_ref());
            let end = reference.through.as_ref().and_then(|label| {
                let in_section = labels.resolve(parsed, reference, label, section, from);
                let anywhere = || labels.resolve(parsed, reference, label, None, from);
                in_section.or_else(|| anywhere().filter(|_| reference.through_section.is_none()))
            });
            if reference.through.is_some() && end.is_none() {
                without_end.insert(index);
            }
            let through = of_label(end);
            targets.push(target);
            spans.push(range.map(|(first, last)| (first, through.map_or(last, |(_, last)| last))));
        }
        Self { targets, without_end, spans, sections }
    }
}

impl ParsedCobol {
    /// Returns the pairs of every ALTER: the index of the reference to the paragraph that it alters, and that of the reference to the new target of
    /// its GO TO.
    pub fn altered(&self) -> impl Iterator<Item = (usize, usize)> {
        let statement_of = |index: usize| {
            let reference = self.references.get(index).filter(|reference| reference.kind == ReferenceKind::Alter)?;
            Some(reference.statement)
        };
        let mut next = 0;
        std::iter::from_fn(move || {
            while next < self.references.len() {
                let pair = (next, next + 1);
                let is_pair = statement_of(pair.0).is_some() && statement_of(pair.0) == statement_of(pair.1);
                next += if is_pair { 2 } else { 1 };
                if is_pair {
                    return Some(pair);
                }
            }
            None
        })
    }
}
