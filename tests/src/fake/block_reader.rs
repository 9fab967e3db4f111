//! What a Scribe that misses nothing sees in the words of a block.

use super::block_words::{BlockWord, BlockWords};
use super::log::AnswerItemKind;
use regex::Regex;
use std::sync::LazyLock;

/// One thing that is shown in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlockItem {
    pub(crate) kind: AnswerItemKind,
    /// Its name: of a paragraph, program, copybook, file, result; a command; a condition.
    pub(crate) name: String,
    /// A table or resource; how a program is called.
    pub(crate) detail: Option<String>,
    /// Its first row.
    pub(crate) start: usize,
    /// Its last row.
    pub(crate) end: usize,
}

/// Words that look like the header of a paragraph and are none.
const NO_PARAGRAPH: &str = "PROGRAM-ID FUNCTION-ID CLASS-ID METHOD-ID AUTHOR INSTALLATION DATE-WRITTEN DATE-COMPILED SECURITY \
    REMARKS SOURCE-COMPUTER OBJECT-COMPUTER SPECIAL-NAMES REPOSITORY FILE-CONTROL I-O-CONTROL DECLARATIVES FILLER EJECT SKIP1 \
    SKIP2 SKIP3 EXIT GOBACK CONTINUE STOP ELSE THEN COPY";

const VERBS: &str = "ACCEPT ADD ALTER CALL CANCEL CLOSE COMPUTE CONTINUE DELETE DISPLAY DIVIDE EVALUATE EXEC EXECUTE EXIT GO GOBACK IF \
    INITIALIZE INSPECT MERGE MOVE MULTIPLY NEXT OPEN PERFORM READ RELEASE RETURN REWRITE SEARCH SET SORT START STOP STRING SUBTRACT \
    UNSTRING WRITE ELSE THEN WHEN";

static STATUS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("STATUS|SQLCODE|SQLSTATE|RESP|DIBSTAT|RETURN-CODE").expect("the expression is right"));

