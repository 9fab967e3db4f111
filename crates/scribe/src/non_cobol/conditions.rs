//! Words the conditions of job control.

use crate::phrases::list;
use war_rig_estate::jcl::split_at_commas;

/// Words a step's COND: `skipped when a step before it returned above 4`. A step that did not run counts for nothing. A COND that is invalid for the system appears as written.
pub(super) fn of_step(written: &str) -> Vec<String> {
    let mut clauses = Vec::new();
    let mut tests = Vec::new();
    for part in parts(written) {
        match part.trim().to_uppercase().as_str() {
            "" => {}
            "EVEN" => clauses.push("runs even when a step before it has ended abnormally".to_owned()),
            "ONLY" => clauses.push("runs only when a step before it has ended abnormally".to_owned()),
            _ => match CondTest::read(part) {
                Some(test) => tests.push(test.failed("a step before it")),
                None => return vec![format!("COND={}", written.trim())],
            },
        }
    }
    if !tests.is_empty() {
        clauses.insert(0, format!("skipped when {}", either(&tests)));
    }
    clauses
}

/// Words COND on a job card: `as soon as a step returned above 8, all steps behind it are skipped`.
pub(super) fn of_job(written: &str) -> Option<String> {
    let parts = parts(written);
    let tests: Option<Vec<String>> = parts
        .iter()
        .filter(|part| !part.trim().is_empty())
        .map(|part| CondTest::read(part).map(|test| test.failed("a step")))
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

/// An operator with the return codes for which the step is bypassed.
struct CondOperator {
    name: &'static str,
    failed: fn(u16) -> String,
}

fn exactly(code: u16) -> String {
    code.to_string()
}

fn others(code: u16) -> String {
    format!("anything but {code}")
}

fn above(code: u16) -> String {
    format!("above {code}")
}

fn below(code: u16) -> String {
    format!("below {code}")
}

fn at_least(code: u16) -> String {
    format!("{code} or above")
}

fn at_most(code: u16) -> String {
    if code == 0 { exactly(code) } else { format!("{code} or below") }
}

/// Source: z/OS MVS JCL Reference, COND. The test compares the code with the return code, and the step is bypassed where it is true.
static OPERATORS: [CondOperator; 6] = [
    CondOperator { name: "GT", failed: below },
    CondOperator { name: "GE", failed: at_most },
    CondOperator { name: "EQ", failed: exactly },
    CondOperator { name: "LT", failed: above },
    CondOperator { name: "LE", failed: at_least },
    CondOperator { name: "NE", failed: others },
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

    fn failed(&self, any: &str) -> String {
        format!("{} returned {}", self.step.as_deref().unwrap_or(any), (self.operator.failed)(self.code))
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
    fn a_test_is_told_by_the_codes_that_it_looks_for() {
        let skipped = |codes: &str| format!("skipped when a step before it returned {codes}");
        check("(4,LT)", &[&skipped("above 4")]);
        check("(0,LT)", &[&skipped("above 0")]);
        check("(4,LE)", &[&skipped("4 or above")]);
        check("(0,NE)", &[&skipped("anything but 0")]);
        check("(8,EQ)", &[&skipped("8")]);
        check("(8,GT)", &[&skipped("below 8")]);
        check("(8,GE)", &[&skipped("8 or below")]);
    }

    #[test]
    fn steps_and_steps_of_procedures_are_named() {
        check("(4,LT,MERGE)", &["skipped when MERGE returned above 4"]);
        check("(4,lt,merge.run)", &["skipped when MERGE.RUN returned above 4"]);
        check("((4,LT,A))", &["skipped when A returned above 4"]);
    }

    #[test]
    fn several_tests_are_alternatives_and_abends_stand_apart() {
        check(
            "((4,LT,A),(8,EQ,B.C),EVEN)",
            &[
                "skipped when A returned above 4 or B.C returned 8",
                "runs even when a step before it has ended abnormally",
            ],
        );
        check("EVEN", &["runs even when a step before it has ended abnormally"]);
        check("(ONLY)", &["runs only when a step before it has ended abnormally"]);
        check("ONLY", &["runs only when a step before it has ended abnormally"]);
        check(
            "(ONLY,(4,LT))",
            &["skipped when a step before it returned above 4", "runs only when a step before it has ended abnormally"],
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
        let expected = "as soon as a step returned above 8, all steps behind it are skipped";
        assert_eq!(of_job("(8,LT)").as_deref(), Some(expected));
        let expected = "as soon as a step returned above 8 or a step returned 4, all steps behind it are skipped";
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
