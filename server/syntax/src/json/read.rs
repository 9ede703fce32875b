//! Converts a tree to JSON like go-yaml v2's decoder (`decode.go`) and `sigs.k8s.io/yaml` (`convertToJSONableObject`).
//!
//! The code is not recursive, because documents can be nested deeper than the stack allows.

#![expect(
    clippy::unnecessary_box_returns,
    reason = "errors are boxed so that results of the inner loop stay small"
)]

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::error::{BAD_KEY, ConvertError, ConvertErrorKind, is_bad_key, unwritable};
use super::value::{KeyKind, ScalarValue, is_merge, scalar_value};
use super::{Json, JsonDoc, JsonValue, Member, dismantle};
use crate::go_syntax;
use crate::scalar::break_len;
use crate::tree::{NodeId, NodeKind, Tree};

/// A key that occurs again in the same mapping, or that is merged into the mapping.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Duplicate {
    /// The node of the first key.
    pub first: NodeId,
    /// The node of the later key, whose value wins.
    pub second: NodeId,
    /// The API server's message: `line 23: key "a" already set in map`.
    pub message: String,
}

/// Converts a tree of the verdict parser to JSON.
pub fn read_json(tree: &Tree) -> Result<JsonDoc<'_>, ConvertError> {
    read_from(tree, tree.root())
}

/// Converts a node and its descendants to JSON, as if it were the whole document.
pub fn read_json_of(tree: &Tree, node: NodeId) -> Result<JsonDoc<'_>, ConvertError> {
    read_from(tree, Some(node))
}

fn read_from(tree: &Tree, root: Option<NodeId>) -> Result<JsonDoc<'_>, ConvertError> {
    let mut reader = Reader::new(tree, false);
    let outcome = reader.run(root);
    if outcome.is_ok() && reader.same_keys {
        // Keys that are equal as strings are rare. A second pass finds those that go-yaml reports as duplicates, in its order.
        let mut second = Reader::new(tree, true);
        let again = second.run(root);
        reader.duplicates = std::mem::take(&mut second.duplicates);
        if let Ok(Some(value)) = again {
            dismantle(vec![value]);
        }
        second.clear();
    }
    let depth = reader.deepest;
    let has_same_keys = reader.same_keys;
    let result = outcome.and_then(|root| {
        // Errors in a value that a later value replaced do not matter, so only the remaining values are searched.
        let searched = root.as_ref().filter(|_| reader.bad_key || reader.infinite);
        let error = searched.and_then(|it| unwritable(tree, it));
        let doc = JsonDoc {
            root,
            depth,
            has_same_keys,
            duplicates: std::mem::take(&mut reader.duplicates),
        };
        error.map_or(Ok(doc), |it| Err(*it))
    });
    reader.clear();
    result
}

/// A collection that is being converted.
#[derive(Debug)]
enum Frame {
    Mapping {
        node: NodeId,
        /// The next key.
        next: u32,
        /// The index in `members` of the mapping's first member.
        base: usize,
        /// Whether the mapping is being merged into another mapping, which gets its members.
        merged: bool,
        alias: Option<NodeId>,
    },
    Sequence {
        node: NodeId,
        next: u32,
        base: usize,
        alias: Option<NodeId>,
    },
    /// The mappings of a merge. They are converted from the last to the first.
    Merges { items: Vec<NodeId> },
    /// A collection as a key, which is an error. Errors inside the collection are reported first.
    CollectionKey { key: NodeId },
}

/// The keys of a mapping, with the node of the first occurrence of each key.
type Keys<'t> = HashMap<(KeyKind, Cow<'t, str>), NodeId>;

