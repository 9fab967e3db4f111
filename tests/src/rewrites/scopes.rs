//! Rewrites of where statements end: END-IF and its like before a period, and periods between statements.

use super::layout::with_line_edits;
use super::positions::RewrittenFile;
use super::source::{CobolText, CobolToken, CobolTokenKind, Zone};
use super::words::VERBS;
use std::ops::Range;

/// What may be left out before a period. END-PERFORM may not.
const ENDS: &[&str] = &[
    "END-IF", "END-EVALUATE", "END-READ", "END-WRITE", "END-REWRITE", "END-DELETE", "END-START", "END-RETURN",
    "END-SEARCH", "END-CALL", "END-COMPUTE", "END-ADD", "END-SUBTRACT", "END-MULTIPLY", "END-DIVIDE", "END-STRING",
    "END-UNSTRING",
];
/// A sentence of the PROCEDURE DIVISION: its tokens with their lines, the period last.
type SentenceTokens<'a> = [(usize, &'a CobolToken)];

/// The sentences of which every line may be changed, each with the place of its first token among all.
fn sentences<'a>(tokens: &'a [Option<(usize, &'a CobolToken)>]) -> Vec<(usize, Vec<(usize, &'a CobolToken)>)> {
    let mut found = Vec::new();
    let mut begin = 0;
    for (at, token) in tokens.iter().enumerate() {
        if token.is_some_and(|(_, token)| token.kind == CobolTokenKind::Period && token.is_plain()) {
            let sentence: Option<Vec<_>> = tokens[begin..=at].iter().copied().collect();
            found.extend(sentence.map(|sentence| (begin, sentence)));
            begin = at + 1;
        }
    }
    found.retain(|(_, sentence)| sentence.iter().all(|(_, token)| matches!(token.zone, Zone::Procedure | Zone::Exec)));
    found
}

/// IF statements that are open at the end of a sentence; none where other statements are too, or where it is not certain.
fn open_ifs(sentence: &SentenceTokens<'_>) -> Option<usize> {
    let mut open: Vec<String> = Vec::new();
    for (at, (_, token)) in sentence.iter().enumerate() {
        if token.zone != Zone::Procedure {
            continue;
        }
        let next = sentence.get(at + 1).map(|each| each.1);
        let word = token.text.to_ascii_uppercase();
        if let Some(verb) = word.strip_prefix("END-").filter(|_| ENDS.contains(&word.as_str()) || word == "END-PERFORM")
        {
            let from = open.iter().rposition(|each| each == verb)?;
            open.truncate(from);
        } else if token.is_any(&["IF", "EVALUATE", "SEARCH"]) || token.is("PERFORM") && next.is_some_and(is_inline) {
            open.push(word);
        } else if token.is_any(&["INVALID", "EXCEPTION", "OVERFLOW", "ERROR", "END-OF-PAGE", "EOP"]) || token.is("END")
        {
            // Where such a statement ends is not told.
            let verb = sentence[..at].iter().rev().find(|(_, token)| token.is_any(VERBS))?;
            let verb = verb.1.text.to_ascii_uppercase();
            if open.last() != Some(&verb) {
                open.push(verb);
            }
        }
    }
    open.iter().all(|each| each == "IF").then_some(open.len())
}

/// Whether this word behind PERFORM begins a loop whose statements follow.
fn is_inline(next: &CobolToken) -> bool {
    next.is_any(VERBS) || next.is_any(&["UNTIL", "VARYING", "WITH", "TEST"])
}

/// Ends of statements left out before a period, and END-IF put in where the period ends an IF.
pub fn with_other_ends(source: &CobolText) -> RewrittenFile {
    let tokens = source.tokens();
    let mut edits: Vec<Vec<(Range<usize>, String)>> = vec![Vec::new(); source.lines.len()];
    let mut shortened = Vec::new();
    for (_, sentence) in sentences(&tokens) {
        let [body @ .., (last_line, period)] = &sentence[..] else { continue };
        let ends = body.iter().rev().take_while(|(_, token)| token.is_any(ENDS)).count();
        let (body, ends) = body.split_at(body.len() - ends);
        let Some((line, last)) = body.last() else { continue };
        let may_change = |line: usize| source.lines[line].is_plain();
        if !may_change(*line) || !may_change(*last_line) || !ends.iter().all(|(line, _)| may_change(*line)) {
            continue;
        }
        if ends.is_empty() {
            if let Some(open @ 1..) = open_ifs(&sentence) {
                edits[*last_line].push((period.at.start..period.at.start, " END-IF".repeat(open)));
                if line < last_line {
                    shortened.push((*line, *last_line));
                }
            }
            continue;
        }
        let own = ends.iter().chain(std::iter::once(sentence.last().expect("a sentence has a period")));
        let own: Vec<(usize, &CobolToken)> = own.copied().collect();
        let has_own_lines = own.iter().all(|(at, _)| {
            *at != *line
                && source.lines[*at]
                    .tokens
                    .iter()
                    .all(|token| own.iter().any(|(_, each)| each.at == token.at && *each == token))
        });
        if has_own_lines {
            edits[*line].push((last.at.end..last.at.end, ".".to_owned()));
            shortened.push((*line, *last_line));
            for (line, token) in own {
                edits[line].push((token.at.clone(), String::new()));
            }
        } else if ends[0].0 == *last_line {
            edits[*last_line].push((ends[0].1.at.start..period.at.end, ".".to_owned()));
        }
    }
    let mut rewrite = with_line_edits(source, &mut edits);
    // A statement ends where its END stands, or before it: that is one place.
    for (first, last) in shortened {
        rewrite.origins.iter_mut().flatten().filter(|origin| origin.0 == first).for_each(|origin| origin.1 = last);
    }
    rewrite
}

/// Periods left out between sentences of which neither leaves anything open: of those that may be, every other one.
pub fn with_fewer_periods(source: &CobolText) -> RewrittenFile {
    let tokens = source.tokens();
    let mut edits: Vec<Vec<(Range<usize>, String)>> = vec![Vec::new(); source.lines.len()];
    let sentences = sentences(&tokens);
    let mut is_left_out = false;
    for pair in sentences.windows(2) {
        let [(begin, first), (next, second)] = pair else { continue };
        let Some((line, period)) = first.last() else { continue };
        let is_simple = |sentence: &SentenceTokens<'_>| {
            sentence[0].1.is_any(VERBS)
                && !sentence[0].1.is_any(&["EXIT", "ENTRY", "ALTER"])
                && !sentence.iter().any(|(_, token)| token.is("SENTENCE"))
                && !matches!(sentence, [_, .., (_, last), _] if last.is("TO"))
                && open_ifs(sentence) == Some(0)
        };
        // A period on a line of its own is the last line of what it ends.
        let is_behind = matches!(first[..], [.., (before, _), _] if before == *line);
        let may_be = is_behind
            && begin + first.len() == *next
            && source.lines[*line].is_plain()
            && second[0].1.at.start >= source.margin() + 4
            && is_simple(first)
            && is_simple(second);
        is_left_out = may_be && !is_left_out;
        if is_left_out {
            edits[*line].push((period.at.clone(), String::new()));
        }
    }
    with_line_edits(source, &mut edits)
}
