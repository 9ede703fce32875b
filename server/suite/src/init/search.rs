//! Searches for objects: a valid one and, for each rule, one that violates it.

use std::collections::VecDeque;

use crd_analyzer_schema::field::{ErrorType, Path, Segment};
use serde_json::{Map, Value, json};

use super::values::{at, candidates, candidates_of, inner, smallest, with};
use crate::{
    definition::Found,
    errors::Cause,
    run::own::{causes, is_implied},
    server::{Answer, Server},
};

/// The maximum number of fields that are visited; a first suite does not need more.
const MOST_PLACES: usize = 400;
/// The maximum depth of a field.
const MOST_STEPS: usize = 6;
/// The maximum number of changes on the way to a valid object.
const MOST_REPAIRS: usize = 40;
/// The maximum number of requests for one rule.
const MOST_TRIES: usize = 600;

/// A field of the objects, and its schema.
#[derive(Clone)]
pub(super) struct ObjectField<'s> {
    pub(super) path: Vec<String>,
    pub(super) schema: &'s Value,
    pub(super) is_required: bool,
}

/// A validation rule.
pub(super) struct Rule {
    /// The path of the values that it validates.
    path: Vec<String>,
    index: usize,
    pub(super) text: String,
    message: Option<String>,
}

impl Rule {
    /// The name of its test.
    pub(super) fn name(&self) -> String {
        let said = self.message.as_ref().unwrap_or(&self.text);
        let said: Vec<&str> = said.split_whitespace().collect();
        format!("{}: {}", self.place(), said.join(" "))
    }

    pub(super) fn place(&self) -> String {
        if self.path.is_empty() {
            "the object".to_owned()
        } else {
            self.path.join(".")
        }
    }

    /// The end of the CRD path that an error reports if this rule is violated.
    fn decider(&self) -> String {
        format!("x-kubernetes-validations[{}]", self.index)
    }
}

/// An object that violates a rule.
pub(super) struct Broken {
    pub(super) from: Option<Value>,
    pub(super) object: Value,
    pub(super) answer: Answer,
}

pub(super) struct Search<'s> {
    server: &'s Server,
    definition: &'s Found,
    pub(super) schema: &'s Value,
}

impl<'s> Search<'s> {
    pub(super) fn new(server: &'s Server, definition: &'s Found, schema: &'s Value) -> Self {
        Self {
            server,
            definition,
            schema,
        }
    }

    /// The object as sent in a request, with its type and a name.
    pub(super) fn whole(&self, object: &Value) -> Value {
        let mut whole: Map<String, Value> = object.as_object().cloned().unwrap_or_default();
        let api_version = format!("{}/{}", self.definition.group(), self.definition.version());
        whole.insert("apiVersion".to_owned(), json!(api_version));
        whole.insert("kind".to_owned(), json!(self.definition.kind()));
        let metadata = whole.entry("metadata").or_insert_with(|| json!({}));
        if let Value::Object(metadata) = metadata {
            metadata.entry("name").or_insert_with(|| json!("test"));
        }
        Value::Object(whole)
    }

    pub(super) fn create(&self, object: &Value) -> Answer {
        self.server.create(&self.whole(object))
    }

    fn update(&self, from: &Value, to: &Value) -> Option<Answer> {
        let stored = self.server.get(self.whole(from).as_object()?).ok()?;
        Some(self.server.update(&stored, &self.whole(to)))
    }

    /// A small valid object.
    pub(super) fn accepted(&self) -> Result<Value, String> {
        // A schema without a type allows any value, but a resource is an object.
        let mut object = match smallest(self.schema, MOST_STEPS) {
            Value::Object(object) => Value::Object(object),
            _ => json!({}),
        };
        if let Value::Object(object) = &mut object {
            for name in ["apiVersion", "kind", "metadata", "status"] {
                object.remove(name);
            }
            // In most CRDs, nearly all fields are in `spec`.
            if self.schema["properties"]["spec"].is_object() {
                let spec = &self.schema["properties"]["spec"];
                object.entry("spec").or_insert_with(|| smallest(spec, MOST_STEPS));
            }
        }
        let mut best = self.count(&object);
        for _ in 0..MOST_REPAIRS {
            if best == 0 {
                return Ok(object);
            }
            let (n, better) = self.better(&object, best).ok_or_else(|| {
                let answer = self.create(&object);
                let why = answer.strict_refusal().map(|it| it.message).unwrap_or_default();
                format!(
                    "crd-analyzer found no object that it accepts; for the closest one, the API server reports: {why}"
                )
            })?;
            (best, object) = (n, better);
        }
        Err("crd-analyzer found no object that it accepts".to_owned())
    }

