//! Checks the objects inside a document, such as the items of a list.

use std::sync::Arc;

use crd_analyzer_apiextensions::{decode::WrittenType, strategy::CrdVerdict};
use crd_analyzer_syntax::{
    json::{read_json, read_json_of},
    split::Document,
    tree::{NodeId, Span, Tree},
};

use super::{Ask, Judged};
use crate::{
    documents::spans,
    documents::text::Text,
    filled_in::fill::Places,
    findings::report::{DocumentReport, DocumentVerdict, Subject, Unchecked},
    index::objects::{self, InText, Object},
    judging::deferred_search::{self, UnsearchedReport},
    judging::passed_over,
    judging::verdict,
    kinds,
    wrappers::Purpose,
};

impl Ask<'_> {
    /// Checks a document of a template if its kind can contain objects, and the objects inside it. `filled` has the text with its actions filled in.
    /// `None` if the document can be read as it is written.
    pub(super) fn template_of_wrapper(
        &self,
        document: Document,
        written: &WrittenType,
        (filled, places): (&Text, &Places),
    ) -> Option<Judged> {
        let row = objects::wrapper(written)?;
        if self.source.read(document).is_ok_and(|it| read_json(&it).is_ok()) {
            return None;
        }
        if places.is_in(&written.api_version) || places.is_in(&written.kind) {
            self.leave_template(document);
            return Some(Judged::NOTHING);
        }
        let counted = || self.unknown.borrow().len() + self.unchecked.borrow().len() + self.notes.borrow().len();
        let before = counted();
        let object = Object::of_document(document, written.clone());
        let judged = match self.inside(filled, &object) {
            Some(judged) => judged,
            None => self.resource(filled, &object, None).into_iter().collect(),
        };
        if judged.is_empty() && counted() == before {
            match object.group_kind().and_then(passed_over::unchecked) {
                Some(why) if !row.is_opened => self.unchecked.borrow_mut().push(why),
                _ => self.leave_template(document),
            }
        }
        Some(Judged::Documents(judged))
    }

    /// Checks the objects inside a document, each as if it were a document of its own. If clients also send the document itself, checks that as well.
    /// `text` may be a template with its actions filled in. `None` if the document contains no objects.
    pub(super) fn inside(&self, text: &Text, whole: &Object) -> Option<Vec<DocumentReport>> {
        let row = objects::wrapper(&whole.written)?;
        let document = whole.document;
        let tree = text.read(document).ok()?;
        let json = read_json(&tree).ok()?;
        let root = json.root()?;
        let objects = objects::inside_of((&tree, document), root)?;
        let places = self.places_of(text);
        let mut reports = Vec::new();
        for (object, node) in &objects {
            if !self.is_built(document.index as usize, object.item()) {
                reports.extend(match places {
                    Some(places) => self.object_of_template(text, object, (&tree, *node), places),
                    None => self.object(text, object, (&tree, *node)),
                });
            }
        }
        let first = objects.iter().filter_map(|it| it.0.item()).max().map_or(0, |it| it + 1);
        let is_known = |it: &InText| places.is_none_or(|places| places.at(tree.span(it.node)).is_none());
        let texts = objects::in_texts(&tree, root, first);
        for found in texts.iter().filter(|it| is_known(it)) {
            reports.extend(
                self.in_text(document, &tree, found)
                    .into_iter()
                    .map(UnsearchedReport::new),
            );
        }
        if !row.is_opened {
            let read = Some((&tree, tree.resolve(tree.root()?)));
            let own = self.resource(text, whole, read);
            reports.extend(own.map(UnsearchedReport::new));
        }
        drop(json);
        Some(match places {
            Some(_) => deferred_search::complete(&tree, reports),
            None => self.complete((document, Arc::new(tree), None), reports),
        })
    }

    /// The places at which the actions of a template were filled in, if this is the template's text.
    fn places_of(&self, text: &Text) -> Option<&Places> {
        self.filled.filter(|it| std::ptr::eq(it.0, text)).map(|it| it.1)
    }

    /// Checks an object inside a document of a template. If the template fills in its kind, or a value of a kind in the table of kinds, the object is
    /// counted as a template that is not checked.
    fn object_of_template(
        &self,
        text: &Text,
        object: &Object,
        (tree, node): (&Tree, NodeId),
        places: &Places,
    ) -> Option<UnsearchedReport> {
        let mut object = object.clone();
        let written = &mut object.written;
        if places.is_in(&written.name) {
            written.name.clear();
        }
        let is_known = |it: &str| !it.is_empty() && !places.is_in(it);
        let is_of_row = kinds::of_written(written).is_some();
        let has_unknown = || places.are_in(tree.full_span(node));
        if !is_known(&written.kind) || !is_known(&written.api_version) || is_of_row && has_unknown() {
            self.leave_template(object.document);
            return None;
        }
        self.object(text, &object, (tree, node))
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
            return Some(self.definition(report, tree, &json, self.places_of(text)));
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
