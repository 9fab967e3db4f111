//! Dividing an envelope into parts within a token budget.

use super::pack::{Atom, PackedAtoms, pack};
use super::{EnvelopePart, EnvelopeTarget, RouteErrorKind};
use crate::budget::{EnvelopeBudget, EnvelopeBudgetError, TargetModel, envelope_budget, header_tokens};
use crate::split::{CommaPositions, SplitStrategy, character_at_or_before, container, pointer, words};
use crate::{Envelope, EnvelopeId, Overlap, PartPosition, Payload, PayloadKind};
use bytes::Bytes;
use std::ops::Range;
use war_rig_estimator::TokenCount;
use war_rig_text::ContentHasher;

/// The number of digits in a part's id.
const ID_DIGITS: usize = 32;

/// How an envelope is divided.
#[derive(Debug, Clone, Copy)]
enum PartStrategy {
    /// Into arrays or objects of whole elements or members, with these brackets.
    Elements(u8, u8),
    /// At line ends, else between words, else between characters; each part repeats that much of the one before.
    Text(Overlap),
}

/// Returns the parts of an envelope that exceeds the budget of a model.
pub(super) fn parts(
    envelope: &Envelope,
    model: &TargetModel,
    target: &EnvelopeTarget,
    budget: &EnvelopeBudget,
) -> Result<Vec<EnvelopePart>, RouteErrorKind> {
    let kind = envelope.payload.kind();
    let limit = budget.limit;
    let text = envelope.payload.as_str().ok_or(RouteErrorKind::Budget(EnvelopeBudgetError::NoText { kind }))?;
    let way = way(kind, text, target).ok_or(RouteErrorKind::NoContainer { kind, tokens: budget.total, limit })?;
    let headers = header_tokens(&costliest(envelope), model);
    let no_room = || RouteErrorKind::Budget(EnvelopeBudgetError::NoRoom { headers, limit });
    let mut room = limit.checked_sub(headers).filter(|room| *room > TokenCount::ZERO).ok_or_else(no_room)?;
    loop {
        let payloads = payloads(text, model, way, room)?;
        let parts = enveloped(envelope, model, target, payloads)?;
        // The tokens of an id are unpredictable. Any excess from them reduces the room for payloads.
        let over = parts.iter().filter_map(|part| part.budget.total.checked_sub(limit)).max();
        match over.filter(|over| *over > TokenCount::ZERO) {
            None => return Ok(parts),
            Some(over) => {
                room = room.checked_sub(over).filter(|room| *room > TokenCount::ZERO).ok_or_else(no_room)?;
            }
        }
    }
}

/// Returns an envelope whose headers cost at least as much as those of any part. Ids and numbers of parts are not known yet, and the tokens of their
/// digits vary: alternating letters and digits are encoded one by one, and numbers cost by their length.
fn costliest(envelope: &Envelope) -> Envelope {
    let part =
        PartPosition { whole: envelope.id.clone(), number: u32::MAX, total: u32::MAX, overlap: u32::MAX as usize };
    Envelope {
        id: EnvelopeId::new("a0".repeat(ID_DIGITS / 2)).expect("digits are an id"),
        trace: envelope.trace.child([0xa0; 8]).expect("the span is not all zeros"),
        part: Some(part),
        ..envelope.clone()
    }
}

/// Returns how to divide an envelope for this target; none if JSON has nothing to divide.
fn way(kind: PayloadKind, text: &str, target: &EnvelopeTarget) -> Option<PartStrategy> {
    let as_text = PartStrategy::Text(target.token_budget.chunk_overlap);
    let elements = || container(text).map(|(open, close)| PartStrategy::Elements(open, close));
    match (target.chunking.strategy, kind) {
        (SplitStrategy::Text, _) => Some(as_text),
        (SplitStrategy::Json, PayloadKind::Text | PayloadKind::Bytes) => None,
        (_, PayloadKind::Json) => elements(),
        (_, PayloadKind::Text | PayloadKind::Bytes) => Some(as_text),
    }
}

/// Returns the payloads of all parts, and the length of the overlap at the beginning of each.
fn payloads(
    text: &str,
    model: &TargetModel,
    way: PartStrategy,
    room: TokenCount,
) -> Result<Vec<(Payload, usize)>, RouteErrorKind> {
    // In counted tokens, otherwise each small stretch would be rounded up to the model's.
    let most = model.counted_within(room);
    let payload = |pack: &PackedAtoms| payload(text, way, pack);
    let exact = |pack: &PackedAtoms| model.counted(payload(pack).as_str().expect("parts are JSON or text"));
    let atoms = match way {
        PartStrategy::Elements(..) => elements(text, model),
        PartStrategy::Text(_) => lines(text, model, most),
    };
    let again = |at: usize| match way {
        PartStrategy::Elements(..) => (atoms[at].range.start, 0),
        PartStrategy::Text(overlap) => again(text, model, &atoms[..at], overlap.of(most as usize) as u64),
    };
    let mut packs = pack(&atoms, most, again, exact).map_err(|(at, counted)| {
        let tokens = model.of_counted(counted);
        match way {
            PartStrategy::Elements(..) => {
                let element = pointer(text, atoms[at].range.start);
                RouteErrorKind::ElementTooLarge { element, tokens, limit: room }
            }
            PartStrategy::Text(_) => RouteErrorKind::CharacterTooLarge { tokens, limit: room },
        }
    })?;
    if packs.is_empty() {
        // Only blanks were over the budget: the rest is sent without them.
        packs.push(PackedAtoms { shown: text.len(), own: text.len()..text.len() });
    }
    Ok(packs.iter().map(|pack| (payload(pack), pack.own.start - pack.shown)).collect())
}

