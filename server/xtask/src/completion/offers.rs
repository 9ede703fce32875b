//! The completion items at the position of a deleted word.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crd_analyzer_ide::{
    completion::{Completions, Item, ItemKind, Request, complete},
    file::File as Parsed,
};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    config::Config,
    config::versions::VersionSet,
    findings::finding::ServerSays,
    judging::analysis::{Around, Question, analyze},
};
use fastrand::Rng;

use super::{
    corpus::Corpus,
    positions::{Kind, Position, VERSION},
};

/// The text that is deleted after the cursor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Deletion {
    /// The rest of the word.
    Token,
    /// The rest of the line.
    Line,
}

impl Deletion {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Token => "rest of word",
            Self::Line => "rest of line",
        }
    }
}

/// The result of completion at a position.
pub(super) struct Trial {
    /// The rank of the word among the items that match its remaining part.
    pub(super) rank: Option<usize>,
    pub(super) time: Duration,
    deletion: Deletion,
    first: Vec<String>,
}

impl Trial {
    pub(super) fn new(corpus: &Corpus, position: &Position<'_>, cut: u32, deletion: Deletion) -> Self {
        let text = &position.file.text;
        let end = match deletion {
            Deletion::Token => position.span.end as usize,
            Deletion::Line => text[cut as usize..]
                .find(['\n', '\r'])
                .map_or(text.len(), |it| cut as usize + it),
        };
        let edited = [&text[..cut as usize], &text[end..]].concat();
        let (found, time) = ask(corpus, position, &edited, cut);
        let fitting = found.as_ref().map(|it| filtered(it, &edited)).unwrap_or_default();
        let rank = fitting
            .iter()
            .position(|it| it.filter == position.word || it.label == position.word);
        Self {
            rank,
            time,
            deletion,
            first: fitting.iter().take(8).map(|it| it.label.clone()).collect(),
        }
    }

    pub(super) fn describe(&self, position: &Position<'_>, cut: u32) -> String {
        let text = &position.file.text;
        let line = text[..cut as usize].matches('\n').count() + 1;
        let start = text[..cut as usize].rfind('\n').map_or(0, |it| it + 1);
        format!(
            "{} {} `{}` at {}:{line} behind {:?} (rank {:?}): {:?}",
            self.deletion.name(),
            position.kind.name(),
            position.word,
            position.file.path.display(),
            text[start..cut as usize].trim_start(),
            self.rank,
            self.first
        )
    }
}

fn ask(corpus: &Corpus, position: &Position<'_>, text: &str, offset: u32) -> (Option<Completions>, Duration) {
    let file = Parsed::new(text, Arc::default());
    let near = corpus.near(&position.file.path);
    let Some(document) = file.document_at(offset) else {
        return (None, Duration::ZERO);
    };
    let request = Request {
        tree: document.tree,
        document: Some(&document),
        offset,
        version: VERSION,
        snippets: true,
        transforms: true,
        definitions: &near,
    };
    // The first request is slower, because it also reads and caches the CRDs and the types for rules.
    let _ = complete(&request);
    let start = Instant::now();
    let found = complete(&request);
    (found, start.elapsed())
}

/// The items that a client shows: first those that start with the typed text, then those that contain its letters in order.
fn filtered<'f>(found: &'f Completions, text: &str) -> Vec<&'f Item> {
    let typed = text[found.insert.range()].to_lowercase();
    let begins = |it: &&Item| it.filter.to_lowercase().starts_with(&typed);
    let has_letters = |it: &&Item| {
        let mut letters = typed.chars().peekable();
        for char in it.filter.to_lowercase().chars() {
            letters.next_if_eq(&char);
        }
        letters.peek().is_none()
    };
    let first = found.items.iter().filter(begins);
    first
        .chain(found.items.iter().filter(|it| !begins(it) && has_letters(it)))
        .collect()
}

/// The maximum size of texts that are checked after an item is inserted.
const MAX_CHECKED: usize = 400_000;

/// Replaces the word by a random offered item, and checks the result. The error is a diagnostic that the item is unknown at its position. `None` if
/// no item could be inserted.
pub(super) fn check_one(corpus: &Corpus, position: &Position<'_>, random: &mut Rng) -> Option<Result<(), String>> {
    let text = &position.file.text;
    if text.len() > MAX_CHECKED {
        return None;
    }
    let (found, _) = ask(corpus, position, text, position.span.start);
    let found = found?;
    let is_called = text[position.span.end as usize..].starts_with('(');
    let fits = |it: &&Item| match position.kind {
        Kind::Cel => match it.kind {
            ItemKind::Field | ItemKind::Variable => !is_called && it.edits.is_empty(),
            // A macro is only recognized with the right number of arguments.
            ItemKind::Function | ItemKind::Method => is_called,
            _ => false,
        },
        Kind::CrdKey | Kind::CrKey => it.kind == ItemKind::Key,
        _ => matches!(it.kind, ItemKind::EnumMember),
    };
    let items: Vec<_> = found.items.iter().filter(fits).collect();
    let item = *random.choice(&items)?;
    let start = position.span.start as usize;
    let edited = [&text[..start], &item.filter, &text[position.span.end as usize..]].concat();
    let place = Span::new(start as u32, (start + item.filter.len()) as u32);
    let near = position.file.path.to_string_lossy().replace("/crs/", "/crds/");
    let question = Question {
        path: Some(near.as_ref()),
        around: Around::crds(&corpus.catalog),
        ..Question::new(VersionSet::one(VERSION))
    };
    let report = analyze(edited.into_bytes(), &question);
    let shown: Vec<_> = report
        .documents
        .iter()
        .flat_map(|it| it.merged_findings(&Config::default()))
        .collect();
    let refused = shown.iter().map(|it| &it.finding).find(|it| {
        let is_here = it.span.start <= place.end && place.start <= it.span.end;
        // A field may not exist if its variable is replaced by another variable.
        let is_own = item.kind != ItemKind::Variable || it.code != "undefined-field";
        // A missing required field is not an error in the item.
        let is_missing = matches!(
            it.server,
            Some(ServerSays::Cause {
                reason: "FieldValueRequired",
                ..
            })
        );
        is_here && is_own && !is_missing && is_unknown(it.code, position.kind)
    });
    Some(refused.map_or(Ok(()), |it| {
        let line = text[..start].matches('\n').count() + 1;
        Err(format!(
            "{} `{}` for `{}` at {}:{line}: {} {}",
            position.kind.name(),
            item.label,
            position.word,
            position.file.path.display(),
            it.code,
            it.headline
        ))
    }))
}

/// Whether a code means that something is unknown at its position.
fn is_unknown(code: &str, kind: Kind) -> bool {
    match kind {
        Kind::Cel => matches!(code, "undefined-field" | "undeclared-reference"),
        _ => {
            code.starts_with("unknown-")
                || matches!(
                    code,
                    "unsupported-keyword" | "unsupported-value" | "non-structural-junctor" | "invalid-list-map-key"
                )
        }
    }
}
