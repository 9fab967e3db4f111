//! What the documents of sources are called.

use war_rig_text::ContentHash;

/// The longest name that a folder takes, with room for our extension and the mark of an unfinished file.
const LONGEST_NAME: usize = 200;

/// Names at the top of the output folder that are ours.
const OWN: [&str; 4] = ["index", "run", "data", "dictionary"];

/// The path of a source's document below the output folder, with `/` between folders and without our extension. It stays inside the
/// folder, and those of two sources are never the same.
///
/// ```
/// use war_rig_template::document_name;
/// assert_eq!(document_name("cbl/X.cbl"), "cbl/X.cbl");
/// assert_eq!(document_name("../../etc/passwd"), "etc/passwd");
/// ```
pub fn document_name(file: &str) -> String {
    let parts: Vec<&str> =
        file.split('/').filter(|part| !part.is_empty() && *part != "." && *part != "..").collect();
    // `index` becomes `index_`, and so `index_` becomes `index__`: the names stay apart.
    let top = parts.first().copied().unwrap_or_default();
    let own = OWN.iter().any(|own| own.eq_ignore_ascii_case(top.trim_end_matches('_')));
    if parts.is_empty() || (parts.len() == 1 && own) {
        return format!("{}_", shortened(top));
    }
    parts.into_iter().map(shortened).collect::<Vec<_>>().join("/")
}

/// A name that a folder takes: a longer one is cut and keeps a mark of the whole.
fn shortened(name: &str) -> String {
    if name.len() <= LONGEST_NAME {
        return name.to_owned();
    }
    let cut = (0..=LONGEST_NAME).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0);
    format!("{}-{}", &name[..cut], ContentHash::of(name.as_bytes()).short(8))
}

/// The path from the page of one source to the page of another, not yet encoded.
pub(crate) fn page_from(own: &str, other: &str) -> String {
    let (own, other) = (document_name(own), document_name(other));
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
        let (long, longer) = ("A".repeat(300), "A".repeat(301));
        assert!(document_name(&long).len() < 255 && document_name(&long) != document_name(&longer));
    }

    #[test]
    fn a_page_leads_to_another_from_where_it_stands() {
        assert_eq!(page_from("jcl/NIGHT.jcl", "cbl/PRMBILL.cbl"), "../cbl/PRMBILL.cbl.md");
        assert_eq!(page_from("jcl/NIGHT.jcl", "jcl/BATCH.prc"), "BATCH.prc.md");
        assert_eq!(page_from("NIGHT.jcl", "a/b/X.cbl"), "a/b/X.cbl.md");
        assert_eq!(page_from("a/b/NIGHT.jcl", "a/X.cbl"), "../X.cbl.md");
    }
}
