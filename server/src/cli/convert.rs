//! `crd-analyzer convert`: converts custom resources to another version, and tests conversion webhooks.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
    process::Command,
    time::Duration,
};

use crd_analyzer_conversion::{Converter, Webhook, round_trips};
use crd_analyzer_io::{
    git,
    loopback::LoopbackUrl,
    print::tell,
    program::{self, SearchPath},
    read,
};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::{
    comparison::compared::{ComparedCrd, Unanswered, compared},
    config::versions::VersionSet,
    eval::read_value,
};
use serde_json::{Map, Value};

use super::{
    Status, UsageError,
    manifests::{Settings, on_pool, one_version},
};
use crate::{
    input,
    output::convert::{Format, Outcome, Report},
};

/// The timeout of a webhook call, the same as in the API server.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum size of a webhook response, in bytes.
const MAX_ANSWER: usize = 64 << 20;

/// Convert custom resources to another version, and test conversion webhooks.
///
/// With the conversion strategy `None`, the API server only changes `apiVersion`, and drops fields that the other version does not have. With
/// --webhook or --webhook-command, crd-analyzer calls a conversion webhook, and checks its answer as the API server does.
///
/// --round-trips converts random objects of each version to each other version and back.
///
/// The exit code is 1 if a field is lost, or if the API server rejects a conversion or its result.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  crd-analyzer convert widget.yaml --to v2 --crd crd.yaml
  crd-analyzer convert --round-trips 200 --crd crd.yaml --webhook http://127.0.0.1:9443/convert")]
pub(super) struct Args {
    /// The custom resources: a file, a folder, or `-` for standard input. Other objects in it are left out.
    #[arg(value_name = "OBJECT", requires = "to", required_unless_present = "round_trips")]
    object: Option<String>,

    /// The version to convert to.
    #[arg(long, value_name = "VERSION", requires = "object")]
    to: Option<String>,

    /// The file of the CRD, or a folder that has it.
    #[arg(long, value_name = "FILE")]
    crd: String,

    /// Call the webhook at this address. The address must be on this machine: `http://127.0.0.1:PORT/PATH`.
    #[arg(long, value_name = "URL", conflicts_with = "webhook_command")]
    webhook: Option<String>,

    /// Run this command instead of a webhook. It reads a ConversionReview from standard input, and prints the answer. Spaces separate its
    /// arguments.
    #[arg(long, value_name = "COMMAND")]
    webhook_command: Option<String>,

    /// Convert this number of random objects of each version to each other version and back.
    #[arg(long, value_name = "N")]
    round_trips: Option<usize>,

    /// Use another number to get other random objects.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,

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
    let kubernetes = one_version(args.kubernetes_version, "objects are converted", "for")?;
    let mut hook = hook(args)?;
    let report = on_pool(|| report(args, kubernetes, hook.as_mut()))?;
    let stdout = io::stdout();
    let columns = crate::output::columns(&stdout);
    let mut out = BufWriter::with_capacity(1 << 16, stdout);
    (args.output.print)(&mut out, columns, &report)?;
    out.flush()?;
    Ok(if report.is_clean() {
        Status::Clean
    } else {
        Status::Findings
    })
}

fn report(args: &Args, kubernetes: KubernetesVersion, hook: Option<&mut Hook>) -> anyhow::Result<Report> {
    let objects = match &args.object {
        Some(file) => objects(file)?,
        None => Vec::new(),
    };
    let crd = crd(&args.crd, &objects, kubernetes)?;
    let subject = &crd.subject;
    let to = args.to.as_deref().unwrap_or_default();
    if args.to.is_some() && subject.any_version(to).is_none() {
        return Err(UsageError(format!("{} does not have the version `{to}`", subject.name())).into());
    }
    match (&hook, subject.has_webhook()) {
        (None, true) => {
            let why = format!(
                "{} is converted by a webhook: name it with `--webhook` or `--webhook-command`",
                subject.name()
            );
            return Err(UsageError(why).into());
        }
        (Some(_), false) => tell(format_args!(
            "note: {} does not name a conversion webhook: the API server would only change `apiVersion`",
            subject.name()
        )),
        _ => {}
    }
    let mut converter = Converter::new(subject, hook.map(|it| it as &mut dyn Webhook));
    let mut converted = Vec::new();
    for object in objects.into_iter().filter(|it| subject.defines(it)) {
        let result = converter.convert(&object, to);
        let refusal = result
            .as_ref()
            .ok()
            .and_then(|it| subject.refusal(to, &Value::Object(it.object.clone())));
        converted.push(Outcome {
            sent: object,
            result,
            refusal,
        });
    }
    if args.object.is_some() && converted.is_empty() {
        let why = format!(
            "{} has no object of the CRD in {}",
            args.object.as_deref().unwrap_or_default(),
            args.crd
        );
        return Err(UsageError(why).into());
    }
    let trips = args
        .round_trips
        .map(|count| round_trips(&mut converter, count, args.seed));
    Ok(Report {
        name: subject.name().to_owned(),
        to: to.to_owned(),
        has_webhook: converter.has_webhook(),
        converted,
        trips,
    })
}

