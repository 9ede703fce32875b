//! What the language of a source file has besides the manifests that are made of it: one row a language.

use std::path::Path;

use crd_analyzer_gosource::check::declared::Declared;
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{roles::is_markdown, sources::generated::GoSources};

use crate::{
    completion::Completions,
    fixes::{Fix, Problem, TextEdit},
    go,
    hover::Hover,
};

/// The words of a language, such as markers of Go. Spans are bytes of the file.
pub trait Language: Send + Sync {
    /// What can be written at a place.
    fn complete(&self, text: &str, offset: u32, snippets: bool) -> Option<Completions>;

    /// What there is to say about a place.
    fn hover(&self, text: &str, offset: u32) -> Option<Hover>;

    /// The repairs of those problems that touch a range, those with one meaning first.
    fn repairs(&self, text: &str, problems: Vec<Problem>, range: Span) -> Vec<Fix>;

    /// All repairs with one meaning at once. `None`: there is nothing to repair.
    fn repair_all(&self, text: &str, problems: Vec<Problem>) -> Option<(Vec<TextEdit>, Vec<Fix>)>;

    /// Comments that silence those problems that touch a range.
    fn ignores(&self, text: &str, problems: Vec<Problem>, range: Span) -> Vec<Fix>;
}

/// What languages look into besides the text.
#[derive(Clone, Copy, Default)]
pub struct Around<'a> {
    /// Where Go sources are found.
    pub go: Option<&'a dyn GoSources>,
    /// The markers that other tools than controller-gen read.
    pub markers: Option<&'a Declared>,
}

type Of = fn(&Path, Around<'_>) -> Option<Box<dyn Language>>;

/// The rows.
const ROWS: [Of; 2] = [go::language, markdown];

/// Markdown has no words of its own, and what is wrong in its blocks is repaired by hand.
fn markdown(path: &Path, _: Around<'_>) -> Option<Box<dyn Language>> {
    is_markdown(path).then(|| Box::new(Markdown) as _)
}

struct Markdown;

impl Language for Markdown {
    fn complete(&self, _: &str, _: u32, _: bool) -> Option<Completions> {
        None
    }

    fn hover(&self, _: &str, _: u32) -> Option<Hover> {
        None
    }

    fn repairs(&self, _: &str, _: Vec<Problem>, _: Span) -> Vec<Fix> {
        Vec::new()
    }

    fn repair_all(&self, _: &str, _: Vec<Problem>) -> Option<(Vec<TextEdit>, Vec<Fix>)> {
        None
    }

    fn ignores(&self, _: &str, _: Vec<Problem>, _: Span) -> Vec<Fix> {
        Vec::new()
    }
}

/// The language of the file at a path, if it has words of its own.
pub fn of(path: &Path, around: Around<'_>) -> Option<Box<dyn Language>> {
    ROWS.iter().find_map(|it| it(path, around))
}
