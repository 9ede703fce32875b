//! Go repositories on disk, from which CRDs are generated.

use std::{
    collections::{BTreeMap, HashMap},
    env, fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crd_analyzer_generator::{Modules, Outside};
use crd_analyzer_gosource::{Folders, Module, root_of};
use crd_analyzer_workspace::sources::generated;

use crate::{
    dotgit,
    elsewhere::Elsewhere,
    read::{self, Access},
    roots::Roots,
};

/// The maximum size of a Go file, in bytes. Generated clients have files of more than 1 MB.
const FILE_BYTES: u64 = 4 << 20;
/// The maximum total size of the files to read from one repository, in bytes.
const MODULE_BYTES: u64 = 64 << 20;
/// The maximum number of entries to read from a folder.
const MAX_LISTED: usize = 20_000;

/// Where to look for Go files.
#[derive(Clone, Debug)]
pub enum Reach {
    /// Look in the repository that contains the manifest. Without a repository, look in the first of these folders that contains the manifest,
    /// otherwise in the current folder.
    Repository(Roots),
    /// Look only in these folders, because the user has not said that other folders can be trusted.
    Folders(Roots),
}

impl Default for Reach {
    fn default() -> Self {
        Self::Repository(Roots::default())
    }
}

impl Reach {
    fn around(&self, folder: &Path) -> Roots {
        match self {
            Self::Repository(folders) => folders.and_neighbours(folder),
            Self::Folders(folders) => folders.clone(),
        }
    }
}

/// A cache of the Go repositories used so far. Each is read once.
#[derive(Default, Debug)]
pub struct GoSources {
    known: Mutex<GoCache>,
}

#[derive(Default, Debug)]
struct GoCache {
    reach: Reach,
    /// The source of the repositories' files, if they are not read from disk.
    elsewhere: Option<Arc<dyn Elsewhere>>,
    /// The repositories read from `elsewhere`, by their roots.
    trees: HashMap<PathBuf, Arc<Tree>>,
    /// The root of the repository for each folder. `None` if the folder is not in a repository.
    roots: HashMap<PathBuf, Option<PathBuf>>,
    modules: HashMap<PathBuf, Arc<Module>>,
    /// The modules, by the folder of their `go.mod`.
    packages: HashMap<PathBuf, Option<Arc<Modules>>>,
    /// The nearest folder with a `go.mod` in or above each folder. It is looked up at each keystroke.
    go_mods: HashMap<PathBuf, Option<PathBuf>>,
    /// The source files of Go's standard library, if they may be read.
    library: Option<PathBuf>,
}

impl GoSources {
    fn known(&self) -> std::sync::MutexGuard<'_, GoCache> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears the cache because files have changed. Returns whether the cache had any content.
    pub fn forget(&self) -> bool {
        let mut known = self.known();
        let was_used = !known.modules.is_empty();
        *known = GoCache {
            reach: known.reach.clone(),
            elsewhere: known.elsewhere.clone(),
            library: known.library.clone(),
            ..GoCache::default()
        };
        was_used
    }

    /// Sets where to look for Go files.
    pub fn set_reach(&self, reach: Reach) {
        *self.known() = GoCache {
            reach,
            ..GoCache::default()
        };
    }

    /// A cache of the same repositories that reads their files from another place, such as a git revision. Modules outside the repositories are still
    /// read from disk.
    #[must_use]
    pub fn elsewhere(&self, files: Arc<dyn Elsewhere>) -> Self {
        let known = GoCache {
            reach: self.known().reach.clone(),
            elsewhere: Some(files),
            ..GoCache::default()
        };
        Self {
            known: Mutex::new(known),
        }
    }

    /// From now on, also reads Go's standard library. For commands whose output contains the library's descriptions.
    pub fn read_library(&self) {
        self.known().library = library();
    }
}

impl GoCache {
    /// Access to the files of the repository with this root.
    fn folders(&mut self, root: &Path, disk: Disk) -> Arc<dyn Folders> {
        let Some(files) = &self.elsewhere else {
            return Arc::new(disk);
        };
        let new = || Arc::new(Tree::new(root, files.clone()));
        self.trees.entry(root.to_owned()).or_insert_with(new).clone()
    }
}

impl generated::GoSources for GoSources {
    fn around(&self, manifest: &Path) -> Option<Arc<Module>> {
        let folder = manifest.parent()?;
        let mut known = self.known();
        if let Some(root) = known.roots.get(folder) {
            let root = root.clone()?;
            return known.modules.get(&root).cloned();
        }
        let disk = Disk::new(known.reach.around(folder));
        let root = root_of(manifest, &disk);
        known.roots.insert(folder.to_owned(), root.clone());
        let root = root?;
        if let Some(module) = known.modules.get(&root) {
            return Some(module.clone());
        }
        let folders = known.folders(&root, disk);
        let module = Arc::new(Module::new(root.clone(), folders));
        known.modules.insert(root, module.clone());
        Some(module)
    }

    fn modules(&self, file: &Path) -> Option<Arc<Modules>> {
        let top = self.around(file)?.root().to_owned();
        let mut known = self.known();
        let folder = file.parent()?;
        let known = &mut *known;
        let reach = known.reach.clone();
        let disk = || Disk::new(reach.around(folder));
        if !known.go_mods.contains_key(folder) {
            let folders = known.folders(&top, disk());
            let has_go_mod = |it: &&Path| folders.list(it).iter().any(|it| it.0 == "go.mod" && !it.1);
            let mut within = folder.ancestors().take_while(|it| it.starts_with(&top));
            let found = within.find(has_go_mod).map(Path::to_owned);
            known.go_mods.insert(folder.to_owned(), found);
        }
        let root = known.go_mods.get(folder).cloned()??;
        if let Some(modules) = known.packages.get(&root) {
            return modules.clone();
        }
        let is_trusted = matches!(known.reach, Reach::Repository(_));
        let library = known.library.clone().filter(|_| is_trusted);
        let cache = if is_trusted { module_cache() } else { None };
        let outside = Outside { cache, library };
        let read: Vec<PathBuf> = [&outside.cache, &outside.library]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        let both = Beside {
            repository: known.folders(&top, disk()),
            outside: Disk::new(Roots::new(read.iter().map(PathBuf::as_path))),
            read,
        };
        let modules = Modules::open(&root, &top, Arc::new(both), outside).map(Arc::new);
        known.packages.insert(root, modules.clone());
        modules
    }
}

/// The folder of Go's module cache, from the user's environment. Nothing in a repository can change it.
fn module_cache() -> Option<PathBuf> {
    let in_path = || {
        let paths = env::var_os("GOPATH")?;
        let first = env::split_paths(&paths).next().filter(|it| it.is_absolute())?;
        Some(first.join("pkg/mod"))
    };
    let at_home = || Some(env::home_dir()?.join("go/pkg/mod"));
    let cache = absolute("GOMODCACHE").or_else(in_path).or_else(at_home);
    fs::canonicalize(cache?).ok()
}

/// The folder with the source files of Go's standard library, from `GOROOT` or from the location of the `go` command.
fn library() -> Option<PathBuf> {
    let of_command = || {
        let paths = env::var_os("PATH")?;
        let mut paths = env::split_paths(&paths).filter(|it| it.is_absolute());
        paths.find_map(|it| {
            let command = fs::canonicalize(it.join("go")).ok()?;
            Some(command.parent()?.parent()?.to_owned())
        })
    };
    let root = absolute("GOROOT").or_else(of_command)?;
    fs::canonicalize(root.join("src")).ok()
}

fn absolute(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute())
}

