//! Tests that a file has either the new text or the old text, and that it keeps its attributes.
#![cfg(unix)]

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use std::fs;

use super::*;

/// A folder that contains a file `a.yaml` with the text `old`.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.yaml");
    fs::write(&path, "old").expect("a file");
    (folder, path)
}

/// Replaces the text `old` with `new`.
fn write(path: &Path) -> Result<(), Unwritten> {
    replace(path, &Access::Named, b"old", b"new", Replaceable::Data)
}

#[track_caller]
fn refused(path: &Path, words: &str) {
    let why = write(path).expect_err("it is refused").to_string();
    assert!(why.contains(words), "{why}");
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> = entries
        .map(|it| it.expect("an entry").file_name().display().to_string())
        .collect();
    names.sort();
    names
}

#[test]
fn only_the_text_changes() {
    let (folder, path) = folder();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a mode");
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&path, Some(1234), Some(2345)).expect("an owner");
    }
    let before = fs::metadata(&path).expect("a file");
    write(&path).expect("it is replaced");
    let after = fs::metadata(&path).expect("a file");
    assert_eq!(fs::read(&path).expect("a file"), b"new");
    let kept = |it: &Metadata| (it.mode(), it.uid(), it.gid());
    assert_eq!(kept(&after), kept(&before));
    assert_ne!(after.ino(), before.ino());
    assert_eq!(names(folder.path()), ["a.yaml"]);
}

#[cfg(target_os = "linux")]
#[test]
fn extended_attributes_are_kept() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let (_folder, path) = folder();
    if setxattr(&path, "user.note", b"kept", XattrFlags::empty()).is_err() {
        // Some file systems do not support extended attributes.
        return;
    }
    write(&path).expect("it is replaced");
    let mut value = [0; 10];
    let n = getxattr(&path, "user.note", &mut value).expect("it is there");
    assert_eq!(&value[..n], b"kept");
}

#[test]
fn what_somebody_else_wrote_stays() {
    let (folder, path) = folder();
    fs::write(&path, "other").expect("a file");
    refused(&path, "somebody else has changed it");
    fs::write(&path, "ol").expect("a file");
    refused(&path, "somebody else has changed it");
    fs::remove_file(&path).expect("it can be removed");
    refused(&path, "No such file");
    fs::create_dir(&path).expect("a folder");
    refused(&path, "it is a folder");
    assert_eq!(names(folder.path()), ["a.yaml"]);
}

#[test]
fn what_is_written_at_the_last_moment_is_given_back() {
    let (folder, path) = folder();
    let mut file = File::open(&path).expect("a file");
    let found = file.metadata().expect("it has attributes");
    let open = Folder::at(&fs::canonicalize(folder.path()).expect("a real path")).expect("a folder");
    let name = OsStr::new("a.yaml");
    let unfinished = Unfinished::new(&open, name, b"new", OWN_MODE).expect("a file beside it");
    // An editor saves a file by renaming a new file to its name.
    fs::write(folder.path().join("b"), "edited").expect("a file");
    fs::rename(folder.path().join("b"), &path).expect("it can be renamed");
    let done = unfinished.replace(name, &mut file, &found, b"old");
    assert!(matches!(done, Err(Unwritten::Changed)), "{done:?}");
    assert_eq!(fs::read(&path).expect("a file"), b"edited");
    assert_eq!(names(folder.path()), ["a.yaml"]);
    // Another program writes into the file.
    let mut file = File::open(&path).expect("a file");
    let found = file.metadata().expect("it has attributes");
    let unfinished = Unfinished::new(&open, name, b"new", OWN_MODE).expect("a file beside it");
    fs::write(&path, "edited again").expect("it can be written");
    let done = unfinished.replace(name, &mut file, &found, b"edited");
    assert!(matches!(done, Err(Unwritten::Changed)), "{done:?}");
    assert_eq!(fs::read(&path).expect("a file"), b"edited again");
    assert_eq!(names(folder.path()), ["a.yaml"]);
}

