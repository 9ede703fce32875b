//! Finds packages on this machine. They are in the module itself, in modules of the same repository to which its `go.mod` or `go.work` refers, in
//! `vendor`, and in Go's module cache with the versions of `go.mod`. Downloads and runs nothing.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crd_analyzer_gosource::{
    Folders, Module,
    check::{self, types::Types},
};

use crate::{
    built::{is_built, is_built_by_name},
    packages::Sources,
};

/// The maximum number of folders to search for packages.
const MAX_FOLDERS: usize = 20_000;

/// Go's own folders outside the repository. Their paths come from the user, and never from a file in the repository.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outside {
    /// The module cache.
    pub cache: Option<PathBuf>,
    /// The source files of the standard library: the folder `src` in Go's installation.
    pub library: Option<PathBuf>,
}

/// A Go module and the modules that it uses.
pub struct Modules {
    folders: Arc<dyn Folders>,
    /// The root of the repository. Outside of it, only the folders in [`Outside`] are read.
    top: PathBuf,
    outside: Outside,
    /// The folder of the module.
    root: PathBuf,
    /// The folders of modules, by module path.
    roots: BTreeMap<String, PathBuf>,
    has_vendor: bool,
    read: Arc<OnDisk>,
    /// The reader for files of the repository that holds the module. It has the texts of files that the user is editing.
    repository: Option<Arc<Module>>,
}

/// The packages and files that were found on disk. They stay cached while files are edited.
#[derive(Default)]
struct OnDisk {
    parsed: Mutex<HashMap<PathBuf, Option<Arc<Types>>>>,
    found: Mutex<HashMap<String, Option<PathBuf>>>,
    listed: Mutex<HashMap<PathBuf, Arc<[String]>>>,
}

/// The content of a `go.mod`.
#[derive(Debug, Default)]
struct GoMod {
    module: String,
    required: Vec<(String, String)>,
    /// The `replace` directives. Each has a path with an optional version, and its replacement, which has no version if it is a folder.
    replaced: Vec<(String, Option<String>, String, Option<String>)>,
}

impl Modules {
    /// Opens the module in a folder. `top` is the root of the repository. `None` if the folder has no `go.mod`.
    pub fn open(root: &Path, top: &Path, folders: Arc<dyn Folders>, outside: Outside) -> Option<Self> {
        let go_mod = GoMod::read(&folders.read(&root.join("go.mod"))?);
        let mut modules = Self {
            has_vendor: folders.list(root).iter().any(|it| it.0 == "vendor" && it.1),
            folders,
            top: top.to_owned(),
            outside,
            root: root.to_owned(),
            roots: BTreeMap::new(),
            read: Arc::default(),
            repository: None,
        };
        modules.add_required(&go_mod);
        modules.add_used();
        modules.roots.insert(go_mod.module, root.to_owned());
        Some(modules)
    }

    /// The folder of the module.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A copy of the module that reads the files of the repository from `repository`, for example because the user is editing them. It shares what
    /// was read from other files.
    #[must_use]
    pub fn with(&self, repository: Arc<Module>) -> Self {
        Self {
            folders: self.folders.clone(),
            top: self.top.clone(),
            outside: self.outside.clone(),
            root: self.root.clone(),
            roots: self.roots.clone(),
            has_vendor: self.has_vendor,
            read: self.read.clone(),
            repository: Some(repository),
        }
    }

    fn add_required(&mut self, go_mod: &GoMod) {
        for (path, version) in &go_mod.required {
            let replaced = go_mod
                .replaced
                .iter()
                .find(|it| it.0 == *path && it.1.as_ref().is_none_or(|it| it == version));
            let folder = match replaced {
                Some((_, _, to, Some(version))) => self.in_cache(to, version),
                Some((_, _, to, None)) => self.within(&self.root.join(to)),
                None => self.in_cache(path, version),
            };
            if let Some(folder) = folder {
                self.roots.insert(path.clone(), folder);
            }
        }
    }

    /// Adds the modules of a `go.work` in a parent folder, if it uses this module.
    fn add_used(&mut self) {
        let around: Vec<&Path> = self
            .root
            .ancestors()
            .take_while(|it| it.starts_with(&self.top))
            .collect();
        for folder in around {
            let Some(text) = self.folders.read(&folder.join("go.work")) else {
                continue;
            };
            let used = directives(&text).filter(|it| it.0 == "use").map(|it| it.1);
            let used: Vec<PathBuf> = used
                .filter_map(|it| self.within(&folder.join(it.first()?.as_str())))
                .collect();
            if used.contains(&self.root) {
                for folder in used {
                    if let Some(text) = self.folders.read(&folder.join("go.mod")) {
                        self.roots.insert(GoMod::read(&text).module, folder);
                    }
                }
            }
            return;
        }
    }

