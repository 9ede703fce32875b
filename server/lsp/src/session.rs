//! What the session knows: the client, its documents, settings and folders.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use crd_analyzer_workspace::{
    hazards::{Memory, Search},
    index::{GroupKind, Origin},
    revision::Revision,
};
use lsp_types::{MessageType, Uri, WorkspaceFolder};
use ropey::Rope;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

use crate::{
    analysis::{Analysis, Wanted},
    capabilities::Client,
    cluster::Cluster,
    documents::{Documents, Snapshot, path_of},
    go_sources::GoSources,
    known::{self, InStep, Workspace},
    progress,
    revisions::Revisions,
    scan::Scanned,
    settings::{Effective, Features, Settings},
    tasks,
    token_lists::TokenLists,
    trees::Trees,
};

/// How long after an edit hazards of rules are looked for: typing goes on, mostly.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(150);
/// How long after an edit others are told of it: a definition changes with every keystroke, and what depends on it need not.
const STEP: std::time::Duration = std::time::Duration::from_millis(20);

/// One session with one client.
#[derive(Debug)]
pub(crate) struct Session {
    /// The way to the client. Nobody who keeps the reader waiting may await an answer or room for a message.
    pub(crate) remote: tower_lsp::Client,
    pub(crate) documents: Documents,
    pub(crate) trees: Trees,
    pub(crate) token_lists: TokenLists,
    /// The objects of the workspace.
    pub(crate) workspace: Workspace,
    /// The definitions of a cluster, if the user wants them.
    pub(crate) cluster: Cluster,
    /// Held while the folders are looked through.
    looking: tokio::sync::Mutex<()>,
    scanned: Scanned,
    /// What git has of open files.
    revisions: Revisions,
    /// Held while git is asked: one file at a time.
    asking: tokio::sync::Mutex<()>,
    /// Held while hazards are looked for: one document at a time.
    searching: tokio::sync::Mutex<()>,
    /// Held while a list of diagnostics is sent, so that an older one never comes after a newer one.
    pub(crate) publishing: tokio::sync::Mutex<()>,
    client: OnceLock<Client>,
    /// What is known of rules.
    pub(crate) hazards: Memory,
    /// What definitions are generated from.
    pub(crate) go: GoSources,
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
            token_lists: TokenLists::default(),
            workspace: Workspace::default(),
            cluster: Cluster::default(),
            looking: tokio::sync::Mutex::default(),
            scanned: Scanned::default(),
            revisions: Revisions::default(),
            asking: tokio::sync::Mutex::default(),
            searching: tokio::sync::Mutex::default(),
            publishing: tokio::sync::Mutex::default(),
            client: OnceLock::new(),
            hazards: Memory::default(),
            go: GoSources::default(),
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

    /// The context whose cluster the user wants definitions of; empty: the current one.
    pub(crate) fn wanted_cluster(&self) -> Option<String> {
        self.settings().cluster.clone()
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
            let made = tasks::judging("the analysis of a document", move || session.analyze(&snapshot)).await?;
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
        let hazards = Search::Remembered(&self.hazards);
        let analysis = self.ask(snapshot, &effective, hazards);
        if analysis.is_unfinished {
            self.look_for_hazards(snapshot.clone());
        }
        Some(Arc::new(analysis))
    }

    /// What is to be said of a version, with the hazards that are to be told.
    fn ask(self: &Arc<Self>, snapshot: &Snapshot, effective: &Effective, hazards: Search<'_>) -> Analysis {
        let replaced = self.replaced(snapshot);
        let wanted = Wanted {
            hazards,
            costs: true,
            replaced: replaced.as_ref().map(|(name, text)| Revision { name, text }),
            go: Some(&self.go),
        };
        let (uri, text) = (&snapshot.uri, &snapshot.text);
        Analysis::new(uri, text, effective, self.client(), &InStep(self), &wanted)
    }

