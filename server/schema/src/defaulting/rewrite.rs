//! Rewriting the defaults of a schema.

use serde_json::Value;

use crate::json_schema::JsonSchemaProps;

/// Replaces the defaults, given in the order in which this function visits them; `None` keeps the existing default.
pub(super) fn apply(schema: &mut JsonSchemaProps, defaults: &mut impl Iterator<Item = Option<Value>>) {
    if !matches!(schema.default, None | Some(Value::Null))
        && let Some(default) = defaults.next().flatten()
    {
        schema.default = Some(default);
    }
    if let Some(additional) = schema.additional_properties.as_mut().and_then(|it| it.schema.as_mut()) {
        apply(additional, defaults);
    }
    if let Some(items) = schema.items.as_mut().and_then(|it| it.schema.as_mut()) {
        apply(items, defaults);
    }
    for (_, property) in &mut schema.properties {
        apply(property, defaults);
    }
}
