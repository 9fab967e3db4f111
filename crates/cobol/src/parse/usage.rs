//! USAGE: the storage of an item, its length in bytes, and its SYNC boundary.
//!
//! Sources: the IBM Enterprise COBOL for z/OS 6.4 Language Reference (USAGE and SYNCHRONIZED clauses), and for usages that IBM does
//! not have, GnuCOBOL 3.1 and the Micro Focus and ACUCOBOL-GT references that it follows.

use super::picture::Picture;
use crate::model::PointerSize;
use std::sync::LazyLock;

/// The storage format of an item's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Storage {
    /// One byte per character, or two or four if the picture requires it.
    Display,
    /// Two bytes per character.
    Wide,
    /// Bits, eight to a byte.
    Bits,
    /// Binary of 2, 4 or 8 bytes, by its digits.
    Binary,
    /// Binary with the fewest bytes for its digits.
    Compact,
    /// Two digits per byte, and half a byte for the sign.
    Packed,
    /// Two digits per byte, without a sign.
    PackedUnsigned,
    /// This number of bytes, whatever its picture.
    Fixed(u8),
    /// An address.
    Pointer,
    /// The address of a procedure with its environment: 8 bytes in either addressing mode.
    ProcedurePointer,
}

/// A usage: its normalized spelling, the words for it, and its storage.
pub(super) struct UsageClause {
    pub(super) name: &'static str,
    spellings: &'static [&'static str],
    pub(super) storage: Storage,
}

const fn usage(name: &'static str, spellings: &'static [&'static str], storage: Storage) -> UsageClause {
    UsageClause { name, spellings, storage }
}

/// All usages. SIGNED and UNSIGNED after a usage change its range, not its size.
const USAGES: &[UsageClause] = &[
    usage("DISPLAY", &["DISPLAY"], Storage::Display),
    usage("COMP", &["COMP", "COMPUTATIONAL", "COMP-4", "COMPUTATIONAL-4", "BINARY"], Storage::Binary),
    usage("COMP-1", &["COMP-1", "COMPUTATIONAL-1"], Storage::Fixed(4)),
    usage("COMP-2", &["COMP-2", "COMPUTATIONAL-2"], Storage::Fixed(8)),
    usage("COMP-3", &["COMP-3", "COMPUTATIONAL-3", "PACKED-DECIMAL"], Storage::Packed),
    usage("COMP-5", &["COMP-5", "COMPUTATIONAL-5"], Storage::Binary),
    usage("COMP-6", &["COMP-6", "COMPUTATIONAL-6"], Storage::PackedUnsigned),
    usage("COMP-X", &["COMP-X", "COMPUTATIONAL-X"], Storage::Compact),
    usage("COMP-N", &["COMP-N", "COMPUTATIONAL-N"], Storage::Compact),
    usage("NATIONAL", &["NATIONAL"], Storage::Wide),
    usage("DISPLAY-1", &["DISPLAY-1"], Storage::Wide),
    usage("UTF-8", &["UTF-8"], Storage::Display),
    usage("BIT", &["BIT"], Storage::Bits),
    usage("INDEX", &["INDEX"], Storage::Fixed(4)),
    usage("POINTER", &["POINTER"], Storage::Pointer),
    usage("POINTER-32", &["POINTER-32"], Storage::Fixed(4)),
    usage("PROCEDURE-POINTER", &["PROCEDURE-POINTER", "PROGRAM-POINTER"], Storage::ProcedurePointer),
    usage("FUNCTION-POINTER", &["FUNCTION-POINTER"], Storage::Pointer),
    usage("OBJECT REFERENCE", &["OBJECT"], Storage::Pointer),
    usage("HANDLE", &["HANDLE"], Storage::Fixed(4)),
    usage("BINARY-CHAR", &["BINARY-CHAR"], Storage::Fixed(1)),
    usage("BINARY-SHORT", &["BINARY-SHORT", "SIGNED-SHORT", "UNSIGNED-SHORT"], Storage::Fixed(2)),
    usage("BINARY-LONG", &["BINARY-LONG", "BINARY-INT", "SIGNED-INT", "UNSIGNED-INT"], Storage::Fixed(4)),
    usage(
        "BINARY-DOUBLE",
        &["BINARY-DOUBLE", "BINARY-LONG-LONG", "BINARY-C-LONG", "SIGNED-LONG", "UNSIGNED-LONG"],
        Storage::Fixed(8),
    ),
    usage("FLOAT-SHORT", &["FLOAT-SHORT", "FLOAT-BINARY-32"], Storage::Fixed(4)),
    usage("FLOAT-LONG", &["FLOAT-LONG", "FLOAT-BINARY-64"], Storage::Fixed(8)),
    usage("FLOAT-EXTENDED", &["FLOAT-EXTENDED", "FLOAT-BINARY-128"], Storage::Fixed(16)),
    usage("FLOAT-DECIMAL-16", &["FLOAT-DECIMAL-16"], Storage::Fixed(8)),
    usage("FLOAT-DECIMAL-34", &["FLOAT-DECIMAL-34"], Storage::Fixed(16)),
];

/// The spellings of usages by their lengths, because nearly every word of a data entry is looked up.
static SPELLINGS: LazyLock<Vec<Vec<(&str, &UsageClause)>>> = LazyLock::new(|| {
    let mut by_length = Vec::new();
    for usage in USAGES {
        for spelling in usage.spellings {
            by_length.resize_with(by_length.len().max(spelling.len() + 1), Vec::new);
            by_length[spelling.len()].push((*spelling, usage));
        }
    }
    by_length
});

/// Returns the usage that a word of the source names.
pub(super) fn usage_of_word(word: &str) -> Option<&'static UsageClause> {
    let spellings = SPELLINGS.get(word.len())?;
    spellings.iter().find(|(spelling, _)| spelling.eq_ignore_ascii_case(word)).map(|(_, usage)| *usage)
}

