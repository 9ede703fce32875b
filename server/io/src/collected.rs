//! Finds the lock file that lists the CRDs that a repository has collected from other projects. The CRDs themselves are read when they are needed.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_workspace::index::lock::{self, Lock};

use crate::{
    read::{self, Access, Kind, Unread},
    roots::Roots,
};

/// A lock file that was found.
#[derive(Debug)]
pub struct Found {
    /// The path of the lock file.
    pub path: PathBuf,
    /// The content of the lock file.
    pub lock: Lock,
    /// The folder that contains the CRDs.
    folder: PathBuf,
    /// The access with which to read the CRDs.
    pub access: Access,
}

impl Found {
    /// The path of the CRD with this name.
    pub fn file_of(&self, name: &str) -> PathBuf {
        let file = lock::file_of(name);
        self.folder.join(file.file_name().unwrap_or_default())
    }

    /// The problems with invalid lines of the lock file, each as a sentence.
    pub fn problems(&self) -> impl Iterator<Item = String> {
        let problems = self.lock.problems.iter();
        problems.map(|(line, why)| format!("{}:{line}: {why}", self.path.display()))
    }
}

/// The lock file in a folder. `None` if the folder has none.
///
/// # Errors
/// If the lock file cannot be read, for example because a link leads out of the repository.
pub fn of(folder: &Path, access: &Access) -> Option<Result<Found, String>> {
    let path = folder.join(lock::FOLDER).join(lock::FILE_NAME);
    let access = match access {
        Access::Elsewhere(_) => access.clone(),
        _ if !read::exists(&path) => return None,
        Access::Named => Access::Within(Arc::new(Roots::default().and_neighbours(folder))),
        Access::Within(roots) => Access::Within(Arc::new(roots.and_neighbours(folder))),
    };
    match found(folder, &path, &access) {
        Ok(found) => Some(Ok(found)),
        Err(_) if matches!(access, Access::Elsewhere(_)) => None,
        Err(why) => Some(Err(format!("{}: {why}", path.display()))),
    }
}

fn found(folder: &Path, path: &Path, access: &Access) -> Result<Found, Unread> {
    let (kind, file) = read::kind(path, access)?;
    if kind == Kind::Folder {
        return Err(Unread::Special("a folder"));
    }
    let lock = Lock::parse(&read::text(&file, access, lock::MOST_BYTES)?);
    let crds = folder.join(lock::FOLDER).join(lock::CRDS);
    let folder = match read::kind(&crds, access) {
        Ok((_, folder)) => folder,
        // If the folder is missing, each missing CRD is reported when it is needed.
        Err(why) if why.is_missing() => crds,
        Err(why) => return Err(why),
    };
    Ok(Found {
        path: path.to_owned(),
        lock,
        folder,
        access: access.clone(),
    })
}

/// The lock files in the given folders and in all folders above them.
pub fn around<'a>(folders: impl IntoIterator<Item = (&'a Path, &'a Access)>) -> Vec<Result<Found, String>> {
    let mut seen: BTreeSet<&Path> = BTreeSet::new();
    let mut all = Vec::new();
    for (folder, access) in folders {
        // If a folder was seen before, all folders above it were seen, too.
        for folder in folder.ancestors().take_while(|it| seen.insert(it)) {
            all.extend(of(folder, access));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn line(name: &str) -> String {
        format!("{name} Widget 3 sha256:{} x\n", "0".repeat(64))
    }

    #[test]
    fn locks_are_found_above_and_read_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("repository");
        for below in [".git", "a/b", ".crd-analyzer", "a/.crd-analyzer/crds"] {
            fs::create_dir_all(root.join(below)).expect("folders");
        }
        fs::write(root.join(".crd-analyzer/crds.lock"), line("a.b")).expect("a file");
        fs::write(root.join("a/.crd-analyzer/crds.lock"), "x\n").expect("a file");
        let (deep, other) = (root.join("a/b"), root.join("a"));
        let found = around([(&*deep, &Access::Named), (&*other, &Access::Named)]);
        let found: Vec<Found> = found.into_iter().map(|it| it.expect("a lock")).collect();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].problems().count(), 1);
        assert_eq!(found[1].file_of("a.b"), root.join(".crd-analyzer/crds/a.b.yaml"));
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_no_further_than_the_repository() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let (root, outside) = (folder.path().join("repository"), folder.path().join("outside"));
        fs::create_dir_all(root.join(".git")).expect("folders");
        fs::create_dir_all(outside.join("crds")).expect("folders");
        fs::write(outside.join("crds.lock"), line("a.b")).expect("a file");
        symlink("../outside", root.join(".crd-analyzer")).expect("a link");
        let problem = |root: &Path| of(root, &Access::Named).expect("a lock").expect_err("it is outside");
        assert!(problem(&root).contains("outside of"), "{}", problem(&root));
        fs::remove_file(root.join(".crd-analyzer")).expect("it can be removed");
        fs::create_dir(root.join(".crd-analyzer")).expect("a folder");
        fs::write(root.join(".crd-analyzer/crds.lock"), line("a.b")).expect("a file");
        symlink("../../outside/crds", root.join(".crd-analyzer/crds")).expect("a link");
        assert!(problem(&root).contains("outside of"), "{}", problem(&root));
    }
}
