//! Parses the control statements of sorts.
//!
//! ```text
//! statement = [ label ] blanks operation [ blanks operands [ blanks comment ] ]
//! ```
//! Operands continue after a comma at their end, or if column 72 is not blank. A line with `*` in column 1 is a comment. ICETOOL's operators
//! are separated by blanks and continue after a hyphen.

use super::control_statements::{commands, data_lines, unquoted_name, words};
use super::model::{Dd, JobStep};
use super::operands::{keyword, list, split_at_commas};
use serde::Serialize;
use std::sync::Arc;
use war_rig_text::{LineRange, columns, line_and_end};

/// The operations.
const OPERATIONS: [&str; 20] = [
    "SORT", "MERGE", "OPTION", "INCLUDE", "OMIT", "SUM", "INREC", "OUTREC", "OUTFIL", "RECORD", "MODS", "ALTSEQ",
    "DEBUG", "JOINKEYS", "JOIN", "REFORMAT", "END", "INPFIL", "FIELDS", "ANALYZE",
];

/// The columns of a statement.
const STATEMENT: usize = 71;

/// A control statement of a sort.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SortStatement {
    /// `SORT`, `MERGE`, `OPTION`, `INCLUDE`, `OMIT`, `SUM`, `INREC`, `OUTREC`, `OUTFIL`, and ICETOOL's operators.
    pub verb: String,
    /// Its operands, without continuations and comments.
    pub operands: String,
    /// The DD whose data contains it.
    pub dd: String,
    /// Its lines.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The file that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

/// An operand of a sort statement: `FORMAT=BI`, or `COPY` without a keyword.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortOperand<'a> {
    /// Its keyword, in upper case.
    pub keyword: Option<String>,
    /// The text after the keyword; empty without a keyword.
    pub value: &'a str,
    /// The operand as written.
    pub written: &'a str,
}

/// Returns the statements that a step passes to a sort.
pub(super) fn sort_statements(step: &JobStep) -> Vec<SortStatement> {
    let mut found = Vec::new();
    for dd in &step.dds {
        match dd.name.as_str() {
            TOOLIN => found.extend(operators(dd)),
            "SYSIN" | "DFSPARM" | "SORTCNTL" | "$ORTPARM" => statements(dd, &mut found),
            name if name.ends_with("CNTL") => statements(dd, &mut found),
            _ => {}
        }
    }
    found
}

/// Whether the control statements of a step are those of a sort, whatever it executes.
pub(super) fn are_sorts(step: &JobStep) -> bool {
    let statements = sort_statements(step);
    let of_sysin = || statements.iter().filter(|statement| statement.dd == "SYSIN");
    let starts = |verb: &str| matches!(verb, "SORT" | "MERGE" | "JOINKEYS" | "OPTION");
    statements.iter().any(|statement| statement.dd == TOOLIN)
        || of_sysin().any(|statement| starts(&statement.verb))
            && of_sysin().all(|statement| OPERATIONS.contains(&statement.verb.as_str()))
}

impl SortStatement {
    /// Whether it is an operator of ICETOOL.
    pub fn is_operator(&self) -> bool {
        self.dd == TOOLIN
    }