/// Access to the files of a repository, and to the module cache and the standard library outside it.
struct Beside {
    repository: Arc<dyn Folders>,
    outside: Disk,
    /// The folders outside of the repository that may be read.
    read: Vec<PathBuf>,
}

impl Beside {
    fn of(&self, path: &Path) -> &dyn Folders {
        if self.read.iter().any(|it| path.starts_with(it)) {
            &self.outside
        } else {
            &*self.repository
        }
    }
}

impl Folders for Beside {
    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        self.of(folder).list(folder)
    }

    fn read(&self, file: &Path) -> Option<String> {
        self.of(file).read(file)
    }
}

/// The files of one repository on disk.
struct Disk {
    roots: Arc<Roots>,
    /// The number of bytes that may still be read.
    left: AtomicU64,
}

impl Disk {
    fn new(roots: Roots) -> Self {
        Self {
            roots: Arc::new(roots),
            left: AtomicU64::new(MODULE_BYTES),
        }
    }
}

impl Folders for Disk {
    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        if !self.roots.hold(folder) || dotgit::refuse(folder).is_err() {
            return Vec::new();
        }
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        let named = entries.take(MAX_LISTED).flatten().filter_map(|it| {
            // Links are not followed, so that walks cannot loop: this is the type of the link itself.
            let is_folder = it.file_type().ok()?.is_dir();
            Some((it.file_name().into_string().ok()?, is_folder))
        });
        let mut names: Vec<_> = named.collect();
        names.sort();
        names
    }

    fn read(&self, file: &Path) -> Option<String> {
        let most = self.left.load(Ordering::Relaxed).min(FILE_BYTES);
        let text = read::text(file, &Access::Within(self.roots.clone()), most).ok()?;
        let take = |left: u64| Some(left.saturating_sub(text.len() as u64));
        // If two threads read at the same time, they may exceed the limit by one file.
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        Some(text)
    }
}

/// The names in a folder, each with whether it is a folder.
type Names = BTreeMap<String, bool>;

/// The files of one repository that is not read from disk.
#[derive(Debug)]
struct Tree {
    root: PathBuf,
    files: Arc<dyn Elsewhere>,
    listed: OnceLock<HashMap<PathBuf, Names>>,
    /// The number of bytes that may still be read.
    left: AtomicU64,
}

impl Tree {
    fn new(root: &Path, files: Arc<dyn Elsewhere>) -> Self {
        Self {
            root: root.to_owned(),
            files,
            listed: OnceLock::new(),
            left: AtomicU64::new(MODULE_BYTES),
        }
    }

