//! Codes with fewer digits than the others of their item.

use super::extents::Extent;
use super::{FoundHazards, HazardContext, HazardKind};
use foldhash::{HashMap, HashMapExt};

/// How many other codes that fill the item show that a code has as many digits as the item has characters.
const FULL: usize = 2;

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, items, .. } = *context;
    let mut codes: HashMap<usize, Vec<(usize, String)>> = HashMap::new();
    for (index, statement) in parsed.statements.iter().enumerate() {
        for set in analysis.decisions().assigned_constants(statement) {
            let item = items.find(&set.item, statement.program);
            let code = set.value.trim_matches(['\'', '"']);
            let is_code = !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit());
            if let Some(item) = item.filter(|_| is_code) {
                codes.entry(item).or_default().push((index, code.to_owned()));
            }
        }
    }
    for (item, codes) in codes {
        let text = Extent::of_item(&parsed.data_items[item]).filter(|extent| !extent.is_numeric);
        let Some(room) = text.map(|text| text.size) else { continue };
        let mut full: Vec<&String> =
            codes.iter().map(|(_, code)| code).filter(|code| code.len() as u64 == room).collect();
        full.sort_unstable();
        full.dedup();
        let short = codes.iter().filter(|(_, code)| code.len() > 1 && (code.len() as u64) < room);
        for (index, code) in short.filter(|_| full.len() >= FULL) {
            let statement = &parsed.statements[*index];
            if statement.file.is_none() {
                let kind =
                    HazardKind::ShortCode { code: code.clone(), item: parsed.data_items[item].name.clone(), room };
                found.add_at(*index, kind, statement.program, statement.own_lines());
            }
        }
    }
}
