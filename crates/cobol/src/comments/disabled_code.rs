//! Code that was commented out, as a whole or in part: it explains nothing.

use crate::code::{CodeText, CodeWord, WordKind};
use crate::reserved_words::scope_end;
use crate::verb::Verb;

/// Whether a comment is a statement that was commented out.
pub(super) fn is_statement(text: &str) -> bool {
    let text = without_mark(text);
    let mut words = text.split([' ', '.']);
    let first = words.next().unwrap_or_default();
    // No statement has an article: `MOVE THE CURSOR`.
    let is_phrase = words.next().is_some_and(|second| ["THE", "AN"].contains(&second));
    (OF_STATEMENTS.contains(&first) && !is_phrase)
        || (OF_BOTH.contains(&first) && !is_prose(text))
        || (text.ends_with('.') && is_sentence(text.trim_end_matches('.')))
        || has_only_operands(text)
        || is_macro(text)
        || is_condition(text)
        || has_overwritten_verb(text)
        || has_digits_for_letters(text)
        || closes_a_scope(text)
}

/// Whether the verb of a line was disabled by digits that look like its letters: `M0VE A TO B`.
fn has_digits_for_letters(text: &str) -> bool {
    let first = text.split([' ', '.']).next().unwrap_or_default();
    first.contains(['0', '1']) && Verb::of(&first.replace('0', "O").replace('1', "I")).is_some()
}

/// Whether a line in any case begins with a verb and ends its scope: `call 'SUB' on exception continue end-call`.
fn closes_a_scope(text: &str) -> bool {
    let mut words = text.split([' ', '.']);
    words.next().is_some_and(|first| Verb::of(first).is_some()) && words.any(|word| scope_end(word).is_some())
}

/// Whether a line in any case is a statement of nothing but names with hyphens, literals and the words between them: `move zero to We-Error`.
fn has_only_operands(text: &str) -> bool {
    let (is_ended, text) = (text.ends_with('.'), text.trim_end_matches('.'));
    let verb = text.split(' ').next().unwrap_or_default();
    // Most lines are prose, and need not be read as code.
    let verbs = ["MOVE", "GO", "SET", "ADD", "SUBTRACT", "MULTIPLY", "DIVIDE", "PERFORM"];
    if !verbs.iter().any(|known| verb.eq_ignore_ascii_case(known)) {
        return false;
    }
    let code = CodeText::read(&text.to_uppercase());
    let words: Vec<&str> = code.words().iter().map(|word| word.text).collect();
    let Some((verb, operands)) = words.split_first() else { return false };
    let joints: &[&str] = match *verb {
        "MOVE" | "GO" | "SET" | "ADD" => &["TO"],
        "SUBTRACT" => &["FROM"],
        "MULTIPLY" => &["BY"],
        "DIVIDE" => &["BY", "INTO"],
        "PERFORM" => &["THRU", "THROUGH", "UNTIL", "VARYING"],
        _ => return false,
    };
    let is_name = |word: &&str| word.trim_matches('-').contains('-') && !is_literal(word);
    let is_operand = |word: &&str| {
        is_name(word)
            || is_literal(word)
            || word.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit())
    };
    // `Go to sign-on` is English.
    let is_label = |word: &&str| word.contains(|c: char| c.is_ascii_digit());
    if *verb == "GO" && !(is_ended || operands.iter().any(is_label)) {
        return false;
    }
    operands.iter().any(|word| joints.contains(word))
        && operands.iter().any(is_name)
        && operands.iter().all(|word| is_operand(word) || BETWEEN_OPERANDS.contains(word))
}

/// Whether a word of code is a literal.
fn is_literal(word: &str) -> bool {
    word.starts_with(['\'', '"'])
}

/// Whether a line in capitals is a statement of a precompiler with the names of items: `#ERROR CODE-1 STAT-2`.
fn is_macro(text: &str) -> bool {
    let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    let name = text.strip_prefix('#').and_then(|rest| rest.split(' ').next());
    name.is_some_and(|name| name.len() > 2 && name.chars().all(is_name)) && !text.contains(|c: char| c.is_lowercase())
}

