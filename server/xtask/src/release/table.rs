//! `packaging/release.toml`: the targets to build, and their names in each registry.

use anyhow::{Context as _, bail};
use serde::Deserialize;

use super::date::Date;

/// The version of the release, which is also the version of the workspace.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    release: Release,
    pub(super) product: Product,
    pub(super) links: Links,
    pub(super) names: Names,
    pub(super) targets: Vec<Target>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    date: String,
    largest_binary: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Product {
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) description: String,
    pub(super) license: String,
    pub(super) license_files: Vec<String>,
    pub(super) maintainer: String,
    pub(super) keywords: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Links {
    pub(super) repository: String,
    pub(super) documentation: String,
    pub(super) issues: String,
    /// The URL of the folder with a release's files; contains `{version}`.
    downloads: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Names {
    pub(super) npm_scope: String,
    pub(super) python: String,
    pub(super) image: String,
    pub(super) go_module: String,
}

/// A platform: its target, and its name in each registry. A registry without a name for the platform gets no artefact for it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Target {
    /// The Rust target triple.
    pub(super) rust: String,
    /// Features of the processor or the platform for `-C target-feature`.
    pub(super) features: Option<String>,
    /// Arguments for the linker, for targets that are linked with Rust's own linker.
    #[serde(default)]
    pub(super) link_arguments: Vec<String>,
    /// The GitHub Actions runner that builds the target.
    pub(super) runner: String,
    pub(super) archive: ArchiveKind,
    pub(super) npm: Npm,
    /// Platform tags of wheels.
    pub(super) python: Vec<String>,
    /// The architecture of a Debian package.
    pub(super) debian: Option<String>,
    /// Targets of VS Code extensions.
    pub(super) vscode: Vec<String>,
    pub(super) oci: Option<Oci>,
    pub(super) go: Go,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum ArchiveKind {
    #[serde(rename = "tar.gz")]
    TarGz,
    #[serde(rename = "zip")]
    Zip,
}

impl ArchiveKind {
    const fn extension(self) -> &'static str {
        match self {
            Self::TarGz => "tar.gz",
            Self::Zip => "zip",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Npm {
    pub(super) os: String,
    pub(super) cpu: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Oci {
    pub(super) os: String,
    pub(super) architecture: String,
    pub(super) variant: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Go {
    pub(super) os: String,
    pub(super) arch: String,
}

impl Table {
    /// The table of this repository.
    pub(super) fn read() -> anyhow::Result<Self> {
        Self::parse(include_str!("../../../../packaging/release.toml")).context("packaging/release.toml")
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let table: Self = toml::from_str(text)?;
        Date::parse(&table.release.date)?;
        if !table.links.downloads.contains("{version}") {
            bail!("`links.downloads` does not contain {{version}}");
        }
        Ok(table)
    }

    /// The date of all files in a release.
    pub(super) fn date(&self) -> anyhow::Result<Date> {
        Date::parse(&self.release.date)
    }

    pub(super) const fn largest_binary(&self) -> u64 {
        self.release.largest_binary
    }

    /// The URL of a file of this release.
    pub(super) fn download(&self, file: &str) -> String {
        format!("{}/{file}", self.downloads())
    }

    /// The URL of the folder with this release's files.
    pub(super) fn downloads(&self) -> String {
        self.links.downloads.replace("{version}", VERSION)
    }

    /// The target with this triple.
    pub(super) fn target(&self, rust: &str) -> anyhow::Result<&Target> {
        let known = || self.targets.iter().map(|it| &*it.rust).collect::<Vec<_>>().join(", ");
        let found = self.targets.iter().find(|it| it.rust == rust);
        found.with_context(|| format!("packaging/release.toml has no target {rust}; it has {}", known()))
    }

    /// The target whose binary runs on this machine.
    pub(super) fn host(&self) -> anyhow::Result<&Target> {
        let of_npm = |os: &str| match os {
            "macos" => "darwin",
            "windows" => "win32",
            _ => "linux",
        };
        let cpu = match std::env::consts::ARCH {
            "aarch64" => "arm64",
            _ => "x64",
        };
        let os = of_npm(std::env::consts::OS);
        let found = self.targets.iter().find(|it| it.npm.os == os && it.npm.cpu == cpu);
        found.with_context(|| format!("packaging/release.toml has no target for {os} on {cpu}"))
    }
}

impl Target {
    pub(super) fn is_windows(&self) -> bool {
        self.npm.os == "win32"
    }

    /// The file name of the binary.
    pub(super) fn program(&self) -> &'static str {
        if self.is_windows() {
            "crd-analyzer.exe"
        } else {
            "crd-analyzer"
        }
    }

    /// The name of the archive without its extension, which is also the name of the folder in it.
    pub(super) fn stem(&self) -> String {
        format!("crd-analyzer-{VERSION}-{}", self.rust)
    }

    /// The file name of the archive.
    pub(super) fn archive_name(&self) -> String {
        format!("{}.{}", self.stem(), self.archive.extension())
    }

    /// The name of the npm package without its scope.
    pub(super) fn npm_name(&self) -> String {
        format!("{}-{}", self.npm.os, self.npm.cpu)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_registry_has_one_word_for_a_target() {
        let table = Table::read().expect("the table");
        assert_eq!(table.targets.len(), 6);
        let words = |of: &dyn Fn(&Target) -> Vec<String>| {
            let all: Vec<String> = table.targets.iter().flat_map(of).collect();
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
        };
        words(&|it| vec![it.rust.clone()]);
        words(&|it| vec![it.npm_name()]);
        words(&|it| it.python.clone());
        words(&|it| it.debian.iter().cloned().collect());
        words(&|it| it.vscode.clone());
        words(&|it| vec![format!("{}-{}", it.go.os, it.go.arch)]);
        assert!(
            table
                .targets
                .iter()
                .all(|it| it.is_windows() == (it.archive == ArchiveKind::Zip))
        );
        assert!(table.host().is_ok());
        assert!(table.target("mips").is_err());
    }

    #[test]
    fn the_table_is_read_strictly() {
        let text = include_str!("../../../../packaging/release.toml");
        assert!(Table::parse(&text.replace("runner =", "runer =")).is_err());
        assert!(Table::parse(&text.replace("2026-11-25", "2026-13-25")).is_err());
        assert!(Table::parse(&text.replace("v{version}", "v1")).is_err());
    }

    #[test]
    fn the_extension_and_the_table_agree() {
        let package: serde_json::Value =
            serde_json::from_str(include_str!("../../../../editors/vscode/package.json")).expect("JSON");
        let table = Table::read().expect("the table");
        assert_eq!(package["version"], VERSION);
        assert_eq!(package["license"], format!("({})", table.product.license));
        assert_eq!(package["repository"]["url"], table.links.repository);
        assert_eq!(package["bugs"]["url"], table.links.issues);
    }
}
