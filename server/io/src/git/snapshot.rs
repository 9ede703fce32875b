//! A repository that crd-analyzer creates for git. It has copies of the real repository's branches, tags and logs, and a configuration that
//! crd-analyzer writes.
//!
//! Git first reads the configuration of the repository in which it runs. That configuration can name programs, other files and other machines. So git
//! never runs in the real repository. It only reads objects of the real repository, which are data.

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;

use super::{Error, discover::Location};
use crate::{cache, gitlink::is_remote, program, regular::plain};

/// The time limit for a single answer from git.
pub(super) const TIMEOUT: Duration = Duration::from_secs(4);
/// The largest single allocation that git may make, in bytes. Git cannot read larger objects.
const ALLOC_LIMIT: &str = "48m";
/// The maximum sizes of copied files, in bytes: a branch, a head, the list of all branches, a log, the configuration.
const MAX_REF: u64 = 4 << 10;
const MAX_HEAD: u64 = 1 << 20;
const MAX_PACKED_REFS: u64 = 256 << 20;
const MAX_LOG: u64 = 64 << 20;
const MAX_CONFIG: u64 = 1 << 20;
/// The limits on the number of copied files, and on the depth of nested folders.
const MAX_FILES: usize = 100_000;
const MAX_DEPTH: usize = 64;
/// The maximum length of a chain of repositories that use each other's objects, as in git.
const MAX_ALTERNATES: usize = 5;

/// The copy of a repository for git. It is removed when it is dropped.
#[derive(Debug)]
pub(super) struct Snapshot {
    git: PathBuf,
    folder: TempDir,
    git_dir: PathBuf,
    /// The folders that contain objects. The repository's own folder is first.
    pub(super) objects: Vec<PathBuf>,
    /// Whether a part of the history is missing in the repository.
    pub(super) is_shallow: bool,
}

impl Snapshot {
    /// Copies everything to which `revision` may refer.
    pub(super) fn new(git: PathBuf, location: &Location, revision: &str) -> Result<Self, Error> {
        let failed = |what: &str, error: &io::Error| Error::Failed(format!("{what}: {error}"));
        let folder = folder().map_err(|error| failed("a folder for git cannot be made", &error))?;
        let common = folder.path().join("common");
        let is_linked = location.git_dir != location.common_dir;
        let git_dir = if is_linked {
            folder.path().join("worktree")
        } else {
            common.clone()
        };
        let objects = location.common_dir.join("objects");
        let mut snapshot = Self {
            git,
            folder,
            git_dir,
            objects: object_folders(objects)?,
            is_shallow: false,
        };
        let copied = snapshot.copy(location, &common, revision);
        copied.map_err(|error| failed("the repository's branches cannot be read", &error))?;
        let config = config_of(&snapshot, location, revision)?;
        fs::write(common.join("config"), config)
            .map_err(|error| failed("a configuration for git cannot be written", &error))?;
        Ok(snapshot)
    }

    fn copy(&mut self, location: &Location, common: &Path, revision: &str) -> io::Result<()> {
        let mut left = MAX_FILES;
        let wants_logs = revision.contains("@{");
        for name in ["refs", "objects"] {
            fs::create_dir_all(common.join(name))?;
        }
        if self.git_dir != common {
            fs::create_dir_all(self.git_dir.join("refs"))?;
            fs::write(self.git_dir.join("commondir"), "../common\n")?;
            heads(&location.git_dir, &self.git_dir)?;
            refs(
                &location.git_dir.join("refs"),
                &self.git_dir.join("refs"),
                MAX_DEPTH,
                &mut left,
            )?;
        }
        heads(&location.common_dir, common)?;
        refs(
            &location.common_dir.join("refs"),
            &common.join("refs"),
            MAX_DEPTH,
            &mut left,
        )?;
        copy_regular(&location.common_dir, common, "packed-refs", MAX_PACKED_REFS)?;
        self.is_shallow = copy_regular(&location.common_dir, common, "shallow", MAX_PACKED_REFS)?;
        for (from, to) in [(&location.common_dir, common), (&location.git_dir, &*self.git_dir)] {
            tables(&from.join("reftable"), &to.join("reftable"), &mut left)?;
            if wants_logs {
                logs(&from.join("logs"), &to.join("logs"), MAX_DEPTH, &mut left)?;
            }
        }
        Ok(())
    }

    /// A git command that runs in the copy, without crd-analyzer's environment.
    pub(super) fn command(&self) -> Command {
        let mut command = closed(&self.git, self.folder.path());
        command
            .env("GIT_DIR", &self.git_dir)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" });
        if let Some(objects) = self.objects.first() {
            command.env("GIT_OBJECT_DIRECTORY", objects);
        }
        command
    }

