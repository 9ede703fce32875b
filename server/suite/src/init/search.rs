//! Searches for a valid object and, for each rule, for an object that violates the rule.

use std::{cell::OnceCell, collections::VecDeque};

use crd_analyzer_compat::{Example, Objects, RuleExamples, Subject, examples_of_rule};
use crd_analyzer_schema::field::{ErrorType, Path, Segment};
use serde_json::{Map, Value, json};

use super::values::{at, candidates, candidates_of, inner, smallest, with};
use crate::{
    definition::Found,
    errors::Cause,
    rules::RULES,
    run::own::{causes, is_implied},
    server::{Answer, Server, subject},
    touched::below_schema,
};

/// The maximum number of fields to visit. A first suite does not need more.
const MOST_PLACES: usize = 400;
/// The maximum depth of a field.
const MOST_STEPS: usize = 6;
/// The maximum depth of a schema with a rule.
const MOST_DEPTH: usize = 100;
/// The maximum number of changes for turning an object into a valid one.
const MOST_REPAIRS: usize = 40;
/// The maximum number of fields to change that a rule does not name.
const MOST_ELSEWHERE: usize = 20;
/// The maximum number of requests to try for one rule.
const MOST_TRIES: usize = 600;

/// A field of the objects, or all items of a list or values of a map, with its schema.
#[derive(Clone)]
pub(super) struct ObjectField<'s> {
    /// The path of one value. It goes through the first item of a list, and through the key [`KEY`] of a map.
    pub(super) path: Vec<String>,
    /// The path as it is shown to the user, for example `spec.hosts[*].name`.
    pub(super) shown: String,
    /// The path relative to the schema of the version.
    schema_path: String,
    /// The same path as a JSON Pointer.
    pointer: String,
    pub(super) schema: &'s Value,
    pub(super) is_required: bool,
}

impl<'s> ObjectField<'s> {
    fn root(schema: &'s Value) -> Self {
        Self {
            path: Vec::new(),
            shown: String::new(),
            schema_path: String::new(),
            pointer: String::new(),
            schema,
            is_required: false,
        }
    }

    /// The fields, items or values directly below this one.
    fn below(&self) -> impl Iterator<Item = Self> {
        let required = self.schema["required"].as_array();
        let properties = self.schema["properties"].as_object().into_iter().flatten();
        let fields = properties.map(move |(name, schema)| Self {
            is_required: required.is_some_and(|it| it.iter().any(|it| it == name)),
            ..self.child(
                name,
                if self.shown.is_empty() {
                    name.clone()
                } else {
                    format!("{}.{name}", self.shown)
                },
                &format!("properties[{name}]"),
                &format!("/properties/{}", name.replace('~', "~0").replace('/', "~1")),
                schema,
            )
        });
        let others = [("items", FIRST), ("additionalProperties", KEY)].into_iter();
        let others = others
            .filter(|it| self.schema[it.0].is_object())
            .map(|(keyword, step)| {
                let shown = format!("{}[*]", self.shown);
                self.child(step, shown, keyword, &format!("/{keyword}"), &self.schema[keyword])
            });
        fields.chain(others)
    }

    fn child(&self, step: &str, shown: String, keyword: &str, pointer: &str, schema: &'s Value) -> Self {
        Self {
            path: self.path.iter().cloned().chain([step.to_owned()]).collect(),
            shown,
            schema_path: joined(&self.schema_path, keyword),
            pointer: format!("{}{pointer}", self.pointer),
            schema,
            is_required: false,
        }
    }

    /// Whether the field is neither in a list nor in a map.
    pub(super) fn is_alone(&self) -> bool {
        !self.shown.contains("[*]")
    }

    /// The rules in the schema of the field.
    fn rules(&self) -> impl Iterator<Item = Rule> {
        let rules = self.schema[RULES].as_array().into_iter().flatten().enumerate();
        rules.map(|(index, rule)| Rule {
            path: self.path.clone(),
            shown: self.shown.clone(),
            schema_path: format!("{}[{index}]", joined(&self.schema_path, RULES)),
            rules: format!("{}/{RULES}", self.pointer),
            index,
            text: rule["rule"].as_str().unwrap_or_default().to_owned(),
            message: rule["message"].as_str().map(str::to_owned),
        })
    }
}

