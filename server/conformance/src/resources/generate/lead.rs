//! Generates objects with a value at a given path of the schema.

use crd_analyzer_schema::field::Segment;
use fastrand::Rng;
use serde_json::Value;

use super::{Definition, inside, near, value};

impl Definition {
    /// Sets a value at a path of the schema, sometimes a value near the schema's bounds. `path` is the path of a keyword in the CRD.
    pub(crate) fn lead(&self, object: &mut Value, path: &[Segment], rng: &mut Rng) {
        let is_root = |it: &Segment| matches!(it, Segment::Field(name) if name == "openAPIV3Schema");
        let Some(root) = path.iter().position(is_root) else {
            return;
        };
        let mut rest = &path[root + 1..];
        let (mut at, mut schema) = (object, self.schema());
        loop {
            match rest {
                [Segment::Field(field), Segment::Key(name), after @ ..] if field == "properties" => {
                    let Some(below) = schema["properties"].get(name) else {
                        break;
                    };
                    if after.is_empty() && rng.u8(..3) == 0
                        || ["metadata", "kind", "apiVersion"].contains(&name.as_str())
                    {
                        break;
                    }
                    let Some(fields) = at.as_object_mut() else { return };
                    at = fields.entry(name.clone()).or_insert_with(|| value(below, 2, rng));
                    (schema, rest) = (below, after);
                }
                [Segment::Field(field), after @ ..] if field == "items" => {
                    let below = &schema["items"];
                    let Some(items) = at.as_array_mut() else { return };
                    if items.is_empty() {
                        items.push(value(below, 2, rng));
                    }
                    let n = rng.usize(..items.len());
                    at = &mut items[n];
                    (schema, rest) = (below, after);
                }
                [Segment::Field(field), after @ ..] if field == "additionalProperties" && !after.is_empty() => {
                    let below = &schema["additionalProperties"];
                    let Some(fields) = at.as_object_mut() else { return };
                    at = fields.entry("a").or_insert_with(|| value(below, 2, rng));
                    (schema, rest) = (below, after);
                }
                _ => break,
            }
        }
        let is_root = at.get("apiVersion").is_some() && at.get("metadata").is_some();
        if is_root {
            return;
        }
        match rng.u8(..6) {
            0 | 1 => *at = near(schema, rng),
            2 | 3 => *at = value(schema, 2, rng),
            4 => inside(at, Some(schema), rng),
            _ => {}
        }
    }
}
