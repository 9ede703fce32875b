//! A document in a simulated VS Code: Enter, closing quotes and brackets, and the edits of accepted items.

use anyhow::Context as _;
use regex::Regex;
use serde::Deserialize;

/// The Enter rules of our extension.
const RULES: &str = include_str!("../../../../editors/vscode/src/enter.json");

/// The number of columns per indentation level in VS Code for YAML.
const LEVEL: usize = 2;

#[derive(Deserialize)]
struct Written {
    before: String,
    indent: bool,
    append: String,
}

/// Patterns for the current line, and the indentation that Enter adds for them.
pub(super) struct EnterRules(Vec<(Regex, usize)>);

impl EnterRules {
    /// The rules for `autoIndent: advanced`, with or without the rules of the extension. VS Code itself has no such rules for YAML.
    pub(super) fn new(with_rules: bool) -> anyhow::Result<Self> {
        let written: Vec<Written> = serde_json::from_str(RULES).context("the rules for Enter")?;
        let rules = written.into_iter().filter(|_| with_rules).map(|it| {
            let columns = it.append.len() + if it.indent { LEVEL } else { 0 };
            Ok((Regex::new(&it.before)?, columns))
        });
        Ok(Self(rules.collect::<anyhow::Result<_>>()?))
    }

    fn indentation(&self, line: &str) -> usize {
        let own = line.len() - line.trim_start_matches(' ').len();
        let rule = self.0.iter().find(|it| it.0.is_match(line));
        own + rule.map_or(0, |it| it.1)
    }
}

/// A document with a cursor.
#[derive(Clone)]
pub(super) struct Editor {
    /// The text before the cursor.
    pub(super) before: String,
    /// The text after the cursor.
    pub(super) after: String,
    /// Characters after the cursor that the editor inserted automatically.
    closed: Vec<char>,
}

/// A replacement of a byte range.
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
}

impl Editor {
    pub(super) fn new(before: &str, after: &str) -> Self {
        Self {
            before: before.to_owned(),
            after: after.to_owned(),
            closed: Vec::new(),
        }
    }

    pub(super) fn text(&self) -> String {
        [self.before.as_str(), &self.after].concat()
    }

    /// The current line up to the cursor.
    pub(super) fn line(&self) -> &str {
        self.before.rsplit('\n').next().unwrap_or_default()
    }

    pub(super) fn position(&self) -> (usize, usize) {
        position(&self.before, self.before.len())
    }

    /// Presses a key that inserts a character.
    pub(super) fn press(&mut self, key: char, rules: &EnterRules) {
        if key == '\n' {
            let columns = rules.indentation(self.line());
            self.before.push('\n');
            self.before.push_str(&" ".repeat(columns));
            self.closed.clear();
            return;
        }
        if self.closed.last() == Some(&key) && self.after.starts_with(key) {
            // The cursor moves over the automatically inserted character.
            self.closed.pop();
            self.after.remove(0);
            self.before.push(key);
            return;
        }
        let last = self.before.chars().next_back();
        let next = self.after.chars().next();
        let is_free =
            next.is_none_or(|it| it.is_whitespace() || ";:.,=}])>".contains(it) || self.closed.last() == Some(&it));
        let close = match key {
            '{' => Some('}'),
            '[' => Some(']'),
            '(' => Some(')'),
            '"' | '\'' if last.is_none_or(|it| !is_word(it) && it != key) => Some(key),
            _ => None,
        };
        self.before.push(key);
        if let Some(close) = close.filter(|_| is_free) {
            self.after.insert(0, close);
            self.closed.push(close);
        }
    }

    /// Deletes characters before the cursor, and indentation one level at a time. Returns the number of key presses.
    pub(super) fn take_back(&mut self, bytes: usize) -> usize {
        let until = self.before.len() - bytes;
        let mut keys = 0;
        while self.before.len() > until {
            let line = self.line();
            let is_indentation = !line.is_empty() && line.trim_matches(' ').is_empty();
            let step = if is_indentation {
                (line.len() - 1) % LEVEL + 1
            } else {
                1
            };
            let step = step.min(self.before.len() - until);
            self.before.truncate(self.before.len() - step);
            keys += 1;
        }
        keys
    }

    /// Applies edits. Moves the cursor to the end of the first edit's text, minus `back` bytes.
    pub(super) fn apply(&mut self, edits: &[Edit], back: usize) {
        let mut text = self.text();
        let main = &edits[0];
        let mut cursor = main.start + main.text.len() - back;
        for other in &edits[1..] {
            if other.end <= main.start {
                cursor = cursor + other.text.len() - (other.end - other.start);
            }
        }
        let mut sorted: Vec<&Edit> = edits.iter().collect();
        sorted.sort_by_key(|it| std::cmp::Reverse((it.start, it.end)));
        for edit in sorted {
            text.replace_range(edit.start..edit.end, &edit.text);
        }
        self.after = text.split_off(cursor);
        self.before = text;
    }
}

/// The line and column of a byte offset in an ASCII text.
pub(super) fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..byte];
    let line = before.matches('\n').count();
    (line, byte - before.rfind('\n').map_or(0, |it| it + 1))
}

/// Whether a character is part of a word, with VS Code's default word pattern.
pub(super) fn is_word(it: char) -> bool {
    it.is_ascii_alphanumeric() || matches!(it, '_' | '$')
}
