//! The DATA DIVISION: file descriptions and data items.
//!
//! ```text
//! item   = level [ name | "FILLER" ] { clause } "."
//! clause = "PIC" [ "IS" ] picture | [ "USAGE" [ "IS" ] ] usage | "REDEFINES" name | "OCCURS" [ n "TO" ] n [ "TIMES" ]
//!          [ "DEPENDING" [ "ON" ] name ] | "VALUE" [ "IS" ] { literal } | "SIGN" ... "SEPARATE" | "RENAMES" name [ "THRU" name ]
//! ```
//! Clauses come in any order; a word that begins none is passed over.

use super::Parser;
use super::grammar::{Read, Tokens, clause, name, number, one_of, token, unquoted, word};
use crate::lex::token::TokenKind;
use crate::model::{DataItem, FileControl, Seam};
use crate::stream::Token;
use nom::Parser as _;
use nom::branch::alt;
use nom::combinator::opt;
use nom::sequence::preceded;
use war_rig_text::LineRange;

/// What the data entries before this one leave open.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The groups that the next item can belong to, outermost first: level and index.
    open: Vec<(u8, usize)>,
    /// The file whose FD or SD was read last.
    file: Option<usize>,
    in_fragment: bool,
    /// The first item of the program.
    first: usize,
}

impl State {
    pub(super) fn begin_program(&mut self, first: usize) {
        *self = Self { first, ..Self::default() };
    }

    pub(super) fn begin_division(&mut self) {
        self.open.clear();
        self.file = None;
    }

    /// Whether a fragment that has held data items so far goes on with this token.
    pub(super) fn in_entry_of_fragment(&self, token: &Token<'_>) -> bool {
        self.in_fragment && token.kind == TokenKind::Symbol
    }
}

/// The level that a token is, if it is one.
pub(super) fn level(token: &Token<'_>) -> Option<u8> {
    (token.kind == TokenKind::Word && token.text.len() <= 2)
        .then(|| token.text.parse().ok())
        .flatten()
        .filter(|level| matches!(level, 1..=49 | 66 | 77 | 78 | 88))
}

/// Words that begin a clause, and so end a list of values.
const CLAUSES: &[&str] = &[
    "COMPUTATIONAL-1",
    "COMPUTATIONAL-2",
    "COMPUTATIONAL-4",
    "COMPUTATIONAL-5",
    "DISPLAY-1",
    "FUNCTION-POINTER",
    "LEADING",
    "NATIONAL",
    "PROCEDURE-POINTER",
    "TRAILING",
    "PIC",
    "PICTURE",
    "USAGE",
    "REDEFINES",
    "OCCURS",
    "SIGN",
    "SYNC",
    "SYNCHRONIZED",
    "JUST",
    "JUSTIFIED",
    "BLANK",
    "EXTERNAL",
    "GLOBAL",
    "INDEXED",
    "ASCENDING",
    "DESCENDING",
    "DEPENDING",
    "RENAMES",
    "COMP",
    "COMP-1",
    "COMP-2",
    "COMP-3",
    "COMP-4",
    "COMP-5",
    "COMPUTATIONAL",
    "COMPUTATIONAL-3",
    "BINARY",
    "PACKED-DECIMAL",
    "DISPLAY",
    "POINTER",
    "INDEX",
];

impl<'t, 's> Parser<'t, 's> {
    pub(super) fn data_entry(&mut self) {
        if self.plain_section() {
            self.data.begin_division();
            return;
        }
        let Some(first) = self.peek(0) else { return };
        if first.kind == TokenKind::Exec {
            self.marks.mark(&first, Seam::Paragraph);
            self.exec_block(first, None);
            self.at += 1;
        } else if first.is_any(&["FD", "SD", "RD", "CD"]) {
            self.file_description(first);
        } else if let Some(level) = level(&first) {
            self.data_item(first, level);
        } else {
            self.at += 1;
        }
    }

