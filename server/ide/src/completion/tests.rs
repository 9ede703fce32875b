//! Tests for the offered items, and for the text after accepting one. `$0` is the cursor.

mod configuration;
mod definitions;
mod expressions;
mod nodes;
mod resources;

use std::{path::Path, sync::Arc};

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::index::{Catalog, CrdText, Files, GroupKind, MemoryFiles, NewFile, Origin, objects};

use crate::file::File;

use super::{Completions, Definitions, Item, Request, complete};

/// A catalog with the CRDs of one file.
struct TestIndex(Catalog);

impl TestIndex {
    fn new(text: &str) -> Self {
        let path = Path::new("/crds.yaml");
        let files = MemoryFiles([(path.to_owned(), text.to_owned())].into());
        let (content, found) = objects(files.read(path).expect("the file"));
        let catalog = Catalog::new(files);
        catalog.change(|index| {
            index.set(&NewFile {
                path,
                origin: Origin::Workspace,
                text: &content,
                objects: &found,
                keep_text: true,
            })
        });
        Self(catalog)
    }
}

impl Definitions for TestIndex {
    fn find(&self, kind: &GroupKind) -> Option<Arc<CrdText>> {
        let found = self.0.with(|index| index.find(kind, Path::new("/cr.yaml")))?;
        self.0.text(&found.definition)
    }

    fn kinds(&self) -> Vec<GroupKind> {
        self.0
            .with(|index| index.definitions().map(|it| it.defines.clone()).collect())
    }
}

/// A text, a cursor in it, and the items offered there.
struct Offered {
    text: String,
    found: Option<Completions>,
}

impl Offered {
    fn new(text: &str, definitions: &dyn Definitions, version: KubernetesVersion) -> Self {
        let offset = text.find("$0").expect("a cursor") as u32;
        let text = text.replacen("$0", "", 1);
        let file = File::new(text.as_str(), Arc::default());
        let document = file.document_at(offset);
        let whole = crd_analyzer_syntax::edit::read(text.as_str(), Span::new(0, text.len() as u32));
        let tree = document.map_or(&whole.tree, |it| it.tree);
        let found = complete(&Request {
            tree,
            document: document.as_ref(),
            offset,
            version,
            snippets: true,
            transforms: false,
            definitions,
        });
        Self { text, found }
    }

    /// The labels that match the typed text, in the order of a client that filters by prefix.
    fn labels(&self) -> Vec<&str> {
        let Some(found) = &self.found else { return Vec::new() };
        let typed = &self.text[found.insert.range()];
        let items = found
            .items
            .iter()
            .filter(|it| it.filter.starts_with(typed.trim_start_matches(['"', '\''])));
        items.map(|it| it.label.as_str()).collect()
    }

    #[track_caller]
    fn item(&self, label: &str) -> &Item {
        let found = self.found.as_ref().expect("something is offered");
        found
            .items
            .iter()
            .find(|it| it.label == label)
            .unwrap_or_else(|| panic!("{label} is not offered"))
    }

    /// The text after accepting an item. The lines of a snippet are indented as clients indent them.
    #[track_caller]
    fn taken(&self, label: &str) -> String {
        let item = self.item(label);
        let found = self.found.as_ref().expect("something is offered");
        let start = found.replace.start as usize;
        let line = &self.text[self.text[..start].rfind('\n').map_or(0, |it| it + 1)..];
        let indentation = &line[..line.len() - line.trim_start_matches(' ').len()];
        let indentation = &indentation[..indentation.len().min(start)];
        let inserted = match &item.snippet {
            Some(snippet) => snippet.replace('\n', &format!("\n{indentation}")),
            None => item.text.clone(),
        };
        let mut text = self.text.clone();
        text.replace_range(found.replace.range(), &inserted);
        for edit in item.edits.iter().rev() {
            text.replace_range(edit.span.range(), &edit.new_text);
        }
        text
    }
}

/// Checks the first items of a list.
#[track_caller]
fn check_first(offered: &Offered, expected: &[&str]) {
    let labels = offered.labels();
    let first = &labels[..labels.len().min(expected.len())];
    assert_eq!(first, expected, "of {labels:?} in {}", offered.text);
}

#[track_caller]
fn check_none_of(offered: &Offered, unexpected: &[&str]) {
    let labels = offered.labels();
    for label in unexpected {
        assert!(!labels.contains(label), "{label} in {labels:?} of {}", offered.text);
    }
}

/// Whatever part of a text is deleted, an item replaces text on one line around the cursor, and its other edits do not overlap that text.
#[test]
fn edits_fit_whatever_the_text_is() {
    let texts = [
        definitions::example(),
        resources::example(),
        expressions::example(),
        definitions::example().replace('\n', "\r\n"),
    ];
    let known = TestIndex::new(&resources::definition());
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = move |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    let mut offered = 0;
    for round in 0..4_000 {
        let text = &texts[round % texts.len()];
        let start = text.floor_char_boundary(below(text.len()));
        let end = match below(3) {
            0 => start,
            1 => text[start..].find('\n').map_or(text.len(), |it| start + it),
            _ => text.floor_char_boundary((start + below(12)).min(text.len())),
        };
        let typed = ["", "x", "self.", "'", "\"", "{", "- ", ": "][below(8)];
        let edited = format!("{}{typed}$0{}", &text[..start], &text[end.max(start)..]);
        let offered_here = Offered::new(&edited, &known, KubernetesVersion::NEWEST);
        let Some(found) = &offered_here.found else { continue };
        let offset = (start + typed.len()) as u32;
        let text = &offered_here.text;
        let replaced = &text[found.replace.range()];
        assert!(!replaced.contains('\n'), "{replaced:?} in {edited}");
        assert!(
            found.replace.touches(offset) && found.insert.end == offset && found.insert.start == found.replace.start
        );
        for item in &found.items {
            for edit in &item.edits {
                let span = edit.span;
                assert!(text.get(span.range()).is_some());
                assert!(
                    span.end <= found.replace.start || found.replace.end <= span.start,
                    "{item:?} in {edited}"
                );
            }
            offered += 1;
        }
    }
    assert!(offered > 10_000, "{offered}");
}
