//! Merge conflicts in documents that cannot be parsed.

use crd_analyzer_apiextensions::codes::INVALID_YAML;

use super::passed_over;
use crate::{findings::report::DocumentReport, words};

/// If a document cannot be parsed because it contains a merge conflict, says so in its error.
pub(super) fn name_conflict(text: &str, document: &mut DocumentReport) {
    let errors = document.verdicts.iter_mut().filter_map(|it| it.1.decode_error.as_mut());
    let mut errors = errors.filter(|it| it.code == INVALID_YAML).peekable();
    if errors.peek().is_none() {
        return;
    }
    let Some(place) = passed_over::conflict(text, document.span) else {
        return;
    };
    for error in errors {
        error.span = place;
        error.help.clear();
        words::put(error, words::decode::conflict());
    }
}
