//! File names: relative, with `/` between folders, the same wherever the estate is.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

/// Removes `.` and `..` from a path, without consulting the file system.
pub fn normalize_path(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Returns the deepest folder that contains all of these paths, each a folder or a file.
pub(super) fn deepest_common_folder(roots: &[(PathBuf, bool)]) -> PathBuf {
    let folders =
        roots.iter().map(
            |(root, is_folder)| {
                if *is_folder { root.clone() } else { root.parent().map(Path::to_owned).unwrap_or_default() }
            },
        );
    folders
        .reduce(|a, b| a.components().zip(b.components()).take_while(|(x, y)| x == y).map(|(x, _)| x).collect())
        .unwrap_or_default()
}

/// Returns the name of a file below a folder, with `/` between folders; bytes that are not UTF-8 become `%XX`.
pub(super) fn name_below(base: &Path, path: &Path) -> String {
    plain_name(path.strip_prefix(base).unwrap_or(path))
}

/// Returns the name of a file near a folder; a relative path when it is outside.
pub(super) fn name_near(base: &Path, path: &Path) -> String {
    let mut up = String::new();
    for folder in base.ancestors() {
        if path.starts_with(folder) {
            return format!("{up}{}", name_below(folder, path));
        }
        up.push_str("../");
    }
    plain_name(path)
}

/// Returns the name of a file in a folder that the user named: relative to the run's folder `here` when it is inside, otherwise as given.
pub(super) fn name_as_given(here: &Path, folder: &Path, absolute: &Path, path: &Path) -> String {
    match path.strip_prefix(here) {
        Ok(below) => plain_name(below),
        Err(_) => format!("{}/{}", folder.display(), name_below(absolute, path)),
    }
}

/// Formats a path with `/` between its folders.
pub(super) fn plain_name(path: &Path) -> String {
    let parts: Vec<String> = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(part) => Some(printable(part)),
            _ => None,
        })
        .collect();
    parts.join("/")
}

fn printable(part: &OsStr) -> String {
    let mut name = String::new();
    for chunk in part.as_encoded_bytes().utf8_chunks() {
        // Escapes a literal percent sign, to distinguish it from an escaped byte.
        name.push_str(&chunk.valid().replace('%', "%25"));
        for byte in chunk.invalid() {
            write!(name, "%{byte:02X}").expect("a string takes every write");
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_relative_to_the_deepest_folder_that_holds_all_paths() {
        let common = |roots: &[(&str, bool)]| {
            let roots: Vec<_> = roots.iter().map(|(path, is_folder)| (PathBuf::from(path), *is_folder)).collect();
            deepest_common_folder(&roots)
        };
        assert_eq!(common(&[("/a/src", true)]), PathBuf::from("/a/src"));
        assert_eq!(common(&[("/a/src/cbl/X.cbl", false)]), PathBuf::from("/a/src/cbl"));
        assert_eq!(common(&[("/a/src/cbl", true), ("/a/src/cpy/Y.cpy", false)]), PathBuf::from("/a/src"));
        assert_eq!(name_below(Path::new("/a/src"), Path::new("/a/src/cbl/X.cbl")), "cbl/X.cbl");
        for (path, expected) in [("/a/src/cbl/X", "cbl/X"), ("/a/cpy/Y.cpy", "../cpy/Y.cpy"), ("/b/Y", "../../b/Y")] {
            assert_eq!(name_near(Path::new("/a/src"), Path::new(path)), expected);
        }
        assert_eq!(normalize_path(Path::new("/a/./b/../c")), PathBuf::from("/a/c"));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_no_utf_8_stays_distinct() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(printable(OsStr::from_bytes(b"A\xFF.cbl")), "A%FF.cbl");
        assert_eq!(printable(OsStr::from_bytes(b"A%FF.cbl")), "A%25FF.cbl");
    }
}
