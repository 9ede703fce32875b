//! Processes a create or update request for a CRD, from its JSON to the API server's answer.
//!
//! The order of the steps is the same as in the API server: decode, default, convert, prepare, validate, warn
//! (`pkg/registry/customresourcedefinition`, `strategy.go`; `k8s.io/apiserver/pkg/registry/rest`, `create.go` and `update.go`). Only accepted objects
//! get warnings.

mod after_decoding;
mod prepare;
#[cfg(test)]
mod tests;
mod verdict;

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::field::{Error, Path, Trail};
use crd_analyzer_schema::metadata::{ObjectMeta, names, validate_object_meta, validate_object_meta_update};
use crd_analyzer_schema::structural::{self, Structural};
use crd_analyzer_schema::unknown::Known;
use crd_analyzer_schema::{KubernetesVersion, defaulting};
use crd_analyzer_syntax::json::JsonDoc;

use crate::codes;
use crate::decode::{self, DecodeProblem, Refused, StrictError, StrictErrorKind};
use crate::internal;
use crate::kind::CRD;
use crate::types::{Condition, CustomResourceDefinition};
use crate::validation::{self, CelCompiler, CrdErrors};
use crate::warnings::{self, Warning};

pub use after_decoding::{Later, judge_later};
pub use verdict::{CrdVerdict, DecodeError, DecodePlace, Definition, Unjudged};

/// A CRD as an API server stores it, including the fields that its controllers set. Used for update requests.
#[derive(Clone, PartialEq, Debug)]
pub struct Stored(CustomResourceDefinition);

impl Stored {
    /// The CRD that a document creates, even if an API server of this Kubernetes version would reject it: an older version
    /// may have accepted it. `None` if the document cannot be decoded.
    pub fn establish(document: &JsonDoc<'_>, version: KubernetesVersion) -> Option<Self> {
        let decoded = decode::decode(document.root(), version).ok()?;
        let (mut definition, _) = internal::of(decoded.definition);
        prepare::for_create(&mut definition, version);
        coerce_defaults(&mut definition, version);
        "00000000-0000-0000-0000-000000000001".clone_into(&mut definition.metadata.uid);
        "1".clone_into(&mut definition.metadata.resource_version);
        definition.status.accepted_names = definition.spec.names.clone();
        for r#type in ["NamesAccepted", "Established"] {
            definition.status.conditions.push(Condition {
                r#type: r#type.to_owned(),
                status: "True".to_owned(),
                ..Condition::default()
            });
        }
        Some(Self(definition))
    }

    /// Sets the versions in which the cluster may store resources of this CRD (`status.storedVersions`).
    #[must_use]
    pub fn with_stored_versions(mut self, versions: Vec<String>) -> Self {
        self.0.status.stored_versions = versions;
        self
    }

    /// The CRD with only one version, served and stored under another name. The resources of this CRD are the result of a conversion without a
    /// webhook. `None` if the CRD does not contain the version.
    pub fn with_only_version(mut self, version: &str, name: &str) -> Option<Self> {
        let position = self.0.spec.versions.iter().position(|it| it.name == version)?;
        for (n, it) in self.0.spec.versions.iter_mut().enumerate() {
            let is_meant = n == position;
            (it.served, it.storage) = (is_meant, is_meant);
            (it.deprecated, it.deprecation_warning) = (false, None);
            // The other versions keep their index but lose their name, so that lookups by name do not find them.
            it.name = if is_meant { name.to_owned() } else { String::new() };
        }
        Some(self)
    }

    /// The CRD in the internal form.
    pub fn definition(&self) -> &CustomResourceDefinition {
        &self.0
    }

    /// Returns the CRD in the internal form.
    pub fn into_definition(self) -> CustomResourceDefinition {
        self.0
    }
}

/// Changes the defaults of a CRD like the API server, which changed them when it validated the CRD on creation.
fn coerce_defaults(definition: &mut CustomResourceDefinition, version: KubernetesVersion) {
    let shared = definition.spec.validation.iter_mut();
    let single = definition.spec.versions.iter_mut().filter_map(|it| it.schema.as_mut());
    for schema in shared.chain(single).filter_map(|it| it.open_api_v3_schema.as_mut()) {
        // The API server only validates defaults of structural schemas.
        if Structural::new(schema).is_ok_and(|it| structural::validate(it, &Path::root(), version).is_empty()) {
            defaulting::coerce_defaults(schema, version);
        }
    }
}

