//! Counts the budget of a build ([`crd_analyzer_budget`]): work units, and the bytes of values that it creates without sharing.

use crd_analyzer_budget::{self as budget, Limits, Unfinished};

use crate::{
    node::{NODE, Node},
    problem::{Problem, ProblemKind, Result},
};

/// The limits for one build.
pub const LIMITS: Limits = Limits {
    work: 250_000_000,
    bytes: 64 << 20,
    ..Limits::NONE
};

/// The maximum length, in bytes, of strings whose copies are not counted.
const SHORT: usize = 64;

/// The problem of a build that has exceeded its budget.
pub(crate) fn too_large(unfinished: Unfinished) -> Problem {
    let needs = match unfinished {
        Unfinished::Work => "work",
        Unfinished::Bytes => "memory",
    };
    Problem::new(ProblemKind::TooLarge, None, format!("the build takes too much {needs}"))
}

/// Spends work units. Each takes some nanoseconds.
pub(crate) fn work(steps: usize) -> Result<()> {
    budget::work(steps as u64).map_err(too_large)
}

/// Spends the bytes of a string that is about to be created.
pub(crate) fn bytes(bytes: usize) -> Result<()> {
    budget::bytes(bytes as u64).map_err(too_large)
}

/// Spends the work for a string that exists only temporarily.
pub(crate) fn text(bytes: usize) -> Result<()> {
    if bytes <= SHORT {
        return Ok(());
    }
    work(bytes / budget::BYTES_PER_WORK as usize)
}

/// Spends the bytes of nodes that are about to be created.
pub(crate) fn nodes(nodes: usize) -> Result<()> {
    bytes(nodes.saturating_mul(NODE))
}

/// A copy of a node that shares its strings.
pub(crate) fn copied(node: &Node) -> Result<Node> {
    nodes(node.size())?;
    Ok(node.clone())
}
