//! What single statements say: calls, references to labels, files.
//!
//! ```text
//! perform = "PERFORM" name [ ( "OF" | "IN" ) name ] [ ( "THRU" | "THROUGH" ) name ]
//! go-to   = "GO" [ "TO" ] { name } [ "DEPENDING" ... ]
//! alter   = "ALTER" { name "TO" [ "PROCEED" "TO" ] name }
//! sort    = ( "SORT" | "MERGE" ) file ... ( "INPUT" | "OUTPUT" ) "PROCEDURE" [ "IS" ] name [ "THRU" name ]
//! xml     = "XML" "PARSE" ... "PROCESSING" "PROCEDURE" [ "IS" ] name [ "THRU" name ]
//! call    = "CALL" [ convention ] ( literal | identifier ) [ "USING" { operand } ]
//! open    = "OPEN" { ( "INPUT" | "OUTPUT" | "I-O" | "EXTEND" ) { file } }
//! ```

use super::Parser;
use super::grammar::{Read, Tokens, clause, identifier, literal, name, one_of, unquoted, word};
use crate::lex::token::TokenKind;
use crate::model::{Call, CallKind, FileUse, Reference, ReferenceKind};
use crate::stream::Token;
use crate::verb::Verb;
use crate::words;
use nom::Parser as _;
use nom::branch::alt;
use nom::combinator::{opt, peek, verify};
use nom::multi::many0;
use nom::sequence::{preceded, terminated};
use std::sync::Arc;
use war_rig_text::LineRange;

/// A label with its section.
type Named<'s> = (Token<'s>, Option<Token<'s>>);

/// A label with its section, and the one after THRU.
type Label<'s> = (Token<'s>, Option<Token<'s>>, Option<Named<'s>>);

fn label<'t, 's: 't>(input: Tokens<'t, 's>) -> Read<'t, 's, Label<'s>> {
    let qualifier = || opt(preceded(one_of(&["OF", "IN"]), name));
    let (rest, (target, section)) = (name, qualifier()).parse(input)?;
    let (rest, through) = opt((one_of(&["THRU", "THROUGH"]), name, qualifier())).parse(rest)?;
    Ok((rest, (target, section, through.map(|(_, through, section)| (through, section)))))
}

fn sort_procedure<'t, 's: 't>(input: Tokens<'t, 's>) -> Read<'t, 's, Label<'s>> {
    preceded((one_of(&["INPUT", "OUTPUT"]), word("PROCEDURE"), opt(word("IS"))), label).parse(input)
}

/// What ends the operands of a CALL.
const BEHIND_USING: &[&str] = &["RETURNING", "GIVING", "ON", "NOT", "EXCEPTION", "OVERFLOW"];

/// How a program is called (`STATIC`, `WINAPI`, a mnemonic name): a word before what names it.
fn convention<'t, 's: 't>(input: Tokens<'t, 's>) -> Read<'t, 's, Token<'s>> {
    let is_called = |next: &Token<'_>| !next.is_any(&["OF", "IN", "USING"]) && !next.is_any(BEHIND_USING);
    terminated(name, peek(alt((literal, verify(name, is_called))))).parse(input)
}

impl<'t, 's> Parser<'t, 's> {
    /// Notes what the statement whose verb is at the cursor refers to. It is the last that was begun.
    pub(super) fn statement_facts(&mut self, verb: Verb) {
        match verb {
            Verb::Perform => self.perform(),
            Verb::Go => self.go_to(),
            Verb::Alter => self.alter(),
            Verb::Sort | Verb::Merge => self.sort(verb.as_str()),
            Verb::Xml => self.xml(),
            Verb::Call => self.call(),
            Verb::Open => self.open(),
            Verb::Close => self.close(),
            Verb::Read
            | Verb::Return
            | Verb::Write
            | Verb::Rewrite
            | Verb::Delete
            | Verb::Start
            | Verb::Release => self.file_verb(verb.as_str()),
            Verb::Entry => self.entry_point(),
            _ => {}
        }
    }

    fn behind_verb(&self) -> Tokens<'t, 's> {
        self.tokens.from(self.at + 1)
    }

    fn refer(
        &mut self,
        kind: ReferenceKind,
        target: Token<'s>,
        qualifier: Option<Token<'s>>,
        through: Option<Named<'s>>,
    ) {
        let Some(verb) = self.peek(0) else { return };
        self.out.references.push(Reference {
            kind,
            target: target.upper(),
            qualifier: qualifier.map(|t| t.upper()),
            through: through.map(|(label, _)| label.upper()),
            through_section: through.and_then(|(_, section)| section).map(|t| t.upper()),
            is_repeated: false,
            line: verb.line,
            statement: self.out.statements.len().checked_sub(1),
            paragraph: self.place.paragraph,
            program: self.place.program,
            file: self.stream.file_name(verb.file),
        });
    }

