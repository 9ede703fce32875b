//! Removes the documents, fields and items of a reproduction that the diagnostic does not need.

use std::collections::{BTreeSet, VecDeque};

use crd_analyzer_syntax::paths::Step;
use serde_json::Value;

use super::{Reproduction, Trial, is_crd};

/// The maximum number of rounds. Removing one part can make others unnecessary, so each round tries everything again.
const MOST_ROUNDS: usize = 4;

/// Removes everything that the diagnostic does not need.
pub(super) fn reduce(of: &mut Reproduction, trial: &mut Trial) {
    for _ in 0..MOST_ROUNDS {
        let before = size(of);
        documents(of, trial);
        for document in 0..of.documents.len() {
            children(of, document, trial);
        }
        if size(of) == before {
            return;
        }
    }
}

/// Makes large CRDs small in a few steps. It removes descriptions, and all properties that the diagnostic cannot be about.
pub(super) fn focus(of: &mut Reproduction, trial: &mut Trial) {
    let document = &of.documents[of.target.document];
    let mut about: BTreeSet<String> = of.target.path.iter().filter_map(key).collect();
    about.extend(trial.words.iter().cloned());
    if !is_crd(document) {
        keys(document, &mut about);
    }
    let mut with_rules = about.clone();
    of.documents.iter().for_each(|it| words_of_rules(it, &mut with_rules));
    for change in [
        &mut without_descriptions as &mut dyn FnMut(&mut Value),
        &mut |schema| only_about(schema, &about, false),
        &mut |schema| only_about(schema, &with_rules, true),
    ] {
        let mut new = of.clone();
        new.documents.iter_mut().filter(|it| is_crd(it)).for_each(change);
        if new.documents != of.documents && keeps_positions(&new) && trial.holds(&new) {
            *of = new;
        }
    }
}

fn key(step: &Step<'_>) -> Option<String> {
    match step {
        Step::Key(key) => Some(key.clone().into_owned()),
        Step::Index(_) => None,
    }
}

/// Whether removing items of `required` leaves all indices in the diagnostic's path unchanged.
fn keeps_positions(of: &Reproduction) -> bool {
    let document = &of.documents[of.target.document];
    !is_crd(document)
        || of
            .target
            .path
            .iter()
            .all(|it| !matches!(it, Step::Key(key) if key == "required"))
}

/// All keys in a value.
fn keys(value: &Value, all: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                all.insert(key.clone());
                keys(value, all);
            }
        }
        Value::Array(items) => items.iter().for_each(|it| keys(it, all)),
        _ => {}
    }
}

/// The words in the rules of a schema, which may name properties.
fn words_of_rules(value: &Value, all: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(text)
                        if ["rule", "messageExpression", "fieldPath", "jsonPath"].contains(&key.as_str()) =>
                    {
                        let words = text.split(|it: char| !it.is_alphanumeric() && it != '_' && it != '-');
                        all.extend(words.map(str::to_owned));
                    }
                    value => words_of_rules(value, all),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|it| words_of_rules(it, all)),
        _ => {}
    }
}

fn without_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.retain(|key, value| key != "description" || !value.is_string());
            object.values_mut().for_each(without_descriptions);
        }
        Value::Array(items) => items.iter_mut().for_each(without_descriptions),
        _ => {}
    }
}

/// Removes the properties that are not in `names`, and their entries in `required`. Removes the rules as well, unless `has_rules`.
fn only_about(schema: &mut Value, names: &BTreeSet<String>, has_rules: bool) {
    match schema {
        Value::Object(object) => {
            if !has_rules && object.get("x-kubernetes-validations").is_some_and(Value::is_array) {
                object.remove("x-kubernetes-validations");
            }
            if let Some(Value::Object(properties)) = object.get_mut("properties") {
                properties.retain(|name, _| names.contains(name));
            }
            if let Some(Value::Array(required)) = object.get_mut("required") {
                required.retain(|it| it.as_str().is_none_or(|it| names.contains(it)));
                if required.is_empty() {
                    object.remove("required");
                }
            }
            object.values_mut().for_each(|it| only_about(it, names, has_rules));
        }
        Value::Array(items) => items.iter_mut().for_each(|it| only_about(it, names, has_rules)),
        _ => {}
    }
}

