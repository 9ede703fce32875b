//! The parsed form of a suite.

use std::sync::Arc;

use crd_analyzer_syntax::{
    text::Text,
    tree::{NodeId, Span, Tree},
};
use crd_analyzer_workspace::config::versions::VersionSet;
use serde_json::Value;

/// An error in a suite file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Its position in the file, in bytes.
    pub span: Span,
    /// The message, on one line.
    pub message: String,
}

impl Problem {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
        }
    }
}

/// A suite: tests of one CRD.
#[derive(Debug)]
pub struct Suite {
    /// The author's name for it.
    pub name: Option<String>,
    /// The CRDs that it tests.
    pub wanted: Wanted,
    /// The Kubernetes versions that it applies to; `None`: all that are requested.
    pub versions: Option<VersionSet>,
    /// Its tests, in file order.
    pub cases: Vec<Case>,
    /// Warnings about the file, which do not prevent running it.
    pub warnings: Vec<Problem>,
    pub(crate) tree: Arc<Tree>,
}

impl Suite {
    /// The text that it was parsed from.
    pub fn text(&self) -> &Text {
        self.tree.text()
    }
}

/// The CRDs that a suite tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// The CRDs in this file, folder or glob, relative to the suite's folder.
    File {
        /// The path as written.
        path: String,
        /// The position of the path.
        span: Span,
        /// The version to test; all other versions are removed from the CRD.
        version: Option<String>,
    },
    /// The CRDs with this name, in the folders where generators write them.
    Name {
        /// The `metadata.name`.
        name: String,
        /// The position of the name.
        span: Span,
        /// The version to test; all other versions are removed from the CRD.
        version: Option<String>,
        /// The feature gates that select variants of the CRD: each must be on or, with a leading `-`, off.
        gates: Vec<String>,
    },
}

impl Wanted {
    /// The position of the path or name.
    pub const fn span(&self) -> Span {
        match self {
            Self::File { span, .. } | Self::Name { span, .. } => *span,
        }
    }
}

/// One test.
#[derive(Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// The position of its name.
    pub span: Span,
    /// The Kubernetes versions that it applies to, if it names any.
    pub versions: Option<VersionSet>,
    pub(crate) node: NodeId,
    pub(crate) body: Body,
}

/// The action of a test, and what it expects.
#[derive(Debug)]
pub(crate) enum Body {
    Own(Own),
    Create(Create),
    Update(Box<Update>),
    /// An invalid test, in a format whose runner would continue with the next one.
    Unreadable(Vec<Problem>),
}

/// A test of our own format.
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) action: Action,
    /// `None`: no expectation yet.
    pub(crate) expect: Option<Expect>,
}

#[derive(Debug)]
pub(crate) enum Action {
    Create(Value),
    Update { from: Value, to: Value },
    UpdateStatus { from: Value, to: Value },
}

/// A value and its position.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) node: NodeId,
    pub(crate) span: Span,
}

/// The expected answer.
#[derive(Debug)]
pub(crate) struct Expect {
    /// The position of the expectation.
    pub(crate) span: Span,
    /// The causes of a rejection.
    pub(crate) rejected: Option<At<Rejected>>,
    pub(crate) warnings: Option<At<Vec<At<String>>>>,
    /// The expected defaults, by path.
    pub(crate) defaulted: Option<At<Defaults>>,
    pub(crate) pruned: Option<At<Vec<At<String>>>>,
    pub(crate) stored: Option<At<Value>>,
}

/// The paths where defaults are filled in, with their values.
pub(crate) type Defaults = Vec<(String, At<Value>)>;

#[derive(Debug)]
pub(crate) enum Rejected {
    /// Rejected for any reason.
    Somehow,
    /// Rejected with a message that contains this.
    Saying(String),
    /// Rejected by exactly these causes.
    By(Vec<At<Cause>>),
}

/// The expected properties of a cause.
#[derive(Clone, Default, Debug)]
pub(crate) struct Cause {
    pub(crate) kind: Option<String>,
    pub(crate) field: Option<String>,
    pub(crate) detail: Option<String>,
    pub(crate) contains: Option<String>,
}

/// A test of creation in openshift/api's format.
#[derive(Debug)]
pub(crate) struct Create {
    pub(crate) initial: Value,
    pub(crate) name: Name,
    pub(crate) expected: Option<At<Value>>,
    pub(crate) error: Option<At<String>>,
}

/// A test of an update in openshift/api's format.
#[derive(Debug)]
pub(crate) struct Update {
    pub(crate) patches: Vec<crate::patch::Patch>,
    pub(crate) patches_span: Span,
    pub(crate) initial: Value,
    pub(crate) initial_span: Span,
    pub(crate) updated: Value,
    pub(crate) name: Name,
    pub(crate) expected: Option<At<Value>>,
    pub(crate) error: Option<At<String>>,
    pub(crate) status_error: Option<At<String>>,
}

/// The source of an object's name in openshift/api's format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Name {
    /// The object's own name, or one generated with this prefix.
    Generated(String),
    /// This name, given by the test.
    Given(String),
}
