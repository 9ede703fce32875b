//! What we have to say beside the server's answers, about the document as a whole.

use crd_analyzer_syntax::{json::JsonDoc, tree::Tree};

use crate::{
    codes,
    finding::{Class, Finding},
};

/// How many bytes all annotations of an object may have together (`k8s.io/apimachinery/pkg/api/validation`, `TotalAnnotationSizeLimitB`).
/// Client-side `kubectl apply` writes the whole object into one.
const ANNOTATION_LIMIT: usize = 256 * 1024;

/// The hints of a document that are the same for every minor.
pub(crate) fn find(tree: &Tree, json: &JsonDoc<'_>) -> Vec<Finding> {
    large_manifest(tree, json).into_iter().collect()
}

fn large_manifest(tree: &Tree, json: &JsonDoc<'_>) -> Option<Finding> {
    let span = tree.document_span();
    // JSON is shorter than YAML with its indentation, but not always: only much smaller texts need not be written out.
    if ((span.end - span.start) as usize) < ANNOTATION_LIMIT / 2 {
        return None;
    }
    let root = json.root()?;
    let size = json.written_len(tree) + 1;
    let message = format!(
        "as JSON this manifest has {size} bytes, more than the {ANNOTATION_LIMIT} that `kubectl apply` can keep in its annotation"
    );
    let name = root
        .get("metadata")
        .and_then(|metadata| metadata.get("name"))
        .unwrap_or(root);
    let help = "apply it with `kubectl apply --server-side`, or shorten descriptions".to_owned();
    (size > ANNOTATION_LIMIT).then(|| Finding {
        help: vec![help],
        ..Finding::new(Class::Hint, codes::LARGE_MANIFEST, tree.span(name.node), message)
    })
}
