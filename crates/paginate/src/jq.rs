//! jq programs that merge many answers into one.
//!
//! A program sees only the answers: functions that access the environment, the clock, files or other inputs are missing, so that the same answers
//! always give the same result. This module cannot limit time and memory: a program may run forever, or use all memory. Run foreign programs in a
//! separate process.

mod numbers;

use jaq_core::data::JustLut;
use jaq_core::load::{self, Arena, File, Loader, lex, parse};
use jaq_core::{Compiler, Ctx, Filter, Vars};
use jaq_json::Val;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::fmt;
use std::thread;

/// The maximum bytes of a program: parsing takes stack for each of its parts.
const LONGEST: usize = 16 * 1024;
/// The stack for parsing a program of that length, with a large reserve.
const STACK: usize = 256 * 1024 * 1024;
/// The maximum depth of an answer: that of parsed JSON.
const DEEPEST: usize = 128;
/// The maximum characters of a value or a position in a message.
const SHOWN: usize = 200;

/// The functions that programs may call besides the core language. Omitted are the environment (`env`), the clock (`now`), the time zone and zone
/// files (`localtime`, `strflocaltime`, `strptime`), standard error (`debug_empty`, `stderr_empty`), and process exit (`halt`).
const PURE: &[&str] = &[
    // Strings and lists.
    "floor", "round", "ceil", "utf8bytelength", "explode", "implode", "ascii_downcase", "ascii_upcase", "reverse",
    "sort", "sort_by", "group_by", "min_by_or_empty", "max_by_or_empty", "startswith", "endswith", "ltrimstr",
    "rtrimstr", "trim", "ltrim", "rtrim", "matches", "split_matches", "split_", "escape_sh", "escape_html",
    "unescape_html", "encode_uri", "decode_uri", "encode_base64", "decode_base64", // Numbers.
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp10", "exp2",
    "expm1", "fabs", "frexp", "ilogb", "j0", "j1", "lgamma", "log", "log10", "log1p", "log2", "modf", "nearbyint",
    "rint", "sin", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc", "y0", "y1", "atan2", "copysign", "fdim", "fmax",
    "fmin", "fmod", "hypot", "jn", "ldexp", "nextafter", "pow", "remainder", "scalbln", "yn", "fma",
    // Formatted times.
    "fromdateiso8601", "todateiso8601", "gmtime", "mktime", "strftime",
];

/// Standard library definitions that call omitted functions.
const IMPURE_DEFINITIONS: &[&str] = &["stderr", "debug", "halt", "halt_error"];

/// A parsed jq program.
pub struct JqProgram {
    filter: Filter<JustLut<Val>>,
}

/// A syntax error in a program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct JqError {
    /// The line, one-based.
    pub line: usize,
    /// The character in the line, one-based.
    pub column: usize,
    /// The error, with the text at that position.
    pub message: String,
}

impl fmt::Debug for JqProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Program")
    }
}

impl JqProgram {
    /// Parses a program without running it.
    ///
    /// # Errors
    /// [`JqError`] for invalid jq, for calls of missing functions, and for a program of more than 16 KB.
    pub fn parse(text: &str) -> Result<Self, JqError> {
        if text.len() > LONGEST {
            let message = format!("a program has at most {LONGEST} bytes, and this has {}", text.len());
            return Err(JqError { line: 1, column: 1, message });
        }
        // The parser recurses for each nested construct, so a row of brackets could overflow the stack of the calling thread.
        thread::scope(|scope| {
            let reader = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || compile(text));
            match reader.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(read)) => read,
                Ok(Err(_)) => Err(error_at(text, text, "cannot be read".to_owned())),
                Err(error) => Err(error_at(text, text, format!("cannot be read: {error}"))),
            }
        })
    }

    /// Runs the program on the list of all answers. It must return one value.
    ///
    /// # Errors
    /// The error in words: the program's own error, no value or several values, and values that are not JSON.
    pub fn run(&self, answers: &[Value]) -> Result<Value, String> {
        let input: Result<Vec<Val>, _> = answers.iter().map(Val::deserialize).collect();
        let input = input.map_err(|error: serde_json::Error| error.to_string())?.into_iter().collect();
        let context = Ctx::<JustLut<Val>>::new(&self.filter.lut, Vars::new([]));
        let mut values = self.filter.id.run((context, input));
        let value = values.next().ok_or("gives nothing, and one value is wanted")?;
        let value = value.map_err(|exception| match exception.get_err() {
            // The program's own message is shown without the quotes of a value.
            Ok(error) => match error.into_val() {
                said @ Val::TStr(_) => text(&said).map_or_else(|error| error, |said| shortened(&said)),
                said => shortened(&said.to_string()),
            },
            Err(_) => "ended before it gave a value".to_owned(),
        })?;
        if values.next().is_some() {
            return Err("gives more than one value; hint: put `[` and `]` around it for a list".to_owned());
        }
        json(&value, 0)
    }
}

