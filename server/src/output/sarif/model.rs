//! The SARIF objects that we use, with the names of the SARIF schema.

use std::{borrow::Cow, collections::BTreeMap};

use crd_analyzer_io::escape;
use crd_analyzer_workspace::roles::Aside;
use serde::Serialize;

use super::{MOST_OF_A_MESSAGE, uri};
use crate::output::render::wrap::shortened;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Log<P> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<P>; 1],
}

impl<P> Log<P> {
    pub(crate) fn new(run: Run<P>) -> Self {
        Self {
            schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            version: "2.1.0",
            runs: [run],
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
/// A run. `P` contains the properties of each result that SARIF does not define.
pub(crate) struct Run<P> {
    pub(crate) tool: Tool,
    pub(crate) invocations: Vec<Invocation>,
    pub(crate) results: Vec<SarifResult<P>>,
    pub(crate) column_kind: &'static str,
}

#[derive(Serialize)]
pub(crate) struct Tool {
    pub(crate) driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Driver {
    pub(crate) name: &'static str,
    pub(crate) semantic_version: &'static str,
    pub(crate) rules: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Descriptor {
    pub(crate) id: &'static str,
    pub(crate) short_description: Message,
    pub(crate) help: Help,
}

#[derive(Serialize)]
pub(crate) struct Help {
    pub(crate) text: String,
    pub(crate) markdown: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invocation {
    pub(crate) execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub(crate) struct Notification {
    pub(crate) level: Level,
    pub(crate) message: Message,
    pub(crate) locations: Vec<Artifact>,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    Error,
    Warning,
    Note,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SarifResult<P> {
    pub(crate) rule_id: &'static str,
    pub(crate) rule_index: usize,
    pub(crate) level: Level,
    pub(crate) message: Message,
    pub(crate) locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) related_locations: Vec<Location>,
    pub(crate) partial_fingerprints: BTreeMap<&'static str, String>,
    /// Either all results of a run have this property, or none.
    pub(crate) suppressions: Vec<Suppression>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fixes: Vec<Fix>,
    pub(crate) properties: P,
}

/// A message for people, or the content of a file.
#[derive(Serialize)]
pub(crate) struct Message {
    pub(crate) text: String,
}

impl Message {
    /// A message with text from elsewhere: invisible characters are escaped.
    pub(crate) fn new(text: &str) -> Self {
        let text = escape::text(text);
        Self {
            text: shortened(&text, MOST_OF_A_MESSAGE).into_owned(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<usize>,
    #[serde(rename = "physicalLocation")]
    pub(crate) physical: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<Message>,
}

/// The location of a whole file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Artifact {
    physical_location: WholeFile,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WholeFile {
    artifact_location: ArtifactLocation,
}

impl Artifact {
    pub(crate) fn new(label: &str) -> Self {
        Self {
            physical_location: WholeFile {
                artifact_location: ArtifactLocation::new(label),
            },
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhysicalLocation {
    pub(crate) artifact_location: ArtifactLocation,
    pub(crate) region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

impl ArtifactLocation {
    /// The location of a file, given its path.
    pub(crate) fn new(label: &str) -> Self {
        let uri = uri::of(label);
        Self {
            uri_base_id: (!uri.starts_with("file:")).then_some("%SRCROOT%"),
            uri,
        }
    }
}

/// A range. Lines and columns start at 1, and the end is after the last character.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Region {
    pub(crate) start_line: u32,
    pub(crate) start_column: u32,
    pub(crate) end_line: u32,
    pub(crate) end_column: u32,
}

#[derive(Serialize)]
pub(crate) struct Suppression {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    justification: Option<Cow<'static, str>>,
}

impl Suppression {
    /// A suppression by a comment.
    pub(crate) const fn in_source() -> Self {
        Self {
            kind: "inSource",
            justification: None,
        }
    }

    /// A suppression by an exception, with its reason.
    pub(crate) fn by_exception(reason: &str) -> Self {
        Self {
            kind: "external",
            justification: Some(Message::new(reason).text.into()),
        }
    }

    /// A suppression for test data. `reason` is the reason why the file is test data.
    pub(crate) fn in_test_data(reason: Option<&Aside>) -> Self {
        let reason = reason.map_or("", Aside::reason);
        Self {
            kind: "external",
            justification: Some(format!("Only tests read the file: {reason}.").into()),
        }
    }

    /// A suppression by the baseline.
    pub(crate) const fn in_baseline() -> Self {
        Self {
            kind: "external",
            justification: Some(Cow::Borrowed("The baseline lists it.")),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fix {
    pub(crate) description: Message,
    pub(crate) artifact_changes: Vec<ArtifactChange>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArtifactChange {
    pub(crate) artifact_location: ArtifactLocation,
    pub(crate) replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Replacement {
    pub(crate) deleted_region: Region,
    pub(crate) inserted_content: Message,
}

/// The properties that SARIF does not define.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Properties {
    pub(crate) class: &'static str,
    pub(crate) kubernetes_versions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) object: Option<String>,
}
