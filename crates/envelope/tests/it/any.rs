//! Envelopes of any kind, by a seed.

use super::*;
use fastrand::Rng;
use war_rig_envelope::EnvelopeHeaders;

/// Text with long and short lines, long words and characters of all sizes.
pub(crate) fn any_text(rng: &mut Rng, most: usize) -> String {
    let length = rng.usize(..=most);
    let mut text = String::new();
    while text.len() < length {
        match rng.u8(..12) {
            0 => text.push('\n'),
            1 => text.push_str("\r\n"),
            2 => text.push(' '),
            3 => text.push('\t'),
            4 => text.push('é'),
            5 => text.push('\u{2028}'),
            6 => text.push('😀'),
            7 => text.push('"'),
            8 => text.push('\\'),
            _ => (0..rng.usize(..12)).for_each(|_| text.push(rng.alphabetic())),
        }
    }
    text
}

/// JSON with blanks anywhere, members of one name, and brackets and commas inside strings.
pub(crate) fn any_json(rng: &mut Rng, most: usize) -> String {
    let mut json = String::new();
    let (open, close, members) = if rng.bool() { ('[', ']', false) } else { ('{', '}', true) };
    blanks(rng, &mut json);
    json.push(open);
    let length = rng.usize(..=most);
    let mut first = true;
    while json.len() < length {
        if !first {
            json.push(',');
        }
        first = false;
        blanks(rng, &mut json);
        if members {
            json.push_str(["\"a\"", "\"b,]\"", "\"\\\"}\"", "\"\""][rng.usize(..4)]);
            blanks(rng, &mut json);
            json.push(':');
        }
        json.push_str(&value(rng, 3));
        blanks(rng, &mut json);
    }
    json.push(close);
    blanks(rng, &mut json);
    json
}

fn value(rng: &mut Rng, depth: usize) -> String {
    match rng.u8(..if depth == 0 { 5 } else { 7 }) {
        0 => "null".to_owned(),
        1 => "-1.50e+3".to_owned(),
        2 => rng.u32(..).to_string(),
        3 => r#""[\",{}\\""#.to_owned(),
        4 => serde_json::to_string(&any_text(rng, 12)).unwrap(),
        5 => {
            let values: Vec<_> = (0..rng.usize(..4)).map(|_| value(rng, depth - 1)).collect();
            format!("[{}]", values.join(" , "))
        }
        _ => {
            let values: Vec<_> = (0..rng.usize(..3)).map(|_| format!("\"k\":{}", value(rng, depth - 1))).collect();
            format!("{{{}}}", values.join(","))
        }
    }
}

fn blanks(rng: &mut Rng, json: &mut String) {
    if rng.u8(..4) == 0 {
        json.push_str([" ", "\n", "\t ", "\r\n"][rng.usize(..4)]);
    }
}

pub(crate) fn any_payload(rng: &mut Rng, most: usize) -> Payload {
    match rng.u8(..3) {
        0 => Payload::json(any_json(rng, most)).unwrap(),
        1 => Payload::text(any_text(rng, most)).unwrap(),
        _ => {
            let length = rng.usize(..=most);
            Payload::bytes((0..length).map(|_| rng.u8(..)).collect::<Vec<_>>())
        }
    }
}

pub(crate) fn any_envelope(rng: &mut Rng, id: &str, most: usize) -> Envelope {
    let mut envelope = envelope(id, any_payload(rng, most));
    if rng.bool() {
        envelope.correlation_id = Some(EnvelopeId::new("asked").unwrap());
    }
    if rng.bool() {
        let headers = EnvelopeHeaders::new().with("X-Program", "PAYROLL").unwrap();
        envelope.headers = headers.with("Note", "größer: ja").unwrap().with("Note", "").unwrap();
    }
    envelope
}

pub(crate) fn any_options(rng: &mut Rng, length: usize) -> (SplitStrategy, SplitOptions) {
    let strategy =
        [SplitStrategy::Auto, SplitStrategy::Auto, SplitStrategy::Bytes, SplitStrategy::Json, SplitStrategy::Text]
            [rng.usize(..5)];
    let most = (length / 2).max(9);
    (strategy, at_most(rng.usize(8..=most)))
}
