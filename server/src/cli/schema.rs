//! `crd-analyzer schema`: prints the schemas that the API server publishes for CRDs, and JSON Schemas of them.

use std::{
    io::{self, BufWriter, Write},
    path::PathBuf,
};

use clap::ValueEnum;
use crd_analyzer_io::print::tell;
use crd_analyzer_publish::{
    JsonSchema, KustomizeSchema, OpenApi, Published, Types, UnknownFields, json_schemas, kustomize_schemas,
    merge_for_kustomize, published,
};
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    resource::accepted::{CrdAnswers, Unanswered, accepted},
};
use serde_json::{Map, Value};

use super::{
    Replacing, Status, UsageError,
    manifests::{Manifests, or_here},
};
use crate::{
    input::{self, Collected, Input, Reading, Source, Unreadable},
    output::{json_schema, published as output},
};

/// Print the schemas that the API server publishes for CRDs.
///
/// `kubectl explain`, client generators and kustomize read these schemas. crd-analyzer prints the schemas of all served versions as one OpenAPI
/// document. They contain the fields that the API server adds: `apiVersion`, `kind` and `metadata`. OpenAPI v2 leaves out what it cannot
/// express.
///
/// With `--format json-schema`, crd-analyzer prints a JSON Schema (draft 7) for editors and validators. The JSON Schema is never stricter than
/// the API server, and `$comment` says where it is less strict.
///
/// With `--format kustomize`, crd-analyzer prints a file for `openapi.path` of a kustomization, so that kustomize merges lists of custom
/// resources by their keys. kustomize then does not use its own schemas of built-in kinds: add these with `--merge-into`.
///
/// The exit code is 1 if the API server rejects a CRD, and 3 if a file cannot be read.
#[derive(clap::Args, Debug)]
#[command(mut_arg("paths", or_here))]
#[command(after_help = "Examples:
  crd-analyzer schema crd.yaml
  crd-analyzer schema --format json-schema --output-dir schemas config/crd")]
pub(super) struct Args {
    #[command(flatten)]
    manifests: Manifests,

    /// The kind of schema. For OpenAPI, `--output jsonl` prints both v2 and v3.
    #[arg(long, value_enum, default_value = "openapi-v3")]
    format: Format,

    /// Print only this version of the CRDs. Default: all served versions.
    #[arg(long, value_name = "NAME")]
    version: Option<String>,

    /// Reject fields that the CRD does not have, as the API server does with strict field validation, the default of `kubectl`. For
    /// `json-schema` only.
    #[arg(long)]
    strict: bool,

    /// Write one type in each `type`, for tools that cannot read a list of types. The JSON Schema then rejects null in fields that are not
    /// `nullable`; the API server removes it. For `json-schema` only.
    #[arg(long)]
    single_types: bool,

    /// Write each JSON Schema into this folder, as `GROUP/KIND_VERSION.json` with the kind in lower case, where kubeconform and similar tools
    /// expect it. Existing files are replaced.
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    output_dir: Option<PathBuf>,

    #[command(flatten)]
    replacing: Replacing,

    /// Print this OpenAPI file (JSON) with the schemas of the CRDs added, for example the output of `kustomize openapi fetch`. For `kustomize`
    /// only.
    #[arg(long, value_name = "FILE")]
    merge_into: Option<String>,

    /// One document, or JSON lines.
    #[arg(short, long, value_enum, default_value = "json")]
    output: Output,
}

/// What is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// OpenAPI 3.0, as at `/openapi/v3` of the API server.
    OpenapiV3,
    /// OpenAPI 2.0, as at `/openapi/v2` of the API server.
    OpenapiV2,
    /// JSON Schema, draft 7.
    JsonSchema,
    /// OpenAPI 2.0 for `openapi.path` of a kustomization, which says how kustomize merges lists.
    Kustomize,
}

