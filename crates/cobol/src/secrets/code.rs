//! Secrets in the entries and statements of COBOL: literals that go with an item whose name says what they are.

use super::SecretKind;
use super::names::{self, Grade};
use super::passage::{Found, Hits, Passage};
use super::table::SecretTable;
use crate::lex::token::{RawToken, TokenKind};
use crate::tokens::Tokens;
use crate::words;

/// How many tokens a search looks back from a name for the statement it belongs to, so that a source of names alone takes no longer.
const BACK: usize = 100;
/// How many tokens further the value of what a literal names may stand: behind `DELIMITED BY SIZE`, or in the entry below.
const NEAR: usize = 12;
/// How many tokens a data description entry of a comment has at most, because nothing may end it.
const ENTRY_IN_COMMENT: usize = 40;

/// Adds the secrets that go with the names that are marked.
pub(super) fn search(passage: &Passage<'_>, hits: &Hits<'_>, table: &SecretTable, found: &mut Vec<Found>) {
    let mut search = Search {
        table,
        text: &passage.text,
        tokens: Tokens::of(&hits.tokens),
        is_code: passage.is_code,
        found,
        walked: 0,
    };
    let mut evaluated = false;
    for at in &hits.marked {
        if search.kind(*at) == Some(TokenKind::Literal) {
            search.variable(*at);
            search.called(*at);
            search.told(*at);
            continue;
        }
        let Some(secret) = search.secret_name(*at) else { continue };
        if *at >= search.walked {
            search.entry(*at, &secret);
        }
        search.receiver(*at, &secret);
        search.replaced(*at, &secret);
        search.comparison(*at, &secret);
        search.reversed(*at, &secret);
        evaluated |= (1..=4).any(|back| search.is(at.wrapping_sub(back), &["EVALUATE", "ALSO"]));
    }
    if evaluated {
        search.evaluations();
    }
}

/// A name and what it says.
struct Named {
    name: String,
    grade: Grade,
}

struct Search<'a> {
    table: &'a SecretTable,
    text: &'a str,
    tokens: Tokens<'a, RawToken>,
    is_code: bool,
    found: &'a mut Vec<Found>,
    /// The tokens before this one belong to entries whose group was searched.
    walked: usize,
}

