//! A server's record of requests, so that each is handled once.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;
use war_rig_envelope::{Envelope, EnvelopeId};

/// The memory of a cached reply beside its payload: headers, names, tables. An upper bound, except for user headers, which our replies do not have.
const OVERHEAD: usize = 2_048;

/// The status of a request that has arrived.
#[derive(Debug, PartialEq)]
pub(super) enum RequestStatus<'a> {
    /// New: it must be handled, and is now recorded as in progress.
    New,
    /// It is being handled.
    Working,
    /// Its reply, and the reply's subject.
    Answered(&'a str, &'a Envelope),
    /// The reply was received.
    Received,
    /// The reply was dropped to free memory.
    Dropped,
}

#[derive(Debug)]
enum RequestState {
    Working,
    Answered { reply_to: String, reply: Box<Envelope>, sent: Duration },
    Received,
    Dropped,
}

/// The recent requests, in the order in which they were answered. All times are from one clock.
#[derive(Debug)]
pub(super) struct ReplyCache {
    most: usize,
    most_bytes: usize,
    keep_for: Duration,
    states: HashMap<EnvelopeId, RequestState>,
    /// Answered requests, with their times.
    answered: VecDeque<(Duration, EnvelopeId)>,
    /// Requests whose replies are kept; some have been received since.
    kept: VecDeque<EnvelopeId>,
    bytes: usize,
}

impl ReplyCache {
    pub(super) fn new(most: usize, most_bytes: usize, keep_for: Duration) -> Self {
        Self {
            most,
            most_bytes,
            keep_for,
            states: HashMap::new(),
            answered: VecDeque::new(),
            kept: VecDeque::new(),
            bytes: 0,
        }
    }

    /// Whether no new requests can be recorded. Requests with received replies are removed first.
    pub(super) fn is_full(&mut self, now: Duration) -> bool {
        self.forget(now);
        while self.states.len() >= self.most {
            match self.answered.front() {
                Some((_, id)) if matches!(self.states.get(id), Some(RequestState::Received)) => {
                    self.states.remove(id);
                    self.answered.pop_front();
                }
                Some(_) | None => return true,
            }
        }
        false
    }

