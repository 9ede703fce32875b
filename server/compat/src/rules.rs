//! Rules that exist in only one of the CRDs, and values that only these rules reject.

use crd_analyzer_hazards::{
    Effort, ReadFields, RuleFacts, Shown, accepted_by_rules, read_fields, refused_by_rule, rule_facts,
};
use crd_analyzer_schema::structural::{Structural, lookup};
use crd_analyzer_schema::unknown::Known;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, ValidationRule, defaulting};
use serde_json::Value;

use crate::proof::default_of;
use crate::steps::{self, Step, nodes_below as below};

/// The effort for finding values that a rule rejects.
const EFFORT: Effort = Effort {
    per_rule: 6_000,
    left: 6_000,
};
/// The maximum number of values per rule to try on the whole CRDs.
const MOST: usize = 6;

/// Values that a node accepts, but would reject with this additional rule.
pub(crate) fn refused(
    node: &JsonSchemaProps,
    is_resource_root: bool,
    kubernetes: KubernetesVersion,
    rule: &ValidationRule,
) -> Vec<Shown> {
    let mut node = node.clone();
    node.x_validations.push(rule.clone());
    let at = node.x_validations.len() - 1;
    let schema = Structural::assume(&node);
    refused_by_rule(schema, is_resource_root, kubernetes, at, MOST, &mut { EFFORT })
}

/// Values that a node and all its rules accept.
fn accepted(node: &JsonSchemaProps, is_resource_root: bool, kubernetes: KubernetesVersion) -> Vec<Value> {
    let schema = Structural::assume(node);
    accepted_by_rules(schema, is_resource_root, kubernetes, 2, &mut { EFFORT })
}

/// A copy of a node that keeps its own rules but has no rules below it.
fn alone(node: &JsonSchemaProps) -> JsonSchemaProps {
    let mut node = node.clone();
    let rules = std::mem::take(&mut node.x_validations);
    remove_rules(&mut node);
    node.x_validations = rules;
    node
}

/// Values that satisfy the node's own rules and contain a value at the end of some steps. They may violate rules of nodes below.
pub(crate) fn accepted_with(
    node: &JsonSchemaProps,
    (steps, value): (&[Step], &Value),
    is_resource_root: bool,
    kubernetes: KubernetesVersion,
) -> Vec<Value> {
    let mut node = alone(node);
    let mut at = Some(&mut node);
    for step in steps {
        let Some(around) = at else { break };
        match step {
            Step::Property(name) if !around.required.contains(name) => around.required.push(name.clone()),
            Step::Property(_) => {}
            Step::Items => around.min_items = around.min_items.max(Some(1)),
            Step::Values => around.min_properties = around.min_properties.max(Some(1)),
        }
        at = steps::below_mut(around, step);
    }
    if let Some(inner) = at.filter(|_| !steps.is_empty()) {
        let mut value = value.clone();
        // The `enum` is compared with values after defaulting.
        defaulting::set_defaults(&mut value, Known::ALL, Some(Structural::assume(inner)));
        inner.r#enum = vec![value];
    }
    accepted(&node, is_resource_root, kubernetes)
}

/// Values that the rules of `from` accept, but that exceed the bound of `to` with this keyword. They may violate rules of nodes below.
pub(crate) fn beyond(
    from: &JsonSchemaProps,
    to: &JsonSchemaProps,
    keyword: &str,
    kubernetes: KubernetesVersion,
) -> Vec<Value> {
    if from.x_validations.is_empty() {
        return Vec::new();
    }
    let mut node = alone(from);
    let more = |bound: Option<i64>| bound.and_then(|it| it.checked_add(1));
    let fewer = |bound: Option<i64>| bound.and_then(|it| it.checked_sub(1));
    match keyword {
        "maxItems" => node.min_items = more(to.max_items),
        "minItems" => node.max_items = fewer(to.min_items),
        "maxLength" => node.min_length = more(to.max_length),
        "minLength" => node.max_length = fewer(to.min_length),
        "maxProperties" => node.min_properties = more(to.max_properties),
        "minProperties" => node.max_properties = fewer(to.min_properties),
        "maximum" | "exclusiveMaximum" => {
            node.minimum = to.maximum;
            node.exclusive_minimum = !to.exclusive_maximum;
        }
        "minimum" | "exclusiveMinimum" => {
            node.maximum = to.minimum;
            node.exclusive_maximum = !to.exclusive_minimum;
        }
        _ => return Vec::new(),
    }
    accepted(&node, false, kubernetes)
}