    /// Whether the user's git configuration declares this repository as safe, although another user owns it.
    pub(super) fn is_declared_safe(git: &Path, location: &Location) -> Result<bool, Error> {
        let folder = folder().map_err(|error| Error::Failed(format!("a folder for git cannot be made: {error}")))?;
        let mut command = closed(git, folder.path());
        // Use only the configuration of the system and of the user.
        for (name, value) in std::env::vars_os() {
            let is_meant = [
                "HOME",
                "XDG_CONFIG_HOME",
                "USERPROFILE",
                "HOMEDRIVE",
                "HOMEPATH",
                "PROGRAMDATA",
            ]
            .iter()
            .any(|it| name == *it)
                || name.to_string_lossy().starts_with("GIT_CONFIG_");
            if is_meant {
                command.env(name, value);
            }
        }
        command.env("GIT_DIR", folder.path());
        command.args(["config", "--null", "--get-all", "--type=path", "safe.directory"]);
        let output = program::run(&mut command, None, MAX_CONFIG as usize, TIMEOUT).map_err(Error::of_failure)?;
        let list = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(list.strip_suffix('\0').is_some_and(|it| names(it, &location.root)))
    }
}

/// Whether the list of safe folders in git's configuration contains a folder.
fn names(list: &str, folder: &Path) -> bool {
    let mut is_named = false;
    for value in list.split('\0') {
        is_named = match value {
            // As in git, an empty value clears the list.
            "" => false,
            "*" => true,
            _ => match value.strip_suffix("/*") {
                Some(above) => is_named || folder.starts_with(above) && folder != Path::new(above),
                None => is_named || folder == Path::new(value),
            },
        };
    }
    is_named
}

/// The prefix of the names of folders that this module creates.
const PREFIX: &str = "git-";
/// The age at which a folder is treated as left behind by a killed process.
const LEFT_BEHIND: Duration = Duration::from_hours(24);

/// Creates a folder that only the user can read. It is in the cache folder, if there is one.
fn folder() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    let cache = cache::folder().filter(|it| fs::create_dir_all(it).is_ok());
    let cached = cache.and_then(|it| {
        tidy(&it);
        builder.tempdir_in(it).ok()
    });
    cached.map_or_else(|| builder.tempdir(), Ok)
}

