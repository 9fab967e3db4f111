//! What comments say of single data items.

use super::{is_code, is_history, is_notice, joined, telling_lines, whole_sentences, words_of};
use crate::model::{DataItem, ParsedCobol};
use foldhash::{HashMap, HashMapExt};
use war_rig_text::{LineNumber, SourceLine, SourceText};

/// How many lines of a comment about an item are quoted.
const LINES_QUOTED: usize = 3;

/// How many lines above an item are searched for the beginning of its comment.
const LINES_ABOVE: usize = 12;

/// From how many items on the same comment describes none of them.
const SAME_COMMENT: usize = 4;

/// Returns what comments say of the source's own data items, by index: a comment behind an item's entry, or directly above it where it is about that item alone.
/// Above the first of several items without comments stands what is about all of them, so that is left out, but for a group's.
pub fn item_comments(source: &SourceText, parsed: &ParsedCobol) -> HashMap<usize, String> {
    let items = &parsed.data_items;
    let own: Vec<usize> = (0..items.len()).filter(|index| items[*index].file.is_none()).collect();
    let mut behind_last = None;
    let mut comments = HashMap::new();
    let mut has_own = vec![false; items.len()];
    for index in &own {
        let Some(lines) = items[*index].lines else { continue };
        let is_first = behind_last < Some(lines.start());
        let above = is_first.then(|| above(source, lines.start())).flatten();
        let text = beside(source, lines.end()).map(|text| (text, true)).or(above.map(|text| (text, false)));
        if let Some(text) = text {
            comments.insert(*index, text);
            has_own[*index] = true;
        }
        behind_last = Some(lines.end());
    }
    let is_alone = |index: &usize, is_beside: bool| {
        let next = own.iter().copied().filter(|next| next > index).find(|next| !is_within(items, *next, *index));
        let is_sibling =
            |next: usize| items[next].parent == items[*index].parent && items[next].level == items[*index].level;
        is_beside || is_group(items, *index) || next.is_none_or(|next| !is_sibling(next) || has_own[next])
    };
    let mut found: HashMap<usize, String> = comments
        .into_iter()
        .filter(|(index, (_, is_beside))| is_alone(index, *is_beside))
        .map(|(index, (text, _))| (index, text))
        .collect();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for text in found.values() {
        *counts.entry(text.clone()).or_default() += 1;
    }
    found.retain(|_, text| counts[text] < SAME_COMMENT);
    found
}

/// Whether an item is a part of another, or one of its condition names.
fn is_within(items: &[DataItem], index: usize, outer: usize) -> bool {
    std::iter::successors(items[index].parent, |parent| items[*parent].parent).any(|parent| parent == outer)
}

/// Whether the next item is a part of an item, and not a condition name.
fn is_group(items: &[DataItem], index: usize) -> bool {
    items.get(index + 1).is_some_and(|next| next.level != 88 && next.parent == Some(index))
}

/// Returns the comment directly above a line, without what a frame sets apart from it.
fn above(source: &SourceText, line: LineNumber) -> Option<String> {
    let before = (1..line.get()).rev().take(LINES_ABOVE).filter_map(LineNumber::new);
    let lines = before.map_while(|line| source.line(line)).take_while(|line| line.is_comment() || line.is_blank());
    let is_empty = |line: &SourceLine<'_>| line.visible().trim_matches(['*', '>', ' ']).is_empty() && !is_rule(line);
    let lines = lines.filter(|line| !line.is_blank() && !is_empty(line));
    let mut block: Vec<String> = lines.map(|line| words_of(&line)).take_while(|words| !words.is_empty()).collect();
    block.reverse();
    let is_disabled = block.iter().any(|text| is_code(text) || is_history(text) || is_notice(text));
    let telling = if is_disabled { Vec::new() } else { telling_lines(&block) };
    (!telling.is_empty()).then(|| whole_sentences(&telling, LINES_QUOTED, None))
}

/// Whether a line of a comment is a row of stars.
fn is_rule(line: &SourceLine<'_>) -> bool {
    line.visible().matches('*').count() > 2
}

/// Returns the comment behind the code of a line.
fn beside(source: &SourceText, line: LineNumber) -> Option<String> {
    let line = source.line(line)?;
    let start = comment_behind(line)?;
    let text = start.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | ')' | '.' | '?' | '!'));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_text = super::is_telling(&text) && !is_code(&text);
    is_text.then(|| joined(&[text], None))
}

/// Returns what stands behind `*>` in a line of code, outside its literals.
fn comment_behind(line: SourceLine<'_>) -> Option<&str> {
    let code = line.code();
    let mut quote = None;
    for (at, c) in code.char_indices() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, '*') if code[at..].starts_with("*>") => return Some(&code[at + 2..]),
            _ => {}
        }
    }
    None
}
