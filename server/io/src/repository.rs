//! What a repository says of its folders: where its generators write CRDs (Makefiles, scripts), and what comes from others (`.gitattributes`).

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_workspace::roles::{GeneratedInto, Repository, Vendored, generated_into};

use crate::{
    dotgit,
    read::{self, Access, SETTINGS_BYTES},
    roots::{Roots, cleaned},
};

/// Names of files that say how to generate, in a folder of a repository.
const MAKEFILES: [&str; 3] = ["Makefile", "makefile", "GNUmakefile"];

/// The folder of scripts that run in the folder around it.
const SCRIPTS: &str = "hack";

/// The file that says which files come from others.
const ATTRIBUTES: &str = ".gitattributes";

/// Folders of a repository, and files of one folder, that are looked at.
const MOST: usize = 200;

/// A repository on disk. Its generators write to the folders that the Makefiles of its folder and of the folders in it name, and the scripts of
/// `hack`.
pub fn describe(root: &Path) -> Repository {
    let access = Access::Within(Arc::new(Roots::new([root])));
    let mut generated = Vec::new();
    let mut add = |file: &Path, folder: &Path| {
        let Ok(text) = read::text(file, &access, SETTINGS_BYTES) else {
            return;
        };
        let by = file.strip_prefix(root).unwrap_or(file).display().to_string();
        for below in generated_into(&text) {
            let folder = cleaned(&folder.join(below));
            if folder.starts_with(root) {
                let by = by.clone();
                generated.push(GeneratedInto { folder, by });
            }
        }
    };
    let (folders, files) = listed(root);
    let is_of_make = |it: &PathBuf| it.extension().is_some_and(|it| it == "mk");
    for name in MAKEFILES {
        add(&root.join(name), root);
    }
    for file in files.iter().filter(|it| is_of_make(it)) {
        add(file, root);
    }
    for folder in &folders {
        let is_of_scripts = folder.ends_with(SCRIPTS);
        for file in if is_of_scripts { listed(folder).1 } else { Vec::new() } {
            add(&file, root);
        }
        for name in MAKEFILES {
            add(&folder.join(name), folder);
        }
    }
    let attributes = read::text(&root.join(ATTRIBUTES), &access, SETTINGS_BYTES);
    Repository {
        root: root.to_owned(),
        generated,
        vendored: Vendored::of(&attributes.unwrap_or_default(), root),
    }
}

/// The folders and the files in a folder, neither links nor git's own.
fn listed(folder: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|it| !dotgit::is_git_name(&it.file_name())) {
        let Ok(of) = entry.file_type() else { continue };
        if of.is_dir() {
            folders.push(entry.path());
        } else if of.is_file() {
            files.push(entry.path());
        }
    }
    for found in [&mut folders, &mut files] {
        found.sort();
        found.truncate(MOST);
    }
    (folders, files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makefiles_and_scripts_name_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        for below in ["hack", "api"] {
            fs::create_dir(root.join(below)).expect("a folder");
        }
        for (file, text) in [
            ("Makefile", "gen output:crd:dir=config/crds\n"),
            ("hack/generate.sh", "gen output:crd:dir=deploy\n"),
            (
                "api/Makefile",
                "gen output:crd:dir=../config/api output:crd:dir=../../other\n",
            ),
        ] {
            fs::write(root.join(file), text).expect("a file");
        }
        let found = describe(root).generated;
        let found: Vec<_> = found.iter().map(|it| (it.folder.clone(), it.by.as_str())).collect();
        let expected = [
            (root.join("config/crds"), "Makefile"),
            (root.join("config/api"), "api/Makefile"),
            (root.join("deploy"), "hack/generate.sh"),
        ];
        assert_eq!(found, expected);
    }
}
