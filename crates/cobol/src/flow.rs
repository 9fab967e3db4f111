//! Where control can go: labels resolved, and the paragraphs that nothing reaches.

use crate::model::{Parsed, Reference, ReferenceKind, Statement};
use std::collections::{HashMap, HashSet};

/// What a name after PERFORM or GO TO refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Label {
    /// The index of a paragraph.
    Paragraph(usize),
    /// The index of a section of a PROCEDURE DIVISION.
    Section(usize),
}

/// The labels of a source and the control flow between its paragraphs.
#[derive(Debug, Clone)]
pub struct Flow {
    targets: Vec<Option<Label>>,
    reached: Vec<bool>,
}

impl Flow {
    /// Resolves every reference, then follows control from each program's start.
    pub fn of(parsed: &Parsed) -> Self {
        let labels = Labels::of(parsed);
        let targets: Vec<_> = parsed
            .references
            .iter()
            .map(|reference| labels.find(parsed, reference, &reference.target))
            .collect();
        let reached = Walk::new(parsed, &labels, &targets).run();
        Self { targets, reached }
    }

    /// What the reference at this index refers to; none when the source has no such label.
    pub fn target(&self, reference: usize) -> Option<Label> {
        self.targets[reference]
    }

    /// Whether any PERFORM, GO TO, handler or fall-through leads to a paragraph.
    pub fn is_reached(&self, paragraph: usize) -> bool {
        self.reached[paragraph]
    }
}

struct Labels<'a> {
    paragraphs: HashMap<(Option<usize>, &'a str), Vec<usize>>,
    sections: HashMap<(Option<usize>, &'a str), usize>,
}

impl<'a> Labels<'a> {
    fn of(parsed: &'a Parsed) -> Self {
        let mut paragraphs: HashMap<_, Vec<usize>> = HashMap::new();
        for (index, paragraph) in parsed.paragraphs.iter().enumerate() {
            paragraphs.entry((paragraph.program, paragraph.name.as_str())).or_default().push(index);
        }
        let mut sections = HashMap::new();
        for (index, section) in
            parsed.sections.iter().enumerate().filter(|(_, section)| section.division == "PROCEDURE")
        {
            sections.entry((section.program, section.name.as_str())).or_insert(index);
        }
        Self { paragraphs, sections }
    }

    /// A name means the paragraph of the section named with it, else of the section that refers to it, else the only one.
    fn find(&self, parsed: &Parsed, reference: &Reference, name: &str) -> Option<Label> {
        let key = (reference.program, name);
        let section_of = |paragraph: usize| parsed.paragraphs[paragraph].section;
        let candidates = self.paragraphs.get(&key).map(Vec::as_slice).unwrap_or_default();
        let wanted = match &reference.qualifier {
            Some(qualifier) => self.sections.get(&(reference.program, qualifier.as_str())).copied(),
            None => reference.paragraph.and_then(section_of),
        };
        let paragraph = candidates
            .iter()
            .find(|candidate| wanted.is_some() && section_of(**candidate) == wanted)
            .or_else(|| candidates.first().filter(|_| reference.qualifier.is_none()));
        match (paragraph, self.sections.get(&key)) {
            (Some(paragraph), _) => Some(Label::Paragraph(*paragraph)),
            (None, Some(section)) => Some(Label::Section(*section)),
            (None, None) => None,
        }
    }
}

/// Follows control paragraph by paragraph. A step is a paragraph together with the paragraph at whose end control
/// returns, if it was performed.
struct Walk<'a> {
    parsed: &'a Parsed,
    /// For each paragraph, where its references lead: first and last paragraph, and whether control comes back.
    leads: Vec<Vec<(usize, usize, bool)>>,
    ends: Vec<bool>,
    starts: Vec<usize>,
}

impl<'a> Walk<'a> {
    fn new(parsed: &'a Parsed, labels: &Labels<'_>, targets: &[Option<Label>]) -> Self {
        let count = parsed.paragraphs.len();
        let mut sections: HashMap<usize, (usize, usize)> = HashMap::new();
        for (index, paragraph) in parsed.paragraphs.iter().enumerate() {
            if let Some(section) = paragraph.section {
                sections.entry(section).or_insert((index, index)).1 = index;
            }
        }
        let span = |label: Option<Label>| match label? {
            Label::Paragraph(paragraph) => Some((paragraph, paragraph)),
            Label::Section(section) => sections.get(&section).copied(),
        };
        let mut walk =
            Self { parsed, leads: vec![Vec::new(); count], ends: vec![false; count], starts: Vec::new() };
        for (index, reference) in parsed.references.iter().enumerate() {
            let Some((first, mut last)) = span(targets[index]) else { continue };
            if let Some(through) = &reference.through {
                last = span(labels.find(parsed, reference, through)).map_or(last, |(_, through)| through);
            }
            let returns = matches!(reference.kind, ReferenceKind::Perform | ReferenceKind::Sort);
            match reference.paragraph {
                Some(from) => walk.leads[from].push((first, last, returns)),
                // A reference before the first paragraph stands where its program starts.
                None => {
                    walk.starts.extend((first..=last.max(first)).take(if returns { usize::MAX } else { 1 }))
                }
            }
        }
        walk.find_ends_and_starts();
        walk
    }

