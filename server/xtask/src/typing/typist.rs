//! Simulates a person who types a part of a manifest and accepts the first item if it is the wanted one.

mod accept;

use std::time::Instant;

use crd_analyzer_syntax::common;
use serde_json::{Value, json};

use super::{
    Stats,
    editor::{Editor, EnterRules, is_word, position},
    outside::{Outside, Region},
    popup::{Item, ItemKind, Popup},
    subtrees::Subtree,
};
use crate::session::EditorSession;

/// Characters that trigger completion.
const TRIGGERS: [char; 6] = ['.', ' ', '\'', '"', '[', '?'];

pub(super) struct Typist<'a> {
    session: &'a mut EditorSession,
    rules: &'a EnterRules,
    subtree: Subtree<'a>,
    stats: &'a mut Stats,
    uri: String,
    version: u64,
    editor: Editor,
    /// The text to type, with quotes as in accepted items.
    target: String,
    popup: Option<Popup>,
    /// Diagnostics outside the entry: those before typing, those after typing, and those in both.
    diagnostics: [Outside; 3],
    lenses: [Outside; 3],
}

/// The remaining text to type, for comparison with an item.
struct Wanted<'t> {
    /// The rest of the text, from the start of the item's replaced range.
    rest: &'t str,
}

impl Wanted<'_> {
    /// Whether a person would choose the item by its label.
    fn is(&self, item: &Item) -> bool {
        let label = item.label.as_str();
        if label == "-" {
            return self.rest.starts_with("- ");
        }
        // To get a quoted expression, a person types the quote first.
        let rest = match item.kind {
            ItemKind::Name => self.rest,
            _ => self.rest.strip_prefix(['"', '\'']).unwrap_or(self.rest),
        };
        let Some(behind) = rest.strip_prefix(label) else {
            return false;
        };
        let next = behind.chars().next();
        match item.kind {
            ItemKind::Key => behind.trim_start_matches(['"', '\'']).starts_with(':'),
            ItemKind::Value => next.is_none_or(|it| matches!(it, '\n' | '"' | '\'' | ',' | ']' | '}')),
            ItemKind::Name => next.is_none_or(|it| !is_word(it)),
            ItemKind::Snippet => false,
        }
    }
}

impl<'a> Typist<'a> {
    pub(super) fn new(
        session: &'a mut EditorSession,
        rules: &'a EnterRules,
        subtree: Subtree<'a>,
        number: usize,
        stats: &'a mut Stats,
    ) -> anyhow::Result<Self> {
        // The CRD of a resource is found in the folder with the same name.
        let uri = if subtree.kind.is_of_definition() {
            format!("file:///typing/{number}.yaml")
        } else {
            let near = subtree.file.path.to_string_lossy().replace("/crs/", "/crds/");
            format!("file://{near}.{number}.yaml")
        };
        let mut typist = Self {
            session,
            rules,
            subtree,
            stats,
            uri,
            version: 0,
            editor: Editor::new(subtree.before, subtree.after),
            target: subtree.typed.to_owned(),
            popup: None,
            diagnostics: [(); 3].map(|()| Outside::default()),
            lenses: [(); 3].map(|()| Outside::default()),
        };
        let whole = [subtree.before, subtree.typed, subtree.after].concat();
        let lines = subtree.typed.matches('\n').count();
        let (diagnostics, lenses) = typist.opened(&whole, lines)?;
        (typist.diagnostics[1], typist.lenses[1]) = (diagnostics, lenses);
        typist.close()?;
        let cut = typist.editor.text();
        let (diagnostics, lenses) = typist.opened(&cut, 0)?;
        typist.diagnostics[2] = diagnostics.both(&typist.diagnostics[1]);
        typist.lenses[2] = lenses.both(&typist.lenses[1]);
        (typist.diagnostics[0], typist.lenses[0]) = (diagnostics, lenses);
        Ok(typist)
    }

    /// Types the whole part.
    pub(super) fn run(mut self) -> anyhow::Result<()> {
        self.stats.plain_keys += self.plain_keys();
        while self.position() < self.target.len() {
            if !self.accept()? {
                self.next_key()?;
            }
        }
        let after = self.editor.after.clone();
        if after != self.subtree.after {
            let rest = after.strip_suffix(self.subtree.after).unwrap_or(&after).to_owned();
            if rest.trim().is_empty() || after.ends_with(self.subtree.after) && rest.len() < 3 {
                // A person deletes superfluous closing characters.
                self.stats.keys += rest.trim_end().len();
            } else {
                self.damaged("text is left behind the cursor", &rest);
            }
        }
        self.close()
    }

