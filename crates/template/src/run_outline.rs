//! What a program does from its start to its end, in the order in which it runs: the steps of its paragraphs that reach out of the program, each where it
//! is performed, without those that only compute.

use crate::markdown::common_effects::{condition_and_effects, parts};
use crate::{BusinessRule, Document, DocumentItem, Paragraph, ParagraphStep, StepExit};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};
use war_rig_text::LineNumber;

/// The maximum number of steps of an outline. What follows is told on the program's page.
const STEPS: usize = 240;

/// The maximum number of steps of one part.
const STEPS_OF_PART: usize = 80;

/// How many steps of one part are looked for.
const STEPS_FOUND: usize = 4_000;

/// How deep performed paragraphs are followed.
const PERFORMS_FOLLOWED: usize = 24;

/// The most statements of a paragraph without conditions that is told wherever it is performed. Another one that is performed in several places is told
/// once, for itself.
const SMALL: usize = 2;

/// The most statements of what is performed to give a message.
const OF_MESSAGE: usize = 8;

/// The maximum number of outcomes of an outline.
const OUTCOMES: usize = 40;

/// Commands that only ask CICS for something, or prepare for failures.
const COMMANDS_UNTOLD: [&str; 8] =
    ["ADDRESS", "ASKTIME", "ASSIGN", "BIF", "FORMATTIME", "HANDLE ABEND", "IGNORE", "INQUIRE"];

/// What a program does, for the pages about the estate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOutline {
    /// Its parts: first what runs at its start, then the paragraphs that are performed in several places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<OutlinePart>,
    /// How many steps more there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_steps: usize,
    /// The keys of the terminal that it tests, with what they do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<OutlineKey>,
    /// What the caller or a user sees at the end, with the number of its causes, in source order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<OutlineOutcome>,
    /// How many more there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_outcomes: usize,
    /// The lines on which it commits, or rolls back, with the statement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<(String, LineNumber)>,
    /// The number of its business rules.
    #[serde(skip_serializing_if = "is_zero")]
    pub rules: usize,
    /// The places that a maintainer should look at twice, by kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hazards: Vec<(String, usize)>,
}

/// A part of an outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlinePart {
    /// The paragraph that is performed in several places; none for what runs at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragraph: Option<String>,
    /// Its steps in order.
    pub steps: Vec<OutlineStep>,
}

/// A step of an outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineStep {
    /// The number of conditions around it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub depth: usize,
    /// The line on which it begins.
    pub line: LineNumber,
    /// What it is.
    pub kind: OutlineKind,
    /// What is done, or asked.
    pub text: String,
    /// The line on which the last of several equal steps in a row begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_line: Option<LineNumber>,
    /// How many equal steps follow it directly, up to that line.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeats: usize,
}

/// The kind of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutlineKind {
    /// A condition on the deeper steps that follow; ends with a colon.
    Condition,
    /// Something that reaches out of the program.
    Effect,
    /// A condition under which a message is given, and nothing else happens; with the message.
    Check,
    /// A paragraph that is performed, and is a part for itself.
    Part,
    /// A paragraph with which control goes on.
    Jump,
    /// The beginning of a paragraph that others lead to.
    Label,
}

/// What a key does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineKey {
    /// The keys: `Enter`, `PF3`.
    pub keys: Vec<String>,
    /// The whole condition, if it asks for more than the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// What they do.
    pub action: String,
    /// The line of the test.
    pub line: LineNumber,
}

