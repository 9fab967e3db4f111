//! Words what a maintainer should look at twice.

use crate::skeleton::program_name;
use war_rig_cobol::{Analysis, HazardKind};
use war_rig_template::{Citation, CitationStatus, Claim, DocumentItem, Hazard};
use war_rig_text::{SourceText, counted};

/// How many items of a list a finding names.
const ITEMS_NAMED: usize = 4;

/// Returns the hazards of a source in their order, each with its lines.
pub(crate) fn hazards(source: &SourceText, analysis: &Analysis) -> Vec<DocumentItem<Hazard>> {
    let item = |found: war_rig_cobol::Hazard| {
        let citations = found.lines.iter().map(|lines| {
            Citation::judged(&Claim { lines: *lines, quote: None }, source, *lines, CitationStatus::Verified)
        });
        let program = program_name(analysis.parsed(), found.program);
        DocumentItem { program, ..DocumentItem::parsed(in_words(&found.kind), citations.collect()) }
    };
    analysis.hazards(source).into_iter().map(item).collect()
}

/// Names the first of several items and counts the others.
fn first_of(items: &[String]) -> String {
    let more = items.len().saturating_sub(ITEMS_NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {}", counted(more, "more item")) };
    format!("{}{more}", items[..items.len().min(ITEMS_NAMED)].join(", "))
}

fn in_words(kind: &HazardKind) -> Hazard {
    let (name, finding, about) = match kind {
        HazardKind::EndlessLoop { until, items } => (
            "endless_loop",
            format!(
                "Nothing in the loop changes {}, so UNTIL {until} never becomes true, and nothing leaves the loop.",
                items.join(" or ")
            ),
            items.iter().collect(),
        ),
        HazardKind::UntestedStatus { operation, item } => {
            ("untested_status", format!("Nothing is seen to test {item} after {operation}."), vec![operation, item])
        }
        HazardKind::OtherStatus { operation, item, own } => (
            "other_status",
            format!(
                "Where {operation} fails, {item} is shown, which belongs to another file; {own} is not. Is that meant?"
            ),
            vec![operation, item, own],
        ),
        HazardKind::NullUnseen { values, of_no_rows } => {
            let (are, have) = if values.len() == 1 { ("is", "it has") } else { ("are", "they have") };
            let when = if *of_no_rows { format!("{are} NULL where no row is found") } else { "may be NULL".to_owned() };
            let finding = format!(
                "{} {when}, and {have} no indicator variable: the statement then fails with SQLCODE -305.",
                first_of(values)
            );
            ("null_unseen", finding, values.iter().take(ITEMS_NAMED).collect())
        }
        HazardKind::UncheckedArea { item } => (
            "unchecked_area",
            format!(
                "{item} is used, but nothing tests EIBCALEN: without a communication area, or with a shorter one, other storage is read or overwritten. Is there always one?"
            ),
            vec![item],
        ),
        HazardKind::LostSign { item, to } => (
            "lost_sign",
            format!("{item} gets a difference, which may be negative; {to}, to which it is moved, has no sign."),
            vec![item, to],
        ),
        HazardKind::SqlCodeSign { code } => (
            "sqlcode_sign",
            format!(
                "SQLCODE is compared with {code}, but Db2 has only an error -{code}: this is never true. Is the sign missing?"
            ),
            Vec::new(),
        ),
        HazardKind::Altered { paragraph } => (
            "altered",
            format!(
                "An ALTER changes where the GO TO of {paragraph} leads: the source does not show where control goes."
            ),
            vec![paragraph],
        ),
        HazardKind::FallsIntoErrorPath { from, into } => (
            "falls_into_error_path",
            format!(
                "Control falls from {from} into {into}, which is otherwise reached only after failures. Is that meant?"
            ),
            vec![into, from],
        ),
        HazardKind::LeavesPerform { label, performed, into } => (
            "leaves_perform",
            format!(
                "GO TO {label} jumps behind the end of what is performed, {performed}: control does not come back, but goes on into {into}. Is a THRU missing?"
            ),
            vec![performed, label, into],
        ),
        HazardKind::ShortCode { code, item, room } => (
            "short_code",
            format!(
                "{item} gets {code} and blanks behind it, where its other codes have {room} digits. Is a zero missing?"
            ),
            vec![item],
        ),
        HazardKind::NeverNegative { item } => (
            "never_negative",
            format!("{item} is tested for less than 0, but it has no sign: this is never true."),
            vec![item],
        ),
        HazardKind::NeverSet { item, value: Some(value) } => (
            "never_set",
            format!("{item} is tested, but nothing sets it: it always has its VALUE {value}."),
            vec![item],
        ),
        HazardKind::NeverSet { item, value: None } => {
            ("never_set", format!("{item} is tested, but nothing sets it, and it has no VALUE."), vec![item])
        }
        HazardKind::UnsetInput { item, command } => (
            "never_set",
            format!("{command} passes {item} to the database, but nothing sets it, and it has no VALUE."),
            vec![item],
        ),
        HazardKind::NeverHolds { item, values } => {
            let finding = format!("{item} is tested for {}, but nothing sets it to that.", values.join(", "));
            ("never_holds", finding, std::iter::once(item).chain(values).collect())
        }
        HazardKind::NestedPhrase { phrase, verb, around } => (
            "nested_phrase",
            format!(
                "{phrase} belongs to the {verb} before it, and not to the {around} around that, which has none. Is END-{verb} missing before it?"
            ),
            vec![phrase],
        ),
        HazardKind::DeadElse { test, around } => (
            "dead_else",
            format!(
                "{test} is always true here, so that its ELSE never runs: line {around} lets nothing else come here. Was the ELSE meant to run behind it?"
            ),
            Vec::new(),
        ),
        HazardKind::ExcludedTest { test, check } => (
            "excluded_test",
            format!(
                "{test} is never true here: the check on line {check} leaves wherever it would be. Is one of the two wrong?"
            ),
            Vec::new(),
        ),
        HazardKind::RepeatedTest { test } => (
            "repeated_test",
            format!("The condition tests {test} twice. Should one of them be another test?"),
            vec![test],
        ),
        HazardKind::OrBesideAnd { test, others } => (
            "or_beside_and",
            format!(
                "{test} is enough for the condition, whatever {others} says: AND binds before OR. Are parentheses missing?"
            ),
            vec![test, others],
        ),
        HazardKind::BeyondTable { subscripted, value, entries } => {
            let has = match value {
                0 => "a table begins with entry 1".to_owned(),
                _ => format!("the table has {entries} entries"),
            };
            ("beyond_table", format!("{subscripted} reaches entry {value}, but {has}."), vec![subscripted])
        }
        HazardKind::UncheckedSubscript { item, table, entries } => (
            "unchecked_subscript",
            format!(
                "{item} is counted up and is a subscript of {table}, which has {entries} entries, but nothing compares it with that. Can it become larger?"
            ),
            vec![item, table],
        ),
        HazardKind::ShownCut { digits, item, room } => (
            "truncated",
            format!(
                "{item} shows {room} digits before the decimal point, and numbers of up to {digits} are moved to it: larger numbers lose their leading digits."
            ),
            vec![item],
        ),
        HazardKind::StringTooLong { length, item, room } => (
            "truncated",
            format!("STRING puts {length} characters together, {item} has room for {room}: longer text is cut."),
            vec![item],
        ),
        HazardKind::MovedToItself { item } => {
            ("moved_to_itself", format!("{item} is moved to itself. Is another item meant?"), vec![item])
        }
        HazardKind::OtherLength { option, item, length, written } => (
            "other_length",
            format!(
                "CICS gives {option} in {written} bytes, {item} has {length}: {}.",
                if length < written { "what follows it may be overwritten" } else { "it is not filled" }
            ),
            vec![item],
        ),
        HazardKind::SetTwice { item } => (
            "set_twice",
            format!("{item} is set again before anything reads it. Is one of the two meant for another item?"),
            vec![item],
        ),
        HazardKind::LargerRedefinition { item, length, redefined, room } => (
            "larger_redefinition",
            format!(
                "{item} has {length} bytes, {redefined}, which it redefines, has {room}: what is written to it may overwrite what follows."
            ),
            vec![item, redefined],
        ),
        HazardKind::Truncated { from, length, to, room, is_numeric } => {
            let unit = if *is_numeric { "digits before the decimal point" } else { "characters" };
            let lost = if *is_numeric { "larger numbers lose their leading digits" } else { "longer text is cut" };
            let finding = format!("{from} has {length} {unit}, {to} has room for {room}: {lost}.");
            ("truncated", finding, vec![from, to])
        }
        HazardKind::LastDigits { item, digits, to, room } => (
            "truncated",
            format!(
                "{to} has room for {room} of the {digits} digits of {item}, and gets the first, zeros in front included: the last digits are lost."
            ),
            vec![item, to],
        ),
        HazardKind::GroupCut { from, length, to, room, lost } => {
            let does = if lost.len() == 1 { "does" } else { "do" };
            let finding = format!(
                "{from} has {length} bytes, {to} has room for {room}, and another MOVE brings it back from there: {} {does} not fit.",
                first_of(lost)
            );
            ("group_cut", finding, vec![from, to])
        }
        HazardKind::MayOverflow { expression, digits, item, room } => (
            "may_overflow",
            format!(
                "By the types, {expression} can have {digits} digits before the decimal point, {item} has room for {room}, and nothing tests for a SIZE ERROR. Can it become so large?"
            ),
            vec![item, expression],
        ),
        HazardKind::CountsTooFar { item, room } => (
            "may_overflow",
            format!(
                "{item} counts in a loop over input, has {room} digits, and nothing tests or resets it there. Can there be more than {}?",
                "9".repeat(usize::try_from(*room).unwrap_or_default())
            ),
            vec![item],
        ),
        HazardKind::NeverCleared { item } => {
            let finding = format!(
                "STRING fills {item}, which nothing ever clears: what it does not overwrite stays from before."
            );
            ("never_cleared", finding, vec![item])
        }
        HazardKind::OpenedInVain { file } => {
            ("opened_in_vain", format!("{file} is opened, but never read or written."), vec![file])
        }
        HazardKind::NeverOpened { file } => {
            ("never_opened", format!("{file} is declared, but never opened."), vec![file])
        }
        HazardKind::NoCommit => (
            "no_commit",
            "Tables are changed, but the program states no COMMIT and no ROLLBACK.".to_owned(),
            Vec::new(),
        ),
        HazardKind::HardCodedDate { date } => {
            ("hard_coded_date", format!("The date {date} is written into the code."), vec![date])
        }
        HazardKind::CenturyWindow { condition } => (
            "hard_coded_date",
            format!("The century of a year depends on {condition}, a limit that is written into the code."),
            vec![condition],
        ),
        HazardKind::CommentedLength { record, stated, length } => (
            "comment_disagrees",
            format!("The comment says a length of {stated} bytes, {record} has {length}."),
            vec![record],
        ),
        HazardKind::CommentedName { name } => {
            ("comment_disagrees", format!("The comment names {name}, which the source does not have."), vec![name])
        }
        HazardKind::Unreached { paragraph } => {
            ("unreached", format!("Control never reaches {paragraph}."), vec![paragraph])
        }
        HazardKind::Undeclared { item } => ("undeclared", format!("Nothing declares {item}."), vec![item]),
        HazardKind::NeverRead { item } => ("never_read", format!("{item} is set, but nothing reads it."), vec![item]),
        HazardKind::NeverUsed { item } => ("never_used", format!("{item} is declared, but never used."), vec![item]),
        HazardKind::CopiedInVain { copybook } => {
            ("copied_in_vain", format!("Copybook {copybook} is copied, but none of its items is used."), vec![copybook])
        }
    };
    Hazard { kind: name.to_owned(), finding, about: about.into_iter().cloned().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hazards_have_words_for_what_the_source_shows() {
        let name = str::to_owned;
        let check = |kind: HazardKind, expected: (&str, &str)| {
            let hazard = in_words(&kind);
            assert_eq!((hazard.kind.as_str(), hazard.finding.as_str()), expected);
            assert!(hazard.about.iter().all(|about| hazard.finding.contains(about)), "{:?}", hazard.about);
        };
        check(
            HazardKind::EndlessLoop { until: name("A = 1 OR B"), items: vec![name("A"), name("B-SW")] },
            (
                "endless_loop",
                "Nothing in the loop changes A or B-SW, so UNTIL A = 1 OR B never becomes true, and nothing leaves the loop.",
            ),
        );
        check(
            HazardKind::FallsIntoErrorPath { from: name("P"), into: name("BAD") },
            (
                "falls_into_error_path",
                "Control falls from P into BAD, which is otherwise reached only after failures. Is that meant?",
            ),
        );
        check(
            HazardKind::LeavesPerform { label: name("A-EXIT"), performed: name("A"), into: name("B") },
            (
                "leaves_perform",
                "GO TO A-EXIT jumps behind the end of what is performed, A: control does not come back, but goes on into B. Is a THRU missing?",
            ),
        );
        check(
            HazardKind::ShortCode { code: name("773"), item: name("A"), room: 4 },
            ("short_code", "A gets 773 and blanks behind it, where its other codes have 4 digits. Is a zero missing?"),
        );
        check(
            HazardKind::NeverNegative { item: name("A") },
            ("never_negative", "A is tested for less than 0, but it has no sign: this is never true."),
        );
        check(
            HazardKind::NullUnseen { values: vec![name("MAX(NR)")], of_no_rows: true },
            (
                "null_unseen",
                "MAX(NR) is NULL where no row is found, and it has no indicator variable: the statement then fails with SQLCODE -305.",
            ),
        );
        check(
            HazardKind::NullUnseen { values: ["A", "B", "C", "D", "E"].map(name).to_vec(), of_no_rows: false },
            (
                "null_unseen",
                "A, B, C, D and 1 more item may be NULL, and they have no indicator variable: the statement then fails with SQLCODE -305.",
            ),
        );
        let lost = ["A", "B", "C", "D", "E", "F"].map(name).to_vec();
        check(
            HazardKind::GroupCut { from: name("G"), length: 164, to: name("X"), room: 150, lost },
            (
                "group_cut",
                "G has 164 bytes, X has room for 150, and another MOVE brings it back from there: A, B, C, D and 2 more items do not fit.",
            ),
        );
        check(
            HazardKind::BeyondTable { subscripted: name("E(I)"), value: 12, entries: 10 },
            ("beyond_table", "E(I) reaches entry 12, but the table has 10 entries."),
        );
        check(
            HazardKind::BeyondTable { subscripted: name("E(I)"), value: 0, entries: 10 },
            ("beyond_table", "E(I) reaches entry 0, but a table begins with entry 1."),
        );
        check(
            HazardKind::LargerRedefinition { item: name("B"), length: 12, redefined: name("A"), room: 10 },
            (
                "larger_redefinition",
                "B has 12 bytes, A, which it redefines, has 10: what is written to it may overwrite what follows.",
            ),
        );
        check(
            HazardKind::MayOverflow { expression: name("A * B"), digits: 8, item: name("C"), room: 6 },
            (
                "may_overflow",
                "By the types, A * B can have 8 digits before the decimal point, C has room for 6, and nothing tests for a SIZE ERROR. Can it become so large?",
            ),
        );
        check(
            HazardKind::CountsTooFar { item: name("N"), room: 3 },
            (
                "may_overflow",
                "N counts in a loop over input, has 3 digits, and nothing tests or resets it there. Can there be more than 999?",
            ),
        );
        check(
            HazardKind::HardCodedDate { date: name("'2019-12-31'") },
            ("hard_coded_date", "The date '2019-12-31' is written into the code."),
        );
        check(
            HazardKind::CenturyWindow { condition: name("YY < 50") },
            ("hard_coded_date", "The century of a year depends on YY < 50, a limit that is written into the code."),
        );
        check(
            HazardKind::CommentedLength { record: name("R"), stated: 350, length: 300 },
            ("comment_disagrees", "The comment says a length of 350 bytes, R has 300."),
        );
        check(
            HazardKind::CommentedName { name: name("2000-READ") },
            ("comment_disagrees", "The comment names 2000-READ, which the source does not have."),
        );
    }
}
