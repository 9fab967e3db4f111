//! Picture strings: their numbers of characters and digits.
//!
//! ```text
//! picture = { symbol [ "(" ( number | constant ) ")" ] }
//! ```
//! `V`, `P` and `S` take no space: the decimal point and the zeros of `P` are assumed, and a sign shares the last digit's byte unless
//! it is SEPARATE. `CR` and `DB` are two positions; each letter counts as one.

/// The meaning of a picture string.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Picture {
    /// The number of character positions.
    pub(super) characters: u64,
    /// The number of digit positions.
    pub(super) digits: u32,
    /// The bytes per character.
    pub(super) width: u8,
    /// Whether it has an operational sign.
    pub(super) signed: bool,
    /// Whether it contains only digits, a sign and an assumed point: only then does it have a binary or packed form.
    pub(super) numeric: bool,
    /// Whether its characters are bits.
    pub(super) bits: bool,
}

/// The currency signs of a program that are longer than their picture symbol: the symbol and the sign's number of characters.
pub(super) type CurrencySigns = Vec<(char, u64)>;

/// The bytes that IBM reserves per UTF-8 character: four.
const UTF_8_WIDTH: u8 = 4;

impl Picture {
    /// Parses a picture string. `constant` returns the value of a name in parentheses.
    pub(super) fn read(text: &str, signs: &[(char, u64)], constant: impl Fn(&str) -> Option<u64>) -> Option<Self> {
        let mut picture = Picture { width: 1, numeric: true, ..Picture::default() };
        let mut rest = text;
        let mut sign_is_open = true;
        while let Some(symbol) = rest.chars().next() {
            rest = &rest[symbol.len_utf8()..];
            let mut count = 1;
            if let Some(inside) = rest.strip_prefix('(')
                && let Some(end) = inside.find(')')
            {
                let number = inside[..end].trim();
                count = match number.parse::<u32>() {
                    Ok(number) => u64::from(number),
                    Err(_) => constant(number)?,
                };
                rest = &inside[end + 1..];
            }
            let symbol = symbol.to_ascii_uppercase();
            match symbol {
                'S' => picture.signed = true,
                'V' | 'P' => {}
                '9' => {
                    picture.characters += count;
                    picture.digits = picture.digits.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
                }
                'Z' | '*' => {
                    picture.characters += count;
                    picture.digits = picture.digits.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
                    picture.numeric = false;
                }
                '1' => {
                    picture.characters += count;
                    picture.bits = true;
                    picture.numeric = false;
                }
                _ => {
                    picture.characters += count;
                    picture.numeric = false;
                    match symbol {
                        'N' | 'G' => picture.width = 2,
                        'U' => picture.width = UTF_8_WIDTH,
                        _ => {}
                    }
                    // The first symbol of a floating currency sign represents the whole sign, the others a digit.
                    if sign_is_open && let Some((_, length)) = signs.iter().find(|(own, _)| *own == symbol) {
                        picture.characters += length.saturating_sub(1);
                        sign_is_open = false;
                    }
                }
            }
        }
        Some(picture)
    }

    /// Returns its length as text in bytes.
    pub(super) fn display(self) -> u64 {
        self.characters.saturating_mul(u64::from(self.width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, characters: u64, digits: u32) {
        let picture = Picture::read(text, &[('E', 3)], |name| (name == "MOST").then_some(12)).unwrap();
        assert_eq!((picture.characters, picture.digits), (characters, digits), "{text}");
    }

    #[test]
    fn pictures_have_positions_and_digits() {
        check("X(10)", 10, 0);
        check("S9(11)V99", 13, 13);
        check("X(5))(2)", 7, 0);
        check(")(", 2, 0);
        check("ZZ,ZZ9.99-", 10, 5 + 2);
        check("$$,$$9.99CR", 11, 3);
        check("99/99/9999", 10, 8);
        check("9(3)BB0", 6, 3);
        check("SPP99", 2, 2);
        check("+9.9(5)", 8, 6);
        check("X(MOST)", 12, 0);
        check("EEE,EE9", 9, 1);
        check("9( 3 )", 3, 3);
        assert_eq!(Picture::read("X(LEAST)", &[], |_| None), None);
        check("X(4294967295)X", 4_294_967_296, 0);
    }

    #[test]
    fn characters_have_a_width() {
        let display = |text| Picture::read(text, &[], |_| None).unwrap().display();
        assert_eq!((display("N(3)"), display("NNB/N"), display("G(2)"), display("U(5)")), (6, 10, 4, 20));
    }
}
