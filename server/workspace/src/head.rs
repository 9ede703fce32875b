//! What a document says it is, found even where the rest of it cannot be read.

use crd_analyzer_apiextensions::decode::WrittenType;
use crd_analyzer_syntax::{read_json, split::Document, tree::Span};

use crate::text::Text;

/// Reads what the document says it is; `WrittenType::default()` if nothing of it can be read.
///
/// What stands before `spec:` is enough in the usual layout, and all there is where the rest is broken.
pub(crate) fn read(text: &Text, document: Document) -> WrittenType {
    let span = document.span;
    let top = text.content[span.range()].find("\nspec:").filter(|end| *end > 0);
    if let Some(end) = top {
        let tree = text.read_span(Span::new(span.start, span.start + end as u32));
        let head = tree
            .ok()
            .and_then(|tree| Some(WrittenType::of(read_json(&tree).ok()?.root()?)));
        if let Some(head) = head.filter(|head| !head.kind.is_empty() && !head.api_version.is_empty()) {
            return head;
        }
    }
    let tree = text.read(document);
    tree.ok()
        .and_then(|tree| Some(WrittenType::of(read_json(&tree).ok()?.root()?)))
        .unwrap_or_default()
}
