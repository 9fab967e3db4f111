//! Building an agent from its parsed file.

use super::spanned_value::{SpannedKind, SpannedValue};
use super::{
    Agent, AgentError, AgentModel, AuditPattern, MergeMethod, OnFailure, PagesPerChunk, Pagination, PaginationMode,
    PartOrder, schema_keywords,
};
use crate::merge::{MergeRules, MergeStrategy};
use crate::schema::{AnswerSchema, SchemaError};
use serde_json::Value;
use std::num::NonZeroU64;

const TOP: [&str; 7] = ["name", "description", "system", "model", "pagination", "audit", "schema"];
const MODEL: [&str; 3] = ["name", "context_window", "max_completion_tokens"];
const PAGINATION: [&str; 11] = [
    "paginate",
    "chunk_size",
    "max_records",
    "overlap",
    "pages_per_chunk",
    "order",
    "carry",
    "include_chunk_metadata",
    "merge",
    "program",
    "on_failure",
];
const AUDIT: [&str; 3] = ["name", "pattern", "path"];

/// Builds an agent; `schema_text` returns the line on which a schema begins that the file contains as a string.
pub(super) fn agent(said: &SpannedValue, schema_text: impl Fn(&SpannedValue) -> usize) -> Result<Agent, AgentError> {
    let root = AgentTable::of(said, "", &TOP)?;
    let name = root.required_text("name")?;
    if !is_name(&name) {
        let message = format!("`name` must be lower case letters, digits and hyphens, not `{}`", short(&name));
        return Err(root.wrong("name", message));
    }
    let description = root.text("description")?.unwrap_or_default();
    let description = description.trim().to_owned();
    if description.contains('\n') {
        return Err(root.wrong("description", "`description` must be one line"));
    }
    let system = root.required_text("system")?;
    if system.trim().is_empty() {
        return Err(root.wrong("system", "`system` is empty"));
    }
    let model = root.get("model").map(model).transpose()?;
    let pagination = root.get("pagination").map(pagination).transpose()?.unwrap_or_default();
    let said_schema = root.required("schema")?;
    let schema = SchemaText::read(said_schema, schema_text)?;
    let strategy = match &pagination.merge {
        MergeMethod::Strategy(strategy) => *strategy,
        MergeMethod::Program(_) => MergeStrategy::Merge,
    };
    // Our own messages take precedence over the validator's, which does not know our keywords.
    schema_keywords::check(&schema.value).map_err(|error| schema.wrong(error))?;
    AnswerSchema::from_author(&schema.value).map_err(|error| schema.wrong(error))?;
    MergeRules::of(&schema.value, strategy)
        .map_err(|error| schema.wrong(SchemaError::new(error.path, error.message)))?;
    let patterns = schema_keywords::patterns(&schema.value).map_err(|error| schema.wrong(error))?;
    let audit = match root.get("audit") {
        Some(said) => audits(said, &schema.value)?,
        None => Vec::new(),
    };
    Ok(Agent { name, description, system, schema: schema.value, model, pagination, audit, patterns })
}

/// A schema with the line numbers of its parts.
struct SchemaText {
    said: SpannedValue,
    value: Value,
}

impl SchemaText {
    fn read(said: &SpannedValue, text_line: impl Fn(&SpannedValue) -> usize) -> Result<Self, AgentError> {
        let said = match &said.kind {
            SpannedKind::Table(_) => said.clone(),
            SpannedKind::Text(text) => super::spanned_value::json(text, text_line(said))?,
            _ => return Err(must(said, "schema", "a table, or a string that holds JSON")),
        };
        let value = said.to_value();
        Ok(Self { said, value })
    }

    fn wrong(&self, error: SchemaError) -> AgentError {
        let line = self.said.line_of(&error.path);
        let at = if error.path.is_empty() { String::new() } else { format!("{}: ", schema_path(&error.path)) };
        let wrong = AgentError::at(line, schema_path(&error.path), format!("{at}{}", error.message));
        AgentError { hint: error.hint, ..wrong }
    }
}

fn schema_path(pointer: &str) -> String {
    format!("schema{}", pointer.replace('/', "."))
}

fn model(said: &SpannedValue) -> Result<AgentModel, AgentError> {
    if let SpannedKind::Text(name) = &said.kind {
        return Err(must(said, "model", "a table")
            .with_hint(format!("write `[model]` on a line of its own and `name = \"{}\"` below it", short(name))));
    }
    let table = AgentTable::of(said, "model", &MODEL)?;
    Ok(AgentModel {
        name: table.required_text("name")?,
        context_window: table.count("context_window")?,
        max_completion_tokens: table.count("max_completion_tokens")?,
    })
}

