//! Files are the new text or the old one, with all that they were besides.
#![cfg(unix)]

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use super::*;

/// A folder with a file `a.yaml` in it, which has the text `old`.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.yaml");
    fs::write(&path, "old").expect("a file");
    (folder, path)
}

/// Replaces `old` by `new`.
fn write(path: &Path) -> Result<(), Unwritten> {
    replace(path, &Access::Named, b"old", b"new")
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
        // Not every file system has them.
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
    let unfinished = Unfinished::new(&path, b"new", OWN_MODE).expect("a file beside it");
    // An editor saves: it renames a new file over the old one.
    fs::write(folder.path().join("b"), "edited").expect("a file");
    fs::rename(folder.path().join("b"), &path).expect("it can be renamed");
    let done = unfinished.replace(&path, &mut file, &found, b"old");
    assert!(matches!(done, Err(Unwritten::Changed)), "{done:?}");
    assert_eq!(fs::read(&path).expect("a file"), b"edited");
    assert_eq!(names(folder.path()), ["a.yaml"]);
    // Another one writes into the file.
    let mut file = File::open(&path).expect("a file");
    let found = file.metadata().expect("it has attributes");
    let unfinished = Unfinished::new(&path, b"new", OWN_MODE).expect("a file beside it");
    fs::write(&path, "edited again").expect("it can be written");
    let done = unfinished.replace(&path, &mut file, &found, b"edited");
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
    assert!(made.to_string().contains("outside of"), "{made}");
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
    replace(&long, &Access::Named, b"new", b"newer").expect("it is replaced");
    let usual = folder.path().join("usual");
    fs::write(&usual, "").expect("a file");
    let mode = |it: &Path| fs::metadata(it).expect("a file").mode();
    assert_eq!(mode(&long), mode(&usual));
    assert_eq!(names(folder.path()).len(), 3);
    // The name is taken between the look and the end.
    let unfinished = Unfinished::new(&path, b"new", NEW_MODE).expect("a file beside it");
    assert!(matches!(unfinished.name(&path), Err(Unwritten::Exists)));
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
    // A link in place of a file is replaced, one in place of a folder refused.
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
