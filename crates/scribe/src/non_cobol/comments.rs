//! Reads the comments of sources that are not COBOL; they are quoted and never used as facts.

use war_rig_cobol::comments::{IGNORED_LABELS, is_date, is_history, is_notice, is_telling, label, whole_sentences};
use war_rig_estate::jcl::{EffectiveStep, JclComment};
use war_rig_text::SourceText;

/// How many lines of a comment are quoted.
const LINES_QUOTED: usize = 8;

/// Joins groups of comment lines to one text. It skips copyright notices, histories, dates and statements that were commented
/// out.
pub(super) fn said<'a>(groups: impl Iterator<Item = &'a [String]>) -> Option<String> {
    let telling = groups.filter(|lines| !lines.iter().any(|line| is_notice(line) || is_history(line)));
    let lines: Vec<String> = telling.flat_map(prose_of).collect();
    let text = whole_sentences(&lines, LINES_QUOTED, None);
    // A single word is a label.
    text.contains(' ').then_some(text)
}

/// Returns the lines of a group that are prose: no statements that were commented out, and none of the data behind them.
fn prose_of(group: &[String]) -> Vec<String> {
    let mut is_data = false;
    let mut lines = Vec::new();
    for line in group.iter().map(|line| trimmed(line)) {
        let words: Vec<&str> = line.split_whitespace().collect();
        // The asterisk of `DD *` belongs to the frame.
        is_data = match (words.as_slice(), is_job_control(&words)) {
            ([_, "DD"], true) => true,
            ([_, "DD", more, ..], true) => more.starts_with("DATA") || more.starts_with('*'),
            (_, true) => false,
            (_, false) => is_data,
        };
        if !is_data && says(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Returns the text of the comments of a job: not of those that speak of one of its steps.
pub(super) fn of_job(comments: &[JclComment]) -> Option<String> {
    let own = comments.iter().filter(|comment| !comment.is_of_step(""));
    said(own.map(|comment| comment.text.as_slice()))
}

/// Returns the text of comments about a step. Words above statements that were commented out are about those.
pub(super) fn of_step<'a>(comments: impl Iterator<Item = &'a JclComment>) -> Option<String> {
    let is_statement = |line: &String| begins_statement(&trimmed(line).split_whitespace().collect::<Vec<_>>());
    said(comments.map(|comment| {
        let from = comment.text.iter().rposition(is_statement).unwrap_or_default();
        &comment.text[from..]
    }))
}

/// Returns the text of comments in job control.
pub(super) fn of_job_control(comments: &[JclComment]) -> Option<String> {
    said(comments.iter().map(|comment| comment.text.as_slice()))
}

/// Returns the text of the comments above a step in the source itself; of a step of a procedure, those above the EXEC of the procedure.
pub(super) fn above_step(step: &EffectiveStep) -> Option<String> {
    let own = |comments: &[JclComment]| of_step(comments.iter().filter(|comment| comment.file.is_none()));
    own(&step.caller_comments).or_else(|| own(&step.step.comments))
}

/// Returns the text of the comments in the source itself that stand before the EXEC of a step, not behind it.
pub(super) fn before_exec(step: &EffectiveStep) -> Option<String> {
    let (comments, exec) = match step.call_sites.iter().find(|place| place.file.is_none()) {
        Some(place) => (&step.caller_comments, place.lines),
        None => (&step.step.comments, step.step.exec),
    };
    let stands_before = |comment: &&JclComment| comment.file.is_none() && comment.lines.end() < exec.start();
    of_step(comments.iter().filter(stands_before))
}

/// Whether a comment above a step says itself that it is of this step alone.
pub(super) fn names_its_step(step: &EffectiveStep) -> bool {
    let name = step.path.first().map(String::as_str).unwrap_or_default();
    step.caller_comments.iter().chain(&step.step.comments).any(|comment| comment.is_of_step(name))
}

/// Returns the text of the comment lines at the beginning of a source, which begin with one of these marks.
pub(super) fn at_the_top(source: &SourceText, marks: &[&str]) -> Option<String> {
    let mut groups: Vec<Vec<String>> = vec![Vec::new()];
    for line in source.lines() {
        let text = line.text().trim();
        let Some(mark) = marks.iter().find(|mark| text.starts_with(**mark)) else {
            if text.is_empty() {
                continue;
            }
            break;
        };
        let words = text[mark.len()..].trim();
        let last = groups.last_mut()?;
        if !words.chars().any(char::is_alphanumeric) {
            groups.push(Vec::new());
        } else {
            last.push(words.to_owned());
        }
    }
    said(groups.iter().map(Vec::as_slice))
}

/// Quotes the first sentence of a comment: `"MONTH END" (its own comment)`.
pub(super) fn quoted(comment: &str, whose: &str) -> String {
    let mut ends = comment.match_indices(". ").map(|(at, _)| &comment[..at]);
    let first = ends.find(|before| !ends_with_item_number(before)).unwrap_or(comment);
    format!("\"{}\" ({whose})", first.trim_end_matches('.'))
}

/// Whether a text ends with the number of an item in a list: `does: 1`. A long number is one of something, and ends a sentence.
fn ends_with_item_number(text: &str) -> bool {
    let word = text.rsplit(' ').next().unwrap_or_default();
    matches!(word.len(), 1 | 2) && word.chars().all(|c| c.is_ascii_digit())
}

/// Removes the frame around a line.
fn trimmed(line: &str) -> String {
    let frame = |c: char| c.is_whitespace() || matches!(c, '*' | '-' | '=' | '+' | '|' | '`' | '_');
    // A slash behind a word joins it to the next line.
    let mut text = line.trim_matches(frame).trim_start_matches('/').trim_start_matches(frame);
    while let Some(rest) = text.strip_suffix('/').filter(|rest| !rest.ends_with(char::is_alphanumeric)) {
        text = rest.trim_end_matches(frame);
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn says(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_statement = is_job_control(&words);
    let is_label = label(line).is_some_and(|(label, _)| IGNORED_LABELS.contains(&label.as_str()));
    // A scheduler reads statements of its own in comments.
    let is_of_scheduler = line.starts_with("%%");
    is_telling(line)
        && !is_of_scheduler
        && !is_statement
        && !is_label
        && !words.first().is_some_and(|word| is_date(word))
}

/// Whether words are a statement of job control that was commented out, or its parameters.
fn is_job_control(words: &[&str]) -> bool {
    let is_parameter = |word: &&str| word.split_once('=').is_some_and(|(keyword, _)| PARAMETERS.contains(&keyword));
    let is_operation = |word: &&str| matches!(*word, "EXEC" | "DD" | "JOB" | "JCLLIB" | "INCLUDE" | "OUTPUT" | "SET");
    let has_operation = words.windows(2).take(2).any(|pair| is_operation(&pair[0]) && pair[1].contains('='));
    has_operation
        || words.first().is_some_and(|word| JES_STATEMENTS.contains(word))
        || words.first().is_some_and(is_parameter)
        || begins_statement(words)
}

/// Whether words are the first line of a statement: a name, an operation and an operand that it may have.
fn begins_statement(words: &[&str]) -> bool {
    words.get(1).is_some_and(|operation| takes_operands(operation, words.get(2).copied()))
}

/// Whether an operation may have this operand: `THIS JOB LOADS` is no statement.
fn takes_operands(operation: &str, operand: Option<&str>) -> bool {
    let is_keyword = || operand.is_none_or(|operand| operand.contains('='));
    match operation {
        "PEND" => operand.is_none(),
        "EXEC" => operand.is_some_and(|word| word.contains(['=', ',']) || !word.contains(char::is_lowercase)),
        "DD" => {
            is_keyword() || operand.is_some_and(|word| ["*", "DATA", "DUMMY"].iter().any(|data| word.starts_with(data)))
        }
        "JOB" => {
            is_keyword() || operand.is_some_and(|word| !word.starts_with(char::is_alphabetic) || word.contains(','))
        }
        "PROC" | "SET" => is_keyword(),
        _ => false,
    }
}

/// Statements to the job entry subsystem that are commented out without their marks.
const JES_STATEMENTS: [&str; 3] = ["JOBPARM", "XEQ", "ROUTE"];

/// Keywords of statements of job control.
const PARAMETERS: [&str; 22] = [
    "PGM", "PROC", "PARM", "COND", "REGION", "CLASS", "MSGCLASS", "MSGLEVEL", "NOTIFY", "TYPRUN", "DSN", "DSNAME",
    "DISP", "SPACE", "UNIT", "VOL", "DCB", "RECFM", "LRECL", "BLKSIZE", "SYSOUT", "MEMBER",
];

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::ReadOptions;

    #[track_caller]
    fn check(groups: &[&[&str]], expected: Option<&str>) {
        let groups: Vec<Vec<String>> =
            groups.iter().map(|lines| lines.iter().map(|line| (*line).to_owned()).collect()).collect();
        assert_eq!(said(groups.iter().map(Vec::as_slice)).as_deref(), expected);
    }

    #[test]
    fn what_is_said_of_the_work_is_quoted_and_nothing_else() {
        check(
            &[&["CLAIMS OF THREE OFFICES", "1993-10 PAC  NEW"], &["Copyright 1999", "AS THEY WERE KEYED"]],
            Some("CLAIMS OF THREE OFFICES"),
        );
        check(&[&["REINS    EXEC TMABATCH,PGM=EURSTMT", "STEP"]], None);
        check(&[&["**** Create the database ****"]], Some("Create the database"));
        check(&[&["YLIBS JCLLIB ORDER=PROD.PROCLIB", "STEPLIB INCLUDE MEMBER=LIBS"]], None);
        check(&[&["DD DSN=PROD.OUT,DISP=SHR", "DISP=(NEW,CATLG),", "PGM=SORT"]], None);
        check(&[&["//S1 EXEC PGM=X", "//SYSIN DD *", "THE CARD OF IT"], &["THE WORK OF IT"]], Some("THE WORK OF IT"));
        check(&[&["JOBPARM SYSAFF=SYS1 AND MORE", "%%SET %%A = %%$ODATE OF IT"]], None);
        check(&[&["INCLUDE the OUTPUT of the day"]], Some("INCLUDE the OUTPUT of the day"));
        check(&[], None);
    }

    #[test]
    fn words_above_statements_that_were_commented_out_are_not_about_the_step() {
        let of = |lines: &[&str]| {
            let text = lines.iter().map(|line| (*line).to_owned()).collect();
            let lines = war_rig_text::LineRange::single(war_rig_text::LineNumber::FIRST);
            of_step([JclComment { text, lines, file: None }].iter())
        };
        assert_eq!(of(&["THE OLD WAY", "//OLD EXEC PGM=X", "//SYSIN DD *", "A CARD"]), None);
        assert_eq!(of(&["TAKES ALL", "PARM='1' MEANS ALL"]).as_deref(), Some("TAKES ALL"));
        assert_eq!(of(&["//OLD EXEC PGM=X", "THE NEW WAY"]).as_deref(), Some("THE NEW WAY"));
        assert_eq!(of(&["THIS JOB LOADS IT", "THE SET OF ALL"]).as_deref(), Some("THIS JOB LOADS IT THE SET OF ALL"));
    }

    #[test]
    fn a_source_begins_with_its_comment() {
        let text = "*****\n* MENU - MAIN MENU\n* 1991-03 NEW\n*****\nX DFHMSD TYPE=MAP\n* LATER WORDS\n";
        let source = SourceText::read("T.bms", text.into(), &ReadOptions::default()).unwrap();
        assert_eq!(at_the_top(&source, &["*"]).as_deref(), Some("MENU - MAIN MENU"));
    }

    #[test]
    fn the_first_sentence_is_quoted() {
        assert_eq!(quoted("CASH. THEN BILLS.", "its own comment"), "\"CASH\" (its own comment)");
        assert_eq!(
            quoted("DOES: 1. CASH 2. BILLS. MORE.", "its own comment"),
            "\"DOES: 1. CASH 2. BILLS\" (its own comment)"
        );
        assert_eq!(quoted("CASH OF 1998. THEN BILLS.", "its own comment"), "\"CASH OF 1998\" (its own comment)");
        assert_eq!(quoted("CASH THEN BILLS.", "its own comment"), "\"CASH THEN BILLS\" (its own comment)");
    }
}
