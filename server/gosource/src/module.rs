//! The packages of a Go repository, read on demand.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use crate::api_folders;
use crate::check::{self, Types, catalog::Release, comments::Comments, release::named_in};
use crate::crd_options::CrdOptions;
use crate::declaration::Kind;
use crate::last_tree::LastTree;
use crate::outline;
use crate::read::{Declarations, Declared, SourceFile, declarations};

/// The maximum number of packages to search for a kind if no folder is named after its version.
pub(crate) const MAX_PACKAGES: usize = 500;

/// The maximum number of folders to read in a repository, and of files to read in a package. A repository with an API has fewer.
const MAX_FOLDERS: usize = 20_000;
const MAX_FILES: usize = 500;

/// The maximum number of edited files that stay parsed.
const MAX_EDITED: usize = 100;

/// Folders that do not contain the repository's own API.
const SKIPPED: &[&str] = &[
    "vendor",
    "node_modules",
    "testdata",
    "third_party",
    "target",
    "bin",
    "dist",
];

/// The source of folders and files.
pub trait Folders: Send + Sync {
    /// The names in a folder, each with whether it is a subfolder. Links are not subfolders. Empty if the folder cannot be read.
    fn list(&self, folder: &Path) -> Vec<(String, bool)>;
    /// The text of a file, if it can be read.
    fn read(&self, file: &Path) -> Option<String>;
}

/// The root of the Go repository that contains a manifest. It is the outermost folder with a `go.mod`, but not above the git repository.
pub fn root_of(manifest: &Path, folders: &dyn Folders) -> Option<PathBuf> {
    let mut root = None;
    for folder in manifest.ancestors().skip(1) {
        let names = folders.list(folder);
        let has = |name: &str| names.iter().any(|it| it.0 == name);
        if has("go.mod") {
            root = Some(folder.to_owned());
        }
        if has(".git") {
            break;
        }
    }
    root
}

/// The Go files in one folder.
#[derive(Debug, Default)]
pub(crate) struct Package {
    files: Vec<Arc<PackageFile>>,
    /// The index of the file that declares each type. Computed on first use, because most packages are only searched for a name.
    names: OnceLock<HashMap<String, usize>>,
}

/// A file of a package, which is parsed on first use.
#[derive(Debug)]
struct PackageFile {
    source: Arc<SourceFile>,
    /// Whether the user may have edited the file, so that somebody will ask for all of its comments.
    is_edited: bool,
    read: OnceLock<Read>,
    /// All comments, if `read` lacks those in functions.
    comments: OnceLock<Arc<Comments>>,
    /// The tree of the file that was parsed last. All files of a repository share it.
    last: Arc<LastTree>,
}

/// The result of parsing a file. All parts are parsed together, because a caller usually needs several, and the parser takes most of the time.
#[derive(Debug)]
struct Read {
    declarations: Declarations,
    /// The comments and types of the file. The comments may lack those in functions.
    comments: Arc<Comments>,
    is_whole: bool,
}

impl PackageFile {
    fn new(path: Arc<Path>, text: Arc<str>, is_edited: bool, last: Arc<LastTree>) -> Arc<Self> {
        Arc::new(Self {
            source: Arc::new(SourceFile { path, text }),
            is_edited,
            read: OnceLock::new(),
            comments: OnceLock::new(),
            last,
        })
    }

    fn read(&self) -> &Read {
        self.read.get_or_init(|| {
            let text = &self.source.text;
            let (tree, is_whole) = if self.is_edited {
                (self.last.parsed(&self.source), true)
            } else {
                outline::parsed(text).map_or((None, true), |it| (Some(it.0), it.1))
            };
            let declarations = tree.as_ref().map(|it| declarations(&self.source, it));
            let comments = tree.as_ref().map(|it| check::read_tree(it, text));
            Read {
                declarations: declarations.unwrap_or_default(),
                comments: Arc::new(comments.unwrap_or_default()),
                is_whole,
            }
        })
    }

    fn comments(&self) -> &Arc<Comments> {
        let read = self.read();
        if read.is_whole {
            return &read.comments;
        }
        self.comments.get_or_init(|| {
            let tree = self.last.parsed(&self.source);
            Arc::new(tree.map_or_else(Comments::default, |it| check::read_tree(&it, &self.source.text)))
        })
    }

    /// The types of the file, in the form in which controller-gen uses them.
    fn types(&self) -> &Arc<Types> {
        &self.read().comments.types
    }

    fn declarations(&self) -> &Declarations {
        &self.read().declarations
    }
}