    /// What a document is to replace, as far as it is known. If it is time to ask git, that is done beside.
    fn replaced(self: &Arc<Self>, snapshot: &Snapshot) -> Option<(String, Arc<[u8]>)> {
        let revision = self.settings().update_against.clone()?;
        let path = snapshot.path()?;
        let (text, is_due) = self.revisions.get(&path, &revision);
        if is_due {
            let (session, snapshot, revision) = (self.clone(), snapshot.clone(), revision.clone());
            tasks::beside(async move {
                let _only = session.asking.lock().await;
                if !session.revisions.get(&path, &revision).1 {
                    return;
                }
                let asker = session.clone();
                let text = snapshot.text.clone();
                let look = move || {
                    let now = text.bytes().collect::<Vec<u8>>();
                    asker.revisions.look(&path, &revision, &now)
                };
                if tasks::blocking("the look at a revision", look).await == Ok(true) {
                    session.analyze_anew(&snapshot.uri);
                }
            });
        }
        Some((revision, text?))
    }

    /// What a document's analysis depends on has changed: it is made anew, and the client gets or asks for it.
    fn analyze_anew(self: &Arc<Self>, uri: &Uri) {
        self.documents.forget_analysis(uri);
        if self.client().pulls_diagnostics {
            self.ask_to_pull();
        } else {
            self.publish_soon(uri);
        }
    }

    /// Looks for the hazards that are not known yet, once nobody types, and shows them. What a server answers does not wait for them.
    fn look_for_hazards(self: &Arc<Self>, snapshot: Snapshot) {
        let session = self.clone();
        tasks::beside(async move {
            tokio::time::sleep(PAUSE).await;
            let _only = session.searching.lock().await;
            if !session.documents.is_current(&snapshot) {
                return;
            }
            let Ok(before) = session.analysis(&snapshot).await else {
                return;
            };
            let (searcher, searched) = (session.clone(), snapshot.clone());
            let search = move || {
                let effective = searcher.effective(&searched);
                searcher.ask(&searched, &effective, Search::All(&searcher.hazards))
            };
            let Ok(after) = tasks::judging("the search for hazards", search).await else {
                return;
            };
            if after.result_id != before.result_id && session.documents.is_current(&snapshot) {
                session.analyze_anew(&snapshot.uri);
            }
        });
    }

