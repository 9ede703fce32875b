//! What is made: objects, lists and values, and what in the Go files decides each.

use std::{ops::Range, path::Path, sync::Arc};

use crd_analyzer_gosource::literal::Literal;

/// A place in a Go file that decides a value.
#[derive(Clone, PartialEq, Debug)]
pub struct Origin {
    /// The file.
    pub file: Arc<Path>,
    /// The bytes in it: a field, a type or a marker.
    pub span: Range<usize>,
    /// The value as it is written there, if it is.
    pub written: Option<Arc<Literal>>,
}

/// A part of a CRD.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// An object, in the order in which keys are written.
    Map(Vec<(String, Part)>),
    /// A list.
    List(Vec<Part>),
    /// Anything else, and values that markers say whole.
    Value(serde_json::Value),
}

/// A part, and what decides it.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// What it is.
    pub node: Node,
    /// What decides it; `None` if that is decided around it.
    pub from: Option<Origin>,
    /// It is not known whole.
    pub is_unknown: bool,
}

impl Part {
    /// Something that is decided around it.
    pub fn made(node: Node) -> Self {
        Self {
            node,
            from: None,
            is_unknown: false,
        }
    }

    /// A value that is decided around it.
    pub fn value(value: impl Into<serde_json::Value>) -> Self {
        Self::made(Node::Value(value.into()))
    }

    /// What it is in JSON.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.node {
            Node::Map(members) => members.iter().map(|(key, it)| (key.clone(), it.to_json())).collect(),
            Node::List(items) => items.iter().map(Self::to_json).collect(),
            Node::Value(value) => value.clone(),
        }
    }

    /// Whether something in it is not known.
    pub fn has_unknown(&self) -> bool {
        self.is_unknown
            || match &self.node {
                Node::Map(members) => members.iter().any(|it| it.1.has_unknown()),
                Node::List(items) => items.iter().any(Self::has_unknown),
                Node::Value(_) => false,
            }
    }
}
