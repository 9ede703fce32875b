//! Checks objects of the API server's own kinds that are in the table of kinds.

use std::sync::Arc;

use crd_analyzer_apiextensions::{decode::WrittenType, kind::Version};
use crd_analyzer_resource::DecodeError;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    json::{JsonDoc, read_json_of},
    reader::ReadError,
    split::Document,
    tree::{NodeId, Tree},
};

use super::{
    Ask, Judged,
    placed::{JudgedObject, placed, unserved},
};
use crate::{
    documents::spans,
    filled_in::placeholders,
    findings::report::{DocumentReport, DocumentVerdict, Subject},
    index::Object,
    judging::deferred_search::UnsearchedReport,
    judging::merged,
    kinds::{self, Row},
    resource,
    roles::Use,
};

/// The starts of placeholders, which a tool replaces with values before the object is sent.
const SUBSTITUTED: [&str; 3] = ["{{", "${", "<%"];

impl Ask<'_> {
    /// The table row for an object, if the row's check applies. It does not apply to updates, or to parts of objects, because those lack fields.
    pub(super) fn row_of(&self, object: &Object) -> Option<(&'static Row, Option<&'static Version>)> {
        let completed = self.completed(self.source, object);
        if self.previous.is_some() || completed.has(Use::Part) || completed.has(Use::Assertion) {
            return None;
        }
        kinds::of_written(&object.written)
    }

    /// Checks a document if it is an object of a kind in the table.
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
        if self.is_substituted(&object, &tree, root) {
            self.leave_template(document);
            return Some(Judged::NOTHING);
        }
        let report = UnsearchedReport::new(self.of_row(row, &object, (&tree, root)));
        Some(Judged::Documents(
            self.complete((document, tree.clone(), None), vec![report]),
        ))
    }

    /// Whether a tool fills in values of an object, so that the API server receives different values.
    pub(super) fn is_substituted(&self, object: &Object, tree: &Tree, node: NodeId) -> bool {
        if !self.question.is_completed() {
            return false;
        }
        let text = &tree.text()[tree.full_span(node).range()];
        let completed = self.completed(self.source, object);
        let (has_placeholders, has_expressions) = (completed.has(Use::Placeholders), completed.has(Use::Expressions));
        let is_put_in = |it: NodeId| {
            let written = tree.scalar(it);
            has_placeholders && placeholders::is_placeholder(&written)
                || has_expressions && written.starts_with('(') && written.ends_with(')')
        };
        let has_values = has_placeholders || has_expressions;
        let mut scalars = tree.nodes().filter(|it| has_values && tree.is_scalar(*it));
        SUBSTITUTED.iter().any(|it| text.contains(it)) || scalars.any(|it| tree.is_in(it, node) && is_put_in(it))
    }

    /// Checks an object of a kind in the table, if it can be parsed.
    pub(super) fn of_row(
        &self,
        (row, of): (&'static Row, Option<&'static Version>),
        object: &Object,
        (tree, node): (&Tree, NodeId),
    ) -> DocumentReport {
        let mut report = DocumentReport::new(object, Subject::Resource);
        if object.inside.is_some() {
            report.span = tree.span(node);
        }
        let written = tree.get(node, "apiVersion").unwrap_or(node);
        let place = spans::spot(tree, None, written);
        let answer = |version| {
            let Some(of) = of.filter(|it| it.is_served(version)) else {
                return unserved(row, &object.written.api_version, place, version);
            };
            let mut json = match read_json_of(tree, node) {
                Ok(json) => json,
                Err(error) => {
                    return resource::of_unread(&DecodeError::of_convert_error(row.kind.name, &error, version));
                }
            };
            if self.question.is_completed() {
                merged::forget_overrides(tree, &mut json);
            }
            self.answer((row, of), (tree, &json), version)
        };
        let versions = self.question.versions.iter();
        report.verdicts.extend(versions.map(|it| (it, answer(it))));
        report
    }

    /// The answer about an object of a kind in the table, with places.
    pub(super) fn answer(
        &self,
        (row, of): (&'static Row, &'static Version),
        (tree, json): (&Tree, &JsonDoc<'_>),
        version: KubernetesVersion,
    ) -> DocumentVerdict {
        let server = (row.judge)(json, of, version);
        let judged = JudgedObject {
            tree,
            json,
            row,
            of,
            version,
        };
        placed(&judged, &server, self.question.wants.most_findings)
    }

    /// The result for an object of a kind in the table that cannot be parsed. If tools complete files, such a text may be a template.
    fn unread_row(
        &self,
        (row, of): (&Row, Option<&Version>),
        object: &Object,
        error: &ReadError,
    ) -> Option<DocumentReport> {
        if self.question.is_completed() {
            return None;
        }
        let unread = resource::of_unread(&DecodeError::of_read_error(row.kind.name, error));
        let mut report = DocumentReport::new(object, Subject::Resource);
        let place = spans::first_line(&self.source.content, object.document.span);
        let answer = |version| match of.filter(|it| it.is_served(version)) {
            Some(_) => unread.clone(),
            // If the API server has no endpoint for the version, it does not look at the object.
            None => unserved(row, &object.written.api_version, place, version),
        };
        let versions = self.question.versions.iter();
        report.verdicts.extend(versions.map(|it| (it, answer(it))));
        Some(report)
    }
}
