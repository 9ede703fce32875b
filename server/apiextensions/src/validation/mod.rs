//! Validation of a CRD on create and update
//! (`k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation`).
//!
//! Errors are in the API server's order, except that the API server walks maps in random order and this crate walks them in the order of names. If
//! the API server skips a stage, the errors of that stage are returned separately, as hidden.

mod approval;
mod bad_value;
mod ca_bundle;
mod cel;
mod certificate;
mod compiler;
mod conversion;
mod costs;
mod go_value;
mod keywords;
mod limits;
mod list_map;
mod list_set;
mod names;
mod node;
mod options;
mod preexisting;
mod preserve_unknown_fields;
mod pricing;
mod printer_columns;
mod report;
mod root_schema;
mod rule_cost;
mod rule_errors;
mod rules;
mod selectable_fields;
mod spec;
mod standard;
mod stored_versions;
mod structural;
mod subresources;
mod suggested_bounds;
#[cfg(test)]
mod tests;
mod traverse;
mod update_tolerances;
mod version;
mod version_fields;
mod walk;
mod webhook;

use crd_analyzer_schema::field::{Error, Path, Trail};
use crd_analyzer_schema::metadata::{
    drop_repeated, names::name_is_dns_subdomain, validate_object_meta, validate_object_meta_update,
};
use crd_analyzer_schema::unknown::Known;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, SchemaMap};

pub use cel::{CompiledRules, CompiledSchema, max_elements};
pub use compiler::CelCompiler;
pub use costs::schema_costs;
pub use limits::{COST_LIMIT, TOTAL_COST_LIMIT};
pub use preexisting::Preexisting;
pub use rule_cost::{Bound, BoundsProposal, RuleCost, SchemaCosts, UnboundedAncestor};
pub use traverse::TYPES;

use approval::approval_error;
use names::validate_names;
use options::Options;
use preserve_unknown_fields::preserve_unknown_fields_error;
use spec::{validate_spec, validate_spec_update};
use stored_versions::validate_stored_versions;
use update_tolerances::update_options;

use crate::codes;
use crate::types::{CustomResourceDefinition, Spec};

/// The errors in a CRD.
#[derive(Clone, Debug, Default)]
pub struct CrdErrors {
    /// The API server's errors. Empty if the API server crashes.
    pub errors: Vec<Error>,
    /// Errors that the API server reports only after the other errors are fixed. They are not part of its answer.
    pub hidden: Vec<Error>,
    /// The error that makes the API server crash on the CRD (HTTP 500). The API server's answer is then unknown.
    pub crash: Option<Error>,
    /// The compiled rules, including those that the API server does not compile in this request.
    pub compiled: Vec<CompiledSchema>,
}

impl CrdErrors {
    fn crash(&mut self, on: Error) {
        self.crash.get_or_insert(on);
    }

    /// Hides all errors if the API server crashes, because it then reports no errors.
    fn settle(mut self) -> Self {
        if self.crash.is_some() {
            self.hidden.splice(0..0, self.errors.drain(..));
        }
        self
    }
}

/// The errors of an API server of this Kubernetes version when the CRD is created (`ValidateCustomResourceDefinition`). Rules are only compiled with
/// a compiler.
pub fn validate_create(
    definition: &CustomResourceDefinition,
    version: KubernetesVersion,
    compiler: Option<&CelCompiler>,
) -> CrdErrors {
    let mut findings = CrdErrors::default();
    let required = format!("{}.{}", definition.spec.names.plural, definition.spec.group);
    let name_words = |name: &str, prefix: bool| {
        let mut words = name_is_dns_subdomain(name, prefix);
        if name != required {
            words.push("must be spec.names.plural+\".\"+spec.group".to_owned());
        }
        words
    };
    let metadata = Path::of(["metadata"]);
    validate_object_meta(
        (&definition.metadata, Known::ALL),
        false,
        name_words,
        &Trail::new(&metadata),
        version,
        &mut findings.errors,
    );
    drop_repeated(&mut findings.errors, 0, version);
    let options = Options::create(version, compiler);
    validate_spec(&definition.spec, &options, &Path::of(["spec"]), &mut findings);
    validate_rest(definition, None, version, &mut findings);
    findings.settle()
}

/// Validates a CRD that replaces `old` (`ValidateCustomResourceDefinitionUpdate`). The API server tolerates many errors that are already in `old`.
pub fn validate_update(
    definition: &CustomResourceDefinition,
    old: &CustomResourceDefinition,
    version: KubernetesVersion,
    compiler: Option<&CelCompiler>,
) -> CrdErrors {
    let mut findings = CrdErrors::default();
    let metadata = Path::of(["metadata"]);
    validate_object_meta_update(
        (&definition.metadata, Known::ALL),
        &old.metadata,
        &Trail::new(&metadata),
        version,
        &mut findings.errors,
    );
    drop_repeated(&mut findings.errors, 0, version);
    let options = update_options(definition, old, version, compiler);
    validate_spec_update(
        &definition.spec,
        &old.spec,
        &options,
        &Path::of(["spec"]),
        &mut findings,
    );
    validate_rest(definition, Some(old), version, &mut findings);
    findings.settle()
}

fn validate_rest(
    definition: &CustomResourceDefinition,
    old: Option<&CustomResourceDefinition>,
    version: KubernetesVersion,
    findings: &mut CrdErrors,
) {
    let errors = &mut findings.errors;
    let status = Path::of(["status"]);
    validate_names(
        &definition.status.accepted_names,
        &status.child("acceptedNames"),
        errors,
    );
    validate_stored_versions(&definition.status, &definition.spec.versions, &status, version, errors);
    errors.extend(approval_error(definition, old));
    errors.extend(preserve_unknown_fields_error(definition, old));
}

/// The error about a value that an update changes (`ValidateImmutableField`). `at` returns the path and the rendered value, and is only called for an
/// error.
fn immutable_error<T: PartialEq>(new: &T, old: &T, at: impl FnOnce() -> (Path, String)) -> Option<Error> {
    if new == old {
        return None;
    }
    let (path, bad_value) = at();
    Some(Error::invalid(
        codes::IMMUTABLE_FIELD,
        path,
        bad_value,
        "field is immutable",
    ))
}

/// Whether any schema has validation rules.
pub(crate) fn has_rules(spec: &Spec) -> bool {
    traverse::has_schema_with(spec, traverse::has_own_rules)
}

/// The schema `name` in a map, which is sorted by name.
fn lookup<'s>(schemas: &'s SchemaMap, name: &str) -> Option<&'s JsonSchemaProps> {
    let at = schemas.binary_search_by(|(key, _)| key.as_str().cmp(name)).ok()?;
    Some(&schemas[at].1)
}
