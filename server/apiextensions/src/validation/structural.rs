//! Whether a schema is structural, and whether its defaults are good: what `schema` answers, as this crate asks it.

use serde_json::Value;

use crd_analyzer_schema::defaulting::{self, Checks, RuleOutcome, RuleRun, validate_defaults};
use crd_analyzer_schema::field::{Error, Path};
use crd_analyzer_schema::structural::{self, Structural};
use crd_analyzer_schema::validation::Validator;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion};

use super::options::Options;

/// What keeps a schema from being structural (`ValidateStructural`).
pub(super) fn structural_errors(schema: Structural<'_>, path: &Path, version: KubernetesVersion) -> Vec<Error> {
    structural::validate(schema, path, version)
}

/// What is wrong with the defaults of a schema (`ValidateDefaults`).
pub(super) fn default_errors(schema: Structural<'_>, path: &Path, options: &Options<'_>) -> Vec<Error> {
    let defaults = defaulting::Options {
        is_resource_root: true,
        require_pruned: options.require_pruned_defaults,
        version: options.version,
    };
    let version = options.version;
    validate_defaults(schema, path, defaults, &mut DefaultChecks { version })
}

/// What judges defaults by their schemas and rules.
struct DefaultChecks {
    version: KubernetesVersion,
}

impl Checks for DefaultChecks {
    fn values(&mut self, value: &Value, schema: Structural<'_>, path: &Path) -> Vec<Error> {
        Validator::of_structural(schema.props(), self.version).validate(path, value)
    }

    fn rules(&mut self, run: &RuleRun<'_>) -> RuleOutcome {
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
