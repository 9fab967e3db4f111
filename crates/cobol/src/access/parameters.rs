//! Which parameters a program reads, and which it sets for its caller.

use crate::model::{Parsed, Statement};
use std::collections::{HashMap, HashSet};

/// What a program does with a parameter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Direction {
    pub(super) is_read: bool,
    pub(super) is_written: bool,
}

/// What is done with the parameters of each program, their parts included, by program and name.
pub(super) fn directions(parsed: &Parsed) -> HashMap<(usize, &str), Direction> {
    let mut found: HashMap<(usize, &str), Direction> = HashMap::new();
    if parsed.programs.iter().all(|program| program.parameters.is_empty()) {
        return found;
    }
    // Every item of a parameter leads to the parameter.
    let mut parameter_of: HashMap<(usize, &str), &str> = HashMap::new();
    let named = parsed.programs.iter().enumerate();
    let parameters: HashSet<(usize, &str)> = named
        .flat_map(|(program, unit)| unit.parameters.iter().map(move |name| (program, name.as_str())))
        .collect();
    let mut current = None;
    for item in &parsed.data_items {
        let Some(program) = item.program else { continue };
        if item.parent.is_none() {
            let is_linkage = item.section.as_deref() == Some("LINKAGE");
            current =
                parameters.get(&(program, item.name.as_str())).filter(|_| is_linkage).map(|(_, name)| *name);
        }
        if let Some(parameter) = current {
            parameter_of.insert((program, &item.name), parameter);
        }
    }
    let mut note = |program: Option<usize>, text: &str, read: bool, written: bool| {
        let Some(program) = program else { return };
        let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
        for word in words.filter(|word| !word.is_empty()) {
            if let Some(parameter) = parameter_of.get(&(program, word.to_uppercase().as_str())) {
                let direction = found.entry((program, parameter)).or_default();
                direction.is_read |= read;
                direction.is_written |= written;
            }
        }
    };
    for statement in &parsed.statements {
        let (sources, targets) = split(statement);
        note(statement.program, &sources, true, false);
        note(statement.program, &targets, false, true);
        if matches!(statement.verb.as_str(), "CALL" | "EXEC" | "INSPECT") {
            note(statement.program, &statement.text, true, true);
        }
    }
    for branch in &parsed.branches {
        note(parsed.statements[branch.statement].program, &branch.condition, true, false);
    }
    for exec in &parsed.execs {
        for (_, value) in &exec.options {
            note(exec.program, value.as_deref().unwrap_or_default(), true, true);
        }
    }
    found
}

/// The words of a statement that are read, and those that are set.
fn split(statement: &Statement) -> (String, String) {
    let text = statement.text.as_str();
    let upper = text.to_uppercase();
    let parts = |words: &[&str]| {
        let at = words.iter().filter_map(|word| upper.find(word)).min()?;
        Some((text.get(..at)?.to_owned(), text.get(at..)?.to_owned()))
    };
    let neither = || (text.to_owned(), String::new());
    match statement.verb.as_str() {
        "MOVE" => parts(&[" TO "]).unwrap_or_else(neither),
        "SET" => parts(&[" TO "]).map(|(targets, sources)| (sources, targets)).unwrap_or_else(neither),
        "COMPUTE" => parts(&["="]).map(|(targets, sources)| (sources, targets)).unwrap_or_else(neither),
        "INITIALIZE" | "ACCEPT" => (String::new(), text.to_owned()),
        "ADD" | "SUBTRACT" | "MULTIPLY" | "DIVIDE" => match parts(&[" GIVING "]) {
            Some(found) => found,
            // What is added to is read as well.
            None => (
                text.to_owned(),
                parts(&[" TO ", " FROM ", " BY ", " INTO "]).map(|(_, targets)| targets).unwrap_or_default(),
            ),
        },
        "STRING" | "UNSTRING" | "READ" | "RETURN" => parts(&[" INTO "]).unwrap_or_else(neither),
        _ => neither(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Lexed, NoCopybooks, parse, resources};
    use std::sync::Arc;
    use war_rig_text::{ReadOptions, SourceText};

    #[test]
    fn a_parameter_is_read_or_set_as_its_parts_are() {
        let code = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       DATA DIVISION.
       LINKAGE SECTION.
       01 ASKED.
          05 ASKED-DATE PIC X(8).
       01 GIVEN.
          05 GIVEN-CODE PIC X.
             88 GIVEN-OK VALUE 'Y'.
       01 BOTH PIC 9.
       01 UNUSED PIC 9.
       PROCEDURE DIVISION USING ASKED GIVEN BOTH UNUSED.
           IF ASKED-DATE = SPACES SET GIVEN-OK TO TRUE.
           ADD 1 TO BOTH.
           GOBACK.
";
        let source = SourceText::read("T.cbl", code.into(), &ReadOptions::default()).unwrap();
        let parsed = parse(&Arc::new(Lexed::of(&source)), &NoCopybooks);
        let found: Vec<_> = resources(&parsed)
            .into_iter()
            .map(|found| (found.name, found.is_read, found.is_written))
            .collect();
        let expected =
            [("ASKED", true, false), ("GIVEN", false, true), ("BOTH", true, true), ("UNUSED", true, true)];
        assert_eq!(found, expected.map(|(name, read, written)| (name.to_owned(), read, written)));
    }
}
