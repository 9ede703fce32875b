//! Running rules over values (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel`, `Validator`).
//!
//! ```
//! use crd_analyzer_schema::field::Path;
//! use crd_analyzer_schema::rules::run::{RUNTIME_BUDGET, Validator};
//! use crd_analyzer_schema::structural::Structural;
//! use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, ValidationRule};
//!
//! let rule = ValidationRule { rule: "self > 2".to_owned(), ..ValidationRule::default() };
//! let schema = JsonSchemaProps { r#type: "integer".to_owned(), x_validations: vec![rule], ..JsonSchemaProps::default() };
//! let validator = Validator::new(Structural::assume(&schema), false, KubernetesVersion::NEWEST);
//! let (errors, _) = validator.validate(&Path::of(["spec"]), &1.into(), None, RUNTIME_BUDGET);
//! assert_eq!(errors[0].to_string(), "spec: Invalid value: 1: failed rule: self > 2");
//! ```

mod bindings;
mod correlate;
mod data;
mod key;
mod list;
mod node;
mod object;
mod shape;
#[cfg(test)]
mod tests;
mod text;
mod value;

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_analyzer_cel::types::escape;
use serde_json::Value;

pub use self::bindings::{Bindings, Place};
use self::correlate::OldItems;
use self::data::Data;
pub use self::node::PER_CALL_LIMIT;
use self::node::{Judged, NodeRules, Stop};
use self::shape::Shape;
use super::NodeTypes;
use crate::KubernetesVersion;
use crate::field::{Error, Path, Trail};
use crate::structural::{AdditionalProperties, Structural};

/// What all rules may cost together when they run over one object (`RuntimeCELCostBudget`), in cost units.
pub const RUNTIME_BUDGET: i64 = 10_000_000;

/// Since this minor, rules may stand in `allOf`.
const ALL_OF_SINCE: KubernetesVersion = KubernetesVersion::minor(31);

/// The rules of a schema and of those below it, compiled as those of a stored definition are.
#[derive(Debug)]
pub struct Validator<'s> {
    root: Option<Node<'s>>,
    per_call_limit: u64,
}

/// A schema that has rules or something below it that has.
#[derive(Debug)]
struct Node<'s> {
    schema: Structural<'s>,
    rules: Option<NodeRules<'s>>,
    all_of: Vec<Node<'s>>,
    items: Option<Box<Node<'s>>>,
    values: Option<Box<Node<'s>>>,
    properties: BTreeMap<&'s str, Node<'s>>,
}

impl<'s> Validator<'s> {
    /// Compiles the rules of `schema`. `is_resource_root`: it is the schema of a custom resource or of an embedded one.
    pub fn new(schema: Structural<'s>, is_resource_root: bool, version: KubernetesVersion) -> Self {
        if has_rules(schema) {
            Self::even_without_rules(schema, is_resource_root, version)
        } else {
            Self {
                root: None,
                per_call_limit: PER_CALL_LIMIT,
            }
        }
    }

    /// The same where the rules may all stand in `allOf`, with which a server has nothing to run.
    fn even_without_rules(schema: Structural<'s>, is_resource_root: bool, version: KubernetesVersion) -> Self {
        let types = NodeTypes::new(schema, is_resource_root, version);
        Self {
            root: Node::new(
                schema,
                schema,
                types.as_ref(),
                &Shape::new(schema),
                is_resource_root,
                version,
            ),
            per_call_limit: PER_CALL_LIMIT,
        }
    }

    /// The same with another limit of what one rule may cost, in cost units.
    #[must_use]
    pub fn with_per_call_limit(self, limit: u64) -> Self {
        Self {
            per_call_limit: limit,
            ..self
        }
    }

    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Runs the rules over a value and all below it (`Validator.Validate`). `old` is what it was before, for rules that compare.
    ///
    /// Returns the errors and what remains of `budget`, in cost units: negative if it was not enough, and then something was left
    /// unchecked. Fields are visited in the order of their names; the server's order is random.
    pub fn validate(&self, path: &Path, value: &Value, old: Option<&Value>, budget: i64) -> (Vec<Error>, i64) {
        let Some(root) = &self.root else {
            return (Vec::new(), budget);
        };
        let mut walk = Walk {
            per_call_limit: self.per_call_limit,
            budget,
            errors: Vec::new(),
        };
        let (value, old) = (Data::new(value), old.map(Data::new));
        match walk.node(root, &value, old.as_ref(), &Trail::new(path)) {
            Ok(()) => (walk.errors, walk.budget),
            Err(Stop) => (walk.errors, -1),
        }
    }
}

