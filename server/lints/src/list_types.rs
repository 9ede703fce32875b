//! Lists that server-side apply replaces as a whole.

use crd_analyzer_schema::{field::Trail, structural::Structural};

use crate::{Lint, Problem};

/// A list without a type.
pub(crate) fn find(schema: Structural<'_>, at: &Trail<'_>) -> Option<Lint> {
    let is_untyped = schema.r#type() == "array" && schema.list_type().is_none();
    is_untyped.then(|| Problem::ListWithoutType.at(at.path()))
}
