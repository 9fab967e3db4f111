//! What follows from a decision, in words.

use super::conditions::SHORT;
use super::wording::Wording;
use super::{Writer, name_some};
use crate::phrases::{exec_phrase, in_words, is_constant, list, shorten, shorten_to, statement};
use std::collections::HashSet;
use war_rig_cobol::{BranchKind, Formula, Moved, Statement, moved, strung};

/// The longest condition or literal in an effect, in characters.
const LONGEST: usize = 200;

/// Assignments in a row that are named one by one; a longer row is told by what it sets.
const ASSIGNMENTS_NAMED: usize = 3;

/// A further IF is told with what stands before it if it is among so many statements.
const FOLDED_AMONG: usize = 5;

/// How many statements are given as written.
const WRITTEN: usize = 6;

impl<'a> Writer<'_, 'a> {
    /// What happens under a branch, decisions inside it left out that are told by themselves; none when nothing does, or when it only
    /// sets an item that notes how an operation ended.
    pub(super) fn effects(&self, branch: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let outcome = self.reading.outcomes.of_branch(branch);
        let folds = parsed.branches[branch].kind != BranchKind::Loop && self.reading.under(branch).len() > 1;
        let mut phrases: Vec<String> = Vec::new();
        let mut performs: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        let mut assignments: Vec<usize> = Vec::new();
        let mut say = |phrase: String, phrases: &mut Vec<String>| {
            if seen.insert(phrase.clone()) {
                phrases.push(phrase);
            }
        };
        for (at, index) in self.reading.under(branch).iter().enumerate() {
            let found = &parsed.statements[*index];
            let assigns = matches!(found.verb.as_str(), "MOVE" | "SET" | "INITIALIZE");
            if assigns && outcome.is_some() && self.notes_a_status(&found.text) {
                continue;
            }
            if !assigns {
                self.assigned(&mut assignments, &mut |phrase| say(phrase, &mut phrases));
            }
            let performs_label = found.verb == "PERFORM" && found.text.len() > found.verb.len();
            if !performs_label && !performs.is_empty() {
                say(format!("performs {}", list(&performs)), &mut phrases);
                performs.clear();
            }
            match found.verb.as_str() {
                "MOVE" | "SET" | "INITIALIZE" => assignments.push(*index),
                "IF" if at < FOLDED_AMONG && folds => {
                    if let Some(phrase) = self.folded(*index) {
                        say(phrase, &mut phrases);
                    }
                }
                "IF" | "EVALUATE" => {}
                // What a SEARCH finds or not is told by itself.
                "SEARCH" if !self.reading.branches_of(*index).is_empty() => {}
                "PERFORM" if performs_label && self.reading.branches_of(*index).is_empty() => {
                    match self.performed(&found.text) {
                        (name, None) => performs.push(name),
                        (name, Some(repeated)) => performs.push(format!("{name} {repeated}")),
                    }
                }
                "PERFORM" => {
                    let first = self.reading.branches_of(*index).first();
                    let until = first.map(|at| self.condition(&parsed.branches[*at], LONGEST));
                    say(format!("repeats {}", until.unwrap_or_default()).trim().to_owned(), &mut phrases);
                }
                _ => {
                    if let Some(phrase) = self.act(*index) {
                        say(phrase, &mut phrases);
                    }
                }
            }
        }
        self.assigned(&mut assignments, &mut |phrase| say(phrase, &mut phrases));
        if !performs.is_empty() {
            say(format!("performs {}", list(&performs)), &mut phrases);
        }
        (!phrases.is_empty()).then(|| name_some(phrases, "statement"))
    }

    /// The statements right under a branch as written, the last ones counted.
    pub(super) fn effects_as_written(&self, branch: usize) -> Vec<String> {
        let statements = &self.reading.parsed.statements;
        let plain = self.reading.under(branch).iter().map(|index| &statements[*index]);
        let all = plain.filter(|found| {
            !matches!(found.verb.as_str(), "IF" | "EVALUATE" | "SEARCH" | "CONTINUE" | "NEXT")
        });
        let texts: Vec<&str> = all.map(|found| found.text.as_str()).collect();
        let mut told: Vec<String> = texts.iter().take(WRITTEN).map(|text| shorten(text)).collect();
        if texts.len() > WRITTEN {
            told.push(format!("{} more", texts.len() - WRITTEN));
        }
        told
    }

    /// Whether a decision is told with what stands before it: an IF without ELSE, with one plain statement under it, near the head of
    /// what another decision does. One that is all of what the other does is a rule of its own, as in a chain of ELSE IF.
    pub(super) fn is_folded(&self, branch: usize) -> bool {
        let parsed = self.reading.parsed;
        let found = &parsed.branches[branch];
        let owner = &parsed.statements[found.statement];
        let Some(outer) = owner.branch.filter(|_| found.kind == BranchKind::If) else { return false };
        let [only] = self.reading.under(branch) else { return false };
        is_plain(&parsed.statements[*only].verb)
            && self.reading.branches_of(*only).is_empty()
            && self.reading.branches_of(found.statement).len() == 1
            && self.reading.outcomes.of_branch(branch).is_none()
            && parsed.branches[outer].kind != BranchKind::Loop
            && self.reading.under(outer).len() > 1
            && self.reading.under(outer).iter().take(FOLDED_AMONG).any(|index| *index == found.statement)
            && self.folded(found.statement).is_some()
    }

    fn folded(&self, statement: usize) -> Option<String> {
        let [branch] = self.reading.branches_of(statement) else { return None };
        if self.reading.outcomes.of_branch(*branch).is_some() {
            return None;
        }
        let [only] = self.reading.under(*branch) else { return None };
        let found = &self.reading.parsed.statements[*only];
        if !self.reading.branches_of(*only).is_empty() || !is_plain(&found.verb) {
            return None;
        }
        let condition = self.condition(&self.reading.parsed.branches[*branch], SHORT + 1);
        Some(format!("if {condition}, {}", self.act(*only)?))
    }

    /// Assignments in a row: a few one by one, many by what they set. A text that is put somewhere is always told.
    fn assigned(&self, assignments: &mut Vec<usize>, say: &mut dyn FnMut(String)) {
        if assignments.len() > ASSIGNMENTS_NAMED {
            let statements = &self.reading.parsed.statements;
            let (texts, others): (Vec<usize>, Vec<usize>) =
                assignments.drain(..).partition(|index| puts_text(&statements[*index]));
            texts.iter().filter_map(|index| self.act(*index)).for_each(&mut *say);
            self.sets(&others).into_iter().for_each(&mut *say);
        } else {
            assignments.iter().filter_map(|index| self.act(*index)).for_each(&mut *say);
        }
        assignments.clear();
    }

    /// A statement as a phrase of a rule: with the values of condition names and the formula of a figure.
    fn act(&self, index: usize) -> Option<String> {
        let found = &self.reading.parsed.statements[index];
        let wording = self.wording(found.program, LONGEST);
        if let Some(figure) = figure_in_words(found, LONGEST) {
            return Some(figure);
        }
        match found.verb.as_str() {
            "MOVE" => moves(found, &wording).or_else(|| statement(found)),
            "SET" => sets(found, &wording).or_else(|| statement(found)),
            "STRING" => {
                let (parts, target) = strung(found)?;
                let parts: Vec<String> = parts.iter().map(|part| wording.operand(part)).collect();
                let literals = parts.iter().filter(|part| part.starts_with(['\'', '"'])).count();
                let told = shorten_to(&list(&parts), LONGEST);
                let verb = if literals == parts.len() { "puts" } else { "puts together" };
                Some(format!("{verb} {told} in {}", in_words(&target)))
            }
            "INITIALIZE" => {
                let items = war_rig_cobol::names_set(&found.text);
                (!items.is_empty()).then(|| format!("initializes {}", shorten_to(&list(&items), LONGEST)))
            }
            "GO" => Some(self.jump(&found.text)),
            "EXEC" => found.exec.map(|exec| exec_phrase(&self.reading.parsed.execs[exec])),
            _ => self.phrase(index),
        }
    }

    /// Whether an assignment sets nothing but items that note how operations ended.
    pub(super) fn notes_a_status(&self, text: &str) -> bool {
        let targets = war_rig_cobol::names_set(text);
        let is_status = |name: &String| {
            let item =
                self.reading.condition_names.get(name.as_str()).map_or(name.as_str(), |(item, _)| item);
            // The return code is for whoever started the program.
            self.reading.outcomes.is_status(item) && item != "RETURN-CODE"
        };
        !targets.is_empty() && targets.iter().all(is_status)
    }
}

