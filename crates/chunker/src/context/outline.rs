//! The paragraphs of a program, and control flow between a chunk and the rest.

use super::chunk_context::ContextKind;
use super::draft::{BlockFiller, RowGroup};
use super::row::{format_row, join_limited, list_rows};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use war_rig_cobol::{ControlFlowGraph, ExecKind, IndexGroups, LabelReference, LabelTarget, ParsedCobol, ReferenceKind};
use war_rig_text::{LineNumber, LineRange, LineSpans};

/// How many operations of one kind are named for a paragraph.
const MOST: usize = 3;

/// The maximum characters of a row that describes what a paragraph does.
const ROOM: usize = 112;

/// The labels of a file, what each does, and the references to it.
pub(super) struct LabelIndex<'a> {
    parsed: &'a ParsedCobol,
    flow: &'a ControlFlowGraph,
    /// The references of the file itself, in the order of their lines.
    references: Vec<(LineNumber, usize)>,
    /// The references to each paragraph and to each section.
    to_paragraph: IndexGroups,
    to_section: IndexGroups,
    /// What each paragraph does, by kind of fact.
    referring: IndexGroups,
    calls: IndexGroups,
    file_uses: IndexGroups,
    execs: IndexGroups,
    paragraphs: LineSpans<usize>,
    sections: LineSpans<usize>,
    /// The paragraphs of each section.
    of_section: IndexGroups,
    outline: HashMap<Option<usize>, ProgramOutline>,
}

/// The rows that list the labels of one program.
#[derive(Default)]
struct ProgramOutline {
    rows: Vec<OutlineRow>,
    /// `sums[k]` is the number of labels in the first `k` rows.
    sums: Vec<u64>,
}

struct OutlineRow {
    text: String,
    /// From the first line of its first label to the first line of its last.
    labels: LineRange,
}

impl<'a> LabelIndex<'a> {
    pub(super) fn of(parsed: &'a ParsedCobol, flow: &'a ControlFlowGraph) -> Self {
        let own = |file: &Option<String>| file.is_none();
        let references = parsed.references.iter().enumerate().filter(|(_, reference)| own(&reference.file));
        let mut references: Vec<_> = references.map(|(index, reference)| (reference.line, index)).collect();
        references.sort_unstable();
        let targets = (0..parsed.references.len()).map(|index| flow.reference_target(index));
        let paragraphs = parsed.paragraphs.iter().enumerate().filter(|(_, unit)| unit.has_label() && own(&unit.file));
        let sections = parsed.sections.iter().enumerate();
        let sections = sections.filter(|(_, unit)| own(&unit.file) && unit.division == "PROCEDURE");
        let count = parsed.paragraphs.len();
        let mut labels = Self {
            parsed,
            flow,
            references,
            to_paragraph: IndexGroups::of(
                count,
                targets.clone().map(|target| match target? {
                    LabelTarget::Paragraph(paragraph) => Some(paragraph),
                    LabelTarget::Section(_) => None,
                }),
            ),
            to_section: IndexGroups::of(
                parsed.sections.len(),
                targets.map(|target| match target? {
                    LabelTarget::Section(section) => Some(section),
                    LabelTarget::Paragraph(_) => None,
                }),
            ),
            referring: IndexGroups::of(count, parsed.references.iter().map(|fact| fact.paragraph)),
            calls: IndexGroups::of(count, parsed.calls.iter().map(|fact| fact.paragraph)),
            file_uses: IndexGroups::of(count, parsed.file_uses.iter().map(|fact| fact.paragraph)),
            execs: IndexGroups::of(count, parsed.execs.iter().map(|fact| fact.paragraph)),
            of_section: IndexGroups::of(
                parsed.sections.len(),
                parsed.paragraphs.iter().map(|unit| unit.section.filter(|_| unit.has_label())),
            ),
            paragraphs: LineSpans::of(paragraphs.map(|(index, unit)| (unit.lines, index))),
            sections: LineSpans::of(sections.map(|(index, unit)| (unit.lines, index))),
            outline: HashMap::new(),
        };
        labels.list();
        labels
    }

