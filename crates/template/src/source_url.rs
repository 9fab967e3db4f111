//! Web addresses of sources: a repository on a server, with line anchors in that server's format.

use std::fmt;
use war_rig_text::LineRange;

/// The placeholders of a pattern.
const PLACES: [&str; 3] = ["{path}", "{start}", "{end}"];

/// The web address of a repository's files.
///
/// The address is a prefix such as `https://github.com/owner/name/blob/main`, to which the path of a file and an anchor are appended: `#L12-L20`
/// for GitHub, Gitea and Forgejo, `#L12-20` if the address contains GitLab's `/-/blob/`, `#lines-12:20` at bitbucket.org. Or it is a
/// pattern with the placeholders `{path}`, `{start}` and `{end}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceUrl {
    text: String,
    form: UrlForm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UrlForm {
    Pattern,
    GitLab,
    Bitbucket,
    Other,
}

/// Why a text is not an address of sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceUrlError {
    /// It is not a web address.
    NoAddress,
    /// It contains a user name or a password.
    HasUser,
    /// It contains a character that a link cannot contain.
    Character(char),
    /// It contains braces around something other than a placeholder.
    Unknown(String),
    /// It has a placeholder for lines, but none for the path.
    NoPath,
    /// It has a query or an anchor, after which no path can follow.
    HasQuery,
}

impl fmt::Display for SourceUrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceUrlError::NoAddress => {
                f.write_str("must be an address that begins with http:// or https:// and names a host")
            }
            SourceUrlError::HasUser => f.write_str("must not hold a user or a password"),
            SourceUrlError::Character(' ') => f.write_str("must not hold a blank; write it as %20"),
            SourceUrlError::Character(c) if c.is_ascii_graphic() => {
                write!(f, "must not hold `{c}`; write it as %{:02X}", u32::from(*c))
            }
            SourceUrlError::Character(_) => {
                f.write_str("must hold letters, digits and signs of ASCII alone; write others as % and their bytes")
            }
            SourceUrlError::Unknown(name) => {
                write!(f, "has `{name}`, which is none of {}", PLACES.join(", "))
            }
            SourceUrlError::NoPath => f.write_str("says where lines belong, and not where {path} does"),
            SourceUrlError::HasQuery => f.write_str("has `?` or `#`; say with {path} where the path of a file belongs"),
        }
    }
}

impl SourceUrl {
    /// Parses an address.
    ///
    /// # Errors
    /// Returns [`SourceUrlError`], whose message continues the name of the setting.
    pub fn parse(text: &str) -> Result<Self, SourceUrlError> {
        let rest = ["https://", "http://"].into_iter().find_map(|scheme| text.strip_prefix(scheme));
        let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
        // Never repeat a password, whatever else is wrong.
        if host.unwrap_or(text).contains('@') {
            return Err(SourceUrlError::HasUser);
        }
        let host = host.filter(|host| !host.is_empty() && !host.starts_with(':') && !host.contains('{'));
        let host = host.ok_or(SourceUrlError::NoAddress)?;
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!&'*+,;=%{}".contains(c);
        if let Some(wrong) = text.chars().find(|c| !is_allowed(*c)) {
            return Err(SourceUrlError::Character(wrong));
        }
        let bare = PLACES.iter().fold(text.to_owned(), |text, place| text.replace(place, ""));
        if let Some(at) = bare.find(['{', '}']) {
            let end = bare[at..].find('}').map_or(bare.len(), |end| at + end + 1);
            return Err(SourceUrlError::Unknown(bare[at..end].to_owned()));
        }
        let is_pattern = PLACES.iter().any(|place| text.contains(place));
        if is_pattern && !text.contains(PLACES[0]) {
            return Err(SourceUrlError::NoPath);
        }
        if !is_pattern && text.contains(['?', '#']) {
            return Err(SourceUrlError::HasQuery);
        }
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        let form = if is_pattern {
            UrlForm::Pattern
        } else if text.contains("/-/blob/") {
            UrlForm::GitLab
        } else if name.eq_ignore_ascii_case("bitbucket.org") {
            UrlForm::Bitbucket
        } else {
            UrlForm::Other
        };
        Ok(Self { text: text.trim_end_matches('/').to_owned(), form })
    }

    /// Returns the address as given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the address of a file, or of lines of it. `path` is relative to the top of the repository, with `/` between folders; bytes that
    /// are not UTF-8 appear as `%XX`, and a percent sign as `%25`.
    pub fn of(&self, path: &str, lines: Option<LineRange>) -> String {
        let path = encoded(path);
        let (start, end) = match lines {
            Some(lines) => (lines.start().get(), lines.end().get()),
            None => (1, 1),
        };
        if self.form == UrlForm::Pattern {
            // An anchor that consists of lines does not apply to a whole file.
            let whole = self.text.split_once('#').filter(|(_, anchor)| anchor.contains('{'));
            let text = whole.filter(|_| lines.is_none()).map_or(self.text.as_str(), |(before, _)| before);
            return text
                .replace("{start}", &start.to_string())
                .replace("{end}", &end.to_string())
                .replace("{path}", &path);
        }
        let anchor = match (lines, self.form) {
            (None, _) => String::new(),
            (Some(_), UrlForm::Bitbucket) if start == end => format!("#lines-{start}"),
            (Some(_), UrlForm::Bitbucket) => format!("#lines-{start}:{end}"),
            (Some(_), _) if start == end => format!("#L{start}"),
            (Some(_), UrlForm::GitLab) => format!("#L{start}-{end}"),
            (Some(_), _) => format!("#L{start}-L{end}"),
        };
        format!("{}/{path}{anchor}", self.text)
    }
}

