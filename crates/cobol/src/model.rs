//! What the parser knows of one source.
//!
//! Names are upper case. Lines are one-based and inclusive. What stands in a copybook carries the copybook's name in
//! `file`; its lines are lines of that copybook.

mod data;

pub use data::{DataAttributes, DataItem, FileControl, FileUse, OccursTable, TableKey};

use crate::code::{CodeText, WordSlice, WordSpan};
use crate::embedded_sql::SqlStatement;
use crate::operands::{Operand, OperandSpan};
use crate::verb::Verb;
use serde::{Deserialize, Serialize, Serializer};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;
use war_rig_text::{LineNumber, LineRange};

/// The bytes of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PointerSize {
    /// 31-bit and 32-bit addressing.
    #[default]
    Four,
    /// 64-bit addressing.
    Eight,
}

impl PointerSize {
    /// The number of bytes.
    pub fn get(self) -> u64 {
        match self {
            PointerSize::Four => 4,
            PointerSize::Eight => 8,
        }
    }
}

/// What a source does not say of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ParseOptions {
    /// The bytes of a POINTER, by which items behind one are placed.
    pub pointer_bytes: PointerSize,
}

/// Everything the parser found in one source, in source order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedCobol {
    /// The programs, nested ones behind those that hold them.
    pub programs: Vec<Program>,
    /// The divisions.
    pub divisions: Vec<Division>,
    /// The sections of all divisions.
    pub sections: Vec<Section>,
    /// The paragraphs of PROCEDURE DIVISIONs; statements that stand under no label are paragraphs without one.
    pub paragraphs: Vec<Paragraph>,
    /// COPY, `EXEC SQL INCLUDE` and librarians' includes.
    pub copies: Vec<CopybookReference>,
    /// CALL, `EXEC CICS LINK` and `XCTL`.
    pub calls: Vec<ProgramCall>,
    /// What refers to a label: PERFORM, GO TO, SORT procedures, ALTER, HANDLE.
    pub references: Vec<LabelReference>,
    /// The statements.
    pub statements: Vec<Statement>,
    /// The conditions under which statements run: IF, ELSE, WHEN, AT END and their like.
    pub branches: Vec<Branch>,
    /// EXEC blocks.
    pub execs: Vec<ExecBlock>,
    /// The files of FILE-CONTROL, with what FD says of them.
    pub files: Vec<FileControl>,
    /// What statements do with files: OPEN, READ, WRITE and so on.
    pub file_uses: Vec<FileUse>,
    /// The data items of all DATA DIVISIONs, copybooks expanded.
    pub data_items: Vec<DataItem>,
    /// Whether the file or a copybook may hold a REPLACE statement, behind which no text is what its file says.
    pub has_replace: bool,
    /// What went wrong or deserves notice.
    pub diagnostics: Vec<Diagnostic>,
    /// For each line of the file, how strongly COBOL divides before it.
    pub boundaries: Vec<BoundaryLevel>,
    /// The words of the statements and conditions.
    pub(crate) code: CodeText,
    /// The operands of the statements, then those of the branches.
    pub(crate) operands: Vec<OperandSpan>,
}

/// One compilation unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The name in PROGRAM-ID.
    pub name: String,
    /// All lines of the unit.
    pub lines: LineRange,
    /// The program that holds this one.
    pub nested_in: Option<usize>,
    /// The names after PROCEDURE DIVISION USING.
    pub parameters: Vec<String>,
    /// The lines of the PROCEDURE DIVISION header with its USING phrase.
    pub entry_lines: Option<LineRange>,
    /// The names of its ENTRY statements.
    pub entries: Vec<String>,
    /// How many paragraphs of the source stand before its END DECLARATIVES: execution begins behind them. None without DECLARATIVES.
    pub after_declaratives: Option<usize>,
    /// Whether it is a program, which others call; a function, class or method is reached in other ways.
    pub is_called: bool,
}

