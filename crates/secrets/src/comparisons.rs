//! Secrets in comparisons: the literals that IF, EVALUATE and COMPUTE compare with an item whose name indicates a secret.

use super::code::{SecretName, SecretSearch};
use super::found_secret::SecretKind;
use war_rig_cobol::TokenKind;

impl SecretSearch<'_> {
    /// Takes the values on the right of a comparison with a name.
    pub(super) fn comparison(&mut self, at: usize, secret: &SecretName) {
        let mut next = self.operand_end(at);
        while self.is(next, &["IS", "ARE", "NOT"]) {
            next += 1;
        }
        let Some(operand) = self.operator_end(next) else { return };
        next = operand;
        if self.is(self.verb_index(at), &["COMPUTE"]) {
            let end = self.statement(at).1;
            for token in operand..end {
                self.take(token, secret, SecretKind::Moved);
            }
            return;
        }
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
            next = self.operator_end(next).unwrap_or(next);
        }
    }

    /// Returns the token after a comparison operator that begins here.
    pub(super) fn operator_end(&self, at: usize) -> Option<usize> {
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

    /// Takes the values on the left of a comparison with a name.
    pub(super) fn reversed(&mut self, at: usize, secret: &SecretName) {
        let Some(mut last) = at.checked_sub(1) else { return };
        while last > 0 && (self.is_symbol(last, &["("]) || self.is(last, &["FUNCTION", "TRIM", "UPPER-CASE"])) {
            last -= 1;
        }
        let mut compared = false;
        while last > 0
            && (self.is_symbol(last, &["=", "<", ">"]) || self.is(last, &["EQUAL", "EQUALS", "TO", "NOT", "IS"]))
        {
            compared |= !self.is(last, &["TO", "NOT", "IS"]);
            last -= 1;
        }
        if compared {
            self.take(last, secret, SecretKind::Compared);
        }
    }

    /// Returns whether an EVALUATE compares the item at a token.
    pub(super) fn is_evaluated(&self, at: usize) -> bool {
        (1..=4).any(|back| self.is(at.wrapping_sub(back), &["EVALUATE", "ALSO"]))
    }

    /// Returns the secret that the item at a token is or carries.
    fn subject(&self, at: usize) -> Option<SecretName> {
        let carried = self.carrying.get(&at);
        let carried =
            carried.map(|own| SecretName { name: own.name.clone(), grade: own.grade, only_telling: own.only_telling });
        self.secret_name(at).or(carried)
    }

    /// Takes the literals that an EVALUATE compares with a secret, in one pass over all statements.
    pub(super) fn evaluations(&mut self) {
        // The subjects of each open EVALUATE.
        let mut open: Vec<Vec<Option<SecretName>>> = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            if self.is(at, &["EVALUATE"]) {
                let mut subjects = vec![None];
                at += 1;
                while at < self.tokens.len() && !self.is(at, &["WHEN"]) && !self.is_statement_edge(at) {
                    if self.is(at, &["ALSO"]) {
                        subjects.push(None);
                    } else if let (Some(secret), Some(last)) = (self.subject(at), subjects.last_mut()) {
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