impl Package {
    fn names(&self) -> &HashMap<String, usize> {
        self.names.get_or_init(|| {
            let files = self.files.iter().enumerate();
            let names = files.flat_map(|(n, file)| file.declarations().types.keys().map(move |it| (it.clone(), n)));
            names.collect()
        })
    }

    /// The types of each file, in the form in which controller-gen uses them.
    pub(crate) fn types(&self) -> impl Iterator<Item = (&Path, &Arc<Types>)> {
        self.files.iter().map(|it| (&*it.source.path, it.types()))
    }

    pub(crate) fn declared(&self, name: &str) -> Option<&Declared> {
        // Most packages are searched for names that they do not contain, so search the text first.
        if self.names.get().is_none() && !self.files.iter().any(|it| it.source.text.contains(name)) {
            return None;
        }
        let file = &self.files[*self.names().get(name)?];
        file.declarations().types.get(name)
    }

    /// The types that the files with a wanted text declare, by name.
    pub(crate) fn declared_in(
        &self,
        is_wanted: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = (&Arc<SourceFile>, impl Iterator<Item = (&str, &Declared)>)> {
        let files = self.files.iter().filter(move |it| is_wanted(&it.source.text));
        files.map(|it| {
            let types = it.declarations().types.iter();
            (&it.source, types.map(|it| (it.0.as_str(), it.1)))
        })
    }

    /// The path of the package to which a file refers by this name.
    pub(crate) fn import(&self, file: &Path, name: &str) -> Option<&str> {
        let file = self.files.iter().find(|it| *it.source.path == *file)?;
        Some(file.declarations().imports.get(name)?.as_str())
    }

    fn names_group(&self, group: &str) -> bool {
        let quoted = format!("\"{group}\"");
        let mut texts = self.files.iter().map(|it| &it.source.text);
        texts.any(|it| it.contains(&quoted) || values_of(it, "+groupName").any(|it| it.starts_with(group)))
    }

    /// Whether the package may declare kinds with markers.
    fn may_have_kinds(&self) -> bool {
        let has = |word: &str| self.files.iter().any(|it| it.source.text.contains(word));
        let mut texts = self.files.iter().map(|it| &it.source.text);
        let has_group = texts.any(|it| values_of(it, "+groupName").next().is_some());
        // A package without a group may have kinds whose author forgot it.
        let has_kind = || KIND_MARKERS.iter().any(|it| has(it));
        (has_group && has("+kubebuilder:") || has_kind()) && has("ObjectMeta") && has("TypeMeta")
    }

    /// The version of the package's kinds, from a marker or from the name of the package.
    fn version(&self) -> Option<&str> {
        let mut texts = self.files.iter().map(|it| &*it.source.text);
        let marked = texts.find_map(|it| values_of(it, "+versionName").next());
        let is_of = |it: char| it.is_alphanumeric() || it == '_';
        let word = |text: &'_ str| text.find(|it| !is_of(it)).unwrap_or(text.len());
        if let Some(marked) = marked {
            return Some(&marked[..word(marked)]);
        }
        let text = &*self.files.first()?.source.text;
        let clause = text.lines().find_map(|it| it.strip_prefix("package "))?.trim_start();
        Some(&clause[..word(clause)])
    }

    /// The same package, except that one of its files has new content.
    fn with(&self, new: Arc<PackageFile>) -> Self {
        let mut files = self.files.clone();
        match files.iter_mut().find(|it| it.source.path == new.source.path) {
            Some(file) => *file = new,
            None => files.push(new),
        }
        Self {
            files,
            names: OnceLock::new(),
        }
    }
}

/// A Go repository.
pub struct Module {
    on_disk: Arc<OnDisk>,
    /// The packages with files that the user is editing.
    edited: BTreeMap<PathBuf, Arc<Package>>,
}

/// The parts of a repository that were read from disk. They stay cached while files are edited.
struct OnDisk {
    folders: Arc<dyn Folders>,
    root: PathBuf,
    controller_gen: OnceLock<Option<(Release, String)>>,
    crd_options: OnceLock<CrdOptions>,
    layout: OnceLock<Layout>,
    /// The folders of packages that may declare kinds.
    with_kinds: OnceLock<Vec<PathBuf>>,
    packages: Mutex<BTreeMap<PathBuf, Arc<Package>>>,
    /// The files that the user is editing, each with its two most recent texts: before and after the last keystroke.
    edited: Mutex<HashMap<PathBuf, Vec<Arc<PackageFile>>>>,
    last: Arc<LastTree>,
}

#[derive(Default)]
struct Layout {
    with_go: BTreeSet<PathBuf>,
    /// The folders that have a `go.mod`, each with the module's path.
    modules: BTreeMap<PathBuf, String>,
}

/// The names of the files that make reads.
const MAKEFILES: [&str; 3] = ["Makefile", "makefile", "GNUmakefile"];

/// The folder of scripts.
const SCRIPTS: &str = "hack";

/// The usual name of a file with `//go:generate` comments, and the maximum depth of its folder in the repository.
const GENERATE: &str = "generate.go";
const MAX_GENERATE_DEPTH: usize = 2;

/// The files of a repository that may name its controller-gen version.
const NAMES_TOOLS: [&str; 4] = ["Makefile", "go.mod", "hack/tools/go.mod", "tools/go.mod"];

/// The markers that only kinds and their lists have.
const KIND_MARKERS: [&str; 2] = ["+kubebuilder:object:root", "+kubebuilder:resource"];

impl Module {
    /// The release of controller-gen that the repository uses, from its Makefile or a `go.mod`.
    pub fn controller_gen(&self) -> Option<Release> {
        self.named_controller_gen().map(|it| it.0)
    }

