//! Describes paragraphs step by step: every statement in words, in the order and under the conditions of the source.
//!
//! Nothing is omitted or cut, so a reader who searches for a value finds it next to its target. Consecutive assignments
//! are one step.

mod assignments;

use super::StaticWriter;
use super::clauses::words_outside_literals;
use super::consequences::figure_in_words;
use super::frames::{is_blank_line, is_ornament, share_frame, without_frame};
use super::operations::{candidates_named, done};
use crate::phrases::{count, exec_in_full, given_to_macro, in_words, list, strung};
use foldhash::HashMap;
use war_rig_cobol::{
    BoundaryLevel, BranchKind, CallKind, Condition, CopybookReference, ExecBlock, ExecKind, FileControl, ItemUse,
    Operand, OperandKind, OperandPhrase, OperandRole, Statement, Verb, is_checked_for_failure, sets_return_code,
    statement_exit,
};
use war_rig_template::{IDLE, ParagraphStep, PartialStep, StepCondition, StepExit};
use war_rig_text::{LineNumber, LineRange};

/// Longer than any statement, so nothing is cut.
const WHOLE: usize = usize::MAX;

/// How many lines are searched for the end of a sentence.
const LINES_LOOKED_AT: usize = 1_000;

/// How many earlier cases of an EVALUATE a case is compared with.
const CASES_COMPARED: usize = 64;

/// A pending step; the next one is at the end of the list.
enum PendingStep<'r> {
    Statements(&'r [usize], u16),
    /// A branch, and whether it continues the chain of an ELSE.
    Branch(usize, u16, bool),
}

/// Whether a command only asks CICS for values, or computes with them.
fn only_asks(exec: &ExecBlock) -> bool {
    let asks = ["ASKTIME", "ASSIGN", "BIF", "FORMATTIME", "INQUIRE"];
    exec.kind == ExecKind::Cics && asks.iter().any(|command| exec.command.starts_with(command))
}

/// The longest value that stands behind the name of its item, in characters.
const LONGEST_VALUE: usize = 100;

/// Returns where a name ends that stands as a word in a text, in upper or lower case, and in no literal.
fn end_of_word(text: &str, name: &str) -> Option<usize> {
    let found = words_outside_literals(text).find(|(_, word)| word.eq_ignore_ascii_case(name));
    found.map(|(at, word)| at + word.len())
}

/// Whether an operand is the name of an item without subscripts and reference modification.
fn is_plain(operand: Operand<'_>) -> bool {
    operand.words().len() == 1
}

