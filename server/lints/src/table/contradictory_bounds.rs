//! Limits that no value can satisfy.

use crd_analyzer_diagnostic::{
    Words,
    text::{code, number},
};
use crd_analyzer_schema::field::Path;

use crate::{Cause, Check, Lint, SchemaAt, Sink, Told};

pub(super) const LINT: Lint = Lint::new(
    "contradictory-bounds",
    "A minimum is larger than its maximum, so that no value is valid.",
    include_str!("../../codes/contradictory-bounds.md"),
    Check::Schema(check),
)
.no_fix("Only the author knows which of the two is wrong.")
.group("bounds");

/// A keyword with its limit.
#[derive(Clone, Copy, Debug)]
struct Bound {
    keyword: &'static str,
    value: f64,
}

/// The two limits that no value satisfies.
#[derive(Debug)]
struct ContradictoryBounds {
    low: Bound,
    high: Bound,
}

/// Finds minimums that are larger than the corresponding maximums.
#[allow(
    clippy::cast_precision_loss,
    reason = "limits of lengths are far below 2^53, or absurd"
)]
fn check(schema: &SchemaAt<'_>, sink: &mut Sink<'_, '_>) {
    let Some(rare) = schema.props.rare.get() else { return };
    let count = |it: Option<i64>| it.map(|it| it as f64);
    let pairs = [
        ("minimum", rare.minimum, "maximum", rare.maximum),
        ("minLength", count(rare.min_length), "maxLength", count(rare.max_length)),
        ("minItems", count(rare.min_items), "maxItems", count(rare.max_items)),
        (
            "minProperties",
            count(rare.min_properties),
            "maxProperties",
            count(rare.max_properties),
        ),
    ];
    let is_exclusive = rare.exclusive_minimum || rare.exclusive_maximum;
    for (low, least, high, most) in pairs {
        let (Some(least), Some(most)) = (least, most) else {
            continue;
        };
        let is_empty = least > most || low == "minimum" && is_exclusive && least >= most;
        if is_empty {
            let bound = |keyword, value| Bound { keyword, value };
            let cause = ContradictoryBounds {
                low: bound(low, least),
                high: bound(high, most),
            };
            sink.add(schema.at.child(low).path(), cause);
        }
    }
}

impl Cause for ContradictoryBounds {
    fn tell(&self, _: &Path) -> Told {
        let Self { low, high } = self;
        let bound = |it: &Bound| format!("`{}: {}`", it.keyword, number(it.value));
        Words::new(format!("no value satisfies both {} and {}", bound(low), bound(high)))
            .label(format!("larger than `{}`", high.keyword))
            .help(format!(
                "make {} smaller, or {} larger",
                code(low.keyword),
                code(high.keyword)
            ))
            .into()
    }
}
