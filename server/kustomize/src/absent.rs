//! Files and folders that kustomizations name and that are not read, with the paths that are probably meant.

use std::{path::Path, sync::Arc};

use crate::{
    built::is_download,
    node::Place,
    problem::{Problem, ProblemKind},
    sources::{Files, end_of, joined, missing},
    spend,
};

/// The maximum number of names in a folder that are compared with the name of a missing file.
const MOST_NAMES: usize = 1_000;

/// The paths that exist, and differ from the path of a missing file or folder only by the first part that does not exist. `written` is the path as
/// the file in `folder` names it.
pub(crate) fn paths_like(files: &dyn Files, folder: &Path, written: &str) -> Vec<Arc<str>> {
    let exists = |path: &Path| files.is_folder(path) || files.read(path).is_some();
    let mut at = 0;
    for part in written.split('/') {
        let (before, after) = (&written[..at], &written[at + part.len()..]);
        at += part.len() + 1;
        let parent = joined(folder, before);
        if matches!(part, "" | "." | "..") || exists(&parent.join(part)) {
            continue;
        }
        if spend::work(MOST_NAMES).is_err() {
            break;
        }
        let names = files.names(&parent).into_iter().take(MOST_NAMES);
        let paths = names.map(|it| format!("{before}{it}{after}"));
        let paths = paths.filter(|it| after.trim_matches('/').is_empty() || exists(&joined(folder, it)));
        return paths.map(Into::into).collect();
    }
    Vec::new()
}

/// The problem of a file that was not read. `written` is its path as the file in `folder` names it.
pub(crate) fn unread(files: &dyn Files, folder: &Path, written: &str, place: Place) -> Problem {
    if is_download(written) {
        let message = format!("`{}` is remote and is not read", end_of(written));
        return Problem::new(ProblemKind::NotSupported, place, message);
    }
    let path = joined(folder, written);
    match files.refusal(&path) {
        Some(why) => {
            let message = format!("`{}` is not read: {why}", end_of(written));
            Problem::new(ProblemKind::NotSupported, place, message)
        }
        None => Problem::new(
            missing(files, &path),
            place,
            format!("the file `{written}` does not exist"),
        )
        .of_unknown(written, paths_like(files, folder, written)),
    }
}
