//! Maps field names of the internal form to field names of v1.

use crd_analyzer_schema::field::{Path, Segment};

use crate::internal::Hoisted;

/// The paths in the document for a path of the internal form.
pub(super) fn to_document(path: &Path, hoisted: Hoisted, versions: usize) -> Vec<Path> {
    let mut steps: Vec<Segment> = path.segments().iter().flat_map(split).collect();
    match names(&steps).as_slice() {
        ["spec", "validation", ..] if hoisted.validation => {
            replace(&mut steps, 1, "schema");
            return for_each_version(&steps, versions);
        }
        // For this error, the API server uses the path of a version for the shared schema.
        ["spec", "schema", ..] if hoisted.validation => return for_each_version(&steps, versions),
        ["spec", "subresources", ..] if hoisted.subresources => return for_each_version(&steps, versions),
        ["spec", "additionalPrinterColumns", ..] if hoisted.additional_printer_columns => {
            lower_json_path(&mut steps);
            return for_each_version(&steps, versions);
        }
        ["spec", "selectableFields", ..] if hoisted.selectable_fields => return for_each_version(&steps, versions),
        ["spec", "versions", _, "additionalPrinterColumns", ..] => lower_json_path(&mut steps),
        ["spec", "version"] => {
            return vec![Path::of(["spec", "versions"]).index(0).child("name")];
        }
        ["spec", "conversion", "webhookClientConfig", ..] => {
            replace(&mut steps, 2, "clientConfig");
            steps.insert(2, Segment::Field("webhook".to_owned()));
        }
        ["spec", "conversion", "conversionReviewVersions", ..] => {
            steps.insert(2, Segment::Field("webhook".to_owned()));
        }
        // The API server sets the status, so an error in it is caused by the versions.
        ["status", "storedVersions", ..] => return vec![Path::of(["spec", "versions"])],
        _ => {}
    }
    vec![steps.into_iter().collect()]
}

/// Whether defaulting derives the field from the kind.
pub(super) fn follows_from_kind(path: &Path) -> bool {
    matches!(
        names(path.segments()).as_slice(),
        ["spec", "names", "singular" | "listKind"]
    )
}

/// Splits a segment that consists of several fields, such as `scale.specReplicasPath`.
fn split(segment: &Segment) -> Vec<Segment> {
    match segment {
        Segment::Field(name)
            if ["scale.", "openAPIV3Schema.", "schema."]
                .iter()
                .any(|it| name.starts_with(it)) =>
        {
            name.split('.').map(|it| Segment::Field(it.to_owned())).collect()
        }
        _ => vec![segment.clone()],
    }
}

/// The names of the fields in the path; other segments are empty.
fn names(steps: &[Segment]) -> Vec<&str> {
    steps
        .iter()
        .map(|it| match it {
            Segment::Field(name) => name.as_str(),
            Segment::Index(_) | Segment::Key(_) => "",
        })
        .collect()
}

fn replace(steps: &mut [Segment], at: usize, name: &str) {
    steps[at] = Segment::Field(name.to_owned());
}

fn lower_json_path(steps: &mut [Segment]) {
    if let Some(Segment::Field(name)) = steps.last_mut()
        && name == "JSONPath"
    {
        "jsonPath".clone_into(name);
    }
}

/// `spec.x` becomes `spec.versions[i].x`.
fn for_each_version(steps: &[Segment], versions: usize) -> Vec<Path> {
    (0..versions.max(1))
        .map(|index| {
            let base = Path::of(["spec", "versions"]).index(index);
            base.segments().iter().chain(&steps[1..]).cloned().collect()
        })
        .collect()
}
