//! `crd-analyzer cost`: prints the cost estimate of each rule of a CRD, and limits that would reduce it.

use std::io::{self, BufWriter, Write};

use crd_analyzer_workspace::{
    config::versions::VersionSet,
    costs::{FileCosts, price},
};

use super::{
    Status, UsageError,
    manifests::{Manifests, or_here},
};
use crate::{
    input::{self, Collected, Input, Reading, Unreadable},
    output::cost::{Format, Layout, text},
};

/// Print the API server's cost estimate of each validation rule, and limits that reduce it.
///
/// The most expensive rule comes first. For a rule over the limit, crd-analyzer proposes limits such as `maxItems` that make the rule fit.
///
/// The exit code is 1 if a rule or a schema exceeds the API server's cost limit, and 3 if a CRD cannot be read.
#[derive(clap::Args, Debug)]
#[command(mut_arg("paths", or_here))]
#[command(after_help = "Examples:
  crd-analyzer cost config/crd
  crd-analyzer cost --top 10 config/crd")]
pub(super) struct Args {
    #[command(flatten)]
    manifests: Manifests,

    /// The output format.
    #[arg(short, long, aliases = ["format", "output-format"], value_enum, default_value = "text")]
    output: &'static Format,

    /// Print only the N most expensive rules of all files.
    #[arg(long, value_name = "N", conflicts_with = "sort")]
    top: Option<usize>,

    /// The order of the rules.
    #[arg(long, value_name = "ORDER", value_enum, default_value = "cost")]
    sort: text::Order,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    let several = args.manifests.kubernetes_version.filter(|it| it.count() > 1);
    if let Some(several) = several.filter(|_| args.output.is_table) {
        return Err(UsageError(format!(
            "the table shows one Kubernetes version, not {several}: choose one, or use `--output jsonl`"
        ))
        .into());
    }
    if args.top.is_some() && !args.output.is_table {
        let format = args.output.name;
        let why = format!("--top does not work with `{format}`, which prints all rules");
        return Err(UsageError(why).into());
    }
    let mut configs = args.manifests.configs()?;
    let stdout = io::stdout();
    let mut session = CostRun {
        output: args.output,
        layout: Layout {
            columns: crate::output::columns(&stdout),
            order: args.sort,
        },
        out: BufWriter::with_capacity(1 << 16, stdout),
        status: Status::Clean,
        top: args.top.map(text::Top::new),
        has_crds: false,
    };
    args.manifests
        .feed(&Reading::default(), |Collected { inputs, unreadable, .. }| {
            let read = |input: &Input| anyhow::Ok(input::read(&input.source)?.unwrap_or_default());
            configs.each(
                &inputs,
                |input, config| {
                    let mut versions = args.manifests.versions(config);
                    if args.output.is_table {
                        // A configuration may name several Kubernetes versions. The table only shows the newest one.
                        versions = VersionSet::one(versions.newest());
                    }
                    let costs = read(input).map(|bytes| price(bytes, versions, input.named));
                    Ok(costs.map_err(|error| Unreadable {
                        label: input.label.clone(),
                        why: format!("{error:#}"),
                    }))
                },
                |input, _, costs| match costs {
                    Ok(costs) => session.file(&input.label, &costs),
                    Err(unreadable) => session.unreadable(&unreadable),
                },
            )?;
            unreadable.iter().try_for_each(|it| session.unreadable(it))?;
            Ok(session.out.flush()?)
        })?;
    if !session.has_crds {
        crd_analyzer_io::print::tell("note: no CRD was found");
    }
    if let Some(top) = session.top.take() {
        top.print(&mut session.out, session.layout.columns)?;
        session.out.flush()?;
    }
    Ok(session.status)
}

struct CostRun {
    output: &'static Format,
    layout: Layout,
    out: BufWriter<io::Stdout>,
    status: Status,
    top: Option<text::Top>,
    /// Whether a file contains a CRD or could not be read.
    has_crds: bool,
}

impl CostRun {
    fn file(&mut self, label: &str, costs: &FileCosts) -> anyhow::Result<()> {
        self.has_crds |= !costs.documents.is_empty();
        for (_, answer) in costs.documents.iter().flat_map(|it| &it.answers) {
            let status = match answer {
                Ok(schemas) if schemas.iter().any(|it| it.schema.is_over_somewhere()) => Status::Findings,
                Ok(_) => Status::Clean,
                Err(_) => Status::Failed,
            };
            self.status = self.status.max(status);
        }
        if let Some(top) = &mut self.top {
            top.add(label, costs);
            return Ok(());
        }
        Ok((self.output.file)(&mut self.out, self.layout, label, costs)?)
    }

    fn unreadable(&mut self, unreadable: &Unreadable) -> anyhow::Result<()> {
        self.status = Status::Failed;
        self.has_crds = true;
        (self.output.unreadable)(&mut self.out, unreadable)?;
        unreadable.tell();
        Ok(())
    }
}
