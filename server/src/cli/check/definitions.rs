//! The CRDs of a run of `check`.

use std::sync::Arc;

use crd_analyzer_cluster::Prompts;
use crd_analyzer_io::{git, read};

use super::Args;
use crate::{
    cli::{
        definitions::{Compared, RunCrds},
        manifests::Configs,
        neighbours::Neighbours,
    },
    input::{self, Input},
};

/// The CRDs for a run: CRDs among the checked files, CRDs of `--crd`, CRDs in neighbouring files, and CRDs of a cluster.
pub(super) fn crds_of(
    args: &Args,
    revision: Option<&Arc<git::Revision>>,
    inputs: &[Input],
    configs: &mut Configs,
) -> anyhow::Result<RunCrds> {
    let compared = match (revision, &args.old) {
        (Some(revision), _) => Compared::Revision(revision.clone()),
        (None, Some(old)) if read::is_folder(old) => Compared::Folder {
            access: input::found_in(old),
            folders: args
                .manifests
                .paths
                .iter()
                .map(std::path::absolute)
                .collect::<Result<_, _>>()?,
            old: std::path::absolute(old)?,
        },
        _ => Compared::Nothing,
    };
    let mut all = Vec::with_capacity(inputs.len());
    for input in inputs {
        all.push((input, configs.of(input)?));
    }
    let known = RunCrds::new(&args.definitions, &all, compared)?;
    let known = if args.manifests.list.is_none() {
        let walked = &args.manifests.paths;
        known.with_neighbours(Neighbours::of(inputs, walked, args.manifests.configs()?))
    } else {
        known
    };
    match &args.from_cluster {
        Some(context) => {
            let mut paths = args.manifests.paths.iter();
            let reads_stdin = args.manifests.list.as_deref() == Some("-") || paths.any(|it| it.as_os_str() == "-");
            // While standard input is the manifest, kubectl must not prompt: it would read the manifest as the password.
            let prompts = if reads_stdin { Prompts::Never } else { Prompts::Allowed };
            known.with_cluster(context, prompts)
        }
        None => Ok(known),
    }
}
