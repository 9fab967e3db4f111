//! Parts of the sentences about hazards.

use war_rig_text::{LineNumber, counted};

/// How many items of a list a sentence names.
pub(super) const ITEMS_NAMED: usize = 4;

/// How many of the items that one cause affects a sentence names.
const AFFECTED_NAMED: usize = 24;

/// Returns the items of a sentence that names those that one cause affects.
pub(super) fn named(items: &[String]) -> impl Iterator<Item = &str> {
    items.iter().take(AFFECTED_NAMED).map(String::as_str)
}

/// Names what one cause affects, and counts what is too much by its noun.
pub(super) fn affected(items: &[String], noun: &str) -> String {
    list(items, noun, AFFECTED_NAMED)
}

pub(super) fn is_or_are(items: &[String]) -> &'static str {
    if items.len() == 1 { "is" } else { "are" }
}

pub(super) fn it_or_they(items: &[String]) -> &'static str {
    if items.len() == 1 { "it" } else { "they" }
}

pub(super) fn it_or_them(items: &[String]) -> &'static str {
    if items.len() == 1 { "it" } else { "them" }
}

/// States what items contain that nothing sets.
pub(super) fn always_has(items: &[String], value: Option<&str>) -> String {
    match (value, items.len()) {
        (Some(value), 1) => format!(": it always has its VALUE {value}."),
        (Some(value), _) => format!(": they always have their VALUE {value}."),
        (None, 1) => ", and it has no VALUE.".to_owned(),
        (None, _) => ", and they have no VALUE.".to_owned(),
    }
}

/// States that items are used that nothing fills.
pub(super) fn unfilled(items: &[String], group: Option<&str>, is_part: bool) -> String {
    let (is_one, list) = (items.len() == 1, affected(items, "item"));
    let used = match group.filter(|_| is_part) {
        Some(group) if is_one => format!("it is a part of {group}, which is used"),
        Some(group) => format!("they are parts of {group}, which is used"),
        None if is_one => "it is used".to_owned(),
        None => "they are used".to_owned(),
    };
    match is_one {
        true => format!("{list} has no VALUE, and nothing sets it, but {used}: it holds whatever is in storage."),
        false => format!("{list} have no VALUE, and nothing sets them, but {used}: they hold whatever is in storage."),
    }
}

/// Names what control falls into behind something else.
pub(super) fn and_then(paragraphs: &[String]) -> String {
    if paragraphs.is_empty() { String::new() } else { format!(", then into {}", first_of(paragraphs, "paragraph")) }
}

/// Tells when values are NULL.
pub(super) fn when_null(values: &[String], of_no_rows: bool) -> &'static str {
    match (of_no_rows, values.len()) {
        (false, _) => "may be NULL",
        (true, 1) => "is NULL where no row is found",
        (true, _) => "are NULL where no row is found",
    }
}

/// Names the first of several things and counts the others by their noun.
pub(super) fn first_of(items: &[String], noun: &str) -> String {
    list(items, noun, ITEMS_NAMED)
}

fn list(items: &[String], noun: &str, most: usize) -> String {
    let more = items.len().saturating_sub(most);
    let more = if more == 0 { String::new() } else { format!(" and {}", counted(more, &format!("more {noun}"))) };
    format!("{}{more}", items[..items.len().min(most)].join(", "))
}

/// Returns the sentence about two tests that are never both true, or of which one always is.
pub(super) fn never_or_always([one, other]: &[String; 2], always: bool) -> String {
    if always {
        format!("{one} or {other} is always true, whatever the item holds. Is AND meant?")
    } else {
        format!("{one} and {other} are never both true, so nothing meets this condition. Is OR meant?")
    }
}

/// Returns the sentence about a loop that ends where an operation ends, and not where it fails.
pub(super) fn ends_only_at_end(until: &str, operation: &str) -> String {
    format!(
        "The loop until {until} goes on for ever where {operation} fails in any other way: nothing in it tests for that."
    )
}

/// Returns what is said of an item that STRING fills without clearing it.
pub(super) fn not_cleared(holds: Option<&str>) -> String {
    match holds {
        Some(text) => format!("still holds {text}: what it does not overwrite stays."),
        None => "nothing ever clears: what it does not overwrite stays from before.".to_owned(),
    }
}

/// Returns the sentence about a test for no row behind a query that always gives one.
pub(super) fn always_a_row(operation: &str, tested: bool) -> String {
    let then = if tested { ", and what is done then is never done." } else { ". Is the value to be tested instead?" };
    format!(
        "{operation} asks for functions over all rows alone, which always gives a row: SQLCODE 100 never comes{then}"
    )
}

