//! Converts random objects of every version to every other version and back.

use crd_analyzer_compat::Objects;
use crd_analyzer_resource::{Change, differences};
use crd_analyzer_schema::field::{Path, Segment};
use fastrand::Rng;
use serde_json::{Map, Value, json};

use crate::convert::{Converted, Converter};
use crate::shrink::smallest;

/// The number of objects in a list.
const LIST: usize = 5;

/// The kind of a conversion problem.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The API server rejects the answer, or the webhook gives no answer.
    Failed,
    /// The API server rejects the answer for a list, although it accepts the answer for each single object.
    ListFailed,
    /// Two conversions of the same object give different results.
    Unstable,
    /// The conversion returns fields that do not exist in the version.
    Pruned,
    /// The object is different after conversion there and back.
    Lossy,
    /// The target version rejects the converted object.
    Refused,
    /// The converted object lacks a value that the version declares as a default.
    NotDefaulted,
}

impl Kind {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::ListFailed => "list-failed",
            Self::Unstable => "unstable",
            Self::Pruned => "pruned",
            Self::Lossy => "lossy",
            Self::Refused => "refused",
            Self::NotDefaulted => "not-defaulted",
        }
    }
}

/// A conversion problem, with the smallest object that was found for it.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The kind of problem.
    pub kind: Kind,
    /// The source version.
    pub from: String,
    /// The target version.
    pub to: String,
    /// The objects to convert: one object, or the objects of a list.
    pub objects: Vec<Value>,
    /// The object in the target version, if the conversion returned one.
    pub converted: Option<Value>,
    /// The object after conversion back.
    pub back: Option<Value>,
    /// The affected fields.
    pub fields: Vec<Path>,
    /// The message of the API server or the webhook.
    pub words: String,
}

/// The result of converting objects there and back.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RoundTrips {
    /// The number of objects that were converted there and back.
    pub tried: usize,
    /// The versions for which no object was found.
    pub without_objects: Vec<String>,
    /// The problems: one finding for each kind and pair of versions.
    pub findings: Vec<Finding>,
}

/// Converts `count` random objects of each served version to each other served version and back.
pub fn round_trips(converter: &mut Converter<'_>, count: usize, seed: u64) -> RoundTrips {
    let names: Vec<String> = converter.subject().served_versions().map(str::to_owned).collect();
    let mut found = RoundTrips::default();
    for (nth, from) in names.iter().enumerate() {
        let objects = Objects::of(converter.subject(), from);
        let made = objects
            .as_ref()
            .map(|it| made(it, count, seed.wrapping_add(nth as u64)));
        let (Some(objects), Some(made)) = (objects, made.filter(|it| !it.is_empty())) else {
            found.without_objects.push(from.clone());
            continue;
        };
        for to in names.iter().filter(|it| *it != from) {
            let mut trip = Trip {
                converter,
                objects: &objects,
                from,
                to,
            };
            let mut findings = Vec::new();
            for object in &made {
                found.tried += 1;
                trip.object(object, &mut findings);
            }
            trip.list(&made, &mut findings);
            found.findings.extend(findings);
        }
    }
    found
        .findings
        .sort_by(|a, b| (&a.from, &a.to, a.kind).cmp(&(&b.from, &b.to, b.kind)));
    found
}

/// Different objects of a version, smallest first.
fn made(objects: &Objects<'_>, count: usize, seed: u64) -> Vec<Value> {
    let mut rng = Rng::with_seed(seed);
    let mut made: Vec<Value> = Vec::new();
    let random = (0..count.saturating_mul(2)).map(|_| objects.random(&mut rng));
    for object in std::iter::once(objects.smallest()).chain(random).flatten() {
        if made.len() >= count {
            break;
        }
        if !made.contains(&object) {
            made.push(object);
        }
    }
    made
}

/// Conversions from one version to another.
struct Trip<'t, 'c> {
    converter: &'t mut Converter<'c>,
    objects: &'t Objects<'c>,
    from: &'t str,
    to: &'t str,
}

impl Trip<'_, '_> {
    /// Adds the problems of an object, unless a problem of the same kind is already known.
    fn object(&mut self, object: &Value, findings: &mut Vec<Finding>) {
        let wrong = self.wrong(object);
        for kind in wrong.into_iter().map(|it| it.kind) {
            if findings.iter().any(|it| it.kind == kind) {
                continue;
            }
            let objects = self.objects;
            let trip = &mut *self;
            let shrunk = smallest(object, |smaller| {
                objects.accepts(smaller) && trip.wrong(smaller).iter().any(|it| it.kind == kind)
            });
            let finding = self.wrong(&shrunk).into_iter().find(|it| it.kind == kind);
            findings.extend(finding);
        }
    }

