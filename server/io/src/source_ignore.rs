//! The files of a repository that Flux does not get: `.sourceignore` (github.com/fluxcd/pkg/sourceignore), whose rules are those of `.gitignore`.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use crate::read::{self, Access, SETTINGS_BYTES};

/// The name of the files with the rules.
const NAME: &str = ".sourceignore";

/// Those of these files, absolute paths, that Flux gets.
pub fn known_to_flux(files: impl IntoIterator<Item = (PathBuf, Access)>) -> Vec<PathBuf> {
    let mut known = HashMap::new();
    let files = files
        .into_iter()
        .filter(|(file, access)| !is_left_out(file, access, &mut known));
    files.map(|it| it.0).collect()
}

/// What a folder says of the files below it.
struct Folder {
    rules: Option<Gitignore>,
    is_repository: bool,
}

/// The nearest rule that says something of a file decides, as far as the repository goes.
fn is_left_out(file: &Path, access: &Access, known: &mut HashMap<PathBuf, Folder>) -> bool {
    for folder in file.ancestors().skip(1) {
        let folder = known.entry(folder.to_owned()).or_insert_with(|| Folder {
            rules: rules_of(folder, access),
            is_repository: read::exists(&folder.join(".git")),
        });
        if let Some(rules) = &folder.rules {
            match rules.matched_path_or_any_parents(file, false) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        if folder.is_repository {
            break;
        }
    }
    false
}

fn rules_of(folder: &Path, access: &Access) -> Option<Gitignore> {
    let text = read::text(&folder.join(NAME), access, SETTINGS_BYTES).ok()?;
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.lines() {
        // A rule that is not one leaves nothing out, as in git.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

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
