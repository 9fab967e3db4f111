//! What can be done with a resource: it is created, read, updated or deleted.

use serde::{Serialize, Serializer};

/// What is done with a resource, by one operation or by all of a program.
///
/// A screen that is sent counts as created, one that is received as read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CrudAccess {
    /// Records, rows or messages come into being.
    pub create: bool,
    /// Data is taken from it.
    pub read: bool,
    /// What is there is changed.
    pub update: bool,
    /// What is there is removed.
    pub delete: bool,
}

impl Serialize for CrudAccess {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.crud_letters())
    }
}

impl CrudAccess {
    /// Nothing is done.
    pub const NONE: Self = Self { create: false, read: false, update: false, delete: false };
    /// Something comes into being.
    pub const CREATE: Self = Self { create: true, ..Self::NONE };
    /// Data is taken.
    pub const READ: Self = Self { read: true, ..Self::NONE };
    /// Something is changed.
    pub const UPDATE: Self = Self { update: true, ..Self::NONE };
    /// Something is removed.
    pub const DELETE: Self = Self { delete: true, ..Self::NONE };

    /// What either of two does.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self {
            create: self.create || other.create,
            read: self.read || other.read,
            update: self.update || other.update,
            delete: self.delete || other.delete,
        }
    }

    /// Whether nothing is done.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Whether what is there afterwards is another.
    pub fn writes(self) -> bool {
        self.create || self.update || self.delete
    }

    /// The letters of what is done, in the order of `CRUD`.
    pub fn crud_letters(self) -> String {
        let letters = [(self.create, 'C'), (self.read, 'R'), (self.update, 'U'), (self.delete, 'D')];
        letters.into_iter().filter_map(|(is_done, letter)| is_done.then_some(letter)).collect()
    }

    /// The words of what is done: `create`, `read`, `update`, `delete`.
    pub fn in_words(self) -> impl Iterator<Item = &'static str> {
        let words =
            [(self.create, "create"), (self.read, "read"), (self.update, "update"), (self.delete, "delete")];
        words.into_iter().filter_map(|(is_done, word)| is_done.then_some(word))
    }
}