    fn finding(&self, kind: Kind, object: &Value) -> Finding {
        Finding {
            kind,
            from: self.from.to_owned(),
            to: self.to.to_owned(),
            objects: vec![object.clone()],
            converted: None,
            back: None,
            fields: Vec::new(),
            words: String::new(),
        }
    }

    /// All problems with the conversion of an object.
    fn wrong(&mut self, object: &Value) -> Vec<Finding> {
        let Value::Object(fields) = object else {
            return Vec::new();
        };
        let there = match self.converter.convert(fields, self.to) {
            Ok(there) => there,
            Err(failure) => {
                let words = failure.0;
                return vec![Finding {
                    words,
                    ..self.finding(Kind::Failed, object)
                }];
            }
        };
        let mut found = Vec::new();
        let converted = Value::Object(there.object.clone());
        if self.converter.has_webhook() {
            if let Ok(again) = self.converter.convert(fields, self.to)
                && again.unpruned != there.unpruned
            {
                found.push(Finding {
                    converted: Some(converted.clone()),
                    fields: paths(&differences(&there.unpruned, &again.unpruned)),
                    ..self.finding(Kind::Unstable, object)
                });
            }
            // Without a webhook, fields that are missing in the version are lost. The conversion back reports this.
            if !there.pruned.is_empty() {
                found.push(Finding {
                    converted: Some(Value::Object(there.unpruned.clone())),
                    fields: paths(&there.pruned),
                    ..self.finding(Kind::Pruned, object)
                });
            }
        }
        if !there.not_defaulted.is_empty() {
            found.push(Finding {
                converted: Some(converted.clone()),
                fields: paths(&there.not_defaulted),
                ..self.finding(Kind::NotDefaulted, object)
            });
        }
        if let Some(words) = self.converter.subject().refusal(self.to, &converted) {
            found.push(Finding {
                converted: Some(converted),
                words,
                ..self.finding(Kind::Refused, object)
            });
        }
        found.extend(self.way_back(object, &there));
        found
    }

    fn way_back(&mut self, object: &Value, there: &Converted) -> Option<Finding> {
        let converted = Some(Value::Object(there.object.clone()));
        match self.converter.convert(&there.object, self.from) {
            Err(failure) => Some(Finding {
                converted,
                words: failure.0,
                ..self.finding(Kind::Failed, object)
            }),
            Ok(back) => {
                let fields = kept(&there.stored, &back.object);
                (!fields.is_empty()).then(|| Finding {
                    converted,
                    back: Some(Value::Object(back.object)),
                    fields,
                    ..self.finding(Kind::Lossy, object)
                })
            }
        }
    }

    /// Converts several objects in one review.
    fn list(&mut self, made: &[Value], findings: &mut Vec<Finding>) {
        // Problems with single objects have already been reported.
        if !self.converter.has_webhook() || findings.iter().any(|it| it.kind == Kind::Failed) {
            return;
        }
        let named = |objects: &[Value]| -> Vec<Map<String, Value>> {
            let objects = objects.iter().enumerate().filter_map(|(n, object)| {
                let mut object = object.as_object()?.clone();
                if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
                    metadata.insert("name".to_owned(), json!(format!("example-{n}")));
                }
                Some(object)
            });
            objects.collect()
        };
        let many = named(
            &made
                .iter()
                .cycle()
                .take(made.len().clamp(2, LIST))
                .cloned()
                .collect::<Vec<_>>(),
        );
        let two = named(&[made[0].clone(), made[0].clone()]);
        let mut failed = |objects: &[Map<String, Value>]| self.converter.convert_list(objects, self.to).err();
        let Some(failure) = failed(&many) else {
            return;
        };
        let (objects, words) = match failed(&two) {
            Some(failure) => (two, failure.0),
            None => (many, failure.0),
        };
        let finding = Finding {
            objects: objects.into_iter().map(Value::Object).collect(),
            words,
            ..self.finding(Kind::ListFailed, &Value::Null)
        };
        findings.push(finding);
    }
}

/// The fields of an object that differ after conversion there and back. Labels and annotations may be added, because webhooks use them to store
/// values for which the other version lacks a field.
fn kept(before: &Map<String, Value>, back: &Map<String, Value>) -> Vec<Path> {
    let is_added = |change: &Change| {
        let path = change.path.segments();
        let names: Vec<&str> = path
            .iter()
            .take(2)
            .map(|it| match it {
                Segment::Field(name) | Segment::Key(name) => name.as_str(),
                Segment::Index(_) => "",
            })
            .collect();
        let is_metadata = matches!(names.as_slice(), ["metadata", "labels" | "annotations"]);
        is_metadata && change.kind == crd_analyzer_resource::ChangeKind::Defaulted
    };
    let changes = differences(before, back).into_iter().filter(|it| !is_added(it));
    changes.map(|it| it.path).collect()
}

fn paths(changes: &[Change]) -> Vec<Path> {
    changes.iter().map(|it| it.path.clone()).collect()
}
