//! The verbs that begin statements.
//!
//! Sources: ISO/IEC 1989:2014 and the IBM Enterprise COBOL for z/OS 6.4 Language Reference, with the older verbs of
//! COBOL-74 that estates still contain. `Macro` stands for the statements of a site's own precompiler: `#DYCALL`, `@CHECK`.

use crate::code::WordSlice;
use std::fmt::{self, Display, Formatter};

/// The way in which a statement contains others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// After its condition: IF.
    Branches,
    /// If it names no label: PERFORM.
    Body,
}

/// A conditional phrase, with or without NOT before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConditionalPhrase {
    AtEnd,
    InvalidKey,
    SizeError,
    Exception,
    Overflow,
    EndOfPage,
}

impl ConditionalPhrase {
    const ALL: [Self; 6] =
        [Self::AtEnd, Self::InvalidKey, Self::SizeError, Self::Exception, Self::Overflow, Self::EndOfPage];
    /// The number of phrases.
    pub(crate) const COUNT: usize = Self::ALL.len();

    /// Returns the phrase that a condition is, by its word that is not optional.
    pub(crate) fn of(condition: WordSlice<'_>) -> Option<Self> {
        let key = |phrase: &Self| phrase.words().iter().find(|word| !["AT", "ON"].contains(word));
        Self::ALL.into_iter().find(|phrase| key(phrase).is_some_and(|word| condition.has(word)))
    }

    /// Returns its words in full.
    pub(crate) fn words(self) -> &'static [&'static str] {
        match self {
            ConditionalPhrase::AtEnd => &["AT", "END"],
            ConditionalPhrase::InvalidKey => &["INVALID", "KEY"],
            ConditionalPhrase::SizeError => &["ON", "SIZE", "ERROR"],
            ConditionalPhrase::Exception => &["ON", "EXCEPTION"],
            ConditionalPhrase::Overflow => &["ON", "OVERFLOW"],
            ConditionalPhrase::EndOfPage => &["AT", "END-OF-PAGE"],
        }
    }
}

/// The verbs, sorted for binary search, each with the way in which its statement may contain others.
macro_rules! verbs {
    ($($verb:ident $word:literal $($holds:ident)?,)*) => {
        /// The verb of a statement.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each is the word of the language that it is called after")]
        pub enum Verb {
            $($verb,)*
        }

        impl Verb {
            /// All verbs in alphabetical order.
            const ALL: &[(&str, Verb)] = &[$(($word, Verb::$verb),)*];

            /// Returns the verb in upper case.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Verb::$verb => $word,)*
                }
            }

            /// Returns the way in which its statement may contain others.
            fn holds(self) -> Option<Holds> {
                match self {
                    $($(Verb::$verb => Some(Holds::$holds),)?)*
                    _ => None,
                }
            }
        }
    };
}

verbs! {
    Accept "ACCEPT",
    Add "ADD",
    Allocate "ALLOCATE",
    Alter "ALTER",
    Call "CALL",
    Cancel "CANCEL",
    Close "CLOSE",
    Compute "COMPUTE",
    Continue "CONTINUE",
    Delete "DELETE",
    Disable "DISABLE",
    Display "DISPLAY",
    Divide "DIVIDE",
    Enable "ENABLE",
    Entry "ENTRY",
    Evaluate "EVALUATE" Branches,
    Examine "EXAMINE",
    Exec "EXEC",
    Execute "EXECUTE",
    Exhibit "EXHIBIT",
    Exit "EXIT",
    Free "FREE",
    Generate "GENERATE",
    Go "GO",
    Goback "GOBACK",
    If "IF" Branches,
    Initialize "INITIALIZE",
    Initiate "INITIATE",
    Inspect "INSPECT",
    Invoke "INVOKE",
    Json "JSON",
    Macro "MACRO",
    Merge "MERGE",
    Move "MOVE",
    Multiply "MULTIPLY",
    Next "NEXT",
    Note "NOTE",
    Open "OPEN",
    Perform "PERFORM" Body,
    Purge "PURGE",
    Raise "RAISE",
    Read "READ",
    Ready "READY",
    Receive "RECEIVE",
    Release "RELEASE",
    Reset "RESET",
    Return "RETURN",
    Rewrite "REWRITE",
    Search "SEARCH" Branches,
    Send "SEND",
    Set "SET",
    Sort "SORT",
    Start "START",
    Stop "STOP",
    String "STRING",
    Subtract "SUBTRACT",
    Suppress "SUPPRESS",
    Terminate "TERMINATE",
    Transform "TRANSFORM",
    Unlock "UNLOCK",
    Unstring "UNSTRING",
    Use "USE",
    Write "WRITE",
    Xml "XML",
}

