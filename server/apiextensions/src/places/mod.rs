//! From the API server's field paths, which are those of the internal form, to what the author wrote.
//!
//! What all versions share is named once by the API server and written once for each version: such a path has one place a
//! version. Other fields have other names in the document (`JSONPath`, `webhookClientConfig`).

mod resolve;
mod rewrite;
#[cfg(test)]
mod tests;

use crd_analyzer_schema::field::Path;
use crd_analyzer_syntax::json::Json;
use crd_analyzer_syntax::tree::NodeId;

use crate::internal::Hoisted;

/// What one field path means in a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocatedField {
    /// The path as in the author's file: `spec.versions[0].schema.openAPIV3Schema.properties[a]`.
    pub path: Path,
    /// The key, if the field is written in a mapping; of a field that is not written, the key of the closest thing around
    /// it that is.
    pub key: Option<NodeId>,
    /// The value; of a field that is not written, the value of the closest thing around it that is.
    pub value: NodeId,
    /// Whether the field itself is not written.
    pub missing: bool,
}

/// The place of a path of a document, whatever the document is.
pub fn place(json: &Json<'_>, path: Path) -> LocatedField {
    resolve::place(json, path)
}

/// All places that a path of the internal form means, in the order of the file: the first one is where to point, the
/// others are the same thing for other versions. Never empty.
///
/// `json` is the document that was judged, `hoisted` what its conversion found.
pub fn find(json: &Json<'_>, hoisted: Hoisted, path: &Path) -> Vec<LocatedField> {
    let versions = resolve::versions(json);
    let mut places: Vec<LocatedField> = rewrite::to_document(path, hoisted, versions)
        .into_iter()
        .map(|it| resolve::place(json, it))
        .collect();
    if places.iter().all(|it| it.missing) && rewrite::follows_from_kind(path) {
        // A name that was not written came from the kind, and so does what is wrong with it.
        let kind = resolve::place(json, Path::of(["spec", "names", "kind"]));
        if !kind.missing {
            return vec![kind];
        }
    }
    // Versions that lack something that another one has are not where the trouble is.
    if places.iter().any(|it| !it.missing) {
        places.retain(|it| !it.missing);
    }
    places.sort_by_key(|it| it.key.unwrap_or(it.value));
    places.dedup_by_key(|it| (it.key, it.value));
    places
}