/// Returns the answer to a request that creates a CRD. Rules are compiled only if there is a compiler.
pub fn judge_create(document: &JsonDoc<'_>, version: KubernetesVersion, compiler: Option<&CelCompiler>) -> CrdVerdict {
    judge(document, None, version, compiler)
}

/// Returns the answer to a request that updates a CRD. Rules are compiled only if there is a compiler.
pub fn judge_update(
    document: &JsonDoc<'_>,
    old: &Stored,
    version: KubernetesVersion,
    compiler: Option<&CelCompiler>,
) -> CrdVerdict {
    judge(document, Some(old), version, compiler)
}

fn judge(
    document: &JsonDoc<'_>,
    old: Option<&Stored>,
    version: KubernetesVersion,
    compiler: Option<&CelCompiler>,
) -> CrdVerdict {
    match Received::new(document, version) {
        Ok(received) => received.judge(old, compiler),
        Err(verdict) => *verdict,
    }
}

/// A CRD that an API server has decoded, but not validated yet.
#[derive(Debug)]
pub struct Received {
    definition: CustomResourceDefinition,
    hoisted: internal::Hoisted,
    version: KubernetesVersion,
    /// The results so far.
    verdict: CrdVerdict,
}

impl Received {
    /// Decodes a document like an API server of this Kubernetes version. The error is the API server's answer to an unreadable document.
    pub fn new(document: &JsonDoc<'_>, version: KubernetesVersion) -> Result<Self, Box<CrdVerdict>> {
        if let Some(json) = document.first_too_deep() {
            let bracket = if json.items().is_some() { '[' } else { '{' };
            let why = format!(
                "couldn't get version/kind; json parse error: invalid character '{bracket}' exceeded max depth"
            );
            return Err(Box::new(CrdVerdict {
                decode_error: Some(DecodeError {
                    text: decode::decode_error(None, CRD.name, &why),
                    problem: DecodeProblem::Other,
                    place: DecodePlace::Node(json.node),
                    code: codes::UNREADABLE_CRD,
                }),
                ..CrdVerdict::default()
            }));
        }
        let decoded = match decode::decode(document.root(), version) {
            Ok(decoded) => *decoded,
            Err(Refused::ByServer {
                text,
                problem,
                node,
                code,
            }) => {
                return Err(Box::new(CrdVerdict {
                    decode_error: Some(DecodeError {
                        text,
                        problem,
                        place: DecodePlace::Node(node),
                        code,
                    }),
                    ..CrdVerdict::default()
                }));
            }
            Err(Refused::TooDeep { node }) => {
                return Err(Box::new(CrdVerdict {
                    unjudged: Some(Unjudged::TooDeep { node }),
                    ..CrdVerdict::default()
                }));
            }
        };
        let mut verdict = CrdVerdict {
            strict: decoded.strict,
            dropped: decoded.dropped,
            ..CrdVerdict::default()
        };
        if let (Some(text), Some(first)) = (document.strict_error(), document.duplicates().first()) {
            let duplicates = StrictError {
                text,
                node: first.second,
                kind: StrictErrorKind::DuplicateKeys,
            };
            verdict.strict.insert(0, duplicates);
        }
        let (definition, hoisted) = internal::of(decoded.definition);
        Ok(Self {
            definition,
            hoisted,
            version,
            verdict,
        })
    }

    /// Whether some schema of the CRD has validation rules.
    pub fn has_rules(&self) -> bool {
        validation::has_rules(&self.definition.spec)
    }

    /// Whether the CRD has selectable fields. Only rules and selectable fields can crash an API server.
    pub fn has_selectable_fields(&self) -> bool {
        let spec = &self.definition.spec;
        spec.selectable_fields.is_some() || spec.versions.iter().any(|it| it.selectable_fields.is_some())
    }

