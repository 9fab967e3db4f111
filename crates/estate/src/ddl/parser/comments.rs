//! Parses the texts of COMMENT ON and LABEL ON for tables and columns.

use super::{DdlParser, StatementSummary};
use crate::ddl::cursor::TokenCursor;
use crate::ddl::table::TableElement;
use crate::ddl::{DdlColumn, SqlName};
use war_rig_text::LineRange;

impl DdlParser {
    /// Parses `COMMENT ON TABLE t IS '...'`, `COMMENT ON COLUMN t.c IS '...'`, `COMMENT ON t (c IS '...', ...)`, and the same forms of LABEL.
    pub(super) fn comment(&mut self, first: &str, words: &mut TokenCursor<'_>, lines: LineRange) -> StatementSummary {
        words.eat("ON");
        let is_plain = !words.is_ahead(1, "IS") && !words.is_symbol_ahead(1, '.') && !words.is_symbol_ahead(1, '(');
        let kind = if is_plain { words.word().unwrap_or_default() } else { String::new() };
        let verb = format!("{first} ON {kind}").trim_end().to_owned();
        let is_label = first == "LABEL";
        if kind == "COLUMN" {
            let Some(column) = words.name() else { return self.unnamed(verb, lines) };
            let mut table = column.schema.unwrap_or_default();
            let schema = table.rfind('.').map(|point| table[..point].to_owned());
            if let Some(schema) = &schema {
                table.drain(..=schema.len());
            }
            let table = self.qualified(SqlName { schema, name: table });
            words.eat("IS");
            if let Some(text) = words.quoted_text() {
                self.comment_on_column(&table, &column.name, text, is_label, lines);
            }
            return (verb, Some(table), Vec::new());
        }
        let Some(name) = self.name(words) else { return self.unnamed(verb, lines) };
        if let Some((group, _)) = words.group() {
            self.table(&name, lines);
            for mut part in group.parts() {
                let Some(column) = part.identifier() else { continue };
                let lines = part.lines().unwrap_or(lines);
                part.eat("IS");
                if let Some(text) = part.quoted_text() {
                    self.comment_on_column(&name, &column, text, is_label, lines);
                }
            }
        } else if matches!(kind.as_str(), "TABLE" | "") {
            words.eat("IS");
            let at = self.table(&name, lines);
            let table = &mut self.ddl.tables[at];
            let told = if is_label { &mut table.label } else { &mut table.comment };
            *told = words.quoted_text().or(told.take());
        }
        (verb, Some(name), Vec::new())
    }

    pub(super) fn comment_on_column(
        &mut self,
        table: &SqlName,
        name: &str,
        text: String,
        is_label: bool,
        lines: LineRange,
    ) {
        let at = self.table(table, lines);
        if !self.columns.contains_key(&(at, name.to_owned())) {
            // Another source creates the table and its columns.
            let column = DdlColumn {
                name: name.to_owned(),
                data_type: String::new(),
                length: None,
                scale: None,
                nullable: true,
                default: None,
                generated: None,
                for_data: None,
                comment: None,
                label: None,
                lines,
            };
            self.add(at, TableElement::Column(column, Vec::new()));
        }
        if let Some(column) = self.columns.get(&(at, name.to_owned())) {
            let column = &mut self.ddl.tables[at].columns[*column];
            *(if is_label { &mut column.label } else { &mut column.comment }) = Some(text);
        }
    }
}
