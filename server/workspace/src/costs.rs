//! From the text of a file to what the rules of its definitions cost.

use std::sync::Arc;

pub use crd_analyzer_apiextensions::validation::{Bound, COST_LIMIT, Remedy, RuleCost, SchemaCosts, TOTAL_COST_LIMIT};
use crd_analyzer_apiextensions::{
    places,
    strategy::{Unjudged, Verdict, judge_create},
    validation::{CelCompiler, schema_costs},
};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    json::JsonDoc,
    read_json,
    split::{Document, split},
    tree::{Span, Tree},
};

use crate::{head, text::Text, verdict, versions::VersionSet};

/// One file.
#[derive(Clone, PartialEq, Debug)]
pub struct FileCosts {
    /// The text that all spans count in.
    pub text: Arc<str>,
    /// The definitions, or the file itself if clients cannot cut it into documents.
    pub documents: Vec<DocumentCosts>,
}

/// One definition.
#[derive(Clone, PartialEq, Debug)]
pub struct DocumentCosts {
    /// Its position in the file, all documents counted; `None`: the file cannot be cut into documents.
    pub index: Option<usize>,
    /// `metadata.name`; empty if absent.
    pub name: String,
    /// The answers, oldest minor first.
    pub answers: Vec<(KubernetesVersion, Result<Vec<PlacedCosts>, Unpriced>)>,
}

/// The costs of a schema with the places of its rules.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedCosts {
    /// The costs.
    pub schema: SchemaCosts,
    /// Where each rule is written, the first version that has it.
    pub spans: Vec<Span>,
}

/// Why there are no costs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unpriced {
    /// The server cannot read the document: its words.
    Undecodable(String),
    /// The server itself fails on the definition, or it is too deep for us: our words.
    Unjudged(String),
}

/// Prices all rules of the definitions in a text as the servers of these minors do. `named`: as in
/// [`Question`](crate::analysis::Question).
pub fn price(bytes: Vec<u8>, versions: VersionSet, named: bool) -> FileCosts {
    let source = Text::decode(bytes);
    let found = split(&source.content);
    let is_asked = |document: &Document| head::read(&source, *document).is_asked(named);
    let documents = match found.error {
        Some(_) if !named && !found.documents.iter().any(is_asked) => Vec::new(),
        Some(error) => vec![DocumentCosts {
            index: None,
            name: String::new(),
            answers: versions
                .iter()
                .map(|version| (version, Err(Unpriced::Undecodable(error.message.clone()))))
                .collect(),
        }],
        None => {
            let asked = found.documents.into_iter().filter(is_asked);
            asked.map(|document| of_document(&source, document, versions)).collect()
        }
    };
    FileCosts {
        text: source.content,
        documents,
    }
}

fn of_document(source: &Text, document: Document, versions: VersionSet) -> DocumentCosts {
    let head = head::read(source, document);
    let with = |answer: &dyn Fn(KubernetesVersion) -> Result<Vec<PlacedCosts>, Unpriced>| DocumentCosts {
        index: Some(document.index as usize),
        name: head.name.clone(),
        answers: versions.iter().map(|version| (version, answer(version))).collect(),
    };
    if let Some(verdict) = Verdict::of_unserved(&head, document.span) {
        return with(&|_| Err(unpriced(&verdict)));
    }
    let tree = match source.read(document) {
        Ok(tree) => tree,
        Err(error) => return with(&|_| Err(unpriced(&Verdict::of_read_error(&error)))),
    };
    match read_json(&tree) {
        Ok(json) => with(&|version| of_definition(&tree, &json, version)),
        Err(error) => with(&|version| Err(unpriced(&Verdict::of_convert_error(&error, version)))),
    }
}

/// Why a definition that was not judged has no costs.
fn unpriced(verdict: &Verdict) -> Unpriced {
    match (&verdict.decode_error, &verdict.unjudged) {
        (Some(error), _) => Unpriced::Undecodable(error.text.clone()),
        (None, Some(Unjudged::ServerPanics { error })) => Unpriced::Unjudged(error.detail.clone()),
        (None, _) => Unpriced::Unjudged("nested too deeply to be judged here".to_owned()),
    }
}

fn of_definition(tree: &Tree, json: &JsonDoc<'_>, version: KubernetesVersion) -> Result<Vec<PlacedCosts>, Unpriced> {
    let verdict = judge_create(json, version, Some(&CelCompiler::new(version)));
    let (None, Some(definition), Some(root)) = (&verdict.unjudged, &verdict.definition, json.root()) else {
        return Err(unpriced(&verdict));
    };
    let costs = schema_costs(&definition.internal, &verdict.errors, version);
    let placed = costs.into_iter().map(|schema| {
        let spans = schema.rules.iter().map(|rule| {
            let at = rule.path.child("x-kubernetes-validations").index(rule.index);
            let places = places::find(root, definition.hoisted, &at.child("rule"));
            places.first().map_or(tree.span(root.node), |place| {
                verdict::spot(tree, place.key, place.value)
            })
        });
        PlacedCosts {
            spans: spans.collect(),
            schema,
        }
    });
    Ok(placed.collect())
}
