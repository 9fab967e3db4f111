//! Describes statements and conditions in words.
//!
//! The words follow the source: the verb in the third person, its operands as written, COBOL's small words in lower case.

use crate::cics_phrases::{cics_phrase, tells_its_options};
use crate::function_arguments::FunctionArguments;
use crate::sql_phrases::{sql_in_full, sql_phrase};
use war_rig_cobol::{
    ArithmeticCopy, DisplaySetting, ExecBlock, ExecKind, Operand, OperandPhrase, OperandRole, ParsedCobol, Statement,
    Verb, WordKind, WordSlice, move_operands, side_by_side,
};
pub(crate) use war_rig_text::{capitalized, sentence};

/// COBOL's connecting words, which read as English in lower case.
const SMALL_WORDS: &[&str] = &[
    "ADVANCING", "AFTER", "ALL", "AND", "ARE", "AT", "BEFORE", "BY", "CHARACTERS", "CORRESPONDING", "CORR",
    "DELIMITED", "DEPENDING", "DOWN", "END", "EQUAL", "EQUALS", "EXTEND", "FIRST", "FOR", "FROM", "GIVING", "GREATER",
    "IN", "INPUT", "INTO", "IS", "KEY", "LEADING", "LESS", "NEXT", "NOT", "NUMERIC", "OF", "ON", "OR", "OTHER",
    "OUTPUT", "POINTER", "REPLACING", "ROUNDED", "SIZE", "TALLYING", "TEST", "THAN", "THEN", "THROUGH", "THRU",
    "TIMES", "TO", "TRAILING", "TRUE", "FALSE", "UNTIL", "UP", "UPON", "USING", "VARYING", "WITH", "ZERO", "ZEROS",
    "ZEROES", "SPACE", "SPACES", "ALPHABETIC", "POSITIVE", "NEGATIVE", "RUN", "PROCEDURE", "RECORD", "FILE", "INVALID",
    "ERROR",
];

/// The maximum length of a phrase in characters; a longer one is visibly cut at a word.
pub(crate) const MAX_PHRASE_CHARS: usize = 160;

/// Describes a statement in the third person: `moves 16 to APPL-RESULT`. None for a statement without effect. For an EXEC block
/// see [`exec_phrase`].
pub(crate) fn statement(parsed: &ParsedCobol, statement: &Statement) -> Option<String> {
    in_full(parsed, statement).map(|phrase| shorten(&phrase))
}

/// Like `statement`, without a length limit.
pub(crate) fn in_full(parsed: &ParsedCobol, statement: &Statement) -> Option<String> {
    let words = parsed.words_after_verb(statement);
    let begins = |word: &str| words.first().is_some_and(|first| first.is(word));
    Some(match statement.verb {
        Verb::Continue | Verb::Next => return None,
        Verb::Goback => format!("ends the program{}", with_code(words)),
        Verb::Entry => format!("may be entered here as {}", in_words(words)),
        Verb::Exit if begins("PROGRAM") => "returns to its caller".to_owned(),
        Verb::Exit if words.is_empty() || ["PARAGRAPH", "SECTION", "PERFORM"].into_iter().any(begins) => {
            return None;
        }
        Verb::Stop if begins("RUN") => format!("ends the run{}", with_code(words)),
        Verb::Open => open(parsed, statement),
        Verb::Delete => {
            let files = parsed.operands(statement).filter(|operand| operand.role() == OperandRole::File);
            let files: Vec<String> = files.map(|operand| in_words(operand.words())).collect();
            format!("deletes {}{}", if begins("FILE") { "the file " } else { "a record of " }, list(&files))
        }
        Verb::Macro => format!("runs the macro {}{}", parsed.macro_name(statement), given_to_macro(parsed, statement)),
        Verb::Return => format!("takes the next sorted record of {}", in_words(words)),
        Verb::Display if parsed.display_setting(statement).is_some() => setting(parsed, statement)?,
        Verb::Release => format!("hands to the sort {}", in_words(words)),
        // `XML GENERATE A FROM B`: the second word says what is done.
        Verb::Xml | Verb::Json => {
            let all = in_words(words);
            let (done, with) = all.split_once(' ').unwrap_or((&all, ""));
            format!("{} {} {with}", third_person(done), statement.verb.as_str()).trim_end().to_owned()
        }
        verb => assignment(parsed, statement).unwrap_or_else(|| {
            let rest = if LISTING.contains(&verb) { with_lists(parsed, statement) } else { in_words(words) };
            let rest = rest + &with_fields_of_screen(parsed, statement);
            format!("{} {rest}", third_person(verb.as_str())).trim_end().to_owned()
        }),
    })
}