/// A division.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Division {
    /// `IDENTIFICATION`, `ENVIRONMENT`, `DATA` or `PROCEDURE`.
    pub name: &'static str,
    /// From its header to the line before the next division or the end of its program.
    pub lines: LineRange,
    /// The index of its program; none in a fragment.
    pub program: Option<usize>,
    /// The copybook that holds its header.
    pub file: Option<String>,
}

/// A section of any division.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The section's name.
    pub name: String,
    /// From its header to the line before the next section or division.
    pub lines: LineRange,
    /// The division's name.
    pub division: &'static str,
    /// The index of its program; none in a fragment.
    pub program: Option<usize>,
    /// The copybook it stands in.
    pub file: Option<String>,
}

/// What heads a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParagraphHead {
    /// Its own label.
    Label,
    /// The header of its section: statements before the first label there.
    Section,
    /// The header of the PROCEDURE DIVISION: the main line, statements before the first label and section.
    Division,
    /// An ENTRY statement among statements that have no label.
    Entry,
}

/// A paragraph. Its identity is program, section, name and line: names may repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paragraph {
    /// What heads it.
    pub head: ParagraphHead,
    /// Its label; without one the name of its section or entry, and [`MAIN_LINE`] where it has neither.
    pub name: String,
    /// From its header to the line before the next header, or before that header's banner of comments.
    pub lines: LineRange,
    /// The index of its section.
    pub section: Option<usize>,
    /// The index of its program; none in a fragment.
    pub program: Option<usize>,
    /// The copybook it stands in.
    pub file: Option<String>,
}

/// The name of a main line.
pub const MAIN_LINE: &str = "PROCEDURE DIVISION";

impl Paragraph {
    /// Whether it has a label, so that PERFORM and GO TO can name it.
    pub fn has_label(&self) -> bool {
        self.head == ParagraphHead::Label
    }
}

impl ParsedCobol {
    /// The own words of a statement, its verb first, up to the first statement that it holds.
    pub fn words(&self, statement: &Statement) -> WordSlice<'_> {
        self.code.of(statement.words)
    }

    /// The words of all statements and conditions.
    pub fn all_words(&self) -> WordSlice<'_> {
        self.code.words()
    }

    /// The words of a statement behind its verb.
    pub fn words_after_verb(&self, statement: &Statement) -> WordSlice<'_> {
        self.words(statement).from(1)
    }

    /// The operands of a statement in order, those in the parentheses of another behind it.
    pub fn operands(&self, statement: &Statement) -> impl Iterator<Item = Operand<'_>> + Clone {
        self.found_operands(self.words(statement), &statement.operands)
    }

    /// The words of a condition; of WHEN without the subject of its EVALUATE.
    pub fn condition(&self, branch: &Branch) -> WordSlice<'_> {
        self.code.of(branch.condition)
    }

    /// Whether a branch is WHEN OTHER.
    pub fn is_when_other(&self, branch: &Branch) -> bool {
        let words = self.condition(branch);
        branch.kind == BranchKind::When && words.len() == 1 && words.has("OTHER")
    }

    /// The operands of a condition.
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

    /// The label of the paragraph at an index; none where it has no label.
    pub fn label(&self, paragraph: Option<usize>) -> Option<&str> {
        let paragraph = &self.paragraphs[paragraph?];
        paragraph.has_label().then_some(paragraph.name.as_str())
    }
}

/// A copybook named by a source.
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
    /// The file that was found for it.
    pub resolved: Option<String>,
    /// The other files of that name that were found and differ from it.
    #[serde(rename = "passed_over", skip_serializing_if = "Vec::is_empty")]
    pub shadowed: Vec<String>,
    /// The copybook this COPY itself stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The index of the program; none in a fragment.
    #[serde(skip)]
    pub program: Option<usize>,
}

