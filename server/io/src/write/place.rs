//! The place to which a file is written: an open folder, and a name in it.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Component, Path, PathBuf},
};

use super::{Folder, NEW_MODE, OWN_MODE, Replaceable, Unfinished, Unwritten, attributes, is_still, while_doing};
use crate::{
    dotgit,
    read::{self, NAMED_BYTES, Unread},
    regular,
    roots::{self, Roots},
};

/// An open folder, and a name in it.
pub(super) struct Place {
    folder: Folder,
    name: OsString,
}

impl Place {
    /// The place to which a path leads. Only links that stay within the roots are followed.
    pub(super) fn within(roots: &Roots, path: &Path) -> Result<Self, Unwritten> {
        let target = roots.resolve(path)?;
        let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else {
            return Err(Unread::Special("a folder").into());
        };
        Self::new(&opened_within(roots, folder)?, name)
    }

    /// The place for output that the user has named.
    ///
    /// # Errors
    /// [`Unwritten::Link`] if the path goes through a link that a repository, or the folder that the user works in, can contain. Links elsewhere
    /// belong to the user, such as a link to a home folder on another disk.
    pub(super) fn named(path: &Path) -> Result<Self, Unwritten> {
        let path = std::path::absolute(path).map_err(Unread::from)?;
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Unread::Special("a folder").into());
        };
        Self::new(&without_links(folder)?, name)
    }

    /// The place for a name in a folder, whose path must not contain links.
    fn new(real: &Path, name: &OsStr) -> Result<Self, Unwritten> {
        Ok(Self {
            folder: Folder::at(real).map_err(Unread::from)?,
            name: name.to_owned(),
        })
    }

    /// Writes the file, and replaces any existing content.
    pub(super) fn put(&self, text: &[u8], replaceable: Replaceable) -> Result<(), Unwritten> {
        if read::exists(&self.folder.path_of(&self.name)) {
            self.replace(None, text, replaceable)
        } else {
            self.create(text)
        }
    }

    /// Writes the file. Fails if it exists.
    pub(super) fn create(&self, text: &[u8]) -> Result<(), Unwritten> {
        let path = self.folder.path_of(&self.name);
        if read::exists(&path) {
            return Err(Unwritten::Exists);
        }
        dotgit::refuse(&path)?;
        let unfinished = Unfinished::new(&self.folder, &self.name, text, NEW_MODE)?;
        unfinished.sync()?;
        unfinished.name(&self.name)?;
        self.folder.sync();
        Ok(())
    }

    /// Replaces the file, if its text still equals `before`. If `before` is `None`, replaces it in any case.
    pub(super) fn replace(
        &self,
        before: Option<&[u8]>,
        after: &[u8],
        replaceable: Replaceable,
    ) -> Result<(), Unwritten> {
        let path = self.folder.path_of(&self.name);
        let of = fs::symlink_metadata(&path).map_err(Unread::from)?;
        if of.is_symlink() {
            return Err(Unwritten::Link(path));
        }
        dotgit::refuse(&path)?;
        regular::regular(of.file_type())?;
        let mut file = self.folder.open(&self.name).map_err(Unread::from)?;
        let found = regular::is_regular(&file)?;
        attributes::lock(&file)?;
        if attributes::is_read_only(&found) || !self.folder.may_write(&self.name) {
            return Err(Unwritten::ReadOnly);
        }
        if attributes::is_executable(&found) && replaceable == Replaceable::Data {
            return Err(Unwritten::Executable);
        }
        if attributes::names(&found) > 1 {
            return Err(Unwritten::HardLinks(attributes::names(&found)));
        }
        let whatever;
        let before = if let Some(before) = before {
            before
        } else {
            whatever = regular::contents(&file, found.len(), NAMED_BYTES)?;
            &whatever
        };
        is_still(&mut file, before)?;

        let unfinished = Unfinished::new(&self.folder, &self.name, after, OWN_MODE)?;
        attributes::keep(&file, &found, &unfinished.file).map_err(while_doing("cannot keep its mode"))?;
        unfinished.sync()?;

        // Check again right before the rename.
        if !self.folder.is_same(&self.name, &found) {
            return Err(Unwritten::Changed);
        }
        is_still(&mut file, before)?;
        unfinished.replace(&self.name, &mut file, &found, before)?;
        self.folder.sync();
        Ok(())
    }
}

