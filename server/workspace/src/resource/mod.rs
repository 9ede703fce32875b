//! What is said about custom resources: the server's answers under the definition that counts, with places in both texts.

mod columns;
mod effective;
mod json_path;
mod locate;
mod update;

use std::path::Path;

use crd_analyzer_apiextensions::decode::parse_group_version;
use crd_analyzer_resource::{self as server, DecodeError, DecodePlace, NotServed};
use crd_analyzer_schema::{KubernetesVersion, go};
use crd_analyzer_syntax::{
    ReadError,
    json::{JsonDoc, read_json_of},
    template::first_action,
    tree::{NodeId, Span, Tree},
};

pub use columns::{Column, columns};
pub use crd_analyzer_resource::ChangeKind;
pub use effective::{Change, Effective, annotated};

use crate::{
    analysis::Question,
    codes,
    finding::{Class, Finding, Related, ServerSays},
    index::{DefinitionText, Definitions, Found, GroupKind, Object},
    report::{DocumentReport, Subject, Verdict},
    text::Text,
    verdict,
    versions::VersionSet,
};
use locate::Locate;
pub(crate) use update::Previous;

/// A custom resource whose definition is known.
pub(crate) struct Asked<'a> {
    pub(crate) text: &'a Text,
    pub(crate) object: &'a Object,
    pub(crate) kind: GroupKind,
    pub(crate) found: Found,
    pub(crate) definitions: &'a dyn Definitions,
    pub(crate) question: &'a Question<'a>,
    pub(crate) previous: Option<&'a Previous<'a>>,
}

/// Answers for a custom resource. `None`: it is a template, and there is nothing to say.
///
/// `tree` is that of its document, if it could be read; `node` the object in it.
pub(crate) fn judge(asked: &Asked<'_>, read: Result<(&Tree, NodeId), &ReadError>) -> Option<DocumentReport> {
    let mut report = DocumentReport::new(asked.object, Subject::Resource);
    let wanted = &asked.kind.kind;
    let unread = |answer: &DecodeError, mut report: DocumentReport| {
        if !asked.question.named && first_action(&asked.text.content, asked.object.document.span).is_some() {
            return None;
        }
        let all = asked.question.versions.iter();
        report.verdicts.extend(all.map(|it| (it, of_unread(answer))));
        Some(report)
    };
    let (tree, node) = match read {
        Ok(read) => read,
        Err(error) => return unread(&DecodeError::of_read_error(wanted, error), report),
    };
    report.span = if asked.object.item.is_some() {
        tree.span(node)
    } else {
        report.span
    };
    for version in asked.question.versions.iter() {
        let json = match read_json_of(tree, node) {
            Ok(json) => json,
            Err(error) => return unread(&DecodeError::of_convert_error(wanted, &error, version), report),
        };
        let one = One {
            asked,
            tree,
            json: &json,
            version,
        };
        report.verdicts.push((version, one.judge()));
    }
    Some(report)
}

/// The answer for a text that cannot be read.
fn of_unread(answer: &DecodeError) -> Verdict {
    let span = match answer.place {
        DecodePlace::Text(span) => span,
        DecodePlace::Path(_) => Span::default(),
    };
    Verdict {
        decode_error: Some(verdict::unreadable(answer.code, span, &answer.text)),
        ..Verdict::default()
    }
}

/// The answer of a server that has no definition for the object.
pub(crate) fn without_definition(text: &Text, object: &Object, versions: VersionSet) -> DocumentReport {
    let mut report = DocumentReport::new(object, Subject::Resource);
    let written = &object.written;
    let words = parse_group_version(&written.api_version).map_or_else(
        |error| error,
        |_| {
            let (kind, version) = (go::quote(&written.kind), go::quote(&written.api_version));
            format!("no matches for kind {kind} in version {version}")
        },
    );
    let place = verdict::first_line(&text.content, object.document.span);
    let finding = Finding {
        server: Some(ServerSays::Decode(words.clone())),
        ..Finding::new(Class::Error, server::codes::UNSERVED_VERSION, place, words)
    };
    let verdict = Verdict {
        decode_error: Some(finding),
        ..Verdict::default()
    };
    report.verdicts.extend(versions.iter().map(|it| (it, verdict.clone())));
    report
}

/// What is asked of one minor.
struct One<'a> {
    asked: &'a Asked<'a>,
    tree: &'a Tree,
    json: &'a JsonDoc<'a>,
    version: KubernetesVersion,
}

