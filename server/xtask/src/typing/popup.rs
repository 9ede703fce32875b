//! Completion lists as VS Code shows them: filtering and sorting of items, and closing of the list.

use serde_json::Value;

use super::editor::{Edit, Editor, is_word};

/// The kind of an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ItemKind {
    Key,
    Value,
    /// A name in a CEL expression.
    Name,
    Snippet,
}

/// An item of a completion list.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) label: String,
    filter: String,
    sort: String,
    pub(super) kind: ItemKind,
    preselect: bool,
    pub(super) commits: Vec<char>,
    pub(super) is_snippet: bool,
    pub(super) text: String,
    /// The line and columns of the replaced range.
    line: usize,
    start: usize,
    end: usize,
    more: Vec<Value>,
    /// Whether accepting the item requests the next list.
    pub(super) asks_again: bool,
}

impl Item {
    fn new(item: &Value) -> Option<Self> {
        let edit = &item["textEdit"];
        let range = if edit["insert"].is_object() {
            &edit["insert"]
        } else {
            &edit["range"]
        };
        let number = |it: &Value| it.as_u64().map(|it| it as usize);
        let label = item["label"].as_str()?.to_owned();
        let text = |it: &Value| it.as_str().map(str::to_owned);
        Some(Self {
            filter: text(&item["filterText"]).unwrap_or_else(|| label.clone()),
            sort: text(&item["sortText"]).unwrap_or_else(|| label.clone()),
            kind: match item["kind"].as_u64() {
                Some(10) => ItemKind::Key,
                Some(2..=7 | 14) => ItemKind::Name,
                Some(15) => ItemKind::Snippet,
                _ => ItemKind::Value,
            },
            preselect: item["preselect"] == true,
            commits: item["commitCharacters"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|it| it.as_str()?.chars().next())
                .collect(),
            is_snippet: item["insertTextFormat"] == 2,
            text: text(&edit["newText"])?,
            line: number(&range["start"]["line"])?,
            start: number(&range["start"]["character"])?,
            end: number(&range["end"]["character"])?,
            more: item["additionalTextEdits"].as_array().cloned().unwrap_or_default(),
            asks_again: item["command"]["command"] == "editor.action.triggerSuggest",
            label,
        })
    }

    /// The first column of the replaced range.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// The edits of the item if it is accepted at the current position with this text. The text that was typed since the request is also replaced.
    pub(super) fn edits(&self, editor: &Editor, asked_at: usize, text: &str) -> Vec<Edit> {
        let all = editor.text();
        let byte = |line: usize, column: usize| {
            let start = all.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
            start + column
        };
        let typed = editor.position().1.saturating_sub(asked_at);
        let mut edits = vec![Edit {
            start: byte(self.line, self.start),
            end: byte(self.line, self.end + typed),
            text: text.to_owned(),
        }];
        for edit in &self.more {
            let place = |it: &Value| {
                let line = it["line"].as_u64().unwrap_or_default() as usize;
                let column = it["character"].as_u64().unwrap_or_default() as usize;
                // Positions after the typed text have moved since the request.
                byte(
                    line,
                    if line == self.line && column >= self.end {
                        column + typed
                    } else {
                        column
                    },
                )
            };
            edits.push(Edit {
                start: place(&edit["range"]["start"]),
                end: place(&edit["range"]["end"]),
                text: edit["newText"].as_str().unwrap_or_default().to_owned(),
            });
        }
        edits
    }
}

/// A requested completion list.
pub(super) struct Popup {
    items: Vec<Item>,
    pub(super) is_incomplete: bool,
    /// The column of the cursor at the time of the request.
    pub(super) asked_at: usize,
    /// Whether the items are words of the document, which VS Code offers if nothing else is available.
    pub(super) are_words: bool,
}