impl<'a> Search<'a> {
    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.text[token.range()])
    }

    fn is(&self, at: usize, words: &[&str]) -> bool {
        self.kind(at) == Some(TokenKind::Word)
            && words.iter().any(|word| word.eq_ignore_ascii_case(self.word(at)))
    }

    fn is_symbol(&self, at: usize, symbols: &[&str]) -> bool {
        self.kind(at) == Some(TokenKind::Symbol) && symbols.contains(&self.word(at))
    }

    /// The name at a token, where it says that it stands for a secret.
    fn secret_name(&self, at: usize) -> Option<Named> {
        let word = Some(self.word(at)).filter(|_| self.kind(at) == Some(TokenKind::Word))?;
        self.table.grade(word).map(|grade| Named { name: word.to_uppercase(), grade })
    }

    /// Notes the literal or number at a token, if it may be a secret, and says whether one stands there.
    fn take(&mut self, at: usize, secret: &Named, kind: SecretKind) -> bool {
        let word = self.word(at);
        let range = self.tokens.get(at).map_or(0..0, RawToken::range);
        let (is_secret, range) = match self.kind(at) {
            Some(TokenKind::Literal) => {
                let inner = content(word);
                let start =
                    range.start + word.len() - word.trim_start_matches(|c| c != '\'' && c != '"').len() + 1;
                (is_secret_literal(word, secret.grade), start..start + inner.len())
            }
            Some(TokenKind::Word) if word.starts_with(|c: char| c.is_ascii_digit()) => {
                (names::may_be_secret_number(word, secret.grade), range)
            }
            _ => return false,
        };
        if is_secret {
            self.found.push(Found { range, kind, name: Some(secret.name.clone()) });
        }
        true
    }

    /// The level of the data description entry that begins at a token.
    fn level(&self, at: usize) -> Option<u8> {
        let token = self.tokens.get(at).filter(|token| token.kind == TokenKind::Word)?;
        let begins = token.first || at == 0 || self.kind(at - 1) == Some(TokenKind::Period);
        let level: u8 = self.word(at).parse().ok()?;
        (begins && matches!(level, 1..=49 | 66 | 77 | 78 | 88)).then_some(level)
    }

    /// The values of the entry that a name belongs to, and of the entries below it.
    fn entry(&mut self, at: usize, secret: &Named) {
        let Some(level) = at.checked_sub(1).and_then(|before| self.level(before)) else { return };
        if self.is(at + 1, &["REDEFINES"]) {
            self.redefined(at, secret);
        }
        let mut next = self.values(at, secret);
        while let Some(below) = self.level(next) {
            if !(below == 88 || (below > level && below <= 49)) {
                break;
            }
            let name = self.word(next + 1);
            if names::is_about(name) {
                next = self.end_of_entry(next + 1) + 1;
            } else {
                next = self.values(next + 1, secret);
            }
        }
        self.walked = next;
    }

    /// The values of what an item with the name of a secret describes anew, and of the entries below that.
    fn redefined(&mut self, at: usize, secret: &Named) {
        let name = self.word(at + 2);
        let is_it = |back: &usize| {
            self.word(*back).eq_ignore_ascii_case(name) && *back > 0 && self.level(*back - 1).is_some()
        };
        let mut next = (at.saturating_sub(BACK)..at).rev().find(is_it).unwrap_or(at);
        while next < at {
            next = self.values(next, secret) + 1;
        }
    }

    /// Takes the values of the entry whose name or first clause is at a token, and tells where the next entry begins.
    fn values(&mut self, at: usize, secret: &Named) -> usize {
        let end = self.end_of_entry(at);
        let mut is_list = false;
        for token in at + 1..end {
            // Other numbers of an entry are sizes.
            let is_first = self.is(token - 1, &["VALUE", "VALUES", "IS", "ARE", "AS"]);
            let is_value = is_first || is_list || self.kind(token) == Some(TokenKind::Literal);
            let is_taken = is_value && self.take(token, secret, SecretKind::Value);
            is_list = is_taken
                || (is_list && (self.is_symbol(token, &[","]) || self.is(token, &["THRU", "THROUGH"])));
        }
        end + 1
    }

    /// The period of the entry that a token belongs to.
    fn end_of_entry(&self, at: usize) -> usize {
        let most =
            if self.is_code { self.tokens.len() } else { self.tokens.len().min(at + ENTRY_IN_COMMENT) };
        let rest = self.tokens.between(at..most);
        at + rest.iter().position(|token| token.kind == TokenKind::Period).unwrap_or(rest.len())
    }

    /// What MOVE and STRING bring to a name.
    fn receiver(&mut self, at: usize, secret: &Named) {
        let floor = at.saturating_sub(BACK);
        if at > 0 && self.is(at - 1, &["INTO"]) {
            let start = (floor..at - 1).rev().find(|back| self.is_statement_edge(*back));
            if let Some(start) = start.filter(|start| self.is(*start, &["STRING"])) {
                for token in start + 1..at - 1 {
                    if !self.is(token - 1, &["BY"]) {
                        self.take(token, secret, SecretKind::Moved);
                    }
                }
            }
            return;
        }
        let back = (floor..at).rev().find(|back| self.is(*back, &["TO"]) || self.is_statement_edge(*back));
        let Some(to) = back.filter(|to| self.is(*to, &["TO"])) else { return };
        let start = (floor..to).rev().find(|back| self.is_statement_edge(*back));
        if let Some(start) = start.filter(|start| self.is(*start, &["MOVE"])) {
            for token in start + 1..to {
                self.take(token, secret, SecretKind::Moved);
            }
        }
    }

    /// What SET puts into a name, INSPECT and INITIALIZE put in place of something in it, and UNSTRING takes apart into it.
    fn replaced(&mut self, at: usize, secret: &Named) {
        let floor = at.saturating_sub(BACK);
        let start = (floor..=at).rev().find(|back| self.is_statement_edge(*back)).unwrap_or(floor);
        if self.is(start, &["UNSTRING"]) && self.kind(start + 1) == Some(TokenKind::Literal) {
            if (start..at).any(|token| self.is(token, &["INTO"])) {
                self.take(start + 1, secret, SecretKind::Moved);
            }
            return;
        }
        if self.is(start, &["SET"]) && self.is(at + 1, &["TO"]) {
            self.take(at + 2, secret, SecretKind::Moved);
        }
        if !self.is(start, &["INSPECT", "INITIALIZE"]) {
            return;
        }
        let end = (at + 1..at + BACK).find(|next| self.is_statement_edge(*next)).unwrap_or(at + BACK);
        for token in at + 1..end {
            if self.is(token - 1, &["BY"]) {
                self.take(token, secret, SecretKind::Moved);
            }
        }
    }

    /// Whether a literal stands at a token that says itself that it is a secret, where one is spoken of. It is noted then.
    fn take_telling(&mut self, at: usize, name: &str) {
        let value = content(self.word(at)).trim_end_matches(')');
        if self.kind(at) == Some(TokenKind::Literal) && names::looks_it(value) {
            let secret = Named { name: name.to_uppercase(), grade: Grade::Phrase };
            self.take(at, &secret, SecretKind::Moved);
        }
    }

    /// What a program is handed over that is called like what checks or sets a password.
    fn called(&mut self, at: usize) {
        let name = content(self.word(at));
        let upper = name.to_ascii_uppercase();
        let checks = ["LOGON", "LOGIN", "SIGNON", "RACF", "_BIND", "VERIFYPW", "FTP", "CRYPT", "CIPHER"]
            .iter()
            .any(|part| upper.contains(part));
        if !(checks || self.table.grade(name).is_some()) || at == 0 || !self.is(at - 1, &["CALL", "INVOKE"]) {
            return;
        }
        let end = (at + 1..at + BACK).find(|next| self.is_statement_edge(*next)).unwrap_or(at + BACK);
        for token in at + 1..end {
            self.take_telling(token, name);
        }
    }

    /// What stands behind a literal that ends with the name of a secret and says no more: the value of a variable, a header or a parameter that is put together.
    fn told(&mut self, at: usize) {
        let text = content(self.word(at)).trim_end();
        let tag = text.strip_prefix('<').filter(|tag| tag.ends_with('>'));
        // Behind the end of an element stands nothing of it.
        if tag.is_some_and(|tag| tag.starts_with('/')) {
            return;
        }
        let tag = tag.and_then(|tag| tag.split([' ', '>']).next()?.rsplit(':').next());
        let name = text.trim_end_matches(['=', ':', '(']).trim_end();
        let name = tag.or(name.rsplit([' ', ';', '&', '?', ',', '/']).next()).unwrap_or(name);
        let is_header = ["Basic", "Bearer"].iter().any(|scheme| scheme.eq_ignore_ascii_case(name))
            || text.to_ascii_uppercase().ends_with("IDENTIFIED BY");
        let is_label = tag.is_some() || text.ends_with(['=', ':', '(']) || !text.contains(' ') || is_header;
        if !is_label || !(is_header || self.table.grade(name).is_some()) {
            return;
        }
        // In the same statement, or as the value of the item below.
        let next = (at + 1..at + NEAR).find(|next| self.kind(*next) == Some(TokenKind::Literal));
        let is_other = |word: &usize| {
            self.kind(*word) == Some(TokenKind::Word)
                && self.is_statement_edge(*word)
                && !self.is(*word, &["DISPLAY"])
        };
        if let Some(next) = next.filter(|next| !(at + 1..*next).any(|word| is_other(&word))) {
            self.take_telling(next, name);
        }
    }

    /// Whether no statement reaches over a token, its verb aside.
    fn is_statement_edge(&self, at: usize) -> bool {
        match self.kind(at) {
            Some(TokenKind::Word) => {
                words::is_verb(self.word(at)) || self.is(at, &["ELSE", "THEN", "WHEN"]) || {
                    let head = self.word(at).as_bytes().get(..4);
                    head.is_some_and(|head| head.eq_ignore_ascii_case(b"END-"))
                }
            }
            Some(TokenKind::Literal | TokenKind::Symbol) => false,
            _ => true,
        }
    }

    /// What a name is compared with, on its right.
    fn comparison(&mut self, at: usize, secret: &Named) {
        let mut next = self.behind_operand(at);
        while self.is(next, &["IS", "ARE", "NOT"]) {
            next += 1;
        }
        let Some(operand) = self.behind_operator(next) else { return };
        next = operand;
        loop {
            let mut literal = next;
            while self.is_symbol(literal, &["("])
                || (self.is(literal, &["FUNCTION", "ALL"]) || self.is(literal.wrapping_sub(1), &["FUNCTION"]))
            {
                literal += 1;
            }
            if !self.take(literal, secret, SecretKind::Compared) {
                return;
            }
            // IF A = 'x' OR 'y' OR = 'z'
            next = literal + 1;
            while self.is_symbol(next, &[")"]) {
                next += 1;
            }
            if !self.is(next, &["OR", "AND"]) {
                return;
            }
            next += 1;
            while self.is(next, &["IS", "NOT"]) {
                next += 1;
            }
            next = self.behind_operator(next).unwrap_or(next);
        }
    }

    /// The token behind a name with its qualifiers, subscripts and the function it is handed to.
    fn behind_operand(&self, at: usize) -> usize {
        let mut next = at + 1;
        let most = at + BACK;
        while next < most {
            if self.is(next, &["OF", "IN"]) {
                next += 2;
            } else if self.is_symbol(next, &["("]) {
                while next < most && !self.is_symbol(next, &[")"]) {
                    next += 1;
                }
                next += 1;
            } else if self.is_symbol(next, &[")"]) {
                next += 1;
            } else {
                break;
            }
        }
        next
    }

    /// The token behind a comparison that begins here.
    fn behind_operator(&self, at: usize) -> Option<usize> {
        let mut next = at;
        while self.is_symbol(next, &["=", "<", ">"]) {
            next += 1;
        }
        if next == at && self.is(next, &["EQUAL", "EQUALS", "UNEQUAL", "GREATER", "LESS"]) {
            next += 1;
            while self.is(next, &["TO", "THAN", "OR", "EQUAL"]) {
                next += 1;
            }
        }
        (next > at).then_some(next)
    }

    /// What a name is compared with, on its left.
    fn reversed(&mut self, at: usize, secret: &Named) {
        let Some(mut last) = at.checked_sub(1) else { return };
        while last > 0 && (self.is_symbol(last, &["("]) || self.is(last, &["FUNCTION", "TRIM", "UPPER-CASE"]))
        {
            last -= 1;
        }
        let mut compared = false;
        while last > 0
            && (self.is_symbol(last, &["=", "<", ">"])
                || self.is(last, &["EQUAL", "EQUALS", "TO", "NOT", "IS"]))
        {
            compared |= !self.is(last, &["TO", "NOT", "IS"]);
            last -= 1;
        }
        if compared && self.kind(last) == Some(TokenKind::Literal) {
            self.take(last, secret, SecretKind::Compared);
        }
    }

    /// What stands behind a literal that names a secret: SET ENVIRONMENT 'DB_PASSWORD' TO 'x', and STRING 'PWD=' 'x'.
    fn variable(&mut self, at: usize) {
        let content = content(self.word(at)).trim_end();
        let (name, value) = if let Some(before) = content.strip_suffix('=') {
            let part = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
            let mut value = at + 1;
            while self.is(value, &["DELIMITED", "BY", "SIZE"]) {
                value += 1;
            }
            (before.trim_end().rsplit(part).next().unwrap_or_default(), value)
        } else if self.is(at + 1, &["TO"]) && at > 0 && self.is(at - 1, &["ENVIRONMENT"]) {
            (content, at + 2)
        } else {
            return;
        };
        if let Some(grade) = self.table.grade(name)
            && self.kind(value) == Some(TokenKind::Literal)
        {
            self.take(value, &Named { name: name.to_uppercase(), grade }, SecretKind::Moved);
        }
    }

    /// The literals that an EVALUATE compares with a secret, in one pass over all statements.
    fn evaluations(&mut self) {
        // For each EVALUATE that is open its subjects.
        let mut open: Vec<Vec<Option<Named>>> = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            if self.is(at, &["EVALUATE"]) {
                let mut subjects = vec![None];
                at += 1;
                while at < self.tokens.len() && !self.is(at, &["WHEN"]) && !self.is_statement_edge(at) {
                    if self.is(at, &["ALSO"]) {
                        subjects.push(None);
                    } else if let (Some(secret), Some(last)) = (self.secret_name(at), subjects.last_mut()) {
                        *last = Some(secret);
                    }
                    at += 1;
                }
                open.push(subjects);
                continue;
            }
            if self.is(at, &["END-EVALUATE"]) {
                open.pop();
            } else if self.kind(at) == Some(TokenKind::Period) {
                open.clear();
            } else if self.is(at, &["WHEN"])
                && let Some(subjects) = open.pop()
            {
                let mut subject = 0;
                at += 1;
                while at < self.tokens.len() && !self.is_statement_edge(at) {
                    if self.is(at, &["ALSO"]) {
                        subject += 1;
                    } else if let Some(Some(secret)) = subjects.get(subject) {
                        self.take(at, secret, SecretKind::Compared);
                    }
                    at += 1;
                }
                open.push(subjects);
                continue;
            }
            at += 1;
        }
    }
}

/// The characters of a literal, without its quotes and prefix.
pub(super) fn content(literal: &str) -> &str {
    let body = literal.trim_start_matches(|c| c != '\'' && c != '"');
    let Some(quote) = body.chars().next() else { return "" };
    let inner = &body[1..];
    inner.strip_suffix(quote).unwrap_or(inner)
}

fn is_secret_literal(literal: &str, grade: Grade) -> bool {
    let inner = content(literal);
    if !literal.starts_with(['x', 'X']) {
        return names::may_be_secret(inner, grade);
    }
    // Hexadecimal digits, two a byte: three bytes or more that are not all the same.
    let (pairs, rest) = inner.as_bytes().as_chunks::<2>();
    grade != Grade::Perhaps
        && rest.is_empty()
        && pairs.len() >= 3
        && pairs.iter().any(|pair| *pair != pairs[0])
}
