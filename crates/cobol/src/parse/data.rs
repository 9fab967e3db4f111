//! The DATA DIVISION: file descriptions and data items.
//!
//! ```text
//! item = level [ name | "FILLER" ] { clause } "."
//! file = ( "FD" | "SD" ) name { "RECORD" ... | "RECORDING" [ "MODE" ] [ "IS" ] mode | ... } "."
//! ```

use super::Parser;
use super::clauses::{DataClause, OccursCount, begins_clause, item_clause, names_item};
use super::grammar::{Tokens, name, number, one_of, parse_clause, unquoted, word};
use super::layout::{RenamesEntry, StorageShape};
use super::macros::has_macro_sign;
use super::picture::{CurrencySigns, Picture};
use super::screen_fields::screen_clause;
use crate::lex::token::TokenKind;
use crate::model::{BoundaryLevel, DataItem, FileControl, FilePath, OccursTable, TableKey, UNKNOWN_ORGANIZATION};
use crate::named_words::words_in;
use crate::reserved_words;
use crate::stream::Token;
use foldhash::{HashMap, HashMapExt, HashSet};
use nom::combinator::opt;
use nom::sequence::preceded;
use std::cell::OnceCell;
use std::sync::Arc;
use war_rig_text::LineRange;

/// The state that earlier data entries leave for the next ones.
#[derive(Debug, Default)]
pub(super) struct DataDivisionState {
    /// The groups that the next item can belong to, outermost first: level and index.
    open: Vec<(u8, usize)>,
    /// The file of the last FD or SD.
    file: Option<usize>,
    in_fragment: bool,
    /// The last requested section name.
    section: Option<(usize, Arc<str>)>,
    /// The first item of the program.
    first: usize,
    /// Whether a copybook is missing after the last item.
    gap: bool,
    /// The storage shape of each item of the source.
    pub(super) shapes: Vec<StorageShape>,
    pub(super) renames: Vec<RenamesEntry>,
    /// The whole numbers that names represent: level 78 and CONSTANT.
    constants: HashMap<String, u64>,
    pub(super) currency: CurrencySigns,
    /// The names of items that look like macros.
    pub(super) marked_names: HashSet<String>,
    /// The labels that look like macros and are performed.
    pub(super) marked_labels: OnceCell<HashSet<String>>,
    texts: TextInterner,
}

/// Texts that many items share, each stored once: pictures, and values such as ZERO.
#[derive(Debug, Default)]
struct TextInterner(HashSet<Arc<str>>);

impl TextInterner {
    fn share(&mut self, text: &str) -> Arc<str> {
        if text.len() > LONGEST_SHARED {
            return text.into();
        }
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.0.insert(Arc::clone(&new));
        new
    }
}

/// Longer texts rarely repeat.
const LONGEST_SHARED: usize = 20;

impl DataDivisionState {
    pub(super) fn begin_program(&mut self, first: usize) {
        self.first = first;
        self.in_fragment = false;
        self.begin_division();
    }

    pub(super) fn begin_division(&mut self) {
        self.open.clear();
        self.file = None;
        self.gap = false;
    }

    /// Returns whether a fragment that has contained data items so far continues with this token.
    pub(super) fn in_entry_of_fragment(&self, token: &Token<'_>) -> bool {
        self.in_fragment && matches!(token.kind, TokenKind::Symbol | TokenKind::MissingCopy)
    }

    /// Returns the maximum number of occurrences of an item, if known.
    fn count(&self, count: &OccursCount) -> Option<u32> {
        match count {
            OccursCount::Number(number) => Some(*number),
            OccursCount::Constant(name) => self.constants.get(name).and_then(|number| u32::try_from(*number).ok()),
            OccursCount::Unbounded => None,
        }
    }
}

/// Returns the level in a token, if it is one.
pub(super) fn parse_level(token: &Token<'_>) -> Option<u8> {
    (token.kind == TokenKind::Word && token.text.len() <= 2)
        .then(|| token.text.parse().ok())
        .flatten()
        .filter(|level| matches!(level, 1..=49 | 66 | 77 | 78 | 88))
}

/// Sections whose items have a position on paper or on a screen.
const ON_PAPER: &[&str] = &["REPORT", "SCREEN"];

/// Words after which a number is not a level.
const BEFORE_NUMBER: &[&str] = &[
    "ARE", "BY", "COL", "COLOR", "COLUMN", "CONTAINS", "FROM", "IS", "LINE", "LINES", "NUMBER", "OCCURS", "PLUS",
    "SIZE", "THROUGH", "THRU", "TO", "VALUE", "VALUES", "BACKGROUND-COLOR", "FOREGROUND-COLOR",
];