    /// The full version of controller-gen, such as `v0.21.0`.
    pub fn controller_gen_version(&self) -> Option<&str> {
        self.named_controller_gen().map(|it| it.1.as_str())
    }

    fn named_controller_gen(&self) -> Option<&(Release, String)> {
        let OnDisk { folders, root, .. } = &*self.on_disk;
        let named = self.on_disk.controller_gen.get_or_init(|| {
            // A Makefile may include others.
            let beside = folders
                .list(root)
                .into_iter()
                .filter(|it| !it.1 && Path::new(&it.0).extension().is_some_and(|it| it == "mk"));
            let beside = beside.map(|it| it.0).take(MAX_FILES);
            let names = NAMES_TOOLS.iter().map(|it| (*it).to_owned()).chain(beside);
            let texts = names.filter_map(|it| folders.read(&root.join(it)));
            texts.into_iter().find_map(|it| named_in(&it))
        });
        named.as_ref()
    }

    /// The options with which the repository runs controller-gen, from Makefiles, scripts and `//go:generate` comments.
    pub fn crd_options(&self) -> &CrdOptions {
        self.on_disk.crd_options.get_or_init(|| self.on_disk.read_options())
    }

    /// The repository at a root that [`root_of`] has found. Files are read when they are needed.
    pub fn new(root: PathBuf, folders: Arc<dyn Folders>) -> Self {
        let on_disk = OnDisk {
            folders,
            root,
            controller_gen: OnceLock::new(),
            crd_options: OnceLock::new(),
            layout: OnceLock::new(),
            with_kinds: OnceLock::new(),
            packages: Mutex::default(),
            edited: Mutex::default(),
            last: Arc::default(),
        };
        Self {
            on_disk: Arc::new(on_disk),
            edited: BTreeMap::new(),
        }
    }

    /// The same repository with different texts for some files, such as those that the user is editing. Other files are read only once, and each text
    /// of an edited file is parsed only once.
    #[must_use]
    pub fn with<'t>(&self, files: impl IntoIterator<Item = (&'t Path, &'t Arc<str>)>) -> Self {
        let mut edited = self.edited.clone();
        for (path, text) in files {
            let Some(folder) = path.parent().filter(|it| self.layout().with_go.contains(*it)) else {
                continue;
            };
            let package = edited.get(folder).cloned().unwrap_or_else(|| self.package(folder));
            let package = package.with(self.on_disk.edited(path, text));
            edited.insert(folder.to_owned(), Arc::new(package));
        }
        Self {
            on_disk: self.on_disk.clone(),
            edited,
        }
    }

    /// The types in a file of the repository with this text. `None` if the file is not in a package.
    pub fn types_of(&self, path: &Path, text: &Arc<str>) -> Option<Arc<Types>> {
        let file = self.has(path).then(|| self.on_disk.edited(path, text))?;
        Some(file.types().clone())
    }

    /// The comments in a file of the repository with this text, with the declarations to which its markers belong. `None` if the file is not in a
    /// package.
    pub fn comments(&self, path: &Path, text: &Arc<str>) -> Option<Arc<Comments>> {
        let file = self.has(path).then(|| self.on_disk.edited(path, text))?;
        Some(file.comments().clone())
    }

    /// The root folder of the repository.
    pub fn root(&self) -> &Path {
        &self.on_disk.root
    }