struct Reader<'t> {
    tree: &'t Tree,
    frames: Vec<Frame>,
    /// Members of the open mappings.
    members: Vec<Member<'t>>,
    /// Items of the open sequences.
    items: Vec<Json<'t>>,
    /// Keys whose values are being converted.
    keys: Vec<(Cow<'t, str>, KeyKind, NodeId)>,
    /// In the second pass: the keys of each open mapping.
    seen: Option<Vec<Keys<'t>>>,
    aliases: HashSet<NodeId>,
    decoded: usize,
    decoded_in_aliases: usize,
    depth: usize,
    deepest: usize,
    /// Whether any mapping has keys that are the same string.
    same_keys: bool,
    /// Whether JSON cannot represent one of the numbers.
    infinite: bool,
    /// Whether any key cannot be converted to a string.
    bad_key: bool,
    duplicates: Vec<Duplicate>,
    lines: Option<Vec<u32>>,
}

type Failure = Box<ConvertError>;

impl<'t> Reader<'t> {
    fn new(tree: &'t Tree, second_pass: bool) -> Self {
        Self {
            tree,
            frames: Vec::new(),
            members: Vec::new(),
            items: Vec::new(),
            keys: Vec::new(),
            seen: second_pass.then(Vec::new),
            aliases: HashSet::new(),
            decoded: 0,
            decoded_in_aliases: 0,
            depth: 0,
            deepest: 0,
            same_keys: false,
            infinite: false,
            bad_key: false,
            duplicates: Vec::new(),
            lines: None,
        }
    }

    /// Drops the values that are left after an error.
    fn clear(&mut self) {
        let mut values = std::mem::take(&mut self.items);
        values.extend(std::mem::take(&mut self.members).into_iter().map(|it| it.value));
        dismantle(values);
    }

