//! The parser's results for one source.
//!
//! Names are upper case. Lines are one-based and inclusive. `file` is the name of the copybook that contains an element; its lines are
//! lines of that copybook.

mod calls;
mod data;
mod exec;

pub use calls::{CallKind, ProgramCall};
pub(crate) use data::UNKNOWN_ORGANIZATION;
pub use data::{
    DELETES_FILE, DataAttributes, DataItem, FileControl, FilePath, FileUse, OccursTable, ScreenField, SignPosition,
    TableKey,
};
pub use exec::{ExecBlock, ExecKind};

use crate::code::{CodeText, WordSlice, WordSpan};
use crate::diagnostic::Diagnostic;
use crate::operands::{Operand, OperandSpan};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet};
use serde::{Serialize, Serializer};
use std::ops::Range;
use war_rig_text::{LineNumber, LineRange, line_and_end};

/// The size of an address in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PointerSize {
    /// 31-bit and 32-bit addressing.
    #[default]
    Four,
    /// 64-bit addressing.
    Eight,
}

impl PointerSize {
    /// Returns the number of bytes.
    pub fn get(self) -> u64 {
        match self {
            PointerSize::Four => 4,
            PointerSize::Eight => 8,
        }
    }
}

/// Settings that a source does not state itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ParseOptions {
    /// The size of a POINTER in bytes; the offsets of later items depend on it.
    pub pointer_bytes: PointerSize,
}

/// Everything the parser found in one source, in source order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedCobol {
    /// Whether DECIMAL-POINT IS COMMA: a comma stands before the decimals of numbers and pictures.
    pub has_decimal_comma: bool,
    /// Whether a field of the SCREEN SECTION shows or takes something.
    pub(crate) has_screens: bool,
    /// The items that SPECIAL-NAMES hands to the run-time system, which sets them (CRT STATUS, CURSOR), each with the index of its program.
    pub set_by_system: Vec<(Option<usize>, String)>,
    /// The words of entries of the ENVIRONMENT and DATA DIVISIONs that may be names, in upper case, without those that the entries declare, by the
    /// copybook that contains them; none for the file itself.
    pub(crate) named_in_declarations: HashMap<Option<String>, HashSet<String>>,
    /// The programs; nested programs follow the ones that contain them.
    pub programs: Vec<Program>,
    /// The divisions.
    pub divisions: Vec<Division>,
    /// The sections of all divisions.
    pub sections: Vec<Section>,
    /// The paragraphs of PROCEDURE DIVISIONs; statements without a label form paragraphs without a label.
    pub paragraphs: Vec<Paragraph>,
    /// COPY, `EXEC SQL INCLUDE` and librarians' includes.
    pub copies: Vec<CopybookReference>,
    /// CALL, `EXEC CICS LINK` and `XCTL`.
    pub calls: Vec<ProgramCall>,
    /// The statements that refer to a label: PERFORM, GO TO, SORT procedures, ALTER, HANDLE.
    pub references: Vec<LabelReference>,
    /// The statements.
    pub statements: Vec<Statement>,
    /// The conditions under which statements run: IF, ELSE, WHEN, AT END and similar phrases.
    pub branches: Vec<Branch>,
    /// EXEC blocks.
    pub execs: Vec<ExecBlock>,
    /// The files of FILE-CONTROL, with the details from their FDs.
    pub files: Vec<FileControl>,
    /// The file operations of statements: OPEN, READ, WRITE and so on.
    pub file_uses: Vec<FileUse>,
    /// Those of statements in copybooks.
    pub copied_file_uses: Vec<FileUse>,
    /// The data items of all DATA DIVISIONs, copybooks expanded.
    pub data_items: Vec<DataItem>,
    /// Errors and other findings.
    pub diagnostics: Vec<Diagnostic>,
    /// For each line of the file, the strength of the COBOL boundary before it.
    pub boundaries: Vec<BoundaryLevel>,
    /// The words of the statements and conditions.
    pub(crate) code: CodeText,
    /// The operands of the statements, followed by those of the branches.
    pub(crate) operands: Vec<OperandSpan>,
}

