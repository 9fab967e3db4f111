//! Embedded SQL statements.
//!
//! ```text
//! select   = [ "WITH" ... ] "SELECT" ... [ "INTO" host { "," host } ] "FROM" ...
//! values   = "VALUES" ... "INTO" host { "," host }
//! set      = "SET" ( host | "(" host { "," host } ")" ) "=" ...
//! cursor   = "DECLARE" name { option } "CURSOR" { option } "FOR" ( select | name )
//! table    = "DECLARE" name "TABLE" "(" column { "," column } ")"
//! column   = name type [ "NOT" "NULL" ] ...
//! fetch    = "FETCH" [ orientation ] [ "FROM" ] name [ "FOR" n "ROWS" ] [ "INTO" host { "," host } ]
//! prepare  = "PREPARE" name [ "INTO" host ] "FROM" ( host | literal )
//! execute  = "EXECUTE" ( "IMMEDIATE" ( host | literal ) | name [ "USING" host { "," host } ] )
//! ```
//!
//! Statements with tables go to the SQL parser; the rest is parsed here.

use super::token::{EmbeddedToken, EmbeddedTokenKind};
use super::{clauses, dialect, table_collector};
use crate::access::CrudAccess;
use crate::embedded_sql::{HostVariable, HostVariableDirection, SqlParseMethod, SqlStatement, SqlTable};
use crate::tokens::TokenSlice;
use foldhash::{HashSet, HashSetExt};

/// A column of DECLARE TABLE, with the byte offset of its name in the text.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::parse) struct DeclaredColumn {
    pub(in crate::parse) name: String,
    pub(in crate::parse) data_type: String,
    pub(in crate::parse) not_null: bool,
    pub(in crate::parse) at: usize,
}

/// The result for one statement.
#[derive(Debug, Default)]
pub(super) struct StatementParser {
    pub(super) statement: SqlStatement,
    pub(super) columns: Vec<DeclaredColumn>,
}

/// Parses a statement, which its first words identify.
pub(super) fn parse_statement(tokens: TokenSlice<'_, EmbeddedToken>) -> StatementParser {
    let tokens = without_end(tokens);
    let mut read = StatementParser::default();
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.is(word));
    let has = |word: &str| tokens.iter().any(|token| token.is(word));
    let mut directions = VariableDirections::of(tokens);
    let first = tokens.first().filter(|first| first.kind == EmbeddedTokenKind::Word || first.is("("));
    match first.map(|first| first.text.as_str()).unwrap_or_default() {
        "SELECT" | "WITH" | "(" => {
            let query = directions.without_into(tokens);
            read.by_parser(TokenSlice::of(&query));
        }
        "VALUES" => {
            let mut query = directions.without_into(tokens);
            query.iter_mut().take(1).for_each(|first| first.text = "SELECT".to_owned());
            read.by_parser(TokenSlice::of(&query));
        }
        "SET" => set(tokens, &mut directions, &mut read),
        "INSERT" | "UPDATE" | "DELETE" | "MERGE" => read.by_parser(tokens),
        "DECLARE" if has("CURSOR") => cursor(tokens, &mut directions, &mut read),
        "DECLARE" if is(1, "GLOBAL") => {}
        "DECLARE" if has("TABLE") && !has("VARIABLE") => table(tokens, &mut read),
        "FETCH" => {
            // Precompilers also take the list without INTO, right behind the cursor.
            let is_number =
                |at: usize| tokens.get(at).is_some_and(|token| token.is_any(&["ABSOLUTE", "RELATIVE", "FOR"]));
            let is_listed = |at: &usize| tokens.get(*at).is_some_and(EmbeddedToken::is_host) && !is_number(at - 1);
            let into = tokens.iter().position(|token| token.is("INTO"));
            let behind = into.or_else(|| (1..tokens.len()).find(is_listed)).unwrap_or(tokens.len());
            directions.set(behind..tokens.len(), HostVariableDirection::Out);
            let is_positioned = |token: &EmbeddedToken| token.is_any(OTHER_ROWS);
            read.statement.is_positioned = tokens.iter().take(behind).any(is_positioned);
            read.by_grammar();
        }
        "PREPARE" => prepare(tokens, &mut directions, &mut read),
        "EXECUTE" => execute(tokens, &mut read),
        "DESCRIBE" => describe(tokens, &mut directions, &mut read),
        "CALL" => {
            directions.set(2.min(tokens.len())..tokens.len(), HostVariableDirection::InOut);
            read.by_grammar();
        }
        "GET" => {
            let results = (0..tokens.len()).filter(|at| is(at + 1, "="));
            results.for_each(|at| directions.set(at..at + 1, HostVariableDirection::Out));
            read.by_grammar();
        }
        "LOCK" if is(1, "TABLE") => read.one_table(tokens.from(2), CrudAccess::NONE),
        "TRUNCATE" => {
            read.one_table(tokens.from(1 + usize::from(is(1, "TABLE"))), CrudAccess::DELETE);
        }
        "ALLOCATE" | "ASSOCIATE" => {
            directions.set(0..tokens.len(), HostVariableDirection::Out);
            read.by_grammar();
        }
        "BEGIN" | "CLOSE" | "COMMIT" | "CONNECT" | "DECLARE" | "DISCONNECT" | "END" | "FREE" | "HOLD" | "INCLUDE"
        | "OPEN" | "RELEASE" | "ROLLBACK" | "SAVEPOINT" | "WHENEVER" => read.by_grammar(),
        _ => {}
    }
    if read.statement.parsed_by == SqlParseMethod::Words && read.statement.refused.is_none() {
        let first = tokens.first().map(|first| first.text.as_str()).unwrap_or_default();
        read.statement.refused = Some(format!("no grammar here knows statements with `{first}`"));
    }
    read.statement.host_variables = directions.host_variables(tokens);
    read.statement.clauses = clauses::find_clauses(tokens);
    read
}

