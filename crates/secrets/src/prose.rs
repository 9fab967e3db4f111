//! Passwords in sentences: `THE PASSWORD OF THE LOAD USER IS X`, `mot de passe FTP : X`, `LOG ON WITH PASSWORD X`, `X IS THE PASSWORD`.
//!
//! The search reads a sentence word by word, from the name of the secret to its value. The weaker the evidence of the sentence, the more the word
//! itself must look like a password; a plain word counts only if no other reading is possible.

use super::names::{self, SecretGrade, is_among};
use std::ops::Range;

/// The maximum number of words between a name and the equating word.
const FAR: usize = 8;
/// Words that equate a name with the text after them, in the languages of the table.
const EQUATING: &[&str] = &[
    "BE", "AR", "\u{c4}R", "ER", "JEST", "JE", "IS", "WAS", "ARE", "BECOMES", "BECAME", "EQUALS", "IST", "WAR",
    "LAUTET", "LAUTETE", "HEISST", "HEI\u{df}T", "EST", "ETAIT", "\u{c9}TAIT", "SERA", "ES", "ERA", "SER\u{c1}",
    "LUIDT", "LUIDDE", "WORDT", "E", "E'", "\u{c8}", "\u{c9}", "FOI", "FUE", "VALE", "VAUT", "=", ":", "->", "=>",
    "-->", "==>", ":=", "--",
];
/// Words before a value, if it is a word with digits: instructions to type a password, and words for a default one.
const LEADING: &[&str] = &[
    "TYPE", "ENTER", "USE", "GIVE", "TRY", "TAPER", "TAPEZ", "SAISIR", "EINGEBEN", "DEFAULT", "DEFAUT", "D\u{c9}FAUT",
    "DEFECTO", "PADRAO", "PADR\u{c3}O", "PREDEFINITA", "STANDAARD",
];
/// Words between the equating word and the value.
const FILLERS: &[&str] = &[
    "NOW", "THEN", "STILL", "ALWAYS", "SIMPLY", "JUST", "SET", "TO", "AGAIN", "THE", "JETZT", "NUN", "NOCH", "IMMER",
    "WIEDER", "MAINTENANT", "TOUJOURS", "ENCORE", "AHORA", "SIEMPRE", "NU", "NOG", "ALTIJD", "ORA", "ANCORA", "SEMPRE",
    "AGORA", "LE", "LA", "EL", "IL", "A", "O", "=", ":", "->", "=>",
];
/// Words of change, which the old and the new password follow.
const CHANGING: &[&str] = &[
    "WURDE", "WERD", "CHANGED", "RESET", "SWITCHED", "MOVED", "GEAENDERT", "GE\u{c4}NDERT", "CHANGE", "CHANG\u{c9}",
    "MODIFIE", "MODIFI\u{c9}", "CAMBIADA", "CAMBIO", "CAMBI\u{d3}", "ALTERADA", "MUDADA", "CAMBIATA", "GEWIJZIGD",
    "VERANDERD",
];
/// Words before an old or a new password.
const FROM_OR_TO: &[&str] =
    &["FROM", "TO", "VON", "AUF", "ZU", "DE", "EN", "A", "PARA", "POR", "DA", "VAN", "NAAR", "INTO"];
