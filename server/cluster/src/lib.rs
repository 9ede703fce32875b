//! Lists the CRDs and custom resources of a cluster with kubectl, using a context of the user's kubeconfig.
//!
//! This code only runs if the user requests it, because users do not expect a program that reads files to connect to a cluster. Kubectl is the client
//! because a kubeconfig can name programs, proxies and certificates, and kubectl handles them as the user expects.
#![allow(clippy::disallowed_methods, reason = "runs kubectl")]

mod error;

use std::{
    fmt::Write as _,
    io::IsTerminal as _,
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

use crd_analyzer_io::program::{self, Failure, Output, SearchPath};
pub use error::Error;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The time limit for an answer from the API server.
pub const TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for kubectl, including the programs that get credentials.
const PATIENCE: Duration = Duration::from_secs(30);
/// The time limit for kubectl if the programs that get credentials may prompt the user.
const PATIENCE_WITH_USER: Duration = Duration::from_mins(5);

/// The number of CRDs in a page.
const PAGE: u32 = 50;
/// The number of custom resources in a page.
const OBJECT_PAGE: u32 = 250;
/// The maximum number of pages of a list.
const MAX_PAGES: usize = 1_000;
/// The maximum size of a page, and of all pages together, in bytes.
const MAX_PAGE_BYTES: usize = 96 << 20;
const MAX_BYTES: usize = 512 << 20;
/// The maximum size of the kubeconfig in bytes.
const MAX_CONFIG_BYTES: usize = 4 << 20;

const PATH: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Whether a program that gets credentials may prompt the user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prompts {
    /// The program may use the terminal, if one exists.
    Allowed,
    /// The program may not prompt, because standard input and output have another use.
    Never,
}

/// The CRDs of a cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// The context that was used.
    pub context: String,
    /// The CRDs, as the JSON that the API server sent.
    pub definitions: Vec<String>,
}

/// The custom resources to list, in one version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resource<'a> {
    /// The API group.
    pub group: &'a str,
    /// The version.
    pub version: &'a str,
    /// The plural name.
    pub plural: &'a str,
}

/// The custom resources of a cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Objects {
    /// The context that was used.
    pub context: String,
    /// The resources, as the JSON that the API server sent.
    pub objects: Vec<String>,
}

/// A list to request from a cluster.
struct List {
    path: String,
    page: u32,
    /// The listed resources, for messages.
    what: String,
}

/// Lists the CRDs of a cluster, with the given context or the current one. Programs in a folder of the workspace are never run.
pub fn list(context: Option<&str>, prompts: Prompts, workspace: &[PathBuf]) -> Result<Listing, Error> {
    let kubectl = Kubectl::find(prompts, workspace)?;
    let context = kubectl.context(context)?;
    let definitions = kubectl.definitions(&context)?;
    Ok(Listing { context, definitions })
}

