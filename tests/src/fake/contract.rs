//! The contract of a Scribe call, held against every request.

use super::log::CallPurpose;
use super::script::Refusal;
use super::tokenizer::{content, dumped};
use crate::{ContextBlock, PartBlock, SourceBlock};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The name of the documentation's schema.
const OVERVIEW: &str = "program_overview";
const DOCUMENTATION: &str = "documentation_template";
/// The name of the schema of what is said of functions and systems.
const ESTATE: &str = "estate_words";
/// The name of the schema of what a part has.
const EXTRACTION: &str = "extraction";
/// The name of the schema of one text for several.
const SUMMARY: &str = "summary";

/// A request that keeps the contract.
#[derive(Debug)]
pub(crate) struct ContractRequest {
    pub(crate) purpose: CallPurpose,
    pub(crate) block: Option<SourceBlock>,
    pub(crate) part: Option<Arc<PartBlock>>,
    /// The text of all messages of the user.
    pub(crate) user: String,
}

impl ContractRequest {
    /// The file in the header of its block, decoded.
    pub(crate) fn file(&self) -> String {
        if let Some(part) = &self.part {
            return part.file.clone();
        }
        let encoded = self.block.as_ref().map_or("", |block| &block.file);
        percent_encoding::percent_decode_str(encoded).decode_utf8_lossy().into_owned()
    }

    /// `k` and `n` of its block.
    pub(crate) fn chunk(&self) -> (usize, usize) {
        if let Some(part) = &self.part {
            let number = |number: Option<u64>| number.map_or(0, |number| number as usize);
            return (number(part.part), number(part.parts));
        }
        self.block.as_ref().and_then(|block| numbers(&block.chunk)).unwrap_or_default()
    }
}

fn numbers(chunk: &str) -> Option<(usize, usize)> {
    let (k, n) = chunk.split_once('/')?;
    Some((k.parse().ok()?, n.parse().ok()?)).filter(|(k, n)| 1 <= *k && k <= n)
}

/// What must be the same in all calls.
#[derive(Debug, Default)]
pub(crate) struct Contract {
    /// By the type of the response format and the name of the schema: the system message and the schema.
    fixed: HashMap<String, (String, String)>,
}

impl Contract {
    /// Reads a request.
    ///
    /// # Errors
    /// How it breaks the contract.
    pub(crate) fn read(&mut self, body: &Value, refused: &BTreeSet<Refusal>) -> Result<ContractRequest, String> {
        let messages = body["messages"].as_array().ok_or("no messages")?;
        let of = |role: &str| messages.iter().filter(|m| m["role"] == role).map(content).collect::<Vec<_>>();
        let (system, user) = (of("system"), of("user"));
        if body["model"].as_str().is_none_or(str::is_empty) {
            return Err("no model".to_owned());
        }
        if body["stream"] == true {
            return Err("a stream is asked for".to_owned());
        }
        let blocks: Vec<&String> = user.iter().filter(|text| has_block(text)).collect();
        let format = &body["response_format"];
        let kind = format["type"].as_str().unwrap_or("none");
        let name = format["json_schema"]["name"].as_str();
        let can_do_without = refused.contains(&Refusal::JsonSchema);
        match (kind, name) {
            ("json_schema", Some(_)) if format["json_schema"]["strict"] != true => {
                return Err("the schema is not strict".to_owned());
            }
            ("json_schema", Some(_)) if !format["json_schema"]["schema"].is_object() => {
                return Err("the schema is no object".to_owned());
            }
            ("json_schema", Some(EXTRACTION)) => return self.extraction(body, &system, user),
            ("json_schema", Some(SUMMARY)) => return self.summary(body, &system, user),
            ("json_schema", Some(DOCUMENTATION)) => {}
            ("json_schema", Some(OVERVIEW)) if blocks.is_empty() => return self.overview(body, &system, user),
            ("json_schema", Some(ESTATE)) if blocks.is_empty() => return self.estate(body, &system, user),
            ("json_schema", Some(name)) => return Err(format!("a source block under the schema `{name}`")),
            ("json_schema", None) => return Err("the schema has no name".to_owned()),
            ("json_object" | "text" | "none", _)
                if can_do_without && user.iter().any(|text| PartBlock::is_in(text)) =>
            {
                return self.extraction(body, &system, user);
            }
            ("json_object" | "text" | "none", _)
                if can_do_without && user.iter().any(|text| text.starts_with("<<<ESTATE ")) =>
            {
                return self.estate(body, &system, user);
            }
            ("json_object" | "text" | "none", _) if can_do_without && blocks.is_empty() => {
                return self.overview(body, &system, user);
            }
            ("json_object" | "text" | "none", _) if can_do_without => {}
            (kind, _) => return Err(format!("a response format of type `{kind}`")),
        }
        let [text] = blocks.as_slice() else {
            return Err(format!("{} messages with a source block", blocks.len()));
        };
        let block = SourceBlock::parse(text)?;
        ContextBlock::parse_all(text)?;
        if numbers(&block.chunk).is_none() {
            return Err(format!("`chunk={}` is no k/n", block.chunk));
        }
        self.is_as_before(DOCUMENTATION, format, &system)?;
        let block = Some(block);
        Ok(ContractRequest { purpose: CallPurpose::Documentation, block, part: None, user: user.join("\n") })
    }

