//! Reads files. Only regular files up to a size limit are read, and links must not lead outside of some folders.
//!
//! The type of a file is checked twice. The first check, by path, is before the file is opened, because opening a device may have effects. The second
//! check, on the open file, is before a byte is read, because the path may refer to another file by then. Reading never blocks, because FIFOs are
//! rejected.

use std::{
    fs::{self, File, FileType, Metadata},
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

pub use crate::roots::exists;
pub use crate::unread::Unread;
use crate::{
    absolute::absolute,
    dotgit,
    elsewhere::Elsewhere,
    regular::{contents, opened, regular},
    roots::Roots,
};

pub use crate::elsewhere::Kind;

/// The maximum size, in bytes, of a manifest that the user has named. Offsets have 32 bits, and a manifest that the API server accepts (3 MiB) is far
/// smaller.
pub const NAMED_BYTES: u64 = 1 << 30;

/// The maximum size, in bytes, of a manifest that was found in a folder.
pub const FOUND_BYTES: u64 = 64 << 20;

/// The maximum size, in bytes, of a settings file, such as a configuration, ignore rules or a `go.mod`.
pub const SETTINGS_BYTES: u64 = 128 << 10;

/// Why a file is read. This determines how far its links may lead.
#[derive(Clone, Debug)]
pub enum Access {
    /// The user has named the file, so its links may lead anywhere.
    Named,
    /// The file was found in a folder, or a file in a repository names it. Its links may lead only into these folders.
    Within(Arc<Roots>),
    /// The file is not on disk, but for example in a git revision. Links are not followed there.
    Elsewhere(Arc<dyn Elsewhere>),
}

impl Access {
    /// The maximum size of a manifest, in bytes.
    pub fn manifest_bytes(&self) -> u64 {
        match self {
            Self::Named => NAMED_BYTES,
            Self::Within(_) | Self::Elsewhere(_) => FOUND_BYTES,
        }
    }
}

/// Whether an absolute path leads to a file that can be read more than once. For example, a pipe from a shell can be read only once.
pub fn can_be_read_again(path: &Path, access: &Access) -> bool {
    kind(path, access).is_ok_and(|(kind, found)| {
        let is_elsewhere = matches!(access, Access::Elsewhere(_));
        kind == Kind::File && (is_elsewhere || fs::metadata(found).is_ok_and(|it| it.is_file()))
    })
}

/// The kind of the file or folder at an absolute path, and its path after following links. Links are followed as far as the access allows.
///
/// # Errors
/// If the target is neither a file nor a folder, does not exist, is outside, or belongs to git.
pub fn kind(path: &Path, access: &Access) -> Result<(Kind, PathBuf), Unread> {
    let (of, path) = match access {
        Access::Named => {
            let of = fs::metadata(path)?.file_type();
            if !is_inherited_pipe(path, of) {
                dotgit::refuse(path)?;
            }
            (of, path.to_owned())
        }
        Access::Within(roots) => {
            let path = roots.resolve(path)?;
            (fs::symlink_metadata(&path)?.file_type(), path)
        }
        Access::Elsewhere(files) => {
            let kind = files.kind(path).map_err(Unread::Elsewhere)?;
            return Ok((kind.ok_or_else(missing)?, path.to_owned()));
        }
    };
    if of.is_dir() {
        return Ok((Kind::Folder, path));
    }
    if !is_inherited_pipe(&path, of) {
        regular(of)?;
    }
    Ok((Kind::File, path))
}

/// The sorted paths of the entries directly in a folder. Empty if the folder cannot be read.
pub fn files_in(folder: &Path, roots: &Roots) -> Vec<PathBuf> {
    let entries = entries_in(folder, roots).into_iter();
    entries.map(|it| it.0).collect()
}

/// Like [`files_in`], but also returns the type of each entry. Does not follow links.
pub(crate) fn entries_in(folder: &Path, roots: &Roots) -> Vec<(PathBuf, Option<FileType>)> {
    let Ok(entries) = roots.resolve(folder).and_then(|it| Ok(fs::read_dir(it)?)) else {
        return Vec::new();
    };
    let entries = entries.take(MAX_LISTED).flatten();
    let mut found: Vec<_> = entries.map(|it| (it.path(), it.file_type().ok())).collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

/// Like [`files_in`], for any access. If the folder is not on disk, returns only the wanted files.
pub(crate) fn files_of(folder: &Path, access: &Access, is_wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    match access {
        Access::Named => files_in(folder, &Roots::new([folder])),
        Access::Within(roots) => files_in(folder, roots),
        Access::Elsewhere(files) => {
            let is_here = |it: &Path| it.parent() == Some(folder) && is_wanted(it);
            files.files(folder, &is_here).unwrap_or_default().files
        }
    }
}

/// The maximum number of entries to read from a folder.
const MAX_LISTED: usize = 100_000;

/// Resolves the links in a file's path, so that [`found`] can read it.
pub fn real(file: PathBuf) -> PathBuf {
    let is_link = fs::symlink_metadata(&file).is_ok_and(|it| it.is_symlink());
    let real = is_link.then(|| fs::canonicalize(&file).ok()).flatten();
    real.unwrap_or(file)
}

/// Whether a path that the user has named leads to a folder.
pub fn is_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| it.is_dir())
}

