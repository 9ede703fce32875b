//! The changes that a Flux Kustomization makes to the kustomization of the folder that it builds
//! (`GenerateManifest` of github.com/fluxcd/pkg/kustomize).

use std::{
    hash::{Hash, Hasher},
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    decode::{self, Decoder},
    kustomization::{Image, Kustomization, Text},
    node::Node,
    problem::Result,
    resource::Resource,
    spend,
};

/// The place of a Flux Kustomization, and the resources of the folder that it builds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FluxKustomization {
    /// The absolute path of the file with the Flux Kustomization.
    pub file: PathBuf,
    /// The index of the Flux Kustomization's document in the file.
    pub document: u32,
    /// The index of the Flux Kustomization among the items, if the document is a list.
    pub item: Option<usize>,
    /// The resources of a folder that has no kustomization: its files, and its subfolders with a kustomization. Paths are relative to the folder.
    pub resources: Arc<[String]>,
    /// The Kustomization as its parent builds it. `None` if Flux applies it as it is written.
    pub built: Option<BuiltKustomization>,
}

/// A Flux Kustomization as another Kustomization, its parent, builds it.
#[derive(Clone, Debug)]
pub struct BuiltKustomization {
    /// The object.
    pub node: Arc<Node>,
    /// The folder that the parent builds.
    pub folder: Arc<Path>,
    /// The parent.
    pub by: Arc<FluxKustomization>,
    /// The index of the Kustomization among the objects that the parent builds.
    pub number: usize,
}

/// The parent and the index determine the object, so the objects are not compared.
impl PartialEq for BuiltKustomization {
    fn eq(&self, other: &Self) -> bool {
        (self.number, &self.folder, &self.by) == (other.number, &other.folder, &other.by)
    }
}

impl Eq for BuiltKustomization {}

impl Hash for FluxKustomization {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // These fields determine the others, unless several builds contain the same Kustomization.
        (&self.file, self.document, self.item).hash(state);
    }
}

impl FluxKustomization {
    /// The Flux Kustomization in its document.
    pub(crate) fn object<'n>(&self, document: &'n Node) -> Option<&'n Node> {
        match self.item {
            None => Some(document),
            Some(n) => document.get("items")?.items().get(n),
        }
    }

    /// The kustomization that Flux generates for a folder without one.
    pub(crate) fn generated(&self, object: &Node) -> Kustomization {
        let resources = self.resources.iter().map(|it| Text {
            text: it.as_str().into(),
            place: object.place,
        });
        Kustomization {
            resources: resources.collect(),
            ..Kustomization::default()
        }
    }
}

/// Adds the settings in `spec` of the Flux Kustomization.
pub(crate) fn add(object: &Node, kustomization: &mut Kustomization) -> Result<()> {
    let Some(spec) = object.get("spec") else { return Ok(()) };
    if let Some(patches) = spec.get("patches") {
        kustomization
            .patches
            .extend(decode::list(patches, |it| decode::patch(it, Decoder::Kustomization))?);
    }
    if let Some(components) = spec.get("components") {
        kustomization
            .components
            .extend(decode::list_of_texts(components, Decoder::Kustomization)?);
    }
    for (key, field) in [
        ("targetNamespace", &mut kustomization.namespace),
        ("namePrefix", &mut kustomization.name_prefix),
        ("nameSuffix", &mut kustomization.name_suffix),
    ] {
        if let Some(value) = spec.get(key)
            && let Some(text) = decode::text(value, Decoder::Kustomization)?
        {
            *field = Some(text);
        }
    }
    for image in spec.get("images").map_or(Ok(Vec::new()), |it| {
        decode::list(it, |it| decode::image(it, Decoder::Kustomization))
    })? {
        add_image(image, &mut kustomization.images);
    }
    Ok(())
}

/// Adds an image. Fields that the image does not set come from the existing entry with the same name.
fn add_image(image: Image, images: &mut Vec<Image>) {
    let Some(known) = images.iter_mut().find(|it| it.name == image.name) else {
        images.push(image);
        return;
    };
    known.place = image.place;
    if !image.new_name.is_empty() {
        known.new_name = image.new_name;
    }
    if !(image.new_tag.is_empty() && image.digest.is_empty()) {
        known.new_tag = image.new_tag;
        known.digest = image.digest;
    }
}

/// Sets the labels and annotations that the Flux Kustomization adds to all objects after the build (`SetCommonMetadata` of
/// github.com/fluxcd/pkg/ssa/utils).
pub(crate) fn set_metadata(object: &Node, resource: &mut Resource) -> Result<()> {
    for field in ["labels", "annotations"] {
        let Some(common) = object.at(&["spec", "commonMetadata", field]) else {
            continue;
        };
        for entry in common.entries() {
            spend::nodes(1)?;
            spend::work(
                resource
                    .node
                    .at(&["metadata", field])
                    .map_or(0, |it| it.entries().len()),
            )?;
            let Some(metadata) = resource.metadata() else { continue };
            if metadata.get(field).is_none_or(Node::is_null) {
                metadata.set(field, entry.key_place, Node::empty_map(entry.key_place));
            }
            if let Some(texts) = metadata.get_mut(field) {
                let text = Node::string(entry.value.place, entry.value.shared_text());
                texts.set(entry.key.clone(), entry.key_place, text);
            }
        }
    }
    Ok(())
}
