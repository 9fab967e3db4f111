//! Reads comments: what a source says of itself. They are quoted, and never used as facts.

use crate::model::ParsedCobol;
use std::collections::HashMap;
use war_rig_text::{LineNumber, SourceLine, SourceText};

/// How many lines of the program's own comment are quoted, plus the rest of the sentence.
const LINES_QUOTED: usize = 4;

/// How many more lines are searched for the end of a sentence.
const TO_ITS_END: usize = 8;

/// The minimum number of words in an informative comment; fewer are a title.
const WORDS_OF_A_TITLE: usize = 4;

/// Labels that introduce the purpose of the program in a header, in the languages of the houses that wrote COBOL.
const TELLING: &[&str] = &[
    "FUNCTION", "PURPOSE", "DESCRIPTION", "DESCRIPTIVE NAME", "ABSTRACT", "OBJECTIVE", "OVERVIEW", "SUMMARY",
    "REMARKS", "DESC", "OBJETIVO", "FINALIDADE", "FINALIDAD", "FUNCAO", "FUNÇÃO", "FUNCION", "FUNCIÓN", "DESCRICAO",
    "DESCRIÇÃO", "DESCRIPCION", "DESCRIPCIÓN", "RESUMO", "RESUMEN", "OBJET", "OBJECTIF", "FONCTION", "ZWECK",
    "FUNKTION", "BESCHREIBUNG", "AUFGABE", "SCOPO", "FUNZIONE", "DESCRIZIONE",
];

/// Labels whose content the document shows better itself, or that do not concern the program's work.
pub const IGNORED_LABELS: &[&str] = &[
    "PROGRAM", "PROGRAM NAME", "PROGRAM ID", "PROGRAM-ID", "MODULE", "MODULE NAME", "SOURCE", "APPLICATION",
    "APPLICATION ID", "SYSTEM", "SUBSYSTEM", "TYPE", "LAYER", "AUTHOR", "DATE", "DATE WRITTEN", "DATE-WRITTEN",
    "WRITTEN", "WRITTEN BY", "VERSION", "VER", "COMPONENT", "COPYRIGHT", "INSTALLATION", "LANGUAGE", "CREATED",
    "UPDATED", "MODIFIED", "LAST UPDATED", "PROGRAMMER", "ANALYST", "PROGRAMA", "PROGRAMADOR", "ANALISTA", "AUTOR",
    "SUPERVISOR", "DATA", "FECHA", "SISTEMA", "VERSAO", "VERSÃO", "VERSION", "PROGRAMM", "DATUM", "PROGRAMMEUR",
    "AUTEUR", "AUTORE",
];

/// Words that mark copyright and license notices.
const NOTICES: &[&str] = &[
    "top of data", "bottom of data", "copyright", "(c)", "licen", "all rights", "warrant", "apache", "you may not use",
    "as is", "http://", "https://",
];

/// Returns the purpose of the program from the comments before its divisions, and the line where it begins: the text after a label
/// such as `Function :`, else the first words. Copyright and license notices, names and dates are skipped.
pub fn head_comment(source: &SourceText, parsed: &ParsedCobol) -> Option<(String, LineNumber)> {
    let lines = head_lines(source, parsed);
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
    // The text stands behind the label, or below one that stands alone.
    let labelled = comments.iter().enumerate().find_map(|(at, (_, text))| match label(text) {
        Some((label, rest)) => (TELLING.contains(&label.as_str()) && is_telling(rest)).then(|| (at, rest.to_owned())),
        None if !is_label_alone(text) => None,
        None => {
            let below =
                comments[at + 1..].iter().position(|(_, text)| !text.is_empty()).map(|behind| at + 1 + behind)?;
            let text_below = &comments[below].1;
            let is_labelled = is_telling(text_below) && !is_label_alone(text_below) && label(text_below).is_none();
            is_labelled.then(|| (below, text_below.clone()))
        }
    });
    if let Some((at, rest)) = labelled {
        return Some((goes_on(&rest, &comments[at + 1..]), comments[at].0));
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

/// Returns the lines before the first division that follows IDENTIFICATION.
fn head_lines<'a>(source: &'a SourceText, parsed: &ParsedCobol) -> Vec<SourceLine<'a>> {
    let divisions = &parsed.divisions;
    let end = divisions.iter().find(|division| division.name != "IDENTIFICATION" && division.file.is_none());
    let end = end.map_or(source.line_count(), |division| division.lines.start().index());
    source.lines().take(end).collect()
}

/// How many lines of what the head comment says of a name are quoted.
const LINES_OF_NAME: usize = 3;

