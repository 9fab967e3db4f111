//! Valid filters, invalid filters, and the meaning of filters.

mod evaluate;

use super::{FieldComparison, FieldCondition, Filter, FilterLiteral};
use crate::row::{CatalogueRow, Value};
use crate::row_kind::RowKind;
use proptest::prelude::*;

fn accepted(kind: RowKind, text: &str) -> Filter {
    Filter::parse(kind, text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns the error message for an invalid filter, with its hint.
fn refused(kind: RowKind, text: &str) -> String {
    match Filter::parse(kind, text) {
        Ok(filter) => panic!("{text} was read as {filter:?}"),
        Err(error) => {
            assert!((1..=text.chars().count() + 1).contains(&error.column));
            format!("{error}; {}", error.hint)
        }
    }
}

fn is(kind: RowKind, field: &str, comparison: FieldComparison) -> Filter {
    Filter::Is(FieldCondition { field: kind.field(field).unwrap(), comparison })
}

fn text(text: &str) -> FilterLiteral {
    FilterLiteral::Text(text.to_owned())
}

#[test]
fn conditions_are_read() {
    use FieldComparison::{Contains, Equal, Greater, GreaterOrEqual, In, Less, LessOrEqual};
    let kind = RowKind::Paragraphs;
    let check = |written, field, comparison| assert_eq!(accepted(kind, written), is(kind, field, comparison));
    check("program = \"COACTUPC\"", "program", Equal(text("COACTUPC")));
    check("program='COACTUPC'", "program", Equal(text("COACTUPC")));
    check("  program\t=\n\"A\" ", "program", Equal(text("A")));
    check("dead = TRUE", "dead", Equal(FilterLiteral::Boolean(true)));
    check("dead = false", "dead", Equal(FilterLiteral::Boolean(false)));
    check("section = NULL", "section", Equal(FilterLiteral::Null));
    check("reads = null", "reads", Equal(FilterLiteral::Null));
    check("line < 5", "line", Less(FilterLiteral::Number(5)));
    check("line<=-5", "line", LessOrEqual(FilterLiteral::Number(-5)));
    check("line > 5.5", "line", Greater(FilterLiteral::Decimal(5.5)));
    check("line >= 5.0", "line", GreaterOrEqual(FilterLiteral::Number(5)));
    check("confidence >= 1", "confidence", GreaterOrEqual(FilterLiteral::Decimal(1.0)));
    check("confidence < 0.25", "confidence", Less(FilterLiteral::Decimal(0.25)));
    check("name > \"M\"", "name", Greater(text("M")));
    check("summary CONTAINS 'credit'", "summary", Contains("credit".to_owned()));
    check("calls contains \"A\"", "calls", Contains("A".to_owned()));
    check("program in (\"A\", 'B')", "program", In(vec![text("A"), text("B")]));
    check("line In( 1 ,2,-3 )", "line", In(vec![1, 2, -3].into_iter().map(FilterLiteral::Number).collect()));
    check("dead in (true)", "dead", In(vec![FilterLiteral::Boolean(true)]));
    check("name = \"say \"\"hi\"\"\"", "name", Equal(text("say \"hi\"")));
    check("name = 'it''s'", "name", Equal(text("it's")));
    check("name = \"it's\"", "name", Equal(text("it's")));
    check("name = ''", "name", Equal(text("")));
    check("name = ''''", "name", Equal(text("'")));
    check("name = \"a\\b\"", "name", Equal(text("a\\b")));
    check("name = \"Ü\n日\"", "name", Equal(text("Ü\n日")));
    assert_eq!(accepted(kind, "program != \"A\""), Filter::Not(Box::new(is(kind, "program", Equal(text("A"))))));
}

#[test]
fn and_binds_closer_than_or_and_not_closest() {
    use Filter::{And, Or};
    let kind = RowKind::DataItems;
    let level = |comparison| is(kind, "level", comparison);
    let equal = |number| level(FieldComparison::Equal(FilterLiteral::Number(number)));
    let less = |number| level(FieldComparison::Less(FilterLiteral::Number(number)));
    let greater = |number| level(FieldComparison::Greater(FilterLiteral::Number(number)));
    let not = |filter| Filter::Not(Box::new(filter));
    let check = |text, expected| assert_eq!(accepted(kind, text), expected, "{text}");
    check("level = 1 or level = 2 and level = 3", Or(vec![equal(1), And(vec![equal(2), equal(3)])]));
    check("level=1 OR level=2 And not level=3", Or(vec![equal(1), And(vec![equal(2), not(equal(3))])]));
    check("(level = 1 or level = 2) and level = 3", And(vec![Or(vec![equal(1), equal(2)]), equal(3)]));
    check("((level = 1)) and (level = 2)", And(vec![equal(1), equal(2)]));
    check("(level = 1 and level = 2) and level = 3", And(vec![And(vec![equal(1), equal(2)]), equal(3)]));
    check("not(level < 1 or level > 2)", not(Or(vec![less(1), greater(2)])));
    check("not not level = 1", not(not(equal(1))));
    check("not level != 1", not(not(equal(1))));
    check("not not level < 1", not(not(less(1))));
    let listed = vec![FilterLiteral::Number(1), FilterLiteral::Decimal(2.5)];
    check("not level in (1,2.5)", not(level(FieldComparison::In(listed))));
}

#[test]
fn what_is_no_filter_is_refused_at_its_column() {
    let refused = |text: &str| refused(RowKind::Programs, text);
    let condition = "write a condition such as `name = \"...\"`";
    let check = |text: &str, expected: &str| {
        assert_eq!(refused(text), expected.replace("[condition]", condition), "{text}");
    };
    check("", "column 1: the filter is empty; [condition]");
    check(" \n ", "column 1: the filter is empty; [condition]");
    check("nam = 'A'", "column 1: programs have no field `nam`; write `name`");
    check("Name = 'A'", "column 1: programs have no field `Name`; write `name`");
    check("end-line = 5", "column 1: programs have no field `end-line`; write `end_line`");
    check("name = 'Ü' and nam = 'A'", "column 16: programs have no field `nam`; write `name`");
    check(
        "zzz = 1",
        "column 1: programs have no field `zzz`; the fields of programs are name, type, summary, business_context, \
         main_line, status, produced_by, lines, paragraphs, dead_paragraphs, rules, calls, unsupported, called_by, steps, transactions, origin, confidence, citation, file, \
         line, end_line, docs, document",
    );
    check("'A' = name", "column 1: a condition begins with a field, not with the text `'A'`; [condition]");
    check("5 = lines", "column 1: a condition begins with a field, not with `5`; [condition]");
    check("and name = 'A'", "column 1: a condition begins with a field, not with `and`; [condition]");
    check("name = 'A' and", "column 15: a condition is missing at the end; [condition]");
    check("name = 'A' and or", "column 16: a condition begins with a field, not with `or`; [condition]");
    check("not", "column 4: a condition is missing at the end; [condition]");
    check("()", "column 2: a condition begins with a field, not with `)`; [condition]");
    check("!(name = 'A')", "column 1: a condition begins with a field, not with `!`; write `not`");

    let operators = "write one of `=`, `!=`, `<`, `<=`, `>`, `>=`, `contains` and `in`";
    check("name", &format!("column 5: after `name` stands an operator, not the end; {operators}"));
    check("name 'A'", &format!("column 6: after `name` stands an operator, not `'A'`; {operators}"));
    check("name frobs 'A'", &format!("column 6: `frobs` is no operator; {operators}"));
    check("name == 'A'", "column 6: `==` is no operator; write `=`");
    check("name <> 'A'", "column 6: `<>` is no operator; write `!=`");
    check("lines => 5", "column 7: `=>` is no operator; write `>=`");
    check("name LIKE 'A%'", "column 6: `LIKE` is no operator; write `name contains \"...\"`");
    check("name is null", "column 6: `is` is no operator; write `name = null` or `name != null`");
    check("name not in ('A')", "column 6: `not` is no operator; write `not` before the field: `not name = \"...\"`");
    check("lines between 1 and 5", "column 7: `between` is no operator; write `lines >= ... and lines <= ...`");

    check("name =", "column 7: a value is missing at the end; write `name = \"...\"`");
    check("(name = )", "column 9: a value is missing before `)`; write `name = \"...\"`");
    check(
        "name = COACTUPC",
        "column 8: a text stands in quotation marks, and `COACTUPC` does not; write `\"COACTUPC\"`",
    );
    check(
        "(name = 2000-CALC)",
        "column 9: a text stands in quotation marks, and `2000-CALC` does not; write `\"2000-CALC\"`",
    );
    check(
        "name = “A”",
        "column 8: a text stands in quotation marks, and `“A”` does not; write `\"` or `'` around the text: quotation marks of other forms, as documents have them, are letters",
    );
    check("name = 5", "column 8: `name` holds text, and is compared with the number `5`; write `\"5\"`");
    check("name = true", "column 8: `name` holds text, and is compared with `true`; write `\"true\"`");
    check(
        "name = 'A",
        "column 8: this quotation mark is not closed; add a `'`; one that is part of the text is written twice",
    );
    check(
        "name = \"a\\\"b\"",
        "column 12: after a condition stands `and` or `or`, not `b`; \
         a quotation mark that is part of a text is written twice, without a backslash",
    );
    check("name = 'a\0b'", "column 8: a text cannot hold the character NUL; leave it out");
    check(
        "name < null",
        "column 8: `<` compares with a value, and null is none; write `name = null` or `name != null`",
    );
    check("name contains ''", "column 15: an empty text is contained in all others; write `name != null` for any text");

    let join = "write `and` or `or` between two conditions";
    check(
        "name = 'A' status = 'x'",
        &format!("column 12: after a condition stands `and` or `or`, not `status`; {join}"),
    );
    check("name = 'A' && status = 'x'", "column 12: after a condition stands `and` or `or`, not `&&`; write `and`");
    check("name = 'A'||status = 'x'", "column 11: after a condition stands `and` or `or`, not `||status`; write `or`");
    check("name = 'A';", &format!("column 11: after a condition stands `and` or `or`, not `;`; {join}"));
    check("name = 'A')", "column 11: this parenthesis closes nothing; leave it out, or add a `(` before");
    check("name = 'A' or (lines = 5", "column 15: this parenthesis is not closed; add a `)`");
    check("(name = 'A' lines = 5)", &format!("column 13: after a condition stands `and` or `or`, not `lines`; {join}"));
}

#[test]
fn what_does_not_suit_the_field_is_refused() {
    let refused = |text: &str| refused(RowKind::Paragraphs, text);
    let check = |text: &str, expected: &str| assert_eq!(refused(text), expected, "{text}");
    check(
        "line = \"5\"",
        "column 8: `line` holds whole numbers, and is compared with the text `\"5\"`; write `5` without quotation marks",
    );
    check(
        "line = 'a\"b'",
        "column 8: `line` holds whole numbers, and is compared with the text `'a\"b'`; \
         write a number, such as `line = 5`",
    );
    check(
        "line = 'a\"b'''",
        "column 8: `line` holds whole numbers, and is compared with the text `\"a\"\"b'\"`; \
         write a number, such as `line = 5`",
    );
    check(
        "line = \"x\"",
        "column 8: `line` holds whole numbers, and is compared with the text `\"x\"`; \
         write a number, such as `line = 5`",
    );
    check(
        "line = 1e5",
        "column 8: `line` holds whole numbers, and is compared with `1e5`; write a number, such as `line = 5`",
    );
    check(
        "confidence > .5",
        "column 14: `confidence` holds numbers, and is compared with `.5`; \
         write a number, such as `confidence >= 0.5`",
    );
    check(
        "line = 99999999999999999999",
        "column 8: `99999999999999999999` is beyond the numbers that can be compared; \
         write a number of at most 15 digits",
    );
    check(
        "line contains 5",
        "column 6: `line` holds whole numbers, which `contains` does not compare; write `line = 5`",
    );
    check("dead", "column 5: after `dead` stands an operator, not the end; write `dead = true` or `dead = false`");
    check(
        "dead < true",
        "column 6: `dead` holds true or false, which `<` does not compare; write `dead = true` or `dead = false`",
    );
    check(
        "dead = 'yes'",
        "column 8: `dead` holds true or false, and is compared with the text `\"yes\"`; \
         write `dead = true` or `dead = false`",
    );
    check(
        "calls = 'A'",
        "column 9: `calls` holds a list, which is only compared with null; write `calls contains \"A\"`",
    );
    check(
        "calls < 'A'",
        "column 7: `calls` holds a list of texts, which `<` does not compare; \
         write `calls contains \"...\"`, more than once with `or` between for several texts",
    );
    check(
        "calls contains 5",
        "column 16: `calls` holds a list of texts, and is compared with the number `5`; write `\"5\"`",
    );
    check("line in 5", "column 9: `in` is followed by a list in parentheses, not by `5`; write `line in (1, 5)`");
    check("line in ()", "column 10: a value is missing before `)`; write `line in (1, 5)`");
    check(
        "line in (1,)",
        "column 12: a value is missing before `)`; leave out the `,` before it, or write one more value",
    );
    check("line in (1 2)", "column 12: after a value of a list stands `,` or `)`, not `2`; write `line in (1, 5)`");
    check("line in (1", "column 9: this parenthesis is not closed; add a `)`");
    check(
        "line in (1, null)",
        "column 13: null is no value, and stands in no list; write `(line = null or line in (...))`",
    );
    check(
        "\u{1b}[31m = 5",
        "column 1: a condition begins with a field, not with `\\u{1b}[31m`; write a condition such as `name = \"...\"`",
    );
    let long = refused(&format!("name = {}", "x".repeat(1000)));
    assert!(long.len() < 300, "{long}");
}

#[test]
fn a_filter_has_an_end() {
    let kind = RowKind::DataItems;
    let deep = |word: &str, end: &str, depth| format!("{}level = 1{}", word.repeat(depth), end.repeat(depth));
    for (word, end) in [("(", ")"), ("not ", ""), ("not(", ")")] {
        let most = if word == "not(" { Filter::MAX_DEPTH / 2 } else { Filter::MAX_DEPTH };
        assert!(Filter::parse(kind, &deep(word, end, most)).is_ok());
        for depth in [most + 1, 5000] {
            let error = Filter::parse(kind, &deep(word, end, depth)).unwrap_err();
            assert_eq!(error.message, "parentheses and `not` stand in each other deeper than 64");
            assert_eq!(error.column, most * word.len() + 1);
        }
    }
    for joint in [" and ", " or "] {
        let chain = |count| vec!["level = 1"; count].join(joint);
        let filter = accepted(kind, &chain(Filter::MAX_CONDITIONS));
        let (Filter::And(parts) | Filter::Or(parts)) = &filter else { panic!("{filter:?}") };
        assert_eq!(parts.len(), Filter::MAX_CONDITIONS);
        let error = Filter::parse(kind, &chain(Filter::MAX_CONDITIONS + 1)).unwrap_err();
        assert_eq!(error.message, "there are more than 400 conditions");
        assert_eq!(error.column, Filter::MAX_CONDITIONS * (9 + joint.len()) + 1);
    }
    let list = |count| format!("level in ({})", vec!["1"; count].join(","));
    accepted(kind, &list(Filter::MAX_VALUES));
    assert_eq!(
        refused(kind, &list(Filter::MAX_VALUES + 1)),
        "column 20011: the lists of `in` have more than 10000 values; ask for less at a time"
    );
    let long = |count| format!("name = \"{}\"", "ü".repeat(count));
    accepted(kind, &long((Filter::MAX_BYTES - 9) / 2));
    assert_eq!(
        refused(kind, &long(Filter::MAX_BYTES / 2)),
        "column 32773: the filter is longer than 65536 bytes; ask for less at a time"
    );
}

#[test]
fn no_field_is_a_word_of_the_language() {
    for kind in RowKind::ALL {
        for field in kind.fields() {
            let text = format!("{} = null", field.name);
            assert!(Filter::parse(kind, &text).is_ok(), "{kind}: {text}");
        }
    }
}

#[test]
fn a_filter_holds_for_some_rows() {
    let row = CatalogueRow::new(RowKind::Paragraphs)
        .with("name", "2000-Calc")
        .with("summary", "Sets the Grenzwert für X")
        .with("dead", false)
        .with("calls", vec!["2100-READ".to_owned(), "2200-Write".to_owned()])
        .with("reads", Vec::new())
        .with("line", 5u32)
        .with("confidence", 0.75);
    let check = |text, expected| assert_eq!(accepted(RowKind::Paragraphs, text).matches(&row), expected, "{text}");
    for text in [
        "name = '2000-CALC'",
        "name != '2000-CAL'",
        "name < '2000-calx'",
        "name >= '2000-CALC'",
        "name <= '2000-CALC'",
        // Letters are compared in lowercase, and `_` comes before those.
        "name > '2000_CALC' or name < '2000_CALC'",
        "summary contains 'sETS'",
        "summary contains 'für'",
        "dead = false",
        "dead != true",
        "dead in (true, false)",
        "calls contains '2200-WRITE'",
        "calls != null",
        "reads = null",
        "writes = null",
        "section = null",
        "section != 'A'",
        "not section < 'A'",
        "not writes contains 'A'",
        "line = 5",
        "line = 5.0",
        "line < 5.5",
        "line > 4.5",
        "line > -5.5",
        "line >= 5",
        "line in (1, 5)",
        "confidence = 0.75",
        "confidence < 1",
        "end_line = null",
        "not end_line <= 5",
        "not end_line > 5",
        "dead = true or line = 5",
        "not (dead = true and line = 5)",
    ] {
        check(text, true);
    }
    for text in [
        "name = '2000'",
        "summary contains 'FÜR'",
        "dead = true",
        "calls contains '2200'",
        "calls = null",
        "section = 'A'",
        "section < 'A'",
        "section contains 'A'",
        "section in ('A')",
        "end_line <= 5",
        "end_line > 5",
        "line = 5.5",
        "line < 5",
        "confidence > 0.75",
        "dead = false and line = 6",
    ] {
        check(text, false);
    }
}

#[test]
fn whole_numbers_are_compared_exactly() {
    let holds = |text, line: i64| {
        accepted(RowKind::Paragraphs, text).matches(&CatalogueRow::new(RowKind::Paragraphs).with("line", line))
    };
    assert!(holds("line > 9007199254740990.5", i64::MAX));
    assert!(holds("line < -9007199254740990.5", i64::MIN));
    assert!(holds("line = 9223372036854775807", i64::MAX));
    assert!(!holds("line = 9223372036854775807", i64::MAX - 1));
    assert!(holds("line < -4.5", -5) && !holds("line < -4.5", -4) && !holds("line < -5.5", -5));
}

fn numbers() -> impl Strategy<Value = FilterLiteral> {
    prop_oneof![
        (-3i64..4).prop_map(FilterLiteral::Number),
        any::<i64>().prop_map(FilterLiteral::Number),
        (-3i32..4).prop_map(|number| FilterLiteral::Decimal(f64::from(number) + 0.5)),
    ]
}

fn kinds() -> impl Strategy<Value = RowKind> {
    proptest::sample::select(&RowKind::ALL[..])
}

proptest! {
    #[test]
    fn any_text_is_a_filter_or_is_refused_within_itself(
        kind in kinds(),
        pieces in proptest::collection::vec(
            prop_oneof![
                "(name|line|dead|calls|confidence|and|or|not|in|contains|null|true|[=<>!(),'\"]|<=|'A'|5|-1.5)",
                "\\PC{0,3}",
            ],
            0..12,
        ),
    ) {
        let text = pieces.join(" ");
        if let Err(error) = Filter::parse(kind, &text) {
            prop_assert!((1..=text.chars().count() + 1).contains(&error.column));
            prop_assert!(!error.hint.is_empty());
        }
    }

    /// `<=` and `>=` agree with `<`, `=` and `>`, and no comparison is true for an absent value.
    #[test]
    fn comparisons_agree_with_each_other(line in proptest::option::of(-3i64..4), literal in numbers()) {
        let row = CatalogueRow::new(RowKind::Programs).with("line", line.map(Value::Number));
        let holds = |comparison| is(RowKind::Programs, "line", comparison).matches(&row);
        let less = holds(FieldComparison::Less(literal.clone()));
        let equal = holds(FieldComparison::Equal(literal.clone()));
        let greater = holds(FieldComparison::Greater(literal.clone()));
        prop_assert_eq!(u8::from(less) + u8::from(equal) + u8::from(greater), u8::from(line.is_some()));
        prop_assert_eq!(holds(FieldComparison::LessOrEqual(literal.clone())), less || equal);
        prop_assert_eq!(holds(FieldComparison::GreaterOrEqual(literal)), greater || equal);
    }
}
