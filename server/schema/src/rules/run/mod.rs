//! Runs rules over values (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel`, `Validator`).
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
mod ratchet;
mod reads;
mod shape;
mod sites;
#[cfg(test)]
mod tests;
mod text;
mod transition_rules;
mod value;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crd_analyzer_budget::Unfinished;
use crd_analyzer_cel::types::escape;
use serde_json::Value;

pub use self::bindings::{Bindings, ValueBinder};
use self::correlate::OldItems;
use self::data::Data;
pub use self::node::PER_CALL_LIMIT;
use self::node::{Judged, NodeRules, Stop};
use self::ratchet::Ratchet;
use self::shape::Shape;
pub use self::sites::{Site, sites};
use super::DeclType;
use crate::cel_types::{decl_type, items_type, property_type, values_type};
use crate::field::{Error, Path, Room, Trail};
use crate::structural::{AdditionalProperties, Structural};
use crate::unknown::Known;
use crate::validation::correlate::Memo;
use crate::{JsonSchemaProps, KubernetesVersion};

/// The cost limit of all rules together for one object (`RuntimeCELCostBudget`), in cost units.
pub const RUNTIME_BUDGET: i64 = 10_000_000;

/// The first Kubernetes version that runs rules inside `allOf`.
const ALL_OF_SINCE: KubernetesVersion = KubernetesVersion::minor(31);

/// The rules of a schema and its subschemas, compiled as for a stored CRD.
#[derive(Debug)]
pub struct Validator {
    root: Option<Node>,
    per_call_limit: u64,
}

/// The input of a run.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The path of the value. The paths of errors start with it.
    pub path: &'a Path,
    /// The value.
    pub value: &'a Value,
    /// The known parts of the value. A rule that needs an unknown part has no result.
    pub known: Known<'a>,
    /// The old value, for transition rules.
    pub old: Option<&'a Value>,
    /// The schema of the validator. If set, rules that fail for unchanged values only cause warnings (`WithRatcheting`).
    pub ratcheting: Option<&'a JsonSchemaProps>,
    /// The cost limit, in cost units.
    pub budget: i64,
    /// Whether to fill in [`RuleError::reads`] for failed rules, and to fill in [`Outcome::ran`].
    pub wants_reads: bool,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The errors of rules that failed or could not run. Fields are visited in the order of their names; the API server's order is random.
    pub errors: Vec<RuleError>,
    /// The failures of rules for unchanged values. The API server returns the messages of these errors as warnings.
    pub warnings: Vec<RuleError>,
    /// The rules that crd-analyzer did not finish evaluating because of its own limits. The result of these rules is unknown.
    pub unfinished: Vec<NotFinished>,
    /// The remaining budget, in cost units. It is negative if the rules exceeded the budget, so that some rules did not run.
    pub left: i64,
    /// The rules that ran, each listed once; empty unless requested. A rule is given by the path of its schema, relative to the validator's schema,
    /// and its index.
    pub ran: Vec<(Path, usize)>,
    /// The rules that are already in `ran`, by the address of the rules of their schema and by index.
    noted: HashSet<(usize, usize)>,
    /// The memory left for errors and warnings.
    room: Room,
}

/// A rule that was not evaluated to the end.
#[derive(Clone, PartialEq, Debug)]
pub struct NotFinished {
    /// The limit that was exceeded.
    pub why: Unfinished,
    /// The path of the value.
    pub path: Path,
    /// The path of the schema with the rule, relative to the validator's schema.
    pub schema: Path,
    /// The index of the rule in that schema.
    pub rule: usize,
}

/// An error that a rule caused.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleError {
    /// The error.
    pub error: Error,
    /// The path of the schema with the rule, relative to the validator's schema: `properties[spec].items`.
    pub schema: Path,
    /// The index of the rule, unless the error is about all rules.
    pub rule: Option<usize>,
    /// The paths of the values that decided the result, if requested. These values may be missing in the object.
    pub reads: Vec<Path>,
}

/// A schema that has rules itself or in a subschema.
#[derive(Debug)]
struct Node {
    shape: Arc<Shape>,
    /// Whether a value in a list or map is compared to the old value with the same key.
    is_map_correlatable: bool,
    rules: Option<NodeRules>,
    all_of: Vec<(usize, Node)>,
    items: Option<Box<Node>>,
    values: Option<Box<Node>>,
    properties: BTreeMap<Box<str>, Node>,
}