#[test]
fn links_are_followed_inside_and_stay() {
    let (folder, path) = folder();
    let repository = folder.path().join("repository");
    fs::create_dir_all(repository.join(".git")).expect("folders");
    fs::create_dir_all(repository.join("sub")).expect("folders");
    fs::write(repository.join("b.yaml"), "old").expect("a file");
    symlink("../b.yaml", repository.join("sub/inside.yaml")).expect("a link");
    symlink(&path, repository.join("outside.yaml")).expect("a link");
    symlink("..", repository.join("up")).expect("a link");
    symlink("none.yaml", repository.join("dangling.yaml")).expect("a link");
    write(&repository.join("sub/inside.yaml")).expect("it is replaced");
    assert!(
        fs::symlink_metadata(repository.join("sub/inside.yaml"))
            .expect("a link")
            .is_symlink()
    );
    assert_eq!(fs::read(repository.join("b.yaml")).expect("a file"), b"new");
    refused(&repository.join("outside.yaml"), "outside of");
    refused(&repository.join("up/a.yaml"), "outside of");
    refused(&repository.join("dangling.yaml"), "No such file");
    assert_eq!(fs::read(&path).expect("a file"), b"old");
    let made = create(&repository.join("dangling.yaml"), b"new").expect_err("it is refused");
    assert!(matches!(made, Unwritten::Exists), "{made}");
    let made = create(&repository.join("up/c.yaml"), b"new").expect_err("it is refused");
    assert!(matches!(made, Unwritten::Link(_)), "{made}");
    assert_eq!(names(folder.path()), ["a.yaml", "repository"]);
}

#[test]
fn what_is_not_to_be_written_is_not() {
    let (folder, path) = folder();
    fs::hard_link(&path, folder.path().join("b.yaml")).expect("a name");
    refused(&path, "it has 2 names");
    fs::remove_file(folder.path().join("b.yaml")).expect("it can be removed");
    let other = File::open(&path).expect("a file");
    rustix::fs::flock(&other, rustix::fs::FlockOperation::LockExclusive).expect("a lock");
    refused(&path, "another program has locked it");
    drop(other);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("a mode");
    refused(&path, "it is read-only");
    assert_eq!(fs::read(&path).expect("a file"), b"old");
    assert_eq!(names(folder.path()), ["a.yaml"]);
}

#[test]
fn new_files_take_no_name_that_is_there() {
    let (folder, path) = folder();
    assert!(matches!(create(&path, b"new"), Err(Unwritten::Exists)));
    assert_eq!(fs::read(&path).expect("a file"), b"old");
    let long = folder.path().join(format!("{}.yaml", "\u{e4}".repeat(125)));
    create(&long, b"new").expect("it is made");
    assert_eq!(fs::read(&long).expect("a file"), b"new");
    replace(&long, &Access::Named, b"new", b"newer", Replaceable::Data).expect("it is replaced");
    let usual = folder.path().join("usual");
    fs::write(&usual, "").expect("a file");
    let mode = |it: &Path| fs::metadata(it).expect("a file").mode();
    assert_eq!(mode(&long), mode(&usual));
    assert_eq!(names(folder.path()).len(), 3);
    // Somebody takes the name between the check and the rename.
    let open = Folder::at(&fs::canonicalize(folder.path()).expect("a real path")).expect("a folder");
    let unfinished = Unfinished::new(&open, OsStr::new("a.yaml"), b"new", NEW_MODE).expect("a file beside it");
    assert!(matches!(unfinished.name(OsStr::new("a.yaml")), Err(Unwritten::Exists)));
    assert_eq!(fs::read(&path).expect("a file"), b"old");
}

