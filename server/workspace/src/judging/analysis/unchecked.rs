//! Documents that are neither CRDs nor resources of known CRDs: finds out which of them have errors, and why the others are not checked.

use crd_analyzer_apiextensions::decode::WrittenType;
use crd_analyzer_syntax::{
    read_json,
    reader::ReadError,
    split::Document,
    tree::{NodeId, Span, Tree},
};

use super::{Ask, Judged};
use crate::{
    builds::kustomize,
    charts::metadata,
    codes,
    documents::head::Head,
    documents::spans,
    documents::text::Text,
    findings::finding::{Class, Finding, Severity},
    findings::report::{DocumentReport, Unchecked},
    index::{
        GroupKind,
        objects::{self, Object},
    },
    judging::deferred_search,
    judging::passed_over,
    judging::undefined::{self, Undefined},
    judging::verdict,
    roles::{self, Use},
    words::{self, Words},
};

impl Ask<'_> {
    /// The result for a document that is neither a CRD nor a resource of a known CRD. `counted` is the number of unknown kinds before the document.
    pub(super) fn passed_over(&self, document: Document, found: Head, counted: usize) -> Judged {
        let text = &self.source.content[document.span.range()];
        let written = found.written.clone();
        let leave = |why: Option<Unchecked>| {
            self.unchecked.borrow_mut().extend(why);
            Judged::NOTHING
        };
        let name = self.question.path.and_then(|it| it.file_name()?.to_str());
        let is_filled_in = self.question.path.is_some_and(roles::is_filled_in);
        let is_kustomization = name.is_some_and(|it| kustomize::FILE_NAMES.contains(&it));
        let is_template = |error: &ReadError| {
            let of = if self.is_loaded_by_helm() {
                passed_over::is_template_for_helm
            } else {
                passed_over::is_template
            };
            of(&self.source.content, document.span, error)
        };
        let tree = match found.whole(self.source, document) {
            Err(error) if is_filled_in || is_template(&error) => {
                self.leave_template(document);
                return Judged::NOTHING;
            }
            Err(error) if passed_over::shows_manifest(text) || is_kustomization || self.is_loaded_by_helm() => {
                self.unknown.borrow_mut().truncate(counted);
                let answer = verdict::not_cut(&error);
                return Judged::Documents(vec![self.unread(document, &written, &answer)]);
            }
            Err(_) => {
                self.unknown.borrow_mut().truncate(counted);
                let path = self.question.path;
                let is_settings = path.is_some_and(|it| passed_over::is_json_with_comments(it, text));
                return leave(Some(if is_settings {
                    Unchecked::NoObject
                } else {
                    Unchecked::NotYaml
                }));
            }
            Ok(tree) => tree,
        };
        // One side of a merge conflict may be a separate document, which YAML reads as a scalar.
        let is_text = tree.root().is_some_and(|it| tree.is_scalar(it));
        if is_text
            && passed_over::shows_manifest(&self.source.content)
            && let Some(place) = passed_over::conflict(&self.source.content, document.span)
        {
            // The error was already reported for another line of the conflict.
            if !text.trim_start().starts_with('<') {
                return Judged::NOTHING;
            }
            let answer = verdict::not_an_object(place);
            return Judged::Documents(vec![self.unread(document, &written, &answer)]);
        }
        let object = Object::of_document(document, written.clone());
        let is_of_program = passed_over::is_json_without_version(&tree, &written) && !self.has_crd_of(&written.kind);
        if !is_of_program
            && let Some(root) = tree.root()
            && let Some(mut report) = self.half_an_object(self.source, &object, (&tree, tree.resolve(root)))
        {
            deferred_search::suppress(&tree, &mut report);
            return Judged::Documents(vec![report]);
        }
        // Kustomizations are checked when they are built, and charts are not manifests.
        if self.unknown.borrow().len() > counted || is_kustomization || name == Some(passed_over::CHART) {
            return Judged::NOTHING;
        }
        let is_data = self.is_data(&object) && !written.kind.is_empty();
        let reason = if is_data {
            Some(Unchecked::NoObject)
        } else {
            passed_over::reason(&tree, &written)
        };
        if self.question.wants.unchecked
            && let Some(reason @ (Unchecked::BuiltIn(_) | Unchecked::HalfTyped | Unchecked::NoObject)) = &reason
        {
            let key = if written.kind.is_empty() { "apiVersion" } else { "kind" };
            let value = tree.root().and_then(|it| tree.get(it, key)).map(|it| tree.span(it));
            let place = value.unwrap_or_else(|| spans::first_line(&self.source.content, document.span));
            let is_file = *reason == Unchecked::NoObject && !written.kind.is_empty();
            self.fail_unchecked(
                place,
                if is_file {
                    words::unchecked::file(&written)
                } else {
                    words::unchecked::other(&written)
                },
            );
        }
        // The objects inside the document were already counted.
        let is_opened = objects::wrapper(&written).is_some_and(|it| it.is_opened);
        if is_opened && objects::inside(&tree, document).is_some() {
            return Judged::NOTHING;
        }
        leave(reason)
    }

    /// Whether the file is the `Chart.yaml` or `values.yaml` of a chart. If it is not YAML, Helm renders no template.
    fn is_loaded_by_helm(&self) -> bool {
        let named = self.question.path.filter(|it| metadata::is_loaded(it));
        let charts = named.zip(self.question.around.charts);
        charts.is_some_and(|(path, charts)| charts.of(path).is_some_and(|it| it.has(path)))
    }

    /// The error about an object that has only one of `apiVersion` and `kind`. `None` if the object has both, or is not sent as it is.
    pub(super) fn half_an_object(
        &self,
        text: &Text,
        object: &Object,
        (tree, node): (&Tree, NodeId),
    ) -> Option<DocumentReport> {
        let written = &object.written;
        if !passed_over::is_half_an_object((tree, node), written) {
            return None;
        }
        let completed = self.completed(text, object);
        let is_filled_in = || self.question.path.is_some_and(roles::is_filled_in);
        // A template has an action in its name, too. Elsewhere, an action may be text that the object is about.
        if completed.has(Use::Part) || completed.has(Use::Assertion) || written.name.contains("{{") || is_filled_in() {
            return None;
        }
        let why = if written.kind.is_empty() {
            Undefined::WithoutKind
        } else {
            Undefined::WithoutVersion
        };
        let read = object.inside.is_some().then_some((tree, node));
        Some(undefined::report(text, object, read, &why, self.question.versions))
    }

    /// Whether a CRD of the repository defines a kind, in any group.
    fn has_crd_of(&self, kind: &str) -> bool {
        let kind = GroupKind {
            group: String::new(),
            kind: kind.to_owned(),
        };
        let definitions = self.question.around.definitions;
        definitions.is_some_and(|it| it.meant(&kind).is_some_and(|it| it.kind == kind.kind))
    }

    /// Whether a document without a kind may be a CRD. The user may name any file.
    pub(super) fn may_be_crd(&self, document: Document, written: &WrittenType) -> bool {
        match self.source.read(document) {
            // A parse error is reported whatever the kind of the document is.
            Ok(tree) => read_json(&tree).is_err() || passed_over::may_be_crd(&tree, written),
            Err(_) => true,
        }
    }

    /// The line of a template from which it is not YAML with its actions filled in. The first action if it is YAML, or if the actions cannot be filled
    /// in.
    pub(super) fn template_place(&self, document: Document, action: Span) -> Span {
        let error = self.filled.and_then(|it| it.0.read(document).err());
        error.map_or(action, |it| passed_over::line_span(&self.source.content, &it))
    }

    /// Records that a document is a template, which is not checked.
    pub(super) fn leave_template(&self, document: Document) {
        if self.question.wants.unchecked {
            let place = spans::first_line(&self.source.content, document.span);
            self.fail_unchecked(place, words::unchecked::template());
        }
        self.unchecked.borrow_mut().push(Unchecked::Template);
    }

    /// Reports that a file that the user named contains only comments.
    pub(super) fn fail_blank(&self) {
        let whole = Span::new(0, self.source.content.len() as u32);
        let place = spans::first_line(&self.source.content, whole);
        self.fail_unchecked(place, words::unchecked::blank());
    }

    /// Reports that an object is not checked although the user named its file. Reports it once for each kind.
    pub(super) fn fail_unchecked(&self, place: Span, told: Words) {
        let mut notes = self.notes.borrow_mut();
        if !notes
            .iter()
            .any(|it| it.code == codes::NOT_CHECKED && it.headline == told.headline)
        {
            let mut finding = Finding::new(Class::Hint, codes::NOT_CHECKED, place, "");
            finding.severity = Severity::Error;
            words::put(&mut finding, told);
            notes.push(finding);
        }
    }
}
