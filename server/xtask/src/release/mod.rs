//! Releases: builds every artefact in `packaging/release.toml`, describes it for package managers, and tests its installation. This code publishes
//! nothing.

mod archives;
mod build;
mod compare;
mod date;
mod deb;
mod hash;
mod input;
mod launcher;
mod manifests;
mod metadata;
mod notices;
mod npm;
mod oci;
mod sbom;
mod table;
mod tar;
mod test;
mod tree;
mod vsix;
mod wheel;
mod zip;

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use clap::Subcommand;

use crd_analyzer_conformance::peers;
use input::{Artifact, Inputs};
use manifests::Described;
use table::{Table, Target};

/// Build, pack and test a release. Without a subcommand: all three, for the target of this machine.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    step: Option<Step>,

    /// The output folder.
    #[arg(long, value_name = "FOLDER", default_value = "target/packaging", global = true)]
    out: PathBuf,
}

#[derive(Subcommand)]
enum Step {
    /// Build the binary of a target.
    Build {
        /// A target of packaging/release.toml; by default the one of this machine.
        #[arg(long, value_name = "TARGET")]
        target: Vec<String>,
    },
    /// Create the artefacts of all built binaries, their checksums, and the files for package managers.
    Pack {
        /// Fail if a target of packaging/release.toml is missing.
        #[arg(long)]
        complete: bool,
    },
    /// Install the artefacts of this machine on clean roots, and check a broken CRD with each.
    Test {
        /// Run only the tests with one of these words in their name.
        only: Vec<String>,
    },
    /// Print the size of this machine's binary, and its times relative to another binary.
    Compare(compare::Args),
    /// Print the targets as a matrix for GitHub Actions.
    Matrix,
}

/// Facts about the product for other documents.
pub(crate) struct Product {
    pub(crate) version: &'static str,
    pub(crate) summary: String,
    pub(crate) description: String,
    pub(crate) license: String,
    pub(crate) repository: String,
}

/// The product, from the table.
pub(crate) fn product() -> anyhow::Result<Product> {
    let table = Table::read()?;
    Ok(Product {
        version: table::VERSION,
        summary: table.product.summary,
        description: table.product.description,
        license: table.product.license,
        repository: table.links.repository,
    })
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let table = Table::read()?;
    let root = peers::root().canonicalize()?;
    let out = &root.join(&args.out);
    match &args.step {
        None => {
            build::run(&table, table.host()?, out, &root)?;
            pack(&table, out, &root, false)?;
            test::run(&table, out, &root, &[])
        }
        Some(Step::Build { target }) => {
            let named = target
                .iter()
                .map(|it| table.target(it))
                .collect::<anyhow::Result<Vec<_>>>()?;
            let targets = if named.is_empty() { vec![table.host()?] } else { named };
            for target in targets {
                build::run(&table, target, out, &root)?;
            }
            Ok(true)
        }
        Some(Step::Pack { complete }) => pack(&table, out, &root, *complete),
        Some(Step::Test { only }) => test::run(&table, out, &root, only),
        Some(Step::Compare(args)) => compare::run(args, &input::binary_path(out, table.host()?)),
        Some(Step::Matrix) => {
            let rows = table
                .targets
                .iter()
                .map(|it| serde_json::json!({ "target": it.rust, "runner": it.runner, "program": it.program() }));
            println!("{}", serde_json::json!({ "include": rows.collect::<Vec<_>>() }));
            Ok(true)
        }
    }
}

/// The folder of the artefacts.
fn release_folder(out: &Path) -> PathBuf {
    out.join("release")
}

/// All artefacts. The same inputs give the same bytes.
fn artifacts(inputs: &Inputs<'_>, root: &Path) -> anyhow::Result<Vec<Artifact>> {
    let archives = archives::pack(inputs)?;
    let launcher = launcher::pack(inputs.table, &archives.iter().collect::<Vec<_>>(), root)?;
    let parts = [
        archives,
        deb::pack(inputs)?,
        wheel::pack(inputs)?,
        npm::pack(inputs)?,
        oci::pack(inputs)?,
        launcher,
    ];
    Ok(parts.into_iter().flatten().collect())
}

