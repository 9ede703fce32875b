//! A JSON value of another type than the Go field that it should fill (`encoding/json`, `UnmarshalTypeError`).

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

/// The types of the API that are strings in Go.
pub const STRING_TYPES: [&str; 17] = [
    "string",
    "types.UID",
    "v1.ConditionStatus",
    "v1.ConversionStrategyType",
    "v1.CustomResourceDefinitionConditionType",
    "v1.FailurePolicyType",
    "v1.FieldValueErrorReason",
    "v1.JSONSchemaURL",
    "v1.LabelSelectorOperator",
    "v1.ManagedFieldsOperationType",
    "v1.MatchPolicyType",
    "v1.OperationType",
    "v1.ResourceScope",
    "v1.ScopeType",
    "v1.StatusReason",
    "v1beta1.FailurePolicyType",
    "v1beta1.MatchPolicyType",
];

/// A JSON value of another type than the Go field that it should fill. It prints as Go's decoder does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeMismatch {
    /// The JSON value, as Go describes it: `string`, `number 1.5`.
    pub value: String,
    /// The Go type that it should fill.
    pub into: Cow<'static, str>,
    /// The innermost Go struct around it; empty if there is none.
    pub structure: &'static str,
    /// The dotted names of the struct fields on the way; keys of maps and positions in lists are not in it.
    pub field: String,
    /// The key of the map that the value is in, if it is in one. Go does not say it.
    pub key: Option<Box<str>>,
}

impl fmt::Display for TypeMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            value,
            into,
            structure,
            field,
            key: _,
        } = self;
        if structure.is_empty() && field.is_empty() {
            return write!(f, "json: cannot unmarshal {value} into Go value of type {into}");
        }
        write!(
            f,
            "json: cannot unmarshal {value} into Go struct field {structure}.{field} of type {into}"
        )
    }
}

/// What Go's decoder calls a JSON value in an error.
pub const fn described(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
