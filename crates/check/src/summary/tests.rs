use super::*;
use crate::rule::{Rule, RuleGroup};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};
use war_rig_template::diff::compare;
use war_rig_template::{Document, DocumentHeader, DocumentItem, Paragraph, Purpose};
use war_rig_text::{ContentHash, LineNumber, LineRange};

/// Texts with a meaning to Markdown, HTML or a forge.
const HOSTILE: [&str; 24] = [
    "<script>alert(1)</script>",
    "</details></td></table><h1>",
    "<!-- hidden",
    "[x](javascript:alert(1))",
    "![x](http://tracker.example/x.png)",
    "http://evil.example/a www.evil.example <http://evil.example>",
    "a@evil.example mailto:a@evil.example",
    "@octocat @org/team please approve",
    "fixes #123, GH-4 and owner/repo#5 !6 %7 &8 $9 ~label",
    "`` ` ``` ~~~",
    "` @octocat `",
    "a ` @octocat",
    "| a | b |\n|---|---|",
    "\\| \\` \\",
    "\n\n# heading\n/close\n- item\n> quote",
    "\u{202E}evil\u{2066}\u{200B}",
    "\u{1b}[31mred\r\n\u{0}",
    "&lt;b&gt; &#60;i&#62;",
    "[^1]: note\n[ref]: http://evil.example",
    "$$x$$ $`x`$",
    "***bold*** __under__ ~~gone~~",
    "   ",
    "",
    "\u{2028}@octocat\u{2029}# x",
];

fn named(file: &str, paragraph: &str, says: &str) -> Document {
    let mut document = Document::new(DocumentHeader {
        version: DocumentHeader::VERSION,
        program_id: Some(paragraph.to_owned()),
        file_name: file.to_owned(),
        file_type: "program".to_owned(),
        produced_by: says.to_owned(),
        source_hash: ContentHash::of(says.as_bytes()),
        format: "fixed".to_owned(),
        encoding: "utf-8".to_owned(),
        notes: vec![says.to_owned()],
        ..DocumentHeader::default()
    });
    document.purpose = DocumentItem::parsed(Purpose { summary: says.to_owned(), ..Purpose::default() }, Vec::new());
    let body = Paragraph {
        paragraph_name: paragraph.to_owned(),
        summary: says.to_owned(),
        calls: vec![says.to_owned()],
        ..Paragraph::default()
    };
    document.paragraphs.push(DocumentItem::parsed(body, Vec::new()));
    document
}

fn finding(file: &str, message: &str, item: &str) -> Finding {
    let line = LineNumber::FIRST;
    let mut finding = Finding::new(Rule::CitationUnsupported, file, message).for_item(item);
    finding.lines = Some(LineRange::single(line));
    finding
}

fn report(findings: Vec<Finding>) -> Report {
    Report { findings, fail_on: vec![RuleGroup::Citation], ..Report::default() }
}

/// Asserts that the page contains only our own structure: no HTML, link or image, and outside code and our own words nothing that a
/// forge interprets. Returns the texts outside code.
#[track_caller]
fn check_harmless(page: &str) {
    assert!(page.len() <= MOST, "{} bytes", page.len());
    let ours = |c: char| c == '\n' || !c.is_control();
    assert!(page.chars().all(ours), "{page:?}");
    let hidden = ['\u{202E}', '\u{2066}', '\u{200B}', '\u{2028}', '\u{2029}'];
    assert!(!page.contains(hidden), "{page:?}");
    let mut headings = 0;
    for event in Parser::new_ext(page, Options::all()) {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => panic!("HTML: {event:?}\n{page}"),
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::FootnoteDefinition(_)) => {
                panic!("{event:?}\n{page}")
            }
            Event::Start(Tag::BlockQuote(_) | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Emphasis) => {
                panic!("{event:?}\n{page}")
            }
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {
                panic!("{event:?}\n{page}")
            }
            Event::Start(Tag::Heading { .. }) => headings += 1,
            Event::Text(text) => {
                let words = ["@", "#", "://", "www.", "evil", "octocat", "/close", "GH-", "!", "$", "~"];
                for word in words {
                    assert!(!text.contains(word), "`{word}` in `{text}`\n{page}");
                }
            }
            _ => {}
        }
    }
    assert!(headings <= 3, "{headings} headings\n{page}");
    // A cell that can be left would produce rows with more cells; the parser drops the extra ones.
    for row in page.lines().filter(|line| line.starts_with('|')) {
        assert!(matches!(row.matches('|').count(), 4 | 5), "{row}");
    }
}

fn check(file: &str, name: &str, says: &str) {
    let (old, new) = (named(file, "MAIN", "before"), named(file, name, says));
    let changes = [
        compare(&old, &new),
        compare(&new, &old),
        compare(&old, &named(says, "MAIN", "before")),
        DocumentChange::added(&new),
        DocumentChange::removed(&new),
    ];
    let report = report(vec![finding(file, says, name), finding(says, "message", says)]);
    check_harmless(&markdown_summary(&report, Some(&changes), Some(&RunTotals::default())));
}

