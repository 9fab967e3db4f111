//! The roles in which a text uses names: what is performed, what is set, and to which value.

use super::EvidenceIndex;
use super::comparisons::constant;
use super::tokens::{Token, is_at, tokens};
use super::wording;
use foldhash::HashSet;
use war_rig_cobol::{BranchKind, ReferenceKind, Verb};
use war_rig_text::LineRange;

/// Words before the name of what they change.
const CHANGES: [&str; 8] = ["set", "sets", "setting", "clears", "resets", "becomes", "become", "initializes"];

/// What is done to data, and never to a paragraph.
const CHANGED: [&str; 23] = [
    "set", "cleared", "reset", "moved", "added", "filled", "initialized", "initialised", "incremented", "decremented",
    "compared", "zero", "blank", "formatted", "edited", "converted", "rounded", "truncated", "subtracted",
    "multiplied", "divided", "padded", "overwritten",
];

/// What is moved to data; control alone goes to a paragraph.
const MOVED: [&str; 4] = ["moved", "added", "copied", "stored"];

const PERFORMS: [&str; 3] = ["perform", "performs", "performing"];

/// Words behind what is performed. Another word there is what is performed, or says how often: `performs WS-DATE validation`.
const BEHIND_PERFORMED: [&str; 16] = [
    "and", "or", "to", "if", "when", "until", "while", "for", "which", "that", "then", "after", "before", "once",
    "unless", "through",
];

/// The longest literal behind a name that is its value and not a message.
const VALUE: usize = 4;

/// How many words like `the program` may stand before a name.
const APPOSED: usize = 3;

