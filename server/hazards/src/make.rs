//! Generates values of a schema. Each choice is recorded as a decision, so that a search can change it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crd_analyzer_schema::structural::{AdditionalProperties, Structural};
use crd_analyzer_schema::validation::Validator;
use foldhash::fast::FixedState;
use serde_json::{Map, Value};

use crate::domain;
use crate::reads::{Interest, Reads};

/// The maximum nesting depth of generated values.
const MAX_DEPTH: usize = 30;
/// The maximum number of items in a generated list.
const MAX_ITEMS: usize = 32;
/// The maximum number of parts of a value.
const MAX_PARTS: usize = 2_000;

/// Decisions that differ from the default: their position and the chosen option.
pub(crate) type Deviations = Vec<(u32, u32)>;

/// Makes decisions: the default decisions, except for the deviations.
pub(crate) struct Decisions<'p> {
    deviations: &'p [(u32, u32)],
    /// The number of options of each decision so far.
    pub(crate) made: Vec<u32>,
    /// Whether optional fields are absent by default.
    pub(crate) is_sparse: bool,
}

impl<'p> Decisions<'p> {
    pub(crate) fn new(deviations: &'p [(u32, u32)], is_sparse: bool) -> Self {
        Self {
            deviations,
            made: Vec::with_capacity(16),
            is_sparse,
        }
    }

    /// The possible numbers of items in a list, with the default number first.
    fn sizes(&self) -> [usize; 3] {
        if self.is_sparse { [0, 1, 2] } else { [1, 0, 2] }
    }

    fn decide(&mut self, ways: usize) -> usize {
        if ways < 2 {
            return 0;
        }
        let position = self.made.len() as u32;
        self.made.push(ways as u32);
        let way = self.deviations.iter().find(|it| it.0 == position).map_or(0, |it| it.1);
        (way as usize).min(ways - 1)
    }
}

/// Scalars by the address of their schema, and by whether the rule reads them.
type Scalars = HashMap<(usize, bool), Rc<[Value]>, FixedState>;

/// Generates values of one schema.
pub(crate) struct Maker<'a, 's> {
    validator: &'a Validator<'s>,
    reads: &'a Reads,
    scalars: RefCell<Scalars>,
    parts: std::cell::Cell<usize>,
}

impl<'a, 's> Maker<'a, 's> {
    pub(crate) fn new(validator: &'a Validator<'s>, reads: &'a Reads) -> Self {
        Self {
            validator,
            reads,
            scalars: RefCell::default(),
            parts: std::cell::Cell::new(0),
        }
    }

    /// A value in the form that a client sends, or `None` if no value can be generated. `is_resource_root` is set if the value is a resource.
    pub(crate) fn make(
        &self,
        schema: Structural<'s>,
        is_resource_root: bool,
        decisions: &mut Decisions<'_>,
    ) -> Option<Value> {
        self.parts.set(0);
        self.value(schema, is_resource_root, Some(&self.reads.interest), 0, decisions, 0)
    }

