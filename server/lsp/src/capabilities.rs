//! The capabilities of the client that the language server uses.

use std::{path::Path, sync::Arc};

use crd_analyzer_syntax::lines::ColumnUnit;
use lsp_types::{
    ClientCapabilities, DiagnosticTag, MarkupKind, PositionEncodingKind, ResourceOperationKind,
    SemanticTokensFullOptions,
};

use crate::{completion_capabilities::CompletionCapabilities, pages::Pages};

/// The capabilities of the client. The language server omits what the client cannot display.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client {
    pub(crate) unit: ColumnUnit,
    /// Pulls diagnostics. Otherwise they are published. Never both, because some clients would show them twice.
    pub(crate) pulls_diagnostics: bool,
    pub(crate) refreshes_diagnostics: bool,
    pub(crate) related_information: bool,
    /// The pages of diagnostic codes, if the client supports links from a code.
    pub(crate) pages: Option<Arc<Pages>>,
    pub(crate) diagnostic_data: bool,
    pub(crate) unnecessary_tag: bool,
    pub(crate) deprecated_tag: bool,
    pub(crate) registers_watchers: bool,
    pub(crate) registers_configuration: bool,
    /// Supports dynamic registration for documents in languages other than YAML.
    pub(crate) registers_documents: bool,
    /// Supports dynamic registration for completion. The fields below do so for other features.
    pub(crate) registers_completion: bool,
    pub(crate) registers_hover: bool,
    pub(crate) registers_signatures: bool,
    pub(crate) registers_rename: bool,
    pub(crate) registers_highlights: bool,
    pub(crate) registers_actions: bool,
    pub(crate) registers_lenses: bool,
    pub(crate) answers_configuration: bool,
    pub(crate) shows_progress: bool,
    /// Supports code actions as literals. Otherwise it would need commands.
    pub(crate) code_actions: bool,
    pub(crate) preferred_fixes: bool,
    /// Sends `textDocument/prepareRename` before a rename.
    pub(crate) prepares_rename: bool,
    /// Supports nested symbols.
    pub(crate) nested_symbols: bool,
    /// Supports symbol kinds that were added in later LSP versions.
    pub(crate) newer_symbols: bool,
    /// Supports parameters of a signature as offsets in its label.
    pub(crate) label_offsets: bool,
    /// Supports Markdown in hovers.
    pub(crate) hover_markdown: bool,
    /// Supports `window/showDocument`.
    pub(crate) shows_documents: bool,
    /// Supports code lenses.
    pub(crate) code_lens: bool,
    pub(crate) refreshes_code_lenses: bool,
    /// Supports inlay hints.
    pub(crate) inlay_hints: bool,
    pub(crate) refreshes_inlay_hints: bool,
    /// Supports `workspace/applyEdit`.
    pub(crate) applies_edits: bool,
    /// Supports workspace edits that create a file.
    pub(crate) creates_files: bool,
    /// Supports edits for a version of a document.
    pub(crate) versioned_edits: bool,
    /// Supports deltas of semantic tokens.
    pub(crate) token_changes: bool,
    /// The capabilities for completion.
    pub(crate) completion: CompletionCapabilities,
    /// The maximum number of folding ranges in a document.
    pub(crate) max_folds: usize,
    /// Implements the command [`crate::names::SHOW_EFFECTIVE`].
    pub(crate) shows_effective: bool,
    /// Implements the command [`crate::names::SHOW_FAILING`].
    pub(crate) shows_failing: bool,
    /// Has a view that lists and runs tests.
    pub(crate) shows_tests: bool,
    /// Shows messages with several lines, so that help and notes can be part of the message.
    pub(crate) shows_lines: bool,
}

