//! The text of a built object, with a map from the text to the files from which the object was built.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    fmt::Write as _,
    path::Path,
    sync::Arc,
};

use crd_analyzer_kustomize::{Node, Place, Sources, Value, pointer_key};
use crd_analyzer_syntax::{
    is_plain_text, read_json_of,
    tree::{NodeId, NodeKind, ScalarStyle, Span, Tree},
};

use crate::{
    documents::source::{BuiltPlace, SourceText},
    documents::spans,
};

/// A part of the text, and the place that set it. The segment of a collection contains the segments of its children.
struct Segment {
    span: Span,
    place: Place,
    /// Whether the segment is a key or a scalar.
    is_scalar: bool,
}

/// The text of an object, written as if it were in a file.
pub(super) struct Projection {
    pub(super) text: String,
    /// The segments, sorted by start. Outer segments come before inner ones.
    segments: Vec<Segment>,
}

/// The files of built objects by path, so that each file's text is copied only once.
pub(super) type Written<'s> = HashMap<&'s Arc<Path>, Arc<SourceText>>;

impl Projection {
    /// Writes the text of an object.
    pub(super) fn new(object: &Node, sources: &Sources) -> Self {
        let mut writing = Writing {
            sources,
            text: String::new(),
            segments: Vec::new(),
        };
        writing.node(object, 0, true);
        writing.text.push('\n');
        Self {
            text: writing.text,
            segments: writing.segments,
        }
    }

    /// The approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.text.len() + self.segments.len() * size_of::<Segment>()
    }

    /// The place where each part of the text was written. `files` has the files that are known from other objects, and is extended.
    pub(super) fn places<'s>(&self, sources: &'s Sources, files: &mut Written<'s>) -> Arc<[BuiltPlace]> {
        let place = |segment: &Segment| {
            let (place, origin) = self.origin(segment.span, sources)?;
            let (path, _) = sources.document(place);
            let file = files.entry(path).or_insert_with(|| source(sources, place));
            Some(BuiltPlace {
                span: segment.span,
                file: file.clone(),
                origin,
            })
        };
        self.segments.iter().filter_map(place).collect()
    }

    /// The place where a span of the text was written, and the corresponding span in that place's file.
    pub(super) fn origin(&self, span: Span, sources: &Sources) -> Option<(Place, Span)> {
        let before = self.segments.partition_point(|it| it.span.start <= span.start);
        let inner = self.segments[..before]
            .iter()
            .rev()
            .find(|it| span.start < it.span.end || it.span.is_empty() && span.start == it.span.start)?;
        // The first line of an item stands for the whole item. The build sorts keys, so that its first key may be another one than in the file.
        let is_item = |it: &&Segment| {
            !it.is_scalar && it.span.start == inner.span.start && inner.span.end < span.end && span.end <= it.span.end
        };
        let inner = self.segments[..before].iter().rev().find(is_item).unwrap_or(inner);
        let (tree, node) = sources.tree(inner.place);
        if !inner.is_scalar {
            return Some((inner.place, spot(sources, inner.place)));
        }
        let within = |offset: u32| {
            let quoted = &self.text[inner.span.start as usize..offset.min(inner.span.end) as usize];
            value_offset(quoted)
        };
        let is_part = span.start > inner.span.start || span.end < inner.span.end;
        let is_copied = tree.is_scalar(node) && {
            let written = &self.text[inner.span.range()];
            value_of(written).is_some_and(|it| it == tree.scalar(node))
        };
        if is_part
            && is_copied
            && let (Some(start), Some(end)) = (within(span.start), within(span.end))
        {
            let part = tree.source_map(node).span(start..end);
            return Some((inner.place, sources.outward(inner.place.document, part)));
        }
        if let Some(key) = self.key_in_pointer(inner, sources) {
            return Some((inner.place, key));
        }
        Some((inner.place, sources.span(inner.place)))
    }
}

