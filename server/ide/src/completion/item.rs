//! A completion item.

use crate::markdown::Documentation;
use crd_analyzer_syntax::tree::Span;

use crate::fixes::TextEdit;

/// What can be written at a place, the best first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completions {
    /// All there is: what is typed already has no part in it, the editor filters.
    pub items: Vec<Item>,
    /// What an item replaces, in bytes of the file: all of the word that the cursor is in.
    pub replace: Span,
    /// The part of it before the cursor.
    pub insert: Span,
    /// Only the next step is offered: after that there are others.
    pub is_incomplete: bool,
}

impl Completions {
    /// Whether a text is one of the items to its end. Then nothing is offered, also where others go on: Enter is Enter, and Tab is Tab.
    pub fn are_written(&self, text: &str) -> bool {
        let typed = &text[self.insert.range()];
        !typed.is_empty() && self.items.iter().any(|it| it.is_text() && it.text == typed)
    }

    /// Whether an item can be the same as what is typed, so that the list has to be asked for again to know.
    pub fn have_text(&self) -> bool {
        self.items.iter().any(Item::is_text)
    }
}

/// A completion item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// The label in the list.
    pub label: String,
    /// What it is.
    pub kind: ItemKind,
    /// Shown right behind the label: parameters.
    pub suffix: Option<String>,
    /// Its type, in a few words.
    pub detail: Option<String>,
    /// Shown at the end of the line: what is special about it.
    pub note: Option<String>,
    /// The documentation that the editor shows beside the item.
    pub documentation: Option<Documentation>,
    /// What is typed is compared with this.
    pub filter: String,
    /// What is inserted.
    pub text: String,
    /// The same with places to fill in (`${1:name}`, `$0`), if it has any. Further lines are indented as from the cursor's line.
    pub snippet: Option<String>,
    /// Changes elsewhere that go with it.
    pub edits: Vec<TextEdit>,
    /// It is what most want here.
    pub preselect: bool,
    /// It is no longer to be used.
    pub deprecated: bool,
    /// Another key or value usually follows: the editor may ask again at once.
    pub asks_again: bool,
    /// Characters that take it and are typed as well.
    pub commit: &'static [char],
}

/// What an item is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ItemKind {
    /// A key.
    Key,
    /// A value out of a few.
    EnumMember,
    /// Any other value.
    Value,
    /// Several lines.
    Snippet,
    /// A kind of objects.
    Kind,
    /// A field in an expression.
    Field,
    /// A variable in an expression.
    Variable,
    /// A function.
    Function,
    /// A function that is called on something.
    Method,
    /// A macro.
    Macro,
    /// `true`, `in`
    Keyword,
    /// The name of a type.
    Type,
}

impl Item {
    /// Whether it is a word and nothing more.
    fn is_text(&self) -> bool {
        self.snippet.is_none() && self.edits.is_empty() && self.text == self.filter
    }

    /// An item that inserts its label.
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

/// Escapes text for a snippet.
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

/// A value as one of the choices of a snippet.
pub(super) fn escape_choice(text: &str) -> String {
    escape_snippet(text).replace(',', "\\,").replace('|', "\\|")
}
