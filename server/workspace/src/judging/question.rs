//! What an analysis of a text has to answer.

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
    sources::generated::GoSources,
};

/// What is done to the files before they are sent.
pub trait BuiltDocuments: Sync {
    /// The variables that Flux substitutes in a file, as far as they are known.
    fn variables(&self, path: &Path) -> Option<Arc<Variables>>;

    /// The same for the manifest that the file replaces.
    fn old_variables(&self, _: &Path) -> Option<Arc<Variables>> {
        None
    }

    /// Whether a document of a file, or an item of it, is judged only as it is built.
    fn is_built(&self, path: &Path, index: usize, item: Option<usize>) -> bool;
}

/// What is asked about a text.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// By which Kubernetes versions.
    pub versions: VersionSet,
    /// The text was named by the user: a document that does not say what it is counts as a CRD, as if it were sent to the API server
    /// as one. In texts that were found in a folder, such documents are somebody else's.
    pub named: bool,
    /// The stored manifest that the text replaces: then the question is one about an update.
    pub old: Option<Old<'a>>,
    /// The file of the text, absolute; CRDs near to it count for more.
    pub path: Option<&'a Path>,
    /// A git revision of the file: what the API server refuses besides if the text replaces it is a hint. Without effect where the texts
    /// are equal.
    pub replaces: Option<&'a Revision>,
    /// Whether what the changes of CRDs break is told, and by what it is judged: since `old`.
    pub compatibility: Option<Compatibility<'a>>,
    /// What is known of the changes since `replaces`: it is told now, and what is found later with [`DeferredSearch::tell_changes`].
    ///
    /// [`DeferredSearch::tell_changes`]: crate::judging::deferred_search::DeferredSearch::tell_changes
    pub changes: Option<&'a KnownChanges>,
    /// The CRDs of custom resources. Without them, custom resources get no diagnostics.
    pub definitions: Option<&'a dyn Definitions>,
    /// The CRDs are those that the text was sent for: a text that holds only an object of another kind is answered as an API server
    /// that has no other CRD would.
    pub has_own_crd: bool,
    /// An object of a kind that nothing defines is an error.
    pub requires_crds: bool,
    /// An object that is not checked, because its kind is built in or no CRD defines it, is an error: the user named the file.
    pub fails_unchecked: bool,
    /// Tools complete the text before it is sent: what templates and substitutions fill in is unknown. Without this, the text is judged as
    /// it is.
    pub is_completed: bool,
    /// Somebody edits the text: the warnings about what is refused are told, too, so that an error does not hide them.
    pub is_edited: bool,
    /// The text holds parts of objects, as patches do: what is missing is not looked for.
    pub is_part: bool,
    /// A script puts in the version of resources: they are judged by the newest one that the CRD serves if theirs is not served.
    pub replaces_versions: bool,
    /// A test of chainsaw uses the text: a value in parentheses is an expression, and is not known.
    pub has_expressions: bool,
    /// The kustomizations: what they build is not judged as it is written, and what is substituted then.
    pub overlays: Option<&'a dyn BuiltDocuments>,
    /// Where the Go sources are found that CRDs are generated from.
    pub go: Option<&'a dyn GoSources>,
    /// The markers that other tools than controller-gen read in a Go file.
    pub markers: Option<&'a Declared>,
    /// Whether hazards of rules are told.
    pub hazards: hazards::Search<'a>,
    /// Which lints of CRDs are told.
    pub lints: Lints,
    /// The table that they are in.
    pub lint_table: &'a [Lint],
    /// What the rules of CRDs cost is wanted, too, by the newest of the Kubernetes versions.
    pub wants_costs: bool,
    /// What becomes of custom resources is wanted, too: [`DocumentVerdict::resource`](crate::findings::report::DocumentVerdict::resource).
    pub wants_effective: bool,
    /// The object is built: what decides each finding is wanted, too ([`Finding::basis`](crate::findings::finding::Finding::basis)).
    pub wants_basis: bool,
    /// The trees of the version of the text that was judged last, where somebody types. The answer is the same with and without them.
    pub last_trees: Option<&'a Arc<LastTrees>>,
    /// How many findings of each list of a [`DocumentVerdict`](crate::findings::report::DocumentVerdict) are located, for who cannot show more. The verdict stays
    /// what it is: who is refused for many reasons is refused for the first.
    pub most_findings: usize,
}

/// A manifest that is replaced.
#[derive(Clone, Copy, Debug)]
pub struct Old<'a> {
    /// Its text.
    pub text: &'a [u8],
    /// The user said that the one replaces the other: what has no object of its name in the old text replaces the first one there. Else it
    /// is new.
    pub is_paired: bool,
}

/// What editors set [`Question::most_findings`] to: more than they show, since comments and configuration may silence the first.
pub const MOST_FINDINGS: usize = 4_000;

impl Question<'_> {
    /// By these Kubernetes versions, of a text that was found somewhere and replaces nothing, and only of the CRDs in it.
    pub fn new(versions: VersionSet) -> Self {
        Self {
            versions,
            named: false,
            old: None,
            replaces: None,
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
