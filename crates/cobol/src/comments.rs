//! Reads comments: what a source says of itself. They are quoted, and never used as facts.

mod disabled_code;
mod head;
mod items;
mod reached_by;

pub use disabled_code::is_code;
pub use head::{head_comment, program_comment};
pub use items::item_comments;
pub use reached_by::{NamedCallers, reached_by};

use crate::model::ParsedCobol;
use aho_corasick::AhoCorasick;
use disabled_code::{is_data_description, is_statement};
use foldhash::{HashMap, HashMapExt, HashSet};
use std::sync::{LazyLock, OnceLock};
use war_rig_text::{SourceLine, SourceText};

/// How many more lines are searched for the end of a sentence.
const TO_ITS_END: usize = 8;

/// What marks that a quoted comment goes on.
pub const MORE_FOLLOWS: &str = " [...]";

/// Labels that introduce the purpose of the program in a header, in the languages of the houses that wrote COBOL.
const TELLING_LABELS: &[&str] = &[
    "FUNCTION",
    "PURPOSE",
    "DESCRIPTION",
    "DESCRIPTIVE NAME",
    "ABSTRACT",
    "OBJECTIVE",
    "OVERVIEW",
    "SUMMARY",
    "REMARKS",
    "DESC",
    "OBJETIVO",
    "FINALIDADE",
    "FINALIDAD",
    "FUNCAO",
    "FUNÇÃO",
    "FUNCION",
    "FUNCIÓN",
    "DESCRICAO",
    "DESCRIÇÃO",
    "DESCRIPCION",
    "DESCRIPCIÓN",
    "RESUMO",
    "RESUMEN",
    "OBJET",
    "OBJECTIF",
    "FONCTION",
    "ZWECK",
    "FUNKTION",
    "BESCHREIBUNG",
    "KURZBESCHREIBUNG",
    "AUFGABE",
    "SCOPO",
    "FUNZIONE",
    "DESCRIZIONE",
    "OBIETTIVO",
    "ROLE",
    "PROPOSITO",
    "PROPÓSITO",
    "NARRATIVE",
    "처리개요",
    "프로그램개요",
    "업무개요",
    "개요",
    "주요기능",
    "기능",
    "목적",
    "설명",
    "処理概要",
    "プログラム概要",
    "機能概要",
    "概要",
    "機能",
    "目的",
    "功能",
    "程序功能",
];

/// Labels of titles, which are quoted where nothing tells the purpose.
const TITLE_LABELS: &[&str] =
    &["TITLE", "TITEL", "TITULO", "TÍTULO", "TITRE", "TITOLO", "프로그램명", "プログラム名", "程序名称"];

/// Labels whose content the document shows better itself, or that do not concern the program's work.
pub const IGNORED_LABELS: &[&str] = &[
    "PROGRAM",
    "PROGRAM NAME",
    "PROGRAM ID",
    "PROGRAM-ID",
    "MODULE",
    "MODULE NAME",
    "SOURCE",
    "APPLICATION",
    "APPLICATION ID",
    "SYSTEM",
    "SUBSYSTEM",
    "TYPE",
    "LAYER",
    "AUTHOR",
    "DATE",
    "DATE WRITTEN",
    "DATE-WRITTEN",
    "WRITTEN",
    "WRITTEN BY",
    "VERSION",
    "VER",
    "COMPONENT",
    "COPYRIGHT",
    "INSTALLATION",
    "LANGUAGE",
    "CREATED",
    "UPDATED",
    "MODIFIED",
    "LAST UPDATED",
    "PROGRAMMER",
    "ANALYST",
    "PROGRAMA",
    "PROGRAMADOR",
    "ANALISTA",
    "AUTOR",
    "SUPERVISOR",
    "DATA",
    "FECHA",
    "SISTEMA",
    "VERSAO",
    "VERSÃO",
    "VERSION",
    "PROGRAMM",
    "DATUM",
    "PROGRAMMEUR",
    "AUTEUR",
    "AUTORE",
    "AUTHORS",
    "ORIGINAL AUTHOR",
    "PROJETO",
    "PROJECT",
    "PROYECTO",
    "RESPONSAVEL",
    "RESPONSAVEIS",
    "SECURITY",
    "DATE-COMPILED",
    "TECTONICS",
    "REDACTEUR",
    "ENTORNO",
    "업무명",
    "업무구분",
    "처리유형",
    "작성자",
    "작성일",
    "작성일자",
    "성명",
    "システム名",
    "サブシステム名",
    "作成者",
    "作成日",
    "処理形態",
    "作者",
    "日期",
];

