//! The manifests in the workspace folders that are not open, as they are on disk.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use crd_analyzer_io::{
    read::{self, Stamp, stamp},
    walk::{self, Hidden, Links, Problem},
};
use lsp_types::Uri;

use crate::analysis::Analysis;

/// Cached results for files that have not changed.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    files: Mutex<HashMap<PathBuf, File>>,
}

#[derive(Debug)]
struct File {
    stamp: Stamp,
    analysis: Arc<Analysis>,
}

/// Cancels the scan on another thread when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// The flag that stops the scan.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

impl Drop for Cancel {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Scanned {
    /// Forgets all results, because something that analyses depend on has changed.
    pub(crate) fn clear(&self) {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Forgets the results of files, because something that they depend on has changed.
    pub(crate) fn forget(&self, paths: &[Arc<Path>]) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        for path in paths {
            files.remove(&**path);
        }
    }

    /// The manifests in the folders, in a stable order, and the number of files that must be read to analyze them.
    pub(crate) fn list(&self, folders: &[PathBuf]) -> (Vec<PathBuf>, usize) {
        let paths = manifests(folders).0;
        let new = paths
            .iter()
            .filter(|it| stamp(it).is_some_and(|stamp| self.known(it, stamp).is_none()))
            .count();
        (paths, new)
    }

    /// Analyzes files, except those in `skip`. `done` counts them. When the flag is set, stops early and returns the results so far.
    pub(crate) fn run(
        &self,
        paths: &[PathBuf],
        cancelled: &AtomicBool,
        done: &AtomicUsize,
        skip: impl Fn(&Uri) -> bool,
        analyze: impl Fn(&Path, &Uri, &str) -> Analysis,
    ) -> Vec<(Uri, Arc<Analysis>)> {
        let mut found = Vec::new();
        for path in paths {
            if cancelled.load(Ordering::Acquire) {
                break;
            }
            if let Some(uri) = Uri::from_file_path(path)
                && !skip(&uri)
                && let Some(analysis) = self.file(path, &uri, &analyze)
            {
                found.push((uri, analysis));
            }
            done.fetch_add(1, Ordering::Relaxed);
        }
        found
    }

    fn known(&self, path: &Path, stamp: Stamp) -> Option<Arc<Analysis>> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files
            .get(path)
            .filter(|it| it.stamp == stamp)
            .map(|it| it.analysis.clone())
    }

    fn file(&self, path: &Path, uri: &Uri, analyze: impl Fn(&Path, &Uri, &str) -> Analysis) -> Option<Arc<Analysis>> {
        let stamp = stamp(path)?;
        let known = self.known(path, stamp);
        if known.is_some() {
            return known;
        }
        let bytes = read::found(path).ok()?;
        let analysis = Arc::new(analyze(path, uri, &String::from_utf8_lossy(&bytes)));
        let file = File {
            stamp,
            analysis: analysis.clone(),
        };
        self.files
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(path.to_owned(), file);
        Some(analysis)
    }
}

/// The files in the folders that may be manifests, except those that git ignores, without duplicates; and the paths that could not be read.
pub(crate) fn manifests(folders: &[PathBuf]) -> (Vec<PathBuf>, Vec<Problem>) {
    let (mut paths, mut problems) = (Vec::new(), Vec::new());
    for folder in folders {
        let walked = walk::files(folder, &Links::Skip, Hidden::Tracked, walk::is_manifest);
        paths.extend(walked.files);
        problems.extend(walked.problems);
        for note in walked.notes {
            tracing::warn!("{}: {}", note.path.display(), note.why);
        }
    }
    paths.sort();
    paths.dedup();
    (paths, problems)
}
