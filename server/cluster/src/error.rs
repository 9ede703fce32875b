//! Errors of listing resources from a cluster.

use crd_analyzer_io::program::{Failure, NotFound, Output};

/// The reason why a list cannot be read from a cluster.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Kubectl is not installed.
    #[error("a cluster is asked with kubectl: {0}")]
    NoKubectl(NotFound),
    /// The kubeconfig cannot be read. The string is kubectl's message.
    #[error("kubectl cannot read the kubeconfig: {0}")]
    Kubeconfig(String),
    /// The kubeconfig has no current context, and the user did not name one.
    #[error("the kubeconfig has no current context: name a context")]
    NoContext,
    /// The kubeconfig does not have the named context.
    #[error("the kubeconfig has no context {context:?}{}", listed(known))]
    UnknownContext {
        /// The name.
        context: String,
        /// The contexts in the kubeconfig.
        known: Vec<String>,
    },
    /// The cluster did not answer in time.
    #[error("the cluster {0} did not answer kubectl in time")]
    Timeout(String),
    /// Kubectl failed: no connection, wrong credentials, or no permission to list.
    #[error("the cluster {context} does not list its {what}: {why}")]
    Refused {
        /// The context.
        context: String,
        /// The requested resources.
        what: String,
        /// Kubectl's message.
        why: String,
    },
    /// The answer exceeds the size limit.
    #[error("the {what} of the cluster {context} are too large")]
    TooLarge {
        /// The context.
        context: String,
        /// The requested resources.
        what: String,
    },
    /// The answer is not a list.
    #[error("the answer of the cluster {context} is not a list of {what}: {why}")]
    Form {
        /// The context.
        context: String,
        /// The requested resources.
        what: String,
        /// The reason why the answer is not a list.
        why: String,
    },
}

/// Formats the known contexts for a message.
fn listed(known: &[String]) -> String {
    if known.is_empty() {
        ", and no other context".to_owned()
    } else {
        format!(": it has {}", known.join(", "))
    }
}

/// Describes the reason why kubectl gave no answer.
pub(crate) fn words(failure: &Failure) -> String {
    match failure {
        Failure::Io(why) => format!("kubectl cannot be run: {why}"),
        Failure::Timeout => "kubectl did not finish".to_owned(),
        Failure::TooLong => "the output of kubectl is too large".to_owned(),
        Failure::Ended => "kubectl exited without output".to_owned(),
    }
}

/// Kubectl's error output on one line.
pub(crate) fn said(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    if line.is_empty() {
        // Kubectl may have written its message to the terminal instead.
        return format!("kubectl failed ({})", output.status);
    }
    format!("kubectl reports: {line}")
}