fn first_line<S: Serializer>(lines: &LineRange, serializer: S) -> Result<S::Ok, S::Error> {
    lines.start().serialize(serializer)
}

/// How control goes to another program.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum CallKind {
    /// CALL of a literal.
    Static,
    /// CALL of a data item.
    Dynamic,
    /// `EXEC CICS LINK`.
    CicsLink,
    /// `EXEC CICS XCTL`.
    CicsXctl,
}

impl CallKind {
    /// The name as documents and JSON spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A call of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramCall {
    /// The program's name, or the data item that holds it.
    pub target: String,
    /// How it is called.
    pub kind: CallKind,
    /// Whether the target is a literal; else it is a data item that holds the name.
    pub is_literal: bool,
    /// The operands after USING.
    pub using: Vec<String>,
    /// The literals that the program gives to the data item of a dynamic call: as its VALUE, in a MOVE, or in a MOVE of an item
    /// that has a VALUE and is never changed. Each once, with its first line.
    pub candidates: Arc<[(String, LineNumber)]>,
    /// The lines of the statement.
    pub lines: LineRange,
    /// The index of the statement; none outside the PROCEDURE DIVISION.
    pub statement: Option<usize>,
    /// The index of the paragraph it stands in.
    pub paragraph: Option<usize>,
    /// The index of the program; none in a fragment.
    pub program: Option<usize>,
    /// The copybook it stands in.
    pub file: Option<String>,
}

/// What kind of statement refers to a label.
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
    /// The name as documents and JSON spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether control comes back from where it goes.
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
    /// The section after OF or IN behind that.
    #[serde(skip)]
    pub through_section: Option<String>,
    /// Whether it is a PERFORM that is repeated, or may not be made at all: with UNTIL, VARYING or TIMES.
    #[serde(skip)]
    pub is_repeated: bool,
    /// The index of the statement; none outside the PROCEDURE DIVISION.
    #[serde(skip)]
    pub statement: Option<usize>,
    /// The index of the paragraph it stands in.
    #[serde(skip)]
    pub paragraph: Option<usize>,
    /// The index of the program; none in a fragment.
    #[serde(skip)]
    pub program: Option<usize>,
    /// The copybook it stands in.
    #[serde(skip)]
    pub file: Option<String>,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Its verb; `EXEC` for an EXEC block.
    pub verb: Verb,
    /// From the verb to the end of the statement, those it holds included.
    pub lines: LineRange,
    /// The line on which its own words end, with those of a conditional phrase that they lead to.
    pub(crate) last_word_line: LineNumber,
    /// How many statements hold it: 0 for one that stands directly in its sentence.
    pub depth: u16,
    /// The index of the statement that holds it.
    pub parent: Option<usize>,
    /// Its words, see [`ParsedCobol::words`].
    pub(crate) words: WordSpan,
    /// Its operands, see [`ParsedCobol::operands`].
    pub(crate) operands: Range<u32>,
    /// The index of its EXEC block, for `EXEC`.
    pub exec: Option<usize>,
    /// The index of the branch it runs under.
    pub branch: Option<usize>,
    /// The index of the paragraph it stands in.
    pub paragraph: Option<usize>,
    /// The index of the program; none in a fragment.
    pub program: Option<usize>,
    /// The copybook it stands in.
    pub file: Option<String>,
}

impl Statement {
    /// The lines of its own words, without those of the statements it holds.
    pub fn own_lines(&self) -> LineRange {
        LineRange::spanning(self.lines.start(), self.last_word_line)
    }
}

/// What kind of condition a branch has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchKind {
    /// IF.
    If,
    /// ELSE.
    Else,
    /// WHEN of EVALUATE or SEARCH.
    When,
    /// An inline PERFORM with its phrases.
    Loop,
    /// AT END, INVALID KEY, ON SIZE ERROR, ON EXCEPTION, ON OVERFLOW, with NOT where it says so.
    Phrase,
}