/// The path segment for the first item of a list.
const FIRST: &str = "0";
/// The key of a value that is added to a map.
const KEY: &str = "a";

fn joined(path: &str, keyword: &str) -> String {
    if path.is_empty() {
        keyword.to_owned()
    } else {
        format!("{path}.{keyword}")
    }
}

/// A validation rule.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// The path of one of the values that the rule validates.
    pub(super) path: Vec<String>,
    shown: String,
    /// The path of the rule, relative to the schema of the version.
    pub(super) schema_path: String,
    /// The JSON Pointer of the list that contains the rule, relative to the schema of the version. `index` is the position in this list.
    rules: String,
    index: usize,
    pub(super) text: String,
    message: Option<String>,
}

impl Rule {
    /// The name of the test for the rule.
    pub(super) fn name(&self) -> String {
        let said = self.message.as_ref().unwrap_or(&self.text);
        let said: Vec<&str> = said.split_whitespace().collect();
        format!("{}: {}", self.place(), said.join(" "))
    }

    pub(super) fn place(&self) -> &str {
        if self.shown.is_empty() {
            "the object"
        } else {
            &self.shown
        }
    }

    /// Whether the rule is a transition rule, which reads the old value.
    pub(super) fn is_transition(&self) -> bool {
        self.text.contains("oldSelf")
    }

    /// Whether the rule validates values in the status.
    pub(super) fn is_of_status(&self) -> bool {
        self.path.first().is_some_and(|it| it == STATUS)
    }

    /// Whether a path in the CRD is the path of this rule.
    pub(super) fn is_at(&self, path: &str) -> bool {
        below_schema(path) == Some(&self.schema_path)
    }
}

/// The field that the status subresource updates separately.
const STATUS: &str = "status";

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
    subject: OnceCell<Option<Subject>>,
}

impl<'s> Search<'s> {
    pub(super) fn new(server: &'s Server, definition: &'s Found, schema: &'s Value) -> Self {
        Self {
            server,
            definition,
            schema,
            subject: OnceCell::new(),
        }
    }

    /// The CRD in the form for the search through the whole schema, which takes longer.
    fn subject(&self) -> Option<&Subject> {
        let subject = self
            .subject
            .get_or_init(|| subject(&self.definition.value, self.server.kubernetes()));
        subject.as_ref()
    }

    /// Requests that show the effect of a rule, found by a search through the whole schema.
    pub(super) fn examples(&self, rule: &Rule) -> RuleExamples {
        let without = || {
            let mut without = self.definition.value.clone();
            let versions = without.pointer_mut("/spec/versions")?.as_array_mut()?;
            let version = versions.iter_mut().find(|it| it["name"] == self.definition.version())?;
            let schema = version.pointer_mut("/schema/openAPIV3Schema")?;
            let rules = schema.pointer_mut(&rule.rules)?.as_array_mut()?;
            (rule.index < rules.len()).then(|| rules.remove(rule.index))?;
            subject(&without, self.server.kubernetes())
        };
        let found = self.subject().zip(without());
        found.map_or_else(RuleExamples::default, |(with, without)| {
            examples_of_rule(with, &without, self.definition.version())
        })
    }

    /// The old and the new object of a request in the form of test files: without `apiVersion` and `kind`, and without metadata that the rule does
    /// not read.
    pub(super) fn contents(rule: &Rule, example: &Example) -> (Option<Value>, Value) {
        let content = |object: &Value| {
            let mut fields = object.as_object().cloned().unwrap_or_default();
            fields.retain(|name, _| match name.as_str() {
                "apiVersion" | "kind" => false,
                "metadata" => rule.text.contains("metadata"),
                _ => true,
            });
            Value::Object(fields)
        };
        (example.old.as_ref().map(content), content(&example.object))
    }

    /// The object as it is sent in a request, with `apiVersion`, `kind` and a name.
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

