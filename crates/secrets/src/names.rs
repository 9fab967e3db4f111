//! Classifies names that indicate a secret, and values that may be one.

use std::ops::Range;

/// The grade of a name: what it says about its value, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SecretGrade {
    /// It is a password.
    Password,
    /// It may be a phrase of several words.
    Phrase,
    /// It is a number that its owner memorizes, a PIN.
    Pin,
    /// It is an access code: a number, or letters and digits.
    Code,
    /// It contains a user and a password.
    Pair,
    /// It may be a password or something else with that name, such as a parser's token.
    Perhaps,
    /// It is the key of a cipher or of a file: a value counts only if it can be nothing but a cipher key.
    Material,
}

impl SecretGrade {
    /// Parses the table's name of a grade.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "password" => SecretGrade::Password,
            "phrase" => SecretGrade::Phrase,
            "pin" => SecretGrade::Pin,
            "code" => SecretGrade::Code,
            "pair" => SecretGrade::Pair,
            "perhaps" => SecretGrade::Perhaps,
            "material" => SecretGrade::Material,
            _ => return None,
        })
    }
}

/// Parts of a name that mean password in any position of a word.
const INSIDE: [&str; 7] = ["PASSW", "PSWD", "APIKEY", "KENNWORT", "CONTRASENA", "MOTDEPASSE", "WACHTWOORD"];
/// Words that show that the value is about a secret, not a secret itself.
const ABOUT: &[&str] = &[
    "AGE", "ALLOWED", "ATTEMPT", "ATTEMPTS", "AKTIV", "ALGORITHM", "ATTR", "ATTRIBUTE", "BAD", "BLANK", "CAPTION",
    "CASE", "CHANGED", "CNT", "COL", "COLOR", "COLOUR", "COLUMN", "CORRECT", "COUNT", "COUNTER", "CTR", "DATE", "DAYS",
    "DDNAME", "DESC", "DESCRIPTION", "DSN", "EMPTY", "ENABLED", "ERR", "ERROR", "ERRORS", "EXPIRADA", "EXPIRADO",
    "EXPIRED", "EXPIREE", "EXPIRES", "EXPIRY", "FILE", "FILENAME", "FLAG", "FLAGS", "FLD", "FLG", "FORMAT", "FOUND",
    "GOOD", "GUELTIG", "HDG", "HDR", "HEADER", "HEADING", "HELP", "HINT", "IDX", "INDEX", "INCORRECT", "IND",
    "INDICATOR", "INVALID", "LABEL", "LBL", "LEN", "LENGTH", "LGTH", "LINE", "LIT", "LOCKED", "LOG", "MAP", "MAPSET",
    "MASK", "MATCH", "MATCHED", "MATCHES", "MAX", "MIN", "MISMATCH", "MISSING", "MSG", "MSGS", "MESSAGE", "MESSAGES",
    "NOT", "OK", "PGM", "POLICY", "POS", "PROGRAM", "PROMPT", "PROTECTED", "PTR", "QUESTION", "QUEUE", "REGION", "REQ",
    "REQUIRED", "RESULT", "RETRIES", "RETRY", "RULE", "RULES", "SCREEN", "SIZE", "STAT", "STATE", "STATUS", "SUB",
    "SW", "SWITCH", "TABLE", "TEXT", "TIME", "TITLE", "TRAN", "TRANID", "TRANSACTION", "TRIES", "TXT", "TYPE", "VALID",
    "VALIDA", "VALIDE", "VALIDO", "WARNING", "WIDTH", "WRONG",
];

/// Words from that list that may also be part of the name of the secret itself.
const SOFT: [&str; 14] = [
    "FLD", "TABLE", "TEXT", "TXT", "LIT", "LINE", "SCREEN", "MAP", "OK", "VALID", "GOOD", "MATCH", "MATCHED", "MATCHES",
];

/// Returns the grade of a name; `None` for most names. `listed` returns the grade of its words in a table.
pub(super) fn grade_name(name: &str, listed: impl Fn(&[&str]) -> Option<SecretGrade>) -> Option<SecretGrade> {
    let upper = name.to_uppercase();
    let words: Vec<&str> = upper.split(['-', '_', '.', ':', ' ', '\'']).filter(|word| !word.is_empty()).collect();
    let known = graded(&words, listed)?;
    let about: Vec<&&str> = words.iter().filter(|word| ABOUT.contains(word)).collect();
    if about.iter().any(|word| !SOFT.contains(word)) {
        return None;
    }
    if known == SecretGrade::Material && is_record_key(&words) {
        return None;
    }
    // A table of passwords may contain them, or be a different kind of table.
    Some(if about.is_empty() || known == SecretGrade::Material { known } else { SecretGrade::Perhaps })
}

