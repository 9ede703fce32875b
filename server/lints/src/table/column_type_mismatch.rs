//! Printer columns that stay empty because their type does not match.

use crd_analyzer_diagnostic::{
    Change, Proposal, Value, Words,
    text::{a_type, code},
};
use crd_analyzer_schema::field::Path;

use crate::{
    Cause, Check, Crd, Lint, Sink, Told,
    value_path::{follow, type_of},
};

pub(super) const LINT: Lint = Lint::new(
    "column-type-mismatch",
    "The type of a printer column does not fit the property that it reads, so the column stays empty.",
    include_str!("../../codes/column-type-mismatch.md"),
    Check::Crd(check),
)
.told_once()
.safe_fix()
.field("additionalPrinterColumns")
.group("columns");

/// The path of a column leads to values that do not have the type of the column.
#[derive(Debug)]
struct ColumnTypeMismatch {
    column: String,
    property: String,
    /// Whether the column has a path. A column without a path is an error, and any type fits it.
    has_path: bool,
}

fn check(crd: &Crd<'_>, sink: &mut Sink<'_, '_>) {
    for version in &crd.versions {
        let Some(schema) = version.schema else { continue };
        for (n, column) in version.columns.iter().enumerate() {
            let target = follow(schema, &column.json_path, version.keeps_unknown_fields);
            let Some(property) = type_of(&target).filter(|it| !is_shown(&column.r#type, it)) else {
                continue;
            };
            let path = version.path.child("additionalPrinterColumns").index(n);
            let cause = ColumnTypeMismatch {
                column: column.r#type.clone(),
                property,
                has_path: !column.json_path.is_empty(),
            };
            sink.add(path.child("type"), cause);
        }
    }
}

/// Whether a column shows values of a type (`cellForJSONValue` of `k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor`).
/// Unknown column types are errors that another check reports.
fn is_shown(column: &str, property: &str) -> bool {
    match column {
        "integer" | "number" => matches!(property, "integer" | "number"),
        "boolean" => property == "boolean",
        "date" => property == "string",
        _ => true,
    }
}

/// The column type that shows a property's values.
fn column_type(property: &str) -> Option<&'static str> {
    match property {
        "integer" => Some("integer"),
        "number" => Some("number"),
        "boolean" => Some("boolean"),
        "string" | "object" | "array" => Some("string"),
        _ => None,
    }
}

impl Cause for ColumnTypeMismatch {
    fn tell(&self, place: &Path) -> Told {
        let Self { column, property, .. } = self;
        let fit = column_type(property);
        let words = Words::new(format!(
            "a column of type {} never shows a property of type {}",
            code(column),
            code(property)
        ))
        .label(format!("the property is {}", a_type(property)))
        .help(match fit {
            Some(fit) => format!("change the type of the column to {}", code(fit)),
            None => "show a property with a single value, such as a string or a number".to_owned(),
        })
        .note("`kubectl get` leaves the column empty");
        let change = |fit: &str| {
            let change = Change::Set(place.clone(), Value::text_of(fit));
            Proposal::new(format!("Change the type to {fit}"), change).safe()
        };
        Told::from(words).propose(fit.filter(|_| self.has_path).map(change))
    }
}
