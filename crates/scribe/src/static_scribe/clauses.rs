//! Describes a run of statements in clauses.
//!
//! A sentence about a paragraph describes its external effects: files, programs, screens, tables, other paragraphs, and the conditions
//! of these. Assignments are described by the items they set, and only as many as a reader can take in.

use super::StaticWriter;
use super::conditions::SHORT;
use super::frames::is_ornament;
use super::phrase_runs::PhraseRuns;
use crate::phrases::{count, exec_phrase, in_few_words, in_words, list, shorten_to, statement};
use war_rig_cobol::{
    BranchKind, ExecBlock, ExecKind, OperandPhrase, OperandRole, OperationStatus, ProgramExit, Verb, assigned_items,
};
use war_rig_template::PerformedEnd;

/// Detail and condition depth, from the fullest description to the shortest.
const TELLINGS: &[(Detail, usize)] = &[
    (Detail::Everything, 4),
    (Detail::Reaching, 4),
    (Detail::Reaching, 3),
    (Detail::Reaching, 2),
    (Detail::Reaching, 1),
    (Detail::Everything, 2),
    (Detail::Everything, 1),
];

/// The maximum length of a paragraph's sentence in full detail, in characters.
pub(super) const SENTENCE: usize = 560;

/// How many clauses a condition may contain.
const CLAUSES_WITHIN: usize = 4;

/// How many cases of an EVALUATE are described.
const CASES: usize = 4;

/// How many items an assignment names; more are counted.
const ITEMS_NAMED: usize = 4;

/// The maximum length of a single clause, in characters.
const LONGEST: usize = 140;

/// How many statements are searched for an external effect; beyond that, one is assumed.
const LOOKED_AT: usize = 100;

/// The detail of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// Only external effects.
    Reaching,
    /// Assignments too.
    Everything,
}

/// A part of a sentence, before equal neighbors are joined.
enum SentenceClause {
    Performs(String),
    Sets(usize),
    Text(String),
}