    /// Returns the answer to the request. `old` is the stored CRD if it is an update. Rules are compiled only if there is a compiler.
    pub fn judge(self, old: Option<&Stored>, compiler: Option<&CelCompiler>) -> CrdVerdict {
        let (mut verdict, ended) = budget::within(Limits::DOCUMENT, || {
            let mut verdict = self.judge_within(old, compiler);
            verdict.leave_out();
            verdict
        });
        verdict.left_out = ended.left_out;
        verdict.unfinished = ended.unfinished;
        if ended.unfinished.is_some() && verdict.is_accepted() {
            verdict.unjudged = Some(Unjudged::NotFinished);
        }
        verdict
    }

    fn judge_within(self, old: Option<&Stored>, compiler: Option<&CelCompiler>) -> CrdVerdict {
        let Self {
            mut definition,
            hoisted,
            version,
            mut verdict,
        } = self;
        match old {
            None => {
                prepare::for_create(&mut definition, version);
                create(&definition, version, compiler, &mut verdict);
            }
            Some(Stored(old)) => {
                prepare::for_update(&mut definition, old, version);
                update(&definition, old, version, compiler, &mut verdict);
            }
        }
        verdict.definition = Some(Box::new(Definition {
            internal: definition,
            hoisted,
        }));
        verdict
    }
}

/// `rest.BeforeCreate`, after the strategy has prepared the object.
fn create(
    definition: &CustomResourceDefinition,
    version: KubernetesVersion,
    compiler: Option<&CelCompiler>,
    verdict: &mut CrdVerdict,
) {
    let mut findings = validation::validate_create(definition, version, compiler);
    verdict.compiled = std::mem::take(&mut findings.compiled);
    take(findings, verdict);
    if verdict.is_accepted() {
        let base = Path::of(["metadata"]);
        let at = Trail::new(&base);
        validate_object_meta(
            (&definition.metadata, Known::ALL),
            false,
            names::path_segment,
            &at,
            version,
            &mut verdict.errors,
        );
    }
    if verdict.is_accepted() {
        verdict.warnings = warnings::on_create(&definition.spec, version);
    }
}

/// `rest.BeforeUpdate`, after the strategy has prepared the object.
fn update(
    definition: &CustomResourceDefinition,
    old: &CustomResourceDefinition,
    version: KubernetesVersion,
    compiler: Option<&CelCompiler>,
    verdict: &mut CrdVerdict,
) {
    common_fields(&definition.metadata, &old.metadata, version, &mut verdict.errors);
    take(validation::validate_update(definition, old, version, compiler), verdict);
    if verdict.is_accepted() {
        verdict.warnings = warnings::on_update(&definition.spec, &old.spec, version);
    }
}

/// The warnings for a new CRD that the API server now rejects, which it will return once the errors are fixed. They are not part of the answer.
pub fn later_warnings(verdict: &CrdVerdict, version: KubernetesVersion) -> Vec<Warning> {
    let is_refused = !verdict.is_accepted() && verdict.unjudged.is_none() && verdict.unfinished.is_none();
    let definition = verdict.definition.as_ref().filter(|_| is_refused);
    definition.map_or_else(Vec::new, |it| warnings::on_create(&it.internal.spec, version))
}

fn take(findings: CrdErrors, verdict: &mut CrdVerdict) {
    verdict.errors.extend(findings.errors);
    verdict.hidden.extend(findings.hidden);
    if let Some(error) = findings.crash {
        // An API server that crashes returns no other errors.
        verdict.hidden.splice(0..0, verdict.errors.drain(..));
        verdict.unjudged = Some(Unjudged::ServerPanics { error });
    }
}

/// Checks that apply to every update (`validateCommonFields`).
fn common_fields(new: &ObjectMeta, old: &ObjectMeta, version: KubernetesVersion, errors: &mut Vec<Error>) {
    let base = Path::of(["metadata"]);
    let at = Trail::new(&base);
    validate_object_meta((new, Known::ALL), false, names::path_segment, &at, version, errors);
    validate_object_meta_update((new, Known::ALL), old, &at, version, errors);
}
