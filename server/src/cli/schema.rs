//! `crd-analyzer schema`: the schemas that the API server publishes for CRDs.

use std::io::{self, BufWriter, Write};

use clap::ValueEnum;
use crd_analyzer_io::print::tell;
use crd_analyzer_publish::{OpenApi, Published, published};
use crd_analyzer_workspace::{
    accepted::{CrdAnswers, Unanswered, accepted},
    versions::VersionSet,
};

use super::{Status, UsageError, manifests::Manifests};
use crate::{
    input::{self, Input, Unreadable},
    output::published as output,
};

/// Print the schemas that the API server publishes for CRDs: what `kubectl explain`, client generators and kustomize read.
///
/// The schemas of all served versions are printed as one OpenAPI document. They have the fields that the API server adds
/// (`apiVersion`, `kind`, `metadata`). OpenAPI v2 leaves out what it cannot say.
///
/// The exit code is 1 if the API server rejects a CRD, and 3 if a file cannot be read.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    #[command(flatten)]
    manifests: Manifests,

    /// The edition of OpenAPI. `jsonl` prints both.
    #[arg(long, value_enum, default_value = "openapi-v3")]
    format: Format,

    /// Print this version of the CRDs only. All served versions if absent.
    #[arg(long, value_name = "NAME")]
    version: Option<String>,

    /// How to print.
    #[arg(short, long, value_enum, default_value = "json")]
    output: Output,
}

/// Which edition of OpenAPI is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// OpenAPI 3.0, as below `/openapi/v3`.
    OpenapiV3,
    /// OpenAPI 2.0, as below `/openapi/v2`.
    OpenapiV2,
}

/// How schemas are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Output {
    /// One OpenAPI document.
    Json,
    /// One JSON object a line for each served version, with both editions.
    Jsonl,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    let several = args.manifests.kubernetes_version.filter(|it| it.count() > 1);
    if let Some(several) = several.filter(|_| args.output == Output::Json) {
        return Err(UsageError(format!(
            "a document is for one Kubernetes version, not for {several}: name one, or add `--output jsonl`"
        ))
        .into());
    }
    let mut configs = args.manifests.configs()?;
    let mut session = SchemaRun {
        args,
        out: BufWriter::with_capacity(1 << 16, io::stdout()),
        status: Status::Clean,
        published: Vec::new(),
    };
    args.manifests.feed(|inputs, unreadable| {
        configs.each(
            &inputs,
            |input, config| {
                let mut versions = args.manifests.versions(config);
                if args.output == Output::Json {
                    versions = VersionSet::one(versions.newest());
                }
                Ok(answers(input, versions, args.version.as_deref()))
            },
            |input, _, answers| match answers {
                Ok(documents) => documents.iter().try_for_each(|it| session.document(input, it)),
                Err(why) => session.unreadable(&Unreadable {
                    label: input.label.clone(),
                    why,
                }),
            },
        )?;
        unreadable.iter().try_for_each(|it| session.unreadable(it))?;
        Ok(session.out.flush()?)
    })?;
    session.finish()
}

/// What is published for the CRDs of a file; `None`: the API server rejects one.
type Answers = Vec<CrdAnswers<Option<Vec<Published>>>>;

fn answers(input: &Input, versions: VersionSet, wanted: Option<&str>) -> Result<Answers, String> {
    let bytes = input::read(&input.source).map_err(|error| format!("{error:#}"))?;
    let documents = accepted(bytes.unwrap_or_default(), versions).into_iter();
    let documents = documents.map(|document| CrdAnswers {
        index: document.index,
        name: document.name,
        answers: document
            .answers
            .into_iter()
            .map(|(kubernetes, answer)| {
                let answer = answer.map(|definition| {
                    let all = published(&definition?, kubernetes).into_iter();
                    Some(all.filter(|it| wanted.is_none_or(|name| it.version == name)).collect())
                });
                (kubernetes, answer)
            })
            .collect(),
    });
    Ok(documents.collect())
}

struct SchemaRun<'a> {
    args: &'a Args,
    out: BufWriter<io::Stdout>,
    status: Status,
    /// What the document will hold.
    published: Vec<Published>,
}

impl SchemaRun<'_> {
    fn document(&mut self, input: &Input, document: &CrdAnswers<Option<Vec<Published>>>) -> anyhow::Result<()> {
        for (kubernetes, answer) in &document.answers {
            let (status, why) = match answer {
                Ok(Some(all)) => {
                    match self.args.output {
                        Output::Json => self.published.extend(all.iter().cloned()),
                        Output::Jsonl => {
                            output::lines(&mut self.out, &input.label, document, *kubernetes, all)?;
                        }
                    }
                    continue;
                }
                Ok(None) => (
                    Status::Findings,
                    format!("Kubernetes {kubernetes} rejects it: run `crd-analyzer check`"),
                ),
                Err(Unanswered::Undecodable(why) | Unanswered::Unjudged(why)) => (Status::Failed, why.clone()),
            };
            self.status = self.status.max(status);
            // A program that reads lines has the exit code, and `check` for the reasons.
            if self.args.output == Output::Json {
                tell(format_args!("{}: {}: {why}", input.label, document.name));
            }
        }
        Ok(())
    }

    fn unreadable(&mut self, unreadable: &Unreadable) -> anyhow::Result<()> {
        self.status = Status::Failed;
        if self.args.output == Output::Jsonl {
            output::unreadable(&mut self.out, unreadable)?;
        }
        unreadable.tell();
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<Status> {
        if self.args.output == Output::Json {
            let edition = match self.args.format {
                Format::OpenapiV3 => OpenApi::V3,
                Format::OpenapiV2 => OpenApi::V2,
            };
            output::document(&mut self.out, &self.published, edition)?;
        }
        self.out.flush()?;
        if self.published.is_empty() && self.status == Status::Clean && self.args.output == Output::Json {
            let what = match &self.args.version {
                Some(version) => format!("no CRD here has a served version `{version}`"),
                None => "no CRD here has a served version".to_owned(),
            };
            tell(what);
            self.status = Status::Findings;
        }
        Ok(self.status)
    }
}
