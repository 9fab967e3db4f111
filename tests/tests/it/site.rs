//! The site: every link leads somewhere, text is only ever text, and a browser finds its way without a server.

pub(super) mod browser;

use browser::Browser;
use percent_encoding::percent_decode_str;
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use war_rig_tests::{Sandbox, files_below, fixtures};

/// A sandbox with the fixtures, their documents and their site.
pub(super) fn with_site() -> Sandbox {
    let place = Sandbox::new();
    for (name, bytes) in files_below(&fixtures()) {
        place.write(&format!("src/{name}"), bytes);
    }
    place.run(["document", "src", "-o", "docs"]).assert_exit(0);
    place.run(["site", "src", "--docs", "docs"]).assert_exit(0).assert_stderr(&["open site/index.html"]);
    place
}

fn pages(site: &Path) -> BTreeMap<String, String> {
    let html = files_below(site).into_iter().filter(|(name, _)| name.ends_with(".html"));
    html.map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap())).collect()
}

static ELEMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"<([a-zA-Z]+)((?:[^">]|"[^"]*")*)>"#).unwrap());

static BASE: LazyLock<Regex> = LazyLock::new(|| Regex::new("<base href=\"([^\"]*)\"").unwrap());

static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#" (href|src|id)="([^"]*)""#).unwrap());

fn attributes(html: &str, name: &str) -> Vec<String> {
    let found = ELEMENT.captures_iter(html).flat_map(|element| {
        let rest = element.get(2).unwrap().as_str();
        ATTRIBUTE.captures_iter(rest).filter(|found| &found[1] == name).collect::<Vec<_>>()
    });
    found.map(|found| found[2].replace("&amp;", "&")).collect()
}

/// The path in the site, and the anchor, to which a link of a page leads.
fn target(page: &str, link: &str) -> (String, String) {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().unwrap().into_owned();
    let mut parts: Vec<String> = page.split('/').map(str::to_owned).collect();
    if !path.is_empty() {
        parts.pop();
        for part in decoded(path).split('/') {
            match part {
                ".." => assert!(parts.pop().is_some(), "{page}: `{link}` leads out of the site"),
                part => parts.push(part.to_owned()),
            }
        }
    }
    (parts.join("/"), decoded(anchor))
}

/// The places of all names and texts that can be searched for, as links from the root of the site.
fn found_places(site: &Path) -> Vec<String> {
    let mut places = Vec::new();
    for (name, bytes) in files_below(&site.join("_search")) {
        let script = String::from_utf8(bytes).unwrap();
        let rows = script.split_once(',').and_then(|(_, rows)| rows.strip_suffix(");\n"));
        if name.starts_with("names/") || name.starts_with("texts/") {
            let rows: Vec<Vec<String>> = serde_json::from_str(rows.unwrap()).unwrap();
            places.extend(rows.into_iter().map(|row| row[2].clone()));
        }
    }
    places
}

/// Checks that every link of a site leads to a file of it and to an anchor that is there; returns how many links there are.
fn check_links(site: &Path) -> usize {
    let pages = pages(site);
    let anchors: BTreeMap<&str, BTreeSet<String>> =
        pages.iter().map(|(name, html)| (name.as_str(), attributes(html, "id").into_iter().collect())).collect();
    let mut places = Vec::new();
    for (name, html) in &pages {
        let ids = attributes(html, "id");
        assert_eq!(ids.len(), anchors[name.as_str()].len(), "{name} has an anchor twice");
        // A source's links are relative to the page that documents it.
        let base = BASE.captures(html).map(|base| target(name, &base[1].replace("&amp;", "&")).0);
        let from = |link: &str| if link.contains("_assets/") { name } else { base.as_ref().unwrap_or(name) }.clone();
        let links = attributes(html, "href").into_iter().chain(attributes(html, "src"));
        places.extend(
            links
                .filter(|link| !html.contains(&format!("<base href=\"{}\"", link.replace('&', "&amp;"))))
                .map(|link| (from(&link), link)),
        );
    }
    places.extend(found_places(site).into_iter().map(|place| ("_search".to_owned(), place)));
    let count = places.len();
    for (name, link) in places {
        let (path, anchor) = target(&name, &link);
        assert!(site.join(&path).is_file(), "{name}: `{link}` leads to no file");
        if !anchor.is_empty() {
            assert!(anchors[path.as_str()].contains(&anchor), "{name}: `{link}` leads to no place");
        }
    }
    count
}

