//! Editor requests at a position of any text.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use crd_analyzer_ide::{
    cel::scalars,
    completion::{Definitions, Request, complete},
    cost::rule_cost,
    file::{Document, File},
    fixes::apply,
    folding::folds,
    highlight::highlights,
    hover::hover,
    links::links,
    property::{target_at, uses},
    rename::{prepare, rename},
    selection,
    semantic::semantic_tokens,
    signature::signatures,
    symbols::{Symbol, symbols},
};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{incremental::IncrementalTrees, lines::LineIndex, paths, tree::Span};
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    judging::analysis::{Around, Question},
    judging::typing::{Typing, analyze_typing},
};

use super::crd::assert_sound;
use super::resource::{Near, catalog};
use crate::{
    Target, dictionary,
    input::{Input, input},
    spans::{assert_in, assert_range_in},
};

pub(super) const TARGET: Target = Target {
    name: "ide",
    run,
    seeds: |cases| {
        let texts = cases.manifests().filter(|it| it.len() < 6000).enumerate();
        let alone = texts.map(|(n, it)| input(&[0, (n * 37) as u8, (n * 101) as u8], &[it]));
        let resources = cases.resources.iter().enumerate();
        let resources = resources
            .filter(|(_, it)| it.definition.len() + it.object.len() < 6000)
            .map(|(n, it)| input(&[0, (n * 37) as u8, (n * 101) as u8], &[&it.object, &it.definition]));
        alone.chain(resources).collect()
    },
    words: || {
        let mut words = dictionary::definition();
        words.extend(dictionary::expression());
        words
    },
};

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let version = input.version();
    let (high, low) = (input.number(), input.number());
    let (text, definition) = (input.text(), input.part());
    let at = Input::new(&[high, low]).place(text.len());
    let at = text.floor_char_boundary(at) as u32;
    let file = File::new(&*text, Arc::default());
    let answers = answers(&file, at, version);
    for (what, spans) in &answers.spans {
        for span in spans {
            assert!(
                text.get(span.range()).is_some(),
                "{what} at {at} has {span:?} in {text:?}"
            );
        }
    }
    let trees = IncrementalTrees::new(&*text);
    let lines = LineIndex::new(&text);
    for fold in folds(trees.trees(), &lines, 1000) {
        assert!(fold.first < fold.last && fold.last < lines.line_count());
    }
    if let Some(tree) = trees.tree_at(at) {
        for span in selection::spans(&tree, at) {
            assert_in(tree.text(), span);
        }
    }
    let catalog = catalog(definition);
    let question = Question {
        path: Some(Path::new("/resource.yaml")),
        around: Around::crds(&catalog),
        ..Question::new(VersionSet::one(version))
    };
    let typing = Typing {
        cursor: Some(at),
        last_trees: None,
    };
    assert_sound(&analyze_typing(text.clone(), &question, typing).0);
    completes(&file, at, version, &Near(&catalog), &text);
    renames(&file, at, version, &text);
}

/// The answers to requests, for comparison.
#[derive(PartialEq, Debug)]
pub(super) struct Answers {
    /// The spans in the answers, by request.
    spans: BTreeMap<&'static str, Vec<Span>>,
    /// The texts in the answers.
    texts: Vec<String>,
}

/// Sends all requests that need no other file.
pub(super) fn answers(file: &File, at: u32, version: KubernetesVersion) -> Answers {
    let mut answers = Answers {
        spans: BTreeMap::new(),
        texts: Vec::new(),
    };
    for document in file.objects() {
        let tokens = semantic_tokens(&document, document.span());
        answers.add("tokens", tokens.into_iter().map(|it| it.span));
        answers.add("links", links(&document).into_iter().map(|it| it.span));
        if let Some(symbol) = symbols(&document) {
            answers.add_symbol(&symbol);
        }
        for place in scalars(document.tree).into_iter().take(20) {
            let expression = crd_analyzer_ide::cel::Expression::new(&document, place, version);
            answers
                .texts
                .extend(rule_cost(&expression).map(crd_analyzer_ide::cost::RuleCost::describe));
        }
    }
    let Some(document) = file.document_at(at) else {
        return answers;
    };
    answers.add_place(&document, at, version);
    answers
}

impl Answers {
    fn add(&mut self, what: &'static str, spans: impl IntoIterator<Item = Span>) {
        self.spans.entry(what).or_default().extend(spans);
    }

    fn add_symbol(&mut self, symbol: &Symbol) {
        self.add("symbols", [symbol.span, symbol.selection]);
        self.texts.push(symbol.name.clone());
        symbol.children.iter().for_each(|it| self.add_symbol(it));
    }

    fn add_place(&mut self, document: &Document<'_>, at: u32, version: KubernetesVersion) {
        let tree = document.tree;
        self.add("selection", selection::spans(tree, at));
        self.add("highlights", highlights(document, at, version));
        if let Some(hover) = hover(document, at, version) {
            self.add("hover", [hover.span]);
            self.texts.extend([hover.markdown(), hover.plain()]);
        }
        if let Some(found) = signatures(document, at, version) {
            assert!(found.active < found.all.len());
            for signature in found.all {
                for range in signature.parameters {
                    assert_range_in(&signature.label, range);
                }
                self.texts.push(signature.label);
            }
        }
        if let Some((target, span)) = target_at(document, at, version) {
            self.add("target", [span]);
            let uses = uses(document, &target, version);
            self.add("uses", uses.all.iter().map(|it| it.span(tree)));
        }
        if let Some(place) = paths::at(tree, at) {
            self.texts.push(paths::display(&place.path));
        }
    }
}

fn completes(file: &File, at: u32, version: KubernetesVersion, definitions: &dyn Definitions, text: &str) {
    let Some(document) = file.document_at(at) else { return };
    let request = Request {
        tree: document.tree,
        document: Some(&document),
        offset: at,
        version,
        snippets: true,
        transforms: true,
        definitions,
    };
    let Some(found) = complete(&request) else { return };
    assert_in(text, found.replace);
    assert_in(text, found.insert);
    assert!(
        found.replace.start <= at && at <= found.replace.end,
        "{:?} at {at}",
        found.replace
    );
    for item in found.items {
        assert!(!item.label.is_empty());
        item.edits.iter().for_each(|it| assert_in(text, it.span));
    }
}

fn renames(file: &File, at: u32, version: KubernetesVersion, text: &str) {
    let Some(document) = file.document_at(at) else { return };
    let Ok(renamable) = prepare(&document, at, version) else {
        return;
    };
    assert_in(text, renamable.span);
    for name in ["renamed", "a-b", "in"] {
        if let Ok(renaming) = rename(&document, at, name, version, VersionSet::one(version)) {
            assert!(apply(text, &renaming.edits).is_some(), "the edits fit {text:?}");
        }
    }
}
