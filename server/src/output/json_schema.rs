//! The output of JSON Schemas: one document, a file for each version, or JSON lines.

use std::{
    io::{self, Write},
    path::Path,
};

use crd_analyzer_io::write::{OutputFolder, Replaceable};
use crd_analyzer_publish::JsonSchema;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::resource::accepted::CrdAnswers;
use serde::Serialize;
use serde_json::Value;

use super::{json::write_pretty, published::version_lines, unwritten};

#[derive(Serialize)]
struct Schema<'a> {
    json_schema: &'a Value,
}

/// Prints a JSON line for each version of a CRD.
pub(crate) fn lines<T>(
    out: &mut dyn Write,
    file: &str,
    document: &CrdAnswers<T>,
    kubernetes: KubernetesVersion,
    schemas: &[JsonSchema],
) -> io::Result<()> {
    let versions = schemas.iter().map(|it| {
        let json_schema = &it.schema;
        (&*it.version, Schema { json_schema })
    });
    version_lines(out, file, document, kubernetes, versions)
}

/// Prints one schema as a document.
pub(crate) fn document(out: &mut dyn Write, schema: &JsonSchema) -> io::Result<()> {
    write_pretty(out, &schema.schema)
}

/// Writes a schema to `GROUP/KIND_VERSION.json` in a folder, and creates the folder if necessary. The error is the message to print.
pub(crate) fn put(folder: &Path, schema: &JsonSchema, replaceable: Replaceable) -> Result<(), String> {
    let name = format!("{}_{}.json", schema.kind.to_lowercase(), schema.version);
    let below = Path::new(&schema.group).join(name);
    let mut text = Vec::new();
    // Writing to memory never fails.
    let _ = write_pretty(&mut text, &schema.schema);
    let opened = OutputFolder::open(folder).map_err(|why| unwritten(&folder.display().to_string(), &why))?;
    let written = opened.put(&below, &text, replaceable);
    written.map_err(|why| unwritten(&folder.join(below).display().to_string(), &why))
}
