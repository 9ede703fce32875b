//! Mutants of CRDs: one text edit each, at a known position. Edits are based on the tree, so that most mutants still parse and
//! reach later stages of the API server.

use crd_analyzer_syntax::tree::{Entry, NodeId, NodeKind, Tree};
use fastrand::Rng;

use crate::signs;

/// A text with one edit.
pub struct Mutant {
    /// The whole text.
    pub text: String,
    /// The byte range of the edit in the new text; empty if the edit only removed text.
    pub edit: std::ops::Range<usize>,
    /// The kind of edit, for reports.
    pub what: &'static str,
}

/// The vocabulary for mutants.
#[derive(Debug)]
pub struct Words {
    /// Valid and invalid values for fields.
    pub values: &'static [&'static str],
    /// Entries to insert into mappings near the root.
    pub shallow: &'static [&'static str],
    /// Entries to insert into deeper mappings, which in CRDs are parts of a schema.
    pub deep: &'static [&'static str],
}

/// The words of CRDs.
pub static CRDS: Words = Words {
    values: VALUES,
    shallow: SPEC_ENTRIES,
    deep: SCHEMA_ENTRIES,
};

/// Values for fields of a CRD, valid and invalid.
const VALUES: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "3",
    "1.5",
    "1e3",
    "9223372036854775807",
    "9223372036854775808",
    "-0",
    "\"\"",
    "\"a\"",
    "x",
    "object",
    "string",
    "integer",
    "number",
    "array",
    "boolean",
    "\"null\"",
    "[]",
    "{}",
    "[a]",
    "[a, a]",
    "{a: 1}",
    "{type: string}",
    "{type: object}",
    "{type: array}",
    "[{type: string}]",
    "set",
    "map",
    "atomic",
    "granular",
    "date-time",
    "int32",
    "int64",
    "float",
    "uuid",
    "email",
    "Cluster",
    "Namespaced",
    "v1",
    "v2",
    "v1beta1",
    "v0",
    "Webhook",
    "None",
    "'^(?!x)'",
    "'['",
    "'(a)*'",
    "'a{1001}'",
    ".spec.a",
    ".status.replicas",
    ".spec",
    "'.a[0'",
    "'[\"a\"]'",
    "yes",
    "0777",
    "2001-01-01",
    "1_000",
    ".inf",
    "Foo",
    "foo-bar",
    "FOO",
    "a.b.c",
    "\"a\\nb\"",
    "FieldValueInvalid",
    "FieldValueRequired",
    "'self.a'",
    "~",
    "99999999999999999999",
    "'ä'",
];

