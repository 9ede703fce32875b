//! `crd-analyzer explain`: the page of a diagnostic code.

use std::io::Write as _;

use crd_analyzer_workspace::codes;

use super::{Status, UsageError};

/// What a code means, why the server does so, and how to repair it.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// The code, as it stands in brackets after `error`; all codes with a sentence each if absent.
    code: Option<String>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    let mut out = anstream::stdout();
    let Some(wanted) = &args.code else {
        for code in codes::all() {
            writeln!(out, "{:<40} {}", code.name, code.summary)?;
        }
        return Ok(Status::Clean);
    };
    let Some(code) = codes::find(wanted) else {
        let near = codes::nearest(wanted).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        return Err(UsageError(format!(
            "there is no code `{wanted}`{near} (`crd-analyzer explain` lists them)"
        ))
        .into());
    };
    write!(out, "{}", code.page)?;
    Ok(Status::Clean)
}