    /// Builds the rows of the outline: the paragraphs of each section, and those of a program without sections, in order.
    fn list(&mut self) {
        let mut order: Vec<(LineNumber, LabelTarget)> = Vec::new();
        order.extend(self.sections.all().iter().map(|(lines, index)| (lines.start(), LabelTarget::Section(*index))));
        order
            .extend(self.paragraphs.all().iter().map(|(lines, index)| (lines.start(), LabelTarget::Paragraph(*index))));
        // A section and its first paragraph may share a line.
        order.sort_by_key(|(line, label)| (*line, matches!(label, LabelTarget::Paragraph(_))));
        let place = |label: LabelTarget| match label {
            LabelTarget::Section(index) => (self.parsed.sections[index].program, Some(index)),
            LabelTarget::Paragraph(index) => {
                (self.parsed.paragraphs[index].program, self.parsed.paragraphs[index].section)
            }
        };
        for group in order.chunk_by(|(_, one), (_, other)| place(*one) == place(*other)) {
            let (program, _) = place(group[0].1);
            let outline = self.outline.entry(program).or_default();
            let (head, paragraphs) = match group[0].1 {
                LabelTarget::Section(index) => {
                    let name = &self.parsed.sections[index].name;
                    (format!("{name} SECTION:"), &group[1..])
                }
                LabelTarget::Paragraph(_) => (String::new(), group),
            };
            let names = paragraphs.iter().filter_map(|(_, label)| match label {
                LabelTarget::Paragraph(index) => Some(self.parsed.paragraphs[*index].name.as_str()),
                LabelTarget::Section(_) => None,
            });
            let mut rows = list_rows(&head, names);
            if rows.is_empty() {
                rows.push((format_row(head.trim_end_matches(':')), 0));
            }
            let mut at = 0;
            for (first, (text, names)) in rows.into_iter().enumerate() {
                let labels = names + u64::from(first == 0 && !head.is_empty());
                let end = at + labels as usize;
                let lines = LineRange::spanning(group[at].0, group[end - 1].0);
                outline.sums.push(outline.sums.last().unwrap_or(&0) + labels);
                outline.rows.push(OutlineRow { text, labels: lines });
                at = end;
            }
        }
        for outline in self.outline.values_mut() {
            outline.sums.insert(0, 0);
        }
    }

