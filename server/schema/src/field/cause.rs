//! The data of an error, for whoever puts it into words.

use crd_analyzer_cel::ast::IssueKind;
use serde_json::Value;

use super::Path;
use crate::codes;
use crate::json_schema::JsonSchemaProps;

/// What an error is about beyond its code and path. It is made where the error is made; the API server's text is another rendering
/// of the same.
#[derive(Clone, PartialEq, Debug)]
pub enum Cause {
    /// The value should be of this type: `integer`, `integer or string`.
    Type(String),
    /// The value should be one of these, as JSON writes them.
    Allowed(Vec<String>),
    /// The number should not pass this one.
    Bound {
        /// The bound.
        limit: f64,
        /// The bound itself is too much.
        is_exclusive: bool,
    },
    /// The number may have any value, but a bound of its schema does not fit the schema's type and format.
    BoundOutOfFormat {
        /// The bound.
        keyword: &'static str,
        /// Its value.
        limit: f64,
        /// The format, if there is one that counts.
        format: String,
    },
    /// The number should be a multiple of this one.
    Multiple(f64),
    /// There should not be more, or not be fewer: characters, bytes, items, properties.
    Count(i64),
    /// The string should match this pattern.
    Pattern(String),
    /// The value should have this format.
    Format(String),
    /// So many of the schemas of `oneOf` match.
    Matches(usize),
    /// The property is missing.
    Property {
        /// Its type; may be empty.
        r#type: String,
        /// A value that it may have, as JSON writes it.
        example: Option<String>,
    },
    /// The value is empty.
    Empty,
    /// The value has a line break.
    LineBreak,
    /// The value has a character that cannot be printed.
    Unprintable,
    /// This is there twice.
    Repeated(String),
    /// The value does not have the form that it should have; what is wrong, if that can be said in a few words.
    Malformed(String),
    /// This does not exist where it is looked for.
    NotFound(String),
    /// This part of the value is wrong: `scheme` of a URL.
    Part(&'static str),
    /// The entry of a map or list that is wrong: its key, and whether the value of the key is what is wrong.
    Entry {
        /// The key, or the item of the list.
        key: String,
        /// The value of the key is wrong, not the key.
        is_value: bool,
    },
    /// A rule that a value does not satisfy.
    Rule {
        /// The rule, as it is written.
        rule: String,
        /// Its own message, or what its message expression gives.
        message: Option<String>,
        /// The error that it ends in, if it does not just say no.
        error: Option<String>,
    },
    /// A rule or message expression that does not compile: its first problem.
    Compile(IssueKind),
    /// The path leads into `metadata`.
    InMetadata,
    /// What the path leads to, or what the schema describes, is not of a type that is allowed here.
    WrongKind,
    /// The value is set without another one that it needs.
    Without(&'static str),
    /// The same is specified at this other place of the schema.
    Elsewhere(Path),
    /// An estimated cost is over its limit, in cost units.
    Cost {
        /// The estimate.
        cost: u64,
        /// The limit.
        limit: u64,
    },
}

/// Only so many values of an `enum` are kept.
const MAX_ALLOWED: usize = 50;

impl Cause {
    /// Of a value that does not have what a schema demands, by the code of the failure. `last` is the last step to the value.
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
    /// About the bytes that it takes.
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

/// A value that the schema itself names: the first value of its enum, or its default.
fn example(schema: &JsonSchemaProps) -> Option<String> {
    let written = schema.r#enum.first().or(schema.default.as_ref());
    written.filter(|it| !it.is_null()).map(Value::to_string)
}