impl<'a> StaticWriter<'_, 'a> {
    /// Describes statements clause by clause: the fullest description that is short enough to read.
    pub(super) fn story(&self, statements: &[usize], longest: usize) -> Vec<String> {
        let mut shortest: Option<(usize, Vec<String>)> = None;
        for (detail, deepest) in TELLINGS {
            let told = self.tell(statements, *detail, *deepest);
            let length: usize = told.iter().map(|clause| clause.chars().count() + 2).sum();
            if !told.is_empty() && shortest.as_ref().is_none_or(|(known, _)| length < *known) {
                shortest = Some((length, told));
                if length <= longest {
                    break;
                }
            }
        }
        shortest.map(|(_, told)| told).unwrap_or_default()
    }

    /// `depth` is how many more levels of nested conditions are followed.
    fn tell(&self, statements: &[usize], detail: Detail, depth: usize) -> Vec<String> {
        let clauses = statements.iter().filter_map(|index| self.clause(*index, detail, depth));
        let mut told = PhraseRuns::default();
        let (mut performs, mut sets): (Vec<String>, Vec<usize>) = (Vec::new(), Vec::new());
        for clause in clauses {
            match clause {
                SentenceClause::Performs(name) => {
                    self.flush_sets(&mut sets, &mut told);
                    performs.push(name);
                }
                SentenceClause::Sets(index) => {
                    flush_performs(&mut performs, &mut told);
                    sets.push(index);
                }
                SentenceClause::Text(text) => {
                    flush_performs(&mut performs, &mut told);
                    self.flush_sets(&mut sets, &mut told);
                    told.push(text, 1);
                }
            }
        }
        flush_performs(&mut performs, &mut told);
        self.flush_sets(&mut sets, &mut told);
        told.in_words()
    }

    fn clause(&self, index: usize, detail: Detail, depth: usize) -> Option<SentenceClause> {
        let parsed = self.reading.parsed;
        let found = &parsed.statements[index];
        let says = |text: String| Some(SentenceClause::Text(text));
        match found.verb {
            Verb::Move | Verb::Set | Verb::Initialize => {
                let told = detail == Detail::Everything && !self.notes_a_status(index);
                told.then_some(SentenceClause::Sets(index))
            }
            Verb::Add | Verb::Subtract | Verb::Multiply | Verb::Divide | Verb::Inspect | Verb::Display
                if detail == Detail::Reaching =>
            {
                None
            }
            Verb::Display if is_ornament(parsed, found) => None,
            Verb::If => self.choice(index, detail, depth).map(SentenceClause::Text),
            Verb::Evaluate => self.cases(index, detail, depth).map(SentenceClause::Text),
            Verb::Perform
                if !self.reading.branches_of(index).is_empty() || parsed.words_after_verb(found).is_empty() =>
            {
                self.repetition(index, detail, depth).map(SentenceClause::Text)
            }
            Verb::Perform => Some(match self.performed(index, SHORT) {
                (name, None) => SentenceClause::Performs(name),
                (name, Some(repeated)) => SentenceClause::Text(format!("performs {name} {repeated}")),
            }),
            Verb::Exec => says(exec_phrase(&parsed.execs[found.exec?])),
            Verb::Go => says(self.jump(index, LONGEST)),
            _ => {
                let phrase = self.phrase(index)?;
                let mut parts = vec![shorten_to(&phrase, LONGEST)];
                parts.extend(self.phrases_of(index, detail, depth));
                says(parts.join(", "))
            }
        }
    }

    /// Describes IF: what happens if it is true, and otherwise. A test of a status describes the consequences of failure.
    fn choice(&self, index: usize, detail: Detail, depth: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let branches = self.reading.branches_of(index);
        let then = *branches.first()?;
        let inner = |branch: usize| self.within(branch, detail, depth);
        let (done, otherwise) = (inner(then), branches.get(1).and_then(|branch| inner(*branch)));
        let outcome = self.reading.outcomes.of_branch(then);
        if let Some(outcome) = outcome {
            let second = branches.get(1).copied();
            let parts = [
                (Some((then, outcome)), done),
                (second.and_then(|at| Some((at, self.reading.outcomes.of_branch(at)?))), otherwise),
            ];
            let told = parts.into_iter().filter_map(|(branch, done)| {
                let (branch, outcome) = branch?;
                Some(self.after(branch, outcome, &done?))
            });
            let parts: Vec<String> = told.collect();
            return (!parts.is_empty()).then(|| parts.join(", "));
        }
        let condition = self.condition(&parsed.branches[then], SHORT);
        match (done, otherwise) {
            // `otherwise` would seem to belong to the inner condition.
            (Some(done), Some(otherwise)) if is_conditional(&done) => {
                Some(format!("if {condition}, ({done}), otherwise {otherwise}"))
            }
            (Some(done), Some(otherwise)) => Some(format!("if {condition}, {done}, otherwise {otherwise}")),
            // A condition directly inside another is joined to it.
            (Some(done), None) => {
                match done.strip_prefix("if ").filter(|inner| !inner.contains(" if ") && !inner.contains("otherwise")) {
                    Some(inner) => Some(format!("if {condition} and {inner}")),
                    None => Some(format!("if {condition}, {done}")),
                }
            }
            (None, Some(otherwise)) => {
                let condition = self.condition(&parsed.branches[*branches.get(1)?], SHORT);
                Some(format!("if {condition}, {otherwise}"))
            }
            (None, None) => None,
        }
    }

    /// Describes EVALUATE: the cases that have an effect.
    fn cases(&self, index: usize, detail: Detail, depth: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let found = &parsed.statements[index];
        let subject = parsed.words_after_verb(found);
        let is_true = subject.len() == 1 && subject.has("TRUE");
        let mut told = Vec::new();
        for branch in self.reading.branches_of(index) {
            let Some(done) = self.within(*branch, detail, depth) else { continue };
            let (at, outcome) = (*branch, self.reading.outcomes.of_branch(*branch));
            let branch = &parsed.branches[at];
            let other = parsed.is_when_other(branch);
            match outcome {
                Some(OperationStatus::Success) => {
                    told.push(self.after(at, OperationStatus::Success, &done));
                    continue;
                }
                Some(outcome) if other => {
                    told.push(match told.is_empty() {
                        true => self.after(at, outcome, &done),
                        false => format!("on any other failure {done}"),
                    });
                    continue;
                }
                _ => {}
            }
            told.push(match (other, is_true) {
                (true, _) => format!("else {done}"),
                (false, true) => format!("if {}, {done}", self.condition(branch, SHORT)),
                (false, false) => {
                    format!("for {} {done}", in_few_words(parsed.condition(branch), SHORT))
                }
            });
        }
        if told.is_empty() {
            return None;
        }
        let more = told.len().saturating_sub(CASES);
        told.truncate(CASES);
        if more > 0 {
            told.push(count(more, "more case"));
        }
        let told = told.join(", ");
        Some(match is_true || told.starts_with("on ") || told.starts_with("when that ") {
            true => told,
            false => format!("by {}: {told}", in_few_words(subject, SHORT)),
        })
    }

    /// Describes an inline PERFORM. It is not a condition, but directly inside another one it counts as a level, so the recursion ends.
    fn repetition(&self, index: usize, detail: Detail, depth: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let is_loop = |branch: usize| parsed.branches[branch].kind == BranchKind::Loop;
        let depth = depth + usize::from(!parsed.statements[index].branch.is_some_and(is_loop));
        let branch = self.reading.branches_of(index).first().copied();
        let done = branch.and_then(|branch| self.within(branch, detail, depth))?;
        let until = branch.map(|branch| self.condition(&parsed.branches[branch], SHORT));
        let until = until.filter(|until| !until.is_empty()).map(|until| format!(" {until}"));
        Some(format!("repeats{}: {done}", until.unwrap_or_default()))
    }

    /// Describes AT END, INVALID KEY and similar phrases of another statement.
    fn phrases_of(&self, index: usize, detail: Detail, depth: usize) -> Vec<String> {
        let parsed = self.reading.parsed;
        let told = self.reading.branches_of(index).iter().filter_map(|branch| {
            let done = self.within(*branch, detail, depth)?;
            let kind = parsed.branches[*branch].kind;
            Some(match self.reading.outcomes.of_branch(*branch) {
                Some(outcome) => self.after(*branch, outcome, &done),
                None if kind == BranchKind::When => format!("where found {done}"),
                None => format!("on {} {done}", in_words(parsed.condition(&parsed.branches[*branch]))),
            })
        });
        told.collect()
    }

    /// Describes what happens after this outcome of a branch's operation. A description that already names the outcome does not repeat it.
    fn after(&self, branch: usize, outcome: OperationStatus, done: &str) -> String {
        let parsed = self.reading.parsed;
        let operation = self.reading.outcomes.checked_operation(branch);
        let exec = operation.and_then(|at| parsed.statements[at].exec).map(|at| &parsed.execs[at]);
        let finds_rows = |exec: &ExecBlock| exec.kind == ExecKind::Sql && exec.command != "FETCH";
        let manner = match outcome {
            OperationStatus::Success => "when that succeeds",
            OperationStatus::EndOfData if exec.is_some_and(finds_rows) => "where no row is found",
            OperationStatus::EndOfData => "at the end of the data",
            OperationStatus::Failure => "on failure",
        };
        match MANNERS.iter().any(|known| done.starts_with(known)) {
            true => done.to_owned(),
            false => format!("{manner} {done}"),
        }
    }

    /// Describes a branch as one clause; none if there is nothing to describe.
    fn within(&self, branch: usize, detail: Detail, depth: usize) -> Option<String> {
        let under = self.reading.under(branch);
        let Some(depth) = depth.checked_sub(1) else {
            // If it is too deep to describe, only note that there is something.
            return under.iter().any(|index| self.reaches_out(*index)).then(|| DEEPER.to_owned());
        };
        let mut told = self.tell(under, detail, depth);
        if told.len() > CLAUSES_WITHIN + 1 {
            told = keep_telling(told, CLAUSES_WITHIN, |_| false, |_| 1, |more| format!("does {more} more things"));
        }
        // A clause after a nested condition would seem to depend on it.
        let last = told.len().saturating_sub(1);
        for clause in told.iter_mut().take(last).filter(|clause| is_conditional(clause)) {
            *clause = format!("({clause})");
        }
        (!told.is_empty()).then(|| list(&told))
    }

    /// Whether a statement, or one directly under its conditions, has an effect outside the paragraph.
    fn reaches_out(&self, index: usize) -> bool {
        let is_inner = |verb: Verb| {
            use Verb::{Continue, Evaluate, If, Initialize, Move, Next, Set};
            matches!(verb, Move | Set | Initialize | Continue | Next | If | Evaluate)
        };
        let mut open = vec![index];
        for _ in 0..LOOKED_AT {
            let Some(index) = open.pop() else { return false };
            if !is_inner(self.reading.parsed.statements[index].verb) {
                return true;
            }
            let under = self.reading.branches_of(index).iter().flat_map(|branch| self.reading.under(*branch));
            open.extend(under.take(LOOKED_AT));
        }
        true
    }

    /// Returns the label of PERFORM and how it is repeated. It omits an exit label that only ends what the first label begins, and notes a label
    /// that always ends the program.
    pub(super) fn performed(&self, statement: usize, longest: usize) -> (String, Option<String>) {
        let parsed = self.reading.parsed;
        let found = &parsed.statements[statement];
        let label = |phrase: OperandPhrase| {
            parsed.operands(found).find(|label| label.role() == OperandRole::Label && label.phrase() == phrase)
        };
        let (first, last) = (label(OperandPhrase::First), label(OperandPhrase::Through));
        let rest = parsed.words(found).from(last.or(first).map_or(1, |label| label.end()));
        let mut told = first.map(|label| label.name().to_uppercase()).unwrap_or_default();
        if let Some(last) = last.filter(|_| self.is_range(statement)) {
            told = format!("{told} to {}", last.name().to_uppercase());
        }
        let repeated = (!rest.is_empty()).then(|| self.repeated(rest, found.program, longest));
        (format!("{told}{}", exit_in_words(self.performed_exit(statement))), repeated)
    }

    /// Returns whether what a PERFORM THRU runs behind its first paragraph does anything.
    fn is_range(&self, statement: usize) -> bool {
        let span = self.reading.led_to.get(&statement);
        span.is_none_or(|(first, last)| (first + 1..=*last).any(|index| !self.reading.flow.is_label_only(index)))
    }

    /// Returns how the paragraph that a PERFORM enters ends the program, if it always does.
    pub(super) fn performed_exit(&self, statement: usize) -> Option<ProgramExit> {
        self.reading.led_to.get(&statement).and_then(|(first, _)| self.reading.flow.program_exit(*first))
    }

    /// Whether a statement leads once to a paragraph that always abends or stops the run.
    pub(super) fn leads_to_end(&self, statement: usize) -> bool {
        let exit = match self.reading.parsed.statements[statement].verb {
            Verb::Perform if self.performed(statement, LONGEST).1.is_none() => self.performed_exit(statement),
            Verb::Go => self.jump_exit(statement),
            _ => None,
        };
        matches!(exit, Some(ProgramExit::Abends | ProgramExit::StopsRun))
    }

    /// Returns how the paragraph ends the program that a GO TO with one label leads to, if it always does.
    fn jump_exit(&self, statement: usize) -> Option<ProgramExit> {
        let (flow, (first, last)) = (self.reading.flow, *self.reading.led_to.get(&statement)?);
        let into = flow.jump_target(statement, first).map_or(first, |target| target.into);
        let does_more = into != first || (first..=last).any(|index| !flow.is_label_only(index));
        let is_certain =
            !self.reading.parsed.words_after_verb(&self.reading.parsed.statements[statement]).has("DEPENDING");
        flow.certain_exit(into).filter(|_| does_more && is_certain)
    }

    /// Describes GO TO: a jump to a label that only ends a range leaves the paragraph.
    pub(super) fn jump(&self, statement: usize, longest: usize) -> String {
        let words = self.reading.parsed.words_after_verb(&self.reading.parsed.statements[statement]);
        let words = words.from(usize::from(words.first().is_some_and(|first| first.is("TO"))));
        if words.has("DEPENDING") {
            return shorten_to(&self.jump_by_number(statement), longest);
        }
        let label = words.text().to_uppercase();
        let (flow, span) = (self.reading.flow, self.reading.led_to.get(&statement));
        let target = span.and_then(|(first, _)| flow.jump_target(statement, *first).filter(|to| to.into != *first));
        let exit = exit_in_words(self.jump_exit(statement));
        if let Some(target) = target {
            let into = self.reading.parsed.paragraphs[target.into].name.to_uppercase();
            return format!("goes to {label} and on into {into}{exit}");
        }
        if span.is_some_and(|(first, last)| (*first..=*last).all(|index| flow.is_label_only(index))) {
            return format!("leaves (GO TO {label})");
        }
        format!("goes to {label}{exit}")
    }

    /// Describes GO TO DEPENDING ON: `goes to A, B or C as CODE is 1, 2 or 3, and otherwise goes on`.
    fn jump_by_number(&self, statement: usize) -> String {
        let parsed = self.reading.parsed;
        let operands = || parsed.operands(&parsed.statements[statement]);
        let labels = operands().filter(|operand| operand.role() == OperandRole::Label);
        let labels: Vec<String> = labels.map(|label| label.name().to_uppercase()).collect();
        let numbers: Vec<String> = (1..=labels.len()).map(|number| number.to_string()).collect();
        let item = operands().find(|operand| operand.role() == OperandRole::Read && !operand.is_inner());
        let item = item.map(|item| in_words(item.words())).unwrap_or_default();
        format!("goes to {} as {item} is {}, and otherwise goes on", choice(&labels), choice(&numbers))
    }

    fn flush_sets(&self, sets: &mut Vec<usize>, told: &mut PhraseRuns) {
        if let Some(text) = self.sets(sets) {
            told.push(text, sets.len());
        }
        sets.clear();
    }

    /// Describes assignments by the items they set: one with its value, several by name, many by their records.
    pub(super) fn sets(&self, statements: &[usize]) -> Option<String> {
        let parsed = self.reading.parsed;
        if let [only] = statements {
            return statement(parsed, &parsed.statements[*only]).map(|phrase| shorten_to(&phrase, LONGEST));
        }
        let mut items: Vec<String> = Vec::new();
        for index in statements {
            for target in assigned_items(parsed, &parsed.statements[*index]) {
                if !items.contains(&target) {
                    items.push(target);
                }
            }
        }
        if items.len() <= ITEMS_NAMED {
            return (!items.is_empty()).then(|| format!("sets {}", list(&items)));
        }
        let mut records: Vec<(&str, usize)> = Vec::new();
        let mut others = Vec::new();
        for item in &items {
            match self.reading.record_of(item) {
                Some(record) => match records.iter_mut().find(|(known, _)| *known == record) {
                    Some((_, count)) => *count += 1,
                    None => records.push((record, 1)),
                },
                None => others.push(item.clone()),
            }
        }
        let mut parts: Vec<String> = Vec::new();
        for (record, count) in records {
            match count {
                1 => others.extend(items.iter().find(|item| self.reading.record_of(item) == Some(record)).cloned()),
                count => match others.iter().position(|other| other == record) {
                    Some(whole) => {
                        others.remove(whole);
                        parts.push(format!("{record} with {count} of its items"));
                    }
                    None => parts.push(format!("{count} items of {record}")),
                },
            }
        }
        let more = others.len().saturating_sub(ITEMS_NAMED);
        others.truncate(ITEMS_NAMED);
        parts.extend(others);
        if more > 0 {
            parts.push(format!("{more} more"));
        }
        Some(format!("sets {}", list(&parts)))
    }
}

