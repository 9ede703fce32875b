//! `workspace/diagnostic`: findings in the files that are not open, if that is switched on.

use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicUsize, atomic::Ordering},
    time::Duration,
};

use lsp_types::{
    FullDocumentDiagnosticReport, ProgressToken, UnchangedDocumentDiagnosticReport, Uri, WorkspaceDiagnosticParams,
    WorkspaceDiagnosticReport, WorkspaceDiagnosticReportResult, WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport, WorkspaceUnchangedDocumentDiagnosticReport,
};
use tower_lsp::{Bounded, NotCancellable, OngoingProgress, jsonrpc::Result};

use crate::{analysis::Analysis, scan::Cancel, session::Session, tasks};

/// A scan that has to read fewer files shows no progress.
const MANY: usize = 100;

/// How often progress is shown.
const STEP: Duration = Duration::from_millis(250);

pub(crate) async fn handle(
    session: &Arc<Session>,
    params: WorkspaceDiagnosticParams,
) -> Result<WorkspaceDiagnosticReportResult> {
    let features = session.features();
    if !(features.diagnostics && features.workspace_diagnostics) {
        return Ok(WorkspaceDiagnosticReport::default().into());
    }
    // A request that is cancelled is dropped, and with this the flag that the scan looks at is set.
    let cancel = Cancel::default();
    let lister = session.clone();
    let (paths, new) = tasks::blocking("the scan of the workspace", move || lister.list_files()).await?;
    let progress = if new < MANY {
        None
    } else {
        begin(session, params.work_done_progress_params.work_done_token).await
    };
    let (all, done) = (paths.len(), Arc::new(AtomicUsize::new(0)));
    let (scanner, flag, count) = (session.clone(), cancel.flag(), done.clone());
    let scan = tasks::blocking("the scan of the workspace", move || scanner.scan(&paths, &flag, &count));
    tokio::pin!(scan);
    let found = loop {
        tokio::select! {
            found = &mut scan => break found,
            () = tokio::time::sleep(STEP) => {
                if let Some(progress) = progress.as_ref().and_then(|it| it.0.as_ref()) {
                    let done = done.load(Ordering::Relaxed);
                    progress.report_with_message(format!("{done} of {all} files"), (done * 100 / all.max(1)) as u32).await;
                }
            }
        }
    };
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

/// Shows progress under the client's token, or one that is made known to it, if it can show any.
async fn begin(session: &Arc<Session>, token: Option<ProgressToken>) -> Option<Shown> {
    let token = match token {
        Some(token) => token,
        None if session.client().shows_progress => {
            let number = SCANS.fetch_add(1, Ordering::Relaxed);
            let token = ProgressToken::String(format!("{}/scan/{number}", crate::capabilities::NAME));
            session.remote.create_work_done_progress(token.clone()).await.ok()?;
            token
        }
        None => return None,
    };
    let progress = session
        .remote
        .progress(token, "Checking definitions")
        .with_percentage(0)
        .begin()
        .await;
    Some(Shown(Some(progress)))
}

/// Numbers the tokens of progress, which must differ.
static SCANS: AtomicUsize = AtomicUsize::new(0);

/// Progress that ends whatever ends the scan.
struct Shown(Option<OngoingProgress<Bounded, NotCancellable>>);

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(progress) = self.0.take() {
            tasks::beside(progress.finish());
        }
    }
}

/// What to say of a file; nothing of one without findings that the client knows nothing of.
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