/// What a caller or a user sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineOutcome {
    /// The outcome: `RETURN-CODE 4`, `abend 'LGCA'`.
    pub outcome: String,
    /// When it comes about, of the first cause.
    pub condition: String,
    /// The number of its causes.
    pub causes: usize,
    /// The line of the first cause.
    pub line: LineNumber,
    /// The line of the last cause.
    pub last_line: LineNumber,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl RunOutline {
    /// Returns the outline of a document's first program; empty if the document is not about a program.
    pub fn of(document: &Document) -> Self {
        if document.header.file_type != "program" {
            return Self::default();
        }
        let first = OutlineWalk::of(document).parts();
        let mut walk = OutlineWalk::of(document);
        walk.prepares = preparations(document, &first);
        let mut parts = walk.parts();
        let mut room = STEPS;
        let all: usize = parts.iter().map(|part| part.steps.len()).sum();
        for part in &mut parts {
            part.steps.truncate(room.min(STEPS_OF_PART));
            room -= part.steps.len();
        }
        parts.retain(|part| !part.steps.is_empty());
        let told: usize = parts.iter().map(|part| part.steps.len()).sum();
        let (mut outcomes, mut hazards) = (outcomes(document), Vec::<(String, usize)>::new());
        let more_outcomes = outcomes.len().saturating_sub(OUTCOMES);
        outcomes.truncate(OUTCOMES);
        for hazard in &document.hazards {
            match hazards.iter_mut().find(|(kind, _)| *kind == hazard.kind) {
                Some((_, count)) => *count += 1,
                None => hazards.push((hazard.kind.clone(), 1)),
            }
        }
        let (keys, commits, rules) = (keys(document), commits(document), document.business_rules.len());
        let more_steps = all - told;
        Self { parts, more_steps, keys, outcomes, more_outcomes, commits, rules, hazards }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Follows a program from paragraph to paragraph.
struct OutlineWalk<'a> {
    document: &'a Document,
    first_program: Option<&'a str>,
    /// The lines whose steps are told: operations, calls, commands.
    told: BTreeSet<LineNumber>,
    /// The lines of calculations, and of assignments to items that a told condition tests.
    prepares: BTreeSet<LineNumber>,
    /// Of each condition under which a message is given, both.
    messages: HashMap<LineNumber, GivenMessage>,
    /// Of each paragraph, by index: where its statements lead, in line order.
    edges: HashMap<usize, Vec<Transfer<'a>>>,
    /// In how many places each paragraph is entered, other than by falling into it.
    entries: HashMap<usize, usize>,
    /// The paragraphs that control falls into.
    fallen_into: HashSet<usize>,
    /// The paragraphs that are being followed, or were told.
    seen: HashSet<usize>,
    /// The same, in the order in which they were begun.
    followed: Vec<usize>,
    /// The paragraphs that will be parts, in order.
    shared: Vec<usize>,
    steps: Vec<OutlineStep>,
    depth: usize,
    nesting: usize,
}

/// A message and its condition.
struct GivenMessage {
    text: String,
    /// Whether the words are all that is done, so that nothing may be performed beside it.
    is_all: bool,
}

/// A transfer of control from a paragraph.
#[derive(Clone, Copy)]
struct Transfer<'a> {
    line: LineNumber,
    /// The paragraphs that it runs, by index.
    from: usize,
    to: usize,
    until: Option<&'a str>,
    kind: TransferKind,
}

/// How control gets to a paragraph.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TransferKind {
    /// It comes back.
    Perform,
    /// It goes on from there.
    Jump,
    FallThrough,
    /// It comes back, and only after a failure.
    Failure,
    /// When something happens that a statement has asked to be told of.
    Handler,
}

impl<'a> OutlineWalk<'a> {
    fn of(document: &'a Document) -> Self {
        let first_program = document.programs.first().map(|program| program.program_id.as_str());
        let (edges, entries) = transfers(document);
        let messages = messages(document);
        let told = told_lines(document);
        let falls = edges.values().flatten().filter(|edge| edge.kind == TransferKind::FallThrough);
        let fallen_into = falls.map(|edge| edge.from).collect();
        let (seen, shared, steps) = (HashSet::new(), Vec::new(), Vec::new());
        Self {
            document,
            first_program,
            told,
            prepares: BTreeSet::new(),
            messages,
            edges,
            entries,
            fallen_into,
            seen,
            followed: Vec::new(),
            shared,
            steps,
            depth: 0,
            nesting: 0,
        }
    }

