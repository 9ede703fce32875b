//! Completion items and lists of them.

use crate::markdown::Documentation;
use crd_analyzer_syntax::tree::Span;

use crate::fixes::TextEdit;

/// The completion items at a position, the best first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completions {
    /// All items, not filtered by the typed text, because the editor filters them.
    pub items: Vec<Item>,
    /// The span in the file that an item replaces: the whole word at the cursor.
    pub replace: Span,
    /// The part of `replace` before the cursor.
    pub insert: Span,
    /// Whether items contain only the next step of a path, so that the editor must ask again after the user accepts one.
    pub is_incomplete: bool,
}

impl Completions {
    /// Whether the typed text equals an item. If so, completion offers nothing, even if other items start with that text, so that Enter and Tab keep
    /// their normal meaning.
    pub fn are_written(&self, text: &str) -> bool {
        let typed = &text[self.insert.range()];
        !typed.is_empty() && self.items.iter().any(|it| it.is_text() && it.text == typed)
    }

    /// Whether the typed text may become equal to an item, so that the editor must ask again.
    pub fn have_text(&self) -> bool {
        self.items.iter().any(Item::is_text)
    }
}

/// A completion item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// The label shown in the list.
    pub label: String,
    /// The kind of item.
    pub kind: ItemKind,
    /// The text right after the label, such as parameters.
    pub suffix: Option<String>,
    /// A short form of the item's type.
    pub detail: Option<String>,
    /// A remark at the end of the line.
    pub note: Option<String>,
    /// The documentation that the editor shows beside the item.
    pub documentation: Option<Documentation>,
    /// The text that the editor matches with the typed text.
    pub filter: String,
    /// The inserted text.
    pub text: String,
    /// The inserted text with placeholders (`${1:name}`, `$0`), if it has any. Further lines are indented relative to the cursor's line.
    pub snippet: Option<String>,
    /// Additional edits elsewhere in the file.
    pub edits: Vec<TextEdit>,
    /// Whether the item is the most likely choice.
    pub preselect: bool,
    /// Whether the item is deprecated.
    pub deprecated: bool,
    /// Whether another key or value usually follows, so the editor may request completion again.
    pub asks_again: bool,
    /// Characters that accept the item and are then inserted.
    pub commit: &'static [char],
}

/// The kind of a completion item.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ItemKind {
    /// A key.
    Key,
    /// One of a few allowed values.
    EnumMember,
    /// Any other value.
    Value,
    /// A snippet of several lines.
    Snippet,
    /// A kind of object, such as `Widget`.
    Kind,
    /// A field in an expression.
    Field,
    /// A variable in an expression.
    Variable,
    /// A function.
    Function,
    /// A method.
    Method,
    /// A macro.
    Macro,
    /// A keyword of CEL, such as `true` or `in`.
    Keyword,
    /// The name of a type.
    Type,
}

impl Item {
    /// Whether the item inserts only its label.
    fn is_text(&self) -> bool {
        self.snippet.is_none() && self.edits.is_empty() && self.text == self.filter
    }

    /// Creates an item that inserts its label.
    pub(crate) fn new(label: impl Into<String>, kind: ItemKind) -> Self {
        let label = label.into();
        Self {
            filter: label.clone(),
            text: label.clone(),
            label,
            kind,
            suffix: None,
            detail: None,
            note: None,
            documentation: None,
            snippet: None,
            edits: Vec::new(),
            preselect: false,
            deprecated: false,
            asks_again: false,
            commit: &[],
        }
    }
}

/// Escapes a string for a snippet.
pub(super) fn escape_snippet(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if matches!(char, '\\' | '$' | '}') {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// Escapes a string for the choices of a snippet.
pub(super) fn escape_choice(text: &str) -> String {
    escape_snippet(text).replace(',', "\\,").replace('|', "\\|")
}
