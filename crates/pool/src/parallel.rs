//! Processes many items on several threads and returns the results in order.
//!
//! It uses its own threads instead of the runtime's, because `plan` and `facts` never wait. The caller's thread passes on the results in item
//! order, so the number and timing of threads do not affect the output. A thread runs at most a fixed number of items ahead of the oldest
//! unfinished item, so that results do not pile up behind one large file.

use parking_lot::{Condvar, Mutex};
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How many results a thread may be ahead, so that it seldom waits for a file that is several times larger than the others.
const AHEAD: usize = 16;

/// A defect in War Rig that one item revealed, with the panic message. Only that item fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("internal error: {0}")]
pub struct InternalError(pub(crate) String);

impl InternalError {
    /// Processes one item.
    ///
    /// # Errors
    /// The panic of that work, as an internal error.
    pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, Self> {
        catch_unwind(AssertUnwindSafe(work)).map_err(|panic| Self(words_of(panic.as_ref())))
    }
}

/// Returns a panic's message.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without words".to_owned())
}

/// Processes every item, at most `jobs` at a time, and passes the results on in item order.
///
/// # Panics
/// If `take` panics, with that panic. A panic of `work` becomes the item's [`InternalError`].
pub fn for_each_ordered<I: Sync, T: Send>(
    items: &[I],
    jobs: usize,
    work: impl Fn(&I) -> T + Sync,
    mut take: impl FnMut(&I, Result<T, InternalError>),
) {
    let jobs = jobs.min(items.len());
    if jobs <= 1 {
        items.iter().for_each(|item| take(item, InternalError::catch_panic(|| work(item))));
        return;
    }
    let line =
        OrderedQueue { state: Mutex::new(OrderedQueueState::default()), changed: Condvar::new(), ahead: jobs * AHEAD };
    std::thread::scope(|scope| {
        // However this scope ends, its threads must not wait forever.
        let _stop = StopOnDrop(&line);
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(index) = line.begin(items.len()) {
                    line.end(index, InternalError::catch_panic(|| work(&items[index])));
                }
            });
        }
        for item in items {
            take(item, line.take());
        }
    });
}

/// Items in progress, and results that wait to be taken.
struct OrderedQueue<T> {
    state: Mutex<OrderedQueueState<T>>,
    changed: Condvar,
    /// How many items may be begun but not yet taken.
    ahead: usize,
}

struct OrderedQueueState<T> {
    begun: usize,
    taken: usize,
    results: BTreeMap<usize, Result<T, InternalError>>,
    stopped: bool,
}

impl<T> Default for OrderedQueueState<T> {
    fn default() -> Self {
        Self { begun: 0, taken: 0, results: BTreeMap::new(), stopped: false }
    }
}

impl<T> OrderedQueue<T> {
    /// Returns the next item to work on, once it is not too far ahead; `None` after the last one.
    fn begin(&self, items: usize) -> Option<usize> {
        let mut state = self.state.lock();
        while !state.stopped && state.begun < items && state.begun >= state.taken + self.ahead {
            self.changed.wait(&mut state);
        }
        let index = state.begun;
        state.begun += 1;
        (!state.stopped && index < items).then_some(index)
    }

    fn end(&self, index: usize, result: Result<T, InternalError>) {
        self.state.lock().results.insert(index, result);
        self.changed.notify_all();
    }

    /// Returns the next result in order.
    fn take(&self) -> Result<T, InternalError> {
        let mut state = self.state.lock();
        loop {
            let next = state.taken;
            if let Some(result) = state.results.remove(&next) {
                state.taken += 1;
                self.changed.notify_all();
                return result;
            }
            self.changed.wait(&mut state);
        }
    }
}

/// Prevents threads from beginning another item once it is dropped.
struct StopOnDrop<'a, T>(&'a OrderedQueue<T>);

impl<T> Drop for StopOnDrop<'_, T> {
    fn drop(&mut self) {
        self.0.state.lock().stopped = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn results_come_in_order_and_no_thread_runs_far_ahead() {
        let items: Vec<usize> = (0..500).collect();
        for jobs in [1, 2, 7, 1000] {
            let begun = AtomicUsize::new(0);
            let work = |item: &usize| {
                begun.fetch_add(1, Ordering::SeqCst);
                // Earlier items take longer, so later ones finish first.
                (0..(500 - item) * 20).for_each(|_| std::hint::spin_loop());
                item * 2
            };
            let mut taken = Vec::new();
            for_each_ordered(&items, jobs, work, |item, double| {
                assert_eq!(double, Ok(item * 2));
                assert!(begun.load(Ordering::SeqCst) <= item + 1 + jobs.max(1) * AHEAD);
                taken.push(*item);
            });
            assert_eq!(taken, items, "{jobs} jobs");
        }
    }

    #[test]
    fn a_panic_over_one_item_is_that_items_and_one_of_the_taker_is_the_callers() {
        let items: Vec<usize> = (0..1000).collect();
        for jobs in [1, 4] {
            let work = |item: &usize| assert!(item % 100 != 3, "a planted defect in {item}");
            let mut failed = Vec::new();
            for_each_ordered(&items, jobs, work, |item, done| {
                failed.extend(done.err().map(|defect| (*item, defect.to_string())));
            });
            let expected = (0..10).map(|hundred| hundred * 100 + 3);
            let expected: Vec<(usize, String)> =
                expected.map(|at| (at, format!("internal error: a planted defect in {at}"))).collect();
            assert_eq!(failed, expected);

            let take = |item: &usize, _| assert!(*item != 3, "a planted defect");
            let run = || for_each_ordered(&items, jobs, |_| (), take);
            let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it panics");
            assert_eq!(panic.downcast_ref::<&str>(), Some(&"a planted defect"));
        }
    }
}
