//! Describes database tables.

use super::statements::some;
use super::writer::{NonCobolWriter, access_in_words};
use super::{comments, purpose};
use crate::phrases::{count, list};
use foldhash::{HashMap, HashMapExt};
use std::collections::BTreeMap;
use war_rig_estate::ddl::{DdlColumn, DdlIndex, DdlSource, DdlTable, DdlView, SqlName};
use war_rig_estate::{EdgeKind, NodeId, NodeKind};
use war_rig_template::{ColumnUnit, Document, ForeignKeyUnit, IndexUnit, KeyUnit, Mention, TableUnit};
use war_rig_text::LineRange;

impl NonCobolWriter<'_> {
    /// Describes a source of SQL statements.
    pub(super) fn ddl(&self, source: &DdlSource, document: &mut Document) {
        self.tables(source, document);
        let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for table in &document.tables {
            kinds.entry(table.kind.as_str()).or_default().push(table.table_name.clone());
        }
        let mut sentences = Vec::new();
        sentences
            .extend(comments::at_the_top(self.source, &["--"]).map(|said| comments::quoted(&said, "its own comment")));
        let told: Vec<String> = kinds
            .iter()
            .filter(|(kind, _)| **kind != ELSEWHERE)
            .map(|(kind, names)| format!("{} ({})", count(names.len(), kind), some(names)))
            .collect();
        if !told.is_empty() {
            sentences.push(format!("defines {}", list(&told)));
        }
        let indexes: usize = document.tables.iter().map(|table| table.indexes.len()).sum();
        if let Some(names) = kinds.get(ELSEWHERE) {
            sentences.push(format!("adds to {}, which another source creates", some(names)));
        }
        if indexes > 0 {
            let indexes = if indexes == 1 { "1 index".to_owned() } else { format!("{indexes} indexes") };
            sentences.push(format!("defines {indexes}"));
        }
        let mut verbs: BTreeMap<&str, usize> = BTreeMap::new();
        let told = |verb: &str| {
            ["TABLE", "VIEW", "INDEX"].iter().any(|object| verb.starts_with("CREATE") && verb.ends_with(object))
        };
        for statement in source.statements.iter().filter(|statement| !told(&statement.verb)) {
            *verbs.entry(&statement.verb).or_default() += 1;
        }
        let verbs: Vec<String> = verbs.iter().map(|(verb, times)| format!("{verb} ({times})")).collect();
        if !verbs.is_empty() {
            sentences.push(format!("other statements in it: {}", some(&verbs)));
        }
        let first = document.tables.first().map(|table| table.citations.clone());
        let first = first.or_else(|| {
            let statement = source.statements.first()?;
            let anchor = statement.verb.split(' ').next().unwrap_or_default();
            Some(self.cite(statement.lines, &[anchor]))
        });
        document.purpose = purpose(sentences, "table definitions", first.unwrap_or_default());
    }

    /// Describes the tables, views and indexes in a source or in the lines of a job.
    pub(super) fn tables(&self, source: &DdlSource, document: &mut Document) {
        let before = document.tables.len();
        document.tables.extend(source.tables.iter().map(|table| self.table(table)));
        document.tables.extend(source.views.iter().map(|view| self.view(view)));
        // If later entries have the same name, the first one is meant.
        let mut places: HashMap<String, usize> = HashMap::new();
        for (place, table) in document.tables.iter().enumerate().skip(before) {
            places.entry(table.table_name.clone()).or_insert(place);
            places.entry(last_part(&table.table_name)).or_insert(place);
        }
        for index in &source.indexes {
            let name = index.table.to_string();
            let known = places.get(&name).or_else(|| places.get(&last_part(&name))).copied();
            let place = known.unwrap_or_else(|| {
                document.tables.push(self.unit(&index.table, ELSEWHERE, index.lines));
                let place = document.tables.len() - 1;
                places.insert(last_part(&name), place);
                place
            });
            document.tables[place].indexes.push(self.index(index));
        }
    }

    fn table(&self, table: &DdlTable) -> TableUnit {
        let kind = match (table.is_created, table.is_temporary) {
            (_, true) => "temporary table",
            (true, false) => "table",
            (false, false) => ELSEWHERE,
        };
        let unit = self.unit(&table.name, kind, table.lines);
        let storage = [
            table.database.as_ref().map(|name| format!("database {name}")),
            table.table_space.as_ref().map(|name| format!("table space {name}")),
        ];
        let storage: Vec<String> = storage.into_iter().flatten().collect();
        let key = |kind: &str, columns: &[String]| KeyUnit { kind: kind.to_owned(), columns: columns.to_vec() };
        let primary = table.primary_key.iter().map(|found| key("primary", &found.columns));
        TableUnit {
            description: table.comment.clone().or_else(|| table.label.clone()),
            storage: (!storage.is_empty()).then(|| storage.join(", ")),
            columns: table.columns.iter().map(column).collect(),
            rests_on: table.like.iter().map(|like| self.of_table(like, Some("LIKE".to_owned()))).collect(),
            keys: primary.chain(table.unique_keys.iter().map(|found| key("unique", &found.columns))).collect(),
            foreign_keys: table
                .foreign_keys
                .iter()
                .map(|found| ForeignKeyUnit {
                    columns: found.columns.clone(),
                    references: self.of_table(
                        &found.references,
                        (!found.referenced_columns.is_empty()).then(|| found.referenced_columns.join(", ")),
                    ),
                    on_delete: found.on_delete.as_deref().map(on_delete),
                })
                .collect(),
            checks: table.checks.iter().map(|check| check.condition.clone()).collect(),
            ..unit
        }
    }

    fn view(&self, view: &DdlView) -> TableUnit {
        let unit = self.unit(&view.name, "view", view.lines);
        TableUnit {
            columns: view
                .columns
                .iter()
                .map(|name| ColumnUnit {
                    column_name: name.clone(),
                    column_type: String::new(),
                    nullable: true,
                    default: None,
                    description: None,
                    lines: view.lines,
                })
                .collect(),
            rests_on: view.tables.iter().map(|table| self.of_table(table, None)).collect(),
            ..unit
        }
    }

    fn index(&self, index: &DdlIndex) -> IndexUnit {
        let columns = index.columns.iter().map(|column| match column.is_descending {
            true => format!("{} descending", column.name),
            false => column.name.clone(),
        });
        IndexUnit {
            index_name: index.name.to_string(),
            is_unique: index.is_unique,
            columns: columns.collect(),
            citations: self.cite(index.lines, &[&index.name.name, "INDEX"]),
        }
    }

    /// Describes a table with its uses in the rest of the estate.
    fn unit(&self, name: &SqlName, kind: &str, lines: LineRange) -> TableUnit {
        let id = NodeId::new(NodeKind::Table, &name.to_string());
        let joined = self.graph.first_version(&id);
        let accesses = self.graph.incoming_edges(joined).filter(|edge| edge.relation == EdgeKind::Accesses);
        let rests = self.graph.incoming_edges(joined).filter(|edge| edge.relation == EdgeKind::Uses);
        let document = self.document_of(&id).filter(|file| file != self.source.name());
        TableUnit {
            table_name: name.to_string(),
            kind: kind.to_owned(),
            document: document.filter(|_| kind == ELSEWHERE),
            lines,
            description: None,
            storage: None,
            columns: Vec::new(),
            rests_on: Vec::new(),
            keys: Vec::new(),
            foreign_keys: Vec::new(),
            checks: Vec::new(),
            indexes: Vec::new(),
            referred_to_by: self.users(rests, |edge| edge.detail.clone()).named,
            used_by: self.users(accesses, |edge| {
                let words = access_in_words(&edge.access);
                edge.detail.clone().filter(|words| !words.is_empty()).or(Some(words))
            }),
            citations: self.cite(lines, &[&name.name, "TABLE", "VIEW", "INDEX"]),
        }
    }

    fn of_table(&self, name: &SqlName, detail: Option<String>) -> Mention {
        self.mention(NodeKind::Table, &name.to_string(), detail)
    }
}

