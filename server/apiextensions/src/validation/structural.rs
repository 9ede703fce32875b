//! Structural schemas and valid defaults: wrappers around the checks of the crate `schema`.

use crd_analyzer_schema::defaulting::{self, RuleOutcome, RuleRun, Rules, RunRules, validate_defaults};
use crd_analyzer_schema::field::{Error, Path};
use crd_analyzer_schema::structural::{self, Structural};
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion};

/// The errors that keep a schema from being structural (`ValidateStructural`).
pub(super) fn structural_errors(schema: Structural<'_>, path: &Path, version: KubernetesVersion) -> Vec<Error> {
    structural::validate(schema, path, version)
}

/// The errors in the defaults of a schema (`ValidateDefaults`). If `runs_rules` is set, the schema's rules also run on the defaults.
pub(super) fn default_errors(
    schema: Structural<'_>,
    path: &Path,
    version: KubernetesVersion,
    require_pruned: bool,
    runs_rules: bool,
) -> Vec<Error> {
    let defaults = defaulting::Options {
        is_resource_root: true,
        require_pruned,
        version,
    };
    if runs_rules {
        validate_defaults(schema, path, defaults, &mut RunRules::new(version))
    } else {
        validate_defaults(schema, path, defaults, &mut NoRules)
    }
}

/// Accepts all defaults, for checks that do not run rules.
struct NoRules;

impl Rules for NoRules {
    fn run(&mut self, run: &RuleRun<'_>) -> RuleOutcome {
        RuleOutcome {
            errors: Vec::new(),
            remaining: run.budget,
        }
    }
}

/// Whether a stored schema has a default that pruning would change (`schemaHasUnprunedDefaults`).
pub(super) fn has_unpruned_defaults(schema: &JsonSchemaProps, version: KubernetesVersion) -> bool {
    let Ok(schema) = Structural::new(schema) else {
        return false;
    };
    structural_errors(schema, &Path::root(), version).is_empty()
        && defaulting::has_unpruned_defaults(schema, version).unwrap_or(false)
}
