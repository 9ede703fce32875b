//! `crd-analyzer cost`: what every rule of a definition costs, and what bounds would make it cheaper.

use std::io::{self, BufWriter, Write};

use clap::ValueEnum;
use crd_analyzer_workspace::{
    costs::{FileCosts, price},
    versions::VersionSet,
};

use super::{Status, UsageError, manifests::Manifests};
use crate::{
    input::{self, Input, Unreadable},
    output::cost::{jsonl, text},
};

/// What each rule of these definitions costs by the API server's estimate, the dearest first, and which missing bounds make it so.
///
/// The exit code is 1 if a rule or a schema costs more than the server allows, 3 if a definition cannot be read.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    #[command(flatten)]
    manifests: Manifests,

    /// How to print.
    #[arg(short, long, value_enum, default_value = "text")]
    output: Format,
}

/// How costs are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// For people: a table for each schema, by one minor.
    Text,
    /// One JSON object a line: a rule by one minor, and the total of each schema.
    Jsonl,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    let several = args.manifests.kubernetes_version.filter(|it| it.count() > 1);
    if let Some(several) = several.filter(|_| args.output == Format::Text) {
        return Err(UsageError(format!(
            "the table is for one minor, not for {several}: choose one, or `--output jsonl`"
        ))
        .into());
    }
    let mut configs = args.manifests.configs()?;
    let mut session = Session {
        output: args.output,
        out: BufWriter::with_capacity(1 << 16, io::stdout()),
        status: Status::Clean,
    };
    args.manifests.feed(|inputs, unreadable| {
        let read = |input: &Input| anyhow::Ok(input::read(&input.source)?.unwrap_or_default());
        configs.each(
            &inputs,
            |input, config| {
                let mut versions = args.manifests.versions(config);
                if args.output == Format::Text {
                    // A configuration names all minors that matter; the newest one's table is shown.
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
    Ok(session.status)
}

struct Session {
    output: Format,
    out: BufWriter<io::Stdout>,
    status: Status,
}

impl Session {
    fn file(&mut self, label: &str, costs: &FileCosts) -> anyhow::Result<()> {
        for (_, answer) in costs.documents.iter().flat_map(|it| &it.answers) {
            let status = match answer {
                Ok(schemas) if schemas.iter().any(|it| it.schema.is_over_somewhere()) => Status::Findings,
                Ok(_) => Status::Clean,
                Err(_) => Status::Failed,
            };
            self.status = self.status.max(status);
        }
        match self.output {
            Format::Text => text::file(&mut self.out, label, costs)?,
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