/// Whether a line in capitals is a condition, or a part of one: nothing but names, constants, and the words and signs that compare them, as in
/// `(WS-ZONE EQUAL ZEROS)`.
fn is_condition(text: &str) -> bool {
    if !text.contains(|c: char| c == '-' || c.is_ascii_digit()) || text.contains(|c: char| c.is_ascii_lowercase()) {
        return false;
    }
    let of_loop = text.strip_prefix("UNTIL ");
    let code = CodeText::read(of_loop.unwrap_or(text).trim_end_matches('.'));
    let is_name = |word: &CodeWord<'_>| {
        let is_numbered = word.text.len() > 3 && word.text.contains(|c: char| c.is_ascii_digit());
        word.is_name() && (word.text.trim_matches('-').contains('-') || is_numbered)
    };
    let is_part = |word: CodeWord<'_>| {
        is_name(&word) || word.is_constant() || word.kind == WordKind::Sign || word.is_any(&OF_CONDITIONS)
    };
    let (first, last) = (code.words().first(), code.words().last());
    let is_bracketed = of_loop.is_some()
        || first.is_some_and(|first| first.is_sign("(") || first.is_any(&["AND", "OR"]))
        || last.is_some_and(|last| last.is_sign(")"));
    let compares = |word: CodeWord<'_>| word.is_any(&RELATIONS) || (is_bracketed && word.is_comparison());
    let mut words = code.words().iter();
    words.clone().all(is_part) && words.clone().any(|word| is_name(&word)) && words.any(compares)
}

/// The words with which conditions compare.
const RELATIONS: [&str; 6] = ["EQUAL", "EQUALS", "GREATER", "LESS", "NUMERIC", "ALPHABETIC"];

/// The words of conditions.
const OF_CONDITIONS: [&str; 13] =
    ["EQUAL", "EQUALS", "GREATER", "LESS", "NUMERIC", "ALPHABETIC", "NOT", "THAN", "TO", "AND", "OR", "OF", "IN"];

/// Whether a line is a statement of which one letter of the verb was overwritten to disable it: `OVE 4 TO WS-CODE`, `E D-IF`.
fn has_overwritten_verb(text: &str) -> bool {
    let is_apart = |rest: &str| rest.is_empty() || rest.starts_with([' ', '.']);
    let behind = |begin: &str, end: &str| match (begin, end) {
        ("", part) | (part, "") => text.strip_prefix(part),
        _ => text.strip_prefix(begin)?.strip_prefix(' ')?.strip_prefix(end),
    };
    OVERWRITTEN.iter().any(|verb| {
        let mut rests =
            (0..verb.len()).filter_map(|at| behind(&verb[..at], &verb[at + 1..])).filter(|rest| is_apart(rest));
        rests.any(|rest| match *verb {
            "IF" => is_condition(rest.trim_start()),
            "END-IF" | "END-PERFORM" | "END-EVALUATE" => rest.trim_end_matches('.').is_empty(),
            _ => has_only_operands(&format!("{verb}{rest}")),
        })
    })
}

/// The words of statements that are known with a letter less.
const OVERWRITTEN: [&str; 10] =
    ["MOVE", "GO", "SET", "ADD", "SUBTRACT", "PERFORM", "IF", "END-IF", "END-PERFORM", "END-EVALUATE"];

/// The words that stand between the names of a statement, and constants.
const BETWEEN_OPERANDS: [&str; 31] = [
    "TO", "FROM", "INTO", "GIVING", "ROUNDED", "THRU", "THROUGH", "UNTIL", "VARYING", "BY", "OF", "IN", "NOT", "AND",
    "OR", "=", "<", ">", "<=", ">=", "TRUE", "FALSE", "ZERO", "ZEROS", "ZEROES", "SPACE", "SPACES", "(", ")", ":",
    "ALL",
];

