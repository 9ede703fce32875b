//! Hints for a run that has nothing to check in a folder or on standard input.

use std::path::PathBuf;

use crd_analyzer_io::{
    read::{self, Access},
    repository,
};

use crate::input;

/// The maximum length of a quoted line, in characters.
const MOST_OF_A_LINE: usize = 80;

/// The maximum number of Go files in which markers are searched.
const MOST_TYPES: usize = 50;

/// The folders of the command line that contain Go API types, as Go package patterns. Empty if the command line already contains a pattern.
/// `types` has the Go files that may declare such types.
pub(super) fn go_folders(paths: &[PathBuf], types: &[(PathBuf, Access)]) -> Vec<String> {
    if paths.iter().any(|it| it.ends_with("...")) {
        return Vec::new();
    }
    let folders = paths.iter();
    let has_markers = |folder: &PathBuf| {
        let mut inside = types.iter().filter(|it| it.0.starts_with(folder)).take(MOST_TYPES);
        inside.any(|(path, access)| input::has_markers(path, access))
    };
    let has_types = |it: &PathBuf| repository::has_api_types(it) || has_markers(it);
    let folders = folders.filter(|it| read::is_folder(it) && has_types(it));
    let named = folders.map(|it| match &*input::label(it) {
        "" | "." => "./...".to_owned(),
        folder => format!("{folder}/..."),
    });
    named.collect()
}

/// Describes a standard input without objects. The usual cause is that the command before the pipe failed.
pub(super) fn without_objects(text: &str) -> String {
    match text.lines().map(str::trim).find(|it| !it.is_empty()) {
        None => "standard input is empty".to_owned(),
        Some(line) => {
            let begin: String = line.chars().take(MOST_OF_A_LINE).collect();
            let more = if begin.len() < line.len() { "…" } else { "" };
            format!("standard input has no Kubernetes object; it begins with `{begin}{more}`")
        }
    }
}
