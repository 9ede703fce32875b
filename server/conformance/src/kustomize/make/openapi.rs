//! Generates OpenAPI files for kustomizations.

use serde_json::{Value, json};

use super::Made;

impl Made<'_> {
    /// Adds an OpenAPI file to some kustomizations.
    pub(super) fn add_openapi(&mut self, text: &mut String, folder: &str) {
        if self.is(if folder == "top" { 25 } else { 3 }) {
            let file = self.openapi();
            self.files.push((format!("{folder}/schema.json"), file));
            text.push_str("openapi: {path: schema.json}\n");
        }
    }

    /// An OpenAPI file with merge strategies for lists of some kinds.
    fn openapi(&mut self) -> String {
        let merge = self.pick(&[
            json!({"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"}),
            json!({"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"}),
            json!({"x-kubernetes-patch-strategy": "merge"}),
            json!({"x-kubernetes-patch-strategy": "merge,retainKeys", "x-kubernetes-list-map-keys": ["name", "x"]}),
            json!({"x-kubernetes-patch-merge-key": "name"}),
        ]);
        let mut list = json!({"type": "array", "items": {"$ref": "#/definitions/Item"}});
        if let (Some(list), Some(merge)) = (list.as_object_mut(), merge.as_object()) {
            list.extend(merge.clone());
        }
        let fields = json!({"type": "object", "properties": {
            "a": {"$ref": "#/definitions/Fields"}, "b": {"$ref": "#/definitions/None"}, "list": list,
        }});
        let kind = |group: &str, version: &str, kind: &str| json!([{"group": group, "version": version, "kind": kind}]);
        let mut definitions = json!({
            "Fields": fields,
            "Item": {"type": "object", "properties": {"x": {"$ref": "#/definitions/Fields"}}},
        });
        let mut define = |name: &str, of: Value, spec: Value| {
            definitions[name] = json!({"properties": {"spec": spec}, "x-kubernetes-group-version-kind": of});
        };
        if self.is(80) {
            define(
                "Widget",
                kind("example.com", "v1", "Widget"),
                json!({"$ref": "#/definitions/Fields"}),
            );
        }
        if self.is(50) {
            let values = json!({"additionalProperties": {"$ref": "#/definitions/Fields"}});
            define("Gadget", kind("example.com", "v1alpha1", "Gadget"), values);
        }
        if self.is(30) {
            let containers = json!({"type": "array", "items": {}, "x-kubernetes-patch-strategy": "merge",
                "x-kubernetes-patch-merge-key": "name"});
            let template = json!({"properties": {"spec": {"properties": {"containers": containers}}}});
            define(
                "Deployment",
                kind("apps", "v1", "Deployment"),
                json!({"properties": {"template": template}}),
            );
        }
        let mut paths = json!({});
        if self.is(40) {
            let get = json!({"get": {"x-kubernetes-group-version-kind":
                {"group": "example.com", "version": "v1", "kind": "Widget"}}});
            let path = self.pick(&[
                "/apis/example.com/v1/widgets",
                "/apis/example.com/v1/namespaces/{namespace}/widgets",
            ]);
            paths[path] = get;
        }
        json!({"swagger": "2.0", "paths": paths, "definitions": definitions}).to_string()
    }
}
