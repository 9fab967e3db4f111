//! From a query to statements. User input goes into them as parameters, never as text.
//!
//! One or more [`RowScan`]s, one after the other, answer a query: the searches for its words from the best matches on, and if a page continues
//! after a row, the remaining rows that the order does not distinguish from it. So each statement follows an index or the order of the rows, and
//! a page costs only what it contains, however far it is from the first.

use super::results::RowPosition;
use super::schema::{ROW_BITS, column, rows_of, words_of};
use crate::{
    FieldComparison, FieldCondition, FieldDefinition, FieldIndex, FieldType, Filter, FilterLiteral, Query, RowKind,
    RowOrder, SearchWords,
};
use rusqlite::types::Value as Column;
use war_rig_store::sqlite::StoreFault;

/// A condition in SQL with its parameters, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SqlFragment {
    pub(super) text: String,
    pub(super) parameters: Vec<Column>,
}

impl SqlFragment {
    fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), parameters: Vec::new() }
    }

    fn with(text: impl Into<String>, parameter: impl Into<Column>) -> Self {
        Self { text: text.into(), parameters: vec![parameter.into()] }
    }

    fn push(&mut self, other: SqlFragment) {
        self.text.push_str(&other.text);
        self.parameters.extend(other.parameters);
    }

    fn and(&mut self, other: SqlFragment) {
        self.text.push_str(if self.text.is_empty() { " WHERE " } else { " AND " });
        self.push(other);
    }
}

/// The rows that one statement finds, in query order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RowScan {
    /// The common key of its rows' positions, which identifies the search. `None` if each row has its own key, or none.
    pub(super) key: Option<u64>,
    /// The words to search for.
    search: Option<String>,
    /// Where it starts.
    after: Option<SqlFragment>,
}

/// Returns the expression for a row's number. In a word search, it is that of the word table, so that bounds on numbers avoid reading other rows.
fn id(query: &Query) -> &'static str {
    if query.words.is_some() { "w.rowid" } else { "r.id" }
}

/// Returns the order of rows, in SQL.
fn order_of(query: &Query) -> String {
    let id = id(query);
    match query.order {
        RowOrder::Place | RowOrder::Relevance => id.to_owned(),
        RowOrder::Field { field, is_descending } => {
            let direction = if is_descending { " DESC" } else { "" };
            format!("{}{direction}, {id}", sorted(query.kind, field))
        }
    }
}

/// Returns the value that rows are sorted by.
fn sorted(kind: RowKind, field: usize) -> String {
    match column(&kind.fields()[field]) {
        Some(column) => format!("r.\"{column}\""),
        None => of_document(&kind.fields()[field]),
    }
}

/// Returns the value of a field that is stored once per document.
fn of_document(field: &FieldDefinition) -> String {
    format!("(SELECT {} FROM documents WHERE position = r.id >> {ROW_BITS}) COLLATE NOCASE", field.name)
}

/// The most rows that are ranked by more than their names: beyond that, each page would have to read all of them.
pub(super) const RANKED: u64 = 10_000;

/// Returns the scans of a whole query with this many rows.
pub(super) fn whole(query: &Query, total: u64) -> Vec<RowScan> {
    stretches(query, total <= RANKED)
}

fn stretches(query: &Query, with_prose: bool) -> Vec<RowScan> {
    match (&query.words, query.order) {
        (None, _) => vec![RowScan { key: None, search: None, after: None }],
        (Some(words), RowOrder::Relevance) => words
            .ranked_expressions(with_prose)
            .into_iter()
            .map(|(key, search)| RowScan { key: Some(key), search: Some(search), after: None })
            .collect(),
        (Some(words), RowOrder::Place | RowOrder::Field { .. }) => {
            vec![RowScan { key: None, search: Some(words.match_all_expression()), after: None }]
        }
    }
}

/// Returns the scans for everything after a row. `id` is its number, or that of the last row before its former position.
pub(super) fn after(query: &Query, place: &RowPosition, id: i64, total: u64) -> Result<Vec<RowScan>, StoreFault> {
    let behind = SqlFragment::with(format!("{} > ?", self::id(query)), id);
    // A walk that is past the names continues as it started, however many rows there are now.
    let reached = place.key.as_u64().unwrap_or_default();
    let mut stretches = stretches(query, SearchWords::rank_includes_prose(reached).unwrap_or(total <= RANKED));
    match query.order {
        RowOrder::Place => stretches.iter_mut().for_each(|stretch| stretch.after = Some(behind.clone())),
        RowOrder::Relevance => {
            stretches.retain(|stretch| stretch.key >= Some(reached));
            for stretch in stretches.iter_mut().filter(|stretch| stretch.key == Some(reached)) {
                stretch.after = Some(behind.clone());
            }
        }
        RowOrder::Field { field, is_descending } => {
            let of = query.kind.fields()[field];
            let sorted = sorted(query.kind, field);
            let search = stretches.first().and_then(|stretch| stretch.search.clone());
            let stretch = |after: SqlFragment| RowScan { key: None, search: search.clone(), after: Some(after) };
            let mut same = SqlFragment::plain(format!("{sorted} IS "));
            let key = key_column(&place.key, of.field_type)?;
            same.push(SqlFragment::with("?", key.clone()));
            same.push(SqlFragment::plain(" AND "));
            same.push(behind);
            stretches = vec![stretch(same)];
            // Absent values come first, or last in descending order.
            match (key, is_descending) {
                (Column::Null, false) => {
                    stretches.push(stretch(SqlFragment::plain(format!("{sorted} IS NOT NULL"))));
                }
                (Column::Null, true) => {}
                (key, false) => stretches.push(stretch(SqlFragment::with(format!("{sorted} > ?"), key))),
                (key, true) => {
                    stretches.push(stretch(SqlFragment::with(format!("{sorted} < ?"), key)));
                    stretches.push(stretch(SqlFragment::plain(format!("{sorted} IS NULL"))));
                }
            }
        }
    }
    Ok(stretches)
}

