//! Reads comments: what a source says of itself. They are quoted, and never used as facts.

use crate::model::ParsedCobol;
use war_rig_text::{LineNumber, SourceLine, SourceText};

/// How many lines of the program's own comment are quoted, plus the rest of the sentence.
const LINES_QUOTED: usize = 4;

/// How many more lines are searched for the end of a sentence.
const TO_ITS_END: usize = 8;

/// The minimum number of words in an informative comment; fewer are a title.
const WORDS_OF_A_TITLE: usize = 4;

/// Labels that introduce the purpose of the program in a header.
const TELLING: &[&str] = &[
    "FUNCTION", "PURPOSE", "DESCRIPTION", "DESCRIPTIVE NAME", "ABSTRACT", "OBJECTIVE", "OVERVIEW", "SUMMARY",
    "REMARKS", "DESC",
];

/// Labels whose content the document shows better itself, or that do not concern the program's work.
pub const IGNORED_LABELS: &[&str] = &[
    "PROGRAM", "PROGRAM NAME", "PROGRAM ID", "PROGRAM-ID", "MODULE", "MODULE NAME", "SOURCE", "APPLICATION",
    "APPLICATION ID", "SYSTEM", "SUBSYSTEM", "TYPE", "LAYER", "AUTHOR", "DATE", "DATE WRITTEN", "DATE-WRITTEN",
    "WRITTEN", "WRITTEN BY", "VERSION", "VER", "COMPONENT", "COPYRIGHT", "INSTALLATION", "LANGUAGE", "CREATED",
    "UPDATED", "MODIFIED", "LAST UPDATED",
];

/// Words that mark copyright and license notices.
const NOTICES: &[&str] = &[
    "copyright", "(c)", "licen", "all rights", "warrant", "apache", "you may not use", "as is", "http://", "https://",
];

/// Returns the purpose of the program from the comments before its divisions, and the line where it begins: the text after a label
/// such as `Function :`, else the first words. Copyright and license notices, names and dates are skipped.
pub fn head_comment(source: &SourceText, parsed: &ParsedCobol) -> Option<(String, LineNumber)> {
    let divisions = &parsed.divisions;
    let end = divisions.iter().find(|division| division.name != "IDENTIFICATION" && division.file.is_none());
    let end = end.map_or(source.line_count(), |division| division.lines.start().index());
    let lines: Vec<SourceLine<'_>> = source.lines().take(end).collect();
    if let Some(remarks) = remarks(&lines) {
        return Some(remarks);
    }
    let mut comments: Vec<(LineNumber, String)> = Vec::with_capacity(lines.len());
    for block in lines.chunk_by(|a, b| !is_border(a) && !is_border(b)) {
        // A notice excludes its whole block, up to the next frame or line of code.
        let notice = block.iter().any(|line| is_notice(line.visible()) || is_history(line.visible()));
        let words = |line: &SourceLine<'_>| {
            if line.is_comment() && !notice { words_of(line) } else { String::new() }
        };
        comments.extend(block.iter().map(|line| (line.number(), words(line))));
    }
    let labelled = comments.iter().position(|(_, text)| {
        label(text).is_some_and(|(label, rest)| TELLING.contains(&label.as_str()) && is_telling(rest))
    });
    if let Some(at) = labelled {
        let (_, rest) = label(&comments[at].1)?;
        return Some((goes_on(rest, &comments[at + 1..]), comments[at].0));
    }
    if let Some((at, rest)) =
        comments.iter().enumerate().find_map(|(at, (_, text))| Some((at, behind_its_name(parsed, text)?)))
    {
        return Some((goes_on(rest, &comments[at + 1..]), comments[at].0));
    }
    let begins = |text: &String| {
        is_telling(text)
            && label(text).is_none_or(|(label, _)| !IGNORED_LABELS.contains(&label.as_str()))
            && !is_its_name(parsed, text)
            && !is_heading(text)
    };
    let at = comments.iter().position(|(_, text)| begins(text))?;
    let lines = comments[at..].iter().map(|(_, text)| text);
    let mut own: Vec<&String> = lines.clone().take_while(|text| begins(text)).collect();
    if own.iter().map(|text| text.split(' ').count()).sum::<usize>() < WORDS_OF_A_TITLE {
        // The text below a title is more informative.
        let below = lines.skip(own.len()).skip_while(|text| text.is_empty());
        own.extend(below.take_while(|text| begins(text)));
    }
    Some((whole_sentences(own.into_iter(), LINES_QUOTED), comments[at].0))
}

/// Returns the text after the program's name: `INTPOST - MONTHLY INTEREST POSTING`.
fn behind_its_name<'t>(parsed: &ParsedCobol, text: &'t str) -> Option<&'t str> {
    let (name, rest) = text.split_once(' ')?;
    let name = name.trim_end_matches([':', '.', ',']);
    let named = parsed.programs.iter().any(|program| program.name.eq_ignore_ascii_case(name));
    let rest = rest.trim_start_matches(['-', ':', '=', '.', ' ']);
    (named && is_telling(rest)).then_some(rest)
}

/// Whether a comment only repeats the program's name.
fn is_its_name(parsed: &ParsedCobol, text: &str) -> bool {
    let first = text.split(['.', ' ']).next().unwrap_or_default();
    parsed.programs.iter().any(|program| program.name.eq_ignore_ascii_case(first)) && text.len() <= first.len() + 4
}

