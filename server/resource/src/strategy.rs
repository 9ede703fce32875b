//! Validation on create and update (`pkg/registry/customresource`: `strategy.go`, `status_strategy.go`, `validator.go`; and
//! `k8s.io/apiserver/pkg/registry/rest` around them).

mod corrected;
mod scale;

use crd_analyzer_schema::field::{Error, ErrorType, Path, Trail, render};
use crd_analyzer_schema::metadata::{
    ObjectMeta, drop_repeated, names, validate_object_meta, validate_object_meta_update,
};
use crd_analyzer_schema::rules::run::{RUNTIME_BUDGET, Request};
use crd_analyzer_schema::structural::lookup;
use crd_analyzer_schema::unknown::Known;
use crd_analyzer_schema::validation::{self, Validator};
use crd_analyzer_schema::{KubernetesVersion, codes as schema_codes, go, list_type, objectmeta};
use serde_json::Value;

use crate::definition::{Compiled, ServedVersion};
use crate::paths;
use crate::verdict::{Decider, NotFinished, RejectionCause, Warning};
use crate::{codes, prepare};

/// The first Kubernetes version whose errors about a status update include the path of the status.
const STATUS_PATH_SINCE: KubernetesVersion = KubernetesVersion::minor(31);
/// The first Kubernetes version that ratchets updates of the status.
const STATUS_RATCHETING_SINCE: KubernetesVersion = KubernetesVersion::minor(33);

/// The input of a validation.
#[derive(Clone, Copy)]
pub(crate) struct Validation<'a> {
    pub(crate) version: ServedVersion<'a>,
    /// The prepared object.
    pub(crate) new: &'a Value,
    /// The known parts of the object.
    pub(crate) known: Known<'a>,
    /// The stored object, if there is one.
    pub(crate) old: Option<&'a Value>,
    /// Whether only the status is updated.
    pub(crate) is_status: bool,
    /// Whether to trace the values that failed rules read.
    pub(crate) wants_reads: bool,
}

/// The results of a validation.
#[derive(Default)]
pub(crate) struct ResourceErrors {
    pub(crate) errors: Vec<RejectionCause>,
    pub(crate) hidden: Vec<RejectionCause>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) unfinished: Vec<NotFinished>,
    pub(crate) cel_cost: Option<u64>,
    pub(crate) ran: Vec<Decider>,
}

/// `rest.BeforeCreate` and `rest.BeforeUpdate`, after the strategy has prepared the object.
pub(crate) fn validate(it: &Validation<'_>) -> ResourceErrors {
    let mut findings = ResourceErrors::default();
    let meta = |value: &Value| value.as_object().map(prepare::metadata).unwrap_or_default();
    let new_meta = meta(it.new);
    let old_meta = it.old.map(meta);
    if let Some(old_meta) = &old_meta {
        let mut errors = it.metadata(&new_meta, names::path_segment);
        errors.extend(it.metadata_update(&new_meta, old_meta));
        findings.errors.extend(errors.into_iter().map(plain));
    }
    it.by_strategy(&new_meta, old_meta.as_ref(), &mut findings);
    if it.old.is_none() && findings.errors.is_empty() {
        let errors = it.metadata(&new_meta, names::path_segment);
        findings.errors.extend(errors.into_iter().map(plain));
    }
    findings
}

/// An error that does not come from the schema.
fn plain(error: Error) -> RejectionCause {
    RejectionCause {
        error,
        decider: None,
        reads: Vec::new(),
    }
}

