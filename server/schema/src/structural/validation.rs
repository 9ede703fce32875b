//! Checks that a schema is structural (`ValidateStructural`: `validation.go` and `complete.go` of the package).

use std::collections::HashSet;

use super::blank::restricts_only_names;
use super::int_or_string::{is_int_or_string_all_of, is_int_or_string_any_of};
use super::{KubernetesVersion, Structural};
use crate::codes;
use crate::field::{Cause, Error, Path, Trail};
use crate::go::quote;
use crate::json_schema::JsonSchemaProps;

/// The position of a schema. The rules of structural schemas depend on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// The errors that keep `schema` from being structural, sorted by message like the API server's (`ValidateStructural`).
pub fn validate(schema: Structural<'_>, path: &Path, version: KubernetesVersion) -> Vec<Error> {
    let mut check = Check {
        version,
        good_patterns: HashSet::new(),
        errors: Vec::new(),
    };
    let at = Trail::new(path);
    check.invariants(schema, Level::Root, &at);
    check.completeness(schema.props(), Some(schema), &at, &at);
    check.errors.sort_by_cached_key(ToString::to_string);
    check.errors
}

struct Check<'s> {
    version: KubernetesVersion,
    /// Patterns that are known to be valid. Schemas of well-known types, such as quantities, repeat the same patterns.
    good_patterns: HashSet<&'s str>,
    errors: Vec<Error>,
}

impl<'s> Check<'s> {
    fn required(&mut self, code: &'static str, at: &Trail<'_>, detail: impl Into<String>) {
        self.errors.push(Error::required(code, at.path(), detail));
    }

    fn invalid(&mut self, code: &'static str, at: &Trail<'_>, bad_value: String, detail: impl Into<String>) {
        self.errors.push(Error::invalid(code, at.path(), bad_value, detail));
    }

    fn forbidden(&mut self, code: &'static str, at: &Trail<'_>, detail: &str) {
        self.errors.push(Error::forbidden(code, at.path(), detail));
    }

