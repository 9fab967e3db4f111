//! Which items a statement sets, and the figure it makes.

use super::tokens::{Word, words};
use crate::model::Statement;

/// Words that end a list of operands.
const ENDS: &[&str] = &[
    "ON",
    "SIZE",
    "ERROR",
    "NOT",
    "WITH",
    "POINTER",
    "TALLYING",
    "DELIMITED",
    "REPLACING",
    "AT",
    "END",
    "INVALID",
    "KEY",
    "FROM",
    "GIVING",
    "REMAINDER",
    "OVERFLOW",
    "EXCEPTION",
];

/// The items that a statement sets, by their names in upper case without qualifiers and subscripts, each once. SET of a condition
/// name sets that name. Of EXEC blocks and CALL nothing is said.
pub fn items_set(statement: &Statement) -> Vec<String> {
    let all: Vec<Word<'_>> = words(&statement.text).skip(1).collect();
    let behind = |word: &str| all.iter().position(|found| found.is(word)).map(|at| &all[at + 1..]);
    let empty: &[Word<'_>] = &[];
    let targets = match statement.verb.as_str() {
        "MOVE" => names(behind("TO").unwrap_or(empty)),
        "SET" => {
            let end = all.iter().position(|word| word.is_any(&["TO", "UP", "DOWN"])).unwrap_or(all.len());
            names(&all[..end])
        }
        "INITIALIZE" => names(&all),
        "COMPUTE" => {
            let end = all.iter().position(|word| word.text == "=" || word.is("EQUAL")).unwrap_or(0);
            names(&all[..end])
        }
        "ADD" => names(behind("GIVING").or(behind("TO")).unwrap_or(empty)),
        "SUBTRACT" => names(behind("GIVING").or(behind("FROM")).unwrap_or(empty)),
        "MULTIPLY" => names(behind("GIVING").or(behind("BY")).unwrap_or(empty)),
        "DIVIDE" => {
            let mut found = names(behind("GIVING").or(behind("INTO")).unwrap_or(empty));
            found.extend(names(behind("REMAINDER").unwrap_or(empty)));
            found
        }
        "STRING" | "READ" | "RETURN" => names(behind("INTO").unwrap_or(empty)).into_iter().take(1).collect(),
        "UNSTRING" => unstrung(behind("INTO").unwrap_or(empty)),
        "ACCEPT" => names(&all).into_iter().take(1).collect(),
        "INSPECT" => match behind("TALLYING") {
            Some(tallied) => names(tallied).into_iter().take(1).collect(),
            None => names(&all).into_iter().take(1).collect(),
        },
        _ => Vec::new(),
    };
    let mut once: Vec<String> = Vec::with_capacity(targets.len());
    for target in targets {
        if !once.contains(&target) {
            once.push(target);
        }
    }
    once
}

/// What a MOVE moves and where to, each as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The literal or the item.
    pub from: String,
    /// The items that are set, one at least.
    pub to: Vec<String>,
    /// Whether what moves are the items that both groups hold under the same names.
    pub corresponds: bool,
}

/// What a MOVE moves; none for other statements, and for one without end.
pub fn moved(statement: &Statement) -> Option<Moved> {
    let all: Vec<Word<'_>> = words(&statement.text).skip(1).collect();
    let to = all.iter().position(|word| word.is("TO"))?;
    let from = operands(&statement.text, &all[..to]);
    let targets = operands(&statement.text, &all[to + 1..]);
    let [from] = from.as_slice() else { return None };
    let corresponds = all[0].is_any(&["CORR", "CORRESPONDING"]);
    (statement.verb == "MOVE" && !targets.is_empty()).then(|| Moved {
        from: from.clone(),
        to: targets,
        corresponds,
    })
}

/// What a STRING puts together, without its delimiters, and into what, each as written.
pub fn strung(statement: &Statement) -> Option<(Vec<String>, String)> {
    let all: Vec<Word<'_>> = words(&statement.text).skip(1).collect();
    let into = all.iter().position(|word| word.is("INTO"))?;
    let mut parts = Vec::new();
    let mut begun = 0;
    let mut at = 0;
    while at < into {
        if all[at].is("DELIMITED") {
            parts.extend(operands(&statement.text, &all[begun..at]));
            at += 1 + usize::from(all.get(at + 1).is_some_and(|next| next.is("BY")));
            // What delimits is one operand; `SIZE` too.
            let delimiter = operands(&statement.text, &all[at.min(into)..into]);
            let end = delimiter.first().map_or(into, |first| {
                let behind = |word: &Word<'_>| word.start >= all[at].start + first.len();
                (at..into).find(|index| behind(&all[*index])).unwrap_or(into)
            });
            (begun, at) = (end, end);
            continue;
        }
        at += 1;
    }
    parts.extend(operands(&statement.text, &all[begun..into]));
    let target = operands(&statement.text, &all[into + 1..]).into_iter().next()?;
    (statement.verb == "STRING").then_some((parts, target))
}

