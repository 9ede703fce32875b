//! Folders with the steps of kuttl tests.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_workspace::{
    index::{Object, objects},
    test_steps::{are_updates, is_assertion, number},
};

use crate::{
    read::{self, Access, SETTINGS_BYTES},
    roots::Roots,
    walk::is_manifest,
};

/// A file that kuttl applies.
#[derive(Debug)]
struct Step {
    file: PathBuf,
    number: u64,
    objects: Vec<Object>,
}

/// The steps that were read, by their folders.
#[derive(Default, Debug)]
pub(crate) struct TestSteps(Mutex<HashMap<PathBuf, Arc<[Step]>>>);

impl TestSteps {
    /// Whether kuttl merges all objects of the file of this absolute path into objects of earlier steps.
    pub(crate) fn is_update(&self, path: &Path, access: &Access) -> bool {
        let (Some(own), Some(folder)) = (number(path), path.parent()) else {
            return false;
        };
        if own == 0 || is_assertion(path) {
            return false;
        }
        let steps = self.of(folder, access);
        let Some(step) = steps.iter().find(|it| it.file == *path) else {
            return false;
        };
        let before = steps.iter().filter(|it| it.number < own);
        let earlier: Vec<Object> = before.flat_map(|it| it.objects.iter().cloned()).collect();
        are_updates(&step.objects, &earlier)
    }

    /// Forgets what was read.
    pub(crate) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn of(&self, folder: &Path, access: &Access) -> Arc<[Step]> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(steps) = known.get(folder) {
            return steps.clone();
        }
        let steps: Arc<[Step]> = steps_of(folder, access).into();
        known.insert(folder.to_owned(), steps.clone());
        steps
    }
}

/// The steps of a folder. None if nothing in the folder says what is expected.
fn steps_of(folder: &Path, access: &Access) -> Vec<Step> {
    let is_step = |it: &Path| is_manifest(it) && number(it).is_some();
    let files = match access {
        Access::Named => read::files_in(folder, &Roots::new([folder])),
        Access::Within(roots) => read::files_in(folder, roots),
        Access::Elsewhere(files) => {
            let is_wanted = |it: &Path| it.parent() == Some(folder) && is_step(it);
            files.files(folder, &is_wanted).unwrap_or_default().files
        }
    };
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
