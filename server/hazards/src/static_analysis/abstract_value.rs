//! Abstract values: the knowledge about a value that follows from the bounds of its schema.

use std::sync::Arc;

use crd_analyzer_cel::ast::operators;
use crd_analyzer_schema::structural::{AdditionalProperties, Structural};
use crd_analyzer_schema::validation::int64;
use serde_json::Value;

/// The maximum length of lists and strings.
const MOST: i128 = i64::MAX as i128;
/// The bound up to which floats represent integers exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The possible values of a boolean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bools {
    pub(super) can_be_true: bool,
    pub(super) can_be_false: bool,
}

impl Bools {
    pub(super) const BOTH: Self = Self {
        can_be_true: true,
        can_be_false: true,
    };

    /// The possible booleans, each as a set of its own.
    pub(super) fn each(self) -> impl Iterator<Item = Self> {
        let one = |can_be_true| Self {
            can_be_true,
            can_be_false: !can_be_true,
        };
        let may_be = [(true, self.can_be_true), (false, self.can_be_false)];
        may_be.into_iter().filter(|it| it.1).map(move |it| one(it.0))
    }

    const fn not(self) -> Self {
        Self {
            can_be_true: self.can_be_false,
            can_be_false: self.can_be_true,
        }
    }
}

/// A range of integers, including both ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) least: i128,
    pub(super) most: i128,
}

impl Span {
    const ALL: Self = Self {
        least: i64::MIN as i128,
        most: i64::MAX as i128,
    };

    pub(super) const fn one(int: i128) -> Self {
        Self { least: int, most: int }
    }

    /// Splits the range at the given sorted integers. The results are these integers and the ranges between them.
    pub(super) fn cut(self, at: &[i128]) -> Vec<Self> {
        let mut ranges = Vec::new();
        let mut least = self.least;
        for cut in at.iter().copied().filter(|it| (self.least..=self.most).contains(it)) {
            ranges.push(Self { least, most: cut - 1 });
            ranges.push(Self::one(cut));
            least = cut + 1;
        }
        ranges.push(Self { least, most: self.most });
        ranges.retain(|it| it.least <= it.most);
        ranges
    }

    /// The result of an arithmetic operation, and whether it may overflow.
    pub(super) fn computed(function: &str, a: Self, b: Self) -> (Self, bool) {
        let corners = [
            (a.least, b.least),
            (a.least, b.most),
            (a.most, b.least),
            (a.most, b.most),
        ];
        let results = corners.map(|(a, b)| match function {
            operators::ADD => a + b,
            operators::SUBTRACT => a - b,
            _ => a * b,
        });
        let least = results.into_iter().min().unwrap_or(Self::ALL.least);
        let most = results.into_iter().max().unwrap_or(Self::ALL.most);
        let overflows = least < Self::ALL.least || most > Self::ALL.most;
        let span = Self {
            least: least.clamp(Self::ALL.least, Self::ALL.most),
            most: most.clamp(Self::ALL.least, Self::ALL.most),
        };
        (span, overflows)
    }
}