    /// Whether a file is part of a package of the repository.
    pub fn has(&self, path: &Path) -> bool {
        path.parent().is_some_and(|it| self.layout().with_go.contains(it))
    }

    /// The package that declares this kind in this version of this group.
    ///
    /// Usually the package's folder is named after the version, as in kubebuilder's layout. Otherwise all packages of the repository are searched. If
    /// several packages declare the kind, the one that names the group is used. If `is_generated` is set, a single package need not name the group.
    pub(crate) fn package_of(&self, of: &Kind<'_>) -> Option<Arc<Package>> {
        let folders = self.layout().with_go.iter();
        let named = folders.filter(|it| it.file_name().is_some_and(|it| it == of.version));
        let mut with_kind: Vec<Arc<Package>> = named
            .map(|it| self.package(it))
            .filter(|it| it.declared(of.kind).is_some())
            .collect();
        let of_group = with_kind.iter().position(|it| it.names_group(of.group));
        match of_group {
            Some(at) => Some(with_kind.swap_remove(at)),
            None if of.is_generated && with_kind.len() == 1 => with_kind.pop(),
            None if of.is_generated => self.package_elsewhere(of),
            None => None,
        }
    }

    /// Like [`Module::package_of`], for a package whose folder is not named after the version. The package must name the group and have the version.
    fn package_elsewhere(&self, of: &Kind<'_>) -> Option<Arc<Package>> {
        let folders = self.layout().with_go.iter();
        let others = folders.filter(|it| it.file_name().is_none_or(|it| it != of.version));
        // The limit on the number of packages to search for one kind.
        let mut packages = others.take(MAX_PACKAGES).map(|it| self.package(it));
        packages
            .find(|it| it.names_group(of.group) && it.version() == Some(of.version) && it.declared(of.kind).is_some())
    }

    /// The folders of at most `most` packages that may declare kinds with markers. The path of such a folder looks like that of an API, for example
    /// because the folder is named after a version.
    pub fn packages_with_kinds(&self, most: usize) -> Vec<PathBuf> {
        let folders = self.layout().with_go.iter();
        let folders = folders
            .filter(|it| api_folders::may_have_kinds(it, self.root()))
            .take(MAX_PACKAGES);
        let on_disk = self.on_disk.with_kinds.get_or_init(|| {
            let folders = folders.clone().filter(|it| self.on_disk.package(it).may_have_kinds());
            folders.cloned().collect()
        });
        let has_kinds = |folder: &&PathBuf| match self.edited.get(*folder) {
            Some(edited) => edited.may_have_kinds(),
            None => on_disk.binary_search(folder).is_ok(),
        };
        folders.filter(has_kinds).take(most).cloned().collect()
    }

    /// The types that a file of the repository declares.
    pub fn types(&self, file: &Path) -> Option<Arc<Types>> {
        let package = self.package_around(file)?;
        package.types().find(|it| it.0 == file).map(|it| it.1.clone())
    }

    /// The package to which a file belongs.
    pub(crate) fn package_around(&self, file: &Path) -> Option<Arc<Package>> {
        let folder = file.parent().filter(|it| it.starts_with(self.root()))?;
        Some(self.package(folder))
    }

    /// The package with an import path, if it is in the repository.
    pub(crate) fn imported(&self, path: &str) -> Option<Arc<Package>> {
        let layout = self.layout();
        let folder = layout.modules.iter().rev().find_map(|(folder, name)| {
            let below = path.strip_prefix(name.as_str())?;
            let below = match below.strip_prefix('/') {
                Some(below) => below,
                None if below.is_empty() => "",
                None => return None,
            };
            let folder = if below.is_empty() {
                folder.clone()
            } else {
                folder.join(below)
            };
            layout.with_go.contains(&folder).then_some(folder)
        })?;
        Some(self.package(&folder))
    }

    fn layout(&self) -> &Layout {
        self.on_disk.layout()
    }

    /// The folders of all packages.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.layout().with_go.iter()
    }

    pub(crate) fn package(&self, folder: &Path) -> Arc<Package> {
        let edited = self.edited.get(folder).cloned();
        edited.unwrap_or_else(|| self.on_disk.package(folder))
    }
}

