//! Compares how crd-analyzer and the API server handle responses of conversion webhooks, valid and invalid ones.

use std::process::Command;

use crd_analyzer_conversion::Review;
use crd_analyzer_schema::KubernetesVersion;
use fastrand::Rng;
use serde_json::{Map, Value, json};

use crate::{
    choice::{Choice, Printed, Versions},
    peers,
};

/// Random answers of conversion webhooks.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// How many answers to compare a Kubernetes version.
    count: usize,
    #[command(flatten)]
    versions: Versions,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    printed: Printed,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let seed = args.choice.seed();
    let mut clean = true;
    for minor in args.versions.minors()? {
        clean &= compare(minor, args.count, seed, args.printed.show)?;
    }
    Ok(clean)
}

/// The number of requests per batch.
const BATCH: usize = 500;

/// The target version of the conversion.
const DESIRED: &str = "example.com/v2";

/// The placeholder that the oracle prints for the UID of a request.
const UID: &str = "@UID@";

/// A conversion, and the response of its webhook.
struct Case {
    reviews: Vec<String>,
    list_kind: Option<&'static str>,
    objects: Vec<Map<String, Value>>,
    answer: Value,
}

/// Whether both agree on this many random answers.
fn compare(minor: u8, count: usize, seed: u64, show: usize) -> anyhow::Result<bool> {
    let oracle = peers::oracle(minor)?;
    let kubernetes = KubernetesVersion::minor(minor);
    let mut rng = Rng::with_seed(seed);
    let cases: Vec<Case> = (0..count).map(|_| case(&mut rng)).collect();
    let (mut accepted, mut differing) = (0, 0);
    for batch in cases.chunks(BATCH) {
        let requests: Vec<String> = batch.iter().map(|it| it.request().to_string()).collect();
        let answers = peers::ask_lines(Command::new(&oracle).args(["convert", "-list", "-"]), &requests)?;
        anyhow::ensure!(
            answers.len() == batch.len(),
            "{} answers to {} requests",
            answers.len(),
            batch.len()
        );
        for (case, theirs) in batch.iter().zip(&answers) {
            accepted += usize::from(theirs.get("error").is_none());
            let Some(found) = case.difference(theirs, kubernetes) else {
                continue;
            };
            differing += 1;
            if differing <= show {
                println!("1.{minor} {found}\n  of {}", case.request());
            }
        }
    }
    println!("1.{minor}: {count} answers of webhooks, {accepted} accepted, {differing} differ, seed {seed}");
    Ok(differing == 0)
}

impl Case {
    fn request(&self) -> Value {
        json!({
            "reviews": self.reviews,
            "desired": DESIRED,
            "list_kind": self.list_kind.unwrap_or_default(),
            "objects": self.objects,
            "response": self.answer.to_string(),
        })
    }

    fn difference(&self, theirs: &Value, kubernetes: KubernetesVersion) -> Option<String> {
        let is_sent = |it: &&Map<String, Value>| it.get("apiVersion") != Some(&json!(DESIRED));
        let sent: Vec<_> = self.objects.iter().filter(is_sent).cloned().collect();
        if sent.is_empty() {
            return None;
        }
        let review = Review::new(
            &self.reviews,
            UID.to_owned(),
            DESIRED.to_owned(),
            sent,
            self.list_kind,
            kubernetes,
        );
        let asked = review.as_ref().map(Review::request).unwrap_or_default();
        let ours = review.and_then(|it| it.converted(&self.answer));
        let error = theirs["error"].as_str();
        match (&ours, error) {
            (Err(ours), Some(theirs)) if sorted(ours) == sorted(theirs) => {}
            (Ok(ours), None) => {
                let all = theirs["objects"].as_array().cloned().unwrap_or_default();
                let pairs = all.into_iter().zip(&self.objects);
                let theirs: Vec<Value> = pairs.filter(|it| is_sent(&it.1)).map(|it| it.0).collect();
                if json!(theirs) != json!(ours) {
                    return Some(format!("objects: {} is {} here", json!(theirs), json!(ours)));
                }
            }
            _ => return Some(format!("{error:?} is {ours:?} here")),
        }
        let theirs = theirs.get("request")?;
        (*theirs != asked).then(|| format!("request: {theirs} is {asked} here"))
    }
}

