//! Parses statements one by one.
//!
//! Db2 for z/OS has many keywords that no common parser knows, and sources also contain placeholders. So this parser reads
//! the relevant words of a statement and skips the rest. Only the columns of a query are left to the SQL parser.

mod comments;
mod tables;
#[cfg(test)]
mod tests;

use super::cursor::TokenCursor;
use super::table;
use super::tokens::{DdlTokenKind, TokenizedStatements};
use super::{DdlIndex, DdlSource, DdlStatement, DdlView, IndexColumn, SqlName, query};
use foldhash::{HashMap, HashMapExt, HashSet};
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineRange, SourceText};

/// The first words of statements other than those with details.
const OTHER_VERBS: [&str; 30] = [
    "ALLOCATE", "ASSOCIATE", "BEGIN", "CALL", "CLOSE", "COMMIT", "CONNECT", "DECLARE", "DELETE", "END", "EXCHANGE",
    "EXECUTE", "EXPLAIN", "FETCH", "FREE", "INSERT", "LOCK", "MERGE", "OPEN", "REFRESH", "RELEASE", "RENAME", "REVOKE",
    "ROLLBACK", "SAVEPOINT", "SELECT", "TRANSFER", "TRUNCATE", "UPDATE", "VALUES",
];

/// Parses a source of SQL statements. Every statement of any input is listed; a diagnostic reports what was not understood.
///
/// ```
/// use war_rig_estate::ddl::parse;
/// use war_rig_text::{ReadOptions, SourceText};
///
/// let code = "CREATE TABLE POL.POLICY\n  (POLICY_NO CHAR(10) NOT NULL,\n   PREMIUM DECIMAL(9, 2) WITH DEFAULT,\n   PRIMARY KEY (POLICY_NO))\n  IN POLDB.POLTS;\n";
/// let source = SourceText::read("POLICY.sql", code.into(), &ReadOptions::default()).unwrap();
/// let table = &parse(&source).tables[0];
/// assert_eq!(table.name.to_string(), "POL.POLICY");
/// assert_eq!((table.columns[1].length, table.columns[1].scale), (Some(9), Some(2)));
/// assert_eq!(table.table_space.as_deref(), Some("POLTS"));
/// ```
pub fn parse(source: &SourceText) -> DdlSource {
    source.line_range().map_or_else(|| empty(source), |all| parse_lines(source, all))
}

/// Parses SQL statements in some lines of a source: the SYSIN of a job, or an EXEC SQL of COBOL from its first line on.
pub fn parse_lines(source: &SourceText, lines: LineRange) -> DdlSource {
    let mut ddl = empty(source);
    let statements = TokenizedStatements::of(source, lines, &mut ddl.diagnostics);
    let mut reader = DdlParser { ddl, schema: None, tables: HashMap::new(), columns: HashMap::new() };
    for range in &statements.statements {
        let words = TokenCursor::new(&statements.text, &statements.tokens[range.clone()]);
        if let Some(lines) = words.lines() {
            reader.statement(words, lines);
        }
    }
    let mut ddl = reader.ddl;
    ddl.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    ddl
}

fn empty(source: &SourceText) -> DdlSource {
    DdlSource { file: source.name().to_owned(), ..DdlSource::default() }
}

struct DdlParser {
    ddl: DdlSource,
    /// The schema of unqualified names.
    schema: Option<String>,
    /// The indices of tables by name.
    tables: HashMap<SqlName, usize>,
    /// The indices of columns by table and name.
    columns: HashMap<(usize, String), usize>,
}

impl DdlParser {
    fn statement(&mut self, words: TokenCursor<'_>, lines: LineRange) {
        let mut words = words;
        words.eat_all(&["EXEC", "SQL"]);
        let whole = words;
        // A query may stand in parentheses, as the parts of a UNION do.
        while words.eat_symbol('(') {}
        let first = words.word().unwrap_or_default();
        let (verb, name, tables) = match first.as_str() {
            "CREATE" => self.create(&mut words, lines),
            "ALTER" => self.alter(&mut words, lines),
            "DROP" => {
                let kind = object_type(&mut words);
                let name = self.name(&mut words);
                (format!("DROP {kind}"), name, Vec::new())
            }
            "COMMENT" | "LABEL" => self.comment(&first, &mut words, lines),
            "GRANT" | "REVOKE" => self.grant(&first, &mut words),
            "SET" => self.set(&mut words),
            "DECLARE" if words.eat_all(&["GLOBAL", "TEMPORARY", "TABLE"]) => {
                let (name, tables) = self.create_table(&mut words, lines, TableOrigin::Temporary);
                ("DECLARE GLOBAL TEMPORARY TABLE".to_owned(), name, tables)
            }
            "DECLARE" if is_declared_table(words) => {
                let (name, tables) = self.create_table(&mut words, lines, TableOrigin::Declared);
                ("DECLARE TABLE".to_owned(), name, tables)
            }
            _ => self.other(first, words, whole, lines),
        };
        self.ddl.statements.push(DdlStatement { verb, name, tables, lines });
    }

