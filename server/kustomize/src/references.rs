//! What a kustomization names, without building it.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crate::{
    kustomization::FILE_NAMES,
    node::{Node, Value},
    sources::{Files, Sources, joined},
};

/// The longest text that is taken for a path, in bytes, as Linux has it.
const MOST_PATH_BYTES: usize = 4096;

/// The bytes of a kustomization that is looked into for this. Each of its texts may be a path.
const MOST_BYTES: usize = 1 << 20;

/// The files and folders that the kustomization of a folder may name: the paths of all its texts. More than it names may be among them, and
/// nothing is missing that a build looks for because of this kustomization alone, unless that has more than a mebibyte. `None` if the folder has
/// no kustomization.
pub fn references(files: &dyn Files, folder: &Path) -> Option<BTreeSet<PathBuf>> {
    let mut sources = Sources::default();
    let mut found = BTreeSet::new();
    let mut is_there = false;
    for name in FILE_NAMES {
        let path = folder.join(name);
        let Some(text) = files.read(&path) else {
            continue;
        };
        is_there = true;
        if text.len() > MOST_BYTES {
            continue;
        }
        let read = sources.read_file(&path, &text);
        for document in read.iter().flatten() {
            add(document, folder, &mut found);
        }
    }
    is_there.then_some(found)
}

fn add(node: &Node, folder: &Path, found: &mut BTreeSet<PathBuf>) {
    match &node.value {
        Value::String(text) => {
            // Generators name files as `KEY=PATH`.
            let path = text.rsplit_once('=').map_or(&**text, |it| it.1);
            for path in [text, path] {
                if path.len() <= MOST_PATH_BYTES && !path.is_empty() && !path.contains(['\n', '\0']) {
                    found.insert(joined(folder, path));
                }
            }
        }
        Value::List(items) => items.iter().for_each(|it| add(it, folder, found)),
        Value::Map(entries) => entries.iter().for_each(|it| add(&it.value, folder, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashMap, sync::Arc};

    use super::*;

    struct Texts(HashMap<PathBuf, &'static str>);

    impl Files for Texts {
        fn read(&self, path: &Path) -> Option<Arc<str>> {
            self.0.get(path).map(|it| Arc::from(*it))
        }

        fn is_folder(&self, _: &Path) -> bool {
            false
        }
    }

    #[test]
    fn all_texts_are_paths() {
        let text = "resources: [a.yaml, ../base]\npatches: [{path: ./p.yaml, target: {kind: X}}]\nconfigMapGenerator:\n- files: [k=f.txt]\n";
        let files = Texts(HashMap::from([("/r/over/kustomization.yml".into(), text)]));
        let found = references(&files, Path::new("/r/over")).expect("a kustomization");
        for path in ["/r/over/a.yaml", "/r/base", "/r/over/p.yaml", "/r/over/f.txt"] {
            assert!(found.contains(Path::new(path)), "{path} in {found:?}");
        }
        assert_eq!(references(&files, Path::new("/r/base")), None);
    }

    #[test]
    fn what_cannot_be_read_names_nothing() {
        let files = Texts(HashMap::from([("/r/Kustomization".into(), "resources: [a")]));
        assert_eq!(references(&files, Path::new("/r")), Some(BTreeSet::new()));
    }

    #[test]
    fn what_is_too_long_names_nothing() {
        let names = |count: usize| {
            let text: &'static str = format!("resources:\n{}", "- a\n".repeat(count)).leak();
            let files = Texts(HashMap::from([("/r/kustomization.yaml".into(), text)]));
            references(&files, Path::new("/r")).expect("a kustomization").len()
        };
        assert_eq!((names(1_000), names(MOST_BYTES / 4)), (1, 0));
    }
}