    /// The number of errors in an object.
    fn count(&self, object: &Value) -> usize {
        let refusal = self.create(object).strict_refusal();
        refusal.map_or(0, |it| causes(&it).iter().filter(|it| !is_implied(it)).count().max(1))
    }

    /// A changed object with fewer errors, or with a different error.
    fn better(&self, object: &Value, best: usize) -> Option<(usize, Value)> {
        let refusal = self.create(object).strict_refusal()?;
        let wrong = causes(&refusal);
        let is_missing = |it: &Cause| it.reason == ErrorType::Required.reason();
        for cause in wrong.iter().filter(|it| !is_implied(it)) {
            let path = cause.path.as_ref().map(steps)?;
            let schema = path.iter().fold(self.schema, |schema, name| inner(schema, name));
            let mut tries: Vec<(Vec<String>, Option<Value>)> = candidates(schema)
                .into_iter()
                .map(|it| (path.clone(), Some(it)))
                .collect();
            for (name, below) in schema["properties"].as_object().into_iter().flatten() {
                let below_path: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
                tries.extend(
                    candidates(below)
                        .into_iter()
                        .take(4)
                        .map(|it| (below_path.clone(), Some(it))),
                );
                tries.push((below_path, None));
            }
            let (mut same, mut tried): (Option<(usize, Value)>, usize) = (None, 0);
            for (path, value) in tries {
                let Some(changed) = with(object, self.schema, &path, value).filter(|it| it != object) else {
                    continue;
                };
                tried += 1;
                let now = self.create(&changed).strict_refusal();
                let now = now.map(|it| causes(&it)).unwrap_or_default();
                let n = now.iter().filter(|it| !is_implied(it)).count();
                // Removing a required field does not help.
                let is_new = |it: &&Cause| is_missing(it) && !wrong.iter().any(|old| old.text == it.text);
                let leads_back = now.iter().filter(is_new).any(|it| cause.field.starts_with(&it.field));
                if n < best && !leads_back {
                    return Some((n, changed));
                }
                // Rules only run when everything else is valid, and an added field may require more fields: then as many errors may remain.
                let is_gone = !leads_back && !now.iter().any(|it| it.text == cause.text);
                let is_best = same.as_ref().is_none_or(|it| n < it.0);
                if is_gone && is_best && (n <= best || is_missing(cause)) {
                    same = Some((n, changed));
                }
                if tried > MOST_TRIES {
                    break;
                }
            }
            if same.is_some() {
                return same;
            }
        }
        None
    }

