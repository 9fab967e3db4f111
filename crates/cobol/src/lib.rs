//! A tolerant COBOL parser: structure and facts.
//!
//! Any input yields [`ParsedCobol`]: what was understood, and diagnostics for the rest. Nothing here reads a file: copybooks come
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
mod control_flow;
mod copy;
mod decision_facts;
mod decisions;
mod def_use;
mod embedded_sql;
mod expansion_budget;
mod facts;
mod lex;
mod model;
mod operands;
mod parse;
mod replace_statement;
mod reserved_words;
mod status_check;
mod stream;
mod text_replacement;
mod tokens;
mod verb;

pub use access::{
    CicsResource, CicsResponse, CicsResponseTest, CicsResponses, ConditionHandler, ConditionHandling,
    CrudAccess, DliOperation, DliSegment, Resource, ResourceKind,
};
pub use analysis::Analysis;
pub use code::{CodeText, CodeWord, FIGURATIVE_CONSTANTS, WordKind, WordSlice, WordSpan};
pub use control_flow::{ControlFlowGraph, ExitKind, LabelTarget, ProgramExit, UnreachableReason};
pub use decisions::{
    Condition, Decision, DecisionEffect, DecisionKind, Decisions, Formula, MoveOperands, RelationalOperator,
    assigned_items, move_operands, string_operands,
};
pub use def_use::{DefUse, ItemUse, ParagraphDefUse};
pub use embedded_sql::{
    HostVariable, HostVariableDirection, SourceSpan, SqlClause, SqlColumn, SqlParseMethod, SqlStatement,
    SqlTable,
};
pub use expansion_budget::ExpansionBudget;
pub use facts::{CobolFacts, facts};
pub use lex::logical::SourceSegment;
pub use lex::token::{RawToken, TokenKind};
pub use lex::{LexedSource, tokenize};
pub use model::{
    BoundaryLevel, Branch, BranchKind, CallKind, CopybookReference, DataAttributes, DataItem, Diagnostic,
    Division, ExecBlock, ExecKind, FileControl, FileUse, LabelReference, MAIN_LINE, OccursTable, Paragraph,
    ParagraphHead, ParseOptions, ParsedCobol, PointerSize, Program, ProgramCall, ReferenceKind, Section,
    Severity, Statement, TableKey,
};
pub use operands::{Operand, OperandKind, OperandPhrase, OperandRole};
pub use parse::{parse, parse_once, parse_with};
pub use status_check::{OperationStatus, StatusChecks};
pub use stream::{CopybookLibrary, NoCopybooks};
pub use tokens::TokenSlice;
pub use verb::Verb;
