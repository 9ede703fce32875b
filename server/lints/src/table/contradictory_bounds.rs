//! Limits that no value can satisfy.

use crd_analyzer_diagnostic::{
    Words,
    text::{code, number},
};
use crd_analyzer_schema::field::Path;

use crate::{Cause, Check, Lint, SchemaAt, Sink, Told};

pub(super) const LINT: Lint = Lint::new(
    "contradictory-bounds",
    "No value satisfies the limits of a property, such as a minimum that is larger than the maximum.",
    include_str!("../../codes/contradictory-bounds.md"),
    Check::Schema(check),
)
.no_fix("Only the author knows the right limits.")
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

/// A limit that no value satisfies.
#[derive(Debug)]
struct ImpossibleBound {
    bound: Bound,
    /// Whether the limit must be larger than 0, and not 0.
    excludes_zero: bool,
}

/// Finds minimums that are larger than the corresponding maximums, and limits that no value satisfies.
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
    let single = [pairs[1], pairs[2], pairs[3]].map(|it| (it.2, it.3, false));
    for (keyword, value, excludes_zero) in single.into_iter().chain([("multipleOf", rare.multiple_of, true)]) {
        let Some(value) = value.filter(|it| *it < 0.0 || excludes_zero && *it == 0.0) else {
            continue;
        };
        let bound = Bound { keyword, value };
        sink.add(
            schema.at.child(keyword).path(),
            ImpossibleBound { bound, excludes_zero },
        );
    }
    let is_exclusive = rare.exclusive_minimum || rare.exclusive_maximum;
    for (low, least, high, most) in pairs {
        let (Some(least), Some(most)) = (least, most) else {
            continue;
        };
        // A negative maximum is a mistake of its own.
        let is_told = low != "minimum" && most < 0.0;
        let is_empty = least > most && !is_told || low == "minimum" && is_exclusive && least >= most;
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

impl Cause for ImpossibleBound {
    fn tell(&self, _: &Path) -> Told {
        let Bound { keyword, value } = self.bound;
        let written = format!("`{keyword}: {}`", number(value));
        let (label, help) = if self.excludes_zero {
            ("not above 0", "write a number above 0")
        } else {
            ("below 0", "write 0 or a larger number")
        };
        Words::new(format!("no value satisfies {written}"))
            .label(label)
            .help(help)
            .into()
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
