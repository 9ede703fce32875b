//! Limits of the API server on rules and fields, and ours on errors.

pub use crd_analyzer_schema::rules::COST_LIMIT;

/// Cost units that all rules of a schema may be estimated at together (`StaticEstimatedCRDCostLimit`).
pub const TOTAL_COST_LIMIT: u64 = 100_000_000;

/// Selectable fields of one version.
pub(super) const MAX_SELECTABLE_FIELDS: usize = 8;

/// Errors of one schema that are kept. Each can contain a rendered value of some kilobytes.
pub(super) const MAX_ERRORS: usize = 10_000;
