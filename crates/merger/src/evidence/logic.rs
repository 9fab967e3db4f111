//! How a condition in COBOL joins its comparisons, compared with how conditions of the source join the same ones.

use super::comparisons::{Comparison, EQUAL};
use super::wording::is_one;
use super::{EvidenceIndex, EvidenceNames};
use crate::anchors::words;
use std::sync::Arc;
use war_rig_cobol::{Analysis, BranchKind, Condition, LexedSource, NoCopybooks, parse};
use war_rig_text::{LineRange, ReadOptions, SourceFormat, SourceText};

/// The most pairs of operands of conditions that are compared: each may be less, equal or greater.
const PAIRS: usize = 6;

/// How many conditions around one are joined to it.
const AROUND: usize = 3;

/// How comparisons are joined.
enum Joined {
    All(Vec<Joined>),
    Any(Vec<Joined>),
    /// One comparison, in the ways that say the same.
    One(Vec<Comparison>),
}

impl EvidenceIndex<'_> {
    /// Whether a condition joins the comparisons of a cited condition so that it holds in other cases: `A = 1 OR B = 2 AND C = 3` for
    /// `(A = 1 OR B = 2) AND C = 3`.
    pub(super) fn joins_into_another(&self, text: &str, cited: &[LineRange]) -> bool {
        if !words(text).any(|word| is_one(word, &["and", "or"])) {
            return false;
        }
        let Some(claim) = parsed_condition(text).and_then(|condition| self.joined(&condition, None)) else {
            return false;
        };
        if claim.count() < 2 {
            return false;
        }
        let mut is_known = false;
        for known in self.conditions_at(cited) {
            match claim.is_equivalent(&known, &self.names) {
                Some(true) => return false,
                Some(false) => is_known = true,
                None => {}
            }
        }
        is_known
    }

    /// Returns the conditions on cited lines and around them, each alone and with those around it.
    fn conditions_at(&self, cited: &[LineRange]) -> Vec<Joined> {
        let (parsed, decisions) = (self.parsed(), self.analysis.decisions());
        let condition = |branch: usize| {
            let found = &parsed.branches[branch];
            let condition =
                decisions.condition(branch).filter(|_| matches!(found.kind, BranchKind::If | BranchKind::When));
            self.joined(condition?, parsed.statements[found.statement].program)
        };
        let mut branches = self.branches_around(cited);
        branches.extend(self.guards(cited));
        let mut found = Vec::new();
        for branch in branches {
            // Each case of several is told by itself.
            let program = parsed.statements[parsed.branches[branch].statement].program;
            if let Some(Condition::Any(cases)) = decisions.condition(branch) {
                found.extend(cases.iter().filter_map(|case| self.joined(case, program)));
            }
            let around = decisions.enclosing_branches(parsed.branches[branch].statement);
            let chain: Vec<usize> = std::iter::once(branch).chain(around.take(AROUND)).collect();
            for length in 1..=chain.len() {
                let Some(parts) = chain[..length].iter().map(|branch| condition(*branch)).collect::<Option<Vec<_>>>()
                else {
                    break;
                };
                found.push(Joined::All(parts));
            }
        }
        found
    }

    fn joined(&self, condition: &Condition, program: Option<usize>) -> Option<Joined> {
        let all = |parts: &[Condition]| parts.iter().map(|part| self.joined(part, program)).collect::<Option<Vec<_>>>();
        let mut facts = Vec::new();
        match condition {
            Condition::All(parts) => return all(parts).map(Joined::All),
            Condition::Any(parts) => return all(parts).map(Joined::Any),
            Condition::Unparsed { .. } => return None,
            _ => Comparison::of_condition(condition, program, self.analysis, &mut facts),
        }
        let one = |fact: Comparison| Joined::One(vec![fact]);
        match condition {
            Condition::Range { negated: false, .. } => Some(Joined::All(facts.into_iter().map(one).collect())),
            Condition::Range { .. } => Some(Joined::Any(facts.into_iter().map(one).collect())),
            _ => {
                // A condition name may have several values.
                if facts.len() > 2 {
                    facts.retain(Comparison::is_of_condition_name);
                }
                (!facts.is_empty()).then_some(Joined::One(facts))
            }
        }
    }
}