impl EvidenceIndex<'_> {
    /// Whether a text has data performed, or a paragraph set.
    pub(super) fn confuses_kinds(&self, text: &str) -> bool {
        let tokens = tokens(text);
        let is_confused = |at: usize| {
            let Some(name) = self.name_at(&tokens, at) else { return false };
            let role = Role::of(&tokens, at);
            (role == Role::Performed && self.names.is_data(&name)) || (role == Role::Set && self.names.is_label(&name))
        };
        (0..tokens.len()).any(is_confused)
    }

    /// Whether a text has control go to a paragraph, or a paragraph performed, where cited statements lead to others only.
    pub(super) fn leads_elsewhere(&self, text: &str, cited: &[LineRange]) -> bool {
        let plain = wording::plain_sentences(text);
        plain.into_iter().any(|sentence| {
            let tokens = tokens(sentence);
            let leads = |at: usize| {
                let name = self.name_at(&tokens, at).filter(|name| self.names.is_label(name))?;
                let is_before =
                    |count: usize, of: &[&str]| at.checked_sub(count).is_some_and(|before| is_at(&tokens, before, of));
                let goes = is_before(1, &["to"]) && is_before(2, &["goes", "go", "jumps", "branches"]);
                (goes || Role::of(&tokens, at) == Role::Performed).then_some(name)
            };
            (0..tokens.len()).filter_map(leads).any(|label| self.leads_to_others_only(&label, cited))
        })
    }

    fn leads_to_others_only(&self, label: &str, cited: &[LineRange]) -> bool {
        let parsed = self.parsed();
        let paragraphs = parsed.paragraphs.iter().map(|unit| (&unit.name, unit.lines));
        let units = paragraphs.chain(parsed.sections.iter().map(|unit| (&unit.name, unit.lines)));
        let mut own = units.filter(|(name, _)| name.eq_ignore_ascii_case(label)).map(|(_, lines)| lines);
        if own.any(|lines| cited.iter().any(|range| range.intersection(lines).is_some())) {
            return false;
        }
        let leads = |statement| self.targets_of(statement).next().is_some();
        self.statements_in(cited).any(leads) && !self.is_performed_in(label, &self.with_performed(cited))
    }

    /// Whether a text has control passed to a program, and cited statements, or what they perform, pass it to others only.
    pub(super) fn calls_another(&self, text: &str, cited: &[LineRange]) -> bool {
        let plain = wording::plain_sentences(text);
        plain.into_iter().any(|sentence| {
            let tokens = tokens(sentence);
            let is = |at: usize, of: &[&str]| is_at(&tokens, at, of);
            (1..tokens.len()).any(|at| {
                // `calls X`, `links to X`, `passes control to the program X`.
                let verb = (at.saturating_sub(APPOSED)..at)
                    .rev()
                    .find(|before| !is(*before, &["the", "program", "module", "routine"]));
                let calls = verb.is_some_and(|verb| {
                    is(verb, &["calls", "calling", "LINK", "XCTL", "CALL"])
                        || (is(verb, &["to"])
                            && verb.checked_sub(1).is_some_and(|verb| {
                                is(verb, &["links", "link", "linked", "XCTL", "LINK"])
                                    || (is(verb, &["control"]) && is(verb.wrapping_sub(1), &["passes", "transfers"]))
                            }))
                });
                let name = match tokens[at] {
                    Token::Word(word) if calls && is_member(word) && !is(at, &["program"]) => Some(word.to_owned()),
                    _ => None,
                };
                let name = name.filter(|name| !self.names.is_data(name) && !self.names.is_label(name));
                name.is_some_and(|name| self.passes_control_to_others_only(&name, cited))
            })
        })
    }

    fn passes_control_to_others_only(&self, program: &str, cited: &[LineRange]) -> bool {
        let parsed = self.parsed();
        let lines = self.with_performed(cited);
        let is_there = |own: LineRange| lines.iter().any(|range| range.intersection(own).is_some());
        let is_it = |name: &str| name.eq_ignore_ascii_case(program);
        let calls = parsed.calls.iter().filter(|call| call.file.is_none() && is_there(call.lines));
        let mut calls = calls.peekable();
        calls.peek().is_some()
            && calls.all(|call| {
                let is_known = call.is_literal || call.is_certain;
                is_known && !is_it(&call.target) && !call.candidates.iter().any(|(candidate, _)| is_it(candidate))
            })
    }

    /// Whether a text has a paragraph performed again and again that the program performs once, wherever it does.
    pub(super) fn repeats_otherwise(&self, text: &str) -> bool {
        wording::plain_sentences(text).any(|sentence| {
            let tokens = tokens(sentence);
            let is = |at: usize, of: &[&str]| is_at(&tokens, at, of);
            (0..tokens.len()).any(|at| {
                let Some(name) = self.name_at(&tokens, at).filter(|name| self.names.is_label(name)) else {
                    return false;
                };
                let goes_on = |at: usize| {
                    is(at, &["until", "repeatedly"]) || (is(at, &["in"]) && is(at + 1, &["a"]) && is(at + 2, &["loop"]))
                };
                let is_told = is(at.wrapping_sub(1), &["repeats", "repeat", "repeating"])
                    || (Role::of(&tokens, at) == Role::Performed
                        && (goes_on(at + 1) || (is(at + 1, &["is", "are"]) && goes_on(at + 3))));
                is_told && !self.may_repeat(&name)
            })
        })
    }

    /// Whether a text goes through all entries of something, and no cited statement, none around them and none that they perform is a loop or a search.
    pub(super) fn loops_where_nothing_does(&self, text: &str, cited: &[LineRange]) -> bool {
        const ALL: [&str; 4] = ["goes through all", "goes through every", "loops through", "searches all"];
        let tells = wording::full_sentences(text).into_iter().any(|sentence| {
            !wording::denies(sentence) && ALL.iter().any(|words| sentence.to_lowercase().contains(words))
        });
        let (parsed, decisions) = (self.parsed(), self.analysis.decisions());
        let is_plain = |statement: usize| {
            let found = &parsed.statements[statement];
            let is_known = !matches!(
                found.verb,
                Verb::Perform | Verb::Search | Verb::Go | Verb::Call | Verb::Exec | Verb::Inspect | Verb::Macro
            );
            let mut around = decisions.enclosing_branches(statement);
            is_known && found.file.is_none() && !around.any(|branch| parsed.branches[branch].kind == BranchKind::Loop)
        };
        let mut all = self.statements_in(cited).peekable();
        tells && all.peek().is_some() && all.all(is_plain)
    }

    /// Whether control may come to a paragraph more than once in a run: it is performed in a loop, or gone to, or what leads to it is.
    fn may_repeat(&self, label: &str) -> bool {
        let (parsed, flow, decisions) = (self.parsed(), self.analysis.control_flow(), self.analysis.decisions());
        let is_it = |index: &usize| parsed.paragraphs[*index].name.eq_ignore_ascii_case(label);
        let mut open: Vec<usize> = (0..parsed.paragraphs.len()).filter(is_it).collect();
        // A section is not followed.
        if open.is_empty() {
            return true;
        }
        let mut seen: HashSet<usize> = open.iter().copied().collect();
        while let Some(paragraph) = open.pop() {
            let leading = parsed.references.iter().enumerate().filter(|(index, _)| {
                flow.reference_span(*index).is_some_and(|(first, last)| (first..=last.max(first)).contains(&paragraph))
            });
            for (_, reference) in leading {
                let in_a_loop = reference.statement.is_some_and(|statement| {
                    let mut around = decisions.enclosing_branches(statement);
                    around.any(|branch| parsed.branches[branch].kind == BranchKind::Loop)
                });
                if reference.is_repeated || in_a_loop || reference.kind != ReferenceKind::Perform {
                    return true;
                }
                open.extend(reference.paragraph.filter(|from| seen.insert(*from)));
            }
            // A paragraph that goes on into the next, or back to itself, is not followed.
            let is_fallen_into = paragraph.checked_sub(1).is_some_and(|before| flow.falls_through(before));
            open.extend(paragraph.checked_sub(1).filter(|before| is_fallen_into && seen.insert(*before)));
        }
        false
    }

    /// Whether a text names a part of an item, `X(1:4)`, of which cited lines have other parts only.
    pub(super) fn names_another_part(&self, text: &str, cited: &[LineRange]) -> bool {
        let told = parts_in(text);
        let is_of_data = |part: &ItemPart| self.names.is_data(&part.item);
        if !told.iter().any(is_of_data) {
            return false;
        }
        let known = parts_in(&self.own(cited).text);
        let is_other = |part: &ItemPart| known.iter().any(|own| own.item == part.item) && !known.contains(part);
        told.iter().filter(|part| is_of_data(part)).any(is_other)
    }

    /// Whether a condition is only the name of a paragraph, or denies an item that is neither true nor false.
    pub(super) fn tests_no_condition(&self, condition: &str) -> bool {
        let tokens = tokens(condition);
        let is_label = |at| self.name_at(&tokens, at).is_some_and(|name| self.names.is_label(&name));
        let is_data = |at| {
            self.name_at(&tokens, at)
                .is_some_and(|name| self.names.is_data(&name) && !self.names.is_condition_name(&name))
        };
        match tokens.as_slice() {
            [_] => is_label(0),
            [Token::Word("NOT"), _] => is_label(1) || is_data(1),
            _ => false,
        }
    }

    /// Whether an item whose data is read or written is a paragraph.
    pub(super) fn flows_through_a_label(&self, name: &str) -> bool {
        let tokens = tokens(name);
        tokens.len() == 1 && self.name_at(&tokens, 0).is_some_and(|name| self.names.is_label(&name))
    }

    /// Whether a text gives an item a value that the cited lines give to others only.
    pub(super) fn gives_the_value_to_another(&self, text: &str, cited: &[LineRange]) -> bool {
        let tokens = tokens(text);
        (0..tokens.len()).any(|at| {
            let Some(name) = self.name_at(&tokens, at).filter(|name| self.names.is_data(name)) else { return false };
            let Some(value) = given_value(&tokens, at) else { return false };
            self.is_given_to_others(&name, &value, cited)
        })
    }

    pub(super) fn name_at(&self, tokens: &[Token<'_>], at: usize) -> Option<String> {
        let Token::Word(word) = tokens[at] else { return None };
        let upper = word.to_uppercase();
        wording::is_name(word, &upper, &self.names).then_some(upper)
    }

    /// Whether cited statements set items to a value, but have no other use of the item that is said to get it.
    fn is_given_to_others(&self, name: &str, value: &str, cited: &[LineRange]) -> bool {
        let parsed = self.parsed();
        let mut is_given = false;
        for statement in self.statements_in(cited) {
            let found = &parsed.statements[statement];
            let uses = self.analysis.def_use().of_statement(statement);
            let is_used = uses.iter().any(|used| self.is_part_of(used.item(), name))
                || parsed.operands(found).any(|operand| operand.name().eq_ignore_ascii_case(name));
            if is_used {
                return false;
            }
            let assigned = self.analysis.decisions().assigned_constants(found);
            is_given |= assigned.iter().any(|one| constant(&one.value) == value);
        }
        is_given && !self.holds(&self.region(cited), name)
    }
}

