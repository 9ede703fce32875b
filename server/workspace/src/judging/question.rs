//! The question that an analysis of a text answers.

use std::{path::Path, sync::Arc};

use crd_analyzer_gosource::check::declared::Declared;

use crate::{
    comparison::breaking::Compatibility,
    comparison::revision::Revision,
    comparison::since_revision::KnownChanges,
    config::versions::VersionSet,
    documents::last_trees::LastTrees,
    filled_in::variables::Variables,
    index::Definitions,
    judging::hazards,
    judging::lints::{self, Lint, Lints},
    sources::{earlier::Replaced, generated::GoSources},
};

/// What kustomize and Flux do to the files before they are sent.
pub trait BuiltDocuments: Sync {
    /// The variables that Flux substitutes in a file, if they are known.
    fn variables(&self, path: &Path) -> Option<Arc<Variables>>;

    /// The variables that Flux substitutes in the manifest that the file replaces.
    fn old_variables(&self, _: &Path) -> Option<Arc<Variables>> {
        None
    }

    /// Whether a document of a file, or an item of it, is checked only as it is built.
    fn is_built(&self, path: &Path, index: usize, item: Option<usize>) -> bool;
}

/// A question about a text.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The Kubernetes versions to check.
    pub versions: VersionSet,
    /// Whether the user named the text. If so, a document that does not state its kind is checked as a CRD, as if it were sent to the API
    /// server as one. In a text that was found in a folder, such a document is ignored.
    pub named: bool,
    /// The stored manifest that the text replaces. If it is set, the text is checked as an update.
    pub old: Option<Old<'a>>,
    /// The absolute path of the text's file. CRDs near it take precedence.
    pub path: Option<&'a Path>,
    /// A git revision of the file. The additional errors of an update from it are reported as hints. It has no effect if the texts
    /// are equal.
    pub replaces: Option<&'a Revision>,
    /// The CRDs that the manifests of a source file replace.
    pub earlier: Option<Replaced<'a>>,
    /// Whether breaking changes of CRDs since `old` are reported, and under which policy.
    pub compatibility: Option<Compatibility<'a>>,
    /// The known changes since `replaces`, which are reported now. Those found later are added with [`DeferredSearch::tell_changes`].
    ///
    /// [`DeferredSearch::tell_changes`]: crate::judging::deferred_search::DeferredSearch::tell_changes
    pub changes: Option<&'a KnownChanges>,
    /// The CRDs of custom resources. Without them, custom resources get no diagnostics.
    pub definitions: Option<&'a dyn Definitions>,
    /// Whether the text was sent together with its CRDs. If its only object has another kind, the answer is that of an API server without
    /// other CRDs.
    pub has_own_crd: bool,
    /// Whether an object of an unknown kind is an error.
    pub requires_crds: bool,
    /// Whether an object that is not checked, because its kind is built in or has no CRD, is an error. Set if the user named the file.
    pub fails_unchecked: bool,
    /// Whether tools complete the text before it is sent, so that values from templates and substitutions are unknown. If not, the text is
    /// checked as it is.
    pub is_completed: bool,
    /// Whether the user edits the text. If so, the warnings about a rejected object are reported, too, so that an error does not hide them.
    pub is_edited: bool,
    /// Whether the text contains parts of objects, as patches do. If so, missing fields are not reported.
    pub is_part: bool,
    /// Whether a script sets the version of resources. If so, a resource with an unserved version is checked with the newest served one.
    pub replaces_versions: bool,
    /// Whether a chainsaw test uses the text. If so, a value in parentheses is an expression and therefore unknown.
    pub has_expressions: bool,
    /// The kustomizations, to skip objects that are checked as built, and to find the variables that are substituted.
    pub overlays: Option<&'a dyn BuiltDocuments>,
    /// The source of the Go files that CRDs are generated from.
    pub go: Option<&'a dyn GoSources>,
    /// The markers in a Go file that are for other tools than controller-gen.
    pub markers: Option<&'a Declared>,
    /// Whether hazards of rules are reported.
    pub hazards: hazards::Search<'a>,
    /// Which lints of CRDs are reported.
    pub lints: Lints,
    /// The table of lints.
    pub lint_table: &'a [Lint],
    /// Whether to return the costs of the rules of CRDs, for the newest of the Kubernetes versions.
    pub wants_costs: bool,
    /// Whether to return the effective custom resources: [`DocumentVerdict::resource`](crate::findings::report::DocumentVerdict::resource).
    pub wants_effective: bool,
    /// Whether to return what decides each finding, for a built object ([`Finding::basis`](crate::findings::finding::Finding::basis)).
    pub wants_basis: bool,
    /// The trees of the version of the text that was checked last, if the user edits it. They do not affect the answer.
    pub last_trees: Option<&'a Arc<LastTrees>>,
    /// The maximum number of located findings in each list of a [`DocumentVerdict`](crate::findings::report::DocumentVerdict), for callers
    /// that cannot show more. The verdict stays the same.
    pub most_findings: usize,
}

/// The manifest that is replaced.
#[derive(Clone, Copy, Debug)]
pub struct Old<'a> {
    /// The text of the manifest.
    pub text: &'a [u8],
    /// Whether the user paired the two manifests: then an object whose name is not in the old text replaces the first one there. Otherwise it is
    /// new.
    pub is_paired: bool,
}

/// The value of [`Question::most_findings`] in editors: more than they show, because comments and configuration may hide the first ones.
pub const MOST_FINDINGS: usize = 4_000;

impl Question<'_> {
    /// A question for these Kubernetes versions about a text that was found in a folder, replaces nothing, and has only its own CRDs.
    pub fn new(versions: VersionSet) -> Self {
        Self {
            versions,
            named: false,
            old: None,
            replaces: None,
            earlier: None,
            compatibility: None,
            changes: None,
            path: None,
            definitions: None,
            has_own_crd: false,
            requires_crds: false,
            fails_unchecked: false,
            is_completed: false,
            is_edited: false,
            is_part: false,
            replaces_versions: false,
            has_expressions: false,
            overlays: None,
            go: None,
            markers: None,
            hazards: hazards::Search::Off,
            lints: Lints::Off,
            lint_table: lints::ALL,
            wants_costs: false,
            wants_effective: true,
            wants_basis: false,
            last_trees: None,
            most_findings: usize::MAX,
        }
    }
}
