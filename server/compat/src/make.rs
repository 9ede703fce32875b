//! Makes values for a schema: the smallest value that the schema accepts, and values that contain a given value.

use std::collections::HashMap;

use crd_analyzer_budget as budget;
use crd_analyzer_hazards::scalars;
use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::field::Path;
use crd_analyzer_schema::structural::{Structural, lookup};
use crd_analyzer_schema::validation::Validator;
use serde_json::{Map, Value};

use crate::steps::{self, Step, below};

/// The maximum nesting depth of a value.
const MAX_DEPTH: usize = 40;
/// The maximum size of lists and maps.
pub(crate) const MAX_ITEMS: usize = 600;
/// The maximum number of ways to try to satisfy `allOf`, `anyOf`, `oneOf` and `not` of an object.
const MAX_WAYS: usize = 40;
/// The work units for making a value.
const MAKE: u64 = 500;

/// Makes values of one schema.
pub(crate) struct Maker<'s> {
    pub(crate) root: &'s JsonSchemaProps,
    pub(crate) validator: Validator<'s>,
    known: std::cell::RefCell<HashMap<usize, Option<Value>>>,
}

impl<'s> Maker<'s> {
    pub(crate) fn new(root: &'s JsonSchemaProps, validator: Validator<'s>) -> Self {
        Self {
            root,
            validator,
            known: std::cell::RefCell::default(),
        }
    }

    /// Whether a node accepts a value. Validation rules and the schemas around the node are not checked.
    pub(crate) fn accepts(&self, schema: &'s JsonSchemaProps, value: &Value) -> bool {
        self.validator.validate_node(schema, &Path::root(), value).is_empty()
    }

    /// The scalars to try for a node, simplest first. The node accepts all of them.
    pub(crate) fn scalars(&self, schema: &'s JsonSchemaProps, constants: &[Value]) -> Vec<Value> {
        scalars(Structural::assume(schema), &self.validator, constants)
    }

    /// The smallest value of a node that can be found.
    pub(crate) fn smallest(&self, schema: &'s JsonSchemaProps) -> Option<Value> {
        self.value(schema, 0)
    }

