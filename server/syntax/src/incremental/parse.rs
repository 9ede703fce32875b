//! Runs tree-sitter with tree-sitter-yaml and stops at the first error.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;

use tree_sitter::{LogType, ParseOptions, Parser, Tree};

/// The log message of the parser when it starts to recover from an error. (The message about the error itself is not enough, because the parser also
/// logs it when one of several alternatives fails.)
const RECOVERS: &str = "resume version";

/// The maximum number of progress checks per byte of the text. The parser makes one check every 100 steps.
const LOOKS_PER_BYTE: usize = 2;

/// Parses a text that [`super::guard`] allows; `None` if it has errors. `old` is the tree of an older text, adjusted by the changes since.
///
/// The parser reports its progress every 100 steps, but does not report an error in between from which it recovered. Its log contains such errors.
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
