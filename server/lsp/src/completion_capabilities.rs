//! The capabilities of the client for completion.

use lsp_types::{CompletionClientCapabilities, CompletionItemTag, InsertTextMode, MarkupKind};

/// The capabilities of the client for completion.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompletionCapabilities {
    pub(crate) snippets: bool,
    pub(crate) insert_replace: bool,
    pub(crate) label_details: bool,
    /// Supports documentation in a later `completionItem/resolve`.
    pub(crate) resolves: bool,
    pub(crate) markdown: bool,
    pub(crate) commit_characters: bool,
    pub(crate) preselect: bool,
    pub(crate) deprecated_tag: bool,
    pub(crate) adjusts_indentation: bool,
    /// Supports item kinds that were added in later LSP versions.
    pub(crate) newer_kinds: bool,
    /// Has a command that requests the next list, see [`CompletionCapabilities::read`].
    pub(crate) asks_again: bool,
    /// Supports snippet transforms: a placeholder may be derived from another one.
    pub(crate) transforms: bool,
    /// Whether to send an item that never matches instead of an empty list, because the client would offer words of open files for an empty one.
    pub(crate) keeps_words_away: bool,
}

impl CompletionCapabilities {
    pub(crate) fn new(capabilities: Option<&CompletionClientCapabilities>) -> Self {
        let Some(item) = capabilities.and_then(|it| it.completion_item.as_ref()) else {
            return Self::default();
        };
        let kinds = capabilities.and_then(|it| it.completion_item_kind.as_ref());
        let can = |said: Option<bool>| said.unwrap_or_default();
        Self {
            snippets: can(item.snippet_support),
            insert_replace: can(item.insert_replace_support),
            label_details: can(item.label_details_support),
            resolves: item
                .resolve_support
                .as_ref()
                .is_some_and(|it| it.properties.iter().any(|it| it == "documentation")),
            markdown: item
                .documentation_format
                .as_ref()
                .is_some_and(|it| it.first() == Some(&MarkupKind::Markdown)),
            commit_characters: can(item.commit_characters_support),
            preselect: can(item.preselect_support),
            deprecated_tag: item
                .tag_support
                .as_ref()
                .is_some_and(|it| it.value_set.contains(&CompletionItemTag::DEPRECATED)),
            adjusts_indentation: item
                .insert_text_mode_support
                .as_ref()
                .is_some_and(|it| it.value_set.contains(&InsertTextMode::ADJUST_INDENTATION)),
            newer_kinds: kinds.is_some_and(|it| it.value_set.is_some()),
            asks_again: false,
            keeps_words_away: false,
            transforms: false,
        }
    }

    /// The same capabilities for clients that cannot resolve items: documentation is part of each item.
    pub(crate) fn at_once(&self) -> Self {
        Self {
            resolves: false,
            ..self.clone()
        }
    }

    /// Reads the capabilities that clients can declare only in initialization options: `"client": {"triggerSuggest": true, "offersWords": true,
    /// "snippetTransforms": true}`. VS Code declares all of them. Other clients don't have the command, would show the item that never matches, and
    /// would insert the transform as plain text.
    pub(crate) fn read(&mut self, options: &serde_json::Value) {
        let says = |what: &str| options["client"][what] == true;
        self.asks_again = says("triggerSuggest");
        self.keeps_words_away = says("offersWords");
        self.transforms = says("snippetTransforms");
    }
}
