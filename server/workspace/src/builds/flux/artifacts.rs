//! The artifacts that an ArtifactGenerator of Flux copies from repositories (`source.extensions.fluxcd.io`). A Kustomization may build a folder of such
//! an artifact, which is a folder of the repository under another path.

use std::collections::HashMap;

use crd_analyzer_budget as budget;
use crd_analyzer_kustomize::joined;
use serde_json::Value;

use super::{At, Kustomization};

/// The API group of ArtifactGenerators.
pub(super) const GROUP: &str = "source.extensions.fluxcd.io";

/// The work units for looking at an artifact.
const AN_ARTIFACT: u64 = 20;

/// An artifact that a generator makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Artifact {
    name: String,
    namespace: String,
    /// The place of the generator.
    at: At,
    /// What is copied. `None` if it is something else than whole folders.
    copies: Option<Vec<Copy>>,
}

/// A folder of a repository that is copied into an artifact, with all files below it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Copy {
    /// The namespace and name of the GitRepository.
    source: (String, String),
    from: String,
    /// The path in the artifact. Empty for the artifact's own root.
    to: String,
}

impl Artifact {
    /// The artifacts of a generator.
    pub(super) fn all(at: &At, generator: &Value) -> Vec<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let namespace = text(&generator["metadata"]["namespace"]);
        let sources = generator["spec"]["sources"].as_array().into_iter().flatten();
        let sources: Vec<(String, (String, String))> = sources
            .filter(|it| it["kind"] == "GitRepository")
            .map(|it| {
                let of = it["namespace"]
                    .as_str()
                    .map_or_else(|| namespace.clone(), str::to_owned);
                (text(&it["alias"]), (of, text(&it["name"])))
            })
            .collect();
        let copy = |it: &Value| {
            let from = it["from"].as_str()?.strip_prefix('@')?;
            let (alias, path) = from.split_once('/')?;
            let source = sources.iter().find(|it| it.0 == alias)?.1.clone();
            let from = path.strip_suffix("/**").or((path == "**").then_some(""))?.to_owned();
            let to = it["to"]
                .as_str()?
                .strip_prefix("@artifact/")?
                .trim_end_matches('/')
                .to_owned();
            // In another layout, paths such as `../base` would lead elsewhere.
            let keeps_layout = to.is_empty() || from == to || from.ends_with(&format!("/{to}"));
            (keeps_layout && !from.contains('*')).then_some(Copy { source, from, to })
        };
        let artifacts = generator["spec"]["artifacts"].as_array().into_iter().flatten();
        let artifact = |it: &Value| Self {
            name: text(&it["name"]),
            namespace: namespace.clone(),
            at: at.clone(),
            copies: it["copy"].as_array().into_iter().flatten().map(copy).collect(),
        };
        artifacts.map(artifact).collect()
    }

    /// The folder of the repository from which a folder of the artifact is copied, and the repository. If nothing is copied there, the folder has the
    /// path itself, where nothing is, most likely.
    fn folder(&self, path: &str) -> Option<(String, &(String, String))> {
        let path = path.trim_start_matches("./").trim_matches('/');
        let copies = self.copies.as_deref()?;
        let mut copied = copies.iter().filter_map(|it| {
            let rest = if it.to.is_empty() {
                path
            } else {
                let rest = path.strip_prefix(&it.to)?;
                rest.strip_prefix('/').or(rest.is_empty().then_some(""))?
            };
            let separator = if it.from.is_empty() || rest.is_empty() { "" } else { "/" };
            Some((format!("{}{separator}{rest}", it.from), &it.source))
        });
        copied
            .next()
            .or_else(|| Some((path.to_owned(), &copies.first()?.source)))
    }
}

/// The Kustomizations that build artifacts, by their indices, with the folders of the repository from which the artifacts are copied.
pub(super) fn resolved(kustomizations: &[Kustomization], artifacts: &[Artifact]) -> HashMap<usize, Kustomization> {
    let mut by_name: HashMap<&str, Vec<&Artifact>> = HashMap::new();
    for artifact in artifacts {
        by_name.entry(&artifact.name).or_default().push(artifact);
    }
    let mut resolved = HashMap::new();
    for (n, kustomization) in kustomizations.iter().enumerate() {
        let Some((namespace, name)) = &kustomization.artifact else {
            continue;
        };
        let of_name = by_name.get(&**name).map(Vec::as_slice).unwrap_or_default();
        if budget::work(AN_ARTIFACT * of_name.len() as u64).is_err() {
            break;
        }
        let is_it = |it: &&&Artifact| it.namespace == *namespace || it.namespace.is_empty() || namespace.is_empty();
        let named: Vec<&Artifact> = of_name.iter().filter(is_it).copied().collect();
        // Several clusters may have an artifact of this name, each next to its Kustomizations.
        let is_beside = |it: &&&Artifact| it.at.file.parent() == kustomization.at.file.parent();
        let beside: Vec<&&Artifact> = named.iter().filter(is_beside).collect();
        let found = match (beside.as_slice(), named.as_slice()) {
            ([one], _) => Some(**one),
            ([], [one]) => Some(*one),
            _ => None,
        };
        let path = kustomization.path.as_ref().map_or("", |it| &it.text);
        if let Some((folder, source)) = found.and_then(|it| it.folder(path)) {
            let folder = joined(&kustomization.root, &folder);
            let known = Kustomization {
                folder,
                source: Some(source.clone()),
                is_elsewhere: false,
                ..kustomization.clone()
            };
            resolved.insert(n, known);
        }
    }
    resolved
}
