//! What the caller or a user sees of a decision or a paragraph: a return code, a message, an abend.

use super::StaticWriter;
use crate::phrases::{in_words, shorten_to};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use war_rig_cobol::{
    Analysis, AssignedConstant, CodeText, ExecKind, ItemUse, LabelReference, OperandPhrase, Overwriting, ProgramExit,
    ReferenceKind, ReportFate, Verb,
};
use war_rig_text::LineNumber;

/// The maximum length of a reported value, in characters.
const LONGEST: usize = 120;

/// What is said of an outcome behind a check under the same condition that leaves.
const UNLESS_LEFT: &str = " (unless a check before it leaves)";

/// How many statements before an abend are searched for its code.
const LOOKED_AT: usize = 40;

/// What the statements and paragraphs of a source report.
#[derive(Debug)]
pub(super) struct Reports<'a> {
    /// What statements report, without what is always replaced before it is seen.
    of_statement: HashMap<usize, Vec<AssignedConstant<'a>>>,
    /// The items of reports of a statement that are replaced before they are seen, with the line if that is so on some ways only.
    replaced: HashMap<usize, Vec<(String, Option<LineNumber>)>>,
    /// The statements behind whose reports the program abends before anybody sees them, with the first and the last statement of an abend.
    abends: HashMap<usize, (usize, usize)>,
    /// The statements whose reports nobody sees where HANDLE leads to their paragraph.
    lost_in_handlers: HashSet<usize>,
    /// What each paragraph reports whenever it runs.
    always: HashMap<usize, Vec<AssignedConstant<'a>>>,
}

impl<'a> Reports<'a> {
    /// Collects them, given the statements of each paragraph that stand under no condition.
    pub(super) fn of(analysis: &'a Analysis, of_paragraph: &[Vec<usize>]) -> Self {
        let (parsed, decisions, reported) = (analysis.parsed(), analysis.decisions(), analysis.reported_items());
        let mut found = Self {
            of_statement: HashMap::new(),
            replaced: HashMap::new(),
            abends: HashMap::new(),
            lost_in_handlers: HashSet::new(),
            always: HashMap::new(),
        };
        let flow = analysis.control_flow();
        let statements = parsed.statements.iter().enumerate();
        let statements = statements.filter(|(index, _)| !reported.is_heading(*index) && !flow.never_runs(*index));
        let reports = statements.map(|(index, statement)| (index, reported.of_statement(parsed, decisions, statement)));
        let mut reports = reports.filter(|(_, reports)| !reports.is_empty()).peekable();
        if reports.peek().is_none() {
            return found;
        }
        let overwriting = Overwriting::of(analysis);
        let handlers = handlers(analysis);
        for (index, mut reports) in reports {
            reports.retain(|report| {
                let (is_kept, line) = match overwriting.fate(index, report) {
                    ReportFate::Lasts => return true,
                    ReportFate::NeverShown => return false,
                    ReportFate::Abends(first, last) => {
                        found.abends.insert(index, (first, last));
                        return false;
                    }
                    ReportFate::IsReplaced => (false, None),
                    ReportFate::MayBeReplaced(line) => (true, Some(line)),
                };
                found.replaced.entry(index).or_default().push((report.item.clone(), line));
                is_kept
            });
            let is_lost = |report: &AssignedConstant<'_>| overwriting.is_lost_in_handler(index, report);
            let paragraph = parsed.statements[index].paragraph;
            if paragraph.is_some_and(|paragraph| handlers.contains(&paragraph)) && reports.iter().any(is_lost) {
                found.lost_in_handlers.insert(index);
            }
            if !reports.is_empty() {
                found.of_statement.insert(index, reports);
            }
        }
        for (paragraph, statements) in of_paragraph.iter().enumerate() {
            let before = statements.iter().position(|index| flow.may_leave(*index)).unwrap_or(statements.len());
            let reports = found.last_of(&statements[..before]);
            if !reports.is_empty() {
                found.always.insert(paragraph, reports);
            }
        }
        found
    }

