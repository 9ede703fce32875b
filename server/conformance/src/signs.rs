//! The placeholders that older versions of crd-analyzer inserted into texts for unknown values. An author can write the same characters. So mutants
//! contain placeholders in values and keys, and crd-analyzer has to treat such mutants like the API server.

use std::fmt::Write as _;

use fastrand::Rng;
use serde_json::Value;

/// Placeholders for one value, for any number of items or entries, and for template actions.
const SIGNS: &[&str] = &[
    "\u{FFFF}\u{FFFE}?",
    "\u{FFFF}\u{FFFE}*",
    "\u{FFFF}\u{FFFE}",
    "\u{F8FF}",
    "\u{F8FF}*",
    "\u{F8FE}",
    "\u{E000}",
];

/// Text after a placeholder.
const REST: &[&str] = &["", "", "zzz", "xxxxxxx", "${A}", "}}", "1", "*"];

/// Entries of a schema. `SIGN` is replaced by a quoted placeholder, and `INSIDE` by a placeholder without quotes.
const SCHEMA_ENTRIES: &[&str] = &[
    "SIGN: 1",
    "SIGN: SIGN",
    "default: SIGN",
    "default: SIGN",
    "default: [SIGN]",
    "default: {SIGN: 1}",
    "default: {a: SIGN}",
    "enum: [SIGN]",
    "enum: [a, SIGN]",
    "enum: SIGN",
    "type: SIGN",
    "format: SIGN",
    "pattern: SIGN",
    "title: SIGN",
    "description: SIGN",
    "example: SIGN",
    "nullable: SIGN",
    "maxLength: SIGN",
    "minimum: SIGN",
    "required: [SIGN]",
    "required: SIGN",
    "properties: {SIGN: {type: string}}",
    "properties: {SIGN: {type: integer, default: SIGN}}",
    "properties: {SIGN: SIGN}",
    "properties: {a: SIGN}",
    "properties: SIGN",
    "additionalProperties: SIGN",
    "additionalProperties: {type: string, default: SIGN}",
    "items: SIGN",
    "items: {type: string, enum: [SIGN]}",
    "items: [SIGN]",
    "allOf: [SIGN]",
    "allOf: [{enum: [SIGN]}]",
    "not: {enum: [SIGN]}",
    "$ref: SIGN",
    "x-kubernetes-preserve-unknown-fields: SIGN",
    "x-kubernetes-list-type: SIGN",
    "x-kubernetes-list-map-keys: [SIGN]",
    "x-kubernetes-map-type: SIGN",
    "x-kubernetes-validations: [SIGN]",
    "x-kubernetes-validations: [{SIGN: 1, rule: 'true'}]",
    "x-kubernetes-validations: [{rule: SIGN}]",
    "x-kubernetes-validations: [{rule: \"self == 'INSIDE'\"}]",
    "x-kubernetes-validations: [{rule: \"has(self.a) && self.a == 'INSIDE'\"}]",
    "x-kubernetes-validations: [{rule: 'true', message: SIGN}]",
    "x-kubernetes-validations: [{rule: 'true', messageExpression: SIGN}]",
    "x-kubernetes-validations: [{rule: 'true', messageExpression: \"'INSIDE'\"}]",
    "x-kubernetes-validations: [{rule: 'true', reason: SIGN}]",
    "x-kubernetes-validations: [{rule: 'true', fieldPath: SIGN}]",
    "x-kubernetes-validations: [{rule: 'true', fieldPath: \"['INSIDE']\"}]",
];

/// Entries of other parts of a CRD.
const SPEC_ENTRIES: &[&str] = &[
    "SIGN: 1",
    "SIGN: SIGN",
    "apiVersion: SIGN",
    "kind: SIGN",
    "metadata: SIGN",
    "spec: SIGN",
    "status: SIGN",
    "status: {storedVersions: [SIGN]}",
    "name: SIGN",
    "generateName: SIGN",
    "namespace: SIGN",
    "labels: SIGN",
    "labels: {a: SIGN}",
    "labels: {SIGN: a}",
    "annotations: SIGN",
    "annotations: {a: SIGN}",
    "annotations: {SIGN: a}",
    "annotations: {api-approved.kubernetes.io: SIGN}",
    "finalizers: [SIGN]",
    "ownerReferences: [SIGN]",
    "ownerReferences: [{apiVersion: SIGN, kind: SIGN, name: SIGN, uid: SIGN}]",
    "creationTimestamp: SIGN",
    "generation: SIGN",
    "group: SIGN",
    "scope: SIGN",
    "names: SIGN",
    "names: {kind: SIGN, plural: SIGN}",
    "plural: SIGN",
    "singular: SIGN",
    "listKind: SIGN",
    "shortNames: [SIGN]",
    "categories: [SIGN]",
    "preserveUnknownFields: SIGN",
    "versions: SIGN",
    "versions: [SIGN]",
    "served: SIGN",
    "storage: SIGN",
    "deprecated: SIGN",
    "deprecationWarning: SIGN",
    "schema: SIGN",
    "schema: {openAPIV3Schema: SIGN}",
    "subresources: SIGN",
    "subresources: {status: SIGN}",
    "subresources: {scale: {specReplicasPath: SIGN, statusReplicasPath: SIGN, labelSelectorPath: SIGN}}",
    "additionalPrinterColumns: [SIGN]",
    "additionalPrinterColumns: [{name: SIGN, type: string, jsonPath: .a}]",
    "additionalPrinterColumns: [{name: a, type: SIGN, jsonPath: SIGN}]",
    "selectableFields: [{jsonPath: SIGN}]",
    "conversion: SIGN",
    "conversion: {strategy: SIGN}",
    "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [SIGN], clientConfig: {url: SIGN}}}",
    "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {caBundle: SIGN, service: {name: SIGN, namespace: SIGN, path: SIGN}}}}",
];

