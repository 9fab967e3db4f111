//! The ENVIRONMENT DIVISION: sections, FILE-CONTROL, and the currency signs and the items of the system in SPECIAL-NAMES.
//!
//! ```text
//! select = "SELECT" [ "OPTIONAL" ] name { clause } "."
//! clause = "ASSIGN" [ "TO" ] name | [ "ORGANIZATION" [ "IS" ] ] organization | "ACCESS" [ "MODE" ] [ "IS" ] mode
//!        | [ "ALTERNATE" ] ( "RECORD" | "RELATIVE" ) [ "KEY" ] [ "IS" ] name | [ "FILE" ] "STATUS" [ "IS" ] name
//! system = ( "CRT" "STATUS" | "CURSOR" ) [ "IS" ] name
//! currency = "CURRENCY" [ "SIGN" ] [ "IS" ] literal [ "WITH" ] "PICTURE" "SYMBOL" literal
//! ```

use super::Parser;
use super::grammar::{ParseResult, Tokens, identifier, literal, name, one_of, parse_clause, token, unquoted, word};
use crate::lex::token::TokenKind;
use crate::model::{FileControl, FilePath};
use crate::stream::Token;
use nom::Parser as _;
use nom::branch::alt;
use nom::combinator::opt;
use nom::sequence::preceded;

impl<'t, 's> Parser<'t, 's> {
    pub(super) fn environment_entry(&mut self) {
        if self.plain_section() {
            return;
        }
        let Some(first) = self.peek(0) else { return };
        if first.is("SELECT") {
            self.select();
        } else {
            if first.is("CURRENCY") {
                self.currency_sign();
            }
            if let Some((item, _)) = parse_clause(item_of_system, self.tokens.from(self.at)) {
                self.out.set_by_system.push((self.place.program, item.upper()));
            }
            self.note_names(self.tokens.slice(self.at..self.at + 1));
            self.out.has_decimal_comma |= first.is("DECIMAL-POINT");
            self.at += 1;
        }
    }

    /// A picture represents a sign of several characters by a symbol of one character.
    fn currency_sign(&mut self) {
        let symbol_word =
            token(|t| matches!(t.kind, TokenKind::Picture | TokenKind::Word) && t.text.eq_ignore_ascii_case("SYMBOL"));
        let sign = preceded((word("CURRENCY"), opt(word("SIGN")), opt(word("IS"))), literal);
        let symbol = preceded((opt(word("WITH")), word("PICTURE"), symbol_word), literal);
        if let Some(((sign, symbol), _)) = parse_clause((sign, symbol), self.tokens.from(self.at)) {
            let length = unquoted(sign.text).chars().count() as u64;
            self.data.currency.extend(unquoted(symbol.text).to_uppercase().chars().next().map(|c| (c, length)));
        }
    }

    fn select(&mut self) {
        let Some(select) = self.peek(0) else { return };
        self.marks.mark(&select, crate::BoundaryLevel::Paragraph);
        let start = self.at;
        self.at += 1;
        while self.peek(0).is_some_and(|token| token.kind != TokenKind::Period && !token.is("SELECT"))
            && !self.is_header(self.at)
        {
            self.at += 1;
        }
        let entry = self.tokens.slice(start + 1..self.at);
        self.skip_period();
        self.note_names(entry);
        let Some(((optional, file_name), taken)) = parse_clause((opt(word("OPTIONAL")), name), entry) else {
            return;
        };
        let mut file = FileControl {
            name: file_name.upper(),
            optional: optional.is_some(),
            organization: "SEQUENTIAL".to_owned(),
            line: (file_name.file == 0).then_some(file_name.line),
            program: self.place.program,
            ..FileControl::default()
        };
        let mut at = taken;
        while at < entry.len() {
            match parse_clause(select_clause, entry.from(at)) {
                Some((found, taken)) => {
                    apply(&mut file, found);
                    at += taken;
                }
                None => at += 1,
            }
        }
        self.files.entry((file.program, file.name.clone())).or_insert(self.out.files.len());
        self.out.files.push(file);
    }
}

/// The item that the run-time system sets when a screen has been read.
fn item_of_system<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, Token<'s>> {
    let names = alt((preceded(word("CRT"), word("STATUS")), word("CURSOR")));
    preceded((names, opt(word("IS"))), name).parse(input)
}

enum SelectClause {
    Assign(String, Option<FilePath>),
    Organization(String),
    Access(String),
    Key(String),
    AlternateKey(String),
    Status(String),
}

fn select_clause<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, SelectClause> {
    let is = || opt(one_of(&["IS", "ARE"]));
    let by_literal = literal.map(|t| {
        let name = unquoted(t.text);
        SelectClause::Assign(name.to_owned(), name.contains(['/', '\\', '.']).then_some(FilePath::Literal))
    });
    let by_word = identifier.map(|t| SelectClause::Assign(t.upper(), Some(FilePath::Item)));
    alt((
        preceded(
            (word("ASSIGN"), opt(one_of(&["TO", "USING"])), word("EXTERNAL")),
            identifier.map(|t| SelectClause::Assign(t.upper(), None)),
        ),
        preceded(
            (word("ASSIGN"), opt(one_of(&["TO", "USING"])), opt(one_of(&["DYNAMIC", "DISK", "PRINTER"]))),
            by_literal,
        ),
        preceded((word("ASSIGN"), opt(one_of(&["TO", "USING"])), opt(word("DYNAMIC"))), by_word),
        preceded(
            opt((one_of(&["ORGANIZATION", "ORGANISATION"]), is())),
            (word("LINE"), word("SEQUENTIAL")).map(|_| "LINE SEQUENTIAL".to_owned()),
        )
        .map(SelectClause::Organization),
        preceded(
            (one_of(&["ORGANIZATION", "ORGANISATION"]), is(), opt(one_of(&["RECORD", "BINARY"]))),
            one_of(&["SEQUENTIAL", "INDEXED", "RELATIVE", "TRANSACTION"]).map(|t| t.upper()),
        )
        .map(SelectClause::Organization),
        preceded(
            (word("ACCESS"), opt(word("MODE")), is()),
            one_of(&["SEQUENTIAL", "RANDOM", "DYNAMIC"]).map(|t| t.upper()),
        )
        .map(SelectClause::Access),
        preceded((word("ALTERNATE"), opt(word("RECORD")), opt(word("KEY")), is()), identifier)
            .map(|t| SelectClause::AlternateKey(t.upper())),
        preceded((word("RECORD"), opt(word("KEY")), is()), identifier.map(|t| t.upper())).map(SelectClause::Key),
        preceded((word("RELATIVE"), word("KEY"), is()), identifier.map(|t| t.upper())).map(SelectClause::Key),
        one_of(&["INDEXED", "RELATIVE"]).map(|t| SelectClause::Organization(t.upper())),
        preceded((opt(word("FILE")), word("STATUS"), is()), identifier.map(|t| t.upper())).map(SelectClause::Status),
    ))
    .parse(input)
}

fn apply(file: &mut FileControl, clause: SelectClause) {
    match clause {
        SelectClause::Assign(target, path) => (file.assign, file.path) = (Some(target), path),
        SelectClause::Organization(organization) => file.organization = organization,
        SelectClause::Access(access) => file.access = Some(access),
        SelectClause::Key(key) => file.key = file.key.take().or(Some(key)),
        SelectClause::AlternateKey(key) => file.alternate_keys.push(key),
        SelectClause::Status(status) => file.status = Some(status),
    }
}