/// Words in the name of a record's key.
const OF_RECORDS: [&str; 16] = [
    "ALT", "ALTERNATE", "FILE", "FOREIGN", "INDEX", "ISAM", "KSDS", "PRIM", "PRIMARY", "REC", "RECORD", "RECORDS",
    "RELATIVE", "SEARCH", "SORT", "VSAM",
];
/// Parts of words that make a key one of a cipher all the same.
const OF_CIPHERS: [&str; 22] = [
    "ACCESS", "AES", "API", "AUTH", "CIPHER", "CRYPT", "DES", "ENC", "HASH", "LICEN", "MAC", "MASTER", "PRIV",
    "PRODUCT", "SECRET", "SERIAL", "SESSION", "SHARED", "SIGN", "TRANSPORT", "WRAP", "ZONE",
];

/// Returns whether the key in a name is that of a record.
fn is_record_key(words: &[&str]) -> bool {
    let is_of_cipher = |word: &&str| OF_CIPHERS.iter().any(|part| word.starts_with(part) || word.ends_with(part));
    words.iter().any(|word| word.ends_with("KEY") || word.ends_with("KEYS"))
        && words.iter().any(|word| OF_RECORDS.contains(word))
        && !words.iter().any(is_of_cipher)
}

fn graded(words: &[&str], listed: impl Fn(&[&str]) -> Option<SecretGrade>) -> Option<SecretGrade> {
    // The words are shorter than what the search of the standard library prepares for.
    let has = |word: &str, part: &str| word.as_bytes().windows(part.len()).any(|own| own == part.as_bytes());
    let is_phrase = |word: &&str| has(word, "PASSPHRASE") || has(word, "PASSPHRS");
    if words.iter().any(is_phrase) {
        return Some(SecretGrade::Phrase);
    }
    let says = |word: &&str| {
        INSIDE.iter().any(|part| has(word, part))
            || (word.ends_with("PWD") || word.starts_with("PWD"))
            || word.starts_with("CREDENTIAL")
    };
    if words.iter().any(says) {
        return Some(SecretGrade::Password);
    }
    // A parser has passes, and a user has one password.
    // A queue of CICS, not a store of keys.
    let is_queue = words.windows(2).any(|pair| matches!(pair, ["TEMP" | "TEMPORARY", "STORAGE"]));
    let kept: Vec<&str> = words.iter().copied().filter(|word| !is_queue || *word != "STORAGE").collect();
    let listed = listed(&kept).filter(|grade| *grade != SecretGrade::Perhaps || !words.contains(&"PASS"));
    listed.or_else(|| match words {
        [.., "PIN", "NO" | "NUM" | "NUMBER" | "CODE" | "VALUE"] => Some(SecretGrade::Pin),
        [.., "PASS"] => Some(SecretGrade::Perhaps),
        _ if words.iter().any(|word| word.ends_with("TOKEN")) => Some(SecretGrade::Perhaps),
        [.., word] if word.len() > 4 && word.ends_with("PIN") => Some(SecretGrade::Pin),
        _ if words.iter().any(|word| word.ends_with("KEY") || word.ends_with("KEYS")) => Some(SecretGrade::Material),
        _ => None,
    })
}

/// Returns whether a name indicates that its value is only about a secret.
pub(super) fn is_secret_metadata(name: &str) -> bool {
    let is = |word: &str, words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    name.split(['-', '_']).any(|word| is(word, ABOUT) && !is(word, &SOFT))
}

/// Words for a user, in the languages of the table.
const USERS: &[&str] = &[
    "USER", "USERS", "USERID", "USERIDS", "USERNAME", "USR", "USRID", "UID", "LOGIN", "LOGON", "LOGONID", "SIGNON",
    "OPERATOR", "OPID", "ACCOUNT", "USER-ID", "BENUTZER", "BENUTZERKENNUNG", "KENNUNG", "ANWENDER", "UTILISATEUR",
    "IDENTIFIANT", "COMPTE", "UTIL", "USUARIO", "USU\u{c1}RIO", "CUENTA", "GEBRUIKER", "GEBRUIKERS", "UTENTE",
    "UTILIZADOR", "CONTA", "ANVANDARE", "BRUGER", "BRUKER", "UZYTKOWNIK",
];

/// Returns whether a word names a user.
pub(super) fn is_user(word: &str) -> bool {
    is_among(word, USERS)
}

/// Returns whether a word is in the list, which is in upper case.
pub(super) fn is_among(word: &str, words: &[&str]) -> bool {
    if word.is_ascii() {
        return words.iter().any(|one| one.eq_ignore_ascii_case(word));
    }
    let upper = word.to_uppercase();
    words.contains(&upper.as_str())
}