    /// Returns the reports of these statements that are replaced before they are seen, or may be.
    fn replaced<'r>(&'r self, statements: &'r [usize]) -> impl Iterator<Item = &'r (String, Option<LineNumber>)> {
        statements.iter().filter_map(|index| self.replaced.get(index)).flatten()
    }

    /// Returns where what these statements report may be replaced before it is seen, if that is so for all of it.
    pub(super) fn all_replaced(&self, statements: &[usize]) -> Option<LineNumber> {
        let count = statements.iter().filter_map(|index| self.of_statement.get(index)).flatten().count();
        let lines: Vec<LineNumber> = self.replaced(statements).filter_map(|(_, line)| *line).collect();
        lines.iter().min().copied().filter(|_| lines.len() == count)
    }

    /// Returns whether nobody sees what one of these statements reports where HANDLE leads to their paragraph.
    pub(super) fn are_lost_in_handler(&self, statements: &[usize]) -> bool {
        statements.iter().any(|index| self.lost_in_handlers.contains(index))
    }

    /// Returns whether a caller or a user sees what a statement sets, or would if the program did not abend.
    pub(super) fn has(&self, statement: usize) -> bool {
        self.of_statement.contains_key(&statement) || self.abends.contains_key(&statement)
    }

    /// Returns what is seen after these statements under no condition: what each item holds at last.
    fn last_of(&self, statements: &[usize]) -> Vec<AssignedConstant<'a>> {
        let mut seen = Vec::new();
        for report in statements.iter().filter_map(|index| self.of_statement.get(index)).flatten() {
            see(&mut seen, report);
        }
        seen
    }
}

/// Returns the paragraphs that the HANDLE commands of CICS name.
fn handlers(analysis: &Analysis) -> HashSet<usize> {
    let (parsed, flow) = (analysis.parsed(), analysis.control_flow());
    let is_handler = |reference: &LabelReference| {
        let exec = reference.statement.and_then(|statement| parsed.statements[statement].exec);
        reference.kind == ReferenceKind::Handle && exec.is_some_and(|exec| parsed.execs[exec].kind == ExecKind::Cics)
    };
    let references = parsed.references.iter().enumerate().filter(|(_, reference)| is_handler(reference));
    references.filter_map(|(index, _)| Some(flow.reference_span(index)?.0)).collect()
}

/// Adds a report in place of the one about the same item.
fn see<'a>(seen: &mut Vec<AssignedConstant<'a>>, report: &AssignedConstant<'a>) {
    seen.retain(|before| before.item != report.item);
    seen.push(report.clone());
}

impl StaticWriter<'_, '_> {
    /// Returns what the statements under a branch report, and those under its ELSE: `A-CODE '04'; abend 'LGCA'`. None if nobody sees
    /// anything.
    pub(super) fn outcome(&self, branch: usize, otherwise: Option<usize>) -> Option<String> {
        let mut seen = self.seen_of(branch, false);
        let other = otherwise.map(|other| self.seen_of(other, false)).unwrap_or_default();
        seen.extend(other.into_iter().map(|words| format!("otherwise {words}")));
        (!seen.is_empty()).then(|| seen.join("; "))
    }

    /// Whether a paragraph ends a program that talks to nobody: an online program ends each task so.
    fn ends_the_run(&self, paragraph: usize) -> bool {
        let parsed = self.reading.parsed;
        let is_online = || parsed.execs.iter().any(|exec| exec.kind == ExecKind::Cics);
        match self.reading.flow.certain_exit(paragraph) {
            Some(ProgramExit::Abends | ProgramExit::StopsRun) => true,
            Some(ProgramExit::Returns) => !is_online(),
            Some(ProgramExit::TransfersControl) | None => false,
        }
    }

    /// Returns what the handling of a failure reports, by itself or in a paragraph that it performs or goes to.
    pub(super) fn outcome_of_failure(&self, branch: usize) -> Option<String> {
        let seen = self.seen_of(branch, true);
        (!seen.is_empty()).then(|| seen.join("; "))
    }