    /// A path inside the repository. `None` if it leads outside of it.
    fn within(&self, path: &Path) -> Option<PathBuf> {
        let mut plain = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir => {
                    plain.pop();
                }
                Component::CurDir => {}
                part => plain.push(part),
            }
        }
        plain.starts_with(&self.top).then_some(plain)
    }

    fn in_cache(&self, path: &str, version: &str) -> Option<PathBuf> {
        let name = format!("{}@{}", escaped(path)?, escaped(version)?);
        Some(self.outside.cache.as_ref()?.join(name))
    }

    fn look_for(&self, import: &str) -> Option<PathBuf> {
        let is_plain = |it: &str| !it.is_empty() && it != "." && it != "..";
        if !import.split('/').all(is_plain) || import.contains(['\\', '\0']) {
            return None;
        }
        let has_sources = |it: &PathBuf| self.folders.list(it).iter().any(|it| !it.1 && is_built_by_name(&it.0));
        // Use the module with the longest path that is a prefix of the package's path.
        let mut length = import.len();
        loop {
            let path = &import[..length];
            if let Some(folder) = self.roots.get(path) {
                let folder = folder.join(import[length..].trim_start_matches('/'));
                if has_sources(&folder) {
                    return Some(folder);
                }
            }
            match path.rfind('/') {
                Some(slash) => length = slash,
                None => break,
            }
        }
        let vendored = self.root.join("vendor").join(import);
        if self.has_vendor && has_sources(&vendored) {
            return Some(vendored);
        }
        let is_library = !import.split('/').next().unwrap_or_default().contains('.');
        let library = self.outside.library.as_ref().filter(|_| is_library)?.join(import);
        has_sources(&library).then_some(library)
    }

    /// The import paths that match a package pattern, as in `go list`. `./api/v1` matches one package, and `./api/...` that package and all below.
    /// The pattern is relative to `from`, a folder of the module.
    pub fn matching(&self, pattern: &str, from: &Path) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        self.walk(pattern, from, |folder, has_sources| {
            found.extend(self.path_of(folder).filter(|_| has_sources));
        });
        found.sort_unstable();
        found
    }

    /// The folders of other modules that a package pattern would match if they belonged to this module: Go's patterns do not reach into them.
    pub fn other_modules(&self, pattern: &str, from: &Path) -> BTreeSet<PathBuf> {
        self.walk(pattern, from, |_, _| {})
    }

    /// Calls `visit` with each folder that a pattern matches, and whether the folder has source files. Returns the folders of other modules.
    fn walk(&self, pattern: &str, from: &Path, mut visit: impl FnMut(&Path, bool)) -> BTreeSet<PathBuf> {
        let (path, are_below) = match pattern.strip_suffix("...") {
            Some(path) => (path.trim_end_matches('/'), true),
            None => (pattern.trim_end_matches('/'), false),
        };
        let Some(folder) = self.within(&from.join(path)) else {
            return BTreeSet::new();
        };
        let mut others = BTreeSet::new();
        let mut waiting = vec![folder];
        let mut seen = 0;
        while let Some(folder) = waiting.pop() {
            seen += 1;
            if seen > MAX_FOLDERS {
                break;
            }
            let mut has_sources = false;
            let names = self.folders.list(&folder);
            // A pattern does not match other modules.
            if seen > 1 && names.iter().any(|it| it.0 == "go.mod" && !it.1) {
                others.insert(folder);
                continue;
            }
            for (name, is_folder) in names {
                let is_left_out = name.starts_with(['.', '_']) || ["testdata", "vendor"].contains(&name.as_str());
                if is_folder && are_below && !is_left_out {
                    waiting.push(folder.join(&name));
                }
                has_sources |= !is_folder && is_built_by_name(&name);
            }
            visit(&folder, has_sources);
        }
        others
    }

    /// The import path of a folder.
    pub fn path_of(&self, folder: &Path) -> Option<String> {
        let of = |(path, root): (&String, &PathBuf)| {
            let below = folder.strip_prefix(root).ok()?;
            let below: Vec<&str> = below.iter().filter_map(|it| it.to_str()).collect();
            let parts = [path.as_str()].into_iter().chain(below);
            Some((root.as_os_str().len(), parts.collect::<Vec<_>>().join("/")))
        };
        self.roots.iter().filter_map(of).max().map(|it| it.1)
    }
}

impl Sources for Modules {
    fn folder_of(&self, import: &str) -> Option<PathBuf> {
        let mut found = lock(&self.read.found);
        if let Some(folder) = found.get(import) {
            return folder.clone();
        }
        let folder = self.look_for(import);
        found.insert(import.to_owned(), folder.clone());
        folder
    }

