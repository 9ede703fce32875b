//! Random positions of the corpus with words that completion can offer.

use std::sync::Arc;

use crd_analyzer_apiextensions::api::{FieldType, Presence, Values};
use crd_analyzer_cel::parser::TokenClass;
use crd_analyzer_ide::{
    cel::{self, Expression},
    completion::Definitions as _,
    file::{Document, File as Parsed},
    schema,
};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    paths::{Step, path_of},
    tree::{NodeId, NodeKind, ScalarStyle, Span, Tree},
};
use crd_analyzer_workspace::index::{CrdText, GroupKind};
use fastrand::Rng;

use super::corpus::{Corpus, File};

/// The kind of a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// A field of the API.
    CrdKey,
    /// One of a fixed set of values.
    CrdValue,
    /// The name of a property in `required` or `x-kubernetes-list-map-keys`.
    CrdName,
    /// A field that the CRD declares.
    CrKey,
    /// A value of an enumeration, or a boolean.
    CrValue,
    /// A name in a CEL expression.
    Cel,
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::CrdKey,
        Self::CrKey,
        Self::Cel,
        Self::CrdValue,
        Self::CrdName,
        Self::CrValue,
    ];

    /// The kind of the n-th position. Keys, and names in expressions, are more frequent than values.
    pub(super) fn at(n: usize) -> Self {
        let turn = [0, 1, 2, 0, 1, 2, 3, 4, 5];
        Self::ALL[turn[n % turn.len()]]
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::CrdKey => "crd-key",
            Self::CrdValue => "crd-value",
            Self::CrdName => "crd-name",
            Self::CrKey => "cr-key",
            Self::CrValue => "cr-value",
            Self::Cel => "cel",
        }
    }
}

/// A position and its word.
pub(super) struct Position<'c> {
    pub(super) file: &'c File,
    pub(super) kind: Kind,
    /// The span of the word, without quotes.
    pub(super) span: Span,
    pub(super) word: String,
}

/// The Kubernetes version for completion.
pub(super) const VERSION: KubernetesVersion = KubernetesVersion::NEWEST;

/// The number of files to try for a position before trying the next kind.
const TRIES: usize = 50;

impl<'c> Position<'c> {
    pub(super) fn random(corpus: &'c Corpus, kind: Kind, random: &mut Rng) -> Option<Self> {
        let files = if matches!(kind, Kind::CrKey | Kind::CrValue) {
            &corpus.objects
        } else {
            &corpus.definitions
        };
        (0..TRIES).find_map(|_| {
            let file = random.choice(files)?;
            if kind == Kind::Cel && !file.text.contains("x-kubernetes-validations") {
                return None;
            }
            Self::random_in(corpus, file, kind, random)
        })
    }

    /// A random position of this kind in a file. `None` if the file contains no such position.
    pub(super) fn random_in(corpus: &'c Corpus, file: &'c File, kind: Kind, random: &mut Rng) -> Option<Self> {
        let parsed = Parsed::new(file.text.clone(), Arc::default());
        let documents: Vec<_> = parsed.documents().filter(|it| !it.is_broken).collect();
        let document = random.choice(&documents)?;
        let (span, word) = match kind {
            Kind::Cel => in_expression(document, random)?,
            Kind::CrKey | Kind::CrValue => in_object(corpus, file, document, kind, random)?,
            _ => in_definition(document, kind, random)?,
        };
        Some(Self { file, kind, span, word })
    }

    /// A random offset at which the word is cut, before its last character.
    pub(super) fn random_cut(&self, random: &mut Rng) -> u32 {
        let text = &self.file.text[self.span.range()];
        let cuts: Vec<_> = text.char_indices().map(|it| it.0).collect();
        self.span.start + random.choice(cuts).unwrap_or(0) as u32
    }
}

/// The text of a scalar without its quotes, if it has no escapes.
fn word_of(tree: &Tree, node: NodeId) -> Option<(Span, String)> {
    let NodeKind::Scalar(style) = tree.kind(node) else {
        return None;
    };
    let span = tree.span(node);
    let span = match style {
        ScalarStyle::Plain => span,
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Span::new(span.start + 1, span.end - 1),
        _ => return None,
    };
    let word = tree.scalar(node).into_owned();
    (!word.is_empty() && tree.text()[span.range()] == word).then_some((span, word))
}

/// A random node for which `fits` returns true. All nodes are tried, starting from a random one.
fn random_node(tree: &Tree, random: &mut Rng, fits: impl Fn(NodeId) -> bool) -> Option<NodeId> {
    let nodes: Vec<_> = tree.nodes().collect();
    if nodes.is_empty() {
        return None;
    }
    (0..400)
        .map(|_| nodes[random.usize(..nodes.len())])
        .find(|it| tree.is_scalar(*it) && fits(*it))
}

fn in_definition(document: &Document<'_>, kind: Kind, random: &mut Rng) -> Option<(Span, String)> {
    let tree = document.tree;
    if !document.is_crd() || schema::text(tree, tree.root()?, "apiVersion")? != "apiextensions.k8s.io/v1" {
        return None;
    }
    let node = random_node(tree, random, |node| is_known(tree, node, kind))?;
    word_of(tree, node)
}

