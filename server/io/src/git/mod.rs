//! Reads versions of a file from git.
//!
//! Git runs in a repository that crd-analyzer creates (`snapshot`). There it reads objects of the real repository, and only by ids that crd-analyzer
//! already knows (`objects`). So nothing in a repository can make git run a program or connect to another machine.

mod discover;
mod objects;
mod snapshot;

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use self::{discover::Location, objects::Objects, snapshot::Snapshot};
use crate::{
    elsewhere::{Elsewhere, Kind, Listed},
    program::{Failure, NotFound, SearchPath},
};

/// The maximum number of characters of a revision's name in messages.
const MAX_SHOWN: usize = 100;

/// The reason why git cannot return a version of a file.
#[derive(Clone, Debug)]
pub enum Error {
    /// Git is not installed.
    NoGit(NotFound),
    /// The file is not in a repository.
    NoRepository(PathBuf),
    /// The repository belongs to another user.
    NotOwn(PathBuf),
    /// A file of the repository is not in git's format.
    Malformed {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The revision is not the name of exactly one commit.
    Revision(String),
    /// In the commit, the path is not a file.
    NotAFile {
        /// The path of the file, relative to the repository.
        path: PathBuf,
        /// A phrase for the object at the path, such as a folder.
        what: &'static str,
    },
    /// The file's content is missing in the clone.
    NotInClone(PathBuf),
    /// The file is too large.
    TooLarge {
        /// The path of the file, relative to the repository.
        path: PathBuf,
        /// The size of the file in bytes.
        size: usize,
    },
    /// Git did not answer in time.
    Timeout,
    /// Git failed.
    Failed(String),
}

impl Error {
    /// Whether the error is the same for all files, because the request itself is wrong.
    pub fn is_of_the_question(&self) -> bool {
        matches!(self, Self::Revision(_) | Self::NoRepository(_))
    }

    fn of_failure(failure: Failure) -> Self {
        match failure {
            Failure::Timeout => Self::Timeout,
            Failure::Io(why) => Self::Failed(format!("git cannot be run: {why}")),
            Failure::TooLong => Self::Failed("the output of git is too large".to_owned()),
            Failure::Ended => Self::Failed("git exited without output".to_owned()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoGit(error) => write!(f, "git cannot be run: {error}"),
            Self::NoRepository(path) => write!(f, "{} is not in a git repository", path.display()),
            Self::NotOwn(root) => write!(
                f,
                "the repository {0} belongs to another user. \
                 If you trust it, run: git config --global --add safe.directory {0}",
                root.display()
            ),
            Self::Malformed { path, why } => write!(f, "git cannot use {}: {why}", path.display()),
            Self::Revision(why) => write!(f, "the revision {why}"),
            Self::Failed(why) => f.write_str(why),
            Self::NotAFile { path, what } => write!(f, "{} is {what}, not a file", path.display()),
            Self::NotInClone(path) => write!(
                f,
                "the clone does not have the content of {0}, and crd-analyzer fetches nothing. \
                 If it is a partial clone, `git log --patch -- {0}` fetches it",
                path.display()
            ),
            Self::TooLarge { path, size } => write!(
                f,
                "{} has {size} bytes, but crd-analyzer reads at most {}",
                path.display(),
                objects::MAX_BYTES
            ),
            Self::Timeout => write!(f, "git did not answer within {} s", snapshot::TIMEOUT.as_secs()),
        }
    }
}

impl std::error::Error for Error {}

/// The root folder of the repository that contains a folder. `None` if no repository contains it.
pub fn root_around(folder: &Path) -> Option<PathBuf> {
    let location = discover::find(&folder.canonicalize().ok()?).ok()??;
    Some(location.root)
}

impl Elsewhere for Revision {
    fn kind(&self, path: &Path) -> Result<Option<Kind>, String> {
        let (opened, path) = self.opened(path).map_err(|it| it.to_string())?;
        let mut objects = opened.objects.lock().unwrap_or_else(PoisonError::into_inner);
        let kind = below(&opened, &path).and_then(|it| objects.kind(&opened.commit, &it));
        Ok(match kind.map_err(|it| it.to_string())? {
            Some(objects::Kind::File) => Some(Kind::File),
            Some(objects::Kind::Folder) => Some(Kind::Folder),
            Some(objects::Kind::Link | objects::Kind::Submodule) | None => None,
        })
    }

    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, String> {
        Self::read(self, path).map_err(|it| it.to_string())
    }

    fn link(&self, path: &Path) -> Result<Option<PathBuf>, String> {
        let (opened, path) = self.opened(path).map_err(|it| it.to_string())?;
        let mut objects = opened.objects.lock().unwrap_or_else(PoisonError::into_inner);
        let found = below(&opened, &path).and_then(|it| objects.link(&opened.commit, &it));
        found.map_err(|it| it.to_string())
    }

