//! `crd-analyzer doctor`: whether this installation works, and what is found in a folder.

mod configuration;
mod found;
mod machine;

use std::{
    io::{self, BufWriter, Write as _},
    path::PathBuf,
};

use crd_analyzer_io::{absolute::absolute, git, read};

use super::{Status, UsageError, manifests::Settings};
use crate::{
    input::{self, Reading},
    output::{
        self,
        doctor::{Format, Section},
    },
};

/// Check this installation and what crd-analyzer finds in a folder.
///
/// crd-analyzer looks at the program, the configuration, CRDs, custom resources, Go types, git, kubectl and editors. It does not contact a
/// cluster, and it starts no program but git.
///
/// The exit code is 1 if something is broken. The output then says what to change.
///
/// Examples:
///   crd-analyzer doctor
///   crd-analyzer doctor --format json
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The folder to look into.
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,

    /// The output format.
    #[arg(long, value_enum, default_value = "text")]
    format: &'static Format,

    #[command(flatten)]
    settings: Settings,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    if !read::is_folder(&args.folder) {
        return Err(UsageError(format!("`{}` is not a folder", args.folder.display())).into());
    }
    args.settings.start_threads()?;
    let folder = absolute(&args.folder)?;
    let root = git::root_around(&folder);
    let mut sections = vec![machine::program(root.as_deref())];
    let collected = input::collect(std::slice::from_ref(&args.folder), &Reading::default())?;
    let (configuration, is_usable) = configuration::section(&args.folder, &collected.inputs, &args.settings)?;
    sections.push(configuration);
    let settings = if is_usable {
        &args.settings
    } else {
        &args.settings.without_configs()
    };
    sections.extend(found::sections(&args.folder, collected, settings)?);
    sections.push(machine::git(&folder, root.as_deref()));
    sections.push(machine::cluster(root.as_deref()));
    sections.push(machine::editors(root.as_deref()));

    let stdout = io::stdout();
    let columns = output::columns(&stdout);
    let mut out = BufWriter::new(stdout);
    (args.format.print)(&mut out, columns, &sections)?;
    out.flush()?;
    let is_broken = sections.iter().any(Section::is_broken);
    Ok(if is_broken { Status::Findings } else { Status::Clean })
}
