//! Finds the CRDs that a suite tests in a file, and reduces them to one version.

use std::{collections::HashMap, sync::Arc};

use crd_analyzer_apiextensions::decode::WrittenType;
use crd_analyzer_apiextensions::kind::CRD;
use crd_analyzer_syntax::{
    json::Json,
    read_json,
    split::{read_document, split},
    tree::Tree,
};
use serde_json::Value;

use crate::rules::{Rule, rules};

/// A CRD found in a file.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// The name of the file for messages.
    pub label: String,
    /// The name of the CRD.
    pub name: String,
    /// The CRD as JSON.
    pub value: Value,
    /// The text of the file that contains the CRD.
    pub text: Arc<str>,
}

impl Found {
    /// The kind of the CRD's resources.
    pub fn kind(&self) -> &str {
        text(&self.value, "/spec/names/kind")
    }

    /// The group of the CRD's resources.
    pub fn group(&self) -> &str {
        text(&self.value, "/spec/group")
    }

    /// The version for resources that do not name one, which is the storage version.
    pub fn version(&self) -> &str {
        let versions = self.value.pointer("/spec/versions").and_then(Value::as_array);
        let mut versions = versions.into_iter().flatten();
        let stored = versions.clone().find(|it| it["storage"] == Value::Bool(true));
        stored.or_else(|| versions.next()).map_or("", |it| text(it, "/name"))
    }

    /// The annotations of the CRD.
    pub(crate) fn annotations(&self) -> impl Iterator<Item = (&str, &str)> {
        let found = self.value.pointer("/metadata/annotations").and_then(Value::as_object);
        found
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
    }

    /// The CRD with only this version, which is served and stored. This way, other versions than the storage version can be tested.
    pub fn only(&self, version: Option<&str>) -> Result<Value, String> {
        let mut value = self.value.clone();
        let versions = value.pointer_mut("/spec/versions").and_then(Value::as_array_mut);
        let Some(versions) = versions else {
            return Ok(value);
        };
        let Some(version) = version else {
            return Ok(value);
        };
        let names: Vec<String> = versions.iter().map(|it| text(it, "/name").to_owned()).collect();
        versions.retain_mut(|it| {
            let is_meant = text(it, "/name") == version;
            if let Value::Object(it) = it {
                it.insert("served".to_owned(), Value::Bool(true));
                it.insert("storage".to_owned(), Value::Bool(true));
            }
            is_meant
        });
        if versions.is_empty() {
            return Err(format!(
                "{} has no version `{version}`: it has {}",
                self.label,
                names.join(", ")
            ));
        }
        Ok(value)
    }

    /// The number of versions in the CRD.
    pub(crate) fn version_count(&self) -> usize {
        self.value
            .pointer("/spec/versions")
            .and_then(Value::as_array)
            .map_or(0, Vec::len)
    }
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// All CRDs in a file, including those in lists. Documents that cannot be read are skipped.
pub fn definitions(label: &str, content: &Arc<str>) -> Vec<Found> {
    let mut found = Vec::new();
    visit_crds(content, |_, crd| found.extend(of(label, content, crd)));
    found
}

/// The rules of all CRDs in a file, by the name of the CRD. The rules are in the order of the text. If several CRDs have the same name, only the
/// first one is included.
pub(crate) fn rules_by_name(content: &Arc<str>) -> HashMap<String, Vec<Rule>> {
    let mut found = HashMap::new();
    visit_crds(content, |tree, crd| {
        let name = crd.get("metadata").and_then(|it| it.get("name")).and_then(Json::as_str);
        let name = name.unwrap_or_default().to_owned();
        found.entry(name).or_insert_with(|| rules(tree, crd));
    });
    found
}

/// Visits the CRDs in a file, including those in lists. Documents that cannot be read are skipped.
fn visit_crds(content: &Arc<str>, mut visit: impl FnMut(&Tree, &Json<'_>)) {
    if !CRD.is_named_in(content) {
        return;
    }
    for document in split(content).documents {
        let Ok(tree) = read_document(content, document, &[]) else {
            continue;
        };
        let Ok(json) = read_json(&tree) else { continue };
        if json.depth() > crd_analyzer_schema::depth::limit() {
            continue;
        }
        let head = WrittenType::of_document(content, document.span, Some(&json));
        let Some(root) = json.root() else { continue };
        if head.is_crd() {
            visit(&tree, root);
        } else if CRD.is_list(&head.kind) {
            let items = root.get("items").and_then(|it| it.items()).unwrap_or_default();
            let items = items.iter().filter(|it| WrittenType::of(it).is_crd());
            items.for_each(|it| visit(&tree, it));
        }
    }
}

fn of(label: &str, content: &Arc<str>, crd: &Json<'_>) -> Option<Found> {
    let value = crd.to_value();
    let name = text(&value, "/metadata/name").to_owned();
    value.pointer("/spec")?;
    Some(Found {
        label: label.to_owned(),
        name,
        value,
        text: content.clone(),
    })
}