/// Converts the key of a position to the value in its column.
fn key_column(key: &serde_json::Value, holds: FieldType) -> Result<Column, StoreFault> {
    use serde_json::Value;
    Ok(match (key, holds) {
        (Value::Null, _) => Column::Null,
        (Value::String(text), FieldType::Text) => Column::Text(text.clone()),
        (Value::Number(number), FieldType::Number | FieldType::Boolean) if number.is_i64() => {
            Column::Integer(number.as_i64().unwrap_or_default())
        }
        (Value::Number(number), FieldType::Decimal) => Column::Real(number.as_f64().unwrap_or_default()),
        _ => return Err(StoreFault::refused("the place of a row has a key that its order does not have")),
    })
}

/// The bounds of all row numbers of a query, as far as an index provides them at once.
pub(super) type IdBounds = (i64, i64);

/// Returns the statements that find those bounds: the smallest and the largest number that meet a condition of the filter.
pub(super) fn bounds(query: &Query) -> Vec<(String, Vec<Column>)> {
    let kind = query.kind;
    let conditions = query.filter.as_ref().map(conditions).unwrap_or_default();
    let indexed = conditions.into_iter().filter_map(|condition| {
        let field = &kind.fields()[condition.field];
        let FieldComparison::Equal(literal) = &condition.comparison else { return None };
        let column = column(field).filter(|_| *literal != FilterLiteral::Null)?;
        let value = vec![literal_column(literal)];
        match field.index {
            FieldIndex::None => None,
            FieldIndex::Rows => {
                let rows = rows_of(kind);
                let first = |direction: &str| {
                    format!("(SELECT id FROM {rows} WHERE \"{column}\" = ?1 ORDER BY id {direction} LIMIT 1)")
                };
                Some((format!("SELECT {}, {}", first("ASC"), first("DESC")), value))
            }
            FieldIndex::Documents => Some((
                format!(
                    "SELECT min(position) << {ROW_BITS}, (max(position) + 1 << {ROW_BITS}) - 1
                     FROM shared_values WHERE field = '{column}' AND value = ?1"
                ),
                value,
            )),
        }
    });
    indexed.collect()
}

/// Returns the conditions that all rows of a filter meet.
fn conditions(filter: &Filter) -> Vec<&FieldCondition> {
    match filter {
        Filter::Is(condition) => vec![condition],
        Filter::And(filters) => filters.iter().flat_map(conditions).collect(),
        Filter::Or(_) | Filter::Not(_) => Vec::new(),
    }
}

/// Returns the statement for the row numbers of a scan, with the values that they are sorted by, and its parameters except the last two: how
/// many rows, and after how many.
pub(super) fn numbers(query: &Query, stretch: &RowScan, bounds: IdBounds) -> (String, Vec<Column>) {
    let key = match query.order {
        RowOrder::Field { field, .. } => sorted(query.kind, field),
        RowOrder::Place | RowOrder::Relevance => "NULL".to_owned(),
    };
    let rows = rows(query, stretch, bounds);
    let (id, order) = (id(query), order_of(query));
    let text = format!("SELECT {id}, {key}{} ORDER BY {order} LIMIT ? OFFSET ?", rows.text);
    (text, rows.parameters)
}

/// Returns the statement that counts the rows of a query.
pub(super) fn count(query: &Query, bounds: IdBounds) -> (String, Vec<Column>) {
    let search = query.words.as_ref().map(SearchWords::match_all_expression);
    count_of(query, &RowScan { key: None, search, after: None }, bounds)
}

/// Returns the statement that counts the rows of a scan.
pub(super) fn count_of(query: &Query, stretch: &RowScan, bounds: IdBounds) -> (String, Vec<Column>) {
    let rows = rows(query, stretch, bounds);
    (format!("SELECT count(*){}", rows.text), rows.parameters)
}

