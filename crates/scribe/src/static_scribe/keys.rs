//! The keys of the terminal that conditions ask for: the values of EIBAID, and the condition names that a program sets from them.

use foldhash::{HashMap, HashMapExt};
use war_rig_cobol::{Condition, Decisions, ParsedCobol, RelationalOperator, is_terminal_key};

/// How many keys one condition name may stand for.
const MOST: usize = 8;

/// Returns the key that a comparison of EIBAID asks for, by its name on the keyboard.
pub(super) fn key(condition: &Condition) -> Option<String> {
    let Condition::Comparison { left, relation: RelationalOperator::Equal, right } = condition else { return None };
    if !is_terminal_key(right) || !left.text().eq_ignore_ascii_case("EIBAID") {
        return None;
    }
    let key = right.text().to_uppercase();
    let key = key.strip_prefix("DFH")?;
    Some(match key {
        "ENTER" => "Enter".to_owned(),
        "CLEAR" => "Clear".to_owned(),
        other => other.to_owned(),
    })
}

/// Returns the condition names that a program makes true under the condition of a key, each with its keys. The statements may be in a copybook.
pub(super) fn keys_of_names(parsed: &ParsedCobol, decisions: Decisions<'_>) -> HashMap<String, Vec<String>> {
    let mut keys: HashMap<String, Vec<String>> = HashMap::new();
    for statement in &parsed.statements {
        let key = statement.branch.and_then(|branch| decisions.condition(branch)).and_then(key);
        let Some(key) = key else { continue };
        for name in decisions.assigned_constants(statement).iter().filter_map(|constant| constant.condition_name) {
            let known = keys.entry(name.to_owned()).or_default();
            if known.len() < MOST && !known.contains(&key) {
                known.push(key.clone());
            }
        }
    }
    keys
}