    /// Returns what runs at the start, and the paragraphs that are performed in several places.
    fn parts(mut self) -> Vec<OutlinePart> {
        let is_first = |program: &Option<String>| program.is_none() || program.as_deref() == self.first_program;
        let Some(entry) = self.document.paragraphs.iter().position(|paragraph| is_first(&paragraph.program)) else {
            return Vec::new();
        };
        self.fall_through_from(entry);
        let mut parts = vec![OutlinePart { paragraph: None, steps: with_content(std::mem::take(&mut self.steps)) }];
        let mut next = 0;
        while let Some(index) = self.shared.get(next).copied() {
            next += 1;
            if self.seen.contains(&index) {
                continue;
            }
            (self.depth, self.nesting) = (0, 0);
            self.fall_through_from(index);
            let paragraph = Some(self.document.paragraphs[index].paragraph_name.clone());
            let steps = with_content(std::mem::take(&mut self.steps));
            parts.push(OutlinePart { paragraph, steps });
        }
        parts
    }

    /// Follows a paragraph and those that control falls into behind it.
    fn fall_through_from(&mut self, entry: usize) {
        let mut at = Some(entry);
        while let Some(index) = at {
            let is_new = !self.seen.contains(&index);
            if is_new && index != entry && self.entries.contains_key(&index) {
                let paragraph = &self.document.paragraphs[index];
                let line = paragraph.citations.first().map(|all| all.lines().start());
                if let Some(line) = line {
                    self.push(self.depth, line, OutlineKind::Label, &paragraph.paragraph_name);
                }
            }
            self.paragraph(index);
            at = if is_new { self.next_of(index) } else { None };
        }
    }

    fn push(&mut self, depth: usize, line: LineNumber, kind: OutlineKind, text: &str) {
        let text = text.to_owned();
        self.steps.push(OutlineStep { depth, line, kind, text, last_line: None, repeats: 0 });
    }

    fn next_of(&self, index: usize) -> Option<usize> {
        self.edges.get(&index)?.iter().find(|edge| edge.kind == TransferKind::FallThrough).map(|edge| edge.from)
    }

    /// Follows a paragraph, unless it was told already.
    fn paragraph(&mut self, index: usize) {
        if self.nesting >= PERFORMS_FOLLOWED || self.steps.len() > STEPS_FOUND || !self.seen.insert(index) {
            return;
        }
        self.followed.push(index);
        let document = self.document;
        let steps = &document.paragraphs[index].steps;
        let own_depth = self.depth;
        self.nesting += 1;
        let mut at = 0;
        while let Some(step) = steps.get(at) {
            let below = steps[at + 1..].iter().take_while(|below| below.depth > step.depth).count();
            let depth = own_depth + usize::from(step.depth);
            if let Some(message) = self.message(index, &steps[at..=at + below]) {
                let end = steps[at + below].exit.map(|_| format!("; {}", steps[at + below].text));
                let text = format!("{message}{}", end.unwrap_or_default());
                self.push(depth, step.line, OutlineKind::Check, &text);
                at += below;
            } else {
                self.step(index, at, own_depth);
                // What follows under the same condition never runs.
                if step.exit.is_some() {
                    at += steps[at + 1..].iter().take_while(|next| next.depth >= step.depth && !is_case(next)).count();
                }
            }
            at += 1;
        }
        self.nesting -= 1;
        self.depth = own_depth;
    }

    /// Returns the line behind a step.
    fn end_of(&self, index: usize, step: usize) -> LineNumber {
        let paragraph = &self.document.paragraphs[index];
        let next = paragraph.steps.get(step + 1).map(|next| next.line);
        let last = paragraph.citations.first().map_or(paragraph.steps[step].line, |all| all.lines().end());
        next.unwrap_or_else(|| LineNumber::new(last.get() + 1).unwrap_or(last))
    }

    /// Returns the message of a condition that decides about nothing else.
    fn message(&self, index: usize, steps: &[ParagraphStep]) -> Option<&str> {
        let [condition, below @ ..] = steps else { return None };
        let message = self.messages.get(&condition.line).filter(|_| condition.text.ends_with(':'))?;
        let last = below.last()?.line;
        if below.iter().any(|step| step.text.ends_with(':')) || self.told.range(condition.line..=last).next().is_some()
        {
            return None;
        }
        let within = self.edges.get(&index).into_iter().flatten();
        let mut within = within.filter(|edge| edge.line >= condition.line && edge.line <= last);
        within
            .all(|edge| !message.is_all && self.told_behind(edge, OF_MESSAGE, true).is_some())
            .then_some(message.text.as_str())
    }