/// Words that begin a clause only in those sections.
pub(super) const PAPER_CLAUSES: &[&str] = &[
    "AUTO", "BACKGROUND-COLOR", "BELL", "BLINK", "COL", "COLUMN", "CONTROL", "ERASE", "FOREGROUND-COLOR", "FROM",
    "FULL", "HIGHLIGHT", "LINE", "LINES", "NEXT", "PRESENT", "REQUIRED", "REVERSE-VIDEO", "SECURE", "SOURCE", "SUM",
    "TO", "TYPE", "UNDERLINE", "USING",
];

impl<'t, 's> Parser<'t, 's> {
    pub(super) fn data_entry(&mut self) {
        if self.plain_section() {
            self.data.begin_division();
            return;
        }
        let Some(first) = self.peek(0) else { return };
        if first.kind == TokenKind::Exec {
            self.marks.mark(&first, BoundaryLevel::Paragraph);
            self.exec_block(first, None);
            self.at += 1;
        } else if first.is_any(&["FD", "SD", "RD", "CD"]) {
            self.file_description(first);
        } else if let Some(level) = parse_level(&first) {
            self.data_item(first, level);
        } else {
            let is_missing = first.kind == TokenKind::MissingCopy;
            self.data.gap |= is_missing;
            if let Some(file) = self.data.file.filter(|_| is_missing)
                && let Some(found) = self.passed_copies.checked_sub(1).and_then(|last| self.stream.copies.get(last))
            {
                self.out.files[file].missing_copybooks.push(found.copy.name.clone());
            }
            self.at += 1;
        }
    }

    /// Returns the tokens of an entry, up to its period; an entry without one ends before the next level that begins a line.
    fn entry(&mut self) -> Tokens<'t, 's> {
        let start = self.at;
        // A record follows a file, report or queue; any other number belongs to a clause.
        let describes_file = self.peek(0).is_some_and(|first| parse_level(&first).is_none());
        self.at += 1;
        while let Some(token) = self.peek(0) {
            if matches!(token.kind, TokenKind::Period | TokenKind::Exec | TokenKind::MissingCopy)
                || self.is_header(self.at)
                || self.begins_section(&token)
                || self.begins_entry(&token, describes_file)
            {
                break;
            }
            self.at += 1;
        }
        let entry = self.tokens.slice(start..self.at);
        self.skip_period();
        entry
    }

    /// Returns whether a section header is at the cursor although the entry before it has no period, as after an unclosed
    /// literal.
    fn begins_section(&self, token: &Token<'s>) -> bool {
        token.first
            && reserved_words::division_of_section(token.text).is_some()
            && self.peek(1).is_some_and(|next| next.is("SECTION"))
            && self.peek(2).is_some_and(|next| next.kind == TokenKind::Period)
    }

    /// Returns whether a level is at the cursor although the entry before it has no period. A number in a list of values may be at the
    /// position of a level; only a level is followed by a name, which has at least one letter.
    fn begins_entry(&self, token: &Token<'s>, describes_file: bool) -> bool {
        let Some(before) = self.tokens.before(self.at) else { return false };
        let is_level = match describes_file {
            true => token.text == "01",
            false => parse_level(token).is_some() && !before.is_any(BEFORE_NUMBER) && before.kind != TokenKind::Literal,
        };
        is_level
            && token.first
            && self.peek(1).is_some_and(|next| {
                next.kind == TokenKind::Word
                    && next.text.bytes().any(|byte| byte.is_ascii_alphabetic())
                    && !next.is_any(&["THRU", "THROUGH", "TIMES", "TO"])
            })
    }

    /// Returns the name of the current section, which all its items share.
    fn section_name(&mut self) -> Option<Arc<str>> {
        let section = self.place.section?;
        match &self.data.section {
            Some((known, name)) if *known == section => Some(Arc::clone(name)),
            _ => {
                let name: Arc<str> = self.out.sections[section].name.as_str().into();
                self.data.section = Some((section, Arc::clone(&name)));
                Some(name)
            }
        }
    }

