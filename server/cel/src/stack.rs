//! Extends the stack for recursion over an expression, so that small thread stacks suffice.

/// The remaining stack (in bytes) at which a new segment is allocated. It suffices for one step of the recursion, even in debug builds.
const RED_ZONE: usize = 256 << 10;
/// The size of a new stack segment, in bytes.
const SEGMENT: usize = 4 << 20;

/// Runs a step of a recursion, on a new stack segment if little stack is left. Other code bounds the depth: the parser for the source text,
/// [`crate::checker`] for macro expansions.
pub(crate) fn grow<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, SEGMENT, work)
}