/// Returns the storage of a usage in its normalized spelling.
pub(super) fn storage(name: &str) -> Storage {
    USAGES.iter().find(|usage| usage.name == name).map_or(Storage::Display, |usage| usage.storage)
}

/// The digits that fit 1, 2, ... 8 bytes of unsigned binary. A sign in the picture changes nothing: COMP-X has none.
const DIGITS_OF_BYTES: [u32; 8] = [2, 4, 7, 9, 12, 14, 16, 19];

impl Storage {
    /// Returns the length of an item in bytes; none if it needs a picture and has none.
    pub(super) fn bytes(self, picture: Option<&Picture>, separate: bool, pointer: PointerSize) -> Option<u64> {
        match self {
            Storage::Fixed(bytes) => return Some(bytes.into()),
            Storage::Pointer => return Some(pointer.get()),
            Storage::ProcedurePointer => return Some(8),
            _ => {}
        }
        let picture = picture?;
        let sign = u64::from(separate && picture.signed);
        // `PIC X(3) COMP-X` is a binary number of three bytes; any other picture with letters is text, whatever the usage.
        let text = !(picture.numeric || picture.bits);
        Some(match self {
            Storage::Wide => (picture.characters + sign).saturating_mul(2),
            Storage::Bits if picture.bits => picture.characters.div_ceil(8),
            Storage::Binary if !text => match picture.digits {
                0..=4 => 2,
                5..=9 => 4,
                10..=18 => 8,
                _ => 16,
            },
            Storage::Compact if !text => {
                let bytes = DIGITS_OF_BYTES.iter().position(|holds| picture.digits <= *holds);
                bytes.map_or(16, |bytes| bytes as u64 + 1)
            }
            // Unsigned packed decimal with a sign is packed decimal.
            Storage::PackedUnsigned if !text && !picture.signed => u64::from(picture.digits.div_ceil(2)),
            Storage::Packed | Storage::PackedUnsigned if !text => u64::from(picture.digits / 2) + 1,
            _ => picture.display() + sign,
        })
    }

    /// Returns the SYNC boundary of an item: its offset is a multiple of this number of bytes.
    pub(super) fn boundary(self, picture: Option<&Picture>, pointer: PointerSize) -> u64 {
        match self {
            // IBM aligns binary of eight bytes on a fullword too.
            Storage::Binary => match picture.map_or(0, |picture| picture.digits) {
                0..=4 => 2,
                _ => 4,
            },
            Storage::Fixed(bytes) => u64::from(bytes).min(8),
            Storage::Pointer | Storage::ProcedurePointer => pointer.get(),
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usages_take_their_bytes() {
        let check = |word: &str, picture: &str, bytes: Option<u64>| {
            let usage = usage_of_word(word).unwrap();
            let picture = Picture::read(picture, &[], |_| None).filter(|_| !picture.is_empty());
            let found = storage(usage.name).bytes(picture.as_ref(), false, PointerSize::Four);
            assert_eq!(found, bytes, "{word} {picture:?}");
        };
        for (digits, bytes) in [(1, 2), (4, 2), (5, 4), (9, 4), (10, 8), (18, 8), (19, 16)] {
            check("BINARY", &format!("S9({digits})"), Some(bytes));
            check("COMP-5", &format!("9({digits})"), Some(bytes));
        }
        // The sizes in cobc.
        for (digits, bytes) in [(2, 1), (3, 2), (5, 3), (7, 3), (9, 4), (12, 5), (14, 6), (16, 7), (17, 8)] {
            check("COMP-X", &format!("9({digits})"), Some(bytes));
            check("COMP-N", &format!("S9({digits})"), Some(bytes));
        }
        check("COMP-X", "X(3)", Some(3));
        for (picture, packed, unsigned) in [("9", 1, 1), ("9(4)", 3, 2), ("9(7)V99", 5, 5), ("9(5)", 3, 3)] {
            check("PACKED-DECIMAL", picture, Some(packed));
            check("COMP-6", picture, Some(unsigned));
        }
        check("COMP-6", "S9(3)", Some(2));
        check("COMP-1", "", Some(4));
        check("COMP-2", "", Some(8));
        check("INDEX", "", Some(4));
        check("POINTER", "", Some(4));
        check("FUNCTION-POINTER", "", Some(4));
        check("PROCEDURE-POINTER", "", Some(8));
        check("OBJECT", "", Some(4));
        check("BINARY-C-LONG", "", Some(8));
        check("FLOAT-DECIMAL-34", "", Some(16));
        check("BIT", "1(9)", Some(2));
        check("DISPLAY", "1(9)", Some(9));
        check("NATIONAL", "9(4)", Some(8));
        check("COMP-3", "", None);
    }
}
