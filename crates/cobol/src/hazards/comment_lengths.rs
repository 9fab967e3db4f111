//! Comments that state another length of a record than the record has.

use super::{FoundHazards, HazardKind};
use crate::model::ParsedCobol;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use war_rig_text::{LineNumber, LineRange, SourceLine, SourceText};

/// A record whose length is known.
#[derive(Clone, Copy)]
struct KnownLength<'a> {
    name: &'a str,
    program: Option<usize>,
    length: u64,
    /// Another length that the comment may mean: that of the longest record of the file, or of the first item below.
    other: u64,
}

/// Finds comments directly above a record or a file description, or directly below the first line of a group, that state another length. The comment at the
/// head of a copybook with several records may mean any of them.
pub(super) fn find(parsed: &ParsedCobol, source: &SourceText, found: &mut FoundHazards) {
    let records = parsed.data_items.iter().filter(|item| item.parent.is_none() && item.level <= 49);
    if parsed.programs.is_empty() && records.count() > 1 {
        return;
    }
    let lengths = known_lengths(parsed);
    let files = files_of_one_name(parsed);
    let mut block: Vec<SourceLine<'_>> = Vec::new();
    for line in source.lines() {
        if line.is_comment() {
            block.push(line);
            continue;
        }
        if !block.is_empty()
            && let Some(record) = lengths.get(&line.number()).copied().or_else(|| described_file(&files, line))
        {
            let stated = block.iter().filter_map(|line| Some((stated_length(line.visible())?, line.number())));
            let stated: Vec<(u64, LineNumber)> = stated.collect();
            // A record of variable length has four bytes before it, a printed one a byte that moves the paper; a message of IMS begins with four of its own.
            let is_right = |length: u64| {
                let own = [record.length, record.other];
                own.iter().any(|own| [0, 1, 4].iter().any(|more| length == own + more) || length + 4 == *own)
            };
            let is_any_right = stated.iter().any(|(length, _)| is_right(*length));
            if let Some((length, at)) = stated.first().filter(|_| !is_any_right) {
                let kind = HazardKind::CommentedLength {
                    record: record.name.to_owned(),
                    stated: *length,
                    length: record.length,
                };
                found.add(kind, record.program, LineRange::single(*at));
            }
        }
        block.clear();
    }
}

/// Returns the records whose length is known and never varies, by the lines on which they begin, and groups by the lines of their first items.
fn known_lengths(parsed: &ParsedCobol) -> HashMap<LineNumber, KnownLength<'_>> {
    let items = &parsed.data_items;
    let mut roots: Vec<usize> = Vec::with_capacity(items.len());
    let mut is_variable: Vec<bool> = vec![false; items.len()];
    for (index, item) in items.iter().enumerate() {
        roots.push(item.parent.map_or(index, |parent| roots[parent]));
        is_variable[roots[index]] |= item.may_vary();
    }
    let records = parsed.files.iter().flat_map(|file| file.records.iter().map(move |record| (file, record)));
    let of_files: HashMap<(Option<usize>, &str), Option<u64>> =
        records.map(|(file, record)| ((file.program, record.as_str()), file.record_length)).collect();
    let is_incomplete = incomplete_items(parsed);
    let is_known = |index: usize| !is_variable[roots[index]] && !is_incomplete.contains(&index);
    let length = |index: usize| items[index].length.filter(|length| *length > 0 && is_known(index));
    let mut known = HashMap::new();
    for (index, item) in items.iter().enumerate().filter(|(_, item)| item.file.is_none()) {
        let first = index.checked_sub(1).filter(|above| item.parent == Some(*above) && items[*above].file.is_none());
        let (Some(lines), Some(own)) = (item.lines, length(index)) else { continue };
        let (named, length, other) = match first {
            _ if item.level == 1 => {
                let longest = of_files.get(&(item.program, item.name.as_str())).copied().flatten();
                (index, own, longest.unwrap_or(own))
            }
            Some(group) => match length(group) {
                Some(length) => (group, length, own),
                None => continue,
            },
            None => continue,
        };
        let record = KnownLength { name: &items[named].name, program: item.program, length, other };
        known.entry(lines.start()).or_insert(record);
    }
    known
}

