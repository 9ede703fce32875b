//! Budgets: how much work and memory judging something may take.
//!
//! Budgets count work and bytes, never time. So the same input ends at the same place on each machine and in each build.
//! Whoever answers a question does it [`within`] limits. Whoever does work that can grow faster than its input spends it first, with
//! [`work`] and [`bytes`], and ends when there is not enough. That the answer is [`Unfinished`] is then known to who asked, wherever the
//! work ended: it is not yes, not no, and never an answer of the API server.
//!
//! The limits are those of the thread, as its stack is. Outside of [`within`] there are none.
//!
//! ```
//! use crd_analyzer_budget::{Limits, Unfinished, within, work};
//!
//! let limits = Limits { work: 100, ..Limits::NONE };
//! let (sum, ended) = within(limits, || {
//!     let mut sum = 0;
//!     while sum < 1_000 && work(30).is_ok() {
//!         sum += 1;
//!     }
//!     sum
//! });
//! assert_eq!((sum, ended.unfinished), (3, Some(Unfinished::Work)));
//! ```

use std::cell::Cell;
use std::fmt;

/// What may be spent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Units of work. A unit is a small step, such as an instruction of a pattern's program on a character, and takes some nanoseconds.
    pub work: u64,
    /// Bytes of what is made and kept.
    pub bytes: u64,
    /// Bytes of the findings that are told, see [`tell`].
    pub findings: u64,
    /// Units of work for advice, see [`advise`].
    pub advice: u64,
}

impl Limits {
    /// For everything that is asked about one document and one Kubernetes version. Of some nine hundred CRDs of open projects, the largest
    /// takes less than a hundredth of the work.
    pub const DOCUMENT: Self = Self {
        work: 400_000_000,
        bytes: 96 << 20,
        findings: FINDINGS,
        advice: ADVICE,
    };

    /// For all documents of a file of so many bytes, and all Kubernetes versions. Files of many documents are long, and take some hundred units
    /// for a byte.
    pub const fn file(bytes: usize) -> Self {
        let by_length = WORK_PER_BYTE * bytes as u64;
        let least = 2 * Self::DOCUMENT.work;
        Self {
            work: if by_length > least { by_length } else { least },
            bytes: u64::MAX,
            findings: FINDINGS,
            advice: ADVICE,
        }
    }

    /// For advice that goes beyond the verdict, such as quick fixes.
    pub const ADVICE: Self = Self {
        advice: ADVICE,
        ..Self::NONE
    };

    /// No limits.
    pub const NONE: Self = Self {
        work: u64::MAX,
        bytes: u64::MAX,
        findings: u64::MAX,
        advice: u64::MAX,
    };
}

/// Bytes of the findings of one file that are told. Some ten thousand of the usual length have room.
const FINDINGS: u64 = 8 << 20;

/// Units of work for a byte of a long file.
const WORK_PER_BYTE: u64 = 800;

/// Units of work for the advice about one file.
const ADVICE: u64 = 100_000_000;

/// Which budget was too small for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unfinished {
    /// Steps.
    Work,
    /// Memory.
    Bytes,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Work => "not finished: this takes more work than crd-analyzer does for one document",
            Self::Bytes => "not finished: this takes more memory than crd-analyzer uses for one document",
        })
    }
}

impl std::error::Error for Unfinished {}

/// How something ended that was done [`within`] limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ended {
    /// Why it ended early, if it did.
    pub unfinished: Option<Unfinished>,
    /// How many findings are only counted, because all together are too long to be told ([`leave_out`]). These do not change the answer.
    pub left_out: u64,
}

/// The state of the thread.
#[derive(Clone, Copy)]
struct Left {
    limits: Limits,
    ended: Ended,
    /// Why nothing more is done.
    stopped: Option<Unfinished>,
    /// Whether someone asks how it ended.
    is_within: bool,
}

const OUTSIDE: Left = Left {
    limits: Limits::NONE,
    ended: Ended {
        unfinished: None,
        left_out: 0,
    },
    stopped: None,
    is_within: false,
};

thread_local! {
    static LEFT: Cell<Left> = const { Cell::new(OUTSIDE) };
}

/// So many bytes of text are copied or compared with one unit of work.
pub const BYTES_PER_WORK: u64 = 16;

/// Runs something within limits, and within those that there are already. Tells how it ended.
///
/// The work that it did and the findings that it told are also those of who asked. The bytes are there again afterwards: what is left of
/// them is the result.
pub fn within<T>(limits: Limits, run: impl FnOnce() -> T) -> (T, Ended) {
    /// Gives the outer limits back, also when the thread panics.
    struct Outer {
        before: Left,
        inner: Limits,
    }
    impl Drop for Outer {
        fn drop(&mut self) {
            let left = LEFT.get().limits;
            let mut outer = self.before;
            let limits = &mut outer.limits;
            limits.work = limits.work.saturating_sub(self.inner.work - left.work);
            limits.findings = limits.findings.saturating_sub(self.inner.findings - left.findings);
            limits.advice = limits.advice.saturating_sub(self.inner.advice - left.advice);
            LEFT.set(outer);
        }
    }
    let before = LEFT.get();
    let inner = Limits {
        work: limits.work.min(before.limits.work),
        bytes: limits.bytes.min(before.limits.bytes),
        findings: limits.findings.min(before.limits.findings),
        advice: limits.advice.min(before.limits.advice),
    };
    LEFT.set(Left {
        limits: inner,
        ended: Ended::default(),
        stopped: None,
        is_within: true,
    });
    let outer = Outer { before, inner };
    let result = run();
    let ended = LEFT.get().ended;
    drop(outer);
    (result, ended)
}