    fn files(&self, folder: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Result<Listed, String> {
        let (opened, real) = self.opened(folder).map_err(|it| it.to_string())?;
        let mut objects = opened.objects.lock().unwrap_or_else(PoisonError::into_inner);
        let found = below(&opened, &real).and_then(|it| objects.below(&opened.commit, &it, is_wanted));
        let mut listed = Listed::default();
        for (path, kind) in found.map_err(|it| it.to_string())? {
            let of = if kind == objects::Kind::File {
                &mut listed.files
            } else {
                &mut listed.links
            };
            of.push(folder.join(path));
        }
        Ok(listed)
    }
}

/// The path of a file, relative to its repository.
fn below(opened: &Opened, file: &Path) -> Result<PathBuf, Error> {
    let below = file.strip_prefix(&opened.root);
    below
        .map(Path::to_owned)
        .map_err(|_| Error::NoRepository(file.to_owned()))
}

/// The output of git, on one line.
fn words(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A revision in the repositories of some files. Each repository is read once, so create another `Revision` to see later commits.
#[derive(Debug)]
pub struct Revision {
    name: String,
    /// Folders from which git must not be run, in addition to the repository itself.
    workspace: Vec<PathBuf>,
    /// The opened repositories, by the folder of a file.
    folders: Mutex<HashMap<PathBuf, Result<Arc<Opened>, Error>>>,
    /// The opened repositories, by the folder that contains `.git`.
    roots: Mutex<HashMap<PathBuf, Result<Arc<Opened>, Error>>>,
}

/// A repository, and the commit that the revision names in this repository.
#[derive(Debug)]
struct Opened {
    root: PathBuf,
    commit: String,
    objects: Mutex<Objects>,
}

impl Revision {
    /// Creates a revision with this name. Git resolves the name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            workspace: Vec::new(),
            folders: Mutex::default(),
            roots: Mutex::default(),
        }
    }

    /// Adds folders from which no program must be run.
    #[must_use]
    pub fn in_workspace(mut self, folders: Vec<PathBuf>) -> Self {
        self.workspace = folders;
        self
    }

    /// The name for messages. Control characters are escaped, and long names are cut.
    pub fn shown_name(&self) -> String {
        self.name.escape_debug().take(MAX_SHOWN).collect()
    }

    /// The commit that the revision names in the repository of a file.
    pub fn commit(&self, file: &Path) -> Result<String, Error> {
        let (opened, _) = self.opened(file)?;
        Ok(opened.commit.clone())
    }

    /// The content of the file in the revision. `None` if the file did not exist there.
    pub fn read(&self, file: &Path) -> Result<Option<Vec<u8>>, Error> {
        let (opened, file) = self.opened(file)?;
        let path = below(&opened, &file)?;
        let mut objects = opened.objects.lock().unwrap_or_else(PoisonError::into_inner);
        objects.file(&opened.commit, &path)
    }

    /// The repository of a file, and the file's path without symbolic links in its folders. A folder that no longer exists belongs to the repository
    /// of its nearest existing parent.
    fn opened(&self, file: &Path) -> Result<(Arc<Opened>, PathBuf), Error> {
        let unreadable =
            |error: &std::io::Error| Error::Failed(format!("the folder of the file cannot be read: {error}"));
        let absolute = std::path::absolute(file).map_err(|error| unreadable(&error))?;
        let is_folder = |it: &&Path| std::fs::metadata(it).is_ok_and(|it| it.is_dir());
        let Some(there) = absolute.ancestors().find(is_folder) else {
            return Err(Error::NoRepository(file.to_owned()));
        };
        // Resolve the real folder each time. This is fast, and the file's path in the repository depends on it.
        let folder = there.canonicalize().map_err(|error| unreadable(&error))?;
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = folders
            .entry(folder.clone())
            .or_insert_with(|| self.open(&folder, file))
            .clone();
        let rest = absolute.strip_prefix(there).unwrap_or(Path::new(""));
        Ok((opened?, folder.join(rest)))
    }

    fn open(&self, folder: &Path, file: &Path) -> Result<Arc<Opened>, Error> {
        let location = discover::find(folder)?.ok_or_else(|| Error::NoRepository(file.to_owned()))?;
        let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        let root = location.root.clone();
        roots
            .entry(root)
            .or_insert_with(|| self.open_at(location).map(Arc::new))
            .clone()
    }

    fn open_at(&self, location: Location) -> Result<Opened, Error> {
        let mut workspace = self.workspace.clone();
        workspace.push(location.root.clone());
        let git = SearchPath::new(&workspace).find("git").map_err(Error::NoGit)?;
        if !discover::is_own(&location) && !Snapshot::is_declared_safe(&git, &location)? {
            return Err(Error::NotOwn(location.root));
        }
        let mut objects = Objects::new(Snapshot::new(git, &location, &self.name)?);
        let commit = objects.commit(&self.name)?;
        Ok(Opened {
            root: location.root,
            commit,
            objects: Mutex::new(objects),
        })
    }
}
