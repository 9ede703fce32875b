//! Formats values as Go's templates do (`fmt.Fprint` of a value decoded by `encoding/json`).

use crd_analyzer_schema::field::render::go_value_of_floats;
use serde_json::Value;

/// A value as a template prints it at the top level.
pub(crate) fn printed(value: &Value) -> String {
    if value.is_null() {
        return "<no value>".to_owned();
    }
    go_value_of_floats(value)
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
