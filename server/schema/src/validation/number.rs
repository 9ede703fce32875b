//! Numbers: `multipleOf`, `minimum`, `maximum`, and since 1.36 the range of the type and format (`numberValidator`).
//!
//! On the API server a value is an `int64` or a `float64`, and a limit is always a `float64`. A limit that is compared to an integer is truncated to
//! an integer, and messages show the truncated limit.

use crd_analyzer_cel::KubernetesVersion;
use serde_json::Number;

use super::outcome::{Failure, MessageValue, Outcome, Report};
use super::types::{LARGEST_JSON_INTEGER, Types, is_json_integer};
use super::value_path::ValuePath;
use super::{Form, Run};
use crate::codes;
use crate::field::Cause;
use crate::go::plain_float;
use crate::json_schema::JsonSchemaProps;

/// The first Kubernetes version in which the type and format limit the range.
const RANGE_SINCE: KubernetesVersion = KubernetesVersion::minor(36);

/// A number in the API server's representation.
#[derive(Clone, Copy)]
enum Held {
    Int(i64),
    Float(f64),
}

impl Held {
    fn of(number: &Number) -> Self {
        match number.as_i64() {
            Some(int) => Self::Int(int),
            None => Self::Float(number.as_f64().unwrap_or_default()),
        }
    }

    const fn as_float(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Float(float) => float,
        }
    }

    const fn message_value<'v>(self) -> MessageValue<'v> {
        match self {
            Self::Int(int) => MessageValue::Int(int),
            Self::Float(float) => MessageValue::Float(float),
        }
    }

    fn print(self) -> String {
        match self {
            Self::Int(int) => int.to_string(),
            Self::Float(float) => plain_float(float),
        }
    }
}

/// The range of a schema's type and format; the type is empty if the schema has none.
#[derive(Clone, Copy)]
struct Range<'s> {
    r#type: &'s str,
    format: &'s str,
}

impl Range<'_> {
    /// `IsValueValidAgainstRange`
    fn contains(self, value: Held) -> bool {
        match (self.r#type, self.format) {
            ("integer", format) => {
                let int = match value {
                    Held::Int(int) => Some(int),
                    // The API server formats the number without an exponent and parses the result as an integer.
                    Held::Float(float) => format!("{float}").parse().ok(),
                };
                int.is_some_and(|int| format != "int32" || i32::try_from(int).is_ok())
            }
            // Parsing as a float32 only fails on overflow.
            ("number", "float") => (value.as_float() as f32).is_finite(),
            _ => true,
        }
    }

    fn failure<'s, 'v>(self, what: &str, place: &ValuePath<'_>) -> Failure<'s, 'v> {
        let format = match self.format {
            "" => "(default format)".to_owned(),
            format => format!("with format {format}"),
        };
        let message = format!(
            "{what} value must be of type {} {format} in {}",
            self.r#type,
            place.name().text
        );
        Failure::of_whole(codes::NUMBER_OUT_OF_FORMAT, message, place.name())
    }
}

/// A keyword that restricts numbers, or the range of the type and format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberKeyword {
    /// The range of the type and format.
    Range,
    /// `multipleOf`
    MultipleOf,
    /// `minimum`, with `exclusiveMinimum`
    Minimum,
    /// `maximum`, with `exclusiveMaximum`
    Maximum,
}

impl NumberKeyword {
    /// All keywords, in the order of the API server's checks.
    pub const ALL: [Self; 4] = [Self::Range, Self::MultipleOf, Self::Minimum, Self::Maximum];

    /// The name of the keyword in a schema.
    fn name(self) -> &'static str {
        match self {
            Self::Range => "format",
            Self::MultipleOf => "multipleOf",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
        }
    }
}

/// A range of numbers in the API server's representation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NumberSpan {
    /// The first and last number that the API server stores as an `int64`; `None` if the range contains no such number.
    pub ints: Option<(i64, i64)>,
    /// The first and last number that the API server stores as a `float64`: numbers with a fraction or an exponent, and numbers too large for an
    /// `int64`.
    pub floats: Option<(f64, f64)>,
}

impl NumberSpan {
    /// The empty range.
    const NOTHING: Self = Self {
        ints: None,
        floats: None,
    };