/// How many verbs come before each letter, and before what follows the last letter.
const BEGINNINGS: [usize; 27] = {
    let (mut beginnings, mut letter, mut verb) = ([0; 27], 0, 0);
    while letter < beginnings.len() {
        while verb < Verb::COUNT && Verb::ALL[verb].0.as_bytes()[0] < b'A' + letter as u8 {
            verb += 1;
        }
        beginnings[letter] = verb;
        letter += 1;
    }
    beginnings
};

impl Verb {
    /// The number of verbs.
    pub(crate) const COUNT: usize = Verb::ALL.len();

    /// Returns the verb for a word, in upper or lower case. A macro is no word of the language: its statement begins with its name.
    pub fn of(word: &str) -> Option<Verb> {
        Verb::listed(word).filter(|verb| *verb != Verb::Macro)
    }

    /// Returns the verb that the table lists by a word.
    pub(crate) fn listed(word: &str) -> Option<Verb> {
        // GnuCOBOL has the British spelling too.
        let word = if word.eq_ignore_ascii_case("INITIALISE") { "INITIALIZE" } else { word };
        let first = word.bytes().next()?.to_ascii_uppercase();
        let letter = usize::from(first.checked_sub(b'A')?);
        let alike = &Verb::ALL[*BEGINNINGS.get(letter)?..*BEGINNINGS.get(letter + 1)?];
        alike.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, verb)| *verb)
    }

    /// Returns its position among all verbs.
    pub(crate) fn index(self) -> usize {
        self as usize
    }

    /// Returns whether a statement with this verb only gives values to items of the program.
    pub fn computes(self) -> bool {
        matches!(
            self,
            Verb::Accept
                | Verb::Add
                | Verb::Compute
                | Verb::Divide
                | Verb::Initialize
                | Verb::Inspect
                | Verb::Move
                | Verb::Multiply
                | Verb::Set
                | Verb::String
                | Verb::Subtract
                | Verb::Unstring
        )
    }

    /// Returns whether its statement contains others from its first word on.
    pub(crate) fn is_compound(self) -> bool {
        self.holds() == Some(Holds::Branches)
    }

    /// Returns whether it may have a conditional phrase (`AT END`, `ON SIZE ERROR`, ...) with nested statements.
    pub(crate) fn is_conditional(self) -> bool {
        !self.phrases().is_empty()
    }

    /// Returns whether its statement may have its phrases with NOT, too. SEARCH has only AT END.
    pub(crate) fn negates_phrases(self) -> bool {
        self != Verb::Search
    }

    /// Returns the conditional phrases that its statement may have.
    pub(crate) fn phrases(self) -> &'static [ConditionalPhrase] {
        use ConditionalPhrase::{AtEnd, EndOfPage, Exception, InvalidKey, Overflow, SizeError};
        match self {
            Verb::Add | Verb::Compute | Verb::Divide | Verb::Multiply | Verb::Subtract => &[SizeError],
            Verb::Accept | Verb::Display | Verb::Invoke | Verb::Json | Verb::Receive | Verb::Xml => &[Exception],
            Verb::Call => &[Exception, Overflow],
            // DELETE FILE may have ON EXCEPTION.
            Verb::Delete => &[InvalidKey, Exception],
            Verb::Read => &[AtEnd, InvalidKey],
            Verb::Return | Verb::Search => &[AtEnd],
            Verb::Rewrite | Verb::Start => &[InvalidKey],
            Verb::String | Verb::Unstring => &[Overflow],
            Verb::Write => &[InvalidKey, EndOfPage],
            _ => &[],
        }
    }

    /// Returns whether an `END-` word may close its statement.
    pub(crate) fn has_scope(self) -> bool {
        self.holds().is_some() || self.is_conditional()
    }
}

impl Display for Verb {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_is_found_by_its_word_in_either_case() {
        assert!(Verb::ALL.is_sorted_by_key(|(word, _)| *word));
        for (index, (word, verb)) in Verb::ALL.iter().enumerate() {
            assert_eq!((verb.index(), verb.as_str()), (index, *word));
            assert_eq!(Verb::listed(&word.to_ascii_lowercase()), Some(*verb));
        }
        assert_eq!(["MOVES", "", "MACRO"].map(Verb::of), [None; 3]);
    }
}