#[test]
fn the_cache_folder_is_not_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let outside = folder.path().join("outside");
    fs::create_dir_all(&outside).expect("a folder");
    let cache = CacheFolder::new(folder.path().join("new/cache"));
    let keep = |name: &str, text: &str| cache.keep(Path::new(name), text.as_bytes());
    let path = keep("1.0/codes/a.md", "page").expect("it is written");
    assert_eq!(fs::read(&path).expect("a file"), b"page");
    let before = fs::metadata(&path).expect("a file").ino();
    keep("1.0/codes/a.md", "page").expect("it is there");
    assert_eq!(fs::metadata(&path).expect("a file").ino(), before);
    keep("1.0/codes/a.md", "other").expect("it is replaced");
    assert_eq!(fs::read(&path).expect("a file"), b"other");
    assert_eq!(names(path.parent().expect("a folder")), ["a.md"]);
    // If a file is a link, the link is replaced. If a folder is a link, it is rejected.
    fs::write(outside.join("b.md"), "theirs").expect("a file");
    symlink(outside.join("b.md"), path.with_file_name("b.md")).expect("a link");
    keep("1.0/codes/b.md", "page").expect("it is written");
    assert_eq!(fs::read(outside.join("b.md")).expect("a file"), b"theirs");
    assert_eq!(fs::read(path.with_file_name("b.md")).expect("a file"), b"page");
    symlink(&outside, cache.path().join("2.0")).expect("a link");
    assert!(keep("2.0/a.md", "page").is_err());
    assert!(keep("2.0/codes/a.md", "page").is_err());
    assert!(keep("../a.md", "page").is_err());
    assert!(cache.retain(Path::new("2.0"), |_| false).is_err());
    assert_eq!(names(&outside), ["b.md"]);
    cache
        .retain(Path::new("1.0/codes"), |it| it == "b.md")
        .expect("it is cleaned");
    assert_eq!(names(path.parent().expect("a folder")), ["b.md"]);
    cache.retain(Path::new("none"), |_| false).expect("there need be none");
    fs::set_permissions(cache.path().join("1.0"), fs::Permissions::from_mode(0o777)).expect("a mode");
    assert!(keep("1.0/codes/c.md", "page").is_err(), "others may write there");
}

/// A repository with a file, folders and links. A folder `outside` is beside it.
fn repository() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("repository");
    for it in [".git/hooks", "sub/below"] {
        fs::create_dir_all(root.join(it)).expect("folders");
    }
    fs::create_dir(folder.path().join("outside")).expect("a folder");
    for it in [".git/config", "data", "sub/data", "../outside/data"] {
        fs::write(root.join(it), "old").expect("a file");
    }
    for (target, name) in [
        ("data", "link"),
        ("none", "dangling"),
        (".git/config", "config"),
        (".git/hooks/pre-commit", "hook"),
        ("../outside/data", "out"),
        ("sub", "folder"),
        ("below", "sub/folder"),
        ("../outside", "away"),
        ("../data", "sub/up"),
    ] {
        symlink(target, root.join(name)).expect("a link");
    }
    (folder, root)
}