    /// Returns its operands.
    pub fn split_operands(&self) -> impl Iterator<Item = SortOperand<'_>> {
        split_at_commas(&self.operands).into_iter().map(|operand| {
            let written = operand.trim();
            match keyword(written) {
                (Some(keyword), value) => SortOperand { keyword: Some(keyword), value: value.trim(), written },
                (None, _) => SortOperand { keyword: None, value: "", written },
            }
        })
    }

    /// Returns the value of its first operand with this keyword.
    pub fn value(&self, keyword: &str) -> Option<&str> {
        let mut found = self.split_operands().filter(|operand| operand.keyword.as_deref() == Some(keyword));
        found.next().map(|operand| operand.value)
    }

    /// Returns the number and the DD of the file that JOINKEYS joins: 1 and `IN1` of `F1=IN1`, 2 and `SORTJNF2` of `FILE=F2`.
    pub fn joined_file(&self) -> Option<(u8, String)> {
        let number = |name: &str| match name {
            "F1" => Some(1),
            "F2" => Some(2),
            _ => None,
        };
        let of_operand = |operand: SortOperand<'_>| {
            let value = operand.value.to_ascii_uppercase();
            match operand.keyword?.as_str() {
                "FILE" | "FILES" => number(&value).map(|number| (number, format!("SORTJNF{number}"))),
                keyword => number(keyword).map(|number| (number, value)),
            }
        };
        let is_join = self.verb == "JOINKEYS";
        is_join.then(|| self.split_operands().find_map(of_operand)).flatten()
    }

    /// Whether it says that the records are copied and not sorted.
    pub fn is_copy(&self) -> bool {
        let is_copied = |fields: &str| fields == "COPY" || fields == "(COPY)";
        match self.verb.as_str() {
            "SORT" | "MERGE" => self.value("FIELDS").is_some_and(is_copied),
            "OPTION" => self.split_operands().any(|operand| operand.written == "COPY"),
            _ => false,
        }
    }

    /// Returns the exits of MODS with the programs that the sort calls there: `E15` with `OWN` of `E15=(OWN,2000,LIB)`.
    pub fn exits(&self) -> Vec<(String, String)> {
        let is_exit = |name: &str| {
            name.len() == 3
                && name.strip_prefix('E').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let of_operand = |operand: SortOperand<'_>| {
            let exit = operand.keyword.filter(|name| is_exit(name))?;
            let program =
                list(operand.value).first().map(|name| unquoted_name(name)).filter(|name| !name.is_empty())?;
            Some((exit, program))
        };
        self.split_operands().filter(|_| self.verb == "MODS").filter_map(of_operand).collect()
    }

    /// Returns the DDs that it names as its input.
    pub fn input_dds(&self) -> Vec<String> {
        match self.joined_file() {
            Some((_, dd)) => vec![dd],
            None => self.dds_behind(&["FROM"]),
        }
    }

    /// Returns the DDs that it names as its output.
    pub fn output_dds(&self) -> Vec<String> {
        if self.verb != "OUTFIL" {
            return [self.target_dds(), self.dds_behind(&["DISCARD", "LIST", "WRITE"])].concat();
        }
        let names = self.split_operands().filter(|operand| operand.keyword.as_deref() == Some("FNAMES"));
        let dds = names.flat_map(|operand| list(operand.value));
        dds.map(|dd| unquoted_name(&dd)).filter(|dd| !dd.is_empty()).collect()
    }

    /// Returns the DDs to which an operator writes what it makes: those of TO.
    pub fn target_dds(&self) -> Vec<String> {
        self.dds_behind(&["TO"])
    }

    /// Returns the operands of an operator but those that name its input and its output.
    pub fn options(&self) -> String {
        let is_option = |word: &str| !["FROM", "TO"].iter().any(|name| name.eq_ignore_ascii_case(word));
        let options = words(&self.operands).filter(|word| self.is_operator() && is_option(word.text));
        let written = options.map(|word| match word.inner {
            Some(inner) => format!("{}({inner})", word.text),
            None => word.text.to_owned(),
        });
        written.collect::<Vec<_>>().join(" ")
    }

    fn dds_behind(&self, keywords: &[&str]) -> Vec<String> {
        let is_it = |word: &str| keywords.iter().any(|keyword| keyword.eq_ignore_ascii_case(word));
        let found = words(&self.operands).filter(|word| self.is_operator() && is_it(word.text));
        let names = found.filter_map(|word| word.inner).flat_map(words);
        names.map(|name| unquoted_name(name.text)).filter(|name| !name.is_empty()).collect()
    }
}

/// The DD of the operators of ICETOOL.
const TOOLIN: &str = "TOOLIN";

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
    fn statements_name_the_dds_that_they_read_and_write() {
        let check = |data: &str, expected: &[&str]| {
            let told = |names: Vec<String>| names.join("+");
            let found = super::sort_statements(&step(data));
            let shown: Vec<String> = found
                .iter()
                .map(|found| {
                    format!("{} {} {}", told(found.input_dds()), told(found.output_dds()), found.options())
                        .trim_end()
                        .to_owned()
                })
                .collect();
            assert_eq!(shown, expected, "{data}");
        };
        check(
            "//SYSIN DD *\n JOINKEYS F1=IN1,FIELDS=(1,5,A)  --> THE FIRST\n JOINKEYS FILE=F2,FIELDS=(1,5,A)\n \
             OUTFIL FNAMES=(A,B),   --> BOTH\n   INCLUDE=(1,1,CH,EQ,C'B')\n OUTFIL FNAMES=C,SAVE\n SORT FIELDS=COPY\n",
            &["IN1", "SORTJNF2", " A+B", " C", ""],
        );
        check(
            "//TOOLIN DD *\n COPY FROM(IN) TO(OUT1,OUT2) USING(CTL1)\n SELECT FROM(T1) TO(T2) ON(1,5,CH) FIRST DISCARD(REST)\n",
            &["IN OUT1+OUT2 USING(CTL1)", "T1 T2+REST ON(1,5,CH) FIRST DISCARD(REST)"],
        );
    }

    #[test]
    fn icetool_has_operators_and_control_datasets() {
        check(
            "//TOOLIN DD *\n* NO\n COPY FROM(IN) TO(OUT) -\n   USING(CTL1)\n//CTL1CNTL DD *\n  INCLUDE COND=(1,1,CH,EQ,C'A')\n",
            &["TOOLIN COPY FROM(IN) TO(OUT) USING(CTL1) 4-5", "CTL1CNTL INCLUDE COND=(1,1,CH,EQ,C'A') 7"],
        );
    }
}
