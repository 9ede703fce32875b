//! Compares the walk with that of ripgrep on random folders, and tests the protections that ripgrep's walk lacks.

use super::*;
use crate::ignore_rules::Bounds;

#[track_caller]
fn check(folder: &Path, files: &[&str], problems: &[&str], notes: &[&str]) {
    let links = Links::Within(Arc::new(Roots::around(folder)));
    let walked = super::files(folder, &links, Hidden::Tracked, is_manifest);
    let below = |it: &PathBuf| it.strip_prefix(folder).expect("below").display().to_string();
    assert_eq!(walked.files.iter().map(below).collect::<Vec<_>>(), files);
    for (found, expected) in [(&walked.problems, problems), (&walked.notes, notes)] {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            let found = format!("{}: {}", found.path.display(), found.why);
            assert!(found.contains(expected), "{found}");
        }
    }
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("a file");
    }
    folder
}

/// The files that ripgrep's walk finds.
fn expected(folder: &Path, follow: bool) -> Vec<PathBuf> {
    let entries = ignore::WalkBuilder::new(folder)
        .require_git(false)
        .follow_links(follow)
        .sort_by_file_path(Path::cmp)
        .build();
    entries
        .flatten()
        .filter(|it| it.file_type().is_some_and(|it| it.is_file()) && is_manifest(it.path()))
        .map(ignore::DirEntry::into_path)
        .collect()
}

/// The manifests in a folder, with these limits on ignore rules.
fn files_within(folder: &Path, bounds: Bounds) -> Walked {
    let mut files = Vec::new();
    let spent = Spent::within(bounds);
    let walked = each_within(folder, &Links::Skip, Hidden::Tracked, &is_manifest, spent, &mut |it| {
        files.push(it);
    });
    Walked { files, ..walked }
}

#[test]
fn it_finds_what_ripgrep_finds() {
    let mut random = 7_u64;
    let mut below = |n: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as usize % n
    };
    let names = [
        "a", "b", ".c", "d.yaml", "e.json", ".f.yaml", "g.txt", "h.yml", "a.yaml",
    ];
    let rules = [
        "a",
        "!a",
        "/a",
        "a/",
        "*.yaml",
        "!d.yaml",
        "b/**",
        "**/e.json",
        "!.f.yaml",
        "!.c",
        "a/b",
        "/b/a/*",
        "# x",
        "\\!a",
        "d.*  ",
        "[",
        "b/*/d.yaml",
        "!/a/b/d.yaml",
        "*",
        "!*/",
        "\u{FEFF}a",
    ];
    let ignores = [".ignore", ".gitignore", ".git/info/exclude"];
    let mut found = 0;
    for _ in 0..30 {
        let folder = tempfile::tempdir().expect("a folder");
        let mut folders = vec![PathBuf::new()];
        for _ in 0..40 {
            let path = folders[below(folders.len())].join(names[below(names.len())]);
            let at = folder.path().join(&path);
            if at.exists() {
                continue;
            }
            if path.extension().is_none() && path.components().count() < 5 {
                fs::create_dir(&at).expect("a folder");
                folders.push(path);
            } else {
                fs::write(&at, "").expect("a file");
            }
        }
        for _ in 0..below(6) {
            let path = folder
                .path()
                .join(&folders[below(folders.len())])
                .join(ignores[below(3)]);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            let lines: Vec<&str> = (0..=below(4)).map(|_| rules[below(rules.len())]).collect();
            fs::write(path, lines.join("\n")).expect("a file");
        }
        #[cfg(unix)]
        for n in 0..below(3) {
            let (at, to) = (&folders[below(folders.len())], &folders[below(folders.len())]);
            let link = folder.path().join(at).join(["l", "l.yaml", "m"][n]);
            std::os::unix::fs::symlink(folder.path().join(to), link).expect("a link");
        }
        for at in folders {
            let at = folder.path().join(at);
            let roots = Arc::new(Roots::new([folder.path()]));
            for (links, follow) in [(Links::Within(roots), true), (Links::Skip, false)] {
                let walked = files(&at, &links, Hidden::Tracked, is_manifest);
                assert_eq!(walked.files, expected(&at, follow), "{}", at.display());
                assert!(walked.notes.is_empty(), "{:?}", walked.notes);
                found += walked.files.len();
            }
        }
    }
    assert!(found > 500, "{found} files");
}

