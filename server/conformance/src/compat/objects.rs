//! Compares the results of `compat --objects` with the API server's own code, for objects of the corpus and random ones, with both CRDs of
//! a pair.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use crd_analyzer_compat::{Fate, Happening, NotStored, fate_of};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::json::Json;
use crd_analyzer_syntax::read_json;
use crd_analyzer_syntax::split::{read_document, split};
use fastrand::Rng;
use serde_json::Value;

use super::replay::{Answers, ask, request, without_metadata};
use super::{Args, BATCH, Pair, subject};
use crate::peers;
use crate::resources::{self, generate::Definition};

/// The API server's answer if the status subresource is not enabled.
const NO_SUBRESOURCE: &str = "the server could not find the requested resource";

/// The objects of the corpus, by `apiVersion` and kind.
type Known = BTreeMap<(String, String), Vec<Value>>;

/// The counts of the comparison.
#[derive(Default)]
struct Tally {
    objects: usize,
    /// The number of objects that OLD rejects.
    not_stored: usize,
    /// The number of CRDs that the API server rejects.
    refused_crds: usize,
    by_fate: BTreeMap<&'static str, usize>,
    different: usize,
}

/// An object to try with a pair of CRDs.
struct Tried<'p> {
    pair: &'p Pair,
    object: Value,
    ours: Result<Vec<Happening>, NotStored>,
}

impl Tried<'_> {
    fn fates(&self) -> Result<BTreeSet<&'static str>, &NotStored> {
        let happenings = self.ours.as_ref()?;
        Ok(happenings.iter().map(|it| class(it.fate)).collect())
    }
}

/// The API server's treatment of an object.
#[derive(Debug)]
enum Theirs {
    /// The API server rejects one of the CRDs.
    NoCrd,
    /// OLD rejects the object.
    NotStored,
    /// The effects on the object.
    Happens(BTreeSet<&'static str>),
}

pub(super) fn run(args: &Args, minor: u8, pairs: &[Pair], rng: &mut Rng) -> anyhow::Result<bool> {
    let oracle = peers::oracle(minor)?;
    let known = known()?;
    let mut tally = Tally::default();
    for batch in pairs.chunks(BATCH) {
        check(args, (&oracle, minor), batch, &known, rng, &mut tally)?;
    }
    println!(
        "1.{minor}: {} pairs, {} objects, {} refused by OLD, {} of CRDs that are refused; {:?}; {} differ",
        pairs.len(),
        tally.objects,
        tally.not_stored,
        tally.refused_crds,
        tally.by_fate,
        tally.different
    );
    Ok(tally.different == 0)
}

fn known() -> anyhow::Result<Known> {
    let corpus = peers::corpus()?;
    let mut known = Known::new();
    for (_, name) in resources::pairs(&corpus)? {
        let text: Arc<str> = std::fs::read_to_string(corpus.join(name))?.into();
        for document in split(&text).documents {
            let Ok(tree) = read_document(&text, document, &[]) else {
                continue;
            };
            let value = read_json(&tree).ok().and_then(|it| it.root().map(Json::to_value));
            let Some(value) = value else { continue };
            let part = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
            known
                .entry((part("apiVersion"), part("kind")))
                .or_default()
                .push(value.clone());
        }
    }
    Ok(known)
}

fn check(
    args: &Args,
    (oracle, minor): (&Path, u8),
    pairs: &[Pair],
    known: &Known,
    rng: &mut Rng,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let version = KubernetesVersion::minor(minor);
    let mut tried = Vec::new();
    for pair in pairs {
        let (Some(old), Some(new)) = (subject(&pair.old, version), subject(&pair.new, version)) else {
            continue;
        };
        let Some(definition) = Definition::read(&pair.old) else {
            continue;
        };
        let key = definition.type_of();
        let mut objects: Vec<Value> = known.get(&key).into_iter().flatten().take(20).cloned().collect();
        objects.extend((0..args.tries).map(|_| definition.instance(rng)));
        for mut object in objects {
            if !object["metadata"].is_object() {
                continue;
            }
            if let Value::Object(metadata) = &mut object["metadata"] {
                metadata.retain(|name, _| ["name", "namespace", "labels", "annotations"].contains(&name.as_str()));
            }
            let ours = fate_of(&old, Some(&new), &object);
            tried.push(Tried { pair, object, ours });
        }
    }
    tally.objects += tried.len();
    let theirs = Replayed::of(oracle, &tried)?;
    for (n, it) in tried.iter().enumerate() {
        let theirs = theirs.answer(n, &it.object);
        let is_same = match (it.fates(), &theirs) {
            (_, Theirs::NoCrd) => {
                tally.refused_crds += 1;
                true
            }
            (Ok(ours), Theirs::Happens(theirs)) => {
                for word in theirs {
                    *tally.by_fate.entry(word).or_default() += 1;
                }
                ours == *theirs
            }
            (Err(NotStored::Refused(_) | NotStored::Unserved(_)), Theirs::NotStored) => {
                tally.not_stored += 1;
                true
            }
            _ => false,
        };
        if !is_same {
            tally.different += 1;
            if tally.different <= args.printed.show {
                println!(
                    "1.{minor} {}: {:?}, but the API server: {theirs:?}: {}",
                    it.pair.id, it.ours, it.object
                );
            }
        }
    }
    Ok(())
}

const fn class(fate: Fate) -> &'static str {
    match fate {
        Fate::Refused | Fate::Unserved => "refused",
        Fate::Pruned => "pruned",
        Fate::Tolerated => "tolerated",
        Fate::Defaulted => "defaulted",
    }
}