    /// The intersection of two ranges.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        fn both<T: PartialOrd>(a: Option<(T, T)>, b: Option<(T, T)>) -> Option<(T, T)> {
            let ((least, most), (other_least, other_most)) = a.zip(b)?;
            let least = if other_least > least { other_least } else { least };
            let most = if other_most < most { other_most } else { most };
            (least <= most).then_some((least, most))
        }
        Self {
            ints: both(self.ints, other.ints),
            floats: both(self.floats, other.floats),
        }
    }

    /// The range after a round trip through storage: Go writes a number without a fraction as an integer.
    #[must_use]
    pub fn stored(self) -> Self {
        let whole = self.floats.map(|it| (it.0.ceil() as i64, it.1.floor() as i64));
        let ints = match (self.ints, whole.filter(|it| it.0 <= it.1)) {
            (Some(ints), Some(whole)) => Some((ints.0.min(whole.0), ints.1.max(whole.1))),
            (ints, whole) => ints.or(whole),
        };
        Self { ints, ..self }
    }

    /// The first and the last number of both representations.
    pub fn ends(self) -> impl Iterator<Item = Number> {
        let ints = self.ints.map(|it| [it.0, it.1].map(Number::from));
        let floats = self.floats.map(|it| [it.0, it.1].map(Number::from_f64));
        let floats = floats.into_iter().flatten().flatten();
        ints.into_iter().flatten().chain(floats)
    }
}

/// The restrictions of one schema on numbers (`numberValidator`). Each keyword can be checked separately.
#[derive(Clone, Copy)]
pub struct Numbers<'s> {
    schema: &'s JsonSchemaProps,
    types: Types<'s>,
    range: Range<'s>,
    version: KubernetesVersion,
}

impl<'s> Numbers<'s> {
    /// Creates the restrictions of a schema of custom resources.
    pub fn new(schema: &'s JsonSchemaProps, version: KubernetesVersion) -> Self {
        let types = Types::of(schema, Form::Definition);
        let format = super::format_of(schema, &types, Form::Definition, version);
        Self::with(schema, types, format, version)
    }

    fn with(schema: &'s JsonSchemaProps, types: Types<'s>, format: &'s str, version: KubernetesVersion) -> Self {
        let range = match types.single() {
            Some(r#type @ ("integer" | "number")) if version >= RANGE_SINCE => {
                let formats = if r#type == "integer" {
                    ["int32", "int64"]
                } else {
                    ["float", "double"]
                };
                Range {
                    r#type,
                    format: if formats.contains(&format) { format } else { "" },
                }
            }
            _ => Range { r#type: "", format: "" },
        };
        Self {
            schema,
            types,
            range,
            version,
        }
    }

    /// Whether a keyword accepts a number, regardless of the other keywords.
    pub fn accepts(&self, keyword: NumberKeyword, number: &Number) -> bool {
        self.check(keyword, Held::of(number), &ValuePath::Root).is_valid()
    }

    /// The range that the type, format and limits allow. Numbers outside of this range are rejected.
    pub fn span(&self) -> NumberSpan {
        let schema = self.schema;
        let bounds = [schema.multiple_of, schema.minimum, schema.maximum];
        if bounds
            .into_iter()
            .flatten()
            .any(|it| !self.range.contains(Held::Float(it)))
        {
            return NumberSpan::NOTHING;
        }
        let is_whole = self.types.contains("integer") && !self.types.contains("number");
        let most = if is_whole { LARGEST_JSON_INTEGER } else { f64::MAX };
        let mut span = NumberSpan {
            ints: Some((i64::MIN, i64::MAX)),
            floats: Some((-most, most)),
        };
        if (self.range.r#type, self.range.format) == ("integer", "int32") {
            let (least, most) = (i32::MIN, i32::MAX);
            span = NumberSpan {
                ints: Some((i64::from(least), i64::from(most))),
                floats: Some((f64::from(least), f64::from(most))),
            };
        }
        if let Some(min) = schema.minimum {
            let is_exclusive = schema.exclusive_minimum;
            let least = int64(min).checked_add(i64::from(is_exclusive));
            span = span.and(NumberSpan {
                ints: least.map(|it| (it, i64::MAX)),
                floats: Some((if is_exclusive { min.next_up() } else { min }, f64::MAX)),
            });
        }
        if let Some(max) = schema.maximum {
            let is_exclusive = schema.exclusive_maximum;
            let most = int64(max).checked_sub(i64::from(is_exclusive));
            span = span.and(NumberSpan {
                ints: most.map(|it| (i64::MIN, it)),
                floats: Some((f64::MIN, if is_exclusive { max.next_down() } else { max })),
            });
        }
        span
    }

