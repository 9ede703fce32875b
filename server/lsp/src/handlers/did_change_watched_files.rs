//! `workspace/didChangeWatchedFiles`

use std::{path::PathBuf, sync::Arc};

use crd_analyzer_io::kustomize::may_be_test;
use crd_analyzer_workspace::{
    builds::kustomize,
    charts::metadata::is_metadata,
    config::is_config,
    index::lock::is_lock,
    roles::{is_helpers, is_template},
};
use lsp_types::DidChangeWatchedFilesParams;

use crate::{from_proto::path_of, session::Session};

/// Each analysis reads the configuration files, so a changed configuration or lock only needs new analyses and a new scan of the folders. A changed
/// manifest is indexed again.
pub(crate) fn handle(session: &Arc<Session>, params: &DidChangeWatchedFilesParams) {
    changed(
        session,
        params.changes.iter().filter_map(|it| path_of(&it.uri)).collect(),
    );
}

/// Processes changes of these files.
pub(crate) fn changed(session: &Arc<Session>, paths: Vec<PathBuf>) {
    let is_go = |path: &PathBuf| path.extension().is_some_and(|it| it == "go" || it == "mod");
    let (go, others): (Vec<_>, Vec<_>) = paths.into_iter().partition(is_go);
    if !go.is_empty() {
        session.go_changed();
    }
    let (configs, manifests): (Vec<_>, Vec<_>) = others.into_iter().partition(|it| is_config(it) || is_lock(it));
    let is_kustomization = |path: &PathBuf| {
        let name = path.file_name().and_then(|it| it.to_str());
        name.is_some_and(|it| kustomize::FILE_NAMES.contains(&it))
    };
    if manifests.iter().any(|it| is_kustomization(it) || may_be_test(it)) {
        session.settings().kustomizations.forget();
        session.settings().scripts.forget();
        session.refresh();
    }
    if manifests.iter().any(|it| is_template(it) || is_metadata(it)) {
        session.settings().charts.forget();
    }
    if manifests.iter().any(|it| is_helpers(it) || is_metadata(it)) {
        session.refresh();
    }
    if !configs.is_empty() {
        session.refresh();
        crate::folders::look_through(session);
    }
    if !manifests.is_empty() {
        session.files_changed(manifests);
    }
}
