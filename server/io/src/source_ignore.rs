//! Finds the files of a repository that Flux ignores because of `.sourceignore` (github.com/fluxcd/pkg/sourceignore), which has the syntax of
//! `.gitignore`.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use crate::{
    ignore_rules::{Rules, Spent},
    read::{self, Access, SETTINGS_BYTES},
};

/// The name of the files that contain the rules.
const NAME: &str = ".sourceignore";

/// Returns the given files without those that Flux ignores. All paths are absolute.
pub fn known_to_flux(files: impl IntoIterator<Item = (PathBuf, Access)>) -> Vec<PathBuf> {
    let mut looking = Looking {
        known: HashMap::new(),
        spent: Spent::keeping_all(),
    };
    let files = files.into_iter().filter(|it| !looking.is_left_out(&it.0, &it.1));
    files.map(|it| it.0).collect()
}

/// The cached rules of a folder.
struct Folder {
    rules: Option<Rules>,
    is_repository: bool,
}

struct Looking {
    known: HashMap<PathBuf, Folder>,
    spent: Spent,
}

impl Looking {
    /// Whether Flux ignores a file. The nearest rule inside the repository that matches the file applies. When a limit is reached, no more files are
    /// ignored.
    fn is_left_out(&mut self, file: &Path, access: &Access) -> bool {
        let Self { known, spent } = self;
        for folder in file.ancestors().skip(1) {
            if spent.is_too_much() {
                return false;
            }
            let folder = known.entry(folder.to_owned()).or_insert_with(|| Folder {
                rules: rules_of(folder, access, spent),
                is_repository: read::exists(&folder.join(".git")),
            });
            if let Some(rules) = &folder.rules {
                // The rules are also matched against each folder that contains the file.
                spent.try_all(rules.wild * file.components().count());
                if let Some(is_left_out) = rules.matched_or_folders(file) {
                    return is_left_out;
                }
            }
            if folder.is_repository {
                break;
            }
        }
        is_left_out_by_default(file)
    }
}

/// The folders and files that Flux ignores if no rule says otherwise (`ExcludeCI` and `ExcludeExtra` of github.com/fluxcd/pkg/sourceignore), as far as
/// they are manifests.
const BY_DEFAULT: [&str; 12] = [
    ".github",
    ".circleci",
    ".travis.yml",
    ".gitlab-ci.yml",
    "appveyor.yml",
    ".drone.yml",
    "cloudbuild.yaml",
    "codeship-services.yml",
    "codeship-steps.yml",
    ".goreleaser.yml",
    ".sops.yaml",
    ".flux.yaml",
];

fn is_left_out_by_default(file: &Path) -> bool {
    file.iter().any(|it| BY_DEFAULT.iter().any(|name| it == *name))
}

fn rules_of(folder: &Path, access: &Access, spent: &mut Spent) -> Option<Rules> {
    let text = read::text(&folder.join(NAME), access, SETTINGS_BYTES).ok()?;
    spent.rules(folder, &text, 0).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_of_other_tools_are_left_out() {
        for (path, expected) in [
            ("/r/.github/dependabot.yaml", true),
            ("/r/a/.sops.yaml", true),
            ("/r/a/github/b.yaml", false),
        ] {
            assert_eq!(is_left_out_by_default(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn the_nearest_rule_decides() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = fs::canonicalize(folder.path()).expect("the folder");
        for (name, text) in [
            (".git/HEAD", ""),
            (".sourceignore", "# all\n/*\n!/apps\n*.txt.yaml\n"),
            ("apps/.sourceignore", "local/\n!a.txt.yaml\n"),
            ("apps/a.yaml", ""),
        ] {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
            fs::write(path, text).expect("it can be written");
        }
        let all = [
            "apps/a.yaml",
            "apps/a.txt.yaml",
            "apps/b.txt.yaml",
            "apps/local/a.yaml",
            "docs/a.yaml",
        ];
        let known = known_to_flux(all.map(|it| (folder.join(it), Access::Named)));
        assert_eq!(known, [folder.join("apps/a.yaml"), folder.join("apps/a.txt.yaml")]);
    }
}