/// Whether a path that the user has named leads to a regular file.
pub fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| it.is_file())
}

/// Identifies a version of a file by its modification time and size.
pub type Stamp = (Option<SystemTime>, u64);

/// The stamp of a file. `None` if it is not a regular file, is a link, or is too large.
pub fn stamp(path: &Path) -> Option<Stamp> {
    let found = fs::symlink_metadata(path).ok()?;
    (found.is_file() && found.len() <= FOUND_BYTES).then(|| (found.modified().ok(), found.len()))
}

/// When a folder was last changed: a file in it was added, replaced or removed. `None` if it is not a folder.
pub fn folder_time(path: &Path) -> Option<SystemTime> {
    let found = fs::symlink_metadata(path).ok()?;
    found.is_dir().then(|| found.modified().ok()).flatten()
}

/// The content of a file, which may have at most `most` bytes.
pub fn bytes(path: &Path, access: &Access, most: u64) -> Result<Vec<u8>, Unread> {
    bytes_if(path, access, most, |path, is_plain| {
        if is_plain {
            dotgit::refuse_plain(path)
        } else {
            dotgit::refuse(path)
        }
    })
}

/// Like [`bytes`], but also reads git's own files.
pub(crate) fn bytes_of_git(path: &Path, access: &Access, most: u64) -> Result<Vec<u8>, Unread> {
    bytes_if(path, access, most, |_, _| Ok(()))
}

/// Checks whether a file may be read, before it is opened. Receives a path that the access allows, and whether that path is known not to be a link.
type MayRead = fn(&Path, bool) -> Result<(), Unread>;

fn bytes_if(path: &Path, access: &Access, most: u64, may_read: MayRead) -> Result<Vec<u8>, Unread> {
    if let Access::Elsewhere(files) = access {
        let bytes = files.read(path).map_err(Unread::Elsewhere)?;
        let bytes = bytes.ok_or_else(missing)?;
        return if bytes.len() as u64 > most {
            Err(Unread::TooLarge(most))
        } else {
            Ok(bytes)
        };
    }
    let (file, found) = open(path, access, may_read)?;
    contents(&file, found.len(), most)
}

/// The error for a file that does not exist.
fn missing() -> Unread {
    io::Error::new(io::ErrorKind::NotFound, "the revision does not have it").into()
}

/// Like [`bytes`], for a file that must contain UTF-8.
pub fn text(path: &Path, access: &Access, most: u64) -> Result<String, Unread> {
    String::from_utf8(bytes(path, access, most)?).map_err(|_| Unread::NotText)
}

/// The content of a manifest that a walk has found. The walk does not follow links, so the manifest itself must not be a link.
pub fn found(path: &Path) -> Result<Vec<u8>, Unread> {
    regular(fs::symlink_metadata(path)?.file_type())?;
    dotgit::refuse_plain(path)?;
    let (file, found) = opened(path, false)?;
    contents(&file, found.len(), FOUND_BYTES)
}

