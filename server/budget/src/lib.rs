//! Budgets limit the work and memory of checking an input.
//!
//! Budgets count work and bytes, never time. So the same input stops at the same point on every machine and in every build. Code that answers a
//! request runs [`within`] limits. If the work of some code can grow faster than its input, the code first spends this work with [`work`] and
//! [`bytes`], and stops when the budget is exhausted. The caller of [`within`] is then told that the answer is [`Unfinished`], no matter where the
//! work stopped. An unfinished answer is neither yes nor no, and never the API server's answer.
//!
//! The limits are local to the thread. Outside of [`within`], nothing is limited.
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

/// The limits of a budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Units of work. A unit is a small step of a few nanoseconds, such as applying one instruction of a compiled pattern to one character.
    pub work: u64,
    /// Bytes of allocated values.
    pub bytes: u64,
    /// Bytes of the reported findings, see [`tell`].
    pub findings: u64,
    /// Units of work for advice, see [`advise`].
    pub advice: u64,
}

impl Limits {
    /// The limits for the complete check of one document with one Kubernetes version. The largest of about 900 open-source CRDs needs less than one
    /// percent of the work.
    pub const DOCUMENT: Self = Self {
        work: 400_000_000,
        bytes: 96 << 20,
        findings: FINDINGS,
        advice: ADVICE,
    };

    /// The limits for all documents of a file of the given size in bytes, and all Kubernetes versions. Long files usually have many documents, and
    /// need a few hundred units per byte.
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

    /// The limits for advice that goes beyond the verdict, such as quick fixes.
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

/// The maximum number of bytes for the reported findings of one file. It is enough for about ten thousand findings of typical length.
const FINDINGS: u64 = 8 << 20;

/// Units of work per byte of a long file.
const WORK_PER_BYTE: u64 = 800;

/// Units of work for advice about one file.
const ADVICE: u64 = 100_000_000;

/// The budget that was exhausted before the answer was complete.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unfinished {
    /// The work budget.
    Work,
    /// The memory budget.
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

/// The outcome of running [`within`] limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ended {
    /// The exhausted budget, if the run ended early.
    pub unfinished: Option<Unfinished>,
    /// The number of findings that are only counted ([`leave_out`]), because all findings together are too long. The verdict does not depend on them.
    pub left_out: u64,
}

/// The remaining budget of the thread.
#[derive(Clone, Copy)]
struct Left {
    limits: Limits,
    ended: Ended,
    /// The exhausted budget, if no more work is done.
    stopped: Option<Unfinished>,
    /// Whether the code runs [`within`] limits.
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

/// The number of bytes that one unit of work copies or compares.
pub const BYTES_PER_WORK: u64 = 16;

/// Runs a function within these limits and the existing ones. Returns the result of the function, and the outcome of the run.
///
/// The work and the reported findings of the function also count against the outer limits. Its bytes do not, because most of them are freed by the
/// time the function returns.
pub fn within<T>(limits: Limits, run: impl FnOnce() -> T) -> (T, Ended) {
    /// Restores the outer limits, even if the thread panics.
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

/// Runs a function outside of the current limits, so that they do not affect its result. The function has to set its own limits.
pub fn apart<T>(run: impl FnOnce() -> T) -> T {
    /// Restores the limits, even if the thread panics.
    struct Around(Left);
    impl Drop for Around {
        fn drop(&mut self) {
            LEFT.set(self.0);
        }
    }
    let _around = Around(LEFT.replace(OUTSIDE));
    run()
}

/// Spends units of work. After any budget is exhausted, this returns an error until the end of [`within`], because the answer is incomplete anyway.
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

/// Reports that the answer cannot be completed, and stops all further work within the limits.
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

/// Reports that a part of the answer is missing. The other parts are still useful.
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

/// Whether the budget allows reporting a finding of about this many bytes. If not, the finding is only counted.
pub fn tell(bytes: u64) -> bool {
    let is_told = has_room(bytes);
    if !is_told {
        leave_out(1);
    }
    is_told
}

/// Whether the budget allows a finding of this many bytes. If it does, spends the bytes.
pub fn has_room(bytes: u64) -> bool {
    let mut left = LEFT.get();
    let rest = left.limits.findings.checked_sub(bytes);
    if let Some(rest) = rest {
        left.limits.findings = rest;
        LEFT.set(left);
    }
    rest.is_some()
}

/// Whether the budget allows this many units of work for advice. If it does, spends the units. Without advice, an answer is the same but less
/// detailed.
pub fn advise(units: u64) -> bool {
    let mut left = LEFT.get();
    let rest = left.limits.advice.checked_sub(units);
    if let Some(rest) = rest {
        left.limits.advice = rest;
        LEFT.set(left);
    }
    rest.is_some()
}

/// Whether the run within the limits ended early. Results that were computed later must not be used.
pub fn is_stopped() -> bool {
    LEFT.get().stopped.is_some()
}

/// Adds to the number of findings that are only counted.
pub fn leave_out(findings: u64) {
    let mut left = LEFT.get();
    left.ended.left_out += findings;
    LEFT.set(left);
}

/// The remaining budget.
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