impl Validator {
    /// Compiles the rules of `schema`. If `is_resource_root` is set, the schema is that of a custom or embedded resource.
    pub fn new(schema: Structural<'_>, is_resource_root: bool, version: KubernetesVersion) -> Self {
        if has_rules(schema) {
            Self::even_without_rules(schema, is_resource_root, version)
        } else {
            Self {
                root: None,
                per_call_limit: PER_CALL_LIMIT,
            }
        }
    }

    /// Like [`Self::new`], for a schema whose rules may all be inside `allOf`. An API server would not run these rules.
    fn even_without_rules(schema: Structural<'_>, is_resource_root: bool, version: KubernetesVersion) -> Self {
        let ty = decl_type(schema, is_resource_root, version);
        Self {
            root: Node::new(
                schema,
                schema,
                ty.as_ref(),
                &Shape::new(schema),
                is_resource_root,
                version,
            ),
            per_call_limit: PER_CALL_LIMIT,
        }
    }

    /// Sets the cost limit of an individual rule, in cost units.
    #[must_use]
    pub fn with_per_call_limit(self, limit: u64) -> Self {
        Self {
            per_call_limit: limit,
            ..self
        }
    }

    /// Whether the schema has no rules to run.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Runs the rules over a value and everything below it. `old` is the old value for transition rules.
    ///
    /// Returns the errors and the remaining `budget`, see [`Outcome`].
    pub fn validate(&self, path: &Path, value: &Value, old: Option<&Value>, budget: i64) -> (Vec<Error>, i64) {
        let outcome = self.run(&Request {
            path,
            value,
            known: Known::ALL,
            old,
            ratcheting: None,
            budget,
            wants_reads: false,
        });
        (outcome.errors.into_iter().map(|it| it.error).collect(), outcome.left)
    }

    /// Runs the rules over a value and everything below it (`Validator.Validate`).
    pub fn run(&self, request: &Request<'_>) -> Outcome {
        let Some(root) = &self.root else {
            return Outcome {
                left: request.budget,
                ..Outcome::default()
            };
        };
        let mut walk = Walk {
            per_call_limit: self.per_call_limit,
            wants_reads: request.wants_reads,
            memo: Memo::default(),
            outcome: Outcome {
                left: request.budget,
                ..Outcome::default()
            },
        };
        let value = Data::new(request.value, request.known);
        let old = request.old.map(Data::of_known);
        let ratchet = match (request.ratcheting, request.old) {
            (Some(schema), Some(old)) => Ratchet::new(schema, (request.value, request.known), old),
            _ => Ratchet::NONE,
        };
        let at = At {
            value: Trail::new(request.path),
            schema: Trail::root(),
        };
        if let Err(Stop) = walk.node(root, &value, old.as_ref(), ratchet, &at) {
            walk.outcome.left = -1;
        }
        walk.outcome
    }
}

impl Node {
    /// Creates the node from the schema with the rules, `rules`, and the schema with the types, `schema`. Inside `allOf`, these are different
    /// schemas.
    fn new(
        rules: Structural<'_>,
        schema: Structural<'_>,
        ty: Option<&Arc<DeclType>>,
        shape: &Arc<Shape>,
        is_resource_root: bool,
        version: KubernetesVersion,
    ) -> Option<Self> {
        fn below(
            (rules, schema): (Structural<'_>, Structural<'_>),
            ty: Option<&Arc<DeclType>>,
            shape: &Arc<Shape>,
            version: KubernetesVersion,
        ) -> Option<Node> {
            Node::new(rules, schema, ty, shape, schema.is_embedded_resource(), version)
        }
        let of_items = ty.and_then(|ty| items_type(schema, ty));
        let of_values = ty.and_then(|ty| values_type(schema, ty));
        let items = match (rules.items(), schema.items(), &shape.items) {
            (Some(rules), Some(schema), Some(shape)) => below((rules, schema), of_items, shape, version).map(Box::new),
            _ => None,
        };
        let values = match (values_of(rules), values_of(schema), &shape.values) {
            (Some(rules), Some(schema), Some(shape)) => below((rules, schema), of_values, shape, version).map(Box::new),
            _ => None,
        };
        let mut properties = BTreeMap::new();
        let parent = schema;
        for (name, rules) in rules.properties() {
            let (Some(schema), Some(shape)) = (schema.property(name), shape.properties.get(name)) else {
                continue;
            };
            let own;
            let ty = if escape(name).is_some() {
                ty.and_then(|ty| property_type(parent, ty, name))
            } else {
                own = decl_type(schema, schema.is_embedded_resource(), version);
                own.as_ref()
            };
            if ty.is_none() {
                continue;
            }
            if let Some(node) = below((rules, schema), ty, shape, version) {
                properties.insert(name.into(), node);
            }
        }
        let mut all_of = Vec::new();
        if version >= ALL_OF_SINCE {
            for (n, clause) in rules.props().all_of.iter().enumerate() {
                let clause = Structural::assume(clause);
                let node = Self::new(clause, schema, ty, shape, is_resource_root, version);
                all_of.extend(node.map(|node| (n, node)));
            }
        }
        let rules = NodeRules::new(schema, rules.validations(), ty, shape, is_resource_root, version);
        let is_empty =
            rules.is_none() && all_of.is_empty() && items.is_none() && values.is_none() && properties.is_empty();
        (!is_empty).then_some(Self {
            shape: Arc::clone(shape),
            is_map_correlatable: matches!(schema.map_type(), None | Some("granular" | "atomic")),
            rules,
            all_of,
            items,
            values,
            properties,
        })
    }
}

