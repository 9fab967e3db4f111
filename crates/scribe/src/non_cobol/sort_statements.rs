//! Words the control statements of sorts.

use super::statements::{LONGEST, some};
use crate::phrases::{count, list, shorten_to};
use war_rig_estate::jcl::{SortStatement, elements, operand_keyword, split_at_commas};

/// How many parts of a record are told.
const PARTS: usize = 12;

/// Words a sort statement: `sorts by bytes 1-10 ascending`. DDs are replaced by their data sets; `all` are the statements of the step.
pub(super) fn of_sort(statement: &SortStatement, all: &[SortStatement], data_set: &dyn Fn(&str) -> String) -> String {
    let operands = statement.operands.trim();
    let as_written = |does: &str| format!("{does} ({} {})", statement.verb, shorten_to(operands, LONGEST));
    if statement.is_operator() {
        return operator(statement, data_set);
    }
    match statement.verb.as_str() {
        "SORT" | "MERGE" => {
            let does = if statement.verb == "SORT" { "sorts" } else { "merges" };
            if is_copy(statement) {
                return list(&[vec![copies(statement, all).to_owned()], limits(operands)].concat());
            }
            match keys(operands) {
                Some(keys) => list(&[vec![format!("{does} by {}", some(&keys))], limits(operands)].concat()),
                None => as_written(does),
            }
        }
        "OPTION" => {
            let copies = is_copy(statement).then(|| copies(statement, all).to_owned());
            let told: Vec<String> = copies.into_iter().chain(limits(operands)).collect();
            if told.is_empty() { shorten_to(&format!("OPTION {operands}"), LONGEST) } else { list(&told) }
        }
        verb @ ("INCLUDE" | "OMIT") => {
            let does = if verb == "INCLUDE" { "keeps the records where" } else { "leaves out the records where" };
            match value(operands, "COND").and_then(condition) {
                Some(words) => format!("{does} {words}"),
                None => as_written(does.trim_end_matches(" where")),
            }
        }
        "SUM" if operands.replace(' ', "").contains("FIELDS=NONE") => {
            "keeps one record of those with equal keys".to_owned()
        }
        "SUM" => as_written("adds up records with equal keys"),
        verb @ ("JOINKEYS" | "JOIN") => {
            joining(statement, all, data_set).unwrap_or_else(|| shorten_to(&format!("{verb} {operands}"), LONGEST))
        }
        "REFORMAT" => {
            let files = joined_files(all, &statement.dd);
            let named = |name: &str| files.iter().find(|(_, number, _)| name == format!("F{number}"));
            let file = |name: &str| named(name).map_or(name.to_owned(), |(_, _, dd)| data_set(dd));
            shape("each joined record", operands, &file).unwrap_or_else(|| as_written("joins the records"))
        }
        "INREC" => shape("each record that is read", operands, &str::to_owned)
            .unwrap_or_else(|| as_written("rearranges the records before they are sorted")),
        "OUTREC" => shape("each output record", operands, &str::to_owned)
            .unwrap_or_else(|| as_written("rearranges the records")),
        "OUTFIL" => outfil(operands, data_set).unwrap_or_else(|| as_written("writes")),
        _ => shorten_to(&format!("{} {operands}", statement.verb), LONGEST),
    }
}

/// Words what a sort is told in clauses: the files that it joins together. END says only that nothing follows.
pub(super) fn clauses_of_sort(all: &[SortStatement], data_set: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut clauses = Vec::new();
    for statement in all.iter().filter(|statement| statement.verb != "END") {
        let joined = joined_files(all, &statement.dd);
        match joined.as_slice() {
            // Only the files are told together; that the joined records are not sorted needs no words.
            [(first, ..), second] if statement.verb == "JOINKEYS" => {
                if std::ptr::eq(*first, statement) {
                    clauses.push(matching(&joined[0], second, data_set));
                }
            }
            [_, _] if is_copy(statement) && limits(&statement.operands).is_empty() => {}
            _ => {
                // The statements of JNF1CNTL are about the first file alone.
                let number = match statement.dd.as_str() {
                    "JNF1CNTL" => 1,
                    "JNF2CNTL" => 2,
                    _ => 0,
                };
                let file = all.iter().filter_map(SortStatement::joined_file).find(|(found, _)| *found == number);
                let file = file.map(|(_, dd)| format!("of {}, ", data_set(&dd))).unwrap_or_default();
                clauses.push(format!("{file}{}", of_sort(statement, all, data_set)));
            }
        }
    }
    clauses
}

