//! Reads the CRDs of a cluster if the user's settings ask for it. Writes them to the cache folder, where editors can open them and the search for
//! CRDs finds them.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_cluster::{Listing, Prompts};
use crd_analyzer_io::write::CacheFolder;
use crd_analyzer_workspace::index::cluster;
use lsp_types::MessageType;

use crate::{display_text, names::NAME, progress, session::Session, tasks};

/// The subfolder of the cache folder with the CRDs. It has a folder for each context.
const FOLDER: &str = "clusters";

/// The cluster in use.
#[derive(Debug, Default)]
pub(crate) struct Cluster {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The context that the user's settings name. An empty string means the current context.
    wanted: Option<String>,
    /// The number of the last request, for recognizing answers to earlier requests.
    asked: u64,
    files: Vec<PathBuf>,
}

impl Cluster {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files with the cluster's CRDs.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.state().files.clone()
    }

    /// Sets the context. Returns the number of a new request, if the CRDs must be read. `again` reads them even if the context is the same.
    fn want(&self, context: Option<&str>, again: bool) -> Option<u64> {
        let mut state = self.state();
        let is_new = state.wanted.as_deref() != context;
        let is_asked = is_new || again && context.is_some();
        if !is_asked {
            return None;
        }
        if is_new {
            state.files.clear();
        }
        state.wanted = context.map(str::to_owned);
        state.asked += 1;
        Some(state.asked)
    }

    /// Stores an answer. Returns `false` if a newer request has replaced it.
    fn take(&self, number: u64, files: Vec<PathBuf>) -> bool {
        let mut state = self.state();
        let is_last = state.asked == number;
        if is_last {
            state.files = files;
        }
        is_last
    }
}

/// Reads the CRDs of the configured cluster if the context has changed. With `again`, which means that the user asked, always reads them.
pub(crate) fn read(session: &Arc<Session>, again: bool) {
    let wanted = session.wanted_cluster();
    let Some(number) = session.cluster.want(wanted.as_deref(), again) else {
        if again {
            let problem = if session.trust.is_granted() {
                &format!("the setting {NAME}.cluster does not name a cluster")
            } else {
                "crd-analyzer does not read CRDs from the cluster, because the workspace is not trusted"
            };
            session.tell(problem);
        }
        return;
    };
    let Some(context) = wanted else {
        return crate::folders::look_through(session);
    };
    let session = session.clone();
    tasks::beside(async move {
        let shown = progress::begin(&session, None, "Reading the CRDs of a cluster").await;
        let cache = session.cache.clone();
        let folders = session.folders();
        let work = move || list(&context, cache.as_deref(), &folders);
        let Ok(found) = tasks::blocking("the list of a cluster's CRDs", work).await else {
            return;
        };
        drop(shown);
        match found {
            Ok((context, files)) => {
                let s = if files.len() == 1 { "" } else { "s" };
                let message = display_text::line(&format!("{} definition{s} of the cluster {context}", files.len()));
                if !session.cluster.take(number, files) {
                    return;
                }
                crate::folders::look_through(&session);
                if again {
                    session.remote.show_message(MessageType::INFO, message).await;
                } else {
                    session.remote.log_message(MessageType::INFO, message).await;
                }
            }
            Err(problem) if again => {
                session
                    .remote
                    .show_message(MessageType::WARNING, display_text::text(&problem))
                    .await;
            }
            Err(problem) => session.tell(&problem),
        }
    });
}

/// Writes the CRDs of a context's cluster to files. Returns the context's name and the files' paths.
fn list(context: &str, cache: Option<&Path>, folders: &[PathBuf]) -> Result<(String, Vec<PathBuf>), String> {
    let cache = cache.ok_or("the user has no cache folder for the CRDs of a cluster")?;
    let context = (!context.is_empty()).then_some(context);
    // Never prompt, because standard input belongs to the client.
    let listing = crd_analyzer_cluster::list(context, Prompts::Never, folders).map_err(|error| error.to_string())?;
    let cache = CacheFolder::new(cache);
    match write(&cache, &listing) {
        Ok(files) => Ok((listing.context, files)),
        Err(error) => Err(format!(
            "the CRDs of the cluster {} cannot be written to {}: {error}",
            listing.context,
            cache.path().join(FOLDER).display()
        )),
    }
}

/// Writes each CRD to a file in the cache folder, and removes CRDs that the cluster no longer has.
fn write(cache: &CacheFolder, listing: &Listing) -> io::Result<Vec<PathBuf>> {
    let folder = Path::new(FOLDER);
    let mut files = BTreeSet::new();
    for sent in &listing.definitions {
        let (name, text) = cluster::text(sent);
        let below = cluster::path(folder, &listing.context, &name);
        files.insert(cache.keep(&below, text.as_bytes())?);
    }
    let own = cluster::path(folder, &listing.context, "");
    let own = own.parent().unwrap_or(folder);
    let is_wanted = |name: &OsStr| {
        let path = cache.path().join(own).join(name);
        path.extension().is_none_or(|it| it != "json") || files.contains(&path)
    };
    cache.retain(own, is_wanted)?;
    Ok(files.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_those_that_the_cluster_has() {
        let folder = tempfile::tempdir().expect("a folder");
        let listing = |names: &[&str]| Listing {
            context: "a/b".to_owned(),
            definitions: names
                .iter()
                .map(|it| format!(r#"{{"metadata": {{"name": "{it}"}}}}"#))
                .collect(),
        };
        let cache = CacheFolder::new(folder.path().join("cache"));
        let first = write(&cache, &listing(&["x", "y"])).expect("it can be written");
        assert_eq!(first.len(), 2);
        let second = write(&cache, &listing(&["y", "z"])).expect("it can be written");
        assert_eq!(first[1], second[0]);
        assert!(!first[0].exists() && second.iter().all(|it| it.exists()));
    }

    #[test]
    fn only_the_last_question_has_an_answer() {
        let cluster = Cluster::default();
        assert_eq!(cluster.want(None, true), None, "no setting names a context");
        let first = cluster.want(Some("a"), false).expect("a question");
        assert_eq!(cluster.want(Some("a"), false), None);
        let second = cluster.want(Some("b"), false).expect("another question");
        assert!(!cluster.take(first, vec!["old".into()]));
        assert!(cluster.take(second, vec!["new".into()]));
        assert_eq!(cluster.files(), [PathBuf::from("new")]);
        assert!(cluster.want(Some("b"), true).is_some());
        assert!(cluster.want(None, false).is_some());
        assert!(cluster.files().is_empty());
    }
}