fn objects(named: &str) -> anyhow::Result<Vec<Map<String, Value>>> {
    let is_folder = read::is_folder(Path::new(named));
    let mut objects = Vec::new();
    for (file, bytes) in input::read_arguments(named)? {
        let values = match read_value(bytes) {
            Ok(values) => values,
            // A folder may hold templates and other files, too.
            Err(why) if is_folder => {
                tell(format_args!("note: {file} is left out: {why}"));
                continue;
            }
            Err(why) => return Err(anyhow::anyhow!("cannot read {file}: {why}")),
        };
        objects.extend(values.into_iter().filter_map(|it| match it {
            Value::Object(object) => Some(object),
            _ => None,
        }));
    }
    Ok(objects)
}

/// The CRD in a file. If the file contains several CRDs, this is the one that matches the objects.
fn crd(file: &str, objects: &[Map<String, Value>], kubernetes: KubernetesVersion) -> anyhow::Result<ComparedCrd> {
    let files = input::read_arguments(file)?;
    let is_named = |it: &str| it == file;
    let documents = files.into_iter().flat_map(|(name, bytes)| {
        let is_named = is_named(&name);
        compared(bytes, is_named, kubernetes).1
    });
    let mut found = Vec::new();
    for document in documents {
        for (_, answer) in document.answers {
            match answer {
                Ok(crd) => found.push(crd),
                Err(Unanswered::Undecodable(why) | Unanswered::Unjudged(why)) => {
                    return Err(anyhow::anyhow!("cannot read {file}: {why}"));
                }
            }
        }
    }
    if found.len() > 1 && !objects.is_empty() {
        found.retain(|crd| objects.iter().any(|it| crd.subject.defines(it)));
    }
    match found.len() {
        1 => Ok(found.swap_remove(0)),
        0 => Err(UsageError(format!("{file} does not contain the CRD")).into()),
        n => Err(UsageError(format!("{file} has {n} CRDs: one is needed")).into()),
    }
}

/// The way to call the conversion webhook.
enum Hook {
    Url(LoopbackUrl),
    Command(String, Vec<String>),
}

fn hook(args: &Args) -> anyhow::Result<Option<Hook>> {
    if let Some(url) = &args.webhook {
        let url = LoopbackUrl::parse(url).map_err(|why| UsageError(format!("--webhook: {why}")))?;
        return Ok(Some(Hook::Url(url)));
    }
    let Some(command) = &args.webhook_command else {
        return Ok(None);
    };
    let mut words = command.split_whitespace().map(str::to_owned);
    let Some(name) = words.next() else {
        return Err(UsageError("--webhook-command is empty".to_owned()).into());
    };
    // A path names a file. A plain name is searched in `PATH`, and never in the repository.
    let program = if name.contains(std::path::is_separator) {
        std::path::absolute(Path::new(&name))?.display().to_string()
    } else {
        let folder = std::env::current_dir().ok().and_then(|it| git::root_around(&it));
        let search = SearchPath::new(folder.as_slice());
        let found = search
            .find(&name)
            .map_err(|why| UsageError(format!("--webhook-command: {why}")))?;
        found.display().to_string()
    };
    Ok(Some(Hook::Command(program, words.collect())))
}

impl Webhook for Hook {
    fn ask(&mut self, review: &Value) -> Result<Value, String> {
        let question = review.to_string().into_bytes();
        let answer = match self {
            Self::Url(url) => url
                .post(&question, MAX_ANSWER as u64, TIMEOUT)
                .map_err(|why| format!("the webhook does not answer: {why}"))?,
            Self::Command(program, arguments) => {
                let mut command = Command::new(&*program);
                let output = program::run(command.args(arguments), Some(question), MAX_ANSWER, TIMEOUT)
                    .map_err(|why| format!("{program}: {}", said(&why)))?;
                if !output.status.success() {
                    let stderr = String::from_utf8_lossy(&output.stderr);
                    return Err(format!("{program} fails: {}", stderr.trim()));
                }
                output.stdout
            }
        };
        serde_json::from_slice(&answer).map_err(|why| format!("the answer of the webhook is not JSON: {why}"))
    }
}

fn said(failure: &program::Failure) -> String {
    match failure {
        program::Failure::Io(why) => why.clone(),
        program::Failure::Timeout => format!("no answer within {} s", TIMEOUT.as_secs()),
        program::Failure::TooLong => "the answer is too long".to_owned(),
        program::Failure::Ended => "the program exited before it answered".to_owned(),
    }
}