    /// Whether system message and schema are those of the first call of this kind.
    fn is_as_before(&mut self, purpose: &str, format: &Value, system: &[String]) -> Result<(), String> {
        let [system] = system else { return Err(format!("{} system messages", system.len())) };
        let own = (system.clone(), dumped(&format["json_schema"]["schema"]));
        let schema = format["json_schema"]["name"].as_str().unwrap_or(purpose);
        let kind = format!("{} {schema}", format["type"]);
        match self.fixed.entry(kind).or_insert_with(|| own.clone()) == &own {
            true => Ok(()),
            false => Err("the system message or the schema is not that of the first call".to_owned()),
        }
    }

    /// A question about a part of an input.
    fn extraction(&mut self, body: &Value, system: &[String], user: Vec<String>) -> Result<ContractRequest, String> {
        let [text] = user.as_slice() else { return Err(format!("{} messages of the user", user.len())) };
        let part = Some(Arc::new(PartBlock::parse(text)?));
        self.is_as_before(EXTRACTION, &body["response_format"], system)?;
        Ok(ContractRequest { purpose: CallPurpose::Extraction, block: None, part, user: user.join("\n") })
    }

    /// A question for one text instead of several.
    fn summary(&mut self, body: &Value, system: &[String], user: Vec<String>) -> Result<ContractRequest, String> {
        let [text] = user.as_slice() else { return Err(format!("{} messages of the user", user.len())) };
        let inner = text.split_once("\n<<<TEXTS ").and_then(|(_, rest)| rest.split_once(">>>\n"));
        let (word, texts) = inner.ok_or("no block of texts")?;
        if !texts.contains(&format!("\n<<<END {word}>>>\n")) || !texts.starts_with("[1]\n") {
            return Err("a block of texts is not whole".to_owned());
        }
        self.is_as_before(SUMMARY, &body["response_format"], system)?;
        Ok(ContractRequest { purpose: CallPurpose::Summary, block: None, part: None, user: user.join("\n") })
    }

    /// A question for the overview of a program.
    fn overview(&mut self, body: &Value, system: &[String], user: Vec<String>) -> Result<ContractRequest, String> {
        has_numbered_rows(&user, "PARTS")?;
        self.is_as_before(OVERVIEW, &body["response_format"], system)?;
        Ok(ContractRequest { purpose: CallPurpose::Overview, block: None, part: None, user: user.join("\n") })
    }

    /// A question about a business function or the system.
    fn estate(&mut self, body: &Value, system: &[String], user: Vec<String>) -> Result<ContractRequest, String> {
        has_numbered_rows(&user, "ESTATE")?;
        self.is_as_before(ESTATE, &body["response_format"], system)?;
        Ok(ContractRequest { purpose: CallPurpose::Estate, block: None, part: None, user: user.join("\n") })
    }
}

/// Whether the user's only message is a block of numbered rows under this head.
fn has_numbered_rows(user: &[String], head: &str) -> Result<(), String> {
    let [text] = user else { return Err(format!("{} messages of the user", user.len())) };
    let inner = text.strip_prefix(&format!("<<<{head} ")).and_then(|rest| rest.split_once(">>>\n"));
    let (word, rows) = inner.ok_or("no block of rows")?;
    let rows = rows.strip_suffix(&format!("<<<END {word}>>>\n")).ok_or("a block of rows is not whole")?;
    if rows.is_empty() {
        return Err("a block of rows is empty".to_owned());
    }
    match (1..).zip(rows.lines()).find(|(number, row)| !row.starts_with(&format!("{number}|"))) {
        Some((number, row)) => Err(format!("row {number} has another number: `{row}`")),
        None => Ok(()),
    }
}

