//! The span to mark for a node of a document.

use crd_analyzer_apiextensions::places::LocatedField;
use crd_analyzer_schema::field::{Cause, Error, Segment};
use crd_analyzer_syntax::{
    paths::Step,
    tree::{NodeId, Span, Tree},
};

/// Converts the segments of a field's path to steps in a tree.
pub fn steps(path: &[Segment]) -> Vec<Step<'_>> {
    path.iter().map(step).collect()
}

/// Converts a segment of a field's path to a step in a tree.
fn step(segment: &Segment) -> Step<'_> {
    match segment {
        Segment::Field(name) | Segment::Key(name) => Step::key(name.as_str()),
        Segment::Index(index) => Step::Index(*index),
    }
}

/// The span to mark for a node. It is the scalar itself, the key of a collection, or the first line of a collection without a key.
pub(crate) fn spot(tree: &Tree, key: Option<NodeId>, value: NodeId) -> Span {
    if tree.is_scalar(value) && !tree.is_absent(value) {
        return tree.span(value);
    }
    if let Some(key) = key {
        return tree.span(key);
    }
    if tree.is_absent(value) {
        return tree.span(value);
    }
    first_line(tree.text(), tree.span(value))
}

/// The span to mark for an error at a field. If the error refers to a part of a scalar, the span of that part.
pub(crate) fn of_error(tree: &Tree, place: &LocatedField, error: &Error) -> Span {
    if let (Some(key), Some(Cause::Entry { is_value: false, .. })) = (place.key, error.cause()) {
        return tree.span(key);
    }
    match error.inner() {
        Some(inner) if !place.missing && tree.is_scalar(place.value) => tree.source_map(place.value).span(inner),
        _ => spot(tree, place.key, place.value),
    }
}

/// The first line of a span that is not blank.
pub(crate) fn first_line(text: &str, span: Span) -> Span {
    let text = &text[span.range()];
    let end = text.find(['\r', '\n']).unwrap_or(text.len());
    Span::new(span.start, span.start + text[..end].trim_end().len() as u32)
}