    fn perform(&mut self) {
        let tokens = self.behind_verb();
        let inline =
            tokens.first().is_none_or(|next| next.is_any(&["UNTIL", "VARYING", "WITH", "TEST", "FOREVER"]))
                || tokens.get(1).is_some_and(|second| second.is("TIMES"));
        if inline {
            return;
        }
        if let Some(((target, qualifier, through), taken)) = clause(label, tokens) {
            self.refer(ReferenceKind::Perform, target, qualifier, through);
            let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|token| token.is_any(words));
            if let Some(reference) = self.out.references.last_mut() {
                reference.is_repeated =
                    is(taken, &["UNTIL", "VARYING", "WITH", "TEST"]) || is(taken + 1, &["TIMES"]);
            }
        }
    }

    fn go_to(&mut self) {
        let targets = preceded(
            opt(word("TO")),
            many0(|input| {
                let (rest, depending) = opt(word("DEPENDING")).parse(input)?;
                if depending.is_some() { nom::combinator::fail().parse(rest) } else { label(input) }
            }),
        );
        // Labels end where a period, a verb or a scope ends the statement; ELSE and WHEN are no labels either.
        let operands = self.operands();
        if let Some((labels, taken)) = clause(targets, operands) {
            // Several labels need DEPENDING; without it, what follows the first is a phrase of the statement around this one.
            let depending = operands.get(taken).is_some_and(|token| token.is("DEPENDING"));
            let count = if depending { labels.len() } else { 1 };
            for (target, qualifier, _) in labels.into_iter().take(count) {
                self.refer(ReferenceKind::GoTo, target, qualifier, None);
            }
        }
    }

    fn alter(&mut self) {
        let pair = (name, word("TO"), opt((word("PROCEED"), word("TO"))), name);
        if let Some((pairs, _)) = clause(many0(pair), self.behind_verb()) {
            for (from, _, _, to) in pairs {
                self.refer(ReferenceKind::Alter, from, None, None);
                self.refer(ReferenceKind::Alter, to, None, None);
            }
        }
    }

    fn sort(&mut self, verb: &str) {
        let statement = self.operands();
        if let Some(file) = statement.first().filter(|file| file.kind == TokenKind::Word) {
            self.use_file(*file, verb.to_owned(), statement.len());
        }
        for (at, token) in statement.iter().enumerate() {
            if let Some(((target, qualifier, through), _)) = clause(sort_procedure, statement.from(at)) {
                self.refer(ReferenceKind::Sort, target, qualifier, through);
            }
            let list = if token.is("USING") { "READ" } else { "WRITE" };
            if token.is_any(&["USING", "GIVING"]) {
                for file in statement.from(at + 1).iter().take_while(|t| {
                    t.kind == TokenKind::Word && !t.is_any(&["USING", "GIVING", "OUTPUT", "INPUT"])
                }) {
                    self.use_file(*file, format!("{list} BY {verb}"), statement.len());
                }
            }
        }
    }

    fn xml(&mut self) {
        let statement = self.operands();
        let procedure = preceded((word("PROCESSING"), word("PROCEDURE"), opt(word("IS"))), label);
        let at = statement.iter().position(|token| token.is("PROCESSING"));
        let found = at.and_then(|at| clause(procedure, statement.from(at)));
        if let Some(((target, qualifier, through), _)) = found {
            self.refer(ReferenceKind::XmlParse, target, qualifier, through);
        }
    }

    /// The tokens of the statement at the cursor behind its verb: up to a period, another verb, or the end of its scope.
    fn operands(&self) -> Tokens<'t, 's> {
        let rest = self.behind_verb();
        let end = rest.iter().position(|token| {
            matches!(token.kind, TokenKind::Period | TokenKind::Exec | TokenKind::MissingCopy)
                || (token.kind == TokenKind::Word
                    && ((words::is_verb(token.text) && !token.is_any(&["NEXT", "RETURN"]))
                        || words::scope_end(token.text).is_some()
                        || token.is_any(&["ELSE", "WHEN"])))
        });
        rest.to(end.unwrap_or(rest.len()))
    }

    fn call(&mut self) {
        let Some(verb) = self.peek(0) else { return };
        let operands = self.operands();
        let target =
            alt((literal.map(|t| (t, CallKind::Static)), identifier.map(|t| (t, CallKind::Dynamic))));
        let called = preceded(opt(convention), target);
        let Some(((target, kind), taken)) = clause(called, operands) else { return };
        let rest = operands.from(taken);
        let using = rest.iter().position(|t| t.is("USING")).map_or(rest.to(0), |at| rest.from(at + 1));
        let end = using.iter().position(|t| t.is_any(BEHIND_USING)).unwrap_or(using.len());
        let last =
            operands.last().filter(|last| last.file == verb.file).map_or(verb.end_line, |last| last.end_line);
        self.out.calls.push(Call {
            target: unquoted(target.text).trim().to_uppercase(),
            kind,
            is_literal: kind == CallKind::Static,
            using: arguments(using.to(end)),
            candidates: Arc::default(),
            lines: LineRange::spanning(verb.line, last),
            statement: self.out.statements.len().checked_sub(1),
            paragraph: self.place.paragraph,
            program: self.place.program,
            file: self.stream.file_name(verb.file),
        });
    }

    fn use_file(&mut self, file: Token<'s>, operation: String, operands: usize) {
        let Some(verb) = self.peek(0).filter(|verb| verb.file == 0) else { return };
        let last = self.peek(operands).unwrap_or(verb);
        let end = if last.file == verb.file { last.end_line } else { verb.end_line };
        self.out.file_uses.push(FileUse {
            file: unquoted(file.text).to_uppercase(),
            operation,
            key: None,
            into: None,
            from: None,
            lines: LineRange::spanning(verb.line, end),
            paragraph: self.place.paragraph,
            program: self.place.program,
        });
    }

    fn open(&mut self) {
        let operands = self.operands();
        let mut mode = None;
        for token in operands.iter().filter(|token| token.kind == TokenKind::Word) {
            if token.is_any(&["INPUT", "OUTPUT", "I-O", "EXTEND"]) {
                mode = Some(token.upper());
            } else if let Some(mode) = &mode
                && !token.is_any(&["WITH", "NO", "REWIND", "REVERSED", "LOCK"])
            {
                self.use_file(*token, format!("OPEN {mode}"), operands.len());
            }
        }
    }

    fn close(&mut self) {
        let operands = self.operands();
        let options = ["WITH", "NO", "REWIND", "LOCK", "REEL", "UNIT", "FOR", "REMOVAL"];
        for token in operands.iter().filter(|token| token.kind == TokenKind::Word && !token.is_any(&options))
        {
            self.use_file(*token, "CLOSE".to_owned(), operands.len());
        }
    }

    fn file_verb(&mut self, verb: &str) {
        let operands = self.operands();
        let file_phrase = usize::from(operands.first().is_some_and(|token| token.is("FILE")));
        let Some(file) = operands.get(file_phrase).filter(|file| file.kind == TokenKind::Word) else {
            return;
        };
        let direction = operands.get(file_phrase + 1).filter(|token| token.is_any(&["NEXT", "PREVIOUS"]));
        let operation = match direction {
            Some(direction) => format!("{verb} {}", direction.upper()),
            None => verb.to_owned(),
        };
        let before = self.out.file_uses.len();
        self.use_file(*file, operation, operands.len());
        if let Some(used) = self.out.file_uses.get_mut(before) {
            let behind = operands.from(file_phrase + 1);
            used.key = key(behind);
            used.into = item_behind(behind, "INTO");
            used.from = item_behind(behind, "FROM");
        }
    }

    fn entry_point(&mut self) {
        let name = self.behind_verb().first().map(|name| unquoted(name.text).to_uppercase());
        if let Some((program, name)) = self.place.program.zip(name) {
            self.out.programs[program].entries.push(name);
        }
    }
}

