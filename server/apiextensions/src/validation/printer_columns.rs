//! Printer columns (`ValidateCustomResourceColumnDefinition`), and the JSON paths of columns and `scale`.

use crd_analyzer_schema::field::{Cause, Error, Path};

use super::report::invalid_string;
use crate::codes;
use crate::types::ColumnDefinition;

const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const FORMATS: [&str; 8] = [
    "byte",
    "date",
    "date-time",
    "double",
    "float",
    "int32",
    "int64",
    "password",
];

/// Checks the columns in the list at `path`.
pub(super) fn validate_columns(columns: &[ColumnDefinition], path: &Path, errors: &mut Vec<Error>) {
    for (i, column) in columns.iter().enumerate() {
        validate_column(column, errors, |field| path.index(i).child(field));
    }
}

fn validate_column(column: &ColumnDefinition, errors: &mut Vec<Error>, path: impl Fn(&str) -> Path) {
    if column.name.is_empty() {
        errors.push(Error::required(codes::MISSING_COLUMN_FIELD, path("name"), ""));
    }
    if column.r#type.is_empty() {
        let error = Error::required(codes::MISSING_COLUMN_FIELD, path("type"), one_of(&TYPES));
        errors.push(error.because(allowed(&TYPES)));
    } else if !TYPES.contains(&column.r#type.as_str()) {
        let code = codes::UNKNOWN_COLUMN_TYPE;
        let error = invalid_string(code, path("type"), &column.r#type, one_of(&TYPES));
        errors.push(error.because(allowed(&TYPES)));
    }
    if !column.format.is_empty() && !FORMATS.contains(&column.format.as_str()) {
        let code = codes::UNKNOWN_COLUMN_FORMAT;
        let error = invalid_string(code, path("format"), &column.format, one_of(&FORMATS));
        errors.push(error.because(allowed(&FORMATS)));
    }
    if column.json_path.is_empty() {
        errors.push(Error::required(codes::MISSING_COLUMN_FIELD, path("JSONPath"), ""));
    } else {
        errors.extend(simple_json_path_error(&column.json_path, || path("JSONPath")));
    }
}

fn allowed(values: &[&str]) -> Cause {
    Cause::Allowed(values.iter().map(|it| (*it).to_owned()).collect())
}

fn one_of(values: &[&str]) -> String {
    format!("must be one of {}", values.join(","))
}

/// The error in a path in dot notation (`validateSimpleJSONPath`). The API server only checks the first character of such a path.
pub(super) fn simple_json_path_error(json_path: &str, path: impl FnOnce() -> Path) -> Option<Error> {
    let detail = if json_path.is_empty() {
        "must not be empty"
    } else if !json_path.starts_with('.') {
        "must be a simple json path starting with ."
    } else {
        return None;
    };
    Some(invalid_string(codes::INVALID_JSON_PATH, path(), json_path, detail))
}