/// How schemas are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Output {
    /// One document: OpenAPI with all versions, or the JSON Schema of one version.
    Json,
    /// JSON lines: one for each served version.
    Jsonl,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    let several = args.manifests.kubernetes_version.filter(|it| it.count() > 1);
    if let Some(several) = several.filter(|_| args.output == Output::Json) {
        return Err(UsageError(format!(
            "a document is for one Kubernetes version, not for {several}: choose a version, or add `--output jsonl`"
        ))
        .into());
    }
    if args.format != Format::JsonSchema && (args.strict || args.single_types || args.output_dir.is_some()) {
        let why = "`--strict`, `--single-types` and `--output-dir` are for JSON Schemas: add `--format json-schema`";
        return Err(UsageError(why.to_owned()).into());
    }
    if args.format == Format::Kustomize && args.output == Output::Jsonl {
        let why = "`--format kustomize` prints one document: leave out `--output jsonl`";
        return Err(UsageError(why.to_owned()).into());
    }
    if args.format != Format::Kustomize && args.merge_into.is_some() {
        let why = "`--merge-into` is for kustomize: add `--format kustomize`";
        return Err(UsageError(why.to_owned()).into());
    }
    let file = match &args.merge_into {
        None => Map::new(),
        Some(path) => match openapi_file(path) {
            Ok(file) => file,
            Err(why) => {
                tell(format_args!("{path}: {why}"));
                return Ok(Status::Failed);
            }
        },
    };
    let mut configs = args.manifests.configs()?;
    let mut session = SchemaRun {
        args,
        out: BufWriter::with_capacity(1 << 16, io::stdout()),
        status: Status::Clean,
        published: Vec::new(),
        json_schemas: Vec::new(),
        kustomize: Vec::new(),
    };
    args.manifests
        .feed(&Reading::default(), |Collected { inputs, unreadable, .. }| {
            configs.each(
                &inputs,
                |input, config| {
                    let mut versions = args.manifests.versions(config);
                    if args.output == Output::Json {
                        versions = VersionSet::one(versions.newest());
                    }
                    Ok(answers(input, versions, args))
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
    session.finish(file)
}

/// Reads an OpenAPI file. The error is the reason why the file is invalid.
fn openapi_file(path: &str) -> Result<Map<String, Value>, String> {
    let text = input::read(&Source::named(path)).map_err(|error| format!("{error:#}"))?;
    match serde_json::from_slice(&text.unwrap_or_default()) {
        Ok(Value::Object(file)) => Ok(file),
        Ok(_) => Err("it is not a JSON object".to_owned()),
        Err(error) => Err(format!("it is not JSON: {error}")),
    }
}

/// The note about the built-in kinds that a file for kustomize lacks.
const INSTEAD: &str = "note: kustomize takes this file instead of its own schemas, so patches replace lists of Deployments and other \
    Kubernetes kinds: add those schemas with `--merge-into FILE`";

/// The schemas of the served versions of a CRD.
enum Made {
    OpenApi(Vec<Published>),
    JsonSchema(Vec<JsonSchema>),
    Kustomize(Vec<KustomizeSchema>),
}

/// The schemas of the CRDs in a file. `None` for a CRD that the API server rejects.
type Answers = Vec<CrdAnswers<Option<Made>>>;

fn answers(input: &Input, versions: VersionSet, args: &Args) -> Result<Answers, String> {
    let is_wanted = |version: &str| args.version.as_deref().is_none_or(|it| it == version);
    let unknown = if args.strict {
        UnknownFields::Refused
    } else {
        UnknownFields::Ignored
    };
    let types = if args.single_types { Types::Single } else { Types::Lists };
    let bytes = input::read(&input.source).map_err(|error| format!("{error:#}"))?;
    let documents = accepted(bytes.unwrap_or_default(), versions, input.named).into_iter();
    let documents = documents.map(|document| CrdAnswers {
        index: document.index,
        name: document.name,
        answers: document
            .answers
            .into_iter()
            .map(|(kubernetes, answer)| {
                let answer = answer.map(|definition| {
                    let definition = definition?;
                    Some(match args.format {
                        Format::JsonSchema => {
                            let mut all = json_schemas(&definition, unknown, types);
                            all.retain(|it| is_wanted(&it.version));
                            Made::JsonSchema(all)
                        }
                        Format::Kustomize => {
                            let mut all = kustomize_schemas(&definition, kubernetes);
                            all.retain(|it| is_wanted(&it.version));
                            Made::Kustomize(all)
                        }
                        Format::OpenapiV2 | Format::OpenapiV3 => {
                            let mut all = published(&definition, kubernetes);
                            all.retain(|it| is_wanted(&it.version));
                            Made::OpenApi(all)
                        }
                    })
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
    /// The OpenAPI schemas of the document.
    published: Vec<Published>,
    /// The JSON Schemas of the document.
    json_schemas: Vec<JsonSchema>,
    /// The kustomize schemas of the document.
    kustomize: Vec<KustomizeSchema>,
}

impl SchemaRun<'_> {
    fn document(&mut self, input: &Input, document: &CrdAnswers<Option<Made>>) -> anyhow::Result<()> {
        for (kubernetes, answer) in &document.answers {
            let (status, why) = match answer {
                Ok(Some(made)) => {
                    let (out, is_document) = (&mut self.out, self.args.output == Output::Json);
                    match made {
                        Made::OpenApi(all) if is_document => self.published.extend(all.iter().cloned()),
                        Made::OpenApi(all) => output::lines(out, &input.label, document, *kubernetes, all)?,
                        Made::JsonSchema(all) if is_document => self.json_schemas.extend(all.iter().cloned()),
                        Made::Kustomize(all) => self.kustomize.extend(all.iter().cloned()),
                        Made::JsonSchema(all) => json_schema::lines(out, &input.label, document, *kubernetes, all)?,
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
            // A program that reads JSON lines gets the exit code, and can run `check` to get the reasons.
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

    fn finish(mut self, mut file: Map<String, Value>) -> anyhow::Result<Status> {
        if self.args.output == Output::Json {
            match (self.args.format, &self.args.output_dir) {
                (Format::OpenapiV3, _) => output::document(&mut self.out, &self.published, OpenApi::V3)?,
                (Format::OpenapiV2, _) => output::document(&mut self.out, &self.published, OpenApi::V2)?,
                (Format::Kustomize, _) => {
                    merge_for_kustomize(&mut file, &self.kustomize);
                    output::kustomize(&mut self.out, &file)?;
                    if self.args.merge_into.is_none() {
                        tell(INSTEAD);
                    }
                }
                (Format::JsonSchema, Some(folder)) => {
                    for schema in &self.json_schemas {
                        if let Err(why) = json_schema::put(folder, schema, self.args.replacing.replaceable()) {
                            tell(why);
                            self.status = self.status.max(Status::Failed);
                        }
                    }
                }
                (Format::JsonSchema, None) => match self.json_schemas.as_slice() {
                    [] => {}
                    [schema] => json_schema::document(&mut self.out, schema)?,
                    several => {
                        let why = format!(
                            "a JSON Schema is for one version of one CRD, and here are {}: name one with `--version`, or add `--output-dir`",
                            several.len()
                        );
                        return Err(UsageError(why).into());
                    }
                },
            }
        }
        self.out.flush()?;
        let is_empty = self.published.is_empty() && self.json_schemas.is_empty() && self.kustomize.is_empty();
        if is_empty && self.status == Status::Clean && self.args.output == Output::Json {
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
