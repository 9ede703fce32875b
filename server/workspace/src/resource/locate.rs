//! From what the server answers about a resource to findings with places, in the resource and in its definition.

use std::path::Path;

use crd_analyzer_apiextensions::codes as definition_codes;
use crd_analyzer_resource::{self as server, Decider, DecodePlace, StrictErrorKind, codes, places};
use crd_analyzer_schema::field::{self, Error, Segment};
use crd_analyzer_syntax::{
    json::JsonDoc,
    paths::{self, Step},
    tree::{Span, Tree},
};

use super::{effective::Effective, related};
use crate::{
    finding::{Class, Finding, Related, ServerSays},
    index::DefinitionText,
    report::Verdict,
    verdict,
};

/// Longer names are not searched for what was meant: that takes as long as two of them multiplied.
const LONGEST_NAME: usize = 100;

/// What is needed to find places.
pub(super) struct Locate<'a> {
    pub(super) tree: &'a Tree,
    pub(super) json: &'a JsonDoc<'a>,
    /// The file of the resource.
    pub(super) path: Option<&'a Path>,
    pub(super) definition: &'a DefinitionText,
    /// Whether the definition has several versions, so that it is worth to say which.
    pub(super) versions_share: bool,
}

impl Locate<'_> {
    /// Gives everything in the server's answer its place.
    pub(super) fn verdict(&self, answer: &server::Verdict) -> Verdict {
        let mut verdict = Verdict {
            decode_error: answer.decode_error.as_ref().map(|error| {
                let span = match &error.place {
                    DecodePlace::Text(span) => *span,
                    DecodePlace::Path(path) => self.span(path).0,
                };
                crate::verdict::unreadable(error.code, span, &error.text)
            }),
            strict: answer.strict.iter().map(|it| self.strict(it)).collect(),
            errors: answer.errors.iter().map(|it| self.error(it)).collect(),
            other_error: answer
                .other_error
                .as_ref()
                .map(|text| self.of_whole(crate::codes::REFUSED, text)),
            warnings: answer.warnings.iter().map(|it| self.warning(it)).collect(),
            resource: Effective::of(answer, self.json).map(Box::new),
            ..Verdict::default()
        };
        if answer.unjudged.is_some() {
            verdict.other_error =
                Some(self.of_whole(definition_codes::TOO_DEEP, "nested too deeply to be judged here"));
        }
        verdict.hints.extend(answer.hidden.iter().map(|it| Finding {
            class: Class::Hint,
            severity: Class::Hint.severity(),
            hidden: true,
            ..self.error(it)
        }));
        verdict
    }

    fn of_whole(&self, code: &'static str, text: &str) -> Finding {
        let (span, _) = self.span(&field::Path::root());
        Finding {
            server: Some(ServerSays::Other(text.to_owned())),
            ..Finding::new(Class::Error, code, span, text.to_owned())
        }
    }

    fn strict(&self, error: &server::StrictError) -> Finding {
        let span = error
            .node
            .map_or_else(|| self.span(&field::Path::root()).0, |it| self.tree.span(it));
        let mut finding = Finding::new(Class::Error, error.kind.code(), span, error.text.clone());
        if error.kind == StrictErrorKind::DuplicateKeys {
            verdict::say_duplicates(&mut finding, self.tree, self.json);
        }
        if let Some(decider) = &error.decider {
            let mut related = self.decider(decider);
            if error.kind == StrictErrorKind::UnknownField {
                related.message = super::with_origin("this schema does not have it".to_owned(), self.definition);
                finding
                    .help
                    .extend(error.node.and_then(|it| self.meant(&self.tree.scalar(it), decider)));
            }
            finding.related.push(related);
        }
        finding.server = Some(ServerSays::Strict(error.text.clone()));
        finding
    }

    /// The property whose name is the nearest to that of an unknown field.
    fn meant(&self, name: &str, decider: &Decider) -> Option<String> {
        let steps: Vec<Step<'_>> = decider.path.segments().iter().map(step).collect();
        let tree = &self.definition.tree;
        let place = paths::find_from(tree, self.definition.root, &steps);
        let properties = self.definition.child(place.node, "properties")?;
        let names = tree.entries(tree.resolve(properties.node));
        let names: Vec<_> = names.map(|it| tree.scalar(it.key)).collect();
        let short = |it: &&str| it.len() <= LONGEST_NAME;
        let candidates = names.iter().map(AsRef::as_ref).filter(short);
        let near = crate::codes::nearest_of(Some(name).filter(short)?, candidates)?;
        Some(format!("did you mean `{near}`?"))
    }

    /// A cause of the rejection.
    pub(super) fn error(&self, found: &server::Finding) -> Finding {
        let error = &found.error;
        let (span, missing) = self.span(&error.path);
        let mut finding = Finding::new(Class::Error, error.code, span, title(error));
        if missing {
            finding.elsewhere = Some(format!(
                "{} is not written; this is the closest thing around it",
                error.path
            ));
        }
        // Nothing that could be repaired by itself; the errors that it follows from are shown.
        finding.suppressed = error.code == codes::UNCHECKED_RULES;
        finding
            .related
            .extend(found.decider.as_ref().map(|it| self.decider(it)));
        finding.server = Some(ServerSays::cause(error));
        finding
    }

    fn warning(&self, warning: &server::Warning) -> Finding {
        let (span, _) = self.span(&warning.path);
        let mut finding = Finding::new(Class::Warning, warning.code, span, warning.text.clone());
        finding.deprecated = warning.code == codes::DEPRECATED_VERSION;
        finding
            .related
            .extend(warning.decider.as_ref().map(|it| self.decider(it)));
        finding.server = Some(ServerSays::Warning(warning.text.clone()));
        finding
    }

    /// Where to point for a path of the object, and whether the field itself is not written.
    pub(super) fn span(&self, path: &field::Path) -> (Span, bool) {
        let Some(root) = self.json.root() else {
            return (verdict::first_line(self.tree.text(), self.tree.document_span()), true);
        };
        let place = places::find(root, path);
        (verdict::spot(self.tree, place.key, place.value), place.missing)
    }

    /// The place in the definition that decides.
    fn decider(&self, decider: &Decider) -> Related {
        let tree = &self.definition.tree;
        let mut steps: Vec<Step<'_>> = decider.path.segments().iter().map(step).collect();
        if let Some(index) = decider.rule {
            steps.extend([Step::Index(index), Step::key("rule")]);
        }
        let place = paths::find_from(tree, self.definition.root, &steps);
        let span = verdict::spot(tree, place.key, tree.resolve(place.node));
        let keyword = decider.path.segments().last().map(|it| match it {
            Segment::Field(name) | Segment::Key(name) => name.clone(),
            Segment::Index(index) => index.to_string(),
        });
        let version = self.version_of(decider);
        let what = match (&decider.rule, place.missing, keyword) {
            (Some(_), ..) => format!("this rule{version} decides"),
            (None, 0, Some(keyword)) if !keyword.is_empty() => format!("`{keyword}`{version} decides"),
            _ => format!("the schema{version} that decides"),
        };
        related(self.path, self.definition, span, what)
    }

    /// Which of several versions a place is in.
    fn version_of(&self, decider: &Decider) -> String {
        let index = decider.path.segments().iter().find_map(|it| match it {
            Segment::Index(index) => Some(*index),
            _ => None,
        });
        let versions = self.definition.versions();
        match index.and_then(|it| versions.get(it)) {
            Some(name) if self.versions_share => format!(" of {name}"),
            _ => String::new(),
        }
    }
}

fn step(segment: &Segment) -> Step<'_> {
    match segment {
        Segment::Field(name) | Segment::Key(name) => Step::key(name.as_str()),
        Segment::Index(index) => Step::Index(*index),
    }
}

/// What is wrong, in one line that makes sense alone.
fn title(error: &Error) -> String {
    verdict::title(error)
}