    /// Returns how many statements are told of what a transfer leads to; none if they are more than `most` or, unless they may, under a condition.
    fn told_behind(&self, edge: &Transfer<'_>, most: usize, has_conditions: bool) -> Option<usize> {
        let mut open: Vec<usize> = (edge.from..=edge.to).collect();
        let (mut known, mut told) = (HashSet::new(), 0);
        while let Some(index) = open.pop() {
            if !known.insert(index) {
                continue;
            }
            let paragraph = &self.document.paragraphs[index];
            let own = paragraph
                .citations
                .first()
                .map_or(0, |all| self.told.range(all.lines().start()..=all.lines().end()).take(most + 1).count());
            told += own;
            let is_divided = own > 0 && paragraph.steps.iter().any(|step| step.text.ends_with(':'));
            if told > most || known.len() > STEPS || (is_divided && !has_conditions) {
                return None;
            }
            let inner = self.edges.get(&index).into_iter().flatten();
            let inner = inner.filter(|edge| matches!(edge.kind, TransferKind::Perform | TransferKind::Jump));
            open.extend(inner.flat_map(|edge| edge.from..=edge.to));
        }
        Some(told)
    }

    fn step(&mut self, index: usize, at: usize, own_depth: usize) {
        let (document, end) = (self.document, self.end_of(index, at));
        let steps = &document.paragraphs[index].steps;
        let step = &steps[at];
        let is_in_loop = conditions_around(&steps[..=at]).any(|condition| condition.text.starts_with("repeats"));
        let depth = own_depth + usize::from(step.depth);
        let is_condition = step.text.ends_with(':');
        let is_idle = step.text.ends_with(": nothing");
        let is_within = |lines: &BTreeSet<LineNumber>| step.line < end && lines.range(step.line..end).next().is_some();
        let is_told = is_within(&self.told) || self.prepares.contains(&step.line);
        let told_before = self.steps.len();
        if is_condition || is_idle {
            self.push(depth, step.line, OutlineKind::Condition, &step.text);
        } else if is_told || step.exit == Some(StepExit::Program) {
            // The options of a command stand on the program's page, but when something starts, or what is handled, is told.
            let is_whole = step.text.starts_with("issues CICS START") || step.text.contains("HANDLE");
            let text = if is_whole { step.text.as_str() } else { condition_and_effects(&step.text).0 };
            self.push(depth, step.line, OutlineKind::Effect, text);
        }
        let is_followed =
            |edge: &&Transfer<'_>| edge.kind != TransferKind::FallThrough && edge.line >= step.line && edge.line < end;
        let transfers: Vec<Transfer<'a>> =
            self.edges.get(&index).into_iter().flatten().filter(is_followed).copied().collect();
        for edge in transfers {
            self.depth = depth + usize::from(is_condition);
            // What is performed inside a loop is not a loop itself.
            self.transfer(&Transfer { until: edge.until.filter(|_| !is_in_loop), ..edge });
        }
        if step.exit == Some(StepExit::Paragraph) && self.steps.len() == told_before {
            self.push(depth, step.line, OutlineKind::Effect, &step.text);
        }
    }