fn compile(text: &str) -> Result<JqProgram, JqError> {
    let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let definitions = definitions.filter(|definition| !IMPURE_DEFINITIONS.contains(&definition.name));
    let functions = jaq_core::funs().chain(jaq_std::funs().filter(|(name, ..)| PURE.contains(name)));
    let arena = Arena::default();
    let modules = Loader::new(definitions)
        .load(&arena, File { code: text, path: () })
        .map_err(|errors| first(text, errors.into_iter().map(|(_, error)| unread(text, error))))?;
    load::import(&modules, |_| Err("files cannot be read".to_owned()))
        .map_err(|errors| first(text, errors.into_iter().map(|(_, error)| unread(text, error))))?;
    let filter = Compiler::default()
        .with_funs(functions.chain(jaq_json::funs()))
        .compile(modules)
        .map_err(|errors| first(text, errors.into_iter().flat_map(|(_, errors)| unknown(text, errors))))?;
    Ok(JqProgram { filter })
}

/// Returns the first error in the order of the text.
fn first(text: &str, errors: impl Iterator<Item = JqError>) -> JqError {
    let first = errors.min_by_key(|error| (error.line, error.column));
    first.unwrap_or_else(|| error_at(text, text, "cannot be read".to_owned()))
}

fn unread(text: &str, error: load::Error<&str>) -> JqError {
    let errors: Vec<JqError> = match error {
        load::Error::Io(errors) => {
            let tell = |(path, _)| error_at(text, path, format!("`{}`: files cannot be read", shortened(path)));
            errors.into_iter().map(tell).collect()
        }
        load::Error::Lex(errors) => {
            let tell = |(expected, found): lex::Error<&str>| {
                error_at(text, found, format!("expected {}, found {}", expected.as_str(), excerpt(found)))
            };
            errors.into_iter().map(tell).collect()
        }
        load::Error::Parse(errors) => {
            let tell = |(expected, found): parse::Error<&str>| {
                let expected = match expected {
                    parse::Expect::Just(word) => format!("`{word}`"),
                    parse::Expect::Nothing => "the end".to_owned(),
                    other => other.as_str().to_owned(),
                };
                error_at(text, found, format!("expected {expected}, found {}", excerpt(found)))
            };
            errors.into_iter().map(tell).collect()
        }
    };
    first(text, errors.into_iter())
}

fn unknown<'a>(text: &'a str, errors: Vec<jaq_core::compile::Error<&'a str>>) -> Vec<JqError> {
    let tell = |(name, what): jaq_core::compile::Error<&'a str>| {
        error_at(text, name, format!("there is no {} `{}`", what.as_str(), shortened(name)))
    };
    errors.into_iter().map(tell).collect()
}

/// Creates an error at a piece of the text; at its beginning if the piece is not part of it.
fn error_at(text: &str, piece: &str, message: String) -> JqError {
    let range = text.as_bytes().as_ptr_range();
    let at = piece.as_ptr();
    let offset = if range.start <= at && at <= range.end { at as usize - range.start as usize } else { 0 };
    let before = text.get(..offset).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let begin = before.rfind('\n').map_or(0, |end| end + 1);
    JqError { line, column: before[begin..].chars().count() + 1, message }
}

/// Returns the start of the line at a position.
fn excerpt(rest: &str) -> String {
    let line = rest.lines().next().unwrap_or_default().trim_end();
    if line.is_empty() { "nothing more".to_owned() } else { format!("`{}`", shortened(line)) }
}

/// Shortens a text for a message.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Converts a value of the program to JSON.
fn json(value: &Val, depth: usize) -> Result<Value, String> {
    if depth > DEEPEST {
        return Err(format!("gives a value that is more than {DEEPEST} levels deep"));
    }
    match value {
        Val::Null => Ok(Value::Null),
        Val::Bool(value) => Ok(Value::Bool(*value)),
        Val::Num(number) => numbers::json(number),
        Val::TStr(_) | Val::BStr(_) => text(value).map(Value::String),
        Val::Arr(items) => items.iter().map(|item| json(item, depth + 1)).collect(),
        Val::Obj(fields) => {
            let fields = fields.iter().map(|(name, value)| Ok((text(name)?, json(value, depth + 1)?)));
            fields.collect::<Result<Map<_, _>, String>>().map(Value::Object)
        }
    }
}

/// Converts a string or a field name.
fn text(value: &Val) -> Result<String, String> {
    let no_text = |value: &Val| format!("gives `{}`, which is no text", shortened(&value.to_string()));
    match value {
        Val::TStr(bytes) | Val::BStr(bytes) => {
            String::from_utf8(bytes.to_vec()).map_err(|_| "gives bytes that are no text".to_owned())
        }
        other => Err(no_text(other)),
    }
}

#[cfg(test)]
mod tests;