/// One compilation unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The name in PROGRAM-ID, or else that of its file.
    pub name: String,
    /// Whether PROGRAM-ID names it.
    pub is_named: bool,
    /// All lines of the unit.
    pub lines: LineRange,
    /// The index of the program that contains this one.
    pub nested_in: Option<usize>,
    /// The names after PROCEDURE DIVISION USING.
    pub parameters: Vec<String>,
    /// The lines of the PROCEDURE DIVISION header with its USING phrase.
    pub entry_lines: Option<LineRange>,
    /// The names of its ENTRY statements.
    pub entries: Vec<String>,
    /// The number of paragraphs before END DECLARATIVES: execution begins after them. None without DECLARATIVES.
    pub after_declaratives: Option<usize>,
    /// The macro that ends it, if no statement of the language does.
    pub ending_macro: Option<String>,
    /// Whether it is a program, which others CALL; functions, classes and methods are invoked in other ways.
    pub is_called: bool,
    /// Whether it is INITIAL: its items have their VALUEs at each call.
    pub is_initial: bool,
    /// Whether it is RECURSIVE: it may be called again while it runs.
    pub is_recursive: bool,
}

/// How a program meets its users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserContact {
    /// It does not, as far as the source shows.
    None,
    /// By ACCEPT from a screen.
    Screen,
    /// By CICS.
    Cics,
}

impl UserContact {
    /// Returns the contact of a program that has, or has not, CICS commands.
    pub fn of(parsed: &ParsedCobol, program: usize, is_cics: bool) -> Self {
        match is_cics {
            true => UserContact::Cics,
            false if parsed.accepts_screens(program) => UserContact::Screen,
            false => UserContact::None,
        }
    }
}

/// The name by which IMS enters a COBOL program. It names no program.
pub const IMS_ENTRY: &str = "DLITCBL";

impl Program {
    /// Returns how it is run, as far as the source shows it. Parameters come from a caller or from the PARM of a job step: the program alone does not
    /// show which. IMS enters programs by [`IMS_ENTRY`], for messages as for batch.
    pub fn environment(&self, user: UserContact) -> &'static str {
        if user == UserContact::Cics {
            "online (CICS)"
        } else if self.entries.iter().any(|entry| entry.eq_ignore_ascii_case(IMS_ENTRY)) {
            "IMS"
        } else if self.parameters.is_empty() {
            if user == UserContact::Screen { "interactive" } else { "batch" }
        } else {
            "batch or called"
        }
    }
}

/// A division.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Division {
    /// `IDENTIFICATION`, `ENVIRONMENT`, `DATA` or `PROCEDURE`.
    pub name: &'static str,
    /// From its header to the line before the next division or the end of its program.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The index of its program; none in a fragment.
    #[serde(skip)]
    pub program: Option<usize>,
    /// The copybook that contains its header.
    #[serde(skip)]
    pub file: Option<String>,
}

/// A section of any division.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// The section's name.
    pub name: String,
    /// From its header to the line before the next section or division.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The division's name.
    pub division: &'static str,
    /// The index of its program; none in a fragment.
    #[serde(skip)]
    pub program: Option<usize>,
    /// The copybook that contains it.
    #[serde(skip)]
    pub file: Option<String>,
}

/// What begins a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParagraphHead {
    /// Its own label.
    Label,
    /// The header of its section: statements before its first label.
    Section,
    /// The header of the PROCEDURE DIVISION: the main line, statements before the first label and section.
    Division,
    /// An ENTRY statement among statements that have no label.
    Entry,
}

