//! The LSP methods, each forwarded to its handler.

use std::sync::Arc;

use lsp_types::{
    CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, CompletionItem, CompletionParams,
    CompletionResponse, DidChangeConfigurationParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
    DocumentDiagnosticParams, DocumentDiagnosticReportResult, DocumentHighlight, DocumentHighlightParams, DocumentLink,
    DocumentLinkParams, DocumentOnTypeFormattingParams, DocumentSymbolParams, DocumentSymbolResponse,
    ExecuteCommandParams, FoldingRange, FoldingRangeParams, GotoDefinitionParams, GotoDefinitionResponse, Hover,
    HoverParams, InitializeParams, InitializeResult, InitializedParams, InlayHint, InlayHintParams, LSPAny, Location,
    PrepareRenameResponse, ReferenceParams, RenameParams, SelectionRange, SelectionRangeParams,
    SemanticTokensDeltaParams, SemanticTokensFullDeltaResult, SemanticTokensParams, SemanticTokensRangeParams,
    SemanticTokensRangeResult, SemanticTokensResult, SetTraceParams, SignatureHelp, SignatureHelpParams,
    TextDocumentPositionParams, TextEdit, WorkspaceDiagnosticParams, WorkspaceDiagnosticReportResult, WorkspaceEdit,
};
use tower_lsp::{LanguageServer, jsonrpc::Result};

use crate::{handlers, session::Session, tasks::guarded};

/// The language server that the transport calls.
#[derive(Debug)]
pub(crate) struct Server {
    session: Arc<Session>,
}

impl Server {
    pub(crate) fn new(session: Arc<Session>) -> Self {
        Self { session }
    }

    /// Shows a custom resource as the API server stores it, see [`crate::handlers::effective_object`].
    pub(crate) async fn effective_object(&self, params: serde_json::Value) -> Result<serde_json::Value> {
        handlers::effective_object::handle(&self.session, params).await
    }

    /// Reports the state of a document, see [`crate::handlers::status`].
    pub(crate) async fn status(&self, params: serde_json::Value) -> Result<serde_json::Value> {
        handlers::status::handle(&self.session, params).await
    }

    /// Lists tests, see [`crate::handlers::tests::LIST`].
    pub(crate) async fn tests(&self, params: serde_json::Value) -> Result<serde_json::Value> {
        handlers::tests::list(&self.session, params).await
    }

    /// Runs tests, see [`crate::handlers::tests::RUN`].
    pub(crate) async fn run_tests(&self, params: serde_json::Value) -> Result<serde_json::Value> {
        handlers::tests::run(&self.session, params).await
    }

    /// Records that the user trusts the workspace, see [`crate::handlers::trust_granted`].
    #[allow(clippy::unused_async, reason = "the transport calls an async method")]
    pub(crate) async fn trust_granted(&self, _: serde_json::Value) {
        guarded("crd-analyzer/trustGranted", || {
            handlers::trust_granted::handle(&self.session);
        });
    }

    /// `$/setTrace`.
    #[allow(clippy::unused_async, reason = "the transport calls an async method")]
    pub(crate) async fn set_trace(&self, params: SetTraceParams) {
        handlers::set_trace::handle(&self.session, &params);
    }
}

// A notification must change the session before its first `await`, because the transport polls notifications in order of arrival.
impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        Ok(handlers::initialize::handle(&self.session, params))
    }

    async fn initialized(&self, _: InitializedParams) {
        guarded("initialized", || handlers::initialized::handle(&self.session));
    }

    async fn shutdown(&self) -> Result<()> {
        self.session.shut_down();
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        guarded("textDocument/didOpen", || {
            handlers::did_open::handle(&self.session, params);
        });
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        guarded("textDocument/didChange", || {
            handlers::did_change::handle(&self.session, params);
        });
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        guarded("textDocument/didSave", || {
            handlers::did_save::handle(&self.session, &params);
        });
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        guarded("textDocument/didClose", || {
            handlers::did_close::handle(&self.session, params);
        });
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        guarded("workspace/didChangeConfiguration", || {
            handlers::did_change_configuration::handle(&self.session, &params);
        });
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        guarded("workspace/didChangeWatchedFiles", || {
            handlers::did_change_watched_files::handle(&self.session, &params);
        });
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        guarded("workspace/didChangeWorkspaceFolders", || {
            handlers::did_change_workspace_folders::handle(&self.session, &params);
        });
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        handlers::diagnostic::handle(&self.session, params).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        handlers::completion::handle(&self.session, params).await
    }

    async fn completion_resolve(&self, item: CompletionItem) -> Result<CompletionItem> {
        handlers::completion_resolve::handle(&self.session, item).await
    }

    async fn document_highlight(&self, params: DocumentHighlightParams) -> Result<Option<Vec<DocumentHighlight>>> {
        handlers::document_highlight::handle(&self.session, params).await
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        handlers::folding_range::handle(&self.session, params).await
    }

    async fn on_type_formatting(&self, params: DocumentOnTypeFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        handlers::on_type_formatting::handle(&self.session, params).await
    }

    async fn selection_range(&self, params: SelectionRangeParams) -> Result<Option<Vec<SelectionRange>>> {
        handlers::selection_range::handle(&self.session, params).await
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        handlers::document_symbol::handle(&self.session, params).await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        handlers::document_link::handle(&self.session, params).await
    }

    async fn semantic_tokens_full(&self, params: SemanticTokensParams) -> Result<Option<SemanticTokensResult>> {
        handlers::semantic_tokens::handle(&self.session, params).await
    }

    async fn semantic_tokens_full_delta(
        &self,
        params: SemanticTokensDeltaParams,
    ) -> Result<Option<SemanticTokensFullDeltaResult>> {
        handlers::semantic_tokens::handle_delta(&self.session, params).await
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        handlers::semantic_tokens::handle_range(&self.session, params).await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        handlers::signature_help::handle(&self.session, params).await
    }

    async fn prepare_rename(&self, params: TextDocumentPositionParams) -> Result<Option<PrepareRenameResponse>> {
        handlers::rename::handle_prepare(&self.session, params).await
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        handlers::rename::handle(&self.session, params).await
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        handlers::hover::handle(&self.session, params).await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        handlers::definition::handle(&self.session, params).await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        handlers::references::handle(&self.session, params).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        handlers::code_action::handle(&self.session, params).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        handlers::code_lens::handle(&self.session, params).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        handlers::inlay_hint::handle(&self.session, params).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        handlers::execute_command::handle(&self.session, params).await
    }

    async fn workspace_diagnostic(&self, params: WorkspaceDiagnosticParams) -> Result<WorkspaceDiagnosticReportResult> {
        handlers::workspace_diagnostic::handle(&self.session, params).await
    }
}
