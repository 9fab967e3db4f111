//! What is common to all kinds of items, and where the kinds differ.
//!
//! Each body says its kind below its fields, with [`item_kind!`]. Whatever works on all items follows that: the schema of an answer and the reader of answers, the
//! merge, `check` and `diff`.

use crate::{
    BusinessRule, CalledProgram, CicsOperation, CopybookUse, DataFlowStep, DliOperation, ErrorHandling,
    Interface, OpenQuestion, Paragraph, Purpose, SqlOperation,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a field of an answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldShape {
    /// A text.
    Text,
    /// A text, or null.
    TextOrNull,
    /// A list of texts.
    Texts,
}

/// Who knows which items of a kind there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemOwner {
    /// The parser knows all of them: what it does not have, the source does not have.
    Parser,
    /// The parser knows most, and a model may add some.
    Both,
    /// Nobody knows all: each is what was said.
    Said,
}

/// A kind of item.
#[derive(Debug)]
pub struct ItemKind {
    /// The lists of a document that hold such items.
    pub lists: &'static [ItemList],
    /// The fields that are its name where it is told of, in prose and in findings.
    pub named_by: &'static [&'static str],
    /// Who knows which there are.
    pub owner: ItemOwner,
    /// What a model is asked for beside citations, in this order; nothing where no model is asked.
    pub requested_fields: &'static [(&'static str, FieldShape)],
    /// The field that no item of another kind has, where there is one.
    pub mark: Option<&'static str>,
    /// The fields that have a column of their own, on the page and in the catalogue.
    pub columns: &'static [ItemColumn],
}

/// A field that has a column of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemColumn {
    /// Its name, which the catalogue uses as well.
    pub field: &'static str,
    /// Its heading on the page.
    pub heading: &'static str,
    /// What it contains, as the catalogue's help puts it.
    pub about: &'static str,
}

/// A list of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemList {
    /// Its path in a document: `data_flow.reads_from`.
    pub path: &'static str,
    /// What one of its items is called in prose, before its name.
    pub noun: &'static str,
}

impl ItemList {
    /// The field of a document that it stands in, and its own name: `data_flow` and `reads_from`.
    pub fn names(&self) -> (&'static str, &'static str) {
        self.path.split_once('.').unwrap_or((self.path, self.path))
    }
}

/// What an item of a kind says.
pub trait ItemBody: Clone + Default + PartialEq + Serialize + DeserializeOwned {
    /// Its kind.
    const KIND: ItemKind;

    /// What it is known by: a name, a command; of a rule its sentence.
    fn name(&self) -> &str;

    /// The name as a model may have written it, with what does not belong to it taken off.
    fn plain_name(&self) -> &str {
        self.name().trim()
    }

    /// A second part of the name, which tells two of one name apart: a kind, a resource.
    fn detail(&self) -> Option<&str> {
        None
    }

    /// What is said of it.
    fn text(&self) -> &str;

    /// What else is said of it.
    fn more(&self) -> &str {
        ""
    }

    /// Names and phrases of it that must stand where it is cited.
    fn mentions(&self) -> &[String] {
        &[]
    }

    /// The texts of its columns, in the order of [`ItemKind::columns`].
    fn columns(&self) -> Vec<Option<&str>> {
        Vec::new()
    }

    /// One of this name of which nothing is said.
    fn named(name: &str, detail: Option<&str>) -> Self;

    /// Puts in what is said of it.
    fn say(&mut self, text: String, more: String);

    /// Takes over what another one of the same name says beside its texts: a field that is empty here, an entry that a list lacks. What the parser alone says
    /// is taken only from one of the parser's.
    fn join(&mut self, other: &Self, is_parsers: bool);
}

/// A field with words in it.
pub(crate) trait TextField {
    fn text(&self) -> Option<&str>;
    fn put(&mut self, text: String);
}

/// A field that takes over what another one says.
pub(crate) trait Join {
    fn join(&mut self, other: &Self);
}

impl TextField for String {
    fn text(&self) -> Option<&str> {
        Some(self)
    }

    fn put(&mut self, text: String) {
        *self = text;
    }
}

impl Join for String {
    fn join(&mut self, other: &Self) {
        if self.is_empty() {
            self.clone_from(other);
        }
    }
}

impl TextField for Option<String> {
    fn text(&self) -> Option<&str> {
        self.as_deref()
    }

    fn put(&mut self, text: String) {
        *self = (!text.is_empty()).then_some(text);
    }
}