/// Entries for a schema.
const SCHEMA_ENTRIES: &[&str] = &[
    "nullable: true",
    "default: null",
    "default: {}",
    "default: 1",
    "default: a",
    "default: [a]",
    "default: {a: b}",
    "default: {unknown: 1}",
    "default: true",
    "uniqueItems: true",
    "uniqueItems: false",
    "pattern: '['",
    "pattern: '^a+$'",
    "format: int32",
    "format: foo",
    "format: date-time",
    "format: byte",
    "format: ipv4",
    "maximum: 3",
    "minimum: 5",
    "exclusiveMinimum: true",
    "multipleOf: 2",
    "maxLength: 2",
    "minLength: -1",
    "maxItems: 1",
    "minItems: 2",
    "maxProperties: 1",
    "minProperties: 3",
    "enum: [a, b]",
    "enum: []",
    "enum: [1, 1]",
    "enum: [null]",
    "required: [a]",
    "required: [a, a]",
    "required: []",
    "required: [metadata]",
    "type: object",
    "type: string",
    "type: array",
    "type: integer",
    "type: foo",
    "type: \"\"",
    "type: \"null\"",
    "items: {}",
    "items: {type: string}",
    "items: [{type: string}]",
    "items: {type: object, properties: {a: {type: string}}}",
    "properties: {}",
    "properties: {a: {type: string}}",
    "properties: {a: {}}",
    "properties: {metadata: {type: object}}",
    "properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 3}}}}",
    "properties: {metadata: {type: object, properties: {labels: {type: object}}}}",
    "properties: {apiVersion: {type: integer}}",
    "properties: {kind: {type: string, default: a}}",
    "additionalProperties: true",
    "additionalProperties: false",
    "additionalProperties: {type: string}",
    "additionalProperties: {}",
    "allOf: [{type: string}]",
    "allOf: [{properties: {a: {maximum: 3}}}]",
    "anyOf: [{required: [a]}, {minLength: 1}]",
    "anyOf: [{type: integer}, {type: string}]",
    "oneOf: [{description: x}]",
    "oneOf: [{properties: {zzz: {pattern: a}}}]",
    "not: {type: string}",
    "not: {default: 1}",
    "not: {required: [a]}",
    "not: {nullable: true}",
    "allOf: [{default: 1}]",
    "allOf: [{additionalProperties: {}}]",
    "allOf: [{x-kubernetes-preserve-unknown-fields: true}]",
    "allOf: [{items: {type: string}}]",
    "title: t",
    "description: d",
    "example: 1",
    "externalDocs: {url: x}",
    "$ref: '#/definitions/a'",
    "definitions: {a: {type: string}}",
    "dependencies: {a: [b]}",
    "patternProperties: {a: {type: string}}",
    "additionalItems: true",
    "id: x",
    "$schema: x",
    "x-kubernetes-preserve-unknown-fields: true",
    "x-kubernetes-preserve-unknown-fields: false",
    "x-kubernetes-embedded-resource: true",
    "x-kubernetes-int-or-string: true",
    "x-kubernetes-list-type: set",
    "x-kubernetes-list-type: map",
    "x-kubernetes-list-type: atomic",
    "x-kubernetes-list-type: foo",
    "x-kubernetes-list-map-keys: [a]",
    "x-kubernetes-list-map-keys: [a, a]",
    "x-kubernetes-list-map-keys: [name]",
    "x-kubernetes-map-type: atomic",
    "x-kubernetes-map-type: granular",
    "x-kubernetes-map-type: foo",
    "x-kubernetes-validations: [{rule: ''}]",
    "x-kubernetes-validations: [{rule: 'true', message: ''}]",
    "x-kubernetes-validations: [{rule: 'true', message: \"a\\nb\"}]",
    "x-kubernetes-validations: [{rule: 'true', reason: Foo}]",
    "x-kubernetes-validations: [{rule: 'true', reason: FieldValueForbidden, fieldPath: .a}]",
    "x-kubernetes-validations: [{rule: 'true', fieldPath: ''}]",
    "x-kubernetes-validations: [{rule: 'true', fieldPath: .spec}]",
    "x-kubernetes-validations: [{rule: 'true', fieldPath: \"['a']\"}]",
    "x-kubernetes-validations: [{rule: 'true', fieldPath: a}]",
    "x-kubernetes-validations: [{rule: 'true', optionalOldSelf: true}]",
    "x-kubernetes-validations: [{rule: 'true', messageExpression: ' '}]",
    "x-kubernetes-validations: [{message: x}]",
    "x-kubernetes-validations: [{rule: 'true', rulez: 1}]",
    "x-kubernetes-foo: 1",
    "minlength: 3",
    "Type: string",
    "nullable: 1",
    "maxLength: a",
    "maxLength: 1.5",
    "required: a",
    "properties: []",
    "enum: 1",
];

/// Entries for other parts of a CRD.
const SPEC_ENTRIES: &[&str] = &[
    "preserveUnknownFields: true",
    "preserveUnknownFields: false",
    "scope: Foo",
    "group: a",
    "group: A.b",
    "group: x.k8s.io",
    "conversion: {strategy: None}",
    "conversion: {strategy: Foo}",
    "conversion: {strategy: Webhook}",
    "conversion: {}",
    "conversion: {strategy: None, webhook: {conversionReviewVersions: [v1]}}",
    "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://a.b/c'}}}",
    "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v3], clientConfig: {url: 'http://a.b/c?d#e'}}}",
    "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [], clientConfig: {service: {name: a, namespace: b, port: 0}}}}",
    "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [V1, v1], clientConfig: {service: {name: '', namespace: b, path: a//b}}}}",
    "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: x, caBundle: Zm9v, service: {name: a, namespace: b}}}}",
    "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1beta1], clientConfig: {}}}",
    "versions: []",
    "names: {}",
    "names: {kind: A, plural: a}",
    "shortNames: [a, A, 'b c']",
    "categories: [all, All]",
    "listKind: Foo",
    "singular: FOO",
    "plural: a.b",
    "kind: Foo",
    "served: false",
    "storage: true",
    "storage: false",
    "deprecated: true",
    "deprecationWarning: x",
    "deprecationWarning: \"a\\u0000b\"",
    "subresources: {}",
    "subresources: {status: {}}",
    "subresources: {scale: {}}",
    "subresources: {scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.a}}",
    "subresources: {scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.a, labelSelectorPath: .status.s}}",
    "subresources: {scale: {specReplicasPath: a, statusReplicasPath: .spec.a, labelSelectorPath: .foo}}",
    "subresources: {scale: {specReplicasPath: .spec.a[0], statusReplicasPath: '', labelSelectorPath: '['}}",
    "additionalPrinterColumns: []",
    "additionalPrinterColumns: [{name: a, type: string, jsonPath: .spec.a}]",
    "additionalPrinterColumns: [{name: '', type: foo, format: bar, jsonPath: a}]",
    "additionalPrinterColumns: [{name: a, type: date, jsonPath: '', priority: 1}]",
    "additionalPrinterColumns: [{name: a, type: integer, format: int32, jsonPath: '.spec[?(@.a == \"b\")].c'}]",
    "additionalPrinterColumns: [{name: a, type: integer, format: int65, jsonPath: '{.a'}]",
    "selectableFields: []",
    "selectableFields: [{jsonPath: .spec.a}]",
    "selectableFields: [{jsonPath: .metadata.name}]",
    "selectableFields: [{jsonPath: .spec.a}, {jsonPath: .spec.a}]",
    "selectableFields: [{jsonPath: a}]",
    "selectableFields: [{jsonPath: ''}]",
    "schema: {}",
    "schema: {openAPIV3Schema: {}}",
    "schema: {openAPIV3Schema: {type: object}}",
    "name: a",
    "name: v1",
    "name: V1",
    "name: ''",
    "labels: {a: 1}",
    "labels: {'a b': c}",
    "annotations: {a: b}",
    "annotations: {api-approved.kubernetes.io: unapproved}",
    "annotations: {api-approved.kubernetes.io: 'https://a/b'}",
    "generateName: a",
    "namespace: a",
    "finalizers: [a]",
    "finalizers: [a.b/c]",
    "ownerReferences: [{apiVersion: v1, kind: A, name: b, uid: c}]",
    "ownerReferences: [{}]",
    "creationTimestamp: null",
    "creationTimestamp: x",
    "generation: -1",
    "resourceVersion: 1",
    "status: {}",
    "status: {storedVersions: []}",
    "status: {storedVersions: [v1], conditions: [], acceptedNames: {kind: '', plural: ''}}",
    "status: {storedVersions: [v9]}",
    "unknown: 1",
    "validation: {}",
    "apiVersion: v1",
];