    /// Sends the request for trying a rule, and returns the answer: an update if `from` is given, which must be valid itself.
    pub(super) fn ask(&self, rule: &Rule, from: Option<&Value>, to: &Value) -> Option<Answer> {
        let Some(from) = from else {
            return Some(self.create(to));
        };
        let stored = self.server.get(self.whole(from).as_object()?).ok()?;
        if rule.is_of_status() {
            return Some(self.server.update_status(&stored, &self.whole(to)));
        }
        (self.count(from) == 0).then(|| self.server.update(&stored, &self.whole(to)))
    }

    /// The smallest object that the schema allows, apart from `spec`. Rules may reject it.
    pub(super) fn first(&self) -> Value {
        // A schema without a type allows any value, but a resource must be an object.
        let mut object = match smallest(self.schema, MOST_STEPS) {
            Value::Object(object) => Value::Object(object),
            _ => json!({}),
        };
        if let Value::Object(object) = &mut object {
            for name in ["apiVersion", "kind", "metadata", "status"] {
                object.remove(name);
            }
            // Start with `spec`, because it contains nearly all fields of most CRDs.
            if self.schema["properties"]["spec"].is_object() {
                let spec = &self.schema["properties"]["spec"];
                object.entry("spec").or_insert_with(|| smallest(spec, MOST_STEPS));
            }
        }
        object
    }

    /// A small valid object.
    pub(super) fn accepted(&self) -> Result<Value, String> {
        self.repaired().or_else(|why| {
            let version = self.definition.version();
            let found = self.subject().and_then(|it| Objects::of(it, version)?.smallest());
            let Some(Value::Object(mut fields)) = found else {
                return Err(why);
            };
            // Keep the name only if it differs from the name that every object gets.
            fields.retain(|name, value| match name.as_str() {
                "apiVersion" | "kind" => false,
                "metadata" => value["name"] != "example",
                _ => true,
            });
            let object = Value::Object(fields);
            if self.count(&object) == 0 { Ok(object) } else { Err(why) }
        })
    }

    /// The smallest object, changed until it is valid.
    fn repaired(&self) -> Result<Value, String> {
        let mut object = self.first();
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

    /// The number of errors that the API server reports for an object.
    fn count(&self, object: &Value) -> usize {
        let refusal = self.create(object).strict_refusal();
        refusal.map_or(0, |it| causes(&it).iter().filter(|it| !is_implied(it)).count().max(1))
    }

    /// A changed object with fewer errors, or with another error.
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
                // Removing a field does not help if the field is required.
                let is_new = |it: &&Cause| is_missing(it) && !wrong.iter().any(|old| old.text == it.text);
                let leads_back = now.iter().filter(is_new).any(|it| cause.field.starts_with(&it.field));
                if n < best && !leads_back {
                    return Some((n, changed));
                }
                // Rules are only evaluated when everything else is valid, and an added field may require more fields. So accept a change even if the
                // number of errors stays the same.
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

    /// The fields of the objects. Parents come before their children.
    pub(super) fn places(&self) -> Vec<ObjectField<'s>> {
        let mut found = Vec::new();
        let mut open = VecDeque::from([ObjectField::root(self.schema)]);
        while let Some(place) = open.pop_front() {
            if found.len() >= MOST_PLACES {
                break;
            }
            for below in place.below() {
                let is_system =
                    place.path.is_empty() && ["apiVersion", "kind", "metadata", STATUS].contains(&&*below.path[0]);
                if place.path.len() < MOST_STEPS && !is_system {
                    open.push_back(below);
                }
            }
            found.push(place);
        }
        found
    }

    /// The rules of the schemas of these fields.
    pub(super) fn rules(&self) -> Vec<Rule> {
        let places = self.places();
        places.iter().flat_map(ObjectField::rules).collect()
    }

