//! `crd-analyzer explain`: prints the page of a diagnostic code, or describes a field of a custom resource.

use std::{
    io::{self, BufWriter, IsTerminal as _, Write as _},
    path::PathBuf,
    sync::Arc,
};

use crd_analyzer_io::print::{Terminal, tell};
use crd_analyzer_publish::published;
use crd_analyzer_reference::{Depth, FieldPath, Subject, beyond, explain, fields_of, find, newest_version};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::{
    codes::{self, Code},
    config::versions::VersionSet,
    findings::server_words,
    index::{CrdText, Definitions as _, Found, KnownCrd},
    resource::accepted::received,
    words::meant::meant,
};
use rayon::prelude::*;

use super::{
    Status, UsageError,
    definitions::{Compared, RunCrds},
    manifests::{Settings, on_pool, one_version},
};
use crate::{
    input::{self, Collected, Reading},
    output::{self, Color, page},
};

/// Explain a diagnostic code, an error of the API server, or a field of a custom
/// resource
///
/// For a code, crd-analyzer prints its page: examples, the reason, and how to fix it.
/// For an error of the API server or kubectl, in quotes, crd-analyzer prints the page
/// of the matching code.
///
/// For a field, crd-analyzer prints what `kubectl explain` prints, from CRD files
/// instead of a cluster. Then it adds what kubectl does not print: limits, defaults,
/// and validation rules.
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment)]
#[command(after_help = r#"Examples:
  crd-analyzer explain unknown-type
  crd-analyzer explain "Forbidden: estimated rule cost exceeds budget by factor of 1.8x"
  crd-analyzer explain crontab.spec.replicas
  crd-analyzer explain crontabs.stable.example.com.spec --recursive --crd config/crd"#)]
pub(super) struct Args {
    /// A diagnostic code; an error of the API server, in quotes; or the path of a field, which begins with the plural, singular or short name
    /// of the resource. Default: list all codes.
    #[arg(value_name = "CODE|TEXT|PATH")]
    what: Option<String>,

    /// The CRDs that define the fields: a file, a folder or a glob in quotes. You can repeat the option. Default: the CRDs that `check` finds
    /// in the current folder.
    #[arg(long = "crd", value_name = "PATH", requires = "what")]
    definitions: Vec<String>,

    /// The API version of the resource, such as `example.com/v1`. Default: the version that kubectl uses.
    #[arg(long, value_name = "GROUP/VERSION", requires = "what")]
    api_version: Option<String>,

    /// Also print nested fields, without descriptions.
    #[arg(short = 'R', long, requires = "what")]
    recursive: bool,

    /// The number of levels that --recursive prints. 0 prints all levels.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "recursive")]
    max_depth: usize,

    /// Explain the field as the API server of this Kubernetes version does, such as `1.31`. Default: the newest.
    #[arg(long, value_name = "VERSION")]
    kubernetes_version: Option<VersionSet>,

    #[command(flatten)]
    settings: Settings,
}

/// The width of the terminal in columns, or `None` to print the text of pages unchanged.
type Columns = Option<usize>;

pub(super) fn run(args: &Args, color: Color) -> anyhow::Result<Status> {
    let stdout = io::stdout();
    let has_color = color.is_shown(&stdout);
    let columns = (has_color || stdout.is_terminal()).then(|| output::columns(&stdout));
    let mut out = BufWriter::new(stdout);
    let mut terminal = Terminal::new(&mut out, has_color);
    match args.what.as_deref() {
        None => {
            for code in codes::all() {
                terminal.line(format_args!("{:<40} {}", code.name, code.summary))?;
            }
        }
        Some(wanted) => match codes::find(wanted).or_else(|| codes::find(&code_in(wanted))) {
            Some(code) => page(&mut terminal, columns, code)?,
            // Codes and paths never contain spaces.
            None if wanted.trim().contains(char::is_whitespace) => said(&mut terminal, columns, wanted)?,
            None => terminal.columns(&field(args, wanted)?)?,
        },
    }
    out.flush()?;
    Ok(Status::Clean)
}

/// The code in the first words of a diagnostic such as `error[unknown-field]`, in lower case.
fn code_in(wanted: &str) -> String {
    let inside = wanted.split_once('[').and_then(|it| it.1.split_once(']'));
    inside.map_or(wanted, |it| it.0).to_lowercase()
}

/// Prints the page of a code.
fn page(terminal: &mut Terminal<'_>, columns: Columns, code: Code) -> io::Result<()> {
    match columns {
        Some(columns) => page::print(terminal, columns, &code.text()),
        None => terminal.lines(&code.text()),
    }
}

