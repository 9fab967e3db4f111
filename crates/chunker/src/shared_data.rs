//! Data that paragraphs share: one sets it and another reads it.

use war_rig_cobol::{Analysis, IndexGroups, ItemUse};

/// An item that more paragraphs use is ignored. Data that is used everywhere connects nothing in particular, and
/// its edges would grow with the square of its paragraphs.
const MOST_PARAGRAPHS: usize = 8;

/// How a paragraph uses an item: the zero-based line of the first use of each kind.
#[derive(Debug, Clone, Copy, Default)]
struct ParagraphItemUse {
    reads: Option<usize>,
    sets: Option<usize>,
    /// The same for reads of items below this one.
    reads_part: Option<usize>,
    sets_part: Option<usize>,
}

/// Returns pairs of zero-based lines of the file itself, in two paragraphs: a statement that sets an item, and a statement that
/// reads the item, its group or a part of it. There is one pair for each item and pair of paragraphs.
pub(crate) fn shared_data(analysis: &Analysis) -> Vec<(usize, usize)> {
    let (parsed, effects) = (analysis.parsed(), analysis.def_use());
    let branches = IndexGroups::of_branches(parsed);
    // For each item, the paragraphs that use it, in order. A paragraph's statements are adjacent, so the last entry is the current
    // paragraph. One paragraph above the limit is stored, to show that there are too many.
    let mut users: Vec<Vec<(usize, ParagraphItemUse)>> = vec![Vec::new(); parsed.data_items.len()];
    for (index, statement) in parsed.statements.iter().enumerate().filter(|(_, found)| found.file.is_none()) {
        let Some(paragraph) = statement.paragraph else { continue };
        let line = statement.lines.start().index();
        let conditions = branches.get(index).iter().flat_map(|branch| {
            effects.of_branch(*branch).iter().map(|used| (used, parsed.branches[*branch].lines.start().index()))
        });
        let own = effects.of_statement(index).iter().map(|used| (used, line));
        for (used, line) in own.chain(conditions) {
            let above = std::iter::successors(Some(used.item()), |item| parsed.data_items[*item].parent);
            for (distance, item) in above.enumerate() {
                let users = &mut users[item];
                if users.last().is_none_or(|(last, _)| *last != paragraph) {
                    if users.len() > MOST_PARAGRAPHS {
                        continue;
                    }
                    users.push((paragraph, ParagraphItemUse::default()));
                }
                if let Some((_, known)) = users.last_mut() {
                    known.note(*used, distance > 0, line);
                }
            }
        }
    }
    let mut edges = Vec::new();
    for users in users.iter().filter(|users| users.len() <= MOST_PARAGRAPHS) {
        for (setter, sets) in users {
            for (_, reads) in users.iter().filter(|(reader, _)| reader != setter) {
                let whole = sets.sets.zip(reads.reads.or(reads.reads_part));
                let part = sets.sets_part.zip(reads.reads);
                edges.extend(whole.or(part));
            }
        }
    }
    edges
}

impl ParagraphItemUse {
    fn note(&mut self, used: ItemUse, is_part: bool, line: usize) {
        let (reads, sets) = match is_part {
            true => (&mut self.reads_part, &mut self.sets_part),
            false => (&mut self.reads, &mut self.sets),
        };
        if used.is_read() {
            reads.get_or_insert(line);
        }
        if used.is_set() {
            sets.get_or_insert(line);
        }
    }
}