/// Words that mark copyright and license notices, in ASCII.
const NOTICES: &[&str] = &[
    "top of data",
    "bottom of data",
    "copyright",
    "(c)",
    "licen",
    "all rights",
    "warrant",
    "apache",
    "you may not use",
    "as is",
    "http://",
    "https://",
    "free software",
    "general public",
    "redistribut",
    "restricted materials",
    "restricted rights",
    "restricted by",
    "limited rights",
    "disclosure",
    "unauthorized",
    "property of",
    "proprietary",
    "trade secret",
    "strictly prohibited",
    "expressly prohibited",
    "confidential",
];

/// How many lines of what the head comment says of a name are quoted.
const LINES_OF_NAME: usize = 3;

/// Returns what the comments at the head of a program say of names that stand first in a line, as of the programs that it calls:
/// `DATESUB - CHECKS A DATE`. The first text about a name counts.
pub fn head_glossary(source: &SourceText, parsed: &ParsedCobol) -> HashMap<String, String> {
    let mut found: HashMap<String, String> = HashMap::new();
    let all_words = SourceWords::of(source);
    // The name that the last lines tell of, its column, and how many lines there are.
    let mut open: Option<(String, usize, usize)> = None;
    for line in head::program_lines(source, parsed, 0) {
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
            *text = joined(&[std::mem::take(text), words], Some(&all_words));
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

/// Joins the first lines of a comment, up to the end of a sentence if one ends soon, and marks that more of it follows.
pub fn whole_sentences(lines: &[String], most: usize, words: Option<&SourceWords<'_>>) -> String {
    let near = &lines[..lines.len().min(most + TO_ITS_END)];
    let ends = |at: usize| near[..at].last().is_none_or(|line| line.ends_with(['.', '!', '?']));
    let least = most.min(near.len());
    let end = (least..=near.len()).find(|at| ends(*at));
    // A comment without a period is quoted up to the limit; an unfinished sentence is left out.
    let end = end.or_else(|| (1..least).rev().find(|at| ends(*at)));
    let end = end.unwrap_or(if near.len() <= most + 2 { near.len() } else { least });
    let (told, rest) = lines.split_at(end);
    let is_cut = rest.iter().any(|line| Some(line) != told.last());
    format!("{}{}", joined(told, words), if is_cut { MORE_FOLLOWS } else { "" })
}

/// Whether a line is set in spaced letters or drawn with letters, as banners are: `A C M E  S Y S T E M S`, `TTTTT BBBB`.
fn is_banner(text: &str) -> bool {
    let is_drawn = |word: &&str| {
        let first = word.chars().next();
        word.chars().all(|c| Some(c) == first)
    };
    let words = text.split(' ').filter(|word| word.chars().any(char::is_alphabetic));
    let drawn = words.clone().filter(is_drawn).count();
    drawn >= 3 && drawn * 2 > words.count()
}

/// Joins the letters of a banner.
fn unspaced(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Joins the lines of a comment: a line that continues the previous sentence follows it, another is set apart. A line that only says again what
/// the one before it says is left out. A word that a hyphen divides at the end of a line is put together where the source has it whole elsewhere.
/// A formula keeps its plus signs, a list does not: it begins the text, or follows a colon or a period. A dash joins two lines, or is left out.
pub fn joined(lines: &[String], words: Option<&SourceWords<'_>>) -> String {
    // An entry of a list may have lines that follow it; an equals sign begins a formula.
    let (mut text, mut may_be_entry, mut in_list) = (String::new(), true, false);
    for (at, line) in lines.iter().enumerate().filter(|(at, line)| *at == 0 || lines[at - 1] != **line) {
        let entry = line.strip_prefix("+ ");
        let line = entry.filter(|_| may_be_entry).unwrap_or(line);
        in_list = (in_list || may_be_entry && entry.is_some()) && !line.contains('=');
        may_be_entry = in_list || line.ends_with([':', '.']);
        if at > 0 && text.ends_with('-') && !text.ends_with(" -") && line.starts_with(char::is_alphabetic) {
            if words.is_some_and(|words| words.divides_word(&text, line)) {
                text.pop();
            }
        } else if !text.is_empty() {
            let goes_on = line.trim_start_matches('/').starts_with(|c: char| c.is_lowercase())
                || text.ends_with(['.', ',', ';', ':']);
            let all_capitals = !line.chars().any(char::is_lowercase);
            text.push_str(if goes_on || all_capitals { " " } else { " / " });
        }
        text.push_str(line);
    }
    let without_dash = text.strip_suffix(" -").map(str::len);
    text.truncate(without_dash.unwrap_or(text.len()));
    text
}

/// The words of a source, comments included, which are read when the first of them is asked for.
#[derive(Debug)]
pub struct SourceWords<'a> {
    source: &'a SourceText,
    words: OnceLock<HashSet<&'a str>>,
}

impl<'a> SourceWords<'a> {
    /// Makes them for a source.
    pub fn of(source: &'a SourceText) -> Self {
        Self { source, words: OnceLock::new() }
    }

    /// Whether the source has elsewhere the word that two ends of lines make without the hyphen between them, and not the one that they make with it.
    fn divides_word(&self, before: &str, line: &str) -> bool {
        let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '#' | '$');
        let first = before.rsplit(is_mark).next().unwrap_or_default().trim_end_matches('-');
        let rest = line.split(is_mark).next().unwrap_or_default();
        let all = || self.source.lines().flat_map(|line| line.text().split(is_mark)).collect();
        let words = self.words.get_or_init(all);
        words.contains(format!("{first}{rest}").as_str()) && !words.contains(format!("{first}-{rest}").as_str())
    }
}

/// Returns the words of a comment line without its frame of stars and dashes.
pub fn words_of(line: &SourceLine<'_>) -> String {
    let whole = line.visible();
    let text = whole.trim_start_matches(['*', '/', '>', ' ']);
    let text = text.trim_matches(|c: char| {
        !c.is_alphanumeric() && !matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '\'' | '"' | '.')
    });
    if text.is_empty() {
        return String::new();
    }
    // What the frame leaves of a sentence keeps its comma or question mark, a divided word its hyphen, a path its first slash.
    let frame = whole.trim_end_matches(['*', ' ']);
    let ends_with = |line: &str, sign: char| line.strip_suffix(sign).is_some_and(|before| before.ends_with(text));
    let is_divided = ends_with(frame, '-') && text.ends_with(char::is_alphanumeric);
    let behind = frame.trim_end_matches(['*', '-', '=', ' ']);
    let asks = |sign: &char| behind.strip_suffix(*sign).is_some_and(|before| before.trim_end().ends_with(text));
    let sign = [',', ';', '?', '!'].into_iter().find(|sign| ends_with(behind, *sign));
    let sign = sign.or_else(|| ['?', '!'].into_iter().find(asks)).or(is_divided.then_some('-')).map(String::from);
    // A formula, or a choice of words, that goes on, what a list follows, and a dash between two sentences.
    let before = whole.find(text).map_or("", |at| &whole[..at]);
    let is_framed = before.trim_end().ends_with('-');
    let goes_on = |sign: &&str| {
        // A label may stand apart from its colon.
        let before = |before: &str| if *sign == ":" { before.trim_end() } else { before }.ends_with(text);
        !(is_framed && *sign == " -") && frame.strip_suffix(*sign).is_some_and(before)
    };
    let sign = sign.or([" +", "+", "/", ":", " -"].into_iter().find(goes_on).map(String::from));
    let first = match before.trim_end().chars().next_back() {
        Some('/') if before.ends_with(" /") => "/",
        Some('&') => "& ",
        // The rest of a formula, or an entry of a list: the lines before it tell them apart.
        Some('+') if before.ends_with(" + ") => "+ ",
        // A statement of a precompiler.
        Some('#') if before.ends_with('#') => "#",
        _ => "",
    };
    // What marks a heading for a tool that reads comments: `@1 POST THE ENTRIES`.
    let heading = text.strip_prefix(|c: char| c.is_ascii_digit()).filter(|rest| rest.starts_with(' '));
    let text = heading.filter(|_| before.ends_with('@')).map_or(text, str::trim_start);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{first}{words}{}", sign.unwrap_or_default())
}

