//! Words the conditions of job control.

use crate::phrases::list;
use war_rig_estate::jcl::split_at_commas;

/// Words a step's COND, with one clause for each way in which it prevents the step from running: `skipped when 4 is less than the return
/// code of any step before it (above 4)`. A COND that is invalid for the system appears as written.
pub(super) fn of_step(written: &str) -> Vec<String> {
    let mut clauses = Vec::new();
    let mut tests = Vec::new();
    for part in parts(written) {
        match part.trim().to_uppercase().as_str() {
            "" => {}
            "EVEN" => clauses.push("runs even when a step before it has ended abnormally".to_owned()),
            "ONLY" => clauses.push("runs only when a step before it has ended abnormally".to_owned()),
            _ => match CondTest::read(part) {
                Some(test) => tests.push(test.in_words("any step before it")),
                None => return vec![format!("COND={}", written.trim())],
            },
        }
    }
    if !tests.is_empty() {
        clauses.insert(0, format!("skipped when {}", either(&tests)));
    }
    clauses
}

/// Words COND on a job card: `as soon as 8 is less than the return code of a step (above 8), all steps behind it are skipped`.
pub(super) fn of_job(written: &str) -> Option<String> {
    let parts = parts(written);
    let tests: Option<Vec<String>> = parts
        .iter()
        .filter(|part| !part.trim().is_empty())
        .map(|part| CondTest::read(part).map(|test| test.in_words("a step")))
        .collect();
    let tests = tests.filter(|tests| !tests.is_empty())?;
    Some(format!("as soon as {}, all steps behind it are skipped", either(&tests)))
}

/// Words a branch of IF: `runs when SORTDIR.RC = 0`.
pub(super) fn of_branch(text: &str, holds: bool) -> String {
    if holds { format!("runs when {text}") } else { format!("runs unless {text}") }
}

/// Whether an IF condition tests for abnormal ends, so that its steps may run after one.
pub(super) fn asks_for_abend(text: &str) -> bool {
    text.to_uppercase().contains("ABEND")
}

fn either(tests: &[String]) -> String {
    list(tests).replace(" and ", " or ")
}

/// One test: a code, an operator, and the step whose return code is compared.
struct CondTest {
    code: u16,
    operator: &'static CondOperator,
    step: Option<String>,
}

/// An operator with its words, and the words that describe the return code instead.
struct CondOperator {
    name: &'static str,
    words: &'static str,
    return_code: fn(u16) -> String,
}

static OPERATORS: [CondOperator; 6] = [
    CondOperator { name: "GT", words: "greater than", return_code: |code| format!("below {code}") },
    CondOperator { name: "GE", words: "greater than or equal to", return_code: |code| format!("{code} or below") },
    CondOperator { name: "EQ", words: "equal to", return_code: |code| format!("exactly {code}") },
    CondOperator { name: "LT", words: "less than", return_code: |code| format!("above {code}") },
    CondOperator { name: "LE", words: "less than or equal to", return_code: |code| format!("{code} or above") },
    CondOperator { name: "NE", words: "not equal to", return_code: |code| format!("anything but {code}") },
];

impl CondTest {
    fn read(part: &str) -> Option<Self> {
        let part = unbracketed(part.trim());
        let mut words = part.split(',').map(str::trim);
        let code = words.next()?.parse().ok().filter(|code| *code <= 4095)?;
        let name = words.next()?.to_uppercase();
        let operator = OPERATORS.iter().find(|operator| operator.name == name)?;
        let step = words.next().filter(|step| !step.is_empty()).map(str::to_uppercase);
        words.next().is_none().then_some(Self { code, operator, step })
    }

    fn in_words(&self, any: &str) -> String {
        let Self { code, operator, step } = self;
        let step = step.as_deref().unwrap_or(any);
        let told = (operator.return_code)(*code);
        format!("{code} is {} the return code of {step} ({told})", operator.words)
    }
}

