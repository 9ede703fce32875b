//! `crd-analyzer man`: prints manual pages.

use clap::CommandFactory as _;

use super::{Cli, Status, UsageError};
use crate::output::script;

/// Print a manual page
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment)]
#[command(after_help = "Example:
  crd-analyzer man check | man -l -")]
pub(super) struct Args {
    /// The subcommand. Default: the page of crd-analyzer itself, which lists the subcommands.
    #[arg(value_name = "SUBCOMMAND")]
    subcommand: Option<String>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    let mut all = Cli::command();
    all.build();
    let command = match &args.subcommand {
        None => all,
        Some(name) => {
            let found = all.get_subcommands().find(|it| it.get_name() == name);
            found
                .ok_or_else(|| UsageError(format!("the subcommand `{name}` does not exist")))?
                .clone()
        }
    };
    let mut text = Vec::new();
    let version = concat!("crd-analyzer ", env!("CARGO_PKG_VERSION"));
    clap_mangen::Man::new(command).source(version).render(&mut text)?;
    script::print(&text)?;
    Ok(Status::Clean)
}
