//! A tolerant COBOL parser: structure and facts.
//!
//! Any input yields [`Parsed`]: what was understood, and diagnostics for the rest. Nothing here reads a file: copybooks come
//! from a [`CopybookLibrary`] that the caller fills.
//!
//! ```
//! use std::sync::Arc;
//! use war_rig_cobol::{Lexed, NoCopybooks, parse};
//! use war_rig_text::{ReadOptions, SourceText};
//!
//! let code = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. HELLO.\n       PROCEDURE DIVISION.\n       MAIN.\n           CALL 'DATECALC'.\n           GOBACK.\n";
//! let source = SourceText::read("HELLO.cbl", code.into(), &ReadOptions::default()).unwrap();
//! let parsed = parse(&Arc::new(Lexed::of(&source)), &NoCopybooks);
//! assert_eq!(parsed.paragraphs[0].name, "MAIN");
//! assert_eq!(parsed.calls[0].target, "DATECALC");
//! ```

mod access;
mod analysis;
mod code;
mod copy;
mod decision_facts;
mod decisions;
mod effects;
mod embedded;
mod expansion;
mod facts;
mod flow;
mod lex;
mod model;
mod operands;
mod outcome;
mod parse;
mod replace;
mod replacing;
mod stream;
mod tokens;
mod verb;
mod words;

pub use access::{
    Accesses, CicsResource, DliOperation, DliSegment, Handler, Handling, Resource, ResourceKind, Response,
    ResponseTest, Responses,
};
pub use analysis::Analysis;
pub use code::{Code, FIGURATIVES, Span, Word, WordKind, Words};
pub use decisions::{
    Condition, Decided, Decision, DecisionKind, Decisions, Formula, MoveOperands, Relation, items_set,
    move_operands, string_operands,
};
pub use effects::{Effects, ItemUse, Touched};
pub use embedded::{
    Direction, HostVariable, Place, SqlClause, SqlColumn, SqlReading, SqlStatement, SqlTable,
};
pub use expansion::Expansion;
pub use facts::{Facts, facts};
pub use flow::{Ending, Flow, Label, Leave, Unreached};
pub use lex::logical::Segment;
pub use lex::token::{RawToken, TokenKind};
pub use lex::{Lexed, tokenize};
pub use model::{
    Attributes, Branch, BranchKind, Call, CallKind, Copy, DataItem, Diagnostic, Division, Exec, ExecKind,
    FileControl, FileUse, Head, MAIN_LINE, Paragraph, ParseOptions, Parsed, PointerBytes, Program, Reference,
    ReferenceKind, Seam, Section, Severity, Statement, Table, TableKey,
};
pub use operands::{Operand, OperandKind, Phrase, Role};
pub use outcome::{Outcome, Outcomes};
pub use parse::{parse, parse_once, parse_with};
pub use stream::{CopybookLibrary, NoCopybooks};
pub use tokens::Tokens;
pub use verb::Verb;