/// Whether a statement says that the records are not sorted.
fn is_copy(statement: &SortStatement) -> bool {
    let is_copied = |fields: &str| fields == "COPY" || fields == "(COPY)";
    match statement.verb.as_str() {
        "SORT" | "MERGE" => value(&statement.operands, "FIELDS").is_some_and(is_copied),
        "OPTION" => statement.operands.split(',').any(|option| option.trim() == "COPY"),
        _ => false,
    }
}

/// A file to join: its statement, its number and its DD.
type JoinedFile<'a> = (&'a SortStatement, u8, String);

/// Returns the files that the statements of a DD join, in the order of their numbers.
fn joined_files<'a>(all: &'a [SortStatement], dd: &str) -> Vec<JoinedFile<'a>> {
    let of_dd = all.iter().filter(|statement| statement.dd == dd);
    let mut files: Vec<JoinedFile<'_>> =
        of_dd.filter_map(|statement| statement.joined_file().map(|(number, dd)| (statement, number, dd))).collect();
    files.sort_by_key(|(_, number, _)| *number);
    files
}

/// Returns the keys that JOINKEYS names: `bytes 1-5 and bytes 8-9`.
fn joined_by(statement: &SortStatement) -> String {
    match sort_keys(&statement.operands) {
        Some(keys) => some(&keys.into_iter().map(|(key, _)| key).collect::<Vec<_>>()),
        None => shorten_to(&statement.operands, LONGEST),
    }
}

/// Words the join of two files: `matches A with B by bytes 1-5`.
fn matching(
    (first, _, one): &JoinedFile<'_>,
    (second, _, other): &JoinedFile<'_>,
    data_set: &dyn Fn(&str) -> String,
) -> String {
    let (keys, keys_of_other) = (joined_by(first), joined_by(second));
    let (one, other) = (data_set(one), data_set(other));
    match keys == keys_of_other {
        true => format!("matches {one} with {other} by {keys}"),
        false => format!("matches {one} by {keys} with {other} by {keys_of_other}"),
    }
}

/// Words JOINKEYS and JOIN: which records are matched, and which are kept.
fn joining(statement: &SortStatement, all: &[SortStatement], data_set: &dyn Fn(&str) -> String) -> Option<String> {
    if let Some((_, dd)) = statement.joined_file() {
        return Some(format!("matches the records of {} by {}", data_set(&dd), joined_by(statement)));
    }
    let operands: Vec<&str> = split_at_commas(&statement.operands).into_iter().map(str::trim).collect();
    let ("JOIN", ["UNPAIRED", options @ ..]) = (statement.verb.as_str(), operands.as_slice()) else { return None };
    let files = joined_files(all, &statement.dd);
    let is_named = |number: u8| options.contains(&format!("F{number}").as_str());
    let names_none = !is_named(1) && !is_named(2);
    let named = files.iter().filter(|(_, number, _)| names_none || is_named(*number));
    let of = some(&named.map(|(_, _, dd)| data_set(dd)).collect::<Vec<_>>());
    Some(match options.contains(&"ONLY") {
        true => format!("keeps only the unpaired records of {of}"),
        false => format!("keeps the unpaired records of {of} too"),
    })
}