    /// The tokens of an entry, to its period; an entry without one ends before the next level that opens a line.
    fn entry(&mut self) -> &'t [Token<'s>] {
        let start = self.at;
        self.at += 1;
        while let Some(token) = self.peek(0) {
            let entry_begins = token.first
                && level(&token).is_some()
                && self.peek(1).is_some_and(|t| t.kind == TokenKind::Word)
                && !self.tokens[self.at - 1]
                    .is_any(&["VALUE", "VALUES", "IS", "ARE", "THRU", "THROUGH", "OCCURS", "TO", "CONTAINS"])
                && self.tokens[self.at - 1].kind != TokenKind::Literal;
            if token.kind == TokenKind::Period
                || token.kind == TokenKind::Exec
                || self.is_header(self.at)
                || entry_begins
                || token.kind == TokenKind::MissingCopy
            {
                break;
            }
            self.at += 1;
        }
        let entry = &self.tokens[start..self.at];
        self.skip_period();
        entry
    }

    fn file_description(&mut self, first: Token<'s>) {
        self.marks.mark(&first, Seam::Paragraph);
        let entry = self.entry();
        self.data.open.clear();
        let Some(file_name) = entry.get(1).map(Token::upper) else { return };
        let program = self.place.program;
        let known = self.out.files.iter().position(|file| file.name == file_name && file.program == program);
        let file = known.unwrap_or_else(|| {
            self.out.files.push(FileControl {
                name: file_name,
                organization: "SEQUENTIAL".to_owned(),
                program,
                ..FileControl::default()
            });
            self.out.files.len() - 1
        });
        self.out.files[file].sort |= first.is("SD");
        self.data.file = Some(file);
    }

    fn data_item(&mut self, first: Token<'s>, level: u8) {
        self.marks.mark(&first, if matches!(level, 1 | 77 | 78) { Seam::Paragraph } else { Seam::Sentence });
        let entry = self.entry();
        self.data.in_fragment |= self.place.division.is_none();
        self.sentences.all += 1;
        let section = self.place.section.map(|section| self.out.sections[section].name.clone());
        let last =
            entry.last().filter(|last| last.file == first.file).map_or(first.end_line, |last| last.end_line);
        let mut item = DataItem {
            name: "FILLER".to_owned(),
            level,
            lines: Some(LineRange::spanning(first.line, last)),
            section,
            program: self.place.program,
            file: self.stream.file_name(first.file),
            ..DataItem::default()
        };
        let mut at = 1;
        if let Some(named) = entry
            .get(1)
            .filter(|t| t.kind == TokenKind::Word && !t.is_any(CLAUSES) && !t.is_any(&["VALUE", "VALUES"]))
        {
            item.name = named.upper();
            at = 2;
        }
        while at < entry.len() {
            match clause(item_clause, &entry[at..]) {
                Some((found, taken)) => {
                    apply(&mut item, found);
                    at += taken;
                }
                None => at += 1,
            }
        }
        self.place_item(item);
    }

    /// Puts an item under the group it belongs to.
    fn place_item(&mut self, mut item: DataItem) {
        let index = self.out.data_items.len();
        match item.level {
            88 => {
                let before = index.checked_sub(1).filter(|before| *before >= self.data.first);
                item.parent = before.and_then(|before| match self.out.data_items[before].level {
                    88 => self.out.data_items[before].parent,
                    _ => Some(before),
                })
            }
            66 => item.parent = self.data.open.first().map(|(_, group)| *group),
            level => {
                if matches!(level, 1 | 77 | 78) {
                    self.data.open.clear();
                    if let Some(file) = self.data.file.filter(|_| level == 1) {
                        self.out.files[file].records.push(item.name.clone());
                    }
                }
                self.data.open.retain(|(open, _)| *open < level);
                item.parent = self.data.open.last().map(|(_, group)| *group);
                self.data.open.push((level, index));
            }
        }
        if let Some(value) =
            item.value.as_deref().filter(|value| value.starts_with(['\'', '"']) && item.level != 88)
            && let Some(lines) = item.lines.filter(|_| item.file.is_none())
        {
            self.moved
                .entry((item.program, item.name.clone()))
                .or_default()
                .push((unquoted(value).trim().to_uppercase(), lines.start()));
        }
        self.out.data_items.push(item);
    }
}

