//! Paths of the scale subresource that lead to nothing.

use crate::{
    Lint, Problem,
    value_path::{Target, follow, type_of},
    versions::Version,
};

/// Paths of `scale` that lead to no property, or to values of another type.
pub(crate) fn find(versions: &[Version<'_>], found: &mut Vec<Lint>) {
    for version in versions {
        let scale = version.subresources.and_then(|it| it.scale.as_ref());
        let (Some(schema), Some(scale)) = (version.schema, scale) else {
            continue;
        };
        let paths = [
            ("specReplicasPath", scale.spec_replicas_path.as_str(), "integer"),
            ("statusReplicasPath", scale.status_replicas_path.as_str(), "integer"),
            (
                "labelSelectorPath",
                scale.label_selector_path.as_deref().unwrap_or_default(),
                "string",
            ),
        ];
        for (field, json_path, wanted) in paths.into_iter().filter(|it| !it.1.is_empty()) {
            let path = || version.path.child("subresources").child("scale").child(field);
            match follow(schema, json_path, version.keeps_unknown_fields) {
                Target::Nothing(missing) => found.push(missing.at(path(), Some(wanted))),
                target => {
                    let is_wrong = |it: &String| it != wanted && !(wanted == "integer" && it == "number");
                    let property = type_of(&target).filter(is_wrong);
                    found.extend(property.map(|property| Problem::ScaleType { wanted, property }.at(path())));
                }
            }
        }
    }
}
