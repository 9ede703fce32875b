//! Editor features for kubebuilder markers in Go files: completion, hover, and quick fixes.

mod completion;
mod fixes;
mod hover;
#[cfg(test)]
mod tests;
mod words;

use std::path::Path;

use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    judging::analysis::Around,
    sources::go_file::{Markers, is_go},
};

use crate::{
    completion::Completions,
    fixes::{Fix, Problem, TextEdit},
    hover::Hover,
    language::Language,
};

/// The editor features for Go files.
pub(crate) fn language(path: &Path, around: Around<'_>) -> Option<Box<dyn Language>> {
    let markers = || Markers::of(path, around.go, around.markers);
    is_go(path).then(|| Box::new(markers()) as _)
}

impl Language for Markers {
    fn complete(&self, text: &str, offset: u32, snippets: bool) -> Option<Completions> {
        completion::complete(text, offset, self, snippets)
    }

    fn hover(&self, text: &str, offset: u32) -> Option<Hover> {
        hover::hover(text, offset, self)
    }

    fn repairs(&self, text: &str, problems: Vec<Problem>, range: Span) -> Vec<Fix> {
        fixes::repairs(text, self, problems, range)
    }

    fn repair_all(&self, text: &str, problems: Vec<Problem>) -> Option<(Vec<TextEdit>, Vec<Fix>)> {
        fixes::repair_all(text, self, problems)
    }

    fn ignores(&self, text: &str, problems: Vec<Problem>, range: Span) -> Vec<Fix> {
        fixes::ignores(text, problems, range)
    }
}
