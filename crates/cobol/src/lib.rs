//! A tolerant COBOL parser: structure and facts.
//!
//! Any input yields [`ParsedCobol`]: what the parser understood, and diagnostics for the rest. The crate reads no files: copybooks come
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
//! - All analyses of one source: `analysis.rs`. It computes each once: flow, reads and writes, status checks,
//!   decisions, resources. Every consumer asks it.
//! - The parts of a statement: `code.rs` (its words, split once), `verb.rs`, and `operands.rs` with the table
//!   `operands.txt`, which lists the operands that each verb reads, sets or passes. No other module splits the text
//!   of a statement or determines the roles of its operands.
//! - The data items that a statement reads and sets: `def_use.rs`.
//! - Why a paragraph is dead: `control_flow/unreachable.rs`.
//! - How SQL is read: `parse/sql/mod.rs`.
//! - What a program does with each resource: `access.rs`. CICS commands with their options, resources
//!   and failures: `access/cics.rs`; how EXEC blocks are parsed: `parse/exec.rs`. DL/I: `access/dli.rs`.
//! - The decisions of a program: `decisions.rs`. Conditions as trees, parsed once per source: `decisions/condition.rs`.
//!   Formulas: `decisions/formula.rs`. Moves: `decisions/assignments.rs`. The wording:
//!   `crates/scribe/src/static_scribe/condition_wording.rs`.
//! - The parser: `parse/mod.rs`. The steps before it: `lex/` (lines to tokens), `stream.rs` (COPY),
//!   `text_replacement.rs` and `replace_statement.rs` (REPLACE).
//! - The parser's results: `model.rs`; as JSON: `facts.rs`.
//! - Which of the names in an item reach a call: `reaching_literals.rs`, `tested_literals.rs`. What comments say: `comments.rs`.
//! - What a program reports to its caller and its users: `reports.rs`; what of it is replaced before they see it: `reports/overwriting.rs`.
//! - The states of records: `states.rs`.
//! - What a condition says about the result of an operation: `status_check.rs`.
//! - A new verb: `verb.rs`, its operands in `operands.txt`, `SOFT` in `parse/procedure.rs` if it may be a name, what it decides in `decisions/effect.rs`, how it
//!   ends a paragraph in `control_flow/exits.rs`; its words in `crates/scribe/src/phrases.rs`.
//! - A new CICS command: `access/cics.rs` and `parse/exec.rs` (its words, resource and accesses), `def_use/exec.rs` (the options that return data); its words in
//!   `crates/scribe/src/cics_phrases.rs`.
//! - A new hazard: its kind and its sentence in `hazards/kind.rs`, at its weight; what finds it in `hazards/`, with its test in
//!   `hazards/tests/`.
//! - The things of a chunk that an answer names by ids: `listed_items.rs`.
//! - The offsets of items in a record: `parse/layout.rs`. The ends of statements: `parse/scopes.rs`.
//!
//! # What always holds
//!
//! **Only the code that sets a status gives it a meaning.** Whether a condition means success, the end of the data or failure
//! follows from file statuses, SQLCODE, RESP, DL/I status codes, MQ codes and the constants that a program sets from them, never from a
//! name. This alone separates business rules from error handling.
//!
//! **The parser always returns a result.** Any input yields a `ParsedCobol`: never a panic, never an empty result
//! without a diagnostic. Its running time grows with the size of the source. It keeps explicit stacks instead of
//! recursing; only COPY recurses, at most fifty deep, and the total text that copybooks add to a source is bounded.
//! JCL procedures nest at most fifteen deep, and a job has at most 1,000 steps. nom types stay private to
//! `crates/cobol/src/parse/grammar.rs`.

mod access;
mod analysis;
mod code;
pub mod comments;
mod control_flow;
mod copy;
mod decision_facts;
mod decisions;
mod def_use;
mod diagnostic;
mod displays;
mod embedded_sql;
mod expansion_budget;
mod facts;
mod hazards;
mod idle_branches;
mod index_groups;
mod lex;
mod listed_items;
mod macros;
mod model;
mod named_words;
mod operands;
mod parse;
mod picture_symbols;
mod reaching_literals;
mod replace_statement;
mod reports;
mod reserved_words;
mod skipped_fields;
mod states;
mod status_check;
mod storage;
mod stream;
mod table_contents;
mod tested_literals;
mod text_replacement;
mod tokens;
mod unique_items;
mod verb;

pub use access::{
    CicsResource, CicsResponse, CicsResponseTest, CicsResponses, ConditionHandler, ConditionHandling, CrudAccess,
    DliOperation, DliSegment, InterfaceField, Resource, ResourceKind,
};
pub use analysis::Analysis;
pub use code::{CodeText, CodeWord, FIGURATIVE_CONSTANTS, WordKind, WordSlice, WordSpan};
pub use control_flow::{
    ControlFlowGraph, ExitKind, JumpTarget, LabelTarget, ProgramExit, UnreachableReason, ending as statement_exit,
    is_checked_for_failure,
};
pub use copy::{copybook_name, has_plain_name};
pub use decisions::{
    ArithmeticCopy, AssignedConstant, Condition, Decision, DecisionEffect, DecisionKind, Decisions, Formula,
    MoveOperands, RelationalOperator, assigned_items, is_terminal_key, move_operands, sets_return_code,
    string_operands, truth_set,
};
pub use def_use::{DefUse, ItemUse, ParagraphDefUse, UsePlace};
pub use diagnostic::{Diagnostic, Severity};
pub use displays::DisplaySetting;
pub use embedded_sql::{
    HostVariable, HostVariableDirection, SourceSpan, SqlClause, SqlColumn, SqlCondition, SqlHandler, SqlParseMethod,
    SqlStatement, SqlTable, is_dummy_table, whenever_target,
};
pub use expansion_budget::ExpansionBudget;
pub use facts::{CobolFacts, facts};
pub use hazards::{Hazard, HazardKind, always_selects_a_row};
pub use index_groups::IndexGroups;
pub use lex::logical::SourceSegment;
pub use lex::token::{RawToken, TokenKind};
pub use lex::{LexedSource, tokenize};
pub use listed_items::{ListedItem, ListedItems, ListedKind};
pub use macros::MacroUse;
pub use model::{
    BoundaryLevel, Branch, BranchKind, CallKind, CopybookReference, DELETES_FILE, DataAttributes, DataItem, Division,
    ExecBlock, ExecKind, FileControl, FilePath, FileUse, IMS_ENTRY, LabelReference, MAIN_LINE, OccursTable, Paragraph,
    ParagraphHead, ParseOptions, ParsedCobol, PointerSize, Program, ProgramCall, ReferenceKind, ScreenField, Section,
    SignPosition, Statement, TableKey, UserContact,
};
pub use operands::{Operand, OperandKind, OperandPhrase, OperandRole};
pub use parse::{parse, parse_once, parse_with};
pub use picture_symbols::picture_symbols;
pub use reports::{Overwriting, ReportFate, ReportedItems, side_by_side};
pub use states::ItemState;
pub use status_check::{OperationStatus, StatusChecks};
pub use stream::{CopybookLibrary, NoCopybooks};
pub use table_contents::TableContents;
pub use tokens::TokenSlice;
pub use unique_items::UniqueItems;
pub use verb::Verb;
