//! Compares everything that two binaries answer: the subcommands in all their formats, and what an editor is told. A change that means to keep
//! behaviour runs it against the binary from before, and explains each difference that is left.

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

/// Two binaries over the same folders.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The binary from before the change.
    #[arg(long, value_name = "BINARY")]
    against: PathBuf,
    /// The binary with the change. Default: this checkout's, built for it.
    #[arg(long, value_name = "BINARY")]
    binary: Option<PathBuf>,
    /// Folders to compare over. Default: the examples and test trees of this repository, and the corpus if it is there.
    folders: Vec<PathBuf>,
    /// How many files of a folder are asked about one by one, on the command line and in an editor. The seed chooses them.
    #[arg(long, default_value_t = 40)]
    files: usize,
    /// The places in each of these files at which an editor asks for hovers, completions and the like.
    #[arg(long, default_value_t = 12)]
    places: usize,
    /// The seed; a fresh one if absent.
    #[arg(long)]
    seed: Option<u64>,
    /// Print at most this many different lines of an answer.
    #[arg(long, default_value_t = 6)]
    lines: usize,
    /// Compare the subcommands only.
    #[arg(long, conflicts_with = "only_editors")]
    only_commands: bool,
    /// Compare what editors are told only.
    #[arg(long)]
    only_editors: bool,
}

/// What one binary answered, by question. A question names the folder, so that a person can ask it again.
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
        // Side by side: the binaries share nothing but the files, which neither writes.
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

/// Prints the answers that differ. Returns how many do.
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