    /// Returns what the paragraph reports to which a statement leads in case of a failure.
    pub(super) fn outcome_of_handler(&self, statement: usize) -> Option<String> {
        let always = self.reading.reports.always.get(&self.paragraph_led_to(statement)?)?;
        Some(always.iter().map(reported).collect::<Vec<_>>().join("; "))
    }

    fn seen_of(&self, branch: usize, is_failure: bool) -> Vec<String> {
        let reports = &self.reading.reports;
        let mut seen = Vec::new();
        let mut left_before: Vec<String> = Vec::new();
        let done = self.done_by(branch);
        let first_exit = done.iter().position(|index| self.reading.flow.may_leave(*index)).unwrap_or(done.len());
        // Nobody sees what an abend leaves behind.
        if let Some(abend) = done.iter().find_map(|index| self.abend(*index)) {
            return vec![abend];
        }
        let later_abend = done.iter().find_map(|index| self.later_abend(*index));
        for (at, index) in done.into_iter().enumerate() {
            let led_to = self.paragraph_led_to(index).filter(|paragraph| is_failure || self.ends_the_run(*paragraph));
            let of_paragraph = led_to.and_then(|paragraph| reports.always.get(&paragraph));
            for report in reports.of_statement.get(&index).or(of_paragraph).into_iter().flatten() {
                see(&mut seen, report);
                left_before.retain(|item| *item != report.item);
                left_before.extend((at > first_exit).then(|| report.item.clone()));
            }
        }
        let told = seen.iter().map(|report| match left_before.contains(&report.item) {
            true => format!("{}{UNLESS_LEFT}", reported(report)),
            false => reported(report),
        });
        told.chain(later_abend).collect()
    }

    /// Adds to the effects under a branch which of its reports are replaced before they are seen.
    pub(super) fn with_replaced(&self, branch: usize, effects: String) -> String {
        let (done, reports) = (self.done_by(branch), &self.reading.reports);
        let is_reported = |name: &String| {
            let all = done.iter().filter_map(|index| reports.of_statement.get(index)).flatten();
            all.into_iter().any(|report| report.item == *name)
        };
        let mut told = vec![effects];
        for (item, line) in reports.replaced(&done) {
            let words = match line {
                Some(line) => format!("{item} may be overwritten later (line {line})"),
                // The branch itself replaces it.
                None if is_reported(item) => continue,
                None => format!("{item} is always overwritten later"),
            };
            if !told.contains(&words) {
                told.push(words);
            }
        }
        told.join("; ")
    }

    /// Returns what statements under no condition report; none if nobody sees anything.
    pub(super) fn outcome_of_all(&self, statements: &[usize]) -> Option<String> {
        let seen = self.reading.reports.last_of(statements);
        if let ([only], true) = (statements, seen.is_empty()) {
            // Others tell of the abend with what leads to it.
            let paragraph = self.reading.parsed.statements[*only].paragraph;
            return paragraph
                .filter(|paragraph| self.reading.handled.contains_key(paragraph))
                .and_then(|_| self.requested_abend(*only));
        }
        (!seen.is_empty()).then(|| seen.iter().map(reported).collect::<Vec<_>>().join("; "))
    }

    /// Returns the line of the first of these statements that reports something.
    pub(super) fn first_reporting(&self, statements: &[usize]) -> Option<LineNumber> {
        let first = statements.iter().find(|index| self.reading.reports.has(**index));
        first.map(|index| self.reading.parsed.statements[*index].lines.start())
    }

    /// Returns the paragraph that a PERFORM or GO TO leads to; of a label that does nothing, the one behind it that control goes on into.
    fn paragraph_led_to(&self, statement: usize) -> Option<usize> {
        let (first, _) = *self.reading.led_to.get(&statement)?;
        Some(self.reading.flow.jump_target(statement, first).map_or(first, |target| target.into))
    }

