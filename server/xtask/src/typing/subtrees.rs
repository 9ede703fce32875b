//! Parts of real manifests to type: a property, a rule, a version, a spec, or a field of a resource.

use std::sync::Arc;

use crd_analyzer_ide::{cel::RULES, completion::is_known as is_known_document, file::File as Parsed, schema};
use crd_analyzer_syntax::{
    paths::{Step, path_of},
    tree::{CollectionStyle, NodeId, NodeKind, Tree},
};
use fastrand::Rng;

use crate::completion::corpus::{Corpus, File};

/// The maximum size of a part in bytes. Longer parts mostly contain descriptions.
const MAX_BYTES: usize = 700;

/// The kind of a part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    Property,
    Rule,
    Version,
    Spec,
    Field,
}

impl Kind {
    const TURNS: [Self; 7] = [
        Self::Property,
        Self::Rule,
        Self::Field,
        Self::Property,
        Self::Spec,
        Self::Version,
        Self::Field,
    ];

    pub(super) fn at(turn: usize) -> Self {
        Self::TURNS[turn % Self::TURNS.len()]
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Property => "property",
            Self::Rule => "rule",
            Self::Version => "version",
            Self::Spec => "spec",
            Self::Field => "field",
        }
    }

    /// Whether the part is an item of a list.
    fn is_item(self) -> bool {
        matches!(self, Self::Rule | Self::Version)
    }

    /// Whether the part is in a CRD.
    pub(super) fn is_of_definition(self) -> bool {
        matches!(self, Self::Property | Self::Rule | Self::Version)
    }
}

/// A part to type, as whole lines of a file.
#[derive(Clone, Copy)]
pub(super) struct Subtree<'a> {
    pub(super) kind: Kind,
    pub(super) file: &'a File,
    /// The text before the part, without the line break.
    pub(super) before: &'a str,
    /// The line break before the part, and the lines of the part.
    pub(super) typed: &'a str,
    /// The text after the part.
    pub(super) after: &'a str,
}

/// All parts of one kind, by file.
pub(super) struct Candidates {
    kind: Kind,
    /// Indices of files, and the byte ranges of their parts.
    files: Vec<(usize, Vec<(usize, usize)>)>,
}

impl Candidates {
    pub(super) fn of(corpus: &Corpus, kind: Kind) -> Self {
        let files = if kind.is_of_definition() {
            &corpus.definitions
        } else {
            &corpus.objects
        };
        let found = files
            .iter()
            .enumerate()
            .filter(|it| kind.is_of_definition() || is_known(corpus, it.1))
            .map(|(at, file)| (at, in_file(file, kind)))
            .filter(|it| !it.1.is_empty())
            .collect();
        Self { kind, files: found }
    }

    pub(super) fn random<'a>(&self, corpus: &'a Corpus, random: &mut Rng) -> Option<Subtree<'a>> {
        let (file, spans) = random.choice(&self.files)?;
        let (start, end) = *random.choice(spans)?;
        let files = if self.kind.is_of_definition() {
            &corpus.definitions
        } else {
            &corpus.objects
        };
        let file = &files[*file];
        Some(Subtree {
            kind: self.kind,
            file,
            before: &file.text[..start],
            typed: &file.text[start..end],
            after: &file.text[end..],
        })
    }
}

/// Whether the kinds of all resources of a file are known. The language server does not help with other files.
fn is_known(corpus: &Corpus, file: &File) -> bool {
    let parsed = Parsed::new(file.text.clone(), Arc::default());
    let near = corpus.near(&file.path);
    parsed.documents().all(|it| is_known_document(it.tree, &near))
}

fn in_file(file: &File, kind: Kind) -> Vec<(usize, usize)> {
    let text = &file.text;
    if !text.is_ascii() || text.contains(['\r', '\t']) || text.contains("\n---") {
        return Vec::new();
    }
    let parsed = Parsed::new(text.clone(), Arc::default());
    let mut found = Vec::new();
    for document in parsed.documents().filter(|it| !it.is_broken) {
        let is_crd = document.is_crd();
        if is_crd != kind.is_of_definition() {
            continue;
        }
        let tree = document.tree;
        for node in tree.nodes() {
            if let Some(span) = part(tree, node, kind).and_then(|it| whole_lines(text, it, kind.is_item())) {
                found.push(span);
            }
        }
    }
    found
}

/// The byte range of the part whose value or item is this node.
fn part(tree: &Tree, node: NodeId, kind: Kind) -> Option<(usize, usize)> {
    let parent = tree.parent(node)?;
    let is_block_item = tree.kind(parent) == NodeKind::Sequence(CollectionStyle::Block);
    if is_block_item != kind.is_item() {
        return None;
    }
    let path = path_of(tree, node);
    let key = |from_end: usize| match path.len().checked_sub(from_end).and_then(|it| path.get(it)) {
        Some(Step::Key(key)) => Some(&**key),
        _ => None,
    };
    let fits = match kind {
        Kind::Property => {
            key(2) == Some("properties")
                && path.len() > 7
                && tree.entries(parent).count() > 1
                && schema::is_schema_node(tree, node)
        }
        Kind::Rule => key(2) == Some(RULES),
        Kind::Version => path.len() == 3 && key(2) == Some("versions"),
        Kind::Spec => path.len() == 1 && key(1) == Some("spec"),
        Kind::Field => {
            path.len() > 1 && key(1).is_some() && key(path.len()) == Some("spec") && tree.entries(parent).count() > 1
        }
    };
    let is_value = is_block_item || tree.entry_of(node).is_some_and(|it| it.value == node);
    if !fits || !is_value || !matches!(tree.kind(parent), NodeKind::Mapping(CollectionStyle::Block)) && !is_block_item {
        return None;
    }
    let start = match tree.entry_of(node) {
        Some(entry) => tree.span(entry.key).start,
        None => tree.span(node).start,
    };
    Some((start as usize, tree.span(node).end as usize))
}

/// The lines of a part with the preceding line break, if the lines contain no other text, comments or anchors.
fn whole_lines(text: &str, (start, end): (usize, usize), is_item: bool) -> Option<(usize, usize)> {
    let line = text[..start].rfind('\n').filter(|it| *it > 0)?;
    let lead = &text[line + 1..start];
    let end = text[..end].trim_end().len();
    let rest = text[end..].split('\n').next().unwrap_or_default();
    // A key after a dash starts an item, and an item is only deleted as a whole.
    let is_whole = lead.trim_matches([' ', '-']).is_empty() && rest.trim().is_empty() && start < end;
    let typed = &text[line..end];
    let is_plain = !["#", " &", " *", "\n\n", " \n"].iter().any(|it| typed.contains(it));
    (is_whole && lead.contains('-') == is_item && is_plain && typed.len() <= MAX_BYTES).then_some((line, end))
}