/// Words an operator of ICETOOL: `copies A to B (USING(CTL1))`.
fn operator(statement: &SortStatement, data_set: &dyn Fn(&str) -> String) -> String {
    let does = match statement.verb.as_str() {
        "COPY" => "copies",
        "SORT" => "sorts",
        "MERGE" => "merges",
        "SELECT" => "selects records of",
        "SPLICE" => "splices records of",
        "COUNT" => "counts the records of",
        _ => return shorten_to(&format!("{} {}", statement.verb, statement.operands), LONGEST),
    };
    let sets = |dds: Vec<String>| some(&dds.iter().map(|dd| data_set(dd)).collect::<Vec<_>>());
    let (from, to) = (sets(statement.input_dds()), sets(statement.target_dds()));
    let to = if to.is_empty() { to } else { format!(" to {to}") };
    let options = shorten_to(&statement.options(), LONGEST);
    let options = if options.is_empty() { options } else { format!(" ({options})") };
    format!("{does} {from}{to}{options}")
}

/// Words a copy: only where no other statement changes the records are they copied as they are.
fn copies(statement: &SortStatement, all: &[SortStatement]) -> &'static str {
    let changes = |other: &SortStatement| match other.verb.as_str() {
        "INREC" | "OUTREC" => true,
        "OUTFIL" => split_at_commas(&other.operands).into_iter().any(|operand| {
            let keyword = operand_keyword(operand.trim()).0;
            keyword.is_some_and(|keyword| SHAPES.contains(&keyword.as_str()))
        }),
        _ => false,
    };
    let mut beside = all.iter().filter(|other| other.dd == statement.dd);
    if beside.clone().any(|other| other.verb == "JOINKEYS") {
        return "does not sort the joined records";
    }
    if beside.any(changes) { "copies the records" } else { "copies the records as they are" }
}

/// The operands of OUTFIL that change records.
const SHAPES: [&str; 8] = ["BUILD", "OUTREC", "OVERLAY", "IFTHEN", "FINDREP", "CONVERT", "FTOV", "VTOF"];

/// Words how many records are skipped and taken.
fn limits(operands: &str) -> Vec<String> {
    let number = |keyword: &str| value(operands, keyword).and_then(|value| value.parse::<usize>().ok());
    let skips = number("SKIPREC").map(|skipped| match skipped {
        1 => "skips the first record".to_owned(),
        skipped => format!("skips the first {skipped} records"),
    });
    let stops = number("STOPAFT").map(|taken| format!("takes at most {}", count(taken, "record")));
    skips.into_iter().chain(stops).collect()
}

/// Words INREC and OUTREC: `each output record is bytes 1-80`. Returns none where they have conditions.
fn shape(who: &str, operands: &str, file_name: &dyn Fn(&str) -> String) -> Option<String> {
    let [operand] = split_at_commas(operands)[..] else { return None };
    let (keyword, value) = operand_keyword(operand.trim());
    match keyword.as_deref()? {
        "FIELDS" | "BUILD" => Some(format!("{who} is {}", fields(value, file_name)?)),
        "OVERLAY" => Some(format!("{who} is changed: {}", fields(value, file_name)?)),
        _ => None,
    }
}

/// Words the parts of a record: `bytes 80-137, the text 'ABC', 50 blanks`. Returns none if it does not know all of them.
fn fields(written: &str, file_name: &dyn Fn(&str) -> String) -> Option<String> {
    let inner = written.trim().strip_prefix('(')?.strip_suffix(')')?;
    let words: Vec<&str> = split_at_commas(inner).into_iter().map(str::trim).collect();
    let (mut parts, mut rest) = (Vec::new(), words.as_slice());
    while let Some(first) = rest.first() {
        let (column, first) = prefixed(first, |prefix| prefix.parse::<u32>().is_ok());
        let (file, first) = prefixed(first, |prefix| matches!(prefix, "F1" | "F2"));
        let (part, used) = part(first, rest)?;
        let column = column.map(|column| format!(" at byte {column}")).unwrap_or_default();
        let file = file.map(|file| format!(" of {}", file_name(file))).unwrap_or_default();
        parts.push(format!("{part}{file}{column}"));
        rest = &rest[used..];
    }
    let more = parts.len().saturating_sub(PARTS);
    if more > 1 {
        parts.truncate(PARTS);
        parts.push(format!("and {more} more parts"));
    }
    Some(parts.join(", "))
}

