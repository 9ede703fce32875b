//! Validation of `metadata` on create and update (`k8s.io/apimachinery/pkg/api/validation`).

use std::collections::HashSet;

use crd_analyzer_cel::KubernetesVersion;
use serde_json::Value;

use super::names::{label_value, name_is_dns_label, qualified_name};
use super::{ObjectMeta, validate_managed_fields, validate_owner_references};
use crate::codes;
use crate::field::{Cause, Error, Trail, render};
use crate::go::{quote, to_lower};
use crate::unknown::Known;

/// The maximum total size of all annotation keys and values, in bytes (`TotalAnnotationSizeLimitB`).
pub const TOTAL_ANNOTATION_SIZE_LIMIT: usize = 256 * 1024;

/// `ValidateObjectMeta`: validates metadata on create, after a name was generated.
///
/// `name_words` returns the problems of a name, or of the start of a name if its second argument is true. The module [`names`](super::names) contains
/// such functions. Unknown names are not validated.
pub fn validate_object_meta(
    (meta, known): (&ObjectMeta, Known<'_>),
    requires_namespace: bool,
    name_words: impl Fn(&str, bool) -> Vec<String>,
    at: &Trail<'_>,
    version: KubernetesVersion,
    errors: &mut Vec<Error>,
) {
    let is_unknown = |field: &str| known.is_nothing() || known.field(field).is_nothing();
    let mut judge = |field: &str, name: &str, prefix: bool| {
        if is_unknown(field) {
            return;
        }
        for detail in name_words(name, prefix) {
            errors.push(Error::invalid(
                codes::INVALID_METADATA_NAME,
                at.child(field).path(),
                quote(name),
                detail,
            ));
        }
    };
    if !meta.generate_name.is_empty() {
        judge("generateName", &meta.generate_name, true);
    }
    if meta.name.is_empty() && (known.has_more() || is_unknown("name")) {
        // The name may be among the unknown parts.
    } else if meta.name.is_empty() {
        let path = at.child("name").path();
        errors.push(Error::required(
            codes::MISSING_METADATA_NAME,
            path,
            "name or generateName is required",
        ));
    } else {
        judge("name", &meta.name, false);
    }
    if !is_unknown("namespace") {
        validate_namespace(&meta.namespace, requires_namespace, &at.child("namespace"), errors);
    }
    validate_generation(meta.generation, &at.child("generation"), errors);
    validate_labels(&meta.labels, &at.child("labels"), version, errors);
    validate_annotations(&meta.annotations, &at.child("annotations"), version, errors);
    validate_owner_references(&meta.owner_references, &at.child("ownerReferences"), version, errors);
    validate_finalizers(&meta.finalizers, &at.child("finalizers"), version, errors);
    validate_managed_fields(&meta.managed_fields, &at.child("managedFields"), version, errors);
}

fn validate_namespace(namespace: &str, required: bool, at: &Trail<'_>, errors: &mut Vec<Error>) {
    let code = codes::INVALID_METADATA_NAMESPACE;
    match (required, namespace.is_empty()) {
        (true, true) => errors.push(Error::required(code, at.path(), "")),
        (true, false) => {
            for detail in name_is_dns_label(namespace, false) {
                errors.push(Error::invalid(code, at.path(), quote(namespace), detail));
            }
        }
        (false, true) => {}
        (false, false) => errors.push(Error::forbidden(code, at.path(), "not allowed on this type")),
    }
}

fn entry(key: &str, is_value: bool) -> Cause {
    let key = key.to_owned();
    Cause::Entry { key, is_value }
}

/// `ValidateNonnegativeField`
fn validate_generation(generation: i64, at: &Trail<'_>, errors: &mut Vec<Error>) {
    if generation < 0 {
        errors.push(Error::invalid(
            codes::INVALID_GENERATION,
            at.path(),
            generation.to_string(),
            "must be greater than or equal to 0",
        ));
    }
}

/// `ValidateLabels` of `k8s.io/apimachinery/pkg/apis/meta/v1/validation`.
pub fn validate_labels(
    labels: &[(String, String)],
    at: &Trail<'_>,
    version: KubernetesVersion,
    errors: &mut Vec<Error>,
) {
    let code = codes::INVALID_LABEL;
    for (key, value) in labels {
        for detail in qualified_name(key, version) {
            let error = Error::invalid(code, at.path(), quote(key), detail);
            errors.push(error.because(entry(key, false)).really_about(at.key(key).path()));
        }
        for detail in label_value(value, version) {
            let error = Error::invalid(code, at.path(), quote(value), detail);
            errors.push(error.because(entry(key, true)).really_about(at.key(key).path()));
        }
    }
}

/// `ValidateAnnotations`
pub fn validate_annotations(
    annotations: &[(String, String)],
    at: &Trail<'_>,
    version: KubernetesVersion,
    errors: &mut Vec<Error>,
) {
    let mut size = 0;
    for (key, value) in annotations {
        for detail in qualified_name(&to_lower(key), version) {
            let error = Error::invalid(codes::INVALID_ANNOTATION, at.path(), quote(key), detail);
            errors.push(error.because(entry(key, false)).really_about(at.key(key).path()));
        }
        size += key.len() + value.len();
    }
    if size > TOTAL_ANNOTATION_SIZE_LIMIT {
        errors.push(Error::too_long(
            codes::ANNOTATIONS_TOO_LONG,
            at.path(),
            TOTAL_ANNOTATION_SIZE_LIMIT,
            version,
        ));
    }
}

/// `ValidateFinalizers`
pub fn validate_finalizers(finalizers: &[String], at: &Trail<'_>, version: KubernetesVersion, errors: &mut Vec<Error>) {
    let code = codes::INVALID_FINALIZER;
    for (n, finalizer) in finalizers.iter().enumerate() {
        for detail in qualified_name(finalizer, version) {
            let error = Error::invalid(code, at.path(), quote(finalizer), detail);
            errors.push(error.because(entry(finalizer, false)).really_about(at.index(n).path()));
        }
    }
    let has = |name: &str| finalizers.iter().any(|finalizer| finalizer == name);
    if has("orphan") && has("foregroundDeletion") {
        errors.push(Error::invalid(
            code,
            at.path(),
            render::string_list(finalizers, version),
            "finalizer orphan and foregroundDeletion cannot be both set",
        ));
    }
}

/// Drops errors from index `from` on that repeat another error. API servers since 1.37 drop such errors if they also validate metadata declaratively
/// (`ValidateObjectMetaDeclaratively`, which filters errors through an aggregate).
pub fn drop_repeated(errors: &mut Vec<Error>, from: usize, version: KubernetesVersion) {
    if version < KubernetesVersion::minor(37) || errors.len() < from + 2 {
        return;
    }
    let mut seen = HashSet::new();
    let mut position = 0;
    errors.retain(|error| {
        position += 1;
        position <= from || seen.insert(error.to_string())
    });
}

/// `ValidateObjectMetaUpdate`: validates metadata on update.
pub fn validate_object_meta_update(
    (new, known): (&ObjectMeta, Known<'_>),
    old: &ObjectMeta,
    at: &Trail<'_>,
    version: KubernetesVersion,
    errors: &mut Vec<Error>,
) {
    if old.deletion_timestamp.is_some() {
        validate_no_new_finalizers(&new.finalizers, &old.finalizers, &at.child("finalizers"), errors);
    }
    if new.resource_version.is_empty() {
        errors.push(Error::invalid(
            codes::MISSING_RESOURCE_VERSION,
            at.child("resourceVersion").path(),
            "\"\"",
            "must be specified for an update",
        ));
    }
    if version >= KubernetesVersion::minor(37) {
        validate_generation(new.generation, &at.child("generation"), errors);
    }
    if new.generation < old.generation {
        errors.push(Error::invalid(
            codes::INVALID_GENERATION,
            at.child("generation").path(),
            new.generation.to_string(),
            "must not be decremented",
        ));
    }
    let mut immutable = |field: &str, same: bool, bad_value: &dyn Fn() -> String| {
        if !same && !known.is_nothing() && known.field(field).is_all() {
            let path = at.child(field).path();
            errors.push(Error::invalid(
                codes::IMMUTABLE_METADATA,
                path,
                bad_value(),
                "field is immutable",
            ));
        }
    };
    let time = |time: &Option<String>| render_time(time.as_deref(), version);
    immutable("name", new.name == old.name, &|| quote(&new.name));
    immutable("namespace", new.namespace == old.namespace, &|| quote(&new.namespace));
    immutable("uid", new.uid == old.uid, &|| named_string(&new.uid, version));
    immutable(
        "creationTimestamp",
        new.creation_timestamp == old.creation_timestamp,
        &|| time(&new.creation_timestamp),
    );
    immutable(
        "deletionTimestamp",
        new.deletion_timestamp == old.deletion_timestamp,
        &|| time(&new.deletion_timestamp),
    );
    immutable(
        "deletionGracePeriodSeconds",
        new.deletion_grace_period_seconds == old.deletion_grace_period_seconds,
        &|| {
            render::bad_value(
                &new.deletion_grace_period_seconds.map_or(Value::Null, Value::from),
                version,
            )
        },
    );
    validate_labels(&new.labels, &at.child("labels"), version, errors);
    validate_annotations(&new.annotations, &at.child("annotations"), version, errors);
    validate_owner_references(&new.owner_references, &at.child("ownerReferences"), version, errors);
    validate_managed_fields(&new.managed_fields, &at.child("managedFields"), version, errors);
}

/// `ValidateNoNewFinalizers`
fn validate_no_new_finalizers(new: &[String], old: &[String], at: &Trail<'_>, errors: &mut Vec<Error>) {
    let mut extra: Vec<&String> = new.iter().filter(|finalizer| !old.contains(finalizer)).collect();
    extra.sort_unstable();
    extra.dedup();
    if !extra.is_empty() {
        errors.push(Error::forbidden(
            codes::INVALID_FINALIZER,
            at.path(),
            format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers {}",
                render::go_string_list(&extra)
            ),
        ));
    }
}

/// Formats a string of a named Go type for a message.
pub(super) fn named_string(value: &str, version: KubernetesVersion) -> String {
    if render::renders_json(version) {
        render::json(&Value::from(value))
    } else {
        quote(value)
    }
}

/// Formats a time for a message: JSON since 1.34, `time.Time.String` before.
fn render_time(time: Option<&str>, version: KubernetesVersion) -> String {
    match time {
        _ if render::renders_json(version) => render::json(&time.map_or(Value::Null, Value::from)),
        None => quote("null"),
        Some(time) => format!("{} +0000 UTC", time.trim_end_matches('Z').replace('T', " ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Path;
    use crate::metadata::names;

    fn check(meta: &ObjectMeta, minor: u8, expected: &[&str]) {
        let base = Path::of(["metadata"]);
        let mut errors = Vec::new();
        let version = KubernetesVersion::minor(minor);
        validate_object_meta(
            (meta, Known::ALL),
            false,
            names::name_is_dns_subdomain,
            &Trail::new(&base),
            version,
            &mut errors,
        );
        let found: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(found, expected);
    }

    fn named(name: &str) -> ObjectMeta {
        ObjectMeta {
            name: name.to_owned(),
            ..ObjectMeta::default()
        }
    }

    #[test]
    fn accepts_what_the_server_accepts() {
        check(&named("a.b-c"), 37, &[]);
        check(
            &ObjectMeta {
                generate_name: "abc-".to_owned(),
                ..named("abc-x")
            },
            37,
            &[],
        );
    }

    #[test]
    fn says_what_is_wrong_with_labels_in_the_words_of_each_minor() {
        let meta = ObjectMeta {
            labels: vec![("a/b/c".to_owned(), "v".repeat(64))],
            ..named("a")
        };
        let words = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
            alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
            '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. \
            'example.com/MyName')";
        let value = "v".repeat(64);
        for (minor, subject, unit) in [(34, "qualified name", "characters"), (35, "valid label key", "bytes")] {
            check(
                &meta,
                minor,
                &[
                    &format!("metadata.labels: Invalid value: \"a/b/c\": a {subject} {words}"),
                    &format!("metadata.labels: Invalid value: \"{value}\": must be no more than 63 {unit}"),
                ],
            );
        }
    }

    #[test]
    fn counts_the_bytes_of_annotations() {
        let meta = |size: usize| ObjectMeta {
            annotations: vec![("a".to_owned(), "x".repeat(size - 1))],
            ..named("a")
        };
        check(&meta(TOTAL_ANNOTATION_SIZE_LIMIT), 31, &[]);
        let larger = meta(TOTAL_ANNOTATION_SIZE_LIMIT + 1);
        check(
            &larger,
            31,
            &["metadata.annotations: Too long: must have at most 262144 bytes"],
        );
        check(
            &larger,
            32,
            &["metadata.annotations: Too long: may not be more than 262144 bytes"],
        );
    }

    #[test]
    fn refuses_an_event_as_an_owner_and_a_second_controller() {
        use crate::metadata::OwnerReference;
        let owner = |kind: &str| OwnerReference {
            api_version: "v1".to_owned(),
            kind: kind.to_owned(),
            name: "n".to_owned(),
            uid: String::new(),
            controller: Some(true),
            block_owner_deletion: None,
        };
        let meta = ObjectMeta {
            owner_references: vec![owner("Event")],
            ..named("a")
        };
        check(
            &meta,
            33,
            &[
                "metadata.ownerReferences.uid: Invalid value: \"\": uid must not be empty",
                "metadata.ownerReferences: Invalid value: v1.OwnerReference{APIVersion:\"v1\", Kind:\"Event\", \
                 Name:\"n\", UID:\"\", Controller:(*bool)(0xc000000000), BlockOwnerDeletion:(*bool)(nil)}: /v1, \
                 Kind=Event is disallowed from being an owner",
            ],
        );
        let meta = ObjectMeta {
            owner_references: vec![owner("A"), owner("B")],
            ..named("a")
        };
        let list = r#"[{"apiVersion":"v1","kind":"A","name":"n","uid":"","controller":true},{"apiVersion":"v1","kind":"B","name":"n","uid":"","controller":true}]"#;
        check(
            &meta,
            37,
            &[
                "metadata.ownerReferences[0].uid: Required value: must not be empty",
                "metadata.ownerReferences[1].uid: Required value: must not be empty",
                &format!(
                    "metadata.ownerReferences: Invalid value: {list}: Only one reference can have Controller set to \
                     true. Found \"true\" in references for A/n and B/n"
                ),
            ],
        );
    }
}