    fn transfer(&mut self, edge: &Transfer<'a>) {
        let document = self.document;
        let name = document.paragraphs[edge.from].paragraph_name.as_str();
        let told = self.told_behind(edge, SMALL, false);
        let is_small = told.is_some_and(|told| told > 0);
        // What tells nothing is followed once, for what it prepares.
        let is_shared = told != Some(0) && self.entries.get(&edge.from).is_some_and(|entries| *entries > 1);
        let begun = self.followed.len();
        match edge.kind {
            TransferKind::Handler => self.share(edge.from),
            TransferKind::Failure | TransferKind::FallThrough => {}
            TransferKind::Jump if is_small => {
                self.fall_through_from(edge.from);
                self.forget_from(begun);
            }
            TransferKind::Jump
                if is_shared || self.fallen_into.contains(&edge.from) || self.seen.contains(&edge.from) =>
            {
                self.push(self.depth, edge.line, OutlineKind::Jump, name);
                self.share(edge.from);
            }
            TransferKind::Jump => self.fall_through_from(edge.from),
            TransferKind::Perform if is_shared && !is_small => {
                let until = edge.until.map(|until| format!(" until {until}")).unwrap_or_default();
                self.push(self.depth, edge.line, OutlineKind::Part, &format!("{name}{until}"));
                self.share(edge.from);
            }
            TransferKind::Perform => {
                if let Some(until) = edge.until {
                    self.push(self.depth, edge.line, OutlineKind::Condition, &format!("repeats until {until}:"));
                    self.depth += 1;
                }
                for target in edge.from..=edge.to {
                    self.paragraph(target);
                }
                // A small paragraph is told wherever it is performed.
                if is_small {
                    self.forget_from(begun);
                }
            }
        }
    }

    /// Tells a paragraph for itself, unless it is told where control falls into it.
    fn share(&mut self, index: usize) {
        if !self.shared.contains(&index) {
            self.shared.push(index);
        }
    }

    /// Lets the paragraphs that were followed from here on be told again.
    fn forget_from(&mut self, begun: usize) {
        for index in self.followed.drain(begun..) {
            self.seen.remove(&index);
        }
    }
}

/// Whether a step is another case of the conditions before it.
fn is_case(step: &ParagraphStep) -> bool {
    let is_other = ["otherwise", "in any other case", "when "].iter().any(|begin| step.text.starts_with(begin));
    is_other && step.text.contains(':')
}

/// Where the statements of a program lead: of each paragraph its transfers in line order, and the number of places from which each is entered.
fn transfers(document: &Document) -> (HashMap<usize, Vec<Transfer<'_>>>, HashMap<usize, usize>) {
    let places: HashMap<(Option<&str>, &str, Option<&str>), usize> = document
        .paragraphs
        .iter()
        .enumerate()
        .rev()
        .flat_map(|(index, paragraph)| {
            let (program, name) = (paragraph.program.as_deref(), paragraph.paragraph_name.as_str());
            [((program, name, paragraph.section.as_deref()), index), ((program, name, None), index)]
        })
        .collect();
    let mut edges: HashMap<usize, Vec<Transfer<'_>>> = HashMap::new();
    let mut entries: HashMap<usize, usize> = HashMap::new();
    for edge in &document.control_flow {
        let program = edge.program.as_deref();
        let find = |name, section| {
            places.get(&(program, name, section)).or_else(|| places.get(&(program, name, None))).copied()
        };
        let source = match edge.from.as_deref() {
            Some(from) => find(from, edge.from_section.as_deref()),
            None => document.paragraphs.iter().position(|paragraph| paragraph.program.as_deref() == program),
        };
        let target = edge.enters.as_deref().and_then(|enters| find(enters, edge.enters_section.as_deref()));
        let (Some(source), Some(from)) = (source, target) else { continue };
        let through = edge.through.as_deref().and_then(|name| find(name, edge.through_section.as_deref()));
        let kind = match edge.kind.as_str() {
            // ALTER runs nothing, and a GO TO may lead there later.
            "handle" | "alter" => TransferKind::Handler,
            "fall_through" => TransferKind::FallThrough,
            "go_to" => TransferKind::Jump,
            _ if edge.on_failure => TransferKind::Failure,
            _ => TransferKind::Perform,
        };
        if kind != TransferKind::FallThrough {
            *entries.entry(from).or_default() += 1;
        }
        let to = through.unwrap_or(from).max(from);
        let transfer = Transfer { line: edge.line, from, to, until: edge.until.as_deref(), kind };
        edges.entry(source).or_default().push(transfer);
    }
    edges.values_mut().for_each(|edges| edges.sort_by_key(|edge| edge.line));
    (edges, entries)
}