/// The sorted parts of an error. They are sorted because the API server iterates over a map.
fn sorted(error: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = error.split([',', '[', ']']).map(str::trim).collect();
    parts.sort_unstable();
    parts
}

fn object(rng: &mut Rng, n: usize) -> Map<String, Value> {
    let version = if rng.u8(..6) == 0 { "v2" } else { "v1" };
    let mut metadata = json!({"name": format!("w{n}"), "uid": format!("u{n}"), "generation": 3});
    if rng.bool() {
        metadata["namespace"] = json!("default");
    }
    for field in ["labels", "annotations"] {
        match rng.u8(..4) {
            0 => metadata[field] = json!({"a": "1"}),
            1 => metadata[field] = json!({"a": "1", "b c": "2"}),
            2 => metadata[field] = json!({}),
            _ => {}
        }
    }
    let object = json!({"apiVersion": format!("example.com/{version}"), "kind": "Widget", "metadata": metadata, "spec": {"size": n}});
    object.as_object().cloned().unwrap_or_default()
}

fn case(rng: &mut Rng) -> Case {
    const REVIEWS: [&[&str]; 5] = [&["v1"], &["v1"], &["v1beta1"], &["v3", "v1", "v1beta1"], &["v3"]];
    let is_list = rng.bool();
    let count = if is_list { rng.usize(1..4) } else { 1 };
    let objects: Vec<_> = (0..count).map(|n| object(rng, n)).collect();
    let reviews = REVIEWS[rng.usize(..REVIEWS.len())];
    let version = if reviews.contains(&"v1beta1") && reviews.len() == 1 {
        "v1beta1"
    } else {
        "v1"
    };
    let converted: Vec<Value> = objects
        .iter()
        .filter(|it| it["apiVersion"] != DESIRED)
        .map(|it| {
            let mut it = it.clone();
            it.insert("apiVersion".to_owned(), json!(DESIRED));
            Value::Object(it)
        })
        .collect();
    let mut answer = json!({
        "apiVersion": format!("apiextensions.k8s.io/{version}"),
        "kind": "ConversionReview",
        "response": {"uid": UID, "result": {"status": "Success"}, "convertedObjects": converted},
    });
    for _ in 0..rng.usize(..3) {
        change(rng, &mut answer);
    }
    Case {
        reviews: reviews.iter().map(|it| (*it).to_owned()).collect(),
        list_kind: is_list.then_some("WidgetList"),
        objects,
        answer,
    }
}

/// Changes a random part of a response.
fn change(rng: &mut Rng, value: &mut Value) {
    let is_deeper = rng.u8(..5) > 0;
    match value {
        Value::Object(members) if !members.is_empty() && is_deeper => {
            let at = rng.usize(..members.len());
            let key = members.keys().nth(at).cloned().unwrap_or_default();
            match rng.u8(..12) {
                0 => {
                    members.remove(&key);
                }
                1 => {
                    let new = *rng
                        .choice(&["a", "b c", "message", "labels", "extra", "x/y/z"])
                        .unwrap_or(&"a");
                    members.insert(new.to_owned(), other(rng));
                }
                _ => change(rng, &mut members[&key]),
            }
        }
        Value::Array(items) if !items.is_empty() && is_deeper => {
            let at = rng.usize(..items.len());
            match rng.u8(..8) {
                0 => {
                    items.remove(at);
                }
                1 => items.push(items[at].clone()),
                2 => items.reverse(),
                _ => change(rng, &mut items[at]),
            }
        }
        _ => *value = other(rng),
    }
}

fn other(rng: &mut Rng) -> Value {
    let all = [
        json!(null),
        json!(""),
        json!("x"),
        json!("example.com/v1"),
        json!("apiextensions.k8s.io/v1beta1"),
        json!("Failure"),
        json!("Widget"),
        json!({}),
        json!([]),
        json!({"a": "2"}),
        json!({"a": 1}),
        json!({"a b": "x"}),
        json!(7),
        json!(true),
        json!({"status": "Failure", "message": "no, never"}),
    ];
    all[rng.usize(..all.len())].clone()
}
