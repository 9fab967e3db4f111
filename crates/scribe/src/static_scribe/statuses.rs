//! The meanings of status values, for a reader who does not know the numbers.
//!
//! File status: ISO/IEC 1989, I-O status, and Enterprise COBOL for z/OS, File status key. SQLCODE: Db2 for z/OS, Codes. RESP: CICS
//! Transaction Server, RESP values. DL/I: IMS, DL/I status codes. MQ: IBM MQ, API reason codes.

use war_rig_cobol::{Condition, ParsedCobol, RelationalOperator};

const OF_FILES: &[(&str, &str)] = &[
    ("02", "a further record has this alternate key"),
    ("04", "the record has another length"),
    ("05", "an optional file is not there"),
    ("10", "end of the file"),
    ("14", "the relative record number has too many digits"),
    ("21", "the keys are out of order"),
    ("22", "there is a record with this key already"),
    ("23", "no such record"),
    ("24", "beyond the bounds of the file"),
    ("30", "permanent error"),
    ("34", "no room"),
    ("35", "the file is not there"),
    ("37", "the file cannot be opened so"),
    ("38", "the file was closed with lock"),
    ("39", "the file has other attributes"),
    ("41", "open already"),
    ("42", "not open"),
    ("43", "no record was read before"),
    ("46", "read behind the end"),
    ("47", "not open for reading"),
    ("48", "not open for writing"),
    ("49", "not open for updating"),
    ("93", "resource not available"),
    ("96", "no DD statement"),
];

const OF_SQL: &[(&str, &str)] = &[
    ("100", "no row"),
    ("-305", "a null value without an indicator"),
    ("-501", "the cursor is not open"),
    ("-530", "no parent row"),
    ("-532", "a dependent row forbids it"),
    ("-803", "there is a row with this key already"),
    ("-811", "more than one row"),
    ("-904", "resource not available"),
    ("-911", "deadlock or timeout, rolled back"),
    ("-913", "deadlock or timeout"),
];

const OF_CICS: &[(&str, &str)] = &[
    ("DUPREC", "there is a record with this key already"),
    ("ENDFILE", "end of the file"),
    ("FILENOTFOUND", "no such file"),
    ("MAPFAIL", "nothing came from the screen"),
    ("NOTFND", "no such record"),
    ("PGMIDERR", "no such program"),
    ("QIDERR", "no such queue"),
];

const OF_DLI: &[(&str, &str)] = &[
    ("DA", "the key was changed"),
    ("DJ", "no segment was held before"),
    ("GB", "end of the database"),
    ("GE", "no such segment"),
    ("II", "the segment is there already"),
    ("TC", "a PSB is scheduled already"),
];

const OF_MQ: &[(&str, &str)] = &[
    ("2033", "no message"),
    ("2053", "the queue is full"),
    ("2059", "the queue manager is not available"),
    ("2085", "no such queue"),
    ("MQRC-NO-MSG-AVAILABLE", "no message"),
];

/// Words the meaning of a condition that tests for one status value: `no such record`.
pub(super) fn meaning(condition: &Condition, parsed: &ParsedCobol) -> Option<&'static str> {
    let Condition::Comparison { left, relation: RelationalOperator::Equal, right } = condition else {
        return None;
    };
    let left = left.text().to_ascii_uppercase();
    if right.words().first()?.is("DFHRESP") {
        return find(OF_CICS, &right.words().get(2)?.text.to_ascii_uppercase());
    }
    let value = right.text().trim_matches(['\'', '"']).trim_start_matches('+');
    if left == "SQLCODE" {
        return find(OF_SQL, value);
    }
    let is_of_file = parsed.files.iter().any(|file| file.status.as_deref() == Some(left.as_str()));
    if is_of_file {
        return find(OF_FILES, value);
    }
    // The codes of DL/I are letters and those of MQ have four digits: no other status has such values.
    find(OF_DLI, value).or_else(|| find(OF_MQ, &value.to_ascii_uppercase()))
}

fn find(known: &[(&str, &'static str)], value: &str) -> Option<&'static str> {
    known.iter().find(|(code, _)| *code == value).map(|(_, meaning)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_cobol::{CodeText, FileControl};

    #[test]
    fn single_values_have_a_meaning() {
        let file = FileControl { status: Some("FS".to_owned()), ..FileControl::default() };
        let mut parsed = ParsedCobol::default();
        parsed.files.push(file);
        let check = |left: &str, relation: RelationalOperator, right: &str, expected: Option<&str>| {
            let asked = Condition::Comparison { left: CodeText::read(left), relation, right: CodeText::read(right) };
            assert_eq!(meaning(&asked, &parsed), expected, "{asked}");
        };
        check("FS", RelationalOperator::Equal, "'23'", Some("no such record"));
        check("FS", RelationalOperator::NotEqual, "'23'", None);
        check("OTHER-ITEM", RelationalOperator::Equal, "'23'", None);
        check("SQLCODE", RelationalOperator::Equal, "+100", Some("no row"));
        check("SQLCODE", RelationalOperator::Equal, "-803", Some("there is a row with this key already"));
        check("DIBSTAT", RelationalOperator::Equal, "'GE'", Some("no such segment"));
        check("REASON", RelationalOperator::Equal, "MQRC-NO-MSG-AVAILABLE", Some("no message"));
        check("REASON", RelationalOperator::Equal, "2033", Some("no message"));
        check("RESP-CODE", RelationalOperator::Equal, "DFHRESP(NOTFND)", Some("no such record"));
        check("RESP-CODE", RelationalOperator::Equal, "DFHRESP(NORMAL)", None);
    }
}