/// Opens a file, and returns its metadata.
fn open(path: &Path, access: &Access, may_read: MayRead) -> Result<(File, Metadata), Unread> {
    match access {
        Access::Named => {
            if is_standard_stream(path) {
                return Err(Unread::StandardInput);
            }
            let of = fs::metadata(path)?.file_type();
            if is_inherited_pipe(path, of) {
                let file = File::open(path)?;
                let found = file.metadata()?;
                return Ok((file, found));
            }
            regular(of)?;
            may_read(path, false)?;
            opened(path, true)
        }
        Access::Within(roots) => {
            let of = fs::symlink_metadata(path)?.file_type();
            if !of.is_symlink() {
                regular(of)?;
                may_read(path, true)?;
                return opened(path, false);
            }
            let path = roots.follow(&absolute(path)?)?;
            regular(fs::symlink_metadata(&path)?.file_type())?;
            may_read(&path, false)?;
            opened(&path, false)
        }
        Access::Elsewhere(_) => Err(Unread::Special("a file that is not on disk")),
    }
}

/// Whether a path is the standard input, output or error of this program. Another part of the program reads that input.
fn is_standard_stream(path: &Path) -> bool {
    if !cfg!(unix) {
        return false;
    }
    let names = ["/dev/stdin", "/dev/stdout", "/dev/stderr"];
    names.iter().any(|it| path == Path::new(it)) || descriptor(path).is_some_and(|it| it < 3)
}

/// Whether a path is a pipe that this program has inherited from its parent process, as shells use for `<(command)`.
fn is_inherited_pipe(path: &Path, of: FileType) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        of.is_fifo() && descriptor(path).is_some_and(|it| it > 2)
    }
    #[cfg(not(unix))]
    {
        let _ = (path, of);
        false
    }
}

