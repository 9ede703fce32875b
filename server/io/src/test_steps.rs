//! Finds folders with kuttl, chainsaw and kyverno tests.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use crd_analyzer_kustomize::joined;
use crd_analyzer_workspace::{
    index::{Object, objects},
    roles::{
        is_filled_in,
        test_steps::{Created, NamedFiles, is_assertion, number},
    },
};

use crate::{
    above,
    read::{self, Access, SETTINGS_BYTES},
    walk::is_manifest,
};

/// A file that kuttl applies.
#[derive(Debug)]
struct Step {
    file: PathBuf,
    number: u64,
    objects: Vec<Object>,
}

/// The tests in a folder, and the files that they name.
#[derive(Default, Debug)]
struct Tests {
    steps: Vec<Step>,
    /// The files that contain only parts of resources.
    parts: HashSet<PathBuf>,
    /// The files that each chainsaw test applies, in order.
    applied: Vec<Vec<PathBuf>>,
    /// The files in `applied` before which a test applies another file.
    later: HashSet<PathBuf>,
    /// The files in `applied` whose resources are all merged into those of earlier files.
    updates: OnceLock<HashSet<PathBuf>>,
    /// The files whose resources the API server must reject.
    rejected: HashSet<PathBuf>,
    /// The rejected files that the API server's validation must reject.
    invalid: HashSet<PathBuf>,
    /// Whether the folder contains a chainsaw test. If so, files in this folder and below it may contain chainsaw expressions.
    has_chainsaw: bool,
    /// Whether the folder contains a test of kyverno's command line program. Such a test reads the files in the folder, and uses no cluster.
    has_kyverno: bool,
}

/// A cache of the tests that were read, by folder.
#[derive(Default, Debug)]
pub(crate) struct TestFolders(Mutex<HashMap<PathBuf, Arc<Tests>>>);

/// The maximum number of folders between a file and a test that names it.
const MOST_FOLDERS: usize = 3;

impl TestFolders {
    /// Whether this file contains only parts of resources. This is so if a test names it as an expected result or a patch, or if kuttl or chainsaw
    /// merges all its resources into those of earlier steps. `path` is absolute.
    pub(crate) fn is_part(&self, path: &Path, access: &Access) -> bool {
        let is_named = |it: &Tests| it.parts.contains(path) || it.update(path, access);
        self.any_above(path, access, is_named) || self.is_update(path, access)
    }

    /// Whether a chainsaw test uses this file. `path` is absolute.
    pub(crate) fn is_of_chainsaw(&self, path: &Path, access: &Access) -> bool {
        self.any_above(path, access, |it| it.has_chainsaw)
    }

    /// Whether a test of kyverno's command line program reads this file. `path` is absolute.
    pub(crate) fn is_of_kyverno(&self, path: &Path, access: &Access) -> bool {
        path.parent().is_some_and(|it| self.of(it, access).has_kyverno)
    }

    /// Whether a test expects the API server to reject the resources in this file. `path` is absolute.
    pub(crate) fn is_rejected(&self, path: &Path, access: &Access) -> bool {
        self.any_above(path, access, |it| it.rejected.contains(path))
    }

    /// Whether a test expects the API server's validation to reject the resources in this file. `path` is absolute.
    pub(crate) fn is_invalid(&self, path: &Path, access: &Access) -> bool {
        self.any_above(path, access, |it| it.invalid.contains(path))
    }

    /// Whether `says` returns true for the tests in one of the folders above a file.
    fn any_above(&self, path: &Path, access: &Access, says: impl Fn(&Tests) -> bool) -> bool {
        let mut folders = above::folders(path, access, MOST_FOLDERS);
        folders.any(|it| says(&self.of(it, access)))
    }

    fn is_update(&self, path: &Path, access: &Access) -> bool {
        let (Some(own), Some(folder)) = (number(path), path.parent()) else {
            return false;
        };
        if own == 0 || is_assertion(path) {
            return false;
        }
        let tests = self.of(folder, access);
        let Some(step) = tests.steps.iter().find(|it| it.file == *path) else {
            return false;
        };
        let mut created = Created::default();
        let before = tests.steps.iter().filter(|it| it.number < own);
        before.for_each(|it| created.add(&it.objects));
        created.has_all(&step.objects)
    }