fn pagination(said: &SpannedValue) -> Result<Pagination, AgentError> {
    let table = AgentTable::of(said, "pagination", &PAGINATION)?;
    let default = Pagination::default();
    let chunk_size = table.count("chunk_size")?;
    let overlap = table.number("overlap")?;
    if let (Some(size), Some(overlap)) = (chunk_size, overlap)
        && overlap >= size.get()
    {
        let message =
            format!("`pagination.overlap` must be smaller than `chunk_size`: `{overlap}` is not below `{size}`");
        return Err(table.wrong("overlap", message));
    }
    let paginates =
        [("auto", PaginationMode::Auto), ("always", PaginationMode::Always), ("never", PaginationMode::Never)];
    let orders = [("parallel", PartOrder::Parallel), ("sequential", PartOrder::Sequential)];
    let failures = [("fail", OnFailure::Fail), ("partial", OnFailure::Partial)];
    let carry = table.flag("carry")?.unwrap_or(default.carry);
    let order = table.one_of("order", &orders)?;
    if carry && order == Some(PartOrder::Parallel) {
        return Err(table
            .wrong("carry", "`pagination.carry` asks for one part after the other, and `order` is `parallel`")
            .with_hint("write `order = \"sequential\"`"));
    }
    Ok(Pagination {
        paginate: table.one_of("paginate", &paginates)?.unwrap_or(default.paginate),
        chunk_size,
        max_records: table.count("max_records")?,
        overlap,
        pages_per_chunk: match table.get("pages_per_chunk") {
            Some(SpannedValue { kind: SpannedKind::Text(text), .. }) if text == "auto" => PagesPerChunk::Auto,
            Some(said @ SpannedValue { kind: SpannedKind::Text(_), .. }) => {
                return Err(must(said, "pagination.pages_per_chunk", "a whole number or `\"auto\"`"));
            }
            _ => table.count("pages_per_chunk")?.map_or(default.pages_per_chunk, PagesPerChunk::Count),
        },
        order: order.unwrap_or(default.order),
        carry,
        include_chunk_metadata: table.flag("include_chunk_metadata")?.unwrap_or(default.include_chunk_metadata),
        merge: merge(&table)?,
        on_failure: table.one_of("on_failure", &failures)?.unwrap_or(default.on_failure),
    })
}

fn merge(table: &AgentTable<'_>) -> Result<MergeMethod, AgentError> {
    let all = [
        ("first", Some(MergeStrategy::First)),
        ("last", Some(MergeStrategy::Last)),
        ("merge", Some(MergeStrategy::Merge)),
        ("custom", None),
    ];
    let by = table.one_of("merge", &all)?;
    let program = table.text("program")?;
    match (by, program) {
        (Some(None), Some(program)) if program.trim().is_empty() => {
            Err(table.wrong("program", "`pagination.program` is empty"))
        }
        (Some(None), Some(program)) => Ok(MergeMethod::Program(program)),
        (Some(None), None) => Err(table
            .wrong("merge", "`pagination.merge` is `custom`, and there is no `program`")
            .with_hint("write the program in the language of jq: `program = '{items: map(.items) | add}'`")),
        (_, Some(_)) => Err(table
            .wrong("program", "`pagination.program` is for `merge = \"custom\"` alone")
            .with_hint("write `merge = \"custom\"`")),
        (by, None) => Ok(MergeMethod::Strategy(by.flatten().unwrap_or_default())),
    }
}

fn audits(said: &SpannedValue, schema: &Value) -> Result<Vec<AuditPattern>, AgentError> {
    let SpannedKind::List(items) = &said.kind else {
        return Err(must(said, "audit", "a list of tables").with_hint("write `[[audit]]` on a line of its own"));
    };
    let mut audits: Vec<AuditPattern> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let table = AgentTable::of(item, &format!("audit[{index}]"), &AUDIT)?;
        let name = table.required_text("name")?;
        if name.trim().is_empty() || name.contains('\n') {
            return Err(table.wrong("name", "`name` of an audit must be a word or some"));
        }
        if audits.iter().any(|known| known.name == name) {
            return Err(table.wrong("name", format!("two audits are called `{}`", short(&name))));
        }
        let text = table.required_text("pattern")?;
        let pattern = schema_keywords::pattern(&text).map_err(|message| table.wrong("pattern", message))?;
        let path = table.text("path")?;
        if let Some(path) = &path {
            schema_keywords::check_path(schema, path)
                .map_err(|(message, hint)| AgentError { hint, ..table.wrong("path", message) })?;
        }
        audits.push(AuditPattern { name, pattern, path });
    }
    Ok(audits)
}

/// A table with known keys.
struct AgentTable<'a> {
    said: &'a SpannedValue,
    path: String,
}