/// The number of the file descriptor that a path such as `/dev/fd/3` names.
fn descriptor(path: &Path) -> Option<u32> {
    let name = ["/dev/fd", "/proc/self/fd"]
        .iter()
        .find_map(|it| path.strip_prefix(it).ok())?;
    name.to_str()?.parse().ok()
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        os::unix::{fs::symlink, net::UnixListener},
        process::Command,
    };

    use super::*;

    /// A repository that contains these links, a file, a FIFO and a socket. A secret file is beside it.
    fn repository(links: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("repository");
        fs::create_dir_all(root.join(".git")).expect("folders");
        fs::create_dir_all(root.join("sub/below")).expect("folders");
        fs::write(root.join("sub/file"), "text").expect("a file");
        fs::write(folder.path().join("secret"), "secret").expect("a file");
        let made = Command::new("mkfifo").arg(root.join("fifo")).status();
        assert!(made.expect("mkfifo runs").success());
        UnixListener::bind(root.join("socket")).expect("a socket");
        for (name, target) in links {
            symlink(target, root.join(name)).expect("a link");
        }
        (folder, root)
    }

    fn within(root: &Path) -> Access {
        Access::Within(Arc::new(Roots::new([root])))
    }

    #[track_caller]
    fn check(path: &Path, access: &Access, expected: Result<&str, &str>) {
        let read = bytes(path, access, 1000);
        match (read, expected) {
            (Ok(bytes), Ok(text)) => assert_eq!(String::from_utf8_lossy(&bytes), text),
            (Err(why), Err(words)) => assert!(why.to_string().contains(words), "{}: {why}", path.display()),
            (read, _) => panic!("{}: {read:?}", path.display()),
        }
    }

    #[test]
    fn only_regular_files_are_read() {
        let (_folder, root) = repository(&[]);
        for access in [Access::Named, within(&root)] {
            check(&root.join("sub/file"), &access, Ok("text"));
            check(&root.join("sub"), &access, Err("it is a folder"));
            check(&root.join("fifo"), &access, Err("it is a FIFO"));
            check(&root.join("socket"), &access, Err("it is a socket"));
            check(&root.join("none"), &access, Err("No such file"));
            check(Path::new("/dev/zero"), &access, Err("it is a device"));
            check(Path::new("/dev/full"), &access, Err("it is a device"));
        }
        check(Path::new("/dev/stdin"), &Access::Named, Err("use `-`"));
        check(Path::new("/dev/fd/0"), &Access::Named, Err("use `-`"));
        check(Path::new("/proc/self/fd/2"), &Access::Named, Err("use `-`"));
        #[cfg(target_os = "linux")]
        {
            check(Path::new("/proc/self/environ"), &Access::Named, Err("virtual file"));
            check(Path::new("/proc/kmsg"), &Access::Named, Err(""));
            check(
                Path::new("/sys/kernel/uevent_seqnum"),
                &Access::Named,
                Err("virtual file"),
            );
        }
    }

    #[test]
    fn no_more_is_read_than_the_bound() {
        let (_folder, root) = repository(&[]);
        let path = root.join("large");
        fs::write(&path, "x".repeat(1000)).expect("a file");
        check(&path, &Access::Named, Ok(&"x".repeat(1000)));
        fs::write(&path, "x".repeat(1001)).expect("a file");
        check(&path, &Access::Named, Err("more than 1000 bytes"));
        // The limit applies even if the declared size is smaller.
        let file = File::open(&path).expect("a file");
        assert!(matches!(contents(&file, 0, 1000), Err(Unread::TooLarge(1000))));
        let file = File::open(&path).expect("a file");
        assert_eq!(contents(&file, 0, 2000).expect("it is small enough").len(), 1001);
    }

    #[test]
    fn links_lead_no_further_than_they_may() {
        let links = [
            ("inside", "sub/file"),
            ("twice", "sub/below/../../inside"),
            ("sub/up", ".."),
            ("outside", "../secret"),
            ("sub/far", "up/up/../secret"),
            ("absolute", "/etc/passwd"),
            ("zero", "/dev/zero"),
            ("pipe", "fifo"),
            ("stdin", "/proc/self/fd/0"),
            ("nowhere", "none"),
            ("round", "round"),
            ("ping", "pong"),
            ("pong", "ping"),
            ("folder", "sub"),
        ];
        let (folder, root) = repository(&links);
        symlink(root.join("sub/file"), root.join("own")).expect("a link");
        symlink(root.join("sub/../../secret"), root.join("disguised")).expect("a link");
        let access = within(&root);
        for (name, expected) in [
            ("inside", Ok("text")),
            ("twice", Ok("text")),
            ("own", Ok("text")),
            ("outside", Err("outside of")),
            ("disguised", Err("outside of")),
            ("sub/far", Err("")),
            ("absolute", Err("leads to `/etc/passwd`, which is outside of")),
            ("zero", Err("outside of")),
            ("stdin", Err("outside of")),
            ("pipe", Err("it is a FIFO")),
            ("nowhere", Err("No such file")),
            ("round", Err("in a circle")),
            ("ping", Err("in a circle")),
            ("folder", Err("it is a folder")),
        ] {
            check(&root.join(name), &access, expected);
        }
        // A path that the user has named may lead anywhere.
        check(&root.join("outside"), &Access::Named, Ok("secret"));
        check(&root.join("pipe"), &Access::Named, Err("it is a FIFO"));
        // It does not matter in which root the link leads to a file.
        let both = Access::Within(Arc::new(Roots::new([root.as_path(), folder.path()])));
        check(&root.join("outside"), &both, Ok("secret"));
        check(&root.join("disguised"), &both, Ok("secret"));
    }

    #[test]
    fn what_a_path_leads_to_is_asked_of_folders_inside_only() {
        let links = [("folder", "sub"), ("out", ".."), ("share", "/net/elsewhere/x")];
        let (_folder, root) = repository(&links);
        let access = within(&root);
        assert_eq!(
            kind(&root.join("folder/below"), &access).expect("inside"),
            (Kind::Folder, root.join("sub/below"))
        );
        assert_eq!(
            kind(&root.join("folder/file"), &access).expect("inside"),
            (Kind::File, root.join("sub/file"))
        );
        for path in ["out/secret", "share/y", "../secret", "fifo"] {
            assert!(kind(&root.join(path), &access).is_err(), "{path}");
        }
        assert!(kind(Path::new("/"), &access).is_err());
    }
}