impl<'s> Node<'s> {
    /// `rules` is the schema that has the rules, `schema` the one that has the types: they differ in `allOf`.
    fn new(
        rules: Structural<'s>,
        schema: Structural<'s>,
        types: Option<&NodeTypes<'s>>,
        shape: &Arc<Shape>,
        is_resource_root: bool,
        version: KubernetesVersion,
    ) -> Option<Self> {
        let below =
            |rules: Structural<'s>, schema: Structural<'s>, types: Option<&NodeTypes<'s>>, shape: &Arc<Shape>| {
                Self::new(rules, schema, types, shape, schema.is_embedded_resource(), version)
            };
        let element_types = |element: fn(&NodeTypes<'s>) -> Option<NodeTypes<'s>>| types.and_then(element);
        let items = match (rules.items(), schema.items(), &shape.items) {
            (Some(rules), Some(schema), Some(shape)) => {
                below(rules, schema, element_types(NodeTypes::items).as_ref(), shape).map(Box::new)
            }
            _ => None,
        };
        let values = |schema: Structural<'s>| schema.additional_properties().and_then(AdditionalProperties::schema);
        let values = match (values(rules), values(schema), &shape.values) {
            (Some(rules), Some(schema), Some(shape)) => {
                below(rules, schema, element_types(NodeTypes::values).as_ref(), shape).map(Box::new)
            }
            _ => None,
        };
        let mut properties = BTreeMap::new();
        for (name, rules) in rules.properties() {
            let (Some(schema), Some(shape)) = (schema.property(name), shape.properties.get(name)) else {
                continue;
            };
            let types = if escape(name).is_some() {
                types.and_then(|types| types.property(name))
            } else {
                NodeTypes::new(schema, schema.is_embedded_resource(), version)
            };
            if types.is_none() {
                continue;
            }
            if let Some(node) = below(rules, schema, types.as_ref(), shape) {
                properties.insert(name, node);
            }
        }
        let mut all_of = Vec::new();
        if version >= ALL_OF_SINCE {
            for clause in &rules.props().all_of {
                let clause = Structural::assume(clause);
                all_of.extend(Self::new(clause, schema, types, shape, is_resource_root, version));
            }
        }
        let rules = NodeRules::new(schema, rules.validations(), types, shape, is_resource_root, version);
        let is_empty =
            rules.is_none() && all_of.is_empty() && items.is_none() && values.is_none() && properties.is_empty();
        (!is_empty).then_some(Self {
            schema,
            rules,
            all_of,
            items,
            values,
            properties,
        })
    }
}

struct Walk {
    per_call_limit: u64,
    budget: i64,
    errors: Vec<Error>,
}

impl Walk {
    fn node(&mut self, node: &Node<'_>, value: &Data, old: Option<&Data>, at: &Trail<'_>) -> Result<(), Stop> {
        if value.is_null() {
            return Ok(());
        }
        let old = old.filter(|old| !old.is_null());
        if let Some(rules) = &node.rules {
            let judged = Judged {
                value,
                old,
                per_call_limit: self.per_call_limit,
            };
            rules.run(&judged, at, &mut self.budget, &mut self.errors)?;
        }
        for clause in &node.all_of {
            self.node(clause, value, old, at)?;
        }
        match value {
            Data::List(items) => {
                if let Some(below) = &node.items {
                    let old_items = OldItems::new(node.schema, old);
                    for (n, item) in items.iter().enumerate() {
                        self.node(below, item, old_items.get(item), &at.index(n))?;
                    }
                }
            }
            Data::Map(map) => {
                let is_correlatable = matches!(node.schema.map_type(), None | Some("granular" | "atomic"));
                let old = old.filter(|_| is_correlatable).and_then(Data::as_map);
                if let Some(below) = &node.values {
                    for (key, value) in &**map {
                        self.node(below, value, old.and_then(|old| old.get(key)), &at.key(key))?;
                    }
                }
                for (name, below) in &node.properties {
                    if let Some(value) = map.get(*name) {
                        self.node(below, value, old.and_then(|old| old.get(*name)), &at.child(name))?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether a schema or one below it has rules; those in `allOf` do not count (`hasXValidations`).
fn has_rules(schema: Structural<'_>) -> bool {
    !schema.validations().is_empty()
        || schema.items().is_some_and(has_rules)
        || schema
            .additional_properties()
            .and_then(AdditionalProperties::schema)
            .is_some_and(has_rules)
        || schema.properties().any(|(_, property)| has_rules(property))
}