impl Join for Option<String> {
    fn join(&mut self, other: &Self) {
        if self.is_none() {
            self.clone_from(other);
        }
    }
}

impl Join for Vec<String> {
    fn join(&mut self, other: &Self) {
        for text in other {
            if !self.contains(text) {
                self.push(text.clone());
            }
        }
    }
}

/// Makes a body one of a kind. `name`, `detail`, `text` and `more` are the fields of [`ItemBody`]'s functions; `said` and `parsed` are those that are taken over
/// beside them, from whoever says them and from the parser alone.
macro_rules! item_kind {
    ($body:ident {
        lists: [$($path:literal: $noun:literal),+],
        named_by: $named_by:expr,
        owner: $owner:ident,
        asked: [$($asked:ident: $shape:ident),*],
        $(mark: $mark:ident,)?
        name: $name:ident $(by $plain:expr)?,
        $(detail: $detail:ident,)?
        text: $text:ident,
        $(more: $more:ident,)?
        $(mentions: $mentions:ident,)?
        $(said: [$($said:ident),*],)?
        $(parsed: [$($parsed:ident),*],)?
        $(columns: [$($column:ident: $heading:literal, $about:literal);*],)?
    }) => {
        impl $crate::item_kinds::ItemBody for $body {
            const KIND: $crate::item_kinds::ItemKind = $crate::item_kinds::ItemKind {
                lists: &[$($crate::item_kinds::ItemList { path: $path, noun: $noun }),+],
                named_by: &$named_by,
                owner: $crate::item_kinds::ItemOwner::$owner,
                requested_fields: &[$((stringify!($asked), $crate::item_kinds::FieldShape::$shape)),*],
                mark: [$(Some(stringify!($mark)),)? None][0],
                columns: &[$($($crate::item_kinds::ItemColumn {
                    field: stringify!($column),
                    heading: $heading,
                    about: $about,
                }),*)?],
            };

            fn name(&self) -> &str {
                &self.$name
            }

            $(fn plain_name(&self) -> &str {
                $plain(&self.$name)
            })?

            $(fn detail(&self) -> Option<&str> {
                $crate::item_kinds::TextField::text(&self.$detail)
            })?

            fn text(&self) -> &str {
                $crate::item_kinds::TextField::text(&self.$text).unwrap_or_default()
            }

            $(fn more(&self) -> &str {
                $crate::item_kinds::TextField::text(&self.$more).unwrap_or_default()
            })?

            $(fn mentions(&self) -> &[String] {
                &self.$mentions
            })?

            $(fn columns(&self) -> Vec<Option<&str>> {
                vec![$($crate::item_kinds::TextField::text(&self.$column)),*]
            })?

            fn named(name: &str, _detail: Option<&str>) -> Self {
                Self {
                    $name: name.to_owned(),
                    $($detail: _detail.map(str::to_owned).unwrap_or_default().into(),)?
                    ..Self::default()
                }
            }

            fn say(&mut self, text: String, _more: String) {
                $crate::item_kinds::TextField::put(&mut self.$text, text);
                $($crate::item_kinds::TextField::put(&mut self.$more, _more);)?
            }

            fn join(&mut self, _other: &Self, _is_parsers: bool) {
                $($($crate::item_kinds::Join::join(&mut self.$said, &_other.$said);)*)?
                $(if _is_parsers {
                    $($crate::item_kinds::Join::join(&mut self.$parsed, &_other.$parsed);)*
                })?
            }
        }
    };
}

pub(crate) use item_kind;

/// All kinds, in the order of a document's fields.
pub static ITEM_KINDS: [&ItemKind; 12] = [
    &Purpose::KIND,
    &Interface::KIND,
    &CalledProgram::KIND,
    &BusinessRule::KIND,
    &DataFlowStep::KIND,
    &CopybookUse::KIND,
    &Paragraph::KIND,
    &ErrorHandling::KIND,
    &SqlOperation::KIND,
    &CicsOperation::KIND,
    &DliOperation::KIND,
    &OpenQuestion::KIND,
];

/// A name as it is.
pub(crate) fn as_written(name: &str) -> &str {
    name
}

/// The name of a paragraph, which models write with the period of its header.
pub(crate) fn header(name: &str) -> &str {
    name.trim().trim_end_matches('.')
}

/// A name without the quotation marks that a source or Markdown has around it.
pub(crate) fn unquoted(name: &str) -> &str {
    name.trim().trim_matches(['\'', '"', '`'])
}