/// Joins the items of a choice: `A, B or C`.
fn choice(items: &[String]) -> String {
    match items {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => items.concat(),
    }
}

/// Says how a paragraph that control goes to ends the program, if it always does.
fn exit_in_words(exit: Option<ProgramExit>) -> String {
    let end = exit.map(|exit| match exit {
        ProgramExit::Abends => PerformedEnd::Abends,
        ProgramExit::StopsRun => PerformedEnd::StopsRun,
        ProgramExit::Returns => PerformedEnd::Returns,
        ProgramExit::TransfersControl => PerformedEnd::TransfersControl,
    });
    end.map(|end| format!(" ({})", end.in_words())).unwrap_or_default()
}

/// Whether a clause contains its own condition.
fn is_conditional(clause: &str) -> bool {
    clause.starts_with("if ") || clause.contains(" if ") || clause.contains(", otherwise ")
}

/// Replaces statements that are nested deeper than is described.
const DEEPER: &str = "does more";

/// Verbs of clauses with effects outside the program, or that end it; these clauses are never only counted.
const TELLING: &[&str] = &[
    "abends", "backs", "calls", "closes", "commits", "deletes", "ends", "fetches", "gets", "inserts", "issues",
    "links", "locks", "merges", "opens", "passes", "performs", "reads", "receives", "releases", "returns", "rewrites",
    "rolls", "runs", "selects", "sends", "sorts", "starts", "updates", "writes",
];

