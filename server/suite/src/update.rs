//! Updates a suite: replaces expected results with the actual ones.

use std::collections::BTreeMap;

use crd_analyzer_syntax::json::Json;
use serde_json::{Map, Value, json};

use crate::{
    errors::Cause,
    model::{At, Body, Case, Cause as Pattern, Own, Rejected, Suite},
    rewrite::{self, Edit},
    run::{
        Came, Outcome,
        own::{causes, is_implied, matched, refusal_for},
    },
    server::Answer,
};

/// The edits of a suite, and the tests that cannot be updated.
#[derive(Debug, Default)]
pub struct Updates {
    /// The edits to the suite's text.
    pub edits: Vec<Edit>,
    /// The indices of the changed tests.
    pub changed: Vec<usize>,
    /// The indices of failing tests that stay unchanged, each with the reason.
    pub left: Vec<(usize, String)>,
}

/// Makes each failed test expect the actual result. `outcomes` has the outcomes for all variants of the CRD.
pub fn edits<'o>(suite: &Suite, outcomes: impl IntoIterator<Item = &'o Outcome>) -> Updates {
    let mut by_case: BTreeMap<usize, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        by_case.entry(outcome.case).or_default().push(outcome);
    }
    let mut updates = Updates::default();
    for (n, outcomes) in by_case {
        if outcomes.iter().all(|it| it.is_passed()) {
            continue;
        }
        match of_case(suite, &suite.cases[n], &outcomes) {
            Ok(edits) => {
                updates.edits.extend(edits);
                updates.changed.push(n);
            }
            Err(why) => updates.left.push((n, why)),
        }
    }
    updates
}

fn of_case(suite: &Suite, case: &Case, outcomes: &[&Outcome]) -> Result<Vec<Edit>, String> {
    let tree = &suite.tree;
    let doc = crd_analyzer_syntax::read_json_of(tree, case.node).map_err(|it| it.message)?;
    let before = doc.root().map_or(Value::Null, Json::to_value);
    let setup = outcomes
        .iter()
        .flat_map(|it| &it.failures)
        .find(|it| it.failure.is_setup);
    if let Some(setup) = setup {
        return Err(setup.failure.message.clone());
    }
    let mut target: Option<Value> = None;
    for (_, came) in outcomes.iter().flat_map(|it| &it.came) {
        let wanted = match (&case.body, came) {
            (Body::Own(own), Came::Own(answer)) => of_own(&before, own, answer),
            (Body::Create(_) | Body::Update(_), came) => of_openshift(&before, came)?,
            (Body::Own(_) | Body::Unreadable(_), _) => return Err("the test has no result".to_owned()),
        };
        match &target {
            Some(other) if *other != wanted => {
                return Err(
                    "the Kubernetes versions, or the variants of the CRD, give different answers: write a test for each"
                        .to_owned(),
                );
            }
            _ => target = Some(wanted),
        }
    }
    let mut edits = Vec::new();
    if let Some(target) = target {
        rewrite::rewrite(tree, case.node, &target, &mut edits);
    }
    Ok(edits)
}

/// The test with an `expect` that matches this answer. Keeps the parts of the old `expect` that are correct.
fn of_own(before: &Value, own: &Own, answer: &Answer) -> Value {
    let mut test = before.clone();
    let expect = own.expect.as_ref();
    let written = before.get("expect").filter(|it| it.is_object());
    let mut new: Map<String, Value> = written.and_then(Value::as_object).cloned().unwrap_or_default();
    let refusal = refusal_for(expect, answer);
    if let Some(refusal) = &refusal {
        for gone in ["stored", "defaulted", "pruned"] {
            new.remove(gone);
        }
        let rejected = expect.and_then(|it| it.rejected.as_ref());
        let got = causes(refusal);
        let old = written.and_then(|it| it.get("rejected"));
        let is_met = match rejected.map(|it| &it.value) {
            Some(Rejected::Somehow) => true,
            Some(Rejected::Saying(text)) => refusal.message.contains(text),
            Some(Rejected::By(patterns)) => {
                let (unmet, free) = matched(patterns, &got);
                unmet.is_empty() && free.iter().all(|it| is_implied(&got[*it]))
            }
            None => false,
        };
        if is_met && old.is_none() {
            return test;
        }
        if !is_met {
            let items = match rejected.map(|it| &it.value) {
                Some(Rejected::By(patterns)) => renewed(patterns, old, &got),
                _ => got
                    .iter()
                    .filter(|it| !is_implied(it))
                    .map(Cause::expectation)
                    .collect(),
            };
            new.insert("rejected".to_owned(), Value::Array(items));
        }
    } else {
        new.remove("rejected");
        if new.contains_key("pruned") {
            new.insert("pruned".to_owned(), json!(answer.pruned));
        }
        if new.contains_key("defaulted") {
            let defaulted: Map<String, Value> = answer.defaulted.iter().cloned().collect();
            new.insert("defaulted".to_owned(), Value::Object(defaulted));
        }
        if let Some(stored) = new.get_mut("stored") {
            let got = answer.stored.clone().map_or(Value::Null, Value::Object);
            let mut got = crate::equal::comparable(&got, stored);
            // Do not add the fields that tests may leave out.
            for name in ["apiVersion", "kind"] {
                if stored.get(name).is_none()
                    && let Value::Object(got) = &mut got
                {
                    got.remove(name);
                }
            }
            *stored = got;
        }
    }
    if new.contains_key("warnings") {
        new.insert("warnings".to_owned(), json!(answer.warnings));
    }
    test["expect"] = match (new.is_empty(), refusal.is_some()) {
        (true, _) => accepted(answer),
        (false, _) => Value::Object(new),
    };
    test
}

