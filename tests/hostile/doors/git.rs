//! Checks that commands never read or write git's own files, whatever the path or link to these files.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use crate::sandbox::{CRD, RESOURCE, SUITE, Sandbox};

/// A word that occurs in each of git's files.
const SECRET: &str = "hunter2";

/// A path into git's folder. In the tables below, `GIT` is replaced by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// The name of git's folder.
    Name(&'static str),
    /// A link named `link` to `.git`.
    Link,
    /// `.git` is a file that points to the folder `store`.
    File,
    /// `.git` is a link to the folder `store`.
    LinkedFolder,
    /// `.git` is the file of a worktree. The folder `shared` belongs to all worktrees.
    Worktree,
}

const WAYS: &[Way] = &[
    Way::Name(".git"),
    Way::Name(".GIT"),
    Way::Name("git~1"),
    Way::Name(".git::$INDEX_ALLOCATION"),
    Way::Name(".git . ."),
    Way::Name(".g\u{200C}it"),
    Way::Link,
    Way::File,
    Way::LinkedFolder,
    Way::Worktree,
];

impl Way {
    /// The path, and the folder to which it leads.
    fn paths(self) -> (&'static str, &'static str) {
        match self {
            Self::Name(name) => (name, name),
            Self::Link => ("link", ".git"),
            Self::File | Self::LinkedFolder => ("store", "store"),
            Self::Worktree => ("shared", "shared"),
        }
    }
}

/// Files for git's folder: one for each kind of file that crd-analyzer reads or writes.
fn files_of_git() -> Vec<(&'static str, String)> {
    let comment = format!("# {SECRET}\n");
    vec![
        ("config", format!("[core]\n\tpassword = {SECRET}\n")),
        ("crd.yaml", CRD.replace("type: integer", &format!("type: {SECRET}"))),
        ("one.yaml", RESOURCE.replace("size: 3", &format!("size: {SECRET}"))),
        ("good.yaml", CRD.to_owned() + &comment),
        ("fix.yaml", RESOURCE.replace("size: 3", "size: \"3\"") + &comment),
        (
            "a.test.yaml",
            SUITE
                .replace("crd: crd.yaml", "crd: ../crd.yaml")
                .replace("accepted", "rejected")
                + &comment,
        ),
        ("settings.yaml", format!("kubernetesVersions: {SECRET}\n")),
        ("patch.yaml", RESOURCE.replace("size: 3", &format!("size: {SECRET}"))),
        ("kustomization.yaml", "resources: [one.yaml]\n".to_owned()),
        ("list", format!("{SECRET}.yaml\n")),
        ("openapi.json", format!("{{\"definitions\": {{\"{SECRET}\": {{}}}}}}")),
        (
            "baseline.json",
            format!("{{\"version\": 1, \"diagnostics\": [], \"{SECRET}\": 1}}"),
        ),
        ("exceptions.yaml", format!("{SECRET}: 1\n")),
        ("hooks/pre-commit", format!("#!/bin/sh\n# {SECRET}\n")),
    ]
}

fn sandbox(way: Way, files: &[(&str, &str)]) -> Sandbox {
    let (path, folder) = way.paths();
    let sandbox = Sandbox::new(&[
        ("crd.yaml", CRD),
        ("wrong.yaml", &RESOURCE.replace("size: 3", "size: x")),
    ]);
    let at = |name: &str| sandbox.path().join(name);
    match way {
        Way::Name(_) => {}
        Way::Link => symlink(".git", at("link")).expect("a link"),
        Way::File => {
            fs::remove_dir_all(at(".git")).expect("it is there");
            sandbox.write(".git", "gitdir: store\n");
        }
        Way::LinkedFolder => {
            fs::remove_dir_all(at(".git")).expect("it is there");
            symlink("store", at(".git")).expect("a link");
        }
        Way::Worktree => {
            fs::remove_dir_all(at(".git")).expect("it is there");
            sandbox.write(".git", "gitdir: shared/worktrees/here\n");
            sandbox.write("shared/worktrees/here/commondir", "../..\n");
        }
    }
    for (name, text) in files_of_git() {
        sandbox.write(&format!("{folder}/{name}"), text);
    }
    for (name, text) in files {
        sandbox.write(name, text.replace("GIT", path));
    }
    sandbox
}

