//! Changes that the API server makes to an object before validation (`PrepareForCreate`, `PrepareForUpdate`, and the metadata
//! around them).

use crd_analyzer_schema::KubernetesVersion;

use crate::types::{CustomResourceDefinition, Spec, Status};

/// The first Kubernetes version that supports `selectableFields`. Earlier versions drop these fields, since the feature gate is off by default.
const SELECTABLE_FIELDS_SINCE: KubernetesVersion = KubernetesVersion::minor(31);
/// A fixed creation time, which does not appear in any result.
const CREATED: &str = "2000-01-01T00:00:00Z";
/// A fixed suffix for `generateName`. In an API server the suffix is random, and no check depends on it.
const RANDOM: &str = "00000";

/// Prepares a new object.
pub(super) fn for_create(definition: &mut CustomResourceDefinition, version: KubernetesVersion) {
    let metadata = &mut definition.metadata;
    metadata.self_link.clear();
    metadata.deletion_timestamp = None;
    metadata.deletion_grace_period_seconds = None;
    metadata.namespace.clear();
    metadata.managed_fields.clear();
    metadata.creation_timestamp = Some(CREATED.to_owned());
    // In an API server, the UID is random. No check uses it.
    metadata.uid.clear();
    if metadata.name.is_empty() && !metadata.generate_name.is_empty() {
        metadata.name = format!("{}{RANDOM}", metadata.generate_name);
    }
    metadata.generation = 1;
    definition.status = Status::default();
    note_storage_version(definition);
    drop_disabled(&mut definition.spec, version);
}

/// Prepares the new state of an object that is already stored.
pub(super) fn for_update(
    definition: &mut CustomResourceDefinition,
    old: &CustomResourceDefinition,
    version: KubernetesVersion,
) {
    let metadata = &mut definition.metadata;
    metadata.managed_fields.clear();
    metadata.uid.clone_from(&old.metadata.uid);
    metadata.resource_version.clone_from(&old.metadata.resource_version);
    metadata.namespace.clear();
    metadata.generation = old.metadata.generation;
    if definition.spec != old.spec {
        metadata.generation += 1;
    }
    metadata.creation_timestamp.clone_from(&old.metadata.creation_timestamp);
    definition.status = old.status.clone();
    note_storage_version(definition);
    drop_disabled(&mut definition.spec, version);
}

fn note_storage_version(definition: &mut CustomResourceDefinition) {
    if let Some(storage) = definition.spec.versions.iter().find(|it| it.storage)
        && !definition.is_stored_version(&storage.name)
    {
        definition.status.stored_versions.push(storage.name.clone());
    }
}

/// Drops fields whose feature gate is off by default (`dropDisabledFields`). The stored object does not contain these fields either, so none of them
/// is in use.
fn drop_disabled(spec: &mut Spec, version: KubernetesVersion) {
    if version < SELECTABLE_FIELDS_SINCE {
        spec.selectable_fields = None;
        for version in &mut spec.versions {
            version.selectable_fields = None;
        }
    }
}