impl Projection {
    /// The span of a key that the `path` of a JSON patch writes, in the patch's file. It is the last part of the path.
    fn key_in_pointer(&self, segment: &Segment, sources: &Sources) -> Option<Span> {
        let (tree, node) = sources.tree(segment.place);
        let written = tree.is_scalar(node).then(|| tree.scalar(node))?;
        let key = value_of(&self.text[segment.span.range()])?;
        let (before, last) = written.strip_prefix('/').and(written.rsplit_once('/'))?;
        (pointer_key(last) == key).then(|| {
            let part = tree.source_map(node).span(before.len() + 1..written.len());
            sources.outward(segment.place.document, part)
        })
    }
}

/// The file of a place, with its text.
pub(super) fn source(sources: &Sources, place: Place) -> Arc<SourceText> {
    let (path, _) = sources.document(place);
    Arc::new(SourceText::new(path.clone(), sources.text_of(place).into()))
}

/// The span to mark for a place in its file. It is the scalar, the key of the collection, or the first line of the collection.
pub(super) fn spot(sources: &Sources, place: Place) -> Span {
    let (tree, node) = sources.tree(place);
    let spot = match tree.entry_of(node) {
        Some(entry) if !tree.is_scalar(node) || tree.is_absent(node) => tree.span(entry.key),
        _ => spans::first_line(tree.text(), tree.span(node)),
    };
    sources.outward(place.document, spot)
}

