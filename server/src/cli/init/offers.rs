//! Offers files that check a folder automatically, such as a configuration and a CI workflow.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crd_analyzer_io::read::{self, SETTINGS_BYTES, Unread};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::config::FILE_NAMES;

use super::{go, pre_commit};
use crate::{input, output::missing_packages::FETCH};

/// The git tag of this version's release.
const RELEASE: &str = concat!("v", env!("CARGO_PKG_VERSION"));

/// Whether this version is released. CI jobs and hooks fetch the release, so they fail before.
const IS_RELEASED: bool = false;

/// What users need to know before they write files that fetch the release. `None` if there is none of these files, or if the release exists.
pub(super) fn caution(offers: &[Offer]) -> Option<String> {
    let fetches = |it: &Offer| it.change.as_ref().is_some_and(|it| it.after.contains(RELEASE));
    let all: Vec<String> = offers
        .iter()
        .filter(|it| fetches(it))
        .map(|it| it.path.display().to_string())
        .collect();
    (!IS_RELEASED && !all.is_empty()).then(|| {
        format!(
            "crd-analyzer {RELEASE} is not released yet: until then, {} cannot fetch it, and will fail",
            all.join(" and ")
        )
    })
}

/// The number of Kubernetes minor versions that get patch releases.
const MAINTAINED: u8 = 3;

/// An offer to add or change a file.
pub(super) struct Offer {
    /// The path of the file, relative to the folder.
    pub(super) path: PathBuf,
    /// The purpose of the file, or the reason why it is not changed.
    pub(super) why: String,
    /// The change to write, if any.
    pub(super) change: Option<Change>,
}

/// The old and the new content of a file.
pub(super) struct Change {
    /// The current content. `None` if the file is new.
    pub(super) before: Option<String>,
    /// The complete new content.
    pub(super) after: String,
}

impl Offer {
    fn new(path: impl Into<PathBuf>, why: &str, after: String) -> Self {
        Self {
            path: path.into(),
            why: why.to_owned(),
            change: Some(Change { before: None, after }),
        }
    }

    fn stays(path: impl Into<PathBuf>, why: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            why: why.into(),
            change: None,
        }
    }
}

/// All offers for a folder, given by its absolute path.
pub(super) fn of(folder: &Path) -> anyhow::Result<Vec<Offer>> {
    let mut offers = vec![configuration(folder)];
    let go = go::packages(folder);
    offers.extend(hook(folder, &go)?);
    offers.extend(workflow(folder, &go));
    offers.extend(pipeline(folder)?);
    if offers.len() == 1 {
        let why = "no GitHub workflow, GitLab pipeline or pre-commit configuration here; other CI systems run \
                   `crd-analyzer check .`, and docs/ci.md of crd-analyzer has an example for each";
        offers.push(Offer::stays("CI", why));
    }
    Ok(offers)
}

fn configuration(folder: &Path) -> Offer {
    if let Some(name) = FILE_NAMES.iter().find(|it| read::exists(&folder.join(it))) {
        return Offer::stays(*name, "exists, and is not changed");
    }
    let newest = KubernetesVersion::NEWEST;
    let oldest = KubernetesVersion::minor(newest.number() + 1 - MAINTAINED);
    let text = format!(
        "# The Kubernetes versions that your users run. Without this line, only the newest one is checked.\n\
         kubernetesVersion: {oldest}..{newest}\n"
    );
    Offer::new(FILE_NAMES[0], "the settings of this repository", text)
}

/// Offers a pre-commit hook.
fn hook(folder: &Path, go: &[String]) -> anyhow::Result<Option<Offer>> {
    let path = PathBuf::from(".pre-commit-config.yaml");
    let Some(text) = text(folder, &path)? else {
        return Ok(None);
    };
    if text.contains("crd-analyzer") {
        return Ok(Some(Offer::stays(path, "already has a hook of crd-analyzer")));
    }
    Ok(Some(match pre_commit::with_hook(&text, RELEASE, go) {
        Some(after) => Offer {
            path,
            why: "checks the repository before each commit that changes a manifest".to_owned(),
            change: Some(Change {
                before: Some(text),
                after,
            }),
        },
        None => Offer::stays(
            path,
            format!(
                "add this to `repos` yourself: {{repo: {}, rev: {RELEASE}, hooks: [{{id: crd-analyzer}}]}}",
                pre_commit::REPOSITORY
            ),
        ),
    }))
}

