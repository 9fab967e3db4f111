//! The last operations before a position of a program, by the name under which their result is stored.

use foldhash::HashMap;

/// The maximum number of operations tracked per test.
pub(super) const FOLLOWED: usize = 24;

/// Stands for whatever set a result before its paragraph began.
pub(super) const BEFORE_PARAGRAPH: usize = usize::MAX;

/// Stands for something that is not known.
pub(super) const UNKNOWN: usize = usize::MAX - 1;

/// The last operations on the paths to a position, by the name under which their result is stored. Without an entry, it is what it was before the
/// paragraph began; an empty entry is a result that the program has overwritten.
pub(super) type LastOperations<'a> = HashMap<&'a str, Vec<usize>>;

/// Returns the operations that may have set a result, as far as they are known.
pub(super) fn in_paragraph(reaching: Option<&Vec<usize>>) -> Vec<usize> {
    let reaching = reaching.filter(|found| !found.contains(&UNKNOWN));
    reaching.into_iter().flatten().copied().filter(|operation| *operation != BEFORE_PARAGRAPH).collect()
}

/// Returns the statements that may have set an item; none if others may have set it, too.
pub(super) fn known(reaching: Option<&Vec<usize>>) -> Option<&[usize]> {
    let is_known = |found: &&[usize]| found.len() < FOLLOWED && found.iter().all(|operation| *operation < UNKNOWN);
    reaching.map(Vec::as_slice).filter(is_known)
}

/// Returns what comes last behind both: first what is in `before`, then `done`.
pub(super) fn follow<'a>(mut before: LastOperations<'a>, done: &LastOperations<'a>) -> LastOperations<'a> {
    for (name, operations) in done {
        match operations.contains(&BEFORE_PARAGRAPH) {
            true => {
                let known = before.entry(name).or_insert_with(|| vec![BEFORE_PARAGRAPH]);
                add(known, operations.iter().copied().filter(|operation| *operation != BEFORE_PARAGRAPH).collect());
            }
            false => {
                before.insert(name, operations.clone());
            }
        }
    }
    before
}

/// Joins what two ways bring to one place.
pub(super) fn join<'a>(to: &mut Option<LastOperations<'a>>, from: Option<LastOperations<'a>>) {
    let Some(from) = from else { return };
    let Some(known) = to else {
        *to = Some(from);
        return;
    };
    for (_, operations) in known.iter_mut().filter(|(name, _)| !from.contains_key(**name)) {
        add(operations, vec![BEFORE_PARAGRAPH]);
    }
    for (name, operations) in from {
        add(known.entry(name).or_insert_with(|| vec![BEFORE_PARAGRAPH]), operations);
    }
}

/// Adds operations to others of one name.
pub(super) fn add(known: &mut Vec<usize>, operations: Vec<usize>) {
    known.extend(operations);
    known.sort_unstable();
    known.dedup();
    let surplus = known.len().saturating_sub(FOLLOWED);
    known.drain(..surplus);
}