/// Words before a name that its value follows directly.
const WITH: &[&str] = &["WITH", "MIT", "AVEC", "CON", "COM", "MET", "USING", "AND", "UND", "ET", "Y", "EN", "E"];
/// Words for the owner or purpose of a password.
const FOR: &[&str] = &[
    "FOR", "OF", "ON", "TO", "IN", "AT", "FUER", "F\u{dc}R", "VON", "DER", "DES", "DEM", "ZUM", "ZUR", "BEIM", "POUR",
    "DU", "DE", "DES", "D'UN", "PARA", "DEL", "DO", "DA", "DOS", "DAS", "VOOR", "VAN", "PER", "DEI", "DELLA", "DELL'",
    "DI",
];
/// Words between an equating word and the name: articles, and the kind of password.
const BETWEEN: &[&str] = &[
    "THE", "A", "ITS", "OUR", "MY", "MASTER", "DEFAULT", "INITIAL", "CURRENT", "NEW", "OLD", "ADMIN", "SYSTEM", "DAS",
    "DER", "DIE", "EIN", "NEUE", "LE", "LA", "UN", "EL", "IL", "HET", "O", "A", "UMA", "LEUR", "NOTRE",
];
/// Words before a name that announce its value.
const TOLD: &[&str] = &[
    "DEFAULT", "INITIAL", "MASTER", "TEMPORARY", "TEMP", "STANDARD", "CURRENT", "PRODUCTION", "ROOT", "ADMIN",
    "EMERGENCY", "BACKDOOR", "GENERIC", "TEST",
];
/// Words in sentences about a secret, besides those of names.
const NO_VALUE: &[&str] = &[
    "CHECK", "CHECKS", "CHECKED", "CHECKING", "VALIDATION", "VERIFICATION", "PROCESSING", "HANDLING", "ROUTINE",
    "MODULE", "MODUL", "EXIT", "SERVICE", "SECTION", "PARAGRAPH", "CARD", "VIOLATION", "SUPPORT", "CHANGES",
    "PRUEFUNG", "LAENGE", "LONGUEUR", "LONGITUD", "CHAMP", "CAMPO", "VELD", "FIELD", "FIELDS", "FEHLER", "ERREUR",
    "RECORD", "RECORDS", "DIALOG", "MENU", "PANEL", "LOGIC", "NUMBER", "PANELS", "CHARACTERS", "ENCRYPTION", "VERIFY",
];
/// Words that a sentence may give as the state of a password, and that are not passwords.
const STATES: &[&str] = &[
    "CORRECT", "INCORRECT", "WRONG", "GOOD", "BAD", "SAME", "USERID", "USER-ID", "KEPT", "SENT", "READ", "GIVEN",
    "KNOWN", "SHOWN", "OBSOLETE", "OVERDUE", "MANDATORY", "DISABLED", "ENABLED", "PRESENT", "ABSENT", "ZWINGEND",
    "UNGUELTIG", "FALSCH", "RICHTIG", "LEER", "GESPERRT", "ABGELAUFEN", "ERFORDERLICH", "GUELTIG", "PFLICHT",
    "OBLIGATOIRE", "INVALIDE", "INCORRECTE", "EXPIRE", "ERRONE", "VIDE", "REQUIS", "OBLIGATORIA", "OBLIGATORIO",
    "INVALIDA", "INCORRECTA", "ERRONEA", "CADUCADA", "VACIA", "VERPLICHT", "ONGELDIG", "VERLOPEN", "ONJUIST", "FOUT",
    "LEEG", "SCADUTA", "ERRATA", "OBBLIGATORIA", "VUOTA", "EXPIRADA", "INCORRETA", "VAZIA", "UPPERCASE", "LOWERCASE",
    "SECRET", "CLEAR", "PLAIN", "HIDDEN", "MASKED", "VISIBLE", "UNCHANGED", "HARDCODED", "PASSWORD", "HERE", "BELOW",
    "ABOVE", "THERE", "LATER", "FIRST", "ONLY", "WITHOUT", "OPTIONNEL", "NECESSARY", "NEEDED",
];

/// Returns whether a word occurs in sentences about a secret.
pub(super) fn has_no_value(word: &str) -> bool {
    is_among(word, NO_VALUE)
}

/// A word of a sentence.
#[derive(Clone)]
struct SentenceWord<'t> {
    /// The word without the surrounding marks.
    bare: &'t str,
    range: Range<usize>,
    is_quoted: bool,
    /// Whether it ends with a colon, with a comma, or with the sentence.
    colon: bool,
    comma: bool,
    ends: bool,
    /// Whether it is the last of its line.
    is_last: bool,
}

/// Returns whether a character may surround a word without being part of it.
fn is_around(c: char) -> bool {
    matches!(c, '\'' | '"' | '(' | ')' | '[' | ']' | '<' | '>' | ',' | ';' | '`')
}