/// Returns the lines of statements that reach out of the program, or decide how it ends.
fn told_lines(document: &Document) -> BTreeSet<LineNumber> {
    let places = places_of_conditions(document);
    let is_data = |kind: &str| !matches!(kind, "parameter" | "system output" | "system input");
    let is_told = |command: &str| !COMMANDS_UNTOLD.iter().any(|untold| command.starts_with(untold));
    let interfaces = document.inputs.iter().chain(&document.outputs).filter(|item| is_data(&item.io_type));
    let commands = document.cics_operations.iter().filter(|item| is_told(&item.command));
    let citations = (interfaces.flat_map(|item| &item.citations))
        .chain(document.called_programs.iter().flat_map(|item| &item.citations))
        .chain(document.sql_operations.iter().flat_map(|item| &item.citations))
        .chain(document.dli_operations.iter().flat_map(|item| &item.citations))
        .chain(commands.flat_map(|item| &item.citations));
    let own = citations.filter(|citation| citation.file() == document.header.file_name);
    let mut lines: BTreeSet<LineNumber> = own.map(|citation| citation.lines().start()).collect();
    lines.extend(document.control_flow.iter().filter(|edge| edge.kind == "alter").map(|edge| edge.line));
    // A calculation on the way to a record is what the program is for.
    let sets = |rule: &BusinessRule| rule.decides.as_deref().is_some_and(|decides| decides.starts_with("sets"));
    let calculations = document.business_rules.iter().filter(|rule| rule.conditions.is_empty() && sets(rule));
    lines.extend(calculations.flat_map(|rule| &rule.citations).map(|citation| citation.lines().start()));
    let ends = document.business_rules.iter().filter(|rule| rule.decides.as_deref() == Some("how the program ends"));
    for rule in ends {
        lines.extend(
            rule.citations.iter().flat_map(|citation| inner_lines(document, &places, citation.lines().start())),
        );
    }
    lines
}

/// The word before an outcome of what happens otherwise.
const OTHERWISE: &str = "otherwise ";

/// Returns the lines of calculations, and of assignments to items that the conditions of an outline test.
fn preparations(document: &Document, parts: &[OutlinePart]) -> BTreeSet<LineNumber> {
    let conditions = parts
        .iter()
        .flat_map(|part| &part.steps)
        .filter(|step| step.kind == OutlineKind::Condition && step.text.ends_with(':'));
    let tested: HashSet<&str> = conditions.flat_map(|step| names(&step.text)).collect();
    let prepares = |step: &&ParagraphStep| {
        let verb = step.text.split(' ').next().unwrap_or_default();
        match verb {
            "computes" | "adds" | "subtracts" | "multiplies" | "divides" => true,
            "sets" | "moves" => names(&step.text).any(|name| tested.contains(name)),
            _ => false,
        }
    };
    let steps = document.paragraphs.iter().flat_map(|paragraph| &paragraph.steps);
    steps.filter(|step| !step.text.ends_with(':')).filter(prepares).map(|step| step.line).collect()
}

/// Returns the names of items in a text: words in capitals with a hyphen.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| word.contains('-') && word.len() > 2 && !word.chars().any(|c| c.is_ascii_lowercase()))
}

/// Returns the messages that are given, with their conditions, by the line of the condition.
fn messages(document: &Document) -> HashMap<LineNumber, GivenMessage> {
    let is_message = |outcome: &str| !outcome.starts_with("RETURN-CODE") && !outcome.starts_with("abend");
    let places = places_of_conditions(document);
    let mut messages = HashMap::new();
    let mut add = |line: LineNumber, condition: &str, message: &str, is_opposite: bool, is_all: bool| {
        let paragraph = places.get(&line).map(|index| &document.paragraphs[*index]);
        let step = paragraph.and_then(|paragraph| step_of_condition(paragraph, line, is_opposite));
        if let Some(step) = step {
            messages.entry(step.line).or_insert_with(|| {
                let own = step.text.trim_end_matches(':');
                let is_own = step.line == line || is_opposite;
                let condition = if is_own { own.to_owned() } else { uncapitalized(condition.trim_end_matches('.')) };
                GivenMessage { text: format!("{condition}: {}", uncapitalized(message)), is_all }
            });
        }
    };
    for rule in &document.business_rules {
        let Some(line) = rule.citations.first().map(|citation| citation.lines().start()) else { continue };
        let (condition, effects) = condition_and_effects(&rule.description);
        let decides = rule.decides.as_deref() == Some("which message is given");
        match rule.outcome.as_deref() {
            Some(outcome) => {
                for part in parts(outcome).into_iter().filter(|part| is_message(part.trim_start_matches(OTHERWISE))) {
                    let opposite = part.strip_prefix(OTHERWISE);
                    add(line, condition, opposite.unwrap_or(part), opposite.is_some(), false);
                }
            }
            None if decides => add(line, condition, effects.trim_end_matches('.'), false, true),
            None => {}
        }
    }
    for error in &document.error_handling {
        let Some(line) = error.citations.first().map(|citation| citation.lines().start()) else { continue };
        match error.outcome.as_deref() {
            Some(outcome) if is_message(outcome) => add(line, &error.condition, outcome, false, false),
            Some(_) => {}
            None => add(line, &error.condition, error.action.trim_end_matches('.'), false, true),
        }
    }
    messages
}

