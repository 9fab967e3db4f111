//! Screen maps: where they are defined, and each command that uses them.

use super::interfaces::unseen;
use super::{RowBuilder, defined, named, once, some};
use crate::row::CatalogueRow;
use crate::row_kind::RowKind;
use war_rig_template::{CicsOperation, DocumentItem, Interface, MapSetUnit, MapUnit};

pub(super) fn maps(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let document = apart.document;
    let sets = document.map_sets.iter();
    let mut rows: Vec<CatalogueRow> =
        sets.flat_map(|set| set.maps.iter().map(|map| definition(apart, set, map))).collect();
    let operations = document.cics_operations.iter().filter(|operation| is_of_map(operation));
    rows.extend(operations.map(|operation| of_operation(apart, operation)));
    let is_known = |item: &DocumentItem<Interface>| {
        let mut operations = document.cics_operations.iter().filter(|operation| operation.program == item.program);
        let is_it = |name: &String| name.eq_ignore_ascii_case(&item.name);
        operations.any(|operation| is_of_map(operation) && operation.resource.as_ref().is_some_and(is_it))
    };
    rows.extend(unseen(apart, RowKind::Maps, "screen map", is_known, |name| apart.defined_below("map", name)));
    rows
}

fn is_of_map(operation: &DocumentItem<CicsOperation>) -> bool {
    operation.resource_kind.as_deref() == Some("map")
        || ["SEND MAP", "RECEIVE MAP"].iter().any(|command| operation.command.eq_ignore_ascii_case(command))
}

fn definition(apart: &RowBuilder<'_>, set: &MapSetUnit, map: &MapUnit) -> CatalogueRow {
    let words = map.fields.iter().filter_map(|field| some(field.initial.as_deref()?).map(str::trim));
    let description = words.collect::<Vec<_>>().join("; ");
    let fields = map.fields.iter().filter_map(|field| field.field_name.as_deref());
    defined(apart, RowKind::Maps, &map.citations, map.lines)
        .with("name", some(&map.map_name))
        .with("role", "definition")
        .with("map_set", some(&set.map_set_name))
        .with("description", some(&description))
        .with("fields", once(fields))
        .with("used_by", named(&map.used_by))
        .with("transactions", named(&map.transactions))
}

fn of_operation(apart: &RowBuilder<'_>, operation: &DocumentItem<CicsOperation>) -> CatalogueRow {
    let names = operation.resource.iter().chain(&operation.candidates);
    let in_its_set =
        |name: &String| apart.defined_in("map", &format!("{}.{name}", operation.map_set.as_deref().unwrap_or(name)));
    let defined_in = names.clone().find_map(in_its_set);
    let defined_in = defined_in.or_else(|| names.clone().find_map(|name| apart.defined_below("map", name)));
    apart
        .item(RowKind::Maps, operation)
        .with("name", operation.resource.as_deref())
        .with("role", "use")
        .with("map_set", operation.map_set.as_deref())
        .with("operation", some(&operation.command))
        .with("description", some(&operation.purpose))
        .with("candidates", operation.candidates.clone())
        .with("defined_in", defined_in)
}
