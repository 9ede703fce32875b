//! Reads objects from storage: in the version in which they are stored, and after a conversion (`schemaCoercingConverter` of
//! `pkg/apiserver/customresource_handler.go`).

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::unknown::Known;
use serde_json::{Map, Value};

use crate::decode::{changes_between, coerced, defaulted};
use crate::definition::ServedVersion;
use crate::verdict::Change;

/// An object read from storage.
#[derive(Clone, PartialEq, Debug)]
pub struct Read {
    /// The object.
    pub object: Map<String, Value>,
    /// The changes that the API server makes to the object when it reads the object.
    pub changes: Vec<Change>,
}

/// Reads an object in the version in which it is stored: prunes it and sets its defaults. The error is the message of the API server.
pub fn read_stored(version: ServedVersion<'_>, object: &Map<String, Value>) -> Result<Read, String> {
    read(object, |object| {
        coerced(version, object, Known::ALL).map(|it| defaulted(version, it.0, Known::ALL))
    })
}

/// Reads an object after its conversion to a version: prunes it, but does not set defaults. The error is the message of the API server.
pub fn read_converted(version: ServedVersion<'_>, object: &Map<String, Value>) -> Result<Read, String> {
    read(object, |object| coerced(version, object, Known::ALL).map(|it| it.0))
}

/// Fills the defaults of a version into the object.
pub fn with_defaults(version: ServedVersion<'_>, object: Map<String, Value>) -> Map<String, Value> {
    defaulted(version, object, Known::ALL)
}

/// The differences between two objects: added, dropped and changed fields. A null timestamp in the metadata counts as
/// missing.
pub fn differences(before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<Change> {
    changes_between(before, after)
}

fn read(
    object: &Map<String, Value>,
    how: impl FnOnce(Map<String, Value>) -> Result<Map<String, Value>, crate::decode::Refusal>,
) -> Result<Read, String> {
    let (read, ended) = budget::within(Limits::DOCUMENT, || how(object.clone()));
    if let Some(why) = ended.unfinished {
        return Err(why.to_string());
    }
    let read = read.map_err(|it| it.why)?;
    Ok(Read {
        changes: changes_between(object, &read),
        object: read,
    })
}
