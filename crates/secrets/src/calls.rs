//! Secrets next to a literal or an item that names them, in the operands of a statement: arguments of a CALL, environment variables, texts
//! that are assembled, protocol commands.

use super::code::{MAX_LOOKBACK, MAX_VALUE_DISTANCE, SecretName, SecretSearch, content};
use super::found_secret::SecretKind;
use super::names::{self, SecretGrade};
use super::passage::SecretRange;
use super::prose;
use war_rig_cobol::TokenKind;

/// Words that begin an entry or a directive, and so end the text before them.
const OTHER_ENTRIES: &[&str] = &["COPY", "REPLACE", "SELECT", "FD", "SD", "RD", "PROGRAM-ID", "SECTION", "DIVISION"];

impl SecretSearch<'_> {
    /// Records the literal at a token, in a context that mentions secrets, if it clearly looks like a secret itself.
    pub(super) fn take_self_evident(&mut self, at: usize, name: &str) {
        let value = content(self.word(at)).trim_end_matches(')');
        if self.kind(at) == Some(TokenKind::Literal) && names::looks_like_secret(value) {
            let secret = SecretName::new(name, SecretGrade::Phrase);
            self.take(at, &secret, SecretKind::Moved);
        }
    }

    /// Takes the arguments of a program whose name suggests that it checks or sets a password.
    pub(super) fn check_call(&mut self, at: usize) {
        let name = content(self.word(at));
        let upper = name.to_ascii_uppercase();
        let connects = ["LOGON", "LOGIN", "SIGNON", "CONNECT"].iter().any(|part| upper.contains(part));
        let checks = ["RACF", "_BIND", "VERIFYPW", "FTP", "CRYPT", "CIPHER"].iter().any(|part| upper.contains(part));
        let grade = self.table.grade_of_name(name);
        if !(connects || checks || grade.is_some()) || at == 0 {
            return;
        }
        // A method follows its object.
        let (start, end) = self.statement(at);
        let is_called = self.is(at - 1, &["CALL", "INVOKE"]) || (self.is(start, &["INVOKE"]) && start + 2 == at);
        if !is_called {
            return;
        }
        let literals: Vec<usize> = (at + 1..end).filter(|next| self.kind(*next) == Some(TokenKind::Literal)).collect();
        let is_sure = matches!(grade, Some(SecretGrade::Password | SecretGrade::Phrase | SecretGrade::Pin));
        for token in &literals {
            let value = content(self.word(*token)).trim();
            // The user comes first, and the password last.
            let is_last = connects && literals.len() > 1 && literals.last() == Some(token);
            if (is_last && (prose::is_plain(value) || prose::is_numbered(value)))
                || (is_sure && prose::is_numbered(value) && !value.contains('_'))
            {
                self.take(*token, &SecretName::new(name, SecretGrade::Phrase), SecretKind::Moved);
            } else if is_sure && literals.len() == 1 && prose::is_plain(value) {
                self.take(*token, &SecretName::new(name, SecretGrade::Password), SecretKind::Moved);
            } else {
                self.take_self_evident(*token, name);
            }
        }
    }

    /// Takes a literal argument of a CALL next to a secret's item.
    pub(super) fn take_argument(&mut self, at: usize, secret: &SecretName) {
        if matches!(secret.grade, SecretGrade::Material | SecretGrade::Pair)
            || !self.is(self.verb_index(at), &["CALL", "INVOKE"])
        {
            return;
        }
        let is_sure = matches!(secret.grade, SecretGrade::Password | SecretGrade::Phrase | SecretGrade::Pin);
        let (start, end) = self.statement(at);
        let Some(using) = (start..at).find(|token| self.is(*token, &["USING"])) else { return };
        let is_beside = |token: usize| {
            let (first, last) = (token.min(at), token.max(at));
            (first + 1..last).all(|between| self.is(between, &["BY", "CONTENT", "REFERENCE", "VALUE"]))
        };
        let beside: Vec<(usize, bool)> = (using..end).map(|token| (token, is_beside(token))).collect();
        for (token, is_beside) in beside {
            let value = content(self.word(token)).trim();
            if self.kind(token) == Some(TokenKind::Literal)
                && (names::looks_like_secret(value)
                    || (is_sure && names::is_numbered_word(value))
                    || (is_sure && is_beside && prose::is_plain(value) && value.len() > 5))
                && !value.contains(['-', '_'])
            {
                self.take(token, &SecretName::new(&secret.name, SecretGrade::Phrase), SecretKind::Moved);
            }
        }
    }

    /// Takes `PASS x` of FTP and POP3: in a literal, after one with `USER x`.
    pub(super) fn take_pass_command(&mut self, at: usize) {
        let inner = self.inner(at);
        let Some(value) = content(self.word(at)).strip_prefix("PASS ").map(str::trim) else { return };
        let floor = at.saturating_sub(MAX_LOOKBACK);
        let is_user = |token: &usize| {
            self.kind(*token) == Some(TokenKind::Literal) && content(self.word(*token)).starts_with("USER ")
        };
        if value.contains(' ')
            || !(prose::is_plain(value) || prose::is_numbered(value))
            || !(floor..at).any(|token| is_user(&token))
        {
            return;
        }
        let range = inner.start + 5..inner.end;
        self.found.push(SecretRange { range, kind: SecretKind::Keyed, name: Some("PASS".to_owned()) });
    }

    /// Takes base64 text after a literal that starts a logon: `AUTH LOGIN`, and two more lines.
    pub(super) fn take_encoded_logon(&mut self, at: usize) {
        let text = content(self.word(at)).trim().to_ascii_uppercase();
        let text = text.trim_end_matches("\\R\\N").trim_end();
        if !["AUTH LOGIN", "AUTH PLAIN", "AUTH", "BASIC", "AUTHORIZATION"].contains(&text) {
            return;
        }
        for token in at + 1..at + MAX_LOOKBACK {
            if self.kind(token) == Some(TokenKind::Literal) && names::is_encoded(content(self.word(token)).trim()) {
                let range = self.inner(token);
                self.found.push(SecretRange { range, kind: SecretKind::Moved, name: Some(text.to_owned()) });
            }
        }
    }

    /// Takes the value after a literal that ends with a secret's name: the value of a variable, a header or a parameter in an assembled text.
    pub(super) fn take_labeled_value(&mut self, at: usize) {
        let text = content(self.word(at)).trim_end();
        // In `{"secret":"` the value follows.
        let text = text.trim_end_matches('"');
        let tag = text.strip_prefix('<').filter(|tag| tag.ends_with('>'));
        // Text after a closing tag does not belong to the element.
        if tag.is_some_and(|tag| tag.starts_with('/')) {
            return;
        }
        let tag = tag.and_then(|tag| tag.split([' ', '>']).next()?.rsplit(':').next());
        let name = text.trim_end_matches(['=', ':', '(']).trim_end();
        let name =
            tag.or(name.trim_end_matches('"').rsplit([' ', ';', '&', '?', ',', '/', '"', '{']).next()).unwrap_or(name);
        let is_header = ["Basic", "Bearer"].iter().any(|scheme| scheme.eq_ignore_ascii_case(name))
            || text.to_ascii_uppercase().ends_with("IDENTIFIED BY");
        let is_label = tag.is_some() || text.ends_with(['=', ':', '(']) || !text.contains(' ') || is_header;
        if !is_label || !(is_header || self.table.grade_of_name(name).is_some_and(|grade| grade != SecretGrade::Pair)) {
            return;
        }
        // In the same statement, or as the value of the next item.
        let next = (at + 1..at + MAX_VALUE_DISTANCE).find(|next| self.kind(*next) == Some(TokenKind::Literal));
        let is_marked = tag.is_some() || is_header || text.ends_with(['=', ':', '(']);
        let is_other = |word: &usize| match self.kind(*word) {
            Some(TokenKind::Word) => {
                self.is(*word, OTHER_ENTRIES) || (self.is_statement_edge(*word) && !self.is(*word, &["DISPLAY"]))
            }
            Some(TokenKind::Period) => !self.may_continue(at, *word, is_marked),
            _ => false,
        };
        if let Some(next) = next.filter(|next| !(at + 1..*next).any(|word| is_other(&word))) {
            let value = content(self.word(next)).trim();
            let is_sure = self
                .table
                .grade_of_name(name)
                .is_some_and(|grade| matches!(grade, SecretGrade::Password | SecretGrade::Phrase));
            let is_close = (at + 1..next).all(|word| self.is(word, &["DELIMITED", "BY", "SIZE"]));
            // The end of what the label begins is not a value.
            if is_close && is_sure && tag.is_none() && (prose::is_plain(value) || prose::is_numbered(value)) {
                self.take(next, &SecretName::new(name, SecretGrade::Password), SecretKind::Moved);
            } else {
                self.take_self_evident(next, name);
            }
        }
    }

    /// Returns whether the value of a label may come after a period: in the next DISPLAY, or in the next item. The value of an item with a name belongs
    /// to that item alone, unless a mark shows that something follows.
    fn may_continue(&self, label: usize, period: usize, is_marked: bool) -> bool {
        let floor = label.saturating_sub(MAX_LOOKBACK);
        let before = (floor..label).rev().find(|back| self.kind(*back) == Some(TokenKind::Period));
        let entry = before.map_or(floor, |before| before + 1);
        if self.entry_level(entry).is_none() {
            return self.is(period + 1, &["DISPLAY"]);
        }
        let is_unnamed = self.is(entry + 1, &["FILLER", "VALUE", "PIC", "PICTURE", "REDEFINES"]);
        self.entry_level(period + 1).is_some() && (is_marked || is_unnamed)
    }

    /// Takes the value after a literal that names a secret: SET ENVIRONMENT 'DB_PASSWORD' TO 'x', and STRING 'PWD=' 'x'.
    pub(super) fn take_variable(&mut self, at: usize) {
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
        } else if let Some(value) = self.variable_value(at) {
            (content, value)
        } else if let Some(value) = self.value_of_name(at) {
            (content, value)
        } else {
            return;
        };
        if let Some(grade) = self.table.grade_of_name(name).filter(|grade| *grade != SecretGrade::Pair)
            && self.kind(value) == Some(TokenKind::Literal)
        {
            self.take(value, &SecretName::new(name, grade), SecretKind::Moved);
        }
    }

    /// Returns the literal or item displayed upon ENVIRONMENT-VALUE after a name displayed upon ENVIRONMENT-NAME, or moved to an item that is.
    pub(super) fn variable_value(&self, at: usize) -> Option<usize> {
        let upon = |from: usize, words: &[&str]| {
            let name =
                (from..at + MAX_LOOKBACK).find(|next| self.is(*next, &["ENVIRONMENT-NAME", "ENVIRONMENT-VALUE"]))?;
            (self.is(name, words) && self.is(name - 1, &["UPON"])).then_some(name)
        };
        let name = if self.is(at + 2, &["ENVIRONMENT-NAME"]) {
            Some(at + 2)
        } else if self.is(at + 1, &["TO"]) && at > 0 && self.is(at - 1, &["MOVE"]) {
            upon(at + 2, &["ENVIRONMENT-NAME"])
                .filter(|name| self.word(name - 2).eq_ignore_ascii_case(self.word(at + 2)))
        } else {
            None
        };
        upon(name? + 1, &["ENVIRONMENT-VALUE"]).map(|value| value - 2)
    }

    /// Returns the value for a name in a literal: the next literal if a program sets a variable, or the next MOVE after a MOVE of the name.
    pub(super) fn value_of_name(&self, at: usize) -> Option<usize> {
        let start = self.verb_index(at);
        if !self.is(start, &["CALL", "MOVE"]) {
            return None;
        }
        let end = self.statement(at).1;
        let word_of = |at: usize, words: &[&str]| {
            self.word(at).split(['-', '_']).any(|word| words.iter().any(|one| one.eq_ignore_ascii_case(word)))
        };
        if self.is(start, &["CALL"]) {
            let program = content(self.word(start + 1)).to_ascii_uppercase();
            let sets = ["SET", "PUT", "ENV", "PROP", "PARM", "PARAM"].iter().any(|part| program.contains(part))
                && at > start + 1;
            return (at + 1..end).find(|next| self.kind(*next) == Some(TokenKind::Literal)).filter(|_| sets);
        }
        let names = self.is(start, &["MOVE"])
            && start + 1 == at
            && word_of(at + 2, &["NAME", "KEY", "VAR", "VARIABLE", "PARM", "PARAM", "PROPERTY", "FIELD"]);
        let next = (end..end + 2).find(|next| self.is(*next, &["MOVE"])).filter(|_| names)?;
        word_of(next + 3, &["VALUE", "VAL", "DATA", "TEXT", "CONTENT"]).then_some(next + 1)
    }
}
