//! The archive of each target: a folder with the program, licences, manual pages and completions.

use super::{
    input::{Artifact, Binary, Inputs},
    table::ArchiveKind,
    tar::tar_gz,
    tree::Tree,
    zip::zip,
};

/// The name of the file with the licences of the libraries.
pub(super) const NOTICES: &str = "THIRD-PARTY-LICENSES.txt";

pub(super) fn pack(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Artifact>> {
    inputs.binaries.iter().map(|it| archive(inputs, it)).collect()
}

fn archive(inputs: &Inputs<'_>, binary: &Binary<'_>) -> anyhow::Result<Artifact> {
    let target = binary.target;
    let folder = target.stem();
    let mut tree = Tree::default();
    tree.program(format!("{folder}/{}", target.program()), &*binary.bytes);
    tree.file(format!("{folder}/README.md"), inputs.readme.as_bytes());
    tree.file(format!("{folder}/{NOTICES}"), inputs.notices.as_bytes());
    for (name, text) in &inputs.licenses {
        tree.file(format!("{folder}/{name}"), &**text);
    }
    for (name, page) in &inputs.documents.pages {
        tree.file(format!("{folder}/man/{name}"), &**page);
    }
    for (shell, script) in &inputs.documents.completions {
        let name = match *shell {
            "zsh" => "_crd-analyzer".to_owned(),
            "powershell" => "_crd-analyzer.ps1".to_owned(),
            shell => format!("crd-analyzer.{shell}"),
        };
        tree.file(format!("{folder}/completions/{name}"), &**script);
    }
    let tree = tree.with_folders();
    Ok(Artifact {
        name: target.archive_name(),
        bytes: match target.archive {
            ArchiveKind::TarGz => tar_gz(&tree, "", inputs.date)?,
            ArchiveKind::Zip => zip(&tree, &[], inputs.date)?,
        },
    })
}
