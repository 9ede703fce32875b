//! What we have to say beside the API server's answers, about the document as a whole.

use crd_analyzer_syntax::{
    json::JsonDoc,
    tree::{NodeKind, ScalarStyle, Tree},
};

use crate::{
    codes,
    finding::{Class, Finding},
    words,
};

/// How many bytes all annotations of an object may have together (`k8s.io/apimachinery/pkg/api/validation`, `TotalAnnotationSizeLimitB`).
/// Client-side `kubectl apply` writes the whole object into one.
const ANNOTATION_LIMIT: usize = 256 * 1024;

/// What the tags begin with that YAML knows (`!!str`).
const YAML_TAGS: &str = "tag:yaml.org,2002:";

/// The hints of a document that are the same for every Kubernetes version, `most` of them.
pub(crate) fn find(tree: &Tree, json: &JsonDoc<'_>, most: usize) -> Vec<Finding> {
    let all = large_manifest(tree, json).into_iter().chain(local_tags(tree));
    all.take(most).collect()
}

/// A tag that YAML itself does not know says nothing to the API server, which drops it: text that begins with `!` was meant, such as a rule.
fn local_tags(tree: &Tree) -> impl Iterator<Item = Finding> {
    let properties = tree
        .all_properties()
        .iter()
        .filter_map(|(_, it)| it.tag.zip(it.tag_name.as_deref()));
    let local = properties.filter(|(_, name)| *name != "!" && !name.starts_with(YAML_TAGS));
    local.map(|(span, _)| {
        let written = &tree.text()[span.range()];
        let message = format!(
            "YAML reads `{}` as a tag, not as part of the value",
            words::clip(written, 40)
        );
        Finding {
            label: Some("a YAML tag".to_owned()),
            help: vec!["put the whole value in quotes".to_owned()],
            notes: vec!["the API server drops the tag".to_owned()],
            ..Finding::new(Class::Hint, codes::LOCAL_TAG, span, message)
        }
    })
}

fn large_manifest(tree: &Tree, json: &JsonDoc<'_>) -> Option<Finding> {
    let span = tree.document_span();
    // JSON is shorter than YAML with its indentation, but not always: only much smaller texts need not be written out.
    if ((span.end - span.start) as usize) < ANNOTATION_LIMIT / 2 {
        return None;
    }
    let root = json.root()?;
    // With the line break that `kubectl` adds.
    let is_certain = json.duplicates().is_empty() && has_more_text(tree, ANNOTATION_LIMIT);
    let is_too_large = is_certain || json.written_len(tree, ANNOTATION_LIMIT - 1).is_none();
    let message = "this manifest is too large for client-side `kubectl apply`";
    let note = format!(
        "as JSON it has more than the {ANNOTATION_LIMIT} bytes that `kubectl apply` can keep in its annotation"
    );
    let name = root
        .get("metadata")
        .and_then(|metadata| metadata.get("name"))
        .unwrap_or(root);
    let help = "apply it with `kubectl apply --server-side`, or shorten descriptions".to_owned();
    is_too_large.then(|| Finding {
        label: Some("too large to annotate".to_owned()),
        help: vec![help],
        notes: vec![note],
        ..Finding::new(Class::Hint, codes::LARGE_MANIFEST, tree.span(name.node), message)
    })
}

/// Whether the words of a text alone are more than so many bytes: JSON has all of them, which is quicker to find than to write JSON.
fn has_more_text(tree: &Tree, limit: usize) -> bool {
    let plain = NodeKind::Scalar(ScalarStyle::Plain);
    let of_node = |node| {
        let source = if tree.kind(node) == plain {
            tree.source(node)
        } else {
            ""
        };
        // Numbers may become shorter, and texts of several lines.
        let is_word = source.starts_with(|it: char| it.is_ascii_alphabetic());
        if is_word && !source.contains('\n') {
            source.len()
        } else {
            0
        }
    };
    let mut bytes = 0;
    tree.nodes().any(|node| {
        bytes += of_node(node);
        bytes > limit
    })
}