    /// Returns the abend in which a statement ends, with its code where the source shows it, and the paragraph that requests it.
    fn abend(&self, statement: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let found = &parsed.statements[statement];
        match found.verb {
            Verb::Perform | Verb::Go => {
                let paragraph = self.paragraph_led_to(statement)?;
                if self.reading.flow.program_exit(paragraph) != Some(ProgramExit::Abends) {
                    return None;
                }
                let near = self.reading.of_paragraph[paragraph].iter().rev().take(LOOKED_AT);
                let abend = near.into_iter().find_map(|index| self.requested_abend(*index));
                let name = &parsed.paragraphs[paragraph].name;
                Some(format!("{} in {name}", abend.unwrap_or_else(|| "abend".to_owned())))
            }
            _ => self.requested_abend(statement),
        }
    }

    /// Returns the abend that comes on every way behind what a statement reports, with its line.
    fn later_abend(&self, statement: usize) -> Option<String> {
        let (first, last) = *self.reading.reports.abends.get(&statement)?;
        let line = |statement: usize| self.reading.parsed.statements[statement].lines.start();
        let words = self.requested_abend(first).filter(|_| first == last).unwrap_or_else(|| "abend".to_owned());
        Some(match first == last {
            true => format!("{words} (line {})", line(first)),
            false => format!("{words} (lines {}-{})", line(first), line(last)),
        })
    }

    /// Returns the abend that a statement itself requests.
    fn requested_abend(&self, statement: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let found = &parsed.statements[statement];
        let code = match found.verb {
            Verb::Exec => {
                let exec = found.exec.map(|exec| &parsed.execs[exec])?;
                if exec.kind != ExecKind::Cics || exec.command != "ABEND" {
                    return None;
                }
                exec.option("ABCODE").map(str::to_owned)
            }
            Verb::Call if parsed.is_abend_call(found) => {
                let mut using = parsed.operands(found).filter(|operand| operand.phrase() == OperandPhrase::Using);
                using.next().and_then(|code| self.code_before(statement, code.name()))
            }
            _ => return None,
        };
        Some(code.map_or_else(|| "abend".to_owned(), |code| format!("abend {code}")))
    }

    /// Returns the constant that an item certainly holds at a statement: the one that its paragraph moves to it before, if nothing near sets it
    /// in another way since, or its VALUE if it never changes.
    fn code_before(&self, statement: usize, item: &str) -> Option<String> {
        let (parsed, decisions) = (self.reading.parsed, self.reading.decisions);
        let found = &parsed.statements[statement];
        if let Some(constant) = decisions.constant(item, found.program) {
            return Some(constant.to_owned());
        }
        let before = (0..statement).rev().take(LOOKED_AT);
        for index in before.take_while(|index| parsed.statements[*index].paragraph == found.paragraph) {
            let earlier = &parsed.statements[index];
            let assigned = decisions.assigned_constants(earlier);
            let is_set = |used: &&ItemUse| parsed.data_items[used.item()].name.eq_ignore_ascii_case(item);
            let uses = self.reading.effects.of_statement(index).iter().filter(|used| used.is_set());
            if uses.clone().any(|used| is_set(&used)) || earlier.verb == Verb::Perform {
                let moved = assigned.into_iter().find(|constant| constant.item.eq_ignore_ascii_case(item));
                return moved.filter(|_| earlier.branch == found.branch).map(|constant| constant.value);
            }
        }
        None
    }
}

/// Returns a report in words: `A-CODE '04' (A-GONE)`.
pub(super) fn reported(report: &AssignedConstant<'_>) -> String {
    let mut value = shorten_to(&in_words(CodeText::read(&report.value).words()), LONGEST);
    // A cut literal is closed, so that what follows is not taken for a part of it.
    for quote in ['\'', '"'] {
        if value.matches(quote).count() % 2 == 1 {
            value.push(quote);
        }
    }
    let name = report.condition_name.map(|name| format!(" ({name})"));
    format!("{} {value}{}", report.item, name.unwrap_or_default())
}
