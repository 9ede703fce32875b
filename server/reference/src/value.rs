//! Values as Go's templates print them (`fmt.Fprint` of what `encoding/json` reads).

use crd_analyzer_schema::go;
use serde_json::Value;

/// A value where a template prints it by itself.
pub(crate) fn printed(value: &Value) -> String {
    if value.is_null() {
        return "<no value>".to_owned();
    }
    let mut out = String::new();
    print(&mut out, value);
    out
}

fn print(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("<nil>"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&go::plain_float(number.as_f64().unwrap_or_default())),
        Value::String(text) => out.push_str(text),
        Value::Array(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(' ');
                }
                print(out, item);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push_str("map[");
            for (n, (name, value)) in fields.iter().enumerate() {
                if n > 0 {
                    out.push(' ');
                }
                out.push_str(name);
                out.push(':');
                print(out, value);
            }
            out.push(']');
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::printed;

    #[test]
    fn prints_as_go_does() {
        assert_eq!(printed(&json!(null)), "<no value>");
        assert_eq!(printed(&json!(12_345_678)), "1.2345678e+07");
        assert_eq!(
            printed(&json!({"b": [1, "x", null], "a": true})),
            "map[a:true b:[1 x <nil>]]"
        );
    }
}
