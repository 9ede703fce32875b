//! Paths of the scale subresource that lead to a property that does not exist.

use crd_analyzer_schema::field::Path;

use crate::{
    Cause, Check, Crd, Lint, Sink, Told,
    value_path::{Missing, Target, follow, scale_paths},
};

pub(super) const LINT: Lint = Lint::new(
    "unknown-scale-path",
    "A path of the scale subresource leads to a property that the schema does not have.",
    include_str!("../../codes/unknown-scale-path.md"),
    Check::Crd(check),
)
.told_once()
.field("scale")
.group("scale");

/// A path of `scale` leads to a property that does not exist.
#[derive(Debug)]
struct UnknownScalePath {
    missing: Missing,
    /// The type that `scale` needs.
    wanted: &'static str,
}

fn check(crd: &Crd<'_>, sink: &mut Sink<'_, '_>) {
    for version in &crd.versions {
        let Some(schema) = version.schema else { continue };
        for (path, json_path, wanted) in scale_paths(version) {
            if let Target::Nothing(missing) = follow(schema, json_path, version.keeps_unknown_fields) {
                let missing = *missing;
                sink.add_part(path, missing.bytes.clone(), UnknownScalePath { missing, wanted });
            }
        }
    }
}

impl UnknownScalePath {
    /// Whether the path may lead to or through a property of this type.
    fn fits(&self, property: &str) -> bool {
        match self.wanted {
            _ if property.is_empty() => true,
            _ if self.missing.goes_on => matches!(property, "object" | "array"),
            "integer" => matches!(property, "integer" | "number"),
            wanted => property == wanted,
        }
    }
}

impl Cause for UnknownScalePath {
    fn tell(&self, place: &Path) -> Told {
        let fitting = self.missing.known.iter().filter(|it| self.fits(&it.1));
        let known: Vec<&str> = fitting.map(|it| it.0.as_str()).collect();
        let note = "`kubectl scale` and autoscalers do not work with this CRD";
        self.missing.tell(place, &known, Some(self.wanted), note)
    }
}
