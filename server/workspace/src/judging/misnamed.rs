//! Kustomizations that neither kustomize nor Flux reads: in a file of another name, or with the `apiVersion` of the other tool.

use std::path::Path;

use crd_analyzer_kustomize::FILE_NAMES;
use crd_analyzer_syntax::{
    split::Document,
    tree::{Span, Tree},
};

use crate::{
    codes,
    documents::{head, text::Text},
    findings::finding::{Class, Finding, Severity},
};

/// The API group of the files that kustomize reads.
const GROUP: &str = "kustomize.config.k8s.io/";

/// Names, in lower case, that look like those that kustomize looks for.
const SIMILAR: [&str; 8] = [
    "kustomization",
    "kustomization.json",
    "kustomization.yaml",
    "kustomization.yml",
    "kustomisation.yaml",
    "kustomisation.yml",
    "kustomize.yaml",
    "kustomize.yml",
];

/// The findings about the kustomizations in a file that has none of the names that kustomize looks for.
pub(super) fn findings(source: &Text, path: Option<&Path>) -> Vec<Finding> {
    let name = path
        .and_then(Path::file_name)
        .and_then(|it| it.to_str())
        .unwrap_or_default();
    if FILE_NAMES.contains(&name) || !source.has(GROUP) {
        return Vec::new();
    }
    let documents = source.documents().documents.iter();
    documents.filter_map(|it| finding(source, *it, name)).collect()
}

fn finding(source: &Text, document: Document, name: &str) -> Option<Finding> {
    let written = head::read(source, document);
    let is_kustomization =
        written.api_version.starts_with(GROUP) && matches!(&*written.kind, "Kustomization" | "Component");
    if !is_kustomization {
        return None;
    }
    let tree = source.read(document).ok()?;
    let spec = tree.get(tree.root()?, "spec");
    if spec.is_some_and(|it| tree.get(it, "path").is_some()) {
        return Some(of_flux(span_of(&tree, "apiVersion")?));
    }
    SIMILAR
        .contains(&&*name.to_lowercase())
        .then(|| Some(misnamed(name, span_of(&tree, "kind")?)))
        .flatten()
}

fn span_of(tree: &Tree, key: &str) -> Option<Span> {
    Some(tree.span(tree.get(tree.root()?, key)?))
}

/// An object for Flux. The API server knows no kinds of kustomize's group.
fn of_flux(span: Span) -> Finding {
    let headline = "Flux ignores this Kustomization: its `apiVersion` is the one of kustomize's own files";
    let mut finding = Finding::new(Class::Hint, codes::KUSTOMIZE_FAILURE, span, headline);
    finding.severity = Severity::Error;
    let meant = "kustomize.toolkit.fluxcd.io/v1";
    finding.label = Some("not Flux's".to_owned());
    finding.help = vec![format!("write `apiVersion: {meant}`")];
    finding.meant = Some(meant.to_owned());
    finding
}

fn misnamed(name: &str, span: Span) -> Finding {
    let headline = format!("kustomize does not read this file: it looks for `{}`", FILE_NAMES[0]);
    let mut finding = Finding::new(Class::Hint, codes::KUSTOMIZE_NOT_BUILT, span, headline);
    finding.help = vec![format!("rename the file `{name}` to `{}`", FILE_NAMES[0])];
    finding
}
