//! The API server's limits on rules and fields, and crd-analyzer's limit on errors.

pub use crd_analyzer_schema::rules::COST_LIMIT;

/// The limit on the estimated cost of all rules of a schema, in cost units (`StaticEstimatedCRDCostLimit`).
pub const TOTAL_COST_LIMIT: u64 = 100_000_000;

/// The maximum number of selectable fields of one version.
pub(super) const MAX_SELECTABLE_FIELDS: usize = 8;

/// The maximum number of errors of one schema that are kept. Each error can contain a rendered value of a few kilobytes.
pub(super) const MAX_ERRORS: usize = 10_000;