/// A paragraph. Program, section, name and line together identify it: names may repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paragraph {
    /// What begins it.
    pub head: ParagraphHead,
    /// Its label. Without a label: the name of its section or entry, or [`MAIN_LINE`] if it has neither.
    pub name: String,
    /// From its header to the line before the next header, or before that header's comment banner.
    pub lines: LineRange,
    /// The index of its section.
    pub section: Option<usize>,
    /// The index of its program; none in a fragment.
    pub program: Option<usize>,
    /// The copybook that contains it.
    pub file: Option<String>,
}

/// The name of a main line.
pub const MAIN_LINE: &str = "PROCEDURE DIVISION";

impl Paragraph {
    /// Returns whether it has a label, so that PERFORM and GO TO can name it.
    pub fn has_label(&self) -> bool {
        self.head == ParagraphHead::Label
    }
}

impl ParsedCobol {
    /// Returns whether a copybook is missing in a division of this name, so that the division may contain more than is seen.
    pub fn is_copybook_missing(&self, division: &str) -> bool {
        let missing: Vec<_> =
            self.copies.iter().filter(|copy| copy.resolved.is_none() && copy.file.is_none()).collect();
        let mut of = self.divisions.iter().filter(|found| found.name == division && found.file.is_none());
        of.any(|found| missing.iter().any(|copy| found.lines.covers(copy.lines)))
    }

    /// Returns the words of a statement, from its verb to the first nested statement.
    pub fn words(&self, statement: &Statement) -> WordSlice<'_> {
        self.code.of(statement.words)
    }

    /// Returns the words of all statements and conditions.
    pub fn all_words(&self) -> WordSlice<'_> {
        self.code.words()
    }

    /// Returns the words of a statement after its verb.
    pub fn words_after_verb(&self, statement: &Statement) -> WordSlice<'_> {
        self.words(statement).from(1)
    }

    /// Returns the operands of a statement in order; operands inside parentheses follow the operand that has the parentheses.
    pub fn operands(&self, statement: &Statement) -> impl Iterator<Item = Operand<'_>> + Clone {
        self.found_operands(self.words(statement), &statement.operands)
    }

    /// Returns the words of a condition; for WHEN, without the subject of its EVALUATE.
    pub fn condition(&self, branch: &Branch) -> WordSlice<'_> {
        self.code.of(branch.condition)
    }

    /// Returns whether a branch is WHEN OTHER.
    pub fn is_when_other(&self, branch: &Branch) -> bool {
        let words = self.condition(branch);
        branch.kind == BranchKind::When && words.len() == 1 && words.has("OTHER")
    }

    /// Returns the operands of a condition.
    pub fn condition_operands(&self, branch: &Branch) -> impl Iterator<Item = Operand<'_>> + Clone {
        self.found_operands(self.condition(branch), &branch.operands)
    }

    fn found_operands<'a>(
        &'a self,
        words: WordSlice<'a>,
        range: &Range<u32>,
    ) -> impl Iterator<Item = Operand<'a>> + Clone {
        let found = self.operands.get(range.start as usize..range.end as usize).unwrap_or_default();
        found.iter().map(move |found| Operand::new(*found, words))
    }

    /// Returns whether the text reads as COBOL. A copybook may be a piece of an entry; another file must contain a structure of COBOL.
    pub fn reads_as_cobol(&self, is_copybook: bool) -> bool {
        self.why_no_cobol(is_copybook).is_none()
    }

    /// Returns why the text does not read as COBOL; none if it does.
    pub fn why_no_cobol(&self, is_copybook: bool) -> Option<&str> {
        let refuses = |code: &str| code == "not-cobol" || code == "no-structure" && !is_copybook;
        self.diagnostics.iter().find(|found| refuses(found.code)).map(|found| found.message.as_str())
    }

    /// Returns the label of the paragraph at an index; none if it has no label.
    pub fn label(&self, paragraph: Option<usize>) -> Option<&str> {
        let paragraph = &self.paragraphs[paragraph?];
        paragraph.has_label().then_some(paragraph.name.as_str())
    }

    /// Returns the items below a group, in order.
    pub fn parts_of(&self, group: usize) -> impl Iterator<Item = usize> {
        let level = self.data_items[group].level;
        let is_below = move |item: &DataItem| item.level > level && !matches!(item.level, 77 | 78);
        (group + 1..self.data_items.len()).take_while(move |part| is_below(&self.data_items[*part]))
    }

    /// Returns for each item whether the predicate is true for it or for an item below it.
    pub(crate) fn mark_groups(&self, predicate: impl Fn(&DataItem) -> bool) -> Vec<bool> {
        let mut is_marked: Vec<bool> = self.data_items.iter().map(predicate).collect();
        // An item comes after those that contain it.
        for (index, item) in self.data_items.iter().enumerate().rev() {
            if let Some(parent) = item.parent.filter(|_| is_marked[index]) {
                is_marked[parent] = true;
            }
        }
        is_marked
    }

    /// Returns for each item the first of the records that share the storage in which it lies.
    pub(crate) fn records_by_storage(&self) -> Vec<usize> {
        let redefined: HashMap<usize, usize> = self.redefinitions().into_iter().collect();
        let mut records: Vec<usize> = Vec::with_capacity(self.data_items.len());
        for (index, item) in self.data_items.iter().enumerate() {
            records.push(item.parent.map_or_else(|| redefined.get(&index).copied().unwrap_or(index), |at| records[at]));
        }
        records
    }

    /// Returns the items that redefine others, in order, each with the first item that has the storage: several may redefine the same one.
    pub fn redefinitions(&self) -> Vec<(usize, usize)> {
        let mut originals: HashMap<(Option<usize>, Option<usize>, &str), usize> = HashMap::new();
        let mut found = Vec::new();
        for (index, item) in self.data_items.iter().enumerate().filter(|(_, item)| item.level <= 49) {
            let key = |name| (item.program, item.parent, name);
            let original = item.redefines.as_deref().and_then(|name| originals.get(&key(name)).copied());
            found.extend(original.map(|original| (index, original)));
            if item.redefines.is_none() || original.is_some() {
                originals.insert(key(&item.name), original.unwrap_or(index));
            }
        }
        found
    }
}