/// The oracle's answers for all objects.
struct Replayed {
    before: Answers,
    stored: BTreeMap<usize, Value>,
    after: Answers,
}

impl Replayed {
    fn of(oracle: &Path, tried: &[Tried<'_>]) -> anyhow::Result<Self> {
        let mut asked = Vec::new();
        for (n, it) in tried.iter().enumerate() {
            let object = &it.object;
            asked.push(request(&format!("{n} create"), &it.pair.old, object, None, false));
            if object.get("status").is_some() {
                let old = without_status(object);
                asked.push(request(&format!("{n} status"), &it.pair.old, object, Some(&old), true));
            }
        }
        let before = ask(oracle, &asked)?;
        let mut stored = BTreeMap::new();
        let mut asked = Vec::new();
        for (n, it) in tried.iter().enumerate() {
            let Some(mut object) = kept(&before, n) else { continue };
            object["metadata"] = it.object["metadata"].clone();
            for (side, crd) in [("old", &it.pair.old), ("new", &it.pair.new)] {
                let name = |what: &str| format!("{n} {side} {what}");
                asked.push(request(&name("same"), crd, &object, Some(&object), false));
                asked.push(request(&name("create"), crd, &object, None, false));
                asked.push(request(&name("sent"), crd, &it.object, None, false));
                if object.get("status").is_some() {
                    let old = without_status(&object);
                    asked.push(request(&name("same status"), crd, &object, Some(&object), true));
                    asked.push(request(&name("status"), crd, &object, Some(&old), true));
                }
            }
            stored.insert(n, object);
        }
        Ok(Self {
            before,
            stored,
            after: ask(oracle, &asked)?,
        })
    }

    /// The API server's treatment of an object.
    fn answer(&self, n: usize, sent: &Value) -> Theirs {
        let first = self.before.get(&format!("{n} create"));
        if first.is_none_or(|it| it["crd_accepted"] == false) {
            return Theirs::NoCrd;
        }
        let Some(stored) = self.stored.get(&n) else {
            return Theirs::NotStored;
        };
        let get = |side: &str, what: &str| self.after.get(&format!("{n} {side} {what}"));
        let Some(same) = get("new", "same").filter(|it| it["crd_accepted"] != false || !it["decode_error"].is_null())
        else {
            return Theirs::NoCrd;
        };
        let errors = |side: &str, what: &str| get(side, what).map(errors_of).unwrap_or_default();
        let refusals = |side: &str| -> BTreeSet<String> {
            let asked = ["same", "same status"].into_iter();
            asked.flat_map(|what| errors(side, what)).collect()
        };
        if !same["decode_error"].is_null() {
            return Theirs::Happens(BTreeSet::from(["refused"]));
        }
        // Errors that also occur with OLD are not changes. An example is an error in a status that only a default creates.
        let is_refused = refusals("new").difference(&refusals("old")).next().is_some();
        let mut found = BTreeSet::new();
        let read = |side: &str| without_metadata(get(side, "same"));
        let gone = dropped(&without_own_metadata(stored), &read("new"));
        if is_refused {
            found.insert("refused");
        }
        if !gone.is_empty() {
            found.insert("pruned");
        }
        if added(&without_own_metadata(stored), &read("new")) {
            found.insert("defaulted");
        }
        if is_accepted(Some(same)) {
            // If the status is rejected, the object is not tolerated.
            let is_status_kept = get("new", "same status").is_none_or(|it| is_accepted(Some(it)));
            let asked: &[&str] = if is_status_kept {
                &["create", "status"]
            } else {
                &["create"]
            };
            let new: BTreeSet<_> = asked.iter().flat_map(|it| errors("new", it)).collect();
            let old: BTreeSet<_> = ["create", "status"].iter().flat_map(|it| errors("old", it)).collect();
            if new.difference(&old).next().is_some() {
                found.insert("tolerated");
            }
        }
        if !is_refused {
            let (before, after) = (
                without_metadata(get("old", "sent")),
                without_metadata(get("new", "sent")),
            );
            let filled_in = dropped(&read("new"), &without_own_metadata(stored));
            let is_known = |it: &String| {
                let mut known = gone.iter().chain(&filled_in);
                known.any(|known| it.starts_with(known.as_str()) || known.starts_with(it.as_str()))
            };
            let mut others = dropped(&before, &after);
            others.extend(dropped(&after, &before));
            // Values in the object itself are not defaults.
            others.retain(|it| sent.pointer(it).is_none());
            if before.is_object() && after.is_object() && !others.iter().all(is_known) {
                found.insert("defaulted");
            }
        }
        Theirs::Happens(found)
    }
}

/// The object as stored with OLD, if OLD accepts it.
fn kept(before: &Answers, n: usize) -> Option<Value> {
    let get = |what: &str| before.get(&format!("{n} {what}"));
    let is_status_accepted = get("status").is_none_or(|it| is_accepted(Some(it)));
    let created = get("create").filter(|it| it["accepted"] == true && is_status_accepted)?;
    Some(created["object"].clone())
}

fn is_accepted(answer: Option<&Value>) -> bool {
    answer.is_some_and(|it| it["accepted"] == true || it["other_error"] == NO_SUBRESOURCE)
}

fn errors_of(answer: &Value) -> BTreeSet<String> {
    if answer["other_error"] == NO_SUBRESOURCE {
        return BTreeSet::new();
    }
    let errors = answer["errors"].as_array().into_iter().flatten();
    // The error about unchecked rules is ignored, because it follows from other errors.
    let is_cause = |it: &&Value| {
        !it["detail"]
            .as_str()
            .unwrap_or_default()
            .starts_with("some validation rules were not checked")
    };
    let mut found: BTreeSet<String> = errors
        .filter(is_cause)
        .map(|it| format!("{} {} {}", it["type"], it["field"], it["detail"]))
        .collect();
    if let Some(other) = answer["other_error"].as_str() {
        found.insert(other.to_owned());
    }
    found
}

fn without_status(object: &Value) -> Value {
    let mut object = object.clone();
    if let Value::Object(fields) = &mut object {
        fields.remove("status");
    }
    object
}

fn without_own_metadata(object: &Value) -> Value {
    let mut object = object.clone();
    if let Value::Object(fields) = &mut object {
        fields.remove("metadata");
    }
    object
}

/// The paths of values in `before` that are missing or different in `after`.
fn dropped(before: &Value, after: &Value) -> Vec<String> {
    let mut found = Vec::new();
    find_dropped(before, after, &mut String::new(), &mut found);
    found
}

fn find_dropped(before: &Value, after: &Value, at: &mut String, found: &mut Vec<String>) {
    let length = at.len();
    let mut below = |step: &str, before: &Value, after: Option<&Value>, found: &mut Vec<String>| {
        at.push('/');
        at.push_str(&step.replace('~', "~0").replace('/', "~1"));
        match after {
            Some(after) => find_dropped(before, after, at, found),
            None => found.push(at.clone()),
        }
        at.truncate(length);
    };
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            for (name, it) in before {
                below(name, it, after.get(name), found);
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for (n, it) in before.iter().enumerate() {
                below(&n.to_string(), it, after.get(n), found);
            }
        }
        (Value::Null, _) => {}
        (before, after) if before == after => {}
        _ => found.push(at.clone()),
    }
}

/// Whether `after` contains a value that is missing or null in `before`.
fn added(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => after
            .iter()
            .any(|(name, it)| before.get(name).is_none_or(|before| added(before, it))),
        (Value::Array(before), Value::Array(after)) => before.iter().zip(after).any(|it| added(it.0, it.1)),
        (Value::Null, after) => !after.is_null(),
        _ => false,
    }
}
