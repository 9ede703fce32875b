//! Looks for changes of files on disk, for clients that do not watch files. With its defaults, Neovim does not watch them on Linux.

use std::{
    collections::{BTreeSet, HashMap},
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use crd_analyzer_io::{
    read::{self, Stamp},
    roots::Roots,
};

use crate::{from_proto::path_of, handlers::did_change_watched_files, session::Session, tasks, waits};

/// The number of manifests to look at in one round. Larger workspaces need several rounds.
const MOST: usize = 1_000;

/// The maximum number of other files to remember.
const MOST_OTHERS: usize = 20_000;

/// Looks for changed files until the session ends.
pub(crate) fn look(session: &Arc<Session>) {
    if session.client().registers_watchers {
        return;
    }
    let weak = Arc::downgrade(session);
    tasks::beside(async move {
        let mut seen = Seen::since(SystemTime::now());
        loop {
            tokio::time::sleep(waits::DISK).await;
            let Some(session) = weak.upgrade().filter(|it| !it.is_shut_down()) else {
                return;
            };
            let round = move || {
                let changed = seen.round(&session);
                if !changed.is_empty() {
                    did_change_watched_files::changed(&session, changed);
                }
                seen
            };
            match tasks::blocking("the search for changed files", round).await {
                Ok(after) => seen = after,
                Err(_) => return,
            }
        }
    });
}

/// What earlier rounds saw.
struct Seen {
    /// The start of the session.
    start: SystemTime,
    /// The last manifest of the previous round, if more follow.
    after: Option<PathBuf>,
    /// The modification time of each folder. It changes when a file is added, replaced or removed.
    folders: HashMap<PathBuf, Option<SystemTime>>,
    /// The files in these folders that are not indexed, such as Go files.
    others: HashMap<PathBuf, Stamp>,
}

impl Seen {
    fn since(start: SystemTime) -> Self {
        Self {
            start,
            after: None,
            folders: HashMap::new(),
            others: HashMap::new(),
        }
    }

    /// The files that changed since the last round.
    fn round(&mut self, session: &Session) -> Vec<PathBuf> {
        let known = session.workspace.stamps(self.after.as_deref(), MOST);
        self.after = known.last().filter(|_| known.len() == MOST).map(|it| it.0.clone());
        let differs = |it: &&(PathBuf, Stamp)| read::stamp(&it.0) != Some(it.1);
        let mut changed: Vec<PathBuf> = known.iter().filter(differs).map(|it| it.0.clone()).collect();
        let open: Vec<PathBuf> = session.documents.uris().iter().filter_map(path_of).collect();
        let files = known.iter().map(|it| &it.0).chain(&open);
        let folders: BTreeSet<&Path> = files.filter_map(|it| it.parent()).collect();
        for folder in folders {
            let time = read::folder_time(folder);
            let before = self.folders.insert(folder.to_owned(), time);
            if before != Some(time) {
                self.in_folder(folder, before.is_none(), session, &mut changed);
            }
        }
        changed.retain(|it| !session.documents.is_open_at(it));
        changed
    }

    /// Adds the files of a folder that are not indexed, and that are new or have changed.
    fn in_folder(&mut self, folder: &Path, is_first: bool, session: &Session, changed: &mut Vec<PathBuf>) {
        for file in read::files_in(folder, &Roots::new([folder])) {
            if !matters(&file) || session.workspace.is_indexed(&file) || self.others.len() >= MOST_OTHERS {
                continue;
            }
            let Some(stamp) = read::stamp(&file) else { continue };
            let before = self.others.insert(file.clone(), stamp);
            let is_changed = if is_first {
                stamp.0.is_some_and(|it| it > self.start)
            } else {
                before != Some(stamp)
            };
            if is_changed {
                changed.push(file);
            }
        }
    }
}

/// Whether the diagnostics of other files may depend on a file.
fn matters(file: &Path) -> bool {
    let ending = file.extension().and_then(OsStr::to_str).unwrap_or_default();
    ["yaml", "yml", "json", "tpl", "go", "mod"].contains(&ending)
}
