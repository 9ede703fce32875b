//! All diagnostic codes, each with a one-sentence summary and a page.

mod facts;

use std::{collections::BTreeMap, sync::LazyLock};

pub use crd_analyzer_admission::codes::DEPRECATED_POLICY_VERSION;
pub use crd_analyzer_apiextensions::codes::INVALID_YAML;
pub use crd_analyzer_resource::codes::{DEPRECATED_VERSION, UNREADABLE_RESOURCE, UNSERVED_VERSION};

pub use self::facts::{Facts, HasFix};
use crate::words::meant::meant;

/// A diagnostic code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// The code, kebab-case.
    pub name: &'static str,
    /// The meaning of the code, in one sentence.
    pub summary: &'static str,
    /// The page of the code, as Markdown: examples, why the API server reports it, and how to fix it.
    pub page: &'static str,
    /// The reason why no quick fix can be offered for this error. `None` if there are quick fixes, or if the code is a hint.
    pub without_fix: Option<&'static str>,
}

impl Code {
    /// Whether everything that this code reports is rejected by the API server, as the examples on its page show.
    pub fn is_rejection(&self) -> bool {
        let class = |line: &str| {
            let said = line
                .strip_prefix('#')?
                .trim_start()
                .trim_start_matches('^')
                .trim_start();
            match said.split_once(':')?.0 {
                "error" | "later" => Some(true),
                "warning" | "hint" => Some(false),
                // The example has a diagnostic with another code.
                _ => None,
            }
        };
        let mut classes = self.page.lines().filter_map(class).peekable();
        classes.peek().is_some() && classes.all(|it| it)
    }
}

crd_analyzer_schema::codes! {
    /// The API server refuses the request as a whole.
    REFUSED = "refused";
    /// The manifest is too large for client-side `kubectl apply`.
    LARGE_MANIFEST = "large-manifest";
    /// The CRD is larger than a request to etcd may be, so the API server cannot store it.
    TOO_LARGE_TO_STORE = "too-large-to-store", no_fix: "Only the author knows what to leave out.";
    /// A file on the command line has an object that crd-analyzer cannot check.
    NOT_CHECKED = "not-checked", no_fix: "Only the author knows where the CRD is.";
    /// A test expects that the API server rejects the objects of a file, but their CRDs accept them.
    NOT_REJECTED = "not-rejected";
    /// A value begins with `!`, so YAML takes it as a tag.
    LOCAL_TAG = "local-tag";
    /// The previous revision of the file cannot be decoded as a CRD.
    UNREADABLE_PREVIOUS_REVISION = "unreadable-previous-revision", no_fix: "The error is in another revision.";
    /// The CRD of a custom resource cannot be decoded, so the resource is not checked.
    UNUSABLE_CRD = "unusable-crd";
    /// The files have several CRDs for the kind of a custom resource, and not all of them accept it.
    SEVERAL_CRDS = "several-crds";
    /// The document is a part of a CRD that another file defines, so only what it says is checked.
    PARTIAL_CRD = "partial-crd";
    /// A changed CRD rejects every update of a stored object.
    STORED_OBJECT_REFUSED = "stored-object-refused";
    /// A changed CRD makes a stored object invalid. Updates that leave the invalid part unchanged still succeed.
    STORED_OBJECT_INVALID = "stored-object-invalid";
    /// The kind of an object does not exist: its name is misspelt, or no CRD defines it.
    UNKNOWN_KIND = "unknown-kind";
    /// The file is a template that crd-analyzer cannot check.
    TEMPLATE = "template";
    /// A template of a Helm chart prints a value that the chart does not have, and another value has nearly the same name.
    UNKNOWN_CHART_VALUE = "unknown-chart-value";
    /// Helm cannot parse a template of a chart, or does not find a template that it includes.
    HELM_FAILURE = "helm-failure";
    /// The object holds CRDs, schemas or resources in the form of another tool, which crd-analyzer does not check.
    KIND_OF_OTHER_TOOL = "kind-of-other-tool";
    /// kustomize cannot build a kustomization.
    KUSTOMIZE_FAILURE = "kustomize-failure";
    /// A kustomization needs something that crd-analyzer does not read or run.
    KUSTOMIZE_NOT_BUILT = "kustomize-not-built", no_fix: "Only the author knows where the missing part is.";
    /// The target of a patch or a replacement matches no object.
    UNUSED_PATCH = "unused-patch";
    /// A marker in a Go file has a name that controller-gen does not know.
    UNKNOWN_MARKER = "unknown-marker";
    /// A marker in a Go file does nothing at its place.
    MISPLACED_MARKER = "misplaced-marker";
    /// A Go file with markers is not valid Go.
    INVALID_GO = "invalid-go", no_fix: "The language server of Go tells what is wrong.";
    /// controller-gen cannot read the arguments of a marker in a Go file.
    INVALID_MARKER = "invalid-marker";
    /// A marker in a Go file does not fit the type that it is at.
    MISMATCHED_MARKER = "mismatched-marker", no_fix: "Only the author knows whether the marker or the type is wrong.";
    /// controller-gen rejects a field or a type in a Go file.
    GO_TYPE_REFUSED = "go-type-refused", no_fix: "Only the author knows which type the field should have.";
    /// A field or a type has a marker twice, or two markers that contradict each other.
    REPEATED_MARKER = "repeated-marker";
    /// Two fields of a Go struct have the same JSON name.
    REPEATED_JSON_NAME = "repeated-json-name", no_fix: "Only the author knows the names of the fields.";
    /// A JSON tag of a Go struct does not say what its author means.
    MALFORMED_JSON_TAG = "malformed-json-tag";
    /// controller-gen reads the value of a marker in another way than it is meant.
    MISREAD_MARKER = "misread-marker";
    /// gofmt changed quotes in a marker.
    MARKER_QUOTES = "marker-quotes";
    /// A CRD is older than the Go types that controller-gen made it from.
    STALE_CRD = "stale-crd";
    /// A suppression comment is malformed.
    MALFORMED_SUPPRESSION = "malformed-suppression";
    /// A suppression comment suppresses nothing.
    UNUSED_SUPPRESSION = "unused-suppression";
    /// A setting of `.crd-analyzer.yaml` does not exist, or its value cannot be used.
    INVALID_CONFIGURATION = "invalid-configuration";
    /// A suppression comment gives no reason.
    SUPPRESSION_WITHOUT_REASON = "suppression-without-reason";
}