/// The item or literal behind a word of a statement.
fn item_behind(operands: Tokens<'_, '_>, word: &str) -> Option<String> {
    let at = operands.iter().position(|token| token.is(word))?;
    let operand = alt((literal, identifier))
        .map(|t: Token<'_>| if t.kind == TokenKind::Word { t.upper() } else { t.text.to_owned() });
    clause(operand, operands.from(at + 1)).map(|(item, _)| item)
}

/// The item behind KEY: `KEY IS NOT LESS THAN ITEM`. The KEY of INVALID KEY is another.
fn key(operands: Tokens<'_, '_>) -> Option<String> {
    let is_own = |(at, token): &(usize, &Token<'_>)| {
        token.is("KEY") && !operands.before(*at).is_some_and(|before| before.is("INVALID"))
    };
    let at = operands.iter().enumerate().find(is_own)?.0 + 1;
    let relation = &["IS", "EQUAL", "EQUALS", "TO", "GREATER", "LESS", "THAN", "NOT", "OR"];
    let names = operands
        .from(at)
        .iter()
        .skip_while(|token| token.kind == TokenKind::Symbol || token.is_any(relation));
    names.take(1).find(|token| token.kind == TokenKind::Word).map(Token::upper)
}

/// The names after USING, without their passing modes, qualifiers and subscripts.
fn arguments(tokens: Tokens<'_, '_>) -> Vec<String> {
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let prefix =
            |words: &[&str]| token.is_any(words) && tokens.get(at + 1).is_some_and(|next| next.is("OF"));
        if token.is_any(&["BY", "REFERENCE", "CONTENT", "VALUE"]) {
            at += 1;
        } else if prefix(&["ADDRESS", "LENGTH"]) {
            let of = tokens.get(at + 2).map(Token::upper).unwrap_or_default();
            names.push(format!("{} OF {of}", token.upper()));
            at += 3;
        } else if let Some((name, taken)) = clause(identifier, tokens.from(at)) {
            names.push(name.upper());
            at += taken;
        } else {
            if token.kind == TokenKind::Literal {
                names.push(token.text.to_owned());
            }
            at += 1;
        }
    }
    names
}