/// Lists the custom resources of all namespaces, in the same way as [`list`] lists CRDs.
pub fn list_objects(
    context: Option<&str>,
    prompts: Prompts,
    workspace: &[PathBuf],
    resources: &[Resource<'_>],
) -> Result<Objects, Error> {
    let kubectl = Kubectl::find(prompts, workspace)?;
    let context = kubectl.context(context)?;
    let mut objects = Vec::new();
    for Resource { group, version, plural } in resources {
        let list = List {
            path: format!("/apis/{}/{}/{}", encoded(group), encoded(version), encoded(plural)),
            page: OBJECT_PAGE,
            what: format!("{plural}.{group}"),
        };
        objects.extend(kubectl.items(&context, &list)?);
    }
    Ok(Objects { context, objects })
}

/// The user's kubectl.
struct Kubectl {
    program: PathBuf,
    path: SearchPath,
    has_terminal: bool,
    /// The time limit for a run.
    patience: Duration,
}

/// The parts of `kubectl config view` that are used.
#[derive(Deserialize)]
struct Config {
    #[serde(default, rename = "current-context")]
    current: String,
    contexts: Option<Vec<Named>>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
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
    /// The token for the next page.
    #[serde(rename = "continue")]
    next: Option<String>,
}

impl Kubectl {
    fn find(prompts: Prompts, workspace: &[PathBuf]) -> Result<Self, Error> {
        let path = SearchPath::new(workspace);
        let has_terminal =
            prompts == Prompts::Allowed && std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        Ok(Self {
            program: path.find("kubectl").map_err(Error::NoKubectl)?,
            path,
            has_terminal,
            patience: if has_terminal { PATIENCE_WITH_USER } else { PATIENCE },
        })
    }

    fn run(&self, args: &[&str], max: usize) -> Result<Output, Failure> {
        let mut command = Command::new(&self.program);
        command.args(args).env("PATH", self.path.joined());
        if self.has_terminal {
            return program::run_in_terminal(&mut command, max, self.patience);
        }
        program::run(command.stdin(Stdio::null()), None, max, self.patience)
    }

    /// The name of the context to use.
    fn context(&self, wanted: Option<&str>) -> Result<String, Error> {
        let output = self.run(&["config", "view", "--output=json"], MAX_CONFIG_BYTES);
        let output = output.map_err(|failure| Error::Kubeconfig(error::words(&failure)))?;
        if !output.status.success() {
            return Err(Error::Kubeconfig(error::said(&output)));
        }
        let config: Config =
            serde_json::from_slice(&output.stdout).map_err(|error| Error::Kubeconfig(error.to_string()))?;
        let context = match wanted {
            Some(context) => context.to_owned(),
            None if config.current.is_empty() => return Err(Error::NoContext),
            None => config.current,
        };
        let known: Vec<String> = config.contexts.into_iter().flatten().map(|it| it.name).collect();
        if known.contains(&context) {
            Ok(context)
        } else {
            Err(Error::UnknownContext { context, known })
        }
    }

    fn definitions(&self, context: &str) -> Result<Vec<String>, Error> {
        let list = List {
            path: PATH.to_owned(),
            page: PAGE,
            what: "CRDs".to_owned(),
        };
        self.items(context, &list)
    }

    /// The items of a list.
    fn items(&self, context: &str, list: &List) -> Result<Vec<String>, Error> {
        let form = |why: String| Error::Form {
            context: context.to_owned(),
            what: list.what.clone(),
            why,
        };
        let (mut items, mut bytes) = (Vec::new(), 0);
        let mut mark = String::new();
        for _ in 0..MAX_PAGES {
            let text = self.page(context, list, &mark)?;
            let page: Page<'_> = serde_json::from_slice(&text).map_err(|error| form(error.to_string()))?;
            for item in page.items.into_iter().flatten() {
                bytes += item.get().len();
                items.push(item.get().to_owned());
            }
            if bytes > MAX_BYTES {
                return Err(too_large(context, list));
            }
            match page.metadata.next.filter(|it| !it.is_empty()) {
                Some(next) => mark = next,
                None => return Ok(items),
            }
        }
        Err(form("the list does not end".to_owned()))
    }

    /// Requests a page of a list. `mark` is the continue token of the page.
    fn page(&self, context: &str, list: &List, mark: &str) -> Result<Vec<u8>, Error> {
        let mut query = format!("{}?limit={}", list.path, list.page);
        if !mark.is_empty() {
            let _ = write!(query, "&continue={}", encoded(mark));
        }
        let args = [
            &format!("--context={context}"),
            "get",
            &format!("--raw={query}"),
            &format!("--request-timeout={}s", TIMEOUT.as_secs()),
        ];
        let output = self.run(&args, MAX_PAGE_BYTES).map_err(|failure| match failure {
            Failure::Timeout => Error::Timeout(context.to_owned()),
            Failure::TooLong => too_large(context, list),
            other => Error::Refused {
                context: context.to_owned(),
                what: list.what.clone(),
                why: error::words(&other),
            },
        })?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(Error::Refused {
            context: context.to_owned(),
            what: list.what.clone(),
            why: error::said(&output),
        })
    }
}

fn too_large(context: &str, list: &List) -> Error {
    Error::TooLarge {
        context: context.to_owned(),
        what: list.what.clone(),
    }
}

/// Encodes a string for the query of a URL.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn kubectl_is_not_waited_for() {
        use crd_analyzer_fixtures::cluster::{Answer, Kubectl as StandIn};
        let folder = tempfile::tempdir().expect("a folder");
        StandIn::new(folder.path(), &Answer::Silence);
        let kubectl = Kubectl {
            program: folder.path().join("bin/kubectl"),
            path: SearchPath::new(&[]),
            has_terminal: false,
            patience: Duration::from_millis(300),
        };
        let error = kubectl.definitions("c").expect_err("no answer comes");
        assert_eq!(error.to_string(), "the cluster c did not answer kubectl in time");
    }

    #[test]
    fn marks_are_encoded() {
        assert_eq!(encoded("eyJ2_-=="), "eyJ2_-%3D%3D");
        assert_eq!(encoded("a&b=c d/é"), "a%26b%3Dc%20d%2F%C3%A9");
    }
}
