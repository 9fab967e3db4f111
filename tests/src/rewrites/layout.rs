//! Rewrites of how code is laid out: letter case, lines, blanks, columns, comments, continuation.

use super::positions::RewrittenFile;
use super::source::{CODE, CobolLine, CobolText, CobolToken, CobolTokenKind, LineKind, Zone};
use std::ops::Range;

/// Where code goes on that has no room on its line.
const NEXT_LINE: &str = "           ";
/// How wide columns 1 to 72 are.
const WIDTH: usize = 72;

/// Each line as it is, or what a function makes of it.
fn each_line(source: &CobolText, mut change: impl FnMut(usize, &CobolLine) -> Option<String>) -> RewrittenFile {
    let mut rewrite = RewrittenFile::default();
    for (at, line) in source.lines.iter().enumerate() {
        let changed = change(at, line);
        rewrite.push(changed.as_ref().unwrap_or(&line.text), line.end, Some((at, at)));
    }
    rewrite
}

/// A line with other texts in these places.
fn with_edits(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut text = text.to_owned();
    for (at, new) in edits.iter().rev() {
        text.replace_range(at.clone(), new);
    }
    text
}

/// Words in the other case, literals as they are.
pub fn in_lower_case(source: &CobolText) -> RewrittenFile {
    each_line(source, |_, line| {
        let words = line.tokens.iter().filter(|token| token.kind != CobolTokenKind::Literal);
        let edits: Vec<_> = words.map(|token| (token.at.clone(), token.text.to_ascii_lowercase())).collect();
        (line.kind == LineKind::Code).then(|| with_edits(&line.text, &edits))
    })
}

/// Whether something must stand between two neighbours of a line as it does now.
fn is_joined(before: &CobolToken, after: &CobolToken) -> bool {
    before.at.end == after.at.start
}

/// The tokens of a line in pieces, none of which may be parted.
fn pieces(line: &CobolLine) -> Vec<Range<usize>> {
    let mut pieces: Vec<Range<usize>> = Vec::new();
    for (at, token) in line.tokens.iter().enumerate() {
        match pieces.last_mut() {
            Some(piece) if is_joined(&line.tokens[at - 1], token) => piece.end = token.at.end,
            _ => pieces.push(token.at.clone()),
        }
    }
    pieces
}

/// What stands in columns 73 to 80, with what is needed to bring it there.
fn with_tail(code: String, line: &CobolLine, is_free: bool) -> String {
    match line.text.get(CODE.end..) {
        Some(tail) if !is_free && !tail.is_empty() => format!("{code:WIDTH$}{tail}"),
        _ => code,
    }
}

/// One statement over several lines: each word on a line of its own.
pub fn over_several_lines(source: &CobolText) -> RewrittenFile {
    let mut rewrite = RewrittenFile::default();
    for (at, line) in source.lines.iter().enumerate() {
        let pieces = pieces(line);
        if !line.is_plain()
            || pieces.len() < 2
            || !pieces[1..].iter().all(|piece| piece.len() <= WIDTH - NEXT_LINE.len())
        {
            rewrite.push(&line.text, line.end, Some((at, at)));
            continue;
        }
        let end = if line.end.is_empty() { "\n" } else { line.end };
        rewrite.push(&with_tail(line.text[..pieces[0].end].to_owned(), line, source.is_free), end, Some((at, at)));
        for (number, piece) in pieces.iter().enumerate().skip(1) {
            let end = if number + 1 == pieces.len() { line.end } else { end };
            rewrite.push(&format!("{NEXT_LINE}{}", &line.text[piece.clone()]), end, Some((at, at)));
        }
    }
    rewrite
}

