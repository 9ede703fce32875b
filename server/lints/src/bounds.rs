//! Bounds between which there is nothing.

use crd_analyzer_schema::{RareKeywords, field::Trail};

use crate::{Bound, Lint, Problem};

/// Minima that are larger than their maxima.
#[allow(
    clippy::cast_precision_loss,
    reason = "limits of lengths are far below 2^53, or absurd"
)]
pub(crate) fn find(schema: &RareKeywords, at: &Trail<'_>, found: &mut Vec<Lint>) {
    let count = |it: Option<i64>| it.map(|it| it as f64);
    let pairs = [
        ("minimum", schema.minimum, "maximum", schema.maximum),
        (
            "minLength",
            count(schema.min_length),
            "maxLength",
            count(schema.max_length),
        ),
        ("minItems", count(schema.min_items), "maxItems", count(schema.max_items)),
        (
            "minProperties",
            count(schema.min_properties),
            "maxProperties",
            count(schema.max_properties),
        ),
    ];
    let is_exclusive = schema.exclusive_minimum || schema.exclusive_maximum;
    for (low, least, high, most) in pairs {
        let (Some(least), Some(most)) = (least, most) else {
            continue;
        };
        let is_empty = least > most || low == "minimum" && is_exclusive && least >= most;
        if is_empty {
            let bound = |keyword, value| Bound { keyword, value };
            let problem = Problem::ContradictoryBounds {
                low: bound(low, least),
                high: bound(high, most),
            };
            found.push(problem.at(at.child(low).path()));
        }
    }
}