/// The expectation for an accepted object, if the test had no expectation yet.
fn accepted(answer: &Answer) -> Value {
    if answer.strict.is_empty() {
        json!("accepted")
    } else {
        json!({"pruned": answer.pruned})
    }
}

/// The new items of `rejected`. Items that match a cause stay. Other items become a cause at the same field, otherwise some other cause.
fn renewed(patterns: &[At<Pattern>], written: Option<&Value>, got: &[Cause]) -> Vec<Value> {
    let (unmet, free) = matched(patterns, got);
    let mut free: Vec<&Cause> = free.iter().map(|it| &got[*it]).filter(|it| !is_implied(it)).collect();
    let old = written.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut items: Vec<Option<Value>> = old.iter().cloned().map(Some).collect();
    items.resize(patterns.len(), None);
    let mut later = Vec::new();
    for n in unmet {
        let wanted = &patterns[n].value;
        let same_field = free.iter().position(|it| wanted.field.as_ref() == Some(&it.field));
        match same_field {
            Some(at) => items[n] = Some(like(items[n].as_ref(), free.remove(at))),
            None => later.push(n),
        }
    }
    for n in later {
        items[n] = (!free.is_empty()).then(|| like(items[n].as_ref(), free.remove(0)));
    }
    let added = free.into_iter().map(Cause::expectation);
    items.into_iter().flatten().chain(added).collect()
}

/// An item for another cause, which is as detailed as the old item.
fn like(old: Option<&Value>, new: &Cause) -> Value {
    match old {
        Some(Value::Object(old)) if !new.reason.is_empty() => {
            let part = |key: &String| match key.as_str() {
                "type" => new.words,
                "field" => &new.field,
                _ => &new.detail,
            };
            Value::Object(old.keys().map(|key| (key.clone(), json!(part(key)))).collect())
        }
        Some(Value::String(_)) => json!(new.text),
        _ => new.expectation(),
    }
}

/// A test in openshift/api's format that expects the actual result.
fn of_openshift(before: &Value, came: &Came) -> Result<Value, String> {
    let mut test = before.clone();
    let Value::Object(object) = &mut test else {
        return Err("the test is not a mapping".to_owned());
    };
    let (keep, value) = match came {
        Came::Refused { causes, .. } => ("expectedError", causes.clone()),
        Came::StatusRefused { causes, .. } => ("expectedStatusError", causes.clone()),
        Came::Stored(stored) => {
            let old = ["expected", "updated", "initial"]
                .iter()
                .find_map(|it| object.get(*it)?.as_str());
            let text = old
                .map(|it| rewrite::text_as(it, stored))
                .transpose()
                .map_err(|it| it.message)?;
            ("expected", text.unwrap_or_default())
        }
        Came::Own(_) | Came::Nothing => return Err("the test did not get that far".to_owned()),
    };
    for name in ["expected", "expectedError", "expectedStatusError"] {
        if name != keep {
            object.remove(name);
        }
    }
    // Keep the old message if it still matches.
    let holds = match (came, object.get(keep)) {
        (Came::Refused { message, .. } | Came::StatusRefused { message, .. }, Some(Value::String(old))) => {
            !old.is_empty() && message.contains(old.as_str())
        }
        _ => false,
    };
    if !holds {
        object.insert(keep.to_owned(), Value::String(value));
    }
    Ok(test)
}
