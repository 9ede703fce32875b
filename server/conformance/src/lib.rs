//! Compares crd-analyzer with the authoritative programs: the API server's own code, kubectl, kustomize, Flux, Helm,
//! controller-gen, crdify.
//!
//! Each comparison is a subcommand of `cargo conformance`. It makes requests from a corpus of real manifests, from mutants of these manifests or at
//! random, asks both programs, and prints the answers that differ. `tests/conformance` contains the programs in Go and the recorded answers.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks on its streams"
)]
#![allow(clippy::disallowed_methods, reason = "comparisons run programs and read files")]

mod breakages;
mod changes;
mod choice;
mod compat;
mod conversion;
mod crds;
mod disk;
mod explain;
mod flux;
mod generated;
mod go_crds;
mod goldens;
mod helm;
mod json_schema;
mod kustomize;
mod markers;
pub mod mutate;
pub mod peers;
mod policies;
mod published;
mod resources;
mod rules;
mod server;
mod signs;

use clap::{Parser, Subcommand};

/// The command line of `cargo conformance`.
#[derive(Parser, Debug)]
#[command(
    name = "cargo conformance",
    about = "Compare crd-analyzer with the programs that decide"
)]
pub struct Cli {
    #[command(subcommand)]
    comparison: Comparison,
}

#[derive(Subcommand, Debug)]
enum Comparison {
    /// CRDs, created or updated, against the API server's own code (needs Go and the corpus)
    Crds(crds::Args),
    /// Custom resources, created or updated, against the API server's own code (needs Go and the corpus)
    Resources(resources::Args),
    /// CEL rules: their errors, costs and results, against the API server's own code (needs Go)
    Rules(rules::Args),
    /// ValidatingAdmissionPolicies against the API server's own code (needs Go and a folder with policies)
    Policies(policies::Args),
    /// The schemas that the API server publishes, against its own code (needs Go and the corpus)
    Published(published::Args),
    /// Answers of conversion webhooks, against the API server's own code (needs Go)
    Conversion(conversion::Args),
    /// Requests to a whole API server on this machine (needs Go and the corpus)
    Server(server::Args),
    /// What `compat` says of a change, against the API server's own code and crdify (needs Go and the corpus)
    Compat(compat::Args),
    /// What `crd-analyzer explain` prints, against kubectl's own code (needs Go and the corpus)
    Explain(explain::Args),
    /// JSON Schemas of CRDs: each object that the API server creates has to be valid (needs the corpus)
    JsonSchema(json_schema::Args),
    /// What kustomizations build, against kustomize's own code (needs Go)
    Kustomize(kustomize::Args),
    /// The variables that Flux substitutes, against Flux's own code (needs Go)
    Flux(flux::Args),
    /// Templates of Helm charts, against what Helm's own code renders (needs Go)
    Helm(helm::Args),
    /// Breaks one literal of repositories at a time, and looks where `check .` reports it
    Breakages(breakages::Args),
    /// Markers in Go files, against controller-gen's own code (needs Go)
    Markers(markers::Args),
    /// CRDs of repositories with the markers of their Go types, against controller-gen's own code (needs Go)
    GoCrds(go_crds::Args),
    /// CRDs that Go types make, against controller-gen's own code (needs Go)
    Generated(generated::Args),
    /// Record the API server's answers to the project's own fixtures (needs Go)
    Goldens(goldens::Args),
    /// List what changed between two Kubernetes versions, by their own code (needs Go and the corpus)
    Changes(changes::Args),
}

impl Cli {
    /// Runs the comparison. Returns whether both programs agree on everything.
    ///
    /// # Errors
    /// If a program or file that the comparison needs is missing or fails.
    pub fn run(self) -> anyhow::Result<bool> {
        match self.comparison {
            Comparison::Crds(args) => crds::run(&args),
            Comparison::Resources(args) => resources::run(&args),
            Comparison::Rules(args) => rules::run(&args),
            Comparison::Policies(args) => policies::run(&args),
            Comparison::Published(args) => published::run(&args),
            Comparison::Conversion(args) => conversion::run(&args),
            Comparison::Server(args) => server::run(&args),
            Comparison::Compat(args) => compat::run(&args),
            Comparison::Explain(args) => explain::run(&args),
            Comparison::JsonSchema(args) => json_schema::run(&args),
            Comparison::Kustomize(args) => kustomize::run(&args),
            Comparison::Flux(args) => flux::run(&args),
            Comparison::Helm(args) => helm::run(&args),
            Comparison::Breakages(args) => breakages::run(&args),
            Comparison::Markers(args) => markers::run(&args),
            Comparison::GoCrds(args) => go_crds::run(&args),
            Comparison::Generated(args) => generated::run(&args),
            Comparison::Goldens(args) => goldens::run(&args),
            Comparison::Changes(args) => changes::run(&args),
        }
    }
}