/// A reference to a copybook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CopybookReference {
    /// The copybook's name.
    pub name: String,
    /// The library after OF or IN.
    pub library: Option<String>,
    /// The lines of the statement.
    #[serde(rename = "line", serialize_with = "first_line")]
    pub lines: LineRange,
    /// Whether it has a REPLACING phrase.
    pub replacing: bool,
    /// The file found for it.
    pub resolved: Option<String>,
    /// The other files of that name that were found, with different contents.
    #[serde(rename = "passed_over", skip_serializing_if = "Vec::is_empty")]
    pub shadowed: Vec<String>,
    /// The copybook that contains this COPY.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The index of the program; none in a fragment.
    #[serde(skip)]
    pub program: Option<usize>,
}

fn first_line<S: Serializer>(lines: &LineRange, serializer: S) -> Result<S::Ok, S::Error> {
    lines.start().serialize(serializer)
}

/// The kind of statement that refers to a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReferenceKind {
    /// PERFORM of a procedure.
    Perform,
    /// GO TO.
    GoTo,
    /// INPUT or OUTPUT PROCEDURE of SORT and MERGE.
    Sort,
    /// ALTER.
    Alter,
    /// `EXEC CICS HANDLE` and `EXEC SQL WHENEVER`.
    Handle,
    /// PROCESSING PROCEDURE of XML PARSE.
    XmlParse,
}

impl ReferenceKind {
    /// Returns the name used in documents and JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns whether control returns to the statement.
    pub fn returns(self) -> bool {
        match self {
            ReferenceKind::Perform | ReferenceKind::Sort | ReferenceKind::XmlParse => true,
            ReferenceKind::GoTo | ReferenceKind::Alter | ReferenceKind::Handle => false,
        }
    }
}

