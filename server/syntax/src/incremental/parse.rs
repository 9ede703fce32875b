//! tree-sitter with tree-sitter-yaml, stopped at the first error.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;

use tree_sitter::{LogType, ParseOptions, Parser, Tree};

/// What the parser says of itself when it begins to recover from an error. (That it met one, it also says where one of several ways
/// to read a text ends.)
const RECOVERS: &str = "resume version";

/// Looks at the parser's progress, each after 100 steps, that a text may take for each of its bytes.
const LOOKS_PER_BYTE: usize = 2;

/// The tree of a text that [`super::guard`] lets through; `None` if it does not parse. `old` is the tree of an older text, moved by what
/// changed.
///
/// The parser tells its progress every 100 steps, but not whether it has met an error in between and got over it. Its log does.
pub(super) fn parse(text: &str, old: Option<&Tree>) -> Option<Tree> {
    let met_error = Rc::new(Cell::new(false));
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_yaml::LANGUAGE.into()).ok()?;
    let noted = met_error.clone();
    parser.set_logger(Some(Box::new(move |kind, message| {
        if kind == LogType::Parse && message.starts_with(RECOVERS) {
            noted.set(true);
        }
    })));
    let mut looks = 100 + LOOKS_PER_BYTE * text.len();
    let mut progress = |_: &_| {
        looks = looks.saturating_sub(1);
        if met_error.get() || looks == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, old, Some(options))?;
    (!met_error.get() && !tree.root_node().has_error()).then_some(tree)
}
