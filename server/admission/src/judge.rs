//! Processing of a request that creates a policy: decode, default, prepare, validate, warn.

use crd_analyzer_apiextensions::decode::{
    DecodeProblem, DecodedObject, Refused, StrictError, StrictErrorKind, decode_error, decode_object,
};
use crd_analyzer_apiextensions::kind::Version;
use crd_analyzer_apiextensions::warnings::Warning;
use crd_analyzer_budget::{self as budget, Limits, Unfinished};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::field::{self, Error, FINDING_BYTES, Path};
use crd_analyzer_schema::metadata::ObjectMeta;
use crd_analyzer_syntax::json::JsonDoc;
use crd_analyzer_syntax::tree::NodeId;
use serde_json::Map;

use crate::codes;
use crate::kind::{DEPRECATED_SINCE, REMOVED_SINCE, VALIDATING_ADMISSION_POLICY as POLICY};
use crate::validation::{self, STATIC_SUFFIX_SINCE, static_suffix};
use crate::view::View;

/// The first Kubernetes version that warns about names with the static suffix; later versions reject them.
const STATIC_SUFFIX_WARNED_SINCE: KubernetesVersion = KubernetesVersion::minor(36);

/// A fixed suffix for `generateName`. In an API server the suffix is random, and no check depends on it.
const RANDOM: &str = "00000";

/// The API server's answer to a request that creates a policy. Messages, fields and details are those of the API server.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The error if the document cannot be decoded. All other fields are empty then.
    pub refused: Option<Refused>,
    /// The errors of strict field validation, one for each part of the API server's error, in the same order.
    pub strict: Vec<StrictError>,
    /// The causes of the rejection.
    pub errors: Vec<Error>,
    /// The warnings for an accepted object.
    pub warnings: Vec<Warning>,
    /// The reason why the answer is unknown.
    pub unjudged: Option<Unjudged>,
    /// The limit that kept the policy from being fully checked. If [`Self::unjudged`] is not set, the policy is rejected anyway, for other reasons.
    pub unfinished: Option<Unfinished>,
    /// The number of errors and warnings that were dropped because they are too large all together.
    pub left_out: u64,
}

/// The reason why an answer is unknown.
#[derive(Clone, Debug)]
pub enum Unjudged {
    /// The API server crashes on an expression.
    ServerCrashes(Error),
    /// The check exceeds a limit of crd-analyzer.
    NotFinished,
}

impl Verdict {
    /// Whether the API server stores the object, unless the client requests strict field validation.
    pub fn is_accepted(&self) -> bool {
        self.refused.is_none() && self.errors.is_empty() && self.unjudged.is_none()
    }
}

/// Returns the answer to a request that creates a policy in one of its versions.
pub fn judge_create(document: &JsonDoc<'_>, of: &'static Version, version: KubernetesVersion) -> Verdict {
    let (mut verdict, ended) = budget::within(Limits::DOCUMENT, || {
        let mut verdict = judge(document, of, version);
        field::leave_out(&mut verdict.errors, Error::bytes);
        field::leave_out(&mut verdict.strict, |it| FINDING_BYTES + it.text.len());
        verdict
    });
    verdict.left_out = ended.left_out;
    verdict.unfinished = ended.unfinished;
    if ended.unfinished.is_some() && verdict.is_accepted() {
        verdict.unjudged = Some(Unjudged::NotFinished);
    }
    verdict
}

fn judge(document: &JsonDoc<'_>, of: &'static Version, version: KubernetesVersion) -> Verdict {
    let decoded = match decode(document, of, version) {
        Ok(decoded) => decoded,
        Err(refused) => {
            return Verdict {
                refused: Some(refused),
                ..Verdict::default()
            };
        }
    };
    let DecodedObject {
        mut metadata,
        object,
        mut strict,
    } = decoded;
    if let (Some(text), Some(first)) = (document.strict_error(), document.duplicates().first()) {
        let duplicates = StrictError {
            text,
            node: first.second,
            kind: StrictErrorKind::DuplicateKeys,
        };
        strict.insert(0, duplicates);
    }
    prepare(&mut metadata);
    let none = Map::new();
    let spec = View::new(&object).structure("spec").unwrap_or(View::new(&none));
    let found = validation::validate(&metadata, spec, version);
    let mut verdict = Verdict {
        strict,
        errors: found.errors,
        ..Verdict::default()
    };
    if let Some(error) = found.crash {
        // An API server that crashes returns no other errors.
        verdict.errors.clear();
        verdict.unjudged = Some(Unjudged::ServerCrashes(error));
    }
    // The endpoint always warns about the version, even if it rejects the object.
    verdict.warnings.extend(deprecation(of, version));
    if verdict.is_accepted() && (STATIC_SUFFIX_WARNED_SINCE..STATIC_SUFFIX_SINCE).contains(&version) {
        let path = Path::of(["metadata", "name"]);
        let words = static_suffix(&metadata.name);
        verdict.warnings.extend(words.map(|it| Warning {
            text: format!("{path}: {it}"),
            code: codes::POLICY_INVALID_VALUE,
            paths: vec![path],
        }));
    }
    verdict
}

fn decode(document: &JsonDoc<'_>, of: &'static Version, version: KubernetesVersion) -> Result<DecodedObject, Refused> {
    let refused = |why: &str, node: NodeId| Refused::ByServer {
        text: decode_error(None, POLICY.name, why),
        problem: DecodeProblem::Other,
        node,
        code: codes::UNREADABLE_POLICY,
    };
    if let Some(json) = document.first_too_deep() {
        let bracket = if json.items().is_some() { '[' } else { '{' };
        let why =
            format!("couldn't get version/kind; json parse error: invalid character '{bracket}' exceeded max depth");
        return Err(refused(&why, json.node));
    }
    let Some(json) = document.root() else {
        return Ok(DecodedObject::default());
    };
    decode_object(json, (&POLICY, of), version, codes::UNREADABLE_POLICY)
}

/// Changes that the API server makes to the metadata of a new object.
fn prepare(metadata: &mut ObjectMeta) {
    metadata.self_link.clear();
    metadata.deletion_timestamp = None;
    metadata.deletion_grace_period_seconds = None;
    metadata.namespace.clear();
    metadata.managed_fields.clear();
    metadata.uid.clear();
    if metadata.name.is_empty() && !metadata.generate_name.is_empty() {
        metadata.name = format!("{}{RANDOM}", metadata.generate_name);
    }
    metadata.generation = 1;
}

/// The warning about a deprecated version (`k8s.io/apiserver/pkg/endpoints/deprecation`).
fn deprecation(of: &Version, version: KubernetesVersion) -> Option<Warning> {
    let is_deprecated = of.removed.is_some() && version >= DEPRECATED_SINCE;
    is_deprecated.then(|| Warning {
        text: format!(
            "{} {} is deprecated in v{DEPRECATED_SINCE}+, unavailable in v{REMOVED_SINCE}+",
            of.api_version, POLICY.name,
        ),
        code: codes::DEPRECATED_POLICY_VERSION,
        paths: vec![Path::of(["apiVersion"])],
    })
}
