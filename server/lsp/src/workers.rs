//! The threads that analyze documents.
//!
//! An analysis temporarily needs many times the memory of its text, and allocators keep freed memory for each thread. So only a few threads analyze,
//! and usually only the first one. If the runtime's many threads analyzed, each would soon keep the memory for a large CRD.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
};

use tokio::{runtime::Handle, sync::oneshot};

/// The minimum number of threads: one for analyses, while another one searches for hazards.
const LEAST: usize = 2;
const MOST: usize = 4;

type Work = Box<dyn FnOnce() + Send>;

struct Worker {
    queue: Sender<Work>,
    /// The number of tasks in the queue, including the current one.
    waiting: Arc<AtomicUsize>,
}

struct Workers(Vec<Worker>);

static WORKERS: LazyLock<Workers> = LazyLock::new(Workers::start);

/// A separate thread for long work, so that no document waits for it.
static BACKGROUND: LazyLock<Workers> =
    LazyLock::new(|| Workers(Worker::start(BACKGROUND_NICENESS).into_iter().collect()));

/// Threads for the work after a pause in typing, so that the analysis of a keystroke does not wait for it.
static PAUSED: LazyLock<Workers> =
    LazyLock::new(|| Workers((0..LEAST).filter_map(|_| Worker::start(PAUSED_NICENESS)).collect()));

impl Worker {
    /// Starts a thread. `None` if the system cannot start any more.
    fn start(niceness: i32) -> Option<Self> {
        let (queue, work) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = waiting.clone();
        let thread = std::thread::Builder::new()
            .name("crd-analyzer".to_owned())
            .stack_size(crate::STACK_BYTES);
        thread.spawn(move || run(&work, &left, niceness)).ok()?;
        Some(Self { queue, waiting })
    }
}

fn run(queue: &Receiver<Work>, waiting: &AtomicUsize, niceness: i32) {
    give_way(niceness);
    while let Ok(work) = queue.recv() {
        guarded(work);
        waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Runs work that may panic. Whoever waits for its result is told, because the sender of the result is dropped.
fn guarded(work: Work) {
    drop(catch_unwind(AssertUnwindSafe(work)));
}

/// Lowers the thread's priority below that of threads that answer requests. Otherwise, an answer would have to wait when all processors are busy.
#[cfg(target_os = "linux")]
fn give_way(niceness: i32) {
    // Lowers only the priority of the calling thread. If that fails, the analysis still works.
    if let Err(error) = rustix::process::nice(niceness) {
        tracing::debug!(%error, "worker threads keep their priority");
    }
}

/// Does nothing on other systems, where the priority applies to the whole process.
#[cfg(not(target_os = "linux"))]
fn give_way(_: i32) {}

/// How far to lower the priority of threads that analyze documents, as a Unix nice value.
const NICENESS: i32 = 10;

/// How far to lower the priority of threads that work after a pause, as a Unix nice value.
const PAUSED_NICENESS: i32 = 15;

/// How far to lower the priority of the background thread, as a Unix nice value.
const BACKGROUND_NICENESS: i32 = 19;

impl Workers {
    fn start() -> Self {
        let count = std::thread::available_parallelism().map_or(LEAST, usize::from);
        Self(
            (0..count.clamp(LEAST, MOST))
                .filter_map(|_| Worker::start(NICENESS))
                .collect(),
        )
    }

    async fn judge<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        let runtime = Handle::current();
        let work: Work = Box::new(move || {
            let _inside = runtime.enter();
            // Ignore the error if the receiver is gone.
            drop(answer.send(work()));
        });
        self.send(work);
        answered.await.ok()
    }

    /// Queues work on the thread with the shortest queue. Without threads, the caller does the work.
    fn send(&self, work: Work) {
        let worker = self.0.iter().min_by_key(|it| it.waiting.load(Ordering::Acquire));
        match worker {
            Some(worker) => {
                worker.waiting.fetch_add(1, Ordering::AcqRel);
                // The thread lives as long as the queue, so sending does not fail.
                drop(worker.queue.send(work));
            }
            None => guarded(work),
        }
    }
}

/// Runs work on the first thread with the shortest queue. `None` if the work panics; the thread continues. Must be called inside a runtime, which the
/// work can use.
pub(crate) async fn judge<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    WORKERS.judge(work).await
}

/// Like [`judge`], on a thread for work after a pause in typing.
pub(crate) async fn after_pause<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    PAUSED.judge(work).await
}

/// Like [`judge`], on a thread that does not analyze documents.
pub(crate) async fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    BACKGROUND.judge(work).await
}

/// Runs work on one of the threads without waiting for it.
pub(crate) fn later(work: impl FnOnce() + Send + 'static) {
    WORKERS.send(Box::new(work));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_no_answer_and_the_next_work_is_done() {
        let workers = Workers::start();
        for n in 0..2 * MOST {
            assert_eq!(workers.judge(move || assert!(n > 2 * MOST)).await, None);
            assert_eq!(workers.judge(move || n).await, Some(n));
        }
    }

    #[tokio::test]
    async fn work_that_comes_after_other_work_is_done_on_the_same_thread() {
        let workers = Workers::start();
        let first = workers.judge(|| std::thread::current().id()).await;
        for _ in 0..10 {
            // The count decreases shortly after the answer.
            while workers.0[0].waiting.load(Ordering::Acquire) > 0 {
                tokio::task::yield_now().await;
            }
            assert_eq!(workers.judge(|| std::thread::current().id()).await, first);
        }
    }
}