/// The content of each file in a folder, without following links.
fn texts(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let of = fs::symlink_metadata(&path).expect("it is there");
            if of.is_dir() {
                folders.push(path);
            } else if of.is_file() {
                found.push((path.clone(), fs::read(path).expect("a file")));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn output_goes_through_no_link() {
    let (folder, root) = repository();
    let before = texts(folder.path());
    for name in [
        "link",
        "dangling",
        "config",
        "hook",
        "out",
        "folder/data",
        "folder/new",
        "sub/folder/new",
        "folder/below/new",
        "sub/../folder/new",
        "away/data",
        "away/new",
        "sub/up",
    ] {
        let why = put(&root.join(name), b"new", Replaceable::Executables).expect_err(name);
        assert!(matches!(why, Unwritten::Link(_)), "{name}: {why}");
        let made = create(&root.join(name), b"new").expect_err(name);
        assert!(matches!(made, Unwritten::Link(_) | Unwritten::Exists), "{name}: {made}");
    }
    for name in [".git/config", ".git/new", ".git/hooks/pre-commit", "sub/../.git/new"] {
        let why = put(&root.join(name), b"new", Replaceable::Executables).expect_err(name);
        assert!(matches!(why, Unwritten::Unread(Unread::OfGit(_))), "{name}: {why}");
    }
    assert_eq!(texts(folder.path()), before);
    for name in ["data", "sub/new", "sub/../sub/below/new", "sub/data"] {
        put(&root.join(name), b"new", Replaceable::Data).expect(name);
        assert_eq!(fs::read(root.join(name)).expect("a file"), b"new");
    }
}

#[test]
fn output_below_a_folder_goes_through_no_link() {
    let (folder, root) = repository();
    let before = texts(folder.path());
    // The user may name a link inside the repository, but not one that leads outside or to git.
    for name in ["away", ".git", ".git/hooks", ".git/new", "data", "none/new"] {
        assert!(OutputFolder::open(&root.join(name)).is_err(), "{name}");
    }
    let opened = OutputFolder::open(&root).expect("a folder");
    for name in [
        "link",
        "hook",
        "config",
        "folder/new",
        "sub/folder/new",
        "away/new",
        ".git/new",
        "../new",
        "/new",
    ] {
        let why = opened
            .put(Path::new(name), b"new", Replaceable::Executables)
            .expect_err(name);
        let is_right = matches!(
            why,
            Unwritten::Link(_) | Unwritten::Unread(Unread::OfGit(_) | Unread::Special(_))
        );
        assert!(is_right, "{name}: {why}");
    }
    assert_eq!(texts(folder.path()), before);
    for (name, below) in [("sub", "a"), ("folder", "b/c"), ("made", "d/e/f"), ("sub/..", "data")] {
        let opened = OutputFolder::open(&root.join(name)).expect(name);
        opened.put(Path::new(below), b"new", Replaceable::Data).expect(below);
        assert_eq!(fs::read(root.join(name).join(below)).expect("a file"), b"new");
    }
}

#[test]
fn what_runs_is_replaced_only_if_the_user_says_so() {
    let (_folder, path) = folder();
    for mode in [0o755, 0o744, 0o611, 0o654] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
        fs::write(&path, "old").expect("a file");
        refused(&path, "it is executable");
        assert!(matches!(
            put(&path, b"new", Replaceable::Data),
            Err(Unwritten::Executable)
        ));
        assert_eq!(fs::read(&path).expect("a file"), b"old");
        put(&path, b"new", Replaceable::Executables).expect("it is replaced");
        assert_eq!(fs::read(&path).expect("a file"), b"new");
        assert_eq!(fs::metadata(&path).expect("a file").mode() & 0o777, mode);
    }
}

#[test]
fn a_link_that_comes_into_the_path_is_not_followed() {
    let (folder, root) = repository();
    let root = fs::canonicalize(root).expect("a real path");
    // The path changes before the folder is opened.
    let real = root.join("sub/below");
    fs::rename(root.join("sub"), root.join("moved")).expect("it can be renamed");
    symlink("../outside", root.join("sub")).expect("a link");
    fs::create_dir(folder.path().join("outside/below")).expect("a folder");
    assert!(Folder::at(&real).is_err());
    // The path changes after the folder is opened. The file is written to the folder that was opened.
    let open = Folder::at(&root.join("moved/below")).expect("a folder");
    fs::rename(root.join("moved/below"), root.join("moved/away")).expect("it can be renamed");
    symlink("../../outside", root.join("moved/below")).expect("a link");
    let unfinished = Unfinished::new(&open, OsStr::new("a"), b"new", NEW_MODE).expect("a file");
    unfinished.name(OsStr::new("a")).expect("it is named");
    assert_eq!(fs::read(root.join("moved/away/a")).expect("a file"), b"new");
    assert_eq!(names(&folder.path().join("outside")), ["below", "data"]);
}
