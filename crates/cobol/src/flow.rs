//! Where control can go: labels resolved, and the paragraphs that nothing reaches.

use crate::model::{Parsed, Reference, ReferenceKind, Statement};
use std::collections::{HashMap, HashSet};
use war_rig_text::LineNumber;

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
    spans: Vec<Option<(usize, usize)>>,
    reached: Vec<bool>,
    labels_only: Vec<bool>,
    falls_through: Vec<bool>,
    endings: Vec<Option<Ending>>,
}

/// How a paragraph ends the work of its program, whatever its conditions say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// An abend that the program asks for.
    Abends,
    /// STOP RUN.
    EndsTheRun,
    /// GOBACK, EXIT PROGRAM, CICS RETURN.
    Returns,
    /// Control goes to another program for good: CICS XCTL.
    PassesOn,
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
        let sections = spans_of_sections(parsed);
        let spans: Vec<_> = (0..targets.len())
            .map(|index| span(&sections, &parsed.references[index], targets[index], &labels, parsed))
            .collect();
        let walk = Walk::new(parsed, &spans);
        let falls_through = walk.ends.iter().map(|ends| !ends).collect();
        let reached = walk.run();
        let mut labels_only = vec![true; parsed.paragraphs.len()];
        let mut endings = vec![None; parsed.paragraphs.len()];
        for statement in &parsed.statements {
            let Some(paragraph) = statement.paragraph else { continue };
            labels_only[paragraph] &= does_nothing(statement);
            if statement.depth == 0 {
                endings[paragraph] = endings[paragraph].or_else(|| ending(statement));
            }
        }
        Self { targets, spans, reached, labels_only, falls_through, endings }
    }

    /// The first and the last paragraph that the reference at this index leads through: PERFORM A THRU B from A to B, a section
    /// from its first to its last; none when the source has no such label.
    pub fn span(&self, reference: usize) -> Option<(usize, usize)> {
        self.spans[reference]
    }

    /// Whether a paragraph is a label alone: EXIT, CONTINUE, or nothing.
    pub fn is_label_only(&self, paragraph: usize) -> bool {
        self.labels_only[paragraph]
    }

    /// Whether control can go on behind a paragraph's last statement.
    pub fn falls_through(&self, paragraph: usize) -> bool {
        self.falls_through[paragraph]
    }

    /// How a paragraph ends the work of its program, where it always does.
    pub fn ending(&self, paragraph: usize) -> Option<Ending> {
        self.endings[paragraph]
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
    /// The first paragraph of each name in a program.
    paragraphs: HashMap<(Option<usize>, &'a str), usize>,
    /// The first of each name in a section.
    in_sections: HashMap<(usize, &'a str), usize>,
    sections: HashMap<(Option<usize>, &'a str), usize>,
}

impl<'a> Labels<'a> {
    fn of(parsed: &'a Parsed) -> Self {
        let (mut paragraphs, mut in_sections) = (HashMap::new(), HashMap::new());
        for (index, paragraph) in parsed.paragraphs.iter().enumerate() {
            paragraphs.entry((paragraph.program, paragraph.name.as_str())).or_insert(index);
            if let Some(section) = paragraph.section {
                in_sections.entry((section, paragraph.name.as_str())).or_insert(index);
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

    /// A name means the paragraph of the section named with it, else of the section that refers to it, else the only one.
    fn find(&self, parsed: &Parsed, reference: &Reference, name: &str) -> Option<Label> {
        let key = (reference.program, name);
        let wanted = match &reference.qualifier {
            Some(qualifier) => self.sections.get(&(reference.program, qualifier.as_str())).copied(),
            None => reference.paragraph.and_then(|paragraph| parsed.paragraphs[paragraph].section),
        };
        let paragraph = wanted
            .and_then(|section| self.in_sections.get(&(section, name)))
            .or_else(|| self.paragraphs.get(&key).filter(|_| reference.qualifier.is_none()));
        match (paragraph, self.sections.get(&key)) {
            (Some(paragraph), _) => Some(Label::Paragraph(*paragraph)),
            (None, Some(section)) => Some(Label::Section(*section)),
            (None, None) => None,
        }
    }
}

/// The first and last paragraph of every section that has any.
fn spans_of_sections(parsed: &Parsed) -> HashMap<usize, (usize, usize)> {
    let mut sections: HashMap<usize, (usize, usize)> = HashMap::new();
    for (index, paragraph) in parsed.paragraphs.iter().enumerate() {
        if let Some(section) = paragraph.section {
            sections.entry(section).or_insert((index, index)).1 = index;
        }
    }
    sections
}

fn span(
    sections: &HashMap<usize, (usize, usize)>,
    reference: &Reference,
    target: Option<Label>,
    labels: &Labels<'_>,
    parsed: &Parsed,
) -> Option<(usize, usize)> {
    let of_label = |label: Option<Label>| match label? {
        Label::Paragraph(paragraph) => Some((paragraph, paragraph)),
        Label::Section(section) => sections.get(&section).copied(),
    };
    let (first, mut last) = of_label(target)?;
    if let Some(through) = &reference.through {
        last = of_label(labels.find(parsed, reference, through)).map_or(last, |(_, through)| through);
    }
    Some((first, last))
}

/// The end of a walk that falls through as far as it can: no PERFORM waits for it.
const NEVER: usize = usize::MAX;

/// How many different ends a paragraph is walked with. With more PERFORM ranges over it than that, control is taken to fall
/// through, which can only make paragraphs count as reached: this keeps the work linear.
const MOST_ENDS: usize = 8;

/// Follows control paragraph by paragraph. A step is a paragraph together with the paragraph at whose end control
/// returns, if it was performed.
struct Walk<'a> {
    parsed: &'a Parsed,
    /// For each paragraph, where its references lead: first and last paragraph, and whether control comes back.
    leads: Vec<Vec<(usize, usize, bool)>>,
    ends: Vec<bool>,
    /// Where control enters: a paragraph, and the one at whose end it returns.
    starts: Vec<(usize, usize)>,
}

impl<'a> Walk<'a> {
    fn new(parsed: &'a Parsed, spans: &[Option<(usize, usize)>]) -> Self {
        let count = parsed.paragraphs.len();
        let mut walk =
            Self { parsed, leads: vec![Vec::new(); count], ends: vec![false; count], starts: Vec::new() };
        for (reference, span) in parsed.references.iter().zip(spans) {
            let Some((first, last)) = *span else { continue };
            let returns = matches!(reference.kind, ReferenceKind::Perform | ReferenceKind::Sort);
            match reference.paragraph {
                Some(from) => walk.leads[from].push((first, last, returns)),
                None => walk.starts.push((first, if returns { last } else { NEVER })),
            }
        }
        walk.find_ends_and_starts();
        walk
    }

    fn find_ends_and_starts(&mut self) {
        let mut last: HashMap<usize, &Statement> = HashMap::new();
        // What stands before the first paragraph of a program: where it ends the run, it falls into no paragraph.
        let mut main_lines: HashMap<Option<usize>, &Statement> = HashMap::new();
        for statement in &self.parsed.statements {
            match statement.paragraph {
                Some(paragraph) => {
                    if statement.depth == 0 {
                        last.insert(paragraph, statement);
                    }
                    if statement.verb == "ENTRY" {
                        self.starts.push((paragraph, NEVER));
                    }
                }
                None if statement.depth == 0 => {
                    main_lines.insert(statement.program, statement);
                }
                None => {}
            }
        }
        self.enter_declaratives();
        for (paragraph, statement) in last {
            self.ends[paragraph] = ends_here(statement);
        }
        let behind = |program: Option<usize>| self.parsed.programs.get(program?)?.behind_declaratives;
        for last in
            (0..self.parsed.programs.len()).filter_map(|program| behind(Some(program))?.checked_sub(1))
        {
            // The last procedure of DECLARATIVES does not fall into the program.
            self.ends[last] = true;
        }
        let mut seen = HashSet::new();
        for (index, paragraph) in self.parsed.paragraphs.iter().enumerate() {
            if behind(paragraph.program).is_some_and(|behind| index < behind) {
                continue;
            }
            if seen.insert(paragraph.program) {
                let main_line = main_lines.get(&paragraph.program).filter(|main_line| {
                    main_line.file.is_none()
                        && paragraph.file.is_none()
                        && main_line.lines.start() < paragraph.lines.start()
                });
                if !main_line.is_some_and(|main_line| ends_here(main_line)) {
                    self.starts.push((index, NEVER));
                }
            }
        }
    }

    /// A procedure of DECLARATIVES is entered by the run-time system, at the first paragraph behind its USE.
    fn enter_declaratives(&mut self) {
        let uses = || self.parsed.statements.iter().filter(|statement| statement.verb == "USE");
        if uses().next().is_none() {
            return;
        }
        let mut places: HashMap<_, Vec<(LineNumber, usize)>> = HashMap::new();
        for (index, paragraph) in self.parsed.paragraphs.iter().enumerate() {
            let own = places.entry((paragraph.program, paragraph.file.as_deref())).or_default();
            own.push((paragraph.lines.start(), index));
        }
        let behind = uses().filter_map(|statement| {
            let own = places.get(&(statement.program, statement.file.as_deref()))?;
            let first = own.partition_point(|(line, _)| *line <= statement.lines.start());
            own.get(first).map(|(_, paragraph)| (*paragraph, NEVER))
        });
        self.starts.extend(behind.collect::<Vec<_>>());
    }

    fn run(self) -> Vec<bool> {
        // What leads to a copybook's paragraphs stands in the programs that copy it.
        let mut reached: Vec<bool> =
            self.parsed.paragraphs.iter().map(|paragraph| paragraph.program.is_none()).collect();
        let mut walked: Vec<Vec<usize>> = vec![Vec::new(); reached.len()];
        let mut open = self.starts.clone();
        while let Some((paragraph, mut end)) = open.pop() {
            let ends = &mut walked[paragraph];
            if ends.len() >= MOST_ENDS {
                end = NEVER;
            }
            if ends.contains(&end) {
                continue;
            }
            ends.push(end);
            reached[paragraph] = true;
            for (first, last, returns) in &self.leads[paragraph] {
                // A jump that stays before the end of the performed range still returns there.
                let stays = end != NEVER && *first <= end;
                open.push((
                    *first,
                    if *returns {
                        *last
                    } else if stays {
                        end
                    } else {
                        NEVER
                    },
                ));
            }
            let next = paragraph + 1;
            let program = self.parsed.paragraphs[paragraph].program;
            let goes_on = self.parsed.paragraphs.get(next).is_some_and(|next| next.program == program);
            if goes_on && !self.ends[paragraph] && end != paragraph {
                open.push((next, end));
            }
        }
        reached
    }
}

/// Whether control never goes on behind a statement.
fn ends_here(statement: &Statement) -> bool {
    let text = statement.text.to_ascii_uppercase();
    match statement.verb.as_str() {
        "GO" => !text.contains(" DEPENDING "),
        "GOBACK" => true,
        "STOP" => text == "STOP RUN",
        "EXIT" => text == "EXIT PROGRAM",
        "EXEC" => matches!(text.as_str(), "EXEC RETURN" | "EXEC XCTL" | "EXEC ABEND"),
        _ => false,
    }
}

fn does_nothing(statement: &Statement) -> bool {
    match statement.verb.as_str() {
        "EXIT" => statement.text.len() == "EXIT".len(),
        "CONTINUE" => true,
        // It brings in what has statements of its own.
        "EXEC" => statement.text.eq_ignore_ascii_case("EXEC INCLUDE"),
        _ => false,
    }
}

/// Programs of the run-time systems that a program calls to abend: Language Environment's CEE3ABD, ILBOABN0 before it.
const ABEND_PROGRAMS: &[&str] = &["CEE3ABD", "ILBOABN0"];

fn ending(statement: &Statement) -> Option<Ending> {
    let text = statement.text.to_ascii_uppercase();
    match statement.verb.as_str() {
        "STOP" if text == "STOP RUN" => Some(Ending::EndsTheRun),
        "GOBACK" => Some(Ending::Returns),
        "EXIT" if text == "EXIT PROGRAM" => Some(Ending::Returns),
        "EXEC" => match text.as_str() {
            "EXEC RETURN" => Some(Ending::Returns),
            "EXEC XCTL" => Some(Ending::PassesOn),
            "EXEC ABEND" => Some(Ending::Abends),
            _ => None,
        },
        "CALL" => {
            let target = text.split_whitespace().nth(1)?.trim_matches(['\'', '"']);
            ABEND_PROGRAMS.contains(&target).then_some(Ending::Abends)
        }
        _ => None,
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
        check("    PERFORM A\n    STOP RUN.\nA.\n    CONTINUE.\nB.\n    CONTINUE.", &["B"]);
        check("    MOVE 1 TO A.\nA.\n    GOBACK.\nB.\n    CONTINUE.", &["B"]);
        check(
            "M.\n    PERFORM A THRU A-EXIT.\n    STOP RUN.\nA.\n    GO TO A-EXIT.\nA-EXIT.\n    EXIT.\nB.\n    EXIT.",
            &["B"],
        );
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
    fn execution_begins_behind_the_declaratives() {
        check(
            "DECLARATIVES.\nTROUBLE SECTION.\n    USE AFTER ERROR PROCEDURE ON F.\nSAYS.\n    DISPLAY 'T'.\nEND DECLARATIVES.\nMAIN SECTION.\nBEGIN.\n    GOBACK.\nOLD.\n    EXIT.",
            &["OLD"],
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
