//! The sections of `doctor` about this machine: the program, git, kubectl and editors. `doctor` runs git and no other program, and never a program
//! from the repository.

use std::{
    env,
    path::{Path, PathBuf},
};

use crd_analyzer_io::{
    git::Revision,
    program::{NotFound, SearchPath, is_same},
};
use crd_analyzer_schema::KubernetesVersion;
use serde_json::{Value, json};

use crate::{
    cli::version::COMMIT,
    output::doctor::{Line, Section, State},
};

/// The program name that editors use to start the language server.
const PROGRAM: &str = env!("CARGO_PKG_NAME");

/// Editors, with the names of their executables.
const EDITORS: [(&str, &[&str]); 4] = [
    ("VS Code", &["code", "code-insiders", "codium", "cursor"]),
    ("Neovim", &["nvim"]),
    ("Helix", &["hx", "helix"]),
    ("Emacs", &["emacs"]),
];

/// The search path for programs, without folders in the repository.
fn search_path(root: Option<&Path>) -> SearchPath {
    let workspace: Vec<PathBuf> = root.into_iter().map(Path::to_owned).collect();
    SearchPath::new(&workspace)
}

/// The section about the running program and the program that editors would start.
pub(super) fn program(root: Option<&Path>) -> Section {
    let version = env!("CARGO_PKG_VERSION");
    let (oldest, newest) = (KubernetesVersion::OLDEST, KubernetesVersion::NEWEST);
    let own = env::current_exe().ok();
    let shown = own
        .as_deref()
        .map_or_else(String::new, |it| format!(": {}", it.display()));
    let commit = COMMIT.map_or_else(String::new, |it| format!(" (commit {it})"));
    let this = format!("crd-analyzer {version}{commit} answers for Kubernetes {oldest} to {newest}{shown}");
    let found = search_path(root).find(PROGRAM);
    Section {
        name: "program",
        title: "Program",
        facts: json!({
            "version": version,
            "commit": COMMIT,
            "kubernetes": {"oldest": oldest.to_string(), "newest": newest.to_string()},
            "path": own,
            "in_path": found.as_ref().ok(),
        }),
        lines: vec![Line::new(State::Good, this), in_path(own.as_deref(), &found)],
    }
}

fn in_path(own: Option<&Path>, found: &Result<PathBuf, NotFound>) -> Line {
    match (found, own) {
        (Ok(found), Some(own)) if is_same(found, own) => {
            let text = format!("`{PROGRAM}` in PATH is this program");
            Line::new(State::Good, text)
        }
        (Ok(found), _) => {
            let text = format!(
                "`{PROGRAM}` in PATH is another program, and editors start that one: {}",
                found.display()
            );
            let help = format!(
                "run `{} --version`, and remove the program that you don't want",
                found.display()
            );
            Line::new(State::Note, text).help(help)
        }
        (Err(why), own) => {
            let line = Line::new(State::Note, format!("{why}. Editors start the program from PATH"));
            match own.and_then(Path::parent) {
                Some(folder) => line.help(format!(
                    "add `{}` to PATH, or name the program in the settings of your editor",
                    folder.display()
                )),
                None => line,
            }
        }
    }
}

/// The section about git and the repository around the folder.
pub(super) fn git(folder: &Path, root: Option<&Path>) -> Section {
    let program = search_path(root).find("git");
    let mut commit = None;
    let line = match (&program, root) {
        (_, None) => Line::new(
            State::Note,
            "this folder is not in a git repository, so `--old-ref` does not work",
        ),
        (Err(why), Some(_)) => {
            let help = "install git to compare files with earlier versions: `check --old-ref`, `compat`, and editors";
            Line::new(State::Note, why.to_string()).help(help)
        }
        (Ok(program), Some(root)) => match Revision::new("HEAD").commit(&folder.join("-")) {
            Ok(of_head) => {
                let text = format!(
                    "{} reads the repository {}, which is at commit {of_head}",
                    program.display(),
                    root.display()
                );
                commit = Some(of_head);
                Line::new(State::Good, text)
            }
            Err(why) => {
                let text = format!("crd-analyzer cannot compare with earlier commits: {why}");
                Line::new(State::Note, text)
            }
        },
    };
    Section {
        name: "git",
        title: "Git",
        facts: json!({"program": program.ok(), "repository": root, "commit": commit}),
        lines: vec![line],
    }
}

/// The section about kubectl and the kubeconfig that a connection to a cluster would use.
pub(super) fn cluster(root: Option<&Path>) -> Section {
    let program = search_path(root).find("kubectl");
    let files = kubeconfig();
    let line = match &program {
        Ok(program) if files.is_empty() => {
            let text = format!("{} is there, but no kubeconfig", program.display());
            Line::new(State::Note, text)
        }
        Ok(program) => {
            let named: Vec<String> = files.iter().map(|it| it.display().to_string()).collect();
            let text = format!(
                "{} is there, with {}. `check --from-cluster` would ask it; `doctor` does not contact a cluster",
                program.display(),
                named.join(", ")
            );
            Line::new(State::Good, text)
        }
        Err(why) => Line::new(
            State::Note,
            format!("{why}. Only `check --from-cluster` and the setting `cluster` need it"),
        ),
    };
    Section {
        name: "cluster",
        title: "Cluster",
        facts: json!({"kubectl": program.ok(), "kubeconfig": files}),
        lines: vec![line],
    }
}

/// The existing kubeconfig files that kubectl reads.
fn kubeconfig() -> Vec<PathBuf> {
    let named = env::var_os("KUBECONFIG").filter(|it| !it.is_empty());
    let files: Vec<PathBuf> = match named {
        Some(named) => env::split_paths(&named).collect(),
        None => env::home_dir().into_iter().map(|it| it.join(".kube/config")).collect(),
    };
    files.into_iter().filter(|it| it.is_file()).collect()
}

/// The section about the editors that can start the language server.
pub(super) fn editors(root: Option<&Path>) -> Section {
    let path = search_path(root);
    let mut lines = Vec::new();
    let mut facts = Vec::new();
    for (editor, programs) in EDITORS {
        let found = programs.iter().find_map(|it| path.find(it).ok());
        if let Some(program) = &found {
            lines.push(Line::new(State::Good, format!("{editor}: {}", program.display())));
        }
        facts.push(json!({"name": editor, "program": found}));
    }
    if lines.is_empty() {
        let names: Vec<&str> = EDITORS.iter().map(|it| it.0).collect();
        let text = format!("none of {} is in PATH", names.join(", "));
        lines.push(Line::new(State::Note, text));
    }
    Section {
        name: "editors",
        title: "Editors",
        lines,
        facts: Value::Array(facts),
    }
}
