//! Checks that custom resources get the same answers with the CRDs of a cluster as with the files from which these CRDs were created.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::Context as _;
use crd_analyzer_fixtures::answers::{Scope, differences};
use fastrand::Rng;
use serde_json::Value;

use super::{MINOR, Request, ours};
use crate::{peers, resources};

/// The number of CRDs in the cluster.
const DEFINITIONS: usize = 25;

/// Compares the answers and prints the differences. Returns whether all answers are the same.
pub(super) fn run(corpus: &Path, server: &Path, seed: u64) -> anyhow::Result<bool> {
    let analyzer = peers::analyzer()?;
    let mut by_crd = pairs(corpus)?;
    let mut names: Vec<String> = by_crd.keys().cloned().collect();
    Rng::with_seed(seed).shuffle(&mut names);
    names.truncate(DEFINITIONS);
    by_crd.retain(|name, _| names.contains(name));

    let cluster = Cluster::start(corpus, server, names.iter().map(String::as_str))?;
    let of_cluster = |kubeconfig: &Path, files: &[String]| {
        let mut command = check(corpus, &analyzer);
        command.arg("--from-cluster").args(files).env("KUBECONFIG", kubeconfig);
        command
    };
    let all: Vec<String> = by_crd.values().flatten().cloned().collect();
    let theirs = peers::ask(&mut of_cluster(&cluster.kubeconfig, &all), &[])?;
    let mut differing = 0;
    let mut resources = 0;
    for (definition, files) in &by_crd {
        let mut command = check(corpus, &analyzer);
        let ours = peers::ask(command.arg("--crd").arg(definition).args(files), &[])?;
        resources += ours.len();
        for (key, answer) in &ours {
            let scope = Scope {
                without_cel: false,
                bad_values: true,
            };
            let found = differences(theirs.get(key), Some(answer), scope);
            if !found.is_empty() || theirs[key]["unknown"] != answer["unknown"] {
                differing += 1;
                println!("{} [{}] by the cluster: {}", key.0, key.1, found.join("; "));
            }
        }
    }
    println!(
        "{resources} resources by {} definitions of the cluster, {differing} differ",
        names.len()
    );
    anyhow::ensure!(resources > 0, "no resource was judged");

    let stranger = std::fs::read_to_string(&cluster.kubeconfig)?.replace("token: ", "token: x");
    let path = cluster.kubeconfig.with_file_name("stranger");
    std::fs::write(&path, stranger)?;
    let refused = of_cluster(&path, &all).output()?;
    let said = String::from_utf8_lossy(&refused.stderr);
    let is_told = refused.status.code() == Some(3) && said.contains("You must be logged in");
    if !is_told {
        println!("to a stranger: {:?} {said}", refused.status.code());
    }
    Ok(differing == 0 && is_told)
}

fn check(corpus: &Path, analyzer: &Path) -> Command {
    let mut command = Command::new(analyzer);
    let version = format!("1.{MINOR}");
    command
        .args([
            "check",
            "--output",
            "jsonl",
            "--no-config",
            "--kubernetes-version",
            &version,
        ])
        .current_dir(corpus);
    command
}

/// The resources of the corpus by CRD, without CRDs that cannot be created unchanged.
fn pairs(corpus: &Path) -> anyhow::Result<BTreeMap<String, Vec<String>>> {
    let mut by_crd: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (definition, resource) in resources::pairs(corpus)? {
        by_crd.entry(definition).or_default().push(resource);
    }
    let mut seen = std::collections::BTreeSet::new();
    by_crd.retain(|name, _| {
        let Ok(text) = std::fs::read_to_string(corpus.join(name)) else {
            return false;
        };
        let request = Request {
            id: String::new(),
            crd: None,
            text,
            old: None,
            status: false,
        };
        // A cluster can only contain one CRD of each name.
        ours::answer(&request).is_some_and(|it| it.is_accepted() && seen.insert(it.name))
    });
    Ok(by_crd)
}

/// An API server with CRDs. It ends when its standard input is closed.
struct Cluster {
    child: Child,
    kubeconfig: PathBuf,
}

impl Cluster {
    fn start<'a>(corpus: &Path, server: &Path, definitions: impl Iterator<Item = &'a str>) -> anyhow::Result<Self> {
        let mut child = Command::new(server)
            .arg("serve")
            .args(definitions)
            .current_dir(corpus)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take().context("a piped child has a standard output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let told: Value = serde_json::from_str(&line).context("the server did not start")?;
        let kubeconfig = told["kubeconfig"]
            .as_str()
            .context("the server has a kubeconfig")?
            .into();
        Ok(Self { child, kubeconfig })
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // If this fails, the process has already ended.
        let _ = self.child.wait();
    }
}
