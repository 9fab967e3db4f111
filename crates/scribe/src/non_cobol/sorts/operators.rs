//! Words the operators of ICETOOL.

use super::super::statements::{LONGEST, some};
use crate::phrases::shorten_to;
use war_rig_estate::jcl::SortStatement;

/// Words an operator of ICETOOL: `copies A to B (USING(CTL1))`.
pub(super) fn operator(statement: &SortStatement, data_set: &dyn Fn(&str) -> String) -> String {
    let does = match statement.verb.as_str() {
        "COPY" => "copies",
        "SORT" => "sorts",
        "MERGE" => "merges",
        "SELECT" => "selects records of",
        "SPLICE" => "splices records of",
        "COUNT" => "counts the records of",
        _ => return shorten_to(&format!("{} {}", statement.verb, statement.operands), LONGEST),
    };
    let sets = |dds: Vec<String>| some(&dds.iter().map(|dd| data_set(dd)).collect::<Vec<_>>());
    let (from, to) = (sets(statement.input_dds()), sets(statement.target_dds()));
    let to = if to.is_empty() { to } else { format!(" to {to}") };
    let options = shorten_to(&statement.options(), LONGEST);
    let options = if options.is_empty() { options } else { format!(" ({options})") };
    format!("{does} {from}{to}{options}")
}