/// A text that starts with a placeholder.
pub(crate) fn text(rng: &mut Rng) -> String {
    let sign = SIGNS[rng.usize(..SIGNS.len())];
    let rest = REST[rng.usize(..REST.len())];
    format!("{sign}{rest}")
}

/// A text that starts with a placeholder, in YAML syntax: escaped or raw, with or without quotes.
pub(crate) fn written(rng: &mut Rng) -> String {
    let text = text(rng);
    match rng.u8(..8) {
        0..=3 => format!("\"{}\"", escaped(&text, Escape::Short)),
        4 => format!("\"{}\"", escaped(&text, Escape::Long)),
        5 => format!("\"{text}\""),
        6 => format!("'{text}'"),
        _ => text,
    }
}

/// A CRD entry with a text that starts with a placeholder. `is_schema` is set if the entry is for a schema.
pub(crate) fn entry(is_schema: bool, rng: &mut Rng) -> String {
    let all = if is_schema { SCHEMA_ENTRIES } else { SPEC_ENTRIES };
    let inside = escaped(&text(rng), Escape::Short);
    let mut entry = all[rng.usize(..all.len())].replace("INSIDE", &inside);
    // Each text is different, so that keys differ from values.
    while entry.contains("SIGN") {
        entry = entry.replacen("SIGN", &written(rng), 1);
    }
    entry
}

/// A value as JSON, with placeholders escaped or raw.
pub(crate) fn json(value: &Value, rng: &mut Rng) -> String {
    if rng.u8(..4) == 0 {
        value.to_string()
    } else {
        escaped_json(value)
    }
}

/// A value as JSON, with placeholders escaped, so that stored objects are valid.
pub(crate) fn escaped_json(value: &Value) -> String {
    escaped(&value.to_string(), Escape::Short)
}

/// The way to escape a character.
#[derive(Clone, Copy)]
enum Escape {
    /// Four digits, as in JSON and YAML.
    Short,
    /// Eight digits, as in YAML only.
    Long,
}

/// A text with escaped placeholders.
fn escaped(text: &str, escape: Escape) -> String {
    let mut all = String::with_capacity(text.len());
    for c in text.chars() {
        match (is_of_sign(c), escape) {
            (false, _) => all.push(c),
            (true, Escape::Short) => drop(write!(all, "\\u{:04X}", u32::from(c))),
            (true, Escape::Long) => drop(write!(all, "\\U{:08x}", u32::from(c))),
        }
    }
    all
}

fn is_of_sign(c: char) -> bool {
    !c.is_ascii() && SIGNS.iter().any(|it| it.contains(c))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crd_analyzer_syntax::tree::Span;
    use serde_json::json;

    use super::*;

    fn value_of(text: &str) -> Option<Value> {
        let text: Arc<str> = text.into();
        let tree = crd_analyzer_syntax::read(&text, Span::new(0, text.len() as u32)).ok()?;
        let json = crd_analyzer_syntax::read_json(&tree).ok()?;
        json.root().map(crd_analyzer_syntax::json::Json::to_value)
    }

    fn has_sign(value: &Value) -> bool {
        match value {
            Value::String(text) => text.contains(is_of_sign),
            Value::Array(items) => items.iter().any(has_sign),
            Value::Object(fields) => fields.iter().any(|it| it.0.contains(is_of_sign) || has_sign(it.1)),
            _ => false,
        }
    }

    #[test]
    fn most_entries_can_be_read_and_have_a_sign() {
        let mut rng = Rng::with_seed(3);
        for is_schema in [true, false] {
            let entries: Vec<String> = (0..1000).map(|_| entry(is_schema, &mut rng)).collect();
            let read: Vec<Value> = entries.iter().filter_map(|it| value_of(it)).collect();
            assert!(read.len() > 600, "{} of 1000 can be read", read.len());
            assert!(read.iter().all(has_sign), "{read:?}");
            assert!(read.len() < 1000, "raw signs that YAML does not allow are among them");
        }
    }

    #[test]
    fn json_means_the_same_escaped_and_raw() {
        let mut rng = Rng::with_seed(3);
        let value = json!({ SIGNS[1]: 1, "a\u{e9}": format!("{}zzz", SIGNS[0]) });
        let texts: Vec<String> = (0..20).map(|_| json(&value, &mut rng)).collect();
        assert!(
            texts
                .iter()
                .all(|it| serde_json::from_str::<Value>(it).ok().as_ref() == Some(&value))
        );
        for is_escaped in [true, false] {
            assert!(texts.iter().any(|it| it.contains("\\uFFFF\\uFFFE?zzz") == is_escaped));
        }
    }
}
