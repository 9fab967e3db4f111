//! Decisions about who may do what: conditions on items that CICS fills with what it knows of the user, and on items whose names speak of a
//! user's role.

use super::StaticWriter;
use foldhash::HashSet;
use war_rig_cobol::{Condition, Decision, ExecKind, ParsedCobol, WordKind};

/// The options by which CICS says who the user is, and what the user may do.
const OF_USERS: [&str; 8] = ["USERID", "USERNAME", "OPID", "OPCLASS", "OPSECURITY", "ALTER", "CONTROL", "UPDATE"];

/// Words of names that speak of rights.
const OF_RIGHTS: [&str; 4] = ["PERMISSION", "PERMISSIONS", "PRIVILEGE", "PRIVILEGES"];

/// Words for a user, and for what a user may do.
const USERS: [&str; 7] = ["USER", "USR", "OPERATOR", "OPER", "ACCESS", "SEC", "SECURITY"];

/// What follows a word for a user where a name speaks of the user's role.
const ROLES: [&str; 8] = ["TYPE", "TYP", "ROLE", "LEVEL", "LVL", "CLASS", "GROUP", "GRP"];

impl StaticWriter<'_, '_> {
    /// Returns whether a decision depends on who the user is, or on the user's rights. An item that is compared with another item or with
    /// blanks is a field of a form.
    pub(super) fn is_about_rights(&self, decision: &Decision) -> bool {
        let is_of_user = |name: &str| self.reading.about_users.contains(name) || speaks_of_rights(name);
        decision.condition.iter().flat_map(Condition::leaves).any(|leaf| {
            let (operand, is_asked) = match leaf {
                Condition::Comparison { left, relation, right } => {
                    let is_value = right.words().first().is_some_and(|value| value.kind != WordKind::Name);
                    (left, relation.is_order() || is_value)
                }
                Condition::ConditionName { name, .. } => (name, true),
                _ => return false,
            };
            let name = operand.words().first().map(|name| name.text.to_uppercase()).unwrap_or_default();
            let about = self.reading.condition_names.get(name.as_str()).map(|(item, _)| *item);
            let is_admin = about.is_some() && name.split(['-', '_']).any(|word| word == "ADMIN");
            is_asked && (is_of_user(&name) || is_admin || about.is_some_and(is_of_user))
        })
    }
}

/// Returns the items that CICS fills with what it knows of the user.
pub(super) fn filled_by_cics(parsed: &ParsedCobol) -> HashSet<String> {
    let asks = parsed.execs.iter().filter(|exec| {
        exec.kind == ExecKind::Cics && (exec.command == "ASSIGN" || exec.command.starts_with("QUERY SECURITY"))
    });
    let options = asks.flat_map(|exec| OF_USERS.iter().filter_map(|option| exec.option(option)));
    options.map(|item| item.trim().to_uppercase()).collect()
}

/// Returns whether a name speaks of a user's rights: `CDEMO-USRTYP-ADMIN`, `USER-ROLE`. Of an administrator only condition names speak, since items
/// such as `ADMIN-OPTION` are about menus.
fn speaks_of_rights(name: &str) -> bool {
    let words: Vec<&str> = name.split(['-', '_']).collect();
    // The type of an access says how a file is opened.
    let is_role = |user: &str, word: &str| ROLES.contains(&word) && !(user == "ACCESS" && word.starts_with("TYP"));
    let is_one = |word: &str| USERS.iter().any(|user| word.strip_prefix(user).is_some_and(|role| is_role(user, role)));
    let are_two = words.windows(2).any(|pair| USERS.contains(&pair[0]) && is_role(pair[0], pair[1]));
    are_two || words.iter().any(|word| OF_RIGHTS.contains(word) || is_one(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_speak_of_rights_by_whole_words() {
        for name in ["CDEMO-USRTYP-ADMIN", "WS-USER-TYPE", "USERROLE", "SEC-OPER-LVL", "CA-ACCESS-LEVEL", "USR_GROUP"] {
            assert!(speaks_of_rights(name), "{name}");
        }
        for name in
            ["USER-NAME", "SEC-USR-ID", "CARD-TYPE", "ADMINISTERED-DOSE", "EMP-ROLE", "TYPE-OF-USER", "ACCESS-TYPE"]
        {
            assert!(!speaks_of_rights(name), "{name}");
        }
    }
}
