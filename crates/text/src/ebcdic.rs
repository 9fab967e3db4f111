//! EBCDIC code pages and how they are detected.

mod pages;

use strum::VariantArray;

/// An EBCDIC code page, in the order in which users see them listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum CodePage {
    /// United States, Canada, Netherlands, Portugal: the most common page of COBOL sources.
    Ibm037,
    /// Latin 1 of Unix System Services: its brackets differ from those of 037.
    Ibm1047,
    /// International.
    Ibm500,
    /// Germany, Austria.
    Ibm273,
    /// 037 with the euro sign.
    Ibm1140,
    /// 273 with the euro sign.
    Ibm1141,
    /// United Kingdom.
    Ibm285,
    /// France.
    Ibm297,
    /// Italy.
    Ibm280,
    /// Spain.
    Ibm284,
}

impl CodePage {
    /// Returns the name as JSON and `--source-encoding` spell it: `ibm037`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the number as people use it: `037`.
    pub fn number(self) -> &'static str {
        self.as_str().trim_start_matches("ibm")
    }

    /// Parses a page's lower-case name: its number, alone or after `ibm` or `cp`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let number = match name.strip_prefix("ibm").or_else(|| name.strip_prefix("cp")) {
            Some(rest) => rest.strip_prefix(['-', '_']).unwrap_or(rest),
            None => name,
        };
        let plain = |number: &str| number.trim_start_matches('0').to_owned();
        let digits = number.bytes().all(|b| b.is_ascii_digit());
        Self::VARIANTS.iter().copied().find(|page| digits && plain(page.number()) == plain(number))
    }

    /// Returns the character of each byte. Control characters map to their Unicode counterparts: 0x15 is the next line (U+0085), 0x25 the
    /// line feed.
    pub(crate) fn characters(self) -> &'static [char; 256] {
        match self {
            CodePage::Ibm037 => &pages::IBM037,
            CodePage::Ibm1047 => &pages::IBM1047,
            CodePage::Ibm500 => &pages::IBM500,
            CodePage::Ibm273 => &pages::IBM273,
            CodePage::Ibm1140 => &pages::IBM1140,
            CodePage::Ibm1141 => &pages::IBM1141,
            CodePage::Ibm285 => &pages::IBM285,
            CodePage::Ibm297 => &pages::IBM297,
            CodePage::Ibm280 => &pages::IBM280,
            CodePage::Ibm284 => &pages::IBM284,
        }
    }
}

/// The line end of files that come from Unix System Services or were converted to have line ends.
pub(crate) const LINE_FEED: u8 = 0x25;

/// The line end of files from the host itself.
pub(crate) const NEXT_LINE: u8 = 0x15;

/// Whether a byte is a control character that does not occur in text. Tab, form feed, line ends and the bytes that fill the end of a file
/// (NUL, SUB) do occur.
pub(crate) fn is_control(byte: u8) -> bool {
    byte < 0x40 && !matches!(byte, 0x00 | 0x05 | 0x0C | 0x0D | NEXT_LINE | LINE_FEED | 0x3F)
}

/// How often each byte value occurs in a text.
pub(crate) type Histogram = [usize; 256];

/// Whether bytes are EBCDIC: they contain nearly no ASCII blank or line feed, and mostly the characters of COBOL: blanks,
/// letters, digits, and the marks of sentences, comments and literals.
pub(crate) fn is_ebcdic(counts: &Histogram) -> bool {
    let all: usize = counts.iter().sum();
    let of = |bytes: &mut dyn Iterator<Item = u8>| bytes.map(|byte| counts[usize::from(byte)]).sum::<usize>();
    let ascii = of(&mut [b' ', b'\n'].into_iter());
    let blanks = of(&mut [0x40].into_iter());
    let written = of(&mut (0xC1..=0xE9).chain(0x81..=0xA9).chain(0xF0..=0xF9).chain([0x4B, 0x5C, 0x60, 0x7D]));
    // A text under sixteen bytes is too short to judge.
    all >= 16 && ascii * 100 < all && blanks * 20 >= all && (blanks + written) * 100 >= all * 60
}

/// Whether bytes are ASCII: they contain ASCII blanks or line feeds, and hardly a byte that is an EBCDIC letter or digit.
pub(crate) fn is_ascii(counts: &Histogram) -> bool {
    let high: usize = counts[0x80..].iter().sum();
    let all: usize = counts.iter().sum();
    let white = counts[usize::from(b' ')] + counts[usize::from(b'\n')];
    high * 10 < all && white * 100 >= all
}

/// Returns the most probable page of a COBOL text: 037, or 1047 if its brackets and NOT sign are more frequent than those of 037.
/// National pages look like 037 with odd letters, so only a person can identify them.
pub(crate) fn guess_code_page(counts: &Histogram) -> CodePage {
    let of = |bytes: [u8; 3]| bytes.iter().map(|byte| counts[usize::from(*byte)]).sum::<usize>();
    let (of_1047, of_037) = (of([0xAD, 0xBD, 0xB0]), of([0xBA, 0xBB, 0x5F]));
    if of_1047 > of_037 { CodePage::Ibm1047 } else { CodePage::Ibm037 }
}
