//! VS Code extensions: one extension per target with the program, and one without the program, which runs the program from the `PATH`.
//!
//! `editors/vscode/package.sh` builds the extension without the program. The others contain the same files, plus the program, and the target in the
//! manifest.

use std::{path::Path, process::Command};

use anyhow::{Context as _, bail};

use super::{
    input::{Artifact, Inputs},
    table::VERSION,
    tree::Tree,
    zip::zip,
};

/// The extension that `package.sh` builds, in the output folder.
pub(super) const BASE: &str = "extension.vsix";

/// The manifest in the archive.
const MANIFEST: &str = "extension.vsixmanifest";

/// The extensions, if the one without the program was built.
pub(super) fn pack(inputs: &Inputs<'_>, out: &Path) -> anyhow::Result<Vec<Artifact>> {
    let base = out.join(BASE);
    if !base.is_file() {
        println!(
            "no extensions: run `editors/vscode/package.sh {}` first",
            base.display()
        );
        return Ok(Vec::new());
    }
    let files = read(&base)?;
    let mut all = vec![extension(inputs, &files, None)?];
    for binary in &inputs.binaries {
        for target in &binary.target.vscode {
            let program = (&**target, binary.target.program(), &*binary.bytes);
            all.push(extension(inputs, &files, Some(program))?);
        }
    }
    Ok(all)
}

/// The files of a zip archive. Uses `unzip`.
fn read(archive: &Path) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let folder = tempfile::tempdir()?;
    let status = Command::new("unzip")
        .arg("-q")
        .arg(archive)
        .arg("-d")
        .arg(folder.path())
        .status();
    if !status.context("cannot run unzip")?.success() {
        bail!("{} cannot be unpacked", archive.display());
    }
    let (mut found, mut folders) = (Vec::new(), vec![folder.path().to_path_buf()]);
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder.path())?.to_string_lossy().replace('\\', "/");
                found.push((name, std::fs::read(&path)?));
            }
        }
    }
    Ok(found)
}

fn extension(
    inputs: &Inputs<'_>,
    files: &[(String, Vec<u8>)],
    program: Option<(&str, &str, &[u8])>,
) -> anyhow::Result<Artifact> {
    let mut tree = Tree::default();
    for (name, bytes) in files {
        match program {
            Some((target, ..)) if name == MANIFEST => tree.file(name, with_target(bytes, target)?),
            _ => tree.file(name, &**bytes),
        }
    }
    let mut suffix = String::new();
    if let Some((target, name, bytes)) = program {
        tree.program(format!("extension/server/{name}"), bytes);
        // The archive lists a content type for each file name extension.
        let types = files.iter().find(|it| it.0 == "[Content_Types].xml");
        let types = String::from_utf8(types.context("the archive has no [Content_Types].xml")?.1.clone())?;
        if name.contains(".exe") && !types.contains("\".exe\"") {
            let exe = "<Default Extension=\".exe\" ContentType=\"application/octet-stream\"/></Types>";
            tree.file("[Content_Types].xml", types.replace("</Types>", exe));
        }
        suffix = format!("-{target}");
    }
    Ok(Artifact {
        name: format!("crd-analyzer-{VERSION}{suffix}.vsix"),
        bytes: zip(&tree, &[MANIFEST, "[Content_Types].xml"], inputs.date)?,
    })
}

/// The manifest of the extension for a target.
fn with_target(manifest: &[u8], target: &str) -> anyhow::Result<String> {
    let manifest = std::str::from_utf8(manifest)?;
    let identity = "<Identity ";
    if manifest.matches(identity).count() != 1 || manifest.contains("TargetPlatform") {
        bail!("{MANIFEST} does not name the extension once, without a target");
    }
    Ok(manifest.replace(identity, &format!("{identity}TargetPlatform=\"{target}\" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::{input::tests::inputs, table::Table};

    #[test]
    fn a_target_is_named_in_the_manifest() {
        let manifest =
            b"<PackageManifest><Metadata><Identity Language=\"en-US\" Id=\"a\"/></Metadata></PackageManifest>";
        let named = with_target(manifest, "linux-x64").expect("a manifest");
        assert!(
            named.contains("<Identity TargetPlatform=\"linux-x64\" Language="),
            "{named}"
        );
        assert!(with_target(named.as_bytes(), "linux-x64").is_err());
        let table = Table::read().expect("the table");
        let files = [
            (MANIFEST.to_owned(), manifest.to_vec()),
            ("[Content_Types].xml".to_owned(), b"<Types></Types>".to_vec()),
        ];
        let program = ("win32-x64", "crd-analyzer.exe", &b"MZ"[..]);
        let made = extension(&inputs(&table), &files, Some(program)).expect("an extension");
        assert_eq!(made.name, format!("crd-analyzer-{VERSION}-win32-x64.vsix"));
        assert!(made.bytes.starts_with(b"PK"));
    }
}
