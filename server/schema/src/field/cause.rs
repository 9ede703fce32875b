//! Structured details of an error, from which other code words its own message.

use crd_analyzer_cel::ast::IssueKind;
use serde_json::Value;

use super::Path;
use crate::codes;
use crate::json_schema::JsonSchemaProps;

/// The details of an error beyond its code and path. The code that creates the error sets them; the API server's message contains the same facts.
#[derive(Clone, PartialEq, Debug)]
pub enum Cause {
    /// The type that the value should have: `integer`, `integer or string`.
    Type(String),
    /// The allowed values, as JSON.
    Allowed(Vec<String>),
    /// The number is beyond a limit.
    Bound {
        /// The limit.
        limit: f64,
        /// Whether the limit itself is not allowed.
        is_exclusive: bool,
    },
    /// The number itself is fine, but a limit in its schema does not fit the schema's type and format.
    BoundOutOfFormat {
        /// The keyword of the limit.
        keyword: &'static str,
        /// The limit.
        limit: f64,
        /// The format; empty if none applies.
        format: String,
    },
    /// The number should be a multiple of this value.
    Multiple(f64),
    /// The maximum or minimum number of characters, bytes, items or properties.
    Count(i64),
    /// The string should match this pattern.
    Pattern(String),
    /// The value should have this format.
    Format(String),
    /// The number of `oneOf` schemas that match.
    Matches(usize),
    /// The property is missing.
    Property {
        /// The property's type; may be empty.
        r#type: String,
        /// A possible value, in flow style. `…` is a value that the author chooses.
        example: Option<String>,
    },
    /// The value is empty.
    Empty,
    /// The value has a line break.
    LineBreak,
    /// The value contains an unprintable character.
    Unprintable,
    /// This item, key or name occurs twice.
    Repeated(String),
    /// The value is malformed. The string describes the mistake, if a few words suffice.
    Malformed(String),
    /// This name does not exist.
    NotFound(String),
    /// This part of the value is wrong: `scheme` of a URL.
    Part(&'static str),
    /// An entry of a map or list is wrong.
    Entry {
        /// The key, or the item of the list.
        key: String,
        /// Whether the entry's value is wrong. If not, the key or the item is wrong.
        is_value: bool,
    },
    /// The value does not satisfy a rule.
    Rule {
        /// The rule as written.
        rule: String,
        /// The rule's message, or the result of its message expression.
        message: Option<String>,
        /// The evaluation error, if the rule did not just return `false`.
        error: Option<String>,
    },
    /// A rule or message expression does not compile. This is its first problem.
    Compile(IssueKind),
    /// The path is inside `metadata`.
    InMetadata,
    /// The field at the path, or the schema, has a type that is not allowed here.
    WrongKind,
    /// The value is set, but another field that the value needs is not.
    Without(&'static str),
    /// The same setting is also specified at this path of the schema.
    Elsewhere(Path),
    /// An estimated cost exceeds its limit, in cost units.
    Cost {
        /// The estimate.
        cost: u64,
        /// The limit.
        limit: u64,
    },
}

/// The maximum number of `enum` values that a cause keeps.
const MAX_ALLOWED: usize = 50;

impl Cause {
    /// The cause of a validation error with this code: the violated keyword of the schema. `last` is the last step to the value.
    pub(crate) fn of_value(code: &'static str, schema: &JsonSchemaProps, last: Option<&str>) -> Option<Self> {
        let count = |count: Option<i64>| count.map(Self::Count);
        match code {
            codes::WRONG_TYPE if schema.x_int_or_string => Some(Self::Type("integer or string".to_owned())),
            codes::WRONG_TYPE => Some(Self::Type(schema.r#type.clone())),
            codes::MISSING_PROPERTY => {
                let property = crate::structural::lookup(&schema.properties, last?);
                Some(Self::Property {
                    r#type: property.map_or_else(String::new, |it| it.r#type.clone()),
                    example: property.and_then(example),
                })
            }
            codes::NOT_IN_ENUM => {
                let allowed = schema.r#enum.iter().take(MAX_ALLOWED).map(Value::to_string);
                Some(Self::Allowed(allowed.collect()))
            }
            codes::STRING_TOO_LONG => count(schema.max_length),
            codes::STRING_TOO_SHORT => count(schema.min_length),
            codes::TOO_MANY_ITEMS => count(schema.max_items),
            codes::TOO_FEW_ITEMS => count(schema.min_items),
            codes::TOO_MANY_PROPERTIES => count(schema.max_properties),
            codes::TOO_FEW_PROPERTIES => count(schema.min_properties),
            codes::PATTERN_MISMATCH => Some(Self::Pattern(schema.pattern.clone())),
            codes::FORMAT_MISMATCH | codes::NUMBER_OUT_OF_FORMAT => Some(Self::Format(schema.format.clone())),
            codes::NUMBER_TOO_LARGE => schema.maximum.map(|limit| Self::Bound {
                limit,
                is_exclusive: schema.exclusive_maximum,
            }),
            codes::NUMBER_TOO_SMALL => schema.minimum.map(|limit| Self::Bound {
                limit,
                is_exclusive: schema.exclusive_minimum,
            }),
            codes::NOT_A_MULTIPLE => schema.multiple_of.map(Self::Multiple),
            _ => None,
        }
    }
}

impl Cause {
    /// The approximate size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        let of = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        match self {
            Self::Type(text)
            | Self::Pattern(text)
            | Self::Format(text)
            | Self::BoundOutOfFormat { format: text, .. }
            | Self::Repeated(text)
            | Self::Malformed(text)
            | Self::NotFound(text)
            | Self::Entry { key: text, .. } => text.len(),
            Self::Allowed(values) => values.iter().map(|it| size_of::<String>() + it.len()).sum(),
            Self::Property { r#type, example } => r#type.len() + of(example),
            Self::Rule { rule, message, error } => rule.len() + of(message) + of(error),
            Self::Compile(kind) => kind.server_words().len(),
            Self::Elsewhere(path) => path.bytes(),
            Self::Bound { .. }
            | Self::Multiple(_)
            | Self::Count(_)
            | Self::Matches(_)
            | Self::Empty
            | Self::LineBreak
            | Self::Unprintable
            | Self::Part(_)
            | Self::InMetadata
            | Self::WrongKind
            | Self::Without(_)
            | Self::Cost { .. } => 0,
        }
    }
}

/// The maximum number of required properties in an example.
const MOST_NAMED: usize = 3;

/// A value from the schema itself: the first value of its `enum`, its default, or its required properties, without which an object would be invalid.
fn example(schema: &JsonSchemaProps) -> Option<String> {
    let written = schema.r#enum.first().or(schema.default.as_ref());
    if let Some(written) = written.filter(|it| !it.is_null()) {
        return Some(written.to_string());
    }
    let has_default = |it: &str| {
        let property = crate::structural::lookup(&schema.properties, it);
        property.is_some_and(|it| it.default.is_some())
    };
    let mut required = schema.required.iter().take(MAX_ALLOWED).filter(|it| !has_default(it));
    let mut entries: Vec<String> = required
        .by_ref()
        .take(MOST_NAMED)
        .map(|it| format!("{it}: …"))
        .collect();
    entries.extend(required.next().map(|_| "…".to_owned()));
    (!entries.is_empty()).then(|| format!("{{{}}}", entries.join(", ")))
}