    fn find_ends_and_starts(&mut self) {
        let mut seen = HashSet::new();
        for (index, paragraph) in self.parsed.paragraphs.iter().enumerate() {
            if seen.insert(paragraph.program) {
                self.starts.push(index);
            }
        }
        let mut last: HashMap<usize, &Statement> = HashMap::new();
        for statement in &self.parsed.statements {
            if let Some(paragraph) = statement.paragraph {
                if statement.depth == 0 {
                    last.insert(paragraph, statement);
                }
                if statement.verb == "ENTRY" {
                    self.starts.push(paragraph);
                }
            }
            // A procedure of DECLARATIVES is entered by the run-time system.
            if statement.verb == "USE" {
                let behind = self.parsed.paragraphs.iter().position(|paragraph| {
                    paragraph.program == statement.program
                        && paragraph.lines.start() > statement.lines.start()
                });
                self.starts.extend(behind);
            }
        }
        for (paragraph, statement) in last {
            let text = statement.text.to_ascii_uppercase();
            self.ends[paragraph] = match statement.verb.as_str() {
                "GO" => !text.contains(" DEPENDING "),
                "GOBACK" => true,
                "STOP" => text == "STOP RUN",
                "EXIT" => text == "EXIT PROGRAM",
                "EXEC" => matches!(text.as_str(), "EXEC RETURN" | "EXEC XCTL" | "EXEC ABEND"),
                _ => false,
            };
        }
    }

    fn run(self) -> Vec<bool> {
        // What leads to a copybook's paragraphs stands in the programs that copy it.
        let mut reached: Vec<bool> =
            self.parsed.paragraphs.iter().map(|paragraph| paragraph.program.is_none()).collect();
        let mut visited = vec![false; reached.len()];
        let mut seen: HashSet<(usize, Option<usize>)> = HashSet::new();
        let mut open: Vec<(usize, Option<usize>)> = self.starts.iter().map(|start| (*start, None)).collect();
        while let Some((paragraph, returns_at)) = open.pop() {
            if !seen.insert((paragraph, returns_at)) {
                continue;
            }
            reached[paragraph] = true;
            let first_visit = !std::mem::replace(&mut visited[paragraph], true);
            if first_visit {
                for (first, last, returns) in &self.leads[paragraph] {
                    open.push((*first, returns.then_some(*last)));
                }
            }
            // A GO TO inside a performed range stays in that range when its target does.
            for (first, _, returns) in &self.leads[paragraph] {
                if !returns && returns_at.is_some_and(|end| *first <= end) {
                    open.push((*first, returns_at));
                }
            }
            let next = paragraph + 1;
            let same_program = self
                .parsed
                .paragraphs
                .get(next)
                .is_some_and(|p| p.program == self.parsed.paragraphs[paragraph].program);
            if same_program && !self.ends[paragraph] && returns_at != Some(paragraph) {
                open.push((next, returns_at));
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lexed, NoCopybooks, parse};
    use std::sync::Arc;
    use war_rig_text::{ReadOptions, SourceText};

    fn check(procedure: &str, dead: &[&str]) {
        let code = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. T.\n       PROCEDURE DIVISION.\n{}",
            procedure.lines().map(|line| format!("       {line}\n")).collect::<String>()
        );
        let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
        let parsed = parse(&Arc::new(Lexed::of(&source)), &NoCopybooks);
        let flow = Flow::of(&parsed);
        let found: Vec<&str> = (0..parsed.paragraphs.len())
            .filter(|p| !flow.is_reached(*p))
            .map(|p| parsed.paragraphs[p].name.as_str())
            .collect();
        assert_eq!(found, dead, "{procedure}");
    }

    #[test]
    fn performed_fallen_into_and_jumped_to_is_reached() {
        check(
            "MAIN.\n    PERFORM A THRU A-EXIT.\n    GOBACK.\nA.\n    MOVE 1 TO X.\nA-EXIT.\n    EXIT.\nOLD.\n    CONTINUE.",
            &["OLD"],
        );
        check("MAIN.\n    GO TO C.\nB.\n    CONTINUE.\nC.\n    GOBACK.", &["B"]);
        check("    PERFORM A\n    STOP RUN.\nA.\n    CONTINUE.\nB.\n    CONTINUE.", &[]);
        check("MAIN.\n    EXEC CICS HANDLE ABEND LABEL(BAD) END-EXEC\n    GOBACK.\nBAD.\n    STOP RUN.", &[]);
    }

    #[test]
    fn the_end_of_a_performed_range_does_not_fall_through() {
        check("MAIN.\n    PERFORM A.\n    GOBACK.\nA.\n    CONTINUE.\nB.\n    CONTINUE.", &["B"]);
        check(
            "MAIN.\n    PERFORM S.\n    GOBACK.\nS SECTION.\nS1.\n    GO TO S3.\nS2.\n    CONTINUE.\nS3.\n    EXIT.",
            &["S2"],
        );
    }

    #[test]
    fn a_copybook_has_no_dead_paragraphs_of_its_own() {
        let code = b"       A.\n           GOBACK.\n       B.\n           EXIT.\n".to_vec();
        let source = SourceText::read("B.cpy", code, &ReadOptions::default()).unwrap();
        let parsed = parse(&Arc::new(Lexed::of(&source)), &NoCopybooks);
        let flow = Flow::of(&parsed);
        assert!(parsed.paragraphs.len() == 2 && flow.is_reached(1));
    }

    #[test]
    fn a_name_in_two_sections_is_the_one_of_the_section_that_asks() {
        check(
            "X SECTION.\nA.\n    PERFORM B.\n    GOBACK.\nB.\n    CONTINUE.\nY SECTION.\nB.\n    CONTINUE.",
            &["B"],
        );
    }
}
