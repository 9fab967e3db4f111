//! Parses CREATE TABLE and ALTER TABLE.

use super::{DdlParser, StatementSummary, TableOrigin, object_type, once_each};
use crate::ddl::cursor::TokenCursor;
use crate::ddl::table::{self, TableElement};
use crate::ddl::{DdlTable, ForeignKey, SqlName};
use war_rig_cobol::Diagnostic;
use war_rig_text::LineRange;

/// Objects that ALTER TABLE may add besides columns and constraints.
const NO_COLUMN: [&str; 10] = [
    "PARTITION", "PARTITIONING", "RESTRICT", "VERSIONING", "MATERIALIZED", "CLONE", "PERIOD", "ORGANIZE", "VALIDPROC",
    "QUERY",
];

impl DdlParser {
    pub(super) fn create_table(
        &mut self,
        words: &mut TokenCursor<'_>,
        lines: LineRange,
        origin: TableOrigin,
    ) -> (Option<SqlName>, Vec<SqlName>) {
        let Some(name) = self.name(words) else {
            let message = "this statement names no table";
            self.ddl.diagnostics.push(Diagnostic::warning("unnamed-object", lines.start(), message));
            return (None, Vec::new());
        };
        words.eat("TABLE");
        if origin == TableOrigin::Created && self.tables.get(&name).is_some_and(|at| self.ddl.tables[*at].is_created) {
            let message = format!("the table `{name}` is created before");
            self.ddl.diagnostics.push(Diagnostic::note("duplicate-table", lines.start(), message));
        }
        let at = self.table(&name, lines);
        let table = &mut self.ddl.tables[at];
        table.is_created |= origin != TableOrigin::Declared;
        table.is_temporary |= origin == TableOrigin::Temporary;
        if origin == TableOrigin::Created {
            table.lines = lines;
        }
        let mut tables = Vec::new();
        if words.eat("LIKE") {
            let like = words.name();
            self.ddl.tables[at].like = like.map(|like| self.qualified(like));
        } else if let Some((group, is_closed)) = words.group() {
            if !is_closed {
                let message = format!("the columns of `{name}` are not closed");
                self.ddl.diagnostics.push(Diagnostic::warning("unclosed-parenthesis", lines.start(), message));
            }
            if group.is_any(&["SELECT", "WITH"]) {
                tables = self.read_by(group);
            } else {
                for part in group.parts() {
                    self.element(at, part);
                }
            }
        }
        if words.is("AS") {
            tables = self.read_by(*words);
        }
        self.place(at, *words);
        let table = &self.ddl.tables[at];
        tables.extend(table.foreign_keys.iter().map(|key| &key.references).chain(&table.like).cloned());
        (Some(name.clone()), once_each(tables, Some(&name)))
    }

    /// Adds one element of a table.
    pub(super) fn element(&mut self, at: usize, part: TokenCursor<'_>) {
        if let Some(element) = table::parse_element(part) {
            self.add(at, element);
        } else if let Some(lines) = part.lines() {
            let message = format!("`{}` is no column and no constraint", part.token_text().unwrap_or_default());
            self.ddl.diagnostics.push(Diagnostic::warning("unknown-element", lines.start(), message));
        }
    }

    pub(super) fn add(&mut self, at: usize, element: TableElement) {
        let element = match element {
            TableElement::Like(name) => TableElement::Like(self.qualified(name)),
            TableElement::ForeignKey(key) => {
                let references = self.qualified(key.references);
                TableElement::ForeignKey(ForeignKey { references, ..key })
            }
            element => element,
        };
        let table = &mut self.ddl.tables[at];
        match element {
            TableElement::Column(column, constraints) => {
                let known = self.columns.get(&(at, column.name.clone())).copied();
                match known {
                    // A comment preceded the column, or the table is created again.
                    Some(known) => {
                        let before = &mut table.columns[known];
                        let (comment, label) = (before.comment.take(), before.label.take());
                        *before = column;
                        before.comment = before.comment.take().or(comment);
                        before.label = label;
                    }
                    None => {
                        self.columns.insert((at, column.name.clone()), table.columns.len());
                        table.columns.push(column);
                    }
                }
                for constraint in constraints {
                    self.add(at, constraint);
                }
            }
            TableElement::PrimaryKey(key) => table.primary_key = Some(key),
            TableElement::Unique(key) => table.unique_keys.push(key),
            TableElement::Check(check) => table.checks.push(check),
            TableElement::Like(name) => table.like = Some(name),
            TableElement::ForeignKey(key) => table.foreign_keys.push(key),
        }
    }

    /// Parses the location of a table: `IN database.space`, `IN space`, `IN DATABASE database`.
    pub(super) fn place(&mut self, at: usize, words: TokenCursor<'_>) {
        let mut words = words;
        while !words.is_done() {
            if words.group().is_some() {
                continue;
            }
            if !words.eat("IN") {
                words.skip();
                continue;
            }
            let table = &mut self.ddl.tables[at];
            if words.eat("DATABASE") {
                table.database = words.identifier();
            } else if !words.is("ACCELERATOR")
                && let Some(space) = words.name()
            {
                table.database = space.schema;
                table.table_space = Some(space.name);
            }
            return;
        }
    }

    pub(super) fn alter(&mut self, words: &mut TokenCursor<'_>, lines: LineRange) -> StatementSummary {
        let kind = object_type(words);
        let verb = format!("ALTER {kind}");
        let Some(name) = self.name(words) else { return self.unnamed(verb, lines) };
        if kind != "TABLE" {
            return (verb, Some(name), Vec::new());
        }
        let at = self.table(&name, lines);
        let keys = self.ddl.tables[at].foreign_keys.len();
        let mut start = None;
        loop {
            let is_next = words.is_done() || words.is_any(&["ADD", "ALTER", "DROP"]);
            if let Some(from) = start.filter(|_| is_next) {
                let mut added = words.since(from);
                added.eat("COLUMN");
                if !added.is_any(&NO_COLUMN) && !added.is_done() {
                    self.element(at, added.rest());
                }
                start = None;
            }
            if words.is_done() {
                break;
            }
            if words.eat("ADD") {
                start = Some(words.position());
            } else if words.group().is_none() {
                words.skip();
            }
        }
        let added = &self.ddl.tables[at].foreign_keys[keys..];
        let tables = once_each(added.iter().map(|key| key.references.clone()).collect(), Some(&name));
        (verb, Some(name), tables)
    }

    /// Returns the index of a table, which is added if it is unknown.
    pub(super) fn table(&mut self, name: &SqlName, lines: LineRange) -> usize {
        let next = self.ddl.tables.len();
        let at = *self.tables.entry(name.clone()).or_insert(next);
        if at == next {
            self.ddl.tables.push(DdlTable {
                name: name.clone(),
                is_created: false,
                is_temporary: false,
                columns: Vec::new(),
                primary_key: None,
                foreign_keys: Vec::new(),
                unique_keys: Vec::new(),
                checks: Vec::new(),
                like: None,
                database: None,
                table_space: None,
                comment: None,
                label: None,
                lines,
            });
        }
        at
    }
}
