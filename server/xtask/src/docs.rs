//! Generated documents.

use std::path::Path;

use anyhow::Context as _;

/// Writes the documents that are made of others.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail if a document is stale.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let path = crates.join("workspace/codes/README.md");
    let fresh = crd_analyzer_fixtures::codes_index(&crates).context("reading the rule pages")?;
    let is_fresh = std::fs::read_to_string(&path).is_ok_and(|text| text == fresh);
    if args.check && !is_fresh {
        println!("the index of the diagnostic codes is stale: run `cargo xtask docs`");
    }
    if !args.check && !is_fresh {
        std::fs::write(&path, fresh).context("writing the index of the diagnostic codes")?;
    }
    Ok(is_fresh || !args.check)
}
