//! Names that the client sees: of the language server and of its commands.

/// The name under which settings, diagnostics and registrations go.
pub(crate) const NAME: &str = "crd-analyzer";

/// The command that writes the bounds that a rule or schema lacks.
pub(crate) const ADD_BOUNDS: &str = "crd-analyzer.addBounds";

/// The command that leads to a change of a CRD since a revision.
pub(crate) const SHOW_CHANGE: &str = "crd-analyzer.showChange";

/// The command that asks the cluster of the settings again.
pub(crate) const READ_CLUSTER: &str = "crd-analyzer.readCluster";

/// The command of the client that shows the effective object, with `{uri, line}`.
pub(crate) const SHOW_EFFECTIVE: &str = "crd-analyzer.showEffectiveObject";
