//! JSON output: one document.

use std::io::{self, Write};

use crd_analyzer_workspace::comparison::stored_versions::MigrationStep;
use serde_json::{Value, json};

use super::{Format, Planned};
use crate::output::json::write_pretty;

pub(super) const FORMAT: Format = Format {
    name: "json",
    help: "One JSON document",
    print: |out, _, planned| print(out, planned),
};

fn print(out: &mut dyn Write, planned: &[Planned]) -> io::Result<()> {
    let document: Vec<Value> = planned.iter().map(document).collect();
    write_pretty(out, &Value::Array(document))
}

fn document(planned: &Planned) -> Value {
    let plan = &planned.plan;
    let step = |it: &MigrationStep| {
        json!({
            "step": it.code,
            "state": it.state.name(),
            "text": it.text,
            "command": it.command,
            "object": it.object,
        })
    };
    json!({
        "name": planned.name,
        "storage": plan.storage,
        "stored": plan.stored,
        "refusals": plan.refusals,
        "removable": plan.removable,
        "loses_fields": plan.loses_fields,
        "steps": plan.steps.iter().map(step).collect::<Vec<_>>(),
    })
}