fn words(text: &str) -> impl Iterator<Item = SentenceWord<'_>> {
    let start = text.as_ptr() as usize;
    let of_line = move |line| {
        let line: &str = line;
        let end = line.as_ptr() as usize + line.trim_end().len();
        line.split([' ', '\t', '\r']).filter(|word| !word.is_empty()).map(move |raw| {
            let open = raw.trim_start_matches(is_around);
            let closed = open.trim_end_matches(|c| is_around(c) || matches!(c, '.' | ':' | '!' | '?'));
            // A sign at the end may belong to the password.
            let signed = open.trim_end_matches(|c| is_around(c) || matches!(c, '.' | ':'));
            let closed =
                if !names::looks_like_secret(closed) && names::looks_like_secret(signed) { signed } else { closed };
            // A mark on its own is a word.
            let (bare, behind) = if closed.is_empty() { (raw, "") } else { (closed, &open[closed.len()..]) };
            let from = bare.as_ptr() as usize - start;
            SentenceWord {
                bare,
                range: from..from + bare.len(),
                is_quoted: is_quoted(raw),
                colon: behind.contains(':'),
                comma: behind.contains([',', ';', ')']),
                ends: behind.contains(['.', ';']),
                is_last: raw.as_ptr() as usize + raw.len() >= end,
            }
        })
    };
    text.split('\n').flat_map(of_line)
}

/// Returns whether a word has its own quotes.
fn is_quoted(raw: &str) -> bool {
    let raw = raw.trim_start_matches('(').trim_end_matches(['.', ',', ';', ':', ')', '!', '?']);
    let mut ends = raw.chars();
    ends.next().zip(ends.next_back()).is_some_and(|(first, last)| first == last && matches!(first, '\'' | '"' | '`'))
}

