//! Compares our result for a text with that of Kubernetes.

use std::sync::Arc;

use crd_analyzer_syntax::json::read_json;
use crd_analyzer_syntax::reader::{Encoding, ReadError, read_decoded};
use crd_analyzer_syntax::source::Source;
use crd_analyzer_syntax::tree::{NodeId, NodeKind, Span, Tree};

use super::oracle::{Answer, Oracle};

/// A text, and the way to parse it if it is not parsed as a whole.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) tree: Option<Result<Tree, ReadError>>,
}

/// Describes the differences, one for each text with different results.
pub(crate) fn differences(oracle: &mut Oracle, cases: Vec<Case>) -> Vec<String> {
    let answers = oracle.ask(cases.iter().map(|it| it.bytes.as_slice()));
    let mut found = Vec::new();
    for (case, theirs) in cases.into_iter().zip(answers) {
        let (ours, wrong) = read(&case);
        if (ours == theirs || is_same_but_for_order(&case, &ours, &theirs)) && wrong.is_none() {
            continue;
        }
        // Go iterates over maps in random order, so the key that it reports or keeps may differ in each run.
        let again = oracle.ask(std::iter::repeat_n(case.bytes.as_slice(), 40));
        if wrong.is_some() || again.iter().all(|it| it != &ours) {
            found.push(describe(&case, &ours, &theirs, wrong));
        }
    }
    found
}

/// Whether the results differ only in their order. Go sorts keys that are not UTF-8, such as `!!binary` keys, by bytes that JSON does not show.
fn is_same_but_for_order(case: &Case, ours: &Answer, theirs: &Answer) -> bool {
    let value = |it: &Answer| match it {
        Answer::Json { text, strict } => serde_json::from_str::<serde_json::Value>(text)
            .ok()
            .map(|it| (it, strict.clone())),
        _ => None,
    };
    let has_binary = case.bytes.windows(b"!!binary".len()).any(|it| it == b"!!binary");
    has_binary && value(ours).is_some_and(|it| Some(it) == value(theirs))
}

/// Parses a text. Returns our result, and any error found in the tree.
fn read(case: &Case) -> (Answer, Option<String>) {
    let again = case.tree.is_none().then(|| {
        let source = Source::decode(case.bytes.clone());
        let text: Arc<str> = source.text.into();
        read_decoded(&text, Span::new(0, text.len() as u32), &source.defects, Encoding::Utf8)
    });
    let Some(tree) = case.tree.as_ref().or(again.as_ref()) else {
        unreachable!("one of them is there")
    };
    match tree {
        Ok(tree) => match read_json(tree) {
            Ok(json) => (
                Answer::Json {
                    text: json.write(tree),
                    strict: json.strict_error(),
                },
                check_tree(tree),
            ),
            Err(error) => (Answer::Error(error.message), None),
        },
        Err(error) => (Answer::Error(error.message.clone()), None),
    }
}

fn describe(case: &Case, ours: &Answer, theirs: &Answer, wrong: Option<String>) -> String {
    let text = String::from_utf8_lossy(&case.bytes);
    let text: String = text.chars().take(3000).collect();
    format!(
        "{}: {}\nours:   {ours:?}\ntheirs: {theirs:?}\n{text:?}",
        case.name,
        wrong.unwrap_or_default()
    )
}

/// Describes the first wrong position in a tree.
fn check_tree(tree: &Tree) -> Option<String> {
    let wrong = |node: NodeId, what: &str| Some(format!("{what} at {:?} {:?}", tree.span(node), tree.kind(node)));
    for node in tree.nodes() {
        let span = tree.span(node);
        if tree.text().get(span.range()).is_none() {
            return wrong(node, "span is no text");
        }
        if let Some(parent) = tree.parent(node) {
            let outer = tree.span(parent);
            let full = tree.full_span(node);
            if full.start < outer.start || full.end > outer.end {
                return wrong(node, "child is not in its parent");
            }
        }
        let mut end = span.start;
        for child in tree.children(node) {
            let child = tree.full_span(child);
            if child.start < end {
                return wrong(node, "children overlap");
            }
            end = child.end;
        }
        if let NodeKind::Scalar(_) = tree.kind(node)
            && let Some(what) = check_source_map(tree, node)
        {
            return wrong(node, &what);
        }
    }
    None
}

fn check_source_map(tree: &Tree, node: NodeId) -> Option<String> {
    let value = tree.scalar(node);
    let map = tree.source_map(node);
    let node_span = tree.span(node);
    if map.value_len() != value.len() {
        return Some("map and value differ in length".to_owned());
    }
    let mut last = node_span.start;
    let step = 1 + value.len() / 200;
    for (at, char) in value.char_indices().step_by(step) {
        let span = map.span(at..at + char.len_utf8());
        if span.start < last || span.end > node_span.end || span.start < node_span.start {
            return Some(format!("value byte {at} is written at {span:?}"));
        }
        last = span.start;
        let source = &tree.text()[span.range()];
        if source.len() == char.len_utf8() && !source.starts_with(char) && !char.is_whitespace() {
            return Some(format!("value byte {at} is not {source:?}"));
        }
        if !span.is_empty() && map.to_value(span.start) != Some(at) {
            return Some(format!(
                "value byte {at} is not found again, but {:?}",
                map.to_value(span.start)
            ));
        }
    }
    None
}