/// A reference to a paragraph or section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LabelReference {
    /// How control goes there.
    pub kind: ReferenceKind,
    /// The label.
    pub target: String,
    /// The section after OF or IN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qualifier: Option<String>,
    /// The label after THRU.
    pub through: Option<String>,
    /// The line on which the statement begins.
    pub line: LineNumber,
    /// The section after OF or IN that qualifies `through`.
    #[serde(skip)]
    pub through_section: Option<String>,
    /// Whether it is a PERFORM that may run several times or not at all: with UNTIL, VARYING or TIMES.
    #[serde(skip)]
    pub is_repeated: bool,
    /// The index of the statement; none outside the PROCEDURE DIVISION.
    #[serde(skip)]
    pub statement: Option<usize>,
    /// The index of the paragraph that contains it.
    #[serde(skip)]
    pub paragraph: Option<usize>,
    /// The index of the program; none in a fragment.
    #[serde(skip)]
    pub program: Option<usize>,
    /// The copybook that contains it.
    #[serde(skip)]
    pub file: Option<String>,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Its verb; `EXEC` for an EXEC block.
    pub verb: Verb,
    /// From the verb to the end of the statement, including nested statements.
    pub lines: LineRange,
    /// The line of its last own word, including the words of a conditional phrase that they lead to.
    pub(crate) last_word_line: LineNumber,
    /// The number of statements around it: 0 for a statement directly in its sentence.
    pub depth: u16,
    /// The index of the statement that contains it.
    pub parent: Option<usize>,
    /// Its words, see [`ParsedCobol::words`].
    pub(crate) words: WordSpan,
    /// Its operands, see [`ParsedCobol::operands`].
    pub(crate) operands: Range<u32>,
    /// The index of its EXEC block, for `EXEC`.
    pub exec: Option<usize>,
    /// The index of the branch it runs under.
    pub branch: Option<usize>,
    /// The index of the paragraph that contains it.
    pub paragraph: Option<usize>,
    /// The index of the program; none in a fragment.
    pub program: Option<usize>,
    /// The copybook that contains it.
    pub file: Option<String>,
}

impl Statement {
    /// Returns the lines of its own words, without nested statements.
    pub fn own_lines(&self) -> LineRange {
        LineRange::spanning(self.lines.start(), self.last_word_line)
    }
}

/// The kind of condition of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchKind {
    /// IF.
    If,
    /// ELSE.
    Else,
    /// WHEN of EVALUATE or SEARCH.
    When,
    /// An inline PERFORM and its phrases.
    Loop,
    /// AT END, INVALID KEY, ON SIZE ERROR, ON EXCEPTION, ON OVERFLOW, or NOT with one of them.
    Phrase,
}

/// A condition and the statements that it controls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The kind of condition.
    pub kind: BranchKind,
    /// The words of its condition, see [`ParsedCobol::condition`].
    pub(crate) condition: WordSpan,
    /// The operands of the condition, see [`ParsedCobol::condition_operands`].
    pub(crate) operands: Range<u32>,
    /// From the condition to the last line of its statements.
    pub lines: LineRange,
    /// The index of the statement it belongs to.
    pub statement: usize,
}

/// The strength of a COBOL boundary before a line, in the order in which a chunker prefers to cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BoundaryLevel {
    /// A program begins.
    Program,
    /// A division begins.
    Division,
    /// A section begins.
    Section,
    /// A paragraph, an 01 or 77 level, an FD or a SELECT begins.
    Paragraph,
    /// A sentence or a subordinate data item begins.
    Sentence,
    /// Another branch of a statement begins (ELSE, WHEN, AT END and similar phrases), or a statement. A branch is a stronger boundary than its
    /// statements, so that a condition stays with them.
    Nested {
        /// The depth of the statement, or of the statements of the branch.
        depth: u16,
        /// Whether it is a statement.
        is_statement: bool,
    },
    /// Nothing begins: inside a statement or between comments.
    Line,
}