impl OnDisk {
    /// A file with this text, which the user may have edited.
    fn edited(&self, path: &Path, text: &Arc<str>) -> Arc<PackageFile> {
        let package = path.parent().and_then(|it| lock(&self.packages).get(it).cloned());
        let mut files = package.iter().flat_map(|it| &it.files);
        if let Some(same) = files.find(|it| *it.source.path == *path && it.source.text == *text) {
            return same.clone();
        }
        let mut edited = lock(&self.edited);
        if edited.len() >= MAX_EDITED && !edited.contains_key(path) {
            edited.clear();
        }
        let texts = edited.entry(path.to_owned()).or_default();
        let known = texts.iter().position(|it| it.source.text == *text);
        let file = match known {
            Some(known) => texts.remove(known),
            None => PackageFile::new(path.into(), text.clone(), true, self.last.clone()),
        };
        texts.push(file.clone());
        if texts.len() > 2 {
            texts.remove(0);
        }
        file
    }

    fn read_options(&self) -> CrdOptions {
        let mut options = CrdOptions::default();
        let read = |folder: &Path, is_it: &dyn Fn(&Path) -> bool| {
            let files = self.folders.list(folder).into_iter().filter(|it| !it.1);
            let files = files.map(|it| folder.join(it.0)).filter(|it| is_it(it));
            let texts = files.take(MAX_FILES).filter_map(|it| self.folders.read(&it));
            texts.collect::<Vec<String>>()
        };
        let has = |path: &Path, extension: &str| path.extension().is_some_and(|it| it == extension);
        let is_of_make = |it: &Path| has(it, "mk") || MAKEFILES.iter().any(|name| it.ends_with(name));
        let mut texts = read(&self.root, &is_of_make);
        texts.extend(read(&self.root.join(SCRIPTS), &|it| has(it, "sh")));
        for folder in self.layout().modules.keys().filter(|it| **it != self.root) {
            texts.extend(read(folder, &is_of_make));
        }
        for text in texts {
            options.add(&text);
        }
        let depth = |it: &Path| it.components().count();
        let most = depth(&self.root) + MAX_GENERATE_DEPTH;
        for folder in self.layout().with_go.iter().filter(|it| depth(it) <= most) {
            let text = self.folders.read(&folder.join(GENERATE));
            options.add_go(&text.unwrap_or_default());
        }
        options
    }

    fn layout(&self) -> &Layout {
        self.layout.get_or_init(|| {
            let mut layout = Layout::default();
            let mut waiting = vec![self.root.clone()];
            let mut seen = 0;
            while let Some(folder) = waiting.pop() {
                seen += 1;
                if seen > MAX_FOLDERS {
                    break;
                }
                let mut has_go = false;
                for (name, is_folder) in self.folders.list(&folder) {
                    if is_folder {
                        if !name.starts_with(['.', '_']) && !SKIPPED.contains(&name.as_str()) {
                            waiting.push(folder.join(name));
                        }
                    } else if name == "go.mod" {
                        let text = self.folders.read(&folder.join(&name)).unwrap_or_default();
                        let module = module_name(&text).unwrap_or_default().to_owned();
                        layout.modules.insert(folder.clone(), module);
                    } else {
                        has_go |= is_source(&name);
                    }
                }
                if has_go {
                    layout.with_go.insert(folder);
                }
            }
            layout
        })
    }

    fn package(&self, folder: &Path) -> Arc<Package> {
        if let Some(package) = lock(&self.packages).get(folder) {
            return package.clone();
        }
        let mut package = Package::default();
        let names = self.folders.list(folder).into_iter();
        let sources = names.filter(|(name, is_folder)| !is_folder && is_source(name));
        for (name, _) in sources.take(MAX_FILES) {
            let path: Arc<Path> = folder.join(name).into();
            let Some(text) = self.folders.read(&path) else {
                continue;
            };
            package
                .files
                .push(PackageFile::new(path, text.into(), false, self.last.clone()));
        }
        lock(&self.packages)
            .entry(folder.to_owned())
            .or_insert(Arc::new(package))
            .clone()
    }
}

/// The texts after a marker and `=`. controller-gen also accepts `:=`.
fn values_of<'t>(text: &'t str, marker: &str) -> impl Iterator<Item = &'t str> {
    let after = text.split(marker).skip(1);
    after.filter_map(|it| it.strip_prefix(':').unwrap_or(it).strip_prefix('='))
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Module({})", self.root().display())
    }
}

/// The import path of a module, as a `go.mod` file with this text declares it.
pub fn module_name(go_mod: &str) -> Option<&str> {
    let name = go_mod.lines().find_map(|it| it.trim().strip_prefix("module "))?;
    Some(name.trim().trim_matches('"'))
}

/// Whether a file may declare API types, judging by its name. Tests and generated methods are excluded.
pub fn is_source(name: &str) -> bool {
    name.strip_suffix(".go")
        .is_some_and(|it| !it.ends_with("_test") && !it.starts_with("zz_generated"))
}
