//! The schemas of the CRDs of a repository.

use std::{collections::HashMap, sync::Arc};

use crd_analyzer_syntax::{
    read_json,
    split::{read_document, split},
};
use serde_json::Value;

/// The schemas by API version and kind. A kind may have several.
#[derive(Default)]
pub(super) struct Schemas(HashMap<(String, String), Vec<Value>>);

impl Schemas {
    /// The schemas of the CRDs in these texts.
    pub(super) fn of<'t>(texts: impl Iterator<Item = &'t String>) -> Self {
        let mut schemas = Self::default();
        for text in texts.filter(|it| it.contains("CustomResourceDefinition")) {
            for crd in documents(text) {
                schemas.add(&crd);
            }
        }
        schemas
    }

    fn add(&mut self, crd: &Value) {
        if crd["kind"] != "CustomResourceDefinition" {
            return;
        }
        let (group, kind) = (crd["spec"]["group"].as_str(), crd["spec"]["names"]["kind"].as_str());
        let (Some(group), Some(kind)) = (group, kind) else {
            return;
        };
        for version in crd["spec"]["versions"].as_array().into_iter().flatten() {
            let schema = &version["schema"]["openAPIV3Schema"];
            if let Some(name) = version["name"].as_str().filter(|_| schema.is_object()) {
                let of = (format!("{group}/{name}"), kind.to_owned());
                self.0.entry(of).or_default().push(schema.clone());
            }
        }
    }

    /// The schemas for `spec` of a kind. Empty if one of its CRDs has none.
    pub(super) fn spec(&self, api_version: &str, kind: &str) -> Vec<&Value> {
        let all = self.0.get(&(api_version.to_owned(), kind.to_owned()));
        let all: Vec<&Value> = all.into_iter().flatten().collect();
        properties(&all, "spec").unwrap_or_default()
    }
}

/// The schemas of a property. `None` if one of the schemas does not have it.
pub(super) fn properties<'s>(schemas: &[&'s Value], name: &str) -> Option<Vec<&'s Value>> {
    schemas.iter().map(|it| it["properties"].get(name)).collect()
}

/// The schemas of items. `None` if one of the schemas has none.
pub(super) fn items<'s>(schemas: &[&'s Value]) -> Option<Vec<&'s Value>> {
    schemas.iter().map(|it| it.get("items")).collect()
}

fn documents(text: &str) -> Vec<Value> {
    let text: Arc<str> = text.into();
    let found = split(&text);
    let read = found.documents.iter().filter_map(|document| {
        let tree = read_document(&text, *document, &[]).ok()?;
        let json = read_json(&tree).ok()?;
        Some(json.root()?.to_value())
    });
    read.collect()
}