/// Splits a part at the colon behind a column or a file.
fn prefixed(word: &str, is_prefix: impl Fn(&str) -> bool) -> (Option<&str>, &str) {
    match word.split_once(':') {
        Some((prefix, rest)) if is_prefix(prefix) => (Some(prefix), rest),
        _ => (None, word),
    }
}

/// Words one part of a record that begins with this word. Also returns how many words it takes.
fn part(first: &str, words: &[&str]) -> Option<(String, usize)> {
    let is_number = |word: &&str| word.parse::<u32>().is_ok();
    let is_format = |word: &&str| FORMATS.contains(word);
    if first == "SEQNUM" {
        let length: usize = words.get(1)?.parse().ok()?;
        let used = 2 + usize::from(words.get(2).is_some_and(is_format));
        let more = words[used..].iter().take_while(|word| word.contains('=')).count();
        return Some((format!("a running number of {}", count(length, "byte")), used + more));
    }
    if !is_number(&first) {
        return Some((constant(first)?, 1));
    }
    let Some(length) = words.get(1).filter(|word| is_number(word)) else {
        return (words.len() == 1).then(|| (format!("all from byte {first} on"), 1));
    };
    let format = words.get(2).copied().filter(is_format);
    let used = if format.is_some() { 3 } else { 2 };
    let is_edit = |word: &&&str| {
        let is_mask = || word.strip_prefix('M').is_some_and(|number| number.parse::<u8>().is_ok());
        word.contains('=') && !word.contains('\'') || is_mask() || **word == "HEX"
    };
    let edits: Vec<&str> = words[used..].iter().take_while(is_edit).copied().collect();
    let place = bytes(first, length, format)?;
    let told = if edits.is_empty() { place } else { format!("{place} as {}", edits.join(",")) };
    Some((told, used + edits.len()))
}

/// The formats of numbers and texts.
const FORMATS: [&str; 14] = ["CH", "BI", "ZD", "PD", "FI", "FS", "CSF", "FL", "UFF", "SFF", "PD0", "CSL", "CST", "CTO"];

/// Words a part that is the same in each record: `50X`, `C'ABC'`. A word of letters names a field or a value of the system.
fn constant(word: &str) -> Option<String> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let times: usize = if digits == 0 { 1 } else { word[..digits].parse().ok()? };
    let repeated = |what: String| if times == 1 { what } else { format!("{times} times {what}") };
    match &word[digits..] {
        "?" if digits == 0 => Some("the mark of the files it is from (B, 1 or 2)".to_owned()),
        "X" => Some(count(times, "blank")),
        "Z" => Some(count(times, "binary zero")),
        text if text.starts_with("X'") => Some(repeated(format!("the byte {text}"))),
        text if text.starts_with("C'") => Some(repeated(format!("the text {}", &text[1..]))),
        text if text.starts_with('\'') => Some(repeated(format!("the text {text}"))),
        name if digits == 0 && name.len() > 1 && name.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '#' | '$' | '@');
            name.chars().all(is_of_name).then(|| name.to_owned())
        }
        _ => None,
    }
}

