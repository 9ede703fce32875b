//! Converts a CRD of an API version that is no longer served to `v1`.

use crd_analyzer_apiextensions::v1beta1::rewrite_to_v1;
use crd_analyzer_syntax::tree::{Span, Tree};

use super::{Fix, FixKind, Problem, TextEdit};

/// The fix that rewrites the document; `None` if it cannot be converted.
pub(super) fn fix(text: &str, tree: &Tree, problem: Problem) -> Option<Fix> {
    let ends_with_cr = first_line(tree).ends_with('\r');
    let end = text.len() as u32;
    let edits = rewrite_to_v1(tree).ok()?.into_iter().map(|it| {
        // In the tree, the last line ends with a line break even if the file has none.
        let is_behind = it.span.start > end;
        let new_text = if is_behind { format!("\n{}", it.text) } else { it.text };
        TextEdit {
            span: Span::new(it.span.start.min(end), it.span.end.min(end)),
            new_text: if ends_with_cr { with_cr(&new_text) } else { new_text },
        }
    });
    Some(Fix {
        title: "Convert to apiextensions.k8s.io/v1".to_owned(),
        kind: FixKind::Repair,
        problem,
        edits: edits.collect(),
        preferred: true,
        changes: Vec::new(),
        drops: false,
    })
}

/// The first line of the document, without the line feed.
fn first_line(tree: &Tree) -> &str {
    let document = &tree.text()[tree.document_span().range()];
    document.split('\n').next().unwrap_or_default()
}

/// Replaces line feeds with CR LF.
fn with_cr(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}