/// The targets of UNSTRING, without what counts and delimits.
fn unstrung(all: &[Word<'_>]) -> Vec<String> {
    let mut kept: Vec<Word<'_>> = Vec::new();
    let mut at = 0;
    while let Some(word) = all.get(at) {
        if word.is_any(&["POINTER", "TALLYING", "ON", "NOT", "WITH"]) {
            break;
        }
        if word.is_any(&["DELIMITER", "COUNT"]) {
            at += 2 + usize::from(all.get(at + 1).is_some_and(|next| next.is("IN")));
            continue;
        }
        kept.push(*word);
        at += 1;
    }
    names(&kept)
}

/// The names of a list of operands up to a word that ends it: no subscripts, no qualifiers, no constants.
fn names(all: &[Word<'_>]) -> Vec<String> {
    let mut found = Vec::new();
    let (mut depth, mut qualifies) = (0usize, false);
    for word in all {
        match word.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            _ if word.is_any(&["OF", "IN"]) => qualifies = true,
            _ if qualifies => qualifies = false,
            _ if word.is_any(ENDS) => break,
            _ if word.is_any(&["ROUNDED", "CORR", "CORRESPONDING", "ADDRESS", "FUNCTION", "MODE", "IS"]) => {}
            _ if word.is_name() => found.push(word.text.to_ascii_uppercase()),
            _ => {}
        }
    }
    found
}

/// The names in an expression or condition, in order, each once, in upper case: subscripts too, functions and constants not. What
/// qualifies a name is left out.
pub(super) fn named_in(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut skip = 0;
    for word in words(text) {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        if word.is_any(&["FUNCTION", "OF", "IN"]) {
            skip = 1;
        } else if word.is_any(&["DFHRESP", "DFHVALUE"]) {
            // The name of a value stands in parentheses behind it.
            skip = 2;
        } else if word.is_name() && !word.is_any(NO_ITEMS) {
            let upper = word.text.to_ascii_uppercase();
            if !found.contains(&upper) {
                found.push(upper);
            }
        }
    }
    found
}

/// Words of conditions and expressions that name no item.
const NO_ITEMS: &[&str] = &[
    "AND",
    "OR",
    "NOT",
    "IS",
    "THAN",
    "TO",
    "EQUAL",
    "EQUALS",
    "GREATER",
    "LESS",
    "EXCEEDS",
    "UNEQUAL",
    "THRU",
    "THROUGH",
    "ALSO",
    "OTHER",
    "ANY",
    "THEN",
    "ALL",
    "LENGTH",
    "ADDRESS",
    "TRUE",
    "FALSE",
    "NUMERIC",
    "ALPHABETIC",
    "ALPHABETIC-LOWER",
    "ALPHABETIC-UPPER",
    "POSITIVE",
    "NEGATIVE",
    "DFHRESP",
    "DFHVALUE",
    "ROUNDED",
];

/// A figure that a statement makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// The items that get it, in upper case.
    pub targets: Vec<String>,
    /// How it is worked out, in COBOL's signs: `BALANCE * RATE / 1200`.
    pub expression: String,
    /// Whether it is rounded.
    pub is_rounded: bool,
    /// The item that gets the remainder of a division, in upper case.
    pub remainder: Option<String>,
}