/// Returns the items in which a missing copybook may have more items: the last item before each of them, and the groups around that item.
fn incomplete_items(parsed: &ParsedCobol) -> HashSet<usize> {
    let own = parsed.data_items.iter().enumerate().filter(|(_, item)| item.file.is_none());
    let mut begun: Vec<(LineNumber, usize)> = own.filter_map(|(index, item)| Some((item.line?, index))).collect();
    begun.sort_unstable();
    let mut incomplete = HashSet::new();
    for copy in parsed.copies.iter().filter(|copy| copy.resolved.is_none() && copy.file.is_none()) {
        let before = begun.partition_point(|(line, _)| *line <= copy.lines.start());
        let mut item = before.checked_sub(1).map(|last| begun[last].1);
        while let Some(index) = item.filter(|index| incomplete.insert(*index)) {
            item = parsed.data_items[index].parent;
        }
    }
    incomplete
}

/// Returns the files by name, without those that share their name with another.
fn files_of_one_name(parsed: &ParsedCobol) -> HashMap<&str, KnownLength<'_>> {
    let mut of_files = parsed.data_items.iter().filter(|item| item.section.as_deref() == Some("FILE"));
    // A copybook that is missing may contain any record.
    let varies = parsed.is_copybook_missing("DATA") || of_files.any(|item| item.depending_on.is_some());
    let mut files: HashMap<&str, Option<KnownLength<'_>>> = HashMap::new();
    for file in &parsed.files {
        let length = file.record_length.filter(|_| !varies && file.length_item.is_none());
        let known = |length| KnownLength { name: &file.name, program: file.program, length, other: length };
        files.entry(&file.name).and_modify(|file| *file = None).or_insert(length.map(known));
    }
    files.into_iter().filter_map(|(name, known)| Some((name, known?))).collect()
}

/// Returns the file that a line begins to describe.
fn described_file<'a>(files: &HashMap<&str, KnownLength<'a>>, line: SourceLine<'_>) -> Option<KnownLength<'a>> {
    let mut words = line.code().split_whitespace();
    let head = words.next()?;
    let is_description = ["FD", "SD"].iter().any(|word| head.eq_ignore_ascii_case(word));
    let name = words.next().filter(|_| is_description)?.trim_end_matches('.').to_uppercase();
    files.get(name.as_str()).copied()
}

/// The longest record, in bytes; a larger number stands for a length that nobody has filled in. z/OS DFSMS, Using Data Sets: LRECL.
const LONGEST: u64 = 32_760;

/// Words between the word for a length and the number.
const FILLERS: [&str; 9] = ["IS", "OF", "DO", "DA", "DE", "DEL", "TOTAL", "REGISTRO", "BYTES"];

/// Returns the length that a comment states: `RECLN = 350`, `LRECL 80`, `Record length: 150`, `LENGTH 150 BYTES`, `TAMANHO - 1010`.
fn stated_length(comment: &str) -> Option<u64> {
    let upper = comment.to_uppercase();
    let words: Vec<&str> = upper.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let before = at.checked_sub(1).map(|before| words[before]);
        let is_filler = |at: &usize| words.get(*at).is_some_and(|word| FILLERS.contains(word));
        let next = (at + 1..).find(|at| !is_filler(at))?;
        let length = words.get(next)?.parse().ok()?;
        // `1.010`
        if words.get(next + 1).is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
            return None;
        }
        let is_length = match *word {
            "RECLN" | "RECLEN" | "LRECL" | "TAMANHO" | "LONGUEUR" | "LONGITUD" => true,
            "LENGTH" if before == Some("RECORD") => true,
            "LENGTH" => before.is_none_or(|before| before == "TOTAL") && words.get(next + 1) == Some(&"BYTES"),
            _ => false,
        };
        is_length.then_some(length).filter(|length| *length <= LONGEST)
    })
}