/// Whether a statement is plain enough to be told within another decision.
fn is_plain(verb: &str) -> bool {
    ["MOVE", "SET", "STRING", "DISPLAY", "ADD", "SUBTRACT", "COMPUTE", "INITIALIZE", "WRITE", "GO"]
        .contains(&verb)
}

/// What a statement computes; none where it makes no figure. What is added to an item or taken from it is told as that.
pub(super) fn figure_in_words(found: &Statement, longest: usize) -> Option<String> {
    let formula = Formula::of(found)?;
    let gives = found.text.split_whitespace().any(|word| word.eq_ignore_ascii_case("GIVING"));
    match !gives && ["ADD", "SUBTRACT"].contains(&found.verb.as_str()) {
        true => statement(found),
        false => Some(formula_in_words(&formula, longest)),
    }
}

/// A figure with how it is worked out: `computes A = B x C / 1200, rounded`.
fn formula_in_words(formula: &Formula, longest: usize) -> String {
    let rounded = if formula.is_rounded { ", rounded" } else { "" };
    let expression = in_words(&formula.expression)
        .replace(" ** ", " to the power of ")
        .replace(" * * ", " to the power of ")
        .replace(" * ", " x ")
        .replace("( ", "(")
        .replace(" )", ")");
    let remainder = formula.remainder.as_ref().map(|item| format!(", the remainder in {item}"));
    let told = shorten_to(&format!("computes {} = {expression}", list(&formula.targets)), longest);
    format!("{told}{rounded}{}", remainder.unwrap_or_default())
}