    /// `validateStructuralInvariants`
    fn invariants(&mut self, schema: Structural<'s>, level: Level, at: &Trail<'_>) {
        let props = schema.props();
        let items = schema.items();
        if props.r#type == "array" && items.is_none() {
            self.required(codes::MISSING_ITEMS, &at.child("items"), "must be specified");
        }
        if let Some(items) = items {
            self.invariants(items, Level::Item, &at.child("items"));
        }
        if !schema.has_no_properties() {
            let at = at.child("properties");
            for (name, property) in schema.properties() {
                self.invariants(property, Level::Field, &at.key(name));
            }
        }
        if let Some(additional) = schema.additional_properties() {
            let at = at.child("additionalProperties");
            if level == Level::Root {
                self.forbidden(codes::ROOT_ADDITIONAL_PROPERTIES, &at, "must not be used at the root");
            }
            if let Some(additional) = additional.schema() {
                self.invariants(additional, Level::Field, &at);
            }
        }
        if props.x_int_or_string {
            self.int_or_string_conflicts(schema, at);
        }
        let version = self.version;
        let skip_any_of = is_int_or_string_any_of(&props.any_of, version);
        let skip_first_all_of = is_int_or_string_all_of(&props.all_of, version);
        self.value_validation(props, skip_any_of, skip_first_all_of, at);
        self.types(schema, level, at);
        self.metadata(schema, level, at);
    }

    /// `validateExtensions`
    fn int_or_string_conflicts(&mut self, schema: Structural<'_>, at: &Trail<'_>) {
        for (name, set) in [
            (
                "x-kubernetes-preserve-unknown-fields",
                schema.preserves_unknown_fields(),
            ),
            ("x-kubernetes-embedded-resource", schema.is_embedded_resource()),
        ] {
            if set {
                self.invalid(
                    codes::INT_OR_STRING_CONFLICT,
                    &at.child(name),
                    "true".to_owned(),
                    "must be false if x-kubernetes-int-or-string is true",
                );
            }
        }
    }

    /// The rules about `type`, a part of `validateStructuralInvariants`.
    fn types(&mut self, schema: Structural<'_>, level: Level, at: &Trail<'_>) {
        let kind = schema.r#type();
        let is_embedded = schema.is_embedded_resource();
        if is_embedded && kind != "object" {
            let detail = "must be object if x-kubernetes-embedded-resource is true";
            if kind.is_empty() {
                self.required(codes::EMBEDDED_RESOURCE_TYPE, &at.child("type"), detail);
            } else {
                self.invalid(codes::EMBEDDED_RESOURCE_TYPE, &at.child("type"), quote(kind), detail);
            }
        } else if kind.is_empty() && !schema.is_int_or_string() && !schema.preserves_unknown_fields() {
            let detail = match level {
                Level::Root => "must not be empty at the root",
                Level::Item => "must not be empty for specified array items",
                Level::Field => "must not be empty for specified object fields",
            };
            self.required(codes::MISSING_TYPE, &at.child("type"), detail);
        }
        if is_embedded && schema.props().additional_properties.is_some() {
            self.forbidden(
                codes::EMBEDDED_RESOURCE_ADDITIONAL_PROPERTIES,
                &at.child("additionalProperties"),
                "must not be used if x-kubernetes-embedded-resource is set",
            );
        }
        if level == Level::Root && !kind.is_empty() && kind != "object" {
            self.invalid(
                codes::ROOT_TYPE,
                &at.child("type"),
                quote(kind),
                "must be object at the root",
            );
        }
    }

    /// The rules about `kind`, `apiVersion` and `metadata`, a part of `validateStructuralInvariants`.
    fn metadata(&mut self, schema: Structural<'_>, level: Level, at: &Trail<'_>) {
        let is_embedded = schema.is_embedded_resource();
        let is_resource = level == Level::Root || is_embedded;
        if is_resource {
            for name in ["kind", "apiVersion"] {
                if let Some(property) = schema.property(name)
                    && property.r#type() != "string"
                {
                    let bad_value = quote(property.r#type());
                    let at = at.child("properties");
                    self.invalid(
                        codes::TYPE_META_TYPE,
                        &at.key(name).child("type"),
                        bad_value,
                        "must be string",
                    );
                }
            }
            if let Some(metadata) = schema.property("metadata") {
                let at = at.child("properties");
                let at = at.key("metadata");
                if metadata.r#type() != "object" {
                    let bad_value = quote(metadata.r#type());
                    self.invalid(codes::METADATA_TYPE, &at.child("type"), bad_value, "must be object");
                }
                if level == Level::Root && !restricts_only_names(metadata.props(), self.version) {
                    self.forbidden(
                        codes::METADATA_RESTRICTION,
                        &at,
                        "must not specify anything other than name and generateName, but metadata is implicitly specified",
                    );
                }
            }
        }
        if is_embedded && !schema.preserves_unknown_fields() && schema.has_no_properties() {
            self.required(
                codes::EMBEDDED_RESOURCE_PROPERTIES,
                &at.child("properties"),
                "must not be empty if x-kubernetes-embedded-resource is true without \
                 x-kubernetes-preserve-unknown-fields",
            );
        }
    }

    /// `validateValueValidation`: `allOf`, `anyOf`, `oneOf`, `not` and the pattern of a schema.
    fn value_validation(
        &mut self,
        props: &'s JsonSchemaProps,
        skip_any_of: bool,
        skip_first_all_of_any_of: bool,
        at: &Trail<'_>,
    ) {
        if !skip_any_of {
            for (n, clause) in props.any_of.iter().enumerate() {
                self.nested(clause, false, &at.child("anyOf").index(n));
            }
        }
        for (n, clause) in props.all_of.iter().enumerate() {
            self.nested(clause, skip_first_all_of_any_of && n == 0, &at.child("allOf").index(n));
        }
        for (n, clause) in props.one_of.iter().enumerate() {
            self.nested(clause, false, &at.child("oneOf").index(n));
        }
        if let Some(not) = &props.not {
            self.nested(not, false, &at.child("not"));
        }
        if !props.pattern.is_empty() && !self.good_patterns.contains(props.pattern.as_str()) {
            self.pattern(&props.pattern, at);
        }
    }

    fn pattern(&mut self, pattern: &'s str, at: &Trail<'_>) {
        let Err(error) = crd_analyzer_goregexp::check(pattern) else {
            self.good_patterns.insert(pattern);
            return;
        };
        let finding = Error::invalid(
            codes::INVALID_PATTERN,
            at.child("pattern").path(),
            quote(pattern),
            format!("must be a valid regular expression, but isn't: {error}"),
        );
        let cause = Cause::Malformed(error.code.to_string());
        self.errors.push(finding.within(error.span).because(cause));
    }

    /// `validateNestedValueValidation`: a schema in `allOf`, `anyOf`, `oneOf` or `not` must not contain structural keywords.
    fn nested(&mut self, props: &'s JsonSchemaProps, skip_any_of: bool, at: &Trail<'_>) {
        self.value_validation(props, skip_any_of, false, at);
        if let Some(items) = props.items.as_ref().and_then(|items| items.schema.as_deref()) {
            self.nested(items, false, &at.child("items"));
        }
        for (name, property) in &props.properties {
            self.nested(property, false, &at.child("properties").key(name));
        }
        let additional = props.additional_properties.as_deref();
        // Since 1.31, the structural form drops `additionalProperties: false` inside `allOf`, `anyOf`, `oneOf` and `not`.
        let has_additional = additional
            .is_some_and(|it| it.schema.is_some() || it.allows || self.version < KubernetesVersion::minor(31));
        let has_default = props.default.as_ref().is_some_and(|value| !value.is_null());
        let empty = "must be empty to be structural";
        let undefined = "must be undefined to be structural";
        let false_ = "must be false to be structural";
        for (name, set, detail) in [
            ("type", !props.r#type.is_empty(), empty),
            ("additionalProperties", has_additional, undefined),
            ("default", has_default, undefined),
            ("title", !props.title.is_empty(), empty),
            ("description", !props.description.is_empty(), empty),
            ("nullable", props.nullable, false_),
            (
                "x-kubernetes-preserve-unknown-fields",
                props.x_preserve_unknown_fields == Some(true),
                false_,
            ),
            ("x-kubernetes-embedded-resource", props.x_embedded_resource, false_),
            ("x-kubernetes-int-or-string", props.x_int_or_string, false_),
            ("x-kubernetes-list-map-keys", !props.x_list_map_keys.is_empty(), empty),
            ("x-kubernetes-list-type", props.x_list_type.is_some(), undefined),
            ("x-kubernetes-map-type", props.x_map_type.is_some(), undefined),
            ("x-kubernetes-validations", !props.x_validations.is_empty(), empty),
        ] {
            if set {
                self.forbidden(codes::NON_STRUCTURAL_JUNCTOR, &at.child(name), detail);
            }
        }
        if props.properties.iter().any(|(name, _)| name == "metadata") {
            self.forbidden(
                codes::METADATA_IN_JUNCTOR,
                &at.child("properties").key("metadata"),
                "must not be specified in a nested context",
            );
        }
    }

    /// `validateValueValidationCompleteness`: every property that `allOf`, `anyOf`, `oneOf` or `not` of `props` mentions must also exist in `schema`.
    ///
    /// `schema_at` is the path of `schema`, and `at` is the path of `props`. The API server checks only these keywords of the root.
    fn completeness(
        &mut self,
        props: &JsonSchemaProps,
        schema: Option<Structural<'_>>,
        schema_at: &Trail<'_>,
        at: &Trail<'_>,
    ) {
        if let Some(not) = &props.not {
            self.nested_completeness(not, schema, schema_at, &at.child("not"));
        }
        for (keyword, clauses) in props.clauses() {
            for (n, clause) in clauses.iter().enumerate() {
                self.nested_completeness(clause, schema, schema_at, &at.child(keyword).index(n));
            }
        }
    }

    /// `validateNestedValueValidationCompleteness`
    fn nested_completeness(
        &mut self,
        props: &JsonSchemaProps,
        schema: Option<Structural<'_>>,
        schema_at: &Trail<'_>,
        at: &Trail<'_>,
    ) {
        let Some(schema) = schema else {
            let detail = format!("because it is defined in {at}");
            let error = Error::required(codes::INCOMPLETE_JUNCTOR, schema_at.path(), detail);
            self.errors.push(error.because(Cause::Elsewhere(at.path())));
            return;
        };
        self.completeness(props, Some(schema), schema_at, at);
        if let Some(items) = props.items.as_ref().and_then(|items| items.schema.as_deref()) {
            self.nested_completeness(items, schema.items(), &schema_at.child("items"), &at.child("items"));
        }
        for (name, property) in &props.properties {
            let (schema_at, at) = (schema_at.child("properties"), at.child("properties"));
            self.nested_completeness(property, schema.property(name), &schema_at.key(name), &at.key(name));
        }
    }
}