/// Offers a GitHub workflow.
fn workflow(folder: &Path, go: &[String]) -> Option<Offer> {
    let workflows = Path::new(".github/workflows");
    let there = folder.join(workflows);
    if !read::is_folder(&there) {
        return None;
    }
    let access = input::found_in(folder);
    for file in read::files_in(&there, &input::roots(&access)) {
        if read::text(&file, &access, SETTINGS_BYTES).is_ok_and(|it| it.contains("crd-analyzer")) {
            let name = file.file_name().unwrap_or_default();
            return Some(Offer::stays(workflows.join(name), "runs crd-analyzer"));
        }
    }
    let mut text = "name: crd-analyzer\n\
         on: [pull_request]\n\
         permissions: {contents: read}\n\
         jobs:\n  \
           check:\n    \
             runs-on: ubuntu-latest\n    \
             steps:\n      \
               - uses: actions/checkout@v4\n"
        .to_owned();
    text += &fetch(&go::modules(folder, go));
    text += "      - uses: crd-analyzer/crd-analyzer/integrations/github-action@";
    text += RELEASE;
    text.push('\n');
    if !go.is_empty() {
        text += "        with:\n          paths: |\n            .\n";
        text.extend(go.iter().map(|it| format!("            {it}\n")));
    }
    let why = "checks each pull request, and shows errors at their lines";
    Some(Offer::new(workflows.join("crd-analyzer.yaml"), why, text))
}

/// The steps of a GitHub workflow that fetch the packages of Go modules.
fn fetch(modules: &BTreeSet<PathBuf>) -> String {
    let Some(first) = modules.first() else {
        return String::new();
    };
    let go_mod = first.join("go.mod");
    let setup = format!(
        "      - uses: actions/setup-go@v5\n        with: {{go-version-file: {}}}\n",
        go_mod.display()
    );
    let step = |module: &PathBuf| {
        let folder = module.display().to_string();
        if folder.is_empty() {
            format!("      - run: {FETCH}\n")
        } else {
            format!("      - run: {FETCH}\n        working-directory: {folder}\n")
        }
    };
    setup + &modules.iter().map(step).collect::<String>()
}

/// Offers a job for the GitLab pipeline.
fn pipeline(folder: &Path) -> anyhow::Result<Option<Offer>> {
    let path = PathBuf::from(".gitlab-ci.yml");
    let Some(text) = text(folder, &path)? else {
        return Ok(None);
    };
    if text.contains("crd-analyzer") {
        return Ok(Some(Offer::stays(path, "runs crd-analyzer")));
    }
    Ok(Some(Offer::stays(
        path,
        format!(
            "add this to `include` yourself: {{remote: {}/raw/{RELEASE}/integrations/gitlab/crd-analyzer.yml}}",
            pre_commit::REPOSITORY
        ),
    )))
}

/// The content of a file in the folder. `None` if the file does not exist.
fn text(folder: &Path, path: &Path) -> anyhow::Result<Option<String>> {
    match read::text(&folder.join(path), &input::found_in(folder), SETTINGS_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(why) if Unread::is_missing(&why) => Ok(None),
        Err(why) => Err(anyhow::anyhow!("cannot read {}: {why}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_say_whether_this_version_is_released() {
        let said = format!("Version {} is not released yet", env!("CARGO_PKG_VERSION"));
        for page in [
            include_str!("../../../../README.md"),
            include_str!("../../../../docs/install.md"),
            include_str!("../../../../docs/ci.md"),
        ] {
            assert_eq!(page.contains(&said), !IS_RELEASED);
        }
    }
}
