//! Printer columns that are always empty.

use crate::{
    Lint, Problem,
    value_path::{Target, follow, type_of},
    versions::Version,
};

/// Columns that lead to no property, or to values of another type.
pub(crate) fn find(versions: &[Version<'_>], found: &mut Vec<Lint>) {
    for version in versions {
        let Some(schema) = version.schema else { continue };
        for (n, column) in version.columns.iter().enumerate() {
            let path = || version.path.child("additionalPrinterColumns").index(n);
            let target = follow(schema, &column.json_path, version.keeps_unknown_fields);
            let lint = match target {
                Target::Nothing(missing) => missing.at(path().child("jsonPath"), None),
                target => match type_of(&target).filter(|it| !is_shown(&column.r#type, it)) {
                    Some(property) => Problem::ColumnType {
                        column: column.r#type.clone(),
                        property,
                    }
                    .at(path().child("type")),
                    None => continue,
                },
            };
            found.push(lint);
        }
    }
}

/// Whether a column shows values of a type (`cellForJSONValue` of
/// `k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor`). Column types that do not exist are errors.
fn is_shown(column: &str, property: &str) -> bool {
    match column {
        "integer" | "number" => matches!(property, "integer" | "number"),
        "boolean" => property == "boolean",
        "date" => property == "string",
        _ => true,
    }
}
