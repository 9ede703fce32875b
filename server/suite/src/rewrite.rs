//! Edits YAML text so that it has a different value. Only the parts that differ are rewritten, so that comments, order and style of the rest stay the
//! same.

use crd_analyzer_syntax::{
    json::Json,
    read_json_of,
    tree::{CollectionStyle, NodeId, NodeKind, ScalarStyle, Span, Tree},
};
use serde_json::{Map, Value};

use crate::{model::Problem, reader::read_object, yaml};

/// A replacement of a piece of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The span to replace, in bytes.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// Applies edits, which must not overlap, to a text.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|it| (it.span.start, it.span.end));
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for edit in edits {
        let range = edit.span.range();
        out.push_str(text.get(from..range.start).unwrap_or_default());
        out.push_str(&edit.text);
        from = range.end.max(from);
    }
    out.push_str(&text[from..]);
    out
}

/// Changes the value of a node.
pub(crate) fn rewrite(tree: &Tree, node: NodeId, target: &Value, edits: &mut Vec<Edit>) {
    let resolved = tree.resolve(node);
    if value_of(tree, resolved).as_ref() == Some(target) {
        return;
    }
    // The value of an alias is written elsewhere, and other nodes may share it.
    if resolved != node {
        edits.push(replace(tree, node, yaml::json(target)));
        return;
    }
    match (tree.kind(node), target) {
        (NodeKind::Mapping(CollectionStyle::Block), Value::Object(target)) if !target.is_empty() => {
            if !mapping(tree, node, target, edits) {
                whole(tree, node, &Value::Object(target.clone()), edits);
            }
        }
        (NodeKind::Sequence(CollectionStyle::Block), Value::Array(target)) if !target.is_empty() => {
            sequence(tree, node, target, edits);
        }
        (NodeKind::Mapping(CollectionStyle::Flow), Value::Object(target)) => flow(tree, node, target, edits),
        _ => whole(tree, node, target, edits),
    }
}

fn value_of(tree: &Tree, node: NodeId) -> Option<Value> {
    let doc = read_json_of(tree, node).ok()?;
    Some(doc.root().map_or(Value::Null, Json::to_value))
}

