//! The operands of a statement by their place in it: which are read, which are set.
//!
//! ```text
//! operand    = name { ( "OF" | "IN" ) name } { "(" { operand } ")" }
//! ```
//! What stands in the parentheses behind a name, subscripts and reference modification, is read whatever becomes of the name.
//! What `LENGTH OF` and `FUNCTION LENGTH` ask about is not read, nor is the item whose `ADDRESS OF` is taken; `SET ADDRESS OF X`
//! gives X other bytes, which counts as setting it.
//!
//! Sources: ISO/IEC 1989:2014 and the IBM Enterprise COBOL for z/OS 6.4 Language Reference, with EXAMINE, TRANSFORM and EXHIBIT of
//! COBOL-74.

/// What becomes of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Read,
    Set,
    /// What was in it counts, and it is changed.
    Both,
    /// It is handed to another program, which may change it.
    Handed,
    /// It is no data: a label, a file, a mnemonic name, a word of the language.
    Ignored,
}

/// A name with its qualifiers, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operand<'a> {
    pub(super) name: &'a str,
    /// Innermost first.
    pub(super) qualifiers: Vec<&'a str>,
    pub(super) role: Role,
}

/// What stands in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Name,
    Literal,
    Sign,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    text: &'a str,
    kind: Kind,
}

impl Word<'_> {
    fn is(&self, word: &str) -> bool {
        self.kind == Kind::Name && self.text.eq_ignore_ascii_case(word)
    }

    fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    fn is_sign(&self, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text == sign
    }
}

/// The words of a statement's text: names and numbers, literals, signs.
pub(super) fn words<'a>(text: &'a str, into: &mut Vec<Word<'a>>) {
    into.clear();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let prefix = rest.bytes().take(3).take_while(u8::is_ascii_alphabetic).count();
        let quote = rest[prefix..].chars().next().filter(|c| matches!(c, '\'' | '"') && prefix < 3);
        let (end, kind) = match quote {
            Some(quote) => {
                let inside = &rest[prefix + 1..];
                (inside.find(quote).map_or(rest.len(), |end| prefix + end + 2), Kind::Literal)
            }
            None => match name_length(rest) {
                0 => (first.len_utf8(), Kind::Sign),
                length => (length, Kind::Name),
            },
        };
        into.push(Word { text: &rest[..end], kind });
        rest = rest[end..].trim_start();
    }
}

/// How many bytes the name or number at the head of a text has, placeholders in colons included.
fn name_length(text: &str) -> usize {
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '#' | '$' | '@');
    let mut length = 0;
    while let Some(c) = text[length..].chars().next() {
        if in_name(c) && (length > 0 || c != '-') {
            length += c.len_utf8();
        } else if c == ':' {
            let inside = &text[length + 1..];
            let end = inside.find(|c: char| !in_name(c)).unwrap_or(inside.len());
            if end == 0 || !inside[end..].starts_with(':') {
                break;
            }
            length += end + 2;
        } else {
            break;
        }
    }
    length
}

/// Which roles the operands of a verb have: that of the first ones, and what changes behind which words. A word without a role of
/// its own is passed over.
struct Grammar {
    first: Role,
    phrases: &'static [(&'static str, Option<Role>)],
}

