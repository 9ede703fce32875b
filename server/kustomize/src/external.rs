//! Transformers that `transformers` names and that are built into kustomize: objects of `apiVersion: builtin`
//! (`sigs.k8s.io/kustomize/api/internal/builtins`).

use crate::{
    decode,
    kustomization::Transformer,
    node::{Node, Value},
    problem::Result,
    resource::Resources,
    spend, transform,
};

/// The `apiVersion` of what is built in.
const BUILTIN: &str = "builtin";

impl Transformer {
    /// The transformers of an object, in their order. `None` if it needs a program, or does what is not built here.
    ///
    /// # Errors
    /// If kustomize cannot read the object either.
    pub(crate) fn of(object: &Node) -> Result<Option<Vec<Self>>> {
        let text = |name| object.get(name).and_then(Node::as_str);
        if text("apiVersion") != Some(BUILTIN) {
            return Ok(None);
        }
        let specs = || decode::field_specs(object);
        let field = |name: &str| object.get(name);
        let affixes = |wanted: &[(&str, bool)]| -> Result<Vec<Self>> {
            let mut found = Vec::new();
            for (name, is_prefix) in wanted {
                let affix = field(name).map_or(Ok(None), decode::text)?;
                if let Some(affix) = affix.filter(|it| !it.text.is_empty()) {
                    found.push(Self::Affix(affix, *is_prefix, specs()?));
                }
            }
            Ok(found)
        };
        let (prefix, suffix) = (("prefix", true), ("suffix", false));
        Ok(Some(match text("kind").unwrap_or_default() {
            "PatchTransformer" => {
                let patch = decode::patch(&without_head(object)?)?;
                vec![Self::Patch(Box::new(patch))]
            }
            "LabelTransformer" => vec![Self::Entries(decode::texts_of(field("labels"))?, specs()?)],
            "AnnotationsTransformer" => {
                let specs = specs()?;
                // While it builds, kustomize has annotations of its own in objects, so that it finds some where none are written.
                if specs.iter().any(|it| !it.create && *it.path == *"metadata/annotations") {
                    return Ok(None);
                }
                vec![Self::Entries(decode::texts_of(field("annotations"))?, specs)]
            }
            "PrefixTransformer" => affixes(&[prefix])?,
            "SuffixTransformer" => affixes(&[suffix])?,
            "PrefixSuffixTransformer" => affixes(&[prefix, suffix])?,
            "ImageTagTransformer" => match field("imageTag") {
                Some(image) => vec![Self::Image(decode::image(image)?, specs()?)],
                None => return Ok(None),
            },
            "ReplicaCountTransformer" => match field("replica") {
                Some(replica) => vec![Self::Replicas(decode::replica(replica)?, specs()?)],
                None => return Ok(None),
            },
            _ => return Ok(None),
        }))
    }

    /// Changes the objects, but for patches, whose files the build reads.
    pub(crate) fn apply(&self, resources: &mut Resources, is_open: bool) -> Result<()> {
        match self {
            Self::Patch(_) => Ok(()),
            Self::Entries(pairs, specs) => transform::annotations(resources, pairs, specs),
            Self::Affix(text, is_prefix, specs) => transform::affix(resources, text, *is_prefix, specs),
            Self::Image(image, specs) => transform::images(resources, image, specs),
            Self::Replicas(replica, specs) => transform::replicas(resources, replica, specs, is_open),
        }
    }
}

/// An object without what says that it is a transformer.
fn without_head(object: &Node) -> Result<Node> {
    let mut rest = spend::copied(object)?;
    if let Value::Map(entries) = &mut rest.value {
        entries.retain(|it| !["apiVersion", "kind", "metadata"].contains(&&*it.key));
    }
    Ok(rest)
}