/// Removes folders that killed processes have left behind.
fn tidy(cache: &Path) {
    for entry in cache.read_dir().into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|it| it.starts_with(PREFIX));
        let age = entry.metadata().and_then(|it| it.modified()).map(|it| it.elapsed());
        if is_ours && matches!(age, Ok(Ok(age)) if age > LEFT_BEHIND) {
            // Ignore errors, because another process may remove the folder at the same time.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A git command with an empty environment. It starts no programs, asks for no passwords and makes no connections.
fn closed(git: &Path, folder: &Path) -> Command {
    let mut command = Command::new(git);
    command.env_clear().current_dir(folder).stdin(Stdio::null());
    // Without these variables, programs do not start on Windows, and git does not start on macOS.
    for name in ["SystemRoot", "SYSTEMDRIVE", "DEVELOPER_DIR"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.envs([
        ("PATH", if cfg!(windows) { "" } else { "/usr/bin:/bin" }),
        ("LC_ALL", "C"),
        ("GIT_ALLOC_LIMIT", ALLOC_LIMIT),
        ("GIT_ALLOW_PROTOCOL", "none"),
        ("GIT_ATTR_NOSYSTEM", "1"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
    ]);
    command.arg("--no-pager");
    command
}

/// A configuration with the few settings from the repository that git needs.
fn config_of(snapshot: &Snapshot, location: &Location, revision: &str) -> Result<String, Error> {
    let mut ours = "[core]\n\
        \trepositoryFormatVersion = 1\n\
        \tbare = true\n\
        \tbigFileThreshold = 1m\n\
        \tdeltaBaseCacheLimit = 16m\n\
        \tcommitGraph = false\n\
        \tmultiPackIndex = false\n"
        .to_owned();
    let path = location.common_dir.join("config");
    let theirs = match plain(&path, MAX_CONFIG) {
        Ok(theirs) => theirs,
        Err(error) if error.is_missing() => return Ok(ours),
        Err(error) => {
            return Err(Error::Malformed {
                path,
                why: error.to_string(),
            });
        }
    };
    // Usually, the configuration contains none of the settings that git needs.
    let lower = String::from_utf8_lossy(&theirs).to_ascii_lowercase();
    let wants_branches = revision.contains("@{");
    if !(wants_branches || lower.contains("objectformat") || lower.contains("refstorage")) {
        return Ok(ours);
    }
    let mut command = snapshot.command();
    command.args(["config", "--file", "-", "--no-includes", "--null", "--list"]);
    let output =
        program::run(&mut command, Some(theirs), 8 * MAX_CONFIG as usize, TIMEOUT).map_err(Error::of_failure)?;
    if !output.status.success() {
        let why = super::words(&output.stderr);
        return Err(Error::Malformed { path, why });
    }
    let text = String::from_utf8_lossy(&output.stdout);
    for (key, value) in text.split('\0').filter_map(|it| it.split_once('\n')) {
        match (key, value) {
            ("extensions.objectformat", "sha1" | "sha256") => {
                let _ = writeln!(ours, "[extensions]\n\tobjectFormat = {value}");
            }
            ("extensions.refstorage", "files" | "reftable") => {
                let _ = writeln!(ours, "[extensions]\n\trefStorage = {value}");
            }
            ("extensions.objectformat" | "extensions.refstorage", _) => {
                let why = format!("{key} is {value:?}, which crd-analyzer does not know");
                return Err(Error::Malformed { path, why });
            }
            _ if wants_branches => ours.push_str(&tracking(key, value).unwrap_or_default()),
            _ => {}
        }
    }
    Ok(ours)
}

/// The configuration line for a setting, if it affects what `@{upstream}` and `@{push}` mean.
fn tracking(key: &str, value: &str) -> Option<String> {
    let (section, name) = key.split_once('.')?;
    let (name, variable) = name.rsplit_once('.').unwrap_or(("", name));
    let is_meant = match section {
        "branch" => ["remote", "merge", "pushremote"].contains(&variable),
        "remote" => ["fetch", "push", "pushdefault"].contains(&variable),
        "push" => variable == "default",
        _ => false,
    };
    if !is_meant || [name, value].iter().any(|it| it.contains(['\n', '\r'])) {
        return None;
    }
    let quoted = |it: &str| format!("\"{}\"", it.replace('\\', "\\\\").replace('"', "\\\""));
    let name = if name.is_empty() {
        String::new()
    } else {
        format!(" {}", quoted(name))
    };
    Some(format!("[{section}{name}]\n\t{variable} = {}\n", quoted(value)))
}

/// The folders that contain objects: the repository's own folder, and those from which it borrows objects. Checks that all files which git opens
/// there without being asked are regular files.
fn object_folders(own: PathBuf) -> Result<Vec<PathBuf>, Error> {
    let mut all = Vec::new();
    let mut next = vec![own];
    for _ in 0..=MAX_ALTERNATES {
        for folder in std::mem::take(&mut next) {
            if all.contains(&folder) || !folder.is_dir() {
                continue;
            }
            packs(&folder.join("pack"))?;
            next.extend(alternates(&folder)?);
            all.push(folder);
        }
    }
    Ok(all)
}

fn packs(folder: &Path) -> Result<(), Error> {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let path = entry.path();
        let kind = entry.file_type();
        if kind.is_ok_and(|it| it.is_file()) || path.metadata().is_ok_and(|it| it.is_file() || it.is_dir()) {
            continue;
        }
        return Err(Error::Malformed {
            path,
            why: "it is not a regular file".to_owned(),
        });
    }
    Ok(())
}

fn alternates(objects: &Path) -> Result<Vec<PathBuf>, Error> {
    let path = objects.join("info/alternates");
    let malformed = |why: &str| Error::Malformed {
        path: path.clone(),
        why: why.to_owned(),
    };
    let text = match plain(&path, MAX_CONFIG) {
        Ok(text) => text,
        // Git ignores a broken link as well.
        Err(error) if error.is_missing() => return Ok(Vec::new()),
        Err(error) => return Err(malformed(&error.to_string())),
    };
    let text = String::from_utf8(text).map_err(|_| malformed("it is not UTF-8"))?;
    let mut folders = Vec::new();
    for line in text.lines().filter(|it| !it.is_empty() && !it.starts_with('#')) {
        if line.starts_with('"') {
            return Err(malformed("it has a path in quotes"));
        }
        if is_remote(Path::new(line)) {
            return Err(malformed("it leads to another machine"));
        }
        folders.push(objects.join(line));
    }
    Ok(folders)
}

/// Copies `HEAD`, `FETCH_HEAD` and similar files.
fn heads(from: &Path, to: &Path) -> io::Result<()> {
    for entry in from.read_dir()? {
        let name = entry?.file_name();
        let is_head = name
            .to_str()
            .is_some_and(|it| it.ends_with("HEAD") && it.bytes().all(|it| it.is_ascii_uppercase() || it == b'_'));
        if is_head {
            copy_ref(&from.join(&name), &to.join(&name), MAX_HEAD)?;
        }
    }
    Ok(())
}

/// Copies branches and tags.
fn refs(from: &Path, to: &Path, depth: usize, left: &mut usize) -> io::Result<()> {
    each(from, left, |name, kind| {
        let (from, to) = (from.join(name), to.join(name));
        // Skip object replacements, which are not supported.
        if kind.is_dir() && depth > 0 && name != "replace" {
            fs::create_dir_all(&to)?;
            return Ok(Some((from, to)));
        }
        copy_ref(&from, &to, MAX_REF)?;
        Ok(None)
    })?
    .into_iter()
    .try_for_each(|(from, to)| refs(&from, &to, depth - 1, left))
}

/// Copies the logs of branches.
fn logs(from: &Path, to: &Path, depth: usize, left: &mut usize) -> io::Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(to)?;
    each(from, left, |name, kind| {
        if kind.is_dir() && depth > 0 {
            return Ok(Some((from.join(name), to.join(name))));
        }
        copy_regular(from, to, name, MAX_LOG)?;
        Ok(None)
    })?
    .into_iter()
    .try_for_each(|(from, to)| logs(&from, &to, depth - 1, left))
}

/// Copies reftables, in which newer versions of git store branches.
fn tables(from: &Path, to: &Path, left: &mut usize) -> io::Result<()> {
    if !from.is_dir() || to.exists() {
        return Ok(());
    }
    fs::create_dir_all(to)?;
    each(from, left, |name, _| {
        copy_regular(from, to, name, MAX_PACKED_REFS)?;
        Ok(None::<()>)
    })?;
    Ok(())
}

/// Calls a function for each entry of a folder, and returns the results.
fn each<T>(
    folder: &Path,
    left: &mut usize,
    mut work: impl FnMut(&str, fs::FileType) -> io::Result<Option<T>>,
) -> io::Result<Vec<T>> {
    let mut found = Vec::new();
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        *left = left.checked_sub(1).ok_or_else(|| {
            io::Error::other(format!(
                "there are more than {MAX_FILES} files (`git pack-refs --all` makes one of them)"
            ))
        })?;
        // Skip a branch whose name is not UTF-8, because it cannot be requested.
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
            continue;
        };
        if Path::new(&name).extension().is_some_and(|it| it == "lock") {
            continue;
        }
        found.extend(work(&name, entry.file_type()?)?);
    }
    Ok(found)
}

