//! Lets the user try a rule on objects. A command opens a test file with an object that the rule accepts and one that it rejects. The results of the
//! rule are shown beside the objects, and are updated while the user edits the file or the rule.
//!
//! The file names its rule, and is stored in the cache folder, so that every editor can open it.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_io::{read, write::CacheFolder};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_suite::{
    self as suite, Suite, Wanted,
    definition::{Found, definitions},
    init,
    sample::{RuleName, Trial, rule_at},
};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    eval::read_value,
    index::{GroupKind, Index},
    sources,
};

use crate::{documents::Snapshot, session::Session, tasks, trials::Prepared, waits};

/// The maximum total size of the manifests to search for examples, in bytes.
const MOST_BYTES: usize = 8 << 20;
/// The maximum size of an object that is used as an example, in bytes.
const MOST_OBJECT: usize = 64 << 10;
/// The maximum number of files to search for examples.
const MOST_FILES: usize = 200;
/// The maximum length of the file name for a rule, without its suffix.
const MOST_NAME: usize = 80;

/// The name of the folder inside the cache folder that contains the files.
const FOLDER: &str = "samples";

/// A parsed test file, and the rule that it tries.
pub(crate) struct Sample {
    pub(crate) suite: Suite,
    pub(crate) rule: RuleName,
    /// The file that contains the CRD, or from which the CRD is generated.
    pub(crate) crd: PathBuf,
}

impl Sample {
    /// Parses a document in which the user tries a rule. `None` for other documents.
    pub(crate) fn read(snapshot: &Snapshot) -> Option<Self> {
        let path = snapshot.path()?;
        if !suite::may_be_suite(&path) {
            return None;
        }
        let suite = suite::read(&snapshot.content()).ok()?;
        let rule = suite.rule()?;
        let Wanted::File { path: crd, .. } = &suite.wanted else {
            return None;
        };
        let crd = crd_analyzer_io::roots::cleaned(&path.parent()?.join(crd));
        Some(Self { suite, rule, crd })
    }
}

/// The file name for a rule. It only has characters that every file system supports.
fn file_name(crd: &Path, rule: &RuleName) -> String {
    let mut hasher = DefaultHasher::new();
    (crd, rule).hash(&mut hasher);
    let words = rule.path.split(['[', ']', '.']);
    let is_said = |it: &&str| !["", "properties", "x-kubernetes-validations"].contains(it);
    let place = words.filter(is_said).collect::<Vec<_>>().join("-");
    let plain = |it: char| {
        if it.is_ascii_alphanumeric() || it == '.' {
            it
        } else {
            '-'
        }
    };
    let name: String = format!("{}-{place}", rule.crd)
        .chars()
        .map(plain)
        .take(MOST_NAME)
        .collect();
    let name = name.trim_start_matches(['.', '-']);
    format!("{name}-{:08x}{}", hasher.finish() as u32, suite::SUFFIXES[0])
}

impl Session {
    /// The Kubernetes version whose results are shown for a file.
    pub(crate) fn version_at(&self, path: &Path) -> KubernetesVersion {
        let effective = self.settings().for_file(Some(path), &self.folders());
        effective.versions.newest()
    }

    /// The text of the file with a CRD, with unsaved changes. For a source file, the text of the generated CRD. `None` if the workspace has no such
    /// CRD.
    pub(crate) fn crd_content(self: &Arc<Self>, path: &Path, name: &str) -> Option<Arc<str>> {
        if let Some(row) = sources::of(path) {
            return self.made_crd(row, path, name);
        }
        self.sync();
        if let Some(open) = self.documents.at(path) {
            return Some(open.content());
        }
        let catalog = &self.workspace.catalog;
        let known = catalog.with(|it| it.definitions_in(path).iter().find(|it| it.name == name).cloned())?;
        Some(catalog.text(&known)?.source.text.clone())
    }

    /// A CRD, with unsaved changes.
    pub(crate) fn crd_of(self: &Arc<Self>, path: &Path, name: &str) -> Option<Found> {
        let content = self.crd_content(path, name)?;
        let label = path.file_name()?.to_string_lossy();
        definitions(&label, &content).into_iter().find(|it| it.name == name)
    }

    /// Prepares the rule of a test file. If its CRD currently cannot be parsed, uses the last version of the rule that could.
    pub(crate) fn trial(self: &Arc<Self>, sample: &Sample) -> Result<Arc<Trial>, String> {
        let kubernetes = self.version_at(&sample.crd);
        let content = self
            .crd_content(&sample.crd, &sample.rule.crd)
            .ok_or_else(|| format!("no file of the workspace at this path has the CRD {}", sample.rule.crd))?;
        let known = self.trials.get(&sample.rule, kubernetes);
        if let Some(known) = known.as_ref().filter(|it| it.content == content) {
            return Ok(known.trial.clone());
        }
        let found = definitions("the CRD", &content);
        let Some(found) = found.into_iter().find(|it| it.name == sample.rule.crd) else {
            let last = known.map(|it| it.trial);
            return last.ok_or_else(|| format!("the CRD {} cannot be read", sample.rule.crd));
        };
        let prepared = Prepared {
            trial: Arc::new(Trial::new(&found, sample.rule.clone(), kubernetes)?),
            content,
            rule: sample.rule.clone(),
            kubernetes,
        };
        let trial = prepared.trial.clone();
        self.trials.put(prepared);
        Ok(trial)
    }