/// Whether a comment is informative: it has a few letters and is not code that was commented out.
pub fn is_telling(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let signs = text.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()).count();
    letters >= 3 && signs <= letters && !is_statement(text) && !is_data_description(text) && !is_banner(text)
}

/// Returns the lines of a comment block that are informative. A line of prose may begin like a statement where both its neighbors are prose; a block
/// that is mostly statements was commented out as a whole.
pub fn telling_lines(block: &[String]) -> Vec<String> {
    let telling: Vec<bool> = block.iter().map(|text| is_telling(text)).collect();
    let statements = block.iter().filter(|text| is_statement(text)).count();
    if statements * 2 > statements + telling.iter().filter(|is_telling| **is_telling).count() {
        return Vec::new();
    }
    let is_inside =
        |at: usize| at > 0 && telling[at - 1] && telling.get(at + 1) == Some(&true) && is_statement(&block[at]);
    let kept = block.iter().enumerate().filter(|(at, _)| telling[*at] || is_inside(*at));
    kept.map(|(_, text)| text.clone()).collect()
}

/// Whether a line is the heading of a change history.
pub fn is_history(text: &str) -> bool {
    let text = text.trim_matches(|c: char| !c.is_alphanumeric()).to_uppercase();
    let text = if is_banner(&text) { unspaced(&text) } else { text };
    let heads = [
        "CHANGE HISTORY", "CHANGES", "CHANGE LOG", "CHANGELOG", "HISTORY", "AMENDMENT", "MODIFICATION",
        "MAINTENANCE LOG", "REVISION", "ALTERACAO", "ALTERACOES", "ALTERAÇÃO", "ALTERAÇÕES", "ULTIMA ALTERACAO",
        "HISTORICO", "HISTÓRICO", "MANUTENCAO", "MANUTENÇÃO", "MODIFICACION", "AENDERUNG", "ÄNDERUNG", "HISTORIQUE",
        "MODIFICHE",
    ];
    // Also where the first word is misspelled: `Maintenence Log`.
    let is_log = text.split(' ').count() == 2 && text.ends_with(" LOG");
    is_log || heads.iter().any(|head| text.starts_with(head))
}

