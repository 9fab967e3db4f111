//! Collects the tables and columns of a statement from the SQL parser's tree.
//!
//! A column belongs to the table whose name or alias precedes it; without a qualifier, to the only table of its query. Columns that
//! the statement alone does not resolve are stored separately. The tree is no deeper than the parser allows.

use super::rewrite::is_changed_table;
use crate::access::CrudAccess;
use crate::embedded_sql::SqlTable;
use foldhash::{HashMap, HashSet, HashSetExt};
use sqlparser::ast::*;

/// The error for a construct that is not examined: its tables may be missing.
type WalkResult = Result<(), String>;

/// Names in the position of a column that are not columns: special registers, and the formats of date functions.
const NO_COLUMNS: &[&str] = &[
    "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "DEFAULT", "EUR", "ISO", "JIS", "LOCAL", "SESSION_USER",
    "USA", "USER",
];

/// One table of a query.
#[derive(Debug)]
struct QuerySource {
    /// Its alias, or its name without the schema.
    name: String,
    /// Its name as written, if it has no alias.
    full_name: Option<String>,
    /// Its position in the list of tables; none for the result of a subquery.
    table: Option<usize>,
}

/// The tables of a statement and their accesses.
#[derive(Debug, Default)]
pub(super) struct TableCollector {
    tables: Vec<SqlTable>,
    places: HashMap<String, usize>,
    columns: HashSet<(Option<usize>, bool, String)>,
    unplaced: Vec<String>,
    /// The tables of the enclosing queries, innermost last.
    scopes: Vec<Vec<QuerySource>>,
    /// The names of WITH, innermost last.
    temporary: Vec<String>,
    /// Whether the next query is that of EXISTS, where `*` reads no columns.
    is_exists: bool,
}

impl TableCollector {
    /// Returns the tables in order, and the columns that cannot be assigned to one of them.
    pub(super) fn finish(self) -> (Vec<SqlTable>, Vec<String>) {
        (self.tables, self.unplaced)
    }

    pub(super) fn statement(&mut self, statement: &Statement) -> WalkResult {
        match statement {
            Statement::Query(query) => self.query(query),
            Statement::Insert(insert) => self.insert(insert),
            Statement::Update(update) => self.update(update),
            Statement::Delete(delete) => self.delete(delete),
            Statement::Merge(merge) => self.merge(merge),
            _ => Err("it is of a kind that the parser's result is not looked into".to_owned()),
        }
    }

    fn query(&mut self, query: &Query) -> WalkResult {
        let outer = self.temporary.len();
        for table in query.with.iter().flat_map(|with| &with.cte_tables) {
            // A table of WITH may refer to itself.
            self.temporary.push(table.alias.name.value.clone());
            self.query(&table.query)?;
        }
        let order = match &query.order_by {
            Some(OrderBy { kind: OrderByKind::Expressions(order), .. }) => order.as_slice(),
            _ => &[],
        };
        self.body(&query.body, order)?;
        self.temporary.truncate(outer);
        Ok(())
    }

    fn body(&mut self, body: &SetExpr, order: &[OrderByExpr]) -> WalkResult {
        let mut body = body;
        let mut right_sides = Vec::new();
        // A chain of UNIONs nests on its left side.
        while let SetExpr::SetOperation { left, right, .. } = body {
            right_sides.push(right);
            body = left;
        }
        // ORDER BY of a UNION uses columns of its result.
        let order = if right_sides.is_empty() { order } else { &[] };
        match body {
            SetExpr::Select(select) => self.select(select, order)?,
            SetExpr::Query(query) => self.query(query)?,
            SetExpr::Values(values) => self.values(values)?,
            SetExpr::Insert(statement)
            | SetExpr::Update(statement)
            | SetExpr::Delete(statement)
            | SetExpr::Merge(statement) => self.statement(statement)?,
            SetExpr::SetOperation { .. } | SetExpr::Table(_) => return Err(unread("a query")),
        }
        right_sides.into_iter().rev().try_for_each(|right| self.body(right, &[]))
    }

