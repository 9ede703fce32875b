//! The state of the connection to a client: its capabilities, documents, settings and folders.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Instant,
};

use crd_analyzer_io::{
    go::{GoSources, Reach},
    roots::Roots,
};
use crd_analyzer_workspace::{
    comparison::revision::Revision,
    comparison::since_revision::Comparison,
    documents::last_trees::LastTrees,
    index::{GroupKind, names_crds},
    judging::analysis::Update,
    judging::hazards::{Memory, Search},
    judging::typing::Typing,
};
use lsp_types::{LogTraceParams, MessageType, Uri, WorkspaceFolder, notification::LogTrace};
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

use crate::{
    analysis::{Analysis, Wanted},
    aside::Asides,
    capabilities::Client,
    checked_files::CheckedFiles,
    cluster::Cluster,
    diagnostics::Waiting,
    display_text,
    documents::{Documents, Snapshot},
    earlier::EarlierOfSession,
    first_look::FirstLook,
    from_proto::path_of,
    made::MadeOfSession,
    overlays::Overlays,
    revisions::{Revisions, is_other_update},
    scan::Scanned,
    settings::{Effective, Features, Settings},
    tasks,
    test_runs::TestRuns,
    tested_files::TestedFiles,
    token_lists::TokenLists,
    trees::Trees,
    trials::Trials,
    trust::Trust,
    waits,
    workspace_index::{SyncedIndex, Workspace},
};

/// The maximum number of problems to log for one scan.
const MAX_TOLD: usize = 100;

/// The state of the connection to one client.
#[derive(Debug)]
pub(crate) struct Session {
    /// The connection to the client. Code that blocks the message loop must not wait for an answer from the client, or for space in the outgoing
    /// queue.
    pub(crate) remote: tower_lsp::Client,
    pub(crate) documents: Documents,
    pub(crate) trees: Trees,
    pub(crate) token_lists: TokenLists,
    /// The index of the objects in the workspace.
    pub(crate) workspace: Workspace,
    /// The state of kustomizations.
    pub(crate) overlays: Overlays,
    pub(crate) made: MadeOfSession,
    pub(crate) checked: CheckedFiles,
    pub(crate) trials: Trials,
    pub(crate) test_runs: TestRuns,
    pub(crate) tested: TestedFiles,
    /// The CRDs of a cluster, if the user's settings ask for them.
    pub(crate) cluster: Cluster,
    /// Locked while the folders are scanned.
    pub(crate) looking: tokio::sync::Mutex<()>,
    /// The state of the first scan of the folders.
    pub(crate) first_look: FirstLook,
    scanned: Scanned,
    /// The versions of open files in git.
    revisions: Revisions,
    /// The CRDs in git that would be replaced by the manifests of open source files.
    pub(crate) earlier: EarlierOfSession,
    /// Locked while git runs, so that git reads only one file at a time.
    pub(crate) asking: tokio::sync::Mutex<()>,
    /// Locked while hazards are searched for, so that only one document is searched at a time.
    pub(crate) searching: tokio::sync::Mutex<()>,
    /// Locked while a list of diagnostics is published, so that an older list never follows a newer one.
    pub(crate) publishing: tokio::sync::Mutex<()>,
    /// The documents to analyze again, one after the other.
    pub(crate) waiting: Waiting,
    /// Whether processing of the changed documents is already scheduled.
    is_look_due: AtomicBool,
    client: OnceLock<Client>,
    /// The known hazards of rules.
    pub(crate) hazards: Memory,
    /// The syntax trees of the document that was analyzed last, which is usually the one that the user is typing in.
    last_trees: Arc<LastTrees>,
    /// The Go types that CRDs are generated from.
    pub(crate) go: GoSources,
    /// A folder for files that can be written again at any time.
    pub(crate) cache: Option<PathBuf>,
    pub(crate) trust: Trust,
    settings: RwLock<Arc<Settings>>,
    folders: RwLock<Vec<PathBuf>>,
    /// The problems already reported to the user.
    told: Mutex<HashSet<String>>,
    shut_down: AtomicBool,
    /// Whether the client wants trace messages.
    traces: AtomicBool,
}

