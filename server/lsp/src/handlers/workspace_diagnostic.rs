//! `workspace/diagnostic`: the diagnostics of files that are not open, if the user has turned them on.

use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicUsize},
};

use lsp_types::{
    FullDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport, Uri, WorkspaceDiagnosticParams,
    WorkspaceDiagnosticReport, WorkspaceDiagnosticReportResult, WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport, WorkspaceUnchangedDocumentDiagnosticReport,
};
use tower_lsp::jsonrpc::Result;

use crate::{analysis::Analysis, progress, scan::Cancel, session::Session, tasks};

pub(crate) async fn handle(
    session: &Arc<Session>,
    params: WorkspaceDiagnosticParams,
) -> Result<WorkspaceDiagnosticReportResult> {
    let features = session.features();
    if !(features.diagnostics && features.workspace_diagnostics) {
        return Ok(WorkspaceDiagnosticReport::default().into());
    }
    // Dropping a cancelled request sets the flag that stops the scan.
    let cancel = Cancel::default();
    let lister = session.clone();
    let (paths, new) = tasks::blocking("the scan of the workspace", move || lister.list_files()).await?;
    let progress = if new < progress::MANY {
        None
    } else {
        let token = params.work_done_progress_params.work_done_token;
        progress::begin(session, token, "Checking manifests").await
    };
    let (all, done) = (paths.len(), Arc::new(AtomicUsize::new(0)));
    let (scanner, flag, count) = (session.clone(), cancel.flag(), done.clone());
    let scan = tasks::blocking("the scan of the workspace", move || scanner.scan(&paths, &flag, &count));
    let found = progress::watch(progress.as_ref(), all, &done, scan).await;
    drop(progress);
    let known: HashMap<String, String> = params
        .previous_result_ids
        .into_iter()
        .map(|it| (it.uri.to_string(), it.value))
        .collect();
    let items = found?
        .into_iter()
        .filter_map(|(uri, analysis)| item(uri, &analysis, &known))
        .collect();
    Ok(WorkspaceDiagnosticReport { items }.into())
}

/// The report for a file. `None` if the file has no diagnostics and the client has no earlier report of it.
fn item(uri: Uri, analysis: &Analysis, known: &HashMap<String, String>) -> Option<WorkspaceDocumentDiagnosticReport> {
    let previous = known.get(uri.as_str());
    if previous.is_none() && analysis.diagnostics.is_empty() {
        return None;
    }
    let result_id = analysis.result_id.clone();
    Some(if previous == Some(&result_id) {
        WorkspaceDocumentDiagnosticReport::Unchanged(WorkspaceUnchangedDocumentDiagnosticReport {
            uri,
            version: None,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
        })
    } else {
        WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
            uri,
            version: None,
            full_document_diagnostic_report: FullDocumentDiagnosticReport {
                result_id: Some(result_id),
                items: analysis.diagnostics.clone(),
            },
        })
    })
}
