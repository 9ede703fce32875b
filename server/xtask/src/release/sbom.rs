//! The software bill of materials (CycloneDX 1.5) of the libraries that cargo links into a binary.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    date::Date,
    input::Artifact,
    metadata::{Library, libraries},
    table::{Table, Target, VERSION},
};

/// The software bill of materials of each target.
pub(super) fn pack(table: &Table, targets: &[&Target], root: &Path) -> anyhow::Result<Vec<Artifact>> {
    let date = table.date()?;
    let of_target = |target: &&Target| {
        let bill = bill(&libraries(root, Some(&target.rust))?, table, date);
        Ok(Artifact {
            name: format!("{}.cdx.json", target.stem()),
            bytes: format!("{bill:#}\n").into_bytes(),
        })
    };
    targets.iter().map(of_target).collect()
}

fn address(name: &str, version: &str) -> String {
    format!("pkg:cargo/{name}@{version}")
}

fn component(library: &Library) -> Value {
    let address = address(&library.name, &library.version);
    let mut component = json!({
        "type": "library",
        "bom-ref": address,
        "name": library.name,
        "version": library.version,
        "purl": address,
    });
    if let Some(license) = &library.license {
        // In old manifests, a slash separates alternatives.
        component["licenses"] = json!([{ "expression": license.replace('/', " OR ") }]);
    }
    component
}

fn bill(libraries: &[Library], table: &Table, date: Date) -> Value {
    let mut program = component(&libraries[0]);
    program["type"] = json!("application");
    program["version"] = json!(VERSION);
    program["description"] = json!(table.product.summary);
    let dependencies = libraries.iter().map(|it| {
        let uses: Vec<String> = it.uses.iter().map(|(name, version)| address(name, version)).collect();
        json!({ "ref": address(&it.name, &it.version), "dependsOn": uses })
    });
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "timestamp": date.rfc_3339(), "component": program },
        "components": libraries[1..].iter().map(component).collect::<Vec<_>>(),
        "dependencies": dependencies.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::release::metadata;

    #[test]
    fn every_reference_names_a_component() {
        let table = Table::read().expect("the table");
        let bill = bill(&metadata::tests::libraries(), &table, table.date().expect("a date"));
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let mut known = BTreeSet::from([text(&bill["metadata"]["component"]["bom-ref"])]);
        known.extend(
            bill["components"]
                .as_array()
                .expect("components")
                .iter()
                .map(|it| text(&it["bom-ref"])),
        );
        let all = bill["dependencies"].as_array().expect("dependencies");
        assert_eq!((known.len(), all.len()), (3, 3));
        for it in all {
            let uses = it["dependsOn"].as_array().expect("references");
            assert!(
                uses.iter().chain([&it["ref"]]).all(|it| known.contains(&text(it))),
                "{it}"
            );
        }
        assert_eq!(bill["components"][1]["purl"], "pkg:cargo/used@1.0.0");
    }
}
