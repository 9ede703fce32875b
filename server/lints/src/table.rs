//! The table of lints: one file and one row each.

mod column_type_mismatch;
mod contradictory_bounds;
mod impossible_enum_value;
mod list_without_type;
mod no_served_version;
mod pattern_matches_everything;
mod pattern_matches_nothing;
mod properties_lost_in_storage;
mod repeated_name;
mod scale_type_mismatch;
mod status_without_subresource;
mod undefined_required_property;
mod unknown_column_path;
mod unknown_scale_path;

use crate::Lint;

/// All lints. Findings about whole CRDs are in this order. Findings about schemas are in the order of the schemas.
pub const ALL: &[Lint] = &[
    repeated_name::LINT,
    no_served_version::LINT,
    unknown_column_path::LINT,
    column_type_mismatch::LINT,
    unknown_scale_path::LINT,
    scale_type_mismatch::LINT,
    properties_lost_in_storage::LINT,
    status_without_subresource::LINT,
    undefined_required_property::LINT,
    contradictory_bounds::LINT,
    pattern_matches_everything::LINT,
    pattern_matches_nothing::LINT,
    impossible_enum_value::LINT,
    list_without_type::LINT,
];
