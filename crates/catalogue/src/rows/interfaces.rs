//! What a program reads and writes, without repetitions.

use super::RowBuilder;
use crate::row::CatalogueRow;
use crate::row_kind::RowKind;
use war_rig_template::{Citation, DocumentItem, Interface, ItemOrigin};

/// Something that a program reads, writes, or both.
pub(super) struct InterfaceUse<'a> {
    pub(super) item: &'a DocumentItem<Interface>,
    is_read: bool,
    is_written: bool,
    descriptions: Vec<&'a str>,
    copybook: Option<&'a str>,
    citations: Vec<Citation>,
    origin: ItemOrigin,
    confidence: Option<f64>,
}

/// Returns the inputs and outputs; those with the same name and type in a program are joined at the first one's position.
pub(super) fn joined<'a>(apart: &RowBuilder<'a>) -> Vec<InterfaceUse<'a>> {
    let mut found: Vec<InterfaceUse<'a>> = Vec::new();
    let inputs = apart.document.inputs.iter().map(|item| (item, true));
    for (item, is_input) in inputs.chain(apart.document.outputs.iter().map(|item| (item, false))) {
        let key = |item: &'a DocumentItem<Interface>| (&item.name, &item.io_type, &item.program);
        match found.iter_mut().find(|known| key(known.item) == key(item)) {
            Some(known) => known.add(item, is_input),
            None => {
                let mut new = InterfaceUse {
                    item,
                    is_read: false,
                    is_written: false,
                    descriptions: Vec::new(),
                    copybook: None,
                    citations: Vec::new(),
                    origin: item.origin,
                    confidence: None,
                };
                new.add(item, is_input);
                found.push(new);
            }
        }
    }
    found
}

/// Returns the rows of what a model names and the parser found in no statement.
pub(super) fn unseen<'a>(
    apart: &RowBuilder<'a>,
    kind: RowKind,
    io_type: &str,
    is_known: impl Fn(&DocumentItem<Interface>) -> bool,
    defined_in: impl Fn(&str) -> Option<&'a str>,
) -> Vec<CatalogueRow> {
    let uses = joined(apart);
    let unseen = uses.iter().filter(|used| used.item.io_type == io_type && !is_known(used.item));
    let row = |used: &InterfaceUse<'_>| used.row(apart, kind).with("defined_in", defined_in(&used.item.name));
    unseen.map(|used| row(used).with("role", "use")).collect()
}

impl<'a> InterfaceUse<'a> {
    fn add(&mut self, item: &'a DocumentItem<Interface>, is_input: bool) {
        self.is_read |= is_input;
        self.is_written |= !is_input;
        if let Some(description) = super::some(&item.description)
            && !self.descriptions.contains(&description)
        {
            self.descriptions.push(description);
        }
        self.copybook = self.copybook.or(item.copybook.as_deref());
        for citation in &item.citations {
            if !self.citations.contains(citation) {
                self.citations.push(citation.clone());
            }
        }
        if self.origin != item.origin {
            self.origin = ItemOrigin::Both;
        }
        self.confidence = match (self.confidence, item.confidence) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }

    /// Returns how it is used.
    pub(super) fn role(&self) -> &'static str {
        match (self.is_read, self.is_written) {
            (true, true) => "both",
            (false, true) => "output",
            _ => "input",
        }
    }

    pub(super) fn copybook(&self) -> Option<&'a str> {
        self.copybook
    }

    /// Creates a row with its name and description.
    pub(super) fn row(&self, apart: &RowBuilder<'_>, kind: RowKind) -> CatalogueRow {
        let row = apart.in_program(kind, self.item.program.as_deref(), &self.citations);
        let description = self.descriptions.join(" ");
        super::said(row, self.origin, self.confidence)
            .with("name", super::some(&self.item.name))
            .with("description", super::some(&description))
    }
}
