//! Lists with the list type `set`.

use crd_analyzer_schema::JsonSchemaProps;

/// The keyword of a set's items that should be `atomic` but is not; `None` if the items are valid (`hasNonAtomicSetType`).
pub(super) fn granular_set_items(schema: &JsonSchemaProps) -> Option<&'static str> {
    if schema.x_list_type.as_deref() != Some("set") {
        return None;
    }
    let items = schema.items.as_deref()?.schema.as_deref()?;
    let is_atomic = |it: &Option<String>| it.as_deref() == Some("atomic");
    match items.r#type.as_str() {
        "array" if items.x_list_type.is_some() && !is_atomic(&items.x_list_type) => Some("x-kubernetes-list-type"),
        "object" if !is_atomic(&items.x_map_type) => Some("x-kubernetes-map-type"),
        _ => None,
    }
}