/// Copies a branch, a tag or a head. It is a small file, or a symbolic link that an old version of git has created. Other files are ignored, as in
/// git.
fn copy_ref(from: &Path, to: &Path, max: u64) -> io::Result<()> {
    let metadata = from.symlink_metadata()?;
    if metadata.is_symlink() {
        let target = from.read_link()?;
        return match target.to_str() {
            Some(target) if target.starts_with("refs/") => fs::write(to, format!("ref: {target}\n")),
            _ => Ok(()),
        };
    }
    if metadata.is_file() && metadata.len() <= max {
        fs::write(to, plain(from, max).map_err(io::Error::other)?)?;
    }
    Ok(())
}

/// Copies a file if it exists. Returns whether it existed.
fn copy_regular(from: &Path, to: &Path, name: &str, max: u64) -> io::Result<bool> {
    match plain(&from.join(name), max) {
        Ok(bytes) => fs::write(to.join(name), bytes).map(|()| true),
        Err(error) if error.is_missing() => Ok(false),
        Err(error) => Err(io::Error::other(format!("{}: {error}", from.join(name).display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safe_folders_are_named_as_git_has_it() {
        for (list, expected) in [
            ("/a/b", true),
            ("/a", false),
            ("/a/b/", true),
            ("*", true),
            ("/a/*", true),
            ("/*", true),
            ("/a/b/*", false),
            ("/a*", false),
            ("*\0", false),
            ("*\0\0/a/b", true),
            ("/x\0/a/b\0/y", true),
            ("", false),
        ] {
            assert_eq!(names(list, Path::new("/a/b")), expected, "{list:?}");
        }
    }

    #[test]
    fn only_what_names_branches_is_taken_from_a_configuration() {
        for (key, value, expected) in [
            (
                "branch.main.remote",
                "origin",
                Some("[branch \"main\"]\n\tremote = \"origin\"\n"),
            ),
            ("branch.a.b.merge", "x", Some("[branch \"a.b\"]\n\tmerge = \"x\"\n")),
            (
                "remote.o\"\\.fetch",
                "\"\\",
                Some("[remote \"o\\\"\\\\\"]\n\tfetch = \"\\\"\\\\\"\n"),
            ),
            ("push.default", "simple", Some("[push]\n\tdefault = \"simple\"\n")),
            ("remote.origin.url", "ext::x", None),
            ("remote.origin.promisor", "true", None),
            ("core.fsmonitor", "x", None),
            ("branch.main.remote", "a\n[core]", None),
            ("branch", "x", None),
        ] {
            assert_eq!(tracking(key, value).as_deref(), expected, "{key}");
        }
    }
}
