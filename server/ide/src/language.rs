//! Editor features for source files in other languages, as a table with one row for each language. The features of the manifests that are generated
//! from these files are elsewhere.

use std::path::Path;

use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{judging::analysis::Around, roles::is_markdown};

use crate::{
    completion::Completions,
    fixes::{Fix, Problem, TextEdit},
    go,
    hover::Hover,
};

/// The features of a language, for example for markers in Go. Spans refer to the file.
pub trait Language: Send + Sync {
    /// The completion items at an offset.
    fn complete(&self, text: &str, offset: u32, snippets: bool) -> Option<Completions>;

    /// The hover at an offset.
    fn hover(&self, text: &str, offset: u32) -> Option<Hover>;

    /// The quick fixes for problems that touch a range, unambiguous fixes first.
    fn repairs(&self, text: &str, problems: Vec<Problem>, range: Span) -> Vec<Fix>;

    /// All unambiguous quick fixes at once. `None` if there is nothing to fix.
    fn repair_all(&self, text: &str, problems: Vec<Problem>) -> Option<(Vec<TextEdit>, Vec<Fix>)>;

    /// Fixes that suppress the problems that touch a range with comments.
    fn ignores(&self, text: &str, problems: Vec<Problem>, range: Span) -> Vec<Fix>;
}

type Of = fn(&Path, Around<'_>) -> Option<Box<dyn Language>>;

/// The table of languages.
const ROWS: [Of; 2] = [go::language, markdown];

/// The features for Markdown: none, so problems in its code blocks have no quick fixes.
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

/// The features for the file at a path. `None` if its language has none.
pub fn of(path: &Path, around: Around<'_>) -> Option<Box<dyn Language>> {
    ROWS.iter().find_map(|it| it(path, around))
}