/// A condition and the statements under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// What kind of condition it is.
    pub kind: BranchKind,
    /// The words of its condition, see [`ParsedCobol::condition`].
    pub(crate) condition: WordSpan,
    /// Their operands, see [`ParsedCobol::condition_operands`].
    pub(crate) operands: Range<u32>,
    /// From the condition to the last line under it.
    pub lines: LineRange,
    /// The index of the statement it belongs to.
    pub statement: usize,
}

/// The language of an EXEC block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ExecKind {
    /// `EXEC SQL`.
    Sql,
    /// `EXEC CICS`.
    Cics,
    /// `EXEC DLI`.
    Dli,
    /// Any other.
    #[default]
    Other,
}

impl ExecKind {
    /// The language's name in words.
    pub fn in_words(self) -> &'static str {
        match self {
            ExecKind::Sql => "SQL",
            ExecKind::Cics => "CICS",
            ExecKind::Dli => "DL/I",
            ExecKind::Other => "the embedded",
        }
    }
}

/// An EXEC block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecBlock {
    /// Its language.
    pub kind: ExecKind,
    /// The command: `READ`, `SEND MAP`, `SELECT`.
    pub command: String,
    /// What it works on: a file, map, queue, program, transaction, segment, table or cursor; upper case, without quotes.
    pub resource: Option<String>,
    /// Whether the resource is named by the block itself; else it is a data item that holds the name.
    pub is_literal: bool,
    /// The literals that the program gives to the data item of the resource, as [`ProgramCall::candidates`].
    pub candidates: Arc<[(String, LineNumber)]>,
    /// The tables of an SQL statement, those of its cursor included, or the segments of a DL/I command; in order, each once.
    pub tables: Vec<String>,
    /// The cursor that an SQL statement declares, opens, fetches from, closes, or at whose row it works.
    pub cursor: Option<String>,
    /// Its options in order, with what stands in their parentheses; of SQL only the condition of WHENEVER with what is done.
    pub options: Vec<(String, Option<String>)>,
    /// What an SQL statement says beside its operation.
    pub sql: Option<Box<SqlStatement>>,
    /// The lines of the block.
    pub lines: LineRange,
    /// The index of the paragraph it stands in.
    pub paragraph: Option<usize>,
    /// The index of the program; none in a fragment.
    pub program: Option<usize>,
    /// The copybook it stands in.
    pub file: Option<String>,
}

/// How grave a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Something could not be read as the language has it.
    Warning,
}

/// What went wrong or deserves notice, with a stable code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// A stable name: `missing-copybook`, `unclosed-exec`.
    pub code: &'static str,
    /// The line of the file it is about.
    pub line: Option<LineNumber>,
    /// What is the matter, in words.
    pub message: String,
}

/// How strongly COBOL divides before a line. The order is the order in which a chunker prefers to cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// A further branch of a statement begins: ELSE, WHEN, AT END and their like; the number is the depth of the statements under
    /// it. It is a stronger seam than those statements, so that a condition stays with what it decides.
    Branch(u16),
    /// A statement begins; the number is its depth.
    Statement(u16),
    /// Nothing begins: inside a statement, between comments.
    Line,
}

impl BoundaryLevel {
    /// The kind, the depth, and whether it is a statement rather than a branch: what the order goes by.
    fn rank(self) -> (u8, u16, bool) {
        match self {
            BoundaryLevel::Program => (0, 0, false),
            BoundaryLevel::Division => (1, 0, false),
            BoundaryLevel::Section => (2, 0, false),
            BoundaryLevel::Paragraph => (3, 0, false),
            BoundaryLevel::Sentence => (4, 0, false),
            BoundaryLevel::Branch(depth) => (5, depth, false),
            BoundaryLevel::Statement(depth) => (5, depth, true),
            BoundaryLevel::Line => (6, 0, false),
        }
    }
}

impl PartialOrd for BoundaryLevel {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for BoundaryLevel {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}