    /// Fills the block with the labels of a program that the chunk does not own, the nearest first.
    pub(super) fn outline(&self, program: Option<usize>, lines: LineRange) -> BlockFiller<'_> {
        // A single label has no order to show.
        let several = |outline: &&ProgramOutline| outline.sums.last().is_some_and(|labels| *labels > 1);
        let Some(outline) = self.outline.get(&program).filter(several) else {
            return BlockFiller::new(ContextKind::Outline, 0, std::iter::empty());
        };
        let rows = &outline.rows;
        let low = rows.partition_point(|row| row.labels.end() < lines.start());
        let high = rows.partition_point(|row| row.labels.start() <= lines.end()).max(low);
        // Rows that the chunk owns only in part are at either end of those it touches.
        let part = move |at: &usize| !lines.covers(rows[*at].labels);
        let touched: Vec<usize> = (low..high).filter(|at| *at == low || *at + 1 == high).filter(part).collect();
        let weight = move |at: usize| outline.sums[at + 1] - outline.sums[at];
        let of_touched: u64 = touched.iter().map(|at| weight(*at)).sum();
        let elsewhere = outline.sums[low] + outline.sums[rows.len()] - outline.sums[high];
        let (mut above, mut below) = (low, high);
        let nearest = std::iter::from_fn(move || {
            let up = above.checked_sub(1).filter(|_| low - above <= below - high || below >= rows.len());
            let next = match up {
                Some(up) => {
                    above = up;
                    up
                }
                None => {
                    below += 1;
                    below - 1
                }
            };
            (next < rows.len()).then_some(next)
        });
        let pieces = touched
            .into_iter()
            .chain(nearest)
            .map(move |at| RowGroup { rows: vec![((at, 0), rows[at].text.clone())], weight: weight(at) });
        BlockFiller::new(ContextKind::Outline, of_touched + elsewhere, pieces)
    }

    /// Fills the block with the outside labels that the chunk refers to and what each does, and the outside references to the chunk's labels.
    pub(super) fn external_references(&self, lines: LineRange) -> BlockFiller<'_> {
        let mut seen = HashSet::new();
        let mut targets: Vec<LabelTarget> = Vec::new();
        let start = self.references.partition_point(|(line, _)| *line < lines.start());
        for (_, reference) in self.references[start..].iter().take_while(|(line, _)| *line <= lines.end()) {
            if let Some(target) = self.flow.reference_target(*reference)
                && !self.owns(lines, target)
                && seen.insert(target)
            {
                targets.push(target);
            }
        }
        let sections = self.sections.beginning_in(lines).iter().map(|(_, index)| LabelTarget::Section(*index));
        let paragraphs = self.paragraphs.beginning_in(lines).iter().map(|(_, index)| LabelTarget::Paragraph(*index));
        let referred: Vec<(LabelTarget, Vec<usize>)> = sections
            .chain(paragraphs)
            .map(|label| (label, self.referring_from_outside(label, lines)))
            .filter(|(_, from)| !from.is_empty())
            .collect();
        let waiting = (targets.len() + referred.len()) as u64;
        let targets = targets.into_iter().map(|label| format_row(&self.described(label)));
        let referred = referred.into_iter().map(|(label, from)| format_row(&self.referred(label, &from)));
        let pieces = part(0, "leads to:", targets).chain(part(1, "led to from elsewhere:", referred));
        BlockFiller::new(ContextKind::Elsewhere, waiting, pieces)
    }

    fn owns(&self, lines: LineRange, label: LabelTarget) -> bool {
        let (unit, file) = match label {
            LabelTarget::Paragraph(index) => (self.parsed.paragraphs[index].lines, &self.parsed.paragraphs[index].file),
            LabelTarget::Section(index) => (self.parsed.sections[index].lines, &self.parsed.sections[index].file),
        };
        file.is_none() && lines.contains(unit.start())
    }

    fn referring_from_outside(&self, label: LabelTarget, lines: LineRange) -> Vec<usize> {
        let outside = |index: &usize| {
            let reference = &self.parsed.references[*index];
            reference.file.is_some() || !lines.contains(reference.line)
        };
        let referring = match label {
            LabelTarget::Paragraph(index) => self.to_paragraph.get(index),
            LabelTarget::Section(index) => self.to_section.get(index),
        };
        referring.iter().copied().filter(outside).collect()
    }

    fn name(&self, label: LabelTarget) -> String {
        match label {
            LabelTarget::Paragraph(index) => self.parsed.paragraphs[index].name.clone(),
            LabelTarget::Section(index) => format!("{} SECTION", self.parsed.sections[index].name),
        }
    }

    /// Describes a label by what its statements do beyond its own lines.
    fn described(&self, label: LabelTarget) -> String {
        let mut text = self.name(label);
        let does = match label {
            LabelTarget::Paragraph(index) => self.does(index),
            LabelTarget::Section(index) => {
                let names = self.of_section.get(index).iter().map(|one| self.parsed.paragraphs[*one].name.as_str());
                let names: Vec<&str> = names.collect();
                if names.is_empty() { Vec::new() } else { vec![format!("holds {}", join_limited(&names, MOST))] }
            }
        };
        // Only so many fit in a row; the first ones are the most informative.
        for (at, what) in does.iter().enumerate() {
            let room = text.chars().count() + what.chars().count() < ROOM;
            text.push_str(if at == 0 { ": " } else { "; " });
            text.push_str(if room || at == 0 { what } else { "..." });
            if !room {
                break;
            }
        }
        text
    }

    fn does(&self, paragraph: usize) -> Vec<String> {
        let parsed = self.parsed;
        let mut does = Vec::new();
        let mut say = |verb: &str, things: Vec<String>| {
            let mut seen = HashSet::new();
            let things: Vec<&str> = things.iter().map(String::as_str).filter(|thing| seen.insert(*thing)).collect();
            if !things.is_empty() {
                does.push(format!("{verb} {}", join_limited(&things, MOST)));
            }
        };
        let uses = || self.file_uses.get(paragraph).iter().map(|index| &parsed.file_uses[*index]);
        for (verb, begins) in [
            ("opens", "OPEN"),
            ("reads", "READ"),
            ("returns", "RETURN"),
            ("writes", "WRITE"),
            ("rewrites", "REWRITE"),
            ("deletes", "DELETE"),
            ("starts", "START"),
            ("releases", "RELEASE"),
            ("sorts", "SORT"),
            ("closes", "CLOSE"),
        ] {
            let files = uses().filter(|used| used.operation.split(' ').next() == Some(begins));
            say(verb, files.map(|used| used.file.clone()).collect());
        }
        say("calls", self.calls.get(paragraph).iter().map(|index| parsed.calls[*index].target.clone()).collect());
        let execs = self.execs.get(paragraph).iter().map(|index| &parsed.execs[*index]);
        let execs = execs.filter(|exec| !matches!(exec.command.as_str(), "LINK" | "XCTL"));
        let execs = execs.map(|exec| {
            let kind = match exec.kind {
                ExecKind::Sql => "SQL ",
                ExecKind::Cics => "CICS ",
                ExecKind::Dli => "DL/I ",
                ExecKind::Other => "",
            };
            let resource = exec.resource.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
            format!("{kind}{}{resource}", exec.command)
        });
        say("does", execs.collect());
        for (verb, kind) in [
            ("performs", ReferenceKind::Perform),
            ("sorts by", ReferenceKind::Sort),
            ("parses XML by", ReferenceKind::XmlParse),
            ("goes to", ReferenceKind::GoTo),
        ] {
            let targets = self.referring.get(paragraph).iter().map(|index| &parsed.references[*index]);
            let targets = targets.filter(|reference| reference.kind == kind);
            say(verb, targets.map(|reference| reference.target.clone()).collect());
        }
        does
    }

    /// Describes a label and the paragraphs elsewhere that refer to it.
    fn referred(&self, label: LabelTarget, from: &[usize]) -> String {
        let mut parts = Vec::new();
        for (words, kind) in [
            ("performed in", ReferenceKind::Perform),
            ("a SORT procedure in", ReferenceKind::Sort),
            ("an XML PARSE procedure in", ReferenceKind::XmlParse),
            ("gone to from", ReferenceKind::GoTo),
            ("altered in", ReferenceKind::Alter),
            ("a handler set in", ReferenceKind::Handle),
        ] {
            let mut seen = HashSet::new();
            let places = from.iter().map(|index| &self.parsed.references[*index]);
            let places = places.filter(|reference| reference.kind == kind);
            let places: Vec<&str> =
                places.map(|reference| self.place(reference)).filter(|place| seen.insert(*place)).collect();
            if !places.is_empty() {
                parts.push(format!("{words} {}", join_limited(&places, MOST)));
            }
        }
        format!("{}: {}", self.name(label), parts.join("; "))
    }

    /// Returns the name of the unit that contains a reference.
    fn place(&self, reference: &LabelReference) -> &'a str {
        let paragraph = self.parsed.label(reference.paragraph);
        paragraph.unwrap_or("the main line")
    }
}

/// Returns rows under a heading that is added with the first of them.
fn part<'x>(
    part: usize,
    heading: &'static str,
    rows: impl Iterator<Item = String> + 'x,
) -> impl Iterator<Item = RowGroup> + 'x {
    rows.enumerate().map(move |(at, text)| {
        let mut rows = vec![((part, at + 1), text)];
        if at == 0 {
            rows.insert(0, ((part, 0), heading.to_owned()));
        }
        RowGroup { rows, weight: 1 }
    })
}
