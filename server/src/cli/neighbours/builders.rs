//! The kustomizations that build CRDs.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
};

use crd_analyzer_io::{kustomize::Disk, read::Access};
use crd_analyzer_workspace::overlay::references;

/// Those of these kustomizations, each a folder and how it is read, that take one of these files, or one that does.
pub(in crate::cli) fn of<'p>(
    kustomizations: BTreeMap<PathBuf, Access>,
    files: impl Iterator<Item = &'p Path>,
) -> Vec<(PathBuf, Disk)> {
    let mut left: BTreeMap<PathBuf, Disk> = kustomizations
        .into_iter()
        .map(|(folder, access)| (folder, Disk { access }))
        .collect();
    let mut takers: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
    for (folder, disk) in &left {
        for named in references(disk, folder).unwrap_or_default() {
            takers.entry(named).or_default().push(folder.clone());
        }
    }
    let mut reached: Vec<PathBuf> = files.map(Path::to_path_buf).collect();
    let mut seen: HashSet<PathBuf> = HashSet::new();
    let mut found = Vec::new();
    while let Some(path) = reached.pop() {
        for taker in takers.get(&path).into_iter().flatten() {
            if seen.insert(taker.clone()) {
                reached.push(taker.clone());
                found.extend(left.remove_entry(taker));
            }
        }
    }
    // The order in which they are built decides which one speaks for the others.
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
        let mut all = BTreeMap::new();
        for (name, text) in [
            ("crd", "resources: [bases/a.yaml]"),
            ("default", "resources: [../crd, ../rbac]"),
            ("other", "resources: [b.yaml]"),
            ("rbac", "resources: [role.yaml]"),
            ("round", "resources: [../round, ../default]"),
        ] {
            let folder = root.join(name);
            std::fs::create_dir(&folder).expect("a folder");
            std::fs::write(folder.join("kustomization.yaml"), text).expect("a file");
            all.insert(folder, access.clone());
        }
        let crd = root.join("crd/bases/a.yaml");
        let found = of(all, std::iter::once(crd.as_path()));
        let names: Vec<_> = found.iter().map(|it| it.0.file_name()).collect();
        assert_eq!(names, ["crd", "default", "round"].map(|it| Some(it.as_ref())));
    }
}