/// The entries of all mappings of a document.
fn entries_of(tree: &Tree) -> Vec<(NodeId, Entry)> {
    tree.nodes()
        .flat_map(|node| tree.entries(node).map(move |entry| (node, entry)))
        .collect()
}

/// A random entry, and its mapping. Half of all edits are near the root, although few nodes are there.
fn pick(tree: &Tree, entries: &[(NodeId, Entry)], rng: &mut Rng) -> Option<(NodeId, Entry)> {
    let near_top = rng.bool();
    let near: Vec<(NodeId, Entry)> = entries
        .iter()
        .copied()
        .filter(|(node, _)| tree.ancestors(*node).count() < 4)
        .collect();
    let pool = if near_top && !near.is_empty() { &near } else { entries };
    pool.get(rng.usize(..pool.len().max(1))).copied()
}

/// Makes a mutant of a CRD. `None` if the chosen kind of edit is not possible anywhere in the CRD.
pub fn mutate(tree: &Tree, rng: &mut Rng) -> Option<Mutant> {
    mutate_with(&CRDS, tree, rng)
}

/// Makes a mutant of a manifest of another kind, with the words for that kind.
pub fn mutate_with(words: &Words, tree: &Tree, rng: &mut Rng) -> Option<Mutant> {
    let text = tree.text();
    let entries = entries_of(tree);
    let (mapping, entry) = pick(tree, &entries, rng)?;
    let key_span = tree.span(entry.key).range();
    let value_span = tree.full_span(entry.value).range();
    match rng.u8(..15) {
        0..=2 => {
            let value = words.values[rng.usize(..words.values.len())];
            Some(replace_value(text, value_span, value, "value"))
        }
        3..=6 => {
            let list = if is_schema(tree, mapping) {
                words.deep
            } else {
                words.shallow
            };
            insert(tree, mapping, list[rng.usize(..list.len())], "insert")
        }
        7 => Some(replace(text, line_of(tree, entry), "", "delete")),
        8 => {
            let lines = line_of(tree, entry);
            let copy = text[lines.clone()].to_owned();
            Some(replace(text, lines.end..lines.end, &copy, "duplicate"))
        }
        9 => {
            let (_, other) = entries.get(rng.usize(..entries.len()))?;
            let key = text[tree.span(other.key).range()].to_owned();
            Some(replace(text, key_span, &key, "rename"))
        }
        10 => {
            let key = misspell(&text[key_span.clone()], rng);
            Some(replace(text, key_span, &key, "misspell"))
        }
        11 => {
            let scalars: Vec<NodeId> = tree
                .nodes()
                .filter(|node| tree.is_scalar(*node) && tree.source(*node).len() < 60)
                .collect();
            let other = *scalars.get(rng.usize(..scalars.len().max(1)))?;
            let value = text[tree.span(other).range()].to_owned();
            (tree.is_scalar(entry.value) && !value.contains('\n')).then(|| replace(text, value_span, &value, "swap"))
        }
        12 => {
            let word = &text[value_span.clone()];
            (tree.is_scalar(entry.value) && !word.is_empty() && word.len() < 200)
                .then(|| misspell(word, rng))
                .map(|word| replace(text, value_span, &word, "typo"))
        }
        13 => {
            let items = items_of(tree);
            let item = *items.get(rng.usize(..items.len().max(1)))?;
            let value = words.values[rng.usize(..words.values.len())];
            Some(replace(text, tree.full_span(item).range(), value, "item"))
        }
        _ => forge(tree, rng),
    }
}