fn remove_rules(node: &mut JsonSchemaProps) {
    node.x_validations.clear();
    let items = node.items.as_mut().and_then(|it| it.schema.as_mut());
    let values = node.additional_properties.as_mut().and_then(|it| it.schema.as_mut());
    items.into_iter().chain(values).for_each(|it| remove_rules(it));
    node.properties.iter_mut().for_each(|it| remove_rules(&mut it.1));
}

/// Whether a rule uses the old value.
pub(crate) fn looks_back(rule: &ValidationRule) -> bool {
    rule.rule.contains("oldSelf") || rule.optional_old_self.is_some()
}

/// Since this Kubernetes version, a number that is almost an integer is no longer accepted as an integer.
pub(crate) const RANGES_SINCE: KubernetesVersion = KubernetesVersion::minor(36);

/// Whether every value that a schema accepts has the CEL type of the schema (`UnstructuredToVal`). There are exceptions: a list is accepted as a
/// string with a format, and some fractions are accepted as integers.
fn is_typed(schema: &JsonSchemaProps, kubernetes: KubernetesVersion) -> bool {
    schema.is_never() || has_own_type(schema, kubernetes) && below(schema).all(|it| is_typed(it, kubernetes))
}

/// Like [`is_typed`], without the values inside the value.
fn has_own_type(schema: &JsonSchemaProps, kubernetes: KubernetesVersion) -> bool {
    match schema.r#type.as_str() {
        "string" => schema.format.is_empty(),
        "integer" => kubernetes >= RANGES_SINCE,
        _ => true,
    }
}

fn has_int_or_string(schema: &JsonSchemaProps) -> bool {
    !schema.is_never() && (schema.x_int_or_string || below(schema).any(has_int_or_string))
}

/// Whether a rule can read all that it reads of a value that was valid under the schema `from`. An int-or-string does not count, because some
/// fractions are accepted as one, and every rule that reads such a fraction fails.
pub(crate) fn can_read(
    rule: &ValidationRule,
    from: &JsonSchemaProps,
    to: &JsonSchemaProps,
    is_resource_root: bool,
    kubernetes: KubernetesVersion,
) -> bool {
    reads_of(rule, from, is_resource_root, kubernetes).is_some_and(|it| is_readable(&it, from, to, kubernetes))
}

fn reads_of(
    rule: &ValidationRule,
    node: &JsonSchemaProps,
    is_resource_root: bool,
    kubernetes: KubernetesVersion,
) -> Option<ReadFields> {
    let mut node = node.clone();
    node.x_validations = vec![rule.clone()];
    read_fields(Structural::assume(&node), is_resource_root, kubernetes, 0)
}

fn is_readable(
    reads: &ReadFields,
    from: &JsonSchemaProps,
    to: &JsonSchemaProps,
    kubernetes: KubernetesVersion,
) -> bool {
    if from.is_never() {
        return true;
    }
    // In a map, a field is a key.
    let is_map = from.additional_properties.is_some() || to.additional_properties.is_some();
    if reads.is_whole || is_map {
        return is_typed(from, kubernetes) && has_types_of(from, to) && !has_int_or_string(from);
    }
    let is_same = has_type_of(from, to) && has_own_type(from, kubernetes) && !from.x_int_or_string;
    let mut fields = reads.fields.iter();
    is_same
        && fields.all(
            |(name, reads)| match (lookup(&from.properties, name), lookup(&to.properties, name)) {
                (Some(from), Some(to)) => is_readable(reads, from, to, kubernetes),
                (Some(from), None) => is_typed(from, kubernetes) && !has_int_or_string(from),
                // `apiVersion`, `kind` and `metadata` of a resource need no schema.
                (None, _) => true,
            },
        )
}

/// Whether two schemas have the same CEL types. An unchanged value of another type is tolerated, but a rule that reads this value fails.
fn has_types_of(from: &JsonSchemaProps, to: &JsonSchemaProps) -> bool {
    let items = |it| steps::below(it, &Step::Items);
    let values = |it| steps::below(it, &Step::Values);
    let has_items_of = items(to).is_none_or(|to| items(from).is_some_and(|from| has_types_of(from, to)));
    // A property of one schema may be an additional property of the other schema.
    let is_known = |name: &str| lookup(&from.properties, name).is_some();
    let of_properties = from.properties.iter().all(|(name, it)| {
        let to = lookup(&to.properties, name).or(values(to));
        to.is_none_or(|to| has_types_of(it, to))
    });
    let mut others = to
        .properties
        .iter()
        .filter(|it| !is_known(&it.0))
        .map(|it| &it.1)
        .chain(values(to));
    let of_others = match values(from) {
        Some(from) => others.all(|to| has_types_of(from, to)),
        // Preserved unknown fields can have any type.
        None => from.x_preserve_unknown_fields != Some(true) || others.next().is_none(),
    };
    from.is_never() || has_type_of(from, to) && has_items_of && of_properties && of_others
}

