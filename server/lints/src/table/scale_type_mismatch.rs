//! Paths of the scale subresource that lead to values of the wrong type.

use crd_analyzer_diagnostic::{
    Words,
    name::last,
    text::{a_type, code},
};
use crd_analyzer_schema::field::Path;

use crate::{
    Cause, Check, Crd, Lint, Sink, Told,
    value_path::{follow, scale_paths, type_of},
};

pub(super) const LINT: Lint = Lint::new(
    "scale-type-mismatch",
    "A path of the scale subresource leads to a property of the wrong type.",
    include_str!("../../codes/scale-type-mismatch.md"),
    Check::Crd(check),
)
.no_fix("Only the author knows which property has the replicas.")
.told_once()
.field("scale")
.group("scale");

/// A path of `scale` leads to values that do not have the type that the path needs.
#[derive(Debug)]
struct ScaleTypeMismatch {
    wanted: &'static str,
    property: String,
}

fn check(crd: &Crd<'_>, sink: &mut Sink<'_, '_>) {
    for version in &crd.versions {
        let Some(schema) = version.schema else { continue };
        for (path, json_path, wanted) in scale_paths(version) {
            let target = follow(schema, json_path, version.keeps_unknown_fields);
            let is_wrong = |it: &String| it != wanted && !(wanted == "integer" && it == "number");
            if let Some(property) = type_of(&target).filter(is_wrong) {
                sink.add(path, ScaleTypeMismatch { wanted, property });
            }
        }
    }
}

impl Cause for ScaleTypeMismatch {
    fn tell(&self, place: &Path) -> Told {
        let Self { wanted, property } = self;
        Words::new(format!(
            "{} needs type {}, but the property is {}",
            code(last(place)),
            code(wanted),
            a_type(property)
        ))
        .label(format!("leads to {}", a_type(property)))
        .help(format!("use a property of type {}", code(wanted)))
        .note("`kubectl scale` and autoscalers fail on such objects")
        .into()
    }
}
