//! Compares all answers of two binaries: the subcommands in all formats, and the language server's responses. To check a change that must not change
//! behavior, run this against the binary from before the change, and explain each remaining difference.

mod commands;
mod editors;
mod trees;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use similar::{ChangeTag, TextDiff};

use crd_analyzer_conformance::peers;

/// Compare two binaries on the same folders.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The binary from before the change.
    #[arg(long, value_name = "BINARY")]
    against: PathBuf,
    /// The binary with the change. Default: built from this checkout.
    #[arg(long, value_name = "BINARY")]
    binary: Option<PathBuf>,
    /// The folders to use. Default: the examples and test trees of this repository, and the corpus if available.
    folders: Vec<PathBuf>,
    /// The number of files per folder that are checked individually, on the command line and in an editor. The seed chooses them.
    #[arg(long, default_value_t = 40)]
    files: usize,
    /// The number of positions in each of these files for hovers, completions and similar requests.
    #[arg(long, default_value_t = 12)]
    places: usize,
    /// The seed; random by default.
    #[arg(long)]
    seed: Option<u64>,
    /// Print at most this many different lines per answer.
    #[arg(long, default_value_t = 6)]
    lines: usize,
    /// Compare the subcommands only.
    #[arg(long, conflicts_with = "only_editors")]
    only_commands: bool,
    /// Compare the language server's responses only.
    #[arg(long)]
    only_editors: bool,
}

/// The answers of one binary, by request. A request contains the folder, so that a person can repeat it.
type Answers = BTreeMap<String, String>;

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed}");
    let before = absolute(&args.against)?;
    let after = match &args.binary {
        Some(path) => absolute(path)?,
        None => peers::analyzer()?,
    };
    let folders = if args.folders.is_empty() {
        trees::usual()?
    } else {
        args.folders
            .iter()
            .map(|it| absolute(it))
            .collect::<anyhow::Result<_>>()?
    };
    let (mut asked, mut different) = (0, 0);
    for folder in folders {
        let sample = trees::sample(&folder, args.files, seed)?;
        let ask = |binary: &Path| -> anyhow::Result<Answers> {
            let mut answers = Answers::new();
            if !args.only_editors {
                commands::ask(binary, &folder, &sample, &mut answers)?;
            }
            if !args.only_commands {
                editors::ask(binary, &folder, &sample, args.places, seed, &mut answers)?;
            }
            Ok(answers)
        };
        // Both binaries run in parallel, because they only share the files and neither of them writes to the files.
        let (old, new) = std::thread::scope(|scope| {
            let old = scope.spawn(|| ask(&before));
            let new = ask(&after);
            (old.join(), new)
        });
        let old = old
            .ok()
            .context("the thread of the binary from before has panicked")??;
        let new = new?;
        asked += new.len();
        different += compare(&folder, &old, &new, args.lines);
    }
    if asked == 0 {
        bail!("nothing was compared: the folders have no manifests");
    }
    println!("{asked} answers compared, {different} differ");
    Ok(different == 0)
}

/// Prints the answers that differ. Returns their number.
fn compare(folder: &Path, old: &Answers, new: &Answers, lines: usize) -> usize {
    let mut different = 0;
    for (question, now) in new {
        let before = old.get(question).map_or("", String::as_str);
        if before == now {
            continue;
        }
        different += 1;
        println!("\n{}: {question}", folder.display());
        let diff = TextDiff::from_lines(before, now);
        let changes: Vec<_> = diff
            .iter_all_changes()
            .filter(|it| it.tag() != ChangeTag::Equal)
            .collect();
        for change in changes.iter().take(lines) {
            let sign = if change.tag() == ChangeTag::Delete { '-' } else { '+' };
            let line: String = change.value().trim_end().chars().take(400).collect();
            println!("  {sign} {line}");
        }
        if changes.len() > lines {
            println!("  … and {} more lines", changes.len() - lines);
        }
    }
    for question in old.keys().filter(|it| !new.contains_key(*it)) {
        different += 1;
        println!(
            "\n{}: {question}: only the binary from before was asked",
            folder.display()
        );
    }
    different
}

fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    path.canonicalize()
        .with_context(|| format!("cannot find {}", path.display()))
}
