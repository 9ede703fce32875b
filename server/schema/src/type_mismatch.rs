//! A JSON value whose type does not fit its Go field (`encoding/json`, `UnmarshalTypeError`).

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

/// The API types that are strings in Go.
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

/// A JSON value whose type does not fit its Go field. Displays as the message of Go's decoder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeMismatch {
    /// The JSON value in Go's words: `string`, `number 1.5`.
    pub value: String,
    /// The Go type of the field.
    pub into: Cow<'static, str>,
    /// The innermost surrounding Go struct; empty if the value is not in a struct.
    pub structure: &'static str,
    /// The dotted names of the surrounding struct fields, without map keys and list indexes.
    pub field: String,
    /// The key of the map that contains the value, if any. Go's message does not mention the key.
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

/// The name of a JSON value in an error of Go's decoder.
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
