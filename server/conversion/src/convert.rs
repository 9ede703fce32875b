//! Converts an object like an API server that reads the object in another version than the stored one.

use crd_analyzer_compat::Subject;
use crd_analyzer_resource::{Change, ServedVersion, differences, read_converted, read_stored, with_defaults};
use serde_json::{Map, Value, json};

use crate::review::Review;

/// Metadata that is set when an object is created. It is added to objects that lack it, because webhooks only get existing objects.
const FILLED_IN: [(&str, &str); 3] = [
    ("uid", "00000000-0000-0000-0000-000000000001"),
    ("resourceVersion", "1"),
    ("creationTimestamp", "2023-11-14T22:13:20Z"),
];

/// A conversion webhook.
pub trait Webhook {
    /// Sends a `ConversionReview` and returns the answer. The error is the reason why no answer was received.
    fn ask(&mut self, review: &Value) -> Result<Value, String>;
}

/// The reason why an object was not converted, as a message of the API server or the webhook.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure(pub String);

/// An object converted to another version.
#[derive(Clone, PartialEq, Debug)]
pub struct Converted {
    /// The object as read in its own version: pruned and defaulted.
    pub stored: Map<String, Value>,
    /// The changes made when the object was read in its own version.
    pub stored_changes: Vec<Change>,
    /// The object as read in the other version.
    pub object: Map<String, Value>,
    /// The fields that the conversion returned although the other version lacks them, as paths in the converted object.
    pub pruned: Vec<Change>,
    /// The converted object before pruning.
    pub unpruned: Map<String, Value>,
    /// The changes that the other version's defaults would make. Defaults apply to objects that clients send, but not to converted objects.
    pub not_defaulted: Vec<Change>,
}

/// Converts the objects of a CRD.
pub struct Converter<'c> {
    subject: &'c Subject,
    webhook: Option<&'c mut dyn Webhook>,
    /// The number of reviews sent.
    asked: u64,
}

impl<'c> Converter<'c> {
    /// Creates a converter. Without a webhook, the converter changes only `apiVersion` (the strategy `None`).
    pub fn new(subject: &'c Subject, webhook: Option<&'c mut dyn Webhook>) -> Self {
        Self {
            subject,
            webhook,
            asked: 0,
        }
    }

    /// The CRD.
    pub const fn subject(&self) -> &'c Subject {
        self.subject
    }

    /// Whether a webhook converts the objects.
    pub const fn has_webhook(&self) -> bool {
        self.webhook.is_some()
    }

    /// Converts an object to the version `to`.
    pub fn convert(&mut self, object: &Map<String, Value>, to: &str) -> Result<Converted, Failure> {
        let mut converted = self.convert_all(std::slice::from_ref(object), to, false)?;
        converted
            .pop()
            .ok_or_else(|| Failure("the conversion has no result".to_owned()))
    }

    /// Converts the objects of a list to the version `to`. The objects are sent in one review, except for objects that already have that version.
    pub fn convert_list(&mut self, objects: &[Map<String, Value>], to: &str) -> Result<Vec<Converted>, Failure> {
        self.convert_all(objects, to, true)
    }

    fn convert_all(
        &mut self,
        objects: &[Map<String, Value>],
        to: &str,
        is_list: bool,
    ) -> Result<Vec<Converted>, Failure> {
        let desired = self.subject.api_version(to);
        let target = self.version(to)?;
        let mut read = Vec::new();
        for object in objects {
            let api_version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
            let name = api_version.rsplit('/').next().unwrap_or_default();
            if self.subject.api_version(name) != api_version {
                return Err(Failure(format!(
                    "request to convert CR from an invalid group/version: {api_version}"
                )));
            }
            let stored = read_stored(self.version(name)?, object).map_err(Failure)?;
            read.push(stored);
        }
        let mut sent: Vec<Map<String, Value>> = Vec::new();
        for stored in read
            .iter()
            .filter(|it| it.object.get("apiVersion") != Some(&json!(desired)))
        {
            sent.push(filled_in(&stored.object));
        }
        let answered = match &mut self.webhook {
            _ if sent.is_empty() => Vec::new(),
            Some(webhook) => {
                self.asked += 1;
                let review = Review::new(
                    &self.subject.conversion_review_versions(),
                    format!("00000000-0000-4000-8000-{:012}", self.asked),
                    desired.clone(),
                    sent,
                    is_list.then(|| self.subject.list_kind()),
                    self.subject.kubernetes(),
                );
                let review = review.map_err(Failure)?;
                let answer = webhook.ask(&review.request()).map_err(Failure)?;
                review.converted(&answer).map_err(Failure)?
            }
            None => {
                let renamed = sent.into_iter().map(|mut object| {
                    object.insert("apiVersion".to_owned(), json!(desired));
                    object
                });
                renamed.collect()
            }
        };
        let mut answered = answered.into_iter();
        let mut converted = Vec::new();
        for (object, stored) in objects.iter().zip(read) {
            let is_sent = stored.object.get("apiVersion") != Some(&json!(desired));
            let unpruned = match answered.next().filter(|_| is_sent) {
                Some(answer) => without_filled_in(answer, object),
                None => stored.object.clone(),
            };
            let result = read_converted(target, &unpruned).map_err(Failure)?;
            let defaulted = with_defaults(target, result.object.clone());
            converted.push(Converted {
                stored: stored.object,
                stored_changes: stored.changes,
                not_defaulted: differences(&result.object, &defaulted),
                object: result.object,
                pruned: result.changes,
                unpruned,
            });
        }
        Ok(converted)
    }

    fn version(&self, name: &str) -> Result<ServedVersion<'c>, Failure> {
        self.subject.any_version(name).ok_or_else(|| {
            Failure(format!(
                "request to convert CR to an invalid group/version: {}",
                self.subject.api_version(name)
            ))
        })
    }
}

/// The object with the metadata that every stored object has.
fn filled_in(object: &Map<String, Value>) -> Map<String, Value> {
    let mut object = object.clone();
    let metadata = object.entry("metadata").or_insert_with(|| json!({}));
    if let Value::Object(metadata) = metadata {
        for (name, value) in FILLED_IN {
            if metadata.get(name).is_none_or(Value::is_null) {
                metadata.insert(name.to_owned(), json!(value));
            }
        }
    }
    object
}

/// The converted object without the metadata added by [`filled_in`].
fn without_filled_in(mut converted: Map<String, Value>, sent: &Map<String, Value>) -> Map<String, Value> {
    let before = sent.get("metadata");
    if let Some(Value::Object(metadata)) = converted.get_mut("metadata") {
        for (name, _) in FILLED_IN {
            let was_there = before.and_then(|it| it.get(name)).is_some_and(|it| !it.is_null());
            if !was_there {
                metadata.remove(name);
            }
        }
    }
    converted
}
