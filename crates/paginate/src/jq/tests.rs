use super::*;
use serde_json::json;

fn run(program: &str, answers: Value) -> Result<Value, String> {
    let Value::Array(answers) = answers else { panic!("answers are a list") };
    JqProgram::parse(program).map_err(|error| error.to_string())?.run(&answers)
}

fn check(program: &str, answers: Value, expected: Value) {
    // The same number has different texts as a float and as an integer.
    assert_eq!(run(program, answers).map(|value| value.to_string()), Ok(expected.to_string()), "{program}");
}

#[test]
fn a_program_makes_one_answer_of_all() {
    let answers = json!([{"items": [1], "n": 2}, {"items": [2, 3]}]);
    check("{items: map(.items) | add, n: map(.n // 0) | add}", answers.clone(), json!({"items": [1, 2, 3], "n": 2}));
    check("length", answers.clone(), json!(2));
    check("reduce .[] as $part ({}; . * $part)", answers, json!({"items": [2, 3], "n": 2}));
    check("map(.id) | unique_by(ascii_downcase)", json!([{"id": "B"}, {"id": "a"}, {"id": "b"}]), json!(["a", "B"]));
    check("map(select(test(\"^PBI-[0-9]+$\")))", json!(["PBI-1", "x"]), json!(["PBI-1"]));
    check("map(sqrt) | add / length", json!([4, 16]), json!(3.0));
    check("map(fromdateiso8601) | max | todateiso8601", json!(["2024-02-29T00:00:00Z"]), json!("2024-02-29T00:00:00Z"));
    check(".", json!([]), json!([]));
}

#[test]
fn numbers_stay_what_they_are() {
    let numbers = json!([9_007_199_254_740_993_i64, u64::MAX, i64::MIN, 0.1, 1.0, 1e300, -0.5]);
    check(".", numbers.clone(), numbers);
    check("add", json!([u64::MAX, -1]), json!(u64::MAX - 1));
    check("[1.5, 3, 18446744073709551615]", json!([]), json!([1.5, 3, u64::MAX]));
    check("add", json!([u64::MAX, u64::MAX]), json!(36_893_488_147_419_103_230.0));
    check(".[0]", json!([{"é": "\u{1f600}\u{0}", "a": null}]), json!({"é": "\u{1f600}\u{0}", "a": null}));
}

fn refused(program: &str, expected: &str) {
    assert_eq!(JqProgram::parse(program).map(|_| ()).map_err(|error| error.to_string()), Err(expected.to_owned()));
}

#[test]
fn what_is_no_program_is_told_with_its_place() {
    refused("{a: 1", "line 1, column 6: expected closing brace, found nothing more");
    refused("map(.a) |\n  ", "line 2, column 3: expected term, found nothing more");
    refused(".a\n  | 2 §", "line 2, column 7: expected token, found `§`");
    refused("if . then 1", "line 1, column 12: expected else or end, found nothing more");
    refused("é | 1 2", "line 1, column 1: expected token, found `é | 1 2`");
    refused("1 2", "line 1, column 3: expected the end, found `2`");
    refused("1 | map(.a; 2)", "line 1, column 5: there is no filter `map`");
    refused(".[] as [$a] | $b", "line 1, column 15: there is no variable `$b`");
    refused("", "line 1, column 1: expected term, found nothing more");
    let long = " ".repeat(LONGEST + 1);
    refused(&long, "line 1, column 1: a program has at most 16384 bytes, and this has 16385");
}

#[test]
fn nothing_but_the_answers_is_seen() {
    for program in [
        "env",
        "$ENV",
        "env.PATH",
        "$ENV.PATH",
        "input",
        "inputs",
        "debug",
        "debug(1)",
        "stderr",
        "input_filename",
        "input_line_number",
        "halt",
        "halt_error",
        "halt_error(1)",
        "halt(1)",
        "now",
        "localtime",
        "strflocaltime(\"\")",
        "strptime(\"\")",
        "$__prog_args",
        "$named",
        "get_search_list",
        "debug_empty",
        "stderr_empty",
        "@env",
        "modulemeta",
    ] {
        let refused = JqProgram::parse(program).unwrap_err();
        assert!(refused.message.starts_with("there is no "), "{program}: {refused}");
    }
    refused("include \"a\"; 1", "line 1, column 10: `a`: files cannot be read");
    refused("import \"a\" as a; 1", "line 1, column 9: `a`: files cannot be read");
    refused("import \"a\" as $a; $a", "line 1, column 9: `a`: files cannot be read");
}

#[test]
fn the_library_has_nothing_that_is_not_known() {
    let left_out = ["env", "now", "debug_empty", "stderr_empty", "halt", "localtime", "strflocaltime", "strptime"];
    let mut names: Vec<&str> = jaq_std::funs::<JustLut<Val>>().map(|(name, ..)| name).collect();
    let mut known: Vec<&str> = PURE.iter().copied().chain(left_out).collect();
    names.sort_unstable();
    known.sort_unstable();
    assert_eq!(names, known);
}

#[test]
fn errors_of_programs_are_words() {
    let check = |program: &str, expected: &str| {
        assert_eq!(run(program, json!([1])), Err(expected.to_owned()), "{program}");
    };
    check("empty", "gives nothing, and one value is wanted");
    check(".[], 2", "gives more than one value; hint: put `[` and `]` around it for a list");
    check("error(\"no id\")", "no id");
    check(".a", "cannot index [1] with \"a\"");
    check("nan", "gives `NaN`, which is no number of JSON");
    check("[-infinite]", "gives `-Infinity`, which is no number of JSON");
    check("{(.[0] | tostring | tobytes): 1} | {a: (\"\\u00ff\" | tobytes | .[:1])}", "gives bytes that are no text");
    check("reduce range(200) as $i (1; [.])", "gives a value that is more than 128 levels deep");
    let long = run("error(\"x\" * 1000)", json!([])).unwrap_err();
    assert_eq!(long.chars().count(), SHOWN + 1);
}

#[test]
fn deep_programs_are_read_or_refused() {
    for (begin, end) in [
        ("(", ")"),
        ("[", "]"),
        ("{a:", "}"),
        ("-", ""),
        (".|", ""),
        ("try ", ""),
        ("if ", ""),
        ("1+", ""),
        ("1 as $x|", ""),
        (".a", ""),
        ("def f: ", ""),
        ("\"\\(", ")\""),
        ("not//", ""),
    ] {
        let count = LONGEST / (begin.len() + end.len()) - 1;
        let program = format!("{}1{}", begin.repeat(count), end.repeat(count));
        // It must not end the process, whatever the result.
        drop(JqProgram::parse(&program));
    }
}
