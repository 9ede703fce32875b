//! The generated content: objects, lists and values. Each has the place in the Go files from which it comes.

use std::{ops::Range, path::Path, sync::Arc};

use crd_analyzer_gosource::literal::Literal;

/// The place in a Go file from which a value comes.
#[derive(Clone, PartialEq, Debug)]
pub struct Origin {
    /// The file.
    pub file: Arc<Path>,
    /// The span of a field, a type or a marker, in bytes.
    pub span: Range<usize>,
    /// The literal that contains the value, if there is one.
    pub written: Option<Arc<Literal>>,
}

/// A part of a CRD.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// An object, with its keys in output order.
    Map(Vec<(String, Part)>),
    /// A list.
    List(Vec<Part>),
    /// Any other value, including objects and lists that a marker contains as a whole.
    Value(serde_json::Value),
}

/// A part of a CRD with its origin.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// The content of the part.
    pub node: Node,
    /// The origin of the part. `None` if it is the same as that of the surrounding part.
    pub from: Option<Origin>,
    /// Whether the part is incomplete.
    pub is_unknown: bool,
}

impl Part {
    /// Creates a part without an origin of its own.
    pub fn made(node: Node) -> Self {
        Self {
            node,
            from: None,
            is_unknown: false,
        }
    }

    /// Creates a value without an origin of its own.
    pub fn value(value: impl Into<serde_json::Value>) -> Self {
        Self::made(Node::Value(value.into()))
    }

    /// Converts the content to JSON.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.node {
            Node::Map(members) => members.iter().map(|(key, it)| (key.clone(), it.to_json())).collect(),
            Node::List(items) => items.iter().map(Self::to_json).collect(),
            Node::Value(value) => value.clone(),
        }
    }

    /// Whether any part in it is incomplete.
    pub fn has_unknown(&self) -> bool {
        self.is_unknown
            || match &self.node {
                Node::Map(members) => members.iter().any(|it| it.1.has_unknown()),
                Node::List(items) => items.iter().any(Self::has_unknown),
                Node::Value(_) => false,
            }
    }
}
