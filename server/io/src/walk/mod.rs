//! Looking through folders: one walk for the command line and the language server, as git would see the files.
//!
//! What a walk opens is folders and ignore rules, both through [`crate::read`]. It ends at a number of entries, a depth and a number of links, and
//! says so.

mod ignores;
#[cfg(test)]
mod tests;
mod tracked;

use std::{
    collections::HashSet,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_workspace::index::lock;

use crate::{
    dotgit,
    ignore_rules::Spent,
    read::{Access, Unread},
    roots::Roots,
};
use ignores::{Ignores, Reading};
use tracked::Tracked;

/// The files and folders that one walk looks at.
const MAX_ENTRIES: usize = 1_000_000;
/// Folders in each other.
const MAX_DEPTH: usize = 128;
/// Links to folders that one walk follows: each of them may lead to a folder with more of them.
const MAX_LINKS: usize = 1_000;
/// The most problems that one walk reports.
const MAX_PROBLEMS: usize = 100;
/// Links whose names are told.
const MAX_NAMED: usize = 5;

/// What a walk does with links.
#[derive(Clone, Debug)]
pub enum Links {
    /// It follows those that lead no further than these folders.
    Within(Arc<Roots>),
    /// It leaves them alone.
    Skip,
}

/// What a walk does with hidden files and folders, whose names begin with a dot.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Hidden {
    /// It looks at those that git tracks.
    #[default]
    Tracked,
    /// It looks at all of them.
    All,
}

/// What a walk found.
#[derive(Default, Debug)]
pub struct Walked {
    /// Files, in the order of their paths, a folder's own where the folder stands.
    pub files: Vec<PathBuf>,
    /// What could not be looked at: files may be missing.
    pub problems: Vec<Problem>,
    /// What the user may want to know.
    pub notes: Vec<Problem>,
    /// Hidden folders, and hidden files that are wanted, that were not looked at.
    pub hidden: Vec<PathBuf>,
    /// A link was followed: the same file may have two paths.
    pub has_links: bool,
}

/// Something about a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The path, spelled as the folder was.
    pub path: PathBuf,
    /// A sentence for people.
    pub why: String,
}

/// The files below a folder whose names are wanted and that git would not ignore. `links`: also those that links lead to. `is_wanted` gets a
/// name, or a path that ends with it.
pub fn files(folder: &Path, links: &Links, hidden: Hidden, is_wanted: impl Fn(&Path) -> bool) -> Walked {
    let mut files = Vec::new();
    let walked = each(folder, links, hidden, is_wanted, &mut |it| files.push(it));
    Walked { files, ..walked }
}

/// The same, for who begins with the first file while the walk goes on: each is handed over instead of being among the files.
pub fn each(
    folder: &Path,
    links: &Links,
    hidden: Hidden,
    is_wanted: impl Fn(&Path) -> bool,
    take: &mut dyn FnMut(PathBuf),
) -> Walked {
    each_within(folder, links, hidden, &is_wanted, Spent::default(), take)
}

fn each_within(
    folder: &Path,
    links: &Links,
    hidden: Hidden,
    is_wanted: &dyn Fn(&Path) -> bool,
    spent: Spent,
    take: &mut dyn FnMut(PathBuf),
) -> Walked {
    let mut walk = Walk {
        take,
        links,
        hidden,
        is_wanted,
        entries: 0,
        spent,
        linked: 0,
        outward: Vec::new(),
        found: Walked::default(),
    };
    walk.run(folder);
    walk.tell_outward(folder);
    walk.found
}

/// Whether a file may hold manifests, by its name. kustomize also reads `Kustomization` without an ending.
pub fn is_manifest(path: &Path) -> bool {
    if path.ends_with("Kustomization") {
        return true;
    }
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| {
            ["yaml", "yml", "json"]
                .iter()
                .any(|it| extension.eq_ignore_ascii_case(it))
        })
}

struct Walk<'a> {
    /// Gets each file.
    take: &'a mut dyn FnMut(PathBuf),
    links: &'a Links,
    hidden: Hidden,
    is_wanted: &'a dyn Fn(&Path) -> bool,
    entries: usize,
    /// What ignore rules have taken.
    spent: Spent,
    linked: usize,
    /// Links that lead out, and may lead to folders.
    outward: Vec<PathBuf>,
    found: Walked,
}

/// A folder to look into.
struct Folder {
    path: PathBuf,
    /// The same below the real path of the folder that the walk began at: ignore rules see this one.
    real: PathBuf,
    depth: usize,
    ignores: Arc<Ignores>,
    /// What git tracks in the repository of the folder.
    tracked: Arc<Tracked>,
    /// The folders around this one, to notice links that lead back to them. Empty until the walk follows a link.
    around: Option<Arc<Around>>,
}

/// A folder that others are in.
struct Around {
    id: Id,
    above: Option<Arc<Around>>,
}

/// What a folder is, by whatever name.
type Id = (u64, u64);

/// An entry of a folder, and what it is.
struct Entry {
    name: OsString,
    is_folder: bool,
    is_link: bool,
    is_file: bool,
}