    fn value(
        &self,
        schema: Structural<'s>,
        is_resource: bool,
        interest: Option<&Interest>,
        nth: usize,
        decisions: &mut Decisions<'_>,
        depth: usize,
    ) -> Option<Value> {
        self.parts.set(self.parts.get() + 1);
        if depth > MAX_DEPTH || self.parts.get() > MAX_PARTS {
            return None;
        }
        let listed = &schema.props().r#enum;
        match schema.r#type() {
            "object" | "array" if !listed.is_empty() => Some(listed[decisions.decide(listed.len())].clone()),
            "object" => self.object(schema, is_resource, interest, nth, decisions, depth + 1),
            "array" => self.list(schema, interest, nth, decisions, depth + 1),
            "" if !schema.is_int_or_string() => Some(Value::Object(Map::new())),
            _ => self.scalar(schema, interest.is_some(), nth, decisions),
        }
    }

    fn scalar(
        &self,
        schema: Structural<'s>,
        is_of_interest: bool,
        nth: usize,
        decisions: &mut Decisions<'_>,
    ) -> Option<Value> {
        // Further items are varied too, because the items of a list may have to be distinct.
        let is_of_interest = is_of_interest || nth > 0;
        let key = (std::ptr::from_ref(schema.props()) as usize, is_of_interest);
        let known = self.scalars.borrow().get(&key).cloned();
        let values = known.unwrap_or_else(|| {
            let reads = is_of_interest.then_some(self.reads);
            let values: Rc<[Value]> = domain::scalars(schema, self.validator, reads).into();
            self.scalars.borrow_mut().insert(key, values.clone());
            values
        });
        if values.is_empty() {
            return None;
        }
        let way = if is_of_interest {
            decisions.decide(values.len())
        } else {
            0
        };
        Some(values[(way + nth) % values.len()].clone())
    }

    fn list(
        &self,
        schema: Structural<'s>,
        interest: Option<&Interest>,
        nth: usize,
        decisions: &mut Decisions<'_>,
        depth: usize,
    ) -> Option<Value> {
        let least = usize::try_from(schema.props().min_items.unwrap_or(0)).ok()?;
        let most = schema
            .props()
            .max_items
            .map_or(usize::MAX, |it| usize::try_from(it).unwrap_or(0));
        if least > MAX_ITEMS {
            return None;
        }
        let Some(interest) = interest else {
            return self.items(schema, None, least, nth, decisions, depth);
        };
        let near = self.reads.ints.iter().flat_map(|it| [*it, it.saturating_add(1)]);
        let near = near.filter_map(|it| usize::try_from(it).ok()).filter(|it| *it <= 6);
        let mut sizes: Vec<usize> = Vec::with_capacity(8);
        for size in decisions.sizes().into_iter().chain(near).chain([least]) {
            if (least..=most).contains(&size) && !sizes.contains(&size) {
                sizes.push(size);
            }
        }
        if sizes.is_empty() {
            return None;
        }
        let size = sizes[decisions.decide(sizes.len())];
        let nothing = Interest::default();
        let below = interest.element.as_deref().unwrap_or(&nothing);
        self.items(schema, Some(below), size, nth, decisions, depth)
    }

    fn items(
        &self,
        schema: Structural<'s>,
        interest: Option<&Interest>,
        size: usize,
        nth: usize,
        decisions: &mut Decisions<'_>,
        depth: usize,
    ) -> Option<Value> {
        if size == 0 {
            return Some(Value::Array(Vec::new()));
        }
        let below = schema.items()?;
        let item = |n: usize| {
            let is_resource = below.is_embedded_resource();
            self.value(below, is_resource, interest, nth + n, decisions, depth)
        };
        (0..size).map(item).collect::<Option<Vec<_>>>().map(Value::Array)
    }

    fn object(
        &self,
        schema: Structural<'s>,
        is_resource: bool,
        interest: Option<&Interest>,
        nth: usize,
        decisions: &mut Decisions<'_>,
        depth: usize,
    ) -> Option<Value> {
        let mut object = Map::new();
        if is_resource {
            self.head(schema, interest, decisions, &mut object);
        }
        let grouped = names_in_junctors(schema);
        for (name, property) in schema.properties() {
            if is_resource && matches!(name, "apiVersion" | "kind" | "metadata") {
                continue;
            }
            let below = interest.and_then(|it| it.properties.get(name));
            let is_required = schema.props().required.iter().any(|it| it == name);
            if below.is_none() && !is_required && !grouped.contains(&name) {
                continue;
            }
            // Defaulting sets absent properties that have a default, so they cannot be absent.
            let can_be_absent = !is_required && property.default_value().is_none();
            let can_be_null = property.nullable() && below.is_some();
            let ways = match (can_be_absent, decisions.is_sparse) {
                (false, _) => [Way::Present, Way::Null, Way::Null],
                (true, false) => [Way::Present, Way::Absent, Way::Null],
                (true, true) => [Way::Absent, Way::Present, Way::Null],
            };
            let count = 1 + usize::from(can_be_absent) + usize::from(can_be_null);
            match ways[decisions.decide(count)] {
                Way::Absent => {}
                Way::Null => {
                    object.insert(name.to_owned(), Value::Null);
                }
                Way::Present => {
                    let is_embedded = property.is_embedded_resource();
                    match self.value(property, is_embedded, below, nth, decisions, depth) {
                        Some(value) => {
                            object.insert(name.to_owned(), value);
                        }
                        None if is_required => return None,
                        None => {}
                    }
                }
            }
        }
        if let Some(AdditionalProperties::Schema(values)) = schema.additional_properties() {
            self.entries(schema, values, interest, nth, decisions, depth, &mut object)?;
        }
        Some(Value::Object(object))
    }

    /// Adds the fields that exist in every resource.
    fn head(
        &self,
        schema: Structural<'s>,
        interest: Option<&Interest>,
        decisions: &mut Decisions<'_>,
        object: &mut Map<String, Value>,
    ) {
        object.insert("apiVersion".to_owned(), "example.com/v1".into());
        object.insert("kind".to_owned(), "Example".into());
        let below = interest.and_then(|it| it.properties.get("metadata")?.properties.get("name"));
        let named = schema.property("metadata").and_then(|it| it.property("name"));
        let name = match (named, below) {
            (Some(schema), below) => self.scalar(schema, below.is_some(), 0, decisions),
            (None, Some(_)) => {
                let texts = self.reads.texts.iter().map(|it| Value::from(&**it));
                let names: Vec<Value> = std::iter::once("example".into()).chain(texts).collect();
                Some(names[decisions.decide(names.len())].clone())
            }
            (None, None) => None,
        };
        let name = name.unwrap_or_else(|| "example".into());
        object.insert(
            "metadata".to_owned(),
            Map::from_iter([("name".to_owned(), name)]).into(),
        );
    }

    #[allow(clippy::too_many_arguments, reason = "one step of a walk that carries its place")]
    fn entries(
        &self,
        schema: Structural<'s>,
        values: Structural<'s>,
        interest: Option<&Interest>,
        nth: usize,
        decisions: &mut Decisions<'_>,
        depth: usize,
        object: &mut Map<String, Value>,
    ) -> Option<()> {
        let least = usize::try_from(schema.props().min_properties.unwrap_or(0)).ok()?;
        if least > MAX_ITEMS {
            return None;
        }
        let mut keys: Vec<String> = Vec::new();
        if let Some(interest) = interest {
            if interest.keys.is_empty() {
                let sizes = decisions.sizes();
                let count = sizes[decisions.decide(sizes.len())];
                keys.extend(["a", "b"].iter().take(count).map(|it| (*it).to_owned()));
            } else {
                for key in &interest.keys {
                    let is_there = usize::from(decisions.is_sparse);
                    if decisions.decide(2) == is_there {
                        keys.push(key.clone());
                    }
                }
            }
        }
        let mut more = 0;
        while keys.len() + object.len() < least {
            keys.push(format!("k{more}"));
            more += 1;
        }
        let below = interest.and_then(|it| it.element.as_deref());
        for (n, key) in keys.into_iter().enumerate() {
            let is_resource = values.is_embedded_resource();
            let value = self.value(values, is_resource, below, nth + n, decisions, depth)?;
            object.insert(key, value);
        }
        Some(())
    }
}

/// The state of a property.
#[derive(Clone, Copy)]
enum Way {
    Present,
    Absent,
    Null,
}

/// The properties that `anyOf` and similar keywords mention. A value may need some of these properties.
fn names_in_junctors(schema: Structural<'_>) -> Vec<&str> {
    let Some(rare) = schema.props().rare.get() else {
        return Vec::new();
    };
    let clauses = rare
        .all_of
        .iter()
        .chain(&rare.any_of)
        .chain(&rare.one_of)
        .chain(rare.not.as_deref());
    let names = clauses.flat_map(|it| it.required.iter().chain(it.properties.iter().map(|(name, _)| name)));
    names.map(String::as_str).collect()
}