enum Clause {
    Picture(String),
    Usage(&'static str),
    Redefines(String),
    Occurs(u32, Option<String>),
    Value(String),
    SignSeparate,
    Renames(String),
}

fn item_clause<'t, 's: 't>(input: Tokens<'t, 's>) -> Read<'t, 's, Clause> {
    let is = || opt(one_of(&["IS", "ARE"]));
    alt((
        preceded((one_of(&["PIC", "PICTURE"]), is()), token(|t| t.kind == TokenKind::Picture))
            .map(|t| Clause::Picture(t.upper())),
        preceded(opt((word("USAGE"), is())), usage).map(Clause::Usage),
        preceded(word("REDEFINES"), name).map(|t| Clause::Redefines(t.upper())),
        occurs,
        preceded((one_of(&["VALUE", "VALUES"]), is()), values).map(Clause::Value),
        (opt((word("SIGN"), is())), one_of(&["LEADING", "TRAILING"]), word("SEPARATE"))
            .map(|_| Clause::SignSeparate),
        preceded(word("RENAMES"), name).map(|t| Clause::Renames(t.upper())),
    ))
    .parse(input)
}

fn usage<'t, 's: 't>(input: Tokens<'t, 's>) -> Read<'t, 's, &'static str> {
    let known = |words: &'static [&'static str], usage: &'static str| one_of(words).map(move |_| usage);
    alt((
        known(&["COMP-3", "COMPUTATIONAL-3", "PACKED-DECIMAL"], "COMP-3"),
        known(&["COMP", "COMPUTATIONAL", "COMP-4", "COMPUTATIONAL-4", "BINARY"], "COMP"),
        known(&["COMP-5", "COMPUTATIONAL-5"], "COMP-5"),
        known(&["COMP-1", "COMPUTATIONAL-1"], "COMP-1"),
        known(&["COMP-2", "COMPUTATIONAL-2"], "COMP-2"),
        known(&["DISPLAY"], "DISPLAY"),
        known(&["NATIONAL"], "NATIONAL"),
        known(&["DISPLAY-1"], "DISPLAY-1"),
        known(&["INDEX"], "INDEX"),
        known(&["POINTER", "PROCEDURE-POINTER", "FUNCTION-POINTER"], "POINTER"),
    ))
    .parse(input)
}

fn occurs<'t, 's: 't>(input: Tokens<'t, 's>) -> Read<'t, 's, Clause> {
    let (rest, first) = preceded(word("OCCURS"), number).parse(input)?;
    let (rest, most) = opt(preceded(word("TO"), number)).parse(rest)?;
    let (rest, _) = opt(word("TIMES")).parse(rest)?;
    let (rest, depending) = opt(preceded((word("DEPENDING"), opt(word("ON"))), name)).parse(rest)?;
    Ok((rest, Clause::Occurs(most.unwrap_or(first), depending.map(|t| t.upper()))))
}

/// The literals of a VALUE clause as written.
fn values<'t, 's: 't>(input: Tokens<'t, 's>) -> Read<'t, 's, String> {
    let end = input
        .0
        .iter()
        .position(|t| t.is_any(CLAUSES) || t.kind == TokenKind::Picture)
        .unwrap_or(input.0.len());
    let mut text = String::new();
    for token in &input.0[..end] {
        // A sign belongs to the number behind it.
        if !text.is_empty() && !text.ends_with(['-', '+']) {
            text.push(' ');
        }
        text.push_str(token.text);
    }
    Ok((Tokens(&input.0[end..]), text))
}

fn apply(item: &mut DataItem, clause: Clause) {
    match clause {
        Clause::Picture(picture) => item.picture = Some(picture),
        Clause::Usage(usage) => item.usage = Some(usage.to_owned()),
        Clause::Redefines(of) | Clause::Renames(of) => item.redefines = Some(of),
        Clause::Occurs(times, depending_on) => {
            item.occurs = Some(times);
            item.depending_on = depending_on;
        }
        Clause::Value(value) => item.value = Some(value),
        Clause::SignSeparate => item.sign_separate = true,
    }
}
