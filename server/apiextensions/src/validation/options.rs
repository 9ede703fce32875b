//! How strict the validation of a request is (`validationOptions`): the Kubernetes version, and what an update tolerates.

use std::collections::HashSet;

use crd_analyzer_schema::KubernetesVersion;

use super::bad_value::Render;
use super::compiler::CelCompiler;
use super::preexisting::Preexisting;

/// The questions that a create and an update answer differently.
pub(super) struct Options<'a> {
    pub(super) version: KubernetesVersion,
    /// Compiles and prices rules; without it the stage is left out.
    pub(super) compiler: Option<&'a CelCompiler>,
    pub(super) require_recognized_conversion_review_version: bool,
    pub(super) require_immutable_names: bool,
    pub(super) require_open_api_schema: bool,
    pub(super) require_valid_property_type: bool,
    pub(super) require_structural_schema: bool,
    pub(super) require_pruned_defaults: bool,
    pub(super) require_atomic_set_type: bool,
    pub(super) require_map_list_keys_map_set_validation: bool,
    /// Expressions that the stored CRD has: they may use what is not yet open to new ones.
    pub(super) preexisting: Preexisting<'a>,
    /// Versions whose schema an update leaves as it is: their rules may cost what they cost.
    pub(super) versions_with_unchanged_schemas: HashSet<&'a str>,
    pub(super) allow_invalid_ca_bundle: bool,
    /// Versions (or, as the empty name, the shared list) whose too many selectable fields an update leaves as they are.
    pub(super) allow_too_many_selectable_fields: HashSet<&'a str>,
}

impl<'a> Options<'a> {
    /// What a create asks (`ValidateCustomResourceDefinition`).
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

    /// How values are written into messages.
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
    /// The status subresource is on, so only certain keywords may stand at the root.
    pub(super) has_status: bool,
    /// The schema must be structural.
    pub(super) require_structural_schema: bool,
    /// A rule may cost more than the limit of one rule.
    pub(super) suppress_expression_cost: bool,
}
