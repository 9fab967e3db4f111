//! Finds what a query reads.

use super::SqlName;
use super::cursor::TokenCursor;
use super::tokens::{DdlTokenKind, tokens_of};
use foldhash::{HashSet, HashSetExt};
use sqlparser::ast::{Expr, Query, SelectItem, SetExpr, Statement};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

/// Words after which no table is named until the next FROM or JOIN.
const ENDS_FROM: [&str; 15] = [
    "WHERE", "GROUP", "ORDER", "HAVING", "UNION", "EXCEPT", "INTERSECT", "SET", "VALUES", "SELECT", "FETCH", "FOR",
    "WITH", "OPTIMIZE", "WHEN",
];
/// Words that are not tables where a table is expected.
const NO_TABLE: [&str; 7] = ["TABLE", "LATERAL", "FINAL", "OLD", "NEW", "UNNEST", "XMLTABLE"];
/// The maximum number of words in a query whose columns are parsed, and its maximum depth of parentheses: the SQL parser backtracks in
/// nested text, and column names are not worth more time.
const MOST_WORDS: usize = 4000;
const DEEPEST: usize = 12;

/// The state of one open pair of parentheses.
#[derive(Clone, Copy, Default)]
struct ParenthesesState {
    /// Whether the next name is a table.
    expects: bool,
    /// Whether a comma introduces another table.
    lists: bool,
    /// Whether FROM belongs to a query, not to a function.
    is_query: bool,
}

/// Returns the tables and views that a query of this text mentions, each once.
pub(crate) fn tables_in(text: &str) -> Vec<SqlName> {
    referenced_tables(TokenCursor::new(text, &tokens_of(text)))
}

/// Returns the tables and views that a statement mentions, each once, in source order, without those that its WITH defines.
pub(super) fn referenced_tables(statement: TokenCursor<'_>) -> Vec<SqlName> {
    let own = common_tables(statement);
    let mut known = HashSet::new();
    let mut found = Vec::new();
    let mut frames = vec![ParenthesesState { is_query: true, ..ParenthesesState::default() }];
    let mut words = statement;
    let mut before_is_distinct = false;
    while !words.is_done() {
        let Some(frame) = frames.last_mut() else { return found };
        let was_distinct = std::mem::replace(&mut before_is_distinct, words.is("DISTINCT"));
        if words.eat_symbol('(') {
            let is_query = words.is_any(&["SELECT", "WITH", "VALUES"]);
            let holds_tables = frame.expects && !is_query;
            frame.expects = false;
            frames.push(ParenthesesState {
                expects: holds_tables,
                lists: holds_tables,
                is_query: is_query || holds_tables,
            });
            continue;
        }
        if words.is_symbol(')') {
            if frames.len() > 1 {
                frames.pop();
            }
        } else if words.is_symbol(',') {
            frame.expects = frame.lists;
        } else if words.is("FROM") && frame.is_query && !was_distinct {
            (frame.expects, frame.lists) = (true, true);
        } else if words.is("JOIN") || words.is("USING") && !words.is_symbol_ahead(1, '(') {
            frame.expects = true;
        } else if words.is("INTO") {
            (frame.expects, frame.lists) = (true, false);
        } else if words.is_any(&ENDS_FROM) {
            (frame.expects, frame.lists) = (false, false);
        } else if frame.expects && words.is_any(&NO_TABLE) {
            // FINAL TABLE and similar forms contain a statement, a table function its arguments.
            frame.expects = words.is_any(&["FINAL", "OLD", "NEW"]) && words.is_ahead(1, "TABLE");
        } else if frame.expects && matches!(words.kind(), Some(DdlTokenKind::Word | DdlTokenKind::Quoted)) {
            frame.expects = false;
            if let Some(name) = words.name()
                && !(name.schema.is_none() && own.contains(&name.name))
                && known.insert(name.clone())
            {
                found.push(name);
            }
            continue;
        }
        words.skip();
    }
    found
}

/// Returns the names that WITH gives to queries of the statement: `name (columns) AS (SELECT`.
fn common_tables(statement: TokenCursor<'_>) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut words = statement;
    while !words.is_done() {
        let follows = words.is_any(&["WITH", "RECURSIVE"]) || words.is_symbol(',');
        words.skip();
        if !follows || !matches!(words.kind(), Some(DdlTokenKind::Word | DdlTokenKind::Quoted)) {
            continue;
        }
        let mut ahead = words;
        let name = ahead.identifier();
        // The columns of such a query are plain names: a longer group is something else and is not searched.
        if ahead.eat_symbol('(') {
            while matches!(ahead.kind(), Some(DdlTokenKind::Word | DdlTokenKind::Quoted)) || ahead.is_symbol(',') {
                ahead.skip();
            }
            ahead.eat_symbol(')');
        }
        if ahead.eat("AS") && ahead.eat_symbol('(') && ahead.is_any(&["SELECT", "WITH", "VALUES"]) {
            names.extend(name);
        }
    }
    names
}

/// Returns the column names of a query's result, if every column has a name.
pub(super) fn result_columns(query: TokenCursor<'_>) -> Vec<String> {
    let tokens = query.tokens().len();
    if tokens > MOST_WORDS || depth(query) > DEEPEST {
        return Vec::new();
    }
    let parsed = Parser::parse_sql(&GenericDialect {}, &query.text());
    match parsed.ok().and_then(|statements| statements.into_iter().next()) {
        Some(Statement::Query(query)) => of_query(&query).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn of_query(query: &Query) -> Option<Vec<String>> {
    of_set(&query.body)
}

fn of_set(set: &SetExpr) -> Option<Vec<String>> {
    match set {
        SetExpr::Select(select) => select.projection.iter().map(of_item).collect(),
        SetExpr::Query(query) => of_query(query),
        SetExpr::SetOperation { left, .. } => of_set(left),
        _ => None,
    }
}

fn of_item(item: &SelectItem) -> Option<String> {
    let name = match item {
        SelectItem::ExprWithAlias { alias, .. } => alias,
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => name,
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(names)) => names.last()?,
        _ => return None,
    };
    Some(if name.quote_style.is_some() { name.value.clone() } else { name.value.to_uppercase() })
}

fn depth(query: TokenCursor<'_>) -> usize {
    let (mut words, mut depth, mut deepest) = (query, 0_usize, 0);
    while !words.is_done() {
        if words.is_symbol('(') {
            depth += 1;
        } else if words.is_symbol(')') {
            depth = depth.saturating_sub(1);
        }
        deepest = deepest.max(depth);
        words.skip();
    }
    deepest
}
