//! Finds the paths that a kustomization may name, without building it.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
};

use crate::{
    kustomization::{FILE_NAMES, is_inline},
    node::{Node, Value},
    sources::{Files, Sources, joined},
};

/// The maximum length of a path in bytes, as in Linux.
const MOST_PATH_BYTES: usize = 4096;

/// The maximum size, in bytes, of a kustomization to search. Each of its strings may be a path.
const MOST_BYTES: usize = 1 << 20;

/// The fields that list plugins, which may name files themselves.
const OF_PLUGINS: [&str; 3] = ["generators", "transformers", "validators"];

/// The files and folders that the kustomization of a folder may name. These are the paths in all of its strings, and in the strings of its
/// generators, transformers and validators. The result may contain too many paths. It contains all that a build looks for because of this
/// kustomization, unless the kustomization has more than 1 MiB. `None` if the folder has no kustomization.
pub fn references(files: &dyn Files, folder: &Path) -> Option<BTreeSet<PathBuf>> {
    let mut plugins = Plugins {
        files,
        folder,
        sources: Sources::default(),
        seen: HashSet::new(),
        left: MOST_BYTES,
    };
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
        let read = plugins.sources.read_file(&path, &text);
        for document in read.iter().flatten() {
            add(document, folder, &mut found);
            for field in document.entries().iter().filter(|it| OF_PLUGINS.contains(&&*it.key)) {
                for item in field.value.items() {
                    plugins.add(item, &mut found);
                }
            }
        }
    }
    is_there.then_some(found)
}

/// The plugins that a kustomization lists.
struct Plugins<'a> {
    files: &'a dyn Files,
    /// The folder of the kustomization, to which paths are relative.
    folder: &'a Path,
    sources: Sources,
    /// The files that were already read. Each file is read once, however often it is named.
    seen: HashSet<PathBuf>,
    /// The number of bytes that may still be read, for all plugins of the kustomization.
    left: usize,
}

impl Plugins<'_> {
    /// Adds the paths in the plugins that an item of a list names.
    fn add(&mut self, item: &Node, found: &mut BTreeSet<PathBuf>) {
        let Some(text) = item.as_str() else { return };
        if is_inline(text) {
            if self.spend(text.len()) {
                for document in self.sources.read_inside(item.place).unwrap_or_default() {
                    add(&document, self.folder, found);
                }
            }
            return;
        }
        let path = joined(self.folder, text);
        if !self.files.is_folder(&path) {
            self.add_file(&path, found);
            return;
        }
        for name in FILE_NAMES {
            let Some(read) = self.read(&path.join(name)) else {
                continue;
            };
            let resources = read.iter().filter_map(|it| it.get("resources"));
            let named: Vec<PathBuf> = resources
                .flat_map(Node::items)
                .filter_map(|it| Some(joined(&path, it.as_str()?)))
                .collect();
            for file in named {
                self.add_file(&file, found);
            }
        }
    }

    fn add_file(&mut self, path: &Path, found: &mut BTreeSet<PathBuf>) {
        for document in self.read(path).unwrap_or_default() {
            add(&document, self.folder, found);
        }
    }

    fn read(&mut self, path: &Path) -> Option<Vec<Node>> {
        if !self.seen.insert(path.to_owned()) {
            return None;
        }
        let text = self.files.read(path)?;
        let is_in = self.spend(text.len());
        is_in.then(|| self.sources.read_file(path, &text).ok()).flatten()
    }

    /// Subtracts a number of bytes from those that may still be read. Returns `false` if too few are left.
    fn spend(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }
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

        fn is_folder(&self, path: &Path) -> bool {
            self.0.keys().any(|it| it.starts_with(path) && it != path)
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
    fn transformers_name_files() {
        let text = "transformers:\n- t.yaml\n- ../more\n- |\n  kind: PatchTransformer\n  path: inline.yaml\n";
        let files = Texts(HashMap::from([
            ("/r/over/kustomization.yml".into(), text),
            ("/r/over/t.yaml".into(), "kind: PatchTransformer\npath: p.yaml\n"),
            ("/r/more/kustomization.yaml".into(), "resources: [m.yaml]\n"),
            (
                "/r/more/m.yaml".into(),
                "kind: PatchTransformer\npath: of-folder.yaml\n",
            ),
        ]));
        let found = references(&files, Path::new("/r/over")).expect("a kustomization");
        for path in ["/r/over/p.yaml", "/r/over/inline.yaml", "/r/over/of-folder.yaml"] {
            assert!(found.contains(Path::new(path)), "{path} in {found:?}");
        }
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

    #[test]
    fn what_is_named_often_is_read_once() {
        /// A source of files that counts how often it is read.
        struct Counted(std::cell::Cell<usize>);

        impl Files for Counted {
            fn read(&self, path: &Path) -> Option<Arc<str>> {
                self.0.set(self.0.get() + 1);
                let entries = "- t.yaml\n- more\n".repeat(500);
                match path.to_str()? {
                    "/r/kustomization.yaml" => Some(format!("transformers:\n{entries}---\n").repeat(50).into()),
                    "/r/t.yaml" => Some("a: b\n".into()),
                    "/r/more/kustomization.yaml" => Some("x".repeat(2 * MOST_BYTES).into()),
                    _ => None,
                }
            }

            fn is_folder(&self, path: &Path) -> bool {
                path.ends_with("more")
            }
        }

        let files = Counted(std::cell::Cell::new(0));
        references(&files, Path::new("/r")).expect("a kustomization");
        assert!(files.0.get() < 10, "{} reads", files.0.get());
    }
}
