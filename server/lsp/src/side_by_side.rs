//! Work on several threads at the same time, whose results are all needed before the caller goes on.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// The maximum number of threads.
const MOST: usize = 4;

/// Does some work for each item, on this thread and on others.
pub(crate) fn for_each<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(item);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 1..threads.min(MOST).min(items.len()) {
            // If no thread can start, this thread does all the work.
            let thread = thread::Builder::new().stack_size(crate::STACK_BYTES);
            let _ = thread.spawn_scoped(scope, work);
        }
        work();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once() {
        for count in [0, 1, 2, 100] {
            let items: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            for_each(&items, |it| {
                it.fetch_add(1, Ordering::Relaxed);
            });
            assert!(items.iter().all(|it| it.load(Ordering::Relaxed) == 1), "{items:?}");
        }
    }
}