/// Keeps this many clauses, all that describe external effects and all that must be told. Says in place of those that stand between them how many things
/// they tell, unless that is one; `tells` counts them.
pub(super) fn keep_telling(
    told: Vec<String>,
    most: usize,
    must_be_told: impl Fn(&str) -> bool,
    tells: impl Fn(&str) -> usize,
    gap: impl Fn(usize) -> String,
) -> Vec<String> {
    // Names and literals may have such words, too.
    let is_telling = |clause: &String| words_outside_literals(clause).any(|(_, word)| TELLING.contains(&word));
    let others = most.saturating_sub(told.iter().filter(|clause| is_telling(clause)).count());
    let mut kept = 0;
    let is_kept = |clause: &String| {
        let is_kept = is_telling(clause) || must_be_told(clause);
        kept += usize::from(!is_kept);
        is_kept || kept <= others
    };
    let kept: Vec<bool> = told.iter().map(is_kept).collect();
    let mut clauses = told.into_iter().zip(kept).peekable();
    let mut shown = Vec::new();
    while let Some((clause, is_kept)) = clauses.next() {
        if is_kept {
            shown.push(clause);
            continue;
        }
        let mut left_out = tells(&clause);
        while let Some((clause, _)) = clauses.next_if(|(_, is_kept)| !is_kept) {
            left_out += tells(&clause);
        }
        shown.push(if left_out == 1 { clause } else { gap(left_out) });
    }
    shown
}

