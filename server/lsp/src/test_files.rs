//! The test files of the workspace: finds, parses and runs them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_io::{
    read::{self, Access, Kind},
    roots::Roots,
    test_crds::{File, Finder, World, read_suite},
    walk::{self, Hidden, Links},
};
use crd_analyzer_suite::{self as suite, Problem, Suite, definition::Found, run::run};
use crd_analyzer_workspace::config::{crd_paths::CrdPath, versions::VersionSet};

use crate::{
    documents::Snapshot,
    session::Session,
    test_runs::{Ran, Run},
};

/// The maximum size of a test file, in bytes.
const MOST_BYTES: u64 = 8 << 20;

/// The files of the workspace, with the unsaved changes of open documents.
struct OpenFiles<'s> {
    session: &'s Arc<Session>,
    folders: Vec<PathBuf>,
}

impl World for OpenFiles<'_> {
    fn expand(&self, written: &str, folder: &Path, roots: Arc<Roots>) -> Result<Vec<File>, String> {
        let failed = |why: &dyn std::fmt::Display| format!("the CRD {written}: {why}");
        let mut path = CrdPath::parse(written, folder).map_err(|it| failed(&it))?;
        if self.session.documents.is_open_at(&path.base) && !path.is_glob() && roots.hold(&path.base) {
            return Ok(vec![(path.base, Access::Within(roots))]);
        }
        let access = Access::Within(roots.clone());
        match read::kind(&path.base, &access) {
            Ok((Kind::File, file)) => return Ok(vec![(file, access)]),
            Ok((Kind::Folder, folder)) => path.base = folder,
            Err(why) => return Err(failed(&why)),
        }
        let found = walk::files(&path.base, &Links::Within(roots), Hidden::Tracked, walk::is_manifest);
        let files = found.files.into_iter().filter(|it| path.holds(it));
        let files: Vec<File> = files.map(|it| (it, access.clone())).collect();
        if files.is_empty() && path.is_glob() {
            return Err(failed(&"no YAML or JSON file matches"));
        }
        Ok(files)
    }

    fn read(&self, file: &File) -> Option<Vec<u8>> {
        let (path, access) = file;
        match self.session.documents.at(path) {
            Some(open) => Some(open.content().as_bytes().to_vec()),
            None => read::bytes(path, access, access.manifest_bytes()).ok(),
        }
    }

    fn label(&self, path: &Path) -> String {
        let below = self.folders.iter().find_map(|it| path.strip_prefix(it).ok());
        below.unwrap_or(path).display().to_string()
    }
}

impl Session {
    /// The text of a test file in a workspace folder, with unsaved changes. `None` if the file is not a test file or cannot be read.
    pub(crate) fn test_text(&self, path: &Path) -> Option<Arc<str>> {
        if !suite::may_be_suite(path) {
            return None;
        }
        let folders = self.folders();
        let of_disk = || {
            let roots = Roots::new(folders.iter().map(PathBuf::as_path));
            if !roots.hold(path) {
                return None;
            }
            let bytes = read::bytes(path, &Access::Within(Arc::new(roots)), MOST_BYTES).ok()?;
            Some(String::from_utf8_lossy(&bytes).into())
        };
        let text = self.documents.at(path).map(|it| it.content()).or_else(of_disk)?;
        let is_excluded = self.settings().for_file(Some(path), &folders).is_excluded;
        (!is_excluded && suite::is_suite(path, &text)).then_some(text)
    }

    /// The paths in the workspace folders that have the name of a test file.
    pub(crate) fn test_paths(&self) -> Vec<PathBuf> {
        let folders = self.folders();
        let mut paths = self.workspace.manifests();
        paths.extend(self.documents.uris().iter().filter_map(crate::from_proto::path_of));
        paths.retain(|it| suite::may_be_suite(it) && folders.iter().any(|folder| it.starts_with(folder)));
        paths.sort();
        paths.dedup();
        paths
    }

    /// The tests of a file with this text. An error says what is wrong with the file.
    pub(crate) fn suite(&self, path: &Path, text: &Arc<str>) -> Result<Suite, Vec<Problem>> {
        let roots = Roots::new(self.folders().iter().map(PathBuf::as_path));
        read_suite(text, path, &roots)
    }

    /// The CRDs that a test file tests: one list for each variant.
    pub(crate) fn tested_crds(self: &Arc<Self>, path: &Path, suite: &Suite) -> Result<Vec<Vec<Found>>, Problem> {
        let folders = self.folders();
        let roots = Roots::new(folders.iter().map(PathBuf::as_path));
        let world = OpenFiles { session: self, folders };
        Finder::new(world, Vec::new()).definitions(&suite.wanted, path, &roots)
    }

    /// The name of a file, as results of tests show it.
    pub(crate) fn label_of(self: &Arc<Self>, path: &Path) -> String {
        let folders = self.folders();
        OpenFiles { session: self, folders }.label(path)
    }

    /// Runs the wanted tests of a test file.
    pub(crate) fn run_tests(self: &Arc<Self>, path: &Path, text: Arc<str>, is_wanted: impl Fn(&str) -> bool) -> Ran {
        let suite = self.suite(path, &text);
        let runs = match &suite {
            Err(_) => Ok(Vec::new()),
            Ok(suite) => {
                let variants = self.tested_crds(path, suite);
                let versions = self.tested_versions(path, suite.versions.is_some());
                variants.map(|variants| {
                    let several = variants.len() > 1;
                    let run = |definitions: Vec<Found>| Run {
                        variant: definitions.first().map(|it| it.label.clone()).filter(|_| several),
                        outcomes: run(suite, &definitions, versions, &is_wanted),
                    };
                    variants.into_iter().map(run).collect()
                })
            }
        };
        Ran { text, suite, runs }
    }

    /// The Kubernetes versions for which to run the tests of a file: those of the settings or, if the settings name none, those of the file.
    pub(crate) fn tested_versions(&self, path: &Path, are_named: bool) -> VersionSet {
        let settings = self.settings().for_file(Some(path), &self.folders());
        if are_named && settings.versions == VersionSet::default() {
            return VersionSet::all();
        }
        settings.versions
    }

    /// Runs all tests of a file, and keeps the results.
    pub(crate) fn run_file(self: &Arc<Self>, path: &Path) -> Option<Arc<Ran>> {
        let changes = self.checked.changes();
        let text = self.test_text(path)?;
        let ran = Arc::new(self.run_tests(path, text, |_| true));
        let is_open = |it: &Path| self.documents.is_open_at(it);
        self.test_runs.put(path.to_owned(), changes, ran.clone(), is_open);
        Some(ran)
    }

    /// The results of the test file in a document, if its tests have run and nothing has changed since.
    pub(crate) fn ran(&self, snapshot: &Snapshot) -> Option<Arc<Ran>> {
        let ran = self.test_runs.get(&snapshot.path()?, self.checked.changes())?;
        (ran.text == snapshot.content()).then_some(ran)
    }
}