    fn create(&mut self, words: &mut TokenCursor<'_>, lines: LineRange) -> StatementSummary {
        words.eat_all(&["OR", "REPLACE"]);
        let is_unique = words.eat("UNIQUE");
        words.eat_all(&["WHERE", "NOT", "NULL"]);
        let is_temporary = words.eat_all(&["GLOBAL", "TEMPORARY"]);
        let kind = object_type(words);
        let verb = format!("CREATE {}{kind}", if is_unique { "UNIQUE " } else { "" });
        words.eat_all(&["IF", "NOT", "EXISTS"]);
        match kind.as_str() {
            "TABLE" | "LARGE TABLE" | "AUXILIARY TABLE" | "AUX TABLE" => {
                let origin = if is_temporary { TableOrigin::Temporary } else { TableOrigin::Created };
                let (name, tables) = self.create_table(words, lines, origin);
                (verb, name, tables)
            }
            "VIEW" => {
                let Some(name) = self.name(words) else { return self.unnamed(verb, lines) };
                let mut columns = table::names(words);
                words.eat("AS");
                let tables = self.read_by(*words);
                if columns.is_empty() {
                    columns = query::result_columns(words.rest());
                }
                let view = DdlView { name: name.clone(), columns, tables: tables.clone(), lines };
                self.ddl.views.push(view);
                (verb, Some(name), tables)
            }
            "INDEX" => {
                let name = self.name(words);
                let Some((name, table)) = name.zip(words.eat("ON").then(|| self.name(words)).flatten()) else {
                    return self.unnamed(verb, lines);
                };
                let columns = words.group().map(|(group, _)| index_columns(group)).unwrap_or_default();
                let index = DdlIndex { name: name.clone(), table: table.clone(), is_unique, columns, lines };
                self.ddl.indexes.push(index);
                (verb, Some(name), vec![table])
            }
            "TABLESPACE" | "LOB TABLESPACE" | "LARGE TABLESPACE" => {
                let mut name = words.name();
                let database = words.eat("IN").then(|| words.identifier()).flatten();
                if let Some(name) = &mut name {
                    name.schema = name.schema.take().or(database);
                }
                (verb, name, Vec::new())
            }
            "SYNONYM" | "ALIAS" => {
                let name = self.name(words);
                words.eat("FOR");
                words.eat("TABLE");
                let tables = self.name(words).into_iter().collect();
                (verb, name, tables)
            }
            "TRIGGER" => {
                let name = self.name(words);
                while !words.is_done() && !words.eat("ON") {
                    words.skip();
                }
                let mut tables: Vec<SqlName> = self.name(words).into_iter().collect();
                tables.extend(self.read_by(*words));
                (verb, name, once_each(tables, None))
            }
            "PROCEDURE" | "FUNCTION" => {
                let name = self.name(words);
                (verb, name, self.read_by(*words))
            }
            "DATABASE" | "STOGROUP" | "ROLE" | "SCHEMA" => (verb, words.name(), Vec::new()),
            _ => (verb, self.name(words), Vec::new()),
        }
    }

    /// Parses `GRANT SELECT, UPDATE (c) ON [TABLE] t, u TO x`, or a grant on something other than a table.
    fn grant(&mut self, first: &str, words: &mut TokenCursor<'_>) -> StatementSummary {
        // USE OF TABLESPACE and similar grants have another word there.
        while !words.is_done() && !words.eat("ON") && !words.eat("OF") {
            words.skip();
        }
        let is_other = !words.is("TABLE")
            && matches!(words.kind(), Some(DdlTokenKind::Word))
            && !words.is_symbol_ahead(1, '.')
            && !words.is_symbol_ahead(1, ',')
            && !words.is_ahead(1, "TO")
            && !words.is_ahead(1, "FROM");
        if is_other {
            object_type(words);
            return (first.to_owned(), words.name(), Vec::new());
        }
        words.eat("TABLE");
        let mut tables = Vec::new();
        while let Some(name) = self.name(words) {
            tables.push(name);
            if !words.eat_symbol(',') {
                break;
            }
        }
        (first.to_owned(), None, once_each(tables, None))
    }

