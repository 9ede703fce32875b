//! Numbers: `multipleOf`, `minimum`, `maximum`, and since 1.36 the range of the type and format (`numberValidator`).
//!
//! A value is an `int64` or a `float64` on the API server, and a bound always a `float64`. Beside an integer a bound is cut to
//! an integer too, also in the words.

use crd_analyzer_cel::KubernetesVersion;
use serde_json::Number;

use super::Run;
use super::outcome::{Failure, MessageValue, Outcome, Report};
use super::types::{Types, is_json_integer};
use super::value_path::ValuePath;
use crate::codes;
use crate::go::plain_float;
use crate::json_schema::JsonSchemaProps;

/// Since this Kubernetes version type and format limit the range.
const RANGE_SINCE: KubernetesVersion = KubernetesVersion::minor(36);

/// A number as the API server holds it.
#[derive(Clone, Copy)]
enum Held {
    Int(i64),
    Float(f64),
}

impl Held {
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

/// The range that a schema sets by its type and format; the type is empty where there is none.
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
                    // The API server prints the number in full and reads that as an integer.
                    Held::Float(float) => format!("{float}").parse().ok(),
                };
                int.is_some_and(|int| format != "int32" || i32::try_from(int).is_ok())
            }
            // Reading a float32 fails only where it overflows.
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

impl<'s, 'v> Run<'_, 's, 'v> {
    pub(super) fn number(
        &self,
        schema: &'s JsonSchemaProps,
        number: &Number,
        types: &Types<'s>,
        format: &'s str,
        place: &ValuePath<'_>,
    ) -> Outcome<'s, 'v> {
        let version = self.validator.version;
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
        let value = match number.as_i64() {
            Some(int) => Held::Int(int),
            None => Held::Float(number.as_f64().unwrap_or_default()),
        };
        let mut outcome = Outcome::default();
        if !range.contains(value) {
            outcome.push(range.failure("Checked", place));
        }
        // A bound that fits the range is compared in the type of the value, one that does not as a float64.
        let mut bound = |bound: Option<f64>, what: &str, check: &dyn Fn(Held, f64) -> Option<Failure<'s, 'v>>| {
            let Some(bound) = bound else { return };
            let mut part = Outcome::default();
            let mut value = value;
            if !range.contains(Held::Float(bound)) {
                part.push(range.failure(what, place));
                value = Held::Float(value.as_float());
            }
            if let Some(failure) = check(value, bound) {
                part.push(failure);
            }
            outcome.merge(part);
        };
        bound(schema.multiple_of, "MultipleOf", &|value, factor| {
            multiple_of(value, factor, version, place)
        });
        bound(schema.minimum, "Minimum boundary", &|value, min| {
            minimum(value, min, schema.exclusive_minimum, place)
        });
        bound(schema.maximum, "Maximum boundary", &|value, max| {
            maximum(value, max, schema.exclusive_maximum, place)
        });
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
            matches: None,
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

/// Go's conversion of a `float64` to an `int64` on amd64: cut, and the smallest integer where it does not fit.
pub(super) fn int64(float: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&float) {
        float as i64
    } else {
        i64::MIN
    }
}
