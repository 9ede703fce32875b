//! Files that builds cannot read because they are not YAML. The error is in the file, and not in the kustomizations that name it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crd_analyzer_kustomize::{NotYaml, Unreadable};
use crd_analyzer_syntax::tree::Span;

use super::objects::failure;
use crate::{
    documents::spans,
    findings::finding::{Finding, Severity},
    judging::verdict,
    words,
};

/// The errors of files that are not YAML, by file.
#[derive(Default)]
pub(super) struct UnreadableFiles(BTreeMap<PathBuf, Finding>);

impl UnreadableFiles {
    /// Adds the error of a file. `named` is the finding at the place that names the file.
    pub(super) fn add(&mut self, file: &Unreadable, named: &Finding) {
        let told = self.0.entry(file.path.to_path_buf());
        let told = told.or_insert_with(|| told_in(file, named.severity));
        // A build that fails for sure decides, also if another one is never run by itself.
        told.severity = told.severity.min(named.severity);
    }

    pub(super) fn of(&self, path: &Path) -> Option<&Finding> {
        self.0.get(path)
    }
}

/// The finding in a file that is not YAML.
fn told_in(file: &Unreadable, severity: Severity) -> Finding {
    let text = &*file.text;
    let span = file.error.span();
    let mut finding = match &file.error {
        NotYaml::Read(error) => {
            let said = verdict::not_yaml(error);
            let mut finding = failure(&said.headline);
            (finding.label, finding.help) = (said.label, said.help);
            finding
        }
        NotYaml::Convert(_) => failure(&format!("this file is not YAML: {}", plain(file.error.without_line()))),
    };
    finding.span = spans::first_line(text, span);
    if let Some(value) = in_braces(text, span.start as usize) {
        finding.headline = failure("`{{` without quotes begins an object, and not a text").headline;
        finding.label = None;
        let written = &text[value.range()];
        let quote = if written.contains('"') { '\'' } else { '"' };
        finding.help = vec![format!(
            "put the value in quotes: `{quote}{}{quote}`",
            words::clip(written, 60)
        )];
        finding.span = value;
    }
    finding.severity = severity;
    finding
}

fn plain(message: &str) -> &str {
    message.strip_prefix("yaml: ").unwrap_or(message)
}

/// The value in the line of an offset, if it begins with an action of a template: YAML reads `{{` as the beginning of an object.
fn in_braces(text: &str, at: usize) -> Option<Span> {
    let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    let line = text[start..].lines().next()?;
    let begin = line.find("{{")?;
    let before = line[..begin].trim();
    let is_value = before.is_empty() || before.ends_with(':') || before == "-";
    let value = line[begin..].trim_end();
    let begin = (start + begin) as u32;
    is_value.then(|| Span::new(begin, begin + value.len() as u32))
}