    /// The folders of the repository that contain files about Go, and their parents.
    fn listed(&self) -> &HashMap<PathBuf, Names> {
        self.listed.get_or_init(|| {
            let is_wanted = |it: &Path| {
                let name = it.file_name().and_then(|it| it.to_str()).unwrap_or_default();
                it.extension().is_some_and(|it| it == "go" || it == "mk" || it == "sh") || ABOUT_GO.contains(&name)
            };
            let files = self.files.files(&self.root, &is_wanted).unwrap_or_default().files;
            let mut folders: HashMap<PathBuf, Names> = HashMap::new();
            for file in files {
                let (mut path, mut is_folder) = (file.as_path(), false);
                while let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|it| it.to_str())) {
                    let names = folders.entry(folder.to_owned()).or_default();
                    // The parents of a known name are already listed.
                    if !path.starts_with(&self.root) || names.insert(name.to_owned(), is_folder).is_some() {
                        break;
                    }
                    (path, is_folder) = (folder, true);
                }
            }
            folders
        })
    }
}

/// The files that tell where Go packages and tools are.
const ABOUT_GO: [&str; 6] = [
    "go.mod",
    "go.work",
    "modules.txt",
    "Makefile",
    "makefile",
    "GNUmakefile",
];

impl Folders for Tree {
    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        let names = self.listed().get(folder);
        names.map_or_else(Vec::new, |it| it.iter().map(|it| (it.0.clone(), *it.1)).collect())
    }

    fn read(&self, file: &Path) -> Option<String> {
        let name = file.file_name()?.to_str()?;
        // Each file needs a call of git, so do not ask for files that do not exist.
        self.listed().get(file.parent()?)?.get(name).filter(|it| !**it)?;
        let most = self.left.load(Ordering::Relaxed).min(FILE_BYTES);
        let bytes = self.files.read(file).ok()??;
        let text = String::from_utf8(bytes).ok().filter(|it| it.len() as u64 <= most)?;
        let take = |left: u64| Some(left.saturating_sub(text.len() as u64));
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use generated::GoSources as _;

    use super::*;

    /// The root folder in which Go files are found for the manifest `a/b/x.yaml`. `files` are the files in the test's folder.
    fn root(files: &[&str], reach: impl Fn(&Path) -> Reach) -> Option<String> {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, "module m\n").expect("a file");
        }
        fs::create_dir_all(folder.path().join("a/b")).expect("folders");
        let sources = GoSources::default();
        sources.set_reach(reach(folder.path()));
        let manifest = folder.path().join("a/b/x.yaml");
        let module = sources.around(&manifest)?;
        assert!(Arc::ptr_eq(&module, &sources.around(&manifest).expect("the same")));
        assert!(sources.forget() && !sources.forget());
        let root = format!("{module:?}");
        let below = folder.path().display().to_string();
        Some(root.replace(&below, "").replace("Module(", "").replace(')', ""))
    }

    #[test]
    fn a_search_ends_at_the_repository() {
        let repository = |_: &Path| Reach::default();
        let found = |files: &[&str]| root(files, repository);
        assert_eq!(found(&["go.mod", ".git/HEAD"]), Some(String::new()));
        assert_eq!(found(&["go.mod", "a/.git", "a/go.mod"]), Some("/a".to_owned()));
        assert_eq!(found(&["go.mod", "a/.git"]), None);
        assert_eq!(
            found(&["go.mod"]),
            None,
            "no file shows that the folders belong together"
        );
    }

    #[test]
    fn it_ends_at_the_folder_unless_what_is_around_may_be_trusted() {
        let files = &["go.mod", ".git/HEAD", "a/go.mod"];
        let folders = |folder: &Path| Roots::new([folder.join("a").as_path()]);
        assert_eq!(root(files, |it| Reach::Folders(folders(it))), Some("/a".to_owned()));
        assert_eq!(root(files, |it| Reach::Repository(folders(it))), Some(String::new()));
        assert_eq!(
            root(&["go.mod"], |it| Reach::Repository(Roots::new([it]))),
            Some(String::new())
        );
        assert_eq!(root(&["go.mod"], |_| Reach::Folders(Roots::default())), None);
    }

    #[cfg(unix)]
    #[test]
    fn only_files_inside_are_read() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("own.go"), "package a").expect("a file");
        fs::write(folder.path().join("large.go"), vec![b' '; FILE_BYTES as usize + 1]).expect("a file");
        symlink("own.go", folder.path().join("inside.go")).expect("a link");
        symlink("/dev/zero", folder.path().join("zero.go")).expect("a link");
        symlink("/etc/hostname", folder.path().join("outside.go")).expect("a link");
        let disk = Disk::new(Roots::new([folder.path()]));
        let read = |name: &str| disk.read(&folder.path().join(name));
        assert_eq!(read("own.go").as_deref(), Some("package a"));
        assert_eq!(read("inside.go").as_deref(), Some("package a"));
        for name in ["large.go", "zero.go", "outside.go"] {
            assert_eq!(read(name), None, "{name}");
        }
        assert!(disk.list(Path::new("/")).is_empty());
        disk.left.store(8, Ordering::Relaxed);
        assert_eq!(read("own.go"), None, "all that may be read was read");
    }
}
