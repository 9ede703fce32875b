//! What the API server changes in an object before it validates (`PrepareForCreate`, `PrepareForUpdate`, and the metadata
//! around them).

use crd_analyzer_schema::KubernetesVersion;

use crate::types::{CustomResourceDefinition, Spec, Status};

/// `selectableFields` count since this Kubernetes version; before, they are behind a gate that is closed by default, and dropped.
const SELECTABLE_FIELDS_SINCE: KubernetesVersion = KubernetesVersion::minor(31);
/// Replaces the time of creation, which no verdict shows.
const CREATED: &str = "2000-01-01T00:00:00Z";
/// Replaces the random letters after `generateName`, which no check depends on.
const RANDOM: &str = "00000";

/// Makes a new object of what was sent.
pub(super) fn for_create(definition: &mut CustomResourceDefinition, version: KubernetesVersion) {
    let metadata = &mut definition.metadata;
    metadata.self_link.clear();
    metadata.deletion_timestamp = None;
    metadata.deletion_grace_period_seconds = None;
    metadata.namespace.clear();
    metadata.managed_fields.clear();
    metadata.creation_timestamp = Some(CREATED.to_owned());
    // A random one, which no rule looks at.
    metadata.uid.clear();
    if metadata.name.is_empty() && !metadata.generate_name.is_empty() {
        metadata.name = format!("{}{RANDOM}", metadata.generate_name);
    }
    metadata.generation = 1;
    definition.status = Status::default();
    note_storage_version(definition);
    drop_disabled(&mut definition.spec, version);
}

/// Makes a changed object of what was sent and of what is stored.
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

/// Drops fields whose feature gate is closed by default (`dropDisabledFields`). A stored object went the same way, so
/// none of them is in use.
fn drop_disabled(spec: &mut Spec, version: KubernetesVersion) {
    if version < SELECTABLE_FIELDS_SINCE {
        spec.selectable_fields = None;
        for version in &mut spec.versions {
            version.selectable_fields = None;
        }
    }
}
