//! Words of COBOL and CICS in a text, as it names what is done with them.

use super::wording::{denies, is_one, plain_sentences, sentences};
use super::{EvidenceIndex, Region, Statement};
use crate::anchors::words;
use foldhash::HashSet;
use std::cell::LazyCell;
use war_rig_cobol::{ExecKind, Verb};
use war_rig_text::LineRange;

/// Words that say how something is done. In capitals, a text means the source's own.
const KEYWORDS: &[&str] = &[
    "ABEND", "ASKTIME", "CANCEL", "CHARACTERS", "COMMIT", "DELETEQ", "DEQ", "DISPLAY", "ENDBR", "ENQ", "EXTEND",
    "FORMATTIME", "FREEMAIN", "GETMAIN", "GOBACK", "GTEQ", "HANDLE", "INITIALIZE", "INSPECT", "LEADING", "LINK",
    "READNEXT", "READPREV", "READQ", "RECEIVE", "RELEASE", "RESETBR", "REWRITE", "ROLLBACK", "ROUNDED", "SEARCH",
    "SORT", "STARTBR", "STRING", "SYNCPOINT", "TALLYING", "TRAILING", "UNSTRING", "WRITEQ", "XCTL",
];

/// Words of English for what statements and commands do.
const IN_ENGLISH: [(&[&str], &str); 14] = [
    (&["displayed", "displays"], "DISPLAY"),
    (&["committed", "commits"], "COMMIT"),
    (&["rolled", "rollback"], "ROLLBACK"),
    (&["sorted", "sorts"], "SORT"),
    (&["opened", "opens"], "OPEN"),
    (&["closed", "closes"], "CLOSE"),
    (&["rewritten", "rewrites"], "REWRITE"),
    (&["deleted", "deletes"], "DELETE"),
    (&["sent", "sends"], "SEND"),
    (&["linked", "links"], "LINK"),
    (&["rounded", "rounds"], "ROUNDED"),
    (&["abends", "abended"], "ABEND"),
    (&["calls", "called"], "CALL"),
    (&["released", "releases"], "RELEASE"),
];

/// What nothing does but these: a text that tells it of other lines is doubtful.
const DONE_BY: [(&str, &[&str]); 6] = [
    ("DISPLAY", &["DISPLAY", "SEND", "WRITE", "STRING", "REPORT", "GENERATE", "CALL"]),
    ("COMMIT", &["COMMIT", "SYNCPOINT"]),
    ("SORT", &["SORT", "MERGE", "ORDER", "SEARCH"]),
    ("CLOSE", &["CLOSE"]),
    ("ROUNDED", &["ROUNDED"]),
    ("ABEND", &["ABEND", "CALL", "STOP"]),
];

/// Commands that take the records of a file in one order, with words for the other.
const ORDERS: [(&str, [&str; 2]); 2] = [("READPREV", ["forward", "forwards"]), ("READNEXT", ["backward", "backwards"])];

/// Words that also say in English, or of another statement, what they say.
const SHARED: [&str; 15] = [
    "ABEND", "CANCEL", "CHARACTERS", "COMMIT", "DISPLAY", "EXTEND", "GOBACK", "LEADING", "LINK", "RECEIVE", "ROUNDED",
    "SEARCH", "SORT", "STOP", "TRAILING",
];

/// Returns the statement or command that a word of English stands for.
pub(super) fn in_english(word: &str) -> Option<&'static str> {
    let found = IN_ENGLISH.iter().find(|(told, _)| word.contains(char::is_lowercase) && is_one(word, told));
    found.map(|(_, command)| *command)
}

/// Whether a word is the name of a statement, a command or an option that the source must have.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

impl EvidenceIndex<'_> {
    /// Whether a text names such a word, and neither the evidence nor what the cited lines perform has it.
    pub(super) fn has_foreign_keyword(&self, statement: &Statement<'_>, region: &Region, cited: &[LineRange]) -> bool {
        // What is moved to a map is shown by it.
        let shows = self.parsed().execs.iter().any(|exec| exec.kind == ExecKind::Cics);
        let below = LazyCell::new(|| self.own(&self.performed(cited)));
        let has = |word: &str| region.holds_literal(word) || below.holds_literal(word);
        let does = |word: &str| {
            let Some(told) = in_english(word) else { return true };
            let done = DONE_BY.iter().find(|(command, _)| *command == told);
            done.is_none_or(|(_, done)| done.iter().any(|word| has(word)))
                || (told == "DISPLAY" && shows && has("MOVE"))
        };
        words_told(statement).any(|word| (is_keyword(word) && !has(word)) || !does(word))
    }

    /// Whether a text names such a word, and no line of the program has it.
    pub(super) fn has_unused_keyword(&self, statement: &Statement<'_>) -> bool {
        let used = self.keywords_used.get_or_init(|| {
            let code = self.source.lines().filter(|line| !line.is_comment());
            let code: HashSet<String> = code.flat_map(|line| words(line.code())).map(str::to_uppercase).collect();
            KEYWORDS.iter().copied().filter(|word| code.contains(*word)).collect()
        });
        let is_unused = |word: &str| is_keyword(word) && !SHARED.contains(&word) && !used.contains(&word);
        words_told(statement).any(is_unused) && !self.has_copied_code()
    }

    /// Whether a text names an option of a cited statement that this has not: WHEN OTHER of an EVALUATE, TEST AFTER of a PERFORM.
    pub(super) fn has_another_option(&self, text: &str, cited: &[LineRange]) -> bool {
        let plain = || plain_sentences(text);
        let says = |words: &str| plain().any(|sentence| sentence.contains(words));
        let parsed = self.parsed();
        let own = |verb: Verb| self.statements_in(cited).filter(move |index| parsed.statements[*index].verb == verb);
        let has_other = |statement: &usize| {
            let branches = self.analysis.decisions().branches_of(*statement);
            branches.iter().any(|branch| parsed.is_when_other(&parsed.branches[*branch]))
        };
        let tests_after = |statement: usize| parsed.words(&parsed.statements[statement]).has("AFTER");
        (says("WHEN OTHER")
            && own(Verb::Evaluate).next().is_some()
            && !own(Verb::Evaluate).any(|index| has_other(&index)))
            || (says("TEST AFTER") && own(Verb::Perform).next().is_some() && !own(Verb::Perform).any(tests_after))
    }

    /// Whether a text has records read in the other order than the only one in which cited commands read them.
    pub(super) fn reads_in_another_order(&self, text: &str, cited: &[LineRange]) -> bool {
        let has = |of: &[&str]| !denies(text) && words(text).any(|word| is_one(word, of));
        let reads = |command: &str| {
            let execs = self.parsed().execs.iter().filter(|exec| exec.file.is_none() && exec.command == command);
            execs.into_iter().any(|exec| cited.iter().any(|range| range.intersection(exec.lines).is_some()))
        };
        let [(one, against_one), (other, against_other)] = ORDERS;
        let is_against = |command, words: &[&str], opposite, others: &[&str]| {
            reads(command) && !reads(opposite) && has(words) && !has(others)
        };
        is_against(one, &against_one, other, &against_other) || is_against(other, &against_other, one, &against_one)
    }
}

/// Returns the words of an item outside of its conditions, which also tell what comes before the lines, and of its denials.
fn words_told<'s>(statement: &'s Statement<'_>) -> impl Iterator<Item = &'s str> {
    statement.told().flat_map(sentences).filter(|sentence| !denies(sentence)).flat_map(words)
}
