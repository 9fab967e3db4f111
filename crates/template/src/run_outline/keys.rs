//! What the keys of the terminal do, each key told once.

use crate::KeyAction;
use serde::{Deserialize, Serialize};
use war_rig_text::{LineNumber, sentence};

/// What a test of keys leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineKey {
    /// The keys: `Enter`, `PF3`.
    pub keys: Vec<String>,
    /// What else it asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// What they do.
    pub action: String,
    /// The line of the test.
    pub line: LineNumber,
}

/// Keys that do the same in all tests, as a row of a table.
#[derive(Debug, PartialEq, Eq)]
pub struct KeyRow<'a> {
    /// The keys.
    pub keys: Vec<&'a str>,
    /// What they do: several tests that lead to different things are sentences, each with its condition.
    pub action: String,
    /// What else is asked for, if all tests lead to the same.
    pub condition: String,
    /// The tests, by their index.
    pub tests: Vec<usize>,
}

impl OutlineKey {
    /// Words what a rule about keys does, without the conditions that are told elsewhere. What happens otherwise is that of the other keys, where the
    /// rule asks for nothing else.
    pub(crate) fn of(keys: &[String], told: &KeyAction, elsewhere: &[String], line: LineNumber) -> Vec<Self> {
        let provided = told.provided.iter().filter(|condition| !elsewhere.contains(condition));
        let (action, when) = match (&told.otherwise, &told.when) {
            (Some(otherwise), Some(when)) => (format!("when {when}: {}; otherwise: {otherwise}", told.does), None),
            (_, when) => (told.does.clone(), when.as_ref()),
        };
        let others = told.otherwise.clone().filter(|_| told.when.is_none());
        let around: Vec<&str> = provided.map(String::as_str).collect();
        let conditions: Vec<&str> = when.into_iter().map(String::as_str).chain(around.iter().copied()).collect();
        let all = |conditions: Vec<&str>| (!conditions.is_empty()).then(|| conditions.join(", and "));
        let mut found = vec![Self { keys: keys.to_vec(), condition: all(conditions), action, line }];
        found.extend(others.map(|action| Self {
            keys: vec![format!("any but {}", keys.join(", "))],
            condition: all(around),
            action,
            line,
        }));
        found
    }
}

/// Groups tests by their keys: a row for keys that the same tests are about, in order.
pub fn rows_of_keys<'a>(tests: impl Iterator<Item = &'a OutlineKey>) -> Vec<KeyRow<'a>> {
    let tests: Vec<&OutlineKey> = tests.collect();
    let mut of_keys: Vec<(&str, Vec<usize>)> = Vec::new();
    for (at, test) in tests.iter().enumerate() {
        for key in &test.keys {
            match of_keys.iter_mut().find(|(known, _)| known == key) {
                Some((_, own)) if own.last() == Some(&at) => {}
                Some((_, own)) => own.push(at),
                None => of_keys.push((key, vec![at])),
            }
        }
    }
    let mut rows: Vec<KeyRow<'_>> = Vec::new();
    for (key, own) in of_keys {
        match rows.iter_mut().find(|row| row.tests == own) {
            Some(row) => row.keys.push(key),
            None => {
                let (action, condition) = in_words(own.iter().map(|at| tests[*at]));
                rows.push(KeyRow { keys: vec![key], action, condition, tests: own });
            }
        }
    }
    rows
}

/// Words what several tests of a key lead to, and under which conditions; the same effect is told once.
fn in_words<'a>(tests: impl Iterator<Item = &'a OutlineKey>) -> (String, String) {
    let mut told: Vec<(&str, Vec<Option<&str>>)> = Vec::new();
    for test in tests {
        let condition = test.condition.as_deref();
        match told.iter_mut().find(|(action, _)| *action == test.action) {
            Some((_, conditions)) if conditions.contains(&condition) => {}
            Some((_, conditions)) => conditions.push(condition),
            None => told.push((&test.action, vec![condition])),
        }
    }
    // What also happens without a condition happens in any case.
    let any_of = |conditions: Vec<Option<&str>>| {
        conditions.into_iter().collect::<Option<Vec<&str>>>().unwrap_or_default().join(", or ")
    };
    let mut told: Vec<(&str, String)> = told.into_iter().map(|(action, all)| (action, any_of(all))).collect();
    if let [(action, condition)] = told.as_mut_slice() {
        return ((*action).to_owned(), std::mem::take(condition));
    }
    let sentences = told.iter().map(|(action, condition)| match condition.is_empty() {
        true => sentence(action),
        false => sentence(&format!("provided that {condition}: {action}")),
    });
    (sentences.collect::<Vec<_>>().join(" "), String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(keys: &[&str], condition: Option<&str>, action: &str) -> OutlineKey {
        let keys = keys.iter().map(|key| (*key).to_owned()).collect();
        OutlineKey { keys, condition: condition.map(str::to_owned), action: action.to_owned(), line: LineNumber::FIRST }
    }

    #[test]
    fn each_key_has_one_row_with_all_it_does() {
        let tests = [
            test(&["PF3"], None, "leaves"),
            test(&["Enter", "PF3"], Some("STATE is 'K'"), "sets OK to 'Y'"),
            test(&["PF7", "PF19"], Some("PAGE is 2"), "goes back"),
            test(&["PF7", "PF19"], Some("PAGE is 3"), "goes back"),
        ];
        let rows = rows_of_keys(tests.iter());
        let told: Vec<_> =
            rows.iter().map(|row| (row.keys.join(", "), row.action.as_str(), row.condition.as_str())).collect();
        let expected = [
            ("PF3", "Leaves. Provided that STATE is 'K': sets OK to 'Y'.", ""),
            ("Enter", "sets OK to 'Y'", "STATE is 'K'"),
            ("PF7, PF19", "goes back", "PAGE is 2, or PAGE is 3"),
        ];
        assert_eq!(told, expected.map(|(keys, action, condition)| (keys.to_owned(), action, condition)));
    }
}