/// Returns the words of a text that stand in no literal, each with where it begins, in bytes.
pub(super) fn words_outside_literals(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
    let (mut begins, mut quote) = (None, None);
    let letters = text.char_indices().chain(std::iter::once((text.len(), ' ')));
    letters.filter_map(move |(at, letter)| {
        match quote {
            Some(open) => quote = (open != letter).then_some(open),
            None if is_word(letter) => _ = begins.get_or_insert(at),
            // An apostrophe in a word of ours begins no literal.
            None => quote = (matches!(letter, '\'' | '"') && begins.is_none()).then_some(letter),
        }
        let ends = quote.is_some() || !is_word(letter);
        begins.take_if(|_| ends).map(|begin| (begin, &text[begin..at]))
    })
}

/// How an operation ended, as an introduction to what happens then.
const MANNERS: &[&str] = &["when that succeeds", "where no row is found", "at the end of the data", "on failure"];

fn flush_performs(performs: &mut Vec<String>, told: &mut PhraseRuns) {
    if !performs.is_empty() {
        told.push(format!("performs {}", list(performs)), performs.len());
        performs.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::words_outside_literals;

    #[test]
    fn a_literal_has_no_words_of_ours() {
        let words = |text| words_outside_literals(text).map(|(_, word)| word).collect::<Vec<_>>();
        assert_eq!(words("if X is \"IT'S\", calls 'FOO BAR'"), ["if", "X", "is", "calls"]);
        assert_eq!(words("CUSTOMER's item reads A-1"), ["CUSTOMER", "s", "item", "reads", "A-1"]);
        assert_eq!(words("displays 'says \"no' then ends"), ["displays", "then", "ends"]);
    }
}
