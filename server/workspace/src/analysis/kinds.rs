//! The diagnostics of objects of the API server's own kinds.

use std::sync::Arc;

use crd_analyzer_admission::unserved;
use crd_analyzer_apiextensions::{decode::WrittenType, kind::Version};
use crd_analyzer_resource::DecodeError;
use crd_analyzer_syntax::{
    json::read_json_of,
    reader::ReadError,
    split::Document,
    tree::{NodeId, Tree},
};

use super::{Ask, Judged};
use crate::{
    deferred_search::UnsearchedReport,
    index::Object,
    kinds::{self, Row},
    report::{DocumentReport, Subject, Unchecked},
    resource, spans,
};

/// What a tool puts a value in for before the object is sent, in files of people who use such a tool.
const SUBSTITUTED: [&str; 3] = ["{{", "${", "<%"];

impl Ask<'_> {
    /// The row of an object, if the object is judged by it: an update is another question, and a part lacks what the rest says.
    pub(super) fn row_of(&self, object: &Object) -> Option<(&'static Row, &'static Version)> {
        let completed = self.completed(self.source);
        if self.previous.is_some() || completed.is_part || completed.is_assertion {
            return None;
        }
        kinds::of_written(&object.written)
    }

    /// Answers for a document that is an object of a row.
    pub(super) fn document_of_row(&self, document: Document, head: &WrittenType) -> Option<Judged> {
        let object = Object::of_document(document, head.clone());
        let row = self.row_of(&object)?;
        let tree = match self.source.read(document) {
            Ok(tree) => Arc::new(tree),
            Err(error) => {
                let report = self.unread_row(row, &object, &error)?;
                return Some(Judged::Documents(vec![report]));
            }
        };
        let root = tree.root()?;
        if self.is_substituted(&tree, root) {
            self.unchecked.borrow_mut().push(Unchecked::Template);
            return Some(Judged::NOTHING);
        }
        let report = UnsearchedReport::new(self.of_row(row, &object, (&tree, root)));
        Some(Judged::Documents(
            self.complete((document, tree.clone(), None), vec![report]),
        ))
    }

    /// Whether a tool fills in values of an object. The API server then gets other values.
    pub(super) fn is_substituted(&self, tree: &Tree, node: NodeId) -> bool {
        let text = &tree.text()[tree.full_span(node).range()];
        self.question.is_completed && SUBSTITUTED.iter().any(|it| text.contains(it))
    }

    /// Answers for an object of a row that can be read.
    pub(super) fn of_row(
        &self,
        (row, of): (&'static Row, &'static Version),
        object: &Object,
        (tree, node): (&Tree, NodeId),
    ) -> DocumentReport {
        let mut report = DocumentReport::new(object, Subject::Resource);
        if object.item.is_some() {
            report.span = tree.span(node);
        }
        let api_version = tree.get(node, "apiVersion").unwrap_or(node);
        let place = spans::spot(tree, None, api_version);
        for version in self.question.versions.iter() {
            let verdict = if let Some(text) = unserved(row.kind, of.api_version, version) {
                kinds::unserved(row, of.api_version, place, version, &text)
            } else {
                match read_json_of(tree, node) {
                    Err(error) => resource::of_unread(&DecodeError::of_convert_error(row.kind.name, &error, version)),
                    Ok(json) => {
                        let server = (row.judge)(&json, of, version);
                        let judged = kinds::Judged {
                            tree,
                            json: &json,
                            row,
                            of,
                            version,
                        };
                        kinds::placed(&judged, &server, self.question.most_findings)
                    }
                }
            };
            report.verdicts.push((version, verdict));
        }
        report
    }

    /// Answers for an object of a row that cannot be read. Where tools complete files, such a text may be a template.
    pub(super) fn unread_row(
        &self,
        (row, of): (&Row, &Version),
        object: &Object,
        error: &ReadError,
    ) -> Option<DocumentReport> {
        if self.question.is_completed {
            return None;
        }
        let answer = resource::of_unread(&DecodeError::of_read_error(row.kind.name, error));
        let mut report = DocumentReport::new(object, Subject::Resource);
        let place = spans::first_line(&self.source.content, object.document.span);
        for version in self.question.versions.iter() {
            // Without an endpoint nothing of the object is looked at.
            let text = unserved(row.kind, of.api_version, version);
            let verdict = text.map(|it| kinds::unserved(row, of.api_version, place, version, &it));
            report
                .verdicts
                .push((version, verdict.unwrap_or_else(|| answer.clone())));
        }
        Some(report)
    }
}
