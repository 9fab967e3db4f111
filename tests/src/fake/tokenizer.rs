//! Counting as a server does it, apart from the code under test.

use serde_json::Value;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

/// Whose tokens a fake counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokenizer {
    /// `o200k_base`.
    O200k,
    /// `cl100k_base`.
    Cl100k,
}

impl Tokenizer {
    fn tables(self) -> &'static CoreBPE {
        match self {
            Self::O200k => o200k_base_singleton(),
            Self::Cl100k => cl100k_base_singleton(),
        }
    }

    /// The tokens of a text.
    pub fn count(self, text: &str) -> u64 {
        self.tables().encode_ordinary(text).len() as u64
    }

    /// The tokens of a request: the contents of its messages, and its schema as [`dumped`] writes it.
    pub fn count_request(self, body: &Value) -> u64 {
        let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let said: u64 = messages.iter().map(|message| self.count(&content(message))).sum();
        let schema = &body["response_format"]["json_schema"]["schema"];
        said + if schema.is_null() { 0 } else { self.count(&dumped(schema)) }
    }

    /// The text up to so many tokens, and how many it has. What is cut inside a character loses that character.
    pub fn cut(self, text: &str, most: u64) -> (String, u64) {
        let tokens = self.tables().encode_ordinary(text);
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(tokens.len());
        if most == tokens.len() {
            return (text.to_owned(), most as u64);
        }
        let mut bytes = self.tables().decode_bytes(&tokens[..most]).unwrap_or_default();
        while std::str::from_utf8(&bytes).is_err() {
            bytes.pop();
        }
        (String::from_utf8_lossy(&bytes).into_owned(), most as u64)
    }
}

/// The content of a message: a text, or the texts of its parts.
pub(crate) fn content(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// A value as Python's `json.dumps` writes it: a blank after every comma and colon, keys in their order, ASCII alone.
pub fn dumped(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(dumped).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, field)| format!("{}: {}", escaped(name), dumped(field)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => escaped(text),
        plain => plain.to_string(),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in Value::from(text).to_string().chars() {
        if c.is_ascii() && c != '\u{7f}' {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_schema_is_counted_as_json_dumps_writes_it() {
        let value = json!({"b": [1, true, null], "a": {"c": "é\"x"}, "e": {}, "f": []});
        let expected = r#"{"b": [1, true, null], "a": {"c": "\u00e9\"x"}, "e": {}, "f": []}"#;
        assert_eq!(dumped(&value), expected);
        let body = json!({"messages": [{"role": "system", "content": "Say it."}, {"role": "user", "content": "1| A."}],
            "response_format": {"json_schema": {"schema": value}}});
        let parts = ["Say it.", "1| A.", expected].map(|part| Tokenizer::O200k.count(part));
        assert_eq!(Tokenizer::O200k.count_request(&body), parts.iter().sum::<u64>());
        assert_eq!(Tokenizer::O200k.count("hello world"), 2);
        assert_ne!(Tokenizer::O200k.count("MOVE ZÄHLER"), Tokenizer::Cl100k.count("MOVE ZÄHLER WS-ÜBER 12"));
    }

    #[test]
    fn a_cut_keeps_so_many_tokens_and_whole_characters() {
        let text = "{\"paragraphs\": [{\"summary\": \"öäü 漢字 done\"}]}";
        let all = Tokenizer::O200k.count(text);
        assert_eq!(Tokenizer::O200k.cut(text, all), (text.to_owned(), all));
        for most in 0..all {
            let (part, tokens) = Tokenizer::O200k.cut(text, most);
            assert!(text.starts_with(&part) && tokens == most, "{part}");
        }
    }
}