/// The codes that are shown only if the configuration turns them on. Their findings are correct, but rarely worth a change.
pub static OFF_BY_DEFAULT: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let hazards = [
        crd_analyzer_hazards::codes::ALWAYS_TRUE_RULE,
        crd_analyzer_hazards::codes::DEFAULT_FAILS_RULE,
        crd_analyzer_hazards::codes::RULE_CAN_FAIL,
    ];
    let lints = crd_analyzer_lints::ALL.iter().filter(|it| it.is_off);
    hazards.into_iter().chain(lints.map(|it| it.code)).collect()
});

/// Every code, sorted by name.
pub fn all() -> Vec<Code> {
    SORTED.clone()
}

/// All codes, sorted by name. They are computed once, because each suppression comment looks up its codes.
static SORTED: LazyLock<Vec<Code>> = LazyLock::new(listed);

fn listed() -> Vec<Code> {
    let lists = [
        ALL,
        crd_analyzer_admission::codes::ALL,
        crd_analyzer_apiextensions::codes::ALL,
        crd_analyzer_compat::codes::ALL,
        crd_analyzer_hazards::codes::ALL,
        crd_analyzer_resource::codes::ALL,
        crd_analyzer_schema::codes::ALL,
    ];
    let reasons = [
        WITHOUT_FIX,
        crd_analyzer_admission::codes::WITHOUT_FIX,
        crd_analyzer_apiextensions::codes::WITHOUT_FIX,
        crd_analyzer_compat::codes::WITHOUT_FIX,
        crd_analyzer_hazards::codes::WITHOUT_FIX,
        crd_analyzer_resource::codes::WITHOUT_FIX,
        crd_analyzer_schema::codes::WITHOUT_FIX,
    ];
    let reasons: BTreeMap<&str, &str> = reasons.into_iter().flatten().copied().collect();
    let mut all: Vec<Code> = lists
        .into_iter()
        .flatten()
        .map(|(name, summary, page)| Code {
            name,
            summary: summary.trim(),
            page,
            without_fix: reasons.get(name).copied(),
        })
        .collect();
    all.extend(crd_analyzer_lints::ALL.iter().map(|lint| Code {
        name: lint.code,
        summary: lint.summary,
        page: lint.page,
        without_fix: lint.no_fix,
    }));
    all.sort_by_key(|code| code.name);
    all
}

/// The code with this name.
pub fn find(name: &str) -> Option<Code> {
    let at = SORTED.binary_search_by(|code| code.name.cmp(name)).ok()?;
    SORTED.get(at).copied()
}

/// The code that a misspelt name probably means.
pub fn nearest(name: &str) -> Option<&'static str> {
    meant(name, SORTED.iter().map(|code| code.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique() {
        let all = all();
        for pair in all.windows(2) {
            assert_ne!(pair[0].name, pair[1].name);
        }
    }

    #[test]
    fn finds_what_was_meant() {
        assert_eq!(nearest("unknown-feild"), Some("unknown-field"));
        assert_eq!(nearest("x"), None);
    }
}
