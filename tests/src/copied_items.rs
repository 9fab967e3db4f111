//! The data items that a document refers to, out of the documents of their copybooks.

use serde_json::Value;

fn list<'a>(document: &'a Value, name: &str) -> &'a [Value] {
    document[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// All data items of a document, its own and those that it refers to, which have the path of their copybook as `file`.
///
/// # Panics
/// When the document of a copybook does not have as many items as are referred to.
pub fn whole_dictionary(name: &str, document_of: &dyn Fn(&str) -> Value) -> Vec<Value> {
    placed(name, name, document_of, 0)
}

/// The same, `offset` bytes behind the beginning of a record.
fn placed(name: &str, of: &str, document_of: &dyn Fn(&str) -> Value, offset: u64) -> Vec<Value> {
    let document = document_of(of);
    // What stands before the first record of a copybook is a part of the record that the program begins.
    let mut is_part = true;
    let mut items = Vec::new();
    for own in list(&document, "data_dictionary") {
        let mut item = own.clone();
        is_part &= !matches!(item["level"].as_u64(), Some(1 | 77));
        if let Some(at) = item["offset"].as_u64().filter(|_| is_part) {
            item["offset"] = (at + offset).into();
        }
        if of != name && item["file"].is_null() {
            item["file"] = of.into();
        }
        items.push(item);
    }
    for copied in list(&document, "copied_data") {
        let copybook = copied["copybook"].as_str().expect("a reference names a copybook");
        let mut found = placed(name, copybook, document_of, offset + copied["offset"].as_u64().unwrap_or_default());
        assert_eq!(found.len() as u64, copied["items"].as_u64().unwrap_or_default(), "{of}: {copied}");
        if copied["program"].is_string() {
            found.iter_mut().for_each(|item| item["program"] = copied["program"].clone());
        }
        items.extend(found);
    }
    items
}
