//! The output of published schemas: one OpenAPI document, or JSON lines.

use std::io::{self, Write};

use crd_analyzer_publish::{OpenApi, Published, document as open_api_document};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::resource::accepted::CrdAnswers;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    input::Unreadable,
    output::{
        json::write_pretty,
        jsonl::{FileLine, write_line},
    },
};

/// A published version of a CRD, with one or more schemas.
#[derive(Serialize)]
struct Line<'a, T> {
    file: &'a str,
    doc: Option<usize>,
    name: &'a str,
    k8s: String,
    version: &'a str,
    #[serde(flatten)]
    schemas: T,
}

#[derive(Serialize)]
struct OpenApiSchemas<'a> {
    v3: &'a Value,
    v2: &'a Value,
}

/// Prints a JSON line for each published version of a CRD.
pub(crate) fn lines<T>(
    out: &mut dyn Write,
    file: &str,
    document: &CrdAnswers<T>,
    kubernetes: KubernetesVersion,
    published: &[Published],
) -> io::Result<()> {
    let versions = published.iter().map(|it| {
        let (v3, v2) = (&it.v3, &it.v2);
        (&*it.version, OpenApiSchemas { v3, v2 })
    });
    version_lines(out, file, document, kubernetes, versions)
}

/// Prints a JSON line for each version of a CRD, with its schemas.
pub(super) fn version_lines<'a, T>(
    out: &mut dyn Write,
    file: &str,
    document: &CrdAnswers<T>,
    kubernetes: KubernetesVersion,
    versions: impl Iterator<Item = (&'a str, impl Serialize)>,
) -> io::Result<()> {
    for (version, schemas) in versions {
        let line = Line {
            file,
            doc: document.index,
            name: &document.name,
            k8s: kubernetes.to_string(),
            version,
            schemas,
        };
        write_line(out, &line)?;
    }
    Ok(())
}

/// Prints the line for a file that cannot be read.
pub(crate) fn unreadable(out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
    write_line(out, &FileLine::unreadable(unreadable))
}

/// Prints all schemas as one OpenAPI document.
pub(crate) fn document(out: &mut dyn Write, published: &[Published], edition: OpenApi) -> io::Result<()> {
    write_pretty(out, &open_api_document(published.iter(), edition))
}

/// Prints a schema file for kustomize.
pub(crate) fn kustomize(out: &mut dyn Write, file: &Map<String, Value>) -> io::Result<()> {
    write_pretty(out, file)
}
