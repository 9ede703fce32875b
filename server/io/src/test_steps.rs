//! Folders with tests of kuttl and chainsaw.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_kustomize::joined;
use crd_analyzer_workspace::{
    index::{Object, objects},
    roles::test_steps::{NamedFiles, are_updates, is_assertion, number},
};

use crate::{
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

/// What the tests of a folder say of the files.
#[derive(Default, Debug)]
struct Tests {
    steps: Vec<Step>,
    /// The files that hold parts of objects.
    parts: HashSet<PathBuf>,
    /// The files that the API server has to reject.
    rejected: HashSet<PathBuf>,
    /// Those of them that its validation has to reject.
    invalid: HashSet<PathBuf>,
    /// A test of chainsaw lies there: the files beside it and below are in its language.
    has_chainsaw: bool,
    /// A test of kyverno's command line lies there. It reads the files beside it, and asks no cluster.
    has_kyverno: bool,
}

/// The tests that were read, by their folders.
#[derive(Default, Debug)]
pub(crate) struct TestFolders(Mutex<HashMap<PathBuf, Arc<Tests>>>);

/// How many folders above a file a test may lie in that names it.
const MOST_FOLDERS: usize = 3;

impl TestFolders {
    /// Whether the file of this absolute path holds parts of objects: a test names it for what is expected or patched, or kuttl merges all its
    /// objects into those of earlier steps.
    pub(crate) fn is_part(&self, path: &Path, access: &Access) -> bool {
        self.any_above(path, access, |it| it.parts.contains(path)) || self.is_update(path, access)
    }

    /// Whether a test of chainsaw uses the file of this absolute path.
    pub(crate) fn is_of_chainsaw(&self, path: &Path, access: &Access) -> bool {
        self.any_above(path, access, |it| it.has_chainsaw)
    }

    /// Whether a test of kyverno's command line reads the file of this absolute path.
    pub(crate) fn is_of_kyverno(&self, path: &Path, access: &Access) -> bool {
        path.parent().is_some_and(|it| self.of(it, access).has_kyverno)
    }

    /// Whether a test says that the API server rejects what is in the file of this absolute path.
    pub(crate) fn is_rejected(&self, path: &Path, access: &Access) -> bool {
        self.any_above(path, access, |it| it.rejected.contains(path))
    }

    /// Whether a test says that the API server's validation rejects what is in the file of this absolute path.
    pub(crate) fn is_invalid(&self, path: &Path, access: &Access) -> bool {
        self.any_above(path, access, |it| it.invalid.contains(path))
    }

    /// Whether the tests of one of the folders above a file say so.
    fn any_above(&self, path: &Path, access: &Access, says: impl Fn(&Tests) -> bool) -> bool {
        let mut folders = path.ancestors().skip(1).take(MOST_FOLDERS);
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
        let before = tests.steps.iter().filter(|it| it.number < own);
        let earlier: Vec<Object> = before.flat_map(|it| it.objects.iter().cloned()).collect();
        are_updates(&step.objects, &earlier)
    }

    /// Forgets what was read.
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

/// What the tests of a folder say.
fn tests_of(folder: &Path, access: &Access) -> Tests {
    let files = read::files_of(folder, access, &may_be_test);
    let tests = files.iter().filter(|it| may_be_test(it));
    let texts = tests.filter_map(|it| read::text(it, access, SETTINGS_BYTES).ok());
    let (mut parts, mut rejected, mut invalid) = (HashSet::new(), HashSet::new(), HashSet::new());
    for text in texts.filter(|it| GROUPS.iter().any(|group| it.contains(group))) {
        let named = NamedFiles::of(&text);
        parts.extend(named.parts.iter().map(|it| joined(folder, it)));
        rejected.extend(named.rejected.iter().map(|it| joined(folder, it)));
        invalid.extend(named.invalid.iter().map(|it| joined(folder, it)));
    }
    Tests {
        parts,
        rejected,
        invalid,
        has_chainsaw: files.iter().any(|it| it.file_stem().is_some_and(|it| it == CHAINSAW)),
        has_kyverno: files.iter().any(|it| it.file_stem().is_some_and(|it| it == KYVERNO)),
        steps: steps_of(files.clone(), access),
    }
}

/// The name of a file with a test of chainsaw, without its ending.
const CHAINSAW: &str = "chainsaw-test";

/// The name of a file with a test of kyverno's command line, without its ending.
const KYVERNO: &str = "kyverno-test";

/// The groups of the objects that are tests.
const GROUPS: [&str; 2] = ["chainsaw.kyverno.io", "kuttl.dev"];

/// Whether a file may be a test or a step of one, by its name.
pub fn may_be_test(file: &Path) -> bool {
    let name = file.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    is_manifest(file) && (name.contains("test") || number(file).is_some())
}

/// The steps among the files of a folder. None if nothing there says what is expected.
fn steps_of(files: Vec<PathBuf>, access: &Access) -> Vec<Step> {
    let is_step = |it: &Path| is_manifest(it) && number(it).is_some();
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
