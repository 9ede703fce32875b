//! Hints of crd-analyzer about a whole document, in addition to the API server's answer.

use crd_analyzer_syntax::{
    json::{Json, JsonDoc},
    tree::{NodeKind, ScalarStyle, Tree},
};

use crate::{
    codes,
    findings::finding::{Class, Finding, Severity},
    words,
};

/// The maximum total size of an object's annotations, in bytes (`k8s.io/apimachinery/pkg/api/validation`, `TotalAnnotationSizeLimitB`). Client-side
/// `kubectl apply` writes the whole object into an annotation.
const ANNOTATION_LIMIT: usize = 256 * 1024;

/// The maximum size of a request to etcd, in bytes, unless configured otherwise (`DefaultMaxRequestBytes` of `go.etcd.io/etcd/server/v3/embed`).
const REQUEST_LIMIT: usize = 3 << 19;

/// The annotation of client-side `kubectl apply`.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The field that `kubectl apply` adds to an object without annotations.
const EMPTY_ANNOTATIONS: &str = r#""annotations":{},"#;

/// The line break at the end of the JSON that `kubectl` writes.
const LINE_BREAK: usize = 1;

/// The prefix of the tags that YAML itself defines, such as `!!str`.
const YAML_TAGS: &str = "tag:yaml.org,2002:";

/// The hints about a document that do not depend on the Kubernetes version. There are at most `most`.
pub(crate) fn find(tree: &Tree, json: &JsonDoc<'_>, most: usize) -> Vec<Finding> {
    let all = too_large(tree, json).into_iter().chain(local_tags(tree));
    all.take(most).collect()
}

/// Finds tags that YAML does not define. The API server ignores them. The author meant a string that starts with `!`, such as a rule.
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

/// The hint that a CRD is too large for `kubectl apply` or for etcd.
fn too_large(tree: &Tree, json: &JsonDoc<'_>) -> Option<Finding> {
    let span = tree.document_span();
    // JSON is usually shorter than YAML with its indentation. If the text is much smaller than the limit, its JSON need not be computed.
    if ((span.end - span.start) as usize) < ANNOTATION_LIMIT / 2 {
        return None;
    }
    let root = json.root()?;
    let metadata = root.get("metadata");
    let most = beside_json(metadata).map(|it| ANNOTATION_LIMIT.saturating_sub(it));
    let estimate = Estimate::of(tree);
    if estimate.most <= most.unwrap_or(REQUEST_LIMIT) {
        return None;
    }
    let name = metadata.and_then(|it| it.get("name")).unwrap_or(root);
    // `None` means that the JSON is longer than the maximum size of a request.
    let is_certain = json.duplicates().is_empty() && estimate.least > REQUEST_LIMIT;
    let length = (!is_certain).then(|| json.written_len(tree, REQUEST_LIMIT)).flatten();
    let Some(length) = length else {
        let mut finding = Finding {
            label: Some("too large to store".to_owned()),
            help: vec!["shorten or remove descriptions, or remove unused versions".to_owned()],
            notes: vec![format!(
                "as JSON it has more than the {REQUEST_LIMIT} bytes (1.5 MiB) of a request to etcd"
            )],
            ..Finding::new(
                Class::Hint,
                codes::TOO_LARGE_TO_STORE,
                tree.span(name.node),
                "this CRD is too large: the API server cannot store it in etcd",
            )
        };
        finding.severity = Severity::Error;
        return Some(finding);
    };
    let most = most?;
    let message = "this manifest is too large for client-side `kubectl apply`";
    let note = format!(
        "as JSON it has more than the {ANNOTATION_LIMIT} bytes that `kubectl apply` can keep in its annotation"
    );
    let help = "apply it with `kubectl apply --server-side`, or shorten descriptions".to_owned();
    let help_in_go = "apply it with `kubectl apply --server-side`, or generate it with `crd:maxDescLen=0`".to_owned();
    (length > most).then(|| Finding {
        label: Some("too large to annotate".to_owned()),
        help: vec![help],
        help_in_go: vec![help_in_go],
        notes: vec![note],
        ..Finding::new(Class::Hint, codes::LARGE_MANIFEST, tree.span(name.node), message)
    })
}

/// The bytes that the annotation has in addition to the object's JSON: what `kubectl apply` adds, and the other annotations
/// (`GetModifiedConfiguration` of `k8s.io/kubectl/pkg/util`). `None` if the object already has the annotation.
fn beside_json(metadata: Option<&Json<'_>>) -> Option<usize> {
    let annotations = metadata.and_then(|it| it.get("annotations")?.members());
    let Some(annotations) = annotations else {
        return Some(LAST_APPLIED.len() + LINE_BREAK + EMPTY_ANNOTATIONS.len());
    };
    let mut bytes = LAST_APPLIED.len() + LINE_BREAK;
    for it in annotations {
        if it.key == LAST_APPLIED {
            return None;
        }
        bytes += it.key.len() + it.value.as_str().map_or(0, str::len);
    }
    Some(bytes)
}

/// A lower and an upper limit for the size of a document's JSON, in bytes. Computing them is faster than computing the JSON.
struct Estimate {
    /// The size of the words alone, because the JSON contains all of them. If a key is repeated, the JSON has it only once.
    least: usize,
    most: usize,
}

