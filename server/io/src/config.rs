//! Finds and reads `.crd-analyzer.yaml` (or `.yml`).

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_workspace::{
    config::check,
    config::{Config, ConfigError, FILE_NAMES},
};

use crate::{
    read::{self, Access, SETTINGS_BYTES, Stamp},
    roots::Roots,
};

/// The maximum nesting of brackets. Settings need at most two levels, and the time of the YAML parser grows with the square of the depth.
const MAX_DEPTH: usize = 64;

/// A configuration file and the result of reading it.
#[derive(Debug)]
pub struct Found {
    /// The path of the file.
    pub path: PathBuf,
    /// The settings, or the reason why the file cannot be used.
    pub config: Result<Arc<Config>, String>,
}

/// A cache of the configuration files that were read. A file is read again when it changes.
#[derive(Default, Debug)]
pub struct Configs {
    read: Mutex<HashMap<PathBuf, (Stamp, Arc<Found>)>>,
}

impl Configs {
    /// The configuration that applies to the files of a folder, which is in that folder or in the nearest folder above it. `roots` returns the
    /// folders to which links may lead, in addition to the configuration's own repository.
    pub fn nearest(&self, folder: &Path, roots: &dyn Fn() -> Roots) -> Option<Arc<Found>> {
        folder.ancestors().find_map(|it| self.of(it, roots))
    }

    /// The configuration in a folder.
    pub fn of(&self, folder: &Path, roots: &dyn Fn() -> Roots) -> Option<Arc<Found>> {
        let [path, other] = FILE_NAMES.map(|it| folder.join(it));
        let found = fs::symlink_metadata(&path);
        if found.is_ok() && fs::symlink_metadata(&other).is_ok() {
            return Some(Arc::new(one_of_two(path)));
        }
        let (path, found) = match found {
            Ok(found) => (path, found),
            Err(_) => (other.clone(), fs::symlink_metadata(&other).ok()?),
        };
        if found.is_symlink() {
            let roots = roots().and_around(folder);
            return Some(Arc::new(read_file(path, &Access::Within(Arc::new(roots)))));
        }
        let stamp = (found.modified().ok(), found.len());
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(&path).filter(|it| it.0 == stamp) {
            return Some(known.1.clone());
        }
        let new = Arc::new(read_file(path.clone(), &Access::Within(Arc::default())));
        read.insert(path, (stamp, new.clone()));
        Some(new)
    }
}

/// The configuration in a folder that is not on disk.
pub fn read_other(folder: &Path, access: &Access) -> Option<Arc<Found>> {
    let is_there = |name: &&&str| read::kind(&folder.join(name), access).is_ok_and(|it| it.0 == read::Kind::File);
    let mut there = FILE_NAMES.iter().filter(is_there);
    let path = folder.join(there.next()?);
    if there.next().is_some() {
        return Some(Arc::new(one_of_two(path)));
    }
    Some(Arc::new(read_file(path, access)))
}

/// The error for a folder that contains both `.crd-analyzer.yaml` and `.crd-analyzer.yml`.
fn one_of_two(path: PathBuf) -> Found {
    let why = format!("`{}` is in the same folder: delete one of the two", FILE_NAMES[1]);
    Found { path, config: Err(why) }
}

/// Reads a configuration file.
pub fn read_file(path: PathBuf, access: &Access) -> Found {
    let config = parsed(&path, access).map(Arc::new);
    Found { path, config }
}

fn parsed(path: &Path, access: &Access) -> Result<Config, String> {
    let text = read::text(path, access, SETTINGS_BYTES).map_err(|why| why.to_string())?;
    if is_deep(&text) {
        return Err(format!("its brackets are nested more than {MAX_DEPTH} levels deep"));
    }
    let in_words = |why: ConfigError| check::first_problem(&text).unwrap_or_else(|| why.to_string());
    let mut config = Config::parse(&text).map_err(in_words)?;
    let path = std::path::absolute(path).map_err(|why| why.to_string())?;
    config.folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    Ok(config)
}

/// Whether brackets are nested more deeply than any setting needs. Brackets in quotes and comments are included.
fn is_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(found: Option<Arc<Found>>, file: &Path, problem: &str) {
        let found = found.expect("a configuration");
        assert_eq!(found.path, file);
        match &found.config {
            Ok(config) => assert_eq!(
                (problem, config.folder.as_path()),
                ("", file.parent().expect("a folder"))
            ),
            Err(why) => assert!(!problem.is_empty() && why.contains(problem), "{why}"),
        }
    }

    #[test]
    fn the_nearest_one_counts_as_it_is_now() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::create_dir_all(root.join("a/b")).expect("folders");
        let (configs, roots) = (Configs::default(), Roots::default);
        let nearest = || configs.nearest(&root.join("a/b"), &roots);
        fs::write(root.join(FILE_NAMES[0]), "crds: [x]\n").expect("a file");
        check(nearest(), &root.join(FILE_NAMES[0]), "");
        fs::write(root.join("a").join(FILE_NAMES[0]), "crdz: [x]\n").expect("a file");
        check(
            nearest(),
            &root.join("a").join(FILE_NAMES[0]),
            "line 1: `crdz` is not a setting, did you mean `crds`?",
        );
        fs::write(root.join("a").join(FILE_NAMES[0]), "").expect("a file");
        check(nearest(), &root.join("a").join(FILE_NAMES[0]), "");
        fs::write(root.join("a/b").join(FILE_NAMES[0]), b"# \xFF").expect("a file");
        check(nearest(), &root.join("a/b").join(FILE_NAMES[0]), "not UTF-8");
        fs::write(root.join("a/b").join(FILE_NAMES[1]), "").expect("a file");
        check(
            nearest(),
            &root.join("a/b").join(FILE_NAMES[0]),
            "delete one of the two",
        );
        fs::remove_file(root.join("a/b").join(FILE_NAMES[0])).expect("it can be removed");
        check(nearest(), &root.join("a/b").join(FILE_NAMES[1]), "");
    }

    #[test]
    fn what_would_take_long_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(FILE_NAMES[0]);
        for (text, problem) in [
            ("{a: ".repeat(30_000), "levels deep"),
            (format!("exclude: [{}]", "[a]".repeat(100)), "line 1: a comma or"),
            ("# ".repeat(100_000), "more than 131072 bytes"),
        ] {
            fs::write(&file, text).expect("a file");
            check(Configs::default().of(folder.path(), &Roots::default), &file, problem);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_out_of_the_repository_is_not_read() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let (outside, repository) = (folder.path().join("secret"), folder.path().join("repository"));
        fs::create_dir_all(repository.join(".git")).expect("folders");
        fs::create_dir_all(repository.join("a")).expect("folders");
        fs::write(&outside, "token: 123\n").expect("a file");
        symlink("../../secret", repository.join("a").join(FILE_NAMES[0])).expect("a link");
        let (configs, roots) = (Configs::default(), Roots::default);
        let found = configs.nearest(&repository.join("a"), &roots).expect("a configuration");
        let why = found.config.as_ref().expect_err("it is outside");
        assert!(why.contains("outside of") && !why.contains("token"), "{why}");
        // A configuration may be a link to a file that several folders share.
        fs::remove_file(repository.join("a").join(FILE_NAMES[0])).expect("it can be removed");
        fs::write(repository.join("shared.yaml"), "kubernetesVersion: '1.31'\n").expect("a file");
        symlink("../shared.yaml", repository.join("a").join(FILE_NAMES[0])).expect("a link");
        check(
            configs.nearest(&repository.join("a"), &roots),
            &repository.join("a").join(FILE_NAMES[0]),
            "",
        );
    }
}
