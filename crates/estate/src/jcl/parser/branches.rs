//! IF, ELSE and ENDIF.

use super::super::model::IfCondition;
use super::super::scanner::JclStatement;
use super::JclParser;

/// The maximum nesting of IF, as in the system.
pub(in crate::jcl) const MOST_CONDITIONS: usize = 15;

impl JclParser<'_> {
    pub(super) fn condition(&mut self, statement: &JclStatement) {
        let lines = statement.lines();
        self.head(Some(""), lines);
        let open = self.open(lines);
        if open.conditions.len() == MOST_CONDITIONS {
            open.deeper += 1;
            return self.warn("deep-if", lines.start(), format!("IF nests deeper than {MOST_CONDITIONS}"));
        }
        open.conditions.push(IfCondition { text: statement.operands.clone(), holds: true, lines, file: None });
    }

    pub(super) fn otherwise(&mut self, statement: &JclStatement) {
        let open = self.open(statement.lines());
        if open.deeper > 0 {
            return;
        }
        match open.conditions.last_mut().filter(|condition| condition.holds) {
            Some(condition) => condition.holds = false,
            None => self.warn("else-without-if", statement.lines().start(), "ELSE belongs to no IF".to_owned()),
        }
    }

    pub(super) fn endif(&mut self, statement: &JclStatement) {
        let open = self.open(statement.lines());
        if open.deeper > 0 {
            open.deeper -= 1;
        } else if open.conditions.pop().is_none() {
            self.warn("endif-without-if", statement.lines().start(), "ENDIF ends no IF".to_owned());
        }
    }
}
