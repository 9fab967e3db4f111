//! At the limit, one under it and one over it.

use super::*;
use war_rig_envelope::{MAX_PIECES, MIN_PIECE_SIZE, SplitError};

#[test]
fn a_payload_at_the_limit_is_one_piece_and_one_byte_more_is_two() {
    for limit in [8, 100, 1_000_000] {
        for (bytes, pieces) in [(limit - 1, 1), (limit, 1), (limit + 1, 2), (limit * 2, 2), (limit * 2 + 1, 3)] {
            let envelope = text("e1", "x".repeat(bytes));
            let split = split(&envelope, SplitStrategy::Auto, &at_most(limit)).unwrap();
            assert_eq!(split.len(), pieces, "{bytes} bytes in pieces of {limit}");
            assert!(split.iter().all(|piece| piece.payload.len() <= limit));
            let chunked = split.iter().any(|piece| piece.headers.iter().any(|(name, _)| name.starts_with("X-Chunk-")));
            assert_eq!(chunked, pieces > 1);
            assert_eq!(joined(split), [envelope]);
        }
    }
}

#[test]
fn json_at_the_limit_is_one_piece_and_one_byte_more_is_two() {
    let json = r#"{"a":1,"b":[2,3]}"#;
    let envelope = envelope("e1", Payload::json(json).unwrap());
    let pieces = |limit| split(&envelope, SplitStrategy::Json, &at_most(limit)).unwrap();
    assert_eq!(pieces(json.len()).len(), 1);
    let two = pieces(json.len() - 1);
    let payloads: Vec<_> = two.iter().map(|piece| std::str::from_utf8(&piece.payload).unwrap()).collect();
    assert_eq!(payloads, [r#"{"a":1}"#, r#"{"b":[2,3]}"#]);
    assert_eq!(joined(two), [envelope]);
}

#[test]
fn a_whole_message_keeps_to_its_limit_headers_included() {
    let envelope = text("e1", "line\n".repeat(2000));
    let alone = split(&envelope, SplitStrategy::Auto, &SplitOptions::default()).unwrap();
    let whole = alone[0].wire_len();
    let options = |limit| SplitOptions { max_message: Some(limit), ..SplitOptions::default() };
    for (limit, one) in [(whole + 1, true), (whole, true), (whole - 1, false), (2000, false), (900, false)] {
        let pieces = split(&envelope, SplitStrategy::Auto, &options(limit)).unwrap();
        assert_eq!(pieces.len() == 1, one, "{limit}");
        let longest = pieces.iter().map(Piece::wire_len).max().unwrap();
        // Not over it, and not far below either: headers are reckoned with their longest numbers.
        assert!(longest <= limit && (one || limit - longest < 40), "{longest} of {limit}");
        assert_eq!(joined(pieces), std::slice::from_ref(&envelope));
    }
    assert!(matches!(split(&envelope, SplitStrategy::Auto, &options(500)), Err(SplitError::Limit { .. })));
}

#[test]
fn what_counts_as_a_message_is_what_nats_counts() {
    let headers = vec![("A".to_owned(), "b".to_owned()), ("Cd".to_owned(), String::new())];
    let piece = Piece { headers, payload: "xyz".into() };
    assert_eq!(piece.wire_len(), "NATS/1.0\r\nA: b\r\nCd: \r\n\r\nxyz".len());
}

#[test]
fn what_cannot_be_split_says_why() {
    let long = "x".repeat(100);
    let refused =
        |envelope: &Envelope, strategy, limit| split(envelope, strategy, &at_most(limit)).unwrap_err().to_string();
    let plain = text("e1", long.clone());
    assert_eq!(
        refused(&plain, SplitStrategy::Auto, MIN_PIECE_SIZE - 1),
        "a piece may have 7 bytes of payload, and must have room for 8"
    );
    assert_eq!(
        refused(&plain, SplitStrategy::Json, 10),
        "a payload of text is no JSON array or object, and cannot be split as one"
    );
    let bytes = envelope("e1", Payload::bytes(vec![0xff; 100]));
    assert_eq!(refused(&bytes, SplitStrategy::Text, 10), "a payload of bytes cannot be split as text");
    let many = text("e1", "x".repeat((MAX_PIECES as usize + 1) * 8));
    assert_eq!(refused(&many, SplitStrategy::Auto, 8), "more than 65536 pieces of 8 bytes");
    let mut unnamed = plain.clone();
    unnamed.message_type = "a\r\nX-Source: b".to_owned();
    assert_eq!(
        refused(&unnamed, SplitStrategy::Auto, 10),
        "the message type `a  X-Source: b` is no name of 1 to 256 bytes without control characters"
    );
    let json = envelope("e1", Payload::json(format!(r#"[1,{{"k":"{long}"}}]"#)).unwrap());
    assert_eq!(
        refused(&json, SplitStrategy::Json, 50),
        "the element `/1` has 110 bytes with what closes it, and a piece may have 50"
    );
}

#[test]
fn json_whose_element_does_not_fit_is_cut_as_bytes_and_says_so() {
    let long = "é".repeat(50);
    let envelope = envelope("e1", Payload::json(format!(r#"[1,{{"k":"{long}"}}]"#)).unwrap());
    let pieces = split(&envelope, SplitStrategy::Auto, &at_most(50)).unwrap();
    assert!(pieces.iter().all(|piece| get(piece, "X-Chunk-Strategy") == Some("bytes")));
    assert!(pieces.iter().all(|piece| get(piece, "X-Payload-Kind") == Some("json")));
    assert!(pieces.iter().all(|piece| std::str::from_utf8(&piece.payload).is_ok()));
    assert_eq!(joined(pieces), [envelope]);
}
