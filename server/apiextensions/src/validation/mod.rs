//! The rules of a definition on create and update
//! (`k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation`).
//!
//! Errors come in the server's order, except that it walks maps in random order and we by name. What a stage that the
//! server skips would have said is kept apart, as hidden.

mod approval;
mod bad_value;
mod ca_bundle;
mod cel;
mod certificate;
mod columns;
mod compiler;
mod conversion;
mod costs;
mod go_value;
mod keywords;
mod list_map;
mod names;
mod node;
mod options;
mod remedy;
mod report;
mod root_schema;
mod rules;
mod selectable_fields;
mod spec;
mod standard;
mod structural;
mod subresources;
#[cfg(test)]
mod tests;
mod traverse;
mod version;
mod version_fields;
mod webhook;

use std::collections::HashMap;

use crd_analyzer_schema::field::{Error, Path, Trail};
use crd_analyzer_schema::metadata::{
    drop_repeated, names::name_is_dns_subdomain, validate_object_meta, validate_object_meta_update,
};
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, SchemaMap};

pub use cel::{
    COST_LIMIT, CompileError, CompiledRule, CompiledRules, CompiledSchema, NodeTypes, RuleCompiler, TOTAL_COST_LIMIT,
    Types, max_elements,
};
pub use compiler::CelCompiler;
pub use costs::{RuleCost, SchemaCosts, UnboundedAncestor, schema_costs};
pub use options::Preexisting;
pub use remedy::{Bound, Remedy};

use approval::approval_error;
use bad_value::Render;
use names::validate_names;
use options::Options;
use spec::{validate_spec, validate_spec_update};

use crate::codes;
use crate::types::{CustomResourceDefinition, Spec, Status, Version};

/// What is wrong with a definition.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Findings {
    /// What the server says. Empty if it crashes.
    pub errors: Vec<Error>,
    /// What it would say if it got as far: shown when the rest is mended, never as its verdict.
    pub hidden: Vec<Error>,
    /// The server crashes on the definition (HTTP 500): on what. There is no verdict then.
    pub crash: Option<Error>,
    /// What the rules compile to in this request, also those that the server does not get to.
    pub compiled: Vec<CompiledSchema>,
}

impl Findings {
    fn crash(&mut self, on: Error) {
        self.crash.get_or_insert(on);
    }

    /// A server that crashes says nothing else.
    fn settle(mut self) -> Self {
        if self.crash.is_some() {
            self.hidden.splice(0..0, self.errors.drain(..));
        }
        self
    }
}

/// What a server of this minor says to the definition when it is created (`ValidateCustomResourceDefinition`). Rules are
/// compiled if there is a compiler.
pub fn validate_create(
    definition: &CustomResourceDefinition,
    version: KubernetesVersion,
    compiler: Option<&dyn RuleCompiler>,
) -> Findings {
    let mut findings = Findings::default();
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
        &definition.metadata,
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

/// What a server of this minor says to the definition when it replaces `old`
/// (`ValidateCustomResourceDefinitionUpdate`): much that `old` got away with is let pass.
pub fn validate_update(
    definition: &CustomResourceDefinition,
    old: &CustomResourceDefinition,
    version: KubernetesVersion,
    compiler: Option<&dyn RuleCompiler>,
) -> Findings {
    let mut findings = Findings::default();
    let metadata = Path::of(["metadata"]);
    validate_object_meta_update(
        &definition.metadata,
        &old.metadata,
        &Trail::new(&metadata),
        version,
        &mut findings.errors,
    );
    drop_repeated(&mut findings.errors, 0, version);
    let options = Options::update(definition, old, version, compiler);
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
    findings: &mut Findings,
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

/// Checks the versions that objects were stored in (`ValidateCustomResourceDefinitionStoredVersions`).
fn validate_stored_versions(
    status: &Status,
    versions: &[Version],
    path: &Path,
    version: KubernetesVersion,
    errors: &mut Vec<Error>,
) {
    let path = path.child("storedVersions");
    let stored = &status.stored_versions;
    let render = Render::new(version);
    let code = codes::STORED_VERSIONS;
    if stored.is_empty() {
        // A list that was never there and an empty one print differently before 1.34 only; a status has none.
        let detail = "must have at least one stored version";
        errors.push(Error::invalid(code, path, render.strings(None), detail));
        return;
    }
    let mut missing: HashMap<&str, usize> = stored.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
    for it in versions {
        let is_stored = missing.remove(it.name.as_str()).is_some();
        if it.storage && !is_stored {
            let detail = format!("must have the storage version {}", it.name);
            errors.push(Error::invalid(code, path.clone(), render.strings(Some(stored)), detail));
        }
    }
    let mut missing: Vec<(&str, usize)> = missing.into_iter().collect();
    missing.sort_unstable_by_key(|&(_, i)| i);
    for (name, i) in missing {
        let detail = if version >= KubernetesVersion::minor(33) {
            format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions \
                 until a storage migration ensures no data remains persisted in {name} and removes {name} from \
                 status.storedVersions"
            )
        } else {
            "must appear in spec.versions".to_owned()
        };
        errors.push(report::invalid_string(code, path.index(i), name, detail));
    }
}

/// `validatePreserveUnknownFields`
fn preserve_unknown_fields_error(
    definition: &CustomResourceDefinition,
    old: Option<&CustomResourceDefinition>,
) -> Option<Error> {
    let preserves = |it: &CustomResourceDefinition| it.spec.preserve_unknown_fields == Some(true);
    if old.is_some_and(preserves) || !preserves(definition) {
        return None;
    }
    Some(Error::invalid(
        codes::PRESERVED_UNKNOWN_FIELDS,
        Path::of(["spec", "preserveUnknownFields"]),
        "true",
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ))
}

/// The error about a value that an update changes (`ValidateImmutableField`); path and rendered value are asked for only
/// then.
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

/// Whether some schema has validation rules.
pub(crate) fn has_rules(spec: &Spec) -> bool {
    traverse::has_schema_with(spec, traverse::has_own_rules)
}

/// The schema `name` of a map, which is sorted by name.
fn lookup<'s>(schemas: &'s SchemaMap, name: &str) -> Option<&'s JsonSchemaProps> {
    let at = schemas.binary_search_by(|(key, _)| key.as_str().cmp(name)).ok()?;
    Some(&schemas[at].1)
}
