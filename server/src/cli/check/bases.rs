//! The files that the named kustomizations build from, although the user named only the kustomizations, as in `check overlays/prod`.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use crd_analyzer_io::read::{self, Access, Kind};
use crd_analyzer_workspace::{
    builds::{kustomize::FILE_NAMES, overlay::Overlays},
    paths::relative,
};

use crate::input::{self, Input};

/// The files of bases that are not among the inputs yet, in a stable order.
pub(super) fn missing(inputs: &[Input], built: &Overlays) -> Vec<Input> {
    let known: HashSet<PathBuf> = inputs.iter().filter_map(|it| it.place().ok()).collect();
    let current = std::env::current_dir().unwrap_or_default();
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for (folder, inner, files) in built.kustomized() {
        // The third name has no extension, and files without one are not checked.
        let kustomizations = inner.flat_map(|it| FILE_NAMES[..2].iter().map(|name| it.join(name)));
        let all = kustomizations.chain(files.map(Path::to_path_buf));
        let missing: Vec<PathBuf> = all.filter(|it| !known.contains(it)).collect();
        if missing.is_empty() {
            continue;
        }
        let Some(access) = access_of(inputs, folder) else {
            continue;
        };
        let is_file = |it: &PathBuf| matches!(read::kind(it, &access), Ok((Kind::File, _)));
        for path in missing.into_iter().filter(is_file) {
            if seen.insert(path.clone()) {
                found.push(Input {
                    label: relative(&path, &current),
                    ..Input::found(path, access.clone())
                });
            }
        }
    }
    found
}

/// The access of the kustomization in a folder.
fn access_of(inputs: &[Input], folder: &Path) -> Option<Access> {
    let is_in = |it: &Input| it.place().is_ok_and(|it| it.parent() == Some(folder));
    let (_, access) = inputs.iter().find(|it| it.file().is_some() && is_in(it))?.file()?;
    Some(match access {
        Access::Within(_) | Access::Elsewhere(_) => access,
        Access::Named => input::found_in(folder),
    })
}