/// The path of a folder without links. It must be within the roots.
fn opened_within(roots: &Roots, folder: &Path) -> Result<PathBuf, Unread> {
    let real = fs::canonicalize(folder)?;
    if roots.hold(&real) {
        return Ok(real);
    }
    Err(Unread::Outside {
        target: real,
        roots: roots.to_string(),
    })
}

/// The path, without links, of a folder that the user has named.
fn without_links(folder: &Path) -> Result<PathBuf, Unwritten> {
    let mut real = PathBuf::new();
    for part in folder.components() {
        match part {
            Component::Prefix(_) | Component::RootDir => real.push(part),
            Component::CurDir => {}
            // The path so far contains no links, so `..` means the folder before it.
            Component::ParentDir => drop(real.pop()),
            Component::Normal(name) => {
                let around = real.clone();
                real.push(name);
                if !fs::symlink_metadata(&real).map_err(Unread::from)?.is_symlink() {
                    continue;
                }
                if dotgit::is_git_name(name) {
                    return Err(Unread::OfGit(real).into());
                }
                if roots::may_be_untrusted(&around) {
                    return Err(Unwritten::Link(real));
                }
                real = fs::canonicalize(&real).map_err(Unread::from)?;
            }
        }
    }
    Ok(real)
}

/// A folder for output that the user has named. Output follows no links inside it.
pub struct OutputFolder {
    /// The path of the folder without links.
    real: PathBuf,
}

impl OutputFolder {
    /// Opens the folder, and creates it if it does not exist. Its parent folder must exist.
    ///
    /// # Errors
    /// If the folder belongs to git, or if a link in a repository leads to it but it is outside that repository.
    pub fn open(path: &Path) -> Result<Self, Unwritten> {
        let path = std::path::absolute(path).map_err(Unread::from)?;
        let around = path.parent().unwrap_or(&path);
        let roots = Roots::default().and_neighbours(around);
        let Some(name) = path.file_name() else {
            dotgit::refuse(&path)?;
            let real = fs::canonicalize(&path).map_err(Unread::from)?;
            return Ok(Self { real });
        };
        if !read::exists(&path) {
            let target = opened_within(&roots, &roots.resolve(around)?)?.join(name);
            dotgit::refuse(&target)?;
            let folder = Folder::at(target.parent().unwrap_or(&target)).map_err(Unread::from)?;
            folder.make(name).map_err(while_doing("cannot make the folder"))?;
        }
        let real = opened_within(&roots, &roots.resolve(&path)?)?;
        Folder::at(&real).map_err(while_doing("cannot open the folder"))?;
        Ok(Self { real })
    }

    /// Writes a file in the folder, and replaces any existing content. `below` is the file's relative path, which must consist of plain names.
    /// Creates missing folders.
    pub fn put(&self, below: &Path, text: &[u8], replaceable: Replaceable) -> Result<(), Unwritten> {
        let mut folder = Folder::at(&self.real).map_err(while_doing("cannot open the folder"))?;
        let mut names = below.components().peekable();
        while let Some(Component::Normal(name)) = names.next() {
            let path = folder.path_of(name);
            if names.peek().is_none() {
                let name = name.to_owned();
                return Place { folder, name }.put(text, replaceable);
            }
            dotgit::refuse_name(&path)?;
            folder.make(name).map_err(while_doing("cannot make the folder"))?;
            folder = folder.below(name).map_err(|error| {
                if fs::symlink_metadata(&path).is_ok_and(|it| it.is_symlink()) {
                    Unwritten::Link(path)
                } else {
                    while_doing("cannot open the folder")(error)
                }
            })?;
        }
        Err(Unread::Special("a folder").into())
    }
}
