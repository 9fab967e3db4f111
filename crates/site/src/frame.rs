//! What every page has around its contents.

use crate::site::Site;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// What a page may load: styles and scripts of its own folder, and frames of it. Browsers that give a file no origin need the scheme.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'self' file:; script-src 'self' file:; frame-src 'self' file:; \
                                 base-uri 'none'; form-action 'none'";

/// The same for a source's page, whose links are relative to another page.
pub(crate) const POLICY_WITH_BASE: &str = "default-src 'none'; style-src 'self' file:; script-src 'self' file:; \
                                           frame-src 'self' file:; base-uri 'self' file:; form-action 'none'";

/// One step from the root to a page.
pub(crate) struct Crumb {
    pub(crate) text: String,
    pub(crate) link: Option<String>,
}

/// A heading, or a name under one, with its anchor and depth.
pub(crate) struct PageHeading {
    pub(crate) text: String,
    pub(crate) anchor: String,
    pub(crate) level: u8,
}

/// A link of the tree at the left.
pub(crate) struct TreeLink {
    pub(crate) text: String,
    pub(crate) link: String,
    pub(crate) is_here: bool,
    /// Whether it stands under the link before it.
    pub(crate) is_below: bool,
}

/// The surroundings of a page.
pub(crate) struct Frame<'a> {
    pub(crate) site: &'a Site,
    pub(crate) title: &'a str,
    /// The path of the page in the site.
    pub(crate) path: &'a str,
    /// The page of the documents that it shows.
    pub(crate) page: Option<&'a str>,
    pub(crate) crumbs: Vec<Crumb>,
    pub(crate) headings: &'a [PageHeading],
    /// The link to the source that the page is about.
    pub(crate) source: Option<String>,
}

impl Frame<'_> {
    /// Returns the page around these contents, which are HTML.
    pub(crate) fn render(&self, contents: &str) -> String {
        let root = root_of(self.path);
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                (head(&root, &format!("{} · {}", self.title, self.site.title()), POLICY, None))
                body data-root=(root) {
                    a.skip href="#_main" { "Skip to the text" }
                    header {
                        a.home href={ (root) "index.html" } { (self.site.title()) }
                        nav.crumbs aria-label="Where this page lies" {
                            @for crumb in &self.crumbs {
                                @match &crumb.link {
                                    Some(link) => { a href=(link) { (crumb.text) } span aria-hidden="true" { " / " } }
                                    None => { span aria-current="page" { (crumb.text) } }
                                }
                            }
                        }
                        (search())
                        button #_colours type="button" hidden { "Dark or light" }
                    }
                    div.columns {
                        nav.tree aria-label="The site" {
                            ul {
                                @for entry in self.site.tree(self.path, self.page) {
                                    li.below[entry.is_below] { a href=(entry.link) aria-current=[entry.is_here.then_some("page")] { (entry.text) } }
                                }
                            }
                        }
                        main #_main tabindex="-1" {
                            @if let Some(source) = &self.source {
                                p.to-source { a href=(source) target="source" { "Source" } }
                            }
                            (PreEscaped(contents))
                        }
                        nav.here aria-label="On this page" {
                            @if !self.headings.is_empty() {
                                h2 { "On this page" }
                                ul {
                                    @for heading in self.headings {
                                        li.{ "level-" (heading.level) } { a href={ "#" (crate::site::encoded(&heading.anchor)) } { (heading.text) } }
                                    }
                                }
                            }
                        }
                        aside.beside aria-label="Source" {
                            div.bar {
                                button.copy-place type="button" hidden { "Copy" }
                                button.close type="button" hidden { "Close the source" }
                            }
                            iframe name="source" title="Source" {}
                        }
                    }
                }
            }
        };
        page.into_string()
    }
}

/// Returns the search of a page, which the script shows.
pub(crate) fn search() -> Markup {
    html! {
        div.search hidden {
            input #_search type="search" placeholder="Search (press /)" aria-label="Search" autocomplete="off" spellcheck="false"
                role="combobox" aria-expanded="false" aria-controls="_results" aria-autocomplete="list";
            select #_kind aria-label="What to search for" { option value="" { "everything" } }
            ol #_results hidden {}
        }
    }
}

/// Returns the head of a page. Links are relative to `base`, if there is one, and open in the whole window then.
pub(crate) fn head(root: &str, title: &str, policy: &str, base: Option<&str>) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="referrer" content="no-referrer";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) }
            link rel="stylesheet" href={ (root) "_assets/site.css" };
            script src={ (root) "_assets/site.js" } {}
            @if let Some(base) = base { base href=(base) target="_top"; }
        }
    }
}

/// Returns the path from a page to the folder of the site.
pub(crate) fn root_of(path: &str) -> String {
    "../".repeat(path.matches('/').count())
}
