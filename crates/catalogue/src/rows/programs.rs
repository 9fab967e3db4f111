//! Programs with their paragraphs, rules and calls.

use super::{RowBuilder, at, said, some};
use crate::row::CatalogueRow;
use crate::row_kind::RowKind;
use war_rig_template::{CitationStatus, Document, DocumentStatus, ItemOrigin, ProgramUnit};

pub(super) fn programs(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let programs = apart.document.programs.iter().enumerate();
    programs.map(|(place, program)| of_program(apart, program, place == 0)).collect()
}

/// Creates the row of a program. The first program gets the purpose of the source.
fn of_program(apart: &RowBuilder<'_>, program: &ProgramUnit, is_first: bool) -> CatalogueRow {
    let document = apart.document;
    let (header, purpose, context) = (&document.header, &document.purpose, &document.calling_context);
    let status = match header.status {
        DocumentStatus::Complete => "complete",
        DocumentStatus::Partial => "partial",
        DocumentStatus::Failed => "failed",
    };
    let unsupported = document.citations().filter(|citation| citation.status() == CitationStatus::Unsupported).count();
    let run_by = |kind: &str| {
        let runs = context.run_by.iter().filter(|run| run.kind == kind);
        super::once(runs.map(|run| run.name.as_str()))
    };
    let row = if is_first {
        apart.cited(RowKind::Programs, &purpose.citations)
    } else {
        CatalogueRow::new(RowKind::Programs)
    };
    let row = match is_first && !purpose.summary.trim().is_empty() {
        true => said(row, purpose.origin, purpose.confidence)
            .with("summary", some(&purpose.summary))
            .with("business_context", purpose.business_context.as_deref().and_then(some))
            .with("main_line", purpose.main_line.as_deref().and_then(some)),
        false => said(row, ItemOrigin::Parser, None).with("summary", some(&program.summary)),
    };
    let own = ProgramScope { program, is_only: apart.only_program.is_some() };
    at(row, apart.file(), program.lines)
        .with("name", some(&program.program_id))
        .with("type", some(&purpose.program_type))
        .with("status", status)
        .with("produced_by", some(&header.produced_by))
        .with("lines", program.lines.count())
        .with("paragraphs", own.count(&document.paragraphs, |paragraph| &paragraph.program))
        .with("dead_paragraphs", own.dead(document))
        .with("rules", own.count(&document.business_rules, |rule| &rule.program))
        .with("calls", own.count(&document.called_programs, |call| &call.program))
        .with("unsupported", unsupported)
        .with("called_by", context.called_by.clone())
        .with("steps", run_by("step"))
        .with("transactions", run_by("transaction"))
}

/// What belongs to a program. In a file with one program, items do not name their program.
struct ProgramScope<'a> {
    program: &'a ProgramUnit,
    is_only: bool,
}

impl ProgramScope<'_> {
    fn has(&self, program: &Option<String>) -> bool {
        match program {
            Some(program) => *program == self.program.program_id,
            None => self.is_only,
        }
    }

    fn count<T>(&self, items: &[T], program: impl Fn(&T) -> &Option<String>) -> usize {
        items.iter().filter(|item| self.has(program(item))).count()
    }

    fn dead(&self, document: &Document) -> usize {
        let dead = document.paragraphs.iter().filter(|paragraph| paragraph.is_dead_code);
        dead.filter(|paragraph| self.has(&paragraph.program)).count()
    }
}

pub(super) fn paragraphs(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let rows = apart.document.paragraphs.iter().map(|paragraph| {
        apart
            .item(RowKind::Paragraphs, paragraph)
            .with("name", some(&paragraph.paragraph_name))
            .with("section", paragraph.section.as_deref())
            .with("summary", some(&paragraph.summary))
            .with("details", paragraph.details.clone())
            .with("purpose", paragraph.purpose.as_deref().and_then(some))
            .with("dead", paragraph.is_dead_code)
            .with("dead_because", paragraph.dead_because.as_deref())
            .with("label_only", paragraph.is_label_only)
            .with("calls", paragraph.calls.clone())
            .with("called_by", paragraph.called_by.clone())
            .with("uses", paragraph.uses.clone())
            .with("reads", paragraph.reads.clone())
            .with("writes", paragraph.writes.clone())
    });
    rows.collect()
}

pub(super) fn rules(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let rows = apart.document.business_rules.iter().map(|rule| {
        apart
            .item(RowKind::Rules, rule)
            .with("name", some(&rule.rule_id))
            .with("description", some(&rule.description))
            .with("logic", rule.logic_summary.as_deref().and_then(some))
            .with("conditions", rule.conditions.clone())
            .with("decides", rule.decides.as_deref())
            .with("data_items", rule.data_items.clone())
            .with_columns(&rule.body)
    });
    rows.collect()
}

pub(super) fn calls(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let mut rows = Vec::new();
    for call in &apart.document.called_programs {
        let row = |name: &str| {
            apart
                .item(RowKind::Calls, call)
                .with("name", some(name))
                .with("type", some(&call.call_type))
                .with("purpose", some(&call.purpose))
                .with("parameters", call.parameters.clone())
                .with("defined_in", callee(apart, name))
        };
        // A call through an item is a call of each program that the item may name.
        match call.may_call.as_slice() {
            [] => rows.push(row(&call.program_name)),
            named => rows.extend(named.iter().map(|name| row(name).with("named_in", some(&call.program_name)))),
        }
    }
    rows
}

/// Returns the source of a called program, which can be the caller's own.
fn callee<'a>(apart: &RowBuilder<'a>, name: &str) -> Option<&'a str> {
    let is_here = apart.document.programs.iter().any(|program| program.program_id.eq_ignore_ascii_case(name));
    if is_here { Some(apart.file()) } else { apart.defined_in("program", name) }
}
