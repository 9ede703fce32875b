//! Renames a name in a generated manifest by editing its source file.

use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;

use super::{SourceFile, fixes::counts};
use crate::{
    file::File,
    fixes::apply,
    rename::{Renaming, prepare, unjudged},
};

impl SourceFile<'_> {
    /// Renames the name at an offset in a string of the file. `None` if the string is in no manifest. Returns the edits of the file, or the reason
    /// why the name cannot be changed. The file is checked with the new name first.
    ///
    /// `language` is the name of the file's language for messages.
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

    /// Checks that the renaming causes no problem in any manifest that is generated from the file.
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
