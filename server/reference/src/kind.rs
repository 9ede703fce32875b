//! The facts about a kind for its reference documentation: its versions, their fields, and the constraints on their values.

use crd_analyzer_apiextensions::types::CustomResourceDefinition;
use crd_analyzer_publish::published;
use crd_analyzer_schema::KubernetesVersion;
use serde_json::Value;

use crate::{
    constraints::{Constraint, Rule, constraints, rules_of},
    explain::type_name,
    schema::{Field, all_of, fields_of, inner, reference, resolved, text},
};

/// A kind as defined by its CRD.
#[derive(Clone, PartialEq, Debug)]
pub struct KindReference {
    /// The name of the CRD: plural and group.
    pub name: String,
    /// The API group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// Singular and short names.
    pub other_names: Vec<String>,
    /// Whether the resources are namespaced.
    pub is_namespaced: bool,
    /// The served versions, in the order of the CRD.
    pub versions: Vec<VersionReference>,
}

/// A served version of a kind.
#[derive(Clone, PartialEq, Debug)]
pub struct VersionReference {
    /// The name of the version.
    pub name: String,
    /// Whether this is the storage version.
    pub is_stored: bool,
    /// Whether the version is deprecated, and the warning of the author.
    pub deprecation: Option<Option<String>>,
    /// The description of the kind.
    pub description: Option<String>,
    /// The rules of the whole object.
    pub rules: Vec<Rule>,
    /// All fields, each before the fields inside it. `apiVersion`, `kind` and `metadata` are left out, because every resource has them.
    pub fields: Vec<FieldReference>,
}

/// A field.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldReference {
    /// The path of the field in resources: `spec.hosts[*].name`. List items and map values are `[*]`.
    pub path: String,
    /// The name of the field.
    pub name: String,
    /// The number of objects around the field; 0 for a field of the resource itself.
    pub depth: usize,
    /// The type of the field as `kubectl explain` prints it: `[]string`.
    pub type_name: String,
    /// Whether the field is required in its parent object.
    pub is_required: bool,
    /// The description of the field.
    pub description: Option<String>,
    /// The link to the field's external documentation, as written by the author.
    pub external_docs: Option<String>,
    /// The default of the field as JSON on one line.
    pub default: Option<String>,
    /// The allowed values of the field, each as JSON on one line.
    pub values: Vec<String>,
    /// The other constraints on the values of the field.
    pub constraints: Vec<Constraint>,
    /// The validation rules of the field.
    pub rules: Vec<Rule>,
}

/// The reference documentation of a CRD that an API server of this Kubernetes version accepted.
pub fn reference_of(crd: &CustomResourceDefinition, kubernetes: KubernetesVersion) -> KindReference {
    let spec = &crd.spec;
    let versions = published(crd, kubernetes).into_iter().map(|it| {
        let version = spec.versions.iter().find(|version| version.name == it.version);
        let deprecation = version.filter(|it| it.deprecated);
        let mut fields = Vec::new();
        add_fields(&it.v3, "", 0, &mut fields);
        VersionReference {
            is_stored: it.is_stored,
            deprecation: deprecation.map(|it| it.deprecation_warning.clone()),
            description: it.v3["description"].as_str().map(str::to_owned),
            rules: rules_of(&it.v3),
            fields,
            name: it.version,
        }
    });
    let versions = versions.collect();
    let names = &spec.names;
    KindReference {
        name: format!("{}.{}", names.plural, spec.group),
        group: spec.group.clone(),
        kind: names.kind.clone(),
        other_names: [&names.singular]
            .into_iter()
            .chain(&names.short_names)
            .cloned()
            .collect(),
        is_namespaced: spec.scope == "Namespaced",
        versions,
    }
}

/// Adds the fields of an object. `path` is the path of the object, with a trailing dot.
fn add_fields(schema: &Value, path: &str, depth: usize, found: &mut Vec<FieldReference>) {
    for field in fields_of(schema) {
        let is_standard = depth == 0 && ["apiVersion", "kind", "metadata"].contains(&field.name);
        let Some(reference) = field_reference(&field, path, depth).filter(|_| !is_standard) else {
            continue;
        };
        let inside = format!("{}{}.", reference.path, "[*]".repeat(levels(field.schema)));
        found.push(reference);
        // The fields of `metadata` are the same in all resources.
        if !is_reference(field.schema) {
            add_fields(field.schema, &inside, depth + 1, found);
        }
    }
}

fn field_reference(field: &Field<'_>, path: &str, depth: usize) -> Option<FieldReference> {
    let schema = field.schema.as_object()?;
    let mut constraints = constraints(field.schema);
    constraints.retain(|it| !it.scope.is_whole() || it.keyword != "default");
    let values = schema.get("enum").and_then(Value::as_array);
    Some(FieldReference {
        path: format!("{path}{}", field.name),
        name: field.name.to_owned(),
        depth,
        type_name: type_name(field.schema),
        is_required: field.is_required,
        description: text(schema, "description").map(str::to_owned),
        external_docs: inner(schema, "externalDocs")
            .and_then(|it| text(it, "url"))
            .map(str::to_owned),
        default: schema.get("default").map(Value::to_string),
        values: values.into_iter().flatten().map(Value::to_string).collect(),
        constraints,
        rules: rules_of(field.schema),
    })
}

fn is_reference(schema: &Value) -> bool {
    let keywords = schema.as_object();
    keywords.is_some_and(|it| all_of(it).any(|it| reference(it).is_some()))
}

/// The number of lists and maps around the objects of a field.
fn levels(schema: &Value) -> usize {
    let mut next = schema.as_object().map(resolved);
    let mut count = 0;
    while let Some(schema) = next.filter(|it| inner(it, "properties").is_none()) {
        next = inner(schema, "items").or_else(|| inner(schema, "additionalProperties"));
        count += usize::from(next.is_some());
    }
    count
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{add_fields, levels};

    #[test]
    fn fields_have_the_paths_of_objects() {
        let schema = json!({"type": "object", "properties": {
            "kind": {"type": "string"},
            "spec": {"type": "object", "required": ["hosts"], "properties": {
                "hosts": {"type": "array", "default": [], "items": {"type": "object", "properties": {"name": {"type": "string", "enum": ["a", 1]}}}},
                "labels": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "object", "properties": {"kind": {"type": "string"}}}}},
            }},
        }});
        let mut found = Vec::new();
        add_fields(&schema, "", 0, &mut found);
        let paths: Vec<&str> = found.iter().map(|it| it.path.as_str()).collect();
        let expected = [
            "spec",
            "spec.hosts",
            "spec.hosts[*].name",
            "spec.labels",
            "spec.labels[*][*].kind",
        ];
        assert_eq!(paths, expected);
        assert_eq!((found[1].type_name.as_str(), found[1].is_required), ("[]Object", true));
        assert_eq!((found[1].default.as_deref(), found[2].depth), (Some("[]"), 2));
        assert!(found[1].constraints.is_empty());
        assert_eq!(found[2].values, ["\"a\"", "1"]);
        assert_eq!(levels(&schema["properties"]["spec"]["properties"]["labels"]), 2);
    }
}