/// Returns what the comments at the head of a program say of names that stand first in a line, as of the programs that it calls:
/// `DATESUB - CHECKS A DATE`. The first text about a name counts.
pub fn head_glossary(source: &SourceText, parsed: &ParsedCobol) -> HashMap<String, String> {
    let mut found: HashMap<String, String> = HashMap::new();
    // The name that the last lines tell of, its column, and how many lines there are.
    let mut open: Option<(String, usize, usize)> = None;
    for line in head_lines(source, parsed) {
        let words = if line.is_comment() { words_of(&line) } else { String::new() };
        let column = line.visible().find(char::is_alphanumeric).unwrap_or_default();
        if let Some((name, text)) = entry_of_glossary(&words) {
            open = (!found.contains_key(&name)).then(|| (name.clone(), column, 1));
            found.entry(name).or_insert_with(|| text.to_owned());
            continue;
        }
        let Some((name, start, count)) = open.take() else { continue };
        if column > start && count < LINES_OF_NAME && is_telling(&words) && label(&words).is_none() {
            let text = found.entry(name.clone()).or_default();
            *text = joined(&[std::mem::take(text), words]);
            open = Some((name, start, count + 1));
        }
    }
    found
}

/// Splits a line that tells of a name: the name, in capitals, and the text behind dots, a colon or a dash.
fn entry_of_glossary(words: &str) -> Option<(String, &str)> {
    let end =
        words.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '#' | '$' | '@' | '-')))?;
    let (name, rest) = words.split_at(end);
    let text = rest.trim_start_matches(['.', ' ', ':', '=', '-']);
    let sign = &rest[..rest.len() - text.len()];
    let is_name = name.len() >= 3 && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '#');
    let is_divided = sign.contains([':', '=']) || sign.contains(" - ") || sign.contains("..");
    (is_name && is_divided && is_telling(text)).then(|| (name.to_owned(), text))
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
    // A dash may belong to the sentence.
    let is_label = |text: &str| {
        let known = |label: &str| TELLING.contains(&label) || IGNORED_LABELS.contains(&label);
        label(text).is_some_and(|(label, _)| text.contains(':') || known(&label))
    };
    let more = more.take_while(|text| is_telling(text) && !is_label(text));
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
    is_label_alone(text) || IGNORED_LABELS.contains(&upper.as_str()) || is_history(text)
}

/// Whether a line is a label that introduces the purpose, without text.
fn is_label_alone(text: &str) -> bool {
    TELLING.contains(&text.trim_matches(|c: char| !c.is_alphanumeric()).to_uppercase().as_str())
}

/// Whether a line is set in spaced letters, as banners are: `A C M E  S Y S T E M S`.
fn is_banner(text: &str) -> bool {
    let words = text.split(' ').filter(|word| word.chars().any(char::is_alphabetic));
    let single = words.clone().filter(|word| word.chars().count() == 1).count();
    single >= 3 && single * 2 > words.count()
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
        // A word that was divided at the end of its line.
        let is_divided = text.ends_with('-') && line.starts_with(char::is_alphabetic);
        if is_divided {
            text.pop();
        } else if !text.is_empty() {
            let goes_on = line.trim_start_matches('/').starts_with(|c: char| c.is_lowercase())
                || text.ends_with(['.', ',', ';', ':']);
            let all_capitals = !line.chars().any(char::is_lowercase);
            text.push_str(if goes_on || all_capitals { " " } else { " / " });
        }
        text.push_str(line);
    }
    text
}

/// Returns the words of a comment line without its frame of stars and dashes.
pub fn words_of(line: &SourceLine<'_>) -> String {
    let whole = line.visible();
    let text = whole.trim_start_matches(['*', '/', '>', ' ']);
    let text = text.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | ')' | '\'' | '"' | '.'));
    if text.is_empty() {
        return String::new();
    }
    // What the frame leaves of a sentence keeps its comma or question mark, a divided word its hyphen, a path its first slash.
    let frame = whole.trim_end_matches(['*', ' ']);
    let is_divided = frame.ends_with(&format!("{text}-")) && text.ends_with(char::is_alphabetic);
    let behind = frame.trim_end_matches(['*', '-', '=', ' ']);
    let sign = [',', ';', '?', '!'].into_iter().find(|sign| behind.ends_with(&format!("{text}{sign}")));
    let sign = sign.or(is_divided.then_some('-'));
    let before = whole.find(text).map_or("", |at| &whole[..at]);
    let slash = if before.ends_with(" /") { "/" } else { "" };
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{slash}{words}{}", sign.map(String::from).unwrap_or_default())
}