fn size(of: &Reproduction) -> usize {
    of.text().len()
}

fn documents(of: &mut Reproduction, trial: &mut Trial) {
    let mut document = of.documents.len();
    while document > 0 {
        document -= 1;
        if document == of.target.document {
            continue;
        }
        let mut without = of.clone();
        without.documents.remove(document);
        if document < without.target.document {
            without.target.document -= 1;
        }
        if trial.holds(&without) {
            *of = without;
        }
    }
}

/// Tries to remove children of all collections of a document. It starts with the outer ones, so that most of a large document is removed in a few
/// steps.
fn children(of: &mut Reproduction, document: usize, trial: &mut Trial) {
    let mut waiting: VecDeque<Vec<Step<'static>>> = VecDeque::from([Vec::new()]);
    while let Some(path) = waiting.pop_front() {
        let Some(count) = at(&of.documents[document], &path).map(|it| steps(it).len()) else {
            continue;
        };
        let mut chunk = count;
        while chunk > 0 {
            let mut first = 0;
            loop {
                let all = at(&of.documents[document], &path).map(steps).unwrap_or_default();
                if first >= all.len() {
                    break;
                }
                let some = &all[first..(first + chunk).min(all.len())];
                let without = without(of, document, &path, some);
                if let Some(without) = without.filter(|it| trial.holds(it)) {
                    *of = without;
                } else {
                    first += chunk;
                }
            }
            chunk /= 2;
        }
        for step in at(&of.documents[document], &path).map(steps).unwrap_or_default() {
            waiting.push_back([path.as_slice(), &[step]].concat());
        }
    }
}

/// The steps to the children of a collection.
fn steps(value: &Value) -> Vec<Step<'static>> {
    match value {
        Value::Object(object) => object.keys().map(|it| Step::key(it.clone())).collect(),
        Value::Array(items) => (0..items.len()).map(Step::Index).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn at<'v>(value: &'v Value, path: &[Step<'_>]) -> Option<&'v Value> {
    path.iter().try_fold(value, |it, step| match step {
        Step::Key(key) => it.get(&**key),
        Step::Index(index) => it.get(index),
    })
}

fn at_mut<'v>(value: &'v mut Value, path: &[Step<'_>]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |it, step| match step {
        Step::Key(key) => it.get_mut(&**key),
        Step::Index(index) => it.get_mut(index),
    })
}

/// A copy without some of the children of a collection. `None` if nothing would be removed because the diagnostic is inside them.
fn without(of: &Reproduction, document: usize, path: &[Step<'static>], some: &[Step<'static>]) -> Option<Reproduction> {
    let mut new = of.clone();
    let is_around = document == of.target.document && of.target.path.starts_with(path);
    let of_target = of.target.path.get(path.len()).filter(|_| is_around);
    // Keep `apiVersion` and `kind`. Without them, the document would be a different test case, even if it had the same diagnostic.
    let is_head = |it: &Step<'_>| path.is_empty() && [Step::key("apiVersion"), Step::key("kind")].contains(it);
    let gone = some.iter().filter(|it| Some(*it) != of_target && !is_head(it));
    let gone: Vec<&Step<'static>> = gone.collect();
    if gone.is_empty() {
        return None;
    }
    let collection = at_mut(&mut new.documents[document], path)?;
    let mut before = 0;
    // Remove items from the end, so that the indices of the others stay the same.
    for step in gone.iter().rev() {
        match (&mut *collection, step) {
            (Value::Object(object), Step::Key(key)) => drop(object.remove(&**key)),
            (Value::Array(items), Step::Index(index)) => {
                items.remove(*index);
                before += usize::from(matches!(of_target, Some(Step::Index(target)) if index < target));
            }
            _ => return None,
        }
    }
    if let Some(Step::Index(target)) = new.target.path.get_mut(path.len()).filter(|_| is_around) {
        *target -= before;
    }
    Some(new)
}
