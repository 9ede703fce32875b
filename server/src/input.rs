//! What to check: files, folders, standard input and lists, and the previous revisions to compare with.

use std::{
    io::{self, BufRead, Read as _},
    path::{Path, PathBuf},
};

use crd_analyzer_lsp::git;
use ignore::WalkBuilder;
use serde::Deserialize;

use crate::cli::UsageError;

/// Files over this are not read: offsets are 32-bit, and no manifest that a server takes (3 MiB) comes near.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Where the text of one side comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A file.
    File(PathBuf),
    /// Standard input, whole.
    Stdin,
    /// A text that came with the request.
    Text(String),
    /// The file of this path in a git revision; absent there is no error.
    Git { path: PathBuf, revision: String },
}

/// One thing to check.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// The name to print: the path as it was given, or the request's id.
    pub(crate) label: String,
    /// The text.
    pub(crate) source: Source,
    /// The previous text, which makes the question one about an update.
    pub(crate) old: Option<Source>,
    /// The definition that came with it, by which alone custom resources are judged.
    pub(crate) definition: Option<Source>,
    /// Named by the user, not found in a folder: every document in it is asked about, even one that does not say its kind.
    pub(crate) named: bool,
}

impl Input {
    /// Where it lies, absolute; what is no file lies in the current folder.
    pub(crate) fn place(&self) -> io::Result<PathBuf> {
        match &self.source {
            Source::File(path) => std::path::absolute(path),
            _ => Ok(std::env::current_dir()?.join("-")),
        }
    }

    /// That it could not be read.
    pub(crate) fn unreadable(&self, error: &anyhow::Error) -> Unreadable {
        Unreadable {
            label: self.label.clone(),
            why: format!("{error:#}"),
        }
    }
}

/// A request of a list that is not a plain path.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Request {
    id: Option<String>,
    file: Option<String>,
    text: Option<String>,
    old: Option<String>,
    old_text: Option<String>,
    crd: Option<String>,
    crd_text: Option<String>,
    /// Of a request with a definition, the file.
    cr: Option<String>,
}

/// Reads one line of a list: a path, `NEW<tab>OLD`, or a JSON object `{"id", "file", "text", "old", "old_text"}`; with a definition
/// `{"crd", "crd_text", "cr", "text", "old", "old_text"}`.
pub(crate) fn parse_request(line: &str) -> Result<Input, UsageError> {
    if !line.starts_with('{') {
        let (path, old) = line
            .split_once('\t')
            .map_or((line, None), |(new, old)| (new, Some(old)));
        return Ok(Input {
            label: path.to_owned(),
            source: Source::File(path.into()),
            old: old.filter(|old| !old.is_empty()).map(|old| Source::File(old.into())),
            definition: None,
            named: true,
        });
    }
    let request: Request = serde_json::from_str(line)
        .map_err(|error| UsageError(format!("a line of the list is not a request: {error}")))?;
    let file = request.file.or(request.cr).filter(|it| !it.is_empty());
    let label = file.clone().or(request.id).unwrap_or_default();
    let source = match (file, request.text) {
        (Some(file), _) => Source::File(file.into()),
        (None, text) => Source::Text(text.unwrap_or_default()),
    };
    let either = |file: Option<String>, text: Option<String>| match (file, text) {
        (Some(file), _) if !file.is_empty() => Some(Source::File(file.into())),
        (_, Some(text)) if !text.is_empty() => Some(Source::Text(text)),
        _ => None,
    };
    let old = either(request.old, request.old_text);
    let definition = either(request.crd, request.crd_text);
    Ok(Input {
        label,
        source,
        old,
        definition,
        named: true,
    })
}

/// The lines of a list file, or of standard input for `-`.
pub(crate) fn list_lines(list: &str) -> anyhow::Result<Box<dyn Iterator<Item = io::Result<String>>>> {
    if list == "-" {
        return Ok(Box::new(io::stdin().lock().lines()));
    }
    let file = std::fs::File::open(list).map_err(|error| anyhow::anyhow!("cannot read the list {list}: {error}"))?;
    Ok(Box::new(io::BufReader::new(file).lines()))
}

/// A path that could not be walked or read: what is said of it.
#[derive(Debug)]
pub(crate) struct Unreadable {
    pub(crate) label: String,
    pub(crate) why: String,
}

impl Unreadable {
    /// Says so on standard error.
    pub(crate) fn tell(&self) {
        anstream::eprintln!("error: cannot read {}: {}", self.label, self.why);
    }
}

/// Finds what the arguments name, in a stable order. Folders are walked as git would see them.
pub(crate) fn collect(paths: &[PathBuf]) -> (Vec<Input>, Vec<Unreadable>) {
    let (mut inputs, mut unreadable) = (Vec::new(), Vec::new());
    for path in paths {
        if path.as_os_str() == "-" {
            inputs.push(Input {
                label: "-".to_owned(),
                source: Source::Stdin,
                old: None,
                definition: None,
                named: true,
            });
        } else if path.is_dir() {
            walk(path, &mut inputs, &mut unreadable);
        } else {
            inputs.push(Input {
                label: path.display().to_string(),
                source: Source::File(path.clone()),
                old: None,
                definition: None,
                named: true,
            });
        }
    }
    (inputs, unreadable)
}

fn walk(folder: &Path, inputs: &mut Vec<Input>, unreadable: &mut Vec<Unreadable>) {
    let entries = WalkBuilder::new(folder)
        .hidden(true)
        .require_git(false)
        .follow_links(true) // a folder of links is common in monorepos; the walker reports loops
        .sort_by_file_path(Path::cmp)
        .build();
    for entry in entries {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) && is_manifest(entry.path()) => {
                let label = entry.path().display().to_string();
                inputs.push(Input {
                    label,
                    source: Source::File(entry.into_path()),
                    old: None,
                    definition: None,
                    named: false,
                });
            }
            Ok(_) => {}
            Err(error) => {
                unreadable.push(Unreadable {
                    label: folder.display().to_string(),
                    why: error.to_string(),
                });
            }
        }
    }
}

/// Whether a file found in a folder may hold manifests.
fn is_manifest(path: &Path) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| {
            ["yaml", "yml", "json"]
                .iter()
                .any(|it| extension.eq_ignore_ascii_case(it))
        })
}

/// Reads the bytes of one side. `Ok(None)`: it does not exist, where that is no error.
pub(crate) fn read(source: &Source) -> anyhow::Result<Option<Vec<u8>>> {
    match source {
        Source::File(path) => {
            let size = std::fs::metadata(path)?.len();
            anyhow::ensure!(
                size <= MAX_FILE_BYTES,
                "the file has {size} bytes, more than the {MAX_FILE_BYTES} that are read"
            );
            Ok(Some(std::fs::read(path)?))
        }
        Source::Stdin => {
            let mut bytes = Vec::new();
            io::stdin().lock().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
            anyhow::ensure!(bytes.len() as u64 <= MAX_FILE_BYTES, "more than {MAX_FILE_BYTES} bytes");
            Ok(Some(bytes))
        }
        Source::Text(text) => Ok(Some(text.clone().into_bytes())),
        Source::Git { path, revision } => git_show(path, revision),
    }
}

/// The file as it was in a git revision; `None` if it did not exist there.
fn git_show(path: &Path, revision: &str) -> anyhow::Result<Option<Vec<u8>>> {
    git::show(path, revision, git::Fetch::Allowed).map_err(|error| match error {
        git::Error::NoGit(_) => anyhow::anyhow!("{error}, which --old-ref needs"),
        git::Error::NoRevision(why) => UsageError(format!("--old-ref {revision}: {why}")).into(),
    })
}