/// Prints the page of the code that matches an error message of the API server, and lists other possible codes.
fn said(terminal: &mut Terminal<'_>, columns: Columns, words: &str) -> anyhow::Result<()> {
    let codes = server_words::codes_of(words);
    let Some((first, others)) = codes.split_first() else {
        let why = "no page quotes these words of the API server. `crd-analyzer explain` lists all codes, and `crd-analyzer check FILE` finds out \
                   what is wrong with the file";
        return Err(UsageError(why.to_owned()).into());
    };
    page(terminal, columns, *first)?;
    if !others.is_empty() {
        let names: Vec<String> = others
            .iter()
            .take(MOST_OTHERS)
            .map(|it| format!("`{}`", it.name))
            .collect();
        terminal.line(format_args!(""))?;
        terminal.line(format_args!("The words are also on the pages of {}.", names.join(", ")))?;
    }
    Ok(())
}

/// The maximum number of other codes to list.
const MOST_OTHERS: usize = 5;

/// The CRD to explain, and the path of the field.
struct Asked {
    known: Arc<KnownCrd>,
    text: Arc<CrdText>,
    path: FieldPath,
}

/// The description of a field.
fn field(args: &Args, wanted: &str) -> anyhow::Result<String> {
    let kubernetes = one_version(args.kubernetes_version, "a field is explained", "for")?;
    args.settings.start_threads()?;
    let definitions = definitions(args)?;
    let asked = asked(args, &definitions, wanted)?;
    on_pool(|| explained(args, &asked, kubernetes))
}

/// The CRDs of `--crd`, or the CRDs that `check` finds for the current folder.
fn definitions(args: &Args) -> anyhow::Result<RunCrds> {
    let mut configs = args.settings.configs()?;
    if !args.definitions.is_empty() {
        return RunCrds::new(&args.definitions, &[], Compared::Nothing);
    }
    let Collected { inputs, unreadable, .. } = input::collect(&[PathBuf::from(".")], &Reading::default())?;
    for it in &unreadable {
        it.tell();
    }
    RunCrds::of_inputs(&inputs, &mut configs)
}

/// Finds the CRD that a path names.
fn asked(args: &Args, definitions: &RunCrds, wanted: &str) -> anyhow::Result<Asked> {
    let all = definitions.all();
    let texts: Vec<_> = on_pool(|| {
        let texts = all
            .par_iter()
            .filter_map(|it| Some((it, it.text(definitions.files())?)));
        texts.collect()
    });
    let group = match args.api_version.as_deref().map(|it| it.split_once('/')) {
        None => None,
        Some(Some((group, _))) => Some(group),
        Some(None) => {
            let why = "--api-version: name the group and the version, as in `stable.example.com/v1`";
            return Err(UsageError(why.to_owned()).into());
        }
    };
    let mut found: Vec<(usize, &Arc<KnownCrd>)> = Vec::new();
    let mut names = Vec::new();
    for (known, text) in &texts {
        let names_of = text.names().into_iter().chain([known.defines.kind.to_lowercase()]);
        for name in names_of {
            let is_of_group = group.is_none_or(|it| it == known.defines.group);
            if let Some(length) = matched(wanted, &name, &known.defines.group).filter(|_| is_of_group) {
                found.push((length, known));
            }
            names.push(name);
        }
    }
    let longest = found.iter().map(|it| it.0).max();
    found.retain(|it| Some(it.0) == longest);
    found.dedup_by(|one, other| one.1.defines == other.1.defines);
    let Some((length, known)) = found.first() else {
        return Err(nothing_named(wanted, names.iter().map(String::as_str), texts.len()).into());
    };
    if found.iter().any(|it| it.1.defines != known.defines) {
        let meant: Vec<String> = found
            .iter()
            .map(|it| format!("{} of {}", it.1.defines.kind, it.1.defines.group))
            .collect();
        return Err(UsageError(format!(
            "`{}` is the name of {}: add the group to the name, or --api-version",
            &wanted[..*length],
            meant.join(", and of ")
        ))
        .into());
    }
    let near = std::env::current_dir()?.join("-");
    let nearest = definitions.find(&known.defines, &near);
    let others = nearest.iter().flat_map(Found::all_others);
    let known = nearest
        .as_ref()
        .map_or_else(|| (*known).clone(), |it| it.definition.clone());
    for other in others {
        tell(format_args!(
            "note: {} defines another {}; this is the explanation of {}",
            other.path.display(),
            known.defines.kind,
            known.path.display()
        ));
    }
    let text = known.text(definitions.files());
    Ok(Asked {
        text: text.ok_or_else(|| anyhow::anyhow!("cannot read {}", known.path.display()))?,
        path: FieldPath::read(&wanted[*length..]),
        known,
    })
}