impl Client {
    /// Reads the capabilities. Pages may be written to the folder `cache`.
    pub(crate) fn new(capabilities: &ClientCapabilities, cache: Option<&Path>) -> Self {
        let text = capabilities.text_document.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let refreshes_diagnostics = workspace
            .and_then(|it| it.diagnostics.as_ref())
            .and_then(|it| it.refresh_support)
            .unwrap_or_default();
        // A changed CRD changes the findings of its resources. A client that pulls but cannot be asked to refresh would keep showing the old
        // findings.
        let pulls_diagnostics = refreshes_diagnostics && text.is_some_and(|it| it.diagnostic.is_some());
        let publish = text.and_then(|it| it.publish_diagnostics.as_ref());
        // A client that only pulls need not declare what published diagnostics may contain.
        let assumed = publish.is_none() && pulls_diagnostics;
        let actions = text.and_then(|it| it.code_action.as_ref());
        let can = |said: Option<Option<bool>>| said.flatten().unwrap_or(assumed);
        let tag = |tag: DiagnosticTag| {
            let known = publish.and_then(|it| it.tag_support.as_ref());
            known.map_or(assumed, |it| it.value_set.contains(&tag))
        };
        Self {
            unit: unit(capabilities),
            pulls_diagnostics,
            refreshes_diagnostics,
            related_information: can(publish.map(|it| it.related_information)),
            pages: cache
                .filter(|_| can(publish.map(|it| it.code_description_support)))
                .map(|it| Arc::new(Pages::new(it))),
            diagnostic_data: can(publish.map(|it| it.data_support)),
            unnecessary_tag: tag(DiagnosticTag::UNNECESSARY),
            deprecated_tag: tag(DiagnosticTag::DEPRECATED),
            registers_watchers: workspace
                .and_then(|it| it.did_change_watched_files)
                .and_then(|it| it.dynamic_registration)
                .unwrap_or_default(),
            registers_configuration: workspace
                .and_then(|it| it.did_change_configuration)
                .and_then(|it| it.dynamic_registration)
                .unwrap_or_default(),
            registers_documents: text
                .and_then(|it| it.synchronization.as_ref())
                .and_then(|it| it.dynamic_registration)
                .unwrap_or_default(),
            registers_completion: text
                .and_then(|it| it.completion.as_ref())
                .and_then(|it| it.dynamic_registration)
                .unwrap_or_default(),
            registers_signatures: text
                .and_then(|it| it.signature_help.as_ref())
                .and_then(|it| it.dynamic_registration)
                .unwrap_or_default(),
            registers_rename: text
                .and_then(|it| it.rename.as_ref())
                .and_then(|it| it.dynamic_registration)
                .unwrap_or_default(),
            registers_highlights: text
                .and_then(|it| it.document_highlight.as_ref())
                .and_then(|it| it.dynamic_registration)
                .unwrap_or_default(),
            registers_hover: text
                .and_then(|it| it.hover.as_ref())
                .and_then(|it| it.dynamic_registration)
                .unwrap_or_default(),
            registers_lenses: text
                .and_then(|it| it.code_lens.as_ref())
                .and_then(|it| it.dynamic_registration)
                .unwrap_or_default(),
            registers_actions: actions.and_then(|it| it.dynamic_registration).unwrap_or_default(),
            shows_progress: capabilities
                .window
                .as_ref()
                .and_then(|it| it.work_done_progress)
                .unwrap_or_default(),
            shows_documents: capabilities
                .window
                .as_ref()
                .and_then(|it| it.show_document.as_ref())
                .is_some_and(|it| it.support),
            code_lens: text.is_some_and(|it| it.code_lens.is_some()),
            refreshes_code_lenses: workspace
                .and_then(|it| it.code_lens.as_ref())
                .and_then(|it| it.refresh_support)
                .unwrap_or_default(),
            inlay_hints: text.is_some_and(|it| it.inlay_hint.is_some()),
            refreshes_inlay_hints: workspace
                .and_then(|it| it.inlay_hint.as_ref())
                .and_then(|it| it.refresh_support)
                .unwrap_or_default(),
            applies_edits: workspace.and_then(|it| it.apply_edit).unwrap_or_default(),
            code_actions: actions.is_some_and(|it| it.code_action_literal_support.is_some()),
            preferred_fixes: actions.and_then(|it| it.is_preferred_support).unwrap_or_default(),
            prepares_rename: text
                .and_then(|it| it.rename.as_ref())
                .and_then(|it| it.prepare_support)
                .unwrap_or_default(),
            nested_symbols: text
                .and_then(|it| it.document_symbol.as_ref())
                .and_then(|it| it.hierarchical_document_symbol_support)
                .unwrap_or_default(),
            newer_symbols: text
                .and_then(|it| it.document_symbol.as_ref())
                .and_then(|it| it.symbol_kind.as_ref())
                .is_some_and(|it| it.value_set.is_some()),
            label_offsets: text
                .and_then(|it| it.signature_help.as_ref())
                .and_then(|it| it.signature_information.as_ref())
                .and_then(|it| it.parameter_information.as_ref())
                .and_then(|it| it.label_offset_support)
                .unwrap_or_default(),
            hover_markdown: text
                .and_then(|it| it.hover.as_ref())
                .and_then(|it| it.content_format.as_ref())
                .is_some_and(|it| it.first() == Some(&MarkupKind::Markdown)),
            creates_files: workspace
                .and_then(|it| it.workspace_edit.as_ref())
                .and_then(|it| it.resource_operations.as_ref())
                .is_some_and(|it| it.contains(&ResourceOperationKind::Create)),
            versioned_edits: workspace
                .and_then(|it| it.workspace_edit.as_ref())
                .and_then(|it| it.document_changes)
                .unwrap_or_default(),
            token_changes: text.and_then(|it| it.semantic_tokens.as_ref()).is_some_and(|it| {
                matches!(
                    it.requests.full,
                    Some(SemanticTokensFullOptions::Delta { delta: Some(true) })
                )
            }),
            completion: CompletionCapabilities::new(text.and_then(|it| it.completion.as_ref())),
            max_folds: text
                .and_then(|it| it.folding_range.as_ref())
                .and_then(|it| it.range_limit)
                .map_or(usize::MAX, |it| it as usize),
            answers_configuration: workspace.and_then(|it| it.configuration).unwrap_or_default(),
            shows_effective: false,
            shows_failing: false,
            shows_tests: false,
            shows_lines: false,
        }
    }