impl Joined {
    fn count(&self) -> usize {
        self.ones().len()
    }

    fn ones(&self) -> Vec<&Vec<Comparison>> {
        match self {
            Joined::All(parts) | Joined::Any(parts) => parts.iter().flat_map(Joined::ones).collect(),
            Joined::One(one) => vec![one],
        }
    }

    /// Returns whether another condition holds in the same cases, or in all others; none if it is about other operands, or too many.
    fn is_equivalent(&self, other: &Joined, names: &EvidenceNames<'_>) -> Option<bool> {
        let common = |one: &Vec<Comparison>, others: &[&Vec<Comparison>]| {
            one.iter().find(|fact| others.iter().any(|other| other.iter().any(|other| other.is_about(fact)))).cloned()
        };
        let (own, others) = (self.ones(), other.ones());
        let mut pairs: Vec<Comparison> = Vec::new();
        for (side, opposite) in [(&own, &others), (&others, &own)] {
            for one in side {
                let fact = common(one, opposite)?;
                if !pairs.iter().any(|pair| pair.is_about(&fact)) {
                    pairs.push(fact);
                }
            }
        }
        if pairs.len() > PAIRS {
            return None;
        }
        let worlds = (0..3_usize.pow(u32::try_from(pairs.len()).ok()?)).map(|number| {
            let orders = pairs.iter().scan(number, |rest, _| {
                let order = *rest % 3;
                *rest /= 3;
                Some(1_u8 << order)
            });
            orders.collect::<Vec<_>>()
        });
        let (mut is_same, mut is_opposite) = (true, true);
        for world in worlds.filter(|world| is_possible(&pairs, world, names)) {
            let same = self.holds(&pairs, &world) == other.holds(&pairs, &world);
            is_same &= same;
            is_opposite &= !same;
        }
        Some(is_same || is_opposite)
    }

    /// Whether it holds where the operands of each pair have this order.
    fn holds(&self, pairs: &[Comparison], orders: &[u8]) -> bool {
        match self {
            Joined::All(parts) => parts.iter().all(|part| part.holds(pairs, orders)),
            Joined::Any(parts) => parts.iter().any(|part| part.holds(pairs, orders)),
            Joined::One(one) => one.iter().any(|fact| {
                let at = pairs.iter().position(|pair| pair.is_about(fact));
                at.is_some_and(|at| fact.holds_in(orders[at]))
            }),
        }
    }
}

/// Whether pairs of operands can have these orders: an item does not equal two constants.
fn is_possible(pairs: &[Comparison], orders: &[u8], names: &EvidenceNames<'_>) -> bool {
    let equal = pairs.iter().zip(orders).filter(|(_, order)| **order == EQUAL).map(|(pair, _)| pair);
    let equal: Vec<&Comparison> = equal.collect();
    !equal.iter().enumerate().any(|(at, one)| equal[at + 1..].iter().any(|other| one.shares_an_item(other, names)))
}

/// Returns a condition as the parser reads it; none if it is no COBOL.
fn parsed_condition(text: &str) -> Option<Condition> {
    let text = text.trim().trim_end_matches('.');
    let text = ["IF ", "WHEN "].iter().find_map(|verb| text.strip_prefix(verb)).unwrap_or(text);
    let program = format!("PROGRAM-ID. C.\nPROCEDURE DIVISION.\nP.\nIF {text}\nCONTINUE\nEND-IF.\n");
    let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
    let source = SourceText::read("condition", program.into_bytes(), &options).ok()?;
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    // Nothing but the condition and what stands for its effect.
    (analysis.parsed().statements.len() == 2).then(|| analysis.decisions().condition(0).cloned())?
}