/// Encodes a path for an address; `%XX` in a name stays as it is.
fn encoded(path: &str) -> String {
    path.split('%').map(crate::escape::target).collect::<Vec<_>>().join("%")
}

/// Returns the path of a file from the top of the repository, for a name relative to this folder; `None` if the name leads outside.
pub(crate) fn path_in_repository(folder: &str, name: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(name.split('/')).filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::citation::tests::range;

    #[track_caller]
    fn check(url: &str, lines: Option<(u32, u32)>, expected: &str) {
        let lines = lines.map(|(start, end)| range(start, end));
        assert_eq!(SourceUrl::parse(url).unwrap().of("src/cbl/X.cbl", lines), expected);
    }

    #[test]
    fn lines_are_anchored_as_the_server_has_them() {
        let github = "https://github.com/o/r/blob/main";
        check(github, Some((12, 20)), "https://github.com/o/r/blob/main/src/cbl/X.cbl#L12-L20");
        check(&format!("{github}/"), Some((12, 12)), "https://github.com/o/r/blob/main/src/cbl/X.cbl#L12");
        check(github, None, "https://github.com/o/r/blob/main/src/cbl/X.cbl");
        let gitlab = "https://git.example.com/g/r/-/blob/main";
        check(gitlab, Some((12, 20)), "https://git.example.com/g/r/-/blob/main/src/cbl/X.cbl#L12-20");
        check(gitlab, Some((12, 12)), "https://git.example.com/g/r/-/blob/main/src/cbl/X.cbl#L12");
        let bitbucket = "https://bitbucket.org/o/r/src/main";
        check(bitbucket, Some((12, 20)), "https://bitbucket.org/o/r/src/main/src/cbl/X.cbl#lines-12:20");
        check(bitbucket, Some((12, 12)), "https://bitbucket.org/o/r/src/main/src/cbl/X.cbl#lines-12");
        check(
            "http://gitea:3000/o/r/src/branch/main",
            Some((1, 2)),
            "http://gitea:3000/o/r/src/branch/main/src/cbl/X.cbl#L1-L2",
        );
        let pattern = "https://h/c/{path}?from={start}&to={end}";
        check(pattern, Some((12, 20)), "https://h/c/src/cbl/X.cbl?from=12&to=20");
        check(pattern, None, "https://h/c/src/cbl/X.cbl?from=1&to=1");
        check("https://h/{path}?at=main#n{start}", Some((3, 4)), "https://h/src/cbl/X.cbl?at=main#n3");
        check("https://h/{path}?at=main#n{start}", None, "https://h/src/cbl/X.cbl?at=main");
    }

    #[test]
    fn a_path_cannot_leave_the_address() {
        let url = SourceUrl::parse("https://h/b").unwrap();
        assert_eq!(url.of("a b/X(1)#{path}.cbl", None), "https://h/b/a%20b/X%281%29%23%7Bpath%7D.cbl");
        assert_eq!(url.of("A%FF%25é", None), "https://h/b/A%FF%25%C3%A9");
        let pattern = SourceUrl::parse("https://h/{path}#{start}").unwrap();
        assert_eq!(pattern.of("{start}", Some(range(1, 1))), "https://h/%7Bstart%7D#1");
    }

    #[test]
    fn what_is_no_address_of_sources_is_refused_in_words() {
        let check = |url: &str, words: &str| {
            assert_eq!(SourceUrl::parse(url).unwrap_err().to_string(), words, "{url}");
        };
        let no_address = "must be an address that begins with http:// or https:// and names a host";
        for url in [
            "github.com/o/r",
            "ftp://h/x",
            "javascript:alert(1)",
            "https://",
            "https:///x",
            "https://:80/x",
            "https://{path}/x",
            "file:///x",
        ] {
            check(url, no_address);
        }
        let has_user = "must not hold a user or a password";
        check("https://me:secret@h/x", has_user);
        check("https://token@h", has_user);
        check("me@h/x", has_user);
        check("https://h/a b", "must not hold a blank; write it as %20");
        check("https://h/a)b", "must not hold `)`; write it as %29");
        check("https://h/<x>", "must not hold `<`; write it as %3C");
        check("https://h/é", "must hold letters, digits and signs of ASCII alone; write others as % and their bytes");
        check("https://h/{file}", "has `{file}`, which is none of {path}, {start}, {end}");
        check("https://h/{path}/{", "has `{`, which is none of {path}, {start}, {end}");
        check("https://h/x#L{start}", "says where lines belong, and not where {path} does");
        check("https://h/x?at=main", "has `?` or `#`; say with {path} where the path of a file belongs");
        assert!(SourceUrl::parse("https://h/@scope/x").is_ok());
    }

    #[test]
    fn names_are_found_from_the_top_of_the_repository() {
        for (folder, name, expected) in [
            ("src", "cbl/X.cbl", Some("src/cbl/X.cbl")),
            ("", "cbl/X.cbl", Some("cbl/X.cbl")),
            ("src/cbl", "../cpy/Y.cpy", Some("src/cpy/Y.cpy")),
            ("src", "../../Y.cpy", None),
        ] {
            assert_eq!(path_in_repository(folder, name).as_deref(), expected, "{folder} {name}");
        }
    }
}
