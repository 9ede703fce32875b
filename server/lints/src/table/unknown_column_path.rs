//! Printer columns that read a property that does not exist.

use crd_analyzer_diagnostic::{Change, Proposal, name::parent};
use crd_analyzer_schema::field::Path;

use crate::{
    Cause, Check, Crd, Lint, Sink, Told,
    value_path::{Missing, Target, follow},
};

pub(super) const LINT: Lint = Lint::new(
    "unknown-column-path",
    "A printer column reads a property that the schema does not have.",
    include_str!("../../codes/unknown-column-path.md"),
    Check::Crd(check),
)
.told_once()
.safe_fix()
.field("additionalPrinterColumns")
.group("columns");

/// The path of a column leads to a property that does not exist.
#[derive(Debug)]
struct UnknownColumnPath {
    missing: Missing,
    /// The type of the column; empty if the column has none.
    column_type: String,
    /// Whether the version has no other column.
    is_only: bool,
}

fn check(crd: &Crd<'_>, sink: &mut Sink<'_, '_>) {
    for version in &crd.versions {
        let Some(schema) = version.schema else { continue };
        for (n, column) in version.columns.iter().enumerate() {
            let Target::Nothing(missing) = follow(schema, &column.json_path, version.keeps_unknown_fields) else {
                continue;
            };
            let column_path = version.path.child("additionalPrinterColumns").index(n);
            let cause = UnknownColumnPath {
                column_type: column.r#type.clone(),
                is_only: version.columns.len() == 1,
                missing: *missing,
            };
            sink.add_part(column_path.child("jsonPath"), cause.missing.bytes.clone(), cause);
        }
    }
}

impl Cause for UnknownColumnPath {
    fn tell(&self, place: &Path) -> Told {
        let known: Vec<&str> = self.missing.known.iter().map(|it| it.0.as_str()).collect();
        let r#type = match self.column_type.as_str() {
            "" => None,
            fit @ ("integer" | "number" | "boolean") => Some(fit),
            _ => Some("string"),
        };
        // The column never shows a value, so nothing is lost if the fix removes it.
        let column = parent(place);
        let useless = if self.is_only { parent(&column) } else { column };
        self.missing
            .tell(place, &known, r#type, "`kubectl get` leaves the column empty")
            .propose(Proposal::new("Remove the column", Change::Remove(useless)))
    }
}
