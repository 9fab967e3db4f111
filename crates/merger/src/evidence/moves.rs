//! What words have moved from one item to another, compared with where cited statements take it.

use super::EvidenceIndex;
use super::tokens::{Token, is_at, tokens};
use super::wording::plain_sentences;
use std::ops::Range;
use war_rig_cobol::{ItemUse, Verb};
use war_rig_text::LineRange;

/// Verbs of a text that has data go from one item to another.
const MOVES: [&str; 17] = [
    "move", "moves", "moved", "moving", "copy", "copies", "copied", "copying", "put", "puts", "placed", "places",
    "stored", "stores", "transfer", "transfers", "transferred",
];

/// Verbs of a text that have an item take over the contents of another, which stands behind `with`.
const LOADS: [&str; 6] = ["load", "loads", "loaded", "fill", "fills", "filled"];

/// Words before `to` that do not have data go there.
const NO_MOVES: [&str; 12] =
    ["equal", "compared", "set", "sets", "added", "adds", "up", "when", "if", "where", "goes", "according"];

/// How many words of English may stand between `to` and the item behind it, or between an item and `to`.
const BETWEEN: usize = 3;

/// How many words of English may stand between `from` or `into` and a group.
const FAR: usize = 7;

/// Through how many items one is followed to another.
const CARRIERS: usize = 40;

