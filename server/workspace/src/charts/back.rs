//! The way from a template with its includes replaced back to the files in which its parts are written.

use std::sync::Arc;

use super::{
    chart::{Chart, Charts},
    put::{Origin, Put},
};
use crate::{
    documents::source::SourceText,
    findings::finding::{Finding, Related},
    findings::report::FileReport,
};

/// A template with its includes replaced, and its chart.
pub(crate) struct Replaced {
    pub(crate) chart: Arc<Chart>,
    pub(crate) put: Put,
}

impl Replaced {
    /// Converts the report on the text to a report on the template itself, which has the text `content`. What is wrong in a template that it
    /// includes is shown at the include, or only in the other file.
    pub(crate) fn back(&self, mut report: FileReport, content: Arc<str>, charts: &dyn Charts) -> FileReport {
        for document in &mut report.documents {
            document.span = self.put.own(document.span);
            let verdicts = document.verdicts.iter_mut();
            let findings = verdicts.flat_map(|it| it.1.findings_mut());
            findings.for_each(|it| self.move_back(it, charts));
        }
        report.findings.iter_mut().for_each(|it| self.move_back(it, charts));
        report.unfinished = None;
        report.is_unfinished = false;
        report.costs.clear();
        report.text = content;
        report
    }

    fn move_back(&self, finding: &mut Finding, charts: &dyn Charts) {
        self.move_related(finding, None);
        match self.put.origin(finding.span) {
            Origin::Own(span) => finding.span = span,
            Origin::Included { file, span, include } => {
                finding.proposed = None;
                let source = self.source(file);
                finding.repeats |= charts.shows(&source.path);
                let label = finding.label.replace("the text comes from here".to_owned());
                let related = Related {
                    span,
                    message: label.unwrap_or_else(|| "it is written here".to_owned()),
                    file: Some(source.clone()),
                };
                finding.related.insert(0, related);
                finding.span = include;
            }
        }
    }

    /// The finding as it is shown in the file of the chart that defines its place, and the index of that file. `None` if its place is in the template
    /// itself. `template` is the template that includes it.
    pub(crate) fn shown_elsewhere(&self, finding: &Finding, template: &Arc<SourceText>) -> Option<(usize, Finding)> {
        let Origin::Included { file, span, include } = self.put.origin(finding.span) else {
            return None;
        };
        let mut finding = Finding {
            span,
            // The changes are for the text with the includes replaced.
            proposed: None,
            ..finding.clone()
        };
        self.move_related(&mut finding, Some((file, template)));
        finding.related.push(Related {
            span: include,
            message: "it is included here".to_owned(),
            file: Some(template.clone()),
        });
        Some((file, finding))
    }

    /// Moves related places to where they are written. The finding is shown in the template itself, or in a file of the chart that it includes.
    fn move_related(&self, finding: &mut Finding, shown: Option<(usize, &Arc<SourceText>)>) {
        for related in finding.related.iter_mut().filter(|it| it.file.is_none()) {
            match self.put.origin(related.span) {
                Origin::Own(span) => {
                    related.span = span;
                    related.file = shown.map(|it| it.1.clone());
                }
                Origin::Included { file, span, .. } => {
                    related.span = span;
                    related.file = Some(self.source(file).clone()).filter(|_| shown.is_none_or(|it| it.0 != file));
                }
            }
        }
    }

    fn source(&self, file: usize) -> &Arc<SourceText> {
        &self.chart.files[file].source
    }
}
