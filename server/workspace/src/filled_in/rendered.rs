//! Documents that `helm template` wrote.

use crate::{findings::report::DocumentReport, words};

/// Sets the name of the template from which a document was rendered, if `helm template` wrote the document.
pub(crate) fn name_template(text: &str, document: &mut DocumentReport) {
    let mut lines = text[document.span.range()].lines().take(3);
    if let Some(path) = lines.find_map(|it| it.strip_prefix("# Source: ")) {
        let note = format!("rendered from `{}`", words::clip(path.trim(), 80));
        for finding in document.verdicts.iter_mut().flat_map(|it| it.1.findings_mut()) {
            finding.notes.push(note.clone());
        }
    }
}