/// The documents that set parts of an object, without repetitions, in the order of the object's fields.
pub(super) fn documents_of(object: &Node) -> Vec<u32> {
    fn visit(node: &Node, see: &mut impl FnMut(Place)) {
        see(node.place);
        node.removals().iter().for_each(|it| see(it.place));
        match &node.value {
            Value::Map(entries) => {
                for entry in entries {
                    see(entry.key_place);
                    visit(&entry.value, see);
                }
            }
            Value::List(items) => items.iter().for_each(|it| visit(it, see)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    visit(object, &mut |place| {
        if seen.insert(place.document) {
            found.push(place.document);
        }
    });
    found
}

/// The value of a key or scalar as written in the text.
fn value_of(written: &str) -> Option<String> {
    if written.starts_with('"') {
        serde_json::from_str(written).ok()
    } else {
        Some(written.to_owned())
    }
}

/// The length of the value that `beginning`, the start of a scalar's source text, represents.
fn value_offset(beginning: &str) -> Option<usize> {
    let Some(quoted) = beginning.strip_prefix('"') else {
        return Some(beginning.len());
    };
    let closed = beginning.len() > 1 && serde_json::from_str::<String>(beginning).is_ok();
    let text = if closed {
        beginning.to_owned()
    } else {
        format!("\"{quoted}\"")
    };
    serde_json::from_str::<String>(&text).ok().map(|it| it.len())
}

/// The maximum length, in bytes, of a key that is written on the line of its colon. YAML allows at most 1024 characters there.
const LONGEST_KEY: usize = 1000;

struct Writing<'s> {
    sources: &'s Sources,
    text: String,
    segments: Vec<Segment>,
}

impl Writing<'_> {
    fn at(&self) -> u32 {
        self.text.len() as u32
    }

    /// Adds the segment of a value that starts here, before the segments of its parts.
    fn open(&mut self, place: Place, is_scalar: bool) -> usize {
        let start = self.at();
        self.segments.push(Segment {
            span: Span::new(start, start),
            place,
            is_scalar,
        });
        self.segments.len() - 1
    }

    fn close(&mut self, segment: usize) {
        let end = self.at();
        if let Some(segment) = self.segments.get_mut(segment) {
            segment.span.end = end;
        }
    }

    fn line(&mut self, indent: usize) {
        self.text.push('\n');
        let _ = write!(self.text, "{:indent$}", "");
    }

    /// Writes a value. `is_first` means that the value starts on the current line, as an item or a document does.
    fn node(&mut self, node: &Node, indent: usize, is_first: bool) {
        match &node.value {
            Value::Map(entries) if !entries.is_empty() => {
                if !is_first {
                    self.line(indent);
                }
                let segment = self.open(node.place, false);
                for (n, entry) in entries.iter().enumerate() {
                    if n > 0 {
                        self.line(indent);
                    }
                    let written = key(&entry.key);
                    let is_long = written.len() > LONGEST_KEY;
                    if is_long {
                        self.text.push_str("? ");
                    }
                    let key = self.open(entry.key_place, true);
                    self.text.push_str(&written);
                    self.close(key);
                    if is_long {
                        self.line(indent);
                    }
                    self.text.push(':');
                    if entry.value.is_inline() {
                        self.text.push(' ');
                    }
                    self.node(&entry.value, indent + 2, false);
                }
                self.close(segment);
            }
            Value::List(items) if !items.is_empty() => {
                if !is_first {
                    self.line(indent);
                }
                let segment = self.open(node.place, false);
                for (n, item) in items.iter().enumerate() {
                    if n > 0 {
                        self.line(indent);
                    }
                    self.text.push_str("- ");
                    self.node(item, indent + 2, true);
                }
                self.close(segment);
            }
            _ => {
                let segment = self.open(node.place, !matches!(node.value, Value::Map(_) | Value::List(_)));
                self.scalar(node);
                self.close(segment);
            }
        }
    }

    fn scalar(&mut self, node: &Node) {
        match &node.value {
            Value::Map(_) => self.text.push_str("{}"),
            Value::List(_) => self.text.push_str("[]"),
            Value::String(text) => {
                // After Flux has substituted variables, the value may no longer be a string, so keep the style.
                let (tree, of) = self.sources.tree(node.place);
                if text.contains("${") && is_written_plain(tree, of, text) {
                    self.text.push_str(text);
                } else {
                    self.text.push_str(&quoted(text));
                }
            }
            other => {
                let read = match other {
                    Value::Bool(value) => serde_json::Value::from(*value),
                    Value::Int(value) => (*value).into(),
                    Value::Uint(value) => (*value).into(),
                    Value::Float(value) => (*value).into(),
                    _ => serde_json::Value::Null,
                };
                let json = match other {
                    Value::Float(float) => format!("{float:?}"),
                    _ => read.to_string(),
                };
                let (tree, of) = self.sources.tree(node.place);
                let written = written_as(&read, &json, (tree, of)).unwrap_or(&json);
                self.text.push_str(written);
            }
        }
    }
}

/// The maximum length, in bytes, of the source text of a number. A build pays only for the number, which may be in many objects.
const LONGEST_NUMBER: usize = 64;

/// The source text of a value, such as `5.10` for 5.1, if it is read as this value without its context. Messages quote it.
fn written_as<'t>(read: &serde_json::Value, json: &str, (tree, node): (&'t Tree, NodeId)) -> Option<&'t str> {
    let is_plain = tree.kind(node) == NodeKind::Scalar(ScalarStyle::Plain);
    let source = tree.source(node);
    if !is_plain || source == json || source.is_empty() || source.len() > LONGEST_NUMBER {
        return None;
    }
    let same = read_json_of(tree, node).ok()?.root()?.to_value() == *read;
    same.then_some(source)
}

fn key(key: &str) -> Cow<'_, str> {
    let is_name = key.starts_with(|it: char| it.is_ascii_alphabetic())
        && key
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || b"-_/.".contains(&it))
        && is_plain_text(key);
    if is_name {
        Cow::Borrowed(key)
    } else {
        Cow::Owned(quoted(key))
    }
}