    /// Looks a request up, and adds a new one. A reply sent less than `pause` ago counts as still on its way.
    pub(super) fn look(&mut self, id: &EnvelopeId, now: Duration, pause: Duration) -> RequestStatus<'_> {
        self.forget(now);
        if !self.states.contains_key(id) {
            self.states.insert(id.clone(), RequestState::Working);
            return RequestStatus::New;
        }
        match self.states.get_mut(id) {
            Some(RequestState::Answered { sent, .. }) if now < *sent + pause => RequestStatus::Working,
            Some(RequestState::Answered { reply_to, reply, sent }) => {
                *sent = now;
                RequestStatus::Answered(reply_to, reply)
            }
            Some(RequestState::Received) => RequestStatus::Received,
            Some(RequestState::Dropped) => RequestStatus::Dropped,
            Some(RequestState::Working) | None => RequestStatus::Working,
        }
    }

    /// Records the reply to a request that was being handled.
    pub(super) fn answer(&mut self, id: &EnvelopeId, reply_to: String, reply: Envelope, now: Duration) {
        if !matches!(self.states.get(id), Some(RequestState::Working)) {
            return;
        }
        let bytes = OVERHEAD + reply.payload.len();
        let state = if bytes > self.most_bytes {
            RequestState::Dropped
        } else {
            while self.bytes + bytes > self.most_bytes {
                self.drop_oldest();
            }
            self.bytes += bytes;
            self.kept.push_back(id.clone());
            RequestState::Answered { reply_to, reply: Box::new(reply), sent: now }
        };
        self.end(id, state, now);
    }

    /// Records that the reply was received: from now on, only the id is kept.
    pub(super) fn received(&mut self, id: &EnvelopeId) {
        self.replace(id, RequestState::Received);
    }

    /// Records that the handler failed. The request is not tried again, because its effects are unknown.
    pub(super) fn failed(&mut self, id: &EnvelopeId, now: Duration) {
        if matches!(self.states.get(id), Some(RequestState::Working)) {
            self.end(id, RequestState::Dropped, now);
        }
    }

    fn end(&mut self, id: &EnvelopeId, state: RequestState, now: Duration) {
        self.states.insert(id.clone(), state);
        self.answered.push_back((now, id.clone()));
    }

    /// Removes requests that were answered long ago.
    fn forget(&mut self, now: Duration) {
        while let Some((answered, id)) = self.answered.front() {
            if now < *answered + self.keep_for {
                break;
            }
            if let Some(RequestState::Answered { reply, .. }) = self.states.remove(id) {
                self.bytes -= OVERHEAD + reply.payload.len();
            }
            self.answered.pop_front();
        }
        self.trim();
    }

    fn drop_oldest(&mut self) {
        self.trim();
        if let Some(id) = self.kept.pop_front() {
            self.replace(&id, RequestState::Dropped);
        }
    }

    /// Replaces a kept reply with a state.
    fn replace(&mut self, id: &EnvelopeId, state: RequestState) {
        if let Some(known) = self.states.get_mut(id)
            && let RequestState::Answered { reply, .. } = known
        {
            self.bytes -= OVERHEAD + reply.payload.len();
            *known = state;
        }
    }

    /// Removes entries from the front of the queue that are no longer kept.
    fn trim(&mut self) {
        while let Some(id) = self.kept.front()
            && !matches!(self.states.get(id), Some(RequestState::Answered { .. }))
        {
            self.kept.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_envelope::{Payload, TraceContext};

    const PAUSE: Duration = Duration::from_millis(200);

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn id(number: usize) -> EnvelopeId {
        EnvelopeId::new(format!("r{number}")).unwrap()
    }

    fn reply(bytes: usize) -> Envelope {
        let trace = TraceContext::new([1; 16], [1; 8]).unwrap();
        Envelope::new(id(0), "a", "b", "c", Payload::bytes(vec![0; bytes]), trace)
    }

    /// Adds a request and answers it.
    fn answered(memory: &mut ReplyCache, number: usize, bytes: usize, now: Duration) {
        assert_eq!(memory.look(&id(number), now, PAUSE), RequestStatus::New);
        assert_eq!(memory.look(&id(number), now, PAUSE), RequestStatus::Working);
        memory.answer(&id(number), "inbox".to_owned(), reply(bytes), now);
    }

    #[test]
    fn a_request_is_new_once_and_its_reply_is_kept_for_repeats() {
        let mut memory = ReplyCache::new(10, 1 << 20, at(10_000));
        answered(&mut memory, 1, 5, at(0));
        assert_eq!(memory.look(&id(1), at(100), PAUSE), RequestStatus::Working, "the reply is on its way");
        assert_eq!(memory.look(&id(1), at(300), PAUSE), RequestStatus::Answered("inbox", &reply(5)));
        assert_eq!(memory.look(&id(1), at(400), PAUSE), RequestStatus::Working, "it was just sent again");
        memory.received(&id(1));
        assert_eq!(memory.look(&id(1), at(700), PAUSE), RequestStatus::Received);
        assert_eq!(memory.bytes, 0);
        assert_eq!(memory.look(&id(1), at(10_000), PAUSE), RequestStatus::New, "in the end it is forgotten");
    }

    #[test]
    fn replies_give_way_oldest_first_and_that_is_known() {
        let mut memory = ReplyCache::new(10, 3 * (OVERHEAD + 100), at(10_000));
        for number in 0..3 {
            answered(&mut memory, number, 100, at(0));
        }
        memory.received(&id(0));
        answered(&mut memory, 3, 100, at(0));
        answered(&mut memory, 4, 100, at(0));
        let known: Vec<bool> = (1..5)
            .map(|number| matches!(memory.look(&id(number), at(1_000), PAUSE), RequestStatus::Answered(..)))
            .collect();
        assert_eq!(known, [false, true, true, true]);
        assert_eq!(memory.look(&id(1), at(2_000), PAUSE), RequestStatus::Dropped);
        answered(&mut memory, 5, 4 * (OVERHEAD + 100), at(0));
        assert_eq!(memory.look(&id(5), at(2_000), PAUSE), RequestStatus::Dropped, "it alone is too large");
        assert_eq!(memory.bytes, 3 * (OVERHEAD + 100));
    }

    #[test]
    fn a_full_memory_gives_up_what_was_received_and_nothing_else() {
        let mut memory = ReplyCache::new(2, 1 << 20, at(10_000));
        answered(&mut memory, 0, 1, at(0));
        assert!(!memory.is_full(at(0)));
        assert_eq!(memory.look(&id(1), at(0), PAUSE), RequestStatus::New);
        assert!(memory.is_full(at(0)));
        memory.received(&id(0));
        assert!(!memory.is_full(at(0)));
        assert_eq!(memory.look(&id(2), at(0), PAUSE), RequestStatus::New);
        assert!(memory.is_full(at(9_999)), "those in work are never forgotten");
        memory.answer(&id(1), "inbox".to_owned(), reply(1), at(0));
        assert!(!memory.is_full(at(10_000)));
        assert_eq!(memory.bytes, 0);
    }

    #[test]
    fn a_request_that_failed_is_not_tried_again() {
        let mut memory = ReplyCache::new(2, 1 << 20, at(10_000));
        assert_eq!(memory.look(&id(1), at(0), PAUSE), RequestStatus::New);
        memory.failed(&id(1), at(0));
        assert_eq!(memory.look(&id(1), at(0), PAUSE), RequestStatus::Dropped);
    }

    #[test]
    fn what_is_kept_stays_in_its_bounds_whatever_comes() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut memory = ReplyCache::new(50, 20 * OVERHEAD, at(500));
        for step in 0..20_000 {
            let (number, now) = (random.usize(0..200), at(step));
            match random.u8(0..5) {
                0 | 1 if !memory.is_full(now) => drop(memory.look(&id(number), now, PAUSE)),
                0 | 1 => {}
                2 => memory.answer(&id(number), "inbox".to_owned(), reply(random.usize(0..3 * OVERHEAD)), now),
                3 => memory.received(&id(number)),
                _ => memory.failed(&id(number), now),
            }
            let kept: usize = memory
                .states
                .values()
                .map(|state| match state {
                    RequestState::Answered { reply, .. } => OVERHEAD + reply.payload.len(),
                    RequestState::Working | RequestState::Received | RequestState::Dropped => 0,
                })
                .sum();
            assert_eq!(memory.bytes, kept);
            assert!(kept <= 20 * OVERHEAD && memory.states.len() <= 50 && memory.answered.len() <= 50);
            assert!(memory.kept.len() <= memory.answered.len());
        }
    }
}