/// Returns the source of rows, and their conditions.
fn rows(query: &Query, stretch: &RowScan, (first, last): IdBounds) -> SqlFragment {
    let kind = query.kind;
    let (rows, words) = (rows_of(kind), words_of(kind));
    let needs_rows = query.filter.is_some() || matches!(query.order, RowOrder::Field { .. });
    let mut sql = SqlFragment::plain(match (&stretch.search, needs_rows) {
        (None, _) => format!(" FROM {rows} r"),
        // The word table returns its rows in order by itself.
        (Some(_), false) => format!(" FROM {words} w"),
        (Some(_), true) => format!(" FROM {words} w CROSS JOIN {rows} r ON r.id = w.rowid"),
    });
    let mut which = SqlFragment::default();
    if let Some(search) = &stretch.search {
        which.and(SqlFragment::with(format!("w.{words} MATCH ?"), search.clone()));
    }
    if (first, last) != (0, i64::MAX) {
        which.and(SqlFragment {
            text: format!("{} BETWEEN ? AND ?", id(query)),
            parameters: vec![first.into(), last.into()],
        });
    }
    if let Some(filter) = &query.filter {
        which.and(filter_sql(kind, filter));
    }
    if let Some(after) = &stretch.after {
        which.and(after.clone());
    }
    sql.push(which);
    sql
}

/// Converts a filter to SQL: true or false for every row, never unknown.
fn filter_sql(kind: RowKind, filter: &Filter) -> SqlFragment {
    let joined = |filters: &[Filter], word: &str| {
        let mut sql = SqlFragment::plain("(");
        for (at, filter) in filters.iter().enumerate() {
            if at > 0 {
                sql.push(SqlFragment::plain(format!(" {word} ")));
            }
            sql.push(filter_sql(kind, filter));
        }
        sql.push(SqlFragment::plain(")"));
        sql
    };
    match filter {
        Filter::And(filters) => joined(filters, "AND"),
        Filter::Or(filters) => joined(filters, "OR"),
        Filter::Not(filter) => {
            let mut sql = SqlFragment::plain("NOT ");
            sql.push(filter_sql(kind, filter));
            sql
        }
        Filter::Is(condition) => condition_sql(kind, condition),
    }
}

fn condition_sql(kind: RowKind, condition: &FieldCondition) -> SqlFragment {
    let field = &kind.fields()[condition.field];
    match column(field) {
        Some(column) => comparison_sql(&format!("r.\"{column}\""), field.field_type, &condition.comparison),
        None => {
            let value = format!("{} COLLATE NOCASE", field.name);
            let within = comparison_sql(&value, field.field_type, &condition.comparison);
            let of = format!("(r.id >> {ROW_BITS}) IN (SELECT position FROM documents WHERE ");
            let mut sql = SqlFragment::plain(of);
            sql.push(within);
            sql.push(SqlFragment::plain(")"));
            sql
        }
    }
}

fn comparison_sql(value: &str, holds: FieldType, comparison: &FieldComparison) -> SqlFragment {
    let compared = |sign: &str, literal: &FilterLiteral| {
        SqlFragment::with(format!("({value} {sign} ? AND {value} IS NOT NULL)"), literal_column(literal))
    };
    match comparison {
        FieldComparison::Equal(FilterLiteral::Null) => SqlFragment::plain(format!("({value} IS NULL)")),
        FieldComparison::Equal(literal) => SqlFragment::with(format!("({value} IS ?)"), literal_column(literal)),
        FieldComparison::Less(literal) => compared("<", literal),
        FieldComparison::LessOrEqual(literal) => compared("<=", literal),
        FieldComparison::Greater(literal) => compared(">", literal),
        FieldComparison::GreaterOrEqual(literal) => compared(">=", literal),
        FieldComparison::Contains(text) if holds == FieldType::List => SqlFragment::with(
            format!("EXISTS (SELECT 1 FROM json_each({value}) j WHERE j.value = ? COLLATE NOCASE)"),
            text.clone(),
        ),
        FieldComparison::Contains(text) => {
            let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
            SqlFragment::with(format!("({value} LIKE ? ESCAPE '\\' AND {value} IS NOT NULL)"), format!("%{escaped}%"))
        }
        FieldComparison::In(literals) => {
            let known: Vec<&FilterLiteral> =
                literals.iter().filter(|literal| **literal != FilterLiteral::Null).collect();
            let marks = vec!["?"; known.len()].join(", ");
            let mut sql = SqlFragment::plain(format!("(({value} IN ({marks}) AND {value} IS NOT NULL)"));
            sql.parameters.extend(known.iter().map(|literal| literal_column(literal)));
            if known.len() < literals.len() {
                sql.push(SqlFragment::plain(format!(" OR {value} IS NULL")));
            }
            sql.push(SqlFragment::plain(")"));
            sql
        }
    }
}

fn literal_column(literal: &FilterLiteral) -> Column {
    match literal {
        FilterLiteral::Text(text) => Column::Text(text.clone()),
        FilterLiteral::Number(number) => Column::Integer(*number),
        FilterLiteral::Decimal(decimal) => Column::Real(*decimal),
        FilterLiteral::Boolean(truth) => Column::Integer((*truth).into()),
        FilterLiteral::Null => Column::Null,
    }
}
