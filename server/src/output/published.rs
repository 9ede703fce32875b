//! Published schemas: one OpenAPI document, or a line for each version.

use std::io::{self, Write};

use crd_analyzer_publish::{OpenApi, Published, document as open_api_document};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::accepted::CrdAnswers;
use serde::Serialize;
use serde_json::Value;

use crate::{
    input::Unreadable,
    output::{
        json::write_pretty,
        jsonl::{FileLine, write_line},
    },
};

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    doc: Option<usize>,
    name: &'a str,
    k8s: String,
    version: &'a str,
    v3: &'a Value,
    v2: &'a Value,
}

/// A line for each published version of one CRD.
pub(crate) fn lines<T>(
    out: &mut dyn Write,
    file: &str,
    document: &CrdAnswers<T>,
    kubernetes: KubernetesVersion,
    published: &[Published],
) -> io::Result<()> {
    for it in published {
        let line = Line {
            file,
            doc: document.index,
            name: &document.name,
            k8s: kubernetes.to_string(),
            version: &it.version,
            v3: &it.v3,
            v2: &it.v2,
        };
        write_line(out, &line)?;
    }
    Ok(())
}

/// The line of a file that cannot be read.
pub(crate) fn unreadable(out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
    write_line(out, &FileLine::unreadable(unreadable))
}

/// All schemas as one OpenAPI document.
pub(crate) fn document(out: &mut dyn Write, published: &[Published], edition: OpenApi) -> io::Result<()> {
    write_pretty(out, &open_api_document(published.iter(), edition))
}
