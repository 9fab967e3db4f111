//! What paragraphs read and set.

use super::{Effects, ItemUse};
use crate::model::Parsed;

/// The items that a paragraph, or what stands outside all of them, reads and sets: indices of [`Parsed::data_items`], in the order
/// of first use, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// The items whose contents count.
    pub reads: Vec<usize>,
    /// The items that are changed, or handed to a program that may change them.
    pub writes: Vec<usize>,
}

impl Effects {
    /// What each paragraph touches by its own statements, not by those it performs.
    pub fn of_paragraphs(&self, parsed: &Parsed) -> Vec<Touched> {
        let mut found = vec![Touched::default(); parsed.paragraphs.len()];
        let mut branches: Vec<Vec<u32>> = vec![Vec::new(); parsed.statements.len()];
        for (index, branch) in parsed.branches.iter().enumerate() {
            branches[branch.statement].push(super::compact(index));
        }
        // For each item the paragraph that read it last, and the one that set it last: statements of a paragraph stand together.
        let nobody = usize::MAX;
        let mut read_by = vec![nobody; parsed.data_items.len()];
        let mut set_by = vec![nobody; parsed.data_items.len()];
        for (index, statement) in parsed.statements.iter().enumerate() {
            let Some(paragraph) = statement.paragraph else { continue };
            let touched = &mut found[paragraph];
            let mut note = |used: &ItemUse| {
                let item = used.item();
                if used.is_read() && read_by[item] != paragraph {
                    read_by[item] = paragraph;
                    touched.reads.push(item);
                }
                if used.is_set() && set_by[item] != paragraph {
                    set_by[item] = paragraph;
                    touched.writes.push(item);
                }
            };
            self.of_statement(index).iter().for_each(&mut note);
            for branch in &branches[index] {
                self.of_branch(*branch as usize).iter().for_each(&mut note);
            }
        }
        found
    }
}
