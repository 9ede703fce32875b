//! Converts completion items to LSP items that the client supports.

use std::collections::HashSet;

use crd_analyzer_ide::{
    completion::{Completions, Item, ItemKind},
    markdown,
};
use crd_analyzer_syntax::tree::Span;
use lsp_types::{
    Command, CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionItemTag, CompletionTextEdit,
    Documentation, InsertReplaceEdit, InsertTextFormat, InsertTextMode, MarkupContent, MarkupKind, TextEdit,
};

use crate::{
    completion_capabilities::CompletionCapabilities,
    display_text,
    to_proto::{Source, range},
};

/// The command of VS Code that opens a completion list.
const ASK_AGAIN: &str = "editor.action.triggerSuggest";

impl CompletionCapabilities {
    /// Documentation in the client's format.
    pub(crate) fn documentation(&self, documentation: &markdown::Documentation) -> Documentation {
        if self.markdown {
            Documentation::MarkupContent(MarkupContent {
                kind: MarkupKind::Markdown,
                value: display_text::markdown(&documentation.markdown()),
            })
        } else {
            Documentation::String(display_text::text(&documentation.plain()))
        }
    }

    /// The items of a list. `data` identifies an item when the client resolves it.
    pub(crate) fn items(
        &self,
        source: &Source<'_>,
        found: &Completions,
        data: impl Fn(usize) -> serde_json::Value,
    ) -> Vec<CompletionItem> {
        let convert = |(number, item): (usize, &Item)| self.item(source, found, number, item, data(number));
        let mut items: Vec<_> = found.items.iter().enumerate().map(convert).collect();
        if !self.label_details {
            tell_apart(&mut items, &found.items);
        }
        items
    }

    fn item(
        &self,
        source: &Source<'_>,
        found: &Completions,
        number: usize,
        item: &Item,
        data: serde_json::Value,
    ) -> CompletionItem {
        let snippet = item.snippet.as_ref().filter(|_| self.snippets);
        let new_text = snippet.unwrap_or(&item.text).clone();
        let edit = |span: Span, new_text: &str| TextEdit::new(range(source, span), new_text.to_owned());
        let text_edit = if self.insert_replace && found.insert != found.replace {
            CompletionTextEdit::InsertAndReplace(InsertReplaceEdit {
                new_text,
                insert: range(source, found.insert),
                replace: range(source, found.replace),
            })
        } else {
            CompletionTextEdit::Edit(edit(found.replace, &new_text))
        };
        let edits: Vec<_> = item.edits.iter().map(|it| edit(it.span, &it.new_text)).collect();
        let about = [item.detail.as_deref(), item.note.as_deref()];
        let about: Vec<_> = about.into_iter().flatten().collect();
        let about = (!about.is_empty()).then(|| display_text::line(&about.join(", ")));
        let label_details = self.label_details.then(|| CompletionItemLabelDetails {
            detail: item.suffix.clone(),
            description: about.clone(),
        });
        let commits = self.commit_characters && !item.commit.is_empty();
        CompletionItem {
            label: display_text::line(&item.label),
            label_details: label_details.filter(|it| it.detail.is_some() || it.description.is_some()),
            kind: Some(match kind(item.kind) {
                CompletionItemKind::ENUM_MEMBER if !self.newer_kinds => CompletionItemKind::VALUE,
                known => known,
            }),
            detail: match (&item.suffix, about) {
                (Some(suffix), Some(about)) if !self.label_details => Some(format!("{}{suffix}: {about}", item.label)),
                (_, about) => about,
            },
            documentation: item
                .documentation
                .as_ref()
                .filter(|_| !self.resolves)
                .map(|it| self.documentation(it)),
            preselect: (self.preselect && item.preselect).then_some(true),
            sort_text: Some(format!("{number:04}")),
            filter_text: (item.filter != display_text::line(&item.label)).then(|| item.filter.clone()),
            insert_text_format: snippet.map(|_| InsertTextFormat::SNIPPET),
            insert_text_mode: snippet
                .filter(|it| self.adjusts_indentation && it.contains('\n'))
                .map(|_| InsertTextMode::ADJUST_INDENTATION),
            text_edit: Some(text_edit),
            additional_text_edits: (!edits.is_empty()).then_some(edits),
            commit_characters: commits.then(|| item.commit.iter().map(ToString::to_string).collect()),
            tags: (item.deprecated && self.deprecated_tag).then(|| vec![CompletionItemTag::DEPRECATED]),
            command: (self.asks_again && item.asks_again).then(|| Command {
                title: String::new(),
                command: ASK_AGAIN.to_owned(),
                // `auto` makes VS Code treat the command like a typed key, so that it shows no message for an empty list.
                arguments: Some(vec![serde_json::json!({ "auto": true })]),
            }),
            data: (self.resolves && item.documentation.is_some()).then_some(data),
            ..CompletionItem::default()
        }
    }
}

/// An item that no typed text matches. Its range contains text, because VS Code treats an item with an empty range as a match.
pub(crate) fn unmatched(range: lsp_types::Range) -> CompletionItem {
    CompletionItem {
        label: "\u{2026}".to_owned(),
        filter_text: Some("\u{0}".to_owned()),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(range, String::new()))),
        ..CompletionItem::default()
    }
}

fn kind(kind: ItemKind) -> CompletionItemKind {
    match kind {
        ItemKind::Key => CompletionItemKind::PROPERTY,
        ItemKind::EnumMember => CompletionItemKind::ENUM_MEMBER,
        ItemKind::Value => CompletionItemKind::VALUE,
        ItemKind::Snippet => CompletionItemKind::SNIPPET,
        ItemKind::Kind | ItemKind::Type => CompletionItemKind::CLASS,
        ItemKind::Field => CompletionItemKind::FIELD,
        ItemKind::Variable => CompletionItemKind::VARIABLE,
        ItemKind::Function => CompletionItemKind::FUNCTION,
        ItemKind::Method | ItemKind::Macro => CompletionItemKind::METHOD,
        ItemKind::Keyword => CompletionItemKind::KEYWORD,
    }
}

/// Appends a suffix to labels that would otherwise be identical.
fn tell_apart(items: &mut [CompletionItem], found: &[Item]) {
    let mut labels = HashSet::new();
    let is_second: Vec<_> = found.iter().map(|it| !labels.insert(it.label.as_str())).collect();
    for ((item, found), _) in items.iter_mut().zip(found).zip(is_second).filter(|it| it.1) {
        if let Some(suffix) = &found.suffix {
            item.filter_text.get_or_insert_with(|| found.filter.clone());
            item.label.push_str(suffix);
        }
    }
}