/// Names the items that the fields of a screen show, or that get what is entered: `: WS-NAME and WS-MESSAGE`.
fn with_fields_of_screen(parsed: &ParsedCobol, statement: &Statement) -> String {
    let fields = parsed.screen_fields(statement);
    let items = fields.iter().filter_map(|field| match statement.verb {
        Verb::Accept => field.takes.as_deref(),
        _ => field.shows.as_deref(),
    });
    let mut names: Vec<String> = Vec::new();
    for item in items.filter(|item| !item.starts_with(['\'', '"'])) {
        if !names.iter().any(|known| known == item) {
            names.push(item.to_owned());
        }
    }
    if names.is_empty() { String::new() } else { format!(": {}", list(&names)) }
}

/// Words what a DISPLAY sets that shows nothing.
fn setting(parsed: &ParsedCobol, statement: &Statement) -> Option<String> {
    let given = parsed.operands(statement).filter(|operand| operand.phrase() == OperandPhrase::First);
    let given = given.map(|operand| in_words(operand.words())).collect::<Vec<_>>().join(" ");
    Some(match parsed.display_setting(statement)? {
        DisplaySetting::EnvironmentName => format!("names the environment variable {given}"),
        DisplaySetting::EnvironmentValue => format!("sets the environment variable to {given}"),
        DisplaySetting::ArgumentNumber => format!("chooses argument {given} of the command line"),
    })
}

/// Words what a macro is given, and that it ends the program: ` with A and B`.
pub(crate) fn given_to_macro(parsed: &ParsedCobol, statement: &Statement) -> String {
    let operands = parsed.operands(statement).filter(|operand| !operand.is_inner());
    let with: Vec<String> = operands.map(|operand| in_words(operand.words())).collect();
    let with = if with.is_empty() { String::new() } else { format!(" with {}", list(&with)) };
    let ends = if parsed.is_ending_macro(statement) { ", which ends the program" } else { "" };
    format!("{with}{ends}")
}

/// Words the return code that GOBACK or STOP RUN gives.
fn with_code(words: WordSlice<'_>) -> String {
    let giving = words.position(|word| word.is_any(&["GIVING", "RETURNING"]));
    giving.map(|at| format!(" with return code {}", in_words(words.from(at + 1)))).unwrap_or_default()
}

/// The verbs whose operands of one kind stand behind each other without a word between them.
const LISTING: [Verb; 5] = [Verb::Add, Verb::Subtract, Verb::Multiply, Verb::Divide, Verb::Close];

/// Formats the words behind a verb, with the operands that stand beside each other as a list: `1 to A, B and C`.
fn with_lists(parsed: &ParsedCobol, statement: &Statement) -> String {
    let words = parsed.words(statement);
    let operands: Vec<Operand<'_>> = parsed.operands(statement).filter(|operand| !operand.is_inner()).collect();
    let start = |operand: &Operand<'_>| operand.end() - operand.words().len();
    let mut text = String::new();
    let mut at = 1;
    for (place, operand) in operands.iter().enumerate() {
        let between = in_words(words.slice(at..start(operand)));
        let goes_on = operands.get(place + 1).is_some_and(|next| start(next) == operand.end());
        text.push_str(match (place > 0 && between.is_empty(), goes_on) {
            (true, true) => ", ",
            (true, false) => " and ",
            (false, _) => " ",
        });
        text.push_str(&between);
        text.push_str(if between.is_empty() { "" } else { " " });
        text.push_str(&in_words(operand.words()));
        at = operand.end();
    }
    format!("{} {}", text.trim_start(), in_words(words.from(at))).trim_end().to_owned()
}

