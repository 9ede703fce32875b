//! `crd-analyzer storage`: prints the versions in which objects are stored, and the steps to migrate to another one.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

use crd_analyzer_io::{print::tell, read};
use crd_analyzer_workspace::{
    comparison::compared::{Unanswered, compared},
    comparison::stored_versions::{plan, written},
    config::versions::VersionSet,
};

use super::{
    Status, UsageError,
    manifests::{Settings, on_pool, one_version},
};
use crate::{
    input,
    output::storage::{Format, Planned},
};

/// Show the versions in which objects are stored, and the steps to remove an old
/// version
///
/// A cluster lists in `status.storedVersions` the versions in which objects may be
/// stored. The API server rejects a CRD that lacks one of them. Give these versions
/// with `--stored`, or give the CRD from the cluster:
///
///   kubectl get customresourcedefinition NAME --output yaml | crd-analyzer storage -
///
/// The exit code is 1 if objects must be migrated, or if the API server rejects the
/// CRD.
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The file of the CRD, a folder of CRDs, or `-` for standard input.
    #[arg(value_name = "CRD")]
    crd: String,

    /// The versions in `status.storedVersions` of the cluster. Default: the versions in the file.
    #[arg(long, value_name = "VERSIONS", value_delimiter = ',')]
    stored: Vec<String>,

    /// The Kubernetes version. Default: the newest.
    #[arg(long, value_name = "VERSION")]
    kubernetes_version: Option<VersionSet>,

    /// The output format.
    #[arg(short, long, aliases = ["format", "output-format"], value_enum, default_value = "text")]
    output: &'static Format,

    #[command(flatten)]
    settings: Settings,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    args.settings.start_threads()?;
    let planned = on_pool(|| planned(args))?;
    let stdout = io::stdout();
    let columns = crate::output::columns(&stdout);
    let mut out = BufWriter::new(stdout);
    (args.output.print)(&mut out, columns, &planned)?;
    out.flush()?;
    let is_clean = planned
        .iter()
        .all(|it| it.plan.steps.is_empty() && it.plan.refusals.is_empty());
    Ok(if is_clean { Status::Clean } else { Status::Findings })
}

fn planned(args: &Args) -> anyhow::Result<Vec<Planned>> {
    let kubernetes = one_version(args.kubernetes_version, "the steps are those", "of")?;
    let named = &args.crd;
    let is_folder = read::is_folder(Path::new(named));
    let files = input::read_arguments(named)?;
    let (mut found, mut without) = (Vec::new(), Vec::new());
    for (file, bytes) in files {
        let (_, documents) = compared(bytes, !is_folder, kubernetes);
        for document in documents {
            for (_, answer) in document.answers {
                let crd = answer.map_err(|why| match why {
                    Unanswered::Undecodable(why) | Unanswered::Unjudged(why) => {
                        anyhow::anyhow!("cannot read {file}: {why}")
                    }
                })?;
                let name = crd.subject.name().to_owned();
                let given = Some(args.stored.clone()).filter(|it| !it.is_empty());
                let Some(stored) = given.or_else(|| written(&crd)) else {
                    without.push(name);
                    continue;
                };
                let plan = plan(&crd, &stored)
                    .ok_or_else(|| UsageError(format!("{name} does not have a version with `storage: true`")))?;
                found.push(Planned { name, plan });
            }
        }
    }
    for name in &without {
        let why = format!("{name} does not have `status.storedVersions`: give the versions with `--stored`");
        // A folder may contain CRDs from a cluster as well as other CRDs.
        if found.is_empty() {
            return Err(UsageError(why).into());
        }
        tell(format_args!("note: {why}"));
    }
    if found.is_empty() {
        return Err(UsageError(format!("{named} does not contain a CRD")).into());
    }
    Ok(found)
}