impl Formula {
    /// Reads COMPUTE, ADD, SUBTRACT, MULTIPLY and DIVIDE. None for counting: one constant added to an item or taken from it, and none
    /// for COMPUTE that only copies.
    pub fn of(statement: &Statement) -> Option<Self> {
        let text = statement.text.as_str();
        let all: Vec<Word<'_>> = words(text).skip(1).collect();
        let at = |word: &str| all.iter().position(|found| found.is(word));
        let end = all.iter().position(|word| word.is_any(&["REMAINDER", "SIZE"])).map_or(all.len(), |end| {
            end - usize::from(all[end].is("SIZE") && end > 0 && all[end - 1].is("ON"))
        });
        let remainder = at("REMAINDER").and_then(|at| names(&all[at + 1..]).into_iter().next());
        let mut targets = items_set(statement);
        targets.retain(|target| remainder.as_ref() != Some(target) || statement.verb != "DIVIDE");
        let is_rounded = at("ROUNDED").is_some();
        let of = |expression: String| {
            // Constants alone make no figure: ADD 8 TO ZERO GIVING RESULT.
            let is_figure = words(&expression).any(|word| word.is_name());
            let targets = targets.iter().filter(|_| is_figure).cloned().collect::<Vec<_>>();
            (!targets.is_empty()).then(|| Self {
                targets,
                expression,
                is_rounded,
                remainder: remainder.clone(),
            })
        };
        let giving = at("GIVING");
        // The operands between two places, each as written.
        let list =
            |from: usize, to: usize| -> Vec<String> { operands(text, all.get(from..to).unwrap_or_default()) };
        let last = giving.unwrap_or(end);
        match statement.verb.as_str() {
            "COMPUTE" => {
                let equals = all.iter().position(|word| word.text == "=" || word.is("EQUAL"))?;
                let (first, last) = (all.get(equals + 1)?, all.get(end.checked_sub(1)?)?);
                let expression = text.get(first.start..last.end())?;
                let is_worked_out = words(expression).any(|word| word.text.starts_with(['+', '-', '*', '/']));
                let copies = !is_worked_out || counts(expression, &targets);
                (!copies).then(|| of(expression.to_owned())).flatten()
            }
            "ADD" => {
                let to = at("TO").unwrap_or(last);
                let mut added = list(0, to);
                let onto = list((to + 1).min(last), last);
                if giving.is_none() && added.len() == 1 && is_constant(&added[0]) {
                    return None;
                }
                match (giving, onto.as_slice()) {
                    (Some(_), _) => added.extend(onto),
                    (None, [only]) => added.insert(0, only.clone()),
                    (None, _) => added.insert(0, "itself".to_owned()),
                }
                of(added.join(" + "))
            }
            "SUBTRACT" => {
                let from = at("FROM")?;
                let taken = list(0, from);
                let of_what = list(from + 1, last);
                if giving.is_none() && taken.len() == 1 && is_constant(&taken[0]) {
                    return None;
                }
                let first = if of_what.len() == 1 { of_what[0].clone() } else { "itself".to_owned() };
                of(std::iter::once(first).chain(taken).collect::<Vec<_>>().join(" - "))
            }
            "MULTIPLY" => {
                let by = at("BY")?;
                let (one, others) = (list(0, by), list(by + 1, last));
                let other = if others.len() == 1 { others[0].clone() } else { "itself".to_owned() };
                of(format!("{other} * {}", one.first()?))
            }
            "DIVIDE" => match (at("INTO"), at("BY")) {
                (Some(into), _) => {
                    let (divisor, others) = (list(0, into), list(into + 1, last));
                    let other = if others.len() == 1 { others[0].clone() } else { "itself".to_owned() };
                    of(format!("{other} / {}", divisor.first()?))
                }
                (None, Some(by)) => {
                    let (divided, by) = (list(0, by), list(by + 1, last));
                    of(format!("{} / {}", divided.first()?, by.first()?))
                }
                (None, None) => None,
            },
            _ => None,
        }
    }
}

/// Whether an expression is an item and one constant added to it or taken from it, for that same item.
fn counts(expression: &str, targets: &[String]) -> bool {
    let all: Vec<Word<'_>> = words(expression).collect();
    let is_target = |word: &Word<'_>| targets.iter().any(|target| word.is(target));
    match all.as_slice() {
        [one, sign, other] if matches!(sign.text, "+" | "-") => {
            (is_target(one) && other.is_constant()) || (is_target(other) && one.is_constant())
        }
        _ => false,
    }
}

fn is_constant(operand: &str) -> bool {
    words(operand).all(|word| word.is_constant() || matches!(word.text, "+" | "-"))
}

