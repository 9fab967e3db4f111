//! Where ACCEPT and DISPLAY have what they read and write. Source: GnuCOBOL Programmer's Guide, ACCEPT and DISPLAY.

use crate::model::{ParsedCobol, ScreenField, Statement};
use crate::operands::OperandPhrase;
use crate::verb::Verb;
use foldhash::HashSet;

/// Words by which ACCEPT and DISPLAY have a place on the screen, and what ACCEPT asks of the screen itself.
pub(crate) const ON_SCREEN: [&str; 8] = ["AT", "LINE", "COL", "COLUMN", "POSITION", "LINES", "COLUMNS", "ESCAPE"];

/// The section of the data division in which screens are described.
const SCREEN: &str = "SCREEN";

/// What DISPLAY sets where it shows nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisplaySetting {
    /// The name of the environment variable that is set or read next.
    EnvironmentName,
    /// The value of that variable.
    EnvironmentValue,
    /// The number of the argument of the command line that is read next.
    ArgumentNumber,
}

impl ParsedCobol {
    /// Returns whether ACCEPT or DISPLAY names a place on the screen.
    pub fn is_on_screen(&self, statement: &Statement) -> bool {
        self.words(statement).iter().any(|word| word.is_any(&ON_SCREEN))
    }

    /// Returns whether a program waits for what a user enters on a screen: in an item of the SCREEN SECTION, or at a place of the screen.
    pub fn accepts_screens(&self, program: usize) -> bool {
        let items = self.data_items.iter().filter(|item| item.section.as_deref() == Some(SCREEN));
        let screens: HashSet<&str> = items.map(|item| item.name.as_str()).collect();
        let mut accepts = self.statements.iter().filter(|found| found.verb == Verb::Accept);
        accepts.any(|found| {
            let words = self.words(found);
            let from = words.position(|word| word.is("FROM")).unwrap_or(words.len());
            found.program == Some(program)
                && (words.ending_at(from).iter().any(|word| word.is_any(&ON_SCREEN))
                    || self
                        .operands(found)
                        .next()
                        .is_some_and(|item| screens.contains(item.name().to_uppercase().as_str())))
        })
    }

    /// Returns the fields of the screens that an ACCEPT or DISPLAY names, in order.
    pub fn screen_fields(&self, statement: &Statement) -> Vec<&ScreenField> {
        if !matches!(statement.verb, Verb::Accept | Verb::Display) || !self.has_screens {
            return Vec::new();
        }
        let mut fields = Vec::new();
        for operand in self.operands(statement).filter(|operand| operand.phrase() == OperandPhrase::First) {
            let items = self.data_items.iter().filter(|item| item.section.as_deref() == Some(SCREEN));
            let own = items.filter(|item| item.program == statement.program);
            let mut from_it = own.skip_while(|item| !item.name.eq_ignore_ascii_case(operand.name()));
            if let Some(first) = from_it.next() {
                let below = from_it.take_while(|item| item.level > first.level);
                fields.extend(std::iter::once(first).chain(below).filter_map(|item| item.screen.as_deref()));
            }
        }
        fields
    }

    /// Returns what a DISPLAY sets; none if it shows something.
    pub fn display_setting(&self, statement: &Statement) -> Option<DisplaySetting> {
        if statement.verb != Verb::Display {
            return None;
        }
        let words = self.words(statement);
        let upon = words.get(words.position(|word| word.is("UPON"))? + 1)?;
        let settings = [
            ("ENVIRONMENT-NAME", DisplaySetting::EnvironmentName),
            ("ENVIRONMENT-VALUE", DisplaySetting::EnvironmentValue),
            ("ARGUMENT-NUMBER", DisplaySetting::ArgumentNumber),
        ];
        settings.into_iter().find(|(name, _)| upon.is(name)).map(|(_, setting)| setting)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Analysis, LexedSource, NoCopybooks, UserContact, parse};
    use std::sync::Arc;
    use war_rig_text::{ReadOptions, SourceText};

    fn environment(header: &str, statement: &str) -> &'static str {
        let code = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. T.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01 A PIC X.\n       SCREEN SECTION.\n       01 MENU.\n          05 CHOICE PIC X USING A.\n       PROCEDURE DIVISION{header}.\n           {statement}.\n           GOBACK.\n"
        );
        let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
        let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
        parsed.programs[0].environment(UserContact::of(&parsed, 0, false))
    }

    #[test]
    fn a_screen_reads_what_it_shows_and_sets_what_it_takes() {
        let code = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. T.\n       ENVIRONMENT DIVISION.\n       CONFIGURATION SECTION.\n       SPECIAL-NAMES.\n           CRT STATUS IS K.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01 K PIC 9(4).\n       01 A PIC X.\n       01 B PIC X.\n       01 C PIC X.\n       SCREEN SECTION.\n       01 MENU.\n          05 PIC X FROM A.\n          05 IN-B PIC X TO B.\n          05 PIC X USING C.\n       01 OTHER.\n          05 PIC X FROM C.\n       PROCEDURE DIVISION.\n           DISPLAY MENU.\n           ACCEPT MENU.\n           ACCEPT IN-B.\n           DISPLAY OTHER.\n           GOBACK.\n";
        let source = SourceText::read("T.cbl", code.into(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
        let uses = |statement: usize| {
            let parsed = analysis.parsed();
            let uses = analysis.def_use().of_statement(statement).iter();
            let own = uses.filter(|used| parsed.data_items[used.item()].section.as_deref() != Some("SCREEN"));
            let letters = own.map(|used| match (used.is_read(), used.is_set()) {
                (true, true) => format!("{}+", parsed.data_items[used.item()].name),
                (true, false) => parsed.data_items[used.item()].name.clone(),
                _ => format!("{}=", parsed.data_items[used.item()].name),
            });
            letters.collect::<Vec<_>>()
        };
        assert_eq!(uses(0), ["A", "C"]);
        assert_eq!(uses(1), ["K=", "B=", "C+"]);
        assert_eq!(uses(2), ["K=", "B="]);
        assert_eq!(uses(3), ["C"]);
    }

    #[test]
    fn a_program_that_accepts_from_a_screen_is_interactive() {
        for statement in ["ACCEPT MENU", "accept Menu", "ACCEPT A LINE 5 COL 7", "ACCEPT A AT 2305"] {
            assert_eq!(environment("", statement), "interactive", "{statement}");
        }
        for statement in ["ACCEPT A", "ACCEPT A FROM LINES", "ACCEPT A FROM DATE", "DISPLAY MENU"] {
            assert_eq!(environment("", statement), "batch", "{statement}");
        }
        assert_eq!(environment(" USING A", "ACCEPT MENU"), "batch or called");
    }
}