    fn run(&mut self, root: Option<NodeId>) -> Result<Option<Json<'t>>, ConvertError> {
        let Some(root) = root else { return Ok(None) };
        self.read(root).map(Some).map_err(|it| *it)
    }

    fn read(&mut self, root: NodeId) -> Result<Json<'t>, Failure> {
        // The document itself counts as one decode step.
        self.count(root)?;
        let mut ready = self.decode(root)?;
        loop {
            if let Some(value) = ready.take() {
                match self.frames.last() {
                    None => return Ok(value),
                    Some(Frame::Sequence { .. }) => self.items.push(value),
                    Some(Frame::CollectionKey { key }) => {
                        let key = *key;
                        dismantle(vec![value]);
                        let message = format!("yaml: invalid map key: {}", go_syntax::write(self.tree, key));
                        return Err(self.error(key, ConvertErrorKind::CollectionKey, message));
                    }
                    Some(_) => self.set(value),
                }
            }
            ready = self.step()?;
        }
    }

    /// Continues with the innermost collection. Returns a completed value: the collection or one of its children.
    fn step(&mut self) -> Result<Option<Json<'t>>, Failure> {
        let Some(frame) = self.frames.last_mut() else {
            return Ok(None);
        };
        match frame {
            Frame::Sequence { node, next, .. } => {
                if *next < self.tree.end(*node) {
                    let item = NodeId(*next);
                    *next = self.tree.end(item);
                    return self.decode(item);
                }
                Ok(self.finish())
            }
            Frame::Mapping { node, next, .. } => {
                if *next >= self.tree.end(*node) {
                    return Ok(self.finish());
                }
                let key = NodeId(*next);
                let value = NodeId(self.tree.end(key));
                *next = self.tree.end(value);
                if is_merge(self.tree, key) {
                    self.merge(value)?;
                    return Ok(None);
                }
                if !self.key(key)? {
                    return Ok(None);
                }
                self.decode(value)
            }
            Frame::Merges { items } => {
                match items.pop() {
                    Some(item) => {
                        if !matches!(self.tree.kind(self.tree.resolve(item)), NodeKind::Mapping(_)) {
                            return Err(self.merge_error(item));
                        }
                        self.open_merged(item)?;
                    }
                    None => {
                        self.frames.pop();
                    }
                }
                Ok(None)
            }
            Frame::CollectionKey { .. } => Ok(None),
        }
    }

    /// Closes the innermost collection.
    fn finish(&mut self) -> Option<Json<'t>> {
        match self.frames.pop()? {
            Frame::Sequence { node, base, alias, .. } => {
                self.close(alias);
                let items = self.items.drain(base..).collect();
                Some(Json {
                    node,
                    value: JsonValue::Array(items),
                })
            }
            Frame::Mapping {
                node,
                base,
                merged,
                alias,
                ..
            } => {
                self.close(alias);
                if merged {
                    return None;
                }
                if let Some(seen) = &mut self.seen {
                    seen.pop();
                }
                let mut members: Vec<Member<'t>> = self.members.drain(base..).collect();
                if !members.is_sorted_by(|left, right| left.key < right.key) {
                    let (tree, has_bad_key) = (self.tree, self.bad_key);
                    // A string may look like the placeholder of a bad key, but must not replace that key.
                    let is_bad = |it: &Member<'t>| has_bad_key && is_bad_key(tree, it);
                    members.sort_by(|left, right| {
                        let by_key = left.key.cmp(&right.key);
                        by_key.then_with(|| is_bad(left).cmp(&is_bad(right)))
                    });
                    if members.windows(2).any(|it| it[0].key == it[1].key) {
                        self.same_keys = true;
                        // The last of each group of equal keys is kept.
                        members.reverse();
                        members.dedup_by(|left, right| {
                            let same = left.key == right.key && is_bad(left) == is_bad(right);
                            if same {
                                dismantle(vec![std::mem::replace(
                                    &mut left.value,
                                    Json {
                                        node: left.key_node,
                                        value: JsonValue::Null,
                                    },
                                )]);
                            }
                            same
                        });
                        members.reverse();
                    }
                }
                Some(Json {
                    node,
                    value: JsonValue::Object(members),
                })
            }
            Frame::Merges { .. } | Frame::CollectionKey { .. } => None,
        }
    }

    fn close(&mut self, alias: Option<NodeId>) {
        self.depth -= 1;
        if let Some(alias) = alias {
            self.aliases.remove(&alias);
        }
    }

    /// Counts a decode step. Returns an error if the document grows too much through aliases (`decoder.unmarshal`).
    fn count(&mut self, node: NodeId) -> Result<(), Failure> {
        self.decoded += 1;
        self.decoded_in_aliases += usize::from(!self.aliases.is_empty());
        if self.decoded_in_aliases > 100
            && self.decoded > 1000
            && self.decoded_in_aliases as f64 / self.decoded as f64 > allowed_alias_ratio(self.decoded)
        {
            let message = "yaml: document contains excessive aliasing".to_owned();
            return Err(self.error(node, ConvertErrorKind::ExcessiveAliasing, message));
        }
        Ok(())
    }

    /// Follows an alias. Returns the target, and the alias to release after the target has been converted.
    fn follow(&mut self, node: NodeId) -> Result<(NodeId, Option<NodeId>), Failure> {
        self.count(node)?;
        let Some(target) = self.tree.alias_target(node) else {
            return Ok((node, None));
        };
        if !self.aliases.insert(node) {
            let name = &self.tree.source(node)[1..];
            let message = format!("yaml: anchor '{name}' value contains itself");
            return Err(self.error(node, ConvertErrorKind::Cycle, message));
        }
        if let Err(error) = self.count(target) {
            self.aliases.remove(&node);
            return Err(ConvertError {
                span: self.tree.span(node),
                ..*error
            }
            .into());
        }
        Ok((target, Some(node)))
    }

    /// Converts a scalar, or opens a collection.
    fn decode(&mut self, node: NodeId) -> Result<Option<Json<'t>>, Failure> {
        let (node, alias) = self.follow(node)?;
        match self.tree.kind(node) {
            NodeKind::Mapping(_) => {
                self.open(node, alias, false);
                Ok(None)
            }
            NodeKind::Sequence(_) => {
                self.open_sequence(node, alias);
                Ok(None)
            }
            NodeKind::Scalar(_) => {
                let value = scalar_value(self.tree, node).map_err(|it| self.tag_error(node, &it))?;
                if let Some(alias) = alias {
                    self.aliases.remove(&alias);
                }
                Ok(Some(Json {
                    node,
                    value: self.json_value(value),
                }))
            }
            // The verdict parser resolves all aliases and creates no error nodes, so this does not occur.
            NodeKind::Alias | NodeKind::Error => Ok(Some(Json {
                node,
                value: JsonValue::Null,
            })),
        }
    }

    fn enter(&mut self) {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
    }

    fn open(&mut self, node: NodeId, alias: Option<NodeId>, merged: bool) {
        self.enter();
        if !merged && let Some(seen) = &mut self.seen {
            seen.push(HashMap::new());
        }
        self.frames.push(Frame::Mapping {
            node,
            next: node.0 + 1,
            base: self.members.len(),
            merged,
            alias,
        });
    }

    fn open_sequence(&mut self, node: NodeId, alias: Option<NodeId>) {
        self.enter();
        self.frames.push(Frame::Sequence {
            node,
            next: node.0 + 1,
            base: self.items.len(),
            alias,
        });
    }

    fn json_value(&mut self, value: ScalarValue<'t>) -> JsonValue<'t> {
        self.infinite |= value.is_infinite();
        value.into()
    }

    /// Converts a key and stores it for its value. Returns `false` if the key is a collection, which must be converted first.
    fn key(&mut self, key: NodeId) -> Result<bool, Failure> {
        let (node, alias) = self.follow(key)?;
        if !self.tree.is_scalar(node) {
            self.frames.push(Frame::CollectionKey { key });
            if matches!(self.tree.kind(node), NodeKind::Mapping(_)) {
                self.open(node, alias, false);
            } else {
                self.open_sequence(node, alias);
            }
            return Ok(false);
        }
        let value = scalar_value(self.tree, node).map_err(|it| self.tag_error(node, &it))?;
        if let Some(alias) = alias {
            self.aliases.remove(&alias);
        }
        let (text, kind) = match value {
            ScalarValue::Text(text) => (text, KeyKind::Text),
            ScalarValue::Bool(value) => (Cow::Borrowed(if value { "true" } else { "false" }), KeyKind::Bool),
            ScalarValue::Int(value) => (Cow::Owned(value.to_string()), KeyKind::Int),
            ScalarValue::Float(value) => {
                let text = match go_syntax::float_g(value, true).as_str() {
                    "+Inf" => ".inf".to_owned(),
                    "-Inf" => "-.inf".to_owned(),
                    "NaN" => ".nan".to_owned(),
                    text => text.to_owned(),
                };
                (Cow::Owned(text), KeyKind::Float(value.to_bits()))
            }
            ScalarValue::Uint(value) => {
                self.bad_key = true;
                (Cow::Owned(format!("{BAD_KEY}{value}")), KeyKind::Uint(value))
            }
            ScalarValue::Null => {
                self.bad_key = true;
                (Cow::Borrowed(BAD_KEY), KeyKind::Null)
            }
        };
        self.keys.push((text, kind, key));
        Ok(true)
    }

    /// Adds a value to the innermost mapping.
    fn set(&mut self, value: Json<'t>) {
        let Some((key, kind, key_node)) = self.keys.pop() else {
            return;
        };
        if let Some(seen) = self.seen.as_mut().and_then(|it| it.last_mut()) {
            // NaN does not equal any value, including itself.
            let comparable = !matches!(kind, KeyKind::Float(bits) if f64::from_bits(bits).is_nan());
            let first = if comparable {
                seen.insert((kind.clone(), key.clone()), key_node)
            } else {
                None
            };
            if let Some(first) = first {
                seen.insert((kind.clone(), key.clone()), first);
                let value_node = self.value_of(key_node);
                let line = self.line(value_node) + 1;
                let message = format!(
                    "line {line}: key {} already set in map",
                    go_syntax::key(self.tree, key_node, &kind, &key)
                );
                self.duplicates.push(Duplicate {
                    first,
                    second: key_node,
                    message,
                });
            }
        }
        self.members.push(Member { key, key_node, value });
    }

    /// The node of the value that follows a key.
    fn value_of(&self, key: NodeId) -> NodeId {
        NodeId(self.tree.end(key))
    }

    /// Opens the value of `<<` (`decoder.merge`).
    fn merge(&mut self, value: NodeId) -> Result<(), Failure> {
        match self.tree.kind(value) {
            NodeKind::Mapping(_) => self.open_merged(value),
            NodeKind::Alias if matches!(self.tree.kind(self.tree.resolve(value)), NodeKind::Mapping(_)) => {
                self.open_merged(value)
            }
            NodeKind::Sequence(_) => {
                // Later mappings are converted first, so that earlier mappings win.
                self.frames.push(Frame::Merges {
                    items: self.tree.items(value).collect(),
                });
                Ok(())
            }
            _ => Err(self.merge_error(value)),
        }
    }

    fn open_merged(&mut self, value: NodeId) -> Result<(), Failure> {
        let (node, alias) = self.follow(value)?;
        self.open(node, alias, true);
        Ok(())
    }

    fn merge_error(&self, node: NodeId) -> Failure {
        let message = "yaml: map merge requires map or sequence of maps as the value".to_owned();
        self.error(node, ConvertErrorKind::Merge, message)
    }

    fn tag_error(&self, node: NodeId, problem: &str) -> Failure {
        self.error(node, ConvertErrorKind::Tag, format!("yaml: {problem}"))
    }

    fn error(&self, node: NodeId, kind: ConvertErrorKind, message: String) -> Failure {
        Box::new(ConvertError {
            message,
            span: self.tree.span(node),
            kind,
        })
    }

    /// go-yaml's line number for a node, from 0, counted from the start of the document.
    fn line(&mut self, node: NodeId) -> u32 {
        if let Ok(found) = self.tree.lines.binary_search_by_key(&node, |it| it.0) {
            return self.tree.lines[found].1;
        }
        let tree = self.tree;
        let starts = self.lines.get_or_insert_with(|| {
            let span = tree.document_span().range();
            let bytes = &tree.text.as_bytes()[..span.end];
            let mut starts = Vec::new();
            let mut at = span.start;
            while at < bytes.len() {
                match break_len(bytes, at) {
                    0 => at += 1,
                    len => {
                        at += len;
                        starts.push(at as u32);
                    }
                }
            }
            starts
        });
        let start = tree.full_span(node).start;
        starts.partition_point(|&it| it <= start) as u32
    }
}