/// Returns a line without the letter that some editors put before a verb to disable it: `XMOVE A TO B`.
fn without_mark(text: &str) -> &str {
    let first = text.split([' ', '.']).next().unwrap_or_default();
    let other = first.strip_prefix(|c: char| c.is_ascii_uppercase()).filter(|verb| is_long_verb(verb));
    let disabled = other.or(first.strip_prefix('X').filter(|verb| {
        OF_STATEMENTS.contains(verb)
            || OF_BOTH.contains(verb)
            || (Verb::of(first).is_none() && Verb::of(verb).is_some())
    }));
    if disabled.is_some() { &text[1..] } else { text }
}

/// Whether a word with a letter before it is no word of English.
fn is_long_verb(verb: &str) -> bool {
    verb.len() > 3 && OF_STATEMENTS.contains(&verb)
}

/// Whether a comment is code that was commented out, with or without its period.
pub fn is_code(text: &str) -> bool {
    is_statement(text) || is_data_description(text) || is_sentence(text.trim_end_matches('.'))
}

/// Whether words are a sentence of COBOL: a verb in capitals with the name of an item, or one that stands alone.
fn is_sentence(text: &str) -> bool {
    let text = without_mark(text);
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_verb = first.chars().all(|c| c.is_ascii_uppercase() || c == '-') && Verb::of(first).is_some();
    let mut words = rest.split([' ', ',']);
    let is_code = !rest.chars().any(char::is_lowercase) && !words.clone().any(|word| OF_PROSE.contains(&word));
    is_verb
        && is_code
        && (matches!(text, "STOP RUN" | "EXIT PROGRAM" | "GOBACK" | "EXIT" | "CONTINUE")
            || words.any(|word| word.trim_matches('-').contains('-') || word == "="))
}

/// Words of English that no statement has.
const OF_PROSE: [&str; 10] = ["THE", "A", "AN", "AND", "ITS", "EACH", "FOR", "WHICH", "IS", "ARE"];

/// Words with which only statements begin.
const OF_STATEMENTS: [&str; 8] = ["MOVE", "PERFORM", "EXEC", "END-IF", "END-EXEC", "EVALUATE", "DISPLAY", "GO"];

/// Words with which statements begin, and lines of sentences.
const OF_BOTH: [&str; 6] = ["IF", "ELSE", "WHEN", "SET", "CALL", "COPY"];

/// The minimum number of words in a line of a sentence that begins like a statement.
const WORDS_OF_PROSE: usize = 5;

/// Whether a line that begins like a statement has no name and no sign of code.
fn is_prose(text: &str) -> bool {
    let is_name = |word: &str| word.trim_matches('-').contains('-') || word.contains(['=', '<', '>', '(', '\'', '"']);
    text.split(' ').count() >= WORDS_OF_PROSE && !text.split(' ').any(is_name)
}

/// Whether a comment is the entry of a data item that was commented out, or its clauses: a level with a name and a clause or a period.
pub(super) fn is_data_description(text: &str) -> bool {
    let words: Vec<&str> = text.trim_end_matches('.').split(' ').collect();
    let is_level =
        |word: &str| matches!(word.len(), 1 | 2) && matches!(word.parse::<u8>(), Ok(1..=49 | 66 | 77 | 78 | 88));
    let is_name = |word: &str| word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-');
    match words.as_slice() {
        [level, name] if is_level(level) => text.ends_with('.') && level.len() == 2 && is_name(name),
        [level, name, clauses @ ..] if is_level(level) => {
            is_name(name) && clauses.iter().any(|word| OF_DATA_DESCRIPTIONS.contains(word))
        }
        ["PIC" | "PICTURE", picture, ..] => picture.starts_with(['X', '9', 'A', 'Z', 'S', '-', '+', '(']),
        _ => false,
    }
}

/// Words with which clauses of data items begin.
const OF_DATA_DESCRIPTIONS: [&str; 10] =
    ["PIC", "PICTURE", "VALUE", "VALUES", "REDEFINES", "OCCURS", "USAGE", "COMP", "COMP-3", "RENAMES"];
