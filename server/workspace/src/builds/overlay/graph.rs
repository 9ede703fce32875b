//! Finds the kustomizations that may use a file, according to the paths that they name.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
};

use crd_analyzer_kustomize::{FILE_NAMES, Files, references};

/// The kustomizations of some folders, and the paths that each may name.
#[derive(Default, Debug)]
pub struct Graph {
    names: HashMap<PathBuf, BTreeSet<PathBuf>>,
    named_by: HashMap<PathBuf, BTreeSet<PathBuf>>,
}

impl Graph {
    /// Whether the graph has no kustomizations.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Reads the kustomization of a folder again. Returns whether the paths that it names have changed.
    pub fn read(&mut self, folder: &Path, files: &dyn Files) -> bool {
        let now = references(files, folder);
        if now.as_ref() == self.names.get(folder) {
            return false;
        }
        for path in self.names.remove(folder).into_iter().flatten() {
            if let Some(by) = self.named_by.get_mut(&path) {
                by.remove(folder);
                if by.is_empty() {
                    self.named_by.remove(&path);
                }
            }
        }
        for path in now.iter().flatten() {
            self.named_by.entry(path.clone()).or_default().insert(folder.to_owned());
        }
        if let Some(now) = now {
            self.names.insert(folder.to_owned(), now);
        }
        true
    }

    /// The folders of all kustomizations that may use a file, directly or through other kustomizations. Only these kustomizations affect the objects
    /// built from the file.
    pub fn builders(&self, file: &Path) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        if self.is_empty() {
            return found;
        }
        let own = file
            .parent()
            .filter(|folder| is_kustomization(file) && self.names.contains_key(*folder));
        let mut queue: Vec<&Path> = own.into_iter().collect();
        queue.extend(self.named_by.get(file).into_iter().flatten().map(PathBuf::as_path));
        while let Some(folder) = queue.pop() {
            if found.insert(folder.to_owned()) {
                queue.extend(self.named_by.get(folder).into_iter().flatten().map(PathBuf::as_path));
            }
        }
        found
    }

    /// The kustomizations that may use a file, and all files and folders that they name, because a build may use any of those together with the file.
    pub fn beside(&self, file: &Path) -> BTreeSet<PathBuf> {
        let builders = self.builders(file);
        let mut found = self.named(&builders);
        for folder in &builders {
            found.extend(FILE_NAMES.iter().map(|it| folder.join(it)));
        }
        found
    }

    /// All files and folders that these kustomizations name, directly or through other kustomizations.
    pub fn named(&self, folders: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut queue: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
        while let Some(folder) = queue.pop() {
            for path in self.names.get(folder).into_iter().flatten() {
                if found.insert(path.clone()) {
                    queue.push(path);
                }
            }
        }
        found
    }
}

/// Whether a file is called `kustomization.yaml` or by another name of a kustomization.
pub fn is_kustomization(file: &Path) -> bool {
    FILE_NAMES.iter().any(|it| file.ends_with(it))
}

/// Whether a folder has a kustomization.
pub(super) fn has_kustomization(files: &dyn Files, folder: &Path) -> bool {
    FILE_NAMES.iter().any(|it| files.read(&folder.join(it)).is_some())
}

/// The indices of the folders. Folders whose kustomizations no other kustomization names come first.
pub(super) fn outermost_first<F: Files>(folders: &[(PathBuf, F)]) -> Vec<usize> {
    let mut named: HashSet<PathBuf> = HashSet::new();
    let known: HashSet<&Path> = folders.iter().map(|it| it.0.as_path()).collect();
    for (folder, files) in folders {
        let names = references(files, folder).unwrap_or_default();
        named.extend(
            names
                .into_iter()
                .filter(|it| it != folder && known.contains(it.as_path())),
        );
    }
    let (inner, outer): (Vec<usize>, Vec<usize>) = (0..folders.len()).partition(|it| named.contains(&folders[*it].0));
    outer.into_iter().chain(inner).collect()
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, sync::Arc};

    use super::*;

    struct Texts(RefCell<HashMap<PathBuf, &'static str>>);

    impl Files for Texts {
        fn read(&self, path: &Path) -> Option<Arc<str>> {
            self.0.borrow().get(path).map(|it| Arc::from(*it))
        }

        fn is_folder(&self, _: &Path) -> bool {
            false
        }
    }

    #[test]
    fn who_names_whom() {
        let files = Texts(RefCell::new(HashMap::from([
            ("/r/base/kustomization.yaml".into(), "resources: [a.yaml]"),
            (
                "/r/prod/kustomization.yaml".into(),
                "resources: [../base]\npatches: [path: p.yaml]",
            ),
            ("/r/other/kustomization.yaml".into(), "resources: [o.yaml]"),
        ])));
        let mut graph = Graph::default();
        for folder in ["base", "prod", "other", "none"] {
            assert_eq!(graph.read(&Path::new("/r").join(folder), &files), folder != "none");
        }
        let check = |graph: &Graph, file: &str, expected: &[&str]| {
            let expected: BTreeSet<PathBuf> = expected.iter().map(|it| Path::new("/r").join(it)).collect();
            assert_eq!(graph.builders(&Path::new("/r").join(file)), expected, "of {file}");
        };
        check(&graph, "base/a.yaml", &["base", "prod"]);
        check(&graph, "base/kustomization.yaml", &["base", "prod"]);
        check(&graph, "prod/p.yaml", &["prod"]);
        check(&graph, "prod/kustomization.yaml", &["prod"]);
        check(&graph, "base/b.yaml", &[]);
        let beside = graph.beside(Path::new("/r/prod/p.yaml"));
        for name in ["base", "base/a.yaml", "prod/p.yaml", "prod/kustomization.yaml"] {
            assert!(beside.contains(&Path::new("/r").join(name)), "{name} in {beside:?}");
        }
        assert!(graph.beside(Path::new("/r/base/b.yaml")).is_empty());
        let path = PathBuf::from("/r/prod/kustomization.yaml");
        files
            .0
            .borrow_mut()
            .insert(path, "resources: [../base, ../prod, ../other]");
        assert!(graph.read(Path::new("/r/prod"), &files));
        assert!(!graph.read(Path::new("/r/prod"), &files), "it is the same");
        check(&graph, "prod/p.yaml", &[]);
        check(&graph, "other/o.yaml", &["other", "prod"]);
        files.0.borrow_mut().clear();
        for folder in ["base", "prod", "other"] {
            assert!(graph.read(&Path::new("/r").join(folder), &files));
        }
        assert!(graph.is_empty() && graph.named_by.is_empty());
    }
}
