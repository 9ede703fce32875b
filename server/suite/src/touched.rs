//! The rules that were evaluated in a request of a test.

use serde_json::Value;

use crate::{rules::RULES, server::Answer};

/// The part of a path in a CRD that precedes a path in a schema.
const SCHEMA: &str = "openAPIV3Schema.";

/// The rest of a path in a CRD, after the schema of a version.
pub(crate) fn below_schema(path: &str) -> Option<&str> {
    path.split_once(SCHEMA).map(|it| it.1)
}

/// The rules that were evaluated in one request.
#[derive(Clone, Debug)]
pub(crate) struct Touched {
    /// The index of the CRD in the suite.
    pub(crate) definition: usize,
    /// The version of the object.
    pub(crate) version: String,
    /// The paths of the rules that were evaluated, from the root of the version's schema.
    pub(crate) ran: Vec<String>,
    /// The paths of the rules that rejected the object, from the root of the version's schema.
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