/// A string in quotes that JSON and YAML read in the same way. Unlike JSON, YAML allows control characters only as escapes, has more line break
/// characters, and skips byte order marks.
fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let is_escaped = |c| {
        matches!(
            c,
            '\u{7F}'..='\u{9F}' | '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}'
        )
    };
    if !json.contains(is_escaped) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_escaped(c) {
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Whether a string is written without quotes, on one line.
fn is_written_plain(tree: &Tree, node: NodeId, text: &str) -> bool {
    tree.kind(node) == NodeKind::Scalar(ScalarStyle::Plain) && tree.source(node) == text
}

#[cfg(test)]
mod tests {
    use crd_analyzer_kustomize::{Files, LIMITS, build};

    use super::*;

    /// Files with a kustomization of one resource.
    struct Resource(Arc<str>);

    impl Files for Resource {
        fn read(&self, path: &Path) -> Option<Arc<str>> {
            match path.file_name()?.to_str()? {
                "kustomization.yaml" => Some("resources: [r.yaml]".into()),
                "r.yaml" => Some(self.0.clone()),
                _ => None,
            }
        }

        fn is_folder(&self, path: &Path) -> bool {
            path == Path::new("/a")
        }
    }

    #[test]
    fn long_keys_are_read_as_they_were() {
        let [long, longest] = [900, 1100].map(|it| "k".repeat(it));
        let resource = format!(
            "{{apiVersion: v1, kind: A, metadata: {{name: a}}, spec: {{? {long} : 1, ? {longest} : [{{? {longest} : {{b: c}}}}]}}}}"
        );
        let mut sources = Sources::default();
        let built = build(&Resource(resource.into()), Path::new("/a"), (LIMITS, &mut sources));
        let built = built.objects.expect("it can be built");
        let written = Projection::new(&built[0].node, &sources);
        let span = Span::new(0, written.text.len() as u32);
        let tree = crd_analyzer_syntax::read(&written.text.as_str().into(), span).expect("it is YAML");
        let json = crd_analyzer_syntax::read_json(&tree).expect("it is JSON");
        let spec = json.root().and_then(|it| it.get("spec")).expect("a spec").to_value();
        assert_eq!(
            spec,
            serde_json::json!({ &long: 1, &longest: [{ &longest: {"b": "c"} }] })
        );
        let at = written.text.find(&longest).expect("the key") as u32;
        let key = Span::new(at, at + longest.len() as u32);
        let (_, span) = written.origin(key, &sources).expect("it was written");
        assert_eq!(span.end - span.start, longest.len() as u32);
    }

    #[test]
    fn numbers_stay_as_they_are_written() {
        let resource =
            "{apiVersion: v1, kind: A, metadata: {name: a}, spec: [5.10, 0777, 1e3, 1, True, 123456789012345678901, LONG]}"
                .replace("LONG", &format!("0.5{}", "0".repeat(LONGEST_NUMBER)));
        let mut sources = Sources::default();
        let built = build(&Resource(resource.into()), Path::new("/a"), (LIMITS, &mut sources));
        let built = built.objects.expect("it can be built");
        let written = Projection::new(&built[0].node, &sources);
        let spec = &written.text[written.text.find("spec").expect("a spec")..];
        let lines: Vec<&str> = spec.lines().skip(1).map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "- 5.10",
                "- 0777",
                "- 1e3",
                "- 1",
                "- True",
                "- 123456789012345678901",
                "- 0.5"
            ]
        );
    }

    #[test]
    fn quoted_texts_are_read_as_they_were() {
        let all: Vec<char> = ('\0'..='\u{FFFF}').chain(['\u{1F600}', '\u{10FFFF}']).collect();
        for part in all.chunks(256) {
            let mut text = String::new();
            for c in part {
                text.extend([*c, ' ', *c]);
            }
            let written = quoted(&text);
            let span = Span::new(0, written.len() as u32);
            let tree = crd_analyzer_syntax::read(&written.into(), span).expect("it is YAML");
            assert_eq!(tree.scalar(tree.root().expect("a value")), text);
        }
    }
}
