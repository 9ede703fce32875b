//! Several CRDs of a kind: whether it matters for a custom resource which of them is in the cluster.

use crd_analyzer_resource::{self as server, ResourceVerdict, ServedVersion};

use super::{One, related};
use crate::{
    codes,
    finding::{Class, Finding, Severity},
    index::{DefinitionText, GroupKind},
    words,
};

/// Other CRDs of the kind that one resource is judged by. Further ones are not asked, so that a repository with many costs no more.
const MOST_ASKED: usize = 8;

const HELP: &str = "name the right CRD with `--crd`, or `exclude` the others in `.crd-analyzer.yaml`";

impl One<'_> {
    /// Says by which of several CRDs the object was judged, if another one judges it otherwise.
    pub(super) fn other_verdicts(&self, text: &DefinitionText, served: ServedVersion<'_>) -> Option<Finding> {
        let found = &self.asked.found;
        if found.others.is_empty() {
            return None;
        }
        if self.asked.question.is_edited {
            return Some(self.other_crds(text));
        }
        let path = self.asked.question.path;
        let own = self.refusals(served)?;
        let written = &self.asked.object.written;
        let own_words = if own.is_empty() {
            "checked by this CRD, which accepts it"
        } else {
            "checked by this CRD, which rejects it"
        };
        let mut others = Vec::new();
        for other in found.others.iter().take(MOST_ASKED) {
            let Ok((definition, text)) = other.serve(self.asked.definitions.files(), self.version) else {
                continue;
            };
            let refusals = match definition.serving(&written.api_version, &written.kind) {
                Ok(served) => self.refusals(served),
                Err(why) => Some(vec![why.to_string()]),
            };
            if let Some(refusals) = refusals.filter(|it| *it != own) {
                let what = if own.is_empty() {
                    "another CRD of this kind, which rejects it"
                } else if refusals.is_empty() {
                    "another CRD of this kind, which accepts it"
                } else {
                    "another CRD of this kind, with other errors"
                };
                others.push(related(path, &text, text.kind_span(), what));
            }
        }
        if others.is_empty() {
            return None;
        }
        let GroupKind { group, kind } = &self.asked.kind;
        let message = words::clip(
            &format!("another CRD of `{kind}` of `{group}` judges this resource differently"),
            words::MAX_HEADLINE,
        );
        let mut hint = Finding::new(Class::Hint, codes::SEVERAL_CRDS, self.at("kind"), message);
        hint.severity = Severity::Hint;
        hint.help = vec![HELP.to_owned()];
        hint.related.push(related(path, text, text.kind_span(), own_words));
        hint.related.extend(others);
        Some(hint)
    }

    /// Says by which of several CRDs the object is judged. While somebody types, the errors that the others have come and go with each key.
    fn other_crds(&self, text: &DefinitionText) -> Finding {
        let (found, path) = (&self.asked.found, self.asked.question.path);
        let GroupKind { group, kind } = &self.asked.kind;
        let headline = format!("several CRDs of `{kind}` of `{group}` are known, and differ");
        let headline = words::clip(&headline, words::MAX_HEADLINE);
        let mut hint = Finding::new(Class::Hint, codes::SEVERAL_CRDS, self.at("kind"), headline);
        hint.severity = Severity::Hint;
        hint.help = vec![HELP.to_owned()];
        hint.related
            .push(related(path, text, text.kind_span(), "checked by this CRD"));
        let others = found.others.iter().take(MOST_ASKED);
        let others = others.filter_map(|it| it.text(self.asked.definitions.files()));
        hint.related
            .extend(others.map(|it| related(path, &it, it.kind_span(), "another CRD of this kind")));
        hint
    }

    /// Everything that speaks against creating the object. `None` if that is not known.
    fn refusals(&self, served: ServedVersion<'_>) -> Option<Vec<String>> {
        let answer = server::judge(served, self.json, server::Question::Create);
        (answer.unfinished.is_empty() && answer.unjudged.is_none()).then(|| of(&answer))
    }
}

/// The places and kinds of all errors. Their words may name what the CRD allows, which says nothing about the resource.
fn of(answer: &ResourceVerdict) -> Vec<String> {
    let decoding = answer.decode_error.iter().map(|it| it.text.clone());
    let strict = answer.strict.iter().map(|it| it.text.clone());
    let errors = answer
        .errors
        .iter()
        .map(|it| format!("{}: {}", it.error.path, it.error.code));
    let other = answer.other_error.iter().cloned();
    decoding.chain(strict).chain(errors).chain(other).collect()
}
