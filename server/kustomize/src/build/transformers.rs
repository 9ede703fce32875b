//! Applies the transformers of a kustomization to its objects, one after the other.

use std::{path::Path, sync::Arc};

use super::{A_LOOK, Building, Result, objects};
use crate::{
    absent::unread,
    bases::Accumulated,
    decode::{self, Decoder},
    generate, json_patch,
    kustomization::{Kustomization, Namespace, Patch, Replacement, Subjects, Text, Transformer, is_inline},
    node::{Node, Place, Value},
    patches::{Patched, apply, apply_as_target, apply_json, target_of},
    problem::Problem,
    replace,
    resource::{Allowed, Resource, Resources},
    selector::Selector,
    sources::joined,
    spec::Config,
    spend,
    targets::Targeting,
    transform, value,
};

/// The transformers for the fields of a kustomization, in kustomize's order (`configureBuiltinTransformers`).
fn of_fields(kustomization: &Kustomization, config: &Config) -> Result<Vec<Transformer>> {
    let mut all = Vec::new();
    if let Some(first) = kustomization.patches_strategic_merge.first() {
        let patches = kustomization.patches_strategic_merge.clone();
        all.push(Transformer::MergePatches(patches, None, first.place));
    }
    let patches = kustomization.patches.iter();
    all.extend(patches.map(|it| Transformer::Patch(Box::new(it.clone()))));
    if let Some(namespace) = &kustomization.namespace {
        let namespace = Namespace {
            text: namespace.clone(),
            unset_only: false,
            subjects: Subjects::Default,
        };
        all.push(Transformer::Namespace(namespace, config.namespace.clone()));
    }
    for (affix, is_prefix, specs) in [
        (&kustomization.name_prefix, true, &config.name_prefix),
        (&kustomization.name_suffix, false, &config.name_suffix),
    ] {
        if let Some(affix) = affix.as_ref().filter(|it| !it.text.is_empty()) {
            all.push(Transformer::Affix(affix.clone(), is_prefix, specs.clone()));
        }
    }
    for label in &kustomization.labels {
        let specs = Arc::new(transform::specs_of_label(label, config)?);
        all.push(Transformer::Entries(label.pairs.clone(), specs));
    }
    for (pairs, specs) in [
        (&kustomization.common_labels, &config.common_labels),
        (&kustomization.common_annotations, &config.common_annotations),
    ] {
        if !pairs.is_empty() {
            all.push(Transformer::Entries(pairs.clone(), specs.clone()));
        }
    }
    let patches = kustomization.patches_json.iter();
    all.extend(patches.map(|it| Transformer::JsonPatch(Box::new(it.clone()))));
    let replicas = kustomization.replicas.iter();
    all.extend(replicas.map(|it| Transformer::Replicas(it.clone(), config.replicas.clone())));
    let images = kustomization.images.iter();
    all.extend(images.map(|it| Transformer::Image(it.clone(), config.images.clone())));
    let replacements = kustomization.replacements.iter();
    all.extend(replacements.map(|it| Transformer::Replacement(Box::new(it.clone()))));
    Ok(all)
}

