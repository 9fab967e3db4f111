//! Rewrites that change no meaning change no document.

use std::collections::BTreeMap;
use std::ops::Range;
use war_rig_tests::{Workplace, files_below, fixtures};

/// Where the code of a line in fixed format stands.
const CODE: Range<usize> = 7..72;

/// A line with its words in lower case, and its literals as they are. Comments, continued lines and the cards of a librarian stay.
fn in_lower_case(line: &str) -> String {
    let end = CODE.end.min(line.len());
    let code = line.get(CODE.start..end).unwrap_or_default();
    let stays = line.as_bytes().get(6).is_none_or(|indicator| *indicator != b' ');
    if stays || code.contains("*>") || code.trim_start().starts_with(['+', '-']) {
        return line.to_owned();
    }
    let mut quote = None;
    let lower = |c: char| {
        match quote {
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None => return c.to_ascii_lowercase(),
            Some(open) if c == open => quote = None,
            Some(_) => {}
        }
        c
    };
    let rewritten: String = code.chars().map(lower).collect();
    let code = if quote.is_none() { &rewritten } else { code };
    format!("{}{code}{}", &line[..CODE.start], &line[end..])
}

/// The pages of all programs, without what tells of a source's bytes, in lower case.
fn pages(rewrite: impl Fn(&str) -> String) -> BTreeMap<String, Vec<String>> {
    let place = Workplace::new();
    for (name, bytes) in files_below(&fixtures()) {
        let is_cobol = name.ends_with(".cbl") || name.ends_with(".cpy");
        match String::from_utf8(bytes) {
            Ok(text) if is_cobol && text.is_ascii() => {
                let lines: Vec<String> = text.split('\n').map(&rewrite).collect();
                place.write(&format!("estate/{name}"), lines.join("\n"))
            }
            Ok(text) => place.write(&format!("estate/{name}"), text),
            Err(error) => place.write(&format!("estate/{name}"), error.into_bytes()),
        };
    }
    // Whole programs, so that no border of a chunk moves with the tokens.
    place.run("document estate -o out --max-prompt-tokens 120000".split(' ')).exits(0);
    let pages =
        files_below(&place.path().join("out")).into_iter().filter(|(name, _)| name.ends_with(".cbl.md"));
    let told = |page: Vec<u8>| {
        let page = String::from_utf8(page).unwrap().to_lowercase();
        page.lines().filter(|line| !line.contains("blake3")).map(str::to_owned).collect()
    };
    pages.map(|(name, page)| (name, told(page))).collect()
}

#[test]
fn words_in_lower_case_say_the_same() {
    let (upper, lower) = (pages(str::to_owned), pages(in_lower_case));
    assert!(upper.len() > 20 && upper.keys().eq(lower.keys()));
    for (name, page) in &upper {
        for (line, rewritten) in page.iter().zip(&lower[name]) {
            assert_eq!(line, rewritten, "{name}");
        }
        assert_eq!(page.len(), lower[name].len(), "{name}");
    }
}
