//! Finds facts about the folders of a repository in its files: where generators write CRDs (Makefiles, scripts), and which files come from other
//! projects (`.gitattributes`).

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_workspace::roles::{GeneratedInto, Repository, Vendored, generated_into};

use crate::{
    read::{self, Access, SETTINGS_BYTES},
    roots::{Roots, cleaned},
};

/// The names of files in a folder that contain the commands for generators.
const MAKEFILES: [&str; 3] = ["Makefile", "makefile", "GNUmakefile"];

/// The folder with scripts that are run in its parent folder.
const SCRIPTS: &str = "hack";

/// The file that marks files from other projects.
const ATTRIBUTES: &str = ".gitattributes";

/// The maximum number of folders to read in a repository, of files to read in a folder, and of folders to which generators write.
const MOST: usize = 200;

/// The maximum total size of the files to read in one repository for this purpose, in bytes.
const MOST_BYTES: u64 = 4 << 20;

/// The file in which kubebuilder describes a project.
const PROJECT: &str = "PROJECT";

/// Whether a folder is a kubebuilder project, or its Makefile runs controller-gen. If so, it has Go types with markers.
pub fn has_api_types(folder: &Path) -> bool {
    read::is_file(&folder.join(PROJECT)) || !describe(folder).generated.is_empty()
}

/// Describes a repository on disk. Makefiles in its root and the root's subfolders, and scripts in `hack`, name the folders to which its generators
/// write.
pub fn describe(root: &Path) -> Repository {
    let roots = Arc::new(Roots::new([root]));
    let access = Access::Within(roots.clone());
    let (mut generated, mut left) = (Vec::new(), MOST_BYTES);
    let mut add = |file: &Path, folder: &Path| {
        if generated.len() >= MOST {
            return;
        }
        let Ok(text) = read::text(file, &access, left.min(SETTINGS_BYTES)) else {
            return;
        };
        left -= text.len() as u64;
        let by = file.strip_prefix(root).unwrap_or(file).display().to_string();
        for below in generated_into(&text) {
            let folder = cleaned(&folder.join(below));
            if folder.starts_with(root) {
                let by = by.clone();
                generated.push(GeneratedInto { folder, by });
            }
        }
    };
    for name in MAKEFILES {
        add(&root.join(name), root);
    }
    let (folders, files) = listed(root, &roots);
    let is_of_make = |it: &&PathBuf| it.extension().is_some_and(|it| it == "mk");
    for file in files.iter().filter(is_of_make) {
        add(file, root);
    }
    for folder in &folders {
        let is_of_scripts = folder.ends_with(SCRIPTS);
        for file in if is_of_scripts {
            listed(folder, &roots).1
        } else {
            Vec::new()
        } {
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

/// The subfolders and files of a folder, without links.
fn listed(folder: &Path, roots: &Roots) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for (path, of) in read::entries_in(folder, roots) {
        match of {
            Some(of) if of.is_dir() && folders.len() < MOST => folders.push(path),
            Some(of) if of.is_file() && files.len() < MOST => files.push(path),
            _ => {}
        }
    }
    (folders, files)
}

#[cfg(test)]
mod tests {
    use std::fs;

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
    #[test]
    fn a_repository_names_a_bounded_number_of_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("hack")).expect("a folder");
        for file in 0..10 {
            let text: Vec<String> = (0..1_000).map(|n| format!("gen output:crd:dir={file}/{n}\n")).collect();
            fs::write(folder.path().join(format!("hack/{file}.sh")), text.concat()).expect("a file");
        }
        let generated = describe(folder.path()).generated.len();
        assert!((MOST..2 * MOST).contains(&generated), "{generated}");
    }
}