impl Validation<'_> {
    fn kubernetes(&self) -> KubernetesVersion {
        self.version.kubernetes()
    }

    fn metadata(&self, meta: &ObjectMeta, name_words: impl Fn(&str, bool) -> Vec<String>) -> Vec<Error> {
        let base = Path::of(["metadata"]);
        let mut errors = Vec::new();
        let is_namespaced = self.version.definition().is_namespaced();
        let at = Trail::new(&base);
        let meta = (meta, self.known.field("metadata"));
        validate_object_meta(meta, is_namespaced, name_words, &at, self.kubernetes(), &mut errors);
        errors
    }

    fn metadata_update(&self, new: &ObjectMeta, old: &ObjectMeta) -> Vec<Error> {
        let base = Path::of(["metadata"]);
        let mut errors = Vec::new();
        let new = (new, self.known.field("metadata"));
        validate_object_meta_update(new, old, &Trail::new(&base), self.kubernetes(), &mut errors);
        errors
    }

    /// `customResourceStrategy.Validate`, `ValidateUpdate`, `statusStrategy.ValidateUpdate`.
    fn by_strategy(&self, new_meta: &ObjectMeta, old_meta: Option<&ObjectMeta>, findings: &mut ResourceErrors) {
        let before = findings.errors.len();
        self.by_validator(new_meta, old_meta, &mut findings.errors);
        let schema = self.version.compiled().map(Compiled::structural);
        if !self.is_status {
            let errors = objectmeta::validate(self.new, self.known, schema, false, &Path::root(), self.kubernetes());
            let keyword = Some("x-kubernetes-embedded-resource");
            findings
                .errors
                .extend(errors.into_iter().map(|it| self.along(it, keyword)));
        }
        let lists = |value: &Value, known: Known<'_>| match (value, schema) {
            (Value::Object(object), Some(schema)) => {
                list_type::validate_list_sets_and_maps(object, known, schema, &Path::root(), self.kubernetes())
            }
            _ => Vec::new(),
        };
        if self.old.is_none_or(|old| lists(old, Known::ALL).is_empty()) {
            let errors = lists(self.new, self.known);
            let keyword = Some("x-kubernetes-list-type");
            findings
                .errors
                .extend(errors.into_iter().map(|it| self.along(it, keyword)));
        }
        let Some(compiled) = self.version.compiled().filter(|it| !it.rules().is_empty()) else {
            return;
        };
        // Errors from the generic metadata validation do not prevent the rules from running.
        if findings.errors[before..].iter().any(|it| blocks_rules(&it.error)) {
            let detail = "some validation rules were not checked because the object was invalid; correct the existing \
                          errors to complete validation";
            let bad_value = render::bad_value(&Value::Null, self.kubernetes());
            let error = Error::invalid(codes::UNCHECKED_RULES, Path::root(), bad_value, detail);
            findings.errors.push(plain(error));
            match corrected::corrected(self.new, self.known, &findings.errors[before..]) {
                Some(it) => self.rules(compiled, (&it.value, Some(&it.unknown).into()), true, findings),
                None => self.rules(compiled, (self.new, self.known), true, findings),
            }
        } else {
            self.rules(compiled, (self.new, self.known), false, findings);
        }
    }

    /// `customResourceValidator`
    fn by_validator(&self, new_meta: &ObjectMeta, old_meta: Option<&ObjectMeta>, errors: &mut Vec<RejectionCause>) {
        let mismatches = self.type_meta();
        if !mismatches.is_empty() {
            errors.extend(mismatches.into_iter().map(plain));
            return;
        }
        let mut of_metadata = match old_meta {
            None => self.metadata(new_meta, names::name_is_dns_subdomain),
            Some(old_meta) => self.metadata_update(new_meta, old_meta),
        };
        drop_repeated(&mut of_metadata, 0, self.kubernetes());
        errors.extend(of_metadata.into_iter().map(plain));
        if self.is_status {
            self.status(errors);
        } else if let Some(compiled) = self.version.compiled() {
            let validator = Validator::with_patterns(compiled.schema(), compiled.patterns(), self.kubernetes());
            let found = validator.findings(&Path::root(), self.new, self.known, self.old);
            errors.extend(found.into_iter().map(|it| self.by_schema(it, compiled)));
        }
        let Some(scale) = self.version.scale() else {
            return;
        };
        let mut found = Vec::new();
        if !self.is_status {
            found.extend(scale::spec(scale, (self.new, self.known)));
        }
        found.extend(scale::status(scale, (self.new, self.known)));
        errors.extend(found.into_iter().map(|(error, field)| {
            let path = self.version.path().child("subresources").child("scale").child(field);
            RejectionCause {
                decider: Some(Decider { path, rule: None }),
                ..plain(error)
            }
        }));
    }

    /// `ValidateTypeMeta`
    fn type_meta(&self) -> Vec<Error> {
        let definition = self.version.definition();
        let api_version = format!("{}/{}", definition.group(), self.version.name());
        let expected = [("kind", definition.kind()), ("apiVersion", &api_version)];
        let mismatch = |(name, expected): (&str, &str)| {
            if self.known.field(name).is_nothing() {
                return None;
            }
            let text = self.new.get(name).and_then(Value::as_str).unwrap_or_default();
            (text != expected).then(|| {
                let detail = format!("must be {expected}");
                Error::invalid(schema_codes::TYPE_META, Path::of([name]), go::quote(text), detail)
            })
        };
        expected.into_iter().filter_map(mismatch).collect()
    }

    /// Validates the status against its own schema.
    fn status(&self, errors: &mut Vec<RejectionCause>) {
        let Some(compiled) = self.version.compiled() else {
            return;
        };
        let (Some(status), Some(schema)) = (self.new.get("status"), lookup(&compiled.schema().properties, "status"))
        else {
            return;
        };
        let path = if self.kubernetes() >= STATUS_PATH_SINCE {
            Path::of(["status"])
        } else {
            Path::root()
        };
        let old = self.old.filter(|_| self.kubernetes() >= STATUS_RATCHETING_SINCE);
        let old = old.and_then(|it| it.get("status"));
        let validator = Validator::with_patterns(schema, compiled.patterns(), self.kubernetes());
        let found = validator.findings(&path, status, self.known.field("status"), old);
        errors.extend(found.into_iter().map(|it| self.by_schema(it, compiled)));
    }

    /// Runs the rules on an object. If `is_hidden` is set, the API server does not run these rules.
    fn rules(
        &self,
        compiled: &Compiled,
        (value, known): (&Value, Known<'_>),
        is_hidden: bool,
        findings: &mut ResourceErrors,
    ) {
        let is_ratcheted = !self.is_status || self.kubernetes() >= STATUS_RATCHETING_SINCE;
        let root = Path::root();
        let outcome = compiled.rules().run(&Request {
            path: &root,
            value,
            known,
            old: self.old,
            ratcheting: is_ratcheted.then_some(compiled.schema()),
            budget: RUNTIME_BUDGET,
            wants_reads: self.wants_reads,
        });
        let found = outcome.errors.into_iter().map(|it| RejectionCause {
            decider: Some(self.by_rule(&it.schema, it.rule)),
            error: it.error,
            reads: it.reads,
        });
        findings.cel_cost = Some((RUNTIME_BUDGET - outcome.left) as u64);
        findings
            .unfinished
            .extend(outcome.unfinished.into_iter().map(|it| NotFinished {
                why: it.why,
                decider: Some(self.by_rule(&it.schema, Some(it.rule))),
                path: it.path,
            }));
        if is_hidden {
            findings.hidden.extend(found);
            return;
        }
        findings.errors.extend(found);
        let ran = outcome
            .ran
            .iter()
            .map(|(schema, rule)| self.by_rule(schema, Some(*rule)));
        findings.ran.extend(ran);
        findings.warnings.extend(outcome.warnings.into_iter().map(|it| Warning {
            text: it.error.to_string(),
            code: codes::RATCHETED_RULE,
            decider: Some(self.by_rule(&it.schema, it.rule)),
            cause: it.error.cause().cloned(),
            path: it.error.path,
        }));
    }

    fn by_rule(&self, schema: &Path, rule: Option<usize>) -> Decider {
        let mut path = self.version.schema_path();
        for step in schema.segments() {
            path.push(step.clone());
        }
        path = path.child("x-kubernetes-validations");
        Decider {
            path: match rule {
                Some(index) => path.index(index),
                None => path,
            },
            rule,
        }
    }

    fn by_schema(&self, found: validation::ValueError<'_>, compiled: &Compiled) -> RejectionCause {
        let decider = compiled.nodes().path(found.schema).map(|steps| Decider {
            path: paths::keyword(found.schema, &found.error, self.version.schema_path(), &steps),
            rule: None,
        });
        RejectionCause {
            decider,
            ..plain(found.error)
        }
    }

    /// An error caused by the schema at the error's path.
    fn along(&self, error: Error, keyword: Option<&str>) -> RejectionCause {
        let decider = self.version.schema().map(|schema| Decider {
            path: paths::along(self.version.schema_path(), schema, &error.path, keyword),
            rule: None,
        });
        RejectionCause {
            decider,
            ..plain(error)
        }
    }
}

/// Whether the API server does not run rules after this error (`hasBlockingErr`).
fn blocks_rules(error: &Error) -> bool {
    matches!(
        error.kind,
        ErrorType::NotSupported
            | ErrorType::Required
            | ErrorType::TooLong
            | ErrorType::TooMany
            | ErrorType::TypeInvalid
    )
}
