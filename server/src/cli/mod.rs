//! The command line, with one file for each subcommand.

mod baseline;
mod check;
mod compat;
mod compat_objects;
mod completions;
mod convert;
mod cost;
mod crds;
pub(crate) mod definitions;
mod docs;
mod doctor;
mod earlier;
pub(crate) mod eval;
mod exceptions;
mod explain;
mod fix;
mod generate;
mod init;
mod judge;
mod lsp;
mod made;
mod man;
mod manifests;
mod neighbours;
mod schema;
mod start;
mod storage;
mod test;
mod version;
mod why;

use std::process::ExitCode;

use crate::output::Color;
pub(crate) use crate::status::{Status, UsageError};
use clap::{Parser, Subcommand};
use crd_analyzer_io::{escape, print::tell, write::Replaceable};

/// Linter and language server for Kubernetes CustomResourceDefinitions (CRDs) and custom resources.
///
/// Without a subcommand, crd-analyzer says what it finds in the current folder and which commands to run.
#[derive(Parser, Debug)]
#[command(name = "crd-analyzer", version, long_version = version::long(), max_term_width = 120)]
#[command(after_help = "Examples:
  crd-analyzer check .                  check all manifests in this folder
  crd-analyzer explain unknown-type     explain a diagnostic code
  crd-analyzer init                     show a configuration and CI steps

See 'crd-analyzer help <COMMAND>' for the options of a command.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    /// When to print colors.
    #[arg(long, value_enum, global = true, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

#[derive(Subcommand, Debug)]
enum Command {
    #[command(aliases = ["lint", "validate"])]
    Check(Box<check::Args>),
    Compat(compat::Args),
    Convert(convert::Args),
    Cost(cost::Args),
    Crds(crds::Args),
    Docs(docs::Args),
    Eval(eval::Args),
    Generate(generate::Args),
    Schema(schema::Args),
    Storage(storage::Args),
    Test(test::Args),
    Lsp(lsp::Args),
    Explain(explain::Args),
    Init(init::Args),
    Doctor(doctor::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Which files a command that writes may replace.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct Replacing {
    /// Also replace executable files. By default, crd-analyzer does not overwrite a file that can be run.
    #[arg(long)]
    replace_executable: bool,
}

impl Replacing {
    pub(crate) fn replaceable(self) -> Replaceable {
        if self.replace_executable {
            Replaceable::Executables
        } else {
            Replaceable::Data
        }
    }
}

impl Cli {
    /// Parses the arguments of the program. Prints an error and returns the exit code if they are wrong.
    pub(crate) fn from_arguments() -> Result<Self, ExitCode> {
        Self::try_parse().map_err(|error| {
            let status = ExitCode::from(error.exit_code() as u8);
            // Mistakes are reported with printable arguments, because file names may contain other characters.
            let given: Vec<_> = std::env::args_os()
                .map(|it| it.to_string_lossy().into_owned())
                .collect();
            let printed: Vec<_> = given.iter().map(|it| escape::line(it)).collect();
            let is_harmless = given == printed && !given.iter().any(|it| it.contains("::"));
            if is_harmless || !error.use_stderr() {
                let _ = error.print();
            } else {
                let printed = printed.iter().map(|it| &**it);
                let error = Self::try_parse_from(printed).err().unwrap_or(error);
                error.render().to_string().lines().for_each(tell);
            }
            status
        })
    }

    /// Runs the subcommand.
    pub(crate) fn run(self) -> anyhow::Result<Status> {
        let Some(command) = self.command else {
            return start::run();
        };
        match command {
            Command::Check(args) => check::run(&args, self.color),
            Command::Compat(args) => compat::run(&args),
            Command::Convert(args) => convert::run(&args),
            Command::Cost(args) => cost::run(&args),
            Command::Crds(args) => crds::run(&args),
            Command::Docs(args) => docs::run(&args),
            Command::Eval(args) => eval::run(&args),
            Command::Generate(args) => generate::run(&args),
            Command::Schema(args) => schema::run(&args),
            Command::Storage(args) => storage::run(&args),
            Command::Test(args) => test::run(&args, self.color),
            Command::Lsp(args) => lsp::run(&args),
            Command::Explain(args) => explain::run(&args, self.color),
            Command::Init(args) => init::run(&args),
            Command::Doctor(args) => doctor::run(&args),
            Command::Completions(args) => completions::run(&args),
            Command::Man(args) => man::run(&args),
        }
    }
}
