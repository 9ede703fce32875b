//! `crd-analyzer init`: offers a configuration and CI steps for a repository.

mod go;
mod offers;
mod pre_commit;

use std::{
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
};

use crd_analyzer_io::{
    absolute::absolute,
    print::{Terminal, tell},
    read, write,
};

use self::offers::{Change, Offer};
use super::{Replacing, Status, UsageError, fix::patch, start};
use crate::input;

/// Show a configuration and CI steps for this repository, or write them
///
/// crd-analyzer shows a configuration, a GitHub workflow if the repository has
/// workflows, and a hook if the repository uses pre-commit. It writes nothing without
/// --write.
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment)]
#[command(after_help = "Examples:
  crd-analyzer init
  crd-analyzer init --write")]
pub(super) struct Args {
    /// The folder of the repository.
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,

    /// Write the files. Other files do not change.
    #[arg(long)]
    write: bool,

    #[command(flatten)]
    replacing: Replacing,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    if !read::is_folder(&args.folder) {
        return Err(UsageError(format!("`{}` is not a folder", args.folder.display())).into());
    }
    let folder = absolute(&args.folder)?;
    let offers = offers::of(&folder)?;
    let mut out = BufWriter::new(io::stdout());
    let mut terminal = Terminal::new(&mut out, false);
    terminal.line(format_args!("{}", start::seen(&args.folder)?))?;
    for offer in &offers {
        terminal.blank()?;
        show(&mut terminal, &args.folder, offer)?;
    }
    terminal.blank()?;
    if let Some(caution) = offers::caution(&offers) {
        terminal.line(&caution)?;
        terminal.blank()?;
    }
    let wanted: Vec<&Offer> = offers.iter().filter(|it| it.change.is_some()).collect();
    if wanted.is_empty() {
        terminal.line("There is nothing to write.")?;
        out.flush()?;
        return Ok(Status::Clean);
    }
    terminal.line(BASELINE)?;
    terminal.blank()?;
    if !args.write {
        terminal.line("Nothing has been written yet. `crd-analyzer init --write` writes this.")?;
        out.flush()?;
        return Ok(Status::Clean);
    }
    out.flush()?;
    let mut status = Status::Clean;
    for offer in wanted {
        let Some(change) = &offer.change else { continue };
        match written(&folder, offer, change, args.replacing) {
            Ok(()) => tell(format_args!("written: {}", name(&args.folder, offer))),
            Err(why) => {
                status = Status::Failed;
                tell(format_args!("error: cannot write {}: {why}", name(&args.folder, offer)));
            }
        }
    }
    Ok(status)
}

/// What to do about the errors that a repository already has.
const BASELINE: &str = "Run `crd-analyzer check` first: the workflow and the hook fail on each error that it reports. \
                        To accept the errors of today, write a baseline and name it there: \
                        `crd-analyzer check --baseline baseline.json --update-baseline`";

fn written(folder: &Path, offer: &Offer, change: &Change, replacing: Replacing) -> Result<(), write::Unwritten> {
    let path = folder.join(&offer.path);
    match &change.before {
        None => write::create(&path, change.after.as_bytes()),
        Some(before) => write::replace(
            &path,
            &input::found_in(folder),
            before.as_bytes(),
            change.after.as_bytes(),
            replacing.replaceable(),
        ),
    }
}

/// The path of a file as people write it.
fn name(folder: &Path, offer: &Offer) -> String {
    input::label(&folder.join(&offer.path))
}

/// Prints the purpose of an offer, and the change that it would make.
fn show(terminal: &mut Terminal<'_>, folder: &Path, offer: &Offer) -> io::Result<()> {
    let name = name(folder, offer);
    terminal.line(format_args!("{name}: {}", offer.why))?;
    if let Some(Change { before, after }) = &offer.change {
        terminal.patch(&patch(&name, before.as_deref().unwrap_or_default(), after))?;
    }
    Ok(())
}
