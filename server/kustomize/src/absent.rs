//! Files and folders that kustomizations name and that are not read, with the paths that are probably meant.

use std::{path::Path, sync::Arc};

use crate::{
    built::is_download,
    node::Place,
    problem::{Problem, ProblemKind, Result},
    sources::{Files, end_of, joined, missing},
    spend,
};

/// The maximum number of names in a folder that are compared with the name of a missing file.
const MOST_NAMES: usize = 1_000;

/// The work units for each name that a folder lists, and for each path that is looked up.
const A_NAME: usize = 100;

/// The memory for a path in addition to its text, in bytes.
const A_PATH: usize = 32;

/// The paths that exist, and differ from the path of a missing file or folder only by the first part that does not exist. `written` is the path as
/// the file in `folder` names it.
pub(crate) fn paths_like(files: &dyn Files, folder: &Path, written: &str) -> Result<Vec<Arc<str>>> {
    let mut at = 0;
    for part in written.split('/') {
        let (before, after) = (&written[..at], &written[at + part.len()..]);
        at += part.len() + 1;
        let parent = joined(folder, before);
        spend::work(A_NAME + written.len())?;
        if matches!(part, "" | "." | "..") || files.exists(&parent.join(part)) {
            continue;
        }
        let names = files.names(&parent);
        spend::work(A_NAME * names.len())?;
        let mut found = Vec::new();
        for name in names.into_iter().take(MOST_NAMES) {
            let path = format!("{before}{name}{after}");
            if after.trim_matches('/').is_empty() || files.exists(&joined(folder, &path)) {
                spend::bytes(A_PATH + path.len())?;
                found.push(path.into());
            }
        }
        return Ok(found);
    }
    Ok(Vec::new())
}

/// The problem of a file that was not read. `written` is its path as the file in `folder` names it.
pub(crate) fn unread(files: &dyn Files, folder: &Path, written: &str, place: Place) -> Problem {
    if is_download(written) {
        let message = format!("`{}` is remote and is not read", end_of(written));
        return Problem::new(ProblemKind::NotSupported, place, message);
    }
    let path = joined(folder, written);
    if let Some(why) = files.refusal(&path) {
        let message = format!("`{}` is not read: {why}", end_of(written));
        return Problem::new(ProblemKind::NotSupported, place, message);
    }
    let message = format!("the file `{written}` does not exist");
    let problem = Problem::new(missing(files, &path), place, message);
    // Without suggestions, the problem is the same.
    problem.of_unknown(written, paths_like(files, folder, written).unwrap_or_default())
}
