//! A new name in a manifest, written in the file that the manifest is made of.

use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;

use super::{SourceFile, fixes::counts};
use crate::{
    file::File,
    fixes::apply,
    rename::{Renaming, prepare, unjudged},
};

impl SourceFile<'_> {
    /// Renames what a byte of a string of the file names. `None`: no manifest has the string. An error says why the name stays. The edits are those
    /// of the file. The file is judged with the new name first.
    ///
    /// `language`: that of the file, as people say it.
    pub fn rename(
        &self,
        (offset, new_name): (u32, &str),
        language: &str,
        version: KubernetesVersion,
    ) -> Option<Result<Renaming, String>> {
        let mut manifests = self.manifests.manifests(self.path);
        let (manifest, spot) = manifests.find_map(|it| Some((it, it.spot(self.path, offset)?)))?;
        let file = File::new(manifest.text.to_string(), Arc::default());
        let document = file.document_at(spot)?;
        let renaming = prepare(&document, spot, version)
            .and_then(|old| Ok((old.name, unjudged(&document, spot, new_name, version)?)))
            .and_then(|(old_name, renaming)| {
                let edits = self.in_file(manifest, &renaming.edits).ok_or_else(|| {
                    format!(
                        "`{old_name}` is declared in {language}: change its declaration and each rule that reads it"
                    )
                })?;
                Ok(Renaming { edits, ..renaming })
            });
        Some(renaming.and_then(|it| self.judged(it)))
    }

    /// The renaming, if it brings no problem to any manifest that the file has a part in.
    fn judged(&self, renaming: Renaming) -> Result<Renaming, String> {
        let too_long = || "checking the new name takes too long".to_owned();
        let before = (self.judge)(self.text).ok_or_else(too_long)?;
        let text = apply(self.text, &renaming.edits).ok_or("the places of the name overlap")?;
        let after = (self.judge)(&text.into()).ok_or_else(too_long)?;
        let before = counts(&before);
        let more = counts(&after)
            .into_iter()
            .find(|(name, count)| before.get(name).is_none_or(|it| it < count));
        match more {
            Some(((_, code), _)) => Err(format!("then crd-analyzer would report {code}")),
            None => Ok(renaming),
        }
    }
}
