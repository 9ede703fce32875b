//! JSON output: one document.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Format, Line, Section};
use crate::output::json::write_pretty;

pub(super) const FORMAT: Format = Format {
    name: "json",
    help: "One JSON document",
    print: |out, _, sections| print(out, sections),
};

fn print(out: &mut dyn Write, sections: &[Section]) -> io::Result<()> {
    let sections: Vec<Value> = sections.iter().map(section).collect();
    let is_broken = sections.iter().any(|it| it["is_broken"] == true);
    write_pretty(out, &json!({"is_broken": is_broken, "sections": sections}))
}

fn section(section: &Section) -> Value {
    let line = |it: &Line| {
        json!({
            "state": it.state.word(),
            "text": it.text,
            "help": it.help,
        })
    };
    json!({
        "name": section.name,
        "is_broken": section.is_broken(),
        "lines": section.lines.iter().map(line).collect::<Vec<_>>(),
        "facts": section.facts,
    })
}
