//! The common interface of all kinds of items, and the differences between them.
//!
//! Each body declares its kind below its fields, with [`item_kind!`]. All code that handles items generically follows that table: the schema of an
//! answer, the reader of answers, the merge, `check` and `diff`.

use crate::{
    BusinessRule, CalledProgram, CicsOperation, CopybookUse, DataFlowStep, DliOperation, ErrorHandling, Hazard,
    Interface, OpenQuestion, Paragraph, Purpose, RecordState, SqlOperation,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The type of an answer's field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldShape {
    /// A text.
    Text,
    /// A text, or null.
    TextOrNull,
    /// One of these texts, or null.
    ChoiceOrNull(&'static [&'static str]),
    /// A list of texts.
    Texts,
}

/// A field that a model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestedField {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub shape: FieldShape,
    /// What it contains, where its name does not explain it.
    pub about: Option<&'static str>,
}

/// Who knows the complete set of items of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemOwner {
    /// The parser knows all of them: an item that the parser does not have is not in the source.
    Parser,
    /// The parser knows most, and a model may add some.
    Both,
    /// Nobody knows all of them; each item is somebody's statement.
    Said,
}

/// A kind of item.
#[derive(Debug)]
pub struct ItemKind {
    /// The lists of a document that contain such items.
    pub lists: &'static [ItemList],
    /// The fields that form its name in prose and in findings.
    pub named_by: &'static [&'static str],
    /// Who knows the complete set.
    pub owner: ItemOwner,
    /// What a model is asked for besides id and citations, in this order; empty if no model is asked.
    pub requested_fields: &'static [RequestedField],
    /// A field that no other kind has, if there is one.
    pub mark: Option<&'static str>,
    /// The fields that have a column of their own in the catalogue.
    pub columns: &'static [ItemColumn],
}

/// A field that has a column of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemColumn {
    /// Its name, which the catalogue uses as well.
    pub field: &'static str,
    /// What it contains, as the catalogue's help puts it.
    pub about: &'static str,
}

/// A list of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemList {
    /// Its path in a document: `data_flow.reads_from`.
    pub path: &'static str,
    /// The noun for one of its items in prose, before its name.
    pub noun: &'static str,
}

impl ItemList {
    /// Returns the field of the document and the list's own name: `data_flow` and `reads_from`.
    pub fn names(&self) -> (&'static str, &'static str) {
        self.path.split_once('.').unwrap_or((self.path, self.path))
    }
}

/// The body of an item of a kind.
pub trait ItemBody: Clone + Default + PartialEq + Serialize + DeserializeOwned {
    /// Its kind.
    const KIND: ItemKind;

    /// Returns its identity: a name, a command; for a rule its sentence.
    fn name(&self) -> &str;

    /// Returns the name from a model's spelling, without characters that do not belong to it.
    fn plain_name(&self) -> &str {
        self.name().trim()
    }

    /// Returns a second part of the name, which distinguishes items with the same name: a kind, a resource.
    fn detail(&self) -> Option<&str> {
        None
    }

    /// Returns its main text.
    fn text(&self) -> &str;

    /// Returns its second text.
    fn more(&self) -> &str {
        ""
    }

    /// Returns names and phrases of it that the cited lines must contain.
    fn mentions(&self) -> &[String] {
        &[]
    }

    /// Returns the texts of its columns, in the order of [`ItemKind::columns`].
    fn columns(&self) -> Vec<Option<&str>> {
        Vec::new()
    }

    /// Makes one with this name and no content.
    fn named(name: &str, detail: Option<&str>) -> Self;

    /// Sets its main text.
    fn say(&mut self, text: String, more: String);

    /// Takes over fields besides the texts from another item with the same name: a field that is empty here, an entry that a list lacks. Fields that
    /// only the parser sets are taken only from a parser's item.
    fn join(&mut self, other: &Self, is_parsers: bool);
}

/// A text field.
pub(crate) trait TextField {
    fn text(&self) -> Option<&str>;
    fn put(&mut self, text: String);
}

/// A field that can be taken over from another item.
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

impl<T: Clone> Join for Option<T> {
    fn join(&mut self, other: &Self) {
        if self.is_none() {
            self.clone_from(other);
        }
    }
}

impl Join for bool {
    fn join(&mut self, other: &Self) {
        *self |= other;
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

/// Implements [`ItemBody`] for a body. `name`, `detail`, `text` and `more` are the fields behind its functions; `said` and `parsed` are the fields
/// that are taken over: from any writer, and from the parser only.
macro_rules! item_kind {
    ($body:ident {
        lists: [$($path:literal: $noun:literal),+],
        named_by: $named_by:expr,
        owner: $owner:ident,
        asked: [$($asked:ident: $shape:ident $(($choices:expr))? $(= $hint:literal)?),*],
        $(mark: $mark:ident,)?
        name: $name:ident $(by $plain:expr)?,
        $(detail: $detail:ident,)?
        text: $text:ident,
        $(more: $more:ident,)?
        $(mentions: $mentions:ident,)?
        $(said: [$($said:ident),*],)?
        $(parsed: [$($parsed:ident),*],)?
        $(columns: [$($column:ident: $about:literal);*],)?
    }) => {
        impl $crate::item_kinds::ItemBody for $body {
            const KIND: $crate::item_kinds::ItemKind = $crate::item_kinds::ItemKind {
                lists: &[$($crate::item_kinds::ItemList { path: $path, noun: $noun }),+],
                named_by: &$named_by,
                owner: $crate::item_kinds::ItemOwner::$owner,
                requested_fields: &[$($crate::item_kinds::RequestedField {
                    name: stringify!($asked),
                    shape: $crate::item_kinds::FieldShape::$shape $(($choices))?,
                    about: [$(Some($hint),)? None][0],
                }),*],
                mark: [$(Some(stringify!($mark)),)? None][0],
                columns: &[$($($crate::item_kinds::ItemColumn {
                    field: stringify!($column),
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
pub static ITEM_KINDS: [&ItemKind; 14] = [
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
    &RecordState::KIND,
    &Hazard::KIND,
    &OpenQuestion::KIND,
];

/// Returns a name unchanged.
pub(crate) fn as_written(name: &str) -> &str {
    name
}

/// Returns the name of a paragraph without the period of its header, which models include.
pub(crate) fn header(name: &str) -> &str {
    name.trim().trim_end_matches('.')
}

/// Returns a name without the quotation marks that a source or Markdown puts around it.
pub(crate) fn unquoted(name: &str) -> &str {
    name.trim().trim_matches(['\'', '"', '`'])
}
