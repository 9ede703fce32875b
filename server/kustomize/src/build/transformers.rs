//! What `transformers` names, and what is not built here.

use std::path::Path;

use super::{Building, Result};
use crate::{
    built::Unread,
    kustomization::{Kustomization, Text, Transformer},
    problem::{Problem, ProblemKind},
    sources::joined,
};

impl Building<'_> {
    /// Reads what `transformers` names. What is not built here changes objects in a way that is not known.
    pub(super) fn read_transformers(&mut self, folder: &Path, kustomization: &mut Kustomization) -> Result<()> {
        let Some(place) = kustomization
            .transformers_place
            .filter(|_| !kustomization.transformers.is_empty())
        else {
            return Ok(());
        };
        let is_inline = |it: &&Text| it.text.contains('\n');
        let (inline, named): (Vec<&Text>, Vec<&Text>) = kustomization.transformers.iter().partition(is_inline);
        let mut objects = Vec::new();
        let mut is_read = true;
        // kustomize takes texts before files.
        for text in inline {
            objects.extend(self.sources.read_inside(text.place)?);
        }
        for path in named {
            let file = joined(folder, &path.text);
            let read = if self.files.is_folder(&file) {
                None
            } else {
                self.read_file(&file)?
            };
            is_read &= read.is_some();
            objects.extend(read.into_iter().flatten());
        }
        let mut external = Vec::new();
        for object in objects {
            let object = self.newer(object);
            match Transformer::of(&object)? {
                Some(found) => external.extend(found),
                None => is_read = false,
            }
        }
        if is_read {
            kustomization.external = external;
        } else {
            kustomization.unsupported.push(("transformers", place));
        }
        Ok(())
    }

    /// Notes what needs a program or a schema of the user's.
    pub(super) fn note_unsupported(&mut self, kustomization: &Kustomization) {
        for (field, place) in &kustomization.unsupported {
            match *field {
                "helmCharts" | "helmChartInflationGenerator" | "generators" => {
                    self.unread.push((Unread::Made(field), *place));
                }
                // They change nothing.
                "validators" => {}
                _ => {
                    self.is_changing = true;
                    let problem = || {
                        let message = format!("crd-analyzer does not build `{field}`");
                        Problem::new(ProblemKind::NotSupported, *place, message)
                    };
                    self.blocked.get_or_insert_with(problem);
                }
            }
        }
        self.is_changing |= !kustomization.patches.is_empty()
            || !kustomization.patches_strategic_merge.is_empty()
            || !kustomization.patches_json.is_empty()
            || !kustomization.replacements.is_empty()
            || !kustomization.vars.is_empty()
            || !kustomization.external.is_empty();
    }
}