fn is_one_of(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// Words as the source sets them.
fn said(words: &[BlockWord]) -> String {
    let mut said = String::new();
    for word in words {
        if !said.is_empty() && !word.joined {
            said.push(' ');
        }
        said.push_str(&word.text);
    }
    said
}

/// Whether a word ends the statement before it.
fn ends_statement(word: &BlockWord) -> bool {
    let verb = word.text.strip_prefix("END-").unwrap_or(&word.text);
    word.is(".") || is_one_of(VERBS, verb)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockDivision {
    /// The block does not say; a part of a file may begin anywhere.
    Unknown,
    Procedure,
    Other,
}

struct BlockReader<'a> {
    words: &'a [BlockWord],
    is_free: bool,
    last_row: usize,
    division: BlockDivision,
    seen: Vec<BlockItem>,
    /// The paragraph that is being read.
    paragraph: Option<usize>,
}

/// Everything of a block that a perfect Scribe documents, in the order of its rows.
pub(crate) fn read_items(read: &BlockWords, rows: &[String]) -> Vec<BlockItem> {
    let mut reader = BlockReader {
        words: &read.words,
        is_free: read.is_free,
        last_row: rows.len(),
        division: BlockDivision::Unknown,
        seen: Vec::new(),
        paragraph: None,
    };
    reader.read();
    let mut seen = reader.seen;
    let included = |(row, name): &(usize, String)| item(AnswerItemKind::Copy, name.clone(), None, *row, *row);
    seen.extend(read.included.iter().map(included));
    seen.sort_by_key(|seen| seen.start);
    seen
}

fn item(kind: AnswerItemKind, name: String, detail: Option<String>, start: usize, end: usize) -> BlockItem {
    BlockItem { kind, name, detail, start, end }
}

impl BlockReader<'_> {
    fn is(&self, at: usize, text: &str) -> bool {
        self.words.get(at).is_some_and(|word| word.is(text))
    }

    fn row(&self, at: usize) -> usize {
        self.words.get(at).map_or(self.last_row, |word| word.row)
    }

    fn read(&mut self) {
        let mut at = 0;
        while at < self.words.len() {
            at = self.word(at);
        }
        self.end_paragraph(self.last_row);
    }

    /// Reads what begins at a word, and gives where to go on.
    fn word(&mut self, at: usize) -> usize {
        let word = &self.words[at];
        let starts = at == 0 || self.is(at - 1, ".");
        if self.is(at + 1, "DIVISION") {
            self.end_paragraph(word.row.saturating_sub(1));
            self.division = if word.is("PROCEDURE") { BlockDivision::Procedure } else { BlockDivision::Other };
            // The header of the PROCEDURE DIVISION may copy its parameters.
            return at + 2;
        }
        if word.is("EXEC") || word.is("EXECUTE") {
            return self.exec(at);
        }
        if word.is("COPY") && at > 0 && self.is(at - 1, "SQL") {
            return at + 1;
        }
        if word.is("COPY") {
            return self.copy(at);
        }
        if self.division == BlockDivision::Other {
            return at + 1;
        }
        if starts && word.is_name() && self.is(at + 1, "SECTION") {
            self.end_paragraph(word.row.saturating_sub(1));
            return self.sentence_end(at);
        }
        if starts && self.is_paragraph(at) {
            self.end_paragraph(word.row.saturating_sub(1));
            self.paragraph = Some(self.seen.len());
            self.seen.push(item(AnswerItemKind::Paragraph, word.text.clone(), None, word.row, word.row));
            return at + 2;
        }
        let named = self.words.get(at + 1).filter(|next| next.is_name() || next.is_literal());
        match (word.text.as_str(), named) {
            ("CALL", Some(target)) => {
                let how = if target.is_literal() { "static" } else { "dynamic" };
                let end = self.statement_end(at + 2);
                let name = target.bare().to_uppercase();
                self.seen.push(item(AnswerItemKind::Call, name, Some(how.to_owned()), word.row, end));
            }
            ("IF", _) => self.condition(at),
            ("READ", Some(file)) => self.flow(AnswerItemKind::Read, at, file),
            ("WRITE" | "REWRITE", Some(record)) => self.flow(AnswerItemKind::Write, at, record),
            ("COMPUTE", Some(result)) => self.flow(AnswerItemKind::Transform, at, result),
            _ => {}
        }
        at + 1
    }

    fn is_paragraph(&self, at: usize) -> bool {
        let word = &self.words[at];
        // Headers stand in Area A of fixed format, columns 8 to 11.
        let in_area = self.is_free || (1..=4).contains(&word.column);
        let is_level = word.text.len() <= 2 && word.text.chars().all(|c| c.is_ascii_digit());
        let is_other = is_one_of(NO_PARAGRAPH, &word.text) || ends_statement(word) || word.text.contains('\'');
        let is_level = is_level && self.division == BlockDivision::Unknown;
        word.is_name() && self.is(at + 1, ".") && in_area && !is_other && !is_level
    }

    fn end_paragraph(&mut self, row: usize) {
        if let Some(open) = self.paragraph.take() {
            let open = &mut self.seen[open];
            open.end = row.max(open.start);
        }
    }

    /// Behind the full stop of the sentence that a word stands in.
    fn sentence_end(&self, at: usize) -> usize {
        let stop = self.words[at..].iter().position(|word| word.is("."));
        stop.map_or(self.words.len(), |stop| at + stop + 1)
    }

    /// The last row of a statement, given where to look for what comes behind it.
    fn statement_end(&self, from: usize) -> usize {
        let rest = self.words.get(from..).unwrap_or_default();
        match rest.iter().position(ends_statement) {
            Some(stop) => self.words[from + stop - 1].row,
            None => self.words.last().map_or(self.last_row, |word| word.row),
        }
    }

    fn flow(&mut self, kind: AnswerItemKind, at: usize, what: &BlockWord) {
        let (start, end) = (self.words[at].row, self.statement_end(at + 2));
        self.seen.push(item(kind, what.text.clone(), None, start, end));
    }

    fn condition(&mut self, at: usize) {
        let rest = &self.words[at + 1..];
        let length = rest.iter().position(ends_statement).unwrap_or(rest.len());
        let condition = said(&rest[..length]);
        let (mut depth, mut end) = (1, self.last_row);
        for word in rest {
            match word.text.as_str() {
                "IF" => depth += 1,
                "END-IF" => depth -= 1,
                "." => depth = 0,
                _ => {}
            }
            if depth == 0 {
                end = word.row;
                break;
            }
        }
        let start = self.words[at].row;
        self.seen.push(item(AnswerItemKind::Rule, condition.clone(), None, start, end));
        if STATUS.is_match(&condition) {
            self.seen.push(item(AnswerItemKind::Error, condition, None, start, end));
        }
    }

    fn copy(&mut self, at: usize) -> usize {
        let end = self.sentence_end(at);
        let Some(name) = self.words.get(at + 1).filter(|word| word.is_name() || word.is_literal()) else {
            return at + 1;
        };
        let last = self.row(end - 1);
        self.seen.push(item(AnswerItemKind::Copy, name.bare().to_uppercase(), None, self.words[at].row, last));
        end
    }

    fn exec(&mut self, at: usize) -> usize {
        let stop = self.words[at..].iter().position(|word| word.is("END-EXEC")).map(|stop| at + stop);
        let (start, end) = (self.words[at].row, stop.map_or(self.last_row, |stop| self.row(stop)));
        let next = stop.map_or(self.words.len(), |stop| stop + 1);
        let inside = &self.words[(at + 2).min(next)..stop.unwrap_or(next)];
        if self.is(at + 1, "SQL") {
            self.seen.extend(sql(inside, start, end));
        } else if self.is(at + 1, "CICS") {
            self.seen.extend(cics(inside, start, end));
        }
        // A full stop behind a block that stands for itself begins a sentence like any other.
        next
    }
}