/// Returns the parts of a STRING in order, each with the delimiter up to which it is taken, and the receiving item; none for an incomplete one. Literals
/// that stand side by side are one text.
pub(crate) fn strung(parsed: &ParsedCobol, statement: &Statement) -> Option<(Vec<String>, String)> {
    let words = parsed.words(statement);
    let (mut told, mut open): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut at = 1;
    for operand in parsed.operands(statement).filter(|operand| !operand.is_inner()) {
        let between = words.slice(at..operand.end() - operand.words().len());
        if between.has("SIZE") {
            told.extend(side_by_side(std::mem::take(&mut open).iter().map(String::as_str)));
        }
        let text = in_words(operand.words());
        match operand.phrase() {
            OperandPhrase::First => open.push(text),
            OperandPhrase::Into => {
                told.append(&mut open);
                let behind = in_words(words.from(operand.end()));
                return Some((told, format!("{text} {behind}").trim_end().to_owned()));
            }
            _ => told.extend(open.drain(..).map(|part| format!("{part} up to {text}"))),
        }
        at = operand.end();
    }
    None
}

/// Describes MOVE, and arithmetic that only copies: of a constant `sets A to 'X'`, else `moves A to B`. None for CORRESPONDING.
fn assignment(parsed: &ParsedCobol, statement: &Statement) -> Option<String> {
    let moved = move_operands(parsed, statement).filter(|moved| !moved.corresponds);
    let copied = || ArithmeticCopy::of(parsed, statement).map(|copy| (copy.from, copy.to));
    let (from, to) = moved.map(|moved| (Some(moved.from), moved.to)).or_else(copied)?;
    let targets = list(&to.iter().map(|target| in_words(target.words())).collect::<Vec<_>>());
    Some(match from {
        None => format!("sets {targets} to 0"),
        Some(from) if from.is_constant() => {
            format!("sets {targets} to {}{}", in_words(from.words()), cursor(parsed, statement))
        }
        Some(from) => format!("moves {} to {targets}", in_words(from.words())),
    })
}

/// Says that a MOVE of -1 to the length of a field of a map puts the cursor there. Source: CICS Application Programming Guide, symbolic cursor
/// positioning.
pub(crate) fn cursor(parsed: &ParsedCobol, statement: &Statement) -> &'static str {
    let Some(moved) = move_operands(parsed, statement).filter(|moved| moved.from.text() == "-1") else { return "" };
    // CURSOR with a position does not ask for it.
    let asks = |exec: &ExecBlock| {
        let is_cursor = |(option, value): &(String, Option<String>)| option == "CURSOR" && value.is_none();
        exec.kind == ExecKind::Cics && exec.command == "SEND MAP" && exec.options.iter().any(is_cursor)
    };
    if !parsed.execs.iter().any(asks) {
        return "";
    }
    let is_length = |target: &Operand<'_>| {
        let name = target.name().to_uppercase();
        let Some(field) = name.strip_suffix('L') else { return false };
        let has = |name: &str| parsed.data_items.iter().any(|item| item.name == name);
        // The copybook of the map may be missing.
        let is_in_map = || target.qualifiers().next().is_some_and(|record| record.to_uppercase().ends_with('I'));
        has(&format!("{field}I")) || (!has(&name) && is_in_map())
    };
    if moved.to.iter().all(is_length) { " (the cursor)" } else { "" }
}

/// Returns a figurative constant in words.
pub(crate) fn figurative(text: &str) -> Option<&'static str> {
    Some(match text.to_ascii_uppercase().as_str() {
        "SPACE" | "SPACES" => "blank",
        "ZERO" | "ZEROS" | "ZEROES" => "zero",
        "LOW-VALUE" | "LOW-VALUES" => "low values",
        "HIGH-VALUE" | "HIGH-VALUES" => "high values",
        "QUOTE" | "QUOTES" => "a quote",
        "NULL" | "NULLS" => "null",
        _ => return None,
    })
}