#[cfg(unix)]
#[test]
fn ignore_rules_are_read_like_any_file() {
    use std::os::unix::fs::symlink;
    let folder = folder(&[
        ("a/x.yaml", ""),
        ("b/x.yaml", ""),
        ("c/x.yaml", ""),
        ("d/x.yaml", ""),
        ("e/x.yaml", ""),
        ("f/x.yaml", ""),
        ("rules", "x.yaml\n"),
        ("d/.ignore", &"#\n".repeat(6000)),
        ("e/.gitignore", &"#".repeat(200_000)),
    ]);
    let root = folder.path();
    let made = std::process::Command::new("mkfifo")
        .arg(root.join("a/.gitignore"))
        .status();
    assert!(made.expect("mkfifo runs").success());
    symlink("/dev/zero", root.join("b/.ignore")).expect("a link");
    fs::create_dir_all(root.join("c/.git/info")).expect("folders");
    symlink("/proc/self/fd/0", root.join("c/.git/info/exclude")).expect("a link");
    symlink("../rules", root.join("f/.gitignore")).expect("a link");
    check(
        root,
        &["a/x.yaml", "b/x.yaml", "c/x.yaml", "d/x.yaml", "e/x.yaml"],
        &[],
        &[
            "a/.gitignore: its ignore rules are not used: it is a FIFO",
            "b/.ignore: its ignore rules are not used: it leads to `/dev/zero`",
            "c/.git/info/exclude: its ignore rules are not used: it leads to `/proc/self/fd/0`",
            "d/.ignore: its ignore rules are not used: there are more than 5000",
            "e/.gitignore: its ignore rules are not used: it has more than",
        ],
    );
}

/// Rules with wildcards that match no file.
fn wild(count: usize) -> String {
    let rules: Vec<String> = (0..count).map(|n| format!("no*thing{n}*")).collect();
    rules.join("\n") + "\n"
}

#[test]
fn nested_ignore_rules_count_together() {
    let folder = folder(&[
        (".gitignore", &format!("{}*.json\n", wild(30))),
        ("a/.gitignore", &wild(60)),
        ("a/b/.gitignore", &format!("{}x.yaml\n", wild(20))),
        ("a/b/x.yaml", ""),
        ("a/b/x.json", ""),
        ("c/.ignore", &format!("{}x.yaml\n", wild(10))),
        ("c/x.yaml", ""),
    ]);
    let bounds = Bounds {
        in_a_folder: 100,
        ..Bounds::default()
    };
    let walked = files_within(folder.path(), bounds);
    assert_eq!(walked.files, [folder.path().join("a/b/x.yaml")]);
    let notes: Vec<_> = walked
        .notes
        .iter()
        .map(|it| it.path.ends_with("a/b/.gitignore"))
        .collect();
    assert_eq!(notes, [true], "{:?}", walked.notes);
    assert!(walked.problems.is_empty(), "{:?}", walked.problems);
}

