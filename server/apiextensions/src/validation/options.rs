//! The strictness of a request's validation (`validationOptions`): the Kubernetes version, and the errors that an update tolerates.

use std::collections::HashSet;

use crd_analyzer_schema::KubernetesVersion;

use super::bad_value::Render;
use super::compiler::CelCompiler;
use super::preexisting::Preexisting;

/// The settings that differ between creates and updates.
pub(super) struct Options<'a> {
    pub(super) version: KubernetesVersion,
    /// Compiles rules and estimates their costs. Without a compiler, rules are skipped.
    pub(super) compiler: Option<&'a CelCompiler>,
    pub(super) require_recognized_conversion_review_version: bool,
    pub(super) require_immutable_names: bool,
    pub(super) require_open_api_schema: bool,
    pub(super) require_valid_property_type: bool,
    pub(super) require_structural_schema: bool,
    pub(super) require_pruned_defaults: bool,
    pub(super) require_atomic_set_type: bool,
    pub(super) require_map_list_keys_map_set_validation: bool,
    /// Expressions of the stored CRD. They may use features that new expressions cannot use yet.
    pub(super) preexisting: Preexisting<'a>,
    /// Versions whose schema the update does not change. Rules in these versions may exceed the cost limit.
    pub(super) versions_with_unchanged_schemas: HashSet<&'a str>,
    pub(super) allow_invalid_ca_bundle: bool,
    /// Versions with too many selectable fields that the update does not change. For the shared list, the name is empty.
    pub(super) allow_too_many_selectable_fields: HashSet<&'a str>,
}

impl<'a> Options<'a> {
    /// The options for a create (`ValidateCustomResourceDefinition`).
    pub(super) fn create(version: KubernetesVersion, compiler: Option<&'a CelCompiler>) -> Self {
        Self {
            version,
            compiler,
            require_recognized_conversion_review_version: true,
            require_immutable_names: false,
            require_open_api_schema: true,
            require_valid_property_type: true,
            require_structural_schema: true,
            require_pruned_defaults: true,
            require_atomic_set_type: true,
            require_map_list_keys_map_set_validation: true,
            preexisting: Preexisting::default(),
            versions_with_unchanged_schemas: HashSet::new(),
            allow_invalid_ca_bundle: true,
            allow_too_many_selectable_fields: HashSet::new(),
        }
    }

    /// The renderer of values in messages.
    pub(super) fn render(&self) -> Render {
        Render::new(self.version)
    }

    /// Whether rules of the version `name` may cost more than the limit of one rule
    /// (`suppressExpressionCostForUnchangedSchema`).
    pub(super) fn suppresses_expression_cost(&self, name: &str) -> bool {
        self.versions_with_unchanged_schemas.contains(name)
    }
}

/// The options of one schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct SchemaQuestion {
    /// Whether the status subresource is enabled, so that only certain keywords are allowed at the root.
    pub(super) has_status: bool,
    /// Whether the schema must be structural.
    pub(super) require_structural_schema: bool,
    /// Whether a rule may exceed the cost limit of one rule.
    pub(super) suppress_expression_cost: bool,
}
