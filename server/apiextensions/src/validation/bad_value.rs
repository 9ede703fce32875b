//! The invalid value in a message, as the API server renders it (`field.Error.ErrorBody` in
//! `k8s.io/apimachinery/pkg/util/validation/field`).
//!
//! In every Kubernetes version, strings are quoted and numbers are printed plainly. Other values are printed as JSON since 1.34, and in Go syntax
//! before.

use crd_analyzer_schema::field::render::renders_json;
use crd_analyzer_schema::go::quote;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, SchemaOrArray, ValidationRule};

use super::go_value::{Syntax, Writer};
use crate::types::Spec;

/// Renders values for messages of one Kubernetes version.
#[derive(Clone, Copy, Debug)]
pub(super) struct Render {
    syntax: Syntax,
}

impl Render {
    pub(super) fn new(version: KubernetesVersion) -> Self {
        let syntax = if renders_json(version) {
            Syntax::Json
        } else {
            Syntax::Go
        };
        Self { syntax }
    }

    /// Renders a string of a named type, or a string behind a pointer that is not nil.
    pub(super) fn named_string(self, value: &str) -> String {
        self.write(|out| out.string(value))
    }

    /// Renders a `*string`. Before 1.34, nil was rendered as the string `null`.
    pub(super) fn string_pointer(self, value: Option<&str>) -> String {
        match (value, self.syntax) {
            (Some(value), _) => self.named_string(value),
            (None, Syntax::Json) => "null".to_owned(),
            (None, Syntax::Go) => quote("null"),
        }
    }

    /// Renders a `[]string`.
    pub(super) fn strings(self, value: Option<&[String]>) -> String {
        self.write(|out| out.strings(value))
    }

    /// Renders a `[]byte`.
    pub(super) fn bytes(self, value: &[u8]) -> String {
        self.write(|out| out.bytes(value))
    }

    /// Renders a `ValidationRule`.
    pub(super) fn rule(self, rule: &ValidationRule) -> String {
        self.write(|out| out.rule(rule))
    }

    /// Renders a `JSONSchemaProps`.
    pub(super) fn schema(self, schema: &JsonSchemaProps) -> String {
        self.write(|out| out.schema(schema))
    }

    /// Renders a `JSONSchemaPropsOrArray`.
    pub(super) fn items(self, items: &SchemaOrArray) -> String {
        self.write(|out| out.schema_or_array(items))
    }

    /// Renders the versions of a CRD.
    pub(super) fn versions(self, spec: &Spec) -> String {
        self.write(|out| out.versions(spec))
    }

    fn write(self, content: impl FnOnce(&mut Writer)) -> String {
        let mut out = Writer::new(self.syntax);
        content(&mut out);
        out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Version;

    fn check(render: impl Fn(Render) -> String, go: &str, json: &str) {
        assert_eq!(render(Render::new(KubernetesVersion::minor(33))), go);
        assert_eq!(render(Render::new(KubernetesVersion::minor(34))), json);
    }

    #[test]
    fn renders_values_as_the_messages_of_each_minor_do() {
        check(
            |it| it.named_string("a<\"\u{1}"),
            r#""a<\"\x01""#,
            r#""a\u003c\"\u0001""#,
        );
        check(|it| it.string_pointer(None), r#""null""#, "null");
        check(|it| it.strings(None), "[]string(nil)", "null");
        let strings = ["a".to_owned(), "b".to_owned()];
        check(|it| it.strings(Some(&strings)), r#"[]string{"a", "b"}"#, r#"["a","b"]"#);
        check(
            |it| it.bytes(&[1, 255, 16, 0]),
            "[]byte{0x1, 0xff, 0x10, 0x0}",
            r#""Af8QAA==""#,
        );
        let rule = ValidationRule {
            rule: "a > b".to_owned(),
            optional_old_self: Some(true),
            ..ValidationRule::default()
        };
        check(
            |it| it.rule(&rule),
            r#"apiextensions.ValidationRule{Rule:"a > b", Message:"", MessageExpression:"", Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:"", OptionalOldSelf:(*bool)(0xc000000000)}"#,
            r#"{"Rule":"a \u003e b","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":true}"#,
        );
        let mut spec = Spec::default();
        check(
            |it| it.versions(&spec),
            "[]apiextensions.CustomResourceDefinitionVersion(nil)",
            "null",
        );
        spec.versions.push(Version::default());
        check(
            |it| it.versions(&spec),
            r#"[]apiextensions.CustomResourceDefinitionVersion{apiextensions.CustomResourceDefinitionVersion{Name:"", Served:false, Storage:false, Deprecated:false, DeprecationWarning:(*string)(nil), Schema:(*apiextensions.CustomResourceValidation)(nil), Subresources:(*apiextensions.CustomResourceSubresources)(nil), AdditionalPrinterColumns:[]apiextensions.CustomResourceColumnDefinition(nil), SelectableFields:[]apiextensions.SelectableField(nil)}}"#,
            r#"[{"Name":"","Served":false,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]"#,
        );
    }

    #[test]
    fn cuts_what_is_long() {
        let schema = JsonSchemaProps {
            description: "é".repeat(10_000),
            ..JsonSchemaProps::default()
        };
        let seen = Render::new(KubernetesVersion::NEWEST).schema(&schema);
        assert!(seen.ends_with("é…") && seen.len() < 5000, "{}", seen.len());
    }
}
