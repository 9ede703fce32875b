//! The question to be answered about a text, with all its options.

use std::{path::Path, sync::Arc};

use crd_analyzer_gosource::check::declared::Declared;
use crd_analyzer_syntax::tree::Span;

use crate::{
    charts::chart::Charts,
    comparison::breaking::Compatibility,
    comparison::revision::Revision,
    comparison::since_revision::KnownChanges,
    config::versions::VersionSet,
    filled_in::variables::Variables,
    index::Definitions,
    judging::hazards,
    judging::lints::{self, Lint, Lints},
    roles::{Use, Uses},
    sources::{earlier::Replaced, generated::GoSources},
};

/// The effects of kustomize and Flux on files before they are sent to the API server.
pub trait BuiltDocuments: Sync {
    /// The variables that Flux substitutes in a file, if they are known.
    fn variables(&self, path: &Path) -> Option<Arc<Variables>>;

    /// The variables that Flux substitutes in the old version of a file, for updates.
    fn old_variables(&self, _: &Path) -> Option<Arc<Variables>> {
        None
    }

    /// The variables that Flux substitutes in a document of a file, if it is certain that Flux builds the document and substitutes variables in it.
    fn substituted(&self, _path: &Path, _index: usize) -> Option<Arc<Variables>> {
        None
    }

    /// Whether a document of a file, or an item in it, is checked only as built.
    fn is_built(&self, path: &Path, index: usize, item: Option<usize>) -> bool;

    /// Whether the text is that of a built object, and not of a file.
    fn is_of_object(&self) -> bool {
        false
    }

    /// Whether two parts of the text of a built object come from the same document, and not, for example, one from a patch.
    fn are_written_together(&self, _: Span, _: Span) -> bool {
        true
    }
}

/// A question about a text.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The Kubernetes versions to check for.
    pub versions: VersionSet,
    /// Whether the user named the text's file. If so, a document without a kind is checked as if it were sent to the API server as a CRD. In a file
    /// that was found in a folder, such a document is ignored.
    pub named: bool,
    /// The absolute path of the text's file. CRDs close to it take precedence.
    pub path: Option<&'a Path>,
    /// What the text would replace.
    pub update: Update<'a>,
    /// What there is around the text.
    pub around: Around<'a>,
    /// What the tools of the repository do with the text's file.
    pub uses: Uses<'a>,
    /// What the caller wants back.
    pub wants: Wants<'a>,
}

/// What a text would replace. By default, it replaces nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Update<'a> {
    /// The stored manifest. If set, the text is checked as an update of it.
    pub old: Option<Old<'a>>,
    /// Whether to report breaking changes of CRDs since `old`, and the policy that decides which changes break.
    pub compatibility: Option<Compatibility<'a>>,
    /// A git revision of the file. If an update from the revision to the text has additional errors, they are reported as hints. If the two texts are
    /// equal, this has no effect.
    pub revision: Option<&'a Revision>,
    /// The known changes since `revision`, which are reported now. [`DeferredSearch::tell_changes`] adds changes that are found later.
    ///
    /// [`DeferredSearch::tell_changes`]: crate::judging::deferred_search::DeferredSearch::tell_changes
    pub changes: Option<&'a KnownChanges>,
    /// The CRDs that the manifests of a source file would replace.
    pub earlier: Option<Replaced<'a>>,
}

/// What there is around a text. By default, there is nothing.
#[derive(Clone, Copy, Default)]
pub struct Around<'a> {
    /// The CRDs of custom resources. Without them, custom resources get no diagnostics.
    pub definitions: Option<&'a dyn Definitions>,
    /// Whether the text was sent together with its CRDs. If its only object has another kind, the answer is that of an API server without any other
    /// CRDs.
    pub has_own_crd: bool,
    /// Whether an object of an unknown kind is an error.
    pub requires_crds: bool,
    /// The kustomizations and Flux. Objects that they build are skipped here, and the variables that they substitute are known.
    pub overlays: Option<&'a dyn BuiltDocuments>,
    /// The Helm charts. Templates that others include are checked where they are included.
    pub charts: Option<&'a dyn Charts>,
    /// The source of the Go files from which CRDs are generated.
    pub go: Option<&'a dyn GoSources>,
    /// The markers in a Go file that are for tools other than controller-gen.
    pub markers: Option<&'a Declared>,
}

impl<'a> Around<'a> {
    /// Only CRDs.
    pub fn crds(definitions: &'a dyn Definitions) -> Self {
        Self {
            definitions: Some(definitions),
            ..Self::default()
        }
    }
}

/// What a caller wants back beside the API server's answer.
#[derive(Clone, Copy, Debug)]
pub struct Wants<'a> {
    /// Which hazards of rules to report.
    pub hazards: hazards::Search<'a>,
    /// Which lints of CRDs to report.
    pub lints: Lints,
    /// The table of lints.
    pub lint_table: &'a [Lint],
    /// Whether to return the costs of CRDs' rules, for the newest of the Kubernetes versions.
    pub costs: bool,
    /// Whether to return the effective custom resources: [`DocumentVerdict::resource`](crate::findings::report::DocumentVerdict::resource).
    pub effective: bool,
    /// Whether to return which patches cause a finding of a built object ([`Finding::basis`](crate::findings::finding::Finding::basis)).
    pub basis: bool,
    /// Whether the user is editing the text. If so, the warnings about a rejected object are reported as well, because they would disappear with each
    /// error, and mistakes in Go are left to Go's own language server.
    pub is_edited: bool,
    /// Whether to report, as an error, that an object is not checked because its kind is built in or has no CRD. Set if the user named the file.
    pub unchecked: bool,
    /// The maximum number of located findings in each list of a [`DocumentVerdict`](crate::findings::report::DocumentVerdict), for callers that
    /// cannot show more. The verdict does not depend on it.
    pub most_findings: usize,
}

impl Default for Wants<'_> {
    fn default() -> Self {
        Self {
            hazards: hazards::Search::Off,
            lints: Lints::Off,
            lint_table: lints::ALL,
            costs: false,
            effective: true,
            basis: false,
            is_edited: false,
            unchecked: false,
            most_findings: usize::MAX,
        }
    }
}

/// The manifest that a text replaces.
#[derive(Clone, Copy, Debug)]
pub struct Old<'a> {
    /// The text of the manifest.
    pub text: &'a [u8],
    /// Whether the user paired the two manifests. If so, an object whose name is not in the old text replaces the first object there. Otherwise, such
    /// an object is new.
    pub is_paired: bool,
}

/// The value of [`Wants::most_findings`] in editors. It is higher than the number that they show, because comments and configuration may hide some
/// findings.
pub const MOST_FINDINGS: usize = 4_000;

impl Question<'_> {
    /// A question for these Kubernetes versions. It is about a text that was found in a folder, replaces nothing, and has no CRDs other than its own.
    pub fn new(versions: VersionSet) -> Self {
        Self {
            versions,
            named: false,
            path: None,
            update: Update::default(),
            around: Around::default(),
            uses: Uses::default(),
            wants: Wants::default(),
        }
    }

    /// Whether tools may complete the text before it is sent.
    pub(crate) fn is_completed(&self) -> bool {
        self.uses.has(Use::Completed)
    }

    /// The same question, but only about what the API server says, and not about hints, costs and stored objects.
    #[must_use]
    pub(crate) fn of_errors_only(&self) -> Self {
        Self {
            wants: Wants {
                hazards: hazards::Search::Off,
                lints: Lints::Off,
                costs: false,
                effective: false,
                unchecked: false,
                ..self.wants
            },
            ..*self
        }
    }
}
