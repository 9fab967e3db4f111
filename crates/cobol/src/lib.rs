//! A tolerant COBOL parser: structure and facts.
//!
//! Any input yields [`ParsedCobol`]: what was understood, and diagnostics for the rest. Nothing here reads a file: copybooks come
//! from a [`CopybookLibrary`] that the caller fills.
//!
//! ```
//! use std::sync::Arc;
//! use war_rig_cobol::{LexedSource, NoCopybooks, parse};
//! use war_rig_text::{ReadOptions, SourceText};
//!
//! let code = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. HELLO.\n       PROCEDURE DIVISION.\n       MAIN.\n           CALL 'DATECALC'.\n           GOBACK.\n";
//! let source = SourceText::read("HELLO.cbl", code.into(), &ReadOptions::default()).unwrap();
//! let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
//! assert_eq!(parsed.paragraphs[0].name, "MAIN");
//! assert_eq!(parsed.calls[0].target, "DATECALC");
//! ```
//!
//! # Where to begin
//!
//! - What is known of one source: `analysis.rs`: what the parser found, and all that follows: flow, reads
//!   and writes, outcomes, decisions, resources. Who wants one asks there.
//! - What a statement is made of: `code.rs`: its words, cut once; `verb.rs`; `operands.rs` with the table
//!   `operands.txt`: which operand of which verb is read, set, or handed over. Nothing else takes a verb
//!   apart, and nobody cuts the text of a statement again.
//! - Which items a statement reads and sets: `def_use.rs`: operands to data items.
//! - Why a paragraph is dead: `control_flow/unreachable.rs`.
//! - How SQL is read: `parse/sql/mod.rs`.
//! - What a program does with which resource: `access.rs`; a failure of CICS `access/cics.rs`, DL/I
//!   `access/dli.rs`.
//! - What a program decides: `decisions.rs`; conditions as trees `decisions/condition.rs`, read once a
//!   source; figures `decisions/formula.rs`, what is moved `decisions/assignments.rs`; in words
//!   `crates/scribe/src/static_scribe/condition_wording.rs`.
//! - How a source is parsed: `parse/mod.rs`; before it `lex/` (lines to tokens), `stream.rs` (COPY),
//!   `text_replacement.rs` and `replace_statement.rs` (REPLACE).
//! - What the parser knows: `model.rs`; as JSON `facts.rs`.
//! - What a condition says of an operation: `status_check.rs`.
//! - Where items stand in a record: `parse/layout.rs`; which statements end where, `parse/scopes.rs`.
//!
//! # What always holds
//!
//! **A status is told by what sets it.** Whether a condition means success, the end of the data or failure
//! is concluded from file statuses, SQLCODE, RESP and the constants a program sets from them, never from a
//! name. Rules and error handling are told apart by that alone.
//!
//! **The parser always answers.** Any input yields a `ParsedCobol`: never a panic, never an empty result
//! without a diagnostic. It works in time that grows with the size of the source, with stacks of its own
//! instead of recursion; only COPY recurses, at most fifty deep, and what all copybooks of a source may
//! bring together is bounded. Procedures of job control nest at most fifteen deep, and a job has at most
//! 1,000 steps. nom stays behind `crates/cobol/src/parse/grammar.rs`.

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