/// A mutant with a placeholder that an older version of crd-analyzer used for an unknown value.
pub fn forge(tree: &Tree, rng: &mut Rng) -> Option<Mutant> {
    let text = tree.text();
    let (mapping, entry) = pick(tree, &entries_of(tree), rng)?;
    match rng.u8(..8) {
        0..=1 => {
            let value = tree.full_span(entry.value).range();
            Some(replace_value(text, value, &signs::written(rng), "forged value"))
        }
        2 => {
            let key = tree.span(entry.key).range();
            Some(replace(text, key, &signs::written(rng), "forged key"))
        }
        3 => {
            let items = items_of(tree);
            let item = *items.get(rng.usize(..items.len().max(1)))?;
            let range = tree.full_span(item).range();
            Some(replace(text, range, &signs::written(rng), "forged item"))
        }
        _ => {
            let entry = signs::entry(is_schema(tree, mapping), rng);
            insert(tree, mapping, &entry, "forged entry")
        }
    }
}

/// The items of all lists of a document.
fn items_of(tree: &Tree) -> Vec<NodeId> {
    tree.nodes()
        .filter(|node| matches!(tree.kind(*node), NodeKind::Sequence(_)))
        .flat_map(|node| tree.items(node).collect::<Vec<_>>())
        .collect()
}

/// Whether a mapping is nested deeply enough to be part of a schema.
fn is_schema(tree: &Tree, mapping: NodeId) -> bool {
    tree.ancestors(mapping).count() > 4
}

/// Replaces the value of an entry. The value may be empty.
fn replace_value(text: &str, range: std::ops::Range<usize>, value: &str, what: &'static str) -> Mutant {
    let blank = if text[..range.start].ends_with(':') { " " } else { "" };
    replace(text, range, &format!("{blank}{value}"), what)
}

fn replace(text: &str, range: std::ops::Range<usize>, new: &str, what: &'static str) -> Mutant {
    let mut mutated = String::with_capacity(text.len() + new.len());
    mutated.push_str(&text[..range.start]);
    mutated.push_str(new);
    mutated.push_str(&text[range.end..]);
    Mutant {
        text: mutated,
        edit: range.start..range.start + new.len(),
        what,
    }
}

/// Inserts an entry before the first entry of a mapping, in the style of the mapping.
fn insert(tree: &Tree, mapping: NodeId, new: &str, what: &'static str) -> Option<Mutant> {
    let text = tree.text();
    let first = tree.entries(mapping).next()?;
    let at = tree.full_span(first.key).start as usize;
    let separator = if matches!(
        tree.kind(mapping),
        NodeKind::Mapping(crd_analyzer_syntax::tree::CollectionStyle::Flow)
    ) {
        ", ".to_owned()
    } else {
        let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        format!("\n{}", " ".repeat(text[line_start..at].chars().count()))
    };
    Some(replace(text, at..at, &format!("{new}{separator}"), what))
}

/// The whole lines of an entry in a block mapping, or its bytes in a flow mapping.
fn line_of(tree: &Tree, entry: Entry) -> std::ops::Range<usize> {
    let text = tree.text();
    let (start, end) = (
        tree.full_span(entry.key).start as usize,
        tree.full_span(entry.value).end as usize,
    );
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
    if text[line_start..start].trim().is_empty() && text[end..line_end].trim().is_empty() {
        line_start..line_end
    } else {
        start..end
    }
}

fn misspell(word: &str, rng: &mut Rng) -> String {
    let mut chars: Vec<char> = word.chars().collect();
    if chars.is_empty() {
        return "x".to_owned();
    }
    let at = rng.usize(..chars.len());
    match rng.u8(..5) {
        0 => drop(chars.remove(at)),
        1 => chars.insert(at, chars[at]),
        2 => chars[at] = rng.alphabetic(),
        3 => {
            chars[at] = if chars[at].is_uppercase() {
                chars[at].to_ascii_lowercase()
            } else {
                chars[at].to_ascii_uppercase()
            }
        }
        _ => chars.insert(at, ['.', '-', '_', ' ', 'é', '$', '/'][rng.usize(..7)]),
    }
    chars.into_iter().collect()
}