/// Values that are ordinary words, not passwords.
const WORDS_OF_STATE: &[&str] = &[
    "BLANK", "BLANKS", "CHANGE", "CHANGED", "EMPTY", "ENCRYPTED", "ENTERED", "ERROR", "EXPIRED", "FALSE", "GENERATED",
    "HASHED", "HIGH-VALUE", "HIGH-VALUES", "INVALID", "LOCKED", "LOW-VALUE", "LOW-VALUES", "MISSING", "NEW", "NIL",
    "NO", "NONE", "NOT", "NULL", "NULLS", "OFF", "OLD", "OPTIONAL", "PROMPT", "REQUIRED", "SPACE", "SPACES", "TRUE",
    "UNKNOWN", "VALID", "YES", "ZERO", "ZEROES", "ZEROS",
];
/// Words that occur in a sentence or a label about a password, and rarely in a password.
const WORDS_OF_LABELS: &[&str] = &[
    "A", "AGAIN", "AN", "AND", "ARE", "BE", "CANNOT", "CHANGE", "CODE", "CONFIRM", "DOES", "ENTER", "ERROR", "EXPIRED",
    "FAILED", "FOR", "HAS", "ID", "IN", "INCORRECT", "INVALID", "IS", "MUST", "NAME", "NEW", "NOT", "OF", "OLD", "OR",
    "PASSWORD", "PIN", "PLEASE", "REQUIRED", "RETYPE", "THE", "TO", "TYPE", "USER", "USERID", "WITH", "WRONG", "YOUR",
];

/// Words from that list that a passphrase may contain.
const WORDS_OF_PHRASES: [&str; 12] = ["A", "AN", "AND", "ARE", "BE", "FOR", "HAS", "IN", "IS", "OF", "THE", "TO"];

/// Returns whether a value may be the secret behind a name of this grade.
pub(super) fn may_be_secret(value: &str, grade: SecretGrade) -> bool {
    let value = value.trim();
    let Some(first) = value.chars().next() else { return false };
    let count = value.chars().count();
    let has = |kind: fn(&char) -> bool| value.chars().any(|c| kind(&c));
    if count < 3 || value.chars().all(|c| c.eq_ignore_ascii_case(&first)) || !has(|c| c.is_alphanumeric()) {
        return false;
    }
    if WORDS_OF_STATE.iter().any(|word| word.eq_ignore_ascii_case(value)) {
        return false;
    }
    // The `=` at the end of base64 does not indicate a label.
    let is_label = value.ends_with([':', '?', '>']) || (value.ends_with('=') && count < 16);
    if is_label || is_placeholder(value) {
        return false;
    }
    let words: Vec<&str> = value.split([' ', ',', '/']).filter(|word| !word.is_empty()).collect();
    if words.len() > 1 {
        let told = |word: &&str| {
            let is = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(trimmed(word)));
            is(WORDS_OF_LABELS) && !(grade == SecretGrade::Phrase && is(&WORDS_OF_PHRASES))
        };
        let is_sentence =
            words.iter().any(told) || (value.ends_with(['.', '!']) && !value.chars().any(|c| c.is_ascii_digit()));
        if is_sentence || (grade != SecretGrade::Phrase && words.len() > 4) {
            return false;
        }
    }
    let digits = value.chars().filter(char::is_ascii_digit).count();
    match grade {
        SecretGrade::Password | SecretGrade::Phrase => true,
        SecretGrade::Pin => digits == count && (4..=12).contains(&count),
        SecretGrade::Code if digits == count => (4..=12).contains(&count),
        SecretGrade::Code | SecretGrade::Perhaps => {
            count >= 6 && words.len() == 1 && digits > 0 && has(|c| c.is_alphabetic())
        }
        SecretGrade::Pair => second_of_pair(value).is_some(),
        SecretGrade::Material => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-');
            let is_long = count >= 16 && digits > 1 && has(|c| c.is_alphabetic()) && value.chars().all(is_part);
            is_long
                || (count >= 12 && looks_generated(value) && value.contains(['!', '#', '$', '%', '^', '*', '?', '~']))
        }
    }
}

/// Returns whether a value can hardly be a word or a name, so that it counts as a secret wherever the text mentions one: letters with digits or
/// unusual signs among them.
pub(super) fn looks_like_secret(value: &str) -> bool {
    let has = |kind: fn(char) -> bool| value.chars().any(kind);
    let is_mixed = has(char::is_alphabetic)
        && (has(|c| c.is_ascii_digit()) || has(|c| matches!(c, '!' | '#' | '$' | '%' | '^' | '*' | '+' | '?' | '~')));
    value.chars().count() >= 6 && is_mixed && !has(char::is_whitespace) && !super::known_secrets::is_name(value)
}

/// The separators between a user and a password.
const SEPARATORS: [char; 7] = [' ', '/', ',', ':', ';', '|', '\t'];