fn has_block(text: &str) -> bool {
    text.starts_with("<<<SOURCE ") || text.contains("\n<<<SOURCE ")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::numbered;
    use serde_json::json;

    /// The message of a user with these rows as `k/n` of a file.
    pub(crate) fn message(file: &str, chunk: &str, rows: &[&str]) -> String {
        let sum = rows.iter().flat_map(|row| row.bytes()).fold(7u64, |sum, byte| {
            sum.wrapping_mul(1_099_511_628_211).wrapping_add(u64::from(byte)) % 0xffff_ffff_ffff
        });
        let rows = numbered(rows.iter().copied());
        format!("Say.\n<<<SOURCE {sum:012x} file={file} chunk={chunk}>>>\n{rows}<<<END {sum:012x}>>>\n")
    }

    /// A request that keeps the contract.
    pub(crate) fn request(user: &str) -> Value {
        json!({"model": "gpt-4o", "max_tokens": 4000, "temperature": 0.0,
            "messages": [{"role": "system", "content": "You document."}, {"role": "user", "content": user}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "documentation_template", "strict": true,
                "schema": {"type": "object", "properties": {}, "required": [], "additionalProperties": false}}}})
    }

    fn check(change: impl Fn(&mut Value), expected: &str) {
        let mut contract = Contract::default();
        let good = request(&message("cbl/X.cbl", "2/5", &[" A.", "     GOBACK."]));
        contract.read(&good, &BTreeSet::new()).expect("it keeps the contract");
        let mut other = good;
        change(&mut other);
        let error = contract.read(&other, &BTreeSet::new()).expect_err("it breaks the contract");
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn what_breaks_the_contract_is_refused() {
        check(|body| body["messages"][1]["content"] = json!("Say."), "0 messages with a source block");
        check(
            |body| {
                let text = body["messages"][1]["content"].as_str().unwrap_or_default().repeat(2);
                body["messages"][1]["content"] = json!(text);
            },
            "after the end",
        );
        check(|body| body["response_format"]["json_schema"]["strict"] = json!(false), "strict");
        check(|body| body["response_format"]["json_schema"]["name"] = json!("other"), "`other`");
        check(|body| body["response_format"] = json!({"type": "json_object"}), "`json_object`");
        check(|body| body["response_format"] = Value::Null, "`none`");
        check(|body| body["messages"][0]["content"] = json!("You write."), "first call");
        check(|body| body["response_format"]["json_schema"]["schema"]["required"] = json!(["a"]), "first call");
        check(|body| body["messages"][1]["content"] = json!(message("X", "6/5", &[" A."])), "no k/n");
    }

    #[test]
    fn an_overview_has_a_block_of_parts_and_a_server_without_schemas_takes_less() {
        let mut contract = Contract::default();
        let asked = |text: &str| {
            let mut body = request(text);
            body["response_format"]["json_schema"]["name"] = json!(OVERVIEW);
            body
        };
        let body = asked("<<<PARTS 12>>>\n1|purpose: Posts.\n<<<END 12>>>\n");
        let read = contract.read(&body, &BTreeSet::new()).expect("it is a call for an overview");
        assert_eq!(read.purpose, CallPurpose::Overview);
        for wrong in
            ["The parts say: ...", "<<<PARTS 12>>>\n2|A\n<<<END 12>>>\n", "<<<PARTS 12>>>\n1|A\n<<<END 13>>>\n"]
        {
            assert!(contract.read(&asked(wrong), &BTreeSet::new()).is_err(), "{wrong}");
        }
        let mut body = request(&message("a%20b/X.cbl", "1/1", &[" A."]));
        body["response_format"] = json!({"type": "json_object"});
        let read = contract.read(&body, &BTreeSet::from([Refusal::JsonSchema])).expect("it asks for less");
        assert_eq!((read.file().as_str(), read.chunk()), ("a b/X.cbl", (1, 1)));
    }
}