    /// Clears the cache.
    pub(crate) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn of(&self, folder: &Path, access: &Access) -> Arc<Tests> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tests) = known.get(folder) {
            return tests.clone();
        }
        let tests = Arc::new(tests_of(folder, access));
        known.insert(folder.to_owned(), tests.clone());
        tests
    }
}

impl Tests {
    /// Whether a chainsaw test merges all resources of this file into those of files that it applied earlier.
    fn update(&self, path: &Path, access: &Access) -> bool {
        self.later.contains(path)
            && self
                .updates
                .get_or_init(|| updates(&self.applied, access))
                .contains(path)
    }
}

/// The files whose resources a test merges into those of files that it applied earlier. Each file is read once, because many tests may apply it.
fn updates(tests: &[Vec<PathBuf>], access: &Access) -> HashSet<PathBuf> {
    let objects_of = |file: &PathBuf| {
        let text = read::text(file, access, SETTINGS_BYTES).ok()?;
        Some((file.clone(), objects(text.into_bytes()).1))
    };
    let files: HashSet<&PathBuf> = tests.iter().flatten().collect();
    let read: HashMap<PathBuf, Vec<Object>> = files.into_iter().filter_map(objects_of).collect();
    let mut found = HashSet::new();
    for files in tests {
        let (mut created, mut seen) = (Created::default(), HashSet::new());
        for file in files.iter().filter(|it| seen.insert(*it)) {
            let Some(own) = read.get(file) else { continue };
            if created.has_all(own) {
                found.insert(file.clone());
            } else {
                created.add(own);
            }
        }
    }
    found
}

/// Reads the tests in a folder.
fn tests_of(folder: &Path, access: &Access) -> Tests {
    let files = read::files_of(folder, access, &may_be_test);
    let tests = files.iter().filter(|it| may_be_test(it));
    let texts = tests.filter_map(|it| read::text(it, access, SETTINGS_BYTES).ok());
    let (mut parts, mut rejected, mut invalid) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut applied = Vec::new();
    for text in texts.filter(|it| GROUPS.iter().any(|group| it.contains(group))) {
        let named = NamedFiles::of(&text);
        parts.extend(named.parts.iter().map(|it| joined(folder, it)));
        rejected.extend(named.rejected.iter().map(|it| joined(folder, it)));
        invalid.extend(named.invalid.iter().map(|it| joined(folder, it)));
        if named.applied.len() > 1 {
            applied.push(named.applied.iter().map(|it| joined(folder, it)).collect());
        }
    }
    let after_first = applied.iter().flat_map(|it: &Vec<PathBuf>| {
        let first = &it[0];
        it.iter().skip(1).filter(move |it| *it != first)
    });
    Tests {
        parts,
        later: after_first.cloned().collect(),
        applied,
        updates: OnceLock::new(),
        rejected,
        invalid,
        has_chainsaw: files.iter().any(|it| it.file_stem().is_some_and(|it| it == CHAINSAW)),
        has_kyverno: files.iter().any(|it| it.file_stem().is_some_and(|it| it == KYVERNO)),
        steps: steps_of(files.clone(), access),
    }
}

/// The name of a file with a chainsaw test, without its extension.
const CHAINSAW: &str = "chainsaw-test";

/// The name of a file with a test of kyverno's command line program, without its extension.
const KYVERNO: &str = "kyverno-test";

/// The API groups of chainsaw and kuttl tests.
const GROUPS: [&str; 2] = ["chainsaw.kyverno.io", "kuttl.dev"];

/// Whether a file may be a test or a step of a test, judging by its name.
pub fn may_be_test(file: &Path) -> bool {
    let name = file.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    is_manifest(file) && name.contains("test") || is_step(file)
}

/// Whether a file may be a step of a kuttl test. A program may fill it in: `10-install.yaml.j2`.
fn is_step(file: &Path) -> bool {
    (is_manifest(file) || is_filled_in(file)) && number(file).is_some()
}

/// The kuttl steps among the files of a folder. Empty if none of the files is an assertion.
fn steps_of(files: Vec<PathBuf>, access: &Access) -> Vec<Step> {
    if !files.iter().any(|it| is_step(it) && is_assertion(it)) {
        return Vec::new();
    }
    let steps = files.into_iter().filter(|it| is_step(it) && !is_assertion(it));
    let steps = steps.filter_map(|file| {
        let text = read::text(&file, access, SETTINGS_BYTES).ok()?;
        Some(Step {
            number: number(&file)?,
            objects: objects(text.into_bytes()).1,
            file,
        })
    });
    steps.collect()
}