fn grammar(verb: &str, has: impl Fn(&str) -> bool) -> Grammar {
    use Role::{Both, Handed, Ignored, Read, Set};
    let of = |first, phrases| Grammar { first, phrases };
    match verb {
        "MOVE" => of(Read, &[("TO", Some(Set)), ("CORR", None), ("CORRESPONDING", None), ("ALL", None)]),
        "COMPUTE" => of(Set, &[("ROUNDED", None), ("=", Some(Read)), ("EQUAL", Some(Read))]),
        "ADD" | "SUBTRACT" | "MULTIPLY" | "DIVIDE" if has("GIVING") => of(
            Read,
            &[
                ("GIVING", Some(Set)),
                ("REMAINDER", Some(Set)),
                ("TO", None),
                ("FROM", None),
                ("BY", None),
                ("INTO", None),
                ("ROUNDED", None),
            ],
        ),
        "ADD" => of(Read, &[("TO", Some(Both)), ("ROUNDED", None), ("CORR", None), ("CORRESPONDING", None)]),
        "SUBTRACT" => {
            of(Read, &[("FROM", Some(Both)), ("ROUNDED", None), ("CORR", None), ("CORRESPONDING", None)])
        }
        "MULTIPLY" => of(Read, &[("BY", Some(Both)), ("ROUNDED", None)]),
        "DIVIDE" => of(Read, &[("INTO", Some(Both)), ("BY", Some(Read)), ("ROUNDED", None)]),
        "STRING" => of(
            Read,
            &[
                ("INTO", Some(Set)),
                ("POINTER", Some(Both)),
                ("DELIMITED", Some(Read)),
                ("BY", None),
                ("WITH", None),
            ],
        ),
        "UNSTRING" => of(
            Read,
            &[
                ("INTO", Some(Set)),
                ("POINTER", Some(Both)),
                ("TALLYING", Some(Both)),
                ("DELIMITED", Some(Read)),
                ("DELIMITER", Some(Set)),
                ("COUNT", Some(Set)),
                ("IN", None),
                ("BY", None),
                ("WITH", None),
            ],
        ),
        "TRANSFORM" => of(Both, &[("FROM", Some(Read)), ("CHARACTERS", None)]),
        "INITIALIZE" => of(
            Set,
            &[
                ("REPLACING", Some(Ignored)),
                ("WITH", Some(Ignored)),
                ("TO", Some(Ignored)),
                ("THEN", Some(Ignored)),
                ("ALL", Some(Ignored)),
                ("BY", Some(Read)),
            ],
        ),
        "ACCEPT" => of(
            Set,
            &[
                ("FROM", Some(Ignored)),
                ("UPON", Some(Ignored)),
                ("AT", Some(Read)),
                ("LINE", Some(Read)),
                ("COLUMN", Some(Read)),
                ("WITH", Some(Read)),
            ],
        ),
        "DISPLAY" => of(
            Read,
            &[("UPON", Some(Ignored)), ("WITH", Some(Ignored)), ("AT", Some(Read)), ("LINE", Some(Read))],
        ),
        "READ" | "RETURN" | "RECEIVE" => {
            of(Ignored, &[("INTO", Some(Set)), ("KEY", Some(Read)), ("IS", None), ("WITH", Some(Ignored))])
        }
        "WRITE" | "REWRITE" | "RELEASE" => of(
            if has("FROM") { Set } else { Read },
            &[
                ("FILE", Some(Ignored)),
                ("FROM", Some(Read)),
                ("BEFORE", Some(Read)),
                ("AFTER", Some(Read)),
                ("ADVANCING", None),
            ],
        ),
        "START" => of(Ignored, &[("KEY", Some(Read)), ("LENGTH", Some(Read))]),
        "SEND" => of(Ignored, &[("FROM", Some(Read)), ("WITH", Some(Read))]),
        "SEARCH" => of(Read, &[("VARYING", Some(Both)), ("ALL", None)]),
        "PERFORM" => of(
            Read,
            &[
                ("VARYING", Some(Set)),
                ("AFTER", Some(Set)),
                ("FROM", Some(Read)),
                ("BY", Some(Read)),
                ("UNTIL", Some(Read)),
            ],
        ),
        "CALL" | "INVOKE" => of(
            Read,
            &[
                ("USING", Some(Handed)),
                ("REFERENCE", Some(Handed)),
                ("CONTENT", Some(Read)),
                ("VALUE", Some(Read)),
                ("BY", None),
                ("RETURNING", Some(Set)),
                ("GIVING", Some(Set)),
            ],
        ),
        "GO" => of(Ignored, &[("DEPENDING", Some(Read)), ("ON", None)]),
        "SORT" | "MERGE" => of(
            Both,
            &[
                ("ASCENDING", Some(Read)),
                ("DESCENDING", Some(Read)),
                ("KEY", Some(Read)),
                ("ON", Some(Read)),
                ("WITH", Some(Ignored)),
                ("COLLATING", Some(Ignored)),
                ("SEQUENCE", Some(Ignored)),
                ("USING", Some(Ignored)),
                ("GIVING", Some(Ignored)),
                ("INPUT", Some(Ignored)),
                ("OUTPUT", Some(Ignored)),
            ],
        ),
        "XML" | "JSON" if has("GENERATE") => of(
            Set,
            &[
                ("GENERATE", None),
                ("FROM", Some(Read)),
                ("COUNT", Some(Set)),
                ("IN", None),
                ("WITH", Some(Ignored)),
                ("ENCODING", Some(Read)),
                ("NAMESPACE", Some(Read)),
                ("NAMESPACE-PREFIX", Some(Read)),
                ("IS", None),
                ("NAME", Some(Ignored)),
                ("TYPE", Some(Ignored)),
                ("SUPPRESS", Some(Ignored)),
                ("CONVERTING", Some(Ignored)),
            ],
        ),
        "XML" | "JSON" => of(
            Read,
            &[
                ("PARSE", None),
                ("INTO", Some(Set)),
                ("PROCESSING", Some(Ignored)),
                ("VALIDATING", Some(Ignored)),
                ("WITH", Some(Ignored)),
                ("ENCODING", Some(Read)),
                ("NAME", Some(Ignored)),
                ("SUPPRESS", Some(Ignored)),
                ("CONVERTING", Some(Ignored)),
            ],
        ),
        "ALLOCATE" => of(
            if has("CHARACTERS") { Read } else { Set },
            &[("CHARACTERS", None), ("INITIALIZED", None), ("RETURNING", Some(Set))],
        ),
        "FREE" => of(Both, &[]),
        "ALTER" | "CLOSE" | "DELETE" | "DISABLE" | "ENABLE" | "ENTRY" | "EXEC" | "GENERATE" | "INITIATE"
        | "NEXT" | "NOTE" | "OPEN" | "PURGE" | "RAISE" | "READY" | "RESET" | "SUPPRESS" | "TERMINATE"
        | "UNLOCK" | "USE" => of(Ignored, &[]),
        _ => of(Read, &[]),
    }
}