    fn value(&self, schema: &'s JsonSchemaProps, depth: usize) -> Option<Value> {
        let key = std::ptr::from_ref(schema) as usize;
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        if depth > MAX_DEPTH || budget::work(MAKE).is_err() {
            return None;
        }
        let made = match schema.r#type.as_str() {
            "object" => self.object(schema, Map::new(), depth),
            "array" => self.list(schema, Vec::new()),
            "" if !schema.x_int_or_string => {
                let any = [Value::from("a"), Value::Object(Map::new()), Value::from(1)];
                any.into_iter().find(|it| self.accepts(schema, it))
            }
            _ => self.scalars(schema, &[]).into_iter().next(),
        };
        self.known.borrow_mut().insert(key, made.clone());
        made
    }

    /// A list with the given items, and as many further items as the schema requires.
    pub(crate) fn list(&self, schema: &'s JsonSchemaProps, mut items: Vec<Value>) -> Option<Value> {
        let least = usize::try_from(schema.min_items.unwrap_or(0)).ok()?;
        if least > MAX_ITEMS {
            return None;
        }
        if items.len() < least {
            let more = self.different_items(schema, least)?;
            let more = more.into_iter().filter(|it| !items.contains(it));
            let more: Vec<Value> = more.take(least - items.len()).collect();
            items.extend(more);
        }
        let list = Value::Array(items);
        self.accepts(schema, &list).then_some(list)
    }

    /// Items that differ from each other, if the schema allows enough of them; otherwise the same item several times.
    pub(crate) fn different_items(&self, schema: &'s JsonSchemaProps, count: usize) -> Option<Vec<Value>> {
        let item = below(schema, &Step::Items)?;
        let first = self.value(item, 1)?;
        let mut items = vec![first.clone()];
        let wants_different = schema.x_list_type.as_deref().is_some_and(|it| it != "atomic");
        if !wants_different {
            items.resize(count, first);
            return Some(items);
        }
        for n in 1..count {
            if budget::work(MAKE).is_err() {
                return None;
            }
            items.push(self.another(item, &first, n, &schema.x_list_map_keys)?);
        }
        Some(items)
    }

    /// Changes a value into a different one. Each `n` gives another result.
    fn another(&self, schema: &'s JsonSchemaProps, value: &Value, n: usize, keys: &[String]) -> Option<Value> {
        match value {
            Value::Object(fields) => {
                let name = keys
                    .iter()
                    .chain(fields.keys())
                    .find(|name| lookup(&schema.properties, name).is_some_and(|it| it.r#enum.is_empty()))?;
                let property = lookup(&schema.properties, name)?;
                let before = fields.get(name).cloned().or_else(|| self.value(property, 1))?;
                let mut fields = fields.clone();
                fields.insert(name.clone(), self.another(property, &before, n, &[])?);
                Some(Value::Object(fields)).filter(|it| self.accepts(schema, it))
            }
            Value::String(text) => {
                let tries = [
                    format!("{text}{n}"),
                    format!("{text}-{n}"),
                    format!("a{n}{text}"),
                    format!("a{n}"),
                    format!("{n}"),
                ];
                let listed = schema.r#enum.get(n).cloned();
                let tries = tries.into_iter().map(Value::from).chain(listed);
                tries.into_iter().find(|it| self.accepts(schema, it))
            }
            Value::Number(number) => {
                let number = number.as_i64()?;
                let shift = n as i64;
                let tries = [number.checked_add(shift)?, number.checked_sub(shift)?];
                tries.into_iter().map(Value::from).find(|it| self.accepts(schema, it))
            }
            _ => None,
        }
    }

    /// An object with the given fields, and as many further fields as the schema requires.
    pub(crate) fn object(&self, schema: &'s JsonSchemaProps, given: Map<String, Value>, depth: usize) -> Option<Value> {
        let mut fields = given;
        if schema.x_embedded_resource {
            for (name, plain) in [("apiVersion", "v1"), ("kind", "Example")] {
                if !fields.contains_key(name) {
                    let known = lookup(&schema.properties, name);
                    let plain = Value::from(plain);
                    let value = match known.filter(|it| !self.accepts(it, &plain)) {
                        Some(property) => self.value(property, depth + 1)?,
                        None => plain,
                    };
                    fields.insert(name.to_owned(), value);
                }
            }
        }
        for name in &schema.required {
            if !fields.contains_key(name) {
                let value = match lookup(&schema.properties, name) {
                    Some(property) => self.value(property, depth + 1)?,
                    None => match below(schema, &Step::Values) {
                        Some(values) => self.value(values, depth + 1)?,
                        None => Value::from("a"),
                    },
                };
                fields.insert(name.clone(), value);
            }
        }
        let least = usize::try_from(schema.min_properties.unwrap_or(0)).ok()?;
        if least > MAX_ITEMS {
            return None;
        }
        if fields.len() < least {
            if let Some(values) = below(schema, &Step::Values) {
                let value = self.value(values, depth + 1)?;
                let names = (0..).map(|n| if n == 0 { "a".to_owned() } else { format!("a{n}") });
                for name in names.take(2 * least) {
                    if fields.len() < least {
                        fields.entry(name).or_insert_with(|| value.clone());
                    }
                }
            }
            for (name, property) in &schema.properties {
                if fields.len() >= least {
                    break;
                }
                if !fields.contains_key(name)
                    && let Some(value) = self.value(property, depth + 1)
                {
                    fields.insert(name.clone(), value);
                }
            }
        }
        let whole = Value::Object(fields);
        if self.accepts(schema, &whole) {
            return Some(whole);
        }
        let Value::Object(fields) = whole else { return None };
        self.satisfied(schema, &fields, depth)
    }

    /// The object with more fields, so that it satisfies `allOf`, `anyOf`, `oneOf` and `not`.
    fn satisfied(&self, schema: &'s JsonSchemaProps, fields: &Map<String, Value>, depth: usize) -> Option<Value> {
        for names in ways(schema).into_iter().take(MAX_WAYS) {
            if budget::work(MAKE).is_err() {
                return None;
            }
            let mut more = fields.clone();
            for name in names {
                if !more.contains_key(name)
                    && let Some(property) = lookup(&schema.properties, name)
                    && let Some(value) = self.value(property, depth + 1)
                {
                    more.insert(name.to_owned(), value);
                }
            }
            let more = Value::Object(more);
            if self.accepts(schema, &more) {
                return Some(more);
            }
        }
        None
    }

    /// A value of the root that contains the given value at the end of a path.
    pub(crate) fn around(&self, steps: &[Step], value: Value) -> Option<Value> {
        let is_null = value.is_null();
        let whole = self.around_from(self.root, steps, value, 0);
        if whole.is_some() || !is_null {
            return whole;
        }
        // A null that is not allowed is dropped, so the surrounding value must also be valid without it.
        let value = self.smallest(steps::at(self.root, steps)?)?;
        let mut whole = self.around_from(self.root, steps, value, 0)?;
        let mut at = &mut whole;
        for step in steps {
            at = match step {
                Step::Property(name) => at.get_mut(name)?,
                Step::Items => at.get_mut(0)?,
                Step::Values => at.get_mut("a")?,
            };
        }
        *at = Value::Null;
        Some(whole)
    }

    fn around_from(&self, schema: &'s JsonSchemaProps, steps: &[Step], value: Value, depth: usize) -> Option<Value> {
        let Some((step, rest)) = steps.split_first() else {
            return Some(value);
        };
        let inner = self.around_from(below(schema, step)?, rest, value, depth + 1)?;
        match step {
            Step::Property(name) => self.object(schema, Map::from_iter([(name.clone(), inner)]), depth),
            Step::Items => {
                // If the changed item makes the list invalid, the caller's check reports this.
                self.list(schema, vec![inner.clone()])
                    .or(Some(Value::Array(vec![inner])))
            }
            Step::Values => self.object(schema, Map::from_iter([("a".to_owned(), inner)]), depth),
        }
    }
}

/// The sets of property names that may satisfy `allOf`, `anyOf`, `oneOf` and `not` of an object.
pub(crate) fn ways(schema: &JsonSchemaProps) -> Vec<Vec<&str>> {
    let mut ways: Vec<Vec<&str>> = Vec::new();
    let clauses = schema.all_of.iter().chain(&schema.any_of).chain(&schema.one_of);
    for clause in clauses {
        let mut required: Vec<&str> = clause.required.iter().map(String::as_str).collect();
        for inner in clause.any_of.iter().chain(&clause.one_of).chain(&clause.all_of) {
            let mut more = required.clone();
            more.extend(inner.required.iter().map(String::as_str));
            ways.push(more);
        }
        required.extend(clause.properties.iter().map(|it| it.0.as_str()));
        ways.push(required);
    }
    // Also try the first branches of `allOf`, `anyOf` and `oneOf` together.
    let firsts = [&schema.all_of, &schema.any_of, &schema.one_of].map(|it| it.first());
    let together = firsts
        .into_iter()
        .flatten()
        .flat_map(|it| it.required.iter().map(String::as_str));
    ways.push(together.collect());
    ways.extend(schema.properties.iter().map(|(name, _)| vec![name.as_str()]));
    ways
}