/// Like [`has_types_of`], without the values inside the value.
fn has_type_of(from: &JsonSchemaProps, to: &JsonSchemaProps) -> bool {
    from.r#type == to.r#type
        && from.format == to.format
        && from.x_int_or_string == to.x_int_or_string
        && from.x_embedded_resource == to.x_embedded_resource
        && from.nullable == to.nullable
}

/// Whether each node has exactly one type. An int-or-string does not count, because some fractions are accepted as one.
fn has_one_type(schema: &JsonSchemaProps) -> bool {
    !schema.r#type.is_empty() && below(schema).all(has_one_type)
}

/// Whether the form of a rule shows that the rule holds for an unchanged value, and the rule only reads fields with the same type in both schemas.
pub(crate) fn holds_unchanged(
    rule: &ValidationRule,
    from: &JsonSchemaProps,
    to: &JsonSchemaProps,
    kubernetes: KubernetesVersion,
) -> bool {
    holds_for_same(rule) && is_typed(from, kubernetes) && has_types_of(from, to) && has_one_type(from)
}

/// Whether a rule compares the value with the old value by an operator that holds for equal values (CEL's `_==_`, `_<=_`, `_>=_`).
fn holds_for_same(rule: &ValidationRule) -> bool {
    let is_plain = rule.optional_old_self != Some(true);
    is_plain
        && ["==", "<=", ">="].into_iter().any(|operator| {
            let sides = rule.rule.split_once(operator).map(|it| (it.0.trim(), it.1.trim()));
            matches!(sides, Some(("self", "oldSelf") | ("oldSelf", "self")))
        })
}

/// The schema `from` with the fields that only `to` has, as far as no value of `from` can have them. All values of `from` are values of this schema,
/// which rejects the fields; and rules that read the fields compile.
pub(crate) fn with_new_fields(from: &JsonSchemaProps, to: &JsonSchemaProps) -> JsonSchemaProps {
    let mut node = from.clone();
    add_new_fields(&mut node, to);
    node
}

fn add_new_fields(node: &mut JsonSchemaProps, to: &JsonSchemaProps) {
    if node.x_preserve_unknown_fields == Some(true) || node.x_embedded_resource {
        return;
    }
    // An object has these fields even without a schema.
    let is_head = |name: &String| ["apiVersion", "kind", "metadata"].contains(&name.as_str());
    for step in [Step::Items, Step::Values] {
        if let (Some(node), Some(to)) = (steps::below_mut(node, &step), steps::below(to, &step)) {
            add_new_fields(node, to);
        }
    }
    for (name, node) in node.properties.iter_mut().filter(|it| !is_head(&it.0)) {
        if let Some(to) = lookup(&to.properties, name) {
            add_new_fields(node, to);
        }
    }
    if node.r#type != "object" || node.additional_properties.is_some() {
        return;
    }
    // A default is filled in when the object is read.
    let is_new = |name: &String, it: &JsonSchemaProps| {
        lookup(&node.properties, name).is_none() && default_of(it).is_none() && !is_head(name)
    };
    let new = to.properties.iter().filter(|it| is_new(&it.0, &it.1));
    let new = new.map(|(name, it)| (name.clone(), never(it)));
    let new: Vec<_> = new.collect();
    node.properties.extend(new);
    node.properties.sort_by(|a, b| a.0.cmp(&b.0));
}

/// A schema with the same CEL type that rejects every value.
fn never(schema: &JsonSchemaProps) -> JsonSchemaProps {
    let mut schema = schema.clone();
    schema.nullable = false;
    schema.rare.not = Some(Box::default());
    schema
}

/// The facts in a rule that are true for every value that a node accepts.
pub(crate) fn facts(
    node: &JsonSchemaProps,
    is_resource_root: bool,
    kubernetes: KubernetesVersion,
    rule: &ValidationRule,
) -> Option<RuleFacts> {
    let mut node = node.clone();
    node.x_validations = vec![rule.clone()];
    rule_facts(Structural::assume(&node), is_resource_root, kubernetes, 0)
}

/// Whether a rule of a node reads only properties that the node `before` lacks.
pub(crate) fn reads_only_new(
    node: &JsonSchemaProps,
    before: &JsonSchemaProps,
    is_resource_root: bool,
    kubernetes: KubernetesVersion,
    rule: &ValidationRule,
) -> bool {
    let is_new = |name: &String| lookup(&before.properties, name).is_none();
    !looks_back(rule)
        && reads_of(rule, node, is_resource_root, kubernetes)
            .is_some_and(|it| !it.is_whole && !it.fields.is_empty() && it.fields.keys().all(is_new))
}
