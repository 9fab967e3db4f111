//! What comments say of single data items.

use super::{is_code, is_history, is_notice, is_telling, telling_lines, whole_sentences, words_of};
use crate::model::{DataItem, ParsedCobol};
use foldhash::{HashMap, HashMapExt};
use war_rig_text::{LineNumber, SourceLine, SourceText};

/// How many lines of a comment about an item are quoted.
const LINES_QUOTED: usize = 3;

/// How many lines above an item are searched for the beginning of its comment.
const LINES_ABOVE: usize = 12;

/// From how many items on the same comment describes none of them.
const SAME_COMMENT: usize = 4;

/// Where a comment stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Above,
    Beside,
}

/// Returns what comments say of the source's own data items, by index: a comment behind an item's entry, or directly above it where it is about that item alone.
/// Above the first of several items without comments stands what is about all of them, so that is left out, but for a group's.
pub fn item_comments(source: &SourceText, parsed: &ParsedCobol) -> HashMap<usize, String> {
    let items = &parsed.data_items;
    let own: Vec<usize> = (0..items.len()).filter(|index| items[*index].file.is_none()).collect();
    let comments = all_comments(source, items, &own);
    let is_alone = |at: usize, index: usize| {
        let next = own[at + 1..].iter().find(|next| items[**next].parent != Some(index));
        let is_sibling =
            |next: &usize| (items[*next].parent, items[*next].level) == (items[index].parent, items[index].level);
        is_group(items, index) || next.is_none_or(|next| !is_sibling(next) || comments.contains_key(next))
    };
    let mut found: HashMap<usize, &String> = HashMap::new();
    let mut counts: HashMap<&String, usize> = HashMap::new();
    for (at, index) in own.iter().enumerate() {
        if let Some((text, place)) = comments.get(index)
            && (*place == Place::Beside || is_alone(at, *index))
        {
            found.insert(*index, text);
            *counts.entry(text).or_default() += 1;
        }
    }
    let said = found.into_iter().filter(|(_, text)| counts[text] < SAME_COMMENT);
    said.map(|(index, text)| (index, text.clone())).collect()
}

/// Returns the comment of each of these items, whatever else it is about.
fn all_comments(source: &SourceText, items: &[DataItem], own: &[usize]) -> HashMap<usize, (String, Place)> {
    let mut found = HashMap::new();
    let mut behind_last = None;
    for index in own {
        let Some(lines) = items[*index].lines else { continue };
        let above = || above(source, lines.start()).filter(|_| behind_last < Some(lines.start()));
        let comment = beside(source, lines.end()).map(|text| (text, Place::Beside));
        if let Some(comment) = comment.or_else(|| Some((above()?, Place::Above))) {
            found.insert(*index, comment);
        }
        behind_last = Some(lines.end());
    }
    found
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
    let text = source.line(line)?.inline_comment()?;
    let text = text.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | ')' | '.' | '?' | '!'));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (is_telling(&text) && !is_code(&text)).then_some(text)
}
