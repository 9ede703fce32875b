//! `crd-analyzer docs`: generates reference documentation of CRDs.

use std::{
    collections::BTreeMap,
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_io::{
    print::{Terminal, tell},
    write::{OutputFolder, Replaceable, Unwritten},
};
use crd_analyzer_reference::reference_of;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_suite::{definition, init};
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    resource::accepted::{Unanswered, accepted},
};

use super::{
    Replacing, Status,
    manifests::{Manifests, one_version, or_here},
};
use crate::{
    input::{self, Collected, Input, Reading},
    output::{
        docs::{Format, Page, Shown, document, index},
        unwritten,
    },
};

/// Write reference documentation of CRDs: fields, limits, defaults, rules and an example.
///
/// The documentation is one document on standard output, or with --output-dir one page for each CRD. The same CRDs always give the same text.
/// Descriptions are printed as plain text: they cannot run scripts, load files or change the rest of the document.
///
/// The exit code is 1 if the API server rejects a CRD, and 3 if a file cannot be read or written.
#[derive(clap::Args, Debug)]
#[command(mut_arg("paths", or_here))]
#[command(after_help = "Examples:
  crd-analyzer docs config/crd > reference.md
  crd-analyzer docs config/crd --depth 3
  crd-analyzer docs config/crd --format html --output-dir public/")]
pub(super) struct Args {
    #[command(flatten)]
    manifests: Manifests,

    /// The format of the documentation.
    #[arg(long, alias = "output-format", value_enum, default_value = "markdown")]
    format: &'static Format,

    /// Write one page for each CRD into this folder, as `PLURAL.GROUP.md` or `.html`, and a list of all pages. Existing files are replaced.
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,

    #[command(flatten)]
    replacing: Replacing,

    /// List the fields of at most N levels: 1 for `spec`, 2 for `spec.replicas`. Default: all levels.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    depth: Option<u16>,

    /// List the fields of Kubernetes types, such as the containers of a Pod template. By default, their rows link to the documentation of
    /// Kubernetes.
    #[arg(long)]
    all_types: bool,
}

impl Args {
    fn shown(&self) -> Shown {
        Shown {
            depth: self.depth.map(usize::from),
            all_types: self.all_types,
        }
    }
}

/// The result for a CRD.
enum Made {
    Page(Box<Page>),
    /// A CRD without a page, because the API server rejects the CRD or crd-analyzer cannot check it. The string is the reason.
    Nothing(Status, String),
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    let named = args.manifests.kubernetes_version;
    let kubernetes = one_version(named, "documentation is", "for")?;
    let mut configs = args.manifests.configs()?;
    let mut status = Status::Clean;
    let mut pages: BTreeMap<(String, String), (String, Page)> = BTreeMap::new();
    args.manifests
        .feed(&Reading::default(), |Collected { inputs, unreadable, .. }| {
            configs.each(
                &inputs,
                |input, config| {
                    // A configuration may name several Kubernetes versions. The documentation only describes the newest one.
                    let kubernetes = named
                        .or(config.kubernetes_versions)
                        .map_or(kubernetes, VersionSet::newest);
                    Ok(of_file(input, kubernetes))
                },
                |input, _, made| {
                    let of_file = made.unwrap_or_else(|why| vec![(String::new(), Made::Nothing(Status::Failed, why))]);
                    for (name, made) in of_file {
                        match made {
                            Made::Page(page) => add(&mut pages, &input.label, *page),
                            Made::Nothing(because, why) => {
                                status = status.max(because);
                                let name = if name.is_empty() { name } else { format!("{name}: ") };
                                tell(format_args!("{}: {name}{why}", input.label));
                            }
                        }
                    }
                    Ok(())
                },
            )?;
            for it in &unreadable {
                status = Status::Failed;
                it.tell();
            }
            Ok(())
        })?;
    let pages: Vec<Page> = pages.into_values().map(|it| it.1).collect();
    if pages.is_empty() {
        tell("no CRD was found that can be documented");
        return Ok(status.max(Status::Findings));
    }
    if let Some(folder) = &args.output_dir {
        if let Err(why) = write_pages(folder, pages, (args.shown(), args.format), args.replacing.replaceable()) {
            tell(why);
            status = Status::Failed;
        }
    } else {
        let mut out = BufWriter::new(io::stdout());
        Terminal::new(&mut out, false).lines(&document(&pages, args.shown(), args.format))?;
        out.flush()?;
    }
    Ok(status)
}