/// Goes through the words of a text and tells its operands.
struct Scan<'w, 'a> {
    words: &'w [Word<'a>],
    at: usize,
    depth: usize,
    found: &'w mut Vec<Operand<'a>>,
}

/// Tells the operands of a statement: `text` is its own words, the verb first.
pub(super) fn of_statement<'a>(verb: &str, words: &[Word<'a>], found: &mut Vec<Operand<'a>>) {
    let mut scan = Scan { words, at: 1, depth: 0, found };
    match verb {
        "SET" => scan.set(),
        "INSPECT" | "EXAMINE" => scan.inspect(),
        "PERFORM" => {
            scan.pass_label();
            if scan.peek(0).is_some_and(|word| word.is_any(&["THRU", "THROUGH"])) {
                scan.at += 1;
                scan.pass_label();
            }
            scan.by_grammar(verb);
        }
        _ => scan.by_grammar(verb),
    }
}

/// Tells the operands of the phrase of an inline PERFORM.
pub(super) fn of_loop<'a>(words: &[Word<'a>], found: &mut Vec<Operand<'a>>) {
    Scan { words, at: 0, depth: 0, found }.by_grammar("PERFORM");
}

/// Tells the names of a text, all of which have the same role but for what stands in parentheses.
pub(super) fn all<'a>(words: &[Word<'a>], role: Role, found: &mut Vec<Operand<'a>>) {
    let mut scan = Scan { words, at: 0, depth: 0, found };
    while scan.step(role) {}
}

