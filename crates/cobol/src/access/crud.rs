//! The operations on a resource: create, read, update, delete.

use serde::{Serialize, Serializer};

/// The operations on a resource, of one statement or of a whole program.
///
/// Sending a screen counts as create, receiving one as read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CrudAccess {
    /// Creates records, rows or messages.
    pub create: bool,
    /// Reads data.
    pub read: bool,
    /// Changes existing data.
    pub update: bool,
    /// Removes existing data.
    pub delete: bool,
}

impl Serialize for CrudAccess {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.crud_letters())
    }
}

impl CrudAccess {
    /// No operation.
    pub const NONE: Self = Self { create: false, read: false, update: false, delete: false };
    /// Creates data.
    pub const CREATE: Self = Self { create: true, ..Self::NONE };
    /// Reads data.
    pub const READ: Self = Self { read: true, ..Self::NONE };
    /// Changes data.
    pub const UPDATE: Self = Self { update: true, ..Self::NONE };
    /// Removes data.
    pub const DELETE: Self = Self { delete: true, ..Self::NONE };

    /// Returns the union of two.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self {
            create: self.create || other.create,
            read: self.read || other.read,
            update: self.update || other.update,
            delete: self.delete || other.delete,
        }
    }

    /// Returns whether it contains no operation.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Returns whether it changes the resource.
    pub fn writes(self) -> bool {
        self.create || self.update || self.delete
    }

    /// Returns the letters of the operations, in the order of `CRUD`.
    pub fn crud_letters(self) -> String {
        let letters = [(self.create, 'C'), (self.read, 'R'), (self.update, 'U'), (self.delete, 'D')];
        letters.into_iter().filter_map(|(is_done, letter)| is_done.then_some(letter)).collect()
    }

    /// Returns the words of the operations: `create`, `read`, `update`, `delete`.
    pub fn in_words(self) -> impl Iterator<Item = &'static str> {
        let words = [(self.create, "create"), (self.read, "read"), (self.update, "update"), (self.delete, "delete")];
        words.into_iter().filter_map(|(is_done, word)| is_done.then_some(word))
    }
}