/// Returns the words after a label or a name, with the lines that continue them.
fn goes_on(rest: &str, below: &[(LineNumber, String)]) -> String {
    let first = rest.to_owned();
    let more = below.iter().map(|(_, text)| text);
    let more = more.take_while(|text| is_telling(text) && label(text).is_none());
    whole_sentences(std::iter::once(&first).chain(more), LINES_QUOTED)
}

/// Joins the first lines of a comment, up to the end of a sentence if one ends soon.
pub fn whole_sentences<'t>(lines: impl Iterator<Item = &'t String>, most: usize) -> String {
    let lines: Vec<String> = lines.take(most + TO_ITS_END).cloned().collect();
    let ends = |at: usize| lines[..at].last().is_none_or(|line| line.ends_with(['.', '!', '?']));
    let least = most.min(lines.len());
    let end = (least..=lines.len()).find(|at| ends(*at));
    // A comment without a period is quoted up to the limit; an unfinished sentence is left out.
    let end = end.or_else(|| (1..least).rev().find(|at| ends(*at)));
    joined(&lines[..end.unwrap_or(if lines.len() <= most + 2 { lines.len() } else { least })])
}

/// Whether a line is only a heading: a label without text, a history.
fn is_heading(text: &str) -> bool {
    let upper = text.trim_matches(|c: char| !c.is_alphanumeric()).to_uppercase();
    TELLING.contains(&upper.as_str()) || IGNORED_LABELS.contains(&upper.as_str()) || is_history(text)
}

/// Returns the text of REMARKS, the comment entry that describes older programs.
fn remarks(lines: &[SourceLine<'_>]) -> Option<(String, LineNumber)> {
    let behind = |line: &SourceLine<'_>| {
        let code = line.code().trim_start();
        let head = code.get(.."REMARKS.".len()).filter(|head| head.eq_ignore_ascii_case("REMARKS."))?;
        (!line.is_comment()).then(|| code[head.len()..].trim().to_owned())
    };
    let (at, first) = lines.iter().enumerate().find_map(|(at, line)| Some((at, behind(line)?)))?;
    // The entry continues in area B.
    let goes_on = |line: &&SourceLine<'_>| !line.is_comment() && !line.is_blank() && line.code().starts_with("    ");
    let more = lines[at + 1..].iter().take_while(goes_on).map(|line| line.code().trim().to_owned());
    let words: Vec<String> =
        std::iter::once(first).chain(more).filter(|text| !text.is_empty()).take(LINES_QUOTED).collect();
    let text = words.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then(|| (text, lines[at].number()))
}

/// Joins the lines of a comment: a line that continues the previous sentence follows it, another is set apart.
pub fn joined(lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines {
        if !text.is_empty() {
            let goes_on = line.starts_with(|c: char| c.is_lowercase()) || text.ends_with(['.', ',', ';', ':']);
            let all_capitals = !line.chars().any(char::is_lowercase);
            text.push_str(if goes_on || all_capitals { " " } else { " / " });
        }
        text.push_str(line);
    }
    text
}

/// Returns the words of a comment line without its frame of stars and dashes.
pub fn words_of(line: &SourceLine<'_>) -> String {
    let text = line.visible().trim_start_matches(['*', '/', '>', ' ']);
    let text = text.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | ')' | '\'' | '"' | '.'));
    // What the frame leaves of a sentence keeps its comma or question mark.
    let behind = line.visible().trim_end_matches(['*', '-', '=', ' ']);
    let sign = [',', ';', '?', '!'].into_iter().find(|sign| behind.ends_with(&format!("{text}{sign}")));
    let text = sign.filter(|_| !text.is_empty()).map_or(text.to_owned(), |sign| format!("{text}{sign}"));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a comment is informative: it has a few letters and is not a statement that was commented out.
pub fn is_telling(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let signs = text.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()).count();
    let first = text.split([' ', '.']).next().unwrap_or_default();
    let is_statement = OF_STATEMENTS.contains(&first) || (OF_BOTH.contains(&first) && !is_prose(text));
    letters >= 3 && signs <= letters && !is_statement
}

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

/// Whether a line is the heading of a change history.
pub fn is_history(text: &str) -> bool {
    let text = text.trim_matches(|c: char| !c.is_alphanumeric()).to_uppercase();
    let heads = [
        "CHANGE HISTORY", "CHANGES", "CHANGE LOG", "HISTORY", "AMENDMENT", "MODIFICATION", "MAINTENANCE LOG",
        "REVISION",
    ];
    heads.iter().any(|head| text.starts_with(head))
}

/// Whether a line separates comment blocks: code, or a frame line.
fn is_border(line: &SourceLine<'_>) -> bool {
    let text = line.visible().trim();
    !line.is_comment() || (text.len() >= 20 && !text.chars().any(char::is_alphanumeric))
}

/// Whether a line belongs to a copyright or license notice.
pub fn is_notice(text: &str) -> bool {
    let lower = text.to_lowercase();
    NOTICES.iter().any(|word| lower.contains(word))
}

/// Splits an upper-case label from the text after its colon or dash: `Function : Post the records`.
pub fn label(text: &str) -> Option<(String, &str)> {
    let (label, rest) = text.split_once(':').or_else(|| text.split_once(" - ")).or_else(|| text.split_once(" = "))?;
    let label = label.trim();
    let short = label.split_whitespace().count() <= 3 && label.len() <= 24 && !label.is_empty();
    short.then(|| (label.to_uppercase(), rest.trim().trim_start_matches('-').trim()))
}
