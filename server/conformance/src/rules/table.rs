//! The project's own table of rules: `tests/conformance/rules/rules.txt`, in groups that share a schema and values.
//!
//! A line that begins with `schema:` or `self:` has JSON behind it, one that begins with `#` is for people, and every other line is a rule:
//! it is asked with each of the values, as a rule of a new CRD.

use serde_json::{Value, json};

/// The requests that a table makes, in the form of the oracle's `eval`, each with an id of its own.
pub(crate) fn requests(text: &str) -> anyhow::Result<Vec<Value>> {
    let mut requests = Vec::new();
    let mut schema = Value::Null;
    let mut values: Vec<Value> = Vec::new();
    let mut is_group_open = true;
    for line in text.lines() {
        if let Some(json) = line.strip_prefix("schema: ") {
            schema = serde_json::from_str(json)?;
            values.clear();
        } else if let Some(json) = line.strip_prefix("self: ") {
            if !is_group_open {
                values.clear();
            }
            is_group_open = true;
            values.push(serde_json::from_str(json)?);
        } else if !line.is_empty() && !line.starts_with('#') {
            is_group_open = false;
            for value in &values {
                let id = requests.len().to_string();
                requests.push(json!({"id": id, "schema": schema, "rule": line, "self": value}));
            }
        }
    }
    Ok(requests)
}
