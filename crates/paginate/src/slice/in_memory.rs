//! Shortcuts for slicing in memory, and estimates for lists.

use super::Slicer;
use super::units::{InputUnit, Slice, SliceBy, SliceError, SliceOptions};
use std::num::NonZeroU64;
use war_rig_estimator::{TokenCount, TokenCounter};

/// Slices a text in memory: at most that many tokens each, and each shows `overlap` tokens of the one before.
///
/// ```
/// use war_rig_paginate::chunk_by_tokens;
/// use war_rig_estimator::{TokenizerEncoding, TokenCount, TokenCounter};
///
/// let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
/// let text = "One paragraph of some words.\n\nAnother one.\n";
/// let slices = chunk_by_tokens(text, TokenCount::new(8), TokenCount::ZERO, &counter);
/// let texts: Vec<_> = slices.iter().map(|slice| slice.text.as_str()).collect();
/// assert_eq!(texts, ["One paragraph of some words.\n\n", "Another one.\n"]);
/// ```
pub fn chunk_by_tokens(text: &str, max_tokens: TokenCount, overlap: TokenCount, counter: &TokenCounter) -> Vec<Slice> {
    let options = SliceOptions { by: SliceBy::Tokens { overlap }, max_tokens };
    let slices = slices(options, counter, std::iter::once(InputUnit::Text(text.to_owned())));
    slices.into_iter().filter_map(Result::ok).collect()
}

/// Slices records in memory: at most that many tokens and `most` records each. A record includes the separator after it.
///
/// An error names a record that is in no slice, because it is too large.
///
/// ```
/// use std::num::NonZeroU64;
/// use war_rig_paginate::chunk_by_records;
/// use war_rig_estimator::{TokenizerEncoding, TokenCount, TokenCounter};
///
/// let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
/// let records = ["{\"id\": 1}\n", "{\"id\": 2}\n", "{\"id\": 3}\n"];
/// let slices = chunk_by_records(records, TokenCount::new(100), NonZeroU64::new(2), &counter);
/// assert_eq!(slices[0].as_ref().unwrap().text, "{\"id\": 1}\n{\"id\": 2}\n");
/// assert_eq!(slices[1].as_ref().unwrap().marks[0].number, 3);
///
/// let slices = chunk_by_records([records[0], &"long ".repeat(100)], TokenCount::new(50), None, &counter);
/// let error = slices[1].as_ref().unwrap_err();
/// assert_eq!(error.to_string(), "record 2 has 101 tokens, and a part may have 50");
/// ```
pub fn chunk_by_records<R: Into<String>>(
    records: impl IntoIterator<Item = R>,
    max_tokens: TokenCount,
    most: Option<NonZeroU64>,
    counter: &TokenCounter,
) -> Vec<Result<Slice, SliceError>> {
    let options = SliceOptions { by: SliceBy::Records { most: most.map(NonZeroU64::get), overlap: 0 }, max_tokens };
    let records = (1..).zip(records).map(|(number, text)| InputUnit::Record { number, text: text.into() });
    slices(options, counter, records)
}

fn slices(
    options: SliceOptions,
    counter: &TokenCounter,
    units: impl Iterator<Item = InputUnit>,
) -> Vec<Result<Slice, SliceError>> {
    let mut slicer = Slicer::new(options, counter.clone());
    let mut slices = Vec::new();
    for unit in units {
        slices.extend(slicer.push(unit));
    }
    slices.extend(slicer.finish());
    slices
}

/// An estimate for a list from its beginning. Use it for messages and choices; slices are made by exact counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordEstimate {
    /// The number of records.
    pub total_records: u64,
    /// The tokens of all records.
    pub total_tokens: u64,
    /// The records that fit in a slice, at least one.
    pub optimal_records_per_chunk: u64,
    /// The number of slices needed.
    pub estimated_chunks: u64,
}

/// Whether a text begins like a list of records: a JSON array, or at least two lines with a JSON object or array each. Guesses from the sample alone.
///
/// ```
/// use war_rig_paginate::is_list_content;
///
/// assert!(is_list_content("[{\"id\": 1}, "));
/// assert!(is_list_content("{\"id\": 1}\n{\"id\": 2}\n{\"id\""));
/// assert!(is_list_content("[[1, 2], [3, 4]]"));
/// assert!(!is_list_content("[1] A footnote.\n"));
/// assert!(!is_list_content("[[A page]] of a wiki.\n"));
/// assert!(!is_list_content("{\n  \"id\": 1\n}\n"));
/// ```
pub fn is_list_content(sample: &str) -> bool {
    let sample = sample.strip_prefix('\u{feff}').unwrap_or(sample).trim_start();
    is_array(sample) || is_json_lines(sample)
}

