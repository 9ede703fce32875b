//! `crd-analyzer` without a subcommand: prints the manifests that it finds in the current folder, and the commands to run.

use std::{
    collections::BTreeMap,
    io::{self, BufWriter, Write as _},
    path::Path,
};

use crd_analyzer_io::print::Terminal;

use super::{Status, definitions::RunCrds, judge::is_test_file_on_disk, manifests::Settings};
use crate::{
    input::{self, Collected, Reading},
    output::{counted, listed},
};

/// The maximum number of folders with CRDs to list. The rest are counted.
const MOST_FOLDERS: usize = 3;

/// The most useful commands, with descriptions.
const COMMANDS: [(&str, &str); 7] = [
    ("crd-analyzer check", "check everything here as the API server does"),
    ("crd-analyzer check FILE", "check one file"),
    ("crd-analyzer cost", "print what the CEL rules of the CRDs cost"),
    (
        "crd-analyzer explain \"TEXT\"",
        "explain an error by its code or its text",
    ),
    (
        "crd-analyzer init",
        "show a configuration and CI steps for this repository",
    ),
    ("crd-analyzer doctor", "check this installation and this folder"),
    ("crd-analyzer help", "list all subcommands"),
];

/// Prints the start page. Returns an error status, because a script without a subcommand has a mistake.
pub(super) fn run() -> anyhow::Result<Status> {
    let mut out = BufWriter::new(io::stdout());
    let mut terminal = Terminal::new(&mut out, false);
    terminal.line(format_args!(
        "crd-analyzer {} checks Kubernetes CRDs and custom resources without a cluster.",
        env!("CARGO_PKG_VERSION")
    ))?;
    terminal.blank()?;
    terminal.line(format_args!("{}", seen(Path::new("."))?))?;
    terminal.blank()?;
    let widest = COMMANDS.iter().map(|it| it.0.len()).max().unwrap_or(0);
    for (command, what) in COMMANDS {
        terminal.line(format_args!("  {command:widest$}  {what}"))?;
    }
    out.flush()?;
    Ok(Status::Usage)
}

/// A sentence that lists the contents of a folder.
pub(super) fn seen(folder: &Path) -> anyhow::Result<String> {
    let mut configs = Settings::default().configs()?;
    let Collected { mut inputs, .. } = input::collect(&[folder.to_owned()], &Reading::OF_CHECK)?;
    configs.leave_out(&mut inputs)?;
    let crds = RunCrds::of_inputs(&inputs, &mut configs)?.all();
    inputs.retain(|it| !is_test_file_on_disk(it));
    let current = std::env::current_dir()?;
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for crd in &crds {
        let folder = crd.path.parent().unwrap_or(Path::new(""));
        let folder = folder.strip_prefix(&current).unwrap_or(folder);
        let name = if folder.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            folder.display().to_string()
        };
        *folders.entry(name).or_default() += 1;
    }
    let files = counted(inputs.len(), "YAML or JSON file");
    if crds.is_empty() {
        return Ok(format!(
            "This folder has {files} and no CRD. To check custom resources, add their CRDs with `crd-analyzer crds add`, or name them with --crd PATH."
        ));
    }
    let mut named: Vec<(String, usize)> = folders.into_iter().collect();
    named.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), name.clone()));
    let folders = listed(named.iter().map(|it| it.0.as_str()), MOST_FOLDERS, "folder");
    Ok(format!(
        "This folder has {files} and {} with a kind ({folders}).",
        counted(crds.len(), "CRD")
    ))
}
