//! What we use of SARIF's objects, by the names of its schema.

use std::collections::BTreeMap;

use crd_analyzer_io::escape;
use serde::Serialize;

use super::{MOST_OF_A_MESSAGE, uri};
use crate::output::render::wrap::shortened;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

impl Log {
    pub(super) fn new(run: Run) -> Self {
        Self {
            schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            version: "2.1.0",
            runs: [run],
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run {
    pub(super) tool: Tool,
    pub(super) invocations: Vec<Invocation>,
    pub(super) results: Vec<SarifResult>,
    pub(super) column_kind: &'static str,
}

#[derive(Serialize)]
pub(super) struct Tool {
    pub(super) driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver {
    pub(super) name: &'static str,
    pub(super) semantic_version: &'static str,
    pub(super) rules: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor {
    pub(super) id: &'static str,
    pub(super) short_description: Message,
    pub(super) help: Help,
}

#[derive(Serialize)]
pub(super) struct Help {
    pub(super) text: String,
    pub(super) markdown: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub(super) struct Notification {
    pub(super) level: Level,
    pub(super) message: Message,
    pub(super) locations: Vec<Artifact>,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Error,
    Warning,
    Note,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult {
    pub(super) rule_id: &'static str,
    pub(super) rule_index: usize,
    pub(super) level: Level,
    pub(super) message: Message,
    pub(super) locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_locations: Vec<Location>,
    pub(super) partial_fingerprints: BTreeMap<&'static str, String>,
    /// All results of a run have this, or none.
    pub(super) suppressions: Vec<Suppression>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) fixes: Vec<Fix>,
    pub(super) properties: Properties,
}

/// A message of people, or content of a file.
#[derive(Serialize)]
pub(super) struct Message {
    pub(super) text: String,
}

impl Message {
    /// A message of others, in which all can be seen.
    pub(super) fn new(text: &str) -> Self {
        let text = escape::text(text);
        Self {
            text: shortened(&text, MOST_OF_A_MESSAGE).into_owned(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<usize>,
    #[serde(rename = "physicalLocation")]
    pub(super) physical: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Message>,
}

/// A location that is a whole file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Artifact {
    physical_location: WholeFile,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WholeFile {
    artifact_location: ArtifactLocation,
}

impl Artifact {
    pub(super) fn new(label: &str) -> Self {
        Self {
            physical_location: WholeFile {
                artifact_location: ArtifactLocation::new(label),
            },
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    pub(super) region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

impl ArtifactLocation {
    /// A file by its path as it was given.
    pub(super) fn new(label: &str) -> Self {
        let uri = uri::of(label);
        Self {
            uri_base_id: (!uri.starts_with("file:")).then_some("%SRCROOT%"),
            uri,
        }
    }
}

/// Lines and columns from 1; the end is behind the last character.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
    pub(super) start_column: u32,
    pub(super) end_line: u32,
    pub(super) end_column: u32,
}

#[derive(Serialize)]
pub(super) struct Suppression {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    justification: Option<&'static str>,
}

impl Suppression {
    /// By a comment.
    pub(super) const fn in_source() -> Self {
        Self {
            kind: "inSource",
            justification: None,
        }
    }

    /// By the baseline.
    pub(super) const fn in_baseline() -> Self {
        Self {
            kind: "external",
            justification: Some("The baseline lists it."),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fix {
    pub(super) description: Message,
    pub(super) artifact_changes: Vec<ArtifactChange>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactChange {
    pub(super) artifact_location: ArtifactLocation,
    pub(super) replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replacement {
    pub(super) deleted_region: Region,
    pub(super) inserted_content: Message,
}

/// What is ours beside the standard.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Properties {
    pub(super) class: &'static str,
    pub(super) kubernetes_versions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) object: Option<String>,
}