/// A part of an item: `X(1:4)`.
#[derive(Debug, PartialEq, Eq)]
struct ItemPart {
    item: String,
    /// The first character, one-based, and how many there are.
    from: u64,
    length: u64,
}

/// Returns the parts of items that a text names by numbers.
fn parts_in(text: &str) -> Vec<ItemPart> {
    let number = |token: &Token<'_>| match token {
        Token::Word(word) => word.parse().ok(),
        Token::Literal(_) | Token::Sign(_) => None,
    };
    let tokens = tokens(text);
    let found = tokens.windows(6).filter_map(|six| {
        let [Token::Word(item), open, from, colon, length, close] = six else { return None };
        let is_part = open.is("(") && colon.is(":") && close.is(")");
        let (from, length) = (number(from)?, number(length)?);
        is_part.then(|| ItemPart { item: item.to_uppercase(), from, length })
    });
    found.collect()
}

impl EvidenceIndex<'_> {
    /// Whether a text has an item set wherever it names it.
    pub(super) fn is_only_set(&self, text: &str, name: &str) -> bool {
        let tokens = tokens(text);
        let is_target =
            |at: usize| at.checked_sub(1).is_some_and(|before| is_at(&tokens, before, &["to", "into", "in"]));
        let mut places = (0..tokens.len()).filter(|at| tokens[*at].is(name)).peekable();
        places.peek().is_some() && places.all(|at| Role::of(&tokens, at) == Role::Set || is_target(at))
    }
}

