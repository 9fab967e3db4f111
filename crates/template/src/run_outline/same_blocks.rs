//! Tells what is done under several conditions alike once: programs repeat the same handling of an error behind every command.

use super::OutlineKind;
use super::found_steps::{FoundStep, outline_step};
use super::walk::FoundPart;
use foldhash::{HashMap, HashMapExt};
use std::hash::Hash;
use std::ops::Range;
use war_rig_text::LineNumber;

/// The fewest steps under a condition for which an earlier place is named.
const FEWEST: usize = 4;

/// The most literals in which two places may differ.
const DIFFERENT: usize = 3;

/// A place where something was told: the line of its first step, and its literals among all.
struct Told {
    line: LineNumber,
    literals: Range<usize>,
}

/// Puts a reference in place of the steps under a condition that were told under an earlier one, literals aside.
pub(super) fn tell_once(parts: &mut [FoundPart<'_>]) {
    let (mut forests, mut told) = (Forests::default(), HashMap::<usize, Told>::new());
    for part in parts {
        let blocks = forests.blocks_of(&part.steps);
        let mut kept = Vec::with_capacity(part.steps.len());
        let mut behind_same = 0;
        for (at, found) in std::mem::take(&mut part.steps).into_iter().enumerate() {
            if at < behind_same {
                continue;
            }
            let depth = found.step.depth;
            kept.push(found);
            let Some(block) = &blocks.of_condition[at] else { continue };
            let literals = blocks.literals_of(&block.steps);
            let all = &forests.literals;
            match told.get(&block.forest) {
                None => {
                    told.insert(block.forest, Told { line: block.line, literals });
                }
                Some(told) => {
                    let Some(different) = different(&all[told.literals.clone()], &all[literals]) else { continue };
                    let step = outline_step(depth + block.deeper, told.line, OutlineKind::Same, &different);
                    kept.push(FoundStep { step, of: None, denied: None, removed: 0 });
                    behind_same = block.steps.end;
                }
            }
        }
        part.steps = kept;
    }
}

/// The steps under conditions of a part.
struct Blocks {
    /// By the index of the condition; none where nothing can be told once.
    of_condition: Vec<Option<Block>>,
    /// Of each step, and of the end, where its literals begin.
    literals_from: Vec<usize>,
}

/// The steps under a condition.
struct Block {
    /// Their indices.
    steps: Range<usize>,
    /// What they say, literals aside.
    forest: usize,
    /// The line of the first.
    line: LineNumber,
    /// By how many conditions the first is deeper than its condition.
    deeper: usize,
}

impl Blocks {
    /// Returns the places of the literals of these steps among those of all parts.
    fn literals_of(&self, steps: &Range<usize>) -> Range<usize> {
        self.literals_from[steps.start]..self.literals_from[steps.end]
    }
}

/// Steps with what stands under them, each told by its wording without literals, the depth under it, and the forest there.
type Tree = (OutlineKind, String, usize, usize);

/// Numbers forests of steps so that two have one number if they say the same, literals and the conditions around them aside. A forest is a list of trees,
/// each with the depth by which it differs from the first, so that any program is numbered in one pass.
#[derive(Default)]
struct Forests {
    trees: HashMap<Tree, usize>,
    forests: HashMap<Vec<(isize, usize)>, usize>,
    /// The literals of all parts, in order.
    literals: Vec<String>,
}

impl Forests {
    /// Returns what stands under the conditions of steps, where it is long enough and no step is cut, so that its end is known.
    fn blocks_of(&mut self, steps: &[FoundStep<'_>]) -> Blocks {
        let mut worded: Vec<Option<(String, Vec<String>)>> = steps.iter().map(wording).collect();
        let mut of_condition: Vec<Option<Block>> = Vec::with_capacity(steps.len());
        // The trees behind a step, the next one last: its index, its number, and whether any step of it is cut.
        let mut behind: Vec<(usize, usize, bool)> = Vec::new();
        for (at, found) in steps.iter().enumerate().rev() {
            let depth = found.step.depth;
            let below = behind.iter().rev().take_while(|(root, ..)| steps[*root].step.depth > depth).count();
            let roots = behind.split_off(behind.len() - below);
            let end = behind.last().map_or(steps.len(), |(next, ..)| *next);
            let first = roots.last().map_or(depth, |(root, ..)| steps[*root].step.depth);
            let differs = |root: usize| steps[root].step.depth.cast_signed() - first.cast_signed();
            let forest = roots.iter().rev().map(|(root, tree, _)| (differs(*root), *tree)).collect();
            let forest = number(&mut self.forests, forest);
            let is_cut = roots.iter().any(|(.., is_cut)| *is_cut);
            let is_told_once = found.step.kind == OutlineKind::Condition && !is_cut && end - at > FEWEST;
            of_condition.push(is_told_once.then(|| Block {
                steps: at + 1..end,
                forest,
                line: steps[at + 1].step.line,
                deeper: first - depth,
            }));
            let text = worded[at].as_mut().map(|(text, _)| std::mem::take(text)).unwrap_or_default();
            let tree = number(&mut self.trees, (found.step.kind, text, first - depth, forest));
            behind.push((at, tree, is_cut || worded[at].is_none()));
        }
        of_condition.reverse();
        let mut literals_from = Vec::with_capacity(steps.len() + 1);
        for worded in worded {
            literals_from.push(self.literals.len());
            self.literals.extend(worded.into_iter().flat_map(|(_, literals)| literals));
        }
        literals_from.push(self.literals.len());
        Blocks { of_condition, literals_from }
    }
}

/// Returns the number of something: that of an equal one before, or the next.
fn number<T: Hash + Eq>(numbers: &mut HashMap<T, usize>, thing: T) -> usize {
    let next = numbers.len();
    *numbers.entry(thing).or_insert(next)
}

/// Returns what a step says with the literals taken out, and these in order; none if it is cut.
fn wording(found: &FoundStep<'_>) -> Option<(String, Vec<String>)> {
    let step = &found.step;
    let text = match found.of.filter(|_| matches!(step.kind, OutlineKind::Effect | OutlineKind::Exit)) {
        Some(of) => &*of.text,
        None if step.text.contains("...") => return None,
        None => &*step.text,
    };
    let (mut wording, mut literals) = (String::new(), Vec::new());
    for (index, piece) in text.split('\'').enumerate() {
        match index % 2 {
            0 => wording.push_str(piece),
            _ => {
                wording.push_str("''");
                literals.push(format!("'{piece}'"));
            }
        }
    }
    Some((wording, literals))
}

/// Returns the literals that stand in the place of others; none if they are too many.
fn different(before: &[String], now: &[String]) -> Option<String> {
    let pairs = before.iter().zip(now).filter(|(before, now)| before != now).take(DIFFERENT + 1);
    let all: Vec<String> = pairs.map(|(before, now)| format!("{now} in place of {before}")).collect();
    (all.len() <= DIFFERENT).then(|| all.join(" and "))
}