/// Changes the entries of a block mapping. Returns `false` if the mapping is written in an unsupported way.
fn mapping(tree: &Tree, node: NodeId, target: &Map<String, Value>, edits: &mut Vec<Edit>) -> bool {
    let entries: Vec<_> = tree.entries(node).collect();
    let names: Vec<String> = entries.iter().map(|it| tree.scalar(it.key).into_owned()).collect();
    let is_plain = names
        .iter()
        .enumerate()
        .all(|(n, name)| name != "<<" && !names[..n].contains(name));
    let goes = |name: &String| !target.contains_key(name);
    let stays = entries.iter().zip(&names).rev().find(|it| target.contains_key(it.1));
    let (Some(first), Some((last, _))) = (entries.first(), stays) else {
        return false;
    };
    let indent = column(tree, first.key);
    let starts_line = before_on_line(tree, first.key).trim().is_empty();
    if !is_plain || (goes(&names[0]) && !starts_line) {
        return false;
    }
    for (entry, name) in entries.iter().zip(&names) {
        match target.get(name) {
            Some(value) => entry_value(tree, entry.value, value, indent, edits),
            None => edits.push(Edit {
                span: lines(tree, entry.key, entry.value),
                text: String::new(),
            }),
        }
    }
    let added: Map<String, Value> = target
        .iter()
        .filter(|(name, _)| !names.contains(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if !added.is_empty() {
        insert_after(tree, last.value, &yaml::block(&Value::Object(added), indent), edits);
    }
    true
}

/// Changes the value of an entry. A new collection is written on separate lines.
fn entry_value(tree: &Tree, node: NodeId, target: &Value, indent: usize, edits: &mut Vec<Edit>) {
    let is_scalar = tree.is_scalar(node);
    let is_collection = match target {
        Value::Object(object) => !object.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    if value_of(tree, tree.resolve(node)).as_ref() == Some(target) {
        return;
    }
    if is_scalar && is_collection {
        let start = tree.full_span(node).start;
        let text = tree.text();
        let blanks = text[..start as usize].len() - text[..start as usize].trim_end_matches(' ').len();
        let block = yaml::block(target, indent + 2);
        edits.push(Edit {
            span: Span::new(start - blanks as u32, end(tree, node)),
            text: format!("\n{}", block.trim_end_matches('\n')),
        });
    } else if let (true, Value::String(new)) = (is_scalar, target) {
        edits.push(string(tree, node, new, indent));
    } else {
        rewrite(tree, node, target, edits);
    }
}

/// Changes a scalar to a new string. Keeps its style if possible.
fn string(tree: &Tree, node: NodeId, new: &str, indent: usize) -> Edit {
    let source = tree.source(node);
    let text = match tree.kind(node) {
        NodeKind::Scalar(ScalarStyle::Literal) if yaml::is_literal(new) => {
            let (header, content) = source.split_once('\n').unwrap_or((source, ""));
            let first = content.lines().find(|it| !it.trim().is_empty()).unwrap_or_default();
            let pad = (first.len() - first.trim_start_matches(' ').len()).max(indent + 1);
            let header = header.trim_end();
            // The new text needs no indentation indicator, and the chomping indicator must fit the end of the text.
            let header = if new.ends_with('\n') {
                header.trim_end_matches('-')
            } else {
                header
            };
            format!("{header}\n{}", yaml::indented(new, pad).trim_end_matches('\n'))
        }
        NodeKind::Scalar(ScalarStyle::DoubleQuoted) => yaml::json(&Value::String(new.to_owned())),
        NodeKind::Scalar(ScalarStyle::SingleQuoted) if new.chars().all(|it| matches!(it, ' '..='~')) => {
            format!("'{}'", new.replace('\'', "''"))
        }
        _ if yaml::is_literal(new) && new.contains('\n') => {
            format!("|\n{}", yaml::indented(new, indent + 2).trim_end_matches('\n'))
        }
        _ => yaml::scalar(&Value::String(new.to_owned())),
    };
    replace(tree, node, text)
}

fn sequence(tree: &Tree, node: NodeId, target: &[Value], edits: &mut Vec<Edit>) {
    let items: Vec<NodeId> = tree.items(node).collect();
    let Some(last) = items.get(target.len().min(items.len()).wrapping_sub(1)) else {
        return whole(tree, node, &Value::Array(target.to_vec()), edits);
    };
    for (item, value) in items.iter().zip(target) {
        rewrite(tree, *item, value, edits);
    }
    for item in items.iter().skip(target.len()) {
        edits.push(Edit {
            span: lines(tree, *item, *item),
            text: String::new(),
        });
    }
    if target.len() > items.len() {
        let indent = column_of(tree, tree.span(node).start);
        let added = Value::Array(target[items.len()..].to_vec());
        insert_after(tree, *last, &yaml::block(&added, indent), edits);
    }
}

/// Changes the values of a flow mapping. If the keys change, rewrites the whole mapping.
fn flow(tree: &Tree, node: NodeId, target: &Map<String, Value>, edits: &mut Vec<Edit>) {
    let entries: Vec<_> = tree.entries(node).collect();
    let is_same = entries.len() == target.len() && entries.iter().all(|it| target.contains_key(&*tree.scalar(it.key)));
    if !is_same {
        return whole(tree, node, &Value::Object(target.clone()), edits);
    }
    for entry in entries {
        if let Some(value) = target.get(&*tree.scalar(entry.key)) {
            rewrite(tree, entry.value, value, edits);
        }
    }
}

/// Rewrites a whole node.
fn whole(tree: &Tree, node: NodeId, target: &Value, edits: &mut Vec<Edit>) {
    let is_block = matches!(
        tree.kind(node),
        NodeKind::Mapping(CollectionStyle::Block) | NodeKind::Sequence(CollectionStyle::Block)
    );
    let text = if is_block {
        let block = yaml::block(target, column_of(tree, tree.span(node).start));
        block.trim_start_matches(' ').trim_end_matches('\n').to_owned()
    } else if !tree.is_scalar(node) || (is_in_flow(tree, node) && target.as_str().is_some_and(|it| it.contains(':'))) {
        // YAML parsers interpret a colon in a flow mapping differently, so write JSON.
        yaml::json(target)
    } else {
        yaml::scalar(target)
    };
    edits.push(replace(tree, node, text));
}

fn is_in_flow(tree: &Tree, node: NodeId) -> bool {
    tree.ancestors(node).any(|it| {
        matches!(
            tree.kind(it),
            NodeKind::Mapping(CollectionStyle::Flow) | NodeKind::Sequence(CollectionStyle::Flow)
        )
    })
}

fn replace(tree: &Tree, node: NodeId, text: String) -> Edit {
    let start = tree.full_span(node).start;
    let span = Span::new(start, end(tree, node).max(start));
    // The value after the colon is missing.
    let is_absent = tree.is_absent(node);
    Edit {
        span,
        text: if is_absent { format!(" {text}") } else { text },
    }
}

/// The end of a node's text, without blank lines at the end that belong to the node.
fn end(tree: &Tree, node: NodeId) -> u32 {
    let span = tree.span(node);
    span.start + tree.text()[span.range()].trim_end().len() as u32
}

fn line_start(text: &str, offset: u32) -> u32 {
    text[..offset as usize].rfind('\n').map_or(0, |it| it as u32 + 1)
}

/// The end of the line that contains an offset, without its line break.
fn line_end(text: &str, offset: u32) -> u32 {
    let rest = &text[offset as usize..];
    let end = rest.find('\n').unwrap_or(rest.len());
    offset + rest[..end].trim_end_matches('\r').len() as u32
}

fn column_of(tree: &Tree, offset: u32) -> usize {
    (offset - line_start(tree.text(), offset)) as usize
}

fn column(tree: &Tree, node: NodeId) -> usize {
    column_of(tree, tree.full_span(node).start)
}

fn before_on_line(tree: &Tree, node: NodeId) -> &str {
    let start = tree.full_span(node).start;
    &tree.text()[line_start(tree.text(), start) as usize..start as usize]
}

/// The span of all lines from one node to the end of another, with the last line break.
fn lines(tree: &Tree, from: NodeId, to: NodeId) -> Span {
    let text = tree.text();
    let start = line_start(text, tree.full_span(from).start);
    let end = line_end(text, end(tree, to).max(tree.span(from).end));
    let rest = &text[end as usize..];
    let line_break = rest.len()
        - rest
            .strip_prefix('\r')
            .unwrap_or(rest)
            .strip_prefix('\n')
            .map_or(rest.len(), str::len);
    Span::new(start, end + line_break as u32)
}

/// Inserts lines after the line on which a node ends.
fn insert_after(tree: &Tree, node: NodeId, block: &str, edits: &mut Vec<Edit>) {
    let at = line_end(tree.text(), end(tree, node));
    edits.push(Edit {
        span: Span::new(at, at),
        text: format!("\n{}", block.trim_end_matches('\n')),
    });
}

/// Edits the text of an object so that its value becomes `target`.
pub(crate) fn text_as(text: &str, target: &Value) -> Result<String, Problem> {
    let shared: std::sync::Arc<str> = text.into();
    let whole = Span::new(0, text.len() as u32);
    let tree = crd_analyzer_syntax::read(&shared, whole).map_err(|it| Problem::new(it.span, it.message))?;
    let mut edits = Vec::new();
    if let Some(root) = tree.root() {
        rewrite(&tree, root, target, &mut edits);
    }
    let new = apply(text, &edits);
    // If the edits do not result in the right value, rewrite the whole text.
    Ok(match read_object(&new) {
        Ok(value) if value == *target => new,
        _ => yaml::block(target, 0),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, target: &Value, expect: &str) {
        let got = text_as(text, target).expect("YAML");
        assert_eq!(got, expect);
        assert_eq!(read_object(&got).as_ref(), Ok(target));
    }

    #[test]
    fn only_what_differs_is_written() {
        let text = "# top\na: 1 # one\nb:\n  c: 'x' # text\n  d: [1, 2]\n  e: {f: 1,  g: 2}\n# between\nl:\n  - k: 1\n    v: 2 # kept\n  - k: 2\nz: |\n  text\n";
        let value = json!({"a": 1, "b": {"c": "x", "d": [1, 2], "e": {"f": 1, "g": 2}}, "l": [{"k": 1, "v": 2}, {"k": 2}], "z": "text\n"});
        check(text, &value, text);
        let mut other = value.clone();
        other["a"] = json!(2);
        other["b"]["c"] = json!("it's");
        other["b"]["e"]["g"] = json!("y");
        other["b"]["h"] = json!({"p": [1]});
        other["l"] = json!([{"k": 1, "v": 3, "w": 4}]);
        other["z"] = json!("more\ntext\n");
        let expect = "# top\na: 2 # one\nb:\n  c: 'it''s' # text\n  d: [1, 2]\n  e: {f: 1,  g: \"y\"}\n  h:\n    p:\n      - 1\n# between\nl:\n  - k: 1\n    v: 3 # kept\n    w: 4\nz: |\n  more\n  text\n";
        check(text, &other, expect);
    }

    #[test]
    fn entries_come_and_go() {
        check("a: 1\nb: 2\n", &json!({"b": 2}), "b: 2\n");
        check("a: 1\nb:\n  c: 1\nd: 2", &json!({"a": 1, "d": 2}), "a: 1\nd: 2");
        check("a: 1", &json!({"a": 1, "b": [{"c": 1}]}), "a: 1\nb:\n  - c: 1");
        check("a: 1\nb: 2", &json!({"a": 1, "c": 3}), "a: 1\nc: 3\n");
        check(
            "l:\n- a: 1\n  b: |\n    x\nc: 2\n",
            &json!({"l": [{"a": 1, "d": "y"}], "c": 2}),
            "l:\n- a: 1\n  d: \"y\"\nc: 2\n",
        );
        check("a:\nb: 1\n", &json!({"a": "x", "b": 1}), "a: x\nb: 1\n");
        check("a:\nb: 1\n", &json!({"a": {"x": 1}, "b": 1}), "a:\n  x: 1\nb: 1\n");
        check("a:\n  x: 1\nb: 1\n", &json!({"a": 7, "b": 1}), "a:\n  7\nb: 1\n");
        check("- a: 1\n  b: 2\n", &json!([{"b": 2}]), "- b: 2\n");
        check(
            "a: &x {b: 1}\nc: *x\n",
            &json!({"a": {"b": 1}, "c": 2}),
            "a: &x {b: 1}\nc: 2\n",
        );
        check("a: {b: 1}\n", &json!({"a": {}}), "a: {}\n");
        check("a:\r\n  b: 1\r\nc: 2\r\n", &json!({"c": 2}), "c: 2\r\n");
    }
}