#[test]
fn every_link_leads_to_a_file_and_an_anchor_that_are_there() {
    let place = with_site();
    let site = place.path().join("site");
    let count = check_links(&site);
    assert!(count > 5000, "{count}");
    let pages = pages(&site);
    // Every page of the documents is there, every source, and every line of it.
    for (name, _) in files_below(&place.path().join("docs")).iter().filter(|(name, _)| name.ends_with(".md")) {
        let page = format!("{}.html", name.strip_suffix(".md").unwrap());
        assert!(pages.contains_key(&page), "{page}");
    }
    let source = fs::read_to_string(place.path().join("src/cbl/PRMBILL.cbl")).unwrap();
    let shown: BTreeSet<String> = attributes(&pages["_source/cbl/PRMBILL.cbl.html"], "id").into_iter().collect();
    assert!((1..=source.lines().count()).all(|line| shown.contains(&format!("L{line}"))));
}

#[test]
fn a_site_is_written_where_something_changed_and_what_is_gone_is_removed() {
    let place = with_site();
    place.run(["site", "src", "--docs", "docs"]).assert_exit(0).assert_stderr(&["0 files written, 0 removed"]);
    let before = files_below(&place.path().join("site"));

    place.write("site/index.html", "cut");
    place.run(["site", "src", "--docs", "docs"]).assert_exit(0).assert_stderr(&["1 files written, 0 removed"]);
    assert!(files_below(&place.path().join("site")) == before, "the same documents make the same bytes");

    fs::remove_file(place.path().join("src/cbl/CHKDGT.cbl")).unwrap();
    place.run(["document", "src", "-o", "docs", "--prune"]).assert_exit(0);
    place.run(["site", "src", "--docs", "docs"]).assert_exit(0);
    let after = files_below(&place.path().join("site"));
    assert!(before.contains_key("cbl/CHKDGT.cbl.html") && before.contains_key("_source/cbl/CHKDGT.cbl.html"));
    assert!(!after.keys().any(|name| name.contains("CHKDGT")), "{:?}", after.keys());

    let new = with_site();
    fs::remove_file(new.path().join("src/cbl/CHKDGT.cbl")).unwrap();
    fs::remove_dir_all(new.path().join("docs")).unwrap();
    new.run(["document", "src", "-o", "docs", "--force"]).assert_exit(0);
    new.run(["site", "src", "--docs", "docs", "-o", "new"]).assert_exit(0);
    assert!(files_below(&new.path().join("new")) == after, "a site that was brought up to date is one made anew");
}

#[test]
fn a_check_finds_a_site_that_does_not_show_the_documents() {
    let place = with_site();
    let check = ["check", "src", "--docs", "docs", "--site", "site"];
    let stale = |told: &[&str]| {
        let checked = place.run(check);
        checked.assert_exit(4);
        told.iter().for_each(|text| assert!(checked.out.contains(text), "{}", checked.out));
    };
    place.run(check).assert_exit(0);
    place.write("site/cbl/PRMBILL.cbl.html", "cut");
    stale(&["error[stale-site]", "in 1 of its pages and files, the first `cbl/PRMBILL.cbl.html`", "war-rig site"]);
    place.run(["site", "src", "--docs", "docs"]).assert_exit(0).assert_stderr(&["1 files written"]);
    place.run(check).assert_exit(0);

    let source = fs::read_to_string(place.path().join("src/cbl/CHKDGT.cbl")).unwrap();
    place.write("src/cbl/CHKDGT.cbl", source.replace("GOBACK", "STOP RUN"));
    // A page that is older than its source says so itself.
    place.run(["site", "src", "--docs", "docs"]).assert_exit(0);
    let page = fs::read_to_string(place.path().join("site/cbl/CHKDGT.cbl.html")).unwrap();
    assert!(page.contains("<p class=\"warning\">The source has changed since this page was written"), "{page}");
    place.run(["document", "src", "-o", "docs"]).assert_exit(0);
    stale(&["stale-site", "cbl/CHKDGT.cbl.md"]);
    place.run(["site", "src", "--docs", "docs"]).assert_exit(0);
    place.run(check).assert_exit(0);
    assert!(!fs::read_to_string(place.path().join("site/cbl/CHKDGT.cbl.html")).unwrap().contains("class=\"warning\""));
    place.run(["check", "src", "--docs", "docs", "--site", "docs"]).assert_exit(2).assert_stderr(&["holds no site"]);
}