/// The number of bytes at the start of the argument that contain the name of this resource, with or without its group.
fn matched(wanted: &str, name: &str, group: &str) -> Option<usize> {
    let whole = format!("{name}.{group}");
    [whole.as_str(), name].into_iter().find_map(|it| {
        let begin = wanted.get(..it.len())?;
        let ends = wanted[it.len()..].is_empty() || wanted[it.len()..].starts_with(['.', '[']);
        (begin.eq_ignore_ascii_case(it) && ends).then_some(it.len())
    })
}

/// The error for an argument that is not a code and does not start with the name of a resource.
fn nothing_named<'a>(wanted: &str, names: impl Iterator<Item = &'a str>, definitions: usize) -> UsageError {
    let first = wanted.split('.').next().unwrap_or_default();
    let near: Vec<String> = [codes::nearest(wanted), meant(first, names)]
        .into_iter()
        .flatten()
        .map(|it| format!("`{it}`"))
        .collect();
    let near = if near.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", near.join(" or "))
    };
    let known = match definitions {
        0 => "no CRD was found: name one with --crd".to_owned(),
        1 => "1 CRD was found".to_owned(),
        count => format!("{count} CRDs were found"),
    };
    UsageError(format!(
        "`{wanted}` is not a diagnostic code, and `{first}` is not the name of a custom resource{near} \
         (`crd-analyzer explain` lists all codes; {known})"
    ))
}

fn explained(args: &Args, asked: &Asked, kubernetes: KubernetesVersion) -> anyhow::Result<String> {
    let file = asked.known.path.display();
    let received = received(&asked.text, kubernetes);
    let received =
        received.ok_or_else(|| anyhow::anyhow!("{file} cannot be read as a CRD: run `crd-analyzer check`"))?;
    if !received.is_accepted {
        tell(format_args!(
            "note: Kubernetes {kubernetes} rejects {file}: run `crd-analyzer check`"
        ));
    }
    let spec = &received.definition.spec;
    let all = published(&received.definition, kubernetes);
    let names = || all.iter().map(|it| it.version.as_str());
    let wanted = match args.api_version.as_deref().and_then(|it| it.split_once('/')) {
        Some((_, version)) => version,
        None => newest_version(names()).unwrap_or_default(),
    };
    let Some(version) = all.iter().find(|it| it.version == wanted) else {
        let served: Vec<String> = names().map(|it| format!("`{}/{it}`", spec.group)).collect();
        return Err(UsageError(match served.as_slice() {
            [] => format!("{} has no served version", spec.names.kind),
            served => format!(
                "{} is not served as `{}`, but as {}",
                spec.names.kind,
                args.api_version.as_deref().unwrap_or_default(),
                served.join(", ")
            ),
        })
        .into());
    };
    let subject = Subject {
        group: &spec.group,
        version: &version.version,
        kind: &spec.names.kind,
        schema: &version.v3,
    };
    let depth = if args.recursive {
        Depth::Recursive(args.max_depth)
    } else {
        Depth::Fields
    };
    let path = &asked.path.0;
    let Ok(mut text) = explain(&subject, path, depth) else {
        return Err(no_field(&subject, path).into());
    };
    let more = beyond(&version.v3, path, depth);
    if !more.is_empty() {
        text.push_str("What kubectl does not print:\n\n");
        text.push_str(&more);
    }
    Ok(text)
}

/// The error for a path without a field. It points to the first wrong name.
fn no_field(subject: &Subject<'_>, path: &[String]) -> UsageError {
    let known = (0..path.len())
        .take_while(|depth| find(subject.schema, &path[..*depth]).is_some())
        .last()
        .unwrap_or(0);
    let parent = find(subject.schema, &path[..known]).unwrap_or(subject.schema);
    let fields = fields_of(parent);
    let wanted = path.get(known).map(String::as_str).unwrap_or_default();
    let parent = if known == 0 {
        subject.kind.to_owned()
    } else {
        format!("`{}` of {}", path[..known].join("."), subject.kind)
    };
    if fields.is_empty() {
        return UsageError(format!("{parent} has no fields, so it has no `{wanted}`"));
    }
    let near = meant(wanted, fields.iter().map(|it| it.name));
    let near = near.map_or_else(
        || format!(": run `crd-analyzer explain` without `.{wanted}` for its fields"),
        |it| format!("; did you mean `{it}`?"),
    );
    UsageError(format!("{parent} has no field `{wanted}`{near}"))
}
