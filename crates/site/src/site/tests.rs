use super::*;
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

fn site() -> Site {
    let pages = [("PAYROLL.cbl.md", "PAYROLL"), ("DATES.cbl.md", "cpy/DATES.cpy")];
    let pages = pages.into_iter().map(|(path, about)| (path.to_owned(), about.to_owned())).collect();
    Site::new("An estate", pages, ["PAYROLL.cbl", "DATES.cbl"].map(str::to_owned).into())
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
    site().document_page(SitePage { path: "PAYROLL.cbl.md", markdown: PAGE, source: Some("PAYROLL.cbl") }, &resolve)
}

#[test]
fn citations_and_steps_open_the_source_at_their_lines() {
    let page = page();
    let lines: Vec<String> = page.citations.iter().map(|cited| format!("{} {}", cited.lines, cited.under)).collect();
    assert_eq!(lines, ["2-3 PAYROLL", "5 PAYROLL", "2-3 A-START", "2 A-START", "3 A-START", "5 How it runs"]);
    let first =
        "<a class=\"cited\" target=\"source\" id=\"_1\" data-end=\"3\" href=\"_source/PAYROLL.cbl.html#L2\">2-3</a>";
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
    let text = "       A-START.\n           PERFORM B.\n           CALL 'X'.\n      * <b>\n           COPY DATES.\n";
    let source = SourceText::read("PAYROLL.cbl", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    let (path, html) = site().source_page(&source, SourceLanguage::FixedCobol, &page());
    assert_eq!(path, "_source/PAYROLL.cbl.html");
    assert!(html.contains("<base href=\"../PAYROLL.cbl.html\" target=\"_top\">"), "{html}");
    assert!(
        html.contains("<a href=\"#a-start\">A-START</a>") && html.contains("<a href=\"DATES.cbl.html\">DATES</a>"),
        "{html}"
    );
    assert!(html.contains("<b>2</b><i><a href=\"#_1\" title=\"PAYROLL\">") && html.contains("* &lt;b&gt;"), "{html}");
}

#[test]
fn links_lead_from_any_folder_to_any_other() {
    let site = site();
    assert_eq!(site.href("a/b/c.html", "d/e.html", None), "../../d/e.html");
    assert_eq!(site.href("c.html", "c.html", Some("x y")), "#x%20y");
    assert_eq!(site.href("c.html", "50% #1?.html", None), "50%25%20%231%3F.html");
}