fn values_of(schema: Structural<'_>) -> Option<Structural<'_>> {
    schema.additional_properties().and_then(AdditionalProperties::schema)
}

/// The position of a walk, in the value and in the schema.
struct At<'a> {
    value: Trail<'a>,
    schema: Trail<'a>,
}

struct Walk<'v> {
    per_call_limit: u64,
    wants_reads: bool,
    memo: Memo<'v>,
    outcome: Outcome,
}

impl<'v> Walk<'v> {
    fn node(
        &mut self,
        node: &Node,
        value: &Data,
        old: Option<&Data>,
        ratchet: Ratchet<'v>,
        at: &At<'_>,
    ) -> Result<(), Stop> {
        if value.is_null() || matches!(value, Data::Unknown { .. }) {
            return Ok(());
        }
        let old = old.filter(|old| !old.is_null());
        if let Some(rules) = &node.rules {
            let judged = Judged {
                value,
                old,
                per_call_limit: self.per_call_limit,
                wants_reads: self.wants_reads,
                forgives: &|| ratchet.forgives(&self.memo),
            };
            rules.run(&judged, at, &mut self.outcome)?;
        }
        let clauses = at.schema.child("allOf");
        for (n, clause) in &node.all_of {
            let at = At {
                value: at.value,
                schema: clauses.index(*n),
            };
            self.node(clause, value, old, ratchet.all_of(), &at)?;
        }
        match value {
            Data::List(items) => {
                if let Some(below) = &node.items {
                    let old_items = OldItems::new(&node.shape, old);
                    for (n, item) in items.iter().enumerate() {
                        let at = At {
                            value: at.value.index(n),
                            schema: at.schema.child("items"),
                        };
                        let ratchet = ratchet.item(n, &self.memo);
                        self.node(below, item, old_items.get(item), ratchet, &at)?;
                    }
                }
            }
            Data::Map(map) => {
                let old = old.filter(|_| node.is_map_correlatable).and_then(Data::as_map);
                if let Some(below) = &node.values {
                    for (key, value) in map.iter() {
                        let at = At {
                            value: at.value.key(key),
                            schema: at.schema.child("additionalProperties"),
                        };
                        let old = old.and_then(|old| old.get(key));
                        self.node(below, value, old, ratchet.key(key), &at)?;
                    }
                }
                let properties = at.schema.child("properties");
                for (name, below) in &node.properties {
                    if let Some(value) = map.get(&**name) {
                        let at = At {
                            value: at.value.child(name),
                            schema: properties.key(name),
                        };
                        let old = old.and_then(|old| old.get(&**name));
                        self.node(below, value, old, ratchet.key(name), &at)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether a schema or one of its subschemas has rules, ignoring `allOf` (`hasXValidations`).
fn has_rules(schema: Structural<'_>) -> bool {
    !schema.validations().is_empty()
        || schema.items().is_some_and(has_rules)
        || values_of(schema).is_some_and(has_rules)
        || schema.properties().any(|(_, property)| has_rules(property))
}