    /// The manifests in the workspace's folders, and how many of them have to be read.
    pub(crate) fn list_files(&self) -> (Vec<PathBuf>, usize) {
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner).clone();
        self.scanned.list(&folders)
    }

    /// Analyses files that are not open. `done` counts them.
    pub(crate) fn scan(
        self: &Arc<Self>,
        paths: &[PathBuf],
        cancelled: &AtomicBool,
        done: &AtomicUsize,
    ) -> Vec<(Uri, Arc<Analysis>)> {
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner).clone();
        let settings = self.settings();
        let skip = |uri: &Uri| self.is_open(uri);
        let analyze = |path: &Path, uri: &Uri, text: &str| {
            // Cheap for most files: what names no definition is none.
            let is_known = self.workspace.catalog.with(|index| index.has_known_resources(path));
            if !(is_known || text.contains("CustomResourceDefinition")) {
                return Analysis::empty();
            }
            let effective = settings.for_file(Some(path), &folders);
            let wanted = Wanted {
                hazards: Search::All(&self.hazards),
                go: Some(&self.go),
                ..Wanted::default()
            };
            let text = Rope::from_str(text);
            Analysis::new(uri, &text, &effective, self.client(), &InStep(self), &wanted)
        };
        self.scanned.run(paths, cancelled, done, skip, analyze)
    }

    /// Looks through the workspace's folders, beside the reader: what is known of their manifests is as they are on disk afterwards.
    pub(crate) fn look_through_folders(self: &Arc<Self>) {
        let session = self.clone();
        tasks::beside(async move {
            let _only = session.looking.lock().await;
            let folders = session.folders.read().unwrap_or_else(PoisonError::into_inner).clone();
            let settings = session.settings();
            let lister = session.clone();
            let list = move || {
                let mut files = known::files_of(&settings, &folders);
                let of_cluster = lister.cluster.files().into_iter();
                files.extend(of_cluster.map(|it| (it, Origin::Cluster)));
                let unread = lister.workspace.unread(&files);
                (files, unread)
            };
            let Ok((files, unread)) = tasks::blocking("the list of the workspace's files", list).await else {
                return;
            };
            let (all, done) = (files.len(), Arc::new(AtomicUsize::new(0)));
            let shown = if unread < progress::MANY {
                None
            } else {
                progress::begin(&session, None, "Reading manifests").await
            };
            let (looker, count) = (session.clone(), done.clone());
            let look = tasks::blocking("the look through the workspace", move || {
                looker.workspace.look_at(&files, &looker.documents, &count)
            });
            if let Ok(changed) = progress::watch(shown.as_ref(), all, &done, look).await {
                session.definitions_changed(&changed);
            }
        });
    }

    /// Takes up what changed in open documents, soon: quick edits are taken together.
    pub(crate) fn keep_in_step_soon(self: &Arc<Self>) {
        let session = self.clone();
        tasks::beside(async move {
            tokio::time::sleep(STEP).await;
            let look = move || session.keep_in_step();
            // A failure is logged.
            let _ = tasks::blocking("the look at changed documents", look).await;
        });
    }

    /// Takes up what changed in open documents.
    pub(crate) fn keep_in_step(self: &Arc<Self>) {
        let changed = self.workspace.keep_in_step(&self.documents);
        self.definitions_changed(&changed);
    }

    /// Takes up what changed on disk.
    pub(crate) fn files_changed(self: &Arc<Self>, paths: Vec<PathBuf>) {
        let session = self.clone();
        tasks::beside(async move {
            let look = move || {
                let changed = session.workspace.files_changed(&paths, &session.documents);
                session.definitions_changed(&changed);
            };
            let _ = tasks::blocking("the look at changed files", look).await;
        });
    }

    /// Go sources have changed: findings of open documents name the places in them.
    pub(crate) fn go_changed(self: &Arc<Self>) {
        if self.go.forget() {
            self.refresh();
        }
    }

    /// Resources of these kinds are judged anew, and no other documents are.
    fn definitions_changed(self: &Arc<Self>, kinds: &BTreeSet<GroupKind>) {
        if kinds.is_empty() {
            return;
        }
        let paths: Vec<Arc<Path>> = self
            .workspace
            .catalog
            .with(|index| kinds.iter().flat_map(|kind| index.files_with(kind)).cloned().collect());
        self.scanned.forget(&paths);
        let paths: HashSet<&Path> = paths.iter().map(|it| &**it).collect();
        let open = self.documents.uris();
        let affected = open
            .into_iter()
            .filter(|it| paths.contains(known::path_of(it.as_str()).as_path()));
        if self.client().pulls_diagnostics {
            let mut is_any = false;
            for uri in affected {
                self.documents.forget_analysis(&uri);
                is_any = true;
            }
            if is_any || self.features().workspace_diagnostics && !paths.is_empty() {
                self.ask_to_pull();
            }
            return;
        }
        for uri in affected {
            self.documents.forget_analysis(&uri);
            self.publish_soon(&uri);
        }
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
        self.refresh_costs();
        if self.client().pulls_diagnostics {
            self.ask_to_pull();
            return;
        }
        for uri in self.documents.uris() {
            self.publish_soon(&uri);
        }
    }

    /// Asks the client to ask for diagnostics, if it can be asked.
    fn ask_to_pull(self: &Arc<Self>) {
        if !self.client().refreshes_diagnostics {
            return;
        }
        let session = self.clone();
        tasks::beside(async move {
            if let Err(error) = session.remote.workspace_diagnostic_refresh().await {
                tracing::warn!("the client did not refresh its diagnostics: {error}");
            }
        });
    }

    /// Has the client ask for what rules cost anew.
    fn refresh_costs(self: &Arc<Self>) {
        let (lenses, hints) = (self.client().refreshes_code_lenses, self.client().refreshes_inlay_hints);
        let session = self.clone();
        if lenses || hints {
            tasks::beside(async move {
                if lenses && let Err(error) = session.remote.code_lens_refresh().await {
                    tracing::warn!("the client did not refresh its lenses: {error}");
                }
                if hints && let Err(error) = session.remote.inlay_hint_refresh().await {
                    tracing::warn!("the client did not refresh its hints: {error}");
                }
            });
        }
    }

    /// Whether the client has this document open.
    pub(crate) fn is_open(&self, uri: &Uri) -> bool {
        self.documents.is_open(uri)
    }
}
