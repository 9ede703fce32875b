//! The rules that a request of a test reached.

use serde_json::Value;

use crate::{rules::RULES, server::Answer};

/// What a path in a CRD has before a schema.
const SCHEMA: &str = "openAPIV3Schema.";

/// The part of a path in a CRD below the schema of a version.
pub(crate) fn below_schema(path: &str) -> Option<&str> {
    path.split_once(SCHEMA).map(|it| it.1)
}

/// What a request touched.
#[derive(Clone, Debug)]
pub(crate) struct Touched {
    /// Which CRD of the suite.
    pub(crate) definition: usize,
    /// The version of the object.
    pub(crate) version: String,
    /// The rules that ran, by their paths from the schema of the version.
    pub(crate) ran: Vec<String>,
    /// The same for those that rejected the object.
    pub(crate) failed: Vec<String>,
}

impl Touched {
    pub(crate) fn new(definition: usize, object: &Value, answer: &Answer) -> Self {
        let api_version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        let below = |it: &str| below_schema(it).map(str::to_owned);
        let causes = answer.refusal.iter().flat_map(|it| &it.causes);
        let deciders = causes.filter_map(|it| below(it.decider.as_deref()?));
        Self {
            definition,
            version: api_version.rsplit('/').next().unwrap_or_default().to_owned(),
            ran: answer.ran.iter().filter_map(|it| below(it)).collect(),
            failed: deciders.filter(|it| it.contains(RULES)).collect(),
        }
    }
}
