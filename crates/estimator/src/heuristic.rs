//! An upper bound for the tokens of a text, without an encoder's tables.
//!
//! The text is cut as `o200k_base` and `cl100k_base` cut it (runs of letters with one character before them, digits by threes, runs of blanks, runs
//! of punctuation), and each run costs the maximum average of such runs. The figures for words come from counting the words of public COBOL in both
//! encodings: upper-case words of 2, 3, 4, 8 and 12 letters cost 1.15, 1.48, 1.64, 3.44 and 4.19 tokens on average, lower-case words of up to 11
//! letters 1.0 to 1.5; the table adds a fifth and more, and words without a vowel are counted by their letters. This is a bound for real sources, not
//! a proof: an adversarial text can cost more. A test verifies the bound on every fixture, and that it stays below 1.6 times the real count.

/// The cost of an upper-case word of 0, 1, 2, ... letters, in hundredths of a token.
const UPPER: [u64; 13] = [0, 100, 145, 185, 210, 250, 300, 310, 410, 420, 430, 470, 520];

/// The cost of each letter in words longer than the table, in hundredths of a token.
const LONG_WORD_LETTER: u64 = 45;

pub(crate) fn count(text: &str) -> u64 {
    text.split_inclusive('\n').map(line).sum()
}

fn line(line: &str) -> u64 {
    let mut hundredths = 0;
    let mut rest = line;
    let mut after_other = false;
    while let Some(first) = rest.chars().next() {
        let class = CharClass::of(first);
        let end = rest.find(|c| CharClass::of(c) != class).unwrap_or(rest.len());
        let (run, next) = rest.split_at(end);
        hundredths += match class {
            CharClass::Letter => word(run),
            CharClass::Digit => run.len().div_ceil(3) as u64 * 100,
            // One blank belongs to the word after it; a run is one token, and its last blank belongs to the word.
            CharClass::Blank => {
                let joins = next.starts_with(|c| matches!(CharClass::of(c), CharClass::Letter | CharClass::Mark));
                if run.len() == 1 && joins { 0 } else { 100 * (1 + run.len() as u64 / 64) }
            }
            CharClass::Mark => marks(run, next.starts_with(|c| CharClass::of(c) == CharClass::Letter)),
            CharClass::LineEnd => {
                if after_other {
                    0
                } else {
                    100
                }
            }
            // A character outside ASCII costs at most its bytes.
            CharClass::Other => run.len() as u64 * 100,
        };
        after_other = class == CharClass::Mark;
        rest = next;
    }
    hundredths.div_ceil(100)
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum CharClass {
    Letter,
    Digit,
    Blank,
    Mark,
    LineEnd,
    Other,
}

impl CharClass {
    fn of(c: char) -> Self {
        match c {
            'A'..='Z' | 'a'..='z' => CharClass::Letter,
            '0'..='9' => CharClass::Digit,
            ' ' | '\t' => CharClass::Blank,
            '\n' | '\r' => CharClass::LineEnd,
            c if c.is_ascii() => CharClass::Mark,
            _ => CharClass::Other,
        }
    }
}

fn word(word: &str) -> u64 {
    let letters = word.len();
    let lower = word.bytes().filter(u8::is_ascii_lowercase).count() * 2 > letters;
    if lower {
        return match letters {
            0..=7 => 125,
            8..=11 => 175,
            _ => letters as u64 * 30,
        };
    }
    // Encoders know no words of consonants only: each letter may be a token.
    let vowels = word.bytes().filter(|b| b"AEIOUaeiou".contains(b)).count();
    if letters >= 4 && vowels == 0 {
        return letters as u64 * 100;
    }
    UPPER.get(letters).copied().unwrap_or(letters as u64 * LONG_WORD_LETTER)
}

/// A run of one mark costs one or two tokens, however long; a hyphen before a word belongs to the word.
fn marks(run: &str, before_word: bool) -> u64 {
    let mut cost = 0;
    let mut rest = run;
    while let Some(mark) = rest.chars().next() {
        let end = rest.find(|c| c != mark).unwrap_or(rest.len());
        let joins = before_word && end == rest.len() && end == 1 && mark == '-';
        cost += if joins { 0 } else { 100 * (1 + end as u64 / 8).min(2 + end as u64 / 64) };
        rest = &rest[end..];
    }
    cost
}
