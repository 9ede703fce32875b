//! The maximum nesting depth of schemas and values.
//!
//! The API server walks schemas and values to any depth that its JSON decoder accepts. All walks in this crate are recursive, so the stack of the
//! thread limits their depth. Threads that check untrusted input need [`STACK_BYTES`].

/// The deepest nesting of JSON that the API server reads (`encoding/json`, `sigs.k8s.io/json`).
pub const MAX: usize = 10_000;

/// The depth that fits on the stack of every thread, even a stack of 2 MiB.
pub const ALWAYS: usize = 250;

/// The stack size for [`MAX`] levels, in bytes.
pub const STACK_BYTES: usize = RESERVE + MAX * 2 * BYTES_A_LEVEL + (1 << 20);

/// An upper bound of the stack that one level needs, in bytes. A walk over a value may start at the end of a walk over a schema, so each level counts
/// twice.
const BYTES_A_LEVEL: usize = 8 << 10;

/// The stack reserved for work that does not depend on the depth, such as compiling an expression, in bytes.
const RESERVE: usize = 2 << 20;

/// The maximum depth of a schema, and of a value at its end, for a walk that starts in this call. Input that was decoded with this limit must be
/// walked on threads whose stack is at least as large.
pub fn limit() -> usize {
    let remaining = stacker::remaining_stack().unwrap_or_default();
    let levels = remaining.saturating_sub(RESERVE) / (2 * BYTES_A_LEVEL);
    levels.clamp(ALWAYS, MAX)
}

/// Whether too little stack is left for the next level. For walks over a recursive schema, whose depth depends on the value.
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