/// MOVE: of a constant `sets A and B to 'X'`, of a text `puts 'A text' into C`, else `moves A to B`.
fn moves(found: &Statement, wording: &Wording<'_, '_>) -> Option<String> {
    let Moved { from, to, corresponds } = moved(found)?;
    let targets: Vec<String> = to.iter().map(|target| in_words(target)).collect();
    let targets = shorten_to(&list(&targets), LONGEST);
    let text = shorten_to(&wording.object(&from, true), LONGEST);
    Some(match is_constant(&from) {
        true if puts_text(found) => format!("puts {text} into {targets}"),
        true => format!("sets {targets} to {text}"),
        false if corresponds => {
            format!("moves the items of {text} to those of the same names in {targets}")
        }
        false => format!("moves {text} to {targets}"),
    })
}

/// Whether a MOVE moves a literal of several words.
fn puts_text(found: &Statement) -> bool {
    let literal = moved(found).map(|moved| moved.from).filter(|from| from.starts_with(['\'', '"']));
    literal.is_some_and(|text| {
        let words = text.trim_matches(['\'', '"']).split_whitespace();
        words.filter(|word| word.chars().any(char::is_alphabetic)).count() > 1
    })
}

/// SET of condition names to TRUE by what it means: `sets FLAG to 'A' (ACTIVE)`.
fn sets(found: &Statement, wording: &Wording<'_, '_>) -> Option<String> {
    meanings(found, wording).map(|told| format!("sets {told}"))
}

/// What SET of condition names to TRUE sets: `FLAG to 'A' (ACTIVE)`.
pub(super) fn meanings(found: &Statement, wording: &Wording<'_, '_>) -> Option<String> {
    if !found.text.to_ascii_uppercase().trim_end().ends_with(" TO TRUE") {
        return None;
    }
    let told = war_rig_cobol::names_set(&found.text).into_iter().map(|name| match wording.meaning(&name) {
        Some((about, value)) if about.name != "FILLER" => format!("{} to {value} ({name})", about.name),
        _ => format!("{name} to true"),
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| list(&told))
}
