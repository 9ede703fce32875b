//! Objects on their way out of storage: read in the version that they are stored in, and after they were converted
//! (`schemaCoercingConverter` of `pkg/apiserver/customresource_handler.go`).

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::unknown::Known;
use serde_json::{Map, Value};

use crate::decode::{changes_between, coerced, defaulted};
use crate::definition::ServedVersion;
use crate::verdict::Change;

/// An object that was read.
#[derive(Clone, PartialEq, Debug)]
pub struct Read {
    /// The object.
    pub object: Map<String, Value>,
    /// What reading changed in it.
    pub changes: Vec<Change>,
}

/// An object as it is read in the version that it is stored in: pruned, and defaulted. The error is the API server's.
pub fn read_stored(version: ServedVersion<'_>, object: &Map<String, Value>) -> Result<Read, String> {
    read(object, |object| {
        coerced(version, object, Known::ALL).map(|it| defaulted(version, it.0, Known::ALL))
    })
}

/// An object as it is read after it was converted to a version: pruned, but not defaulted. The error is the API server's.
pub fn read_converted(version: ServedVersion<'_>, object: &Map<String, Value>) -> Result<Read, String> {
    read(object, |object| coerced(version, object, Known::ALL).map(|it| it.0))
}

/// The object with the defaults of a version.
pub fn with_defaults(version: ServedVersion<'_>, object: Map<String, Value>) -> Map<String, Value> {
    defaulted(version, object, Known::ALL)
}

/// What is different in an object: fields that were added, dropped, or have another value. A timestamp of the metadata that is null
/// is not there.
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