    fn file_description(&mut self, first: Token<'s>) {
        self.marks.mark(&first, BoundaryLevel::Paragraph);
        let entry = self.entry();
        self.data.begin_division();
        let Some(file_name) = entry.get(1).map(Token::upper) else { return };
        self.note_names(entry.from(2));
        let program = self.place.program;
        let out = &mut self.out;
        let file = *self.files.entry((program, file_name)).or_insert_with_key(|(_, name)| {
            out.files.push(FileControl {
                name: name.clone(),
                organization: UNKNOWN_ORGANIZATION.to_owned(),
                program,
                ..FileControl::default()
            });
            out.files.len() - 1
        });
        let file_entry = &mut self.out.files[file];
        file_entry.sort |= first.is("SD");
        for at in 2..entry.len() {
            let is = || opt(one_of(&["IS", "ARE"]));
            let mode = preceded((word("RECORDING"), opt(word("MODE")), is()), name);
            if let Some((mode, _)) = parse_clause(mode, entry.from(at)) {
                file_entry.recording_mode = Some(mode.upper());
            }
            let varying = (is(), word("VARYING"), opt(word("IN")), opt(word("SIZE")));
            let size = (
                word("RECORD"),
                opt(varying),
                opt(word("CONTAINS")),
                opt(word("FROM")),
                opt((number, word("TO"))),
                opt(word("TO")),
                number,
            );
            if let Some(((_, varying, .., length), _)) = parse_clause(size, entry.from(at)) {
                file_entry.record_length = Some(length.into());
                file_entry.varies = varying.is_some();
            }
            let length = preceded((word("DEPENDING"), opt(word("ON"))), name);
            if let Some((item, _)) = parse_clause(length, entry.from(at)) {
                file_entry.length_item = Some(item.upper());
            }
        }
        self.data.file = Some(file);
    }

    fn data_item(&mut self, first: Token<'s>, level: u8) {
        self.marks.mark(
            &first,
            if matches!(level, 1 | 77 | 78) { BoundaryLevel::Paragraph } else { BoundaryLevel::Sentence },
        );
        let entry = self.entry();
        self.data.in_fragment |= self.place.division.is_none();
        self.sentences.all += 1;
        let section = self.section_name();
        let on_paper = section.as_deref().is_some_and(|section| ON_PAPER.contains(&section));
        let on_screen = section.as_deref() == Some("SCREEN");
        let last = entry.last().filter(|last| last.file == first.file).map_or(first.end_line, |last| last.end_line);
        let named = entry.get(1).filter(|t| names_item(t) && !(on_paper && t.is_any(PAPER_CLAUSES)));
        let mut item = DataItem {
            name: named.map_or_else(|| "FILLER".to_owned(), Token::upper),
            level,
            lines: Some(LineRange::spanning(first.line, last)),
            line: Some(named.filter(|named| named.file == first.file).unwrap_or(&first).line),
            section,
            program: self.place.program,
            file: self.stream.file_name(first.file),
            ..DataItem::default()
        };
        let mut shape = StorageShape { on_paper, ..StorageShape::default() };
        let mut at = if named.is_some() { 2 } else { 1 };
        self.note_names(entry.from(at));
        if let Some(value) = constant(entry.from(at)) {
            item.attributes.constant = true;
            item.value = Some(self.data.texts.share(&value));
        } else {
            while at < entry.len() {
                if let Some((found, taken)) = parse_clause(item_clause, entry.from(at)) {
                    self.apply(&mut item, &mut shape, found);
                    at += taken.max(1);
                } else if let Some((found, taken)) = parse_clause(screen_clause, entry.from(at)).filter(|_| on_screen) {
                    found.apply(item.screen.get_or_insert_default());
                    self.out.has_screens = true;
                    at += taken.max(1);
                } else {
                    at += 1;
                }
            }
        }
        self.place_item(item, shape);
    }

    /// Notes the words of an entry that may be names of data: all but numbers and those that begin a clause. A picture may have the name of a
    /// constant in it.
    pub(super) fn note_names(&mut self, entry: Tokens<'t, 's>) {
        let Some(first) = entry.get(0) else { return };
        let names = entry.iter().filter(|token| match token.kind {
            TokenKind::Word => !begins_clause(token) && token.text.bytes().any(|byte| byte.is_ascii_alphabetic()),
            TokenKind::Picture => token.text.contains('('),
            _ => false,
        });
        let noted = self.out.named_in_declarations.entry(self.stream.file_name(first.file)).or_default();
        for name in names.flat_map(|token| words_in(token.text)) {
            noted.insert(name.to_uppercase());
        }
    }