    /// Writes the test file for the rule at a span, and returns its path. A file that is open in the editor is not changed. The error is a message
    /// for the user.
    pub(crate) fn write_sample(self: &Arc<Self>, snapshot: &Snapshot, span: Span) -> Result<PathBuf, String> {
        let none = || "crd-analyzer finds no rule to try at this place".to_owned();
        let crd = snapshot.path().ok_or("the document is not a file")?;
        let cache = self.cache.as_deref().ok_or("no cache folder is known for the file")?;
        let content = snapshot.content();
        let (content, span) = match snapshot.source() {
            None => (content, span),
            Some(row) => {
                let made = self.made_at((row, &crd, &content), span.start.midpoint(span.end));
                let (manifest, spot) = made.ok_or_else(none)?;
                (manifest.text.clone(), Span::new(spot, spot))
            }
        };
        let rule = rule_at(&content, span).ok_or_else(none)?;
        let below = Path::new(FOLDER).join(file_name(&crd, &rule));
        let path = cache.join(&below);
        if self.documents.is_open_at(&path) {
            return Ok(path);
        }
        let found = definitions("the CRD", &content)
            .into_iter()
            .find(|it| it.name == rule.crd);
        let found = found.ok_or_else(none)?;
        let given = self.objects_of(&GroupKind {
            group: found.group().to_owned(),
            kind: found.kind().to_owned(),
        });
        let text = init::sample(&found, &rule, &crd.to_string_lossy(), &given, self.version_at(&crd))?;
        let written = CacheFolder::new(cache).keep(&below, text.as_bytes());
        written.map_err(|error| format!("the file cannot be written: {error}"))
    }

    /// The objects of a kind in the workspace folders, as they are written in files.
    fn objects_of(self: &Arc<Self>, kind: &GroupKind) -> Vec<serde_json::Value> {
        self.sync();
        let (folders, settings) = (self.folders(), self.settings());
        let files: Vec<Arc<Path>> = self.workspace.catalog.with(|it| it.files_with(kind).cloned().collect());
        let is_of_workspace = |it: &&Arc<Path>| folders.iter().any(|folder| it.starts_with(folder));
        let mut left = MOST_BYTES;
        let mut found = Vec::new();
        for path in files.iter().filter(is_of_workspace).take(MOST_FILES) {
            if settings.for_file(Some(path), &folders).is_excluded {
                continue;
            }
            let open = self.documents.at(path);
            let bytes = match &open {
                Some(open) => Some(open.text.len_bytes()),
                None => read::stamp(path).map(|it| it.1 as usize),
            };
            let Some(rest) = bytes.and_then(|it| left.checked_sub(it)) else {
                continue;
            };
            left = rest;
            let bytes = match open {
                Some(open) => Some(String::from(&open.text).into_bytes()),
                None => read::found(path).ok(),
            };
            let values = bytes.and_then(|it| read_value(it).ok()).unwrap_or_default();
            found.extend(values.into_iter().filter(|it| it.to_string().len() <= MOST_OBJECT));
        }
        found
    }

    /// The file of the CRD beside which new tests are added. If the CRD is generated from Go types, this is the manifest in the repository.
    pub(crate) fn tested_file(&self, sample: &Sample) -> Option<PathBuf> {
        if sources::of(&sample.crd).is_none() {
            return Some(sample.crd.clone());
        }
        let of_repository = |index: &Index| {
            let mut crds = index.own_crds().into_iter();
            crds.find(|it| it.name == sample.rule.crd)
                .map(|it| it.written_path().to_owned())
        };
        self.workspace.catalog.with(of_repository)
    }

    /// Shows the results in open test files again, after a pause in typing.
    pub(crate) fn show_results_soon(self: &Arc<Self>) {
        let is_sample = |it: &lsp_types::Uri| crate::from_proto::path_of(it).is_some_and(|it| suite::may_be_suite(&it));
        let refreshes = self.client().refreshes_inlay_hints && self.features().inlay_hints;
        if !refreshes || !self.documents.uris().iter().any(is_sample) || !self.trials.pause.note() {
            return;
        }
        let session = self.clone();
        tasks::beside(async move {
            while let Some(rest) = session.trials.pause.rest(waits::PAUSE) {
                tokio::time::sleep(rest).await;
            }
            if let Err(error) = session.remote.inlay_hint_refresh().await {
                tracing::warn!("the client did not refresh its hints: {error}");
            }
        });
    }
}
