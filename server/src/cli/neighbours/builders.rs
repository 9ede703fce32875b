//! The kustomizations that build files of a run, or the CRDs that it found.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
};

use crd_analyzer_io::{
    kustomize::Disk,
    read::{self, Access, Kind},
};
use crd_analyzer_workspace::{
    builds::{
        kustomize::FILE_NAMES,
        overlay::{is_kustomization, references},
    },
    index::Origin,
};

use super::{Named, Neighbours};
use crate::input::Input;

impl Neighbours {
    /// The folders of the kustomizations that use one of the inputs but are not among them, as in `check base`.
    pub(in crate::cli) fn builders(&self, inputs: &[Input]) -> Vec<(PathBuf, Disk)> {
        let mut used = Named::new();
        let (mut is_possible, mut asked) = (false, HashSet::new());
        for input in inputs {
            let (Some((_, access)), Ok(place)) = (input.file(), input.place()) else {
                continue;
            };
            let Some((root, within)) = self.roots.iter().find(|it| place.starts_with(&it.0)) else {
                continue;
            };
            // A kustomization can use only files and folders below its own folder, or folders that have a kustomization themselves.
            let mut above = place.ancestors().skip(1).take_while(|it| it.starts_with(root));
            is_possible = is_possible || above.any(|it| asked.insert(it.to_owned()) && has_kustomization(it, within));
            if is_kustomization(&place)
                && let Some(folder) = place.parent()
            {
                used.insert(folder.to_owned(), (Origin::Workspace, access.clone()));
            }
            used.insert(place, (Origin::Workspace, access));
        }
        if !is_possible {
            return Vec::new();
        }
        let mut kustomizations = Vec::new();
        self.each(&mut |path, access| {
            if is_kustomization(&path) && !used.contains_key(&path) {
                kustomizations.push((path, access));
            }
        });
        let kustomizations = kustomizations.into_iter().filter(|it| !self.exclude(&it.0, &it.1));
        of(kustomizations, &used)
    }
}

/// Whether a folder has a kustomization.
fn has_kustomization(folder: &Path, access: &Access) -> bool {
    let is_file = |name: &&str| matches!(read::kind(&folder.join(name), access), Ok((Kind::File, _)));
    FILE_NAMES.iter().any(is_file)
}

/// The folders of the kustomizations that use one of the files, directly or through another folder. Each kustomization is given as a file with its
/// access.
pub(in crate::cli) fn of(
    kustomizations: impl Iterator<Item = (PathBuf, Access)>,
    files: &Named,
) -> Vec<(PathBuf, Disk)> {
    let folder_of = |it: &Path| it.parent().map(Path::to_path_buf).unwrap_or_default();
    let disk = Disk::new(Access::Named);
    let disks = kustomizations.map(|(file, access)| (folder_of(&file), disk.with(access)));
    let mut left: BTreeMap<PathBuf, Disk> = disks.collect();
    let mut takers: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
    for (folder, disk) in &left {
        let mut named = references(disk, folder).unwrap_or_default();
        // References can be any strings, and there may be many, so only references to known files are kept.
        named.retain(|it| left.contains_key(it) || files.contains_key(it));
        for it in named {
            takers.entry(it).or_default().push(folder.clone());
        }
    }
    let mut reached: Vec<PathBuf> = files.keys().cloned().collect();
    let mut found = Vec::new();
    while let Some(path) = reached.pop() {
        for taker in takers.remove(&path).into_iter().flatten() {
            if let Some(of_taker) = left.remove_entry(&taker) {
                reached.push(taker);
                found.push(of_taker);
            }
        }
    }
    // The result is sorted, because its order determines the build that is used for a CRD.
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crd_analyzer_io::roots::Roots;

    use super::*;

    #[test]
    fn only_those_count_that_lead_to_the_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let access = Access::Within(Arc::new(Roots::new([root])));
        let mut all = Vec::new();
        for (name, text) in [
            ("crd", "resources: [bases/a.yaml]"),
            ("default", "resources: [../crd, ../rbac]"),
            ("other", "resources: [b.yaml]"),
            ("rbac", "resources: [role.yaml]"),
            ("round", "resources: [../round, ../default]"),
        ] {
            let folder = root.join(name);
            std::fs::create_dir(&folder).expect("a folder");
            let file = folder.join("kustomization.yaml");
            std::fs::write(&file, text).expect("a file");
            all.push((file, access.clone()));
        }
        let crd = root.join("crd/bases/a.yaml");
        let found = of(all.into_iter(), &Named::from([(crd, (Origin::Workspace, access))]));
        let names: Vec<_> = found.iter().map(|it| it.0.file_name()).collect();
        assert_eq!(names, ["crd", "default", "round"].map(|it| Some(it.as_ref())));
    }
}
