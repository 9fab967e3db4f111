//! The items of an answer, whatever their kind, by the parts they have in common.

use crate::frame::{Entries, Frame};
use war_rig_template::{BlockCitation, PartialInterface, PartialParagraph, PartialTemplate};

/// A kind of thing of which the parser knows all there are, besides paragraphs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartKind {
    Call,
    Copybook,
    Sql,
    Cics,
    Dli,
}

impl PartKind {
    pub(crate) fn entries(self, frame: &mut Frame) -> &mut Entries {
        match self {
            PartKind::Call => &mut frame.calls,
            PartKind::Copybook => &mut frame.copybooks,
            PartKind::Sql => &mut frame.sql,
            PartKind::Cics => &mut frame.cics,
            PartKind::Dli => &mut frame.dli,
        }
    }
}

/// One item of an answer, whatever its kind.
pub(crate) struct Item<'a> {
    pub(crate) field: &'static str,
    pub(crate) name: &'a str,
    /// A second part of its name, by which two of one name are told apart.
    pub(crate) detail: Option<&'a str>,
    pub(crate) text: &'a str,
    pub(crate) citations: &'a [BlockCitation],
}

impl<'a> Item<'a> {
    pub(crate) fn of_interface(field: &'static str, item: &'a PartialInterface) -> Self {
        Self {
            field,
            name: &item.name,
            detail: Some(&item.io_type),
            text: &item.description,
            citations: &item.citations,
        }
    }

    pub(crate) fn of_paragraph(item: &'a PartialParagraph) -> Self {
        // Models write the header as they see it.
        let name = item.paragraph_name.trim().trim_end_matches('.');
        Self { field: "paragraphs", name, detail: None, text: &item.summary, citations: &item.citations }
    }
}

/// The calls, copybooks, SQL, CICS and DL/I of an answer.
pub(crate) fn parts(partial: &PartialTemplate) -> impl Iterator<Item = (PartKind, Item<'_>)> {
    let calls = partial.called_programs.iter().map(|call| Item {
        field: "called_programs",
        name: call.program_name.trim().trim_matches(['\'', '"', '`']),
        detail: Some(&call.call_type),
        text: &call.purpose,
        citations: &call.citations,
    });
    let copies = partial.copybooks_used.iter().map(|copy| Item {
        field: "copybooks_used",
        name: copy.copybook_name.trim().trim_matches(['\'', '"', '`']),
        detail: None,
        text: &copy.purpose,
        citations: &copy.citations,
    });
    let sql = partial.sql_operations.iter().map(|sql| Item {
        field: "sql_operations",
        name: &sql.operation,
        detail: sql.table.as_deref(),
        text: &sql.purpose,
        citations: &sql.citations,
    });
    let cics = partial.cics_operations.iter().map(|cics| Item {
        field: "cics_operations",
        name: &cics.command,
        detail: cics.resource.as_deref(),
        text: &cics.purpose,
        citations: &cics.citations,
    });
    let calls = calls.map(|item| (PartKind::Call, item));
    let copies = copies.map(|item| (PartKind::Copybook, item));
    let sql = sql.map(|item| (PartKind::Sql, item));
    let cics = cics.map(|item| (PartKind::Cics, item));
    let dli = partial.dli_operations.iter().map(|dli| Item {
        field: "dli_operations",
        name: &dli.function,
        detail: dli.segment.as_deref(),
        text: &dli.purpose,
        citations: &dli.citations,
    });
    calls.chain(copies).chain(sql).chain(cics).chain(dli.map(|item| (PartKind::Dli, item)))
}