impl Popup {
    /// The list of an answer. If the answer contains no items and `falls_back` is set, the list contains words of the document.
    pub(super) fn of(answer: &Value, editor: &Editor, falls_back: bool) -> Option<Self> {
        let list = answer.as_array().or_else(|| answer["items"].as_array());
        let items: Vec<_> = list.into_iter().flatten().filter_map(Item::new).collect();
        let asked_at = editor.position().1;
        // An item that does not match also prevents the fallback to words.
        if list.is_some_and(|it| !it.is_empty()) {
            return Some(Self {
                items,
                is_incomplete: answer["isIncomplete"] == true,
                asked_at,
                are_words: false,
            });
        }
        falls_back.then(|| Self {
            items: words(editor),
            is_incomplete: false,
            asked_at,
            are_words: true,
        })
    }

    /// The shown items, best first, and the index of the selected item.
    pub(super) fn shown(&self, editor: &Editor) -> (Vec<&Item>, usize) {
        let line = editor.line();
        let mut found: Vec<(u32, &Item)> = self
            .items
            .iter()
            .filter_map(|it| Some((score(line.get(it.start..)?, &it.filter)?, it)))
            .collect();
        found.sort_by(|one, other| (other.0, &one.1.sort).cmp(&(one.0, &other.1.sort)));
        let top = found.first().map(|it| it.0);
        let marked = found.iter().position(|it| it.1.preselect && Some(it.0) == top);
        (found.into_iter().map(|it| it.1).collect(), marked.unwrap_or(0))
    }
}

/// Words of the document, without the word that is being typed.
fn words(editor: &Editor) -> Vec<Item> {
    let line = editor.line();
    let (row, column) = editor.position();
    let start = line.len() - line.chars().rev().take_while(|it| is_word(*it)).count();
    let text = editor.text();
    let mut found: Vec<&str> = text.split(|it| !is_word(it)).filter(|it| it.len() > 1).collect();
    found.sort_unstable();
    found.dedup();
    found
        .into_iter()
        .filter(|it| *it != &line[start..] && it.parse::<f64>().is_err())
        .map(|word| Item {
            label: word.to_owned(),
            filter: word.to_owned(),
            sort: word.to_owned(),
            kind: ItemKind::Value,
            preselect: false,
            commits: Vec::new(),
            is_snippet: false,
            text: word.to_owned(),
            line: row,
            start,
            end: column,
            more: Vec::new(),
            asks_again: false,
        })
        .collect()
}

/// A score for the match between a word and the typed text; `None` without a match. Approximates VS Code's score in the cases that decide the first
/// item: a match of the whole word, of its prefix, of the prefixes of its parts, or of its letters in order, with the first letter at the start of a
/// part.
fn score(typed: &str, word: &str) -> Option<u32> {
    if typed.is_empty() {
        return Some(0);
    }
    if word == typed {
        return Some(9);
    }
    if word.starts_with(typed) {
        return Some(8);
    }
    let (lower, lower_word) = (typed.to_lowercase(), word.to_lowercase());
    if lower_word.starts_with(&lower) {
        return Some(7);
    }
    let letters: Vec<char> = word.chars().collect();
    let begins = |at: usize| {
        at == 0
            || letters[at].is_uppercase() && !letters[at - 1].is_uppercase()
            || !letters[at - 1].is_alphanumeric() && letters[at].is_alphanumeric()
    };
    let lower_letters: Vec<char> = lower_word.chars().collect();
    let wanted: Vec<char> = lower.chars().collect();
    let from = |start: usize| {
        let mut wanted = wanted.iter().peekable();
        for it in &lower_letters[start..] {
            wanted.next_if_eq(&it);
        }
        wanted.peek().is_none()
    };
    let starts: Vec<usize> = (0..lower_letters.len().min(letters.len()))
        .filter(|at| begins(*at) && lower_letters[*at] == wanted[0])
        .collect();
    if starts.iter().any(|at| lower_letters[*at..].starts_with(&wanted)) {
        return Some(6);
    }
    starts.into_iter().any(from).then_some(1)
}
