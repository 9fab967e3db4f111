//! Secrets that their form reveals, in literals, comments, EXEC blocks and all other text of a line.

use super::carriers::is_identified;
use super::code::content;
use super::found_secret::{FoundSecret, SecretKind};
use super::names::{self, SecretGrade};
use super::passage::{Passage, PassageHits, SecretRange};
use super::prose;
use super::rules::SecretRules;
use regex::{Captures, Regex};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;
use war_rig_cobol::{RawToken, TokenKind};
use war_rig_text::{ColumnSpan, LineNumber, SourceText};

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is one")
}

/// `scheme://user:password@host`, `user:password@host`.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| regex(r#"(?i)([a-z0-9_.%+-]*):([^\s:@/'"]{2,})@[a-z0-9]"#));
/// A password in SQL.
static SQL: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r#"(?i)\b(?:identified\s+by(?:\s+values?)?|password|using)\s*(?:=\s*)?(?:'([^'\n]+)'|"([^"\n]+)")"#,
        r"|\b(identified\s+by)\s+([a-z0-9_$#@!]+)",
        r#"|\bconnect\s+['"]?[a-z0-9_$#]+/([^@\s'"/]+)"#
    ))
});
/// A value that SQL compares with a column or assigns to it.
static COLUMN: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?i)\b([a-z0-9_.$#@-]+)\s*(?:=|<>|!=|\blike\b)\s*(?:'([^'\n]+)'|"([^"\n]+)")"#));
/// The columns and values of an INSERT.
static INSERT: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)\binsert\s+into\s+[^\s(]+\s*\(([^()]*)\)\s*values\s*\("));
/// A value in a list: a literal or other text before the next comma.
static LISTED: LazyLock<Regex> = LazyLock::new(|| regex(r#"'([^'\n]*)'|"([^"\n]*)"|[^,'"()]+|(,)|(\))"#));
/// A password in CICS.
static CICS: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?i)\b(?:new)?(?:password|phrase|passticket)\s*\(\s*(?:'([^'\n]+)'|"([^"\n]+)")"#));
/// After the name of a parameter or an item: its mark and its value, in quotes, in parentheses or up to the next separator.
static KEYED: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r#"^["']{0,2}( *)(=|:)( *)"#,
        r#"(?:\(([^()\n]+)\)|"{1,2}([^"\n]+)"|'{1,2}([^'\n]+)'|([^ \n,;'"()]{1,256}))"#
    ))
});
/// After a name: its value in parentheses, as in DFHCSDUP, IDCAMS and TSO.
static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| regex(r#"^[ \t]*\([ \t]*['"]?([^()'"\s,]+)"#));
/// After a name: its initial value, as in report languages.
static VALUED: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?i)^[^\n'";=]{0,60}?\b(?:value|init(?:ial)?)[ \t]*[(<]?[ \t]*'([^'\n]+)'"#));
/// `user/password@service`, as in Oracle's programs.
static LOGON: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?i)\b[a-z][a-z0-9_$#]*/([^\s/@'"(),]{4,})@[a-z][a-z0-9_.]*"#));
/// The initial value of a named field, column or variable: BMS, SQL, and report languages.
static DEFINED: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?im)^([A-Z0-9$#@]{1,30})[ \t]+DFHMDF\b(?:[^\n]*\n[ ]{8,16}){0,6}?[^\n]*?\bINITIAL='([^'\n]+)'",
        r#"(?i)\b([a-z0-9_$#@]+)"?\s+(?:(?:n?var)?char2?|character|(?:var)?graphic|clob|text|string|decimal|numeric|number|integer|int|smallint|bigint|(?:var)?binary)\b(?:\s*\([^)]*\))?[^,;'()]*?\bdefault\s+'([^'\n]+)'"#,
        r"(?im)^([A-Z$#@_][A-Z0-9$#@_]{0,30})[ \t]+DC[ \t]+[0-9]*[CX](?:L[0-9]+)?'([^'\n]+)'",
    ]
    .map(regex)
});
/// The PARM that a step passes to its program.
static PARM: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?i)\bPARMS?(?:\.[A-Z0-9$#@]+)?(?:=\(?|\()(?:'([^'\n]+)'|([^\s'()]+(?:,'[^'\n]+')?))"#));
/// Before the name of a resource in a command of CICS, and of one whose name says what is put into it.
static RESOURCE: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)\b(?:program|map|mapset|transid|file|dataset|(?:ts|td)?queue|qname|channel|container)\s*\(\s*$")
});
static STORE: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)\b(?:(?:ts|td)?queue|qname|container)\s*\(\s*$"));
static QUOTED: LazyLock<Regex> = LazyLock::new(|| regex(r#"'[^'\n]*'|"[^"\n]*""#));

/// Adds the secrets of marked literals, EXEC blocks and, outside code, whole lines; adds the starts of private keys to `keys`.
pub(super) fn search_patterns(
    passage: &Passage<'_>,
    hits: &PassageHits<'_>,
    table: &SecretRules,
    found: &mut Vec<SecretRange>,
    keys: &mut Vec<usize>,
) {
    let text: &str = &passage.text;
    for token in hits.marked.iter().filter_map(|at| hits.tokens.get(*at)) {
        let range = token.range();
        let word = &text[range.clone()];
        match token.kind {
            TokenKind::Literal if passage.is_code => {
                let start = range.start + word.find(['\'', '"']).map_or(0, |quote| quote + 1);
                in_text(text, start..start + content(word).len(), (table, true), found);
            }
            TokenKind::Exec => {
                in_exec(word, range.start, table, found);
                in_quotes(text, range, table, found);
            }
            TokenKind::PseudoText => in_quotes(text, range, table, found),
            _ => {}
        }
    }
    replaced(passage, hits, table, found);
    let mut done = 0;
    for mark in &hits.marks {
        let mark = mark.at;
        if text[mark..].get(..BEGIN.len()).is_some_and(|head| head == BEGIN) {
            keys.push(mark);
        }
        if !passage.is_code && mark >= done {
            let start = text[..mark].rfind('\n').map_or(0, |end| end + 1).max(done);
            let end = text[mark..].find('\n').map_or(text.len(), |end| mark + end);
            in_text(text, start..end, (table, false), found);
            done = end;
        }
    }
    keys.dedup();
    shapes(passage, hits, table, found);
}

/// Adds the text that REPLACE and REPLACING substitute for the name of a secret: `==:DB-PWD:== BY =='X'==`.
fn replaced(passage: &Passage<'_>, hits: &PassageHits<'_>, table: &SecretRules, found: &mut Vec<SecretRange>) {
    let text: &str = &passage.text;
    let bare = |range: &Range<usize>| {
        let word = &text[range.clone()];
        let inner = word.trim_matches(|c: char| c.is_whitespace() || matches!(c, '=' | ':' | '(' | ')' | '\'' | '"'));
        let start = range.start + word.find(inner).unwrap_or(0);
        start..start + inner.len()
    };
    for at in
        hits.marked.iter().filter(|at| hits.tokens.get(**at).is_some_and(|token| token.kind == TokenKind::PseudoText))
    {
        let token = |at: usize| hits.tokens.get(at).map(RawToken::range);
        let (Some(name), Some(by), Some(value)) = (token(*at), token(at + 1), token(at + 2)) else {
            continue;
        };
        let (name, value) = (bare(&name), bare(&value));
        if text[by].eq_ignore_ascii_case("BY")
            && table.grade_of_name(&text[name.clone()]).is_some()
            && names::looks_like_secret(&text[value.clone()])
        {
            let name = Some(text[name].to_uppercase());
            found.push(SecretRange { range: value, kind: SecretKind::Moved, name });
        }
    }
}

/// Adds text that has a form of the table: in code in literals, EXEC blocks and the text of REPLACE, elsewhere in any place.
fn shapes(passage: &Passage<'_>, hits: &PassageHits<'_>, table: &SecretRules, found: &mut Vec<SecretRange>) {
    let text: &str = &passage.text;
    let mut marks = hits.marks.iter().filter_map(|mark| Some((mark.at, mark.shape?))).peekable();
    let mut look = |range: Range<usize>, shapes: BTreeSet<usize>| {
        for shape in shapes.into_iter().chain(table.unmarked_patterns().iter().copied()) {
            let own = &text[range.clone()];
            for captures in table.pattern(shape).captures_iter(own.as_bytes()) {
                let Some(secret) = captures.get(1).map(|secret| whole(own, secret.range())) else {
                    continue;
                };
                // The quotes around it belong to the language.
                let bare = secret.trim_matches(['\'', '"']);
                if !is_shaped(bare) {
                    continue;
                }
                let start = bare.as_ptr() as usize - text.as_ptr() as usize;
                let range = start..start + bare.len();
                found.push(SecretRange { range, kind: SecretKind::Key, name: None });
            }
        }
    };
    if !passage.is_code {
        return look(0..text.len(), marks.map(|(_, shape)| shape).collect());
    }
    let is_text =
        |token: &&RawToken| matches!(token.kind, TokenKind::Literal | TokenKind::Exec | TokenKind::PseudoText);
    let everywhere = !table.unmarked_patterns().is_empty();
    for token in hits.tokens.iter().filter(is_text) {
        let range = token.range();
        while marks.next_if(|(at, _)| *at < range.start).is_some() {}
        let own: BTreeSet<usize> =
            std::iter::from_fn(|| marks.next_if(|(at, _)| *at < range.end)).map(|(_, shape)| shape).collect();
        if everywhere || !own.is_empty() {
            look(range, own);
        }
    }
}

/// Returns the characters of a range of bytes, including those that it cuts.
fn whole(text: &str, range: Range<usize>) -> &str {
    let start = (0..=range.start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let end = (range.end..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    &text[start..end]
}

/// Returns whether the secret's place in a form may contain one: not a placeholder, a repeated character, or a word for "none".
fn is_shaped(value: &str) -> bool {
    // The `=` at the end of base64 does not indicate a label.
    names::may_be_secret(value.trim_end_matches('='), SecretGrade::Phrase)
}

/// Adds the definitions in a text that is not COBOL: initial values of fields and columns, rows of tables.
pub(super) fn search_definitions(text: &str, table: &SecretRules, found: &mut Vec<SecretRange>) {
    let mut push = |range: Range<usize>, name: &str| {
        found.push(SecretRange { range, kind: SecretKind::Keyed, name: Some(name.to_uppercase()) });
    };
    for defined in DEFINED.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (Some(value), name) = (defined.get(2), &defined[1]) else { continue };
        // The value of the next field, which has no name.
        if text[defined.get(0).map_or(0, |all| all.start())..value.start()].matches("DFHMDF").count() > 1 {
            continue;
        }
        if table.grade_of_name(name).is_some_and(|grade| names::may_be_secret(value.as_str(), grade)) {
            push(value.range(), name);
        }
    }
    for (value, column) in inserted(text, table) {
        push(value, column);
    }
    for parm in PARM.captures_iter(text).filter_map(|parm| parm.get(1).or(parm.get(2))) {
        for value in handed(parm.as_str()) {
            push(parm.start() + value.start..parm.start() + value.end, "PARM");
        }
    }
}

/// Returns the passwords in a PARM: after a user and `/`, or with letters of both cases and digits, which no job option has.
fn handed(parm: &str) -> Vec<Range<usize>> {
    let first = parm.split([',', ' ', '@', '(']).next().unwrap_or_default();
    let own = names::second_of_pair(first).filter(|own| {
        own.len() > 4
            && prose::is_numbered(&first[own.clone()])
            && first[..own.start].ends_with('/')
            && !first.starts_with('/')
    });
    if let Some(own) = own {
        return vec![own];
    }
    let is_mixed = |word: &&Range<usize>| {
        let word = &parm[(*word).clone()];
        let has = |kind: fn(char) -> bool| word.chars().any(kind);
        (6..=40).contains(&word.len())
            && has(char::is_lowercase)
            && has(char::is_uppercase)
            && has(|c| c.is_ascii_digit())
            && !word.contains(['=', '.', '/', '\\', '&', '('])
    };
    let words = names::columns(parm).into_iter().map(|word| {
        let quotes = parm[word.clone()].len() - parm[word.clone()].trim_start_matches('\'').len();
        word.start + quotes..word.start + quotes + parm[word.clone()].trim_matches('\'').len()
    });
    words.collect::<Vec<_>>().iter().filter(is_mixed).cloned().collect()
}

/// Attributes whose value is always a password.
const SURE: [&str; 8] =
    ["PASSWORD", "PASSWD", "PASSPHRASE", "PASSTICKET", "MASTERPW", "CONTROLPW", "UPDATEPW", "READPW"];

fn in_quotes(text: &str, range: Range<usize>, table: &SecretRules, found: &mut Vec<SecretRange>) {
    for quoted in QUOTED.find_iter(&text[range.clone()]) {
        in_text(text, range.start + quoted.start() + 1..range.start + quoted.end() - 1, (table, true), found);
    }
}

/// Finds the secrets of a text of unknown kind.
fn in_text(text: &str, range: Range<usize>, (table, is_code): (&SecretRules, bool), found: &mut Vec<SecretRange>) {
    let from = range.start;
    // A sentence of a comment may continue in the next line.
    let next = text[range.end..].strip_prefix('\n').filter(|_| !is_code);
    let end = next.map_or(range.end, |next| range.end + 1 + next.find('\n').unwrap_or(next.len()));
    let (text, sentence) = (&text[range], &text[from..end]);
    let mut push = |range: Range<usize>, kind, name: Option<&str>| {
        let name = name.map(|name| name.to_uppercase());
        found.push(SecretRange { range: from + range.start..from + range.end, kind, name });
    };
    let (mut speaks_of_logon, mut has_own) = (false, false);
    for (range, grade) in named(text, table) {
        speaks_of_logon |= grade == SecretGrade::Pair;
        let (rest, at) = (&text[range.end..], range.end);
        let name = text[range.clone()].trim_matches(['-', '.', '_']);
        let keyed = KEYED.captures(rest);
        let mut values: Vec<Range<usize>> = keyed.iter().flat_map(|keyed| keyed_values(rest, keyed, grade)).collect();
        values.retain(|value| is_code || !is_operand(&text[..range.start], &rest[value.clone()]));
        has_own |= !values.is_empty();
        if keyed.is_none() && !is_code {
            values.extend(defined(rest, name, grade));
        }
        values.iter_mut().for_each(|value| *value = at + value.start..at + value.end);
        if values.is_empty() {
            values = prose::stated_values(sentence, &range, grade);
        }
        for value in values {
            push(value, SecretKind::Keyed, Some(name));
        }
    }
    for logon in LOGON.captures_iter(text) {
        if let Some(password) = logon.get(1).filter(|password| names::looks_like_secret(password.as_str())) {
            push(password.range(), SecretKind::Address, None);
        }
    }
    let speaks_of =
        text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).find(|word| speaks(word, table));
    let is_logon = |word: &str| word.get(..7).is_some_and(|head| head.eq_ignore_ascii_case("CONNECT"));
    if speaks_of.is_some() || speaks_of_logon || text.split(' ').any(is_logon) {
        // `OPS1/KESTREL71` beside a word for a logon.
        for word in words_of(text) {
            let own = &text[word.clone()];
            let password = names::second_of_pair(own).filter(|part| own[..part.start].ends_with('/'));
            if let Some(part) = password.filter(|part| {
                let part = &own[part.clone()];
                let digits = part.bytes().filter(u8::is_ascii_digit).count();
                names::looks_like_secret(part) || (part.len() > 5 && digits > 1 && !part.contains(['.', '-']))
            }) {
                push(word.start + part.start..word.start + part.end, SecretKind::Keyed, speaks_of);
            }
        }
    }
    if let Some(name) = speaks_of {
        for value in words_of(text).filter(|value| names::looks_generated(&text[value.clone()])) {
            let own = &text[value.clone()];
            // What follows another keyword is its value, if the secret's keyword has one.
            let is_other = has_own && text[..value.start].ends_with('=');
            if !is_cobol_name(own) && !is_other && !own.starts_with('*') {
                push(value, SecretKind::Keyed, Some(name));
            }
        }
    }
    for address in ADDRESS.captures_iter(text) {
        let user = &address[1];
        let is_mail = ["mailto", "email", "e-mail", "mail", "to", "from", "cc", "by", "contact", "author", "sip"]
            .iter()
            .any(|word| word.eq_ignore_ascii_case(user));
        if let Some(password) = address.get(2).filter(|password| {
            let first_is_name = user.is_empty() && !text[..address.get(0).map_or(0, |all| all.start())].ends_with("//");
            !is_mail && !first_is_name && names::may_be_secret(password.as_str(), SecretGrade::Password)
        }) {
            push(password.range(), SecretKind::Address, None);
        }
    }
}

/// Returns the names of secrets in a text, with their grades: words as in items and parameters, and up to three words with blanks between them. If
/// two begin at one place, the longer wins.
fn named<'t>(text: &'t str, table: &'t SecretRules) -> impl Iterator<Item = (Range<usize>, SecretGrade)> + 't {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let start = text.as_ptr() as usize;
    let words: Vec<Range<usize>> = text
        .split(move |c: char| !is_part(c))
        .filter(|word| !word.is_empty())
        .map(|word| word.as_ptr() as usize - start..word.as_ptr() as usize - start + word.len())
        .collect();
    let count = words.len();
    let ending = move |first: usize| {
        let row = (first..words.len().min(first + WORDS_OF_A_NAME)).rev();
        let joined = row.filter(|last| {
            (first..*last).all(|word| matches!(&text[words[word].end..words[word + 1].start], " " | "'"))
        });
        joined.map(|last| words[first].start..words[last].end).collect::<Vec<_>>()
    };
    (0..count).filter_map(move |first| {
        ending(first).into_iter().find_map(|range| {
            let name = text[range.clone()].trim_matches(['-', '.', '_']);
            // A sequence of words is a name only if the table lists the whole sequence.
            let is_one = !name.contains(' ') || table.is_listed_phrase(name);
            table.grade_of_name(name).filter(|_| is_one).map(|grade| (range, grade))
        })
    })
}

/// The maximum number of words in a name with blanks.
const WORDS_OF_A_NAME: usize = 3;

/// Returns the value of a name in a language without items: `PASSWORD(X)`, `W-PASSWORD W 8 A VALUE 'X'`.
fn defined(rest: &str, name: &str, grade: SecretGrade) -> Option<Range<usize>> {
    if let Some(value) = ATTRIBUTE.captures(rest).and_then(|attribute| attribute.get(1)) {
        // The same syntax also states whether a password is required, or its length.
        let is_sure = SURE.iter().any(|sure| name.to_ascii_uppercase().ends_with(sure));
        // In a remark, a file is named in parentheses.
        let is_file =
            rest.starts_with(' ') && value.as_str().contains('.') && super::known_secrets::is_name(value.as_str());
        let is_secret = (is_sure && !is_file) || names::looks_like_secret(value.as_str());
        return (is_secret && names::may_be_secret(value.as_str(), grade)).then(|| value.range());
    }
    let value = VALUED.captures(rest)?.get(1)?;
    names::may_be_secret(value.as_str(), grade).then(|| value.range())
}

/// Returns whether a word mentions a secret.
fn speaks(word: &str, table: &SecretRules) -> bool {
    let is_logon = ["LOGON", "LOGIN", "SIGNON"].iter().any(|logon| logon.eq_ignore_ascii_case(word));
    is_logon || table.grade_of_name(word).is_some_and(|grade| grade != SecretGrade::Material)
}

/// Returns the words of a text, split so that a password among them stays whole.
fn words_of(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_between =
        |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | ',' | ';' | '(' | ')' | '<' | '>' | '=' | '{' | '}');
    let start = text.as_ptr() as usize;
    text.split(is_between).filter(|word| !word.is_empty()).map(move |word| {
        let from = word.as_ptr() as usize - start;
        from..from + word.trim_end_matches(['.', ':', '?']).len()
    })
}

/// Returns the values after a name and its mark that may be secrets.
fn keyed_values(text: &str, keyed: &Captures<'_>, grade: SecretGrade) -> Vec<Range<usize>> {
    if let Some(list) = keyed.get(4) {
        // PASSWORD=(old,new)
        let mut start = list.start();
        let values = list.as_str().split(',').map(|value| {
            let range = start..start + value.len();
            start = range.end + 1;
            range
        });
        return values.filter(|value| names::may_be_secret(&text[value.clone()], grade)).collect();
    }
    if let Some(quoted) = keyed.get(5).or(keyed.get(6)) {
        let is_secret = names::may_be_secret(quoted.as_str(), grade);
        return if is_secret { vec![quoted.range()] } else { Vec::new() };
    }
    let Some(value) = keyed.get(7) else { return Vec::new() };
    let bare = value.as_str().trim_end_matches(['.', ':', '!', '?']);
    let range = value.start()..value.start() + bare.len();
    if !names::may_be_secret(bare, grade) || is_cobol_name(bare) {
        return Vec::new();
    }
    let is_tight = keyed[1].is_empty() && keyed[3].is_empty() && &keyed[2] == "=";
    let has = |kind: fn(char) -> bool| bare.chars().any(kind);
    let looks_it = has(|c| c.is_ascii_digit()) || has(|c| !c.is_alphanumeric());
    let is_last = text[value.end()..].trim().is_empty();
    if is_tight || looks_it || (is_last && bare.len() >= 4) { vec![range] } else { Vec::new() }
}

/// Returns whether a value is the item of a statement that is not code: `COMPUTE NEW-PASSWORD = OLD-VALUE`.
fn is_operand(before: &str, value: &str) -> bool {
    let is_verb = |verb: &&str| {
        let from = before.trim_end().len().checked_sub(verb.len());
        from.and_then(|from| before.get(from..from + verb.len())).is_some_and(|own| own.eq_ignore_ascii_case(verb))
    };
    [" COMPUTE", " IF", " UNTIL", " WHEN"].iter().any(is_verb) && is_cobol_name(&value.to_ascii_uppercase())
}

/// Returns whether a word can only be the name of an item, as in a commented-out statement.
pub(super) fn is_cobol_name(word: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    word.contains('-') && word.split('-').all(is_part) && word.starts_with(|c: char| c.is_ascii_uppercase())
}

/// The maximum number of bytes between an option's name and its value.
const BYTES_BEFORE: usize = 40;

/// Finds the secrets of an EXEC block by the syntax of its language.
fn in_exec(exec: &str, from: usize, table: &SecretRules, found: &mut Vec<SecretRange>) {
    let mut push = |range: Range<usize>, name: &str, kind| {
        let name = Some(name.split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase());
        found.push(SecretRange { range: from + range.start..from + range.end, kind, name });
    };
    let is_password = |value: &str| names::may_be_secret(value, SecretGrade::Password);
    let language = exec.split_whitespace().nth(1).unwrap_or_default();
    // A container or a queue with a secret's name, and the value put into it.
    let quoted: Vec<Range<usize>> = QUOTED.find_iter(exec).map(|quoted| quoted.start() + 1..quoted.end() - 1).collect();
    let before = |quoted: &Range<usize>| {
        let from = quoted.start.saturating_sub(BYTES_BEFORE);
        let from = (from..quoted.start - 1).find(|at| exec.is_char_boundary(*at)).unwrap_or(quoted.start - 1);
        &exec[from..quoted.start - 1]
    };
    let is_resource = |quoted: &&Range<usize>| RESOURCE.is_match(before(quoted));
    let is_store = |quoted: &&Range<usize>| !is_resource(quoted) || STORE.is_match(before(quoted));
    if let Some(name) = quoted.iter().filter(is_store).find(|name| speaks(&exec[(*name).clone()], table)) {
        let values = quoted.iter().filter(|value| !is_resource(value));
        for value in values.filter(|value| names::looks_like_secret(&exec[(*value).clone()])) {
            push(value.clone(), &exec[name.clone()], SecretKind::Moved);
        }
    }
    if language.eq_ignore_ascii_case("CICS") {
        for password in CICS.captures_iter(exec) {
            if let Some(value) = password.get(1).or(password.get(2)).filter(|value| is_password(value.as_str())) {
                push(value.range(), "PASSWORD", SecretKind::Connection);
            }
        }
        return;
    }
    // USING passes a password in CONNECT, and otherwise the values of an EXECUTE or an OPEN.
    let connects = exec.split_whitespace().nth(2).is_some_and(|verb| verb.eq_ignore_ascii_case("CONNECT"));
    for password in SQL.captures_iter(exec) {
        let uses = password[0].get(..5).is_some_and(|head| head.eq_ignore_ascii_case("USING"));
        let value = password.get(1).or(password.get(2)).or(password.get(4)).or(password.get(5));
        // After IDENTIFIED BY, it names the database.
        let before = &exec[..password.get(0).map_or(0, |all| all.start())];
        let is_used = connects && !is_identified(before);
        if let Some(value) = value.filter(|value| (is_used || !uses) && is_password(value.as_str())) {
            push(value.range(), if connects { "CONNECT" } else { "IDENTIFIED BY" }, SecretKind::Connection);
        }
    }
    for column in COLUMN.captures_iter(exec) {
        let Some(grade) = table.grade_of_name(&column[1]) else { continue };
        let value = column.get(2).or(column.get(3));
        if let Some(value) = value.filter(|value| names::may_be_secret(value.as_str(), grade)) {
            push(value.range(), &column[1], SecretKind::Compared);
        }
    }
    for (value, column) in inserted(exec, table) {
        push(value, column, SecretKind::Moved);
    }
}

/// Returns the values of an INSERT in the columns that their names mark as secret.
fn inserted<'e>(exec: &'e str, table: &SecretRules) -> Vec<(Range<usize>, &'e str)> {
    let mut found = Vec::new();
    for insert in INSERT.captures_iter(exec) {
        let columns: Vec<&'e str> = insert.get(1).map_or("", |list| list.as_str()).split(',').map(str::trim).collect();
        let from = insert.get(0).map_or(0, |all| all.end());
        let (mut column, mut is_between) = (0, false);
        for value in LISTED.captures_iter(&exec[from..]) {
            if value.get(4).is_some() {
                // Another row may follow.
                let end = from + value.get(0).map_or(0, |all| all.end());
                if !exec[end..].trim_start().strip_prefix(',').is_some_and(|next| next.trim_start().starts_with('(')) {
                    break;
                }
                is_between = true;
                continue;
            }
            if std::mem::take(&mut is_between) && value.get(3).is_some() {
                column = 0;
                continue;
            }
            column += usize::from(value.get(3).is_some());
            let Some(name) = columns.get(column) else { continue };
            if let (Some(grade), Some(literal)) = (table.grade_of_name(name), value.get(1).or(value.get(2)))
                && names::may_be_secret(literal.as_str(), grade)
            {
                found.push((from + literal.start()..from + literal.end(), *name));
            }
        }
    }
    found
}

const BEGIN: &str = "-----BEGIN";
/// The maximum number of lines in a private key.
const LINES_OF_KEY: usize = 200;
/// The maximum number of lines without key text within a private key, such as the line of an entry whose value is on the next.
const LINES_BETWEEN: usize = 4;
static BASE64: LazyLock<Regex> = LazyLock::new(|| regex(r"[A-Za-z0-9+/]{16,}={0,2}"));
/// A short remainder on the last line of a key, alone in a comment or in quotes.
static LAST_OF_KEY: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"^[ *>]*([A-Za-z0-9+/]{2,15}={0,2}) *$|['"]([A-Za-z0-9+/]{2,15}={0,2})['"]"#));

/// Returns the private keys that begin on these lines.
pub(super) fn find_private_keys(source: &SourceText, begins: &[LineNumber]) -> Vec<FoundSecret> {
    let mut secrets = Vec::new();
    let mut next = LineNumber::FIRST;
    for begin in begins {
        let head = source.line(*begin).map_or("", |line| line.code());
        if *begin < next || !head.contains("PRIVATE KEY") {
            continue;
        }
        let mut stretches = Vec::new();
        let mut without = 0;
        for index in (begin.index()..source.line_count()).take(LINES_OF_KEY) {
            let number = LineNumber::from_index(index);
            next = number.saturating_add(1);
            let Some(line) = source.line(number) else { break };
            let code = line.code();
            let end = code.find("-----END").unwrap_or(code.len());
            let mut at = if number == *begin { code.rfind("KEY-----").unwrap_or(0) } else { 0 };
            at = at.min(end);
            let before = stretches.len();
            let mut push = |range: Range<usize>| {
                let column = |at: usize| line.code_column() + code[..at].chars().count() as u32;
                stretches.push(ColumnSpan { line: number, columns: column(range.start)..column(range.end) });
            };
            for part in BASE64.find_iter(&code[at..end]) {
                push(at + part.start()..at + part.end());
            }
            let last = LAST_OF_KEY.captures(&code[at..end]);
            let last = last.and_then(|last| last.get(2).or(last.get(1).filter(|_| line.is_comment())));
            if let Some(last) = last.filter(|_| number != *begin) {
                push(at + last.start()..at + last.end());
            }
            without = if stretches.len() == before { without + 1 } else { 0 };
            if end < code.len() || without > LINES_BETWEEN {
                break;
            }
        }
        if !stretches.is_empty() {
            secrets.push(FoundSecret { kind: SecretKind::PrivateKey, name: None, spans: stretches });
        }
    }
    secrets
}