    /// The fields of the objects, parents first.
    pub(super) fn places(&self) -> Vec<ObjectField<'s>> {
        let mut found = Vec::new();
        let mut open = VecDeque::from([ObjectField {
            path: Vec::new(),
            schema: self.schema,
            is_required: false,
        }]);
        while let Some(place) = open.pop_front() {
            if found.len() >= MOST_PLACES {
                break;
            }
            let required = place.schema["required"].as_array();
            for (name, schema) in place.schema["properties"].as_object().into_iter().flatten() {
                let is_system = ["apiVersion", "kind", "metadata", "status"].contains(&name.as_str());
                if place.path.len() >= MOST_STEPS || (place.path.is_empty() && is_system) {
                    continue;
                }
                open.push_back(ObjectField {
                    path: place.path.iter().cloned().chain([name.clone()]).collect(),
                    schema,
                    is_required: required.is_some_and(|it| it.iter().any(|it| it == name)),
                });
            }
            found.push(place);
        }
        found
    }

    /// The rules at these fields.
    pub(super) fn rules(&self) -> Vec<Rule> {
        let mut found = Vec::new();
        for place in self.places() {
            let rules = place.schema["x-kubernetes-validations"].as_array();
            for (index, rule) in rules.into_iter().flatten().enumerate() {
                found.push(Rule {
                    path: place.path.clone(),
                    index,
                    text: rule["rule"].as_str().unwrap_or_default().to_owned(),
                    message: rule["message"].as_str().map(str::to_owned),
                });
            }
        }
        found
    }

    /// An object that violates a rule and, if possible, no other rule.
    pub(super) fn broken(&self, base: &Value, rule: &Rule) -> Option<Broken> {
        let schema = rule.path.iter().fold(self.schema, |schema, name| inner(schema, name));
        let values = self.variants(base, rule, schema);
        let is_transition = rule.text.contains("oldSelf");
        let mut second = None;
        let mut tries = 0;
        for (n, object) in values.iter().enumerate() {
            let before: Vec<Option<&Value>> = if is_transition {
                let others = values.iter().take(24).enumerate().filter(|it| it.0 != n);
                others.map(|it| Some(it.1)).collect()
            } else {
                vec![None]
            };
            for from in before {
                tries += 1;
                if tries > MOST_TRIES {
                    return second;
                }
                let answer = match from {
                    None => self.create(object),
                    Some(from) => {
                        if self.count(from) > 0 {
                            continue;
                        }
                        self.update(from, object)?
                    }
                };
                let Some(refusal) = answer.strict_refusal() else {
                    continue;
                };
                let found = causes(&refusal);
                let schema_path: Vec<&str> = rule.path.iter().map(String::as_str).collect();
                let is_this = |it: &Cause| {
                    let decider = it.decider.as_deref().unwrap_or_default();
                    decider.ends_with(&rule.decider()) && is_at(decider, &schema_path)
                };
                if !found.iter().any(is_this) {
                    continue;
                }
                let broken = Broken {
                    from: from.cloned(),
                    object: object.clone(),
                    answer,
                };
                if found.len() == 1 {
                    return Some(broken);
                }
                second.get_or_insert(broken);
            }
        }
        second
    }

    /// Objects that differ at or directly below the field of a rule: in one value, then in two.
    fn variants(&self, base: &Value, rule: &Rule, schema: &Value) -> Vec<Value> {
        let set = |object: &Value, path: &[String], value: Option<Value>| with(object, self.schema, path, value);
        let base = if rule.path.is_empty() || at(base, &rule.path).is_some() {
            base.clone()
        } else {
            set(base, &rule.path, Some(smallest(schema, MOST_STEPS))).unwrap_or_else(|| base.clone())
        };
        let mut places: Vec<(Vec<String>, Vec<Value>)> = Vec::new();
        if !rule.path.is_empty() {
            places.push((rule.path.clone(), candidates_of(schema, &rule.text)));
        }
        for (name, below) in schema["properties"].as_object().into_iter().flatten() {
            let is_system = rule.path.is_empty() && ["apiVersion", "kind", "metadata"].contains(&name.as_str());
            // A rule names the fields that it reads.
            if !is_system && rule.text.contains(name.as_str()) {
                let path: Vec<String> = rule.path.iter().cloned().chain([name.clone()]).collect();
                places.push((path, candidates_of(below, &rule.text)));
            }
        }
        let mut found = vec![base.clone()];
        for (path, values) in &places {
            found.extend(set(&base, path, None));
            found.extend(values.iter().filter_map(|it| set(&base, path, Some(it.clone()))));
        }
        for (n, (first, of_first)) in places.iter().enumerate() {
            for (second, of_second) in &places[n + 1..] {
                for value in of_first.iter().take(6) {
                    let Some(one) = set(&base, first, Some(value.clone())) else {
                        continue;
                    };
                    found.extend(set(&one, second, None));
                    let all = of_second.iter().take(6);
                    found.extend(all.filter_map(|it| set(&one, second, Some(it.clone()))));
                }
            }
        }
        found
    }
}

/// Whether a CRD path leads to the schema of a field.
fn is_at(decider: &str, place: &[&str]) -> bool {
    let schema = decider.rsplit_once("openAPIV3Schema").map_or(decider, |it| it.1);
    let properties = place
        .iter()
        .fold(String::new(), |out, it| out + ".properties[" + it + "]");
    schema.starts_with(&format!("{properties}.x-kubernetes-validations"))
}

fn steps(path: &Path) -> Vec<String> {
    let step = |it: &Segment| match it {
        Segment::Field(name) | Segment::Key(name) => name.clone(),
        Segment::Index(index) => index.to_string(),
    };
    path.segments().iter().map(step).collect()
}
