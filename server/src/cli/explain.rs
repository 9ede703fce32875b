//! `crd-analyzer explain`: the page of a diagnostic code.

use std::io::{self, BufWriter, Write as _};

use crd_analyzer_io::print::Terminal;
use crd_analyzer_workspace::codes;

use super::{Status, UsageError};

/// Explain a diagnostic code: examples, why it is reported, and how to fix it.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// The code, as it is printed in brackets after `error`. Default: list all codes.
    code: Option<String>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    let mut out = BufWriter::new(io::stdout());
    let mut terminal = Terminal::new(&mut out, false);
    let Some(wanted) = &args.code else {
        for code in codes::all() {
            terminal.line(format_args!("{:<40} {}", code.name, code.summary))?;
        }
        out.flush()?;
        return Ok(Status::Clean);
    };
    let Some(code) = codes::find(wanted) else {
        let near = codes::nearest(wanted).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        return Err(UsageError(format!(
            "the code `{wanted}` does not exist{near} (`crd-analyzer explain` lists all codes)"
        ))
        .into());
    };
    terminal.lines(&code.text())?;
    out.flush()?;
    Ok(Status::Clean)
}