enum Next {
    File(PathBuf),
    Folder(Folder),
}

impl Walk<'_> {
    fn run(&mut self, folder: &Path) {
        let real = match std::path::absolute(folder).and_then(fs::canonicalize) {
            Ok(real) => real,
            Err(error) => return self.lose(folder.to_owned(), error.to_string()),
        };
        if let Err(why) = dotgit::refuse(folder) {
            return self.lose(folder.to_owned(), why.to_string());
        }
        let access = Access::Within(match self.links {
            Links::Within(roots) => roots.clone(),
            Links::Skip => Arc::default(),
        });
        let ignores = Ignores::above(&real, &mut self.reading(&access));
        let tracked = match self.hidden {
            Hidden::Tracked => Tracked::around(&real, &access),
            Hidden::All => Arc::default(),
        };
        let mut stack = vec![Next::Folder(Folder {
            path: folder.to_owned(),
            real,
            depth: 0,
            ignores,
            tracked,
            around: None,
        })];
        while let Some(next) = stack.pop() {
            match next {
                Next::File(path) => (self.take)(path),
                Next::Folder(folder) => {
                    if self.entries > MAX_ENTRIES || self.spent.is_too_much() {
                        continue;
                    }
                    match self.look_into(&folder, &access) {
                        // The first of them comes next.
                        Ok(below) => stack.extend(below.into_iter().rev()),
                        Err(error) => self.lose(folder.path, error.to_string()),
                    }
                }
            }
        }
        if self.entries > MAX_ENTRIES {
            let why = format!("there are more than {MAX_ENTRIES} files and folders: name the folders with manifests");
            self.lose(folder.to_owned(), why);
        }
        if self.spent.is_too_much() {
            let why = "it takes too much to hold its files to its ignore rules: name the folders with manifests";
            self.lose(folder.to_owned(), why.to_owned());
        }
    }

    fn reading<'w>(&'w mut self, access: &'w Access) -> Reading<'w> {
        Reading {
            access,
            spent: &mut self.spent,
            notes: &mut self.found.notes,
        }
    }

    /// What is wanted of a folder, in the order of names.
    fn look_into(&mut self, folder: &Folder, access: &Access) -> io::Result<Vec<Next>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&folder.path)? {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                break;
            }
            let entry = entry?;
            let of = entry.file_type()?;
            entries.push(Entry {
                name: entry.file_name(),
                is_folder: of.is_dir(),
                is_link: of.is_symlink(),
                // And not a FIFO, a socket or a device.
                is_file: of.is_file(),
            });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let names: HashSet<&OsString> = entries.iter().map(|it| &it.name).filter(|it| is_hidden(it)).collect();
        let ignores = Ignores::of(&folder.ignores, &folder.real, &mut self.reading(access), |it| {
            names.contains(&OsString::from(it))
        });
        // Another repository in this one.
        let is_root = folder.depth > 0 && self.hidden == Hidden::Tracked && names.contains(&OsString::from(".git"));
        let tracked = if is_root {
            Tracked::of(&folder.real, access)
        } else {
            folder.tracked.clone()
        };
        let folder = &Folder {
            ignores,
            tracked,
            path: folder.path.clone(),
            real: folder.real.clone(),
            depth: folder.depth,
            around: folder.around.clone(),
        };
        let mut below = Vec::new();
        for entry in entries {
            // Not even if a rule wants it: git itself never takes what has this name.
            if dotgit::is_git_name(&entry.name) {
                continue;
            }
            // What was collected is found by its lock. Nobody here edits it.
            if entry.name == lock::FOLDER {
                continue;
            }
            // Most files of a repository, which need no path.
            if entry.is_file && !(self.is_wanted)(Path::new(&entry.name)) {
                continue;
            }
            let path = folder.path.join(&entry.name);
            let real = folder.real.join(&entry.name);
            if entry.is_folder || entry.is_link || entry.is_file {
                self.spent.try_all(folder.ignores.wild);
                if self.spent.is_too_much() {
                    break;
                }
            }
            // What a rule wants is seen even if it is hidden.
            let is_unseen = self.hidden == Hidden::Tracked && is_hidden(&entry.name) && !folder.tracked.holds(&real);
            let decide = |is_folder| folder.ignores.decide(&real, is_folder);
            let is_ignored = |is_folder| decide(is_folder).unwrap_or(is_unseen);
            if entry.is_link {
                let Links::Within(roots) = self.links else { continue };
                if is_ignored(true) && is_ignored(false) {
                    continue;
                }
                let Some(is_folder) = self.target(&path, roots) else {
                    continue;
                };
                if is_ignored(is_folder) {
                    continue;
                }
                self.found.has_links = true;
                if !is_folder {
                    if (self.is_wanted)(&path) {
                        below.push(Next::File(path));
                    }
                    continue;
                }
                if let Some(folder) = self.linked_folder(folder, path, real) {
                    below.push(Next::Folder(folder));
                }
            } else if entry.is_folder {
                if is_ignored(true) {
                    if decide(true).is_none() {
                        self.found.hidden.push(path);
                    }
                    continue;
                }
                let around = match &folder.around {
                    None => None,
                    Some(above) => Some(around(&path, Some(above.clone()))?),
                };
                if let Some(folder) = self.deeper(folder, path, real, around) {
                    below.push(Next::Folder(folder));
                }
            } else if entry.is_file {
                match decide(false) {
                    Some(true) => {}
                    None if is_unseen => self.found.hidden.push(path),
                    _ => below.push(Next::File(path)),
                }
            }
        }
        Ok(below)
    }

    /// Whether a link leads to a folder; `None` if it is not to be followed, which is said where it matters.
    fn target(&mut self, path: &Path, roots: &Roots) -> Option<bool> {
        let absolute = std::path::absolute(path).ok()?;
        let asked = roots
            .resolve(&absolute)
            .and_then(|it| Ok(fs::symlink_metadata(it)?.file_type()));
        match asked {
            Ok(of) if of.is_dir() => Some(true),
            Ok(of) if of.is_file() => Some(false),
            // A FIFO or a device: the same without a link is not looked at either.
            Ok(_) => None,
            Err(why) if (self.is_wanted)(path) => {
                self.lose(path.to_owned(), why.to_string());
                None
            }
            Err(Unread::Outside { .. }) => {
                self.outward.push(path.to_owned());
                None
            }
            Err(why @ Unread::OfGit(_)) => {
                if self.found.notes.len() < MAX_PROBLEMS {
                    self.found.notes.push(Problem {
                        path: path.to_owned(),
                        why: why.to_string(),
                    });
                }
                None
            }
            Err(_) => None,
        }
    }

    /// A folder that a link leads to, unless it leads to one that the link is in.
    fn linked_folder(&mut self, folder: &Folder, path: PathBuf, real: PathBuf) -> Option<Folder> {
        self.linked += 1;
        if self.linked > MAX_LINKS {
            if self.linked == MAX_LINKS + 1 {
                let why = format!("more than {MAX_LINKS} links lead to folders: only the first ones are followed");
                self.lose(path, why);
            }
            return None;
        }
        let above = match &folder.around {
            Some(above) => Some(above.clone()),
            None => all_around(&folder.path, folder.depth),
        };
        let Ok(around) = around(&path, above) else {
            self.lose(path, "the folder that it leads to cannot be looked at".to_owned());
            return None;
        };
        let mut above = around.above.as_deref();
        while let Some(it) = above {
            // The walk is in that folder already.
            if it.id == around.id {
                return None;
            }
            above = it.above.as_deref();
        }
        self.deeper(folder, path, real, Some(around))
    }

    fn deeper(&mut self, folder: &Folder, path: PathBuf, real: PathBuf, around: Option<Arc<Around>>) -> Option<Folder> {
        let depth = folder.depth + 1;
        if depth > MAX_DEPTH {
            self.lose(path, format!("it is more than {MAX_DEPTH} folders deep"));
            return None;
        }
        Some(Folder {
            path,
            real,
            depth,
            ignores: folder.ignores.clone(),
            tracked: folder.tracked.clone(),
            around,
        })
    }

    fn lose(&mut self, path: PathBuf, why: String) {
        if self.found.problems.len() < MAX_PROBLEMS {
            self.found.problems.push(Problem { path, why });
        }
    }

    /// Says which links were not followed because they lead out.
    fn tell_outward(&mut self, folder: &Path) {
        let (Links::Within(roots), n) = (self.links, self.outward.len()) else {
            return;
        };
        if n == 0 {
            return;
        }
        let named = self
            .outward
            .iter()
            .take(MAX_NAMED)
            .map(|it| format!("`{}`", it.display()));
        let names = named.collect::<Vec<_>>().join(", ");
        let more = match n.saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (s, lead) = if n == 1 { ("", "leads") } else { ("s", "lead") };
        self.found.notes.push(Problem {
            path: folder.to_owned(),
            why: format!("the link{s} {names}{more} {lead} out of {roots}: what is there is not checked"),
        });
    }
}

/// Whether a name is one that is not shown.
fn is_hidden(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().first() == Some(&b'.')
}

/// A folder, and those that it is in.
fn around(path: &Path, above: Option<Arc<Around>>) -> io::Result<Arc<Around>> {
    Ok(Arc::new(Around { id: id(path)?, above }))
}

/// A folder of a walk and all that it is in, up to where the walk began.
fn all_around(path: &Path, depth: usize) -> Option<Arc<Around>> {
    let mut folders: Vec<&Path> = path.ancestors().take(depth + 1).collect();
    folders.reverse();
    folders
        .into_iter()
        .fold(None, |above, it| around(it, above.clone()).ok().or(above))
}

#[cfg(unix)]
fn id(path: &Path) -> io::Result<Id> {
    use std::os::unix::fs::MetadataExt as _;
    let found = fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn id(path: &Path) -> io::Result<Id> {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    fs::canonicalize(path)?.hash(&mut hasher);
    Ok((0, hasher.finish()))
}