/// Whether a statement is about the items that two groups have in common.
pub(super) fn is_corresponding(words: &[Word<'_>]) -> bool {
    words.get(1).is_some_and(|word| word.is_any(&["CORR", "CORRESPONDING"]))
}

impl<'a> Scan<'_, 'a> {
    fn peek(&self, ahead: usize) -> Option<Word<'a>> {
        self.words.get(self.at + ahead).copied()
    }

    fn by_grammar(&mut self, verb: &str) {
        let has = |wanted: &str| self.words.iter().any(|word| word.is(wanted));
        let Grammar { first: mut role, phrases } = grammar(verb, has);
        // Behind their operands stands what happens on SIZE ERROR or OVERFLOW, which names no item.
        let ends =
            matches!(verb, "ADD" | "SUBTRACT" | "MULTIPLY" | "DIVIDE" | "COMPUTE" | "STRING" | "UNSTRING");
        while let Some(word) = self.peek(0) {
            // DELIMITED BY SIZE is no such phrase.
            let is_size_error = word.is("SIZE") && self.peek(1).is_some_and(|next| next.is("ERROR"));
            if ends && self.depth == 0 && (is_size_error || word.is_any(&["ON", "NOT", "OVERFLOW"])) {
                return;
            }
            let phrase = phrases
                .iter()
                .find(|(phrase, _)| self.depth == 0 && word.text.eq_ignore_ascii_case(phrase))
                .filter(|_| word.kind != Kind::Literal);
            match phrase {
                // WITH TEST AFTER names no item to vary.
                Some(("AFTER", _)) if self.words[..self.at].last().is_some_and(|word| word.is("TEST")) => {
                    self.at += 1;
                }
                Some((_, changed)) => {
                    role = changed.unwrap_or(role);
                    self.at += 1;
                }
                None => {
                    self.step(role);
                }
            }
        }
    }

    /// SET: one value behind TO where several follow each other, all that is left where there is one, and behind UP BY and DOWN BY.
    fn set(&mut self) {
        let moves_on = self.words.iter().any(|word| word.is_any(&["UP", "DOWN"]));
        let several = self.words.iter().filter(|word| word.is("TO")).count() > 1;
        let target = if moves_on { Role::Both } else { Role::Set };
        let mut role = target;
        while let Some(word) = self.peek(0) {
            if self.depth == 0 && word.is_any(&["TO", "UP", "DOWN", "BY"]) {
                role = Role::Read;
                self.at += 1;
                if several {
                    self.step(Role::Read);
                    role = target;
                }
            } else if !self.step(role) {
                return;
            }
        }
    }

    /// INSPECT: its first item is changed where something is replaced, and what stands before FOR is counted up.
    fn inspect(&mut self) {
        let changes = self.words.iter().any(|word| word.is_any(&["REPLACING", "CONVERTING"]));
        self.step(if changes { Role::Both } else { Role::Read });
        while let Some(word) = self.peek(0) {
            let counts = self.depth == 0
                && word.kind == Kind::Name
                && self.words.get(self.behind_operand()).is_some_and(|next| next.is("FOR"));
            self.step(if counts { Role::Both } else { Role::Read });
        }
    }

    /// Where the words go on behind the operand at the cursor.
    fn behind_operand(&self) -> usize {
        let mut at = self.at + 1;
        while self.words.get(at).is_some_and(|word| word.is_any(&["OF", "IN"])) {
            at += 2;
        }
        let mut depth = 0usize;
        while let Some(word) = self.words.get(at) {
            match (word.kind, word.text, depth) {
                (Kind::Sign, "(", _) => depth += 1,
                (_, _, 0) => break,
                (Kind::Sign, ")", _) => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        at
    }

    fn pass_label(&mut self) {
        if self.peek(0).is_none_or(|word| word.kind != Kind::Name) {
            return;
        }
        // `PERFORM N TIMES` without a label is an inline one whose body stands in the same words.
        if self.words.get(self.behind_operand()).is_some_and(|word| word.is("TIMES")) {
            return;
        }
        self.at += 1;
        while self.peek(0).is_some_and(|word| word.is_any(&["OF", "IN"])) {
            self.at += 2;
        }
    }

    /// Passes one word, or one name with its qualifiers, and tells it. False at the end.
    fn step(&mut self, role: Role) -> bool {
        let Some(word) = self.peek(0) else { return false };
        let next_is = |wanted: &str| self.peek(1).is_some_and(|next| next.is(wanted));
        if word.kind != Kind::Name {
            if word.is_sign("(") {
                self.depth += 1;
            } else if word.is_sign(")") {
                self.depth = self.depth.saturating_sub(1);
            }
            self.at += 1;
        } else if word.is("FUNCTION") {
            let asks_length = self.peek(1).is_some_and(|name| name.is_any(&["LENGTH", "BYTE-LENGTH"]));
            self.at = if asks_length {
                self.at += 1;
                self.behind_operand()
            } else {
                self.at + 2
            };
        } else if word.is("LENGTH") && next_is("OF") {
            self.at += 2;
            self.at = self.behind_operand();
        } else if word.is("ADDRESS") && next_is("OF") {
            self.at += 2;
            match role {
                Role::Set | Role::Both if self.depth == 0 => self.operand(role),
                _ => self.at = self.behind_operand(),
            }
        } else {
            self.operand(if self.depth > 0 { Role::Read } else { role });
        }
        true
    }

    fn operand(&mut self, role: Role) {
        let Some(name) = self.peek(0).filter(|name| name.kind == Kind::Name) else { return };
        let mut qualifiers = Vec::new();
        self.at += 1;
        while self.peek(0).is_some_and(|word| word.is_any(&["OF", "IN"]))
            && let Some(qualifier) = self.peek(1).filter(|word| word.kind == Kind::Name)
        {
            qualifiers.push(qualifier.text);
            self.at += 2;
        }
        // Numbers are no names; a name may begin with a digit all the same.
        let is_number = name.text.bytes().all(|byte| byte.is_ascii_digit());
        if role != Role::Ignored && !is_number {
            self.found.push(Operand { name: name.text, qualifiers, role });
        }
    }
}