impl EvidenceIndex<'_> {
    /// Whether a text has an item moved to another, and cited statements set that one from others only: `A is moved to C and B to D` for
    /// `MOVE A TO D` and `MOVE B TO C`.
    pub(super) fn moves_elsewhere(&self, text: &str, cited: &[LineRange]) -> bool {
        let plain = plain_sentences(text);
        let pairs = plain.flat_map(|sentence| self.moves_told(sentence));
        pairs.into_iter().any(|(from, to)| from != to && self.is_set_from_others(&from, &to, cited))
    }

    /// Returns the items that a sentence has moved, each with the one that it goes to.
    fn moves_told(&self, sentence: &str) -> Vec<(String, String)> {
        let tokens = tokens(sentence);
        let is = |at: usize, of: &[&str]| is_at(&tokens, at, of);
        let item = |at: usize| self.name_at(&tokens, at).filter(|name| self.names.is_item(name));
        let is_plain =
            |at: usize| matches!(tokens[at], Token::Word(word) if word.bytes().all(|b| b.is_ascii_lowercase()));
        let Some(verb) = (0..tokens.len()).find(|at| is(*at, &MOVES)) else { return Vec::new() };
        let mut found = Vec::new();
        for to in (verb + 1..tokens.len()).filter(|at| is(*at, &["to", "into"])) {
            // Between an item and `to` stand its qualifier, and words like `is moved`.
            let is_between = |at: usize| is_plain(at) && !is(at, &["and", "or", "of", "in"]);
            let begin = (to.saturating_sub(BETWEEN)..to).rev().take_while(|at| is_between(*at)).last().unwrap_or(to);
            let is_qualified = begin > 2 && is(begin - 2, &["of", "in"]) && item(begin - 1).is_some();
            let source = if is_qualified { begin.checked_sub(3) } else { begin.checked_sub(1) };
            let target = (to + 1..tokens.len()).take(BETWEEN + 1).find(|at| !is_plain(*at));
            let Some((source, target)) = source.zip(target) else { continue };
            // What is equal to something, or set to it, is not moved there.
            let since = (verb..to).rev().take_while(|at| !is(*at, &MOVES));
            if since.into_iter().any(|at| is(at, &NO_MOVES)) {
                continue;
            }
            let sources = self.items_before(&tokens, source);
            let (targets, _) = self.items_behind(&tokens, target);
            // Of as many items as there are targets, each goes to one; what is moved to several goes to each of them.
            match sources.as_slice() {
                [only] => found.extend(targets.into_iter().map(|target| (only.clone(), target))),
                several if several.len() == targets.len() => found.extend(sources.into_iter().zip(targets)),
                _ => {}
            }
        }
        found
    }

    /// Whether a text has data go from some groups or items to others, and cited MOVEs take it only the other way: `copies the fields from A into B` for
    /// `MOVE X OF B TO X OF A`, `moves A and B to C and D` for `MOVE C TO A` and `MOVE D TO B`.
    pub(super) fn turns_a_move(&self, text: &str, cited: &[LineRange]) -> bool {
        let takes = |from: &[String], to: &[String]| {
            let mut moves = self.statements_in(cited).filter(|at| self.parsed().statements[*at].verb == Verb::Move);
            let takes_part =
                |at: usize, names: &[String], is_set: bool| names.iter().any(|name| self.takes_part(at, name, is_set));
            moves.any(|at| takes_part(at, from, false) && takes_part(at, to, true))
        };
        plain_sentences(text).any(|sentence| {
            let tokens = tokens(sentence);
            let told = [self.taken_from(&tokens), self.taken_to(&tokens), self.loaded_with(&tokens)];
            let told = told.into_iter().flatten();
            told.into_iter().any(|(sources, targets)| takes(&targets, &sources) && !takes(&sources, &targets))
        })
    }

    /// Returns what a sentence with `from` has data come from, and what it goes to.
    fn taken_from(&self, tokens: &[Token<'_>]) -> Option<(Vec<String>, Vec<String>)> {
        let is = |at: usize, of: &[&str]| is_at(tokens, at, of);
        let item = |at: usize| self.name_at(tokens, at).filter(|name| !self.names.is_label(name));
        let verb = (0..tokens.len()).find(|at| is(*at, &MOVES) || is(*at, &["restores", "restored"]))?;
        let from = (verb + 1..tokens.len()).find(|at| is(*at, &["from"]))?;
        if (verb + 1..from).any(|at| is(at, &["to", "into", "and", ",", "or"])) {
            return None;
        }
        let behind = |at: usize| (at + 1..tokens.len()).take(FAR).find_map(|at| Some((at, item(at)?)));
        let (source_at, source) = behind(from)?;
        let into = (source_at + 1..tokens.len()).find(|at| is(*at, &["to", "into"]));
        let target = into.and_then(behind).map(|(_, name)| name).or_else(|| (verb + 1..from).find_map(item))?;
        (target != source).then(|| (vec![source], vec![target]))
    }

    /// Returns the items that a sentence with one `to` has moved, and those that they go to.
    fn taken_to(&self, tokens: &[Token<'_>]) -> Option<(Vec<String>, Vec<String>)> {
        let is = |at: usize, of: &[&str]| is_at(tokens, at, of);
        let items = |within: Range<usize>| -> Vec<String> {
            within.filter_map(|at| self.name_at(tokens, at).filter(|name| self.names.is_item(name))).collect()
        };
        let verb = (0..tokens.len()).find(|at| is(*at, &MOVES))?;
        let mut all = (verb + 1..tokens.len()).filter(|at| is(*at, &["to", "into"]));
        let (to, other) = (all.next()?, all.next());
        if other.is_some() || (verb..to).any(|at| is(at, &NO_MOVES) || is(at, &["from", "or"])) {
            return None;
        }
        // `A is moved to B`: what is moved stands before the verb.
        let is_passive = verb > 0 && is(verb - 1, &["is", "are", "was", "were", "been", "being"]);
        let (sources, targets) = (items(if is_passive { 0..verb } else { verb + 1..to }), items(to + 1..tokens.len()));
        let is_clear = !sources.is_empty() && !targets.is_empty() && !sources.iter().any(|one| targets.contains(one));
        is_clear.then_some((sources, targets))
    }

    /// Returns the item whose contents a sentence has another item take over, and that one: `loads A with the contents of B`.
    fn loaded_with(&self, tokens: &[Token<'_>]) -> Option<(Vec<String>, Vec<String>)> {
        let is = |at: usize, of: &[&str]| is_at(tokens, at, of);
        let item = |at: usize| self.name_at(tokens, at).filter(|name| self.names.is_item(name));
        let verb = (0..tokens.len()).find(|at| is(*at, &LOADS))?;
        let with = (verb + 1..tokens.len()).find(|at| is(*at, &["with", "from"]))?;
        // `A is loaded with B`: what is loaded stands before the verb.
        let is_passive = verb > 1 && is(verb - 1, &["is", "are"]);
        let target = if is_passive { item(verb - 2) } else { (verb + 1..with).find_map(item) };
        let source = (with + 1..tokens.len()).take(FAR).find_map(item);
        let (source, target) = (source?, target?);
        (source != target).then(|| (vec![source], vec![target]))
    }

    /// Whether a statement reads, or sets, an item with this name, a part of it, or one that it qualifies.
    fn takes_part(&self, statement: usize, name: &str, is_set: bool) -> bool {
        let parsed = self.parsed();
        let mut operands = parsed.operands(&parsed.statements[statement]);
        let is_qualified = operands.any(|operand| {
            operand.role().is_set() == is_set && operand.qualifiers().any(|group| group.eq_ignore_ascii_case(name))
        });
        is_qualified || self.uses_so(statement, name, is_set)
    }

    /// Returns the items of a list that ends at a place, `A, B and C`, in order.
    fn items_before(&self, tokens: &[Token<'_>], end: usize) -> Vec<String> {
        let item = |at: usize| self.name_at(tokens, at).filter(|name| self.names.is_item(name));
        let mut items: Vec<String> = item(end).into_iter().collect();
        let mut at = end;
        while !items.is_empty() {
            let joints = (0..at).rev().take_while(|at| is_at(tokens, *at, &[",", "and"])).count();
            let Some(next) = at.checked_sub(joints + 1).filter(|_| joints > 0) else { break };
            let is_target = next > 0 && is_at(tokens, next - 1, &["to", "into"]);
            let Some(name) = item(next).filter(|_| !is_target) else { break };
            items.insert(0, name);
            at = next;
        }
        items
    }

    /// Returns the items of a list that begins at a place, and the place behind it. What goes on with `to` is moved itself.
    pub(super) fn items_behind(&self, tokens: &[Token<'_>], start: usize) -> (Vec<String>, usize) {
        let is = |at: usize, of: &[&str]| is_at(tokens, at, of);
        let name_at = |at: usize| tokens.get(at).and_then(|_| self.name_at(tokens, at));
        let skip = |at: usize| at + 1 + if is(at + 1, &["of", "in"]) { 2 } else { 0 };
        let mut items = Vec::new();
        let mut next = start;
        let mut end = start;
        while let Some(name) = name_at(next).filter(|_| next == start || !is(skip(next), &["to", "into"])) {
            items.push(name);
            end = skip(next);
            next = end + (end..tokens.len()).take_while(|at| is(*at, &[",", "and"])).count();
            if next == end {
                break;
            }
        }
        (items, end)
    }

    /// Whether cited MOVEs set an item from others, and nothing there or in what they perform takes this one to it, on whatever way.
    fn is_set_from_others(&self, from: &str, to: &str, cited: &[LineRange]) -> bool {
        let parsed = self.parsed();
        let is_move = |statement: &usize| parsed.statements[*statement].verb == Verb::Move;
        if !self.statements_in(cited).filter(is_move).any(|statement| self.uses_so(statement, to, true)) {
            return false;
        }
        let mut carries: Vec<String> = vec![from.to_owned()];
        let statements: Vec<usize> = self.statements_in(&self.with_performed(cited)).collect();
        // What is performed runs before what stands above it.
        let mut known = 0;
        while known < carries.len() {
            known = carries.len();
            for statement in &statements {
                if !carries.iter().any(|name| self.uses_so(*statement, name, false)) {
                    continue;
                }
                let found = &parsed.statements[*statement];
                let targets = parsed.operands(found).filter(|operand| operand.role().is_set() && !operand.is_inner());
                for target in targets.map(|operand| operand.name().to_uppercase()) {
                    if !carries.contains(&target) {
                        carries.push(target);
                    }
                }
                if self.uses_so(*statement, to, true) || carries.len() > CARRIERS {
                    return false;
                }
            }
        }
        true
    }

    /// Whether a statement sets, or reads, an item with this name, a part of it, or a group around it.
    fn uses_so(&self, statement: usize, name: &str, is_set: bool) -> bool {
        let parsed = self.parsed();
        let mut operands = parsed.operands(&parsed.statements[statement]);
        let mut uses = self.analysis.def_use().of_statement(statement).iter();
        let is_so = |used: &ItemUse| if is_set { used.is_set() } else { used.is_read() };
        operands.any(|operand| operand.role().is_set() == is_set && operand.name().eq_ignore_ascii_case(name))
            || uses.any(|used| is_so(used) && (self.is_part_of(used.item(), name) || self.has_part(used.item(), name)))
    }
}