impl One<'_> {
    fn judge(&self) -> Verdict {
        let served = self
            .asked
            .found
            .definition
            .serve(self.asked.definitions.files(), self.version);
        let (definition, text) = match served {
            Ok(served) => served,
            Err(text) => return self.unusable(text.as_deref()),
        };
        let written = &self.asked.object.written;
        let served = match definition.serving(&written.api_version, &written.kind) {
            Ok(served) => served,
            Err(why) => return self.not_served(&why, &text),
        };
        let locate = Locate {
            tree: self.tree,
            json: self.json,
            path: self.asked.question.path,
            definition: &text,
            versions_share: definition.version_names().len() > 1,
        };
        let mut verdict = match self.asked.previous {
            None => {
                let answer = server::judge(served, self.json, server::Question::Create);
                locate.verdict(&answer)
            }
            Some(previous) => update::judge(self, previous, served, &locate),
        };
        self.name_others(&text, &mut verdict);
        verdict
    }

    /// Where a key of the object is written, or its first line.
    fn at(&self, key: &str) -> Span {
        let member = self.json.root().and_then(|it| it.member(key));
        member.map_or_else(
            || {
                let root = self.json.root().map(|it| it.node).or(self.tree.root());
                let span = root.map_or_else(|| self.tree.document_span(), |it| self.tree.span(it));
                verdict::first_line(self.tree.text(), span)
            },
            |it| verdict::spot(self.tree, Some(it.key_node), it.value.node),
        )
    }

    fn not_served(&self, why: &NotServed, text: &DefinitionText) -> Verdict {
        let words = why.to_string();
        let mut finding = Finding::new(
            Class::Error,
            server::codes::UNSERVED_VERSION,
            self.at("apiVersion"),
            words.clone(),
        );
        let versions = text
            .find(&["spec", "versions"])
            .or_else(|| text.find(&["spec", "version"]));
        let span = versions.map_or_else(|| text.kind_span(), |it| it.key_span(&text.tree));
        finding.related.push(related(
            self.asked.question.path,
            text,
            span,
            "the versions of its definition",
        ));
        finding.server = Some(ServerSays::Decode(words));
        Verdict {
            decode_error: Some(finding),
            ..Verdict::default()
        }
    }

    fn unusable(&self, text: Option<&DefinitionText>) -> Verdict {
        let message = "its definition cannot be read right now, so it is not checked";
        let mut finding = Finding::new(Class::Hint, codes::UNUSABLE_DEFINITION, self.at("kind"), message);
        finding
            .related
            .extend(text.map(|text| related(self.asked.question.path, text, text.kind_span(), "the definition")));
        Verdict {
            hints: vec![finding],
            ..Verdict::default()
        }
    }

    /// Says by which of several definitions the object was judged.
    fn name_others(&self, text: &DefinitionText, verdict: &mut Verdict) {
        let found = &self.asked.found;
        if found.others.is_empty() {
            return;
        }
        let path = self.asked.question.path;
        let GroupKind { group, kind } = &self.asked.kind;
        let message =
            format!("{kind} of {group} is defined differently in several files: this one is checked by the nearest");
        let mut hint = Finding::new(Class::Hint, codes::SEVERAL_DEFINITIONS, self.at("kind"), message);
        hint.severity = crate::finding::Severity::Hint;
        hint.related.push(related(
            path,
            text,
            text.kind_span(),
            "the definition that it is checked by",
        ));
        for other in &found.others {
            if let Some(text) = other.text(self.asked.definitions.files()) {
                hint.related.push(related(path, &text, text.kind_span(), "another one"));
            }
        }
        verdict.hints.push(hint);
    }
}

/// Words about a definition, and that it comes from a cluster if it does.
fn with_origin(message: String, definition: &DefinitionText) -> String {
    match &definition.cluster {
        Some(context) => format!("{message}, from the cluster {context}"),
        None => message,
    }
}

/// A place in a definition, from the file at `path`.
fn related(path: Option<&Path>, definition: &DefinitionText, span: Span, message: impl Into<String>) -> Related {
    let is_same = path.is_some_and(|path| *definition.source.path == *path);
    Related {
        span,
        message: with_origin(message.into(), definition),
        file: (!is_same).then(|| definition.source.clone()),
    }
}
