//! Names that the client sees: of the language server and of its commands.

/// The name under which settings, diagnostics and registrations go.
pub(crate) const NAME: &str = "crd-analyzer";

/// The command that writes the bounds that a rule or schema lacks.
pub(crate) const ADD_BOUNDS: &str = "crd-analyzer.addBounds";

/// The command that leads to a change of a CRD since a revision.
pub(crate) const SHOW_CHANGE: &str = "crd-analyzer.showChange";

/// The command that asks the cluster of the settings again.
pub(crate) const READ_CLUSTER: &str = "crd-analyzer.readCluster";

/// The command that lists the places of the objects that fail a constraint, with `{uri, range}` of the constraint.
pub(crate) const FAILING_OBJECTS: &str = "crd-analyzer.failingObjects";

/// The command of the client that shows what [`FAILING_OBJECTS`] lists, with the same arguments.
pub(crate) const SHOW_FAILING: &str = "crd-analyzer.showFailingObjects";

/// The command of the client that shows the effective object, with `{uri, line}`.
pub(crate) const SHOW_EFFECTIVE: &str = "crd-analyzer.showEffectiveObject";
