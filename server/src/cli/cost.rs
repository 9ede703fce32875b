//! `crd-analyzer cost`: the cost estimate of each rule of a CRD, and the limits that would make it cheaper.

use std::io::{self, BufWriter, Write};

use clap::ValueEnum;
use crd_analyzer_workspace::{
    costs::{FileCosts, price},
    versions::VersionSet,
};

use super::{
    Status, UsageError,
    manifests::{Manifests, required},
};
use crate::{
    input::{self, Collected, Input, Reading, Unreadable},
    output::cost::{jsonl, text},
};

/// Print the API server's cost estimate of each rule, the most expensive first, and the missing limits that make it expensive.
///
/// The exit code is 1 if a rule or a schema exceeds the API server's cost limit, and 3 if a CRD cannot be read.
#[derive(clap::Args, Debug)]
#[command(mut_arg("paths", required))]
pub(super) struct Args {
    #[command(flatten)]
    manifests: Manifests,

    /// The output format.
    #[arg(short, long, value_enum, default_value = "text")]
    output: Format,

    /// Print only the N most expensive rules of all files, with their files and lines.
    #[arg(long, value_name = "N", conflicts_with = "sort")]
    top: Option<usize>,

    /// The order of the rules in a table.
    #[arg(long, value_name = "ORDER", value_enum, default_value = "cost")]
    sort: text::Order,
}

/// The output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// A table for each schema, for one Kubernetes version.
    Text,
    /// JSON lines: one for each rule and Kubernetes version, and one for the total of each schema.
    Jsonl,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    let several = args.manifests.kubernetes_version.filter(|it| it.count() > 1);
    if let Some(several) = several.filter(|_| args.output == Format::Text) {
        return Err(UsageError(format!(
            "the table shows one Kubernetes version, not {several}: choose one, or use `--output jsonl`"
        ))
        .into());
    }
    if args.top.is_some() && args.output == Format::Jsonl {
        let why = "--top: `jsonl` prints all rules; leave out one of the two";
        return Err(UsageError(why.to_owned()).into());
    }
    let mut configs = args.manifests.configs()?;
    let stdout = io::stdout();
    let mut session = CostRun {
        output: args.output,
        columns: crate::output::columns(&stdout),
        out: BufWriter::with_capacity(1 << 16, stdout),
        status: Status::Clean,
        order: args.sort,
        top: args.top.map(text::Top::new),
    };
    args.manifests
        .feed(&Reading::default(), |Collected { inputs, unreadable, .. }| {
            let read = |input: &Input| anyhow::Ok(input::read(&input.source)?.unwrap_or_default());
            configs.each(
                &inputs,
                |input, config| {
                    let mut versions = args.manifests.versions(config);
                    if args.output == Format::Text {
                        // A configuration names all Kubernetes versions that matter; the newest one's table is shown.
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
    if let Some(top) = session.top.take() {
        top.print(&mut session.out, session.columns)?;
        session.out.flush()?;
    }
    Ok(session.status)
}

struct CostRun {
    output: Format,
    columns: usize,
    out: BufWriter<io::Stdout>,
    status: Status,
    order: text::Order,
    top: Option<text::Top>,
}

impl CostRun {
    fn file(&mut self, label: &str, costs: &FileCosts) -> anyhow::Result<()> {
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
        match self.output {
            Format::Text => text::file(&mut self.out, self.columns, self.order, label, costs)?,
            Format::Jsonl => jsonl::file(&mut self.out, label, costs)?,
        }
        Ok(())
    }

    fn unreadable(&mut self, unreadable: &Unreadable) -> anyhow::Result<()> {
        self.status = Status::Failed;
        if self.output == Format::Jsonl {
            jsonl::unreadable(&mut self.out, unreadable)?;
        }
        unreadable.tell();
        Ok(())
    }
}