    /// The position in the target that corresponds to the cursor.
    fn position(&self) -> usize {
        self.editor.before.len() - self.subtree.before.len()
    }

    fn describe(&self) -> String {
        let lines = self.editor.before.matches('\n').count() + 1;
        format!(
            "{}:{lines} behind {:?}",
            self.subtree.file.path.display(),
            self.editor.line()
        )
    }

    fn damaged(&mut self, why: &str, what: &str) {
        let case = format!("{}: {why}: {what:?}", self.describe());
        self.stats.damaged += 1;
        self.stats.case("damaged", || case);
    }

    /// The number of keys without completion lists.
    fn plain_keys(&self) -> usize {
        let mut editor = Editor::new(self.subtree.before, self.subtree.after);
        let mut keys = 0;
        let start = editor.before.len();
        while editor.before.len() - start < self.subtree.typed.len() {
            let at = editor.before.len() - start;
            keys += one_key(&mut editor, &self.subtree.typed[at..], self.subtree.after, self.rules);
        }
        keys
    }

    /// Presses the next key of the target.
    fn next_key(&mut self) -> anyhow::Result<()> {
        let at = self.position();
        let key = self.target[at..].chars().next().unwrap_or('\n');
        if let Some(popup) = &self.popup {
            let (shown, marked) = popup.shown(&self.editor);
            let is_shown = !shown.is_empty();
            let commits = shown
                .get(marked)
                .filter(|it| it.commits.contains(&key))
                .map(|it| (*it).clone());
            let line = self.editor.before.len() - self.editor.line().len();
            let is_in = shown.iter().any(|it| {
                let from = (line + it.start()).checked_sub(self.subtree.before.len());
                from.and_then(|it| self.target.get(it..))
                    .is_some_and(|rest| Wanted { rest }.is(it))
            });
            if is_shown {
                let (are_words, asked_at) = (popup.are_words, popup.asked_at);
                let labels: Vec<String> = shown.iter().take(4).map(|it| it.label.clone()).collect();
                self.stats.shown += 1;
                if !is_in {
                    self.stats.unwanted += 1;
                    self.stats.words += usize::from(are_words);
                    if !are_words {
                        let case = format!("{} before {key:?}: {labels:?}", self.describe());
                        self.stats.case("unwanted", || case);
                    }
                }
                if key == '\n' {
                    let case = format!("{}: {labels:?}", self.describe());
                    self.stats.escaped += 1;
                    self.stats.keys += 1;
                    self.stats.case("escaped", || case);
                    self.popup = None;
                } else if let Some(item) = commits {
                    self.take(&item, asked_at)?;
                    if self.position() >= self.target.len() || !self.target[self.position()..].starts_with(key) {
                        return Ok(());
                    }
                }
            }
        }
        let at = self.position();
        let old = self.editor.text();
        let rest = self.target[at..].to_owned();
        self.stats.keys += one_key(&mut self.editor, &rest, self.subtree.after, self.rules);
        self.send(&old)?;
        self.look()?;
        self.ask_after(key)
    }

    /// Does the same as VS Code after a typed character.
    fn ask_after(&mut self, key: char) -> anyhow::Result<()> {
        if key == '\n' {
            self.popup = None;
            return Ok(());
        }
        let falls_back = {
            let line = self.editor.line();
            let start = line.len() - line.chars().rev().take_while(|it| is_word(*it)).count();
            let word = &line[start..];
            !word.is_empty() && word.parse::<f64>().is_err()
        };
        if TRIGGERS.contains(&key) {
            return self.ask(&json!({ "triggerKind": 2, "triggerCharacter": key.to_string() }), false);
        }
        if let Some(popup) = &self.popup {
            if popup.is_incomplete && is_word(key) {
                return self.ask(&json!({ "triggerKind": 3 }), true);
            }
            if popup.shown(&self.editor).0.is_empty() {
                self.popup = None;
            }
            return Ok(());
        }
        let next = self.editor.after.chars().next();
        if falls_back && is_word(key) && !next.is_some_and(is_word) {
            return self.ask(&json!({ "triggerKind": 1 }), true);
        }
        Ok(())
    }

