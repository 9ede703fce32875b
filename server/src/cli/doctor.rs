//! `crd-analyzer doctor`: checks this installation, and reports what crd-analyzer finds in a folder.

mod bundle;
mod configuration;
mod found;
mod machine;

use std::{
    io::{self, BufWriter, Write as _},
    path::PathBuf,
};

use crd_analyzer_io::{absolute::absolute, git, read};

use crd_analyzer_workspace::config::versions::VersionSet;

use super::{Replacing, Status, UsageError, manifests::Settings};
use crate::{
    input::{self, Reading},
    output::{
        self,
        doctor::{Format, Section},
    },
};

/// Check this installation, and what crd-analyzer finds in a folder
///
/// crd-analyzer looks at the program, the configuration, CRDs, custom resources, Go
/// types, git, kubectl and editors. It does not contact a cluster, and starts no
/// program except git.
///
/// The exit code is 1 if something is broken. The output then says what to change.
///
/// With --bundle, crd-analyzer instead makes a small file that shows a wrong
/// diagnostic, for a bug report. It removes comments and everything that the diagnostic
/// does not need, and replaces names, values and descriptions. Look at the file before
/// you send it.
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment)]
#[command(after_help = "Examples:
  crd-analyzer doctor
  crd-analyzer doctor --format json
  crd-analyzer doctor --bundle config/samples/db.yaml --code wrong-type --output bundle.yaml")]
pub(super) struct Args {
    /// The folder to check.
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,

    /// The output format.
    #[arg(long, alias = "output-format", value_enum, default_value = "text")]
    format: &'static Format,

    /// Print a small, anonymous file that shows a diagnostic of this file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folder", "format"])]
    bundle: Option<PathBuf>,

    /// With `--bundle`: the code of the diagnostic. Needed if the file has diagnostics of several codes.
    #[arg(long, value_name = "CODE", requires = "bundle")]
    code: Option<String>,

    /// With `--bundle`: the line of the diagnostic. Default: the first line with the code.
    #[arg(long, value_name = "N", requires = "bundle")]
    line: Option<u32>,

    /// With `--bundle`: the CRDs for the objects of the file: a file, a folder or a glob in quotes. Default: the CRDs that `check` finds.
    #[arg(long = "crd", value_name = "PATH", requires = "bundle")]
    definitions: Vec<String>,

    /// With `--bundle`: the Kubernetes versions, as for `check`.
    #[arg(long, value_name = "VERSION", requires = "bundle")]
    kubernetes_version: Option<VersionSet>,

    /// With `--bundle`: write to this file instead of standard output.
    #[arg(long, value_name = "FILE", requires = "bundle")]
    output: Option<PathBuf>,

    #[command(flatten)]
    replacing: Replacing,

    #[command(flatten)]
    settings: Settings,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    if let Some(file) = &args.bundle {
        args.settings.start_threads()?;
        return bundle::make(file, args);
    }
    if !read::is_folder(&args.folder) {
        return Err(UsageError(format!("`{}` is not a folder", args.folder.display())).into());
    }
    args.settings.start_threads()?;
    let folder = absolute(&args.folder)?;
    let root = git::root_around(&folder);
    let mut sections = vec![machine::program(root.as_deref())];
    let collected = input::collect(std::slice::from_ref(&args.folder), &Reading::OF_CHECK)?;
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