impl Session {
    pub(crate) fn new(remote: tower_lsp::Client, cache: Option<PathBuf>) -> Self {
        Self {
            remote,
            documents: Documents::default(),
            trees: Trees::default(),
            token_lists: TokenLists::default(),
            workspace: Workspace::default(),
            overlays: Overlays::default(),
            made: MadeOfSession::default(),
            checked: CheckedFiles::default(),
            trials: Trials::default(),
            test_runs: TestRuns::default(),
            tested: TestedFiles::default(),
            cluster: Cluster::default(),
            looking: tokio::sync::Mutex::default(),
            first_look: FirstLook::default(),
            scanned: Scanned::default(),
            revisions: Revisions::default(),
            earlier: EarlierOfSession::default(),
            asking: tokio::sync::Mutex::default(),
            searching: tokio::sync::Mutex::default(),
            publishing: tokio::sync::Mutex::default(),
            waiting: Waiting::default(),
            is_look_due: AtomicBool::new(false),
            client: OnceLock::new(),
            hazards: Memory::default(),
            last_trees: Arc::default(),
            go: GoSources::default(),
            cache,
            trust: Trust::default(),
            settings: RwLock::default(),
            folders: RwLock::default(),
            told: Mutex::default(),
            shut_down: AtomicBool::new(false),
            traces: AtomicBool::new(false),
        }
    }

    /// The capabilities of the client. Empty before `initialize`.
    pub(crate) fn client(&self) -> &Client {
        self.client.get_or_init(Client::default)
    }

    /// Sets the capabilities of the client. Only the first call has an effect.
    pub(crate) fn set_client(&self, client: Client) -> &Client {
        self.client.get_or_init(|| client)
    }

    pub(crate) fn shut_down(&self) {
        self.shut_down.store(true, Ordering::Release);
    }

    pub(crate) fn is_shut_down(&self) -> bool {
        self.shut_down.load(Ordering::Acquire)
    }

    /// Turns trace messages on or off.
    pub(crate) fn set_trace(&self, traces: bool) {
        self.traces.store(traces, Ordering::Release);
    }

    /// Sends a trace message, if the client wants them.
    pub(crate) fn trace(self: &Arc<Self>, what: impl FnOnce() -> String) {
        if !self.traces.load(Ordering::Acquire) {
            return;
        }
        let (session, message) = (self.clone(), what());
        tasks::beside(async move {
            let params = LogTraceParams { message, verbose: None };
            session.remote.send_notification::<LogTrace>(params).await;
        });
    }

    pub(crate) fn features(&self) -> Features {
        self.settings().features
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        self.settings.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Applies the client's settings. Reports invalid settings to the user.
    pub(crate) fn set_settings(self: &Arc<Self>, settings: &Value) {
        let (settings, problems) = Settings::read(settings);
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
        for problem in problems {
            self.tell(&problem);
        }
    }

    /// The kubeconfig context to read CRDs from. An empty string means the current one. `None` in an untrusted workspace.
    pub(crate) fn wanted_cluster(&self) -> Option<String> {
        self.settings().cluster.clone().filter(|_| self.trust.is_granted())
    }

    /// The workspace folders.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        self.folders.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds and removes workspace folders.
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
        drop(folders);
        self.set_reach_of_go();
    }

    /// Sets where to search for Go files: in the whole repository if the user trusts the workspace, otherwise only in the workspace folders.
    pub(crate) fn set_reach_of_go(&self) {
        let roots = Roots::new(self.folders().iter().map(PathBuf::as_path));
        self.go.set_reach(if self.trust.is_granted() {
            Reach::Repository(roots)
        } else {
            Reach::Folders(roots)
        });
    }

    /// The analysis of a version of a document, computed once for all callers. Returns an error if the document changes before the work starts.
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