impl StatementParser {
    fn by_grammar(&mut self) {
        self.statement.parsed_by = SqlParseMethod::Grammar;
    }

    /// Parses tokens with the SQL parser.
    fn by_parser(&mut self, tokens: TokenSlice<'_, EmbeddedToken>) {
        let mut found = table_collector::TableCollector::default();
        match dialect::parse_with_dialect(tokens, &mut found) {
            Ok(()) => {
                self.statement.parsed_by = SqlParseMethod::Parser;
                (self.statement.tables, self.statement.unresolved_columns) = found.finish();
            }
            Err(reason) => self.statement.refused = Some(reason),
        }
    }

    fn one_table(&mut self, tokens: TokenSlice<'_, EmbeddedToken>, accesses: CrudAccess) {
        if let Some(name) = qualified(tokens) {
            self.statement.tables.push(SqlTable { name, accesses, ..SqlTable::default() });
            self.by_grammar();
        }
    }
}

/// Returns the tokens without trailing semicolons.
fn without_end(tokens: TokenSlice<'_, EmbeddedToken>) -> TokenSlice<'_, EmbeddedToken> {
    let end = tokens.iter().rposition(|token| !token.is(";")).map_or(0, |last| last + 1);
    tokens.ending_at(end)
}

fn name(token: &EmbeddedToken) -> Option<String> {
    token.is_name().then(|| token.text.clone())
}

/// Returns the host variable or literal that contains the text of a statement.
fn text_in(token: &EmbeddedToken) -> Option<String> {
    match token.kind {
        EmbeddedTokenKind::Host(_) => Some(token.text.clone()),
        EmbeddedTokenKind::Text => Some(format!("'{}'", token.text)),
        _ => None,
    }
}

/// Returns a name with its schema.
fn qualified(tokens: TokenSlice<'_, EmbeddedToken>) -> Option<String> {
    let mut full = name(tokens.first()?)?;
    let mut rest = tokens.from(1);
    while let (Some(point), Some(part)) = (rest.get(0), rest.get(1))
        && point.is(".")
        && part.is_name()
    {
        full.push('.');
        full.push_str(&part.text);
        rest = rest.from(2);
    }
    Some(full)
}

/// Parses SET: `SET :A = ...` is a query whose result goes to the host variables; other SETs change special registers.
fn set(tokens: TokenSlice<'_, EmbeddedToken>, directions: &mut VariableDirections, read: &mut StatementParser) {
    let mut query = Vec::new();
    let mut depth = 0_usize;
    let mut is_target = true;
    for (at, token) in tokens.iter().enumerate().skip(1) {
        match token.text.as_str() {
            "(" if token.kind == EmbeddedTokenKind::Symbol => depth += 1,
            ")" if token.kind == EmbeddedTokenKind::Symbol => depth = depth.saturating_sub(1),
            "=" if token.kind == EmbeddedTokenKind::Symbol && is_target => {
                is_target = false;
                continue;
            }
            "," if token.kind == EmbeddedTokenKind::Symbol && (depth == 0 || is_target) => {
                if !is_target {
                    query.push(token.clone());
                }
                is_target = true;
                continue;
            }
            _ => {}
        }
        if !is_target {
            query.push(token.clone());
        } else if token.is_host() {
            directions.set(at..at + 1, HostVariableDirection::Out);
        } else if !token.is_any(&["(", ")"]) {
            // A special register.
            read.by_grammar();
            return;
        }
    }
    let Some(first) = tokens.first() else { return };
    query.insert(0, EmbeddedToken { text: "SELECT".to_owned(), ..first.clone() });
    read.by_parser(TokenSlice::of(&query));
}

fn cursor(tokens: TokenSlice<'_, EmbeddedToken>, directions: &mut VariableDirections, read: &mut StatementParser) {
    let behind = tokens.iter().position(|token| token.is("CURSOR")).unwrap_or(tokens.len());
    let query = tokens.iter().skip(behind).position(|token| token.is("FOR")).map(|at| behind + at + 1);
    let query = tokens.from(query.unwrap_or(tokens.len()));
    match query.first() {
        Some(only) if query.len() == 1 && only.is_name() => {
            read.statement.prepared = name(only);
            read.statement.is_dynamic = true;
            read.by_grammar();
        }
        Some(first) if first.is_any(&["SELECT", "WITH", "("]) => {
            let query = directions.without_into(query);
            read.by_parser(TokenSlice::of(&query));
        }
        _ => read.statement.refused = Some("its cursor is for no query and no name".to_owned()),
    }
}

fn prepare(tokens: TokenSlice<'_, EmbeddedToken>, directions: &mut VariableDirections, read: &mut StatementParser) {
    read.statement.prepared = tokens.get(1).and_then(name);
    read.statement.is_dynamic = true;
    let from = tokens.iter().position(|token| token.is("FROM"));
    let into = tokens.iter().position(|token| token.is("INTO"));
    if let Some(into) = into {
        directions.set(into..from.unwrap_or(into).max(into), HostVariableDirection::Out);
    }
    read.statement.text_source = from.and_then(|from| text_in(tokens.get(from + 1)?));
    read.by_grammar();
}

fn execute(tokens: TokenSlice<'_, EmbeddedToken>, read: &mut StatementParser) {
    read.statement.is_dynamic = true;
    if tokens.get(1).is_some_and(|token| token.is("IMMEDIATE")) {
        read.statement.text_source = tokens.get(2).and_then(text_in);
    } else {
        read.statement.prepared = tokens.get(1).and_then(name);
    }
    read.by_grammar();
}

fn describe(tokens: TokenSlice<'_, EmbeddedToken>, directions: &mut VariableDirections, read: &mut StatementParser) {
    let has_option = tokens.get(1).is_some_and(|token| token.is_any(&["OUTPUT", "INPUT"]));
    read.statement.prepared = tokens.get(1 + usize::from(has_option)).and_then(name);
    directions.set(0..tokens.len(), HostVariableDirection::Out);
    read.by_grammar();
}

fn table(tokens: TokenSlice<'_, EmbeddedToken>, read: &mut StatementParser) {
    let Some(full) = qualified(tokens.from(1)) else { return };
    let Some(open) = tokens.iter().position(|token| token.is("(")) else { return };
    let end = tokens.closing(open).unwrap_or(tokens.len());
    read.columns.extend(tokens.slice(open + 1..end).parts().filter_map(column));
    read.statement.tables.push(SqlTable { name: full, ..SqlTable::default() });
    read.by_grammar();
}

fn column(tokens: &[EmbeddedToken]) -> Option<DeclaredColumn> {
    let (first, rest) = tokens.split_first()?;
    let ends = |token: &EmbeddedToken| token.is_any(&["NOT", "WITH", "DEFAULT", "CHECK", "PRIMARY", "UNIQUE"]);
    // `TIMESTAMP WITH TIME ZONE` is a type.
    let end = (0..rest.len())
        .find(|at| ends(&rest[*at]) && !rest.get(at + 1).is_some_and(|next| next.is("TIME")))
        .unwrap_or(rest.len());
    let mut data_type = String::new();
    for token in &rest[..end] {
        let tight = token.is_any(&["(", ")", ","]) || data_type.ends_with('(') || data_type.is_empty();
        if !tight {
            data_type.push(' ');
        }
        data_type.push_str(&token.text);
    }
    let not_null = rest.windows(2).any(|pair| pair[0].is("NOT") && pair[1].is("NULL"));
    Some(DeclaredColumn { name: name(first)?, data_type, not_null, at: first.at })
}

/// Words of a FETCH that may read another row than the next, or several. Source: Db2 for z/OS, SQL Reference, FETCH.
const OTHER_ROWS: &[&str] =
    &["ABSOLUTE", "AFTER", "BEFORE", "CURRENT", "FIRST", "FOR", "LAST", "PRIOR", "RELATIVE", "ROWSET"];

/// The direction of data for each host variable; `In` by default.
struct VariableDirections {
    of_token: Vec<HostVariableDirection>,
}

impl VariableDirections {
    fn of(tokens: TokenSlice<'_, EmbeddedToken>) -> Self {
        Self { of_token: vec![HostVariableDirection::In; tokens.len()] }
    }

    fn set(&mut self, range: std::ops::Range<usize>, direction: HostVariableDirection) {
        if let Some(found) = self.of_token.get_mut(range) {
            found.fill(direction);
        }
    }

    /// Returns a query without `INTO :A, :B`, which receives the result of the outermost query. The tokens are the last ones of the
    /// statement.
    fn without_into(&mut self, tokens: TokenSlice<'_, EmbeddedToken>) -> Vec<EmbeddedToken> {
        let before = self.of_token.len().saturating_sub(tokens.len());
        let mut depth = 0_usize;
        let mut kept = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token.text.as_str() {
                "(" if token.kind == EmbeddedTokenKind::Symbol => depth += 1,
                ")" if token.kind == EmbeddedTokenKind::Symbol => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && token.is("INTO") && tokens.get(at + 1).is_some_and(EmbeddedToken::is_host) {
                let list = tokens.from(at + 1).iter().take_while(|token| token.is_host() || token.is(","));
                let end = at + 1 + list.count();
                self.set(before + at..before + end, HostVariableDirection::Out);
                at = end;
                continue;
            }
            kept.push(token.clone());
            at += 1;
        }
        kept
    }

    /// Returns the host variables in order, each once per direction.
    fn host_variables(&self, tokens: TokenSlice<'_, EmbeddedToken>) -> Vec<HostVariable> {
        let mut seen = HashSet::new();
        let all = tokens.iter().zip(&self.of_token).filter_map(|(token, direction)| {
            let EmbeddedTokenKind::Host(indicator) = &token.kind else { return None };
            Some(HostVariable { name: token.text.clone(), direction: *direction, indicator: indicator.clone() })
        });
        all.filter(|variable| seen.insert(variable.clone())).collect()
    }
}
