//! Spends the budget of a build ([`crd_analyzer_budget`]): steps, and bytes of the values that it creates and does not share.

use crd_analyzer_budget::{self as budget, Limits, Unfinished};

use crate::{
    node::{NODE, Node},
    problem::{Problem, ProblemKind, Result},
};

/// The limits of one build.
pub const LIMITS: Limits = Limits {
    work: 250_000_000,
    bytes: 64 << 20,
    ..Limits::NONE
};

/// The maximum length in bytes of a string whose copies are not counted.
const SHORT: usize = 64;

/// The problem of a build that exceeds its budget.
pub(crate) fn too_large(unfinished: Unfinished) -> Problem {
    let needs = match unfinished {
        Unfinished::Work => "work",
        Unfinished::Bytes => "memory",
    };
    Problem::new(ProblemKind::TooLarge, None, format!("the build takes too much {needs}"))
}

/// Spends steps, of some nanoseconds each.
pub(crate) fn work(steps: usize) -> Result<()> {
    budget::work(steps as u64).map_err(too_large)
}

/// Spends the bytes of a string before it is created.
pub(crate) fn bytes(bytes: usize) -> Result<()> {
    budget::bytes(bytes as u64).map_err(too_large)
}

/// Spends the work for a temporary string.
pub(crate) fn text(bytes: usize) -> Result<()> {
    if bytes <= SHORT {
        return Ok(());
    }
    work(bytes / budget::BYTES_PER_WORK as usize)
}

/// Spends the bytes of the given number of nodes before they are created.
pub(crate) fn nodes(nodes: usize) -> Result<()> {
    bytes(nodes.saturating_mul(NODE))
}

/// A copy that shares the strings.
pub(crate) fn copied(node: &Node) -> Result<Node> {
    nodes(node.size())?;
    Ok(node.clone())
}
