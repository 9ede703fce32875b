//! Creates the messages of rejections in the same form as a client prints them (`k8s.io/apimachinery/pkg/api/errors.NewInvalid`, `pkg/util/errors`).

use std::collections::HashSet;

use crd_analyzer_resource::RejectionCause;
use crd_analyzer_schema::field::Path;
use serde_json::{Value, json};

/// A cause of a rejection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cause {
    /// The reason of the cause, and its text in messages.
    pub(crate) reason: &'static str,
    pub(crate) words: &'static str,
    pub(crate) field: String,
    pub(crate) detail: String,
    /// The complete text for the cause in the message.
    pub(crate) text: String,
    /// The path of the field, if the cause has one.
    pub(crate) path: Option<Path>,
    /// The path in the CRD to the keyword or rule that rejects the object.
    pub(crate) decider: Option<String>,
}

impl Cause {
    pub(crate) fn of(finding: &RejectionCause) -> Self {
        let error = &finding.error;
        Self {
            reason: error.kind.reason(),
            words: error.kind.words(),
            field: error.path.to_string(),
            detail: error.detail.clone(),
            text: error.to_string(),
            path: Some(error.path.clone()),
            decider: finding.decider.as_ref().map(|it| it.path.to_string()),
        }
    }

    /// An item that expects this cause, in a test of crd-analyzer's own format.
    pub(crate) fn expectation(&self) -> Value {
        if self.reason.is_empty() {
            json!(self.text)
        } else if self.detail.is_empty() {
            json!({"type": self.words, "field": self.field})
        } else {
            json!({"type": self.words, "field": self.field, "detail": self.detail})
        }
    }

    /// A cause from strict field validation.
    pub(crate) fn strict(text: &str) -> Self {
        Self {
            reason: "",
            words: "",
            field: String::new(),
            detail: text.to_owned(),
            text: text.to_owned(),
            path: None,
            decider: None,
        }
    }
}

/// The message about an object that was rejected for these causes.
pub(crate) fn invalid(kind: &str, quoted_name: &str, causes: &[Cause]) -> String {
    let causes = aggregate(causes.iter().map(|it| it.text.clone()));
    format!("{kind} {quoted_name} is invalid: {causes}")
}

/// Joins several errors. Each error occurs once. If there are several, they are in brackets.
pub(crate) fn aggregate(texts: impl Iterator<Item = String>) -> String {
    let mut seen = HashSet::new();
    let texts: Vec<String> = texts.filter(|it| seen.insert(it.clone())).collect();
    match &texts[..] {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}