/// Returns the step of a condition on this line, or of its opposite: the condition itself or, if nothing is done where it holds, the next case.
fn step_of_condition(paragraph: &Paragraph, line: LineNumber, is_opposite: bool) -> Option<&ParagraphStep> {
    let at = paragraph.steps.iter().position(|step| step.line == line && step.text.contains(':'))?;
    let step = &paragraph.steps[at];
    if step.text.ends_with(':') && !is_opposite {
        return Some(step);
    }
    let mut others = paragraph.steps[at + 1..].iter().filter(|other| other.depth <= step.depth);
    let next = others.next().filter(|next| next.depth == step.depth && next.text.ends_with(':') && is_case(next));
    next.filter(|_| is_opposite || step.text.ends_with(": nothing"))
}

/// Words the opposite of a condition; what is provided stays provided.
fn opposite(condition: &str) -> String {
    match condition.split_once(": when ") {
        Some((provided, when)) => format!("{provided}: unless {when}"),
        None => format!("unless {}", condition.strip_prefix("When ").unwrap_or(condition)),
    }
}

fn uncapitalized(text: &str) -> String {
    let is_word = text.chars().nth(1).is_some_and(char::is_lowercase);
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if is_word => first.to_lowercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

/// Returns the conditions around the last of these steps, the innermost first.
fn conditions_around(steps: &[ParagraphStep]) -> impl Iterator<Item = &ParagraphStep> {
    let mut depth = steps.last().map_or(0, |step| step.depth);
    steps.iter().rev().filter(move |step| {
        let is_around = step.depth < depth;
        depth = depth.min(step.depth);
        is_around
    })
}

/// Returns the lines of the steps directly below a condition.
fn inner_lines(document: &Document, places: &HashMap<LineNumber, usize>, condition: LineNumber) -> Vec<LineNumber> {
    let of = |paragraph: &DocumentItem<Paragraph>| {
        let at = paragraph.steps.iter().position(|step| step.line == condition && step.text.ends_with(':'))?;
        let depth = paragraph.steps[at].depth;
        let below = paragraph.steps[at + 1..].iter().take_while(|step| step.depth > depth);
        let direct = below.filter(|step| step.depth == depth + 1 && !step.text.ends_with(':'));
        Some(direct.map(|step| step.line).collect())
    };
    places.get(&condition).and_then(|index| of(&document.paragraphs[*index])).unwrap_or_default()
}

/// Returns the paragraph of each condition, by its line.
fn places_of_conditions(document: &Document) -> HashMap<LineNumber, usize> {
    let mut places = HashMap::new();
    for (index, paragraph) in document.paragraphs.iter().enumerate() {
        for step in paragraph.steps.iter().filter(|step| step.text.contains(':')) {
            places.entry(step.line).or_insert(index);
        }
    }
    places
}

/// Drops conditions under which nothing is told and labels without content, and joins equal steps in a row. The cases before one that is told stay:
/// without them, `otherwise` says nothing.
fn with_content(steps: Vec<OutlineStep>) -> Vec<OutlineStep> {
    let is_case =
        |step: &OutlineStep| ["otherwise", "in any other case"].iter().any(|begin| step.text.starts_with(begin));
    let mut kept: Vec<OutlineStep> = Vec::with_capacity(steps.len());
    // The depth of the case whose earlier cases are needed.
    let mut needed: Option<usize> = None;
    for step in steps.into_iter().rev() {
        let below = kept.last().map(|below| (below.depth, below.kind));
        let stays = match step.kind {
            OutlineKind::Condition => {
                let has_content = below.is_some_and(|(depth, _)| depth > step.depth);
                has_content || needed == Some(step.depth)
            }
            OutlineKind::Label => below.is_some_and(|(_, kind)| kind != OutlineKind::Label),
            _ => true,
        };
        if !stays {
            continue;
        }
        if matches!(step.kind, OutlineKind::Condition | OutlineKind::Check) && is_case(&step) {
            needed = Some(step.depth);
        } else if needed.is_some_and(|depth| step.depth <= depth && !step.text.starts_with("when ")) {
            needed = None;
        }
        kept.push(step);
    }
    kept.reverse();
    kept.dedup_by(|next, first| {
        let is_equal = first.kind == OutlineKind::Effect && first.kind == next.kind && first.depth == next.depth;
        let is_equal = is_equal && first.text == next.text;
        if is_equal {
            first.repeats += 1;
            first.last_line = Some(next.line);
        }
        is_equal
    });
    kept
}

fn keys(document: &Document) -> Vec<OutlineKey> {
    let rules = document.business_rules.iter().filter(|rule| !rule.keys.is_empty());
    rules
        .filter_map(|rule| {
            let line = rule.citations.first()?.lines().start();
            let (condition, effects) = condition_and_effects(&rule.description);
            let is_more = rule.conditions.len() > 1 || rule.data_items.len() > 1;
            let condition = is_more.then(|| uncapitalized(condition));
            let action = effects.trim_end_matches('.').to_owned();
            Some(OutlineKey { keys: rule.keys.clone(), condition, action, line })
        })
        .collect()
}

fn commits(document: &Document) -> Vec<(String, LineNumber)> {
    let commands = document.cics_operations.iter().map(|item| (item.command.as_str(), &item.citations));
    let statements = document.sql_operations.iter().map(|item| (item.operation.as_str(), &item.citations));
    let all = commands
        .chain(statements)
        .filter(|(name, _)| ["SYNCPOINT", "COMMIT", "ROLLBACK"].iter().any(|wanted| name.starts_with(wanted)));
    let mut commits: Vec<(String, LineNumber)> = all
        .flat_map(|(name, citations)| citations.iter().map(|citation| (name.to_owned(), citation.lines().start())))
        .collect();
    commits.sort_by_key(|(_, line)| *line);
    commits.dedup();
    commits
}

fn outcomes(document: &Document) -> Vec<OutlineOutcome> {
    let mut all: Vec<(String, String, LineNumber)> = Vec::new();
    for rule in &document.business_rules {
        let (Some(outcome), Some(citation)) = (&rule.outcome, rule.citations.first()) else { continue };
        let condition = condition_and_effects(&rule.description).0;
        for part in parts(outcome) {
            let (outcome, condition) = match part.strip_prefix(OTHERWISE) {
                Some(outcome) => (outcome, opposite(condition)),
                None => (part, condition.to_owned()),
            };
            all.push((outcome.to_owned(), condition, citation.lines().start()));
        }
    }
    for error in &document.error_handling {
        if let (Some(outcome), Some(citation)) = (&error.outcome, error.citations.first()) {
            all.push((outcome.clone(), error.condition.clone(), citation.lines().start()));
        }
    }
    all.sort_by_key(|(_, _, line)| *line);
    let mut outcomes: Vec<OutlineOutcome> = Vec::new();
    for (outcome, condition, line) in all {
        match outcomes.iter_mut().find(|known| known.outcome == outcome) {
            Some(known) => {
                known.causes += 1;
                known.last_line = line;
            }
            None => outcomes.push(OutlineOutcome { outcome, condition, causes: 1, line, last_line: line }),
        }
    }
    outcomes
}
