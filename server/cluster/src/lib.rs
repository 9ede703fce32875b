//! The definitions that a cluster has, asked for by a context of the user's kubeconfig.
//!
//! Nothing here is called unless the user asks for it: a program that reads files must not surprise anybody with a connection.
#![allow(clippy::disallowed_methods, reason = "reads the kubeconfig and talks to a cluster")]

mod error;
mod proxy;

use std::{future::Future, time::Duration};

pub use error::Error;
// The library is only there to be given the version of the API that its types are of.
use k8s_openapi as _;
use kube_client::{
    Client, Config,
    config::{ExecInteractiveMode, KubeConfigOptions, Kubeconfig},
    core::{Request, params::ListParams},
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// How long a server may take to answer.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// Definitions that are asked for at a time.
const PAGE: u32 = 100;

/// A server that goes on and on is not one that has definitions.
const MOST_PAGES: usize = 1_000;

const PATH: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Whether a program that gets credentials may talk to the user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prompts {
    /// It has the terminal.
    Allowed,
    /// Standard input and output are somebody else's.
    Never,
}

/// What a cluster has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// The context that was asked.
    pub context: String,
    /// Each definition, as the JSON that the server sent.
    pub definitions: Vec<String>,
}

/// Lists the definitions of the cluster of a context, or of the current one. Waits for the server, no longer than [`TIMEOUT`] for each answer;
/// programs that get credentials may take their time.
pub fn list(context: Option<&str>, prompts: Prompts) -> Result<Listing, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Error::Runtime)?;
    let listing = runtime.block_on(list_here(context, prompts));
    // A name that is still being looked up does not hold anybody up.
    runtime.shutdown_background();
    listing
}

async fn list_here(context: Option<&str>, prompts: Prompts) -> Result<Listing, Error> {
    let mut kubeconfig = Kubeconfig::read().map_err(|error| Error::of_kubeconfig(&error))?;
    let context = match context {
        Some(name) => name.to_owned(),
        None => kubeconfig
            .current_context
            .clone()
            .filter(|it| !it.is_empty())
            .ok_or(Error::NoContext)?,
    };
    if !kubeconfig.contexts.iter().any(|it| it.name == context) {
        let known = kubeconfig.contexts.iter().map(|it| it.name.clone()).collect();
        return Err(Error::UnknownContext { context, known });
    }
    if prompts == Prompts::Never {
        let users = kubeconfig.auth_infos.iter_mut().filter_map(|it| it.auth_info.as_mut());
        for exec in users.filter_map(|it| it.exec.as_mut()) {
            exec.interactive_mode = Some(ExecInteractiveMode::Never);
        }
    }
    let has_own_proxy = proxy::is_named(&kubeconfig, &context);
    let options = KubeConfigOptions {
        context: Some(context.clone()),
        ..KubeConfigOptions::default()
    };
    let unusable = |why: String| Error::Unusable {
        context: context.clone(),
        why,
    };
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &options)
        .await
        .map_err(|error| unusable(error.to_string()))?;
    config.connect_timeout = Some(TIMEOUT);
    config.read_timeout = Some(TIMEOUT);
    config.default_retry = false;
    if !has_own_proxy && proxy::goes_direct(config.cluster_url.host().unwrap_or_default()) {
        config.proxy_url = None;
    }
    let server = config.cluster_url.to_string();
    let client = Client::try_from(config).map_err(|error| unusable(error::reasons(&error)))?;
    let asked = Asked {
        client,
        context,
        server,
    };
    asked.all().await
}

/// A server that is asked.
struct Asked {
    client: Client,
    context: String,
    server: String,
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(default)]
    metadata: PageMeta,
    #[serde(borrow)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Default, Deserialize)]
struct PageMeta {
    /// Where the next page begins.
    #[serde(rename = "continue")]
    next: Option<String>,
}

impl Asked {
    async fn all(self) -> Result<Listing, Error> {
        let mut definitions = Vec::new();
        let mut params = ListParams::default().limit(PAGE);
        for _ in 0..MOST_PAGES {
            let text = self.page(&params).await?;
            let page: Page<'_> = serde_json::from_str(&text).map_err(|error| Error::Form {
                context: self.context.clone(),
                why: error.to_string(),
            })?;
            definitions.extend(page.items.into_iter().flatten().map(|it| it.get().to_owned()));
            let Some(next) = page.metadata.next.filter(|it| !it.is_empty()) else {
                return Ok(Listing {
                    context: self.context,
                    definitions,
                });
            };
            params.continue_token = Some(next);
        }
        Err(Error::Form {
            context: self.context,
            why: "the list does not end".to_owned(),
        })
    }

    async fn page(&self, params: &ListParams) -> Result<String, Error> {
        let request = Request::new(PATH).list(params).map_err(|error| Error::Form {
            context: self.context.clone(),
            why: error.to_string(),
        })?;
        let answer = self.in_time(self.client.request_text(request)).await?;
        answer.map_err(|error| Error::of_answer(&error, &self.context, &self.server))
    }

    async fn in_time<T>(&self, work: impl Future<Output = T>) -> Result<T, Error> {
        tokio::time::timeout(TIMEOUT, work).await.map_err(|_| Error::Timeout {
            context: self.context.clone(),
            server: self.server.clone(),
        })
    }
}