/// Builds the payload of a pack.
fn payload(text: &str, way: PartStrategy, pack: &PackedAtoms) -> Payload {
    let shown = &text.as_bytes()[pack.shown..pack.own.end];
    match way {
        PartStrategy::Elements(open, close) => {
            let bytes = [&[open][..], shown, &[close]].concat();
            Payload::new(PayloadKind::Json, bytes.into()).expect("whole elements in brackets are JSON")
        }
        PartStrategy::Text(_) => {
            let bytes = Bytes::copy_from_slice(shown);
            Payload::new(PayloadKind::Text, bytes).expect("text is cut between characters")
        }
    }
}

/// Returns the elements or members, without the blanks around them and the commas between them.
fn elements(text: &str, model: &TargetModel) -> Vec<Atom> {
    let trimmed = text.trim_end();
    let inside = text.len() - text.trim_start().len() + 1;
    let mut start = inside;
    let mut atoms = Vec::new();
    for comma in CommaPositions::of(text).chain([trimmed.len() - 1]) {
        let blanks = text[start..comma].len() - text[start..comma].trim_start().len();
        let element = text[start..comma].trim();
        if !element.is_empty() {
            let range = start + blanks..start + blanks + element.len();
            // With its comma, which the next one does not include.
            atoms.push(Atom { tokens: model.counted(&text[range.start..comma + 1]), range });
        }
        start = comma + 1;
    }
    atoms
}

/// Returns the lines; lines that exceed the room are divided into words, and those into halves.
fn lines(text: &str, model: &TargetModel, room: u64) -> Vec<Atom> {
    let mut atoms = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let tokens = model.counted(line);
        if tokens <= room {
            atoms.push(Atom { range: start..start + line.len(), tokens });
        } else {
            let mut at = start;
            for word in words(line) {
                halves(text, at..at + word.len(), model, room, &mut atoms);
                at += word.len();
            }
        }
        start += line.len();
    }
    atoms
}

/// Adds a stretch that fits, or its halves; a single character even if it does not fit.
fn halves(text: &str, range: Range<usize>, model: &TargetModel, room: u64, atoms: &mut Vec<Atom>) {
    let mut left = vec![range];
    while let Some(range) = left.pop() {
        let tokens = model.counted(&text[range.clone()]);
        let middle = character_at_or_before(text, range.start + range.len() / 2);
        if tokens <= room || middle == range.start {
            atoms.push(Atom { range, tokens });
        } else {
            left.extend([middle..range.end, range.start..middle]);
        }
    }
}

/// Returns where the repeated end of these atoms begins, and its tokens: whole lines within the limit, else the last words of the last line.
fn again(text: &str, model: &TargetModel, before: &[Atom], most: u64) -> (usize, u64) {
    let end = before.last().map_or(0, |atom| atom.range.end);
    let (mut from, mut taken) = (end, 0);
    let mut add = |start: usize, tokens: u64| {
        let fits = taken + tokens <= most;
        if fits {
            (from, taken) = (start, taken + tokens);
        }
        fits
    };
    let whole = before.iter().rev().take_while(|atom| add(atom.range.start, atom.tokens)).count();
    if let (0, Some(last)) = (whole, before.last()) {
        let words: Vec<&str> = words(&text[last.range.clone()]).collect();
        let mut start = end;
        for word in words.iter().rev() {
            start -= word.len();
            if !add(start, model.counted(word)) {
                break;
            }
        }
    }
    (from, taken)
}

/// Wraps payloads in envelopes, counted as they are sent.
fn enveloped(
    envelope: &Envelope,
    model: &TargetModel,
    target: &EnvelopeTarget,
    payloads: Vec<(Payload, usize)>,
) -> Result<Vec<EnvelopePart>, RouteErrorKind> {
    let total = payloads.len() as u32;
    let part = |(number, (payload, overlap)): (u32, (Payload, usize))| {
        let mut hasher = ContentHasher::default();
        hasher.update(b"war-rig part 1");
        hasher.update(envelope.id.as_str().as_bytes());
        hasher.update(&[number.to_le_bytes(), total.to_le_bytes()].concat());
        hasher.update(payload.as_bytes());
        let hash = hasher.hash();
        let mut span: [u8; 8] = *hash.as_bytes().first_chunk().expect("a hash has 32 bytes");
        span[7] |= u8::from(span == [0; 8]);
        let envelope = Envelope {
            id: EnvelopeId::new(hash.short(ID_DIGITS)).expect("digits are an id"),
            trace: envelope.trace.child(span).expect("the span is not all zeros"),
            part: Some(PartPosition { whole: envelope.id.clone(), number, total, overlap }),
            payload,
            ..envelope.clone()
        };
        let budget = envelope_budget(&envelope, model, &target.token_budget).map_err(RouteErrorKind::Budget)?;
        Ok(EnvelopePart { envelope, budget })
    };
    (1..).zip(payloads).map(part).collect()
}
