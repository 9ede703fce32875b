//! Checks the objects inside a document, such as the items of a list.

use std::sync::Arc;

use crd_analyzer_apiextensions::strategy::CrdVerdict;
use crd_analyzer_syntax::{
    json::{read_json, read_json_of},
    split::Document,
    tree::{NodeId, Span, Tree},
};

use super::Ask;
use crate::{
    documents::spans,
    documents::text::Text,
    findings::report::{DocumentReport, DocumentVerdict, Subject, Unchecked},
    index::objects::{self, InText, Object},
    judging::deferred_search::{self, UnsearchedReport},
    judging::passed_over,
    judging::verdict,
    wrappers::Purpose,
};

impl Ask<'_> {
    /// Checks the objects inside a document, each as if it were a document of its own. If clients also send the document itself, checks that as well.
    /// `None` if it contains no objects.
    pub(super) fn inside(&self, whole: &Object) -> Option<Vec<DocumentReport>> {
        let row = objects::wrapper(&whole.written)?;
        let document = whole.document;
        let tree = self.source.read(document).ok()?;
        let json = read_json(&tree).ok()?;
        let root = json.root()?;
        let objects = objects::inside_of((&tree, document), root)?;
        let mut reports = Vec::new();
        for (object, node) in &objects {
            if !self.is_built(document.index as usize, object.item()) {
                reports.extend(self.object(self.source, object, (&tree, *node)));
            }
        }
        let first = objects.iter().filter_map(|it| it.0.item()).max().map_or(0, |it| it + 1);
        for found in objects::in_texts(&tree, root, first) {
            reports.extend(
                self.in_text(document, &tree, &found)
                    .into_iter()
                    .map(UnsearchedReport::new),
            );
        }
        if !row.is_opened {
            let read = Some((&tree, tree.resolve(tree.root()?)));
            let own = self.resource(self.source, whole, read);
            reports.extend(own.map(UnsearchedReport::new));
        }
        drop(json);
        Some(self.complete((document, Arc::new(tree), None), reports))
    }

    /// Checks the objects in the content of a string. Spans in the reports refer to the file.
    fn in_text(&self, document: Document, tree: &Tree, found: &InText) -> Vec<DocumentReport> {
        for _ in 0..found.unread {
            self.unchecked.borrow_mut().push(Unchecked::NotYaml);
        }
        let map = tree.source_map(found.node);
        let moved = |span: Span| map.span(span.range());
        let notes = self.notes.borrow().len();
        let mut all = Vec::new();
        for (inner, objects) in &found.documents {
            let judged = objects
                .iter()
                .filter_map(|(object, node)| self.object(&found.text, object, (inner, *node)));
            all.extend(deferred_search::complete(inner, judged.collect()));
        }
        for note in &mut self.notes.borrow_mut()[notes..] {
            note.span = moved(note.span);
        }
        for report in &mut all {
            report.index = document.index as usize;
            report.span = moved(report.span);
            for finding in report.verdicts.iter_mut().flat_map(|it| it.1.findings_mut()) {
                finding.span = moved(finding.span);
                for related in finding.related.iter_mut().filter(|it| it.file.is_none()) {
                    related.span = moved(related.span);
                }
                // The proposed changes are for the content of the string, and cannot be applied to the file.
                finding.proposed = None;
            }
        }
        all
    }

    fn object(&self, text: &Text, object: &Object, (tree, node): (&Tree, NodeId)) -> Option<UnsearchedReport> {
        let purpose = object.inside.as_ref().map(|it| it.purpose);
        if purpose == Some(Purpose::Rejected) && self.question.is_completed() {
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
                self.leave_template(object.document);
                return None;
            }
            return Some(UnsearchedReport::new(self.of_row(row, object, (tree, node))));
        }
        let is_sent = purpose == Some(Purpose::Sent);
        let half = is_sent
            .then(|| self.half_an_object(text, object, (tree, node)))
            .flatten();
        let report = half.or_else(|| self.resource(text, object, Some((tree, node))));
        if report.is_none()
            && self.question.is_completed()
            && let Some(kind) = object.group_kind()
        {
            self.unchecked.borrow_mut().extend(passed_over::unchecked(kind));
        }
        report.map(UnsearchedReport::new)
    }
}
