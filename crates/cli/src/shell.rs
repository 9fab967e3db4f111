//! Words as a shell takes them.

/// A word of a command line, in quotes where it needs them.
pub fn word(word: &str) -> String {
    let is_plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./=,:@%+".contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// A command line as a shell takes it.
pub fn command(words: &[String]) -> String {
    words.iter().map(|each| word(each)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_given_to_a_shell_again() {
        let check = |words: &[&str], expected: &str| {
            assert_eq!(command(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()), expected);
        };
        check(&["war-rig", "document", "src", "-o", "docs"], "war-rig document src -o docs");
        check(&["war-rig", "--only", "cbl/*.cbl", ""], "war-rig --only 'cbl/*.cbl' ''");
        check(&["it's $HOME"], "'it'\\''s $HOME'");
    }
}