/// Several statements on one line: what begins behind column 11 goes behind the line before it where there is room.
pub fn on_one_line(source: &CobolText) -> RewrittenFile {
    let width = if source.is_free { usize::MAX } else { WIDTH };
    let mut rewrite = RewrittenFile::default();
    let mut open: Option<(String, usize)> = None;
    let mut from = 0;
    let mut ended: Option<&CobolToken> = None;
    for (at, line) in source.lines.iter().enumerate() {
        let before = ended;
        ended = line.tokens.last().or(before);
        let code = line.code(source.is_free).trim();
        let has_tail = !source.is_free && !line.text.get(CODE.end..).unwrap_or_default().trim().is_empty();
        let is_open = line.is_plain() && !code.is_empty() && !has_tail;
        // An entry that is not ended is known by its line alone.
        let begins = |first: &CobolToken| first.kind == CobolTokenKind::Word && first.text.parse::<u8>().is_ok();
        let is_ended = before.is_none_or(|before| before.kind == CobolTokenKind::Period);
        let in_area_b = line
            .tokens
            .first()
            .is_some_and(|first| first.at.start >= source.margin() + 4 && (is_ended || !begins(first)));
        if let Some((text, _)) = &mut open {
            let joined = text.trim_end().len() + 1 + code.len();
            if is_open && in_area_b && joined <= width && !source.is_free {
                text.truncate(text.trim_end().len());
                text.push(' ');
                text.push_str(code);
                open = open.map(|(text, _)| (text, at));
                continue;
            }
        }
        if let Some((text, last)) = open.take() {
            rewrite.push(&text, source.lines[last].end, Some((from, last)));
        }
        from = at;
        match is_open {
            true => open = Some((line.text.clone(), at)),
            false => rewrite.push(&line.text, line.end, Some((at, at))),
        }
    }
    if let Some((text, last)) = open {
        rewrite.push(&text, source.lines[last].end, Some((from, last)));
    }
    rewrite
}

/// Other numbers of blanks: of the gaps in a line every other one is made a single blank, and the next one wider.
pub fn with_other_blanks(source: &CobolText) -> RewrittenFile {
    let mut is_wide = false;
    each_line(source, |_, line| {
        if !line.is_plain() {
            return None;
        }
        let mut room = match source.is_free {
            true => WIDTH,
            false => WIDTH.saturating_sub(line.tokens.last().map_or(WIDTH, |last| last.at.end)),
        };
        let mut code = line.text[..line.tokens.first()?.at.start].to_owned();
        for (before, token) in std::iter::once(None).chain(line.tokens.iter().map(Some)).zip(&line.tokens) {
            let gap = before.map_or(0, |before| token.at.start - before.at.end);
            is_wide ^= gap > 0;
            let new = match gap {
                0 => 0,
                gap if is_wide => gap + room.min(3),
                _ => 1,
            };
            room = (room + gap).saturating_sub(new);
            code.extend(std::iter::repeat_n(' ', new));
            code.push_str(&token.text);
        }
        Some(with_tail(code, line, source.is_free))
    })
}

/// Sequence numbers in columns 1 to 6, and text in columns 73 to 80.
pub fn with_columns(source: &CobolText) -> RewrittenFile {
    let begins = source.lines.iter().position(|line| line.kind == LineKind::Code).unwrap_or(usize::MAX);
    // Where code has texts there, what stands there behind a comment is no longer the rest of its text.
    let has_long_comments = source.lines.iter().any(|line| line.kind == LineKind::Note && line.text.len() > WIDTH);
    each_line(source, |at, line| {
        let is_fixed = line.kind == LineKind::Fixed && !is_continuation(source, at);
        if source.is_free || at < begins || is_fixed || line.text.len() > WIDTH {
            return None;
        }
        let code = line.text.get(CODE.start - 1..).unwrap_or_default();
        let code = format!("{:06}{code}", (at + 1) * 100 % 1_000_000);
        // A comment ends where its text does.
        Some(if line.kind == LineKind::Note || has_long_comments {
            code
        } else {
            format!("{code:WIDTH$}WARRIG{:02}", at % 100)
        })
    })
}

/// Whether a line goes on with a literal or a word, or is gone on with.
fn is_continuation(source: &CobolText, at: usize) -> bool {
    let continues = |line: &CobolLine| line.text.as_bytes().get(CODE.start - 1) == Some(&b'-');
    source.lines[at].text.is_ascii()
        && !source.lines[at].text.contains('\t')
        && (continues(&source.lines[at]) || source.lines.get(at + 1).is_some_and(continues))
}

