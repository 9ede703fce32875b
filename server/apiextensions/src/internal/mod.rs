//! Converts the form that authors write to the form that is validated (`pkg/apis/apiextensions/v1`, `conversion.go`).

use crate::decode::Written;
use crate::defaults::{set_defaults, set_defaults_v1beta1};
use crate::types::{Conversion, CustomResourceDefinition, Spec, Version, WebhookClientConfig, v1};

/// The parts of a CRD that the conversion moved from each version to `spec`, because they are equal in all versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hoisted {
    /// Whether `schema` was moved, to `spec.validation`.
    pub validation: bool,
    /// Whether `subresources` was moved.
    pub subresources: bool,
    /// Whether `additionalPrinterColumns` was moved.
    pub additional_printer_columns: bool,
    /// Whether `selectableFields` was moved.
    pub selectable_fields: bool,
}

/// The internal form of a decoded CRD with defaults, and the parts that the conversion moved.
pub fn of(written: Written) -> (CustomResourceDefinition, Hoisted) {
    match written {
        Written::V1(mut definition) => {
            set_defaults(&mut definition);
            from_v1(*definition)
        }
        Written::V1beta1(mut definition) => {
            set_defaults_v1beta1(&mut definition);
            (*definition, Hoisted::default())
        }
    }
}

/// The internal form of a defaulted CRD, and the parts that the conversion moved.
pub fn from_v1(definition: v1::CustomResourceDefinition) -> (CustomResourceDefinition, Hoisted) {
    let v1::Spec {
        group,
        names,
        scope,
        versions,
        has_empty_versions,
        conversion,
        preserve_unknown_fields,
    } = definition.spec;
    let mut spec = Spec {
        group,
        names,
        scope,
        versions,
        has_empty_versions,
        conversion: conversion.map(flatten),
        preserve_unknown_fields: Some(preserve_unknown_fields),
        ..Spec::default()
    };
    let hoisted = hoist(&mut spec);
    (
        CustomResourceDefinition {
            metadata: definition.metadata,
            spec,
            status: definition.status,
        },
        hoisted,
    )
}

/// Moves the fields inside v1's `webhook` up, next to the strategy.
fn flatten(conversion: v1::Conversion) -> Conversion {
    let v1::Conversion { strategy, webhook } = conversion;
    let webhook = webhook.unwrap_or_default();
    Conversion {
        strategy,
        webhook_client_config: webhook.client_config.map(|it| WebhookClientConfig {
            url: it.url,
            service: it.service.map(|(mut service, port)| {
                service.port = port.unwrap_or_default();
                service
            }),
            ca_bundle: it.ca_bundle,
        }),
        conversion_review_versions: webhook.conversion_review_versions,
    }
}

/// Moves parts that are equal in all versions to `spec`. An absent list equals an empty one.
fn hoist(spec: &mut Spec) -> Hoisted {
    let Some((first, others)) = spec.versions.split_first_mut() else {
        return Hoisted::default();
    };
    first.name.clone_into(&mut spec.version);
    let hoisted = Hoisted {
        validation: others.iter().all(|it| it.schema == first.schema),
        subresources: others.iter().all(|it| it.subresources == first.subresources),
        additional_printer_columns: others.iter().all(|it| {
            items(it.additional_printer_columns.as_ref()) == items(first.additional_printer_columns.as_ref())
        }),
        selectable_fields: others
            .iter()
            .all(|it| items(it.selectable_fields.as_ref()) == items(first.selectable_fields.as_ref())),
    };
    if hoisted.validation {
        spec.validation = first.schema.take();
    }
    if hoisted.subresources {
        spec.subresources = first.subresources.take();
    }
    if hoisted.additional_printer_columns {
        spec.additional_printer_columns = first.additional_printer_columns.take();
    }
    if hoisted.selectable_fields {
        spec.selectable_fields = first.selectable_fields.take();
    }
    for version in others {
        clear(version, hoisted);
    }
    hoisted
}

fn clear(version: &mut Version, hoisted: Hoisted) {
    if hoisted.validation {
        version.schema = None;
    }
    if hoisted.subresources {
        version.subresources = None;
    }
    if hoisted.additional_printer_columns {
        version.additional_printer_columns = None;
    }
    if hoisted.selectable_fields {
        version.selectable_fields = None;
    }
}

fn items<T>(list: Option<&Vec<T>>) -> &[T] {
    list.map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::{Hoisted, hoist};
    use crate::types::{ColumnDefinition, Spec, Subresources, Version};

    fn version(columns: Option<Vec<ColumnDefinition>>, subresources: Option<Subresources>) -> Version {
        Version {
            name: "v1".to_owned(),
            additional_printer_columns: columns,
            subresources,
            ..Version::default()
        }
    }

    #[track_caller]
    fn check(versions: Vec<Version>, columns: bool, subresources: bool) {
        let mut spec = Spec {
            versions,
            ..Spec::default()
        };
        let expected = Hoisted {
            validation: true,
            subresources,
            additional_printer_columns: columns,
            selectable_fields: true,
        };
        assert_eq!(hoist(&mut spec), expected);
        assert_eq!(spec.version, "v1");
        let left = spec
            .versions
            .iter()
            .filter(|it| it.additional_printer_columns.is_some())
            .count();
        assert!(!columns || left == 0);
        assert_eq!(spec.additional_printer_columns.is_some(), columns);
    }

    #[test]
    fn only_what_all_versions_share_moves() {
        let columns = vec![ColumnDefinition::default()];
        let some = || version(Some(columns.clone()), None);
        check(vec![some()], true, true);
        check(vec![some(), some()], true, true);
        check(vec![some(), version(None, None)], false, true);
        check(
            vec![some(), version(Some(columns.clone()), Some(Subresources::default()))],
            true,
            false,
        );
        // An absent list equals an empty one. The list of the first version is kept as it is, absent or empty.
        check(vec![version(Some(Vec::new()), None), version(None, None)], true, true);
        assert_eq!(hoist(&mut Spec::default()), Hoisted::default());
    }
}
