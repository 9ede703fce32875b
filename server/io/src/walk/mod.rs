//! Walks over folders and finds files that git would not ignore. The command line and the language server both use this walk.
//!
//! A walk opens only folders and files with ignore rules, all through [`crate::read`]. It stops at limits on entries, depth and links, and reports
//! when it does.

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

/// The maximum number of files and folders that a walk visits.
const MAX_ENTRIES: usize = 1_000_000;
/// The maximum depth of nested folders.
const MAX_DEPTH: usize = 128;
/// The maximum number of links to folders that a walk follows. Each may lead to a folder with more links.
const MAX_LINKS: usize = 1_000;
/// The maximum number of problems that a walk reports.
const MAX_PROBLEMS: usize = 100;
/// The maximum number of links to name in a message.
const MAX_NAMED: usize = 5;

/// How a walk treats links.
#[derive(Clone, Debug)]
pub enum Links {
    /// Follow links that stay within these folders.
    Within(Arc<Roots>),
    /// Skip links.
    Skip,
}

/// How a walk treats hidden files and folders, whose names start with a dot.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Hidden {
    /// Visit only those that git tracks.
    #[default]
    Tracked,
    /// Visit all of them.
    All,
}

/// The result of a walk.
#[derive(Default, Debug)]
pub struct Walked {
    /// The files, sorted by path. The files in a folder are at the position of the folder.
    pub files: Vec<PathBuf>,
    /// The paths that could not be visited, so that files may be missing.
    pub problems: Vec<Problem>,
    /// Notes that may interest the user.
    pub notes: Vec<Problem>,
    /// The hidden folders and hidden wanted files that were skipped.
    pub hidden: Vec<PathBuf>,
    /// Whether a link was followed. If so, the same file may occur under two paths.
    pub has_links: bool,
}

/// A problem or note about a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The path, which starts like the path of the folder that is walked.
    pub path: PathBuf,
    /// The message, a sentence for the user.
    pub why: String,
}

/// The wanted files in a folder and its subfolders, without files that git ignores. `links` says how to treat links. `is_wanted` receives a name, or
/// a path that ends with the name.
pub fn files(folder: &Path, links: &Links, hidden: Hidden, is_wanted: impl Fn(&Path) -> bool) -> Walked {
    let mut files = Vec::new();
    let walked = each(folder, links, hidden, is_wanted, &mut |it| files.push(it));
    Walked { files, ..walked }
}

/// Like [`files`], but passes each file to `take` during the walk and does not collect them.
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
        of_git: Vec::new(),
        found: Walked::default(),
    };
    walk.run(folder);
    walk.tell_of_links(folder);
    walk.found
}

/// Whether a file may contain manifests, judging by its name. Includes `Kustomization` without an extension, which kustomize reads.
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
    /// The function that receives each file.
    take: &'a mut dyn FnMut(PathBuf),
    links: &'a Links,
    hidden: Hidden,
    is_wanted: &'a dyn Fn(&Path) -> bool,
    entries: usize,
    /// The part of the limits on ignore rules that is used.
    spent: Spent,
    linked: usize,
    /// Links that lead outside. They may lead to folders.
    outward: Vec<PathBuf>,
    /// Links that were not followed because they lead to files of git.
    of_git: Vec<PathBuf>,
    found: Walked,
}

/// A folder to visit.
struct Folder {
    path: PathBuf,
    /// The same path, but starting with the real path of the folder that is walked. Ignore rules are matched against this path.
    real: PathBuf,
    depth: usize,
    ignores: Arc<Ignores>,
    /// The files that git tracks in the repository that contains the folder.
    tracked: Arc<Tracked>,
    /// The folders that contain this one, for detecting links that lead back to them. Empty until the walk follows a link.
    around: Option<Arc<Around>>,
}

/// A folder that contains the folder being visited.
struct Around {
    id: Id,
    above: Option<Arc<Around>>,
}

/// A number that identifies a folder, whatever its path is.
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
                        // Add the entries in reverse order, so that the first one is on top of the stack.
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
                // This is false for FIFOs, sockets and devices.
                is_file: of.is_file(),
            });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let names: HashSet<&OsString> = entries.iter().map(|it| &it.name).filter(|it| is_hidden(it)).collect();
        let ignores = Ignores::of(&folder.ignores, &folder.real, &mut self.reading(access), |it| {
            names.contains(&OsString::from(it))
        });
        // A subfolder may be a repository of its own.
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
            // Skip `.git` even if a rule includes it, because git never tracks files with this name.
            if dotgit::is_git_name(&entry.name) {
                continue;
            }
            // Skip collected CRDs. Their lock file lists them, and people do not edit them.
            if entry.name == lock::FOLDER {
                continue;
            }
            // Most files of a repository are skipped here, before their path is created.
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
            // A rule of an ignore file can include hidden files.
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

    /// Whether a link leads to a folder. `None` if the link must not be followed. Reports that if the link may lead to a wanted file.
    fn target(&mut self, path: &Path, roots: &Roots) -> Option<bool> {
        let absolute = std::path::absolute(path).ok()?;
        let asked = roots
            .resolve(&absolute)
            .and_then(|it| Ok(fs::symlink_metadata(it)?.file_type()));
        match asked {
            Ok(of) if of.is_dir() => Some(true),
            Ok(of) if of.is_file() => Some(false),
            // A FIFO or a device would be skipped even without a link.
            Ok(_) => None,
            Err(why) if (self.is_wanted)(path) => {
                self.lose(path.to_owned(), why.to_string());
                None
            }
            Err(Unread::Outside { .. }) => {
                self.outward.push(path.to_owned());
                None
            }
            Err(Unread::OfGit(_)) => {
                self.of_git.push(path.to_owned());
                None
            }
            Err(_) => None,
        }
    }

    /// The folder to which a link leads. `None` if that folder contains the link.
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
            // The walk is already inside the folder, so do not visit it again.
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

    /// Reports the links that were not followed because they lead outside or to files of git.
    fn tell_of_links(&mut self, folder: &Path) {
        let mut tell = |links: &[PathBuf], target: &str| {
            if links.is_empty() {
                return;
            }
            let named = links.iter().take(MAX_NAMED).map(|it| format!("`{}`", it.display()));
            let names = named.collect::<Vec<_>>().join(", ");
            let more = match links.len().saturating_sub(MAX_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let (s, lead) = if links.len() == 1 { ("", "leads") } else { ("s", "lead") };
            self.found.notes.push(Problem {
                path: folder.to_owned(),
                why: format!("the link{s} {names}{more} {lead} {target}: what is there is not checked"),
            });
        };
        if let Links::Within(roots) = self.links {
            tell(&self.outward, &format!("out of {roots}"));
        }
        tell(&self.of_git, "to what belongs to git");
    }
}

/// Whether a file with this name is hidden.
fn is_hidden(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().first() == Some(&b'.')
}

/// Links a folder to the folders that contain it.
fn around(path: &Path, above: Option<Arc<Around>>) -> io::Result<Arc<Around>> {
    Ok(Arc::new(Around { id: id(path)?, above }))
}

/// Links a folder to all folders that contain it, up to the folder where the walk started.
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