/// The maximum share of a document that may come from aliases (`allowedAliasRatio`): 99 % of a small document, 10 % of a large one.
fn allowed_alias_ratio(decoded: usize) -> f64 {
    const LOW: usize = 400_000;
    const HIGH: usize = 4_000_000;
    match decoded {
        ..=LOW => 0.99,
        HIGH.. => 0.10,
        _ => 0.99 - 0.89 * ((decoded - LOW) as f64 / (HIGH - LOW) as f64),
    }
}

impl<'t> From<ScalarValue<'t>> for JsonValue<'t> {
    fn from(value: ScalarValue<'t>) -> Self {
        match value {
            ScalarValue::Null => Self::Null,
            ScalarValue::Bool(value) => Self::Bool(value),
            ScalarValue::Int(value) => Self::Int(value),
            ScalarValue::Uint(value) => Self::Uint(value),
            ScalarValue::Float(value) => float(value),
            ScalarValue::Text(text) => Self::String(text),
        }
    }
}

/// The result of Go's JSON decoder for a float that Go's encoder wrote. Whole numbers have no decimal point, so they become integers if they fit.
fn float(value: f64) -> JsonValue<'static> {
    if value.fract() == 0.0 && value.abs() < 1e21 {
        // Go and Rust both write the shortest digits that identify the number, then zeros.
        let whole = if value.abs() < 9e15 {
            Some(value as i64)
        } else {
            value.to_string().parse().ok()
        };
        if let Some(whole) = whole {
            return JsonValue::Int(whole);
        }
    }
    JsonValue::Float(value)
}
