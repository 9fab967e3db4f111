//! A Scribe that documents everything it is shown, and cites the printed numbers.

use super::block_reader::{BlockItem, read_items};
use super::block_words::BlockWords;
use super::listed_rows::{self, ListedRow};
use super::log::{AnswerItemKind, Nonce};
use super::script::FalseClaim;
use crate::SourceBlock;
use regex::Regex;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// The answer to a documentation call.
#[derive(Debug)]
pub(crate) struct FakeAnswer {
    pub(crate) json: Value,
    pub(crate) nonces: Vec<Nonce>,
}

/// What begins in a block, each item with a nonce of its own. A perfect Scribe documents what begins in its block, and leaves to
/// an earlier one what goes on there.
///
/// What the prompt lists, it names by the id alone.
pub(crate) fn answer(block: &SourceBlock, file: &str, untruth: Option<FalseClaim>, listed: &[ListedRow]) -> FakeAnswer {
    let words = BlockWords::of(&block.rows);
    let mut answer = FakeAnswer { json: empty(), nonces: Vec::new() };
    let told = words.comments.iter().find(|(_, text)| ORDER.is_match(text));
    let obeys = untruth == Some(FalseClaim::Obedient);
    if let (true, Some((row, text))) = (obeys, told) {
        answer.json["purpose"] = json!({"summary": text, "business_context": null, "program_type": null,
            "citations": [citation(*row, *row, None)]});
        return answer;
    }
    if untruth == Some(FalseClaim::Forgetful) {
        return answer;
    }
    answer.json["purpose"] = purpose(&words);
    for item in read_items(&words, &block.rows) {
        answer.add(block, file, &item, listed);
    }
    if let Some(untruth) = untruth {
        answer.twist(block, untruth);
    }
    answer
}

static ORDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(ignore|instructions?|assistant|respond|you (must|are|shall|should))\b")
        .expect("the expression is right")
});

fn empty() -> Value {
    json!({"purpose": null, "inputs": [], "outputs": [], "called_programs": [], "business_rules": [],
        "data_flow": {"reads_from": [], "writes_to": [], "transforms": []}, "copybooks_used": [], "paragraphs": [],
        "error_handling": [], "sql_operations": [], "cics_operations": [], "open_questions": []})
}

fn citation(start: usize, end: usize, quote: Option<&str>) -> Value {
    json!({"start": start, "end": end, "quote": quote})
}

/// The purpose, where the block shows the name of a program.
fn purpose(words: &BlockWords) -> Value {
    let at = words.words.iter().position(|word| word.is("PROGRAM-ID"));
    let name = at.and_then(|at| words.words[at + 1..].iter().find(|word| !word.is(".")));
    let Some(name) = name else { return Value::Null };
    json!({"summary": format!("{} does what its paragraphs say.", name.bare()), "business_context": null,
        "program_type": null, "citations": [citation(name.row, name.row, None)]})
}

impl FakeAnswer {
    fn add(&mut self, block: &SourceBlock, file: &str, seen: &BlockItem, listed: &[ListedRow]) {
        let nonce = self.nonce(block, file, seen);
        let cited = json!([citation(seen.start, seen.end, None)]);
        let (name, detail) = (&seen.name, &seen.detail);
        let mut item = match seen.kind {
            AnswerItemKind::Paragraph => {
                json!({"paragraph_name": name, "summary": format!("Its part. {nonce}"), "purpose": null, "citations": cited})
            }
            AnswerItemKind::Call => {
                json!({"program_name": name, "call_type": detail, "purpose": format!("For help. {nonce}"), "citations": cited})
            }
            AnswerItemKind::Copy => {
                json!({"copybook_name": name, "purpose": format!("Layouts. {nonce}"), "citations": cited})
            }
            AnswerItemKind::Sql => {
                json!({"operation": name, "table": detail, "purpose": format!("Data. {nonce}"), "citations": cited})
            }
            AnswerItemKind::Cics => {
                json!({"command": name, "resource": detail, "purpose": format!("Service. {nonce}"), "citations": cited})
            }
            AnswerItemKind::Rule => {
                json!({"description": format!("If {name}. {nonce}"), "logic_summary": null, "conditions": [name],
                    "citations": cited})
            }
            AnswerItemKind::Error => {
                json!({"condition": name, "action": format!("Is dealt with. {nonce}"), "citations": cited})
            }
            AnswerItemKind::Read | AnswerItemKind::Write | AnswerItemKind::Transform => {
                json!({"name": name, "description": format!("Moves data. {nonce}"), "citations": cited})
            }
        };
        if !listed.is_empty() {
            item["id"] = Value::Null;
        }
        if let Some(row) = listed_rows::of(listed, seen) {
            item["id"] = json!(row.id);
            for known in [
                "paragraph_name", "program_name", "call_type", "copybook_name", "operation", "table", "command",
                "resource",
            ] {
                if item.get(known).is_some() {
                    item[known] = Value::Null;
                }
            }
            match seen.kind {
                AnswerItemKind::Rule => (item["conditions"], item["citations"]) = (json!([]), json!([])),
                AnswerItemKind::Error => (item["condition"], item["citations"]) = (Value::Null, json!([])),
                // Many rows use a resource, and the list does not say which.
                AnswerItemKind::Read | AnswerItemKind::Write => item["name"] = Value::Null,
                _ => item["citations"] = json!([]),
            }
        }
        if let Some(Value::Array(list)) = self.json.pointer_mut(seen.kind.pointer()) {
            list.push(item);
        }
    }

