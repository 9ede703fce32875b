//! The printer columns of a resource, as `kubectl get` prints them.

use crd_analyzer_resource::Stored;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    json::read_json_of,
    tree::{NodeId, Tree},
};
use serde_json::Value;

use super::json_path;
use crate::index::{Files, KnownCrd};

/// A printer column and its value for a resource.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The name of the column.
    pub name: String,
    /// The type of the column.
    pub r#type: String,
    /// The JSONPath of the column.
    pub json_path: String,
    /// The value as printed. `None` if it is missing or does not have the column's type.
    pub value: Option<String>,
}

/// The columns of a resource, including those of lower priority, as if it were stored as written with defaults. `None` if its CRD does not serve its
/// version.
pub fn columns(
    definition: &KnownCrd,
    files: &dyn Files,
    version: KubernetesVersion,
    tree: &Tree,
    node: NodeId,
) -> Option<Vec<Column>> {
    let (definition, _) = definition.serve(files, version).ok()?;
    let json = read_json_of(tree, node).ok()?;
    let root = json.root()?;
    let text = |key: &str| root.get(key).and_then(|it| it.as_str()).unwrap_or_default();
    let served = definition.serving(text("apiVersion"), text("kind")).ok()?;
    let stored = Stored::establish(served, &json).ok()?;
    let mut object = stored.object().clone();
    // Leave out the creation time, because the API server would set it.
    if let (Some(Value::Object(stored)), sent) = (object.get_mut("metadata"), root.get("metadata")) {
        let written = sent.and_then(|it| it.get("creationTimestamp")?.as_str());
        match written {
            Some(written) => stored.insert("creationTimestamp".to_owned(), written.into()),
            None => stored.remove("creationTimestamp"),
        };
    }
    let object = Value::Object(object);
    let column = |it: &crd_analyzer_apiextensions::types::ColumnDefinition| Column {
        name: it.name.clone(),
        r#type: it.r#type.clone(),
        json_path: it.json_path.clone(),
        value: json_path::first(&object, &it.json_path).and_then(|value| cell(&it.r#type, value)),
    };
    Some(served.columns().iter().map(column).collect())
}

/// A value as a cell of a column (`cellForJSONValue` of `pkg/registry/customresource/tableconvertor`).
fn cell(r#type: &str, value: &Value) -> Option<String> {
    match (r#type, value) {
        ("integer", Value::Number(number)) => {
            Some(number.as_f64().map_or_else(String::new, |it| format!("{}", it.trunc())))
        }
        ("number", Value::Number(number)) => Some(number.to_string()),
        ("boolean", Value::Bool(value)) => Some(value.to_string()),
        ("string" | "date", Value::String(text)) => Some(text.clone()),
        ("string", other) => Some(other.to_string()),
        _ => None,
    }
}
