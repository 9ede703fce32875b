//! Go package patterns: `./api/...` matches every package in and below a folder, as in Go's own commands.

use std::path::{Path, PathBuf};

use crd_analyzer_io::{
    read::{self, Access},
    walk::{Hidden, Walked},
};
use crd_analyzer_workspace::sources::go_file;

use super::walk_for;
use crate::status::UsageError;

/// The folders that `...` does not match, according to `go help packages`.
const SKIPPED: [&str; 2] = ["vendor", "testdata"];

/// The folder of a package pattern.
pub(super) fn below(path: &Path) -> Option<PathBuf> {
    let written = path.to_str()?;
    let folder = written.strip_suffix("...")?;
    match folder {
        "" => Some(PathBuf::from(".")),
        "/" => Some(PathBuf::from("/")),
        _ => folder.strip_suffix('/').map(PathBuf::from),
    }
}

/// The hand-written Go files of the packages below a folder, without tests and generated files.
pub(super) fn files(folder: &Path, access: &Access, hidden: Hidden) -> anyhow::Result<Walked> {
    let is_source = |it: &Path| {
        it.file_name()
            .and_then(|it| it.to_str())
            .is_some_and(go_file::is_source)
    };
    let mut walked = walk_for(folder, access, hidden, &is_source)?;
    walked.files.retain(|it| {
        let below = it.strip_prefix(folder).unwrap_or(it);
        let folders = below.parent().into_iter().flat_map(Path::iter);
        let mut names = folders.filter_map(|it| it.to_str());
        !names.any(|it| SKIPPED.contains(&it) || it.starts_with(['_', '.']))
    });
    Ok(walked)
}

/// Returns an error if a path names Go packages or a Go file, for commands that do not read them.
pub(crate) fn not_packages(path: &Path) -> Result<(), UsageError> {
    if path.extension().is_some_and(|it| it == "go") && read::is_file(path) {
        let folder = match path.parent().map(|it| it.display().to_string()) {
            Some(folder) if !folder.is_empty() => folder,
            _ => ".".to_owned(),
        };
        return Err(UsageError(format!(
            "`{}` is a Go file, but this command reads manifests in YAML or JSON; `crd-analyzer generate crd {folder}` prints the CRDs of its package",
            path.display()
        )));
    }
    if below(path).is_none() {
        return Ok(());
    }
    let path = path.display();
    Err(UsageError(format!(
        "`{path}` names Go packages, which this command does not read; `crd-analyzer generate crd {path}` prints their CRDs"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_packages() {
        for (written, expected) in [
            ("./api/...", Some("./api")),
            ("...", Some(".")),
            ("./...", Some(".")),
            ("/...", Some("/")),
            ("api...", None),
            ("api", None),
        ] {
            assert_eq!(below(Path::new(written)), expected.map(PathBuf::from), "{written}");
        }
    }
}
