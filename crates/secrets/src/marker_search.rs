//! The search for all marks at once, without regard to the case of ASCII letters.
//!
//! The search looks at three bytes at each place, and at more only where these begin a mark. It loads six places at a time, and skips blanks, which
//! are much of a source. An automaton of all marks would take megabytes, and longer to build than most sources take to read.

/// The bits of a hash, and those of them that select a slot.
const HASH_BITS: u32 = 16;
const SLOT_BITS: u32 = 12;
/// The bytes of a mark that are hashed; a shorter mark has a hash for each text that may follow.
const HEAD: usize = 3;
/// The places whose heads are in the eight bytes that are loaded at a time.
const PLACES: usize = 8 - HEAD + 1;
/// Eight blanks. No mark begins with three.
const BLANKS: u64 = 0x2020_2020_2020_2020;

/// The texts that are searched for; none of them is empty.
pub(super) struct MarkerSearch {
    marks: Vec<String>,
    /// One bit for each hash with which a mark begins.
    heads: Box<[u64; 1 << (HASH_BITS - 6)]>,
    /// The marks that begin with one of the hashes of each slot.
    slots: Vec<Vec<Candidate>>,
}

/// A mark and its first eight bytes, which rule out most of the marks in a slot.
#[derive(Clone, Copy)]
struct Candidate {
    mark: usize,
    start: u64,
    /// The bits of `start` that belong to the mark.
    mask: u64,
}

impl MarkerSearch {
    pub(super) fn new(marks: Vec<String>) -> Self {
        debug_assert!(marks.iter().all(|mark| !mark.starts_with("   ") && !mark.trim().is_empty()));
        let (heads, slots) = (Box::new([0; 1 << (HASH_BITS - 6)]), vec![Vec::new(); 1 << SLOT_BITS]);
        let mut search = Self { marks: Vec::new(), heads, slots };
        for (index, mark) in marks.iter().enumerate() {
            let (known, mask) = (mark.len().min(HEAD), u64::MAX >> (64 - 8 * mark.len().clamp(1, 8)));
            let candidate = Candidate { mark: index, start: start(mark.as_bytes()) & mask, mask };
            for more in 0..1 << (8 * (HEAD - known)) {
                search.add(candidate, hash(candidate.start | more << (8 * known)));
            }
        }
        Self { marks, ..search }
    }

    fn add(&mut self, candidate: Candidate, hash: usize) {
        self.heads[hash / 64] |= 1 << (hash % 64);
        let slot = &mut self.slots[slot(hash)];
        if slot.last().is_none_or(|last| last.mark != candidate.mark) {
            slot.push(candidate);
        }
    }

    /// Returns the places of all marks in a text, with the index and the length of each, in the order of their first bytes.
    pub(super) fn find_in<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, usize, usize)> + 'a {
        let bytes = text.as_bytes();
        let mut next = 0;
        let promising = std::iter::from_fn(move || {
            let at = self.next_head(bytes, next)?;
            next = at + 1;
            Some((at, start(&bytes[at..])))
        });
        promising.flat_map(move |(at, start)| {
            let candidates = self.slots[slot(hash(start))].iter();
            candidates.filter(move |candidate| start & candidate.mask == candidate.start).filter_map(move |candidate| {
                let mark = self.marks[candidate.mark].as_bytes();
                let is_here = bytes[at..].get(..mark.len()).is_some_and(|own| own.eq_ignore_ascii_case(mark));
                is_here.then_some((at, candidate.mark, mark.len()))
            })
        })
    }

    /// Returns the first place at or after another where a mark may begin.
    fn next_head(&self, bytes: &[u8], mut at: usize) -> Option<usize> {
        while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
            let word = u64::from_le_bytes(*chunk) | BLANKS;
            if word != BLANKS {
                let heads = (0..PLACES).fold(0, |heads, place| heads | self.head(word >> (8 * place)) << place);
                if heads != 0 {
                    return Some(at + heads.trailing_zeros() as usize);
                }
            }
            at += PLACES;
        }
        (at..bytes.len()).find(|at| self.head(start(&bytes[*at..])) == 1)
    }

    /// Returns 1 if a mark may have this start, and else 0.
    fn head(&self, start: u64) -> u64 {
        let hash = hash(start);
        self.heads[hash / 64] >> (hash % 64) & 1
    }
}

/// Returns the first eight bytes, in one case for letters.
fn start(bytes: &[u8]) -> u64 {
    let start = bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut start = [0; 8];
        start[..bytes.len()].copy_from_slice(bytes);
        start
    });
    u64::from_le_bytes(start) | BLANKS
}

/// Returns the hash of the first [`HEAD`] of eight bytes.
fn hash(start: u64) -> usize {
    let head = (start as u32 & 0xFF_FFFF) | 0x20_2020;
    (head.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)) as usize
}

fn slot(hash: usize) -> usize {
    hash >> (HASH_BITS - SLOT_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_is_found_in_either_case_wherever_it_stands() {
        let marks = ["PW", "PWD", ")/", "KENNWORT", "wort", "ß-X", "Q"].map(str::to_owned).to_vec();
        let search = MarkerSearch::new(marks.clone());
        let check = |text: &str, expected: &[(usize, &str)]| {
            let mut found: Vec<(usize, &str)> = search
                .find_in(text)
                .map(|(at, index, length)| {
                    assert_eq!(length, marks[index].len());
                    (at, marks[index].as_str())
                })
                .collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{text}");
        };
        check("", &[]);
        check("P", &[]);
        check("q-q", &[(0, "Q"), (2, "Q")]);
        check("pw", &[(0, "PW")]);
        check("APwd=(x)/", &[(1, "PW"), (1, "PWD"), (7, ")/")]);
        check("Kennwort", &[(0, "KENNWORT"), (4, "wort")]);
        check("ß-x ß-", &[(0, "ß-X")]);
        check("kenn wor", &[]);
        check("kennwort                q", &[(0, "KENNWORT"), (4, "wort"), (24, "Q")]);
        for blanks in 0..20 {
            let text = format!("{}pwd{}", " ".repeat(blanks), " ".repeat(20));
            check(&text, &[(blanks, "PW"), (blanks, "PWD")]);
        }
    }
}
