//! Makes objects that a version of a CRD accepts: the smallest object, and random objects.

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::JsonSchemaProps;
use fastrand::Rng;
use serde_json::{Map, Value};

use crate::answer::Direction;
use crate::pair::Pair;
use crate::replay::{Write, without_status};
use crate::steps::{Step, below};
use crate::subject::Subject;

/// The depth below which only the smallest values are made.
const MAX_DEPTH: usize = 12;
/// The maximum number of randomly chosen parts of an object.
const MAX_PARTS: usize = 400;

/// Makes objects for one version. The API server accepts each object, even with strict field validation.
pub struct Objects<'d> {
    pair: Pair<'d>,
}

impl<'d> Objects<'d> {
    /// Returns `None` if the version is not served or has no schema.
    pub fn of(subject: &'d Subject, version: &str) -> Option<Self> {
        Pair::new(subject, subject, version).map(|pair| Self { pair })
    }

    /// Whether the API server accepts an object. If the status is a subresource, it must accept the status too.
    pub fn accepts(&self, object: &Value) -> bool {
        let create = Write::create(object.clone());
        let sides = self.pair.sides(Direction::Writers);
        budget::within(Limits::DOCUMENT, || sides.accepts(&create)).0
    }

    /// The smallest object that can be found.
    pub fn smallest(&self) -> Option<Value> {
        budget::within(Limits::DOCUMENT, || self.pair.example(Direction::Writers)).0
    }

    /// A random object; `None` if one attempt does not find any.
    pub fn random(&self, rng: &mut Rng) -> Option<Value> {
        budget::within(Limits::DOCUMENT, || self.any(rng)).0
    }

    fn any(&self, rng: &mut Rng) -> Option<Value> {
        let maker = self.pair.maker(Direction::Writers);
        let mut parts = 0;
        let Value::Object(fields) = self.value(maker.root, rng, 0, &mut parts)? else {
            return None;
        };
        let object = self.pair.mended(Direction::Writers, self.pair.object(fields), &[])?;
        let sides = self.pair.sides(Direction::Writers);
        // A status subresource is validated separately.
        let tries = [object.clone(), without_status(&object)];
        tries.into_iter().find(|it| sides.accepts(&Write::create(it.clone())))
    }

    fn value(&self, schema: &'d JsonSchemaProps, rng: &mut Rng, depth: usize, parts: &mut usize) -> Option<Value> {
        let maker = self.pair.maker(Direction::Writers);
        *parts += 1;
        if depth > MAX_DEPTH || *parts > MAX_PARTS {
            return maker.smallest(schema);
        }
        let made = match schema.r#type.as_str() {
            "object" => self.object(schema, rng, depth, parts),
            "array" => self.list(schema, rng, depth, parts),
            "" if !schema.x_int_or_string => None,
            _ => rng.choice(maker.scalars(schema, &[])),
        };
        made.or_else(|| maker.smallest(schema))
    }

    fn object(&self, schema: &'d JsonSchemaProps, rng: &mut Rng, depth: usize, parts: &mut usize) -> Option<Value> {
        let mut given = Map::new();
        for (name, property) in &schema.properties {
            if depth == 0 && ["apiVersion", "kind", "metadata"].contains(&name.as_str()) {
                continue;
            }
            // Fields at the root are preferred to nested fields.
            let is_wanted = depth == 0 || rng.u8(..3) > 0;
            if is_wanted && let Some(value) = self.value(property, rng, depth + 1, parts) {
                given.insert(name.clone(), value);
            }
        }
        if let Some(values) = below(schema, &Step::Values) {
            for name in ["a", "b-1", "C.d"].into_iter().take(rng.usize(..4)) {
                if let Some(value) = self.value(values, rng, depth + 1, parts) {
                    given.insert(name.to_owned(), value);
                }
            }
        }
        let maker = self.pair.maker(Direction::Writers);
        maker.object(schema, given, depth)
    }

    fn list(&self, schema: &'d JsonSchemaProps, rng: &mut Rng, depth: usize, parts: &mut usize) -> Option<Value> {
        let items = below(schema, &Step::Items)?;
        let count = rng.usize(..4);
        let made = (0..count).filter_map(|_| self.value(items, rng, depth + 1, parts));
        let made: Vec<Value> = made.collect();
        self.pair.maker(Direction::Writers).list(schema, made)
    }
}