/// Adds a page. If two CRDs have the same name, the first on the command line wins.
fn add(pages: &mut BTreeMap<(String, String), (String, Page)>, label: &str, page: Page) {
    let key = (page.kind.group.clone(), page.kind.name.clone());
    match pages.get(&key) {
        Some((first, before)) if before.kind != page.kind => tell(format_args!(
            "note: {label} defines {} differently than {first}: the documentation is that of {first}",
            page.kind.name
        )),
        Some(_) => {}
        None => {
            pages.insert(key, (label.to_owned(), page));
        }
    }
}

/// The documentation of the CRDs in a file. The error is the reason why the file cannot be read.
fn of_file(input: &Input, kubernetes: KubernetesVersion) -> Result<Vec<(String, Made)>, String> {
    let bytes = input::read(&input.source).map_err(|error| format!("cannot read it: {error:#}"))?;
    let bytes = bytes.unwrap_or_default();
    let text: Arc<str> = String::from_utf8_lossy(&bytes).into();
    let mut written = definition::definitions(&input.label, &text);
    let documents = accepted(bytes, VersionSet::all(), input.named);
    let made = documents.into_iter().map(|document| {
        let accepting = document
            .answers
            .iter()
            .filter(|it| matches!(it.1, Ok(Some(_))))
            .map(|it| VersionSet::one(it.0));
        let accepted_by = accepting.reduce(VersionSet::union);
        let answer = document.answers.iter().find(|it| it.0 == kubernetes).map(|it| &it.1);
        let at = written.iter().position(|it| it.name == document.name);
        let written = at.map(|it| written.remove(it));
        let made = match (answer, accepted_by) {
            (Some(Ok(Some(definition))), Some(accepted_by)) => {
                let kind = reference_of(definition, kubernetes);
                let example = |version: &str| init::example(written.as_ref()?, version, kubernetes).ok();
                let examples = kind.versions.iter().map(|it| example(&it.name)).collect();
                Made::Page(Box::new(Page {
                    kind,
                    accepted_by,
                    examples,
                }))
            }
            (Some(Err(Unanswered::Undecodable(why) | Unanswered::Unjudged(why))), _) => {
                Made::Nothing(Status::Failed, why.clone())
            }
            _ => Made::Nothing(
                Status::Findings,
                format!("Kubernetes {kubernetes} rejects it: run `crd-analyzer check`"),
            ),
        };
        (document.name, made)
    });
    Ok(made.collect())
}

/// Writes a file for each page, and the list of all pages. The error is the reason why a file cannot be written.
fn write_pages(
    folder: &Path,
    pages: Vec<Page>,
    (shown, format): (Shown, &Format),
    replaceable: Replaceable,
) -> Result<(), String> {
    let failed = |path: &Path, why: &Unwritten| unwritten(&path.display().to_string(), why);
    let opened = OutputFolder::open(folder).map_err(|why| failed(folder, &why))?;
    let write = |name: &str, text: String| {
        let written = opened.put(Path::new(name), text.as_bytes(), replaceable);
        written.map_err(|why| failed(&folder.join(name), &why))
    };
    write(format.index, index(&pages, format))?;
    for page in pages {
        let name = format!("{}.{}", page.kind.name, format.extension);
        write(&name, document(&[page], shown, format))?;
    }
    Ok(())
}