/// All files below a folder with their content.
fn texts(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.clone(), fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

/// A command that reads or writes a path.
struct Door {
    /// Additional files of the repository.
    files: &'static [(&'static str, &'static str)],
    args: &'static [&'static str],
    /// Standard input.
    input: &'static str,
}

const fn door(args: &'static [&'static str]) -> Door {
    Door {
        files: &[],
        args,
        input: "",
    }
}

const fn with(files: &'static [(&'static str, &'static str)], args: &'static [&'static str]) -> Door {
    Door { files, args, input: "" }
}

/// Commands that would read or write in git's folder. Each command has to report that the path belongs to git.
const DOORS: &[Door] = &[
    // Paths on the command line.
    door(&["check", "GIT/crd.yaml"]),
    door(&["check", "GIT"]),
    door(&["check", "GIT/*.yaml"]),
    door(&["check", "--fix", "GIT/fix.yaml", "--crd", "crd.yaml"]),
    door(&["check", "--fix", "GIT", "--crd", "crd.yaml"]),
    door(&["check", "--crd", "GIT/crd.yaml", "wrong.yaml"]),
    door(&["check", "--config", "GIT/settings.yaml", "crd.yaml"]),
    door(&["check", "--old", "GIT/crd.yaml", "crd.yaml"]),
    door(&["check", "--list", "GIT/list"]),
    door(&["check", "--baseline", "GIT/baseline.json", "crd.yaml"]),
    door(&["compat", "GIT/crd.yaml", "crd.yaml"]),
    door(&["compat", "crd.yaml", "crd.yaml", "--exceptions", "GIT/exceptions.yaml"]),
    door(&["compat", "crd.yaml", "crd.yaml", "--objects", "GIT/one.yaml"]),
    door(&["compat", "crd.yaml", "crd.yaml", "--objects", "GIT"]),
    door(&["convert", "--to", "v1", "--crd", "GIT/crd.yaml", "wrong.yaml"]),
    door(&["convert", "--to", "v1", "--crd", "crd.yaml", "GIT/one.yaml"]),
    door(&["cost", "GIT/crd.yaml"]),
    door(&["docs", "GIT/crd.yaml"]),
    door(&["eval", "self", "--value", "GIT/one.yaml"]),
    door(&["eval", "self", "--schema", "GIT/one.yaml", "--value", "1"]),
    door(&["eval", "self", "--crd", "GIT/crd.yaml", "--value", "{}"]),
    door(&["eval", "self", "--old", "GIT/one.yaml", "--value", "1"]),
    door(&["eval", "@GIT/config"]),
    door(&["eval", "--list", "GIT/list"]),
    door(&["explain", "widget.spec", "--crd", "GIT/crd.yaml"]),
    door(&["schema", "GIT/crd.yaml"]),
    door(&[
        "schema",
        "--format",
        "kustomize",
        "--merge-into",
        "GIT/openapi.json",
        "crd.yaml",
    ]),
    door(&["storage", "GIT/crd.yaml"]),
    door(&["test", "GIT/a.test.yaml"]),
    door(&["test", "--update", "GIT/a.test.yaml"]),
    door(&["test", "--update", "GIT"]),
    door(&["test", "--init", "GIT/good.yaml"]),
    // Lists on standard input.
    Door {
        files: &[],
        args: &["check", "--list", "-"],
        input: "GIT/crd.yaml\n",
    },
    Door {
        files: &[],
        args: &["check", "--list", "-"],
        input: "{\"file\": \"crd.yaml\", \"old\": \"GIT/crd.yaml\"}\n",
    },
    Door {
        files: &[],
        args: &["check", "--list", "-"],
        input: "{\"crd\": \"GIT/crd.yaml\", \"cr\": \"wrong.yaml\"}\n",
    },
    // Paths in files of the repository.
    with(
        &[(".crd-analyzer.yaml", "crds: [GIT/crd.yaml]\n")],
        &["check", "wrong.yaml"],
    ),
    with(
        &[(".crd-analyzer.yaml", "crds: ['GIT/*.yaml']\n")],
        &["check", "wrong.yaml"],
    ),
    with(
        &[(
            "b.test.yaml",
            "crd: GIT/crd.yaml\ntests:\n- {name: one, create: {}, expect: accepted}\n",
        )],
        &["test", "b.test.yaml"],
    ),
    with(
        &[("k/kustomization.yaml", "resources: [../GIT/one.yaml]\n")],
        &["check", "k"],
    ),
    with(&[("k/kustomization.yaml", "resources: [../GIT]\n")], &["check", "k"]),
    with(
        &[(
            "k/kustomization.yaml",
            "components: [../GIT]\nresources: [../wrong.yaml]\n",
        )],
        &["check", "k"],
    ),
    with(
        &[(
            "k/kustomization.yaml",
            "resources: [../wrong.yaml]\npatches: [{path: ../GIT/patch.yaml}]\n",
        )],
        &["check", "k"],
    ),
    with(
        &[(
            "k/kustomization.yaml",
            "resources: [../wrong.yaml]\npatchesStrategicMerge: [../GIT/patch.yaml]\n",
        )],
        &["check", "k"],
    ),
    with(
        &[(
            "k/kustomization.yaml",
            "resources: [../wrong.yaml]\nopenapi: {path: ../GIT/openapi.json}\n",
        )],
        &["check", "k"],
    ),
    with(
        &[(
            "k/kustomization.yaml",
            "resources: [../wrong.yaml]\nreplacements: [{path: ../GIT/one.yaml}]\n",
        )],
        &["check", "k"],
    ),
    with(
        &[(
            "k/kustomization.yaml",
            "resources: [../wrong.yaml]\nconfigurations: [../GIT/one.yaml]\n",
        )],
        &["check", "k"],
    ),
    with(
        &[(
            "k/kustomization.yaml",
            "resources: [../wrong.yaml]\nconfigMapGenerator: [{name: c, files: [c=../GIT/config]}]\n",
        )],
        &["check", "k"],
    ),
    with(
        &[(
            "k/kustomization.yaml",
            "resources: [../wrong.yaml]\nsecretGenerator: [{name: c, envs: [../GIT/config]}]\n",
        )],
        &["check", "-o", "jsonl", "k"],
    ),
    // Output files.
    door(&["check", "-o", "sarif=GIT/hooks/pre-commit", "wrong.yaml"]),
    door(&["check", "-o", "sarif=GIT/hooks/post-commit", "wrong.yaml"]),
    door(&["check", "--output-file", "GIT/config", "wrong.yaml"]),
    door(&["check", "--output-file", "GIT/new", "wrong.yaml"]),
    door(&["check", "--baseline", "GIT/new.json", "--update-baseline", "wrong.yaml"]),
    door(&["docs", "crd.yaml", "--output-dir", "GIT"]),
    door(&["docs", "crd.yaml", "--output-dir", "GIT/hooks"]),
    door(&["docs", "crd.yaml", "--output-dir", "GIT/new"]),
    door(&["schema", "crd.yaml", "--format", "json-schema", "--output-dir", "GIT"]),
    door(&[
        "schema",
        "crd.yaml",
        "--format",
        "json-schema",
        "--output-dir",
        "GIT/new",
    ]),
];

#[test]
fn no_door_leads_into_git() {
    WAYS.par_iter().for_each(|way| {
        let path = way.paths().0;
        for door in DOORS {
            let sandbox = sandbox(*way, door.files);
            let before = texts(&sandbox.path());
            let args: Vec<_> = door.args.iter().map(|it| it.replace("GIT", path)).collect();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let outcome = sandbox.run_with_input(&args, door.input.replace("GIT", path).as_bytes());
            let said = outcome.on_one_line();
            // Output may already be rejected because of the link.
            let is_link = *way == Way::Link && said.contains("/link` is a link");
            assert!(
                is_link || said.contains("belongs to git"),
                "{way:?}, {args:?}: {outcome:#?}"
            );
            assert!(!said.contains(SECRET), "{way:?}, {args:?}: {outcome:#?}");
            assert!(texts(&sandbox.path()) == before, "{way:?}, {args:?} has written");
        }
    });
}

#[test]
fn each_door_is_open_elsewhere() {
    // The same commands work with another folder, which shows that the table is valid.
    for door in DOORS {
        let way = Way::Name("other");
        let sandbox = sandbox(way, door.files);
        let args: Vec<_> = door.args.iter().map(|it| it.replace("GIT", "other")).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let before = texts(&sandbox.path());
        let outcome = sandbox.run_with_input(&args, door.input.replace("GIT", "other").as_bytes());
        outcome.never_says("belongs to git");
        for words in ["file does not exist", "kustomize-not-built", "No such file"] {
            let is_list = args.contains(&"--list");
            assert!(
                is_list || !outcome.stdout.contains(words) && !outcome.stderr.contains(words),
                "{args:?}: {outcome:#?}"
            );
        }
        let writes = [
            "-o",
            "--output-file",
            "--update-baseline",
            "--output-dir",
            "--fix",
            "--update",
            "--init",
        ];
        let writes = args.iter().any(|it| writes.contains(it)) && !args.contains(&"jsonl");
        assert_eq!(texts(&sandbox.path()) != before, writes, "{args:?}: {outcome:#?}");
    }
}

#[test]
fn no_link_leads_a_walk_into_git() {
    for (target, name) in [(".git/one.yaml", "a.yaml"), ("../.git/one.yaml", "sub/a.yaml")] {
        let sandbox = sandbox(Way::Name(".git"), &[("sub/two.yaml", RESOURCE)]);
        symlink(target, sandbox.path().join(name)).expect("a link");
        for args in [&["check", "."][..], &["check", "--fix", "."], &["check", name]] {
            let outcome = sandbox.run(args);
            outcome.expect(3, &[name]).never_says(SECRET);
            assert!(outcome.on_one_line().contains("belongs to git"), "{outcome:#?}");
        }
    }
    // The test uses a link to `.git`, and an ignore rule that includes `.git`.
    let sandbox = sandbox(Way::Name(".git"), &[(".gitignore", "!.git\n!.git/**\n")]);
    symlink(".git", sandbox.path().join("folder")).expect("a link");
    let outcome = sandbox.run(&["check", "."]);
    outcome.expect(1, &["folder", "2 files"]).never_says(SECRET);
    assert!(outcome.on_one_line().contains("belongs to git"), "{outcome:#?}");
}

#[test]
fn the_language_server_reads_nothing_of_git() {
    let kustomization = "resources: [wrong.yaml]\nconfigMapGenerator: [{name: c, files: [c=GIT/config]}]\n";
    for way in WAYS {
        let path = way.paths().0;
        let files = [
            (".crd-analyzer.yaml", "crds: [GIT/crd.yaml]\n"),
            ("kustomization.yaml", kustomization),
            ("go.mod", "module example.com/x\n"),
        ];
        let sandbox = sandbox(*way, &files);
        symlink(format!("{path}/one.yaml"), sandbox.path().join("a.yaml")).expect("a link");
        symlink(path, sandbox.path().join("api")).expect("a link");
        let before = texts(&sandbox.path());
        let text = kustomization.replace("GIT", path);
        let outcome = sandbox.session_until("kustomization.yaml", &text, "belongs to git");
        outcome.expect(0, &[]).never_says(SECRET);
        sandbox
            .session("wrong.yaml", RESOURCE)
            .expect(0, &[])
            .never_says(SECRET);
        assert!(texts(&sandbox.path()) == before, "{way:?}");
    }
}
