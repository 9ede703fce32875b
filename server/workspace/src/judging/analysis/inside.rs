//! The diagnostics of objects that a document wraps.

use std::sync::Arc;

use crd_analyzer_apiextensions::strategy::CrdVerdict;
use crd_analyzer_syntax::{
    json::read_json_of,
    split::Document,
    tree::{NodeId, Tree},
};

use super::Ask;
use crate::{
    documents::spans,
    findings::report::{DocumentReport, DocumentVerdict, Subject, Unchecked},
    index::objects::{self, Object},
    judging::deferred_search::UnsearchedReport,
    judging::passed_over,
    judging::verdict,
    wrappers::Purpose,
};

impl Ask<'_> {
    /// Answers for the objects that a document wraps, each as if it came alone, and for the document itself if clients send it. `None`: it wraps
    /// none.
    pub(super) fn inside(&self, whole: &Object) -> Option<Vec<DocumentReport>> {
        let row = objects::wrapper(&whole.written)?;
        let document = whole.document;
        let tree = self.source.read(document).ok()?;
        let objects = objects::inside(&tree, document)?;
        let mut reports = Vec::new();
        for (object, node) in &objects {
            if !self.is_built(document.index as usize, object.item()) {
                reports.extend(self.object(document, object, (&tree, *node)));
            }
        }
        if !row.is_opened {
            let read = Some((&tree, tree.resolve(tree.root()?)));
            let own = self.resource(self.source, whole, read);
            reports.extend(own.map(UnsearchedReport::new));
        }
        Some(self.complete((document, Arc::new(tree), None), reports))
    }

    fn object(&self, document: Document, object: &Object, (tree, node): (&Tree, NodeId)) -> Option<UnsearchedReport> {
        let purpose = object.inside.as_ref().map(|it| it.purpose);
        if purpose == Some(Purpose::Rejected) && self.question.is_completed {
            let rejected = Unchecked::Rejected(object.written.kind.clone());
            self.unchecked.borrow_mut().push(rejected);
            return None;
        }
        if object.written.is_crd() {
            let mut report = DocumentReport::new(object, Subject::Definition);
            report.span = tree.span(node);
            let all = self.question.versions.iter();
            if purpose != Some(Purpose::Sent) {
                report.subject = Subject::PartialCrd;
                report.in_part = true;
                report.verdicts.extend(all.map(|it| (it, DocumentVerdict::default())));
                return Some(UnsearchedReport::new(report));
            }
            let place = spans::first_line(tree.text(), report.span);
            if let Some(answer) = CrdVerdict::of_unserved(&object.written, place) {
                report.verdicts.extend(all.map(|it| (it, verdict::of_unread(&answer))));
                return Some(UnsearchedReport::new(report));
            }
            let json = read_json_of(tree, node).ok()?;
            return Some(self.definition(report, tree, &json, None));
        }
        if let Some(row) = self.row_of(object) {
            if self.is_substituted(object, tree, node) {
                self.leave_template(document);
                return None;
            }
            return Some(UnsearchedReport::new(self.of_row(row, object, (tree, node))));
        }
        let report = self.resource(self.source, object, Some((tree, node)));
        if report.is_none()
            && self.question.is_completed
            && let Some(kind) = object.group_kind()
        {
            let built_in = passed_over::built_in(&kind.group, kind.kind);
            self.unchecked.borrow_mut().extend(built_in);
        }
        report.map(UnsearchedReport::new)
    }
}