/// Describes OPEN: `opens A and B for input, C for output`.
fn open(parsed: &ParsedCobol, statement: &Statement) -> String {
    let mut modes: Vec<(OperandPhrase, Vec<String>)> = Vec::new();
    for file in parsed.operands(statement) {
        match modes.last_mut().filter(|(mode, _)| *mode == file.phrase()) {
            Some((_, files)) => files.push(file.text().to_owned()),
            None => modes.push((file.phrase(), vec![file.text().to_owned()])),
        }
    }
    let mode = |mode: OperandPhrase| match mode {
        OperandPhrase::Input => "input",
        OperandPhrase::Output => "output",
        OperandPhrase::InputOutput => "input and output",
        _ => "extension",
    };
    let opened: Vec<String> = modes.iter().map(|(how, files)| format!("{} for {}", list(files), mode(*how))).collect();
    format!("opens {}", opened.join(", "))
}

/// Describes an EXEC block: `sends map COACTUPA (CICS SEND MAP)`.
pub(crate) fn exec_phrase(exec: &ExecBlock) -> String {
    let of = exec.resource.as_deref().map(|resource| format!(" of {resource}")).unwrap_or_default();
    match exec.kind {
        ExecKind::Sql => sql_phrase(exec),
        ExecKind::Cics => cics_phrase(exec),
        ExecKind::Dli => format!("issues DL/I {}{of}", exec.command),
        ExecKind::Other => format!("runs an embedded {} block", exec.command),
    }
}

/// Describes an EXEC block as an effect: of a command that sends to the screen with what happens to the screen.
pub(crate) fn exec_in_a_rule(exec: &ExecBlock) -> String {
    let phrase = exec_phrase(exec);
    let is_sent = exec.kind == ExecKind::Cics && exec.command == "SEND MAP";
    let how: Vec<&str> =
        ["ERASE", "DATAONLY", "MAPONLY", "ALARM"].into_iter().filter(|name| is_sent && exec.has_option(name)).collect();
    match phrase.strip_suffix(')').filter(|_| !how.is_empty()) {
        Some(open) => format!("{open} {})", how.join(" ")),
        None => phrase,
    }
}

/// Describes an EXEC block in full: the options of a command, the clauses of an SQL statement.
pub(crate) fn exec_in_full(exec: &ExecBlock) -> String {
    if exec.kind == ExecKind::Sql {
        return sql_in_full(exec);
    }
    let tells_all = exec.kind == ExecKind::Cics && tells_its_options(exec);
    let options: Vec<String> = if tells_all { Vec::new() } else { exec.detail_options().collect() };
    let options = if options.is_empty() { String::new() } else { format!(": {}", options.join(", ")) };
    format!("{}{options}", exec_phrase(exec))
}

/// Formats COBOL words for a sentence: small words in lower case, names and literals as written, a function's name without FUNCTION and its
/// arguments with commas.
pub(crate) fn in_words(words: WordSlice<'_>) -> String {
    let mut out = String::with_capacity(words.text().len());
    let mut is_function = false;
    let mut arguments = FunctionArguments::default();
    for (at, word) in words.iter().enumerate() {
        if arguments.begins_another(word) {
            out.push(',');
        }
        if words.has_space_before(at) && !is_function {
            out.push(' ');
        }
        is_function = word.is("FUNCTION");
        if is_function {
            continue;
        }
        match word.kind == WordKind::Name && SMALL_WORDS.iter().any(|small| small.eq_ignore_ascii_case(word.text)) {
            true => out.push_str(&word.text.to_ascii_lowercase()),
            false => out.push_str(word.text),
        }
    }
    out
}

/// Cuts a text at a word if it is too long to read, and marks the cut with three points.
pub(crate) fn shorten(text: &str) -> String {
    shorten_to(text, MAX_PHRASE_CHARS)
}

/// Cuts a text to this many characters at a word, and marks the cut with three points.
pub(crate) fn shorten_to(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.trim().to_owned();
    }
    let cut = text.char_indices().nth(longest).map_or(text.len(), |(at, _)| at);
    let word = text[..cut].rfind(' ').unwrap_or(cut);
    format!("{} ...", text[..word].trim_end())
}

/// Formats the first words up to this many characters, cut as in [`shorten_to`]. It reads only as many words as
/// fit.
pub(crate) fn in_few_words(words: WordSlice<'_>, longest: usize) -> String {
    shorten_to(&in_words(first_words(words, longest)), longest)
}

