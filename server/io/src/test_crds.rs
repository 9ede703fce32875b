//! Finds the CRDs that a test file tests, and their variants. The command line and the language server share this search.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_gosource::module_name;
use crd_analyzer_suite::{
    Problem, Suite, Wanted,
    choose::{self, FeatureGates},
    definition::{Found, definitions},
};
use crd_analyzer_syntax::source::Source as Decoded;
use crd_analyzer_workspace::index::objects;

use crate::{
    read::{self, Access, Kind},
    roots::Roots,
};

/// The usual folders of generated CRDs, relative to a parent folder of a suite.
const FOLDERS: [&str; 7] = [
    "zz_generated.crd-manifests",
    "config/crd/bases",
    "config/crd",
    "config/crds",
    "crds",
    "crd",
    "manifests",
];

/// The folder of the files that list the feature gates of each variant.
const FEATURE_GATES: &str = "payload-manifests/featuregates";

/// The Go module whose runner expects the object that a test sends if the test expects nothing.
const STRICT_MODULE: &str = "github.com/openshift/api";

/// Parses a test file as the runner of its project does. Besides the repository of the file, `go.mod` may be in `roots`.
///
/// # Errors
/// Returns what is wrong with the file.
pub fn read_suite(text: &Arc<str>, path: &Path, roots: &Roots) -> Result<Suite, Vec<Problem>> {
    let mut suite = crd_analyzer_suite::read(text)?;
    if is_of_other_module(path, roots) {
        suite.accept_any_stored_object();
    }
    Ok(suite)
}

/// Whether a file is in a Go module other than openshift/api.
fn is_of_other_module(path: &Path, roots: &Roots) -> bool {
    let folder = path.parent().unwrap_or(Path::new(""));
    let roots = Arc::new(roots.and_neighbours(folder));
    let access = Access::Within(roots.clone());
    let mut above = folder.ancestors().take_while(|it| roots.hold(it));
    let go_mod = above.find_map(|it| read::bytes(&it.join("go.mod"), &access, read::SETTINGS_BYTES).ok());
    let Some(go_mod) = go_mod else { return false };
    let text = String::from_utf8_lossy(&go_mod);
    module_name(&text).is_some_and(|it| it != STRICT_MODULE)
}

/// A file and its access.
pub type File = (PathBuf, Access);

/// Access to the files of the command line or the language server.
pub trait World: Sync {
    /// The files at a path in a test file. The path names a file, a folder or a glob, relative to `folder`. An error is a message for the user.
    fn expand(&self, written: &str, folder: &Path, roots: Arc<Roots>) -> Result<Vec<File>, String>;

    /// The content of a file; `None` if it cannot be read.
    fn read(&self, file: &File) -> Option<Vec<u8>> {
        let (path, access) = file;
        read::bytes(path, access, access.manifest_bytes()).ok()
    }

    /// The name of a file, as messages show it.
    fn label(&self, path: &Path) -> String;
}

/// The names of the CRDs in a folder, each with its file.
type Names = Vec<(String, File)>;

/// The CRDs, found on demand.
pub struct Finder<W> {
    world: W,
    /// The files of `--crd`.
    given: Vec<File>,
    folders: Mutex<HashMap<PathBuf, Arc<Names>>>,
    gates: Mutex<HashMap<PathBuf, Arc<Vec<FeatureGates>>>>,
}

impl<W> std::fmt::Debug for Finder<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Finder").finish_non_exhaustive()
    }
}

impl<W: World> Finder<W> {
    /// Creates a finder that looks for CRDs in the given files or, if there are none, in the usual folders.
    pub fn new(world: W, given: Vec<File>) -> Self {
        Self {
            world,
            given,
            folders: Mutex::default(),
            gates: Mutex::default(),
        }
    }

