//! Maps the API server's field paths, which refer to the internal form, to the author's document.
//!
//! The API server names parts that all versions share only once, but the document repeats these parts for each version. The path of such a part
//! therefore has one location per version. Other fields have other names in the document (`JSONPath`, `webhookClientConfig`).

mod resolve;
mod rewrite;
#[cfg(test)]
mod tests;

use crd_analyzer_schema::field::Path;
use crd_analyzer_syntax::json::Json;
use crd_analyzer_syntax::tree::NodeId;

use crate::internal::Hoisted;

/// The location of a field path in a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocatedField {
    /// The path in the author's file: `spec.versions[0].schema.openAPIV3Schema.properties[a]`.
    pub path: Path,
    /// The key, if the field is in a mapping. If the field is missing, this is the key of the closest surrounding field that exists.
    pub key: Option<NodeId>,
    /// The value. If the field is missing, this is the value of the closest surrounding field that exists.
    pub value: NodeId,
    /// Whether the field itself is missing.
    pub missing: bool,
}

/// The location of a path in a document of any kind.
pub fn place(json: &Json<'_>, path: Path) -> LocatedField {
    resolve::place(json, path)
}

/// All locations of a path of the internal form, in the order of the file: an error is shown at the first location, and the others are the same field
/// of other versions. Never empty.
///
/// `json` is the validated document, and `hoisted` is the result of its conversion.
pub fn find(json: &Json<'_>, hoisted: Hoisted, path: &Path) -> Vec<LocatedField> {
    let versions = resolve::versions(json);
    let mut places: Vec<LocatedField> = rewrite::to_document(path, hoisted, versions)
        .into_iter()
        .map(|it| resolve::place(json, it))
        .collect();
    if places.iter().all(|it| it.missing) && rewrite::follows_from_kind(path) {
        // A missing name was derived from the kind, so the error is in the kind.
        let kind = resolve::place(json, Path::of(["spec", "names", "kind"]));
        if !kind.missing {
            return vec![kind];
        }
    }
    // If only some versions have the field, the other versions are not the cause.
    if places.iter().any(|it| !it.missing) {
        places.retain(|it| !it.missing);
    }
    places.sort_by_key(|it| it.key.unwrap_or(it.value));
    places.dedup_by_key(|it| (it.key, it.value));
    places
}
