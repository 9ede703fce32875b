//! `textDocument/diagnostic`

use std::sync::Arc;

use lsp_types::{
    DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult, FullDocumentDiagnosticReport,
    RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport,
};
use tower_lsp::jsonrpc::Result;

use crate::{analysis::Analysis, session::Session, tasks};

pub(crate) async fn handle(
    session: &Arc<Session>,
    params: DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReportResult> {
    let Some(snapshot) = session.documents.snapshot(&params.text_document.uri) else {
        // The document was closed in the meantime or never open, so there is nothing to report.
        return Ok(report(&Analysis::empty(), None));
    };
    let analysis = session.analysis_in_time(&snapshot).await?;
    if snapshot.is_stale() {
        return Err(tasks::stale());
    }
    Ok(report(&analysis, params.previous_result_id.as_deref()))
}

fn report(analysis: &Analysis, previous: Option<&str>) -> DocumentDiagnosticReportResult {
    let report = if previous == Some(&analysis.result_id) {
        DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport {
                result_id: analysis.result_id.clone(),
            },
        })
    } else {
        DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: FullDocumentDiagnosticReport {
                result_id: Some(analysis.result_id.clone()),
                items: analysis.diagnostics.clone(),
            },
        })
    };
    DocumentDiagnosticReportResult::Report(report)
}
