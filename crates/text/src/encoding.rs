//! The encodings of sources and their names.

use crate::ebcdic::CodePage;
use strum::VariantArray;

/// The encoding of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8, including ASCII.
    Utf8,
    /// ISO 8859-1: every byte is the character of that number.
    Latin1,
    /// UTF-16, the less significant byte first.
    Utf16Le,
    /// UTF-16, the more significant byte first.
    Utf16Be,
    /// EBCDIC in one of its code pages.
    Ebcdic(CodePage),
}

/// The encodings other than EBCDIC and their names; JSON uses the first.
const NAMES: [(Encoding, &[&str]); 4] = [
    (Encoding::Utf8, &["utf-8", "utf8", "ascii", "us-ascii"]),
    (Encoding::Latin1, &["iso-8859-1", "iso8859-1", "latin-1", "latin1"]),
    (Encoding::Utf16Le, &["utf-16le", "utf16le"]),
    (Encoding::Utf16Be, &["utf-16be", "utf16be"]),
];

impl Encoding {
    /// Returns every encoding, in the order in which users see them listed.
    pub fn all() -> impl Iterator<Item = Self> {
        let plain = NAMES.iter().map(|(encoding, _)| *encoding);
        plain.chain(CodePage::VARIANTS.iter().copied().map(Encoding::Ebcdic))
    }

    /// Returns the name as JSON and `--source-encoding` spell it: `utf-8`, `ibm037`.
    pub fn as_str(self) -> &'static str {
        let plain = |wanted| NAMES.iter().find(|(encoding, _)| *encoding == wanted).map(|(_, names)| names[0]);
        match self {
            Encoding::Ebcdic(page) => page.as_str(),
            other => plain(other).expect("every encoding has a name"),
        }
    }

    /// Parses a name in any case; `None` if it is unknown. A code page is known as `ibm037`, `cp037`, `IBM-037`
    /// and by its bare number.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let plain = NAMES.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(encoding, _)| *encoding);
        plain.or_else(|| CodePage::from_name(&name).map(Encoding::Ebcdic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_found_by_every_name_they_go_by() {
        for encoding in Encoding::all() {
            assert_eq!(Encoding::from_name(encoding.as_str()), Some(encoding));
        }
        for (name, expected) in [
            ("UTF8", Some("utf-8")),
            ("Latin-1", Some("iso-8859-1")),
            ("UTF-16LE", Some("utf-16le")),
            ("ibm037", Some("ibm037")),
            ("cp037", Some("ibm037")),
            ("IBM-037", Some("ibm037")),
            ("CP37", Some("ibm037")),
            ("037", Some("ibm037")),
            ("1047", Some("ibm1047")),
            ("IBM_1047", Some("ibm1047")),
            ("IBM01140", Some("ibm1140")),
            ("cp273", Some("ibm273")),
            ("ibm", None),
            ("ibm1", None),
            ("ibm-", None),
            ("-037", None),
            ("1047x", None),
            ("ebcdic", None),
            ("", None),
        ] {
            assert_eq!(Encoding::from_name(name).map(Encoding::as_str), expected, "{name}");
        }
    }
}