    /// The analysis for a request, with a time limit. When the limit is reached, the analysis continues, so that a later request gets it.
    pub(crate) async fn analysis_in_time(self: &Arc<Self>, snapshot: &Snapshot) -> Result<Arc<Analysis>> {
        let (session, snapshot) = (self.clone(), snapshot.clone());
        let made = tasks::alone(async move { session.analysis(&snapshot).await });
        tasks::patiently("the analysis of a document", made).await
    }

    /// The settings that apply to a document. Reports a problem with its configuration to the user.
    pub(crate) fn effective(self: &Arc<Self>, snapshot: &Snapshot) -> Effective {
        let folders = self.folders();
        let mut effective = self.settings().for_file(snapshot.path().as_deref(), &folders);
        effective
            .charts
            .take_changes(|path| self.documents.at(path).map(|it| it.content()));
        if let Some(problem) = &effective.problem {
            self.tell(problem);
        }
        effective
    }

    /// Analyzes a version of a document. `None` if a newer version exists.
    fn analyze(self: &Arc<Self>, snapshot: &Snapshot) -> Option<Arc<Analysis>> {
        if snapshot.is_stale() {
            return None;
        }
        if !self.features().diagnostics {
            return Some(Arc::new(Analysis::empty()));
        }
        let effective = self.effective(snapshot);
        let built = if snapshot.source().is_some() {
            self.found_in_made(snapshot, &effective)
        } else {
            self.as_built(snapshot, &effective)
        };
        let older = self.older_in_crd(snapshot, &effective);
        let replaces = self.replaced(snapshot);
        let comparison = self.comparison(snapshot, &effective, replaces.as_ref());
        let (settings, folders) = (self.settings(), self.folders());
        let is_due = |it: &(Arc<Revision>, Comparison)| !snapshot.changes.is_of(snapshot.edition, &it.0, it.1);
        let wanted = Wanted {
            hazards: Search::Remembered(&self.hazards),
            costs: true,
            update: Update {
                revision: replaces.as_deref(),
                changes: comparison.is_some().then_some(&snapshot.changes.known),
                ..Update::default()
            },
            awaits_changes: comparison.as_ref().is_some_and(is_due),
            typing: Typing {
                cursor: snapshot.cursor,
                last_trees: Some(&self.last_trees),
            },
            errors: Some(&snapshot.errors),
            go: Some(&self.go),
            built: built.as_ref(),
            older: older.as_ref(),
            asides: Some(self.asides(&settings, &folders)),
        };
        let (uri, text) = (&snapshot.uri, snapshot.content());
        let begin = Instant::now();
        let analysis = Analysis::new(uri, text, &effective, self.client(), &SyncedIndex(self), &wanted);
        self.trace(|| {
            let (version, uri) = (snapshot.version, uri.as_str());
            format!("analyzed version {version} of {uri} in {:.1?}", begin.elapsed())
        });
        let comparison = comparison.filter(|_| analysis.awaits_changes());
        if analysis.is_unfinished() || comparison.is_some() {
            self.look_further(snapshot.clone(), comparison);
        }
        if analysis.is_typed_in() {
            self.mark_unfinished(snapshot.clone());
        }
        Some(Arc::new(analysis))
    }

    /// The git revision that a document would replace, if it is known. If the cached revision is outdated, reads it again in the background.
    pub(crate) fn replaced(self: &Arc<Self>, snapshot: &Snapshot) -> Option<Arc<Revision>> {
        if !self.trust.is_granted() {
            return None;
        }
        let revision = self.settings().update_against.clone()?;
        let path = snapshot.path()?;
        let (known, is_due) = self.revisions.get(&path, &revision);
        if is_due {
            let (session, snapshot, used) = (self.clone(), snapshot.clone(), known.clone());
            tasks::beside(async move {
                let _only = session.asking.lock().await;
                let asker = session.clone();
                let text = snapshot.clone();
                let look = move || {
                    // Another request may have read the file in the meantime.
                    if asker.revisions.get(&path, &revision).1 {
                        asker.revisions.look(&path, &revision, asker.folders());
                    }
                    let (now, _) = asker.revisions.get(&path, &revision);
                    is_other_update(used.as_deref(), now.as_deref(), &text.content())
                };
                if tasks::blocking("the read of a revision", look).await == Ok(true) {
                    session.analyze_anew(&snapshot.uri);
                    session.check_objects_soon();
                }
            });
        }
        known
    }