/// Whether a line is an entry of a change log: it begins with a date or the number of a change.
pub(crate) fn is_log_entry(text: &str) -> bool {
    let mut words = text.split(' ');
    let first = words.next().unwrap_or_default();
    let digits = first.chars().filter(char::is_ascii_digit).count();
    // `051414`, `20140512`, `CR2013021100002`
    let is_number = digits == first.len() && matches!(digits, 6 | 8);
    let is_change = digits >= 6 && first.len() - digits <= 3 && first.chars().all(|c| c.is_ascii_alphanumeric());
    // `8/03`
    let is_month = digits >= 3 && first.contains('/') && first.chars().all(|c| c.is_ascii_digit() || c == '/');
    is_date(first)
        || is_month
        || is_number
        || is_change
        || (first.chars().all(char::is_alphabetic) && words.next().is_some_and(is_date) && words.next().is_some())
}

/// Whether a word is a date, which begins a line of a history: `1993-10`, `12/05/98`.
pub fn is_date(word: &str) -> bool {
    let word = word.trim_end_matches([':', ',', ')']);
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let marks = word.chars().filter(|c| matches!(c, '-' | '/' | '.')).count();
    (4..=8).contains(&digits) && (1..=2).contains(&marks) && digits + marks == word.chars().count()
}

/// Whether a line belongs to a copyright or license notice.
pub fn is_notice(text: &str) -> bool {
    static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let search = AhoCorasick::builder().ascii_case_insensitive(true).build(NOTICES);
        search.expect("the words are few")
    });
    SEARCH.is_match(text)
}

/// Splits an upper-case label from the text after its colon or dash: `Function : Post the records`, `OBJETIVO....: Post`.
pub fn label(text: &str) -> Option<(String, &str)> {
    let divided = |sign: char, spaced: &str| text.contains(sign).then(|| text.split_once(spaced)).flatten();
    let (label, rest) = text.split_once(':').or_else(|| divided('-', " - ")).or_else(|| divided('=', " = "))?;
    let label = label.trim().trim_end_matches('.').trim_end();
    let short = label.split_whitespace().count() <= 3 && label.chars().count() <= 24 && !label.is_empty();
    short.then(|| (label.to_uppercase(), rest.trim().trim_start_matches('-').trim()))
}

#[cfg(test)]
mod tests;
