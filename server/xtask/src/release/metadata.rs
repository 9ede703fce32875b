//! The libraries in a binary, from cargo's metadata.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, bail};
use serde::Deserialize;

/// A library in the binary.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Library {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) license: Option<String>,
    /// The names and versions of the library's dependencies.
    pub(super) uses: Vec<(String, String)>,
    /// The folder of the library's source files.
    pub(super) folder: PathBuf,
    /// Whether the library is one of our crates, which are not in any registry.
    pub(super) is_ours: bool,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    manifest_path: PathBuf,
    source: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// `null` for a normal dependency, otherwise `build` or `dev`.
    kind: Option<String>,
}

/// The libraries of the binary for a target, or for all targets. The program itself comes first.
pub(super) fn libraries(root: &Path, target: Option<&str>) -> anyhow::Result<Vec<Library>> {
    let mut command = Command::new("cargo");
    command
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root);
    if let Some(target) = target {
        command.args(["--filter-platform", target]);
    }
    let output = command.output().context("cannot run cargo")?;
    if !output.status.success() {
        bail!("cargo metadata fails: {}", String::from_utf8_lossy(&output.stderr));
    }
    read(&output.stdout)
}

fn read(text: &[u8]) -> anyhow::Result<Vec<Library>> {
    let metadata: Metadata = serde_json::from_slice(text).context("what cargo metadata prints")?;
    let packages: BTreeMap<&str, &Package> = metadata.packages.iter().map(|it| (&*it.id, it)).collect();
    let nodes: BTreeMap<&str, &Node> = metadata.resolve.nodes.iter().map(|it| (&*it.id, it)).collect();
    let program = metadata.packages.iter().find(|it| it.name == "crd-analyzer");
    let program = &*program.context("cargo metadata does not list the program")?.id;
    let mut seen = BTreeSet::from([program]);
    let mut waiting = vec![program];
    let mut found = Vec::new();
    while let Some(id) = waiting.pop() {
        let package = packages.get(id).with_context(|| format!("no package {id}"))?;
        let node = nodes.get(id).with_context(|| format!("no node {id}"))?;
        let built_in = node
            .deps
            .iter()
            .filter(|it| it.dep_kinds.iter().any(|it| it.kind.is_none()));
        let mut uses = Vec::new();
        for dependency in built_in {
            let used = packages
                .get(&*dependency.pkg)
                .with_context(|| format!("no package {}", dependency.pkg))?;
            uses.push((used.name.clone(), used.version.clone()));
            if seen.insert(&dependency.pkg) {
                waiting.push(&dependency.pkg);
            }
        }
        uses.sort();
        found.push(Library {
            name: package.name.clone(),
            version: package.version.clone(),
            license: package.license.clone(),
            uses,
            folder: package
                .manifest_path
                .parent()
                .map(Path::to_path_buf)
                .unwrap_or_default(),
            is_ours: package.source.is_none(),
        });
    }
    found[1..].sort();
    Ok(found)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const METADATA: &str = r#"{"packages": [
        {"id": "1", "name": "crd-analyzer", "version": "0.1.0", "license": "MIT", "manifest_path": "/a/Cargo.toml", "source": null},
        {"id": "2", "name": "used", "version": "1.0.0", "license": "MIT", "manifest_path": "/u/Cargo.toml", "source": "registry"},
        {"id": "3", "name": "builder", "version": "1.0.0", "license": null, "manifest_path": "/b/Cargo.toml", "source": "registry"},
        {"id": "4", "name": "inner", "version": "2.0.0", "license": "ISC", "manifest_path": "/i/Cargo.toml", "source": "registry"}],
      "resolve": {"nodes": [
        {"id": "1", "deps": [{"pkg": "2", "dep_kinds": [{"kind": null}]}, {"pkg": "3", "dep_kinds": [{"kind": "build"}]}]},
        {"id": "2", "deps": [{"pkg": "4", "dep_kinds": [{"kind": "dev"}, {"kind": null}]}]},
        {"id": "3", "deps": []},
        {"id": "4", "deps": []}]}}"#;

    pub(in super::super) fn libraries() -> Vec<Library> {
        read(METADATA.as_bytes()).expect("metadata")
    }

    #[test]
    fn what_only_builds_or_tests_is_not_in_the_binary() {
        let names: Vec<_> = libraries().into_iter().map(|it| (it.name, it.is_ours)).collect();
        let expected = [("crd-analyzer", true), ("inner", false), ("used", false)];
        assert_eq!(names, expected.map(|(name, is_ours)| (name.to_owned(), is_ours)));
    }
}
