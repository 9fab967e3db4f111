//! Globs over source paths.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// A list of globs, matched against a `/`-separated path below the root of the sources.
///
/// Matching ignores case, because library members are exported in either case. `*` stays inside a folder and `**` does not. A glob without a `/`
/// matches the file's name in any folder.
#[derive(Debug, Clone)]
pub struct Globs {
    set: GlobSet,
}

/// An invalid glob.
#[derive(Debug)]
pub struct BadGlob {
    /// Its index in the list, from 0.
    pub index: usize,
    /// The glob as written.
    pub glob: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Globs {
    /// Compiles a list of globs.
    ///
    /// # Errors
    /// The first invalid one.
    pub fn compile(globs: &[String]) -> Result<Self, BadGlob> {
        let mut set = GlobSetBuilder::new();
        for (index, glob) in globs.iter().enumerate() {
            let bad = |error: globset::Error| BadGlob { index, glob: glob.clone(), reason: error.kind().to_string() };
            let anywhere = if glob.contains('/') { glob.clone() } else { format!("**/{glob}") };
            let compiled =
                GlobBuilder::new(&anywhere).literal_separator(true).case_insensitive(true).build().map_err(bad)?;
            set.add(compiled);
        }
        let set = set.build().map_err(|error| BadGlob {
            index: 0,
            glob: globs.join(", "),
            reason: error.kind().to_string(),
        })?;
        Ok(Globs { set })
    }

    /// Whether one of the globs matches.
    pub fn matches(&self, path: &str) -> bool {
        self.set.is_match(path)
    }

    /// Returns the indices of the matching globs, in order.
    pub fn matching(&self, path: &str) -> Vec<usize> {
        self.set.matches(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(glob: &str, path: &str, expected: bool) {
        let globs = Globs::compile(&[glob.to_owned()]).unwrap();
        assert_eq!(globs.matches(path), expected, "{glob} on {path}");
    }

    #[test]
    fn globs_match_as_documented() {
        check("**/*.cbl", "X.cbl", true);
        check("**/*.cbl", "a/b/X.CBL", true);
        check("cbl/*", "cbl/X", true);
        check("cbl/*", "cbl/old/X", false);
        check("cbl/*", "a/cbl/X", false);
        check("*.cbl", "a/b/X.cbl", true);
        check("X", "a/X", true);
        check("*.cbl", "a.cbl/X", false);
    }

    #[test]
    fn a_bad_glob_says_which_one() {
        let bad = Globs::compile(&["a".to_owned(), "b[".to_owned()]).unwrap_err();
        assert_eq!((bad.index, bad.glob.as_str()), (1, "b["));
        assert!(!bad.reason.is_empty());
    }

    #[test]
    fn no_globs_match_nothing() {
        assert!(!Globs::compile(&[]).unwrap().matches("a"));
    }
}
