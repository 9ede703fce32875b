//! Asks a question about each CRD in a text for several Kubernetes versions.

use std::sync::Arc;

use crd_analyzer_apiextensions::strategy::{CrdVerdict, Unjudged};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    json::{JsonDoc, read_json_of},
    read_json,
    split::Document,
    tree::Tree,
};

use crate::{
    config::versions::VersionSet,
    documents::head::{self, Head},
    documents::text::Text,
    index::objects,
};

/// The answers to the question about one CRD.
#[derive(Clone, PartialEq, Debug)]
pub struct CrdAnswers<T> {
    /// The index of the document among all documents of the file. `None` if the file cannot be split into documents.
    pub index: Option<usize>,
    /// The value of `metadata.name`; empty if it is missing.
    pub name: String,
    /// The answers, sorted from the oldest to the newest Kubernetes version.
    pub answers: Vec<(KubernetesVersion, Result<T, Unanswered>)>,
}

/// The reason why an answer is missing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unanswered {
    /// The API server cannot decode the document. The string is its error.
    Undecodable(String),
    /// The API server itself fails on the CRD, or the CRD is nested too deeply for crd-analyzer. The string is the error to show.
    Unjudged(String),
}

/// Calls `ask` for each CRD in a text and each Kubernetes version. `named` has the same meaning as in
/// [`Question`](crate::judging::analysis::Question).
pub(crate) fn each<T>(
    bytes: Vec<u8>,
    versions: VersionSet,
    named: bool,
    ask: impl Fn(&Tree, &JsonDoc<'_>, KubernetesVersion) -> Result<T, Unanswered>,
) -> (Arc<str>, Vec<CrdAnswers<T>>) {
    let source = Text::decode(bytes);
    let found = source.documents();
    let is_asked = |document: &Document| head::read(&source, *document).is_asked(named);
    let documents = match &found.error {
        Some(_) if !named && !found.documents.iter().any(is_asked) => Vec::new(),
        Some(error) => vec![CrdAnswers {
            index: None,
            name: String::new(),
            answers: versions
                .iter()
                .map(|version| (version, Err(Unanswered::Undecodable(error.message.clone()))))
                .collect(),
        }],
        None => {
            let documents = found.documents.iter();
            documents
                .flat_map(|document| of_document(&source, *document, versions, named, &ask))
                .collect()
        }
    };
    (source.content, documents)
}

/// The answers about the CRDs of a document, which is a CRD itself or contains CRDs.
fn of_document<T>(
    source: &Text,
    document: Document,
    versions: VersionSet,
    named: bool,
    ask: &impl Fn(&Tree, &JsonDoc<'_>, KubernetesVersion) -> Result<T, Unanswered>,
) -> Vec<CrdAnswers<T>> {
    let found = Head::read(source, document);
    let head = found.written.clone();
    if objects::wrapper(&head).is_some() {
        return found
            .whole(source, document)
            .map(|tree| of_wrapper(&tree, document, versions, ask))
            .unwrap_or_default();
    }
    if !head.is_asked(named) {
        return Vec::new();
    }
    let with = |answer: &dyn Fn(KubernetesVersion) -> Result<T, Unanswered>| CrdAnswers {
        index: Some(document.index as usize),
        name: head.name.clone(),
        answers: versions.iter().map(|version| (version, answer(version))).collect(),
    };
    if let Some(verdict) = CrdVerdict::of_unserved(&head, document.span) {
        return vec![with(&|_| Err(unanswered(&verdict)))];
    }
    let tree = match found.whole(source, document) {
        Ok(tree) => tree,
        Err(error) => return vec![with(&|_| Err(unanswered(&CrdVerdict::of_read_error(&error))))],
    };
    vec![match read_json(&tree) {
        Ok(json) => with(&|version| ask(&tree, &json, version)),
        Err(error) => with(&|version| Err(unanswered(&CrdVerdict::of_convert_error(&error, version)))),
    }]
}

/// The CRDs among the objects that a document contains.
fn of_wrapper<T>(
    tree: &Tree,
    document: Document,
    versions: VersionSet,
    ask: &impl Fn(&Tree, &JsonDoc<'_>, KubernetesVersion) -> Result<T, Unanswered>,
) -> Vec<CrdAnswers<T>> {
    let inside = objects::inside(tree, document).unwrap_or_default().into_iter();
    let definitions = inside.filter(|it| it.0.is_sent() && it.0.written.is_crd());
    let answers = definitions.filter_map(|(object, node)| {
        let json = read_json_of(tree, node).ok()?;
        let unserved = CrdVerdict::of_unserved(&object.written, tree.span(node));
        let answer = |version| match &unserved {
            Some(verdict) => Err(unanswered(verdict)),
            None => ask(tree, &json, version),
        };
        Some(CrdAnswers {
            index: Some(document.index as usize),
            answers: versions.iter().map(|version| (version, answer(version))).collect(),
            name: object.written.name,
        })
    });
    answers.collect()
}

/// The reason why a CRD that was not checked has no answer.
pub(crate) fn unanswered(verdict: &CrdVerdict) -> Unanswered {
    match (&verdict.decode_error, &verdict.unjudged) {
        (Some(error), _) => Unanswered::Undecodable(error.text.clone()),
        (None, Some(Unjudged::ServerPanics { error })) => Unanswered::Unjudged(error.detail.clone()),
        (None, _) => Unanswered::Unjudged("nested too deeply to be checked".to_owned()),
    }
}