/// Whether a JSON value follows the bracket, and the array continues after a short value.
fn is_array(sample: &str) -> bool {
    let Some(mut inside) = sample.strip_prefix('[').map(str::trim_start) else { return false };
    // `[[A page]]` is a link in some wikis.
    while let Some(deeper) = inside.strip_prefix('[') {
        inside = deeper.trim_start();
    }
    match inside.chars().next() {
        None | Some('"' | ']') => true,
        Some('{') => matches!(inside[1..].trim_start().chars().next(), None | Some('"' | '}')),
        Some('-' | '0'..='9' | 't' | 'f' | 'n') => {
            let scalar = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "+-.".contains(c));
            let value = &inside[..inside.len() - scalar.len()];
            let known = matches!(value, "true" | "false" | "null") || value.parse::<f64>().is_ok();
            // `[1] A footnote.` is text, and an array of one number is not worth dividing.
            known && scalar.trim_start().starts_with(',')
        }
        Some(_) => false,
    }
}

fn is_json_lines(sample: &str) -> bool {
    let mut whole = sample.split_inclusive('\n').filter(|line| line.ends_with('\n') && !line.trim().is_empty());
    let is_value = |line: &str| {
        let line = line.trim();
        (line.starts_with('{') && line.ends_with('}') && line.len() > 1)
            || (line.starts_with('[') && line.ends_with(']') && line.len() > 1)
    };
    let first = whole.by_ref().take(2).map(is_value).collect::<Vec<_>>();
    first == [true, true]
}

/// Estimates a list of `bytes` bytes that begins with this sample, in slices of at most `max_tokens`. It extrapolates the sample. Elements of a JSON
/// array count as records, otherwise non-blank lines.
///
/// ```
/// use war_rig_paginate::estimate_record_count;
/// use war_rig_estimator::{TokenizerEncoding, TokenCount, TokenCounter};
///
/// let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
/// let sample = "{\"id\": 1}\n{\"id\": 2}\n";
/// let estimate = estimate_record_count(sample, 2_000, TokenCount::new(60), &counter);
/// assert_eq!(estimate.total_records, 200);
/// assert_eq!(estimate.total_tokens, 1200);
/// assert_eq!(estimate.optimal_records_per_chunk, 10);
/// assert_eq!(estimate.estimated_chunks, 20);
/// ```
pub fn estimate_record_count(
    sample: &str,
    bytes: u64,
    max_tokens: TokenCount,
    counter: &TokenCounter,
) -> RecordEstimate {
    let trimmed = sample.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
    let (records, length) = if is_array(trimmed) { elements(sample) } else { lines(sample) };
    // A sample that ends inside its first record has at least that one.
    let (records, length) = if records == 0 { (1, sample.len()) } else { (records, length) };
    let tokens = counter.count(&sample[..length]).get().max(1);
    let scaled = |seen: u64| {
        let scaled = (u128::from(seen) * u128::from(bytes)).div_ceil(length.max(1) as u128);
        u64::try_from(scaled).unwrap_or(u64::MAX)
    };
    let total_records = if bytes == 0 || sample.is_empty() { 0 } else { scaled(records) };
    let total_tokens = if total_records == 0 { 0 } else { scaled(tokens) };
    let per_chunk = max_tokens.get().saturating_mul(records) / tokens;
    let optimal_records_per_chunk = per_chunk.max(1);
    let estimated_chunks = total_records.div_ceil(optimal_records_per_chunk);
    RecordEstimate { total_records, total_tokens, optimal_records_per_chunk, estimated_chunks }
}

/// Returns the number of complete non-blank lines, and the position of the last one's end.
fn lines(sample: &str) -> (u64, usize) {
    let length = sample.rfind('\n').map_or(0, |at| at + 1);
    (sample[..length].lines().filter(|line| !line.trim().is_empty()).count() as u64, length)
}

/// Returns the number of complete array elements, and the position of the last one's end.
fn elements(sample: &str) -> (u64, usize) {
    let (mut depth, mut records, mut length) = (0u64, 0, 0);
    let (mut in_string, mut escaped, mut in_element) = (false, false, false);
    for (at, byte) in sample.bytes().enumerate() {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends = (byte == b',' && depth == 1) || (byte == b']' && depth == 0);
        if ends && in_element {
            (records, length) = (records + 1, at + 1);
            in_element = false;
        } else if !ends && depth > 0 && !byte.is_ascii_whitespace() && (byte != b'[' || depth > 1) {
            in_element = true;
        }
    }
    (records, length)
}