/// Returns enough words to fill this many characters, given that at least every second one appears in the text.
pub(crate) fn first_words(words: WordSlice<'_>, longest: usize) -> WordSlice<'_> {
    words.ending_at(longest.saturating_add(1).saturating_mul(2))
}

/// Formats a list: `A, B and C`.
pub(crate) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Formats a count: `3 files`, `1 file`.
pub(crate) fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn third_person(verb: &str) -> String {
    let verb = verb.to_ascii_lowercase();
    if verb.ends_with("ch") || verb.ends_with("sh") || verb.ends_with('s') || verb.ends_with('x') || verb == "go" {
        return format!("{verb}es");
    }
    match verb.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u'])) {
        Some(stem) => format!("{stem}ies"),
        None => format!("{verb}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use war_rig_cobol::{LexedSource, NoCopybooks, parse};
    use war_rig_text::{ReadOptions, SourceText};

    fn check(text: &str, expected: Option<&str>) {
        check_with("", text, expected);
    }

    fn check_with(data: &str, text: &str, expected: Option<&str>) {
        let code = format!("{data}       PROCEDURE DIVISION.\n       MAIN.\n           {text}.\n");
        let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
        let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
        assert_eq!(statement(&parsed, &parsed.statements[0]).as_deref(), expected, "{text}");
    }

    #[test]
    fn screens_are_told_with_the_items_of_their_fields() {
        let data = "       PROGRAM-ID. T.\n       DATA DIVISION.\n       SCREEN SECTION.\n       01 S.\n          05 PIC X FROM A.\n          05 PIC X FROM 'X'.\n          05 IN-B PIC X TO B.\n          05 PIC X USING C OF G.\n          05 PIC X FROM A.\n       01 NONE.\n          05 VALUE 'Y'.\n";
        check_with(data, "DISPLAY S", Some("displays S: A and C OF G"));
        check_with(data, "ACCEPT S", Some("accepts S: B and C OF G"));
        check_with(data, "ACCEPT IN-B", Some("accepts IN-B: B"));
        check_with(data, "DISPLAY NONE", Some("displays NONE"));
        check_with(data, "DISPLAY A", Some("displays A"));
    }

    #[test]
    fn statements_read_as_phrases() {
        check("MOVE 16 TO APPL-RESULT", Some("sets APPL-RESULT to 16"));
        check("MOVE A OF B TO C", Some("moves A of B to C"));
        check("MOVE ZERO-COUNT TO C D", Some("moves ZERO-COUNT to C and D"));
        check("MOVE CORRESPONDING A TO C", Some("moves corresponding A to C"));
        check("MULTIPLY RATE BY TO-TAL GIVING X", Some("multiplies RATE by TO-TAL giving X"));
        check("ADD A B C TO D(I) ROUNDED E", Some("adds A, B and C to D(I) rounded E"));
        check("ADD 1 TO A OF R B", Some("adds 1 to A of R and B"));
        check("ADD 8 TO ZERO GIVING A", Some("sets A to 8"));
        check("SUBTRACT A FROM A", Some("sets A to 0"));
        check("MULTIPLY A BY 1 GIVING B C", Some("moves A to B and C"));
        check("MOVE FUNCTION MOD(A B(I) ) TO C", Some("moves MOD(A, B(I)) to C"));
        check("DELETE A RECORD", Some("deletes a record of A"));
        check("DELETE FILE A", Some("deletes the file A"));
        check("CLOSE A B WITH LOCK C", Some("closes A and B with LOCK C"));
        check("DISPLAY 'MOVE TO END'", Some("displays 'MOVE TO END'"));
        check("OPEN I-O POLICY-FILE", Some("opens POLICY-FILE for input and output"));
        check("OPEN INPUT A B EXTEND C", Some("opens A and B for input, C for extension"));
        check("GO TO 9999-EXIT", Some("goes to 9999-EXIT"));
        check("CONTINUE", None);
        check("EXIT", None);
        check("STOP RUN", Some("ends the run"));
    }

    #[test]
    fn a_cut_is_shown_and_lists_and_sentences_are_closed() {
        let long = shorten(&"WORD ".repeat(60));
        assert!(long.ends_with("WORD ...") && long.len() <= MAX_PHRASE_CHARS + 4);
        assert_eq!(list(&["A".into(), "B".into(), "C".into()]), "A, B and C");
        assert_eq!(sentence("opens A"), "Opens A.");
    }
}
