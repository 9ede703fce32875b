//! Several CRDs of a kind: whether it matters for a custom resource which of them is in the cluster.

use crd_analyzer_resource::{self as server, ResourceVerdict, ServedVersion};

use super::{One, related};
use crate::{
    codes,
    finding::{Class, Finding, Related, Severity},
    index::{DefinitionText, GroupKind},
    words,
};

const HELP: &str = "name the right CRD with `--crd`, or `exclude` the others in `.crd-analyzer.yaml`";

impl One<'_> {
    /// Says by which of several CRDs the object was judged, if another one judges it otherwise. `created`: the answer to the request that
    /// creates the object, if it is known.
    pub(super) fn other_verdicts(
        &self,
        text: &DefinitionText,
        served: ServedVersion<'_>,
        created: Option<&ResourceVerdict>,
    ) -> Option<Finding> {
        if self.asked.found.others.is_empty() {
            return None;
        }
        // While somebody types, the errors that the others have come and go with each key.
        if self.asked.question.is_edited {
            return Some(self.other_crds(text));
        }
        let path = self.asked.question.path;
        let own = created.map_or_else(|| self.refusals(served), refusals_of)?;
        let written = &self.asked.object.written;
        let mut others = Vec::new();
        for other in &self.asked.found.others {
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
        let own_words = if own.is_empty() {
            "checked by this CRD, which accepts it"
        } else {
            "checked by this CRD, which rejects it"
        };
        let GroupKind { group, kind } = &self.asked.kind;
        let headline = format!("another CRD of `{kind}` of `{group}` judges this resource differently");
        others.insert(0, related(path, text, text.kind_span(), own_words));
        Some(self.hint(&headline, others))
    }

    /// Says by which of several CRDs the object is judged, whatever the others say about it.
    fn other_crds(&self, text: &DefinitionText) -> Finding {
        let path = self.asked.question.path;
        let GroupKind { group, kind } = &self.asked.kind;
        let headline = format!("several CRDs of `{kind}` of `{group}` are known, and differ");
        let own = related(path, text, text.kind_span(), "checked by this CRD");
        let others = self.asked.found.others.iter();
        let others = others.filter_map(|it| it.text(self.asked.definitions.files()));
        let others = others.map(|it| related(path, &it, it.kind_span(), "another CRD of this kind"));
        self.hint(&headline, std::iter::once(own).chain(others).collect())
    }

    fn hint(&self, headline: &str, related: Vec<Related>) -> Finding {
        let headline = words::clip(headline, words::MAX_HEADLINE);
        Finding {
            severity: Severity::Hint,
            help: vec![HELP.to_owned()],
            related,
            ..Finding::new(Class::Hint, codes::SEVERAL_CRDS, self.at("kind"), headline)
        }
    }

    /// Everything that speaks against creating the object. `None` if that is not known.
    fn refusals(&self, served: ServedVersion<'_>) -> Option<Vec<String>> {
        let answer = server::judge_known(served, self.json, self.known, server::Question::Create);
        refusals_of(&answer)
    }
}

/// Everything that speaks against creating an object. `None` if that is not known.
fn refusals_of(answer: &ResourceVerdict) -> Option<Vec<String>> {
    (answer.unfinished.is_empty() && answer.unjudged.is_none()).then(|| of(answer))
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
