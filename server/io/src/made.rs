//! Decides whether a program may create a missing file, such as a patch that a Makefile writes, or a secret that git ignores.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use crate::{
    ignore_rules::{Rules, Spent},
    read::{self, Access, SETTINGS_BYTES},
};

/// The names of files that contain commands.
const COMMANDS: [&str; 9] = [
    "Makefile",
    "makefile",
    "GNUmakefile",
    "Taskfile.yaml",
    "Taskfile.yml",
    "Tiltfile",
    "justfile",
    "Justfile",
    "Jenkinsfile",
];

/// The extensions of files that contain commands or programs.
const PROGRAMS: [&str; 6] = ["mk", "sh", "bash", "py", "go", "just"];

/// The folders at the root of a repository that contain scripts.
const SCRIPTS: [&str; 8] = [
    "hack",
    "script",
    "scripts",
    "ci",
    "build",
    "tools",
    ".github/workflows",
    ".github/scripts",
];

/// The operator-sdk command that creates the base of a bundle's ClusterServiceVersion, and the ending of that file. The command does not name it.
const OF_BUNDLE: (&str, &str) = ("generate kustomize manifests", ".clusterserviceversion.yaml");

/// The maximum number of files to read in each folder.
const MOST_FILES: usize = 200;

/// The maximum total size of the files to read, in bytes.
const MOST_BYTES: u64 = 8 << 20;

/// The maximum length of a file name that is kept, in bytes.
const LONGEST: usize = 100;

/// A cache of what the folders above missing files tell about them: ignore rules, and names in scripts.
#[derive(Default, Debug)]
pub(crate) struct MadeFiles(Mutex<Known>);

#[derive(Debug)]
struct Known {
    folders: HashMap<PathBuf, Folder>,
    spent: Spent,
    /// How many more bytes of files with commands may be read.
    left: u64,
}

impl Default for Known {
    fn default() -> Self {
        Self {
            folders: HashMap::new(),
            spent: Spent::keeping_all(),
            left: MOST_BYTES,
        }
    }
}

#[derive(Debug)]
struct Folder {
    ignored: Option<Rules>,
    /// The file names that scripts and programs in this folder mention.
    words: HashSet<Box<str>>,
    is_repository: bool,
}

impl MadeFiles {
    /// Whether a program may create a missing file. That is the case if git ignores the file, so that it is never committed, or if a Makefile, a
    /// script or a program in one of the folders above mentions its name. `path` is absolute.
    pub(crate) fn holds(&self, path: &Path, access: &Access) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        let mut is_ignored = None;
        for folder in path.ancestors().skip(1) {
            let folder = known.folder(folder, access);
            if is_ignored.is_none() {
                is_ignored = folder.ignored.as_ref().and_then(|it| it.matched_or_folders(path));
            }
            let is_of_bundle = || name.ends_with(OF_BUNDLE.1) && folder.words.contains(OF_BUNDLE.1);
            if is_ignored == Some(true) || folder.words.contains(name) || is_of_bundle() {
                return true;
            }
            if folder.is_repository {
                break;
            }
        }
        false
    }
}

impl Known {
    fn folder(&mut self, folder: &Path, access: &Access) -> &Folder {
        if !self.folders.contains_key(folder) {
            let read = self.read(folder, access);
            self.folders.insert(folder.to_owned(), read);
        }
        &self.folders[folder]
    }

    fn read(&mut self, folder: &Path, access: &Access) -> Folder {
        let rules = read::text(&folder.join(".gitignore"), access, SETTINGS_BYTES);
        let ignored = rules.ok().and_then(|it| self.spent.rules(folder, &it, 0).ok());
        let mut words = HashSet::new();
        self.add_words(folder, (access, &has_commands), &mut words);
        let is_repository = read::exists(&folder.join(".git"));
        if is_repository {
            for scripts in SCRIPTS {
                let is_wanted = |it: &Path| has_commands(it) || scripts.starts_with(".github");
                self.add_words(&folder.join(scripts), (access, &is_wanted), &mut words);
            }
        }
        Folder {
            ignored,
            words,
            is_repository,
        }
    }

    /// Adds the file names that the wanted files of a folder mention.
    fn add_words(
        &mut self,
        folder: &Path,
        (access, is_wanted): (&Access, &dyn Fn(&Path) -> bool),
        words: &mut HashSet<Box<str>>,
    ) {
        let files = read::files_of(folder, access, is_wanted);
        for file in files.iter().filter(|it| is_wanted(it)).take(MOST_FILES) {
            let Ok(text) = read::text(file, access, self.left.min(SETTINGS_BYTES)) else {
                continue;
            };
            self.left -= (text.len() as u64).min(self.left);
            let found = text.split(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c)));
            let is_name = |it: &&str| it.len() <= LONGEST && it.trim_matches('.').contains('.');
            words.extend(found.filter(is_name).map(Box::from));
            if text.contains(OF_BUNDLE.0) {
                words.insert(OF_BUNDLE.1.into());
            }
        }
    }
}

/// Whether the name of a file shows that it contains commands or a program.
fn has_commands(file: &Path) -> bool {
    let ending = file.extension().and_then(|it| it.to_str());
    ending.is_some_and(|it| PROGRAMS.contains(&it))
        || file
            .file_name()
            .is_some_and(|it| COMMANDS.iter().any(|name| it == *name))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_programs_make() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("the folder");
        for (name, text) in [
            ("Makefile", "outside.yaml:\n"),
            ("r/.git/HEAD", ""),
            ("r/.gitignore", "*.env\n/config/secret.yaml\n"),
            (
                "r/Makefile",
                "echo x > ./config/over/image.yaml\nrm -f .yaml\n\t$(SDK) generate kustomize manifests -q\n",
            ),
            ("r/hack/run.sh", "cp a b/made.yaml"),
            ("r/.github/workflows/a.yaml", "run: touch 'of-ci.yaml'"),
            ("r/config/over/gen.go", "const Name = \"of-go.yaml\""),
            ("r/config/over/b.yaml", "not: read.yaml"),
        ] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
            fs::write(path, text).expect("it can be written");
        }
        let made = MadeFiles::default();
        for (name, expected) in [
            ("r/config/over/image.yaml", true),
            ("r/config/over/made.yaml", true),
            ("r/config/over/of-ci.yaml", true),
            ("r/config/over/of-go.yaml", true),
            ("r/config/over/a.env", true),
            ("r/config/secret.yaml", true),
            ("r/config/over/secret.yaml", false),
            ("r/config/over/outside.yaml", false),
            ("r/config/over/read.yaml", false),
            ("r/config/over/none.yaml", false),
            ("r/config/.yaml", false),
            ("r/config/manifests/bases/o.clusterserviceversion.yaml", true),
            ("o.clusterserviceversion.yaml", false),
        ] {
            assert_eq!(made.holds(&root.join(name), &Access::Named), expected, "{name}");
        }
    }
}