    /// Reads the capabilities that clients can declare only in initialization options, such as `"client": {"showEffectiveObject": true}`.
    pub(crate) fn read(&mut self, options: &serde_json::Value) {
        self.completion.read(options);
        self.shows_effective = options["client"]["showEffectiveObject"] == true;
        self.shows_failing = options["client"]["showFailingObjects"] == true;
        self.shows_tests = options["client"]["showTests"] == true;
        self.shows_lines = options["client"]["messageLines"] == true;
    }

    /// The LSP name of the column unit.
    pub(crate) fn encoding(&self) -> PositionEncodingKind {
        match self.unit {
            ColumnUnit::Utf8 => PositionEncodingKind::UTF8,
            ColumnUnit::Utf16 => PositionEncodingKind::UTF16,
            ColumnUnit::Utf32 => PositionEncodingKind::UTF32,
        }
    }
}

/// The first supported unit in the client's list. Default: UTF-16, which every client supports.
fn unit(capabilities: &ClientCapabilities) -> ColumnUnit {
    let offered = capabilities
        .general
        .as_ref()
        .and_then(|it| it.position_encodings.as_deref())
        .unwrap_or_default();
    let known = offered.iter().find_map(|it| match it.as_str() {
        "utf-8" => Some(ColumnUnit::Utf8),
        "utf-16" => Some(ColumnUnit::Utf16),
        "utf-32" => Some(ColumnUnit::Utf32),
        _ => None,
    });
    known.unwrap_or(ColumnUnit::Utf16)
}
