//! A suite as it is written.

use std::sync::Arc;

use crd_analyzer_syntax::{
    text::Text,
    tree::{NodeId, Span, Tree},
};
use crd_analyzer_workspace::config::versions::VersionSet;
use serde_json::Value;

/// Something that is wrong with the file of a suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Where, in bytes of the file.
    pub span: Span,
    /// What is wrong, in one line.
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
    /// The name that its author gave it.
    pub name: Option<String>,
    /// Which CRDs it is about.
    pub wanted: Wanted,
    /// The Kubernetes versions that it is for; all that are asked about if it does not say.
    pub versions: Option<VersionSet>,
    /// Its tests, in the order of the file.
    pub cases: Vec<Case>,
    /// What is odd about the file, and no reason not to run it.
    pub warnings: Vec<Problem>,
    pub(crate) tree: Arc<Tree>,
}

impl Suite {
    /// The text that it was read from.
    pub fn text(&self) -> &Text {
        self.tree.text()
    }
}

/// Which CRDs a suite is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// Those of this file, folder or glob, from the folder of the suite.
    File {
        /// The path as it is written.
        path: String,
        /// Where it is written.
        span: Span,
        /// The version that the tests are about; all others are taken out of the CRD.
        version: Option<String>,
    },
    /// Those of this name, in the folders where generators put them.
    Name {
        /// The `metadata.name`.
        name: String,
        /// Where it is written.
        span: Span,
        /// The version that the tests are about; all others are taken out of the CRD.
        version: Option<String>,
        /// Feature gates that must be on, or with `-` before them off, for a variant of the CRD to be meant.
        gates: Vec<String>,
    },
}

impl Wanted {
    /// Where it is written.
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
    /// Where its name is written.
    pub span: Span,
    /// The Kubernetes versions that it is for, if it says so.
    pub versions: Option<VersionSet>,
    pub(crate) node: NodeId,
    pub(crate) body: Body,
}

/// What is done and expected.
#[derive(Debug)]
pub(crate) enum Body {
    Own(Own),
    Create(Create),
    Update(Box<Update>),
    /// A test that cannot be read, of a format whose runner would go on to the next one.
    Unreadable(Vec<Problem>),
}

/// A test of our own format.
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) action: Action,
    /// `None`: nothing yet.
    pub(crate) expect: Option<Expect>,
}

#[derive(Debug)]
pub(crate) enum Action {
    Create(Value),
    Update { from: Value, to: Value },
    UpdateStatus { from: Value, to: Value },
}

/// A value and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) node: NodeId,
    pub(crate) span: Span,
}

/// What must come out.
#[derive(Debug)]
pub(crate) struct Expect {
    /// Where it is written.
    pub(crate) span: Span,
    /// The causes of a rejection.
    pub(crate) rejected: Option<At<Rejected>>,
    pub(crate) warnings: Option<At<Vec<At<String>>>>,
    /// By path.
    pub(crate) defaulted: Option<At<Defaults>>,
    pub(crate) pruned: Option<At<Vec<At<String>>>>,
    pub(crate) stored: Option<At<Value>>,
}

/// Values by the paths where they are filled in.
pub(crate) type Defaults = Vec<(String, At<Value>)>;

#[derive(Debug)]
pub(crate) enum Rejected {
    /// In any way.
    Somehow,
    /// With a message that has this in it.
    Saying(String),
    /// By these causes, and no others.
    By(Vec<At<Cause>>),
}

/// What a cause of a rejection must be like.
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

/// How an object of openshift/api's format gets its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Name {
    /// It has one, or gets one that begins so.
    Generated(String),
    /// It has this one.
    Given(String),
}