/// The operands of a list as written, with qualifiers and subscripts.
fn operands(text: &str, all: &[Word<'_>]) -> Vec<String> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let (mut depth, mut goes_on) = (0usize, false);
    for word in all {
        let continues = depth > 0 || goes_on || word.text == "(" || word.is_any(&["OF", "IN"]);
        goes_on = false;
        match word.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "+" | "-" => goes_on = true,
            _ if word.is_any(&["OF", "IN", "FUNCTION"]) => goes_on = true,
            _ if word.is_any(&["ROUNDED", "CORR", "CORRESPONDING"]) && depth == 0 => continue,
            "," if depth == 0 => continue,
            _ => {}
        }
        match found.last_mut().filter(|_| continues) {
            Some(last) => last.1 = word.end(),
            None => found.push((word.start, word.end())),
        }
    }
    found.into_iter().filter_map(|(start, end)| text.get(start..end).map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::{LineNumber, LineRange};

    fn statement(text: &str) -> Statement {
        Statement {
            verb: text.split(' ').next().unwrap_or_default().to_owned(),
            lines: LineRange::single(LineNumber::FIRST),
            depth: 0,
            parent: None,
            text: text.to_owned(),
            exec: None,
            branch: None,
            paragraph: None,
            program: None,
            file: None,
        }
    }

    #[test]
    fn statements_set_items() {
        let check =
            |text: &str, expected: &[&str]| assert_eq!(items_set(&statement(text)), expected, "{text}");
        check("MOVE A TO B C(I) D OF E", &["B", "C", "D"]);
        check("MOVE 'X TO Y' TO b", &["B"]);
        check("MOVE CORR A TO B", &["B"]);
        check("SET A-OK B-OK TO TRUE", &["A-OK", "B-OK"]);
        check("SET I UP BY 1", &["I"]);
        check("INITIALIZE REC-A REPLACING NUMERIC DATA BY 0", &["REC-A"]);
        check("MOVE A TO T (I , J) U", &["T", "U"]);
        check("COMPUTE A ROUNDED B = C + D", &["A", "B"]);
        check("ADD A B TO C ROUNDED D ON SIZE ERROR", &["C", "D"]);
        check("ADD A TO B GIVING C", &["C"]);
        check("SUBTRACT A FROM B", &["B"]);
        check("MULTIPLY A BY B GIVING C", &["C"]);
        check("DIVIDE A BY B GIVING C REMAINDER D", &["C", "D"]);
        check("STRING A ' ' B DELIMITED BY SIZE INTO C WITH POINTER P", &["C"]);
        check("UNSTRING A DELIMITED BY ',' INTO B COUNT IN N C TALLYING IN T", &["B", "C"]);
        check("INSPECT A TALLYING N FOR ALL 'X'", &["N"]);
        check("READ F NEXT INTO R AT END", &["R"]);
        check("DISPLAY A", &[]);
    }

    #[test]
    fn figures_have_formulas_and_counting_has_none() {
        let check = |text: &str, expected: Option<&str>| {
            let found = Formula::of(&statement(text));
            let found = found.map(|it| {
                format!(
                    "{} = {}{}",
                    it.targets.join(","),
                    it.expression,
                    if it.is_rounded { " r" } else { "" }
                )
            });
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        check("COMPUTE A ROUNDED = ( B * C ) / 1200", Some("A = ( B * C ) / 1200 r"));
        check("COMPUTE A = B * C ON SIZE ERROR", Some("A = B * C"));
        check("COMPUTE A = A + 1", None);
        check("COMPUTE A = B", None);
        check("ADD 1 TO A", None);
        check("ADD 8 TO ZERO GIVING A", None);
        check("SUBTRACT 1 FROM A", None);
        check("ADD B OF R C(I) TO A", Some("A = A + B OF R + C(I)"));
        check("ADD B C GIVING A", Some("A = B + C"));
        check("ADD B TO C D", Some("C,D = itself + B"));
        check("SUBTRACT B FROM A GIVING C ROUNDED", Some("C = A - B r"));
        check("MULTIPLY RATE BY PREMIUM", Some("PREMIUM = PREMIUM * RATE"));
        check("DIVIDE 12 INTO YEARLY GIVING MONTHLY", Some("MONTHLY = YEARLY / 12"));
        check("DIVIDE A BY 7 GIVING B REMAINDER C", Some("B = A / 7"));
        check("MOVE A TO B", None);
        check("COMPUTE", None);
        check("SUBTRACT FROM", None);
    }

    #[test]
    fn what_is_moved_and_put_together_is_told_as_written() {
        let check = |text: &str, expected: &str| {
            let made = statement(text);
            let told = match (moved(&made), strung(&made)) {
                (Some(Moved { from, to, .. }), _) => format!("{from} -> {}", to.join("; ")),
                (_, Some((parts, into))) => format!("{} => {into}", parts.join("; ")),
                _ => String::new(),
            };
            assert_eq!(told, expected, "{text}");
        };
        check("MOVE A OF R TO B(I) C OF S, D", "A OF R -> B(I); C OF S; D");
        check("MOVE 'GO TO IT' TO B", "'GO TO IT' -> B");
        check("MOVE FUNCTION TRIM (A) TO B", "FUNCTION TRIM (A) -> B");
        check("MOVE CORR A TO B", "A -> B");
        check(
            "STRING A(1 : 3) DELIMITED BY SPACE ' must be' B DELIMITED BY SIZE INTO C OF D WITH POINTER P",
            "A(1 : 3); ' must be'; B => C OF D",
        );
        check("STRING A INTO B", "A => B");
        check("STRING DELIMITED INTO B", " => B");
        check("DISPLAY A", "");
    }

    #[test]
    fn expressions_name_items() {
        assert_eq!(named_in("RESP NOT = DFHRESP(NORMAL) OR CODE-1 = 3"), ["RESP", "CODE-1"]);
        assert_eq!(
            named_in("A OF R (I) + FUNCTION MAX (b A) * LENGTH OF C > 'D' AND NOT E"),
            ["A", "I", "B", "E"]
        );
    }
}