    /// A word of letters, digits and lines below, so that nothing in it is a name of the source.
    fn nonce(&mut self, block: &SourceBlock, file: &str, seen: &BlockItem) -> String {
        let flat: String = file.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let chunk = block.chunk.split('/').next().unwrap_or_default();
        let (word, count) = (&block.word[..4], self.nonces.len() + 1);
        let text = format!("n_{flat}_{chunk}_{word}_{count}_{}#", seen.start);
        self.nonces.push(Nonce {
            text: text.clone(),
            kind: seen.kind,
            name: seen.name.clone(),
            file: file.to_owned(),
            block: block.word.clone(),
            row: seen.start,
        });
        text
    }

    fn twist(&mut self, block: &SourceBlock, untruth: FalseClaim) {
        let row = self.nonces.iter().find(|nonce| nonce.kind == AnswerItemKind::Paragraph).map_or(1, |found| found.row);
        let shown = block.rows.get(row - 1).map(|row| row.trim());
        let (list, item) = match untruth {
            FalseClaim::Shifted(rows) => return shift(&mut self.json, rows),
            FalseClaim::InventedParagraph { quoted } => {
                let cited = citation(row, row, shown.filter(|_| quoted));
                let said = "Checks what nobody checks.";
                let item = json!({"paragraph_name": INVENTED_PARAGRAPH, "summary": said, "purpose": null, "citations": [cited]});
                ("paragraphs", item)
            }
            FalseClaim::InventedCall => {
                let cited = citation(row, row, None);
                let said = "Asks what nobody asks.";
                let item = json!({"program_name": INVENTED_PROGRAM, "call_type": "static", "purpose": said, "citations": [cited]});
                ("called_programs", item)
            }
            FalseClaim::InventedCopy => {
                let cited = citation(row, row, None);
                let item =
                    json!({"copybook_name": INVENTED_COPYBOOK, "purpose": "Brings nothing.", "citations": [cited]});
                ("copybooks_used", item)
            }
            FalseClaim::Obedient | FalseClaim::Forgetful => return,
        };
        if let Value::Array(items) = &mut self.json[list] {
            items.push(item);
        }
    }
}

/// The paragraph that a Scribe invents.
pub const INVENTED_PARAGRAPH: &str = "7777-NEVER-WRITTEN";
/// The program that a Scribe invents a call of.
pub const INVENTED_PROGRAM: &str = "NEVERWAS";
/// The copybook that a Scribe invents.
pub const INVENTED_COPYBOOK: &str = "NOBOOK";

fn shift(value: &mut Value, rows: u32) {
    match value {
        Value::Object(fields) if fields.contains_key("start") && fields.contains_key("end") => {
            for key in ["start", "end"] {
                fields[key] = json!(fields[key].as_u64().unwrap_or_default() + u64::from(rows));
            }
        }
        Value::Object(fields) => fields.iter_mut().for_each(|(_, field)| shift(field, rows)),
        Value::Array(items) => items.iter_mut().for_each(|item| shift(item, rows)),
        _ => {}
    }
}

/// What a function or a system is for, as it says it.
pub const MEMBERS_TOGETHER: &str = "Together they serve one purpose.";

/// What each of its members does, as it says it.
pub const MEMBER_SERVES: &str = "One step of it is done by";

/// The purpose in an overview.
pub const OVERVIEW: &str = "The program does what its parts say, one after the other.";
/// The story of the main line in an overview.
pub const MAIN_LINE: &str = "It begins, works from paragraph to paragraph, and ends.";
/// How an overview sums up a paragraph, before its id.
pub const PARAGRAPH_IN_ONE: &str = "It is told in pieces and does it all, says";

/// The answer to a call for an overview: a purpose, a main line, and a sentence for each paragraph that has an id.
pub(crate) fn overview(user: &str) -> Value {
    let mut ids: Vec<&str> = ID.captures_iter(user).filter_map(|found| Some(found.get(1)?.as_str())).collect();
    ids.dedup();
    let paragraphs = ids.iter().map(|id| json!({"id": id, "summary": format!("{PARAGRAPH_IN_ONE} {id}.")}));
    json!({"summary": OVERVIEW, "business_context": null, "program_type": null, "main_line": MAIN_LINE,
        "paragraphs": paragraphs.collect::<Vec<_>>()})
}

/// What it says of a function or of a system: a sentence about each of the first programs or functions, and one about all.
pub(crate) fn estate(user: &str) -> Value {
    let names: Vec<&str> = MEMBER.captures_iter(user).filter_map(|found| Some(found.get(1)?.as_str())).collect();
    let each = names.iter().take(2).map(|name| json!({"text": format!("{MEMBER_SERVES} {name}."), "from": [name]}));
    let all = json!({"text": MEMBERS_TOGETHER, "from": names});
    json!({"sentences": std::iter::once(all).chain(each).collect::<Vec<_>>()})
}

static MEMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\d+\|(?:program|function) ([^:]+): ").expect("the expression is right"));

static ID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\d+\|(P\d+) [^ ]+: ").expect("the expression is right"));

#[cfg(test)]
mod tests;
