//! Finds out whether kustomize leaves an object exactly as written. The text of a base is read once for all builds that use it.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, Hasher},
};

use crd_analyzer_kustomize::{Built, Node, Place, Sources, Value};
use crd_analyzer_syntax::{
    json::{Json, JsonValue},
    read_json_of,
};
use foldhash::quality::FixedState;

/// Hashes of objects as written. Each object is read once for all builds that use it.
#[derive(Default)]
pub(super) struct AsWritten(HashMap<Place, Option<ValueHash>>);

impl AsWritten {
    /// Whether an object is built exactly as it is written.
    pub(super) fn holds(&mut self, sources: &Sources, built: &Built) -> bool {
        let written = self.0.entry(built.origin).or_insert_with(|| {
            let (tree, node) = sources.tree(built.origin);
            let json = read_json_of(tree, node).ok()?;
            json.root().map(ValueHash::of_json)
        });
        written.is_some_and(|it| it == ValueHash::of_node(&built.node))
    }
}

/// A hash of a value: 128 bits, independent of the order of keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ValueHash([u64; 2]);

/// The type of a hashed value, so that values of different types have different hashes.
#[derive(Clone, Copy)]
enum Tag {
    Null,
    Bool,
    Int,
    Uint,
    Float,
    String,
    List,
    Map,
    Entry,
}

impl ValueHash {
    fn hashed(tag: Tag, give: impl Fn(&mut dyn Hasher)) -> Self {
        Self([1, 2].map(|seed| {
            let mut hasher = FixedState::with_seed(seed).build_hasher();
            hasher.write_u8(tag as u8);
            give(&mut hasher);
            hasher.finish()
        }))
    }

    fn number(tag: Tag, bits: u64) -> Self {
        Self::hashed(tag, |it| it.write_u64(bits))
    }

    fn float(value: f64) -> Self {
        // `-0.0` and `0.0` have the same hash.
        Self::number(Tag::Float, (value + 0.0).to_bits())
    }

    fn text(text: &str) -> Self {
        Self::hashed(Tag::String, |it| it.write(text.as_bytes()))
    }

    fn list(items: impl Iterator<Item = Self>) -> Self {
        let all: Vec<Self> = items.collect();
        Self::hashed(Tag::List, |it| {
            it.write_usize(all.len());
            for bits in all.iter().flat_map(|it| it.0) {
                it.write_u64(bits);
            }
        })
    }

    fn map<'k>(entries: impl Iterator<Item = (&'k str, Self)>) -> Self {
        let (mut count, mut sum) = (0, [0_u64; 2]);
        for (key, value) in entries {
            let entry = Self::hashed(Tag::Entry, |it| {
                for bits in value.0 {
                    it.write_u64(bits);
                }
                it.write(key.as_bytes());
            });
            count += 1;
            for (sum, bits) in sum.iter_mut().zip(entry.0) {
                *sum = sum.wrapping_add(bits);
            }
        }
        Self::hashed(Tag::Map, |it| {
            it.write_usize(count);
            for bits in sum {
                it.write_u64(bits);
            }
        })
    }

    /// The hash of a value as it is written.
    fn of_json(json: &Json<'_>) -> Self {
        match &json.value {
            JsonValue::Null => Self::number(Tag::Null, 0),
            JsonValue::Bool(value) => Self::number(Tag::Bool, u64::from(*value)),
            JsonValue::Int(value) => Self::number(Tag::Int, value.cast_unsigned()),
            JsonValue::Uint(value) => Self::number(Tag::Uint, *value),
            JsonValue::Float(value) => Self::float(*value),
            JsonValue::String(text) => Self::text(text),
            JsonValue::Array(items) => Self::list(items.iter().map(Self::of_json)),
            JsonValue::Object(members) => Self::map(members.iter().map(|it| (&*it.key, Self::of_json(&it.value)))),
        }
    }

    /// The hash of a value as kustomize builds it.
    fn of_node(node: &Node) -> Self {
        match &node.value {
            Value::Null { .. } => Self::number(Tag::Null, 0),
            Value::Bool(value) => Self::number(Tag::Bool, u64::from(*value)),
            Value::Int(value) => Self::number(Tag::Int, value.cast_unsigned()),
            Value::Uint(value) => Self::number(Tag::Uint, *value),
            Value::Float(value) => Self::float(*value),
            Value::String(text) => Self::text(text),
            Value::List(items) => Self::list(items.iter().map(Self::of_node)),
            Value::Map(entries) => Self::map(entries.iter().map(|it| (&*it.key, Self::of_node(&it.value)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use crd_analyzer_syntax::{
        read_json,
        split::{read_document, split},
    };

    use super::*;

    fn hash(text: &str) -> ValueHash {
        let text = text.into();
        let tree = read_document(&text, split(&text).documents[0], &[]).expect("YAML");
        let json = read_json(&tree).expect("JSON");
        ValueHash::of_json(json.root().expect("a value"))
    }

    #[test]
    fn only_the_order_of_keys_does_not_count() {
        let one = hash("a: [1, {b: x, c: null}]\nd: 1.5");
        assert_eq!(one, hash("{d: 1.5, a: [1, {c: ~, b: 'x'}]}"));
        for other in [
            "a: [{b: x, c: null}, 1]\nd: 1.5",
            "a: ['1', {b: x, c: null}]\nd: 1.5",
            "a: [1, {b: x}]\nd: 1.5",
            "a: [1, {b: c, x: null}]\nd: 1.5",
            "a: [1, {b: x, c: ''}]\nd: 1.5",
            "a: [1, {b: x, c: null}]\nd: 1",
            "a: [[1, {b: x, c: null}]]\nd: 1.5",
        ] {
            assert_ne!(one, hash(other), "{other}");
        }
        assert_ne!(hash("a: {b: c}"), hash("b: {a: c}"));
        assert_ne!(hash("{a: b, c: d}"), hash("{a: d, c: b}"));
    }
}