    /// The CRDs to test: one list for each variant. Besides the repository of the suite, paths may lead into `roots`.
    pub fn definitions(&self, wanted: &Wanted, suite: &Path, roots: &Roots) -> Result<Vec<Vec<Found>>, Problem> {
        let problem = |message: String| Problem {
            span: wanted.span(),
            message,
        };
        let folder = suite.parent().unwrap_or(Path::new(""));
        let roots = Arc::new(roots.and_neighbours(folder));
        match wanted {
            Wanted::File { path, .. } => {
                let files = self.world.expand(path, folder, roots).map_err(problem)?;
                let found: Vec<Found> = files.iter().flat_map(|it| self.read_crds(it)).collect();
                if found.is_empty() {
                    return Err(problem(format!("{path} does not contain a CustomResourceDefinition")));
                }
                Ok(vec![found])
            }
            Wanted::Name { name, gates, .. } => {
                let files = self.named(name, folder, &roots).ok_or_else(|| {
                    problem(format!(
                        "no CRD in the folders above ({}) is named `{name}`: give its file with --crd",
                        FOLDERS.join(", ")
                    ))
                })?;
                let found = files
                    .iter()
                    .flat_map(|it| self.read_crds(it))
                    .filter(|it| it.name == *name);
                let variants =
                    choose::variants(found.collect(), gates, &self.feature_gates(folder, &roots)).map_err(problem)?;
                if variants.is_empty() {
                    let gates = gates.join(", ");
                    return Err(problem(format!("no variant of `{name}` has the feature gates {gates}")));
                }
                Ok(variants.into_iter().map(|it| vec![it]).collect())
            }
        }
    }

    /// The files with a CRD of this name: those of `--crd`, or those of the nearest folder that has one.
    fn named(&self, name: &str, folder: &Path, roots: &Arc<Roots>) -> Option<Vec<File>> {
        if !self.given.is_empty() {
            let has = |it: &&File| self.names_in(it).iter().any(|it| it == name);
            let files: Vec<File> = self.given.iter().filter(has).cloned().collect();
            return (!files.is_empty()).then_some(files);
        }
        for above in folder.ancestors().take_while(|it| roots.hold(it)) {
            for below in FOLDERS {
                let files = self.folder(&above.join(below), roots);
                let files: Vec<File> = files.iter().filter(|it| it.0 == name).map(|it| it.1.clone()).collect();
                if !files.is_empty() {
                    return Some(files);
                }
            }
        }
        None
    }

    /// The CRDs of a folder by name, in the order of the files.
    fn folder(&self, folder: &Path, roots: &Arc<Roots>) -> Arc<Names> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = folders.get(folder) {
            return known.clone();
        }
        let found = files_in(folder, roots)
            .into_iter()
            .flat_map(|file| self.names_in(&file).into_iter().map(move |it| (it, file.clone())));
        let found: Arc<Vec<_>> = Arc::new(found.collect());
        folders.insert(folder.to_owned(), found.clone());
        found
    }

    /// The feature gates in the nearest file above the suite.
    fn feature_gates(&self, folder: &Path, roots: &Arc<Roots>) -> Arc<Vec<FeatureGates>> {
        let Some(folder) = folder
            .ancestors()
            .take_while(|it| roots.hold(it))
            .map(|it| it.join(FEATURE_GATES))
            .find(|it| matches!(read::kind(it, &Access::Within(roots.clone())), Ok((Kind::Folder, _))))
        else {
            return Arc::default();
        };
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        let known = gates.entry(folder.clone()).or_insert_with(|| {
            let read = |it: File| FeatureGates::read(&self.text_of(&it)?);
            Arc::new(files_in(&folder, roots).into_iter().filter_map(read).collect())
        });
        known.clone()
    }

    fn text_of(&self, file: &File) -> Option<Arc<str>> {
        Some(Decoded::decode(self.world.read(file)?).text.into())
    }

    /// The names of the CRDs in a file.
    fn names_in(&self, file: &File) -> Vec<String> {
        let (_, found) = objects(self.world.read(file).unwrap_or_default());
        let found = found.into_iter().filter(|it| it.written.is_crd());
        found.map(|it| it.written.name).collect()
    }

    fn read_crds(&self, file: &File) -> Vec<Found> {
        let text = self.text_of(file);
        text.map_or_else(Vec::new, |text| definitions(&self.world.label(&file.0), &text))
    }
}

/// The YAML files directly in a folder, sorted.
fn files_in(folder: &Path, roots: &Arc<Roots>) -> Vec<File> {
    let is_yaml = |it: &Path| {
        it.extension()
            .is_some_and(|it| it == "yaml" || it == "yml" || it == "json")
    };
    let access = Access::Within(roots.clone());
    let files = read::files_in(folder, roots).into_iter().filter(|it| is_yaml(it));
    files.map(|it| (it, access.clone())).collect()
}
