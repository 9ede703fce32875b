//! The capabilities of the client that the language server uses.

use std::{path::Path, sync::Arc};

use crd_analyzer_syntax::lines::ColumnUnit;
use lsp_types::{ClientCapabilities, DiagnosticTag, MarkupKind, PositionEncodingKind, SemanticTokensFullOptions};

use crate::{completion_capabilities::CompletionCapabilities, pages::Pages};

/// What the client can do. What it cannot show is left out, not guessed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client {
    pub(crate) unit: ColumnUnit,
    /// It asks for diagnostics; else they are sent to it. Never both, as some clients would show both.
    pub(crate) pulls_diagnostics: bool,
    pub(crate) refreshes_diagnostics: bool,
    pub(crate) related_information: bool,
    /// It follows links from a code to its page, which is here.
    pub(crate) pages: Option<Arc<Pages>>,
    pub(crate) diagnostic_data: bool,
    pub(crate) unnecessary_tag: bool,
    pub(crate) deprecated_tag: bool,
    pub(crate) registers_watchers: bool,
    pub(crate) registers_configuration: bool,
    /// It can be asked later for documents of another language.
    pub(crate) registers_documents: bool,
    /// The same for single features.
    pub(crate) registers_completion: bool,
    pub(crate) registers_hover: bool,
    pub(crate) registers_signatures: bool,
    pub(crate) registers_rename: bool,
    pub(crate) registers_highlights: bool,
    pub(crate) registers_actions: bool,
    pub(crate) registers_lenses: bool,
    pub(crate) answers_configuration: bool,
    pub(crate) shows_progress: bool,
    /// It takes fixes as they are; else it would want commands.
    pub(crate) code_actions: bool,
    pub(crate) preferred_fixes: bool,
    /// It asks what can be renamed before it asks for a name.
    pub(crate) prepares_rename: bool,
    /// It shows symbols in each other.
    pub(crate) nested_symbols: bool,
    /// It takes kinds of symbols that the protocol did not have at first.
    pub(crate) newer_symbols: bool,
    /// It takes the parameters of a signature as places in its label.
    pub(crate) label_offsets: bool,
    /// It shows Markdown in hovers.
    pub(crate) hover_markdown: bool,
    /// It shows a document that the server asks it to show.
    pub(crate) shows_documents: bool,
    /// It shows lenses.
    pub(crate) code_lens: bool,
    pub(crate) refreshes_code_lenses: bool,
    /// It shows hints in lines.
    pub(crate) inlay_hints: bool,
    pub(crate) refreshes_inlay_hints: bool,
    /// It applies edits that the server asks for.
    pub(crate) applies_edits: bool,
    /// It takes edits for a version of a document.
    pub(crate) versioned_edits: bool,
    /// It takes what changed in a list of tokens.
    pub(crate) token_changes: bool,
    /// What it takes of completions.
    pub(crate) completion: CompletionCapabilities,
    /// Folds of a document that it takes.
    pub(crate) max_folds: usize,
    /// It has the command [`crate::names::SHOW_EFFECTIVE`].
    pub(crate) shows_effective: bool,
    /// It has the command [`crate::names::SHOW_FAILING`].
    pub(crate) shows_failing: bool,
    /// Messages may have several lines: what to type and why need no place of their own.
    pub(crate) shows_lines: bool,
}

impl Client {
    /// `cache`: where pages may be written.
    pub(crate) fn new(capabilities: &ClientCapabilities, cache: Option<&Path>) -> Self {
        let text = capabilities.text_document.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let refreshes_diagnostics = workspace
            .and_then(|it| it.diagnostics.as_ref())
            .and_then(|it| it.refresh_support)
            .unwrap_or_default();
        // Findings of a resource change with its CRD: a client that cannot be asked to pull again would never know.
        let pulls_diagnostics = refreshes_diagnostics && text.is_some_and(|it| it.diagnostic.is_some());
        let publish = text.and_then(|it| it.publish_diagnostics.as_ref());
        // A client that only pulls need not say what published lists may hold.
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
            shows_lines: false,
        }
    }

    /// Reads what only the initialization options say of a client, as `"client": {"showEffectiveObject": true}`.
    pub(crate) fn read(&mut self, options: &serde_json::Value) {
        self.completion.read(options);
        self.shows_effective = options["client"]["showEffectiveObject"] == true;
        self.shows_failing = options["client"]["showFailingObjects"] == true;
        self.shows_lines = options["client"]["messageLines"] == true;
    }

    /// The protocol's name for the unit of columns.
    pub(crate) fn encoding(&self) -> PositionEncodingKind {
        match self.unit {
            ColumnUnit::Utf8 => PositionEncodingKind::UTF8,
            ColumnUnit::Utf16 => PositionEncodingKind::UTF16,
            ColumnUnit::Utf32 => PositionEncodingKind::UTF32,
        }
    }
}

/// The first unit of the client's list that is known; UTF-16 if it has none, which all clients can.
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
