//! How deep schemas and values are followed.
//!
//! The API server follows them as deep as JSON may nest. Every walk here recurses, so it goes as deep as the stack of its thread allows: who
//! judges what others wrote gives its threads the stack for all of it.

/// The deepest nesting of JSON that the API server reads (`encoding/json`, `sigs.k8s.io/json`).
pub const MAX: usize = 10_000;

/// The depth that every thread has room for, also one of 2 MiB.
pub const ALWAYS: usize = 250;

/// The stack that a thread needs for [`MAX`] levels.
pub const STACK_BYTES: usize = RESERVE + MAX * 2 * BYTES_A_LEVEL + (1 << 20);

/// More than any walk takes for one level. Where a walk over a schema ends, one over a value may begin, so a level counts twice.
const BYTES_A_LEVEL: usize = 8 << 10;

/// For what is as large at any depth: an expression that is compiled, a message that is made.
const RESERVE: usize = 2 << 20;

/// How deep a schema, and a value at its end, may nest to be followed from here. What was
/// decoded by this limit must be walked on threads of no smaller stack.
pub fn limit() -> usize {
    let remaining = stacker::remaining_stack().unwrap_or_default();
    let levels = remaining.saturating_sub(RESERVE) / (2 * BYTES_A_LEVEL);
    levels.clamp(ALWAYS, MAX)
}

/// Whether so little stack is left that nothing may go deeper: for walks that follow a schema over and over, as deep as a value goes.
pub fn is_exhausted() -> bool {
    stacker::remaining_stack().is_some_and(|it| it < RESERVE / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stack_decides() {
        let in_stack = |bytes: usize| {
            let thread = std::thread::Builder::new().stack_size(bytes);
            thread.spawn(|| (limit(), is_exhausted())).unwrap().join().unwrap()
        };
        assert_eq!(in_stack(STACK_BYTES), (MAX, false));
        assert_eq!(in_stack(2 << 20), (ALWAYS, false));
        let some = in_stack(STACK_BYTES / 4).0;
        assert!(ALWAYS < some && some < MAX, "{some}");
    }
}
