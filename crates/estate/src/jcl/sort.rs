//! Parses the control statements of sorts.
//!
//! ```text
//! statement = [ label ] blanks operation [ blanks operands [ blanks comment ] ]
//! ```
//! Operands continue after a comma at their end, or if column 72 is not blank. A line with `*` in column 1 is a comment. ICETOOL's operators
//! are separated by blanks and continue after a hyphen.

use super::control_statements::{commands, data_lines};
use super::model::{Dd, JobStep};
use super::step_programs::SortStatement;
use war_rig_text::{LineRange, columns};

/// The operations.
const OPERATIONS: [&str; 20] = [
    "SORT", "MERGE", "OPTION", "INCLUDE", "OMIT", "SUM", "INREC", "OUTREC", "OUTFIL", "RECORD", "MODS", "ALTSEQ",
    "DEBUG", "JOINKEYS", "JOIN", "REFORMAT", "END", "INPFIL", "FIELDS", "ANALYZE",
];

/// The columns of a statement.
const STATEMENT: usize = 71;

/// Returns the statements that a step passes to a sort.
pub(super) fn sort_statements(step: &JobStep) -> Vec<SortStatement> {
    let mut found = Vec::new();
    for dd in &step.dds {
        match dd.name.as_str() {
            "TOOLIN" => found.extend(operators(dd)),
            "SYSIN" | "DFSPARM" | "SORTCNTL" | "$ORTPARM" => statements(dd, &mut found),
            name if name.ends_with("CNTL") => statements(dd, &mut found),
            _ => {}
        }
    }
    found
}

fn operators(dd: &Dd) -> impl Iterator<Item = SortStatement> {
    commands(dd).into_iter().filter(|command| !command.text.starts_with('*')).map(|command| {
        let (verb, operands) = command.text.split_once(' ').unwrap_or((&command.text, ""));
        SortStatement {
            dd: dd.name.clone(),
            verb: verb.to_ascii_uppercase(),
            operands: operands.to_owned(),
            lines: command.lines,
            file: command.file,
        }
    })
}

fn statements(dd: &Dd, found: &mut Vec<SortStatement>) {
    let mut open = false;
    for (number, record, file) in data_lines(dd, STATEMENT + 1) {
        let line = columns(record, 0..STATEMENT);
        if line.starts_with('*') || line.trim().is_empty() {
            continue;
        }
        let marked = line.len() < record.len() && !record.ends_with(' ');
        let (field, is_statement) = if open { (line.trim_start(), false) } else { (operation(line), true) };
        if is_statement {
            let verb = field.split([' ', ',', '=']).next().unwrap_or_default();
            // `SORT FIELDS=COPY`, but also `FIELDS` alone if the first line has no operation.
            let operands = field[verb.len()..].trim_start();
            let operand = before_comment(operands);
            open = operand.ends_with(',') || marked;
            found.push(SortStatement {
                dd: dd.name.clone(),
                verb: verb.to_ascii_uppercase(),
                operands: operand.to_owned(),
                lines: LineRange::single(number),
                file: file.cloned(),
            });
        } else if let Some(last) = found.last_mut() {
            let operand = before_comment(field);
            open = operand.ends_with(',') || marked;
            last.operands.push_str(operand);
            last.lines = LineRange::spanning(last.lines.start(), number);
        }
    }
}

/// Returns the line from its operation on, without a label.
fn operation(line: &str) -> &str {
    let text = line.trim_start();
    let first = text.split([' ', ',', '=']).next().unwrap_or_default();
    let is_operation = OPERATIONS.iter().any(|operation| operation.eq_ignore_ascii_case(first));
    if line.starts_with(' ') || is_operation {
        return text;
    }
    text[first.len()..].trim_start()
}

/// Returns the text before the first unquoted blank.
fn before_comment(text: &str) -> &str {
    let mut quoted = false;
    let end = text.bytes().position(|byte| {
        quoted ^= byte == b'\'';
        byte == b' ' && !quoted
    });
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::super::testing::step;

    fn check(data: &str, expected: &[&str]) {
        let found = super::sort_statements(&step(data));
        let shown: Vec<String> =
            found.iter().map(|s| format!("{} {} {} {}", s.dd, s.verb, s.operands, s.lines)).collect();
        assert_eq!(shown, expected, "{data}");
    }

    #[test]
    fn operands_go_on_behind_a_comma_and_comments_are_left_out() {
        check(
            "//SYSIN DD *\n* A COMMENT\n  SORT FIELDS=(1,10,CH,A,   THE KEY\n        21,3,ZD,A)\n  OMIT COND=(24,2,CH,EQ,C'  ')  BLANKS\n  OPTION COPY\n SUM FIELDS=NONE\n/*\n",
            &[
                "SYSIN SORT FIELDS=(1,10,CH,A,21,3,ZD,A) 4-5",
                "SYSIN OMIT COND=(24,2,CH,EQ,C'  ') 6",
                "SYSIN OPTION COPY 7",
                "SYSIN SUM FIELDS=NONE 8",
            ],
        );
        check(
            "//SYSIN DD *\nLABEL SORT FIELDS=COPY\nsort fields=copy\n",
            &["SYSIN SORT FIELDS=COPY 3", "SYSIN SORT fields=copy 4"],
        );
        check("//SYSOUT DD *\n  SORT FIELDS=COPY\n", &[]);
        check("//SYSIN DD DSN=A.B\n", &[]);
    }

    #[test]
    fn icetool_has_operators_and_control_datasets() {
        check(
            "//TOOLIN DD *\n* NO\n COPY FROM(IN) TO(OUT) -\n   USING(CTL1)\n//CTL1CNTL DD *\n  INCLUDE COND=(1,1,CH,EQ,C'A')\n",
            &["TOOLIN COPY FROM(IN) TO(OUT) USING(CTL1) 4-5", "CTL1CNTL INCLUDE COND=(1,1,CH,EQ,C'A') 7"],
        );
    }
}