    /// Parses `SET CURRENT SQLID = 'X'` and `SET SCHEMA X`, which set the schema of unqualified names.
    fn set(&mut self, words: &mut TokenCursor<'_>) -> StatementSummary {
        let is_current = words.eat("CURRENT");
        let is_schema = words.eat("SCHEMA") || is_current && words.eat("SQLID");
        if !is_schema {
            let more = words.word().map(|word| format!(" {word}")).unwrap_or_default();
            let current = if is_current { " CURRENT" } else { "" };
            return (format!("SET{current}{more}"), None, Vec::new());
        }
        words.eat_symbol('=');
        self.schema = match words.quoted_text() {
            Some(text) => Some(text.trim().to_uppercase()).filter(|text| !text.is_empty()),
            // USER and similar registers are unknown before the statement runs.
            None if words.is_any(&["USER", "SESSION_USER", "CURRENT", "CURRENT_USER"]) => None,
            None => words.identifier(),
        };
        let name = self.schema.clone().map(|name| SqlName { schema: None, name });
        ((if is_current { "SET CURRENT SQLID" } else { "SET SCHEMA" }).to_owned(), name, Vec::new())
    }

    fn other(
        &mut self,
        first: String,
        words: TokenCursor<'_>,
        whole: TokenCursor<'_>,
        lines: LineRange,
    ) -> StatementSummary {
        let mut words = words;
        if first != "WITH" && !OTHER_VERBS.contains(&first.as_str()) {
            let word = whole.token_text().unwrap_or_default();
            // A terminator after END-EXEC belongs to COBOL.
            if word != "." {
                let message = format!("no statement of SQL begins with `{word}`");
                self.ddl.diagnostics.push(Diagnostic::warning("unknown-statement", lines.start(), message));
            }
            return (word.to_uppercase(), None, Vec::new());
        }
        let target = match first.as_str() {
            "INSERT" | "MERGE" => words.eat("INTO").then(|| self.name(&mut words)).flatten(),
            "DELETE" => words.eat("FROM").then(|| self.name(&mut words)).flatten(),
            "UPDATE" => self.name(&mut words),
            "TRUNCATE" | "LOCK" | "RENAME" => {
                words.eat("TABLE");
                self.name(&mut words)
            }
            _ => None,
        };
        let tables = once_each(self.read_by(whole), target.as_ref());
        (first, target, tables)
    }

    /// Returns the tables that a query reads, with their schemas.
    fn read_by(&self, words: TokenCursor<'_>) -> Vec<SqlName> {
        query::referenced_tables(words.rest()).into_iter().map(|name| self.qualified(name)).collect()
    }

    fn unnamed(&mut self, verb: String, lines: LineRange) -> StatementSummary {
        let message = "this statement does not name what it is about";
        self.ddl.diagnostics.push(Diagnostic::warning("unnamed-object", lines.start(), message));
        (verb, None, Vec::new())
    }

    fn name(&self, words: &mut TokenCursor<'_>) -> Option<SqlName> {
        words.name().map(|name| self.qualified(name))
    }

    fn qualified(&self, name: SqlName) -> SqlName {
        SqlName { schema: name.schema.or_else(|| self.schema.clone()), name: name.name }
    }
}

/// A statement's verb, its object, and other tables.
type StatementSummary = (String, Option<SqlName>, Vec<SqlName>);

/// The origin of facts about a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TableOrigin {
    Created,
    Temporary,
    /// DECLARE TABLE of embedded SQL, which creates nothing.
    Declared,
}

/// Removes duplicates and a name that is already listed.
fn once_each(names: Vec<SqlName>, told: Option<&SqlName>) -> Vec<SqlName> {
    let mut known: HashSet<SqlName> = told.cloned().into_iter().collect();
    names.into_iter().filter(|name| known.insert(name.clone())).collect()
}

/// Reads the type of an object, up to its name: `TABLE`, `LOB TABLESPACE`, `DISTINCT TYPE`.
fn object_type(words: &mut TokenCursor<'_>) -> String {
    const BEFORE: [&str; 9] =
        ["LARGE", "LOB", "AUXILIARY", "AUX", "DISTINCT", "TRUSTED", "PUBLIC", "SPECIFIC", "GLOBAL"];
    let mut said = Vec::new();
    while words.is_any(&BEFORE) && !words.is_symbol_ahead(1, '.') {
        said.extend(words.word());
    }
    said.extend(words.word());
    said.join(" ")
}

/// Whether `DECLARE name TABLE` of embedded SQL follows.
fn is_declared_table(words: TokenCursor<'_>) -> bool {
    let mut words = words;
    words.name().is_some() && words.eat("TABLE") && words.is_symbol('(')
}

fn index_columns(group: TokenCursor<'_>) -> Vec<IndexColumn> {
    let column = |part: TokenCursor<'_>| {
        let mut words = part;
        let plain = words.identifier().filter(|_| !words.is_symbol('(') && !words.is_symbol('.'));
        let is_descending = words.eat("DESC");
        IndexColumn { name: plain.unwrap_or_else(|| part.text()), is_descending }
    };
    group.parts().into_iter().filter(|part| !part.is_any(&["BUSINESS_TIME"])).map(column).collect()
}