/// The knowledge about a value.
#[derive(Clone, Debug)]
pub(super) enum AbstractValue<'s> {
    Anything,
    Bool(Bools),
    Int(Span),
    /// A number in a range.
    Double(f64, f64),
    /// One of these strings, or any string whose length in characters is in the span.
    Text(Option<Vec<Arc<str>>>, Span),
    /// A list whose items have this schema, and the possible sizes of the list.
    List(Option<Structural<'s>>, Span),
    /// An object with the properties of this schema.
    Object(Structural<'s>),
    Map(Span),
    /// A list literal of the expression.
    Written(Vec<AbstractValue<'s>>),
}

/// The abstract value of a schema.
pub(super) fn of_schema(schema: Structural<'_>) -> AbstractValue<'_> {
    let props = schema.props();
    if schema.nullable() || schema.is_int_or_string() {
        return AbstractValue::Anything;
    }
    let size = |least: Option<i64>, most: Option<i64>| {
        let span = Span {
            least: i128::from(least.unwrap_or(0).max(0)),
            most: most.map_or(MOST, i128::from),
        };
        (span.least <= span.most).then_some(span)
    };
    let known = match schema.r#type() {
        "boolean" if props.r#enum.is_empty() => Some(AbstractValue::Bool(Bools::BOTH)),
        "boolean" => Some(AbstractValue::Bool(Bools {
            can_be_true: props.r#enum.contains(&Value::Bool(true)),
            can_be_false: props.r#enum.contains(&Value::Bool(false)),
        })),
        "integer" => integer(schema).map(AbstractValue::Int),
        "number" => {
            // The API server truncates a bound before it compares the bound with a value without a fraction.
            let (least, most) = (
                props.minimum.map_or(f64::NEG_INFINITY, |it| it.min(int64(it) as f64)),
                props.maximum.map_or(f64::INFINITY, |it| it.max(int64(it) as f64)),
            );
            (least <= most).then_some(AbstractValue::Double(least, most))
        }
        // In expressions, strings with these formats have other types.
        "string" if matches!(props.format.as_str(), "byte" | "date" | "date-time" | "duration") => None,
        "string" => {
            size(props.min_length, props.max_length).map(|span| AbstractValue::Text(texts(&props.r#enum), span))
        }
        "array" => size(props.min_items, props.max_items).map(|span| AbstractValue::List(schema.items(), span)),
        "object" => match schema.additional_properties() {
            Some(AdditionalProperties::Schema(_)) if schema.has_no_properties() => {
                size(props.min_properties, props.max_properties).map(AbstractValue::Map)
            }
            _ => Some(AbstractValue::Object(schema)),
        },
        _ => None,
    };
    known.unwrap_or(AbstractValue::Anything)
}

fn integer(schema: Structural<'_>) -> Option<Span> {
    let props = schema.props();
    let mut span = Span::ALL;
    if let Some(least) = props.minimum.filter(|it| it.abs() < EXACT) {
        // For the value `1`, the API server truncates the bound, but not for `1.0`.
        let excluded = props.exclusive_minimum;
        let cut = i128::from(int64(least)) + i128::from(excluded);
        span.least = cut.min(least.ceil() as i128 + i128::from(excluded && least.fract() == 0.0));
    }
    if let Some(most) = props.maximum.filter(|it| it.abs() < EXACT) {
        let excluded = props.exclusive_maximum;
        let cut = i128::from(int64(most)) - i128::from(excluded);
        span.most = cut.max(most.floor() as i128 - i128::from(excluded && most.fract() == 0.0));
    }
    if !props.r#enum.is_empty() {
        let ints: Option<Vec<i128>> = props.r#enum.iter().map(|it| it.as_i64().map(i128::from)).collect();
        let ints = ints?;
        span.least = span.least.max(ints.iter().copied().min()?);
        span.most = span.most.min(ints.iter().copied().max()?);
    }
    (span.least <= span.most).then_some(span)
}

fn texts(values: &[Value]) -> Option<Vec<Arc<str>>> {
    let texts: Option<Vec<Arc<str>>> = values.iter().map(|it| it.as_str().map(Arc::from)).collect();
    texts.filter(|it| !it.is_empty())
}

impl AbstractValue<'_> {
    pub(super) fn literal(text: &Arc<str>) -> Self {
        Self::Text(Some(vec![text.clone()]), Span::one(text.chars().count() as i128))
    }

    pub(super) fn bools(&self) -> Bools {
        match self {
            Self::Bool(bools) => *bools,
            _ => Bools::BOTH,
        }
    }

    pub(super) fn size(&self) -> Option<Span> {
        match self {
            Self::Text(Some(texts), span) => {
                let lengths = texts.iter().map(|it| it.chars().count() as i128);
                Some(Span {
                    least: lengths.clone().min()?.max(span.least),
                    most: lengths.max()?.min(span.most),
                })
                .filter(|it| it.least <= it.most)
            }
            Self::Text(None, span) | Self::List(_, span) | Self::Map(span) => Some(*span),
            Self::Written(items) => Some(Span::one(items.len() as i128)),
            _ => None,
        }
    }

    pub(super) fn with_size(&self, span: Span) -> Self {
        match self {
            Self::List(items, _) => Self::List(*items, span),
            _ => Self::Anything,
        }
    }

    /// The possible elements of a comprehension's range.
    pub(super) fn element(&self) -> Self {
        match self {
            Self::List(Some(items), _) => of_schema(*items),
            _ => Self::Anything,
        }
    }

    /// The union of both abstract values.
    pub(super) fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => Self::Bool(Bools {
                can_be_true: a.can_be_true || b.can_be_true,
                can_be_false: a.can_be_false || b.can_be_false,
            }),
            (Self::Int(a), Self::Int(b)) => Self::Int(Span {
                least: a.least.min(b.least),
                most: a.most.max(b.most),
            }),
            _ => Self::Anything,
        }
    }
}

/// Whether a value in one range can be less than, equal to, or greater than a value in the other range.
fn order<T: PartialOrd + Copy>(a: (T, T), b: (T, T)) -> (bool, bool, bool) {
    let overlap = a.0 <= b.1 && b.0 <= a.1;
    (a.0 < b.1, overlap, a.1 > b.0)
}

/// The possible results of a comparison.
pub(super) fn compare(function: &str, a: &AbstractValue<'_>, b: &AbstractValue<'_>) -> Bools {
    let (less, equal, greater, is_one) = match (a, b) {
        (AbstractValue::Int(a), AbstractValue::Int(b)) => {
            let (less, equal, greater) = order((a.least, a.most), (b.least, b.most));
            (less, equal, greater, a.least == a.most && b.least == b.most)
        }
        (AbstractValue::Double(a0, a1), AbstractValue::Double(b0, b1)) => {
            let (less, equal, greater) = order((*a0, *a1), (*b0, *b1));
            (
                less,
                equal,
                greater,
                a0.total_cmp(a1).is_eq() && b0.total_cmp(b1).is_eq(),
            )
        }
        (AbstractValue::Text(a, a_size), AbstractValue::Text(b, b_size)) => {
            let (_, same_size, _) = order((a_size.least, a_size.most), (b_size.least, b_size.most));
            let equal = match (a, b) {
                (Some(a), Some(b)) => a.iter().any(|it| b.contains(it)),
                _ => same_size,
            };
            let is_one = matches!((a, b), (Some(a), Some(b)) if a.len() == 1 && a == b);
            (true, equal, true, is_one)
        }
        (AbstractValue::Bool(a), AbstractValue::Bool(b)) => {
            let equal = a.can_be_true && b.can_be_true || a.can_be_false && b.can_be_false;
            let unequal = a.can_be_true && b.can_be_false || a.can_be_false && b.can_be_true;
            (unequal, equal, unequal, !unequal)
        }
        _ => return Bools::BOTH,
    };
    let unequal = if is_one && equal { false } else { less || greater };
    let of = |can_be_true, can_be_false| Bools {
        can_be_true,
        can_be_false,
    };
    match function {
        operators::EQUALS => of(equal, unequal),
        operators::NOT_EQUALS => of(equal, unequal).not(),
        // Strings are only analyzed for equality.
        _ if matches!(a, AbstractValue::Text(..)) => Bools::BOTH,
        operators::LESS => of(less, equal || greater),
        operators::LESS_EQUALS => of(less || equal, greater),
        operators::GREATER => of(greater, equal || less),
        operators::GREATER_EQUALS => of(greater || equal, less),
        _ => Bools::BOTH,
    }
}

/// The result of comparing a value with itself.
pub(super) fn compare_same(function: &str) -> Bools {
    let holds = matches!(
        function,
        operators::EQUALS | operators::LESS_EQUALS | operators::GREATER_EQUALS
    );
    Bools {
        can_be_true: holds,
        can_be_false: !holds,
    }
}

/// The possible results of `in`.
pub(super) fn is_in(value: &AbstractValue<'_>, list: &AbstractValue<'_>) -> Bools {
    let AbstractValue::Written(items) = list else {
        return Bools::BOTH;
    };
    let among = |it: &AbstractValue<'_>| compare(operators::EQUALS, value, it);
    let can_be_true = items.iter().any(|it| among(it).can_be_true);
    let is_surely = match value {
        AbstractValue::Text(Some(texts), _) => texts.iter().all(|text| {
            let one = AbstractValue::literal(text);
            items
                .iter()
                .any(|it| !compare(operators::EQUALS, &one, it).can_be_false)
        }),
        _ => items.iter().any(|it| !among(it).can_be_false),
    };
    Bools {
        can_be_true,
        can_be_false: !is_surely,
    }
}
