//! `type` (`typeValidator`).

use crd_analyzer_cel::KubernetesVersion;
use serde_json::Value;

use super::Form;
use super::outcome::{Outcome, wrong_type};
use super::value_path::ValuePath;
use crate::json_schema::JsonSchemaProps;

/// The types of a schema: none, the schema's own type, or the two types of int-or-string.
#[derive(Clone, Copy)]
pub(super) enum Types<'s> {
    None,
    One(&'s str),
    IntOrString,
}

impl<'s> Types<'s> {
    pub(super) fn of(schema: &'s JsonSchemaProps, form: Form) -> Self {
        if schema.x_int_or_string && form == Form::Definition {
            Self::IntOrString
        } else if schema.r#type.is_empty() {
            Self::None
        } else {
            Self::One(&schema.r#type)
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        matches!(self, Self::None)
    }

    /// The type, if there is exactly one.
    pub(super) const fn single(&self) -> Option<&'s str> {
        match self {
            Self::One(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        match self {
            Self::None => false,
            Self::One(only) => *only == name,
            Self::IntOrString => matches!(name, "integer" | "string"),
        }
    }

    fn joined(&self) -> &'s str {
        match self {
            Self::None => "",
            Self::One(name) => name,
            Self::IntOrString => "integer,string",
        }
    }

    pub(super) fn check_null<'v>(&self, schema: &JsonSchemaProps, place: &ValuePath<'_>) -> Outcome<'s, 'v> {
        if !self.is_empty() && !self.contains("null") && !schema.nullable {
            return wrong_type(place, self.joined(), "null").into();
        }
        Outcome::passed()
    }

    /// Checks the type of a value that is not null. Like the API server, it accepts a string or list with a format for any
    /// type, unless the type is a number.
    pub(super) fn check<'v>(
        &self,
        value: &Value,
        format: &str,
        version: KubernetesVersion,
        place: &ValuePath<'_>,
    ) -> Outcome<'s, 'v> {
        let (found, found_format) = match value {
            Value::Null => ("null", ""),
            Value::Bool(_) => ("boolean", ""),
            Value::String(_) => ("string", ""),
            Value::Number(number) if number.is_i64() => ("integer", "int64"),
            Value::Number(_) => ("number", "float64"),
            Value::Array(_) => ("array", ""),
            Value::Object(_) => ("object", ""),
        };
        let is_integral = || {
            found == "number"
                && self.contains("integer")
                && value.as_f64().is_some_and(|float| is_json_integer(float, version))
        };
        let fits = self.contains(found) || is_integral() || (found == "integer" && self.contains("number"));
        let is_text = matches!(value, Value::String(_) | Value::Array(_));
        if !is_text && !format.is_empty() && !fits && found_format != format {
            return wrong_type(place, format, found_format).into();
        }
        if is_text && !format.is_empty() && !self.contains("number") && !self.contains("integer") {
            return Outcome::passed();
        }
        if !fits {
            return wrong_type(place, self.joined(), found).into();
        }
        Outcome::passed()
    }
}

/// The first Kubernetes version that treats a number slightly above or below an integer as an integer. Earlier versions only do so for numbers
/// slightly above (`swag.IsFloat64AJSONInteger` of go-openapi before and after its rewrite).
const SYMMETRIC_SINCE: KubernetesVersion = KubernetesVersion::minor(37);

/// The largest number that is treated as an integer.
pub(super) const LARGEST_JSON_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Whether a number is treated as an integer (`swag.IsFloat64AJSONInteger`): it is close to an integer, and a `float64` can represent that integer
/// exactly.
pub(super) fn is_json_integer(float: f64, version: KubernetesVersion) -> bool {
    const EPSILON: f64 = 1e-9;
    if !(-LARGEST_JSON_INTEGER..=LARGEST_JSON_INTEGER).contains(&float) {
        return false;
    }
    if float.fract() == 0.0 {
        return true;
    }
    if version >= SYMMETRIC_SINCE {
        let rounded = float.round();
        return rounded != 0.0 && (float - rounded).abs() < EPSILON * rounded.abs();
    }
    // Only numbers just above a positive integer are close enough.
    let cut = float.trunc();
    float > 0.0 && cut != 0.0 && (float - cut) / (float + cut) < EPSILON
}