fn sql(words: &[BlockWord], start: usize, end: usize) -> Option<BlockItem> {
    let verb = words.first()?.text.as_str();
    let all: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let behind = |word: &str| {
        let at = all.iter().position(|found| *found == word)?;
        qualified(&words[at + 1..])
    };
    let (operation, table) = match verb {
        "INCLUDE" => {
            let name = words.get(1)?.bare().to_uppercase();
            let is_area = matches!(name.as_str(), "SQLCA" | "SQLDA");
            return (!is_area).then(|| item(AnswerItemKind::Copy, name, None, start, end));
        }
        // It only says where a precompiler finds host variables.
        "BEGIN" | "END" if all.contains(&"DECLARE") => return None,
        "DECLARE" if all.contains(&"CURSOR") => ("DECLARE CURSOR", behind("FROM")),
        "DECLARE" if all.contains(&"TABLE") => ("DECLARE TABLE", behind("DECLARE")),
        "SELECT" | "DELETE" => (verb, behind("FROM")),
        "INSERT" => (verb, behind("INTO")),
        "UPDATE" | "OPEN" | "CLOSE" => (verb, behind(verb)),
        "FETCH" => (verb, if all.contains(&"FROM") { behind("FROM") } else { behind("FETCH") }),
        _ => (verb, None),
    };
    Some(item(AnswerItemKind::Sql, operation.to_owned(), table, start, end))
}

/// A name with what qualifies it; the full stop between the two is no word.
fn qualified(words: &[BlockWord]) -> Option<String> {
    let first = words.first().filter(|word| word.is_name())?;
    match words.get(1).filter(|next| next.dotted) {
        Some(next) => Some(format!("{}.{}", first.text, next.text)),
        None => Some(first.text.clone()),
    }
}

fn cics(words: &[BlockWord], start: usize, end: usize) -> Vec<BlockItem> {
    const TWO: [(&str, &str); 13] = [
        ("SEND", "MAP TEXT CONTROL PAGE"),
        ("RECEIVE", "MAP"),
        ("HANDLE", "ABEND CONDITION AID"),
        ("IGNORE", "CONDITION"),
        ("READQ", "TS TD"),
        ("WRITEQ", "TS TD"),
        ("DELETEQ", "TS TD"),
        ("SYNCPOINT", "ROLLBACK"),
        ("GET", "CONTAINER COUNTER DCOUNTER"),
        ("PUT", "CONTAINER"),
        ("DEFINE", "COUNTER DCOUNTER"),
        ("DELETE", "COUNTER DCOUNTER"),
        ("QUERY", "COUNTER DCOUNTER"),
    ];
    let Some(first) = words.first().map(|word| word.text.as_str()) else { return Vec::new() };
    let all = || words.iter().map(|word| word.text.as_str());
    let second = TWO
        .iter()
        .find(|(verb, _)| *verb == first)
        .and_then(|(_, seconds)| seconds.split(' ').find(|second| all().any(|word| word == *second)));
    let command = second.map_or(first.to_owned(), |second| format!("{first} {second}"));
    // What stands in the parentheses of an option, subscripts and all.
    let option = |names: &str| {
        let at = words.windows(2).position(|found| is_one_of(names, &found[0].text) && found[1].is("("))?;
        let mut depth = 0;
        let inside = words[at + 2..].iter().take_while(|word| {
            depth += i32::from(word.is("(")) - i32::from(word.is(")"));
            depth >= 0
        });
        Some(said(&inside.cloned().collect::<Vec<_>>()).trim_matches(['\'', '"']).trim().to_owned())
    };
    let resource = option("MAP FILE DATASET QUEUE QNAME TRANSID PROGRAM");
    let mut seen = vec![item(AnswerItemKind::Cics, command, resource, start, end)];
    if let ("LINK" | "XCTL", Some(program)) = (first, option("PROGRAM")) {
        let how = format!("cics_{}", first.to_lowercase());
        seen.push(item(AnswerItemKind::Call, program.to_uppercase(), Some(how), start, end));
    }
    seen
}