/// Returns what is done with the status of another file where an operation ends or fails.
pub(super) fn other_status(operation: &str, item: &str, tested: bool) -> String {
    if tested {
        format!("Behind {operation}, {item} is tested")
    } else {
        format!("Where {operation} fails, {item} is shown")
    }
}

/// Asks whether one of the called programs commits what the program changes.
pub(super) fn committed_by(called: &[String]) -> String {
    match called {
        [] => ".".to_owned(),
        called => format!(": does one of those that it calls ({})?", first_of(called, "program")),
    }
}

/// States which entry subscripts reach that their tables do not have.
pub(super) fn beyond_table(subscripted: &[String], value: u64, entries: u32) -> String {
    let reaches = if subscripted.len() == 1 { "reaches" } else { "reach" };
    let has = match (value, subscripted.len()) {
        (0, _) => "a table begins with entry 1".to_owned(),
        (_, 1) => format!("the table has {entries} entries"),
        (..) => format!("the tables have {entries} entries"),
    };
    format!("{} {reaches} entry {value}, but {has}.", affected(subscripted, "item"))
}

/// States that conditions are never true behind a check.
pub(super) fn excluded_by(tests: &[String], check: LineNumber) -> String {
    let (are, they) = (is_or_are(tests), it_or_they(tests));
    let wrong = if tests.len() == 1 { "one of the two" } else { "the check" };
    let tests = affected(tests, "condition");
    format!(
        "{tests} {are} never true here: the check on line {check} leaves wherever {they} would be. Is {wrong} wrong?"
    )
}

/// States what a MOVE cuts: what it sends, with its length, has more than what it fills has room for.
pub(super) fn cut_by_move((from, length): (&str, u64), (to, room): (&[String], u64), is_numeric: bool) -> String {
    let (unit, lost) = match is_numeric {
        true => ("digits before the decimal point", "larger numbers lose their leading digits"),
        false => ("characters", "longer text is cut"),
    };
    let has = if to.len() == 1 { "has" } else { "have" };
    format!("{from} has {length} {unit}, {} {has} room for {room}: {lost}.", affected(to, "item"))
}

/// States that values may be NULL without an indicator variable.
pub(super) fn null_unseen(values: &[String], of_no_rows: bool) -> String {
    let (null, they_have) = (when_null(values, of_no_rows), if values.len() == 1 { "it has" } else { "they have" });
    let values = first_of(values, "item");
    format!("{values} {null}, and {they_have} no indicator variable: the statement then fails with SQLCODE -305.")
}

/// States that packed numbers of a group get blanks alone.
pub(super) fn blank_number(items: &[String], group: &str) -> String {
    let get = if items.len() == 1 { "is a packed number and gets" } else { "are packed numbers and get" };
    let items = first_of(items, "number");
    format!("{items} of {group} {get} nothing but SPACES, which is none: what calculates with it fails.")
}

/// States that nothing limits a subscript that is counted up.
pub(super) fn unchecked_subscript(item: &str, tables: &[String], entries: u32) -> String {
    let has = if tables.len() == 1 { "has" } else { "have" };
    let tables = affected(tables, "table");
    format!(
        "{item} is counted up and is a subscript of {tables}, which {has} {entries} entries, but nothing compares it with that. Can it become larger?"
    )
}

/// States that a paragraph performs itself, or a program calls itself.
pub(super) fn runs_itself(name: &str, by_way_of: Option<&str>, is_program: bool) -> String {
    match (is_program, by_way_of) {
        (true, _) => format!(
            "{name} calls itself, and is not RECURSIVE: the call fails, or its data are those of the first run."
        ),
        (false, None) => {
            format!("{name} performs itself: control may not come back to where the first PERFORM stands.")
        }
        (false, Some(other)) => format!(
            "{name} performs {other}, which performs {name} in turn: control may not come back to where the first PERFORM stands."
        ),
    }
}

/// States that an ALTER changes GO TOs.
pub(super) fn altered(paragraphs: &[String]) -> String {
    let paragraphs = affected(paragraphs, "paragraph");
    format!("An ALTER changes where the GO TO of {paragraphs} leads: the source does not show where control goes.")
}

/// States that control goes on behind a main line.
pub(super) fn main_line_goes_on(last: &str, into: &str, further: &[String]) -> String {
    let then = and_then(further);
    format!(
        "Nothing ends the program behind {last}: control goes on into {into}, which has been performed before and runs once more{then}. Is GOBACK missing?"
    )
}