    fn apply(&mut self, item: &mut DataItem, shape: &mut StorageShape, clause: DataClause) {
        match clause {
            DataClause::Picture(picture) => {
                let constant = |name: &str| self.data.constants.get(&name.to_uppercase()).copied();
                shape.picture = Picture::read(&picture, &self.data.currency, constant);
                item.picture = Some(self.data.texts.share(&picture));
            }
            DataClause::Usage(usage) => item.usage = Some(usage),
            DataClause::NationalGroup => shape.national_group = true,
            DataClause::Redefines(of) => item.redefines = Some(of.into()),
            DataClause::Renames(first, last) => {
                item.redefines = first.first().map(|first| first.as_str().into());
                item.renames_through = last.as_ref().and_then(|last| last.first()).map(|last| last.as_str().into());
                if item.level == 66 {
                    self.data.renames.push(RenamesEntry { item: self.out.data_items.len(), first, last });
                }
            }
            DataClause::Occurs(fewest, most, depending_on) => {
                item.occurs = self.data.count(&most);
                shape.unknown_count = item.occurs.is_none();
                item.depending_on = depending_on.map(Into::into);
                let fewest = self.data.count(&fewest).or(item.occurs).unwrap_or_default();
                table(item).min_occurs = fewest;
            }
            DataClause::Keys(is_ascending, names) => {
                let keys = names.into_iter().map(|name| TableKey { is_ascending, name });
                table(item).keys.extend(keys);
            }
            DataClause::Indexes(names) => table(item).indexed_by.extend(names),
            DataClause::Value(value) => item.value = Some(self.data.texts.share(&value)),
            DataClause::FalseValue(value) => item.false_value = Some(self.data.texts.share(&value)),
            DataClause::Sign(sign) => shape.sign = Some(sign),
            DataClause::Synchronized => shape.synchronized = true,
            DataClause::Justified => item.attributes.justified = true,
            DataClause::BlankWhenZero => item.attributes.blank_when_zero = true,
            DataClause::External => item.attributes.external = true,
            DataClause::Global => item.attributes.global = true,
            DataClause::AnyLength => item.attributes.any_length = true,
            DataClause::Based => item.attributes.based = true,
            DataClause::Typedef => item.attributes.typedef = true,
            DataClause::Unsigned => item.attributes.unsigned = true,
        }
    }

    /// Adds an item to its group.
    fn place_item(&mut self, mut item: DataItem, mut shape: StorageShape) {
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
                // In a copybook, a part of a record may have no group.
                let is_part = item.parent.is_some() || (item.program.is_none() && (2..=49).contains(&level));
                shape.behind_gap = std::mem::take(&mut self.data.gap) && is_part;
            }
        }
        if (item.level == 78 || item.attributes.constant)
            && let Some(number) = item.value.as_deref().and_then(|value| value.parse().ok())
        {
            self.data.constants.insert(item.name.clone(), number);
        }
        if has_macro_sign(&item.name) {
            self.data.marked_names.insert(item.name.clone());
        }
        self.out.data_items.push(item);
        self.data.shapes.push(shape);
    }
}

/// Returns the table of an item, creating it with the first OCCURS clause.
fn table(item: &mut DataItem) -> &mut OccursTable {
    item.table.get_or_insert_default()
}

/// Returns the value of `CONSTANT [ "IS" "GLOBAL" ] [ "AS" ] value`.
fn constant(tokens: Tokens<'_, '_>) -> Option<String> {
    let head = (word("CONSTANT"), opt(one_of(&["IS"])), opt(word("GLOBAL")), opt(one_of(&["AS", "FROM"])));
    let (_, taken) = parse_clause(head, tokens)?;
    let words: Vec<&str> = tokens.from(taken).iter().map(|token| token.text).collect();
    Some(words.join(" "))
}

/// Sets the length of the longest record of each file in bytes, if an 01 level determines it.
pub(super) fn set_record_lengths(files: &mut [FileControl], items: &[DataItem]) {
    let mut lengths: HashMap<(Option<usize>, &str), u64> = HashMap::new();
    for item in items.iter().filter(|item| item.level == 1 && item.section.as_deref() == Some("FILE")) {
        if let Some(length) = item.length {
            let longest = lengths.entry((item.program, item.name.as_str())).or_default();
            *longest = length.max(*longest);
        }
    }
    for file in files {
        let own = file.records.iter().filter_map(|record| lengths.get(&(file.program, record.as_str())));
        let clause = file.record_length;
        let longest = own.max().copied();
        file.record_length = if file.varies { longest.max(clause) } else { longest.or(clause) };
    }
}

/// Keeps the item behind ASSIGN as the path of a file only where the program declares it outside the file's own records: else the word is an
/// external name.
pub(super) fn keep_declared_paths(files: &mut [FileControl], items: &[DataItem]) {
    let declared: HashSet<(Option<usize>, &str)> = items
        .iter()
        .filter(|item| item.section.as_deref() != Some("FILE") && !matches!(item.level, 66 | 78 | 88))
        .map(|item| (item.program, item.name.as_str()))
        .collect();
    for file in files {
        let assign = file.assign.as_deref().unwrap_or_default();
        file.path = file.path.filter(|path| *path == FilePath::Literal || declared.contains(&(file.program, assign)));
    }
}

/// Returns the literal in an item's VALUE, without quotes and trailing blanks, in upper case.
pub(super) fn literal_value(item: &DataItem) -> Option<String> {
    let value = item.value.as_deref().filter(|value| value.starts_with(['\'', '"']) && item.level != 88)?;
    Some(unquoted(value).trim().to_uppercase())
}