#[test]
fn nothing_hostile_means_anything() {
    for text in HOSTILE {
        check("cbl/A.cbl", "MAIN", text);
        check(text, text, text);
        check(&format!("cbl/{text}.cbl"), text, &format!("{text} {text}"));
        check("cbl/A.cbl", text, "says");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn nothing_put_together_means_anything(parts in prop::collection::vec(0..HOSTILE.len(), 1..5), glue in "[`|\\\\ \n]{0,3}") {
        let text = parts.iter().map(|at| HOSTILE[*at]).collect::<Vec<_>>().join(&glue);
        check(&text, &text, &text);
    }
}

#[test]
fn a_summary_reads_well() {
    let mut new = named("cbl/A.cbl", "MAIN", "Posts the claims.");
    new.header.produced_by = "static".to_owned();
    new.header.notes.clear();
    let mut old = new.clone();
    old.paragraphs[0].summary = "Reads the claims.".to_owned();
    old.paragraphs[0].calls = vec!["2000-READ".to_owned()];
    let mut known = finding("cbl/B.cbl", "line 3 does not hold `X`", "paragraphs.X");
    known.is_known = true;
    let findings = vec![
        finding("cbl/A.cbl", "line 12 does not hold `2000-POST`", "paragraphs.2000-POST"),
        Finding::new(Rule::PossibleSecret, "cbl/A.cbl", "looks like a password"),
        known,
    ];
    let changes = [compare(&old, &new), DocumentChange::added(&named("cbl/B.cbl", "B", "Is new."))];
    let run = RunTotals { calls: 3, prompt_tokens: 900, cost_usd: 0.125, ..RunTotals::default() };
    insta::assert_snapshot!(markdown_summary(&report(findings), Some(&changes), Some(&run)));
}

#[test]
fn of_long_texts_the_passage_that_differs_is_shown() {
    let text = |called: &str| format!("{}{called}{}", "It reads a file. ".repeat(40), " Then it ends.".repeat(40));
    let (old, new) = (named("A", "MAIN", &text("It calls SUB.")), named("A", "MAIN", &text("It calls OTHER now.")));
    let page = markdown_summary(&Report::default(), Some(&[compare(&old, &new)]), None);
    let expected = "summary `... It reads a file. It calls SUB. Then it ends. Then it ends. ...` → \
                    `... It reads a file. It calls OTHER now. Then it ends. Then it ends. ...`";
    assert!(page.contains(expected), "{page}");
    // If one text contains the whole other one, nothing is cut twice.
    let (old, new) = (named("A", "MAIN", &text("")), named("A", "MAIN", &text("").repeat(2)));
    check_harmless(&markdown_summary(&Report::default(), Some(&[compare(&old, &new), compare(&new, &old)]), None));
}

#[test]
fn without_findings_and_changes_it_says_so() {
    let page = markdown_summary(&Report::default(), Some(&[]), None);
    assert!(page.starts_with("## Documentation check: passed\n\nNo finding.\n"), "{page}");
    assert!(page.contains("Nothing: all documents mean what they meant."), "{page}");
    assert!(!markdown_summary(&Report::default(), None, None).contains("differently"));
}

#[test]
fn a_comment_is_never_too_long_and_says_what_it_leaves_out() {
    let long = "@octocat | ` ".repeat(100);
    let findings: Vec<Finding> =
        (0..30_000).map(|number| finding(&format!("cbl/{long}{number}.cbl"), &long, &long)).collect();
    let changes: Vec<DocumentChange> = (0..2_000)
        .map(|number| {
            let file = format!("cbl/P{number}.cbl");
            let (mut old, mut new) = (named(&file, "MAIN", "before"), named(&file, "MAIN", &long));
            for at in 0..20 {
                old.header.notes.push(format!("{at}"));
                new.paragraphs.push(DocumentItem {
                    body: Paragraph { paragraph_name: format!("{at}-{long}"), ..new.paragraphs[0].clone().body },
                    ..new.paragraphs[0].clone()
                });
            }
            compare(&old, &new)
        })
        .collect();
    let report = report(findings);
    for changes in [None, Some(changes.as_slice())] {
        let run = RunTotals { completion_tokens: 1, ..RunTotals::default() };
        let page = markdown_summary(&report, changes, Some(&run));
        check_harmless(&page);
        assert!(page.len() > 20_000, "{}", page.len());
        assert!(page.contains("further findings."), "{page}");
        assert!(changes.is_none() || page.contains("further documents that say something else."), "{page}");
        assert!(page.contains("US dollars"), "{page}");
    }
}
