//! The slow parser, for expressions with syntax errors. It reports and recovers from them like ANTLR's default error strategy, so that
//! the messages and the resulting tree are those of `cel-go`.
//!
//! Sources: the Go runtime of ANTLR (`error_strategy.go`, `parser.go`), the parser that it generates for `cel-go` (`parser/gen/cel_parser.go`), and
//! the limits that `cel-go` adds (`parser/parser.go`).

mod compiler;
mod grammar;
mod machine;
mod network;
mod predict;
mod recover;
mod report;

use std::sync::LazyLock;

pub(super) use machine::Halted;

use machine::Machine;
use network::Program;

use super::options::{EscapedIdentifiers, ParseOptions};
use super::tree::{Tree, TreeIdx};
use crate::ast::{Issues, Source};

static WITH_BACKTICKS: LazyLock<Program> = LazyLock::new(|| compiler::compile(true));
static WITHOUT_BACKTICKS: LazyLock<Program> = LazyLock::new(|| compiler::compile(false));

/// Parses the expression, reports its syntax errors, and returns the start node of the (possibly incomplete) tree.
pub(super) fn parse(
    source: &Source,
    options: &ParseOptions,
    tree: &mut Tree,
    issues: &mut Issues,
) -> Result<TreeIdx, Halted> {
    let backticks = options.escaped_identifiers != EscapedIdentifiers::Unknown;
    let program = if backticks {
        &*WITH_BACKTICKS
    } else {
        &*WITHOUT_BACKTICKS
    };
    *tree = Tree::default();
    Machine::new(program, (source, options), tree, issues, backticks).run()
}