/// Whether a comment is informative: it has a few letters and is not a statement that was commented out.
pub fn is_telling(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let signs = text.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()).count();
    let first = text.split([' ', '.']).next().unwrap_or_default();
    let is_statement = OF_STATEMENTS.contains(&first) || (OF_BOTH.contains(&first) && !is_prose(text));
    letters >= 3 && signs <= letters && !is_statement && !is_banner(text)
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
        "REVISION", "ALTERACAO", "ALTERACOES", "ALTERAÇÃO", "ALTERAÇÕES", "ULTIMA ALTERACAO", "HISTORICO", "HISTÓRICO",
        "MANUTENCAO", "MANUTENÇÃO", "MODIFICACION", "AENDERUNG", "ÄNDERUNG", "HISTORIQUE", "MODIFICHE",
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

/// Splits an upper-case label from the text after its colon or dash: `Function : Post the records`, `OBJETIVO....: Post`.
pub fn label(text: &str) -> Option<(String, &str)> {
    let (label, rest) = text.split_once(':').or_else(|| text.split_once(" - ")).or_else(|| text.split_once(" = "))?;
    let label = label.trim().trim_end_matches('.').trim_end();
    let short = label.split_whitespace().count() <= 3 && label.len() <= 24 && !label.is_empty();
    short.then(|| (label.to_uppercase(), rest.trim().trim_start_matches('-').trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LexedSource, NoCopybooks, parse};
    use std::sync::Arc;
    use war_rig_text::ReadOptions;

    fn read(head: &[&str]) -> (SourceText, ParsedCobol) {
        let lines: String = head.iter().map(|line| format!("      *{line}\n")).collect();
        let text =
            format!("       IDENTIFICATION DIVISION.\n       PROGRAM-ID. POSTER.\n{lines}       DATA DIVISION.\n");
        let source = SourceText::read("POSTER.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
        let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
        (source, parsed)
    }

    #[track_caller]
    fn check(head: &[&str], purpose: &str) {
        let (source, parsed) = read(head);
        assert_eq!(head_comment(&source, &parsed).map(|found| found.0).as_deref(), Some(purpose), "{head:#?}");
    }

    #[test]
    fn a_labelled_purpose_comes_before_banners_and_names() {
        let frame = "----------------------------------------------------------------*";
        let banner = "                 A C M E  -  S Y S T E M S                      *";
        let names =
            ["    PROGRAMA....: POSTER                                        *", "    ANALISTA....: J. DOE       *"];
        let purpose = [
            "    OBJETIVO....: POST THE ENTRIES OF THE DAY TO ACCOUNTS, RE- *",
            "                  PORT THE REST - ONE PAGE A BRANCH            *",
        ];
        let files = ["    ARQUIVOS....:                                               *"];
        let head: Vec<&str> = [frame, banner, frame]
            .into_iter()
            .chain(names)
            .chain([frame])
            .chain(purpose)
            .chain([frame])
            .chain(files)
            .collect();
        check(&head, "POST THE ENTRIES OF THE DAY TO ACCOUNTS, REPORT THE REST - ONE PAGE A BRANCH");
        check(
            &[
                "REMARKS.",
                frame,
                "          PURPOSE           *",
                "   Posts the entries.   *",
                frame,
                " OBJETIVO: CONVERSION",
            ],
            "Posts the entries.",
        );
        check(&[banner, frame, " Posts what was entered.", frame], "Posts what was entered.");
    }

    #[test]
    fn a_path_keeps_its_slash() {
        check(&[" Function: serves", " /accounts/branch to the web."], "serves /accounts/branch to the web.");
    }

    #[test]
    fn the_head_tells_of_what_a_program_calls() {
        let (source, parsed) = read(&[
            "   MODULOS.....:                                          *",
            "   DATESUB  - CHECKS A DATE.                              *",
            "   RATES01..: FINDS THE RATE OF A BRANCH, OR                *",
            "              THAT OF THE BANK                              *",
            "   DATESUB  - AGAIN                                         *",
            "   Note: LEDGER is open.                                    *",
        ]);
        let found: std::collections::BTreeMap<_, _> = head_glossary(&source, &parsed).into_iter().collect();
        let pairs: Vec<(&str, &str)> = found.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        assert_eq!(
            pairs,
            [("DATESUB", "CHECKS A DATE."), ("RATES01", "FINDS THE RATE OF A BRANCH, OR THAT OF THE BANK")]
        );
    }
}
