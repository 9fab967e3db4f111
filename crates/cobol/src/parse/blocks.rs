//! EXEC blocks among the statements: their contents, and the programs and labels that they name.

use super::exec::ParsedExec;
use super::grammar::unquoted;
use super::{Parser, exec};
use crate::embedded_sql::whenever_target;
use crate::lex::token::TokenKind;
use crate::model::{CallKind, ExecBlock, ExecKind, LabelReference, ProgramCall, ReferenceKind};
use crate::stream::Token;
use std::sync::Arc;
use war_rig_text::LineRange;

impl<'s> Parser<'_, 's> {
    /// Adds the facts of an EXEC block.
    pub(super) fn exec_block(&mut self, token: Token<'s>, statement: Option<usize>) {
        if exec::is_no_operation(token.text) {
            return;
        }
        let mut block = exec::parse_exec(token.text);
        self.finish_sql(token, &mut block);
        if let Some(statement) = statement {
            let statement = &mut self.out.statements[statement];
            for word in block.command.split(' ').filter(|word| !word.is_empty()) {
                self.out.code.extend(&mut statement.words, TokenKind::Word, word, false);
            }
            statement.exec = Some(self.out.execs.len());
        }
        let lines = LineRange::spanning(token.line, token.end_line);
        let file = self.stream.file_name(token.file);
        let (paragraph, program) = (self.place.paragraph, self.place.program);
        self.out.calls.extend(call(&block).map(|(kind, target, using)| ProgramCall {
            target: unquoted(target).trim().to_uppercase(),
            spelling: None,
            kind,
            is_literal: target.starts_with(['\'', '"']),
            is_certain: false,
            using: using.map(str::to_uppercase).into_iter().collect(),
            candidates: Arc::default(),
            moved_items: Arc::default(),
            lines,
            statement,
            paragraph,
            program,
            file: file.clone(),
        }));
        self.out.references.extend(labels(&block).map(|target| LabelReference {
            kind: ReferenceKind::Handle,
            target: target.trim().to_uppercase(),
            qualifier: None,
            through: None,
            through_section: None,
            is_repeated: false,
            line: token.line,
            statement,
            paragraph,
            program,
            file: file.clone(),
        }));
        self.out.execs.push(ExecBlock {
            kind: block.kind,
            command: block.command,
            resource: block.resource,
            is_literal: block.is_literal,
            candidates: Arc::default(),
            tables: block.tables,
            cursor: block.cursor,
            options: block.options,
            sql: block.sql,
            lines,
            paragraph,
            program,
            file,
        });
    }
}

/// Returns the value of an option.
fn option<'b>(block: &'b ParsedExec, name: &str) -> Option<&'b str> {
    block.options.iter().find(|(option, _)| option == name)?.1.as_deref()
}

/// Returns how a CICS command calls a program, the program, and the communication area.
fn call(block: &ParsedExec) -> Option<(CallKind, &str, Option<&str>)> {
    let kind = match block.command.as_str() {
        "LINK" => CallKind::CicsLink,
        "XCTL" => CallKind::CicsXctl,
        _ => return None,
    };
    let target = option(block, "PROGRAM").filter(|_| block.kind == ExecKind::Cics)?;
    Some((kind, target, option(block, "COMMAREA")))
}

/// Returns the labels that a block names.
fn labels(block: &ParsedExec) -> impl Iterator<Item = &str> {
    let (handlers, label) = match block.command.as_str() {
        "HANDLE ABEND" => (&[][..], option(block, "LABEL")),
        "HANDLE CONDITION" | "HANDLE AID" => (&block.options[1..], None),
        "WHENEVER" => {
            let action = block.options.first().and_then(|(_, action)| action.as_deref());
            (&[][..], action.and_then(whenever_target).map(|(label, _)| label))
        }
        _ => (&[][..], None),
    };
    handlers.iter().filter_map(|(_, value)| value.as_deref()).chain(label)
}
