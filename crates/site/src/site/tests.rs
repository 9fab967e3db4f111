use super::*;
use crate::data_items::ItemLine;
use crate::neighbours::ProgramLinks;
use war_rig_text::{LineNumber, ReadOptions};

const PAGE: &str = "# PAYROLL

Pays people. [2-3], [5], [elsewhere](https://example.com/x) ![a picture](x.png) <script>alert(1)</script>

## How it runs

**A-START** [2-3]

- 2: if WS-A is 1:
  - 3: ends the run
- not a step: a sentence

**A-START** of another section

<details><summary>Step by step</summary>

The page of [DATES](DATES.cbl.md), and [one](OTHER.md) that is not there.

</details>

## How it runs

| a | |
| --- | --- |
| x | [5] |

```mermaid
flowchart TD
  p0[\"A-START\"]
  p1[\"<b>\"]
  p0 --> p1
```

[2-3]: src/PAYROLL.cbl#L2-L3
[5]: src/PAYROLL.cbl#L5
";

fn site_contents() -> SiteContents {
    let pages = [("PAYROLL.cbl.md", "PAYROLL"), ("DATES.cbl.md", "cpy/DATES.cpy")];
    let pages = pages.into_iter().map(|(path, about)| (path.to_owned(), about.to_owned())).collect();
    let sources = ["PAYROLL.cbl", "DATES.cbl"].map(str::to_owned).into();
    let calls = CallGraph::of([ProgramLinks {
        program: "PAYROLL".to_owned(),
        calls: vec![("DATES".to_owned(), "static".to_owned())],
        started_by: vec!["step PAYJOB.STEP1".to_owned()],
    }]);
    SiteContents { title: "An estate".to_owned(), pages, sources, calls, lists: vec!["rules"] }
}

fn site() -> Site {
    Site::new(site_contents())
}

fn items() -> [ItemPlaces; 1] {
    let line = |line| ItemLine { file: None, line: LineNumber::new(line).unwrap() };
    let paragraphs = vec!["A-START".to_owned()];
    [ItemPlaces {
        name: "WS-A".to_owned(),
        record: None,
        picture: Some("X(2)".to_owned()),
        declared: Some(ItemLine { file: Some("DATES.cbl".to_owned()), line: LineNumber::new(7).unwrap() }),
        set: vec![line(3)],
        read: vec![line(2), line(3)],
        set_in: paragraphs.clone(),
        read_in: paragraphs,
    }]
}

fn resolve(link: &str) -> LinkTarget {
    let Some((path, anchor)) = link.strip_prefix("src/").map(|link| link.split_once('#').unwrap_or((link, ""))) else {
        return if link.contains("://") { LinkTarget::Elsewhere } else { LinkTarget::Page(link.to_owned()) };
    };
    let number = |text: &str| LineNumber::new(text.trim_start_matches('L').parse().unwrap()).unwrap();
    let (start, end) = anchor.split_once('-').unwrap_or((anchor, anchor));
    LinkTarget::Source(path.to_owned(), LineRange::new(number(start), number(end)))
}

fn page() -> RenderedPage {
    let (programs, items) = (["PAYROLL".to_owned()], items());
    let page = SitePage {
        path: "PAYROLL.cbl.md",
        markdown: PAGE,
        source: Some("PAYROLL.cbl"),
        programs: &programs,
        items: &items,
        warning: Some("Old < new."),
    };
    site().document_page(page, &resolve)
}

#[test]
fn citations_and_steps_open_the_source_at_their_lines() {
    let page = page();
    let lines: Vec<String> = page.citations.iter().map(|cited| format!("{} {}", cited.lines, cited.under)).collect();
    assert_eq!(lines, ["2-3 PAYROLL", "5 PAYROLL", "2-3 A-START", "2 A-START", "3 A-START", "5 How it runs"]);
    let first =
        "<a class=\"cited\" target=\"source\" id=\"_2-3\" data-end=\"3\" href=\"_source/PAYROLL.cbl.html#L2\">2-3</a>";
    assert!(page.html.contains(first), "{}", page.html);
    assert!(page.html.contains("href=\"_source/PAYROLL.cbl.html#L3\">3</a>: ends the run"), "{}", page.html);
    assert!(page.html.contains("not a step: a sentence"));
}

#[test]
fn what_is_not_in_the_site_stays_as_text() {
    let html = page().html;
    assert!(!html.contains("example.com") && !html.contains("<img") && !html.contains("OTHER"), "{html}");
    assert!(
        html.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && html.contains("<a href=\"DATES.cbl.html\">DATES</a>"),
        "{html}"
    );
    assert!(html.contains("<details><summary>Step by step</summary>") && html.contains("</details>"), "{html}");
}

#[test]
fn names_are_anchors_of_their_own_and_can_be_found() {
    let page = page();
    assert_eq!(page.anchors["A-START"], "a-start");
    for anchor in ["a-start", "a-start-2", "how-it-runs", "how-it-runs-2"] {
        assert_eq!(page.html.matches(&format!(" id=\"{anchor}\"")).count(), 1, "{anchor}");
    }
    let found: Vec<String> = page.entries.iter().map(|entry| format!("{} {}", entry.name, entry.place)).collect();
    assert_eq!(found, ["PAYROLL PAYROLL.cbl.html", "A-START PAYROLL.cbl.html#a-start"]);
    assert!(page.html.contains("<a href=\"#a-start\"><rect"), "a box of the drawing leads to its paragraph");
}

#[test]
fn a_source_leads_to_the_page_about_it_and_to_other_pages() {
    let text = "       A-START.\n           PERFORM B UNTIL WS-A.\n           CALL 'X'.\n      * <b>\n           COPY DATES.\n";
    let source = SourceText::read("PAYROLL.cbl", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    let copied = [(5, "DATES.cbl".to_owned()), (5, "UNKNOWN.cpy".to_owned())];
    let shown = SourcePage { source: &source, language: SourceLanguage::FixedCobol, copied: &copied };
    let (path, html) = site().source_page(shown, &page());
    assert_eq!(path, "_source/PAYROLL.cbl.html");
    assert!(html.contains("<base href=\"../PAYROLL.cbl.html\" target=\"_top\">"), "{html}");
    assert!(
        html.contains("<a href=\"#a-start\">A-START</a>") && html.contains("<a href=\"DATES.cbl.html\">DATES</a>"),
        "{html}"
    );
    assert!(html.contains("<a href=\"#item.ws-a\">WS-A</a>"), "{html}");
    // The copybook is unfolded where it is copied, and loaded only then.
    assert_eq!(html.matches("<iframe").count(), 1);
    assert!(html.contains("<iframe loading=\"lazy\" title=\"DATES.cbl\" src=\"_source/DATES.cbl.html\">"), "{html}");
    assert!(html.contains("<b>2</b><i><a href=\"#_2-3\" title=\"PAYROLL\">") && html.contains("* &lt;b&gt;"), "{html}");
}

#[test]
fn a_page_says_where_each_item_is_used_and_what_is_around_its_program() {
    let html = page().html;
    let row = "<tr id=\"item.ws-a\"><td>WS-A</td><td></td><td><code>X(2)</code></td><td><a href=\"_source/DATES.cbl.html#L7\">DATES.cbl:7</a></td>\
               <td><a href=\"_source/PAYROLL.cbl.html#L3\">3</a></td>";
    assert!(html.contains(row), "{html}");
    assert!(html.contains("<li>step PAYJOB.STEP1 → PAYROLL</li><li>PAYROLL → DATES</li>"), "{html}");
    assert!(html.contains("<a href=\"DATES.cbl.html\"><rect"), "{html}");
    assert!(html.contains("<p class=\"warning\">Old &lt; new.</p>"), "{html}");
    assert!(html.contains("<a href=\"#_around\">") && html.contains("<a href=\"#_items\">"), "{html}");
}

#[test]
fn a_place_of_a_text_is_the_claim_about_its_lines_or_the_page() {
    let page = page();
    let lines = |start, end| LineRange::new(LineNumber::new(start).unwrap(), LineNumber::new(end).unwrap()).unwrap();
    assert_eq!(page.place_of("PAYROLL.cbl", lines(2, 3)), "PAYROLL.cbl.html#_2-3");
    let place = |item, of| document_place("PAYROLL.cbl.json", item, of);
    assert_eq!(place(None, Some(("PAYROLL.cbl", lines(2, 3)))), "PAYROLL.cbl.html#_2-3");
    assert_eq!(place(None, Some(("DATES.cbl", lines(2, 3)))), "PAYROLL.cbl.html");
    assert_eq!(place(Some("WS-A"), None), "PAYROLL.cbl.html#item.ws-a");
    assert_eq!(page.place_of("PAYROLL.cbl", lines(5, 9)), "PAYROLL.cbl.html#_5-5");
    assert_eq!(page.place_of("DATES.cbl", lines(2, 3)), "PAYROLL.cbl.html");
}

#[test]
fn a_long_table_goes_on_in_pages_of_its_own() {
    let rows: String = (1..=1400).map(|row| format!("| [DATES](DATES.cbl.md) | row {row}. |\n")).collect();
    let markdown = format!("# All\n\n## Many\n\n| a | b |\n| --- | --- |\n{rows}\nThe end.\n");
    let mut contents = site_contents();
    contents.pages.insert("functions/all.md".to_owned(), "All".to_owned());
    let site = Site::new(contents);
    let page =
        site.document_page(SitePage { path: "functions/all.md", markdown: &markdown, ..SitePage::default() }, &resolve);
    let names: Vec<&str> = page.parts.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, ["functions/_all-2.html", "functions/_all-3.html", "functions/_all-4.html"]);
    let all: String =
        std::iter::once(&page.html).chain(page.parts.iter().map(|(_, html)| html)).map(String::as_str).collect();
    for row in 1..=1400 {
        assert_eq!(
            all.matches(&format!(" row {row}.<")).count() + all.matches(&format!(">row {row}.<")).count(),
            1,
            "{row}"
        );
    }
    assert!(page.html.contains("<a href=\"../functions/_all-3.html\">651 to 1150</a>"), "{}", page.html);
    assert!(page.html.contains("The end.") && page.html.len() < 40_000);
    assert!(page.parts.iter().all(|(_, html)| html.contains("<h1>Many, continued</h1>") && html.contains(">a</th>")));
}

#[test]
fn links_lead_from_any_folder_to_any_other() {
    let site = site();
    assert_eq!(site.href("a/b/c.html", "d/e.html", None), "../../d/e.html");
    assert_eq!(site.href("c.html", "c.html", Some("x y")), "#x%20y");
    assert_eq!(site.href("c.html", "50% #1?.html", None), "50%25%20%231%3F.html");
}