/// Empty comments between lines of code.
pub fn with_empty_comments(source: &CobolText) -> RewrittenFile {
    let mut rewrite = RewrittenFile::default();
    let comment = if source.is_free { "*>" } else { "      *" };
    for (at, line) in source.lines.iter().enumerate() {
        rewrite.push(&line.text, line.end, Some((at, at)));
        let next = source.lines.get(at + 1);
        if line.is_plain() && next.is_some_and(CobolLine::is_plain) {
            rewrite.push(comment, line.end, None);
        }
    }
    rewrite
}

/// Literals that go on on the next line: the last one of each line that is not too short.
pub fn with_continued_literals(source: &CobolText) -> RewrittenFile {
    let mut rewrite = RewrittenFile::default();
    for (at, line) in source.lines.iter().enumerate() {
        let cut = if source.is_free { None } else { continued(line) };
        let Some([head, tail]) = cut else {
            rewrite.push(&line.text, line.end, Some((at, at)));
            continue;
        };
        let end = if line.end.is_empty() { "\n" } else { line.end };
        rewrite.push(&with_tail(head, line, false), end, Some((at, at)));
        rewrite.push(&tail, line.end, Some((at, at)));
    }
    rewrite
}

/// A line cut in a literal.
fn continued(line: &CobolLine) -> Option<[String; 2]> {
    const LEAST: usize = 6;
    let is_one = |token: &&CobolToken| {
        token.kind == CobolTokenKind::Literal
            && token.text.starts_with(['\'', '"'])
            && token.text.len() >= LEAST
            && matches!(token.zone, Zone::Procedure | Zone::Other)
    };
    let literal = line.tokens.iter().rfind(is_one).filter(|_| line.is_plain())?;
    let quote = &literal.text[..1];
    // So many characters of it stay on the line, of which the last one is in column 72.
    let middle = (literal.text.len() / 2..literal.text.len() - 1)
        .find(|&at| !literal.text[at - 1..=at].contains(quote) && WIDTH >= literal.at.start + at)?;
    let is_set_off = line.text.as_bytes()[literal.at.start - 1] == b' ';
    let gap = WIDTH - literal.at.start - middle;
    if gap > 0 && !is_set_off {
        return None;
    }
    let head = format!("{}{}{}", &line.text[..literal.at.start], " ".repeat(gap), &literal.text[..middle]);
    let rest = &line.text[literal.at.start + middle..line.tokens.last()?.at.end];
    let tail = format!("      -    {quote}{rest}");
    (tail.len() <= WIDTH).then_some([head, tail])
}

/// The code of a line with changes made to it, over as many lines as it needs; none where it finds no room.
pub fn laid_out(line: &CobolLine, edits: &[(Range<usize>, String)], is_free: bool) -> Option<Vec<String>> {
    let end = if is_free { line.text.len() } else { WIDTH.min(line.text.len()) };
    let text = with_edits(&line.text[..end], edits);
    let text = text.trim_end();
    if is_free || text.len() <= WIDTH {
        return Some(vec![with_tail(text.to_owned(), line, is_free)]);
    }
    let gap = last_gap(text)?;
    let rest = format!("{NEXT_LINE}{}", text[gap..].trim_start());
    let head = text[..gap].trim_end().to_owned();
    (rest.len() <= WIDTH && head.len() > CODE.start).then(|| vec![with_tail(head, line, false), rest])
}

/// The last blank outside of a literal at which a text can be parted.
fn last_gap(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut found = None;
    for (at, c) in text.char_indices().skip(CODE.start) {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None if c == ' ' && at <= WIDTH && !text[CODE.start..at].trim().is_empty() => found = Some(at),
            None => {}
        }
    }
    found
}

/// The edits of all lines, each line laid out with its own.
pub fn with_line_edits(source: &CobolText, edits: &mut [Vec<(Range<usize>, String)>]) -> RewrittenFile {
    let mut rewrite = RewrittenFile::default();
    for (at, line) in source.lines.iter().enumerate() {
        edits[at].sort_by_key(|(place, _)| place.start);
        let laid = (!edits[at].is_empty()).then(|| laid_out(line, &edits[at], source.is_free)).flatten();
        let laid = laid.unwrap_or_else(|| vec![line.text.clone()]);
        for (number, text) in laid.iter().enumerate() {
            let end = if number + 1 == laid.len() || !line.end.is_empty() { line.end } else { "\n" };
            rewrite.push(text, end, Some((at, at)));
        }
    }
    rewrite
}