impl<'a> StaticWriter<'_, 'a> {
    /// Returns the steps whose statements begin in the chunk. They are computed once for all chunks: a paragraph can have many.
    pub(super) fn steps(&self) -> Vec<PartialStep> {
        let owned = self.facts.owned();
        let all = self.facts.file.steps(|| self.all_steps());
        let first = all.partition_point(|told| told.step.line < owned.start());
        all[first..].iter().take_while(|told| told.step.line <= owned.end()).cloned().collect()
    }

    fn all_steps(&self) -> Vec<PartialStep> {
        let parsed = self.reading.parsed;
        let mut comments = self.comments_within();
        let mut steps = Vec::new();
        for (paragraph, found) in parsed.paragraphs.iter().enumerate() {
            if found.file.is_none() {
                let told = self.steps_of(&self.reading.of_paragraph[paragraph], &comments);
                let missing = self.missing_copies(paragraph).map(|copy| {
                    let text = format!("copies in {}, which is not among the sources", copy.name);
                    ParagraphStep::new(0, copy.lines.start(), text)
                });
                steps.extend(told.into_iter().chain(missing).map(|step| PartialStep { paragraph, step }));
            }
        }
        for PartialStep { step, .. } in &mut steps {
            step.comment = comments.remove(&step.line).filter(|comment| !comment.is_empty());
        }
        steps.sort_by_key(|told| told.step.line);
        steps
    }

    /// Returns the COPYs in a paragraph of copybooks that are not among the sources.
    pub(super) fn missing_copies(&self, paragraph: usize) -> impl Iterator<Item = &'a CopybookReference> {
        let paragraph = &self.reading.parsed.paragraphs[paragraph];
        let copies = self.reading.parsed.copies.iter().filter(|copy| copy.resolved.is_none() && copy.file.is_none());
        copies.filter(|copy| copy.program == paragraph.program && paragraph.lines.contains(copy.lines.start()))
    }

    fn steps_of(&self, statements: &'a [usize], comments: &HashMap<LineNumber, String>) -> Vec<ParagraphStep> {
        let parsed = self.reading.parsed;
        let mut steps = Vec::new();
        let mut open = vec![PendingStep::Statements(statements, 0)];
        while let Some(next) = open.pop() {
            let (statements, depth) = match next {
                PendingStep::Branch(branch, depth, is_chained) => {
                    let under = self.reading.under(branch);
                    // A chain of ELSE IF is shown as one list of cases.
                    if let ([only], BranchKind::Else) = (under, parsed.branches[branch].kind)
                        && parsed.statements[*only].verb == Verb::If
                        && let [first, others @ ..] = self.reading.branches_of(*only)
                    {
                        open.extend(others.iter().rev().map(|other| PendingStep::Branch(*other, depth, false)));
                        open.push(PendingStep::Branch(*first, depth, true));
                        continue;
                    }
                    steps.push(self.condition_step(branch, depth, is_chained));
                    (under, depth.saturating_add(1))
                }
                PendingStep::Statements(statements, depth) => (statements, depth),
            };
            let Some(first) = statements.first() else { continue };
            let length = self.in_a_row(statements, comments);
            let (told, rest) = statements.split_at(length);
            open.push(PendingStep::Statements(rest, depth));
            let found = &parsed.statements[*first];
            // The copybook's own page describes its statements.
            if let Some(file) = found.file.as_deref() {
                let before = steps.last().map(|step| step.line);
                steps.extend(self.copied_in(found, file, before, depth));
                continue;
            }
            let is_choice = matches!(found.verb, Verb::If | Verb::Evaluate);
            if let Some(text) = self.in_full(told).filter(|_| !is_choice) {
                // What is seen under a condition is told of the decision.
                let outcome = if depth == 0 { self.outcome_of_all(told) } else { None };
                let when = outcome.as_ref().and_then(|_| self.when_seen(told));
                let outcome_line = outcome.as_ref().and_then(|_| self.first_reporting(told));
                let (reads, sets) = self.items_used(told);
                // The condition of an inline PERFORM stands with it.
                let is_loop = found.verb == Verb::Perform && text.ends_with(':');
                let is_of_labels = found.verb == Verb::Perform && self.reading.branches_of(*first).is_empty();
                steps.push(ParagraphStep {
                    depth,
                    line: found.lines.start(),
                    text,
                    asks: is_loop.then_some(StepCondition::Loop),
                    repeated: is_of_labels.then(|| self.performed(*first, WHOLE).1).flatten(),
                    reads,
                    sets,
                    is_reported: told.iter().any(|index| self.is_reported(*index)),
                    exit: told.last().and_then(|last| self.exit(*last)),
                    never_runs: self.reading.flow.never_runs(*first),
                    outcome,
                    outcome_line,
                    when,
                    comment: None,
                });
            }
            let under = depth.saturating_add(u16::from(!is_choice));
            let branches = self.reading.branches_of(*first).iter().rev();
            // The statements of an inline PERFORM appear directly under it.
            open.extend(branches.map(|branch| match parsed.branches[*branch].kind {
                BranchKind::Loop => PendingStep::Statements(self.reading.under(*branch), under),
                _ => PendingStep::Branch(*branch, under, false),
            }));
        }
        steps
    }

    /// Returns the step for the COPY that brings a statement, unless it is the step before.
    fn copied_in(
        &self,
        statement: &Statement,
        file: &str,
        before: Option<LineNumber>,
        depth: u16,
    ) -> Option<ParagraphStep> {
        let parsed = self.reading.parsed;
        let begins = before.or_else(|| Some(parsed.paragraphs[statement.paragraph?].lines.start()))?;
        let (line, name) = *self.reading.copied_at.get(file)?.range((begins, "")..).next()?;
        let text = format!("copies in {name}");
        (before != Some(line)).then(|| ParagraphStep::new(depth, line, text))
    }

    /// Returns the step of the condition that opens a branch.
    fn condition_step(&self, branch: usize, depth: u16, is_chained: bool) -> ParagraphStep {
        let parsed = self.reading.parsed;
        let found = &parsed.branches[branch];
        let (asks, heading) = self.heading(branch);
        let end = if self.is_idle(branch) { IDLE } else { ":" };
        let before = if is_chained { "otherwise, " } else { "" };
        ParagraphStep {
            asks: Some(if is_chained { StepCondition::Otherwise } else { asks }),
            reads: self.items_tested(branch),
            never_runs: self.reading.flow.never_runs(found.statement),
            ..ParagraphStep::new(depth, found.lines.start(), format!("{before}{heading}{end}"))
        }
    }

    /// Whether nothing is done under a branch.
    fn is_idle(&self, branch: usize) -> bool {
        let parsed = self.reading.parsed;
        self.reading.under(branch).iter().all(|index| parsed.statements[*index].verb == Verb::Continue)
    }

    /// Returns the items that the condition of a branch tests; of a WHEN also those of its EVALUATE.
    fn items_tested(&self, branch: usize) -> Vec<String> {
        let found = &self.reading.parsed.branches[branch];
        let subject = match found.kind {
            BranchKind::When => self.reading.effects.of_statement(found.statement),
            _ => &[],
        };
        let tested = subject.iter().chain(self.reading.effects.of_branch(branch)).filter(|used| used.is_read());
        let mut names = self.item_names(tested);
        let words = self.reading.parsed.condition(found);
        self.add_indexes(&mut names, words.iter().map(|word| word.text));
        names
    }

    /// Adds the words that name indexes of tables, each once.
    fn add_indexes<'w>(&self, names: &mut Vec<String>, words: impl Iterator<Item = &'w str>) {
        for index in words.filter_map(|word| self.reading.index_name(word)) {
            if !names.contains(&index) {
                names.push(index);
            }
        }
    }

    /// Returns the items whose contents an operation takes, or those that computing statements set: what one needs, the others prepare.
    fn items_used(&self, statements: &[usize]) -> (Vec<String>, Vec<String>) {
        let parsed = self.reading.parsed;
        let uses = || statements.iter().flat_map(|index| self.reading.effects.of_statement(*index));
        let Some(found) = statements.first().map(|first| &parsed.statements[*first]) else { return Default::default() };
        match found.verb {
            // Its UNTIL decides; the index of a VARYING is its own.
            Verb::Perform => {
                let loops = statements.iter().flat_map(|index| self.reading.branches_of(*index));
                let tested = loops.flat_map(|branch| self.reading.effects.of_branch(*branch));
                (self.item_names(uses().chain(tested).filter(|used| used.is_read())), Vec::new())
            }
            verb if verb.computes() || found.exec.is_some_and(|exec| only_asks(&parsed.execs[exec])) => {
                let taken = uses().filter(|used| used.is_read());
                let (mut taken, mut set) =
                    (self.item_names(taken), self.item_names(uses().filter(|used| used.is_set())));
                for operand in statements.iter().flat_map(|index| parsed.operands(&parsed.statements[*index])) {
                    let names = if operand.role().is_set() { &mut set } else { &mut taken };
                    self.add_indexes(names, std::iter::once(operand.name()));
                }
                (taken, set)
            }
            verb => {
                let mut reads = self.item_names(uses().filter(|used| used.is_read()));
                if matches!(verb, Verb::Read | Verb::Start | Verb::Delete) {
                    let file = parsed.operands(found).find(|operand| operand.role() == OperandRole::File);
                    let is_own = |control: &&FileControl| {
                        let is_named = file.is_some_and(|file| file.name().eq_ignore_ascii_case(&control.name));
                        is_named && control.program == found.program
                    };
                    reads.extend(parsed.files.iter().find(is_own).and_then(|control| control.key.clone()));
                }
                (reads, Vec::new())
            }
        }
    }

    /// Names items, their records and the records that these redefine, each once.
    fn item_names<'u>(&self, uses: impl Iterator<Item = &'u ItemUse>) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for used in uses {
            let name = self.reading.parsed.data_items[used.item()].name.as_str();
            let records = self.reading.record_of(name).into_iter().chain(self.reading.redefined_records[used.item()]);
            for name in std::iter::once(name).chain(records).filter(|name| *name != "FILLER") {
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        }
        names
    }

    /// Whether the caller, a user or the operator sees what a statement sets or displays.
    fn is_reported(&self, statement: usize) -> bool {
        let found = &self.reading.parsed.statements[statement];
        self.reading.reports.has(statement)
            || (found.verb == Verb::Display
                && !is_ornament(self.reading.parsed, found)
                && self.reading.parsed.display_setting(found).is_none())
            || sets_return_code(self.reading.parsed, found)
    }

    /// Returns where control goes from a statement that it does not come back from.
    pub(super) fn exit(&self, index: usize) -> Option<StepExit> {
        let parsed = self.reading.parsed;
        let found = &parsed.statements[index];
        if statement_exit(parsed, found).is_some() && !is_checked_for_failure(parsed, index) {
            return Some(StepExit::Program);
        }
        match found.verb {
            Verb::Go if !parsed.words_after_verb(found).iter().any(|word| word.is("DEPENDING")) => {
                Some(StepExit::Paragraph)
            }
            Verb::Next => Some(StepExit::WithinParagraph),
            Verb::Exit if parsed.words_after_verb(found).get(0).is_some_and(|what| what.is("PERFORM")) => {
                Some(StepExit::WithinParagraph)
            }
            Verb::Exit if !parsed.words_after_verb(found).is_empty() => Some(StepExit::Paragraph),
            Verb::Perform => self.performed_exit(index).map(|_| StepExit::PerformedEnd),
            _ => None,
        }
    }

    /// Returns how many leading statements form one step: consecutive assignments or PERFORMs without a comment between them. What a comment says of
    /// the first ends at a blank line.
    fn in_a_row(&self, statements: &[usize], comments: &HashMap<LineNumber, String>) -> usize {
        let parsed = self.reading.parsed;
        let kind = |index: &usize| {
            let found = &parsed.statements[*index];
            match found.verb {
                _ if found.file.is_some() || !self.reading.branches_of(*index).is_empty() => None,
                Verb::Move | Verb::Set | Verb::Initialize => Some("assigns"),
                Verb::Perform if self.performed(*index, WHOLE).1.is_none() => Some("performs"),
                _ => None,
            }
        };
        let line = |index: usize| parsed.statements[index].lines.start();
        let is_same = |one: &usize, next: &usize| {
            let (one, next) = (&parsed.statements[*one], &parsed.statements[*next]);
            one.verb == Verb::Macro && next.verb == Verb::Macro && parsed.macro_name(one) == parsed.macro_name(next)
        };
        let is_commented = statements.first().is_some_and(|first| comments.contains_key(&line(*first)));
        let is_blank = |line: LineNumber| {
            self.facts.file.source.line(line).is_some_and(|line| line.code().trim().is_empty() && !line.is_comment())
        };
        let is_apart = |pair: &[usize]| {
            let behind = |line: &LineNumber| Some(line.saturating_add(1));
            let between = std::iter::successors(behind(&parsed.statements[pair[0]].lines.end()), behind);
            is_commented && between.take_while(|between| *between < line(pair[1])).any(is_blank)
        };
        let goes_on = |pair: &&[usize]| {
            let is_above = line(pair[0]) != line(pair[1]) && comments.contains_key(&line(pair[1]));
            let goes_on = kind(&pair[0]).is_some_and(|first| kind(&pair[1]) == Some(first));
            (goes_on || is_same(&pair[0], &pair[1]) || share_frame(parsed, pair[0], pair[1]))
                && !is_above
                && !is_apart(pair)
        };
        statements.len().min(1) + statements.windows(2).take_while(goes_on).count()
    }

    /// Words what EXIT leaves: a loop, or a section or paragraph, and where control goes on if nothing performs that; none for EXIT PROGRAM and the
    /// like.
    pub(super) fn left(&self, statement: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let behind = parsed.words_after_verb(&parsed.statements[statement]);
        let what = match () {
            () if behind.has("PARAGRAPH") => "paragraph",
            () if behind.has("SECTION") => "section",
            () if behind.has("CYCLE") => return Some("goes on with the next turn of the loop".to_owned()),
            () if behind.has("PERFORM") => return Some("leaves the loop".to_owned()),
            () => return None,
        };
        let into = self.reading.flow.stray_exit(statement);
        let name = into.map(|into| parsed.paragraphs[into].name.to_uppercase());
        let on = name.map(|name| format!(", which nothing performs, and goes on into {name}"));
        Some(format!("leaves the {what}{}", on.unwrap_or_default()))
    }

    /// Returns the line of the first statement behind the period that ends a statement's sentence; none if it is far, or its sentence is the
    /// last of the paragraph.
    fn next_sentence(&self, found: &Statement) -> Option<LineNumber> {
        let parsed = self.reading.parsed;
        let behind = found.lines.end().index() + 1;
        let near = parsed.boundaries.iter().skip(behind).take(LINES_LOOKED_AT);
        let (lines, boundary) = near.enumerate().find(|(_, boundary)| **boundary <= BoundaryLevel::Sentence)?;
        if *boundary != BoundaryLevel::Sentence {
            return None;
        }
        // A boundary stands before the comments of what begins.
        let first = LineNumber::from_index(behind + lines);
        let last = LineNumber::from_index(behind + lines + LINES_LOOKED_AT);
        let next = self.reading.statements_on(LineRange::spanning(first, last)).next()?;
        Some(parsed.statements[next].lines.start())
    }

    /// Returns whether the condition of a WHEN may be true where that of an earlier one is, as far as constants show: only the
    /// first of them counts.
    fn may_hold_beside_earlier(&self, branch: usize) -> bool {
        let reading = self.reading;
        let owner = reading.parsed.branches[branch].statement;
        let condition = |branch: usize| reading.decisions.condition(branch);
        let earlier = reading.branches_of(owner).iter().take_while(|earlier| **earlier != branch);
        let Some(own) = condition(branch) else { return false };
        let excludes =
            |earlier: &Condition| reading.decisions.excludes(earlier, own, reading.parsed.statements[owner].program);
        let mut earlier = earlier.take(CASES_COMPARED + 1).enumerate();
        earlier.any(|(at, earlier)| at == CASES_COMPARED || !condition(*earlier).is_some_and(excludes))
    }

    /// Words the condition that opens a branch, without its end.
    fn heading(&self, branch: usize) -> (StepCondition, String) {
        let parsed = self.reading.parsed;
        let found = &parsed.branches[branch];
        let owner = &parsed.statements[found.statement];
        let asked = self.reading.decisions.condition(branch);
        let asked = asked.map(|asked| self.wording(owner.program, WHOLE).tell(asked, WHOLE));
        use StepCondition::{If, Otherwise, When};
        match (found.kind, asked) {
            (BranchKind::If, Some(asked)) => (If, format!("if {asked}")),
            (BranchKind::Else, _) => (Otherwise, "otherwise".to_owned()),
            (BranchKind::When, Some(asked)) if owner.verb == Verb::Search => (If, format!("where {asked}")),
            (BranchKind::When, Some(asked)) if self.may_hold_beside_earlier(branch) => {
                (Otherwise, format!("otherwise, when {asked}"))
            }
            (BranchKind::When, Some(asked)) => (When, format!("when {asked}")),
            (BranchKind::When, None) => (Otherwise, "in any other case".to_owned()),
            (BranchKind::If, None) => (If, format!("if {}", in_words(parsed.condition(found)))),
            (BranchKind::Phrase | BranchKind::Loop, _) => {
                let words = in_words(parsed.condition(found));
                let is_at = ["at ", "on ", "not at ", "not on "].iter().any(|begins| words.starts_with(begins));
                (If, if is_at { words } else { format!("on {words}") })
            }
        }
    }

    /// Words what a DISPLAY shows; the frame around a text is left out.
    fn displayed(&self, index: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let found = &parsed.statements[index];
        let operands = || parsed.operands(found);
        let shown = operands().filter(|operand| operand.kind() == OperandKind::Name);
        let names: Vec<&str> = shown.filter(|operand| is_plain(*operand)).map(|operand| operand.name()).collect();
        Some(self.with_values(self.phrase_in_full(index)?, names.into_iter(), found.program))
    }

    /// Words statements of one kind; none if they have no effect.
    fn in_full(&self, statements: &[usize]) -> Option<String> {
        let parsed = self.reading.parsed;
        let first = *statements.first()?;
        let found = &parsed.statements[first];
        let behind = parsed.words_after_verb(found);
        Some(match found.verb {
            Verb::Move | Verb::Set | Verb::Initialize => self.assignments(statements, true),
            Verb::Perform if self.reading.branches_of(first).is_empty() && !behind.is_empty() => {
                let told = statements.iter().map(|index| match self.performed(*index, WHOLE) {
                    (name, None) => name,
                    (name, Some(repeated)) => format!("{name} {repeated}"),
                });
                format!("performs {}", list(&told.collect::<Vec<_>>()))
            }
            Verb::Perform => {
                let branch = self.reading.branches_of(first).first();
                let words = branch.map_or(behind, |branch| parsed.condition(&parsed.branches[*branch]));
                let repeats = format!("repeats {}", self.repeated(words, found.program, WHOLE));
                let mut missing = found.paragraph.into_iter().flat_map(|paragraph| self.missing_copies(paragraph));
                let is_empty = branch.is_some_and(|branch| self.is_idle(*branch))
                    && !missing.any(|copy| found.lines.contains(copy.lines.start()));
                format!("{}{}", repeats.trim_end(), if is_empty { ", with nothing in the loop" } else { ":" })
            }
            // Of SEARCH ALL the table is in order.
            Verb::Search if behind.has("ALL") => format!("searches the ordered table {}", in_words(behind.from(1))),
            Verb::Search => format!("searches {}", in_words(behind)),
            Verb::Exec => self.exec_in_words(found.exec.map(|exec| &parsed.execs[exec])?),
            Verb::Call => self.call_in_full(first),
            Verb::Macro => {
                let given = statements.iter().map(|index| given_to_macro(parsed, &parsed.statements[*index]));
                format!("runs the macro {}{}", parsed.macro_name(found), given.collect::<Vec<_>>().join(", then"))
            }
            Verb::String => match strung(parsed, found) {
                Some((parts, into)) => format!("builds {into} from {}", parts.join(", ")),
                None => format!("puts together {}", in_words(behind)),
            },
            Verb::Go => self.jump(first, WHOLE),
            Verb::Next => match self.next_sentence(found) {
                Some(line) => format!("goes on with the next sentence (line {line})"),
                None => "goes on with the next sentence".to_owned(),
            },
            Verb::Exit if !behind.is_empty() => match self.left(first) {
                Some(left) => left,
                None => self.phrase_in_full(first)?,
            },
            Verb::Display => {
                let is_shown = |index: &&usize| !is_ornament(parsed, &parsed.statements[**index]);
                let shown = statements.iter().filter(is_shown).filter_map(|index| self.displayed(*index));
                let shown: Vec<String> = shown.map(|text| without_frame(&text)).collect();
                let is_blank = |index: &usize| is_blank_line(parsed, &parsed.statements[*index]);
                match (statements, shown.as_slice()) {
                    ([one], _) if is_blank(one) => "displays a blank line".to_owned(),
                    ([one], _) => self.displayed(*one)?,
                    (_, []) => {
                        let signs = statements.iter().filter(|index| !is_blank(index)).count();
                        format!("displays {} of signs", count(signs, "line"))
                    }
                    _ => format!("displays in a frame: {}", shown.join("; ")),
                }
            }
            _ => match figure_in_words(parsed, found, WHOLE) {
                Some(figure) => figure,
                None => self.phrase_in_full(first)?,
            },
        })
    }

    /// Words an EXEC block, with the value of an item that always holds the same name of a resource.
    fn exec_in_words(&self, exec: &ExecBlock) -> String {
        if let Some(operation) = self.reading.dli_of(exec.lines).next().filter(|_| exec.kind == ExecKind::Dli) {
            return done(operation);
        }
        let words = exec_in_full(exec);
        if exec.kind != ExecKind::Cics {
            return words;
        }
        let sent = exec.option("FROM").filter(|_| exec.command.starts_with("SEND"));
        self.with_values(words, exec.resource.as_deref().into_iter().chain(sent), exec.program)
    }

    /// Adds to the names of items that always hold one value this value. The words have the names as they are written, in upper or lower case, and in
    /// this order.
    fn with_values<'n>(&self, words: String, names: impl Iterator<Item = &'n str>, program: Option<usize>) -> String {
        let (mut told, mut rest) = (String::new(), words.as_str());
        for name in names {
            let Some(end) = end_of_word(rest, name) else { continue };
            told.push_str(&rest[..end]);
            rest = &rest[end..];
            let Some(value) = self.reading.decisions.constant(name, program) else { continue };
            let literal = ['\'', '"'].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
            let text = literal.unwrap_or(value).trim();
            if text.chars().count() <= LONGEST_VALUE {
                // A number has no quotes.
                let shown = if literal.is_some() { format!(" ('{text}')") } else { format!(" ({text})") };
                told.push_str(&shown);
            }
        }
        told + rest
    }

    fn call_in_full(&self, statement: usize) -> String {
        let Some(call) = self.reading.call(statement) else { return "calls a program".to_owned() };
        let name = match (call.kind, call.candidates.as_ref()) {
            (CallKind::Static, _) => call.shown().to_owned(),
            (_, [(only, _)]) if self.only_program(call).is_some() => format!("{only} (named in {})", call.target),
            _ => match candidates_named(call, |name, _| name.to_owned()).as_slice() {
                [] => format!("the program that {} names", call.target),
                names => format!("the program that {} names ({})", call.target, names.join(", ")),
            },
        };
        let parsed = self.reading.parsed;
        let own = || parsed.operands(&parsed.statements[statement]).filter(|operand| !operand.is_inner());
        let with: Vec<String> = own()
            .filter_map(|operand| match operand.phrase() {
                OperandPhrase::Using => Some(in_words(operand.words())),
                OperandPhrase::Content => Some(format!("{} by content", in_words(operand.words()))),
                OperandPhrase::Value => Some(format!("{} by value", in_words(operand.words()))),
                _ => None,
            })
            .collect();
        let with = if with.is_empty() { String::new() } else { format!(" with {}", with.join(", ")) };
        let returned = own().find(|operand| operand.phrase() == OperandPhrase::Returning);
        let into = returned.map(|item| format!(", which returns {}", in_words(item.words())));
        format!("calls {name}{with}{}", into.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
