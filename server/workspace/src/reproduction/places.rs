//! Locates diagnostics by document and field path.

use std::collections::HashMap;

use crd_analyzer_syntax::{
    paths::{Step, at, path_of},
    split::{read_document, split},
    tree::{Span, Tree},
};

use crate::{config::Config, findings::finding::Severity, findings::report::FileReport};

/// A displayed diagnostic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located {
    /// The code of the diagnostic.
    pub code: &'static str,
    /// The severity of the diagnostic.
    pub severity: Severity,
    /// The headline of the diagnostic.
    pub headline: String,
    /// The index of the diagnostic's document in the file.
    pub document: u32,
    /// The path of the diagnostic's field in the document.
    pub path: Vec<Step<'static>>,
    /// The span of the diagnostic in the text.
    pub span: Span,
}

/// The displayed diagnostics of the documents of a report.
pub fn located(report: &FileReport, config: &Config) -> Vec<Located> {
    let documents = split(&report.text).documents;
    let mut trees: HashMap<u32, Option<Tree>> = HashMap::new();
    let mut found = Vec::new();
    for document in &report.documents {
        let number = u32::try_from(document.index).unwrap_or(u32::MAX);
        for shown in document.merged_findings(config) {
            let read = || {
                let document = documents.iter().find(|it| it.index == number)?;
                read_document(&report.text, *document, &[]).ok()
            };
            let Some(tree) = trees.entry(number).or_insert_with(read) else {
                continue;
            };
            let finding = shown.finding;
            found.push(Located {
                code: finding.code,
                severity: finding.severity,
                document: number,
                path: path(tree, finding.span),
                span: finding.span,
                headline: finding.headline,
            });
        }
    }
    found
}

/// The path of the field at a span. A span at the start of a collection means the collection, unless it is exactly the span of the first key.
fn path(tree: &Tree, span: Span) -> Vec<Step<'static>> {
    let Some(found) = at(tree, span.start) else {
        return Vec::new();
    };
    let path = if tree.span(found.node) == span {
        found.path
    } else {
        let mut around = tree.ancestors(found.node);
        let collection = around.find(|it| *it != found.node && tree.span(*it).start == span.start);
        collection.map_or(found.path, |it| path_of(tree, it))
    };
    path.into_iter().map(owned).collect()
}

fn owned(step: Step<'_>) -> Step<'static> {
    match step {
        Step::Key(key) => Step::key(key.into_owned()),
        Step::Index(index) => Step::Index(index),
    }
}
