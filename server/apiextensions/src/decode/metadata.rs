//! `metadata` (`ObjectMeta` of meta/v1).

use crd_analyzer_syntax::json::Json;

use super::state::{Decoder, Stop};
use crate::types::{ManagedFieldsEntry, ObjectMeta, OwnerReference};

impl<'j> Decoder<'j> {
    pub(super) fn metadata(&mut self, json: &'j Json<'j>, out: &mut ObjectMeta) -> Result<(), Stop> {
        self.structure(json, "ObjectMeta", "v1.ObjectMeta", |d, key, value| {
            match key {
                "name" => d.string(value, &mut out.name),
                "generateName" => d.string(value, &mut out.generate_name),
                "namespace" => d.string(value, &mut out.namespace),
                "selfLink" => d.string(value, &mut out.self_link),
                "uid" => d.named_string(value, &mut out.uid, "types.UID"),
                "resourceVersion" => d.string(value, &mut out.resource_version),
                "generation" => d.integer(value, &mut out.generation, "int64"),
                "creationTimestamp" => out.creation_timestamp = d.time(value)?,
                "deletionTimestamp" => out.deletion_timestamp = d.time(value)?,
                "deletionGracePeriodSeconds" => {
                    d.optional_integer(value, &mut out.deletion_grace_period_seconds, "int64");
                }
                "labels" => out.labels = d.string_map(value)?.unwrap_or_default(),
                "annotations" => out.annotations = d.string_map(value)?.unwrap_or_default(),
                "ownerReferences" => {
                    let list = d.list(value, "[]v1.OwnerReference", Self::owner_reference)?;
                    out.owner_references = list.unwrap_or_default();
                }
                "finalizers" => out.finalizers = d.strings(value)?.unwrap_or_default(),
                "managedFields" => {
                    let list = d.list(value, "[]v1.ManagedFieldsEntry", Self::managed_fields_entry)?;
                    out.managed_fields = list.unwrap_or_default();
                }
                _ => return Ok(false),
            }
            Ok(true)
        })
    }

    fn owner_reference(&mut self, json: &'j Json<'j>, out: &mut OwnerReference) -> Result<(), Stop> {
        self.structure(json, "OwnerReference", "v1.OwnerReference", |d, key, value| {
            match key {
                "apiVersion" => d.string(value, &mut out.api_version),
                "kind" => d.string(value, &mut out.kind),
                "name" => d.string(value, &mut out.name),
                "uid" => d.named_string(value, &mut out.uid, "types.UID"),
                "controller" => d.optional_boolean(value, &mut out.controller),
                "blockOwnerDeletion" => d.optional_boolean(value, &mut out.block_owner_deletion),
                _ => return Ok(false),
            }
            Ok(true)
        })
    }

    fn managed_fields_entry(&mut self, json: &'j Json<'j>, out: &mut ManagedFieldsEntry) -> Result<(), Stop> {
        self.structure(json, "ManagedFieldsEntry", "v1.ManagedFieldsEntry", |d, key, value| {
            match key {
                "manager" => d.string(value, &mut out.manager),
                "operation" => d.named_string(value, &mut out.operation, "v1.ManagedFieldsOperationType"),
                "apiVersion" => d.string(value, &mut out.api_version),
                "time" => out.time = d.time(value)?,
                "fieldsType" => d.string(value, &mut out.fields_type),
                // Any JSON is valid (`FieldsV1.UnmarshalJSON`), and the value is never used: the API server drops the request's managed fields.
                "fieldsV1" => {}
                "subresource" => d.string(value, &mut out.subresource),
                _ => return Ok(false),
            }
            Ok(true)
        })
    }
}
