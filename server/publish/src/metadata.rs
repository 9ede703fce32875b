//! The schemas that `metadata` refers to. The API server publishes them together with the schemas of a CRD.
//!
//! `cargo conformance explain --update-metadata` writes `metadata.json`. The schemas of different Kubernetes versions only differ in the form of a
//! reference and of the default of an empty list.

use std::sync::LazyLock;

use serde_json::{Map, Value};

/// The OpenAPI v3 schemas that `metadata` refers to, by name.
pub fn metadata_schemas() -> &'static Map<String, Value> {
    static SCHEMAS: LazyLock<Map<String, Value>> =
        LazyLock::new(|| serde_json::from_str(include_str!("metadata.json")).unwrap_or_default());
    &SCHEMAS
}

#[cfg(test)]
mod tests {
    use super::metadata_schemas;

    #[test]
    fn all_references_lead_somewhere() {
        let text = include_str!("metadata.json");
        let references = text.split("#/components/schemas/").skip(1);
        let names: Vec<&str> = references.filter_map(|it| it.split('"').next()).collect();
        assert!(names.len() >= 4, "{names:?}");
        assert!(names.iter().all(|it| metadata_schemas().contains_key(*it)), "{names:?}");
        assert!(metadata_schemas().contains_key(crate::native::OBJECT_META));
    }
}