    fn files(&self, folder: &Path) -> Arc<[String]> {
        let mut listed = lock(&self.read.listed);
        if let Some(names) = listed.get(folder) {
            return names.clone();
        }
        let names = self.folders.list(folder).into_iter();
        let mut names: Vec<String> = names
            .filter(|it| !it.1 && is_built_by_name(&it.0))
            .map(|it| it.0)
            .collect();
        names.sort_unstable();
        let names: Arc<[String]> = names.into();
        listed.insert(folder.to_owned(), names.clone());
        names
    }

    fn types(&self, file: &Path) -> Option<Arc<Types>> {
        let repository = self.repository.as_ref().filter(|it| it.has(file));
        if let Some(types) = repository.and_then(|it| it.types(file)) {
            return Some(if is_built(&types.text) { types } else { Arc::default() });
        }
        if let Some(types) = lock(&self.read.parsed).get(file) {
            return types.clone();
        }
        let text = self.folders.read(file);
        let types = text.map(|it| {
            if is_built(&it) {
                check::read_types(&it)
            } else {
                Arc::default()
            }
        });
        lock(&self.read.parsed).insert(file.to_owned(), types.clone());
        types
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for Modules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Modules({})", self.root.display())
    }
}

/// A path or version in the form in which the module cache writes it: each upper-case letter becomes `!` and the lower-case letter. `None` if the
/// result would lead outside of the cache.
fn escaped(path: &str) -> Option<String> {
    let is_of = |it: char| it.is_ascii_alphanumeric() || "-._~/+".contains(it);
    let is_plain = |it: &str| !it.is_empty() && !it.starts_with('.') && !it.ends_with('.');
    if !path.chars().all(is_of) || !path.split('/').all(is_plain) {
        return None;
    }
    let escape = |it: char| -> Vec<char> {
        if it.is_ascii_uppercase() {
            vec!['!', it.to_ascii_lowercase()]
        } else {
            vec![it]
        }
    };
    Some(path.chars().flat_map(escape).collect())
}

/// The directives of a `go.mod` or `go.work`. Each has a word and its arguments. A block has a directive on each line.
fn directives(text: &str) -> impl Iterator<Item = (String, Vec<String>)> + '_ {
    let mut block = String::new();
    text.lines().filter_map(move |line| {
        let line = line.split("//").next().unwrap_or_default().trim();
        let words = line.split_whitespace().map(|it| it.trim_matches(['"', '`']).to_owned());
        let mut words: Vec<String> = words.collect();
        match words.as_slice() {
            [] => None,
            [end] if end == ")" => {
                block.clear();
                None
            }
            [word, begin] if begin == "(" => {
                block.clone_from(word);
                None
            }
            _ if block.is_empty() => {
                let word = words.remove(0);
                Some((word, words))
            }
            _ => Some((block.clone(), words)),
        }
    })
}

impl GoMod {
    fn read(text: &str) -> Self {
        let mut read = Self::default();
        for (word, given) in directives(text) {
            match (word.as_str(), given.as_slice()) {
                ("module", [path]) => read.module.clone_from(path),
                ("require", [path, version, ..]) => read.required.push((path.clone(), version.clone())),
                ("replace", given) => {
                    let Some(arrow) = given.iter().position(|it| it == "=>") else {
                        continue;
                    };
                    if let ([path, version @ ..], [to, to_version @ ..]) = (&given[..arrow], &given[arrow + 1..]) {
                        let version = version.first().cloned();
                        read.replaced
                            .push((path.clone(), version, to.clone(), to_version.first().cloned()));
                    }
                }
                _ => {}
            }
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_go_mod_says_is_read() {
        let read = GoMod::read(
            "module example.com/a // A.\n\nrequire (\n\tk8s.io/api v0.30.0\n\tgithub.com/Azure/x v1.0.0 // indirect\n)\nrequire one.io/b v1.1.0\n\
             replace k8s.io/api => ../api\nreplace (\n\tone.io/b v1.1.0 => two.io/b v1.2.0\n)\n",
        );
        assert_eq!(read.module, "example.com/a");
        assert_eq!(read.required.len(), 3);
        let replaced: Vec<_> = read
            .replaced
            .iter()
            .map(|it| (it.2.as_str(), it.3.as_deref()))
            .collect();
        assert_eq!(replaced, [("../api", None), ("two.io/b", Some("v1.2.0"))]);
    }

    #[test]
    fn names_in_the_cache_lead_nowhere_else() {
        assert_eq!(escaped("github.com/Azure/x").as_deref(), Some("github.com/!azure/x"));
        for path in ["../x", "a/../../b", "/etc", "a//b", "", "a\0b", "a/.b"] {
            assert_eq!(escaped(path), None, "{path}");
        }
    }
}
