//! Words OUTFIL: where it writes which records, and how they look.

use super::super::statements::{LONGEST, some};
use super::positions::condition;
use super::records::fields;
use crate::phrases::shorten_to;
use war_rig_estate::jcl::{SortOperand, SortStatement, elements};

/// Words an OUTFIL: `writes to A.B the records where byte 1 = C'X'`. The operands that it does not word follow as written. Returns none if it words none.
pub(super) fn outfil(statement: &SortStatement, data_set: &dyn Fn(&str) -> String) -> Option<String> {
    let (mut targets, mut which, mut rest): (Vec<String>, _, _) = (Vec::new(), None, Vec::new());
    let (mut bare, mut shape) = ("", String::new());
    for SortOperand { keyword, value, written } in statement.split_operands() {
        let keyword = keyword.unwrap_or_else(|| written.to_ascii_uppercase());
        let words = match keyword.as_str() {
            "INCLUDE" => condition(value).map(|words| format!("the records where {words}")),
            "OMIT" => condition(value).map(|words| format!("all records but those where {words}")),
            "SAVE" => Some("all records that no other OUTFIL takes".to_owned()),
            _ => None,
        };
        match keyword.as_str() {
            _ if words.is_some() => which = words,
            "FNAMES" => targets.extend(elements(value).iter().map(|dd| data_set(dd))),
            "FILES" => targets.extend(elements(value).iter().map(|number| file_of_number(number, data_set))),
            "BUILD" | "OUTREC" | "OVERLAY" => match fields(value, &str::to_owned) {
                Some(fields) if keyword == "OVERLAY" => shape = format!(", each changed: {fields}"),
                Some(fields) => shape = format!(", each as {fields}"),
                None => rest.push(written),
            },
            "NODETAIL" => bare = ", of which it shows only headers and totals",
            "" => {}
            _ => rest.push(written),
        }
    }
    if targets.is_empty() && which.is_none() && shape.is_empty() {
        return None;
    }
    let target = if targets.is_empty() { String::new() } else { format!(" to {}", some(&targets)) };
    let which = which.unwrap_or_else(|| "the records".to_owned());
    let rest = match rest.is_empty() {
        true => String::new(),
        false => format!(" ({})", shorten_to(&rest.join(","), LONGEST)),
    };
    Some(format!("writes{target} {which}{bare}{shape}{rest}"))
}

/// Returns the data set of a number in FILES: `1` is SORTOF1 or SORTOF01, and OUT is SORTOUT.
fn file_of_number(number: &str, data_set: &dyn Fn(&str) -> String) -> String {
    if number.eq_ignore_ascii_case("OUT") {
        return data_set("SORTOUT");
    }
    let dds = [format!("SORTOF{number}"), format!("SORTOF0{number}")];
    let named = dds.iter().map(|dd| (dd, data_set(dd))).find(|(dd, name)| *dd != name);
    named.map_or_else(|| dds[0].clone(), |(_, name)| name)
}