#[test]
fn a_folder_with_other_files_is_left_alone() {
    let place = with_site();
    place.write("mine/notes.txt", "Ours.\n");
    let refused = place.run(["site", "src", "--docs", "docs", "-o", "mine"]);
    refused.assert_exit(2).assert_stderr(&["`mine` holds files that are no site's", "-o"]);
    assert_eq!(files_below(&place.path().join("mine")).len(), 1);
    place.run(["site", "src", "--docs", "docs", "-o", "docs"]).assert_exit(2);
    place.run(["site", "src", "--docs", "nowhere"]).assert_exit(2).assert_stderr(&["nowhere", "--docs"]);
    // A list from elsewhere leads to no file outside.
    let list = r#"{"version":1,"files":{"../mine/notes.txt":{"hash":"HASH","bytes":6}}}"#;
    let hash = war_rig_text::ContentHash::of(b"Ours.\n").to_string();
    place.write("evil/site.json", list.replace("HASH", &hash));
    place.run(["site", "src", "--docs", "docs", "-o", "evil"]).assert_exit(2).assert_stderr(&["no list of a site"]);
    assert!(place.path().join("mine/notes.txt").is_file());
    // What somebody has changed stays, although the site no longer has it.
    fs::remove_file(place.path().join("src/cbl/CHKDGT.cbl")).unwrap();
    place.run(["document", "src", "-o", "docs", "--prune"]).assert_exit(0);
    place.write("site/cbl/CHKDGT.cbl.html", "Ours.\n");
    place.run(["site", "src", "--docs", "docs"]).assert_exit(0).assert_stderr(&[" removed"]);
    assert!(!place.path().join("site/_source/cbl/CHKDGT.cbl.html").exists());
    assert!(place.path().join("site/cbl/CHKDGT.cbl.html").is_file());
}

#[test]
fn pages_that_link_to_a_server_lead_into_the_site_all_the_same() {
    let place = Sandbox::new();
    for (name, bytes) in files_below(&fixtures()) {
        place.write(&format!("src/{name}"), bytes);
    }
    let here = ["--state-dir", "state"];
    place.run(["document", "src", "-o", "docs"].into_iter().chain(here)).assert_exit(0);
    place.run(["site", "src", "--docs", "docs", "-o", "by-path"]).assert_exit(0);
    for (url, folder) in
        [("https://code.example/owner/name/blob/main", "one"), ("https://code.example/x/-/blob/main", "two")]
    {
        place.write("war_rig.toml", format!("[source]\nurl = \"{url}\"\n"));
        place.run(["document", "src", "-o", "docs", "--force"].into_iter().chain(here)).assert_exit(0);
        place.run(["site", "src", "--docs", "docs", "-o", folder]).assert_exit(0);
        assert!(pages(&place.path().join(folder)) == pages(&place.path().join("by-path")), "{url}");
    }
}

#[test]
fn names_that_the_site_uses_itself_are_no_trouble() {
    let place = Sandbox::new();
    let program = |name: &str, more: &str| {
        format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       PROCEDURE DIVISION.\n{more}           GOBACK.\n"
        )
    };
    let paragraphs = "       MAIN.\n       RESULTS.\n       INIT-2.\n       SEARCH-1.\n";
    let names = [
        "A.cbl",
        "_source/A.cbl",
        "_source/_source/A.cbl",
        "index.html/A.cbl",
        "_assets/A.cbl",
        "50% & \"#1\"/A B.cbl",
    ];
    for (number, name) in names.iter().enumerate() {
        place.write(&format!("src/{name}"), program(&format!("PROG{number}"), paragraphs));
    }
    place.run(["document", "src", "-o", "docs"]).assert_exit(0);
    place.run(["site", "src", "--docs", "docs"]).assert_exit(0);
    place.run(["site", "src", "--docs", "docs"]).assert_exit(0).assert_stderr(&["0 files written"]);
    check_links(&place.path().join("site"));
    let pages = pages(&place.path().join("site")).into_iter().filter(|(name, _)| !name.starts_with("functions/"));
    let titles: Vec<String> = pages.map(|(_, html)| html).collect();
    for number in 0..names.len() {
        let title = format!("<title>PROG{number} ·");
        assert_eq!(titles.iter().filter(|html| html.contains(&title)).count(), 1, "{title}");
    }
}