/// Runs something outside of the limits that there are, whose answer does not depend on it. It has to set limits of its own.
pub fn apart<T>(run: impl FnOnce() -> T) -> T {
    /// Gives the limits back, also when the thread panics.
    struct Around(Left);
    impl Drop for Around {
        fn drop(&mut self) {
            LEFT.set(self.0);
        }
    }
    let _around = Around(LEFT.replace(OUTSIDE));
    run()
}

/// Spends units of work. Once anything did not suffice, nothing does until the end of [`within`]: the answer is not finished anyway.
pub fn work(units: u64) -> Result<(), Unfinished> {
    let mut left = LEFT.get();
    if let Some(unfinished) = left.stopped {
        return Err(unfinished);
    }
    let result = match left.limits.work.checked_sub(units) {
        Some(rest) => {
            left.limits.work = rest;
            Ok(())
        }
        None => return Err(give_up(Unfinished::Work)),
    };
    LEFT.set(left);
    result
}

/// Says that there will be no answer, and ends what is done within the limits.
pub fn give_up(unfinished: Unfinished) -> Unfinished {
    let mut left = LEFT.get();
    if left.is_within {
        left.ended.unfinished.get_or_insert(unfinished);
        left.stopped = Some(unfinished);
        if unfinished == Unfinished::Work {
            left.limits.work = 0;
        }
        LEFT.set(left);
    }
    unfinished
}

/// Says that a part of the answer is missing. The other parts are still worth having.
pub fn miss(unfinished: Unfinished) {
    let mut left = LEFT.get();
    left.ended.unfinished.get_or_insert(unfinished);
    LEFT.set(left);
}

/// Spends bytes before they are allocated, and the work of filling them.
pub fn bytes(bytes: u64) -> Result<(), Unfinished> {
    let mut left = LEFT.get();
    if let Some(unfinished) = left.stopped {
        return Err(unfinished);
    }
    let Some(rest) = left.limits.bytes.checked_sub(bytes) else {
        return Err(give_up(Unfinished::Bytes));
    };
    left.limits.bytes = rest;
    LEFT.set(left);
    work(bytes / BYTES_PER_WORK)
}

/// Whether there is room to tell a finding of about so many bytes. If there is none, it is only counted.
pub fn tell(bytes: u64) -> bool {
    let is_told = has_room(bytes);
    if !is_told {
        leave_out(1);
    }
    is_told
}

/// Whether there is room for so many bytes of a finding, which are spent then.
pub fn has_room(bytes: u64) -> bool {
    let mut left = LEFT.get();
    let rest = left.limits.findings.checked_sub(bytes);
    if let Some(rest) = rest {
        left.limits.findings = rest;
        LEFT.set(left);
    }
    rest.is_some()
}

/// Whether there is work left for advice of so many units, which are spent then. Without it an answer is the same, with fewer words.
pub fn advise(units: u64) -> bool {
    let mut left = LEFT.get();
    let rest = left.limits.advice.checked_sub(units);
    if let Some(rest) = rest {
        left.limits.advice = rest;
        LEFT.set(left);
    }
    rest.is_some()
}

/// Whether what is done within the limits has ended early. What is found after that means nothing.
pub fn is_stopped() -> bool {
    LEFT.get().stopped.is_some()
}

/// Says that so many findings are only counted.
pub fn leave_out(findings: u64) {
    let mut left = LEFT.get();
    left.ended.left_out += findings;
    LEFT.set(left);
}

/// What may still be spent.
pub fn left() -> Limits {
    LEFT.get().limits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(work: u64, bytes: u64) -> Limits {
        Limits {
            work,
            bytes,
            ..Limits::NONE
        }
    }

    #[test]
    fn work_that_does_not_suffice_is_gone() {
        let ((), ended) = within(limits(10, 0), || {
            assert_eq!(work(4), Ok(()));
            assert_eq!(work(7), Err(Unfinished::Work));
            assert_eq!(work(1), Err(Unfinished::Work));
        });
        assert_eq!(ended.unfinished, Some(Unfinished::Work));
        assert!(work(1_000_000).is_ok(), "no limit applies outside");
    }

    #[test]
    fn inner_bytes_come_back_and_inner_work_does_not() {
        let ((), ended) = within(limits(10, 100), || {
            assert_eq!(within(Limits::NONE, || bytes(80)), (Ok(()), Ended::default()));
            assert_eq!(left(), limits(5, 100));
            let (_, inner) = within(limits(1, 1), || work(2));
            assert_eq!(inner.unfinished, Some(Unfinished::Work));
            assert_eq!(left(), limits(4, 100), "what was not done is not spent outside");
        });
        assert_eq!(ended, Ended::default());
    }

    #[test]
    fn a_panic_gives_the_limits_back() {
        let run = || within(limits(1, 1), || panic!("on purpose"));
        assert!(std::panic::catch_unwind(run).is_err());
        assert_eq!(left(), Limits::NONE);
    }
}
