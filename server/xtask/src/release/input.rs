//! The inputs of artefacts: the built binaries, licences, and documents that the program prints.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, bail};

use super::{
    date::Date,
    notices,
    table::{Table, Target},
};

/// The binary of a target.
pub(super) struct Binary<'t> {
    pub(super) target: &'t Target,
    pub(super) bytes: Vec<u8>,
}

/// All data that artefacts are made from.
pub(super) struct Inputs<'t> {
    pub(super) table: &'t Table,
    pub(super) date: Date,
    pub(super) binaries: Vec<Binary<'t>>,
    /// The project's own licences, by file name.
    pub(super) licenses: Vec<(String, Vec<u8>)>,
    /// The licences of the libraries in the binary.
    pub(super) notices: String,
    pub(super) readme: String,
    pub(super) documents: Documents,
}

/// The documents that the program prints about itself.
#[derive(Default)]
pub(super) struct Documents {
    /// The manual pages by file name: `crd-analyzer-check.1`.
    pub(super) pages: BTreeMap<String, Vec<u8>>,
    /// The completions by shell.
    pub(super) completions: BTreeMap<&'static str, Vec<u8>>,
}

/// A file of a release.
#[derive(PartialEq, Eq)]
pub(super) struct Artifact {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// The path of a target's binary, written by `build`.
pub(super) fn binary_path(out: &Path, target: &Target) -> PathBuf {
    out.join("bin").join(&target.rust).join(target.program())
}

impl<'t> Inputs<'t> {
    /// Reads the existing binaries. The binary of this machine prints the documents.
    pub(super) fn read(table: &'t Table, out: &Path, root: &Path) -> anyhow::Result<Self> {
        let mut binaries = Vec::new();
        for target in &table.targets {
            let path = binary_path(out, target);
            if path.is_file() {
                let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
                binaries.push(Binary { target, bytes });
            }
        }
        let host = binary_path(out, table.host()?);
        if !host.is_file() {
            bail!("{} is not there: run `cargo xtask release build` first", host.display());
        }
        let read = |name: &String| {
            Ok((
                name.clone(),
                std::fs::read(root.join(name)).with_context(|| name.clone())?,
            ))
        };
        Ok(Self {
            table,
            date: table.date()?,
            binaries,
            licenses: table
                .product
                .license_files
                .iter()
                .map(read)
                .collect::<anyhow::Result<_>>()?,
            notices: notices::of_libraries(root)?,
            readme: std::fs::read_to_string(root.join("README.md"))?,
            documents: Documents::ask(&host)?,
        })
    }
}

impl Documents {
    /// Runs a binary of this machine to get the documents that it prints.
    fn ask(binary: &Path) -> anyhow::Result<Self> {
        let mut documents = Self::default();
        let main = print(binary, &["man"])?;
        for line in String::from_utf8_lossy(&main).lines() {
            let name = line
                .strip_prefix(r"crd\-analyzer\-")
                .and_then(|it| it.strip_suffix("(1)"));
            if let Some(name) = name.filter(|it| *it != "help") {
                let page = print(binary, &["man", name])?;
                documents.pages.insert(format!("crd-analyzer-{name}.1"), page);
            }
        }
        if documents.pages.is_empty() {
            bail!("the manual page lists no subcommands");
        }
        documents.pages.insert("crd-analyzer.1".to_owned(), main);
        for shell in ["bash", "fish", "zsh", "powershell"] {
            documents
                .completions
                .insert(shell, print(binary, &["completions", shell])?);
        }
        Ok(documents)
    }
}

fn print(binary: &Path, args: &[&str]) -> anyhow::Result<Vec<u8>> {
    let output = Command::new(binary).args(args).output();
    let output = output.with_context(|| format!("cannot run {}", binary.display()))?;
    if !output.status.success() {
        bail!(
            "`crd-analyzer {}` fails: {}",
            args.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(output.stdout)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Inputs for all targets, with scripts as programs.
    pub(in super::super) fn inputs(table: &Table) -> Inputs<'_> {
        let binary = |target| Binary {
            target,
            bytes: b"#!/bin/sh\necho program\n".to_vec(),
        };
        let page = ("crd-analyzer.1".to_owned(), b".TH crd-analyzer 1\n".to_vec());
        Inputs {
            table,
            date: table.date().expect("a date"),
            binaries: table.targets.iter().map(binary).collect(),
            licenses: vec![("LICENSE-MIT".to_owned(), b"MIT License\n\nPermission\n".to_vec())],
            notices: "library 1.0\n".to_owned(),
            readme: "# Title\n".to_owned(),
            documents: Documents {
                pages: BTreeMap::from([page]),
                completions: ["bash", "fish", "zsh", "powershell"]
                    .map(|it| (it, b"complete\n".to_vec()))
                    .into(),
            },
        }
    }
}
