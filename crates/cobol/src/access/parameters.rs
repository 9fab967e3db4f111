//! Which parameters a program reads, and which it sets for its caller.

use crate::Analysis;
use std::collections::{HashMap, HashSet};

/// What a program does with a parameter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Direction {
    pub(super) is_read: bool,
    pub(super) is_written: bool,
}

/// What is done with the parameters of each program, their parts included, by program and name.
pub(super) fn directions(analysis: &Analysis) -> HashMap<(usize, &str), Direction> {
    let parsed = analysis.parsed();
    let mut found: HashMap<(usize, &str), Direction> = HashMap::new();
    if parsed.programs.iter().all(|program| program.parameters.is_empty()) {
        return found;
    }
    let named = parsed.programs.iter().enumerate();
    let parameters: HashSet<(usize, &str)> = named
        .flat_map(|(program, unit)| unit.parameters.iter().map(move |name| (program, name.as_str())))
        .collect();
    // Every item of a parameter leads to the parameter.
    let mut parameter_of: Vec<Option<(usize, &str)>> = Vec::with_capacity(parsed.data_items.len());
    for item in &parsed.data_items {
        let parameter = match item.parent {
            Some(parent) => parameter_of.get(parent).copied().flatten(),
            None => item
                .program
                .filter(|_| item.section.as_deref() == Some("LINKAGE"))
                .and_then(|program| parameters.get(&(program, item.name.as_str())).copied()),
        };
        parameter_of.push(parameter);
    }
    for used in analysis.effects().all() {
        if let Some(parameter) = parameter_of[used.item()] {
            let direction = found.entry(parameter).or_default();
            direction.is_read |= used.is_read();
            direction.is_written |= used.is_set();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::{Analysis, Lexed, NoCopybooks, parse};
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
        let analysis = Analysis::of(parse(&Arc::new(Lexed::of(&source)), &NoCopybooks));
        let found: Vec<_> = analysis
            .resources()
            .iter()
            .map(|found| (found.name.clone(), found.is_read, found.is_written))
            .collect();
        let expected =
            [("ASKED", true, false), ("GIVEN", false, true), ("BOTH", true, true), ("UNUSED", true, true)];
        assert_eq!(found, expected.map(|(name, read, written)| (name.to_owned(), read, written)));
    }
}