    /// Analyzes a document again because something that it depends on has changed. Publishes the diagnostics, or tells the client to pull them.
    pub(crate) fn analyze_anew(self: &Arc<Self>, uri: &Uri) {
        self.documents.forget_analysis(uri);
        self.show_again(uri);
    }

    /// Publishes the diagnostics of a document again, or tells the client to pull them.
    fn show_again(self: &Arc<Self>, uri: &Uri) {
        if self.client().pulls_diagnostics {
            self.ask_to_pull();
        } else {
            self.publish_soon(uri);
        }
    }

    /// Shows the error in an unfinished entry when the user stops typing.
    fn mark_unfinished(self: &Arc<Self>, snapshot: Snapshot) {
        let session = self.clone();
        tasks::beside(async move {
            tokio::time::sleep(waits::UNFINISHED).await;
            session.replace_analysis(&snapshot, Analysis::with_unfinished);
        });
    }

    /// The snapshot with its current analysis, if it is still the newest version.
    pub(crate) fn newest(&self, snapshot: &Snapshot) -> Option<Snapshot> {
        let now = self.documents.snapshot(&snapshot.uri)?;
        (now.edition == snapshot.edition).then_some(now)
    }

    /// Shows a more complete analysis of a version, if it is still the newest.
    pub(crate) fn replace_analysis(self: &Arc<Self>, snapshot: &Snapshot, fuller: impl FnOnce(&Analysis) -> Analysis) {
        let Some(now) = self.newest(snapshot) else {
            return;
        };
        let Some(analysis) = now.analysis.get() else {
            return;
        };
        if self.documents.set_analysis(&now, Arc::new(fuller(analysis))) {
            self.show_again(&snapshot.uri);
        }
    }

    /// The manifests in the workspace folders, and the number of files that must be read.
    pub(crate) fn list_files(&self) -> (Vec<PathBuf>, usize) {
        let folders = self.folders();
        self.scanned.list(&folders)
    }

    /// Analyzes files that are not open. `done` counts them.
    pub(crate) fn scan(
        self: &Arc<Self>,
        paths: &[PathBuf],
        cancelled: &AtomicBool,
        done: &AtomicUsize,
    ) -> Vec<(Uri, Arc<Analysis>)> {
        let folders = self.folders();
        let settings = self.settings();
        let asides = self.asides(&settings, &folders);
        let skip = |uri: &Uri| self.is_open(uri);
        let analyze = |path: &Path, uri: &Uri, text: &str| {
            // Most files can be skipped quickly: those without a CRD and without a resource of a known CRD.
            let is_known = self.workspace.catalog.with(|index| index.has_known_resources(path));
            let builders = self.overlays.builders(path);
            if !(is_known || builders.is_some() || names_crds(text)) {
                return Analysis::empty();
            }
            let text: Arc<str> = text.into();
            let effective = settings.for_file(Some(path), &folders);
            let search = Search::All(&self.hazards);
            let builders = builders.filter(|_| !effective.is_excluded);
            let built = builders.and_then(|it| self.build(path, &text, &effective, &it, search));
            let built = built.map(Arc::new);
            let wanted = Wanted {
                hazards: search,
                go: Some(&self.go),
                built: built.as_ref(),
                asides: Some(asides),
                ..Wanted::default()
            };
            Analysis::new(uri, text, &effective, self.client(), &SyncedIndex(self), &wanted)
        };
        self.scanned.run(paths, cancelled, done, skip, analyze)
    }

    /// Drops the results of closed files whose build may have changed. `all` means that references between files have changed.
    pub(crate) fn forget_scanned(&self, changed: &HashSet<PathBuf>, all: bool) {
        if all {
            self.scanned.clear();
        } else {
            self.scanned.forget(&self.overlays.related(changed));
        }
    }

