//! What the session knows: the client, its documents, settings and folders.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use lsp_types::{MessageType, Uri, WorkspaceFolder};
use ropey::Rope;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

use crate::{
    analysis::Analysis,
    capabilities::Client,
    definitions::OpenDefinitions,
    documents::{Documents, Snapshot, path_of},
    scan::Scanned,
    settings::{Effective, Features, Settings},
    tasks,
    trees::Trees,
};

/// One session with one client.
#[derive(Debug)]
pub(crate) struct Session {
    /// The way to the client. Nobody who keeps the reader waiting may await an answer or room for a message.
    pub(crate) remote: tower_lsp::Client,
    pub(crate) documents: Documents,
    pub(crate) trees: Trees,
    /// The definitions of open documents.
    pub(crate) definitions: OpenDefinitions,
    scanned: Scanned,
    /// Held while a list of diagnostics is sent, so that an older one never comes after a newer one.
    pub(crate) publishing: tokio::sync::Mutex<()>,
    client: OnceLock<Client>,
    /// A folder for what can be made again.
    pub(crate) cache: Option<PathBuf>,
    settings: RwLock<Arc<Settings>>,
    folders: RwLock<Vec<PathBuf>>,
    /// Problems that the user was told of.
    told: Mutex<HashSet<String>>,
    shut_down: AtomicBool,
}

impl Session {
    pub(crate) fn new(remote: tower_lsp::Client, cache: Option<PathBuf>) -> Self {
        Self {
            remote,
            documents: Documents::default(),
            trees: Trees::default(),
            definitions: OpenDefinitions::default(),
            scanned: Scanned::default(),
            publishing: tokio::sync::Mutex::default(),
            client: OnceLock::new(),
            cache,
            settings: RwLock::default(),
            folders: RwLock::default(),
            told: Mutex::default(),
            shut_down: AtomicBool::new(false),
        }
    }

    /// What the client can do; before `initialize`, nothing.
    pub(crate) fn client(&self) -> &Client {
        self.client.get_or_init(Client::default)
    }

    /// Remembers what the client can do, once.
    pub(crate) fn set_client(&self, client: Client) -> &Client {
        self.client.get_or_init(|| client)
    }

    pub(crate) fn shut_down(&self) {
        self.shut_down.store(true, Ordering::Release);
    }

    pub(crate) fn is_shut_down(&self) -> bool {
        self.shut_down.load(Ordering::Acquire)
    }

    pub(crate) fn features(&self) -> Features {
        self.settings().features
    }

    fn settings(&self) -> Arc<Settings> {
        self.settings.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes settings as the client sends them. What cannot be used is told to the user.
    pub(crate) fn set_settings(self: &Arc<Self>, settings: &Value) {
        let (settings, problems) = Settings::read(settings);
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
        for problem in problems {
            self.tell(problem);
        }
    }

    /// Takes folders in and out of the workspace.
    pub(crate) fn change_folders(&self, added: &[WorkspaceFolder], removed: &[WorkspaceFolder]) {
        let paths = |it: &[WorkspaceFolder]| it.iter().filter_map(|it| path_of(&it.uri)).collect::<Vec<_>>();
        let removed = paths(removed);
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        folders.retain(|it| !removed.contains(it));
        for path in paths(added) {
            if !folders.contains(&path) {
                folders.push(path);
            }
        }
    }

    /// The analysis of a version of a document, made once for all who ask. An error if the version is no longer the newest before
    /// the work begins.
    pub(crate) async fn analysis(self: &Arc<Self>, snapshot: &Snapshot) -> Result<Arc<Analysis>> {
        if snapshot.is_stale() {
            return Err(tasks::stale());
        }
        let make = || async {
            let (session, snapshot) = (self.clone(), snapshot.clone());
            let made = tasks::blocking("the analysis of a document", move || session.analyze(&snapshot)).await?;
            made.ok_or_else(tasks::stale)
        };
        snapshot.analysis.get_or_try_init(make).await.cloned()
    }

    /// What holds for a document. A problem with its configuration is told.
    pub(crate) fn effective(self: &Arc<Self>, snapshot: &Snapshot) -> Effective {
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner).clone();
        let effective = self.settings().for_file(snapshot.path().as_deref(), &folders);
        if let Some(problem) = &effective.problem {
            self.tell(problem.clone());
        }
        effective
    }

    /// `None` if the version is no longer the newest.
    fn analyze(self: &Arc<Self>, snapshot: &Snapshot) -> Option<Arc<Analysis>> {
        if snapshot.is_stale() {
            return None;
        }
        if !self.features().diagnostics {
            return Some(Arc::new(Analysis::empty()));
        }
        let effective = self.effective(snapshot);
        let analysis = Analysis::new(&snapshot.uri, &snapshot.text, &effective, self.client());
        Some(Arc::new(analysis))
    }

    /// The manifests in the workspace's folders, and how many of them have to be read.
    pub(crate) fn list_files(&self) -> (Vec<PathBuf>, usize) {
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner).clone();
        self.scanned.list(&folders)
    }

    /// Analyses files that are not open. `done` counts them.
    pub(crate) fn scan(
        &self,
        paths: &[PathBuf],
        cancelled: &AtomicBool,
        done: &AtomicUsize,
    ) -> Vec<(Uri, Arc<Analysis>)> {
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner).clone();
        let settings = self.settings();
        let skip = |uri: &Uri| self.is_open(uri);
        let analyze = |path: &Path, uri: &Uri, text: &str| {
            // Cheap for most files: what names no definition is none.
            if !text.contains("CustomResourceDefinition") {
                return Analysis::empty();
            }
            let effective = settings.for_file(Some(path), &folders);
            Analysis::new(uri, &Rope::from_str(text), &effective, self.client())
        };
        self.scanned.run(paths, cancelled, done, skip, analyze)
    }

    /// Shows a problem to the user, once.
    pub(crate) fn tell(self: &Arc<Self>, problem: String) {
        let is_new = self
            .told
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(problem.clone());
        if !is_new {
            return;
        }
        tracing::warn!("{problem}");
        let session = self.clone();
        tasks::beside(async move { session.remote.show_message(MessageType::WARNING, problem).await });
    }

    /// What analyses depend on has changed: they are made anew, and the client gets or asks for the results.
    pub(crate) fn refresh(self: &Arc<Self>) {
        self.documents.forget_analyses();
        self.scanned.clear();
        let session = self.clone();
        if self.client().pulls_diagnostics {
            if self.client().refreshes_diagnostics {
                tasks::beside(async move {
                    if let Err(error) = session.remote.workspace_diagnostic_refresh().await {
                        tracing::warn!("the client did not refresh its diagnostics: {error}");
                    }
                });
            }
            return;
        }
        for uri in self.documents.uris() {
            self.publish_soon(&uri);
        }
    }

    /// Whether the client has this document open.
    pub(crate) fn is_open(&self, uri: &Uri) -> bool {
        self.documents.is_open(uri)
    }
}
