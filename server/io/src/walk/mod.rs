//! Walks over folders, as git would see the files. The command line and the language server both use this walk.
//!
//! A walk opens only folders and ignore rules, both through [`crate::read`]. It stops at limits on entries, depth and links, and
//! reports that.

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

/// The maximum number of files and folders that one walk visits.
const MAX_ENTRIES: usize = 1_000_000;
/// The maximum depth of nested folders.
const MAX_DEPTH: usize = 128;
/// The maximum number of links to folders that one walk follows: each may lead to a folder with more links.
const MAX_LINKS: usize = 1_000;
/// The maximum number of problems that one walk reports.
const MAX_PROBLEMS: usize = 100;
/// The maximum number of links named in a message.
const MAX_NAMED: usize = 5;

/// How a walk treats links.
#[derive(Clone, Debug)]
pub enum Links {
    /// Follow links that stay within these folders.
    Within(Arc<Roots>),
    /// Skip links.
    Skip,
}

/// How a walk treats hidden files and folders, whose names begin with a dot.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Hidden {
    /// Visit those that git tracks.
    #[default]
    Tracked,
    /// Visit all of them.
    All,
}

/// The result of a walk.
#[derive(Default, Debug)]
pub struct Walked {
    /// The files, sorted by path; a folder's files are at the folder's position.
    pub files: Vec<PathBuf>,
    /// What could not be visited: files may be missing.
    pub problems: Vec<Problem>,
    /// Notes that may interest the user.
    pub notes: Vec<Problem>,
    /// Hidden folders and hidden wanted files that were skipped.
    pub hidden: Vec<PathBuf>,
    /// Whether a link was followed, so that the same file may have two paths.
    pub has_links: bool,
}

/// A problem or note about a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The path, spelled like the walk's folder.
    pub path: PathBuf,
    /// The message, a sentence for the user.
    pub why: String,
}

/// The wanted files in a folder and its subfolders that git would not ignore. `links`: whether to include link targets. `is_wanted` gets a
/// name, or a path that ends with it.
pub fn files(folder: &Path, links: &Links, hidden: Hidden, is_wanted: impl Fn(&Path) -> bool) -> Walked {
    let mut files = Vec::new();
    let walked = each(folder, links, hidden, is_wanted, &mut |it| files.push(it));
    Walked { files, ..walked }
}

/// Like [`files`], but passes each file to `take` during the walk instead of collecting them.
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

/// Whether a file may contain manifests, by its name. kustomize also reads `Kustomization` without an extension.
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
    /// The callback for each file.
    take: &'a mut dyn FnMut(PathBuf),
    links: &'a Links,
    hidden: Hidden,
    is_wanted: &'a dyn Fn(&Path) -> bool,
    entries: usize,
    /// The part of the limits on ignore rules used so far.
    spent: Spent,
    linked: usize,
    /// Links that lead outside, possibly to folders.
    outward: Vec<PathBuf>,
    found: Walked,
}

/// A folder to visit.
struct Folder {
    path: PathBuf,
    /// The same path below the real path of the walk's start; ignore rules are matched against this one.
    real: PathBuf,
    depth: usize,
    ignores: Arc<Ignores>,
    /// The files that git tracks in the folder's repository.
    tracked: Arc<Tracked>,
    /// The folders that contain this one, to detect links back to them. Empty until the walk follows a link.
    around: Option<Arc<Around>>,
}

/// A folder that contains other visited folders.
struct Around {
    id: Id,
    above: Option<Arc<Around>>,
}

/// The identity of a folder, independent of its path.
type Id = (u64, u64);

/// An entry of a folder, and its type.
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
                        // Reversed, so that the first entry is on top of the stack.
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

    /// The wanted entries of a folder, sorted by name.
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
                // Excludes FIFOs, sockets and devices.
                is_file: of.is_file(),
            });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let names: HashSet<&OsString> = entries.iter().map(|it| &it.name).filter(|it| is_hidden(it)).collect();
        let ignores = Ignores::of(&folder.ignores, &folder.real, &mut self.reading(access), |it| {
            names.contains(&OsString::from(it))
        });
        // A nested repository.
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
            // Even if a rule includes it: git itself never tracks files with this name.
            if dotgit::is_git_name(&entry.name) {
                continue;
            }
            // Collected CRDs are found by their lock file, and nobody edits them.
            if entry.name == lock::FOLDER {
                continue;
            }
            // Most files of a repository end here, without building their path.
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
            // A rule can include hidden files.
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

    /// Whether a link leads to a folder; `None` if it must not be followed, which is reported if it matters.
    fn target(&mut self, path: &Path, roots: &Roots) -> Option<bool> {
        let absolute = std::path::absolute(path).ok()?;
        let asked = roots
            .resolve(&absolute)
            .and_then(|it| Ok(fs::symlink_metadata(it)?.file_type()));
        match asked {
            Ok(of) if of.is_dir() => Some(true),
            Ok(of) if of.is_file() => Some(false),
            // A FIFO or a device is skipped without a link too.
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

    /// The folder that a link leads to, unless that folder contains the link.
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
            // The walk is already inside that folder.
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

    /// Reports the links that were not followed because they lead outside.
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

/// Whether a name belongs to a hidden file.
fn is_hidden(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().first() == Some(&b'.')
}

/// A folder, linked to the folders that contain it.
fn around(path: &Path, above: Option<Arc<Around>>) -> io::Result<Arc<Around>> {
    Ok(Arc::new(Around { id: id(path)?, above }))
}

/// A folder of a walk, linked to all folders that contain it up to the walk's start.
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