#[test]
fn a_walk_ends_where_its_ignore_rules_take_too_much() {
    let mut files: Vec<(String, String)> = (0..40)
        .map(|n| (format!("{}/{n}.yaml", n / 10), String::new()))
        .collect();
    files.push((".gitignore".to_owned(), wild(400)));
    let folder = folder(
        &files
            .iter()
            .map(|it| (it.0.as_str(), it.1.as_str()))
            .collect::<Vec<_>>(),
    );
    let walk = |tried: usize| {
        let bounds = Bounds {
            tried,
            ..Bounds::default()
        };
        files_within(folder.path(), bounds)
    };
    let whole = walk(44 * 400);
    assert_eq!((whole.files.len(), whole.problems.len()), (40, 0));
    let part = walk(20 * 200);
    assert!(part.files.len() < 30);
    assert!(part.problems[0].why.contains("ignore rules"), "{:?}", part.problems);
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_only() {
    use std::os::unix::fs::symlink;
    let folder = folder(&[
        ("secret.yaml", ""),
        ("repository/a/x.yaml", ""),
        ("repository/.gitignore", "left.yaml\n"),
    ]);
    let root = folder.path().join("repository");
    for (target, name) in [
        ("a", "folder"),
        ("a/x.yaml", "file.yaml"),
        ("../secret.yaml", "out.yaml"),
        ("..", "up"),
        ("../secret.yaml", "LICENSE"),
        ("/dev", "dev"),
        ("/dev/zero", "zero.yaml"),
        ("none", "dangling.yaml"),
        ("none", "dangling"),
        ("../../secret.yaml", "left.yaml"),
        ("..", "a/loop"),
        ("round.yaml", "round.yaml"),
    ] {
        symlink(target, root.join(name)).expect("a link");
    }
    check(
        &root,
        &["a/x.yaml", "file.yaml", "folder/x.yaml"],
        &[
            "dangling.yaml: No such file",
            "out.yaml: it leads to",
            "round.yaml: its links lead in a circle",
            "zero.yaml: it leads to `/dev/zero`",
        ],
        &["repository: the links `"],
    );
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_passed_over() {
    let folder = folder(&[("a.yaml", "")]);
    let made = std::process::Command::new("mkfifo")
        .arg(folder.path().join("b.yaml"))
        .status();
    assert!(made.expect("mkfifo runs").success());
    std::os::unix::net::UnixListener::bind(folder.path().join("c.yaml")).expect("a socket");
    check(folder.path(), &["a.yaml"], &[], &[]);
}

#[cfg(unix)]
#[test]
fn a_walk_ends_where_links_multiply() {
    let folder = folder(&[("0/x.yaml", "")]);
    for n in 1..20 {
        let at = folder.path().join(n.to_string());
        fs::create_dir(&at).expect("a folder");
        for link in 0..4 {
            std::os::unix::fs::symlink(format!("../{}", n - 1), at.join(link.to_string())).expect("a link");
        }
    }
    let links = Links::Within(Arc::new(Roots::around(folder.path())));
    let walked = files(folder.path(), &links, Hidden::Tracked, is_manifest);
    assert!(
        walked.problems.iter().any(|it| it.why.contains("more than 1000 links")),
        "{:?}",
        walked.problems
    );
}

#[test]
fn a_walk_ends_where_folders_are_deep() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut deep = folder.path().to_owned();
    for _ in 0..200 {
        deep.push("d");
    }
    fs::create_dir_all(&deep).expect("folders");
    fs::write(deep.join("x.yaml"), "").expect("a file");
    check(folder.path(), &[], &["it is more than 128 folders deep"], &[]);
}

#[test]
fn a_folder_that_is_not_there_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let walked = files(&folder.path().join("none"), &Links::Skip, Hidden::Tracked, is_manifest);
    assert!(walked.files.is_empty());
    assert_eq!(walked.problems.len(), 1);
}

#[test]
fn hidden_folders_are_named_or_walked() {
    let folder = folder(&[
        (".a/x.yaml", ""),
        (".b.yaml", ""),
        (".c.txt", ""),
        (".d/x.yaml", ""),
        (".gitignore", ".d\n"),
        ("e.yaml", ""),
    ]);
    let root = folder.path();
    let walked = |hidden| files(root, &Links::Skip, hidden, is_manifest);
    let names = |paths: Vec<PathBuf>| -> Vec<String> {
        let below = |it: &PathBuf| it.strip_prefix(root).expect("below").display().to_string();
        paths.iter().map(below).collect()
    };
    let tracked = walked(Hidden::Tracked);
    assert_eq!(names(tracked.files), ["e.yaml"]);
    assert_eq!(names(tracked.hidden), [".a", ".b.yaml"]);
    let all = walked(Hidden::All);
    assert_eq!(names(all.files), [".a/x.yaml", ".b.yaml", "e.yaml"]);
    assert!(all.hidden.is_empty());
    for args in [&["init", "-q"][..], &["add", ".a", ".b.yaml"]] {
        let run = std::process::Command::new("git").args(args).current_dir(root).status();
        assert!(run.expect("git runs").success());
    }
    let tracked = walked(Hidden::Tracked);
    assert_eq!(names(tracked.files), [".a/x.yaml", ".b.yaml", "e.yaml"]);
    assert!(tracked.hidden.is_empty());
    // In a nested repository, its own index determines which files are tracked.
    fs::create_dir_all(root.join("e/.git")).expect("folders");
    fs::create_dir_all(root.join("e/.a")).expect("folders");
    assert_eq!(names(walked(Hidden::Tracked).hidden), ["e/.a"]);
}