const HOSTILE: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. HOSTILE.
      * <script>alert(1)</script> </details><img src=x onerror=alert(2)>
      * [a link](javascript:alert(3)) ![x](http://evil.example/x.png)
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-A PIC X(40) VALUE '\"><script>alert(4)</script>'.
       01  WS-B PIC X(60) VALUE '</code></pre><svg onload=alert(5)>'.
       PROCEDURE DIVISION.
       A-START.
      *    <iframe src=\"javascript:alert(6)\"></iframe> &lt;b&gt;
           DISPLAY '<script src=\"http://evil.example/y.js\"></script>' WS-A
           IF WS-A = '</title><script>alert(7)</script>'
              DISPLAY WS-B
           END-IF
           GOBACK.
";

#[test]
fn hostile_text_is_only_ever_text() {
    let place = Sandbox::new();
    place.write("src/HOSTILE.cbl", HOSTILE);
    place.run(["document", "src", "-o", "docs"]).assert_exit(0);
    place.run(["site", "src", "--docs", "docs", "--title", "<b>\"Ours\"</b>"]).assert_exit(0);
    let (handler, quoted) = (Regex::new(r"\son[a-z]+\s*=").unwrap(), Regex::new(r#""[^"]*""#).unwrap());
    for (name, html) in pages(&place.path().join("site")) {
        for found in ELEMENT.captures_iter(&html) {
            let (tag, rest) = (&found[1], &found[2]);
            assert!(!["img", "object", "embed", "form"].contains(&tag), "{name}: {}", &found[0]);
            assert!(tag != "script" || rest.ends_with("_assets/site.js\""), "{name}: {}", &found[0]);
            let is_ours = rest == " name=\"source\" title=\"Source\"" || rest.starts_with(" loading=\"lazy\" title=\"");
            assert!(tag != "iframe" || is_ours, "{name}: {}", &found[0]);
            assert!(!handler.is_match(&quoted.replace_all(rest, "")), "{name}: {}", &found[0]);
        }
        let links = attributes(&html, "href").into_iter().chain(attributes(&html, "src"));
        links.for_each(|link| assert!(!link.contains(':'), "{name}: {link}"));
    }
    let url = url_of(&place.path().join("site/HOSTILE.cbl.html"));
    let browser = Browser::start();
    browser.open(&url, 1400, 900);
    browser.script("document.querySelectorAll('details').forEach(part => { part.open = true })");
    browser.click("main a.cited");
    assert_eq!(browser.console(), Vec::<String>::new());
}

fn url_of(path: &Path) -> String {
    format!("file://{}", path.canonicalize().unwrap().display())
}

/// The sandbox's site as a reader meets it.
fn reading() -> (Sandbox, PathBuf, Browser) {
    let place = with_site();
    let site = place.path().join("site").canonicalize().unwrap();
    (place, site, Browser::start())
}

#[test]
fn a_browser_finds_a_program_its_source_its_caller_and_its_job_without_a_server() {
    let (_place, site, browser) = reading();
    browser.open(&url_of(&site.join("index.html")), 1400, 900);
    // Three letters of a name, and Enter.
    browser.press("/");
    browser.press("prm");
    browser.until("document.querySelectorAll('#_results li').length > 0");
    let first = browser.script("return document.querySelector('#_results li a').lastChild.textContent");
    assert!(first.as_str().unwrap().starts_with("PRM"), "{first}");
    browser.press("bill");
    browser.until("document.querySelector('#_results li a').lastChild.textContent === 'PRMBILL'");
    browser.press("\u{E007}");
    browser.until("location.pathname.endsWith('/cbl/PRMBILL.cbl.html')");

    // Words of a rule lead to it; a kind and a program leave less.
    browser.press("/");
    browser.script("document.querySelector('#_search').value = ''");
    browser.press("in:PRMBILL suspended");
    browser.script("const kinds = document.querySelector('#_kind'); kinds.value = 'rules'; kinds.dispatchEvent(new Event('change'))");
    let rows = "[...document.querySelectorAll('#_results li[role=option]')].map(row => row.textContent)";
    browser.until(&format!("{rows}.length > 0 && {rows}.every(row => /^rule PRMBILL:.*suspended/i.test(row))"));

    // A rule's citation opens the source beside the page, at its lines.
    let rule = "[...document.querySelectorAll('h2#rules-it-applies ~ .table a.cited')].find(link => /^\\d+-\\d+$/.test(link.textContent))";
    let lines = browser.script(&format!("const link = {rule}; link.dataset.asked = '1'; return link.textContent"));
    browser.click("a[data-asked]");
    let (start, end) = lines.as_str().unwrap().split_once('-').unwrap();
    browser.enter_frame("iframe[name=source]");
    browser.until("document.querySelectorAll('.block > .lit').length > 0");
    let lit = browser.script("return [...document.querySelectorAll('.block > .lit')].map(line => line.id)");
    let expected: Vec<Value> =
        (start.parse::<u32>().unwrap()..=end.parse().unwrap()).map(|line| format!("L{line}").into()).collect();
    assert_eq!(lit, Value::from(expected));
    let is_seen = format!(
        "const box = document.getElementById('L{start}').getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight"
    );
    assert_eq!(browser.script(&is_seen), Value::Bool(true));
    // From a name in the source to the page about it, in the whole window.
    browser.script(
        "const link = document.querySelector('main code a'); link.dataset.asked = '1'; link.scrollIntoView({block: 'center'})",
    );
    browser.click("a[data-asked]");
    browser.leave_frame();
    browser.until("document.body.dataset.root !== undefined && document.querySelector('main h1') !== null");

    // To the caller, to the job, and back.
    browser.open(&url_of(&site.join("cbl/DATESUB.cbl.html")), 1400, 900);
    browser.click("main a[href$='PRMBILL.cbl.html']");
    browser.until("location.pathname.endsWith('/cbl/PRMBILL.cbl.html')");
    browser.open(&url_of(&site.join("cbl/CLMMERGE.cbl.html")), 1400, 900);
    browser.click("main a[href$='TMACLAIM.jcl.html']");
    browser.until("location.pathname.endsWith('/jcl/TMACLAIM.jcl.html')");
    browser.back();
    browser.until("location.pathname.endsWith('/cbl/CLMMERGE.cbl.html')");
    assert_eq!(browser.console(), Vec::<String>::new(), "no error in the console");
}

#[test]
#[ignore = "needs the axe.min.js of axe-core in WAR_RIG_AXE, which scripts/check-deeply fetches"]
fn people_who_see_or_move_otherwise_can_read_it() {
    let (_place, site, browser) = reading();
    let axe = fs::read_to_string(std::env::var("WAR_RIG_AXE").expect("WAR_RIG_AXE names axe.min.js")).unwrap();
    let kinds = [
        "index.html",
        "_contents.html",
        "cbl/POLMAINT.cbl.html",
        "cpy/CLMREC.cpy.html",
        "jcl/TMANIGHT.jcl.html",
        "bms/PMNTSET.bms.html",
        "ddl/AGENT.sql.html",
        "functions/premium.html",
        "entry-points/job-TMANIGHT.html",
        "data.html",
        "_source/cbl/PRMBILL.cbl.html",
    ];
    let mut violations = Vec::new();
    for (page, colours) in kinds.iter().flat_map(|page| [(page, "light"), (page, "dark")]) {
        browser.open(&url_of(&site.join(page)), 1400, 900);
        browser.script(&format!("document.documentElement.classList.add('{colours}'); {axe}"));
        browser.script("axe.run(document, {iframes: false}).then(found => { window.found = found.violations })");
        browser.until("window.found");
        let found = browser.script("return found.map(one => one.id + ': ' + one.nodes[0].html)");
        violations.extend(found.as_array().unwrap().iter().map(|one| format!("{page}, {colours}: {one}")));
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn a_site_is_read_in_the_dark_on_a_small_screen_by_keyboard_and_without_scripts() {
    let (_place, site, browser) = reading();
    let page = url_of(&site.join("cbl/POLMAINT.cbl.html"));
    browser.open(&page, 400, 800);
    let colour = "return getComputedStyle(document.body).backgroundColor";
    let light = browser.script(colour);
    browser.click("#_colours");
    assert_ne!(browser.script(colour), light);
    // The choice holds on the next page.
    let dark = browser.script(colour);
    browser.open(&url_of(&site.join("index.html")), 400, 800);
    assert_eq!(browser.script(colour), dark);
    browser.open(&page, 400, 800);
    let width = browser.script("return document.documentElement.scrollWidth - innerWidth");
    assert!(width.as_i64().unwrap() <= 0, "the page is {width} pixels wider than the screen");
    // The first stop of the keyboard leads to the text.
    browser.press("\u{E004}");
    let skip = browser.script("return document.activeElement.getAttribute('href')");
    assert_eq!(skip, "#_main");

    let plain = Browser::without_scripts();
    plain.open(&page, 1400, 900);
    plain.click("main a.cited");
    plain.enter_frame("iframe[name=source]");
    assert!(plain.text("h1").contains("POLMAINT"), "the source opens in its frame");
}
