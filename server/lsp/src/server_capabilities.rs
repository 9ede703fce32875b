//! The capabilities of the language server.

use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeLensOptions, CompletionOptions, CompletionOptionsCompletionItem,
    DiagnosticOptions, DiagnosticServerCapabilities, DocumentLinkOptions, DocumentOnTypeFormattingOptions,
    ExecuteCommandOptions, HoverProviderCapability, OneOf, RenameOptions, SaveOptions, SemanticTokensFullOptions,
    SemanticTokensOptions, ServerCapabilities, SignatureHelpOptions, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};

use crate::{
    capabilities::Client,
    handlers::{code_action, semantic_tokens},
    names::{
        ADD_BOUNDS, FAILING_OBJECTS, MAKE_TEST, NAME, READ_CLUSTER, RUN_TESTS, SHOW_CHANGE, TRY_RULE, UPDATE_TESTS,
    },
};

/// The capabilities to announce to a client. With `whole_workspace`, files that are not open get diagnostics, too. Without it, the server must not
/// offer workspace diagnostics: on a refresh, Neovim would request only those, and not the diagnostics of open documents.
pub(crate) fn server_capabilities(client: &Client, whole_workspace: bool) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(client.encoding()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                include_text: Some(false),
            })),
            ..TextDocumentSyncOptions::default()
        })),
        diagnostic_provider: client.pulls_diagnostics.then(|| {
            DiagnosticServerCapabilities::Options(DiagnosticOptions {
                identifier: Some(NAME.to_owned()),
                inter_file_dependencies: true,
                workspace_diagnostics: whole_workspace,
                work_done_progress_options: WorkDoneProgressOptions::default(),
            })
        }),
        code_action_provider: client.code_actions.then(|| {
            let options = CodeActionOptions {
                code_action_kinds: Some(vec![
                    CodeActionKind::QUICKFIX,
                    CodeActionKind::REFACTOR_REWRITE,
                    code_action::fix_all(),
                ]),
                ..CodeActionOptions::default()
            };
            options.into()
        }),
        rename_provider: Some(if client.prepares_rename {
            OneOf::Right(RenameOptions {
                prepare_provider: Some(true),
                work_done_progress_options: WorkDoneProgressOptions::default(),
            })
        } else {
            OneOf::Left(true)
        }),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: semantic_tokens::legend(),
                range: Some(true),
                full: Some(if client.token_changes {
                    SemanticTokensFullOptions::Delta { delta: Some(true) }
                } else {
                    SemanticTokensFullOptions::Bool(true)
                }),
                work_done_progress_options: WorkDoneProgressOptions::default(),
            }
            .into(),
        ),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(vec!["(".to_owned(), ",".to_owned()]),
            retrigger_characters: Some(vec![")".to_owned()]),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            resolve_provider: Some(client.completion.resolves),
            // Each of these characters starts a field, a path, a value after a colon, a string or a list.
            trigger_characters: Some([".", " ", "'", "\"", "[", "?"].map(str::to_owned).into()),
            completion_item: Some(CompletionOptionsCompletionItem {
                label_details_support: Some(true),
            }),
            ..CompletionOptions::default()
        }),
        code_lens_provider: client.code_lens.then_some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        inlay_hint_provider: client.inlay_hints.then_some(OneOf::Left(true)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: client
                .applies_edits
                .then_some(ADD_BOUNDS)
                .into_iter()
                .chain(client.shows_documents.then_some(SHOW_CHANGE))
                .chain([MAKE_TEST, UPDATE_TESTS].into_iter().filter(|_| client.applies_edits))
                .chain([READ_CLUSTER, FAILING_OBJECTS, TRY_RULE, RUN_TESTS])
                .map(str::to_owned)
                .collect(),
            ..ExecuteCommandOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_on_type_formatting_provider: Some(DocumentOnTypeFormattingOptions {
            first_trigger_character: "\n".to_owned(),
            more_trigger_character: None,
        }),
        folding_range_provider: Some(true.into()),
        selection_range_provider: Some(true.into()),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    }
}
