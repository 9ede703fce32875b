//! Checks whether several CRDs of a kind give different answers for a custom resource.

use std::sync::Arc;

use crd_analyzer_resource::{self as server, ResourceVerdict, ServedVersion};

use super::{One, Said, related};
use crate::{
    codes,
    findings::finding::{Class, Finding, Related, Severity},
    index::{GroupKind, KnownCrd},
    words,
};

/// The maximum number of other CRDs that a hint names.
const MOST_NAMED: usize = 4;

const HELP: &str = "name the right CRD with `--crd`, or `exclude` the others in `.crd-analyzer.yaml`";

impl One<'_> {
    /// If another CRD of the same rank gives a different answer, a hint that says which CRD was used. `asked` has the answers of other CRDs that are
    /// already known.
    pub(super) fn other_verdicts(
        &self,
        (by, equals): (&Arc<KnownCrd>, &[&Arc<KnownCrd>]),
        said: &Said,
        mut asked: Vec<(&Arc<KnownCrd>, Said)>,
    ) -> Option<Finding> {
        let found = &self.asked.found;
        let text = said.text.as_deref().filter(|_| !equals.is_empty())?;
        let path = self.asked.question.path;
        let own = said.refusals.as_ref()?;
        let mut others = Vec::new();
        let all = std::iter::once(&found.definition).chain(equals.iter().copied());
        for other in all.filter(|it| !Arc::ptr_eq(it, by)) {
            let known = asked.iter().position(|it| Arc::ptr_eq(it.0, other));
            let Said { text, refusals } = known.map_or_else(|| self.ask(other), |it| asked.swap_remove(it).1);
            let Some(text) = text else { continue };
            if let Some(refusals) = refusals.filter(|it| it != own) {
                let what = match refusals.as_slice() {
                    [only] if own.is_empty() => format!("another CRD of this kind, which rejects it: {only}"),
                    [first, rest @ ..] if own.is_empty() => {
                        let more = rest.len();
                        format!("another CRD of this kind, which rejects it: {first}, and {more} more")
                    }
                    _ => "another CRD of this kind, with other errors".to_owned(),
                };
                others.push(related(path, &text, text.kind_span(), what));
            }
            if others.len() == MOST_NAMED {
                break;
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
        let headline = format!("another CRD of `{kind}` of `{group}` gives another result for this resource");
        others.insert(0, related(path, text, text.kind_span(), own_words));
        Some(self.hint(&headline, others))
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

    /// The answer according to another CRD.
    fn ask(&self, other: &KnownCrd) -> Said {
        let written = &self.asked.object.written;
        match other.serve(self.asked.definitions.files(), self.version) {
            Err(_) => Said {
                text: None,
                refusals: None,
            },
            Ok((definition, text)) => Said {
                text: Some(text),
                refusals: match definition.serving(&written.api_version, &written.kind) {
                    Ok(served) => self.refusals(served),
                    Err(why) => Some(vec![why.to_string()]),
                },
            },
        }
    }

    /// All errors on creation of the object. `None` if they are not known.
    pub(super) fn refusals(&self, served: ServedVersion<'_>) -> Option<Vec<String>> {
        let answer = server::judge_known(served, self.json, self.known, server::Question::Create);
        refusals_of(&answer)
    }
}

/// All errors on creation of an object. `None` if they are not known.
pub(super) fn refusals_of(answer: &ResourceVerdict) -> Option<Vec<String>> {
    (answer.unfinished.is_empty() && answer.unjudged.is_none()).then(|| of(answer))
}

/// The places and kinds of all errors. Their text is ignored, because it may list what the CRD allows.
fn of(answer: &ResourceVerdict) -> Vec<String> {
    let decoding = answer.decode_error.iter().map(|it| it.text.clone());
    let strict = answer.strict.iter().map(|it| it.text.clone());
    let errors = answer
        .errors
        .iter()
        .filter(|it| it.error.code != server::codes::UNCHECKED_RULES)
        .map(|it| format!("{}: {}", it.error.path, it.error.code));
    let other = answer.other_error.iter().cloned();
    decoding.chain(strict).chain(errors).chain(other).collect()
}
