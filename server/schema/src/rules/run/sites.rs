//! Finds the values in an object for the nodes of a schema, for code that runs rules individually.

use serde_json::Value;

use super::correlate::OldItems;
use super::data::Data;
use super::shape::Shape;
use crate::field::{Path, Trail};
use crate::rules::SchemaStep;
use crate::structural::{AdditionalProperties, Structural};

/// A value in an object, with its schema.
#[derive(Clone, Debug)]
pub struct Site<'s> {
    /// The schema of the value.
    pub schema: Structural<'s>,
    /// Whether the value is a custom or embedded resource.
    pub is_resource_root: bool,
    /// The steps from the root schema to the schema of the value.
    pub steps: Vec<SchemaStep>,
    /// The path from the object to the value.
    pub path: Path,
    /// The value.
    pub value: Value,
    /// The old value.
    pub old: Option<Value>,
}

/// Returns the values in an object whose schemas are wanted, each before the values inside it. `old` is the old object; values in lists that are not
/// maps have no old value.
pub fn sites<'s>(
    schema: Structural<'s>,
    value: &Value,
    old: Option<&Value>,
    is_wanted: &mut dyn FnMut(&[SchemaStep], Structural<'s>) -> bool,
) -> Vec<Site<'s>> {
    let mut walk = Walk {
        is_wanted,
        steps: Vec::new(),
        found: Vec::new(),
    };
    let (value, old) = (Data::of_known(value), old.map(Data::of_known));
    walk.node(schema, true, &value, old.as_ref(), &Trail::new(&Path::root()));
    walk.found
}

struct Walk<'w, 's> {
    is_wanted: &'w mut dyn FnMut(&[SchemaStep], Structural<'s>) -> bool,
    steps: Vec<SchemaStep>,
    found: Vec<Site<'s>>,
}

impl<'s> Walk<'_, 's> {
    /// Visits a node in the order in which rules run; nulls are skipped.
    fn node(
        &mut self,
        schema: Structural<'s>,
        is_resource_root: bool,
        value: &Data,
        old: Option<&Data>,
        at: &Trail<'_>,
    ) {
        if value.is_null() {
            return;
        }
        let old = old.filter(|old| !old.is_null());
        if (self.is_wanted)(&self.steps, schema) {
            self.found.push(Site {
                schema,
                is_resource_root,
                steps: self.steps.clone(),
                path: at.path(),
                value: value.as_json(),
                old: old.map(Data::as_json),
            });
        }
        match value {
            Data::List(items) => {
                if let Some(below) = schema.items() {
                    let shape = Shape::new(schema);
                    let old_items = OldItems::new(&shape, old);
                    for (n, item) in items.iter().enumerate() {
                        self.below(SchemaStep::Items, below, item, old_items.get(item), &at.index(n));
                    }
                }
            }
            Data::Map(map) => {
                let is_correlatable = matches!(schema.map_type(), None | Some("granular" | "atomic"));
                let old = old.filter(|_| is_correlatable).and_then(Data::as_map);
                let of_old = |key: &str| old.and_then(|old| old.get(key));
                if let Some(below) = schema.additional_properties().and_then(AdditionalProperties::schema) {
                    for (key, value) in map.iter() {
                        self.below(SchemaStep::Values, below, value, of_old(key), &at.key(key));
                    }
                }
                for (name, below) in schema.properties() {
                    if let Some(value) = map.get(name) {
                        let step = SchemaStep::Property(name.to_owned());
                        self.below(step, below, value, of_old(name), &at.child(name));
                    }
                }
            }
            _ => {}
        }
    }

    fn below(&mut self, step: SchemaStep, schema: Structural<'s>, value: &Data, old: Option<&Data>, at: &Trail<'_>) {
        self.steps.push(step);
        self.node(schema, schema.is_embedded_resource(), value, old, at);
        self.steps.pop();
    }
}
