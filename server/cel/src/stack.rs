//! Room to recurse over an expression, however small the stack of the thread is.

/// What is left when more is taken: enough for what is done at one part of an expression, in builds for debugging too.
const RED_ZONE: usize = 256 << 10;
/// How much is taken at a time.
const SEGMENT: usize = 4 << 20;

/// Does something for a part of an expression, on more stack if little is left. How deep that goes is bounded elsewhere: by the parser for
/// what was written, by [`crate::checker`] for what macros make of it.
pub(crate) fn grow<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, SEGMENT, work)
}