    fn ask(&mut self, context: &Value, falls_back: bool) -> anyhow::Result<()> {
        let (line, character) = self.editor.position();
        let params = json!({
            "textDocument": { "uri": self.uri },
            "position": { "line": line, "character": character },
            "context": context,
        });
        let begin = Instant::now();
        let answer = self.session.request("textDocument/completion", &params)?;
        self.stats.times.push(begin.elapsed());
        self.popup = Popup::of(&answer, &self.editor, falls_back);
        let Some(popup) = &self.popup else { return Ok(()) };
        let (shown, marked) = popup.shown(&self.editor);
        let start = self.editor.before.len() - self.editor.line().len();
        let rank = shown.iter().position(|it| {
            let from = (start + it.start()).checked_sub(self.subtree.before.len());
            from.and_then(|it| self.target.get(it..))
                .is_some_and(|rest| Wanted { rest }.is(it))
        });
        if let Some(rank) = rank.filter(|_| !popup.are_words) {
            self.stats.offered += 1;
            self.stats.first += usize::from(rank == marked);
            if rank != marked {
                let case = format!(
                    "{}: {} after {:?}",
                    self.describe(),
                    shown[rank].label,
                    shown[marked].label
                );
                self.stats.case("not first", || case);
            }
        }
        if shown.is_empty() {
            self.popup = None;
        }
        Ok(())
    }

    /// Sends the difference between an old text and the current one.
    fn send(&mut self, old: &str) -> anyhow::Result<()> {
        let new = self.editor.text();
        if old == new {
            return Ok(());
        }
        let same = common::ahead(old.as_bytes(), new.as_bytes());
        let same_end = common::behind(&old.as_bytes()[same..], &new.as_bytes()[same..]);
        // The smallest possible change is sent, so an insertion at the cursor stays an insertion.
        let places = [position(old, same), position(old, old.len() - same_end)];
        self.version += 1;
        self.session
            .change(&self.uri, self.version, places, &new[same..new.len() - same_end])
    }

    /// Compares everything outside the entry.
    fn look(&mut self) -> anyhow::Result<()> {
        let behind = self.editor.after.len().saturating_sub(self.subtree.after.len());
        let text = &self.editor.before[self.subtree.before.len().min(self.editor.before.len())..];
        let lines = text.matches('\n').count() + self.editor.after[..behind].matches('\n').count();
        let (diagnostics, lenses) = self.told(lines)?;
        let lost = self.diagnostics[2].without(&[&diagnostics]);
        let lost_lenses = self.lenses[2].without(&[&lenses]);
        let appeared = diagnostics.without(&[&self.diagnostics[0], &self.diagnostics[1]]);
        for (what, list) in [("lost", lost), ("lost lens", lost_lenses), ("appeared", appeared)] {
            if let Some(first) = list.first() {
                let case = format!("{}: {first}, {} in all", self.describe(), list.len());
                match what {
                    "lost" => self.stats.lost += 1,
                    "lost lens" => self.stats.lost_lenses += 1,
                    _ => self.stats.appeared += 1,
                }
                self.stats.case(what, || case);
            }
        }
        Ok(())
    }

    fn told(&mut self, lines: usize) -> anyhow::Result<(Outside, Outside)> {
        let region = Region {
            before: self.subtree.before.matches('\n').count(),
            lines,
        };
        let document = json!({ "textDocument": { "uri": self.uri } });
        let report = self.session.request("textDocument/diagnostic", &document)?;
        let lenses = self.session.request("textDocument/codeLens", &document)?;
        Ok((Outside::of(&report["items"], region), Outside::of(&lenses, region)))
    }

    fn opened(&mut self, text: &str, lines: usize) -> anyhow::Result<(Outside, Outside)> {
        let document = json!({ "uri": self.uri, "languageId": "yaml", "version": 0, "text": text });
        self.session
            .notify("textDocument/didOpen", &json!({ "textDocument": document }))?;
        self.told(lines)
    }

    fn close(&mut self) -> anyhow::Result<()> {
        let document = json!({ "textDocument": { "uri": self.uri } });
        self.session.notify("textDocument/didClose", &document)
    }
}

/// Presses the next key to type `rest`: a character, or keys that bring the cursor to its column on a new line. Returns the number of keys.
fn one_key(editor: &mut Editor, rest: &str, after: &str, rules: &EnterRules) -> usize {
    let key = rest.chars().next().unwrap_or('\n');
    // The editor has already inserted the closing character.
    if key != '\n' && editor.after.len() > after.len() && editor.after.starts_with(key) {
        editor.after.remove(0);
        editor.before.push(key);
        return 1;
    }
    editor.press(key, rules);
    if key != '\n' {
        return 1;
    }
    let wanted = rest[1..].len() - rest[1..].trim_start_matches(' ').len();
    let has = editor.line().len();
    if has > wanted {
        return 1 + editor.take_back(has - wanted);
    }
    // Each Tab adds one indentation level.
    editor.before.push_str(&" ".repeat(wanted - has));
    1 + (wanted - has).div_ceil(2)
}
