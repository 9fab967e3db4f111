//! The page of a source: its lines, numbered, coloured, with links and with the claims about them in the margin.
//!
//! There are as many of its elements as there are words in an estate, so that they are short: links are relative to the page that documents the source,
//! whose address is the base of this one.

use crate::frame::{POLICY_WITH_BASE, head, root_of, search};
use crate::highlight::{SourceLanguage, StretchKind, stretches};
use crate::markdown::attribute;
use crate::site::CitedLines;
use maud::{DOCTYPE, PreEscaped, html};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use war_rig_text::SourceText;

/// How many lines a block has. A browser lays out only the blocks that are seen.
const BLOCK: usize = 200;

/// The most claims that are marked beside one line.
const MARKS: usize = 2;

/// Returns the lines as HTML. `link_of` returns the link of a name; `claims` are those of the page that documents the source;
/// `copied` are, by the line of a COPY, the copybooks with the links to their pages.
pub(crate) fn lines(
    source: &SourceText,
    language: SourceLanguage,
    link_of: &dyn Fn(&str) -> Option<String>,
    claims: &[&CitedLines],
    copied: &BTreeMap<u32, Vec<(String, String)>>,
) -> String {
    let mut of_line: BTreeMap<u32, Vec<&CitedLines>> = BTreeMap::new();
    for claim in claims {
        of_line.entry(claim.lines.start().get()).or_default().push(claim);
    }
    let mut out = String::with_capacity(source.characters().len() * 3);
    let mut known: HashMap<&str, Option<String>> = HashMap::new();
    for (index, line) in source.lines().enumerate() {
        if index % BLOCK == 0 {
            out.push_str(if index == 0 { "<div class=\"block\">" } else { "</div><div class=\"block\">" });
        }
        let number = line.number();
        write!(out, "<div id=\"L{number}\"><b>{number}</b><i>").expect("a string takes every write");
        for claim in of_line.get(&number.get()).into_iter().flatten().take(MARKS) {
            write!(out, "<a href=\"#{}\" title=\"{}\">•</a>", claim.anchor, attribute(&claim.under))
                .expect("a string takes every write");
        }
        out.push_str("</i><code>");
        for (kind, text) in stretches(line.text(), language) {
            let link = match kind {
                StretchKind::Name => known.entry(text).or_insert_with(|| link_of(text)).as_deref(),
                _ => None,
            };
            let text = attribute(text);
            match (link, kind.class()) {
                (Some(link), _) => write!(out, "<a href=\"{}\">{text}</a>", attribute(link)),
                (None, Some(class)) => write!(out, "<span class=\"{class}\">{text}</span>"),
                (None, None) => write!(out, "{text}"),
            }
            .expect("a string takes every write");
        }
        out.push_str("</code></div>\n");
        for (copybook, link) in copied.get(&number.get()).into_iter().flatten() {
            let (copybook, link) = (attribute(copybook), attribute(link));
            // The copybook is loaded when it is unfolded.
            writeln!(
                out,
                "<details class=\"copy\"><summary>{copybook}</summary><iframe loading=\"lazy\" title=\"{copybook}\" src=\"{link}\"></iframe></details>"
            )
            .expect("a string takes every write");
        }
    }
    if source.line_count() > 0 {
        out.push_str("</div>");
    }
    out
}

/// Returns the page around the lines. `base` is the link to the page that documents the source.
pub(crate) fn render(path: &str, file: &str, base: &str, lines: String) -> String {
    let root = root_of(path);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&root, file, POLICY_WITH_BASE, Some(base)))
            body.source data-root=(root) {
                div role="banner" { h1 { a href="#_main" { (file) } } (search()) }
                main { (PreEscaped(lines)) }
            }
        }
    };
    page.into_string()
}
