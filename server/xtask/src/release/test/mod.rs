//! Installs the artefacts of this machine in clean environments, and checks a broken CRD with each.

mod integrations;
mod lab;
mod packages;
mod roots;

use std::{path::Path, time::Instant};

use super::table::Table;
use lab::{Lab, Outcome};

/// A test with its name.
type Test = (&'static str, fn(&Lab<'_>) -> anyhow::Result<Outcome>);

/// The tests in execution order, fast ones first.
const TESTS: &[Test] = &[
    ("checksums", packages::checksums),
    ("the same bytes again", packages::again),
    ("archive in an empty root", roots::archive),
    ("image in its root", roots::image),
    ("wheel by pip", packages::wheel),
    ("wheel by uvx", packages::uvx),
    ("npm package by npm", packages::npm),
    ("launcher by go run", packages::launcher),
    ("Makefile", integrations::makefile),
    ("GitHub Action", integrations::github_action),
    ("GitLab template", integrations::gitlab),
    ("Tekton task", integrations::tekton),
    ("pre-commit hook", integrations::pre_commit),
    ("Debian package by lintian", packages::lintian),
    ("Debian package by dpkg", roots::debian),
];

pub(super) fn run(table: &Table, out: &Path, root: &Path, only: &[String]) -> anyhow::Result<bool> {
    let lab = Lab::new(table, out, root)?;
    let (mut clean, mut ran) = (true, 0);
    println!("| test | bytes | seconds | result |\n|-|-|-|-|");
    for (name, test) in TESTS {
        if !only.is_empty() && !only.iter().any(|it| name.contains(&**it)) {
            continue;
        }
        let begin = Instant::now();
        let outcome = test(&lab);
        let seconds = begin.elapsed().as_secs_f64();
        let (bytes, result) = match outcome {
            Ok(Outcome::Passed { bytes }) => (bytes.to_string(), "passed".to_owned()),
            Ok(Outcome::NotRun { why }) => (String::new(), format!("not run: {why}")),
            Err(error) => {
                clean = false;
                (String::new(), format!("FAILED: {error:#}"))
            }
        };
        ran += 1;
        println!("| {name} | {bytes} | {seconds:.1} | {result} |");
    }
    anyhow::ensure!(ran > 0, "no test has this name");
    Ok(clean)
}
