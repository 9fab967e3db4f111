//! Frames around what DISPLAY shows: lines of signs, and signs on both sides of a text.

use war_rig_cobol::{Operand, OperandPhrase, ParsedCobol, Statement, Verb};

/// Whether a DISPLAY shows only a frame: literals of three signs and more without letters and digits, blank ones, or the name of the program in
/// such signs. Blanks with a place on the screen clear it.
pub(super) fn is_ornament(parsed: &ParsedCobol, display: &Statement) -> bool {
    if shows_blanks(parsed, display) {
        return !parsed.is_on_screen(display);
    }
    let mut operands = shown(parsed, display).peekable();
    let program = display.program.map_or("", |program| &parsed.programs[program].name);
    let is_frame = |text: &str| {
        let inner = text.trim_matches(|c: char| !c.is_alphanumeric());
        // The quotes, and three signs on either side.
        let is_framed =
            || inner.eq_ignore_ascii_case(program) && text.trim_matches(['\'', '"', ' ']).len() >= inner.len() + 6;
        let signs = text.trim_matches(['\'', '"', ' ']).chars().count();
        let is_literal = text.starts_with(['\'', '"']) && (inner.is_empty() && signs >= 3 || is_framed());
        is_literal || is_blank(text)
    };
    operands.peek().is_some() && operands.all(|operand| is_frame(operand.text()))
}

/// Whether two statements are a frame of signs and what stands in it, each on a line of its own.
pub(super) fn share_frame(parsed: &ParsedCobol, one: usize, next: usize) -> bool {
    let both = [&parsed.statements[one], &parsed.statements[next]];
    let is_frame = |display: &&Statement| is_ornament(parsed, display) && !shows_blanks(parsed, display);
    both.iter().all(|display| is_line(parsed, display)) && both.iter().any(is_frame)
}

/// Whether a statement displays a blank line.
pub(super) fn is_blank_line(parsed: &ParsedCobol, display: &Statement) -> bool {
    is_line(parsed, display) && shows_blanks(parsed, display)
}

/// Whether a statement displays a line of its own.
fn is_line(parsed: &ParsedCobol, display: &Statement) -> bool {
    let words = parsed.words(display);
    let is_plain = !words.has("ADVANCING") && !words.has("UPON") && !parsed.is_on_screen(display);
    display.verb == Verb::Display && display.file.is_none() && is_plain
}

/// Whether a DISPLAY shows nothing but blanks.
fn shows_blanks(parsed: &ParsedCobol, display: &Statement) -> bool {
    let mut operands = shown(parsed, display).peekable();
    operands.peek().is_some() && operands.all(|operand| is_blank(operand.text()))
}

/// Returns what a DISPLAY shows.
fn shown<'a>(parsed: &'a ParsedCobol, display: &Statement) -> impl Iterator<Item = Operand<'a>> {
    parsed.operands(display).filter(|operand| operand.phrase() == OperandPhrase::First)
}

/// Whether an operand is blanks.
fn is_blank(text: &str) -> bool {
    let is_literal = text.starts_with(['\'', '"']) && text.trim_matches(['\'', '"', ' ']).is_empty();
    is_literal || ["SPACE", "SPACES"].iter().any(|blank| text.eq_ignore_ascii_case(blank))
}

/// Returns what a DISPLAY within a frame shows, without the frame on both sides of its text: the same sign, at least twice or before a blank.
pub(super) fn without_frame(displayed: &str) -> String {
    let shown = displayed.strip_prefix("displays ").unwrap_or(displayed);
    let Some(quote) = shown.chars().next().filter(|first| matches!(first, '\'' | '"')) else { return shown.to_owned() };
    let inner = shown.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    let text = inner.filter(|inner| !inner.contains(quote)).map(str::trim);
    let framed = text.and_then(|text| {
        let sign = text.chars().next().filter(|sign| matches!(sign, '*' | '-' | '=' | '#' | '|' | '+'))?;
        let within = text.strip_prefix(sign)?.strip_suffix(sign)?;
        let is_frame = |end: Option<char>| end.is_some_and(|end| end == sign || end == ' ');
        let is_framed = is_frame(within.chars().next()) && is_frame(within.chars().next_back());
        is_framed.then(|| within.trim_matches(sign).trim())
    });
    match framed.or(text) {
        Some(text) => format!("{quote}{text}{quote}"),
        None => shown.to_owned(),
    }
}
