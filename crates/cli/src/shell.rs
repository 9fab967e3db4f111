//! Shell quoting.

/// Quotes a word of a command line where needed.
pub fn quote(word: &str) -> String {
    let is_plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./=,:@%+".contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Reverses [`quote`], for callers that pass on a word from a message; `None` when the word is not in its form.
pub fn unquote(quoted: &str) -> Option<String> {
    let inner = quoted.strip_prefix('\'')?.strip_suffix('\'')?;
    let plain = inner.replace("'\\''", "'");
    (quote(&plain) == quoted).then_some(plain)
}

/// Formats a command line for a shell.
pub fn command_line(words: &[String]) -> String {
    words.iter().map(|each| quote(each)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_in_quotes_is_known_again() {
        for plain in ["a b/x.json", "it's a b.json", "'", "a'' b", "\u{e9} $(x)"] {
            assert_eq!(unquote(&quote(plain)).as_deref(), Some(plain));
        }
        for other in ["", "'", "a b", "'plain'", "'a b", "a b'", "'a 'b'"] {
            assert_eq!(unquote(other), None, "{other}");
        }
    }

    #[test]
    fn a_command_can_be_given_to_a_shell_again() {
        let check = |words: &[&str], expected: &str| {
            assert_eq!(command_line(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()), expected);
        };
        check(&["war-rig", "document", "src", "-o", "docs"], "war-rig document src -o docs");
        check(&["war-rig", "--only", "cbl/*.cbl", ""], "war-rig --only 'cbl/*.cbl' ''");
        check(&["it's $HOME"], "'it'\\''s $HOME'");
    }
}
