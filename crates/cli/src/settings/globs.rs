//! Globs over the paths of sources.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// A list of globs, matched against a path below the root of the sources, written with `/`.
///
/// Letters match in either case, because members come out of libraries in both. `*` stays inside a folder and `**` does not. A
/// glob without a `/` is one for the file's name, in whichever folder it stands.
#[derive(Debug, Clone)]
pub struct Globs {
    set: GlobSet,
}

/// A glob that is none.
#[derive(Debug)]
pub struct BadGlob {
    /// Its place in the list, from 0.
    pub index: usize,
    /// As it was written.
    pub glob: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Globs {
    /// Compiles a list of globs.
    ///
    /// # Errors
    /// The first one that is none.
    pub fn compile(globs: &[String]) -> Result<Self, BadGlob> {
        let mut set = GlobSetBuilder::new();
        for (index, glob) in globs.iter().enumerate() {
            let bad = |error: globset::Error| BadGlob {
                index,
                glob: glob.clone(),
                reason: error.kind().to_string(),
            };
            let anywhere = if glob.contains('/') { glob.clone() } else { format!("**/{glob}") };
            let compiled = GlobBuilder::new(&anywhere)
                .literal_separator(true)
                .case_insensitive(true)
                .build()
                .map_err(bad)?;
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

    /// The places in the list of the globs that match, in order.
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