    /// Schedules the processing of changed open documents. The short delay combines a burst of edits.
    pub(crate) fn sync_soon(self: &Arc<Self>) {
        self.check_objects_soon();
        self.show_results_soon();
        if self.is_look_due.swap(true, Ordering::AcqRel) {
            return;
        }
        let session = self.clone();
        tasks::beside(async move {
            tokio::time::sleep(waits::DEPENDENTS).await;
            // Reset the flag first, so that later changes schedule the work again.
            session.is_look_due.store(false, Ordering::Release);
            let look = move || session.sync();
            // Errors are already logged.
            let _ = tasks::blocking("the check of changed documents", look).await;
        });
    }

    /// Processes the changes of open documents.
    pub(crate) fn sync(self: &Arc<Self>) {
        let changed = self.workspace.sync(&self.documents);
        self.crds_changed(&changed);
    }

    /// Processes changes on disk.
    pub(crate) fn files_changed(self: &Arc<Self>, paths: Vec<PathBuf>) {
        self.build_soon(paths.iter().cloned());
        self.check_objects_soon();
        let session = self.clone();
        tasks::beside(async move {
            let look = move || {
                let changed = session.workspace.files_changed(&paths, &session.documents);
                session.crds_changed(&changed);
            };
            let _ = tasks::blocking("the check of changed files", look).await;
        });
    }

    /// The context for deciding which errors need no fix.
    pub(crate) fn asides<'a>(&'a self, settings: &'a Settings, folders: &'a [PathBuf]) -> Asides<'a> {
        Asides {
            catalog: &self.workspace.catalog,
            settings,
            folders,
        }
    }

    /// Processes a change of Go sources, to which diagnostics of open documents refer.
    pub(crate) fn go_changed(self: &Arc<Self>) {
        let are_forgotten = self.settings().go_tests.forget();
        if self.go.forget() || are_forgotten {
            self.refresh();
        }
    }

    /// Analyzes the open resources of these kinds again, and no other documents.
    pub(crate) fn crds_changed(self: &Arc<Self>, kinds: &BTreeSet<GroupKind>) {
        if kinds.is_empty() {
            return;
        }
        self.overlays.forget();
        self.make_manifests_soon();
        self.check_objects_soon();
        let paths: Vec<Arc<Path>> = self
            .workspace
            .catalog
            .with(|index| kinds.iter().flat_map(|kind| index.files_with(kind)).cloned().collect());
        self.scanned.forget(&paths);
        let affected = paths.iter().flat_map(|it| self.documents.uris_at(it));
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
        let affected: Vec<Uri> = affected.collect();
        for uri in &affected {
            self.documents.forget_analysis(uri);
        }
        self.publish_one_by_one(affected);
    }

    /// Shows a problem to the user, but never the same one twice.
    pub(crate) fn tell(self: &Arc<Self>, problem: &str) {
        // File names and values of a configuration may contain line breaks.
        let problem = display_text::line(problem);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= MAX_TOLD || !told.insert(problem.clone()) {
            return;
        }
        drop(told);
        tracing::warn!("{problem}");
        let session = self.clone();
        tasks::beside(async move { session.remote.show_message(MessageType::WARNING, problem).await });
    }

    /// Shows a warning about something that the user has just asked for.
    pub(crate) fn warn(self: &Arc<Self>, message: String) {
        let session = self.clone();
        tasks::beside(async move { session.remote.show_message(MessageType::WARNING, message).await });
    }

    /// Analyzes all open documents again because something that they depend on has changed. Publishes the diagnostics, or tells the client to pull
    /// them.
    pub(crate) fn refresh(self: &Arc<Self>) {
        self.documents.forget_analyses();
        self.overlays.forget();
        self.scanned.clear();
        self.refresh_costs();
        if self.client().pulls_diagnostics {
            self.ask_to_pull();
            return;
        }
        self.publish_one_by_one(self.documents.uris());
    }

    /// Asks the client to pull diagnostics again, if it supports that.
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

    /// Whether the client has this document open.
    pub(crate) fn is_open(&self, uri: &Uri) -> bool {
        self.documents.is_open(uri)
    }
}
