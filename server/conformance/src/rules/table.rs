//! The project's own table of rules: `tests/conformance/rules/rules.txt`, in groups that share a schema and values.
//!
//! A line with `schema:` or `self:` contains JSON after this word. `#` starts a comment. Every other line is a rule, which is run on each of the
//! values as a rule of a new CRD.

use serde_json::{Value, json};

/// The requests of a table, in the format of the oracle's `eval`, each with its own id.
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
