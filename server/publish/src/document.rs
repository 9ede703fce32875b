//! Complete OpenAPI documents for published schemas.

use serde_json::{Map, Value, json};

use crate::{OpenApi, Published};

/// An OpenAPI document with these schemas. The document does not contain the target of references to `ObjectMeta`, because this schema is in the API
/// server's own document.
pub fn document<'p>(published: impl Iterator<Item = &'p Published>, edition: OpenApi) -> Value {
    let schemas: Map<String, Value> = published
        .map(|it| (it.name.clone(), it.schema(edition).clone()))
        .collect();
    let info = json!({"title": "Kubernetes custom resources", "version": "v1"});
    match edition {
        OpenApi::V2 => json!({"swagger": "2.0", "info": info, "paths": {}, "definitions": schemas}),
        OpenApi::V3 => json!({"openapi": "3.0.0", "info": info, "paths": {}, "components": {"schemas": schemas}}),
    }
}
