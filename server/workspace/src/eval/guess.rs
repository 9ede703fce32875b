//! Infers CEL types for values without a schema.

use std::sync::Arc;

use crd_analyzer_cel::types::{DeclField, DeclKind, DeclType, Type, escape};
use crd_analyzer_cel::value::{Map, Value as CelValue};
use crd_analyzer_schema::cel_types::MAX_REQUEST_SIZE;
use serde_json::Value;

/// The narrowest type that all of these values have. It is `dyn` where they differ or give no information.
pub(super) fn type_of_values<'v>(values: impl IntoIterator<Item = &'v Value>) -> Arc<DeclType> {
    Arc::new(
        values
            .into_iter()
            .map(of_value)
            .reduce(|a, b| common(&a, &b))
            .unwrap_or_else(anything),
    )
}

/// Converts a value to a CEL value of this type. Escapes names of fields, but not keys of maps.
pub(super) fn value_of(value: &Value, ty: &DeclType) -> CelValue {
    match value {
        Value::Null => CelValue::Null,
        Value::Bool(flag) => CelValue::Bool(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(int) if !matches!(ty.kind, DeclKind::Simple(Type::Double)) => CelValue::Int(int),
            _ => CelValue::Double(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => {
            let element = ty.element().cloned().unwrap_or_else(|| Arc::new(anything()));
            CelValue::list(items.iter().map(|it| value_of(it, &element)).collect())
        }
        Value::Object(members) => {
            let entries = members.iter().map(|(name, value)| {
                let escaped = escape(name).filter(|_| matches!(ty.kind, DeclKind::Object(_)));
                let name = escaped.unwrap_or_else(|| name.into());
                let below = ty.field(&name).map(|it| &it.ty).or(ty.element());
                let value = below.map_or_else(|| value_of(value, &anything()), |below| value_of(value, below));
                (name.into(), value)
            });
            CelValue::Map(Map::of_names(entries.collect::<Vec<_>>()))
        }
    }
}

fn anything() -> DeclType {
    DeclType {
        max_elements: MAX_REQUEST_SIZE,
        ..DeclType::simple(Type::Dyn, 1)
    }
}

fn list_of(element: DeclType) -> DeclType {
    let most = MAX_REQUEST_SIZE / element.min_serialized_size.saturating_add(1);
    DeclType::list(Arc::new(element), most)
}

fn object_of(fields: Vec<DeclField>) -> DeclType {
    let size = fields
        .iter()
        .map(|it| it.name.len() as i64 + 4 + it.ty.min_serialized_size);
    let size = 2 + size.sum::<i64>();
    DeclType::object(fields, size)
}

fn of_value(value: &Value) -> DeclType {
    match value {
        Value::Null => anything(),
        Value::Bool(_) => DeclType::bool(),
        Value::Number(number) if number.is_i64() => DeclType::int(),
        Value::Number(_) => DeclType::double(),
        Value::String(_) => DeclType::string(MAX_REQUEST_SIZE - 2),
        Value::Array(items) => list_of(
            items
                .iter()
                .map(of_value)
                .reduce(|a, b| common(&a, &b))
                .unwrap_or_else(anything),
        ),
        Value::Object(members) => {
            let fields = members.iter().map(|(name, value)| {
                Some(DeclField {
                    name: escape(name)?.into(),
                    ty: Arc::new(of_value(value)),
                    required: false,
                })
            });
            match fields.collect::<Option<Vec<_>>>() {
                Some(fields) if !fields.is_empty() => object_of(fields),
                // If some names cannot be field names in CEL, treat the object as a map.
                _ => {
                    let values = members
                        .values()
                        .map(of_value)
                        .reduce(|a, b| common(&a, &b))
                        .unwrap_or_else(anything);
                    let most = MAX_REQUEST_SIZE / values.min_serialized_size.saturating_add(6);
                    DeclType::map(Arc::new(values), most)
                }
            }
        }
    }
}

fn common(a: &DeclType, b: &DeclType) -> DeclType {
    if a == b {
        return a.clone();
    }
    match (&a.kind, &b.kind) {
        (DeclKind::List(x), DeclKind::List(y)) => list_of(match (is_anything(x), is_anything(y)) {
            // An empty list says nothing about the type of its items.
            (true, _) => (**y).clone(),
            (_, true) => (**x).clone(),
            _ => common(x, y),
        }),
        (DeclKind::Object(x), DeclKind::Object(y)) => {
            let mut fields = x.clone();
            for field in y {
                match fields.iter_mut().find(|it| it.name == field.name) {
                    Some(same) => same.ty = Arc::new(common(&same.ty, &field.ty)),
                    None => fields.push(field.clone()),
                }
            }
            object_of(fields)
        }
        (DeclKind::Simple(Type::Int | Type::Double), DeclKind::Simple(Type::Int | Type::Double)) => DeclType::double(),
        _ => anything(),
    }
}

fn is_anything(ty: &DeclType) -> bool {
    matches!(ty.kind, DeclKind::Simple(Type::Dyn))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_tell_their_types() {
        let check = |values: &[Value], expected: &str| {
            let ty = type_of_values(values).cel_type("T").to_string();
            assert_eq!(ty, expected, "{values:?}");
        };
        check(&[json!(1)], "int");
        check(&[json!(1), json!("50%")], "dyn");
        check(&[json!([[], [1]])], "list(list(int))");
        check(&[json!([1, "a"])], "list(dyn)");
        check(&[json!({"a-/b": 1, "\u{e9}": 2})], "map(string, int)");
        check(&[json!({"a": 1})], "T");
        check(&[], "dyn");
        let both = type_of_values(&[json!({"a": null}), json!({"b": true})]);
        let types: Vec<_> = both.fields().iter().map(|it| it.ty.cel_type("").to_string()).collect();
        assert_eq!(types, ["dyn", "bool"]);
    }
}