    /// Checks a number against a keyword. A limit that fits the range is compared in the type of the value, other limits as a
    /// float64.
    fn check<'v>(&self, keyword: NumberKeyword, value: Held, place: &ValuePath<'_>) -> Outcome<'s, 'v> {
        let schema = self.schema;
        let (bound, what) = match keyword {
            NumberKeyword::Range => {
                let mut outcome = Outcome::default();
                if !self.range.contains(value) {
                    outcome.push(self.range.failure("Checked", place));
                }
                return outcome;
            }
            NumberKeyword::MultipleOf => (schema.multiple_of, "MultipleOf"),
            NumberKeyword::Minimum => (schema.minimum, "Minimum boundary"),
            NumberKeyword::Maximum => (schema.maximum, "Maximum boundary"),
        };
        let mut part = Outcome::default();
        let Some(bound) = bound else { return part };
        let mut value = value;
        if !self.range.contains(Held::Float(bound)) {
            let cause = Cause::BoundOutOfFormat {
                keyword: keyword.name(),
                limit: bound,
                format: self.range.format.to_owned(),
            };
            part.push(Failure {
                cause: Some(Box::new(cause)),
                ..self.range.failure(what, place)
            });
            value = Held::Float(value.as_float());
        }
        let failure = match keyword {
            NumberKeyword::MultipleOf => multiple_of(value, bound, self.version, place),
            NumberKeyword::Minimum => minimum(value, bound, schema.exclusive_minimum, place),
            _ => maximum(value, bound, schema.exclusive_maximum, place),
        };
        if let Some(failure) = failure {
            part.push(failure);
        }
        part
    }
}

impl<'s, 'v> Run<'_, 's, 'v> {
    pub(super) fn number(
        &self,
        schema: &'s JsonSchemaProps,
        number: &Number,
        types: Types<'s>,
        format: &'s str,
        place: &ValuePath<'_>,
    ) -> Outcome<'s, 'v> {
        let numbers = Numbers::with(schema, types, format, self.validator.version);
        let mut outcome = Outcome::default();
        for keyword in NumberKeyword::ALL {
            outcome.merge(numbers.check(keyword, Held::of(number), place));
        }
        outcome.matches += 1;
        outcome
    }
}

fn multiple_of<'s, 'v>(
    value: Held,
    factor: f64,
    version: KubernetesVersion,
    place: &ValuePath<'_>,
) -> Option<Failure<'s, 'v>> {
    let (factor, is_positive, fits) = match value {
        Held::Int(int) => {
            let factor = int64(factor);
            (Held::Int(factor), factor > 0, factor > 0 && int % factor == 0)
        }
        Held::Float(float) => {
            let quotient = if factor < 1.0 {
                1.0 / factor * float
            } else {
                float / factor
            };
            (Held::Float(factor), factor > 0.0, is_json_integer(quotient, version))
        }
    };
    if !is_positive {
        let name = place.name();
        let message = format!(
            "factor MultipleOf declared for {} must be positive: {}",
            name.text,
            factor.print()
        );
        return Some(Failure {
            code: codes::NOT_A_MULTIPLE,
            message,
            name: Some(name),
            report: Report::Invalid(factor.message_value()),
            origin: None,
            cause: None,
            about: None,
        });
    }
    let what = format!("should be a multiple of {}", factor.print());
    (!fits).then(|| {
        Failure::at(
            place,
            codes::NOT_A_MULTIPLE,
            &what,
            Report::Invalid(value.message_value()),
        )
    })
}

fn maximum<'s, 'v>(value: Held, max: f64, exclusive: bool, place: &ValuePath<'_>) -> Option<Failure<'s, 'v>> {
    let (max, exceeds) = match value {
        Held::Int(int) => {
            let max = int64(max);
            (Held::Int(max), if exclusive { int >= max } else { int > max })
        }
        Held::Float(float) => (Held::Float(max), if exclusive { float >= max } else { float > max }),
    };
    let relation = if exclusive {
        "less than"
    } else {
        "less than or equal to"
    };
    exceeds.then(|| {
        let what = format!("should be {relation} {}", max.print());
        Failure::at(
            place,
            codes::NUMBER_TOO_LARGE,
            &what,
            Report::Invalid(value.message_value()),
        )
    })
}

fn minimum<'s, 'v>(value: Held, min: f64, exclusive: bool, place: &ValuePath<'_>) -> Option<Failure<'s, 'v>> {
    let (min, falls_short) = match value {
        Held::Int(int) => {
            let min = int64(min);
            (Held::Int(min), if exclusive { int <= min } else { int < min })
        }
        Held::Float(float) => (Held::Float(min), if exclusive { float <= min } else { float < min }),
    };
    let relation = if exclusive {
        "greater than"
    } else {
        "greater than or equal to"
    };
    falls_short.then(|| {
        let what = format!("should be {relation} {}", min.print());
        Failure::at(
            place,
            codes::NUMBER_TOO_SMALL,
            &what,
            Report::Invalid(value.message_value()),
        )
    })
}

/// Go's conversion of a `float64` to an `int64` on amd64, which applies to a limit that is compared to an integer. The number is truncated; a number
/// that does not fit becomes the smallest integer.
pub fn int64(float: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&float) {
        float as i64
    } else {
        i64::MIN
    }
}
