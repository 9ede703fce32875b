//! Changes that the API server makes to an object before validation: system metadata, generation, and the status
//! (`PrepareForCreate` and `PrepareForUpdate` of `pkg/registry/customresource`, and `k8s.io/apiserver/pkg/registry/rest`
//! around them).

use crd_analyzer_schema::metadata::ObjectMeta;
use crd_analyzer_schema::unknown::{Known, Unknown};
use crd_analyzer_schema::validation::deep_equal;
use serde_json::{Map, Value};

use crate::definition::ServedVersion;

/// The namespace of a request for an object without a namespace.
const NAMESPACE: &str = "default";
/// A fixed time instead of the creation time.
const CREATED: &str = "2023-11-14T22:13:20Z";
/// A fixed UID instead of the one that the API server assigns.
const UID: &str = "00000000-0000-0000-0000-000000000002";
/// A fixed suffix instead of the random letters after `generateName`.
const RANDOM: &str = "00000";

/// The metadata of an object.
pub(crate) fn metadata(object: &Map<String, Value>) -> ObjectMeta {
    let decoded = object.get("metadata").and_then(|it| ObjectMeta::decode(it).ok());
    decoded.unwrap_or_default().meta
}

fn set_metadata(object: &mut Map<String, Value>, metadata: &ObjectMeta) {
    object.insert("metadata".to_owned(), metadata.to_value());
}

/// Sets the metadata that the API server fills in on creation.
pub(crate) fn fill_in(object: &mut Map<String, Value>) {
    let mut meta = metadata(object);
    UID.clone_into(&mut meta.uid);
    "1".clone_into(&mut meta.resource_version);
    meta.generation = 1;
    meta.managed_fields.clear();
    meta.creation_timestamp = Some(CREATED.to_owned());
    set_metadata(object, &meta);
    for_storage(object);
}

/// Removes fields that are validated but not stored (`APIObjectVersioner.PrepareObjectForStorage`).
pub(crate) fn for_storage(object: &mut Map<String, Value>) {
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.remove("selfLink");
    }
}

/// Prepares a new object, and returns its unknown parts.
pub(crate) fn for_create(
    version: ServedVersion<'_>,
    object: &mut Map<String, Value>,
    mut unknown: Option<Unknown>,
) -> Option<Unknown> {
    let known = Known::from(unknown.as_ref()).field("metadata");
    let is_start_known = known.field("generateName").is_all();
    let mut meta = metadata(object);
    meta.self_link.clear();
    meta.deletion_timestamp = None;
    meta.deletion_grace_period_seconds = None;
    meta.managed_fields.clear();
    meta.creation_timestamp = Some(CREATED.to_owned());
    UID.clone_into(&mut meta.uid);
    set_namespace(version, &mut meta);
    if meta.name.is_empty() && !meta.generate_name.is_empty() {
        meta.name = format!("{}{RANDOM}", meta.generate_name);
        unknown = unknown.map(|it| {
            if is_start_known {
                it
            } else {
                it.with(&["metadata", "name"])
            }
        });
    }
    meta.generation = 1;
    set_metadata(object, &meta);
    if version.has_status() {
        object.remove("status");
        unknown = unknown.map(|it| it.without("status"));
    }
    unknown
}

fn set_namespace(version: ServedVersion<'_>, meta: &mut ObjectMeta) {
    if !version.definition().is_namespaced() {
        meta.namespace.clear();
    } else if meta.namespace.is_empty() {
        NAMESPACE.clone_into(&mut meta.namespace);
    }
}

/// Prepares the new state of a stored object, and returns its unknown parts.
pub(crate) fn for_update(
    version: ServedVersion<'_>,
    object: &mut Map<String, Value>,
    old: &mut Map<String, Value>,
    mut unknown: Option<Unknown>,
) -> Option<Unknown> {
    let meta = address(version, object, old);
    if version.has_status() {
        unknown = unknown.map(|it| it.without("status"));
        match old.get("status") {
            Some(status) => {
                object.insert("status".to_owned(), status.clone());
            }
            None => {
                object.remove("status");
            }
        }
    }
    finish(object, old, meta);
    unknown
}

/// Prepares the new state of a stored object whose status changes, and returns its unknown parts.
pub(crate) fn for_status_update(
    version: ServedVersion<'_>,
    object: &mut Map<String, Value>,
    old: &mut Map<String, Value>,
    unknown: Option<Unknown>,
) -> Option<Unknown> {
    // Apart from the status, only the namespace of the object in the request matters.
    address(version, object, old);
    let status = object.remove("status");
    *object = old.clone();
    match status {
        Some(status) => {
            object.insert("status".to_owned(), status);
        }
        None => {
            object.remove("status");
        }
    }
    let meta = metadata(object);
    set_metadata(object, &meta);
    unknown.map(|it| it.only("status"))
}

/// The metadata of the object in the request, completed so that it identifies the stored object. Moves the stored object to the namespace of the
/// request.
fn address(version: ServedVersion<'_>, object: &Map<String, Value>, old: &mut Map<String, Value>) -> ObjectMeta {
    let mut meta = metadata(object);
    let mut old_meta = metadata(old);
    meta.managed_fields.clear();
    meta.uid.clone_from(&old_meta.uid);
    meta.resource_version.clone_from(&old_meta.resource_version);
    set_namespace(version, &mut meta);
    old_meta.namespace.clone_from(&meta.namespace);
    set_metadata(old, &old_meta);
    meta
}

fn finish(object: &mut Map<String, Value>, old: &Map<String, Value>, mut meta: ObjectMeta) {
    let old_meta = metadata(old);
    meta.generation = old_meta.generation;
    if !is_same_but_metadata(object, old) {
        meta.generation += 1;
    }
    if old_meta.creation_timestamp.is_some() {
        meta.creation_timestamp.clone_from(&old_meta.creation_timestamp);
    }
    if old_meta.deletion_timestamp.is_some() {
        meta.deletion_timestamp.clone_from(&old_meta.deletion_timestamp);
    }
    if meta.deletion_grace_period_seconds.is_none() {
        meta.deletion_grace_period_seconds = old_meta.deletion_grace_period_seconds;
    }
    set_metadata(object, &meta);
}

fn is_same_but_metadata(new: &Map<String, Value>, old: &Map<String, Value>) -> bool {
    let others = |object: &Map<String, Value>| object.keys().filter(|it| *it != "metadata").count();
    others(new) == others(old)
        && new
            .iter()
            .filter(|(name, _)| *name != "metadata")
            .all(|(name, value)| old.get(name).is_some_and(|old| deep_equal(old, value)))
}