impl Building<'_> {
    /// Applies the fields of a kustomization to its objects, and then the plugins in `transformers`.
    pub(super) fn transform(
        &mut self,
        folder: &Path,
        kustomization: &Kustomization,
        found: &mut Accumulated,
    ) -> Result<()> {
        let mut all = of_fields(kustomization, &found.config)?;
        all.extend(self.transformers(folder, &kustomization.plugins.transformers)?);
        all.iter()
            .try_for_each(|it| self.apply(folder, it, &mut found.resources))
    }

    /// Applies a transformer to the objects.
    pub(super) fn apply(&mut self, folder: &Path, transformer: &Transformer, resources: &mut Resources) -> Result<()> {
        // Each transformer looks at all objects.
        spend::work(A_LOOK * resources.list().len())?;
        let is_open = self.is_open();
        match transformer {
            Transformer::Patch(patch) => {
                let read = self.patch(folder, patch)?;
                let is_matched = apply(resources, patch, read, is_open)?;
                self.note_target(patch, is_matched, resources)?;
                resources.drop_gone();
                Ok(())
            }
            Transformer::JsonPatch(patch) => {
                let operations = self.json_patch(folder, patch)?;
                let is_matched = apply_json(resources, patch, &operations, false)?;
                self.note_target(patch, is_matched, resources)
            }
            Transformer::MergePatches(written, text, place) => {
                let patches = self.merge_patches(folder, (written, text.as_ref()), *place)?;
                for patch in patches {
                    if let Some(n) = target_of(resources, &patch, is_open)?
                        && let Some(resource) = resources.get_mut(n)
                    {
                        apply_as_target(resource, &patch.node, Allowed::default())?;
                    }
                }
                resources.drop_gone();
                Ok(())
            }
            Transformer::Namespace(namespace, specs) => transform::namespace(resources, namespace, specs),
            Transformer::Entries(pairs, specs) => transform::entries(resources, pairs, specs),
            Transformer::Affix(text, is_prefix, specs) => transform::affix(resources, text, *is_prefix, specs),
            Transformer::Image(image, specs) => transform::images(resources, image, specs),
            Transformer::Replicas(replica, specs) => transform::replicas(resources, replica, specs, is_open),
            Transformer::Replacement(replacement) => self.replacement(folder, replacement, resources),
            Transformer::Value(text, targets) => targets.iter().try_for_each(|it| value::add(resources, text, it)),
            Transformer::Hashes => generate::add_hashes(resources),
        }
    }

    /// Notes whether the target of a patch selects one of the objects.
    fn note_target(&mut self, patch: &Patch, is_matched: bool, objects: &Resources) -> Result<()> {
        match &patch.target {
            Some(target) => self.note(Targeting::Patch, (target, is_matched), objects),
            None => Ok(()),
        }
    }

    fn note(&mut self, of: Targeting, target: (&Selector, bool), objects: &Resources) -> Result<()> {
        // A transformer that is not run may create objects or change their names.
        let is_open = self.is_open() || self.blocked.is_some() || self.has_empty_files;
        self.targets.note(of, target, objects, is_open)
    }

    /// Applies a replacement, and notes whether its targets select objects.
    fn replace(&mut self, replacement: &Replacement, resources: &mut Resources) -> Result<()> {
        for target in replace::replace(resources, replacement, self.is_open())? {
            self.note(Targeting::Replacement, target, resources)?;
        }
        Ok(())
    }

    fn replacement(&mut self, folder: &Path, replacement: &Replacement, resources: &mut Resources) -> Result<()> {
        let Some(path) = &replacement.path else {
            return self.replace(replacement, resources);
        };
        if replacement.source.is_some() || replacement.targets.is_some() {
            return Err(Problem::fails(
                replacement.place,
                "a replacement has either `path` or its own fields",
            ));
        }
        let Some(read) = self.read_file(&joined(folder, &path.text))? else {
            return Err(unread(self.files, folder, &path.text, path.place));
        };
        let Some(root) = read.into_iter().next() else {
            return Ok(());
        };
        let items = match &root.value {
            Value::List(items) => items.as_slice(),
            _ => std::slice::from_ref(&root),
        };
        for item in items {
            let replacement = decode::replacement(item, Decoder::Named)?;
            self.replace(&replacement, resources)?;
        }
        Ok(())
    }

    fn json_patch(&mut self, folder: &Path, patch: &Patch) -> Result<Vec<json_patch::Operation>> {
        if patch.target.as_ref().is_none_or(|it| it.id.name.is_empty()) {
            return Err(Problem::fails(
                patch.place,
                "a JSON patch of `patchesJson6902` needs the name of its target",
            ));
        }
        match self.patch(folder, patch)? {
            Patched::Json(operations) if operations.is_empty() => {
                Err(Problem::fails(patch.place, "patch appears to be empty"))
            }
            Patched::Json(operations) => Ok(operations),
            Patched::Merge(_) => Err(Problem::fails(patch.place, "the patch is not a JSON patch")),
        }
    }

    /// Applies strategic merge patches. They are in files, in inline texts, or in one more text.
    fn merge_patches(
        &mut self,
        folder: &Path,
        (written, text): (&[Text], Option<&Text>),
        place: Place,
    ) -> Result<Vec<Resource>> {
        if written.is_empty() && text.is_none() {
            return Err(Problem::fails(place, "empty file path and empty patch content"));
        }
        let mut patches = Vec::new();
        for patch in written {
            let read = if is_inline(&patch.text) {
                self.read_text(patch)?
            } else {
                self.patch_file(folder, patch)?
            };
            patches.extend(self.objects_of(read, patch.place)?);
        }
        if let Some(text) = text {
            let read = self.read_text(text)?;
            patches.extend(self.objects_of(read, text.place)?);
        }
        if patches.is_empty() {
            return Err(Problem::fails(place, "patch appears to be empty"));
        }
        Ok(patches)
    }

    pub(super) fn objects_of(&mut self, read: Vec<Node>, place: Place) -> Result<Vec<Resource>> {
        let nodes = read.into_iter().map(|it| self.newer(it)).collect();
        objects(nodes).map_err(|it| it.at(place))
    }

    fn patch_file(&mut self, folder: &Path, path: &Text) -> Result<Vec<Node>> {
        let file = joined(folder, &path.text);
        let Some(text) = self.text_in(folder, &file, (&path.text, path.place))? else {
            self.misread.push(folder.to_owned());
            return Err(unread(self.files, folder, &path.text, path.place));
        };
        let read = self.sources.read_file(&file, &text).map_err(|it| it.at(path.place))?;
        // What is not YAML is no patch yet: its own errors show where the mistake is.
        self.patches.push(file);
        Ok(read)
    }

    fn patch(&mut self, folder: &Path, patch: &Patch) -> Result<Patched> {
        let (read, place) = match (&patch.path, &patch.text) {
            (Some(path), None) => (self.patch_file(folder, path)?, path.place),
            (None, Some(text)) => (self.read_text(text)?, text.place),
            (None, None) => return Err(Problem::fails(patch.place, "a patch needs `path` or `patch`")),
            (Some(_), Some(_)) => return Err(Problem::fails(patch.place, "a patch has either `path` or `patch`")),
        };
        let mut nodes = read;
        if let Some(first) = nodes.first()
            && matches!(first.value, Value::List(_))
        {
            let written = match &patch.path {
                Some(path) => self.text(&joined(folder, &path.text))?,
                None => patch.text.as_ref().map(|it| it.text.clone()),
            };
            spend::text(written.as_ref().map_or(0, |it| it.len()))?;
            if let Some(why) = written.and_then(|it| json_patch::is_refused(&it)) {
                let message = format!("a patch that begins with `[` must be JSON: {why}");
                return Err(Problem::fails(first.place, message));
            }
            return match json_patch::operations(first) {
                Some(operations) => Ok(Patched::Json(operations)),
                None => Err(Problem::fails(first.place, "an operation of a patch must be an object")),
            };
        }
        nodes.retain(|it| !it.is_empty());
        Ok(Patched::Merge(self.objects_of(nodes, place)?))
    }

    /// The documents in a text that is the content of a scalar.
    pub(super) fn read_text(&mut self, text: &Text) -> Result<Vec<Node>> {
        if self.sources.is_scalar_of(text.place, &text.text) {
            self.sources.read_inside(text.place)
        } else {
            self.sources.read_changed(text.place, &text.text)
        }
    }
}
