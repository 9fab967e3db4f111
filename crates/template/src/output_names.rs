//! The names of documents.

use war_rig_text::ContentHash;

/// The longest file name that a folder accepts, less the room for our extension and the mark of an unfinished file.
const LONGEST_NAME: usize = 200;

/// Names at the top of the output folder that War Rig uses itself.
const OWN: [&str; 8] = ["index", "run", "estate", "data", "dictionary", "functions", "entry-points", "sources"];

/// Folders at the top of the output folder that War Rig uses itself.
const OWN_FOLDERS: [&str; 2] = ["functions", "entry-points"];

/// Returns the path of a source's document below the output folder, with `/` between folders and without our extension. The path stays inside the
/// folder, is unique for each source, and is valid on Windows.
///
/// ```
/// use war_rig_template::document_name;
/// assert_eq!(document_name("cbl/X.cbl"), "cbl/X.cbl");
/// assert_eq!(document_name("../../etc/passwd"), "etc/passwd");
/// ```
pub fn document_name(file: &str) -> String {
    let parts: Vec<&str> = file.split('/').filter(|part| !part.is_empty() && *part != "." && *part != "..").collect();
    // `index` becomes `index_`, so `index_` becomes `index__`: the names stay different.
    let top = parts.first().copied().unwrap_or_default();
    let is_own = |own: &&str| own.eq_ignore_ascii_case(top.trim_end_matches('_'));
    let taken =
        if parts.len() == 1 { OWN.iter().find(|own| is_own(own)) } else { OWN_FOLDERS.iter().find(|own| is_own(own)) };
    let top = format!("{}{}", shortened(top), if parts.is_empty() || taken.is_some() { "_" } else { "" });
    std::iter::once(top).chain(parts.into_iter().skip(1).map(shortened)).collect::<Vec<_>>().join("/")
}

/// Returns the path of a page about the estate below the output folder, without extension, in a folder of War Rig's own.
pub fn estate_page_name(folder: &str, name: &str) -> String {
    format!("{folder}/{}", shortened(name))
}

/// Returns a name that any file system accepts. A name that is too long or has forbidden characters is changed and keeps a hash of the original.
fn shortened(name: &str) -> String {
    let (stem, extension) = name.split_at(name.find('.').unwrap_or(name.len()));
    // `CON` becomes `CON_`, so `CON_` becomes `CON__`, as above.
    let name = match is_device(stem.trim_end_matches('_')) {
        true => format!("{stem}_{extension}"),
        false => name.to_owned(),
    };
    let last = name.chars().next_back();
    let mut legal: String = name.chars().map(|c| if is_legal(c) { c } else { '-' }).collect();
    if let Some('.' | ' ') = last {
        legal.pop();
        legal.push('-');
    }
    if legal == name && name.len() <= LONGEST_NAME {
        return name;
    }
    let cut = (0..=LONGEST_NAME.min(legal.len())).rev().find(|at| legal.is_char_boundary(*at)).unwrap_or(0);
    format!("{}-{}", &legal[..cut], ContentHash::of(name.as_bytes()).short(8))
}

/// Returns whether Windows accepts a character in a file name:
/// <https://learn.microsoft.com/windows/win32/fileio/naming-a-file>.
fn is_legal(c: char) -> bool {
    !c.is_control() && !matches!(c, '<' | '>' | ':' | '"' | '\\' | '|' | '?' | '*')
}

/// Returns whether a name is a Windows device, whatever its extension (same source).
fn is_device(stem: &str) -> bool {
    let stem = stem.trim_end().to_uppercase();
    let is_numbered = |name: &str| {
        let number = stem.strip_prefix(name);
        number.is_some_and(|number| {
            matches!(number.as_bytes(), [b'0'..=b'9']) || ["\u{b9}", "\u{b2}", "\u{b3}"].contains(&number)
        })
    };
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || is_numbered("COM")
        || is_numbered("LPT")
}

/// Returns the path from one page to another, not yet encoded, given their paths without extension.
pub(crate) fn page_from(own: &str, other: &str) -> String {
    let (own, other): (Vec<&str>, Vec<&str>) = (own.split('/').collect(), other.split('/').collect());
    let folders = |path: &[&str]| path.len().saturating_sub(1);
    let common = own[..folders(&own)].iter().zip(&other[..folders(&other)]).take_while(|(a, b)| a == b);
    let common = common.count();
    let up = std::iter::repeat_n("..", folders(&own) - common);
    let path = up.chain(other[common..].iter().copied()).collect::<Vec<_>>().join("/");
    format!("{path}.md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside_the_folder_and_apart() {
        assert_eq!(document_name("index"), "index_");
        assert_eq!(document_name("index_"), "index__");
        assert_eq!(document_name("cbl/index"), "cbl/index");
        assert_eq!(document_name("functions/A.cbl"), "functions_/A.cbl");
        assert_eq!(document_name("functions"), "functions_");
        assert_eq!(document_name("cbl/functions/A.cbl"), "cbl/functions/A.cbl");
        let (long, longer) = ("A".repeat(300), "A".repeat(301));
        assert!(document_name(&long).len() < 255 && document_name(&long) != document_name(&longer));
    }

    #[test]
    fn names_are_ones_that_windows_takes() {
        for (file, expected) in [
            ("CON.cbl", "CON_.cbl"),
            ("con_.cbl", "con__.cbl"),
            ("lpt1/COM\u{b2}", "lpt1_/COM\u{b2}_"),
            ("CONSOLE.cbl", "CONSOLE.cbl"),
            ("COM10", "COM10"),
            ("PAY ROLL/X (1).cbl", "PAY ROLL/X (1).cbl"),
        ] {
            assert_eq!(document_name(file), expected);
        }
        let odd = ["a:b", "a?b", "a-b", "a\\b", "a\tb", "old./X", "old-/X", "old /X", "CON:", "CON "];
        let names: Vec<String> = odd.iter().map(|file| document_name(file)).collect();
        for name in &names {
            assert!(name.chars().all(is_legal), "{name}");
            let is_taken = |part: &str| {
                let stem = part.split('.').next().unwrap_or_default();
                !part.ends_with(['.', ' ']) && !is_device(stem)
            };
            assert!(name.split('/').all(is_taken), "{name}");
        }
        assert_eq!(names.iter().collect::<std::collections::HashSet<_>>().len(), odd.len(), "{names:?}");
    }

    #[test]
    fn a_page_leads_to_another_from_where_it_stands() {
        assert_eq!(page_from("jcl/NIGHT.jcl", "cbl/PRMBILL.cbl"), "../cbl/PRMBILL.cbl.md");
        assert_eq!(page_from("jcl/NIGHT.jcl", "jcl/BATCH.prc"), "BATCH.prc.md");
        assert_eq!(page_from("NIGHT.jcl", "a/b/X.cbl"), "a/b/X.cbl.md");
        assert_eq!(page_from("a/b/NIGHT.jcl", "a/X.cbl"), "../X.cbl.md");
    }
}
