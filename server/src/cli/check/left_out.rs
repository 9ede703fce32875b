//! Hints for a run that has nothing to check in a folder or on standard input.

use std::path::PathBuf;

use crd_analyzer_io::{read, repository};

use crate::input;

/// The maximum length of a quoted line, in characters.
const MOST_OF_A_LINE: usize = 80;

/// The folders of the command line that contain Go API types, as Go package patterns. Empty if the command line already contains a pattern.
/// `with_markers` has the folders in which Go files with markers were found.
pub(super) fn go_folders(paths: &[PathBuf], with_markers: &[PathBuf]) -> Vec<String> {
    if paths.iter().any(|it| it.ends_with("...")) {
        return Vec::new();
    }
    let folders = paths.iter();
    let has_types = |it: &PathBuf| with_markers.contains(it) || repository::has_api_types(it);
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
