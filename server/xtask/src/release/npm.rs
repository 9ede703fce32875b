//! npm packages: one package per target with the program, and a main package that depends on all of them and starts the program that npm installed.
//! The packages have no installation scripts.

use serde_json::{Map, Value, json};

use super::{
    archives::NOTICES,
    input::{Artifact, Binary, Inputs},
    table::{Table, Target, VERSION},
    tar::tar_gz,
    tree::Tree,
};

/// The script that starts the program of the platform.
const STARTER: &str = include_str!("../../../../packaging/npm/crd-analyzer.js");

pub(super) fn pack(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Artifact>> {
    let mut all = vec![main(inputs)?];
    for binary in &inputs.binaries {
        all.push(of_target(inputs, binary)?);
    }
    Ok(all)
}

fn package_name(table: &Table, target: &Target) -> String {
    format!("{}/{}", table.names.npm_scope, target.npm_name())
}

/// The fields of `package.json` that occur in both kinds of packages.
fn manifest(table: &Table, name: &str) -> Value {
    json!({
        "name": name,
        "version": VERSION,
        "description": table.product.summary,
        "license": format!("({})", table.product.license),
        "homepage": table.links.documentation,
        "bugs": table.links.issues,
        "repository": { "type": "git", "url": format!("git+{}.git", table.links.repository) },
        "keywords": table.product.keywords,
    })
}

fn main(inputs: &Inputs<'_>) -> anyhow::Result<Artifact> {
    let table = inputs.table;
    let mut package = manifest(table, &table.product.name);
    let (mut depends, mut platforms) = (Map::new(), Map::new());
    for target in &table.targets {
        let name = package_name(table, target);
        depends.insert(name.clone(), json!(VERSION));
        platforms.insert(target.npm_name(), json!(format!("{name}/bin/{}", target.program())));
    }
    package["bin"] = json!({ "crd-analyzer": "bin/crd-analyzer.js" });
    package["files"] = json!(["bin"]);
    package["engines"] = json!({ "node": ">=18" });
    package["optionalDependencies"] = Value::Object(depends);
    let mut tree = Tree::default();
    tree.program("package/bin/crd-analyzer.js", STARTER);
    tree.file("package/bin/platforms.json", pretty(&Value::Object(platforms)));
    tarball(inputs, tree, &package, &format!("crd-analyzer-{VERSION}-npm.tgz"))
}

fn of_target(inputs: &Inputs<'_>, binary: &Binary<'_>) -> anyhow::Result<Artifact> {
    let target = binary.target;
    let mut package = manifest(inputs.table, &package_name(inputs.table, target));
    package["os"] = json!([target.npm.os]);
    package["cpu"] = json!([target.npm.cpu]);
    package["preferUnplugged"] = json!(true);
    let mut tree = Tree::default();
    tree.program(format!("package/bin/{}", target.program()), &*binary.bytes);
    tree.file(format!("package/{NOTICES}"), inputs.notices.as_bytes());
    tarball(
        inputs,
        tree,
        &package,
        &format!("crd-analyzer-{VERSION}-npm-{}.tgz", target.npm_name()),
    )
}

fn tarball(inputs: &Inputs<'_>, mut tree: Tree, package: &Value, name: &str) -> anyhow::Result<Artifact> {
    tree.file("package/package.json", pretty(package));
    let readme = format!(
        "# {}\n\n{}\n",
        inputs.table.product.name, inputs.table.product.description
    );
    tree.file("package/README.md", readme);
    for (license, text) in &inputs.licenses {
        tree.file(format!("package/{license}"), &**text);
    }
    Ok(Artifact {
        name: name.to_owned(),
        bytes: tar_gz(&tree, "", inputs.date)?,
    })
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::input::tests::inputs;

    #[test]
    fn no_package_runs_a_script_when_it_is_installed() {
        assert!(!STARTER.contains("http"));
        let table = Table::read().expect("the table");
        let package = manifest(&table, "name");
        assert!(package.get("scripts").is_none());
        let all = pack(&inputs(&table)).expect("packages");
        let names: Vec<_> = all.iter().map(|it| &*it.name).collect();
        assert_eq!(names.len(), 7);
        assert_eq!(names[0], format!("crd-analyzer-{VERSION}-npm.tgz"));
        assert!(
            names.contains(&&*format!("crd-analyzer-{VERSION}-npm-darwin-arm64.tgz")),
            "{names:?}"
        );
    }
}