/// Whether the key or value at a node exists in the CRD API.
fn is_known(tree: &Tree, node: NodeId, kind: Kind) -> bool {
    let path = path_of(tree, node);
    let is_key = tree.is_key(node);
    let Some((last, above)) = path.split_last() else {
        return false;
    };
    match kind {
        Kind::CrdKey => {
            let Step::Key(name) = last else { return false };
            let around = schema::api_at(tree, above).filter(|it| !matches!(it.ty, FieldType::Map(_)));
            let field = around.and_then(|it| it.ty.structure()).and_then(|it| it.field(name));
            let is_in_junctor = schema::api_at(tree, above).is_some_and(|it| it.in_junctor);
            is_key
                && field.is_some_and(|it| {
                    !matches!(it.presence, Presence::Refused) && it.is_in(VERSION) && (it.in_junctor || !is_in_junctor)
                })
        }
        Kind::CrdValue => {
            let at = schema::api_at(tree, &path);
            let Some(field) = at.and_then(|it| it.field).filter(|_| !is_key) else {
                return false;
            };
            let text = tree.scalar(node);
            let is_known = |values: &Values| values.known().iter().any(|it| it.text == text);
            match (&field.ty, &field.values) {
                (FieldType::Boolean, _) => text == "true" || text == "false",
                // Fields whose values are open, such as other formats and names of versions.
                (_, Values::Open(_)) if field.name == "format" => {
                    is_known(&field.values) && fits_type(tree, node, &text)
                }
                (_, values @ Values::Closed(_)) => is_known(values),
                _ => false,
            }
        }
        Kind::CrdName => {
            let [.., Step::Key(keyword), Step::Index(_)] = path.as_slice() else {
                return false;
            };
            let of = match &**keyword {
                "required" => "properties",
                "x-kubernetes-list-map-keys" => "items",
                _ => return false,
            };
            let Some(list) = tree.parent(node) else { return false };
            let Some(own) = tree.parent(list).filter(|it| schema::is_schema_node(tree, *it)) else {
                return false;
            };
            let declared = schema::child(tree, own, of).and_then(|it| {
                if of == "items" {
                    schema::child(tree, it, "properties")
                } else {
                    Some(it)
                }
            });
            declared.is_some_and(|it| tree.get(it, &tree.scalar(node)).is_some())
        }
        _ => false,
    }
}

/// Whether a format fits the type of its schema.
fn fits_type(tree: &Tree, node: NodeId, format: &str) -> bool {
    let ty = tree.parent(node).and_then(|it| schema::text(tree, it, "type"));
    match ty.as_deref() {
        Some("integer") => matches!(format, "int32" | "int64"),
        Some("number") => matches!(format, "float" | "double"),
        _ => !matches!(format, "int32" | "int64" | "float" | "double"),
    }
}

fn crd_of(corpus: &Corpus, file: &File, tree: &Tree) -> Option<(Arc<CrdText>, String)> {
    let root = tree.root()?;
    let api_version = schema::text(tree, root, "apiVersion")?;
    let (group, version) = api_version.split_once('/')?;
    let kind = GroupKind {
        group: group.to_owned(),
        kind: schema::text(tree, root, "kind")?.into_owned(),
    };
    let definition = corpus.near(&file.path).find(&kind)?;
    Some((definition, version.to_owned()))
}

fn in_object(
    corpus: &Corpus,
    file: &File,
    document: &Document<'_>,
    kind: Kind,
    random: &mut Rng,
) -> Option<(Span, String)> {
    let tree = document.tree;
    let (definition, version) = crd_of(corpus, file, tree)?;
    let of = &definition.tree;
    let node = random_node(tree, random, |node| {
        let path = path_of(tree, node);
        let is_key = tree.is_key(node);
        let Some(place) = definition.schema_at(&version, &path) else {
            return false;
        };
        if kind == Kind::CrKey {
            let Some((Step::Key(name), above)) = path.split_last() else {
                return false;
            };
            let around = definition.schema_at(&version, above);
            let properties = around.and_then(|it| definition.child(it.node, "properties"));
            is_key && properties.is_some_and(|it| definition.child(it.node, name).is_some())
        } else {
            let text = tree.scalar(node);
            let values = definition.child(place.node, "enum").map(|it| of.resolve(it.node));
            let in_enum = values.is_some_and(|it| of.items(it).any(|it| of.scalar(it) == text));
            let is_boolean = definition
                .child(place.node, "type")
                .is_some_and(|it| of.scalar(it.node) == "boolean");
            !is_key && (in_enum || is_boolean && matches!(&*text, "true" | "false"))
        }
    })?;
    word_of(tree, node)
}

/// A name in a CEL expression that compiles.
fn in_expression(document: &Document<'_>, random: &mut Rng) -> Option<(Span, String)> {
    let tree = document.tree;
    let scalars = cel::scalars(tree);
    let scalar = random.choice(&scalars)?;
    let expression = Expression::new(document, *scalar, VERSION);
    if !expression.outline.as_ref()?.problems.is_empty() {
        return None;
    }
    let text = expression.text();
    let is_name = |at: &usize| {
        let token = expression.tokens[*at];
        let is_declared =
            matches!(expression.meaning(*at), Some(cel::Meaning::Variable { declared: Some(it), .. }) if it == *at);
        matches!(token.class, TokenClass::Identifier) && !is_declared
    };
    let names: Vec<_> = (0..expression.tokens.len()).filter(is_name).collect();
    let at = *random.choice(&names)?;
    let span = expression.token_span(at);
    let word = expression.tokens[at].text(text).to_owned();
    (tree.text()[span.range()] == word).then_some((span, word))
}
