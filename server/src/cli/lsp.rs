//! `crd-analyzer lsp`: the language server.

use super::Status;

/// Start the language server on standard input and output.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Accepted because many clients pass it. The language server always uses standard input and output.
    #[arg(long, hide = true)]
    stdio: bool,
}

#[cfg(feature = "lsp")]
pub(super) fn run(_: &Args) -> anyhow::Result<Status> {
    crd_analyzer_io::memory::share_freed();
    // LSP defines two exit codes: 0 after a `shutdown` request, otherwise 1.
    Ok(if crd_analyzer_lsp::run_stdio()? == 0 {
        Status::Clean
    } else {
        Status::Findings
    })
}

/// The build for a first look has no language server, because it compiles faster.
#[cfg(not(feature = "lsp"))]
pub(super) fn run(_: &Args) -> anyhow::Result<Status> {
    let why = "this build has no language server: build crd-analyzer with `cargo build --release`";
    Err(super::UsageError(why.to_owned()).into())
}
