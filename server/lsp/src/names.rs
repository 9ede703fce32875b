//! Names that the client sees: the language server's name and its commands.

/// The name of the language server in settings, diagnostics and registrations.
pub(crate) const NAME: &str = "crd-analyzer";

/// The command that inserts missing limits such as `maxItems`.
pub(crate) const ADD_BOUNDS: &str = "crd-analyzer.addBounds";

/// The command that shows a change of a CRD since a revision.
pub(crate) const SHOW_CHANGE: &str = "crd-analyzer.showChange";

/// The command that reads the CRDs of the cluster again.
pub(crate) const READ_CLUSTER: &str = "crd-analyzer.readCluster";

/// The command that lists the locations of the objects that fail a constraint. Its argument is `{uri, range}` of the constraint.
pub(crate) const FAILING_OBJECTS: &str = "crd-analyzer.failingObjects";

/// The command that opens a test file for trying a rule. The argument is the `{uri, range}` of the rule.
pub(crate) const TRY_RULE: &str = "crd-analyzer.tryRule";

/// The command that turns an example in such a file into a test. The argument is the `{uri, range}` of the example's name.
pub(crate) const MAKE_TEST: &str = "crd-analyzer.makeTest";

/// The command that runs tests of a document. The argument is the `{uri, range}` of one test or of all tests.
pub(crate) const RUN_TESTS: &str = "crd-analyzer.runTests";

/// The command that updates the expectations of failed tests to what the API server answers. The argument is the `{uri, range}` of one or more tests.
pub(crate) const UPDATE_TESTS: &str = "crd-analyzer.updateTests";

/// The client's command that shows the result of [`FAILING_OBJECTS`]. It has the same argument.
pub(crate) const SHOW_FAILING: &str = "crd-analyzer.showFailingObjects";

/// The client's command that shows the effective object. Its argument is `{uri, line}`.
pub(crate) const SHOW_EFFECTIVE: &str = "crd-analyzer.showEffectiveObject";
