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
    /// The position of the error in the file, in bytes.
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
    /// The name that the author has given the suite.
    pub name: Option<String>,
    /// The CRDs that the suite tests.
    pub wanted: Wanted,
    /// The Kubernetes versions to which the suite applies. `None` means all that are requested.
    pub versions: Option<VersionSet>,
    /// The tests of the suite, in file order.
    pub cases: Vec<Case>,
    /// Warnings about the file. The suite can run despite them.
    pub warnings: Vec<Problem>,
    pub(crate) tree: Arc<Tree>,
}

impl Suite {
    /// The text from which the suite was parsed.
    pub fn text(&self) -> &Text {
        self.tree.text()
    }

    /// Lets tests that expect neither an object nor an error accept whatever object is stored, as most projects do that use openshift/api's format.
    /// openshift/api's own runner expects the object that the test sends.
    pub fn accept_any_stored_object(&mut self) {
        for case in &mut self.cases {
            let expected = match &mut case.body {
                Body::Create(test) => &mut test.expected,
                Body::Update(test) => &mut test.expected,
                _ => continue,
            };
            if matches!(expected, Expected::Sent(_)) {
                *expected = Expected::Nothing;
            }
        }
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
    /// The CRDs with this name, in the folders to which generators write.
    Name {
        /// The name of the CRD.
        name: String,
        /// The position of the name.
        span: Span,
        /// The version to test; all other versions are removed from the CRD.
        version: Option<String>,
        /// The feature gates that select variants of the CRD. Each must be on, or off if it starts with `-`.
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

/// A test of a suite.
#[derive(Debug)]
pub struct Case {
    /// The name of the test.
    pub name: String,
    /// The position of the test's name.
    pub span: Span,
    /// The Kubernetes versions to which the test applies, if it names any.
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
    /// An invalid test in openshift/api's format, whose runner would continue with the next test.
    Unreadable(Vec<Problem>),
}

/// A test in crd-analyzer's own format.
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) action: Action,
    /// The expected answer. `None` if the test has no expectation yet.
    pub(crate) expect: Option<Expect>,
}

#[derive(Debug)]
pub(crate) enum Action {
    Create(Value),
    Update { from: Value, to: Value },
    UpdateStatus { from: Value, to: Value },
}

/// A value, and its position in the suite.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) node: NodeId,
    pub(crate) span: Span,
}

/// The answer that a test expects.
#[derive(Debug)]
pub(crate) struct Expect {
    /// The position of the expectation.
    pub(crate) span: Span,
    /// The expected causes of a rejection, if a rejection is expected.
    pub(crate) rejected: Option<At<Rejected>>,
    pub(crate) warnings: Option<At<Vec<At<String>>>>,
    /// The expected defaults, by their path.
    pub(crate) defaulted: Option<At<Defaults>>,
    pub(crate) pruned: Option<At<Vec<At<String>>>>,
    pub(crate) stored: Option<At<Value>>,
}

/// The paths at which defaults are expected, with their values.
pub(crate) type Defaults = Vec<(String, At<Value>)>;

#[derive(Debug)]
pub(crate) enum Rejected {
    /// The object must be rejected, for whatever reason.
    Somehow,
    /// The object must be rejected with a message that contains this string.
    Saying(String),
    /// The object must be rejected for exactly these causes.
    By(Vec<At<Cause>>),
}

/// The expected properties of a cause.
#[derive(Clone, Default, Debug)]
pub(crate) struct Cause {
    pub(crate) kind: Option<At<String>>,
    pub(crate) field: Option<String>,
    pub(crate) detail: Option<At<String>>,
    pub(crate) contains: Option<At<String>>,
}

/// The object that must be stored, in openshift/api's format.
#[derive(Debug)]
pub(crate) enum Expected {
    /// The test writes the object.
    Written(At<Value>),
    /// The test writes no object and no error, so it expects the object that it sends.
    Sent(At<Value>),
    /// Any object may be stored, or none, because the test expects an error.
    Nothing,
}

impl Expected {
    pub(crate) fn object(&self) -> Option<&At<Value>> {
        match self {
            Self::Written(object) | Self::Sent(object) => Some(object),
            Self::Nothing => None,
        }
    }
}

/// A test of creation in openshift/api's format.
#[derive(Debug)]
pub(crate) struct Create {
    pub(crate) initial: Value,
    pub(crate) name: Name,
    pub(crate) expected: Expected,
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
    pub(crate) expected: Expected,
    pub(crate) error: Option<At<String>>,
    pub(crate) status_error: Option<At<String>>,
}

/// How the name of an object is determined in openshift/api's format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Name {
    /// The name is the object's own, or is generated with this prefix.
    Generated(String),
    /// The test gives this name.
    Given(String),
}