/// Returns a table's name without its schema.
fn last_part(name: &str) -> String {
    name.rsplit('.').next().unwrap_or(name).to_uppercase()
}

/// The description of a table that another source creates.
const ELSEWHERE: &str = "table of another source";

fn column(column: &DdlColumn) -> ColumnUnit {
    let sizes: Vec<String> = [column.length, column.scale].into_iter().flatten().map(|size| size.to_string()).collect();
    let mut column_type = column.data_type.clone();
    if !sizes.is_empty() {
        column_type.push_str(&format!("({})", sizes.join(", ")));
    }
    column_type.extend(column.for_data.iter().map(|data| format!(" FOR {data} DATA")));
    let default = column.default.as_ref().map(|default| match default.as_str() {
        "DEFAULT" => "that of its type".to_owned(),
        default => default.to_owned(),
    });
    let generated = column.generated.as_ref().map(|generated| format!("generated {generated}"));
    ColumnUnit {
        column_name: column.name.clone(),
        column_type,
        nullable: column.nullable,
        default: default.or(generated),
        description: column.comment.clone().or_else(|| column.label.clone()),
        lines: column.lines,
    }
}

/// Words what happens to rows that refer to a deleted row.
fn on_delete(action: &str) -> String {
    match action {
        "CASCADE" => "rows are deleted with the one they refer to".to_owned(),
        "RESTRICT" | "NO ACTION" => "a row that is referred to cannot be deleted".to_owned(),
        "SET NULL" => "rows lose the reference when the one they refer to is deleted".to_owned(),
        other => format!("ON DELETE {other}"),
    }
}
