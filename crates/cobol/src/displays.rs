//! Where ACCEPT and DISPLAY have what they read and write. Source: GnuCOBOL Programmer's Guide, ACCEPT and DISPLAY.

use crate::model::{ParsedCobol, Statement};
use crate::verb::Verb;

/// Words by which ACCEPT and DISPLAY have a place on the screen, and what ACCEPT asks of the screen itself.
pub(crate) const ON_SCREEN: [&str; 8] = ["AT", "LINE", "COL", "COLUMN", "POSITION", "LINES", "COLUMNS", "ESCAPE"];

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
