use super::*;
use proptest::prelude::*;
use serde_json::json;

/// The shortest agent, with placeholders before and in its schema.
fn toml(above: &str, schema: &str) -> String {
    format!(
        "name = \"ids\"\nsystem = \"You list ids.\"\n{above}[schema]\ntype = \"object\"\n[schema.properties.items]\ntype = \"array\"\n{schema}"
    )
}

fn check_refused(text: &str, line: usize, path: &str, message: &str, hint: Option<&str>) {
    let error = Agent::from_toml(text).unwrap_err();
    assert_eq!(error.message, message, "{text}");
    assert_eq!((error.line, error.path.as_str(), error.hint.as_deref()), (Some(line), path, hint), "{text}");
}

/// An agent with an error before its schema.
fn above(text: &str, line: usize, path: &str, message: &str, hint: Option<&str>) {
    check_refused(&toml(text, ""), line, path, message, hint);
}

/// An agent with an error in its list; the first line of the text is line 7 of the file.
fn within(text: &str, line: usize, path: &str, message: &str, hint: Option<&str>) {
    check_refused(&toml("", text), line, path, message, hint);
}

const ITEMS: &str = "[schema.properties.items.items]\ntype = \"object\"\nrequired = [\"id\"]\n[schema.properties.items.items.properties]\nid = {type = \"string\"}\nnote = {type = \"string\"}\n";

#[test]
fn an_agent_has_what_its_file_says() {
    let text = r#"
name = "action-items"
description = " Action items from minutes "
system = """
You list action items.
"""
[model]
name = "gpt-4o"
context_window = 128_000
[pagination]
paginate = "always"
chunk_size = 500
max_records = 200
overlap = 10
pages_per_chunk = "auto"
order = "sequential"
carry = true
include_chunk_metadata = false
merge = "custom"
program = '{items: map(.items) | add}'
on_failure = "partial"
[[audit]]
name = "PBI"
pattern = '\bPBI-\d+'
path = "/items/*/id"
[schema]
type = "object"
required = ["items"]
[schema.properties.summary]
type = "string"
[schema.properties.items]
type = "array"
x-merge = "union"
x-key = "id"
x-pattern = ['(?P<id>PBI-\d+): (?P<note>.+)', '(?P<id>CR-\d+)']
[schema.properties.items.items]
type = "object"
required = ["id"]
[schema.properties.items.items.properties]
id = {type = "string"}
note = {type = "string"}
"#;
    let agent = Agent::from_toml(text).unwrap();
    assert_eq!((agent.name.as_str(), agent.description.as_str()), ("action-items", "Action items from minutes"));
    assert_eq!(agent.system, "You list action items.\n");
    let model = agent.model.unwrap();
    assert_eq!((model.name.as_str(), model.max_completion_tokens), ("gpt-4o", None));
    assert_eq!(model.context_window.map(NonZeroU64::get), Some(128_000));
    assert_eq!(
        agent.pagination,
        Pagination {
            paginate: PaginationMode::Always,
            chunk_size: NonZeroU64::new(500),
            max_records: NonZeroU64::new(200),
            overlap: Some(10),
            pages_per_chunk: PagesPerChunk::Auto,
            order: PartOrder::Sequential,
            carry: true,
            include_chunk_metadata: false,
            merge: MergeMethod::Program("{items: map(.items) | add}".to_owned()),
            on_failure: OnFailure::Partial,
        }
    );
    assert_eq!(agent.audit[0].path.as_deref(), Some("/items/*/id"));
    let patterns: Vec<(&str, &str)> =
        agent.patterns.iter().map(|one| (one.path.as_str(), one.pattern.as_str())).collect();
    assert_eq!(patterns, [("/items", r"(?P<id>PBI-\d+): (?P<note>.+)"), ("/items", r"(?P<id>CR-\d+)")]);
    // The order of the file, not alphabetical.
    let keys: Vec<&String> = agent.schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["summary", "items"]);
}

#[test]
fn both_formats_and_a_schema_in_a_string_are_the_same_agent() {
    let table = Agent::from_toml(&toml("", &format!("x-merge = \"union\"\nx-key = \"id\"\n{ITEMS}"))).unwrap();
    let schema = table.schema.to_string();
    let string = format!("name = \"ids\"\nsystem = \"You list ids.\"\nschema = '''{schema}'''\n");
    let json = json!({"name": "ids", "system": "You list ids.", "model": null, "schema": table.schema}).to_string();
    for agent in [Agent::from_toml(&string).unwrap(), Agent::from_json(&json).unwrap()] {
        assert_eq!(agent.schema.to_string(), schema);
        assert_eq!(agent.pagination, Pagination::default());
        assert_eq!((agent.name.as_str(), agent.system.as_str()), ("ids", "You list ids."));
    }
}