impl<'a> AgentTable<'a> {
    fn of(said: &'a SpannedValue, path: &str, keys: &[&'static str]) -> Result<Self, AgentError> {
        let SpannedKind::Table(fields) = &said.kind else {
            return Err(if path.is_empty() {
                AgentError::at(said.line, "", format!("an agent is a table, not {}", said.describe()))
            } else {
                must(said, path, "a table")
            });
        };
        let table = Self { said, path: path.to_owned() };
        match fields.iter().find(|(name, _)| !keys.contains(&name.as_str())) {
            Some((name, value)) => Err(table.unknown(name, value, keys)),
            None => Ok(table),
        }
    }

    fn unknown(&self, name: &str, value: &SpannedValue, keys: &[&'static str]) -> AgentError {
        let within = match self.path.split('[').next() {
            Some("") => String::new(),
            Some("audit") => " in `[[audit]]`".to_owned(),
            _ => format!(" in `[{}]`", self.path),
        };
        let error = AgentError::at(value.line, self.at(name), format!("unknown key `{}`{within}", short(name)));
        let tables = [("", &TOP[..]), ("[model]", &MODEL), ("[pagination]", &PAGINATION), ("[[audit]]", &AUDIT)];
        let elsewhere = tables.iter().find(|(_, known)| known.contains(&name));
        error.with_hint(match elsewhere {
            Some(("", _)) => format!("`{name}` belongs above all tables"),
            Some((table, _)) => format!("`{name}` belongs below `{table}`"),
            None => format!("did you mean `{}`?", crate::nearest(name, keys.iter().copied())),
        })
    }

    fn at(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Creates an error for a key, or for the table if the key is missing.
    fn wrong(&self, name: &str, message: impl Into<String>) -> AgentError {
        let line = self.get(name).map_or(self.said.line, |said| said.line);
        AgentError::at(line, self.at(name), message)
    }

    fn get(&self, name: &str) -> Option<&'a SpannedValue> {
        self.said.get(name).filter(|said| !matches!(said.kind, SpannedKind::Null))
    }

    fn required(&self, name: &str) -> Result<&'a SpannedValue, AgentError> {
        self.get(name).ok_or_else(|| {
            let of = if self.path.is_empty() { "the agent".to_owned() } else { format!("`{}`", self.path) };
            self.wrong(name, format!("{of} has no `{name}`"))
        })
    }

    fn required_text(&self, name: &str) -> Result<String, AgentError> {
        self.required(name)?;
        Ok(self.text(name)?.unwrap_or_default())
    }

    fn text(&self, name: &str) -> Result<Option<String>, AgentError> {
        match self.get(name) {
            None => Ok(None),
            Some(SpannedValue { kind: SpannedKind::Text(text), .. }) => Ok(Some(text.clone())),
            Some(said) => Err(must(said, &self.at(name), "a string")),
        }
    }

    fn flag(&self, name: &str) -> Result<Option<bool>, AgentError> {
        match self.get(name) {
            None => Ok(None),
            Some(SpannedValue { kind: SpannedKind::Flag(flag), .. }) => Ok(Some(*flag)),
            Some(said) => {
                let error = must(said, &self.at(name), "`true` or `false`");
                let quoted = matches!(said.kind, SpannedKind::Text(_));
                Err(if quoted { error.with_hint("write it without quotes") } else { error })
            }
        }
    }

    fn number(&self, name: &str) -> Result<Option<u64>, AgentError> {
        let Some(said) = self.get(name) else { return Ok(None) };
        let number = match &said.kind {
            SpannedKind::Number(number) => number.as_u64(),
            _ => None,
        };
        match number {
            Some(number) => Ok(Some(number)),
            None => {
                let error = must(said, &self.at(name), "a whole number");
                let is_quoted = matches!(&said.kind, SpannedKind::Text(text) if text.trim().parse::<u64>().is_ok());
                Err(if is_quoted { error.with_hint("write the number without quotes") } else { error })
            }
        }
    }

    fn count(&self, name: &str) -> Result<Option<NonZeroU64>, AgentError> {
        match self.number(name)? {
            None => Ok(None),
            Some(number) => match NonZeroU64::new(number) {
                Some(count) => Ok(Some(count)),
                None => Err(self
                    .wrong(name, format!("`{}` must be 1 or more", self.at(name)))
                    .with_hint("leave it out for as much as fits")),
            },
        }
    }

    fn one_of<T: Copy>(&self, name: &str, all: &[(&'static str, T)]) -> Result<Option<T>, AgentError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        if let Some((_, value)) = all.iter().find(|(known, _)| *known == text) {
            return Ok(Some(*value));
        }
        let names: Vec<String> = all.iter().map(|(known, _)| format!("`{known}`")).collect();
        let (last, others) = names.split_last().map_or((String::new(), &[][..]), |(last, all)| (last.clone(), all));
        let message = format!("`{}` must be {} or {last}, not `{}`", self.at(name), others.join(", "), short(&text));
        let nearest = crate::nearest(&text, all.iter().map(|(known, _)| *known));
        Err(self.wrong(name, message).with_hint(format!("did you mean `{nearest}`?")))
    }
}

fn must(said: &SpannedValue, path: &str, what: &str) -> AgentError {
    AgentError::at(said.line, path, format!("`{path}` must be {what}, not {}", said.describe()))
}

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.len() <= 64 && name.bytes().all(fits)
}

/// Returns the beginning of a text for a message.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= 60 { line.to_owned() } else { line.chars().take(57).chain("...".chars()).collect() }
}
