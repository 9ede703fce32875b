//! What a build spends of its budget ([`crd_analyzer_budget`]): steps, and bytes of what it makes and does not share.

use crd_analyzer_budget::{self as budget, Limits, Unfinished};

use crate::{
    node::{NODE, Node},
    problem::{Problem, ProblemKind, Result},
};

/// What one build may spend.
pub const LIMITS: Limits = Limits {
    work: 250_000_000,
    bytes: 64 << 20,
    ..Limits::NONE
};

/// Bytes of a text that are copied without being counted.
const SHORT: usize = 64;

/// Says why a build ends.
pub(crate) fn too_large(unfinished: Unfinished) -> Problem {
    let needs = match unfinished {
        Unfinished::Work => "work",
        Unfinished::Bytes => "memory",
    };
    Problem::new(ProblemKind::TooLarge, None, format!("the build takes too much {needs}"))
}

/// Spends steps of some nanoseconds.
pub(crate) fn work(steps: usize) -> Result<()> {
    budget::work(steps as u64).map_err(too_large)
}

/// Spends the bytes of a text before it is made.
pub(crate) fn bytes(bytes: usize) -> Result<()> {
    budget::bytes(bytes as u64).map_err(too_large)
}

/// Spends the work of a text that is made for a moment.
pub(crate) fn text(bytes: usize) -> Result<()> {
    if bytes <= SHORT {
        return Ok(());
    }
    work(bytes / budget::BYTES_PER_WORK as usize)
}

/// Spends so many nodes before they are made.
pub(crate) fn nodes(nodes: usize) -> Result<()> {
    bytes(nodes.saturating_mul(NODE))
}

/// A copy, which shares the texts.
pub(crate) fn copied(node: &Node) -> Result<Node> {
    nodes(node.size())?;
    Ok(node.clone())
}