/// Returns whether a word is written like a password: letters and digits, and not a name, date or paragraph.
pub(super) fn is_numbered(word: &str) -> bool {
    let count = word.chars().count();
    let has = |kind: fn(char) -> bool| word.chars().any(kind);
    let is_mixed = has(char::is_alphabetic) && has(|c| c.is_ascii_digit());
    (5..=64).contains(&count)
        && is_mixed
        && !word.starts_with('&')
        && !word.contains(['/', '=', '(', ':', '\\'])
        && !word.contains("..")
        && !super::patterns::is_cobol_name(word)
        && !is_measure(word)
        && !word.split_once('-').is_some_and(|(first, _)| first.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether a word is a quantity, such as `32-BYTE`, `8TH` or `X(8)`.
fn is_measure(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    unit.len() < word.len()
        && is_among(
            unit.trim_start_matches('-'),
            &["BYTE", "BYTES", "BIT", "BITS", "CHARS", "CHARACTERS", "DAYS", "TH", "ST", "ND", "RD", "STELLEN"],
        )
}

/// Returns whether a plain word may be a password if a sentence names one.
pub(super) fn is_plain(word: &str) -> bool {
    word.chars().count() >= 4
        && word.chars().all(char::is_alphabetic)
        && names::may_be_secret(word, SecretGrade::Password)
        && !is_among(word, STATES)
        && !is_among(word, NO_VALUE)
        && !names::is_secret_metadata(word)
        && !word.to_uppercase().ends_with("ED")
}

/// The maximum number of bytes read before and after a name, so that the time for a line as long as its file is not quadratic.
const BYTES_BEFORE: usize = 200;
const BYTES_BEHIND: usize = 400;

/// Returns the values that a sentence states for a name of this grade. The name is a range of the text, which may continue in a second line.
pub(super) fn stated_values(text: &str, name: &Range<usize>, grade: SecretGrade) -> Vec<Range<usize>> {
    if matches!(grade, SecretGrade::Material | SecretGrade::Pair) {
        return Vec::new();
    }
    let sentence = Sentence { text, name, grade };
    let behind = sentence.behind();
    if behind.is_empty() { sentence.before().into_iter().collect() } else { behind }
}

/// The blanks between columns.
const GAP: &str = "        ";

struct Sentence<'t> {
    text: &'t str,
    name: &'t Range<usize>,
    grade: SecretGrade,
}

impl<'t> Sentence<'t> {
    /// Returns the words before the name, the last first.
    fn words_before(&self) -> Vec<SentenceWord<'t>> {
        let from = self.name.start.saturating_sub(BYTES_BEFORE);
        let from = (from..self.name.start).find(|at| self.text.is_char_boundary(*at)).unwrap_or(self.name.start);
        let mut words: Vec<SentenceWord<'t>> = words(&self.text[from..self.name.start]).collect();
        words.iter_mut().for_each(|word| word.range = word.range.start + from..word.range.end + from);
        words.reverse();
        words
    }

    /// Returns the text after the name, as far as it is looked at; none if no sentence goes on there.
    fn rest_of_sentence(&self) -> Option<&'t str> {
        let rest = &self.text[self.name.end..];
        // The name is the last word of its sentence.
        let ends = self.text[self.name.clone()].ends_with('.') && !self.text[self.name.clone()].ends_with("..");
        if ends && rest.starts_with(char::is_whitespace) {
            return None;
        }
        let most = (0..=BYTES_BEHIND.min(rest.len())).rev().find(|at| rest.is_char_boundary(*at));
        let rest = &rest[..most.unwrap_or(0)];
        // A name inside a longer word or in parentheses is not part of a sentence.
        let is_inside =
            rest.starts_with(|c: char| !c.is_whitespace() && !matches!(c, ',' | ':' | '=' | ';' | '\'' | '"'));
        (!is_inside).then_some(rest)
    }

    /// Returns the values after the name.
    fn behind(&self) -> Vec<Range<usize>> {
        let Some(rest) = self.rest_of_sentence() else { return Vec::new() };
        let comma = rest.starts_with(',');
        let mut found = Vec::new();
        let (mut equated, mut leading, mut changing) = (false, false, false);
        let (mut between, mut line_ends) = (0, rest.starts_with('\n'));
        let mut words = words(rest).peekable();
        while let Some(word) = words.next() {
            let is_mark = !word.bare.contains(char::is_alphanumeric);
            if is_mark && !is_among(word.bare, EQUATING) {
                continue;
            }
            // After a gap, a word with a colon is the label of another column.
            if word.colon && !is_mark && !is_among(word.bare, EQUATING) && rest[..word.range.start].ends_with(GAP) {
                break;
            }
            // Only the equating word and the value may be on the next line.
            let goes_on = equated || leading || is_among(word.bare, EQUATING);
            if std::mem::replace(&mut line_ends, word.is_last) && !goes_on {
                break;
            }
            let range = self.name.end + word.range.start..self.name.end + word.range.end;
            // `PAR DEFAUT EST X`, `IS CHANGED FROM X TO Y`
            if (equated || leading) && !word.is_quoted {
                if is_among(word.bare, CHANGING) {
                    (equated, leading, changing) = (false, false, true);
                    continue;
                }
                if leading && !changing && is_among(word.bare, EQUATING) {
                    (equated, leading) = (true, false);
                    continue;
                }
            }
            if equated || leading {
                if is_among(word.bare, FILLERS) && !word.is_quoted && !word.ends {
                    continue;
                }
                let is_last = word.is_last || word.ends;
                let accepted = self.accepts(&word, rest, equated && between <= FAR, is_last && between <= 4);
                if accepted {
                    found.push(range);
                }
                if !accepted || !changing {
                    break;
                }
                (equated, leading) = (false, false);
                continue;
            }
            // Directly: `WITH PASSWORD X`, `PASSWORD X FOR USER A`, `THE PASSWORD, X, IS OLD`.
            if between == 0 && self.is_at_once(&word, comma, words.peek()) {
                found.push(range);
                break;
            }
            let counts = !is_mark;
            if is_among(word.bare, EQUATING) {
                equated = true;
            } else if is_among(word.bare, LEADING) || (changing && is_among(word.bare, FROM_OR_TO)) {
                leading = true;
            } else if is_among(word.bare, CHANGING) {
                changing = true;
            } else if names::is_secret_metadata(word.bare) || is_among(word.bare, NO_VALUE) || between >= FAR {
                break;
            }
            equated |= word.colon;
            between += usize::from(counts);
            if word.ends && !equated {
                break;
            }
        }
        found
    }

    /// Returns whether a word is the value, after an equating word (`is_equated`) or a word that leads to it.
    fn accepts(&self, word: &SentenceWord<'_>, rest: &str, is_equated: bool, is_last: bool) -> bool {
        let bare = word.bare;
        if super::patterns::is_cobol_name(bare) || !names::may_be_secret(bare, SecretGrade::Password) {
            return false;
        }
        match self.grade {
            SecretGrade::Pin => return bare.len() >= 4 && bare.bytes().all(|byte| byte.is_ascii_digit()),
            SecretGrade::Pair => return false,
            SecretGrade::Code if bare.bytes().all(|byte| byte.is_ascii_digit()) => return bare.len() >= 4,
            SecretGrade::Code => return is_equated && bare.chars().count() >= 6 && is_numbered(bare),
            // Sentences about a token, a pass or a file key use the same words.
            SecretGrade::Perhaps => return is_equated && is_numbered(bare) && names::looks_like_secret(bare),
            SecretGrade::Material => return false,
            SecretGrade::Password | SecretGrade::Phrase => {}
        }
        if is_numbered(bare) || names::looks_like_secret(bare) {
            return true;
        }
        let is_number = bare.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            return is_equated && (4..=18).contains(&bare.len()) && is_last;
        }
        if !is_equated || !is_plain(bare) {
            return false;
        }
        // A word in quotes, one that is the whole statement, or one in a different case than its sentence.
        let is_upper = |text: &str| text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase);
        let name = &self.text[self.name.clone()];
        let stands_out =
            is_last && (is_upper(bare) != is_upper(name)) && (is_upper(bare) || !name.chars().any(char::is_lowercase));
        let by_mark = rest[..word.range.start].trim_end_matches([' ', '\'', '"']).ends_with([':', '=']);
        let is_told = || self.words_before().first().is_some_and(|before| is_among(before.bare, TOLD));
        word.is_quoted || stands_out || (is_last && (by_mark || is_told()))
    }

    /// Returns whether a word directly after the name is its value.
    fn is_at_once(&self, word: &SentenceWord<'_>, comma: bool, next: Option<&SentenceWord<'_>>) -> bool {
        if self.grade == SecretGrade::Pin {
            return !comma && word.bare.len() >= 4 && word.bare.bytes().all(|byte| byte.is_ascii_digit());
        }
        let is_password = matches!(self.grade, SecretGrade::Password | SecretGrade::Phrase);
        if !is_password || !names::may_be_secret(word.bare, SecretGrade::Password) {
            return false;
        }
        if word.is_quoted && is_plain(word.bare) && !comma {
            return self.words_before().first().is_some_and(|before| is_among(before.bare, WITH));
        }
        let before = self.words_before();
        if !is_numbered(word.bare) {
            // `USER OPS1 PASSWORD X`
            let is_of_user = match before.as_slice() {
                [who, user, ..] => names::is_user(user.bare) && who.bare.ends_with(|c: char| c.is_ascii_digit()),
                _ => false,
            };
            return is_of_user && (word.is_last || word.ends) && is_plain(word.bare);
        }
        let with = before.iter().take(3).any(|before| is_among(before.bare, WITH));
        let user = before.iter().any(|before| names::is_user(before.bare));
        let of_whom =
            next.is_some_and(|next| !word.is_last && is_among(next.bare, FOR) && !is_among(next.bare, &["TO", "IN"]));
        if comma { word.comma } else { with || user || of_whom || names::looks_like_secret(word.bare) }
    }

    /// Returns the value before the name: `X IS THE PASSWORD`, `ENTER X AS PASSWORD`.
    fn before(&self) -> Option<Range<usize>> {
        let rest = self.text[self.name.end..].trim_start_matches([' ', '\t']);
        let is_end = rest.is_empty() || rest.starts_with(['\n', '.', ',', ')', ';', '!']);
        let follows = rest.split([' ', '\n']).next().is_some_and(|word| is_among(word, FOR));
        if !(is_end || follows) {
            return None;
        }
        let before = self.words_before();
        let mut words = before.iter().skip_while(|word| is_among(word.bare, BETWEEN));
        let link = words.next()?;
        let links = ["IS", "WAS", "AS", "IST", "ALS", "COMME", "EST", "ES", "COMO", "COME", "\u{c8}", "\u{c9}"];
        let value = is_among(link.bare, &links).then(|| words.next()).flatten()?;
        let is_value = match self.grade {
            SecretGrade::Password | SecretGrade::Phrase => is_numbered(value.bare),
            SecretGrade::Pin => value.bare.len() >= 4 && value.bare.bytes().all(|byte| byte.is_ascii_digit()),
            SecretGrade::Code | SecretGrade::Pair | SecretGrade::Perhaps | SecretGrade::Material => false,
        };
        is_value.then(|| value.range.clone())
    }
}
