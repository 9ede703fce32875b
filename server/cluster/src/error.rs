//! Why there are no definitions.

use std::io;

use kube_client::config::KubeconfigError;

use crate::TIMEOUT;

/// Why the definitions of a cluster cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no kubeconfig.
    #[error("there is no kubeconfig: {0}")]
    NoKubeconfig(String),
    /// It cannot be read.
    #[error("the kubeconfig cannot be used: {0}")]
    Kubeconfig(String),
    /// It says no current context, and none was named.
    #[error("the kubeconfig has no current context: name one")]
    NoContext,
    /// The context that was named is not in it.
    #[error("the kubeconfig has no context {context:?}{}", listed(known))]
    UnknownContext {
        /// The name.
        context: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// What it says of the context does not lead to a server, or to credentials.
    #[error("the context {context} cannot be used: {why}")]
    Unusable {
        /// The context.
        context: String,
        /// What is wrong.
        why: String,
    },
    /// No connection.
    #[error("the cluster {context} cannot be reached at {server}: {why}")]
    Unreachable {
        /// The context.
        context: String,
        /// The address.
        server: String,
        /// What is wrong.
        why: String,
    },
    /// No answer in time.
    #[error("the cluster {context} does not answer at {server} within {} s", TIMEOUT.as_secs())]
    Timeout {
        /// The context.
        context: String,
        /// The address.
        server: String,
    },
    /// The server does not know the user.
    #[error("the cluster {context} does not accept the credentials of the kubeconfig: {why}")]
    Unauthorized {
        /// The context.
        context: String,
        /// The server's words.
        why: String,
    },
    /// The server does not let the user list definitions.
    #[error("the cluster {context} does not let you list definitions: {why}")]
    Forbidden {
        /// The context.
        context: String,
        /// The server's words.
        why: String,
    },
    /// Another answer than a list.
    #[error("the cluster {context} does not list its definitions: {why}")]
    Form {
        /// The context.
        context: String,
        /// What is wrong.
        why: String,
    },
    /// Nothing can be waited for here.
    #[error("no connection can be made: {0}")]
    Runtime(#[source] io::Error),
}

/// The contexts that there are.
fn listed(known: &[String]) -> String {
    if known.is_empty() {
        ", and no other either".to_owned()
    } else {
        format!(": it has {}", known.join(", "))
    }
}

impl Error {
    pub(crate) fn of_kubeconfig(error: &KubeconfigError) -> Self {
        match error {
            KubeconfigError::FindPath => {
                Self::NoKubeconfig("there is no home folder, and KUBECONFIG is not set".to_owned())
            }
            KubeconfigError::ReadConfig(why, path) if why.kind() == io::ErrorKind::NotFound => {
                Self::NoKubeconfig(format!("{} is not there", path.display()))
            }
            other => Self::Kubeconfig(reasons(other)),
        }
    }

    pub(crate) fn of_answer(error: &kube_client::Error, context: &str, server: &str) -> Self {
        let context = context.to_owned();
        match error {
            kube_client::Error::Api(status) => {
                let why = if status.message.is_empty() {
                    format!("HTTP status {}", status.code)
                } else {
                    status.message.clone()
                };
                match status.code {
                    401 => Self::Unauthorized { context, why },
                    403 => Self::Forbidden { context, why },
                    _ => Self::Form { context, why },
                }
            }
            kube_client::Error::Auth(_) => Self::Unusable {
                context,
                why: reasons(error),
            },
            kube_client::Error::Service(why) => Self::Unreachable {
                context,
                server: server.to_owned(),
                why: reasons(&**why),
            },
            other => Self::Unreachable {
                context,
                server: server.to_owned(),
                why: reasons(other),
            },
        }
    }
}

/// The error and what it comes from, each said once.
pub(crate) fn reasons(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        let text = error.to_string();
        if !said.contains(&text) {
            said = format!("{said}: {text}");
        }
        next = error.source();
    }
    said
}
