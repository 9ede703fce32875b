//! Finds the schema keyword that causes an error in an object.

use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::codes;
use crd_analyzer_schema::field::{Cause, Error, Path, Segment};
use crd_analyzer_schema::structural::{Structural, lookup};
use crd_analyzer_syntax::json::Json;

use crate::definition::ServedVersion;
use crate::verdict::Decider;

/// The path of the keyword that causes an error; `steps` lead from the schema at `base` to the node.
pub(crate) fn keyword(schema: &JsonSchemaProps, error: &Error, base: Path, steps: &Path) -> Path {
    let mut path = base;
    for step in steps.segments() {
        path.push(step.clone());
    }
    let keyword = match error.cause() {
        Some(Cause::BoundOutOfFormat { keyword, .. }) => Some(*keyword),
        _ => keyword_of(schema, error.code),
    };
    match keyword {
        Some(keyword) => path.child(keyword),
        None => path,
    }
}

fn keyword_of(schema: &JsonSchemaProps, code: &str) -> Option<&'static str> {
    Some(match code {
        codes::WRONG_TYPE if schema.x_int_or_string => "x-kubernetes-int-or-string",
        codes::WRONG_TYPE => "type",
        codes::MISSING_PROPERTY => "required",
        codes::NOT_IN_ENUM => "enum",
        codes::STRING_TOO_LONG => "maxLength",
        codes::STRING_TOO_SHORT => "minLength",
        codes::PATTERN_MISMATCH => "pattern",
        codes::FORMAT_MISMATCH | codes::NUMBER_OUT_OF_FORMAT => "format",
        codes::NUMBER_TOO_LARGE => "maximum",
        codes::NUMBER_TOO_SMALL => "minimum",
        codes::NOT_A_MULTIPLE => "multipleOf",
        codes::TOO_MANY_ITEMS => "maxItems",
        codes::TOO_FEW_ITEMS => "minItems",
        codes::DUPLICATE_ITEM => "uniqueItems",
        codes::TOO_MANY_PROPERTIES => "maxProperties",
        codes::TOO_FEW_PROPERTIES => "minProperties",
        codes::FORBIDDEN_PROPERTY => "additionalProperties",
        codes::ALL_OF_MISMATCH => "allOf",
        codes::ANY_OF_MISMATCH => "anyOf",
        codes::ONE_OF_MISMATCH => "oneOf",
        codes::NOT_MISMATCH => "not",
        _ => return None,
    })
}

/// The path of the schema of the value at `at`, or of the closest surrounding value with a schema. If a schema on the way to that value has the
/// keyword, the path of that schema is returned instead.
pub(crate) fn along(base: Path, root: &JsonSchemaProps, at: &Path, keyword: Option<&str>) -> Path {
    let mut path = base;
    let mut schema = root;
    let mut marked = None;
    for segment in at.segments() {
        if is_marked(schema, keyword) {
            marked = Some(path.clone());
        }
        match segment {
            Segment::Index(_) => {
                let Some(items) = schema.items.as_deref().and_then(|it| it.schema.as_deref()) else {
                    break;
                };
                path.push(Segment::Field("items".to_owned()));
                schema = items;
            }
            Segment::Field(name) | Segment::Key(name) => {
                if let Some(property) = lookup(&schema.properties, name) {
                    path.push(Segment::Field("properties".to_owned()));
                    path.push(Segment::Key(name.clone()));
                    schema = property;
                } else if let Some(values) = schema
                    .additional_properties
                    .as_deref()
                    .and_then(|it| it.schema.as_deref())
                {
                    path.push(Segment::Field("additionalProperties".to_owned()));
                    schema = values;
                } else {
                    break;
                }
            }
        }
    }
    if is_marked(schema, keyword) {
        marked = Some(path.clone());
    }
    match (marked, keyword) {
        (Some(marked), Some(keyword)) => marked.child(keyword),
        _ => path,
    }
}

/// Whether the schema has the keyword.
fn is_marked(schema: &JsonSchemaProps, keyword: Option<&str>) -> bool {
    match keyword {
        Some("x-kubernetes-list-type") => schema.x_list_type.is_some(),
        Some("x-kubernetes-embedded-resource") => schema.x_embedded_resource,
        _ => false,
    }
}

/// The schema that lacks the field at a dotted path.
pub(crate) fn around_unknown(version: ServedVersion<'_>, root: Structural<'_>, json: &Json<'_>, path: &str) -> Decider {
    let at = crate::places::path_of_dotted(json, path);
    Decider {
        path: along(version.schema_path(), root.props(), &at, None),
        rule: None,
    }
}
