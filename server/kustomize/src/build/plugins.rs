//! Runs the plugins in `generators`, `transformers` and `validators` that are built into kustomize. Other plugins are reported.

use std::{collections::BTreeSet, path::Path};

use super::{A_PROBLEM, Building, Result};
use crate::{
    absent::unread,
    bases::Accumulated,
    built::{Unread, is_download},
    generate,
    kustomization::{Generator, GeneratorOptions, Kustomization, Text, Transformer, is_inline},
    node::Place,
    plugins::Making,
    problem::{Problem, ProblemKind},
    resource::{Resource, Resources},
    sources::joined,
    spend,
};

/// The object of a plugin, and the list entry that names it.
type Plugin = (Resource, Place);

/// The label that kustomize may allow validators to add.
const VALIDATED_BY: &str = "validated-by";

impl Building<'_> {
    /// The plugins of a list, each with the entry that names it. Entries may be inline text, files and kustomizations. Plugins that are not read are
    /// added to `unread`.
    fn plugins(&mut self, folder: &Path, list: &[Text]) -> Result<Vec<Plugin>> {
        let mut found = Accumulated::default();
        let mut entries = Vec::new();
        let (inline, named): (Vec<&Text>, Vec<&Text>) = list.iter().partition(|it| is_inline(&it.text));
        // kustomize adds inline plugins before those in files.
        for text in inline {
            let read = self.read_text(text)?;
            for object in self.objects_of(read, text.place)? {
                found.resources.add(object)?;
            }
            entries.resize(found.resources.list().len(), text.place);
        }
        for path in named.into_iter().filter(|it| !it.text.is_empty()) {
            self.resource(folder, path, &mut found)?;
            entries.resize(found.resources.list().len(), path.place);
        }
        let objects = std::mem::take(found.resources.list_mut());
        Ok(objects.into_iter().zip(entries).collect())
    }

    /// The plugins of a list of transformers or validators. Also returns a problem for each plugin that is not read.
    fn known_plugins(&mut self, folder: &Path, list: &[Text]) -> Result<(Vec<Plugin>, Vec<Problem>)> {
        let before = self.unread.len();
        let plugins = self.plugins(folder, list)?;
        let problems = self.unread.split_off(before).into_iter().map(|(unread, place)| {
            let (kind, message) = match unread {
                Unread::Missing(path, like) => {
                    let message = format!("the file `{path}` does not exist");
                    return Problem::fails(place, message).of_unknown(&path, like);
                }
                Unread::Awaited(path) => (ProblemKind::Missing, format!("the file `{path}` does not exist")),
                Unread::Remote(url) | Unread::RemoteFile(url) => {
                    (ProblemKind::NotSupported, format!("`{url}` is remote and is not read"))
                }
                Unread::Refused(path, why) => (ProblemKind::NotSupported, format!("`{path}` is not read: {why}")),
                Unread::Made(field, _) => {
                    let message = format!("crd-analyzer does not build `{field}`");
                    (ProblemKind::NotSupported, message)
                }
            };
            Problem::new(kind, place, message)
        });
        Ok((plugins, problems.collect()))
    }

    /// Runs the built-in generators of a list.
    pub(super) fn run_generators(&mut self, folder: &Path, list: &[Text], resources: &mut Resources) -> Result<()> {
        if list.is_empty() {
            return Ok(());
        }
        let plugins = self.plugins(folder, list)?;
        let mut making = Vec::new();
        for (object, entry) in plugins {
            if let Some(found) = Making::of(&object.node).map_err(|it| it.at(entry))? {
                making.push(found);
            } else {
                let made = Unread::Made("generators", Some(object.kind().to_string()));
                self.unread.push((made, entry));
            }
        }
        for making in making {
            let made = match making {
                Making::Map(generator) => self.generated(folder, &generator, None)?,
                Making::Account(made) => Some(*made),
            };
            if let Some(made) = made {
                generate::absorb(resources, made, self.is_open())?;
            }
        }
        Ok(())
    }

    /// Creates the object of a generator, which may read files. `None` if one of the files is on the web, or if a program may create it: the file is
    /// added to `unread`.
    pub(super) fn generated(
        &mut self,
        folder: &Path,
        generator: &Generator,
        general: Option<&GeneratorOptions>,
    ) -> Result<Option<Resource>> {
        let mut absent = None;
        let mut read = |path: &str, place| {
            if let Some(text) = self.text_in(folder, &joined(folder, path), (path, place))? {
                return Ok(text);
            }
            let problem = unread(self.files, folder, path, place);
            if is_download(path) {
                absent = Some((Unread::RemoteFile(path.to_owned()), place));
            } else if problem.kind == ProblemKind::Missing {
                absent = Some((Unread::Awaited(path.to_owned()), place));
            }
            Err(problem)
        };
        let made = generate::generate(generator, general, &mut read);
        let Some((unread, place)) = absent else {
            return made.map(Some);
        };
        if let Unread::RemoteFile(path) | Unread::Awaited(path) = &unread {
            spend::bytes(path.len() + A_PROBLEM)?;
        }
        self.unread.push((unread, place));
        Ok(None)
    }

    /// The built-in transformers of a list. If it has other plugins, records that they change objects in an unknown way.
    pub(super) fn transformers(&mut self, folder: &Path, list: &[Text]) -> Result<Vec<Transformer>> {
        if list.is_empty() {
            return Ok(Vec::new());
        }
        let (plugins, problems) = self.known_plugins(folder, list)?;
        for problem in problems {
            self.note_unknown_change(problem);
        }
        let mut transformers = Vec::new();
        for (object, entry) in plugins {
            if let Some(found) = Transformer::of(&object.node, folder).map_err(|it| it.at(entry))? {
                transformers.extend(found);
            } else {
                let message = format!("crd-analyzer does not run the transformer `{}`", object.kind());
                self.note_unknown_change(Problem::new(ProblemKind::NotSupported, entry, message));
            }
        }
        if !transformers.is_empty() {
            self.changes.add_all();
        }
        Ok(transformers)
    }

    /// Runs the built-in validators of a list. They are transformers that must not change anything.
    pub(super) fn validate(&mut self, folder: &Path, list: &[Text], resources: &mut Resources) -> Result<()> {
        if list.is_empty() {
            return Ok(());
        }
        let (plugins, problems) = self.known_plugins(folder, list)?;
        // Validators that are not built in may reject the objects, which is unknown. They never change objects.
        let is_missing = |it: &Problem| matches!(it.kind, ProblemKind::Missing | ProblemKind::Fails);
        if let Some(missing) = problems.into_iter().find(is_missing) {
            return Err(missing);
        }
        let mut validators = Vec::new();
        for (object, entry) in plugins {
            let read = Transformer::of(&object.node, folder).map_err(|it| it.at(entry))?;
            validators.extend(read.into_iter().flatten().map(|it| (it, entry)));
        }
        if validators.is_empty() {
            return Ok(());
        }
        let bytes = bytes_of_values(resources);
        spend::bytes(bytes)?;
        let before = values(resources);
        for (validator, entry) in validators {
            self.apply(folder, &validator, resources)?;
            let now = bytes_of_values(resources);
            spend::text(now)?;
            spend::bytes(now.saturating_sub(bytes))?;
            if before == values(resources) {
                continue;
            }
            // kustomize allows some validators to add this label, depending on the order in which fields are written.
            let is_marked = |it: &Resource| it.node.at(&["metadata", "labels", VALIDATED_BY]).is_some();
            if resources.list().iter().any(is_marked) {
                let message = format!("crd-analyzer does not build the label `{VALIDATED_BY}`");
                return Err(Problem::new(ProblemKind::NotSupported, entry, message));
            }
            return Err(Problem::fails(entry, "validator shouldn't modify the resource map"));
        }
        Ok(())
    }

    /// Records the fields that need a program or a schema of the user.
    pub(super) fn note_unsupported(&mut self, kustomization: &Kustomization) {
        for (field, place) in &kustomization.unsupported {
            match *field {
                "helmCharts" | "helmChartInflationGenerator" => {
                    self.unread.push((Unread::Made(field, None), *place));
                }
                _ => {
                    let message = format!("crd-analyzer does not build `{field}`");
                    self.note_unknown_change(Problem::new(ProblemKind::NotSupported, *place, message));
                }
            }
        }
    }

    /// Records which objects the fields of a kustomization change.
    pub(super) fn note_changes(&mut self, folder: &Path, kustomization: &Kustomization) -> Result<()> {
        let patches = kustomization.patches.iter().chain(&kustomization.patches_json);
        let patches = patches.map(|it| (it.target.as_ref(), it.path.as_ref(), it.text.as_ref()));
        let strategic = kustomization.patches_strategic_merge.iter();
        let strategic = strategic.map(|it| {
            if is_inline(&it.text) {
                (None, None, Some(it))
            } else {
                (None, Some(it), None)
            }
        });
        // Many patches may name one large file.
        let mut searched: BTreeSet<&str> = BTreeSet::new();
        for (target, path, inline) in patches.chain(strategic) {
            let text = match (target, path) {
                // The text of a patch with a target does not matter.
                (Some(_), _) => None,
                (None, Some(path)) if !searched.insert(&path.text) => continue,
                // A file that cannot be read is reported when the patch is applied.
                (None, Some(path)) => self.text(&joined(folder, &path.text)).ok().flatten(),
                (None, None) => inline.map(|it| it.text.clone()),
            };
            spend::text(text.as_ref().map_or(0, |it| it.len()))?;
            self.changes.add_patch(target, text.as_deref());
        }
        if !kustomization.replacements.is_empty() || !kustomization.vars.is_empty() {
            self.changes.add_all();
        }
        Ok(())
    }

    /// Records that objects change in an unknown way.
    fn note_unknown_change(&mut self, problem: Problem) {
        self.changes.add_all();
        self.blocked.get_or_insert(problem);
    }
}

/// The values of the objects, with the data that kustomize stores about them.
fn values(resources: &Resources) -> Vec<serde_json::Value> {
    let value = |it: &Resource| serde_json::json!([it.node.to_json(), it.notes()]);
    resources.list().iter().map(value).collect()
}

/// The size of [`values`] in bytes. Unlike nodes, values do not share strings.
fn bytes_of_values(resources: &Resources) -> usize {
    let bytes = |it: &Resource| it.node.written_bytes() as usize + it.notes().len();
    resources.list().iter().map(bytes).sum()
}
