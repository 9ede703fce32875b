//! `crd-analyzer completions SHELL`: prints a completion script for a shell.

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::{Cli, Status};
use crate::output::script;

/// Print a completion script for a shell
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment)]
#[command(after_help = "Examples:
  crd-analyzer completions bash > ~/.local/share/bash-completion/completions/crd-analyzer
  crd-analyzer completions fish > ~/.config/fish/completions/crd-analyzer.fish")]
pub(super) struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut text);
    script::print(&text)?;
    Ok(Status::Clean)
}