    fn values(&mut self, values: &Values) -> WalkResult {
        values.rows.iter().flat_map(|row| &row.content).try_for_each(|value| self.expression(value))
    }

    fn select(&mut self, select: &Select, order: &[OrderByExpr]) -> WalkResult {
        let is_exists = std::mem::take(&mut self.is_exists);
        self.scopes.push(Vec::new());
        let mut conditions = Vec::new();
        for table in &select.from {
            self.joined(table, &mut conditions)?;
        }
        let mut aliases = HashSet::new();
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(expression) => self.expression(expression)?,
                SelectItem::ExprWithAlias { expr, alias } => {
                    aliases.insert(alias.value.as_str());
                    self.expression(expr)?;
                }
                SelectItem::Wildcard(_) if is_exists => {}
                SelectItem::Wildcard(_) => self.all_columns(None),
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                    self.all_columns(Some(&in_full(name)));
                }
                _ => return Err(unread("a column")),
            }
        }
        for condition in conditions {
            self.expression(condition)?;
        }
        if let Some(condition) = &select.selection {
            self.expression(condition)?;
        }
        if let GroupByExpr::Expressions(groups, _) = &select.group_by {
            groups.iter().try_for_each(|group| self.expression(group))?;
        }
        if let Some(condition) = &select.having {
            self.expression(condition)?;
        }
        for by in order {
            match &by.expr {
                Expr::Identifier(name) if aliases.contains(name.value.as_str()) => {}
                expression => self.expression(expression)?,
            }
        }
        self.scopes.pop();
        Ok(())
    }

    /// Visits a table of FROM with its joined tables; conditions wait until all tables are known.
    fn joined<'a>(&mut self, table: &'a TableWithJoins, conditions: &mut Vec<&'a Expr>) -> WalkResult {
        self.factor(&table.relation, conditions)?;
        for join in &table.joins {
            self.factor(&join.relation, conditions)?;
            use JoinOperator::{CrossJoin, FullOuter, Inner, Join, Left, LeftOuter, Right, RightOuter};
            match &join.join_operator {
                Join(by) | Inner(by) | Left(by) | LeftOuter(by) | Right(by) | RightOuter(by) | FullOuter(by)
                | CrossJoin(by) => {
                    if let JoinConstraint::On(condition) = by {
                        conditions.push(condition);
                    }
                }
                _ => return Err(unread("a join")),
            }
        }
        Ok(())
    }

    fn factor<'a>(&mut self, factor: &'a TableFactor, conditions: &mut Vec<&'a Expr>) -> WalkResult {
        let alias_of =
            |alias: &Option<TableAlias>| alias.as_ref().map(|alias| alias.name.value.clone()).unwrap_or_default();
        match factor {
            TableFactor::Table { name, alias, args: None, .. } => {
                let alias = alias.as_ref().map(|alias| alias.name.value.clone());
                self.source(name, alias, CrudAccess::READ);
            }
            TableFactor::Derived { subquery, alias, .. } => {
                self.query(subquery)?;
                self.push_source(QuerySource { name: alias_of(alias), full_name: None, table: None });
            }
            TableFactor::NestedJoin { table_with_joins, .. } => self.joined(table_with_joins, conditions)?,
            TableFactor::TableFunction { expr, alias } => {
                self.expression(expr)?;
                self.push_source(QuerySource { name: alias_of(alias), full_name: None, table: None });
            }
            _ => return Err(unread("a table")),
        }
        Ok(())
    }

    /// Adds a named table as a source of the innermost query. Returns its position, if it is a table.
    fn source(&mut self, name: &ObjectName, alias: Option<String>, accesses: CrudAccess) -> Option<usize> {
        let full_name = in_full(name);
        let is_own = is_changed_table(&full_name) || self.temporary.contains(&full_name);
        let table = (!is_own).then(|| self.table(&full_name, accesses));
        let last = full_name.rsplit('.').next().unwrap_or_default().to_owned();
        let full_name = alias.is_none().then_some(full_name);
        self.push_source(QuerySource { name: alias.unwrap_or(last), full_name, table });
        table
    }

    fn push_source(&mut self, source: QuerySource) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(source);
        }
    }

    fn table(&mut self, name: &str, accesses: CrudAccess) -> usize {
        let next = self.tables.len();
        let place = *self.places.entry(name.to_owned()).or_insert(next);
        if place == next {
            self.tables.push(SqlTable { name: name.to_owned(), ..SqlTable::default() });
        }
        let table = &mut self.tables[place];
        table.accesses = table.accesses.union(accesses);
        place
    }

    fn insert(&mut self, insert: &Insert) -> WalkResult {
        let TableObject::TableName(name) = &insert.table else { return Err(unread("a table")) };
        let table = self.table(&in_full(name), CrudAccess::CREATE);
        self.written(table, &insert.columns);
        self.tables[table].writes_all |= insert.columns.is_empty();
        insert.source.iter().try_for_each(|query| self.query(query))
    }

    fn update(&mut self, update: &Update) -> WalkResult {
        let TableFactor::Table { name, alias, args: None, .. } = &update.table.relation else {
            return Err(unread("a table"));
        };
        if update.from.is_some() || !update.table.joins.is_empty() {
            return Err(unread("an UPDATE of several tables"));
        }
        self.scopes.push(Vec::new());
        let table = self.source(name, alias.as_ref().map(|alias| alias.name.value.clone()), CrudAccess::UPDATE);
        self.assignments(table, &update.assignments)?;
        update.selection.iter().try_for_each(|condition| self.expression(condition))?;
        self.scopes.pop();
        Ok(())
    }

    fn assignments(&mut self, table: Option<usize>, assignments: &[Assignment]) -> WalkResult {
        for assignment in assignments {
            if let Some(table) = table {
                match &assignment.target {
                    AssignmentTarget::ColumnName(name) => self.written(table, std::slice::from_ref(name)),
                    AssignmentTarget::Tuple(names) => self.written(table, names),
                }
            }
            self.expression(&assignment.value)?;
        }
        Ok(())
    }

    fn delete(&mut self, delete: &Delete) -> WalkResult {
        let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = &delete.from;
        let [table] = tables.as_slice() else { return Err(unread("a DELETE of several tables")) };
        let TableFactor::Table { name, alias, args: None, .. } = &table.relation else {
            return Err(unread("a table"));
        };
        if delete.using.is_some() || !table.joins.is_empty() {
            return Err(unread("a DELETE of several tables"));
        }
        self.scopes.push(Vec::new());
        self.source(name, alias.as_ref().map(|alias| alias.name.value.clone()), CrudAccess::DELETE);
        delete.selection.iter().try_for_each(|condition| self.expression(condition))?;
        self.scopes.pop();
        Ok(())
    }

    fn merge(&mut self, merge: &Merge) -> WalkResult {
        let TableFactor::Table { name, alias, args: None, .. } = &merge.table else {
            return Err(unread("a table"));
        };
        self.scopes.push(Vec::new());
        let target = self.source(name, alias.as_ref().map(|alias| alias.name.value.clone()), CrudAccess::NONE);
        let mut conditions = Vec::new();
        self.factor(&merge.source, &mut conditions)?;
        self.expression(&merge.on)?;
        let mut done = CrudAccess::NONE;
        for clause in &merge.clauses {
            clause.predicate.iter().try_for_each(|condition| self.expression(condition))?;
            match &clause.action {
                MergeAction::Insert(insert) => {
                    done = done.union(CrudAccess::CREATE);
                    if let Some(target) = target {
                        self.written(target, &insert.columns);
                        self.tables[target].writes_all |= insert.columns.is_empty();
                    }
                    if let MergeInsertKind::Values(values) = &insert.kind {
                        self.values(values)?;
                    }
                }
                MergeAction::Update(update) => {
                    done = done.union(CrudAccess::UPDATE);
                    match &update.kind {
                        MergeUpdateKind::Set(assignments) => self.assignments(target, assignments)?,
                        MergeUpdateKind::Wildcard => return Err(unread("an UPDATE")),
                    }
                }
                MergeAction::Delete { .. } => done = done.union(CrudAccess::DELETE),
                MergeAction::DoNothing { .. } => {}
            }
        }
        if let Some(target) = target {
            let accesses = &mut self.tables[target].accesses;
            *accesses = accesses.union(done);
        }
        self.scopes.pop();
        Ok(())
    }

    fn written(&mut self, table: usize, columns: &[ObjectName]) {
        for column in columns.iter().filter_map(|column| column.0.last()) {
            self.note(Some(table), true, column.to_string().replace('"', ""));
        }
    }

    /// Adds a column once.
    fn note(&mut self, table: Option<usize>, is_written: bool, column: String) {
        if self.columns.insert((table, is_written, column.clone())) {
            match (table.map(|table| &mut self.tables[table]), is_written) {
                (Some(table), true) => table.columns_written.push(column),
                (Some(table), false) => table.columns_read.push(column),
                (None, _) => self.unplaced.push(column),
            }
        }
    }

    /// Adds `*`, or `A.*`.
    fn all_columns(&mut self, qualifier: Option<&str>) {
        let sources = self.scopes.last().into_iter().flatten();
        let wanted = sources.filter(|source| qualifier.is_none_or(|name| source.is_called(name)));
        let tables: Vec<usize> = wanted.filter_map(|source| source.table).collect();
        for table in tables {
            self.tables[table].reads_all = true;
        }
    }

    /// Adds a column that is read.
    fn column(&mut self, qualifier: &str, column: &Ident) {
        let name = column.value.clone();
        if qualifier.is_empty() {
            if column.quote_style.is_none() && NO_COLUMNS.contains(&name.as_str()) {
                return;
            }
            match self.scopes.iter().rev().find(|scope| !scope.is_empty()).map(Vec::as_slice) {
                None => {}
                Some([only]) => {
                    if let Some(table) = only.table {
                        self.note(Some(table), false, name);
                    }
                }
                Some(_) => self.note(None, false, name),
            }
            return;
        }
        let found = self.scopes.iter().rev().flatten().find(|source| source.is_called(qualifier));
        match found.map(|source| source.table) {
            Some(Some(table)) => self.note(Some(table), false, name),
            Some(None) => {}
            None => self.note(None, false, format!("{qualifier}.{name}")),
        }
    }

    fn expression(&mut self, expression: &Expr) -> WalkResult {
        let mut expression = expression;
        let mut right_sides = Vec::new();
        // A chain of operators nests on its left side.
        while let Expr::BinaryOp { left, right, .. } = expression {
            right_sides.push(right);
            expression = left;
        }
        self.operand(expression)?;
        right_sides.into_iter().rev().try_for_each(|right| self.expression(right))
    }

    fn operand(&mut self, operand: &Expr) -> WalkResult {
        match operand {
            Expr::Identifier(name) => self.column("", name),
            Expr::CompoundIdentifier(names) => {
                if let Some((column, qualifier)) = names.split_last() {
                    let qualifier: Vec<&str> = qualifier.iter().map(|name| name.value.as_str()).collect();
                    self.column(&qualifier.join("."), column);
                }
            }
            Expr::Value(_) | Expr::TypedString(_) | Expr::Wildcard(_) | Expr::QualifiedWildcard(..) => {}
            Expr::IsNull(inner)
            | Expr::IsNotNull(inner)
            | Expr::Nested(inner)
            | Expr::UnaryOp { expr: inner, .. }
            | Expr::Cast { expr: inner, .. }
            | Expr::Extract { expr: inner, .. }
            | Expr::Ceil { expr: inner, .. }
            | Expr::Floor { expr: inner, .. }
            | Expr::Collate { expr: inner, .. } => self.expression(inner)?,
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
                self.expression(left)?;
                self.expression(right)?;
            }
            Expr::InList { expr, list, .. } => {
                self.expression(expr)?;
                list.iter().try_for_each(|value| self.expression(value))?;
            }
            Expr::InSubquery { expr, subquery, .. } => {
                self.expression(expr)?;
                self.query(subquery)?;
            }
            Expr::Between { expr, low, high, .. } => {
                for part in [expr, low, high] {
                    self.expression(part)?;
                }
            }
            Expr::Like { expr, pattern, escape_char, .. } => {
                self.expression(expr)?;
                self.expression(pattern)?;
                escape_char.iter().try_for_each(|escape| self.expression(escape))?;
            }
            Expr::AnyOp { left, right, .. } | Expr::AllOp { left, right, .. } => {
                self.expression(left)?;
                self.expression(right)?;
            }
            Expr::Position { expr, r#in } => {
                self.expression(expr)?;
                self.expression(r#in)?;
            }
            Expr::Substring { expr, substring_from, substring_for, .. } => {
                self.expression(expr)?;
                let rest = substring_from.iter().chain(substring_for);
                rest.into_iter().try_for_each(|part| self.expression(part))?;
            }
            Expr::Trim { expr, trim_what, trim_characters, .. } => {
                self.expression(expr)?;
                trim_what.iter().try_for_each(|part| self.expression(part))?;
                trim_characters.iter().flatten().try_for_each(|part| self.expression(part))?;
            }
            Expr::Case { operand, conditions, else_result, .. } => {
                operand.iter().try_for_each(|part| self.expression(part))?;
                for when in conditions {
                    self.expression(&when.condition)?;
                    self.expression(&when.result)?;
                }
                else_result.iter().try_for_each(|part| self.expression(part))?;
            }
            Expr::Exists { subquery, .. } => {
                self.is_exists = true;
                self.query(subquery)?;
            }
            Expr::Subquery(subquery) => self.query(subquery)?,
            Expr::Tuple(parts) => parts.iter().try_for_each(|part| self.expression(part))?,
            Expr::Function(function) => self.function(function)?,
            _ => return Err(unread("an expression")),
        }
        Ok(())
    }

    fn function(&mut self, function: &Function) -> WalkResult {
        match &function.args {
            FunctionArguments::None => {}
            FunctionArguments::Subquery(query) => self.query(query)?,
            FunctionArguments::List(list) => {
                for argument in &list.args {
                    match argument {
                        FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) => self.expression(argument)?,
                        FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => {}
                        _ => return Err(unread("an argument")),
                    }
                }
            }
        }
        if let Some(WindowType::WindowSpec(window)) = &function.over {
            window.partition_by.iter().try_for_each(|part| self.expression(part))?;
            window.order_by.iter().try_for_each(|by| self.expression(&by.expr))?;
        }
        function.within_group.iter().try_for_each(|by| self.expression(&by.expr))?;
        function.filter.iter().try_for_each(|condition| self.expression(condition))
    }
}

impl QuerySource {
    fn is_called(&self, name: &str) -> bool {
        self.name == name || self.full_name.as_deref() == Some(name)
    }
}

fn unread(what: &str) -> String {
    format!("{what} in it is of a kind that is not looked into")
}

/// Returns a name with its qualifiers, without quotes.
fn in_full(name: &ObjectName) -> String {
    let parts: Vec<String> = name.0.iter().map(|part| part.to_string().replace('"', "")).collect();
    parts.join(".")
}