/// The checksum file, in the format of `sha256sum`.
fn sums(artifacts: &[Artifact]) -> Artifact {
    let mut names: Vec<_> = artifacts
        .iter()
        .map(|it| (&*it.name, hash::sha256(&it.bytes)))
        .collect();
    names.sort_unstable();
    let text = names.iter().fold(String::new(), |mut text, (name, sum)| {
        let _ = writeln!(text, "{sum}  {name}");
        text
    });
    Artifact {
        name: "SHA256SUMS".to_owned(),
        bytes: text.into_bytes(),
    }
}

fn pack(table: &Table, out: &Path, root: &Path, complete: bool) -> anyhow::Result<bool> {
    let inputs = Inputs::read(table, out, root)?;
    let is_built = |target: &Target| inputs.binaries.iter().any(|it| it.target.rust == target.rust);
    let missing: Vec<&str> = table
        .targets
        .iter()
        .filter(|it| !is_built(it))
        .map(|it| &*it.rust)
        .collect();
    if !missing.is_empty() {
        println!("not built: {}", missing.join(", "));
        if complete {
            bail!("a release has all targets of packaging/release.toml");
        }
    }
    let folder = release_folder(out);
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    std::fs::create_dir_all(&folder)?;
    let mut all = artifacts(&inputs, root)?;
    let built: Vec<&Target> = inputs.binaries.iter().map(|it| it.target).collect();
    all.extend(sbom::pack(table, &built, root)?);
    all.extend(vsix::pack(&inputs, out)?);
    for described in manifests::describe(table, &all.iter().collect::<Vec<_>>(), root)? {
        match described {
            Described::Whole(name, text) => {
                let path = folder.join("manifests").join(name);
                std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
                std::fs::write(path, text)?;
            }
            Described::Lacks(name, target) => println!("not written: {}, which needs {target}", name.display()),
        }
    }
    all.push(sums(&all));
    for artifact in &all {
        std::fs::write(folder.join(&artifact.name), &artifact.bytes).with_context(|| artifact.name.clone())?;
        println!("{:>10}  {}", artifact.bytes.len(), artifact.name);
    }
    println!("{} files in {}", all.len(), folder.display());
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_input_gives_the_same_bytes() {
        let table = Table::read().expect("the table");
        let pack = || artifacts(&input::tests::inputs(&table), &peers::root()).expect("artefacts");
        let (one, other) = (pack(), pack());
        assert!(one.len() >= 24, "{}", one.len());
        for (one, other) in one.iter().zip(&other) {
            assert!(one == other, "{}", one.name);
        }
        let listed = String::from_utf8(sums(&one).bytes).expect("UTF-8");
        assert_eq!(listed.lines().count(), one.len());
    }

    /// Checks other files that contain the version, a URL or a target.
    #[test]
    fn integrations_and_documents_agree_with_the_table() {
        let table = Table::read().expect("the table");
        let read = |path: &str| {
            let read = std::fs::read_to_string(peers::root().join(path));
            read.unwrap_or_else(|error| panic!("{path}: {error}"))
        };
        let has = |path: &str, part: &str| assert!(read(path).contains(part), "{path} lacks {part}");
        let version = table::VERSION;
        let module = &table.names.go_module;
        for path in [
            "integrations/github-action/action.yml",
            "integrations/gitlab/crd-analyzer.yml",
        ] {
            has(path, &format!("default: \"{version}\""));
        }
        let image = format!("{}:{version}", table.names.image);
        has("integrations/tekton/crd-analyzer.yaml", &image);
        has("pyproject.toml", &format!("\nversion = \"{version}\"\n"));
        has("pyproject.toml", &format!("\"crd-analyzer=={version}\""));
        has(
            "integrations/makefile/crd-analyzer.mk",
            &format!("CRD_ANALYZER_VERSION ?= v{version}\n"),
        );
        has(
            "integrations/makefile/crd-analyzer.mk",
            &format!("go install {module}@"),
        );
        let downloads = table.downloads().replace(version, "$version");
        has("integrations/github-action/install.sh", &downloads);
        has("docs/install.md", &image);
        has("docs/install.md", &format!("{module}@v{version}"));
        for target in &table.targets {
            has(
                "integrations/github-action/install.sh",
                &format!(" target={} ;;", target.rust),
            );
            has("docs/install.md", &format!("| `{}` |", target.archive_name()));
            has("docs/install.md", &format!("crd-analyzer_{version}_amd64.deb"));
        }
    }
}
