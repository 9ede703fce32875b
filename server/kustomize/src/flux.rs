//! What a Kustomization of Flux adds to the kustomization of the folder that it builds
//! (`GenerateManifest` of github.com/fluxcd/pkg/kustomize).

use std::path::PathBuf;

use crate::{
    decode,
    kustomization::{Kustomization, Text},
    node::Node,
    problem::Result,
};

/// Where a Kustomization of Flux is written, and what the folder has that it builds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FluxKustomization {
    /// The file, an absolute path.
    pub file: PathBuf,
    /// The position of its document in the file.
    pub document: u32,
    /// What a folder without a kustomization consists of: its files, and its folders with a kustomization. Relative to the folder.
    pub resources: Vec<String>,
}

impl FluxKustomization {
    /// The kustomization that Flux writes into a folder that has none.
    pub(crate) fn generated(&self, object: &Node) -> Kustomization {
        let resources = self.resources.iter().map(|it| Text {
            text: it.clone(),
            place: object.place,
        });
        Kustomization {
            resources: resources.collect(),
            ..Kustomization::default()
        }
    }
}

/// Adds what `spec` of the Kustomization says.
pub(crate) fn add(object: &Node, kustomization: &mut Kustomization) -> Result<()> {
    let Some(spec) = object.get("spec") else { return Ok(()) };
    if let Some(patches) = spec.get("patches") {
        kustomization.patches.extend(decode::list(patches, decode::patch)?);
    }
    if let Some(components) = spec.get("components") {
        kustomization.components.extend(decode::list_of_texts(components)?);
    }
    for (key, field) in [
        ("targetNamespace", &mut kustomization.namespace),
        ("namePrefix", &mut kustomization.name_prefix),
        ("nameSuffix", &mut kustomization.name_suffix),
    ] {
        if let Some(value) = spec.get(key)
            && let Some(text) = decode::text(value)?
        {
            *field = Some(text);
        }
    }
    Ok(())
}
