//! Errors of reading lists from a cluster.

use crd_analyzer_io::program::{Failure, NotFound, Output};

/// Why a list of a cluster cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Kubectl is not there.
    #[error("a cluster is asked with kubectl: {0}")]
    NoKubectl(NotFound),
    /// The kubeconfig cannot be read, by kubectl's words.
    #[error("kubectl cannot read the kubeconfig: {0}")]
    Kubeconfig(String),
    /// It says no current context, and none was named.
    #[error("the kubeconfig has no current context: name a context")]
    NoContext,
    /// The context that was named is not in it.
    #[error("the kubeconfig has no context {context:?}{}", listed(known))]
    UnknownContext {
        /// The name.
        context: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// No answer in time.
    #[error("the cluster {0} did not answer kubectl in time")]
    Timeout(String),
    /// No list, by kubectl's words: no connection, wrong credentials, no right to list.
    #[error("the cluster {context} does not list its {what}: {why}")]
    Refused {
        /// The context.
        context: String,
        /// What was asked for.
        what: String,
        /// What kubectl says.
        why: String,
    },
    /// More than is read.
    #[error("the {what} of the cluster {context} are too large")]
    TooLarge {
        /// The context.
        context: String,
        /// What was asked for.
        what: String,
    },
    /// Another answer than a list.
    #[error("the answer of the cluster {context} is not a list of {what}: {why}")]
    Form {
        /// The context.
        context: String,
        /// What was asked for.
        what: String,
        /// What is wrong.
        why: String,
    },
}

/// The contexts that there are.
fn listed(known: &[String]) -> String {
    if known.is_empty() {
        ", and no other context".to_owned()
    } else {
        format!(": it has {}", known.join(", "))
    }
}

/// Why kubectl gave no answer.
pub(crate) fn words(failure: &Failure) -> String {
    match failure {
        Failure::Io(why) => format!("kubectl cannot be run: {why}"),
        Failure::Timeout => "kubectl did not finish".to_owned(),
        Failure::TooLong => "the output of kubectl is too large".to_owned(),
        Failure::Ended => "kubectl exited without output".to_owned(),
    }
}

/// What kubectl said before it failed, on one line.
pub(crate) fn said(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    if line.is_empty() {
        // Or it said it on the terminal.
        return format!("kubectl failed ({})", output.status);
    }
    format!("kubectl reports: {line}")
}