/// Returns the words of a value with columns.
pub(super) fn columns(value: &str) -> Vec<Range<usize>> {
    let start = value.as_ptr() as usize;
    let word = |word: &str| word.as_ptr() as usize - start..word.as_ptr() as usize - start + word.len();
    value.split(SEPARATORS).filter(|word| !word.is_empty()).map(word).collect()
}

/// Returns the start of the text after the first word of a value.
pub(super) fn after_first_word(value: &str) -> Option<usize> {
    columns(value).get(1).map(|second| second.start)
}

/// Returns the password in a value with a user and a password: `OPS1/KESTREL7`. A pair of names of one series does not count.
pub(super) fn second_of_pair(value: &str) -> Option<Range<usize>> {
    let parts = columns(value);
    let [user, password] = parts.as_slice() else { return None };
    let (user, password) = (&value[user.clone()], password.clone());
    let is_user = user.len() >= 2
        && user.starts_with(|c: char| c.is_alphabetic() || matches!(c, '$' | '#' | '@'))
        && !is_user(user)
        && !WORDS_OF_LABELS.iter().any(|word| word.eq_ignore_ascii_case(user));
    let own = &value[password.clone()];
    let kinds = |word: &str| word.bytes().map(|byte| byte.is_ascii_digit()).collect::<Vec<_>>();
    let is_series = kinds(user) == kinds(own)
        || user.bytes().zip(own.bytes()).take(3).all(|(one, other)| one.eq_ignore_ascii_case(&other));
    // A plain word is a password after a user name with a number.
    let is_plain = !value.contains(' ') && user.ends_with(|c: char| c.is_ascii_digit()) && super::prose::is_plain(own);
    (is_user && !is_series && (is_plain || super::prose::is_numbered(own))).then_some(password)
}

/// Returns whether a value is base64 text: whole groups that decode to printable characters.
pub(super) fn is_encoded(value: &str) -> bool {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits = value.trim_end_matches('=');
    let Some(digits) = digits.bytes().map(digit).collect::<Option<Vec<u8>>>() else { return false };
    if value.len() < 8 || !value.len().is_multiple_of(4) || value.len() - digits.len() > 2 {
        return false;
    }
    let bytes = digits.chunks(4).flat_map(|group| {
        let bits = group.iter().fold(0_u32, |bits, digit| bits << 6 | u32::from(*digit)) << (6 * (4 - group.len()));
        bits.to_be_bytes().into_iter().skip(1).take(group.len() - 1)
    });
    // A mechanism separates its parts with zero bytes.
    bytes.into_iter().all(|byte| byte == 0 || (b' '..=b'~').contains(&byte))
}

/// Returns whether a value has letters and digits and at least the length of a password.
pub(super) fn is_numbered_word(value: &str) -> bool {
    let has = |kind: fn(char) -> bool| value.chars().any(kind);
    value.chars().count() >= 6 && has(char::is_alphabetic) && has(|c| c.is_ascii_digit())
}

/// Returns whether a value clearly looks like a secret, if the text mentions one nearby: it has digits and letters, and also signs that no name
/// has, or a capital after a small letter, or several changes between digits and letters.
pub(super) fn looks_generated(value: &str) -> bool {
    let kind = |c: char| match c {
        c if c.is_ascii_digit() => Some(0),
        c if c.is_alphabetic() => Some(1),
        _ => None,
    };
    let kinds: Vec<u8> = value.chars().filter_map(kind).collect();
    let turns = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let characters: Vec<char> = value.chars().collect();
    let is_mixed = characters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let has_sign = value.contains(['!', '#', '$', '%', '^', '*', '+', '?', '~']);
    let has_both = kinds.contains(&0) && kinds.contains(&1);
    (6..=64).contains(&characters.len())
        && has_both
        && (has_sign || is_mixed || turns > 2)
        && (has_sign || !super::known_secrets::is_name(value))
        && !value.contains(['/', ':', '\\', '@', '=', '&'])
        && !value.chars().any(char::is_whitespace)
}

/// Returns whether a number may be the secret behind a name of this grade. A number of three digits is a limit or a code.
pub(super) fn may_be_secret_number(number: &str, grade: SecretGrade) -> bool {
    number.bytes().all(|byte| byte.is_ascii_digit())
        && (4..=18).contains(&number.len())
        && !matches!(grade, SecretGrade::Perhaps | SecretGrade::Material | SecretGrade::Pair)
        && may_be_secret(number, grade)
}

/// Returns whether a value is a placeholder for another.
fn is_placeholder(value: &str) -> bool {
    value.starts_with(['&', '<', '{', ':', '*']) || value.starts_with("${") || value.starts_with("$(") || {
        let inner = value.strip_prefix('%').map(|rest| rest.trim_end_matches('%'));
        inner.is_some_and(|inner| inner.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
    }
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}