/// Splits a COND into its tests: one in parentheses, or several in an outer pair.
fn parts(written: &str) -> Vec<&str> {
    let inner = unbracketed(written.trim());
    if !inner.contains('(') && CondTest::read(inner).is_some() {
        return vec![inner];
    }
    split_at_commas(inner)
}

/// Removes an outer pair of parentheses.
fn unbracketed(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 0i32;
    // `(A),(B)` begins and ends with parentheses that are not a pair.
    for c in inner.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth < 0 {
            return text;
        }
    }
    inner
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, expected: &[&str]) {
        assert_eq!(of_step(written), expected, "{written}");
    }

    #[test]
    fn a_test_is_told_from_both_sides() {
        let any = "the return code of any step before it";
        check("(4,LT)", &[&format!("skipped when 4 is less than {any} (above 4)")]);
        check("(4,LE)", &[&format!("skipped when 4 is less than or equal to {any} (4 or above)")]);
        check("(0,NE)", &[&format!("skipped when 0 is not equal to {any} (anything but 0)")]);
        check("(8,EQ)", &[&format!("skipped when 8 is equal to {any} (exactly 8)")]);
        check("(8,GT)", &[&format!("skipped when 8 is greater than {any} (below 8)")]);
        check("(8,GE)", &[&format!("skipped when 8 is greater than or equal to {any} (8 or below)")]);
    }

    #[test]
    fn steps_and_steps_of_procedures_are_named() {
        check("(4,LT,MERGE)", &["skipped when 4 is less than the return code of MERGE (above 4)"]);
        check("(4,lt,merge.run)", &["skipped when 4 is less than the return code of MERGE.RUN (above 4)"]);
        check("((4,LT,A))", &["skipped when 4 is less than the return code of A (above 4)"]);
    }

    #[test]
    fn several_tests_are_alternatives_and_abends_stand_apart() {
        check(
            "((4,LT,A),(8,EQ,B.C),EVEN)",
            &[
                "skipped when 4 is less than the return code of A (above 4) or 8 is equal to the return code of B.C (exactly 8)",
                "runs even when a step before it has ended abnormally",
            ],
        );
        check("EVEN", &["runs even when a step before it has ended abnormally"]);
        check("(ONLY)", &["runs only when a step before it has ended abnormally"]);
        check("ONLY", &["runs only when a step before it has ended abnormally"]);
        check(
            "(ONLY,(4,LT))",
            &[
                "skipped when 4 is less than the return code of any step before it (above 4)",
                "runs only when a step before it has ended abnormally",
            ],
        );
        check(
            "(4,LT),(8,EQ)",
            &[
                "skipped when 4 is less than the return code of any step before it (above 4) or 8 is equal to the return code of any step before it (exactly 8)",
            ],
        );
    }

    #[test]
    fn what_the_system_does_not_know_stands_as_written() {
        check("(5000,LT)", &["COND=(5000,LT)"]);
        check("(4,XX)", &["COND=(4,XX)"]);
        check("((4,LT,&STEP),(", &["COND=((4,LT,&STEP),("]);
        check("((((((", &["COND=(((((("]);
        check("()", &[]);
        check("", &[]);
    }

    #[test]
    fn on_the_card_of_a_job_it_ends_the_job() {
        let expected = "as soon as 8 is less than the return code of a step (above 8), all steps behind it are skipped";
        assert_eq!(of_job("(8,LT)").as_deref(), Some(expected));
        let expected = "as soon as 8 is less than the return code of a step (above 8) or 4 is equal to the return code of a step (exactly 4), all steps behind it are skipped";
        assert_eq!(of_job("((8,LT),(4,EQ))").as_deref(), Some(expected));
        assert_eq!(of_job("EVEN"), None);
        assert_eq!(of_job("").as_deref(), None);
    }

    #[test]
    fn a_branch_is_told_as_written() {
        assert_eq!(of_branch("A.RC = 0", true), "runs when A.RC = 0");
        assert_eq!(of_branch("A.RC < 12", false), "runs unless A.RC < 12");
        assert!(asks_for_abend("A.ABEND = TRUE") && !asks_for_abend("A.RC = 0"));
    }
}
