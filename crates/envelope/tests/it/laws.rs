//! What holds of the pieces of any envelope.

use super::any::{any_envelope, any_options, any_text};
use super::*;
use fastrand::Rng;
use proptest::prelude::*;
use war_rig_envelope::{JoinError, PayloadKind, SplitError, SplitStrategy, join};

fn config() -> ProptestConfig {
    ProptestConfig { cases: cases(300).min(5000), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn pieces_keep_to_their_limit_and_are_what_they_say(seed: u64) {
        let mut rng = Rng::with_seed(seed);
        let envelope = any_envelope(&mut rng, "e1", 600);
        let (strategy, options) = any_options(&mut rng, envelope.payload.len());
        let pieces = match split(&envelope, strategy, &options) {
            Ok(pieces) => pieces,
            Err(error) => {
                prop_assert!(strategy == SplitStrategy::Json || matches!(error, SplitError::NoText));
                return Ok(());
            }
        };
        for piece in &pieces {
            prop_assert!(piece.payload.len() <= options.max_payload);
            let cut = get(piece, "X-Chunk-Strategy");
            if cut == Some("json") {
                prop_assert!(Payload::json(piece.payload.clone()).is_ok());
            }
            if envelope.payload.kind() != PayloadKind::Bytes {
                prop_assert!(Payload::text(piece.payload.clone()).is_ok());
            }
        }
        // The same again is the same.
        prop_assert_eq!(&split(&envelope, strategy, &options).unwrap(), &pieces);
        // Any piece missing is said.
        if pieces.len() > 1 {
            let gone = rng.usize(..pieces.len());
            let others = pieces.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, piece)| piece.clone());
            let Err(JoinError::Missing { missing }) = join(others) else { panic!("joined without piece {gone}") };
            prop_assert_eq!(missing, [gone as u32..=gone as u32]);
        }
        // Each twice, in any order.
        let mut all = [pieces.clone(), pieces].concat();
        rng.shuffle(&mut all);
        prop_assert_eq!(join(all).unwrap(), envelope);
    }

    #[test]
    fn pieces_of_text_tile_it(seed: u64) {
        let mut rng = Rng::with_seed(seed);
        let payload = any_text(&mut rng, 400);
        let envelope = text("e1", payload.clone());
        for strategy in [SplitStrategy::Text, SplitStrategy::Bytes] {
            let pieces = split(&envelope, strategy, &at_most(rng.usize(8..60))).unwrap();
            let tiled: Vec<u8> = pieces.iter().flat_map(|piece| piece.payload.to_vec()).collect();
            prop_assert_eq!(std::str::from_utf8(&tiled).unwrap(), &payload);
        }
    }

    #[test]
    fn headers_that_are_noise_are_an_error(names in prop::collection::vec("[ -~]{0,20}", 0..8), value in ".{0,40}") {
        let mut collector = Collector::new(CollectorLimits::default());
        let headers = names.into_iter().map(|name| (name, value.clone())).collect();
        let piece = Piece { headers, payload: value.into() };
        prop_assert!(collector.push(piece, NOW).is_err());
        prop_assert_eq!(collector.bytes(), 0);
    }
}