/// Whether a word is written as the name of a program: up to eight letters and digits.
fn is_member(word: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"#@$".contains(&byte);
    (4..=8).contains(&word.len())
        && word.bytes().all(is_letter)
        && word.as_bytes()[0].is_ascii_uppercase()
        && Verb::of(word).is_none()
}

/// What a text does with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Performed,
    Set,
    Other,
}

impl Role {
    fn of(tokens: &[Token<'_>], at: usize) -> Self {
        let is_one = |token: Option<&Token<'_>>, of: &[&str]| token.is_some_and(|token| token.is_one(of));
        let before = |count: usize| at.checked_sub(count).map(|before| &tokens[before]);
        let behind = |count: usize| tokens.get(at + count);
        let is_being = is_one(behind(1), &["is", "are", "was", "were"]);
        let is_alone = behind(1).is_none() || is_one(behind(1), &BEHIND_PERFORMED);
        if (is_one(before(1), &PERFORMS) && is_alone) || (is_being && is_one(behind(2), &["performed"])) {
            return Role::Performed;
        }
        let is_value = matches!(behind(1), Some(Token::Literal(text)) if text.len() <= VALUE);
        let is_control = (3..=5).any(|count| is_one(before(count), &["control"]));
        let is_target = is_one(before(1), &["to", "into"]) && is_one(before(2), &MOVED) && !is_control;
        // `The lines written in X are added`: it is not X that is added.
        let is_place = is_one(before(1), &["in", "of", "by", "from", "at", "within"]);
        let is_changed = is_one(before(1), &CHANGES) || (is_being && !is_place && is_one(behind(2), &CHANGED));
        match is_value || is_target || is_changed || is_one(behind(1), &["becomes"]) {
            true => Role::Set,
            false => Role::Other,
        }
    }
}

/// Returns the short literal that stands right behind the name at a place, as its value: `X 'V'`.
fn given_value(tokens: &[Token<'_>], at: usize) -> Option<String> {
    match tokens.get(at + 1)? {
        Token::Literal(text) if text.len() <= VALUE => Some(constant(text)),
        _ => None,
    }
}
