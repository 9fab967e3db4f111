//! What the comments at the head of a program say of how it is reached: its transactions and its callers.

use super::{head::program_lines, label, words_of};
use crate::model::ParsedCobol;
use war_rig_text::{LineNumber, SourceText};

/// The labels, in the languages of the estates that were read.
const LABELS: &[&str] = &[
    "CALLED BY", "CALLED FROM", "CALLER", "CALLERS", "CALLING PROGRAM", "CALLING PROGRAMS", "INVOKED BY",
    "LINKED FROM", "TRANSACTION", "TRANSACTION ID", "TRANSACTION-ID", "TRANSID", "TRANID", "TRAN ID", "CHAMADO POR",
    "CHAMADA POR", "TRANSACAO", "TRANSAÇÃO", "LLAMADO POR", "LLAMADO DESDE", "TRANSACCION", "TRANSACCIÓN",
    "APPELE PAR", "APPELÉ PAR", "AUFGERUFEN VON", "AUFRUFER", "TRANSAKTION", "CHIAMATO DA", "TRANSAZIONE",
];

/// Words that stand for no name.
const NO_NAMES: &[&str] = &["NONE", "NENHUM", "NENHUMA", "NINGUNO", "AUCUN", "KEINE", "NIL", "VARIOUS", "VARIOS"];

/// Words between names.
const JOINTS: &[&str] = &["AND", "OR", "E", "Y", "O", "OU", "ET", "UND", "ODER"];

/// What divides two fields in one line.
const GAP: &str = "   ";

/// Names behind a label of the head comment, such as `CALLED BY: PAY010, PAY020`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCallers {
    /// The label in capitals.
    pub label: String,
    /// The names, in order.
    pub names: Vec<String>,
    /// The line of the label.
    pub line: LineNumber,
}

/// Returns what the comments at the head of the first program name as its transactions and callers; of a label, also the names that stand alone in the lines
/// below it.
pub fn reached_by(source: &SourceText, parsed: &ParsedCobol) -> Vec<NamedCallers> {
    let mut found: Vec<NamedCallers> = Vec::new();
    let mut is_open = false;
    for line in program_lines(source, parsed, 0) {
        let words = if line.is_comment() { words_of(&line) } else { String::new() };
        match label(&words) {
            Some((label, rest)) => {
                // What stands behind a gap is another field.
                let field = line.visible().split_once(':').map_or(rest, |(_, behind)| behind.trim_start());
                let field = field.split(GAP).next().unwrap_or_default().trim_end_matches(['*', ' ']);
                let names = names(field).filter(|_| LABELS.contains(&label.as_str()));
                is_open = names.is_some();
                found.extend(names.map(|names| NamedCallers { label, names, line: line.number() }));
            }
            None => {
                let more = names(&words).filter(|_| is_open);
                is_open = more.is_some();
                if let (Some(more), Some(last)) = (more, found.last_mut()) {
                    last.names.extend(more);
                }
            }
        }
    }
    found
}

/// Returns the names in a text that consists of names alone.
fn names(text: &str) -> Option<Vec<String>> {
    let text = text.trim_end_matches('.');
    let words = text.split([' ', ',', ';', '/']).filter(|word| !word.is_empty() && !JOINTS.contains(word));
    let names: Vec<String> = words.map(str::to_owned).collect();
    // Words without anything between them are a sentence: `CALL FROM THE BATCH UTILITY`.
    let is_divided = |part: &str| part.split_whitespace().filter(|word| !JOINTS.contains(word)).count() < 2;
    let has_joints = text.split_whitespace().any(|word| JOINTS.contains(&word));
    let has_digits = |name: &String| name.contains(|c: char| c.is_ascii_digit());
    if !has_joints && !text.split([',', ';', '/']).all(is_divided) && !names.iter().all(has_digits) {
        return None;
    }
    let is_name = |name: &String| {
        (3..=8).contains(&name.len())
            && name.starts_with(|c: char| c.is_ascii_uppercase() || matches!(c, '#' | '$' | '@'))
            && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '#' | '$' | '@' | '-'))
            && !NO_NAMES.contains(&name.as_str())
    };
    (!names.is_empty() && names.iter().all(is_name)).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LexedSource, NoCopybooks, parse};
    use std::sync::Arc;
    use war_rig_text::ReadOptions;

    fn told(comment: &[&str]) -> Vec<(String, String)> {
        let comment = comment.iter().fold(String::new(), |lines, line| format!("{lines}      *    {line}\n"));
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n{comment}       PROCEDURE DIVISION.\n           GOBACK.\n"
        );
        let source = SourceText::read("P.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
        let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
        reached_by(&source, &parsed).into_iter().map(|named| (named.label, named.names.join(" "))).collect()
    }

    #[test]
    fn transactions_and_callers_behind_labels() {
        let named = |label: &str, names: &str| vec![(label.to_owned(), names.to_owned())];
        assert_eq!(told(&["TRANSACAO...: M581"]), named("TRANSACAO", "M581"));
        assert_eq!(told(&["CALLED BY: PAY010, PAY020 AND PAY030."]), named("CALLED BY", "PAY010 PAY020 PAY030"));
        let below = ["CHAMADO POR.: DCOM0102", "              DCOM0701", "", "              DCOM0999"];
        assert_eq!(told(&below), named("CHAMADO POR", "DCOM0102 DCOM0701"));
        let beside = ["CHAMADO POR.: DCOM0508           CHAMA: -      *"];
        assert_eq!(told(&beside), named("CHAMADO POR", "DCOM0508"));
        assert_eq!(told(&["CHAMADO POR.:                CHAMA: DCOM0612"]), []);
        assert_eq!(told(&["TRANSACTION: POSTS THE CLAIMS OF THE DAY"]), []);
        assert_eq!(told(&["INVOKED BY: CALL FROM THE BATCH UTILITY"]), []);
        assert_eq!(told(&["CALLED BY: PAY010 PAY020"]), named("CALLED BY", "PAY010 PAY020"));
        assert_eq!(told(&["CALLED BY: NONE"]), []);
        assert_eq!(told(&["AUTHOR: SMITH"]), []);
    }
}