#[test]
fn text_that_cannot_be_read_has_a_line() {
    check_refused(
        "name = \"a\"\nsystem = \n",
        2,
        "",
        "cannot be read as TOML: string values must be quoted, expected literal string",
        None,
    );
    check_refused("name = \"a\"\nname = \"b\"\n", 2, "", "cannot be read as TOML: duplicate key", None);
    let error = Agent::from_json("{\n  \"name\": \"a\",\n  \"system\" \"b\"}").unwrap_err();
    assert_eq!((error.line, error.message.as_str()), (Some(3), "cannot be read as JSON: expected `:`"));
    let error = Agent::from_json("{\"name\": \"a\",\n\"name\": \"b\"}").unwrap_err();
    assert_eq!((error.line, error.message.as_str()), (Some(2), "`name` is given twice"));
    let error = Agent::from_json(&"[".repeat(5000)).unwrap_err();
    assert_eq!((error.line, error.message.as_str()), (Some(1), "cannot be read as JSON: recursion limit exceeded"));
    let keys = ["a"; 60].join(".");
    let text = format!("{keys} = {}1{}", format!("{{{keys} = ").repeat(60), "}".repeat(60));
    check_refused(&text, 1, "", "nested too deeply", None);
    let error = Agent::from_toml(&" ".repeat(MAX_AGENT_FILE_SIZE + 1)).unwrap_err();
    assert_eq!(error.line, None);
    assert_eq!(error.message, "the file has 1000001 bytes, and an agent may have 1000000");
    let text = "name = \"a\"\nsystem = \"b\"\nschema = '''\n{\"type\": \"object\",\n  \"properties\": {\n}'''\n";
    check_refused(text, 6, "", "cannot be read as JSON: EOF while parsing an object", None);
    let text = "name = \"a\"\nsystem = \"b\"\nschema = '''{\n\"type\": \"objct\"}'''\n";
    check_refused(text, 4, "schema.type", "schema.type: `type` cannot be `objct`", Some("did you mean `object`?"));
}

#[test]
fn unknown_and_missing_keys_are_told_with_the_nearest() {
    above("descripton = \"x\"\n", 3, "descripton", "unknown key `descripton`", Some("did you mean `description`?"));
    above(
        "chunk_size = 3\n",
        3,
        "chunk_size",
        "unknown key `chunk_size`",
        Some("`chunk_size` belongs below `[pagination]`"),
    );
    above(
        "[model]\nname = \"m\"\nwindow = 1\n",
        5,
        "model.window",
        "unknown key `window` in `[model]`",
        Some("did you mean `context_window`?"),
    );
    above(
        "[[audit]]\nname = \"A\"\nregex = 'a'\n",
        5,
        "audit[0].regex",
        "unknown key `regex` in `[[audit]]`",
        Some("did you mean `name`?"),
    );
    above("[[audit]]\nname = \"A\"\n", 3, "audit[0].pattern", "`audit[0]` has no `pattern`", None);
    above("[model]\ncontext_window = 1\n", 3, "model.name", "`model` has no `name`", None);
    check_refused("system = \"x\"\n", 1, "name", "the agent has no `name`", None);
    check_refused("name = \"x\"\nsystem = \"y\"\n", 1, "schema", "the agent has no `schema`", None);
}