/// Words an OUTFIL: `writes to A.B the records where byte 1 = C'X'`. The operands that it does not word follow as written. Returns none if it words none.
fn outfil(operands: &str, data_set: &dyn Fn(&str) -> String) -> Option<String> {
    let (mut targets, mut which, mut rest): (Vec<String>, _, _) = (Vec::new(), None, Vec::new());
    let (mut bare, mut shape) = ("", String::new());
    for operand in split_at_commas(operands).into_iter().map(str::trim) {
        let (keyword, value) = match operand_keyword(operand) {
            (Some(keyword), value) => (keyword, value),
            (None, positional) => (positional.to_ascii_uppercase(), ""),
        };
        let words = match keyword.as_str() {
            "INCLUDE" => condition(value).map(|words| format!("the records where {words}")),
            "OMIT" => condition(value).map(|words| format!("all records but those where {words}")),
            "SAVE" => Some("all records that no other OUTFIL takes".to_owned()),
            _ => None,
        };
        match keyword.as_str() {
            _ if words.is_some() => which = words,
            "FNAMES" => targets.extend(elements(value).iter().map(|dd| data_set(dd))),
            "FILES" => targets.extend(elements(value).iter().map(|number| file_of_number(number, data_set))),
            "BUILD" | "OUTREC" | "OVERLAY" => match fields(value, &str::to_owned) {
                Some(fields) if keyword == "OVERLAY" => shape = format!(", each changed: {fields}"),
                Some(fields) => shape = format!(", each as {fields}"),
                None => rest.push(operand),
            },
            "NODETAIL" => bare = ", of which it shows only headers and totals",
            "" => {}
            _ => rest.push(operand),
        }
    }
    if targets.is_empty() && which.is_none() && shape.is_empty() {
        return None;
    }
    let target = if targets.is_empty() { String::new() } else { format!(" to {}", some(&targets)) };
    let which = which.unwrap_or_else(|| "the records".to_owned());
    let rest = match rest.is_empty() {
        true => String::new(),
        false => format!(" ({})", shorten_to(&rest.join(","), LONGEST)),
    };
    Some(format!("writes{target} {which}{bare}{shape}{rest}"))
}

/// Returns the data set of a number in FILES: `1` is SORTOF1 or SORTOF01, and OUT is SORTOUT.
fn file_of_number(number: &str, data_set: &dyn Fn(&str) -> String) -> String {
    if number.eq_ignore_ascii_case("OUT") {
        return data_set("SORTOUT");
    }
    let dds = [format!("SORTOF{number}"), format!("SORTOF0{number}")];
    let named = dds.iter().map(|dd| (dd, data_set(dd))).find(|(dd, name)| *dd != name);
    named.map_or_else(|| dds[0].clone(), |(_, name)| name)
}

/// Returns the value of a keyword, up to the comma that ends it.
fn value<'a>(operands: &'a str, keyword: &str) -> Option<&'a str> {
    let start = operands
        .match_indices(keyword)
        .find(|(at, _)| *at == 0 || operands[..*at].ends_with([',', ' ']))
        .map(|(at, _)| at + keyword.len())?;
    let rest = operands[start..].trim_start().strip_prefix('=')?.trim_start();
    Some(split_at_commas(rest).first().copied().unwrap_or_default().trim())
}

/// Words the keys of a sort. A key has its own format, or that of FORMAT.
fn keys(operands: &str) -> Option<Vec<String>> {
    let keys = sort_keys(operands)?;
    Some(keys.iter().map(|(key, order)| format!("{key} {order}")).collect())
}

/// Returns the keys of a sort or of a file to join, each with its order.
fn sort_keys(operands: &str) -> Option<Vec<(String, &'static str)>> {
    let fields = value(operands, "FIELDS")?.strip_prefix('(')?.strip_suffix(')')?;
    let format_of_all = value(operands, "FORMAT");
    let words: Vec<&str> = split_at_commas(fields).into_iter().map(str::trim).collect();
    let mut keys = Vec::new();
    let mut rest = words.as_slice();
    while let Some(first) = rest.first() {
        let is_number = |word: &str| word.parse::<u32>().is_ok();
        let (key, used) = if is_number(first) {
            let length = rest.get(1)?;
            let own = rest.get(2).copied().filter(|word| !matches!(*word, "A" | "D" | "E"));
            (bytes(first, length, own.or(format_of_all))?, if own.is_some() { 3 } else { 2 })
        } else {
            (first.to_string(), 1)
        };
        let order = match *rest.get(used)? {
            "A" => "ascending",
            "D" => "descending",
            _ => return None,
        };
        keys.push((key, order));
        rest = &rest[used + 1..];
    }
    (!keys.is_empty()).then_some(keys)
}

