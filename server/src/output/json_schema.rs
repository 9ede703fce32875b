//! JSON Schemas: one document, a file for each version, or a line.

use std::{
    io::{self, Write},
    path::Path,
};

use crd_analyzer_io::write;
use crd_analyzer_publish::JsonSchema;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::accepted::CrdAnswers;
use serde::Serialize;
use serde_json::Value;

use super::{json::write_pretty, published::version_lines, several};

#[derive(Serialize)]
struct Schema<'a> {
    json_schema: &'a Value,
}

/// A line for each version of one CRD.
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

/// One schema.
pub(crate) fn document(out: &mut dyn Write, schema: &JsonSchema) -> io::Result<()> {
    write_pretty(out, &schema.schema)
}

/// Writes a schema to `GROUP/KIND_VERSION.json` in a folder, which is made if it is not there. Says why it cannot.
pub(crate) fn put(folder: &Path, schema: &JsonSchema) -> Result<(), String> {
    let of_group = folder.join(&schema.group);
    let path = of_group.join(format!("{}_{}.json", schema.kind.to_lowercase(), schema.version));
    let mut text = Vec::new();
    // Memory takes what is written.
    let _ = write_pretty(&mut text, &schema.schema);
    let made = write::folder(folder).and_then(|()| write::folder(&of_group));
    let written = made.and_then(|()| several::put(&path, &text));
    written.map_err(|why| super::unwritten(&path.display().to_string(), &why))
}