#[test]
fn values_that_cannot_be_are_told() {
    let pagination = |text: &str, message: &str, hint: Option<&str>| {
        let key = text.split(' ').next().unwrap();
        above(&format!("[pagination]\n{text}\n"), 4, &format!("pagination.{key}"), message, hint);
    };
    let all = Some("leave it out for as much as fits");
    pagination("chunk_size = 0", "`pagination.chunk_size` must be 1 or more", all);
    pagination("max_records = 0", "`pagination.max_records` must be 1 or more", all);
    pagination("pages_per_chunk = 0", "`pagination.pages_per_chunk` must be 1 or more", all);
    pagination("chunk_size = -1", "`pagination.chunk_size` must be a whole number, not the number `-1`", None);
    pagination(
        "chunk_size = \"500\"",
        "`pagination.chunk_size` must be a whole number, not the string `\"500\"`",
        Some("write the number without quotes"),
    );
    pagination(
        "pages_per_chunk = \"all\"",
        "`pagination.pages_per_chunk` must be a whole number or `\"auto\"`, not the string `\"all\"`",
        None,
    );
    pagination(
        "order = \"paralel\"",
        "`pagination.order` must be `parallel` or `sequential`, not `paralel`",
        Some("did you mean `parallel`?"),
    );
    pagination(
        "carry = \"true\"",
        "`pagination.carry` must be `true` or `false`, not the string `\"true\"`",
        Some("write it without quotes"),
    );
    pagination(
        "merge = \"custom\"",
        "`pagination.merge` is `custom`, and there is no `program`",
        Some("write the program in the language of jq: `program = '{items: map(.items) | add}'`"),
    );
    pagination(
        "program = \"add\"",
        "`pagination.program` is for `merge = \"custom\"` alone",
        Some("write `merge = \"custom\"`"),
    );
    above(
        "[pagination]\nchunk_size = 500\noverlap = 500\n",
        5,
        "pagination.overlap",
        "`pagination.overlap` must be smaller than `chunk_size`: `500` is not below `500`",
        None,
    );
    above(
        "[pagination]\norder = \"parallel\"\ncarry = true\n",
        5,
        "pagination.carry",
        "`pagination.carry` asks for one part after the other, and `order` is `parallel`",
        Some("write `order = \"sequential\"`"),
    );
    above(
        "model = \"gpt-4o\"\n",
        3,
        "model",
        "`model` must be a table, not the string `\"gpt-4o\"`",
        Some("write `[model]` on a line of its own and `name = \"gpt-4o\"` below it"),
    );
    above("description = \"a\\nb\"\n", 3, "description", "`description` must be one line", None);
    above("description = 2026-01-01\n", 3, "", "a date is no value of JSON", Some("put it in quotes"));
    check_refused(
        "name = \"Ids\"\n",
        1,
        "name",
        "`name` must be lower case letters, digits and hyphens, not `Ids`",
        None,
    );
    check_refused("name = \"ids\"\nsystem = \" \"\n", 2, "system", "`system` is empty", None);
}

#[test]
fn audits_have_patterns_that_find_something_and_places_that_there_are() {
    let audit = |text: &str, key: &str, message: &str, hint: Option<&str>| {
        let text = toml(&format!("[[audit]]\nname = \"A\"\n{text}\n"), ITEMS);
        let line = text.lines().position(|line| line.starts_with(key)).unwrap() + 1;
        check_refused(&text, line, &format!("audit[0].{key}"), message, hint);
    };
    audit("pattern = '('", "pattern", "no regular expression: unclosed group", None);
    audit("pattern = 'a*'", "pattern", "a pattern that finds nothing at all, everywhere", None);
    audit(
        "pattern = 'a'\npath = \"/items/id\"",
        "path",
        "`path` leads to `id`, which the schema does not have there",
        Some("`*` stands for each item of a list"),
    );
    audit(
        "pattern = 'a'\npath = \"/item/*/id\"",
        "path",
        "`path` leads to `item`, which the schema does not have there",
        Some("did you mean `items`?"),
    );
    audit(
        "pattern = 'a'\npath = \"items\"",
        "path",
        "`path` must begin with `/`, not `items`",
        Some("write a JSON pointer in which `*` stands for each item: `/items/*/id`"),
    );
    assert!(Agent::from_toml(&toml("[[audit]]\nname = \"A\"\npattern = 'a'\npath = \"/items/*/id\"\n", ITEMS)).is_ok());
}