impl Estimate {
    fn of(tree: &Tree) -> Self {
        let (mut least, mut most) = (0, 0);
        for node in tree.nodes() {
            // The JSON has quotes and separators around a value, or `null` for a missing one.
            most += 4;
            let NodeKind::Scalar(style) = tree.kind(node) else {
                continue;
            };
            let source = tree.source(node);
            most += source.len();
            if style == ScalarStyle::Plain {
                match source.as_bytes().first() {
                    // A string that has several lines in YAML may be shorter in JSON.
                    Some(it) if it.is_ascii_alphabetic() && !source.contains('\n') => least += source.len(),
                    // A number may become longer in JSON, or already be as short as possible.
                    Some(b'0'..=b'9' | b'+' | b'-' | b'.') => most += MOST_OF_NUMBER,
                    _ => {}
                }
            }
        }
        if tree.has_aliases() {
            // The JSON contains the value of an alias at each use.
            return Self {
                least,
                most: usize::MAX,
            };
        }
        let text = &tree.text().as_bytes()[tree.document_span().range()];
        most += text
            .iter()
            .map(|it| usize::from(ESCAPED[usize::from(*it)]))
            .sum::<usize>();
        Self { least, most }
    }
}

/// The maximum size of a number in JSON, in bytes.
const MOST_OF_NUMBER: usize = 25;

/// The maximum number of additional bytes in JSON for each byte of YAML that starts an escape or needs one.
const ESCAPED: [u8; 256] = {
    let mut more = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        more[byte] = 5;
        byte += 1;
    }
    more[b'\n' as usize] = 1;
    more[b'"' as usize] = 1;
    more[b'\\' as usize] = 5;
    more[b'<' as usize] = 5;
    more[b'>' as usize] = 5;
    more[b'&' as usize] = 5;
    // The first byte of the line separator and the paragraph separator, which JSON escapes.
    more[0xE2] = 3;
    more
};

#[cfg(test)]
mod tests {
    use super::*;
    use crd_analyzer_syntax::{read_json, tree::Span};
    use std::sync::Arc;

    /// The codes for a CRD whose JSON has `bytes` bytes. `annotations` has its annotations in YAML.
    fn codes(bytes: usize, annotations: &str) -> Vec<&'static str> {
        let with = |description: usize| -> Arc<str> {
            let text = "x".repeat(description);
            format!("kind: C\nmetadata:\n  name: a\n{annotations}spec: {{description: {text}}}\n").into()
        };
        let read = |text: &Arc<str>| crd_analyzer_syntax::read(text, Span::new(0, text.len() as u32)).expect("YAML");
        let small = read(&with(1));
        let length = read_json(&small)
            .expect("JSON")
            .written_len(&small, bytes)
            .expect("it is short");
        let tree = read(&with(bytes - length + 1));
        let json = read_json(&tree).expect("JSON");
        assert_eq!(json.written_len(&tree, bytes), Some(bytes));
        find(&tree, &json, usize::MAX).into_iter().map(|it| it.code).collect()
    }

    #[test]
    fn estimates_enclose_the_length() {
        let manifests = [
            "a: 1e20\nb: -.5\nc: 0x7fffffffffffffff\nd: 1_000\n",
            "a: \"\\x01\\L\\P\\N\\e\\t<>&\\u2028\"\n",
            "a: '\u{2028}\u{2029}'\nb: \"\t\"\n",
            "a:\nb: ~\nc: []\n",
            "a: |\n  x\n\n\n  \"y\"\nb: >+\n  z\n\n",
            "a: {b, c: [d,e,f,{},[]]}\n? g\n: h\n",
            "{\"a\":\"b\",\"c\":[true,null,y,on,1.0]}",
            "a: word\n  word\nb: 'it''s'\nc: !!str 1\n",
            "a: &b [x, y]\nc: [*b, *b, *b, *b, *b]\nd: {<<: {e: f}}\n",
        ];
        for text in manifests {
            let text: Arc<str> = text.into();
            let tree = crd_analyzer_syntax::read(&text, Span::new(0, text.len() as u32)).expect("YAML");
            let json = read_json(&tree).expect("JSON");
            let length = json.written_len(&tree, usize::MAX).expect("all of it");
            let Estimate { least, most } = Estimate::of(&tree);
            assert!(least <= length && length <= most, "{text:?}: {least} {length} {most}");
        }
    }

    #[test]
    fn sizes_are_those_of_the_json_that_is_sent() {
        // The limit is 262,144 bytes. The key needs 48 of them, the line break 1, and `"annotations":{},` 17.
        for (bytes, annotations, expected) in [
            (262_144 - 66, "", &[][..]),
            (262_144 - 65, "", &[codes::LARGE_MANIFEST]),
            (262_144 - 49 - 4, "  annotations: {a: 'bcd'}\n", &[]),
            (
                262_144 - 49 - 3,
                "  annotations: {a: 'bcd'}\n",
                &[codes::LARGE_MANIFEST],
            ),
            (1_572_864, "", &[codes::LARGE_MANIFEST]),
            (1_572_865, "", &[codes::TOO_LARGE_TO_STORE]),
        ] {
            assert_eq!(codes(bytes, annotations), expected, "{bytes} bytes, {annotations:?}");
        }
    }
}