    /// The rule at a path relative to the schema of the version.
    pub(super) fn rule(&self, schema_path: &str) -> Option<Rule> {
        let mut place = ObjectField::root(self.schema);
        for _ in 0..MOST_DEPTH {
            if let Some(found) = place.rules().find(|it| it.schema_path == schema_path) {
                return Some(found);
            }
            let is_above = |it: &ObjectField<'_>| {
                let rest = schema_path.strip_prefix(it.schema_path.as_str());
                rest.is_some_and(|it| it.starts_with('.'))
            };
            // A property name may contain brackets and dots, too, so take the longest name that matches.
            let below = place.below().filter(is_above);
            place = below.max_by_key(|it| it.schema_path.len())?;
        }
        None
    }

    /// An object that violates a rule. If possible, it violates no other rule.
    pub(super) fn broken(&self, base: &Value, rule: &Rule) -> Option<Broken> {
        let values = self.variants(base, rule);
        let mut second = None;
        let mut tries = 0;
        for (n, object) in values.iter().enumerate() {
            let before: Vec<Option<&Value>> = if rule.is_of_status() && !rule.is_transition() {
                vec![Some(base)]
            } else if rule.is_transition() {
                let others = values.iter().take(24).enumerate().filter(|it| it.0 != n);
                others.map(|it| Some(it.1)).collect()
            } else {
                vec![None]
            };
            for from in before {
                tries += 1;
                if tries > MOST_TRIES {
                    return self.demonstrated(rule).or(second);
                }
                let Some(answer) = self.ask(rule, from, object) else {
                    continue;
                };
                let Some(refusal) = answer.strict_refusal() else {
                    continue;
                };
                let found = causes(&refusal);
                let is_this = |it: &Cause| it.decider.as_deref().is_some_and(|it| rule.is_at(it));
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
        self.demonstrated(rule).or(second)
    }

    /// An object that violates only this rule, found by a search through the whole schema.
    fn demonstrated(&self, rule: &Rule) -> Option<Broken> {
        let (from, object) = Self::contents(rule, &self.examples(rule).rejected?);
        let answer = self.ask(rule, from.as_ref(), &object)?;
        let causes = causes(&answer.strict_refusal()?);
        let is_this = |it: &Cause| it.decider.as_deref().is_some_and(|it| rule.is_at(it));
        causes.iter().any(is_this).then_some(Broken { from, object, answer })
    }

    /// Objects that differ from `base` at a field that a rule does not name.
    pub(super) fn elsewhere(&self, base: &Value, rule: &Rule) -> Vec<Value> {
        let places = self.places().into_iter();
        let is_other = |it: &ObjectField<'_>| {
            let is_leaf = !it.schema["properties"].is_object();
            is_leaf && it.is_alone() && it.path.last().is_some_and(|it| !rule.text.contains(it.as_str()))
        };
        let found = places.filter(is_other).take(MOST_ELSEWHERE).flat_map(|place| {
            let values = candidates(place.schema).into_iter().take(4);
            values
                .filter_map(|it| with(base, self.schema, &place.path, Some(it)))
                .collect::<Vec<_>>()
        });
        found.filter(|it| it != base).collect()
    }

    /// Objects that differ from `base` at the field of a rule or directly below it. First one value differs, then two.
    pub(super) fn variants(&self, base: &Value, rule: &Rule) -> Vec<Value> {
        let schema = rule.path.iter().fold(self.schema, |schema, name| inner(schema, name));
        let set = |object: &Value, path: &[String], value: Option<Value>| with(object, self.schema, path, value);
        let base = if rule.path.is_empty() || at(base, &rule.path).is_some() {
            base.clone()
        } else {
            set(base, &rule.path, Some(smallest(schema, MOST_STEPS))).unwrap_or_else(|| base.clone())
        };
        let mut places: Vec<(Vec<String>, Vec<Value>)> = Vec::new();
        for (name, below) in schema["properties"].as_object().into_iter().flatten() {
            let is_system = rule.path.is_empty() && ["apiVersion", "kind", "metadata"].contains(&name.as_str());
            // Change only fields that the rule names.
            if !is_system && rule.text.contains(name.as_str()) {
                let path: Vec<String> = rule.path.iter().cloned().chain([name.clone()]).collect();
                places.push((path, candidates_of(below, &rule.text)));
            }
        }
        // Another value changes more than one field does, so it comes last.
        if !rule.path.is_empty() {
            places.push((rule.path.clone(), candidates_of(schema, &rule.text)));
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

fn steps(path: &Path) -> Vec<String> {
    let step = |it: &Segment| match it {
        Segment::Field(name) | Segment::Key(name) => name.clone(),
        Segment::Index(index) => index.to_string(),
    };
    path.segments().iter().map(step).collect()
}
