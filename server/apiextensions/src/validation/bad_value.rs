//! The value that a message is about, as the server renders it (`field.Error.ErrorBody` in
//! `k8s.io/apimachinery/pkg/util/validation/field`).
//!
//! Strings are quoted and numbers printed plainly in every minor. Anything else is JSON since 1.34 (with the names of
//! Go's fields, since the internal types have no others); before, it is Go syntax, in which a pointer inside a value is
//! a memory address. Where such an address would stand, older minors get the JSON too.

use crd_analyzer_schema::go::quote;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, SchemaOrArray, ValidationRule};

use super::go_json::Writer;
use crate::types::Version;

/// Renders values for the messages of one minor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Render {
    json: bool,
}

impl Render {
    pub(super) fn new(version: KubernetesVersion) -> Self {
        Self {
            json: version >= KubernetesVersion::minor(34),
        }
    }

    /// A string of a named type, or behind a pointer that is not nil.
    pub(super) fn named_string(self, value: &str) -> String {
        if self.json {
            write(|out| out.string(value))
        } else {
            quote(value)
        }
    }

    /// A `*string`.
    pub(super) fn string_pointer(self, value: Option<&str>) -> String {
        match value {
            Some(value) => self.named_string(value),
            None if self.json => "null".to_owned(),
            None => quote("null"),
        }
    }

    /// A `[]string`.
    pub(super) fn strings(self, value: Option<&[String]>) -> String {
        match value {
            _ if self.json => write(|out| out.strings(value)),
            Some(value) => {
                let items: Vec<String> = value.iter().map(|it| quote(it)).collect();
                format!("[]string{{{}}}", items.join(", "))
            }
            None => "[]string(nil)".to_owned(),
        }
    }

    /// A `[]byte`.
    pub(super) fn bytes(self, value: &[u8]) -> String {
        if self.json {
            return write(|out| out.bytes(value));
        }
        let items: Vec<String> = value.iter().map(|byte| format!("{byte:#x}")).collect();
        format!("[]byte{{{}}}", items.join(", "))
    }

    /// A `ValidationRule`.
    pub(super) fn rule(self, rule: &ValidationRule) -> String {
        if self.json {
            return write(|out| out.rule(rule));
        }
        let pointer = |kind: &str, is_set: bool| {
            let address = if is_set { "0xc000000000" } else { "nil" };
            format!("({kind})({address})")
        };
        format!(
            "apiextensions.ValidationRule{{Rule:{}, Message:{}, MessageExpression:{}, Reason:{}, FieldPath:{}, \
             OptionalOldSelf:{}}}",
            quote(&rule.rule),
            quote(&rule.message),
            quote(&rule.message_expression),
            pointer("*apiextensions.FieldValueErrorReason", rule.reason.is_some()),
            quote(&rule.field_path),
            pointer("*bool", rule.optional_old_self.is_some()),
        )
    }
}

/// A `JSONSchemaProps`.
pub(super) fn schema(schema: &JsonSchemaProps) -> String {
    write(|out| out.schema(schema))
}

/// A `JSONSchemaPropsOrArray`.
pub(super) fn items(items: &SchemaOrArray) -> String {
    write(|out| out.schema_or_array(items))
}

/// A `[]CustomResourceDefinitionVersion`.
pub(super) fn versions(versions: &[Version]) -> String {
    write(|out| out.versions(versions))
}

fn write(content: impl FnOnce(&mut Writer)) -> String {
    let mut out = Writer::default();
    content(&mut out);
    out.finish()
}
