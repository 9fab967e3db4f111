//! JSON pointers.

/// Returns the pointer of a field, its name escaped.
pub(crate) fn below(path: &str, name: &str) -> String {
    let mut pointer = String::with_capacity(path.len() + name.len() + 1);
    pointer.push_str(path);
    pointer.push('/');
    for c in name.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
    pointer
}

/// Returns the pointer of a list item.
pub(crate) fn at(path: &str, index: usize) -> String {
    format!("{path}/{index}")
}

/// Returns the names and indices of a pointer, unescaped.
pub(crate) fn steps(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(unescaped)
}

/// Returns the name that a step of a pointer stands for.
pub(crate) fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_pointers_are_escaped() {
        assert_eq!(at(&below("/a", "b/c~1"), 3), "/a/b~1c~01/3");
        assert_eq!(below("", ""), "/");
        assert_eq!(steps("/a/b~1c~01/3").collect::<Vec<_>>(), ["a", "b/c~1", "3"]);
    }
}
