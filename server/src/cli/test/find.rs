//! The definitions that a suite is about, and the variants of them.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_suite::{
    Problem, Wanted,
    choose::{self, FeatureGates},
    definition::{Found, definitions},
};
use crd_analyzer_syntax::source::Source as Decoded;
use crd_analyzer_workspace::index::objects;

use crate::{
    cli::definitions::expand,
    input::{self, Source},
    output::label_of_path,
};

/// Where projects put generated definitions, from a folder above their suites.
const FOLDERS: [&str; 7] = [
    "zz_generated.crd-manifests",
    "config/crd/bases",
    "config/crd",
    "config/crds",
    "crds",
    "crd",
    "manifests",
];

/// Where it is told which features each set of them has.
const FEATURE_GATES: &str = "payload-manifests/featuregates";

/// The names of the definitions in a folder, each with its file.
type Names = Vec<(String, PathBuf)>;

/// Definitions, as far as somebody asked for them.
pub(super) struct Finder {
    /// The files that were named.
    given: Vec<PathBuf>,
    folders: Mutex<HashMap<PathBuf, Arc<Names>>>,
    gates: Mutex<HashMap<PathBuf, Arc<Vec<FeatureGates>>>>,
}

impl Finder {
    pub(super) fn new(given: &[String]) -> anyhow::Result<Self> {
        let folder = std::env::current_dir()?;
        let mut files = Vec::new();
        for written in given {
            files.extend(expand(written, &folder, "--crd")?);
        }
        Ok(Self {
            given: files,
            folders: Mutex::default(),
            gates: Mutex::default(),
        })
    }

    /// The definitions to test, one list a variant.
    pub(super) fn definitions(&self, wanted: &Wanted, suite: &Path) -> Result<Vec<Vec<Found>>, Problem> {
        let problem = |message: String| Problem {
            span: wanted.span(),
            message,
        };
        let folder = suite.parent().unwrap_or(Path::new(""));
        match wanted {
            Wanted::File { path, .. } => {
                let files = expand(path, folder, "the definition").map_err(|error| problem(error.to_string()))?;
                let found: Vec<Found> = files.iter().flat_map(|it| read(it)).collect();
                if found.is_empty() {
                    return Err(problem(format!("there is no CustomResourceDefinition in {path}")));
                }
                Ok(vec![found])
            }
            Wanted::Name { name, gates, .. } => {
                let files = self.named(name, folder).ok_or_else(|| {
                    problem(format!(
                        "no definition is called `{name}` in the folders above ({}): say where it is with --crd",
                        FOLDERS.join(", ")
                    ))
                })?;
                let found = files.iter().flat_map(|it| read(it)).filter(|it| it.name == *name);
                let variants =
                    choose::variants(found.collect(), gates, &self.feature_gates(folder)).map_err(problem)?;
                if variants.is_empty() {
                    let gates = gates.join(", ");
                    return Err(problem(format!("no variant of `{name}` has the feature gates {gates}")));
                }
                Ok(variants.into_iter().map(|it| vec![it]).collect())
            }
        }
    }

    /// The files with a definition of this name: among those that were named, or in the nearest folder that has one.
    fn named(&self, name: &str, folder: &Path) -> Option<Vec<PathBuf>> {
        if !self.given.is_empty() {
            let has = |it: &&PathBuf| names_in(it).iter().any(|it| it == name);
            let files: Vec<PathBuf> = self.given.iter().filter(has).cloned().collect();
            return (!files.is_empty()).then_some(files);
        }
        for above in folder.ancestors() {
            for below in FOLDERS {
                let files = self.folder(&above.join(below));
                let files: Vec<PathBuf> = files.iter().filter(|it| it.0 == name).map(|it| it.1.clone()).collect();
                if !files.is_empty() {
                    return Some(files);
                }
            }
            if above.join(".git").exists() {
                break;
            }
        }
        None
    }

    /// The definitions of a folder by name, in the order of its files.
    fn folder(&self, folder: &Path) -> Arc<Names> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = folders.get(folder) {
            return known.clone();
        }
        let found = files_in(folder)
            .into_iter()
            .flat_map(|file| names_in(&file).into_iter().map(move |it| (it, file.clone())));
        let found: Arc<Vec<_>> = Arc::new(found.collect());
        folders.insert(folder.to_owned(), found.clone());
        found
    }

    /// What is told of features nearest above the suite.
    fn feature_gates(&self, folder: &Path) -> Arc<Vec<FeatureGates>> {
        let Some(folder) = folder
            .ancestors()
            .map(|it| it.join(FEATURE_GATES))
            .find(|it| it.is_dir())
        else {
            return Arc::default();
        };
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        let known = gates.entry(folder.clone()).or_insert_with(|| {
            let read = |it: PathBuf| FeatureGates::read(&text_of(&it)?);
            Arc::new(files_in(&folder).into_iter().filter_map(read).collect())
        });
        known.clone()
    }
}

/// The YAML files right in a folder, sorted.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let is_yaml = |it: &PathBuf| {
        it.extension()
            .is_some_and(|it| it == "yaml" || it == "yml" || it == "json")
    };
    let mut files: Vec<PathBuf> = entries.filter_map(|it| Some(it.ok()?.path())).filter(is_yaml).collect();
    files.sort();
    files
}

fn text_of(path: &Path) -> Option<Arc<str>> {
    let bytes = input::read(&Source::File(path.to_owned())).ok()??;
    Some(Decoded::decode(bytes).text.into())
}

/// The names of the definitions in a file.
fn names_in(path: &Path) -> Vec<String> {
    let Ok(Some(bytes)) = input::read(&Source::File(path.to_owned())) else {
        return Vec::new();
    };
    let (_, found) = objects(bytes);
    let found = found.into_iter().filter(|it| it.written.is_definition());
    found.map(|it| it.written.name).collect()
}

fn read(path: &Path) -> Vec<Found> {
    text_of(path).map_or_else(Vec::new, |text| definitions(&label_of_path(path), &text))
}