#[test]
fn patterns_of_fields_fit_their_items() {
    let x = |pattern: &str, message: &str, hint: Option<&str>| {
        let path = "schema.properties.items.x-pattern";
        within(&format!("x-pattern = '{pattern}'\n{ITEMS}"), 7, path, &format!("{path}: {message}"), hint);
    };
    x("(", "`x-pattern` is no regular expression: unclosed group", None);
    x(
        "PBI",
        "`x-pattern` names no groups, and the items are objects",
        Some("name a group after each field: `(?P<id>...)`"),
    );
    x("(?P<key>PBI)", "`x-pattern` names `key`, which the items do not have", Some("did you mean `id`?"));
    x(
        "(?P<note>PBI)",
        "`x-pattern` has no group for `id`, which the items require",
        Some("name a group `id`, or leave `id` out of `required`"),
    );
    within(
        "x-pattern = [\n'PBI',\n7]\nitems = {type = \"string\"}\n",
        9,
        "schema.properties.items.x-pattern.1",
        "schema.properties.items.x-pattern.1: `x-pattern` must be a string, or a list of strings",
        None,
    );
    within(
        "x-pattern = '(?P<a>b)'\nitems = {type = \"string\"}\n",
        7,
        "schema.properties.items.x-pattern",
        "schema.properties.items.x-pattern: `x-pattern` names `a`, and the items are no objects",
        Some("what counts is the first group, or the whole match"),
    );
    within(
        "[schema.properties.note]\ntype = \"string\"\nx-pattern = 'a'\n",
        9,
        "schema.properties.note.x-pattern",
        "schema.properties.note.x-pattern: `x-pattern` stands on a list outside of other lists, and nowhere else",
        None,
    );
    let agent = Agent::from_toml(&toml("", "items = {type = \"string\"}\nx-pattern = 'PBI-\\d+'\n")).unwrap();
    assert_eq!(agent.patterns.len(), 1);
}

#[test]
fn patterns_are_found_behind_references_and_in_objects() {
    let text = toml(
        "",
        "[schema.properties.head]\n\"$ref\" = \"#/$defs/head\"\n[schema.\"$defs\".head.properties.\"a/b\"]\ntype = \"array\"\nx-pattern = 'A'\nitems = {type = \"string\"}\n",
    );
    let agent = Agent::from_toml(&text).unwrap();
    assert_eq!(agent.patterns[0].path, "/head/a~1b");
    let error = Agent::from_toml(&text.replace("'A'", "'('")).unwrap_err();
    assert_eq!((error.line, error.path.as_str()), (Some(11), "schema.$defs.head.properties.a~1b.x-pattern"));
}

#[test]
fn what_is_wrong_in_a_schema_has_a_line() {
    within(
        "x-mrege = \"union\"\n",
        7,
        "schema.properties.items.x-mrege",
        "schema.properties.items.x-mrege: unknown keyword `x-mrege`",
        Some("did you mean `x-merge`?"),
    );
    let key = "schema.properties.items.x-key";
    within(
        &format!("x-merge = \"union\"\nx-key = \"key\"\n{ITEMS}"),
        8,
        key,
        &format!("{key}: the items have no field `key`"),
        None,
    );
    within(
        "minItems = \"2\"\n",
        7,
        "schema.properties.items.minItems",
        "schema.properties.items.minItems: is no integer",
        None,
    );
    within(
        "[schema.properties.items.items]\n\"$ref\" = \"#/$defs/item\"\n",
        8,
        "schema.properties.items.items.$ref",
        "schema.properties.items.items.$ref: `$ref` leads nowhere: `#/$defs/item`",
        Some("references are into the schema itself, such as `#/$defs/name`"),
    );
    let text = "{\"name\": \"a\", \"system\": \"b\",\n\"schema\": {\n\"type\": \"object\",\n\"required\": [\"x\"],\n\"properties\": {\"y\": {}}}}";
    let error = Agent::from_json(text).unwrap_err();
    assert_eq!((error.line, error.path.as_str()), (Some(4), "schema.required"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_broken_file_is_an_agent_or_a_mistake_with_a_line(
        which in 0..3usize,
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), "[a-z0-9\"'=\\[\\]{}. \n\\\\(*?]{0,3}"), 1..4),
    ) {
        let text = built_in_agents()[which].text.to_owned();
        let json = serde_json::to_string_pretty(&toml::from_str::<Value>(&text).unwrap()).unwrap();
        let mut texts = [text, json];
        for text in &mut texts {
            for (from, length, put) in &cuts {
                let mut from = from.index(text.len().max(1));
                let mut to = (from + length.index(12)).min(text.len());
                while !text.is_char_boundary(from) { from -= 1; }
                while !text.is_char_boundary(to) { to += 1; }
                text.replace_range(from..to, put);
            }
        }
        for (read, text) in [Agent::from_toml(&texts[0]), Agent::from_json(&texts[1])].into_iter().zip(&texts) {
            if let Err(error) = read {
                let lines = text.split('\n').count();
                prop_assert!(error.line.is_some_and(|line| (1..=lines).contains(&line)), "{error:?}");
            }
        }
    }
}