/// Words a field by its position: `bytes 21-23 (zoned decimal)`.
fn bytes(position: &str, length: &str, format: Option<&str>) -> Option<String> {
    let (first, length): (u32, u32) = (position.parse().ok()?, length.parse().ok()?);
    let last = first.checked_add(length.checked_sub(1)?)?;
    let place = if first == last { format!("byte {first}") } else { format!("bytes {first}-{last}") };
    let format = match format {
        Some("CH") | None => return Some(place),
        Some("ZD") => "zoned decimal",
        Some("PD") => "packed decimal",
        Some("BI") => "binary",
        Some("FI") => "signed binary",
        Some(other) => other,
    };
    Some(format!("{place} ({format})"))
}

/// Words a simple condition of INCLUDE or OMIT.
fn condition(value: &str) -> Option<String> {
    let inner = value.trim().strip_prefix('(')?.strip_suffix(')')?;
    let words: Vec<&str> = split_at_commas(inner).into_iter().map(str::trim).collect();
    let mut told = Vec::new();
    let mut rest = words.as_slice();
    while !rest.is_empty() {
        let (left, used) = field(rest)?;
        let operator = match *rest.get(used)? {
            "EQ" => "=",
            "NE" => "not =",
            "GT" => ">",
            "GE" => ">=",
            "LT" => "<",
            "LE" => "<=",
            _ => return None,
        };
        let (right, more) = field(&rest[used + 1..])?;
        told.push(format!("{left} {operator} {right}"));
        rest = &rest[used + 1 + more..];
        match rest.first() {
            None => {}
            Some(&("AND" | "&")) => told.push("and".to_owned()),
            Some(&("OR" | "|")) => told.push("or".to_owned()),
            Some(_) => return None,
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    Some(told.join(" "))
}

/// Words one side of a comparison. Also returns how many words it takes.
fn field(words: &[&str]) -> Option<(String, usize)> {
    let first = words.first().filter(|word| !word.is_empty() && !word.starts_with('('))?;
    let is_number = |word: &&&str| word.parse::<u32>().is_ok();
    match (words.get(1).filter(is_number), words.get(2)) {
        (Some(length), Some(format)) if is_number(&first) && format.len() <= 3 => {
            Some((bytes(first, length, Some(format))?, 3))
        }
        _ => Some(((*first).to_owned(), 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::{LineNumber, LineRange};

    #[track_caller]
    fn check(verb: &str, operands: &str, expected: &str) {
        let (dd, verb, operands) = ("SYSIN".to_owned(), verb.to_owned(), operands.to_owned());
        let lines = LineRange::single(LineNumber::FIRST);
        let statement = SortStatement { dd, verb, operands, lines, file: None };
        assert_eq!(of_sort(&statement, &[], &|dd| format!("{dd}.SET")), expected);
    }

    #[test]
    fn keys_of_a_sort_are_told_by_their_bytes_or_names() {
        check(
            "SORT",
            "FIELDS=(1,10,CH,A,21,3,ZD,D)",
            "sorts by bytes 1-10 ascending and bytes 21-23 (zoned decimal) descending",
        );
        check(
            "SORT",
            "FIELDS=(1,2,PD,A,3,1,A,4,26,CH,D),FORMAT=BI",
            "sorts by bytes 1-2 (packed decimal) ascending, byte 3 (binary) ascending and bytes 4-29 descending",
        );
        check("SORT", "FIELDS=(90,4.4,BI,A)", "sorts (SORT FIELDS=(90,4.4,BI,A))");
        check("SORT", "FIELDS=(5,1,A),FORMAT=BI", "sorts by byte 5 (binary) ascending");
        check("SORT", "FIELDS=(CARD-NUMBER,A)", "sorts by CARD-NUMBER ascending");
        check("SORT", "FIELDS=COPY", "copies the records as they are");
        check("OPTION", "COPY", "copies the records as they are");
        check("MERGE", "FIELDS=(1,10", "merges (MERGE FIELDS=(1,10)");
        check("SORT", "FIELDS=(4294967295,9,CH,A)", "sorts (SORT FIELDS=(4294967295,9,CH,A))");
    }

    #[test]
    fn conditions_of_include_and_omit_are_told_where_they_are_plain() {
        check("OMIT", "COND=(24,2,CH,EQ,C'  ')", "leaves out the records where bytes 24-25 = C'  '");
        check("INCLUDE", "COND=(DAY,GE,FIRST,AND,DAY,LE,LAST)", "keeps the records where DAY >= FIRST and DAY <= LAST");
        check("OMIT", "COND=(24,2,EQ,C',')", "leaves out the records (OMIT COND=(24,2,EQ,C','))");
        check("SUM", "FIELDS=NONE", "keeps one record of those with equal keys");
    }

    #[test]
    fn an_outfil_is_told_by_where_it_writes_what() {
        check("OUTFIL", "FNAMES=OUT1,INCLUDE=(1,1,CH,EQ,C'A')", "writes to OUT1.SET the records where byte 1 = C'A'");
        check("OUTFIL", "FNAMES=(A,B),SAVE", "writes to A.SET and B.SET all records that no other OUTFIL takes");
        check(
            "OUTFIL",
            "OMIT=(1,1,CH,EQ,C'A'),OUTREC=(1,80),FILES=1",
            "writes to SORTOF1.SET all records but those where byte 1 = C'A', each as bytes 1-80",
        );
        check(
            "OUTFIL",
            "FNAMES=R,NODETAIL,TRAILER1=(COUNT)",
            "writes to R.SET the records, of which it shows only headers and totals (TRAILER1=(COUNT))",
        );
        check("OUTFIL", "FNAMES=R,INCLUDE=(1,1,EQ,C'A')", "writes to R.SET the records (INCLUDE=(1,1,EQ,C'A'))");
        check("OUTFIL", "REMOVECC", "writes (OUTFIL REMOVECC)");
    }

    /// Checks the clauses of statements of SYSIN.
    #[track_caller]
    fn check_clauses(dd: &str, statements: &[(&str, &str)], expected: &[&str]) {
        let statement = |(verb, operands): &(&str, &str)| SortStatement {
            dd: dd.to_owned(),
            verb: (*verb).to_owned(),
            operands: (*operands).to_owned(),
            lines: LineRange::single(LineNumber::FIRST),
            file: None,
        };
        let all: Vec<SortStatement> = statements.iter().map(statement).collect();
        assert_eq!(clauses_of_sort(&all, &|dd| format!("{dd}.SET")), expected);
    }

    #[test]
    fn files_that_are_joined_are_told_together() {
        check_clauses(
            "SYSIN",
            &[
                ("JOINKEYS", "F1=IN1,FIELDS=(01,05,A,06,07,A)"),
                ("JOINKEYS", "F2=IN2,FIELDS=(301,05,A,312,07,A)"),
                ("JOIN", "UNPAIRED,F2"),
                ("REFORMAT", "FIELDS=(?,F2:1,300)"),
                ("OUTFIL", "FNAMES=OUT,INCLUDE=(1,1,CH,EQ,C'B'),OUTREC=(2,300)"),
                ("SORT", "FIELDS=COPY"),
            ],
            &[
                "matches IN1.SET by bytes 1-5 and bytes 6-12 with IN2.SET by bytes 301-305 and bytes 312-318",
                "keeps the unpaired records of IN2.SET too",
                "each joined record is the mark of the files it is from (B, 1 or 2), bytes 1-300 of IN2.SET",
                "writes to OUT.SET the records where byte 1 = C'B', each as bytes 2-301",
            ],
        );
        check_clauses(
            "SYSIN",
            &[
                ("JOINKEYS", "FILE=F1,FIELDS=(1,5,A)"),
                ("JOINKEYS", "FILE=F2,FIELDS=(1,5,A),SORTED"),
                ("JOIN", "UNPAIRED,F1,ONLY"),
                ("OPTION", "COPY,STOPAFT=5"),
            ],
            &[
                "matches SORTJNF1.SET with SORTJNF2.SET by bytes 1-5",
                "keeps only the unpaired records of SORTJNF1.SET",
                "does not sort the joined records and takes at most 5 records",
            ],
        );
    }

    #[test]
    fn operators_are_told_by_what_they_do() {
        check_clauses(
            "TOOLIN",
            &[
                ("COPY", "FROM(IN) TO(OUT,OUT2) USING(CTL1)"),
                ("SELECT", "FROM(IN) TO(OUT) ON(1,5,CH) FIRST DISCARD(REST)"),
                ("SORT", "FROM(IN) TO(OUT)"),
                ("MODE", "STOP"),
            ],
            &[
                "copies IN.SET to OUT.SET and OUT2.SET (USING(CTL1))",
                "selects records of IN.SET to OUT.SET (ON(1,5,CH) FIRST DISCARD(REST))",
                "sorts IN.SET to OUT.SET",
                "MODE STOP",
            ],
        );
    }

    #[test]
    fn the_parts_of_a_record_are_told() {
        check(
            "OUTREC",
            "FIELDS=(80,58,C'AG/CTA  TWICE',50X,1,26,14X)",
            "each output record is bytes 80-137, the text 'AG/CTA  TWICE', 50 blanks, bytes 1-26, 14 blanks",
        );
        check("OUTREC", "FIELDS=(1,80)", "each output record is bytes 1-80");
        check("INREC", "BUILD=(1,4,5)", "each record that is read is bytes 1-4, all from byte 5 on");
        check(
            "INREC",
            "OVERLAY=(81:47,3,PD,TO=ZDF)",
            "each record that is read is changed: bytes 47-49 (packed decimal) as TO=ZDF at byte 81",
        );
        check(
            "OUTREC",
            "BUILD=(SEQNUM,8,ZD,START=5,3C'*',X,2Z,NAME)",
            "each output record is a running number of 8 bytes, 3 times the text '*', 1 blank, 2 binary zeros, NAME",
        );
        check(
            "OUTREC",
            "IFTHEN=(WHEN=INIT,BUILD=(1,80))",
            "rearranges the records (OUTREC IFTHEN=(WHEN=INIT,BUILD=(1,80)))",
        );
        check("OUTREC", "FIELDS=(1,10,/,5,3)", "rearranges the records (OUTREC FIELDS=(1,10,/,5,3))");
    }

    #[test]
    fn records_that_another_statement_changes_are_not_copied_as_they_are() {
        let statement = |verb: &str, operands: &str| {
            let (dd, verb, operands) = ("SYSIN".to_owned(), verb.to_owned(), operands.to_owned());
            SortStatement { dd, verb, operands, lines: LineRange::single(LineNumber::FIRST), file: None }
        };
        let told = |operands: &str, verb: &str, beside: &str| {
            let all = [statement("OPTION", operands), statement(verb, beside)];
            of_sort(&all[0], &all, &str::to_owned)
        };
        assert_eq!(told("COPY", "OUTREC", "FIELDS=(1,80)"), "copies the records");
        assert_eq!(told("COPY", "OUTFIL", "FNAMES=A,BUILD=(1,80)"), "copies the records");
        assert_eq!(told("COPY", "OUTFIL", "FNAMES=A"), "copies the records as they are");
        assert_eq!(
            told("COPY,STOPAFT=10000", "OMIT", "COND=NONE"),
            "copies the records as they are and takes at most 10000 records"
        );
        assert_eq!(told("SKIPREC=1", "SORT", "FIELDS=(1,5,CH,A)"), "skips the first record");
    }
}
