//! The inputs to check: files, folders, standard input and lists, with the previous versions to compare with.

mod packages;

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use crd_analyzer_io::{
    absolute::absolute,
    git,
    print::tell,
    read::{self, Access, Kind, Unread},
    roots::Roots,
    stdin,
    walk::{self, Hidden, Links, Problem, Walked},
};
use crd_analyzer_workspace::{
    config::crd_paths::CrdPath, config::is_config, index::lock, roles::is_filled_in, roles::is_helpers,
    roles::is_markdown,
};
use serde::Deserialize;
use serde_json::Value;

pub(crate) use self::packages::not_packages;
use crate::status::UsageError;

/// The source of an input's text.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A file, and its access.
    File(PathBuf, Access),
    /// All of standard input, and the file that this content belongs to, if given.
    Stdin(Option<PathBuf>),
    /// A text from a request.
    Text(String),
    /// The file at this path in a git revision. It may be missing there.
    Git {
        path: PathBuf,
        revision: Arc<git::Revision>,
    },
}

/// An input to check.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// The name for output: the path as given, or the ID of the request.
    pub(crate) label: String,
    /// The source of the text.
    pub(crate) source: Source,
    /// The source of the previous version, if the input is checked as an update.
    pub(crate) old: Option<Source>,
    /// The CRD that came with a request. Custom resources are checked against this CRD only.
    pub(crate) definition: Option<Source>,
    /// Whether the user named the file itself, instead of a folder. In such a file, every document is checked, even a document without a kind.
    pub(crate) named: bool,
}

impl Input {
    /// An input for a file that was found in a folder.
    pub(crate) fn found(path: PathBuf, access: Access) -> Self {
        Self {
            label: label(&path),
            source: Source::File(path, access),
            old: None,
            definition: None,
            named: false,
        }
    }
}

impl Source {
    /// The source for a file that the user named.
    pub(crate) fn named(path: impl Into<PathBuf>) -> Self {
        Self::File(path.into(), Access::Named)
    }
}

impl Input {
    /// The absolute path. An input that is not a file is treated as a file in the current folder.
    pub(crate) fn place(&self) -> io::Result<PathBuf> {
        match self.file() {
            Some((path, _)) => absolute(path),
            None => Ok(std::env::current_dir()?.join("-")),
        }
    }

    /// The file that contains the text, and the access to other files in its folder.
    pub(crate) fn file(&self) -> Option<(&Path, Access)> {
        match &self.source {
            Source::File(path, access) => Some((path, access.clone())),
            Source::Stdin(Some(path)) => Some((path, found_in(path.parent().unwrap_or(Path::new("."))))),
            _ => None,
        }
    }

    /// The access to other files in its folder. An input that is not a file is treated as a file in the current folder that the user named.
    pub(crate) fn access(&self) -> Access {
        self.file().map_or(Access::Named, |it| it.1)
    }

    /// The report that this input could not be read, with the error.
    pub(crate) fn unreadable(&self, error: &anyhow::Error) -> Unreadable {
        Unreadable {
            label: self.label.clone(),
            why: format!("{error:#}"),
        }
    }
}

/// A request of a list, as a JSON object.
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
    /// The file of the custom resource, in a request with a CRD.
    cr: Option<String>,
}

/// Parses a line of a list: a path, `NEW<tab>OLD`, or a JSON object `{"id", "file", "text", "old", "old_text"}`. With a CRD, the object is
/// `{"crd", "crd_text", "cr", "text", "old", "old_text"}`. The error contains the ID of the request, if it is known.
pub(crate) fn parse_request(line: &[u8]) -> Result<Input, (Option<String>, String)> {
    if !line.starts_with(b"{") {
        let mut sides = line.splitn(2, |it| *it == b'\t').map(path_of);
        let path = sides.next().unwrap_or_default();
        return Ok(Input {
            label: path.display().to_string(),
            source: Source::named(path),
            old: sides.next().filter(|it| !it.as_os_str().is_empty()).map(Source::named),
            definition: None,
            named: true,
        });
    }
    let request: Request = serde_json::from_slice(line).map_err(|error| {
        let whole: Value = serde_json::from_slice(line).unwrap_or_default();
        let named = ["file", "cr", "id"].iter().find_map(|it| whole[it].as_str());
        (named.map(str::to_owned), format!("it is not a request: {error}"))
    })?;
    let file = request.file.or(request.cr).filter(|it| !it.is_empty());
    let label = file.clone().or(request.id).unwrap_or_default();
    let source = match (file, request.text) {
        (Some(file), _) => Source::named(file),
        (None, text) => Source::Text(text.unwrap_or_default()),
    };
    let either = |file: Option<String>, text: Option<String>| match (file, text) {
        (Some(file), _) if !file.is_empty() => Some(Source::named(file)),
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

/// Converts the bytes of a path, which need not be UTF-8 on Unix.
fn path_of(written: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
        PathBuf::from(OsStr::from_bytes(written))
    }
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(written).into_owned())
}

/// The maximum length of a request, which may contain several files, in bytes.
const LINE_BYTES: u64 = 4 * read::FOUND_BYTES;

/// The lines of a list.
type Lines = Box<dyn Iterator<Item = Result<Vec<u8>, Unread>>>;

/// The lines of a list file, or of standard input for `-`, with surrounding whitespace removed.
pub(crate) fn list_lines(list: &str) -> anyhow::Result<Lines> {
    let trimmed = |line: Result<Vec<u8>, Unread>| line.map(|it| it.trim_ascii().to_vec());
    if list == "-" {
        return Ok(Box::new(stdin::lines(LINE_BYTES).map(trimmed)));
    }
    let bytes = read::bytes(Path::new(list), &Access::Named, read::NAMED_BYTES)
        .map_err(|why| anyhow::anyhow!("cannot read the list {list}: {why}"))?;
    Ok(Box::new(
        stdin::Lines::new(io::Cursor::new(bytes), LINE_BYTES).map(trimmed),
    ))
}

/// A path that could not be listed or read, with the reason.
#[derive(Debug)]
pub(crate) struct Unreadable {
    pub(crate) label: String,
    pub(crate) why: String,
}

impl Unreadable {
    /// Prints the error to standard error.
    pub(crate) fn tell(&self) {
        tell(format_args!("error: cannot read {}: {}", self.label, self.why));
    }
}

/// Options for reading the paths of a run.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Reading<'a> {
    /// The file whose content is on standard input. The content on disk is ignored.
    pub(crate) stdin: Option<&'a Path>,
    /// The git revision to read from, instead of the disk.
    pub(crate) revision: Option<&'a Arc<git::Revision>>,
    /// Which hidden files and folders to include.
    pub(crate) hidden: Hidden,
    /// Whether to include Markdown files.
    pub(crate) has_markdown: bool,
    /// Whether to include manifests that programs fill in, such as `widget.yaml.tmpl`.
    pub(crate) has_filled_in: bool,
    /// Whether to include the files of Go packages, such as `./api/...`. Otherwise, such a path is an error.
    pub(crate) has_packages: bool,
}

impl Reading<'_> {
    /// How `check` reads a folder if it has no options.
    pub(crate) const OF_CHECK: Self = Self {
        stdin: None,
        revision: None,
        hidden: Hidden::Tracked,
        has_markdown: false,
        has_filled_in: true,
        has_packages: false,
    };
}

/// The files of the path arguments.
#[derive(Default, Debug)]
pub(crate) struct Collected {
    /// The inputs in a stable order, without duplicates.
    pub(crate) inputs: Vec<Input>,
    /// The paths that could not be read.
    pub(crate) unreadable: Vec<Unreadable>,
    /// The hidden folders and files that were skipped.
    pub(crate) hidden: Vec<PathBuf>,
    /// The Go files in folders that usually declare API types, judging by their names, without those of other projects.
    pub(crate) go_types: Vec<(PathBuf, Access)>,
}

/// Collects the inputs of path arguments. In folders, skips files that git ignores.
pub(crate) fn collect(paths: &[PathBuf], reading: &Reading<'_>) -> anyhow::Result<Collected> {
    let (mut inputs, mut unreadable, mut hidden) = (Vec::new(), Vec::new(), Vec::new());
    let mut go_types = Vec::new();
    // The arguments may contain the same file twice.
    let mut may_repeat = paths.len() > 1;
    for path in paths {
        let access = reading.revision.map(|it| Access::Elsewhere(it.clone()));
        let is_there = || match &access {
            Some(access) => read::kind(path, access).is_ok(),
            None => read::exists(path),
        };
        if let Some(glob) = path.to_str().filter(|it| it.contains(['*', '?']) && !is_there()) {
            let folder = std::env::current_dir()?;
            let found = expand(glob, &folder, "PATH", access.as_ref().unwrap_or(&Access::Named))?;
            inputs.extend(found.into_iter().map(|(path, access)| Input {
                label: path.strip_prefix(&folder).unwrap_or(&path).display().to_string(),
                ..Input::found(path, access)
            }));
            continue;
        }
        if !reading.has_packages {
            not_packages(path)?;
        }
        if let Some(folder) = packages::below(path) {
            let access = access.unwrap_or_else(|| found_in(&folder));
            let found = packages::files(&folder, &access, reading.hidden)?;
            unreadable.extend(found.problems.into_iter().map(Unreadable::from));
            inputs.extend(found.files.into_iter().map(|it| Input::found(it, access.clone())));
            continue;
        }
        let source = if path.as_os_str() == "-" {
            Source::Stdin(reading.stdin.map(Path::to_owned))
        } else if is_folder(path, access.as_ref()) {
            let access = access.unwrap_or_else(|| found_in(path));
            // The walk knows only the name of a file.
            let is_template = |it: &Path| it.extension().is_some_and(|it| it == "tpl");
            let is_text = |it: &Path| {
                is_template(it) || reading.has_filled_in && is_filled_in(it) || reading.has_markdown && is_markdown(it)
            };
            let is_wanted = |it: &Path| walk::is_manifest(it) || is_text(it) || is_of_types(it);
            let mut walked = walk_for(path, &access, reading.hidden, &is_wanted)?;
            let types = walked.files.extract_if(.., |it| is_of_types(it));
            let own = types.filter(|it| !it.iter().any(|it| it == "vendor"));
            go_types.extend(own.map(|it| (it, access.clone())));
            walked.hidden.retain(|it| !is_of_types(it));
            may_repeat |= walked.has_links;
            // A configuration file of crd-analyzer is not a manifest.
            let is_read = |it: &PathBuf| !is_config(it) && (!is_template(it) || is_helpers(it) || is_filled_in(it));
            walked.files.retain(is_read);
            walked.hidden.retain(is_read);
            hidden.extend(walked.hidden);
            // The Go files are not checked.
            let problems = walked.problems.into_iter().filter(|it| !is_of_types(&it.path));
            unreadable.extend(problems.map(Unreadable::from));
            inputs.extend(walked.files.into_iter().map(|it| Input::found(it, access.clone())));
            continue;
        } else {
            Source::File(path.clone(), access.unwrap_or(Access::Named))
        };
        let label = match &source {
            Source::Stdin(Some(file)) => file.display().to_string(),
            _ => path.display().to_string(),
        };
        inputs.push(Input {
            label,
            source,
            old: None,
            definition: None,
            named: true,
        });
    }
    if let Some(stdin) = reading.stdin {
        let stdin = absolute(stdin)?;
        let is_same = |it: &Path| absolute(it).is_ok_and(|it| it == stdin);
        inputs.retain(|it| !matches!(&it.source, Source::File(path, _) if is_same(path)));
    }
    if may_repeat && reading.revision.is_none() {
        once_each(&mut inputs);
    }
    Ok(Collected {
        inputs,
        unreadable,
        hidden,
        go_types,
    })
}

/// Whether a Go file usually declares API types, judging by its name.
fn is_of_types(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    name.ends_with("types.go")
}

/// Markers that occur only in files with API types.
const SIGNS: [&str; 3] = ["+groupName", "+kubebuilder:object:", "+kubebuilder:validation:"];

/// Whether a Go file has markers of API types.
pub(crate) fn has_markers(path: &Path, access: &Access) -> bool {
    let text = read::text(path, access, read::SETTINGS_BYTES);
    text.is_ok_and(|it| SIGNS.iter().any(|sign| it.contains(sign)))
}

/// The path of a found file as people write it, without `./`.
pub(crate) fn label(path: &Path) -> String {
    path.strip_prefix(".").unwrap_or(path).display().to_string()
}

/// Removes duplicate files. Keeps the path that the user named, otherwise a path without symbolic links, otherwise the first path.
fn once_each(inputs: &mut Vec<Input>) {
    let mut best: HashMap<PathBuf, ((bool, bool), usize)> = HashMap::new();
    let mut folders = HashMap::new();
    let real: Vec<Option<PathBuf>> = inputs.iter().map(|it| real_path(it, &mut folders)).collect();
    for (n, (input, real)) in inputs.iter().zip(&real).enumerate() {
        let Some(real) = real else { continue };
        let is_own = input.place().is_ok_and(|it| it == *real);
        let rank = (input.named, is_own);
        let best = best.entry(real.clone()).or_insert((rank, n));
        if rank > best.0 {
            *best = (rank, n);
        }
    }
    let mut n = 0;
    inputs.retain(|_| {
        n += 1;
        let real = real[n - 1].as_ref().and_then(|it| best.get(it));
        real.is_none_or(|it| it.1 == n - 1)
    });
}

/// The path of a file on disk with symbolic links resolved. `folders` caches the resolved folders.
fn real_path(input: &Input, folders: &mut HashMap<PathBuf, Option<PathBuf>>) -> Option<PathBuf> {
    let Source::File(path, _) = &input.source else {
        return None;
    };
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return fs::canonicalize(path).ok();
    };
    if !folders.contains_key(folder) {
        let written = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        folders.insert(folder.to_owned(), fs::canonicalize(written).ok());
    }
    let file = folders.get(folder)?.as_ref()?.join(name);
    if fs::symlink_metadata(&file).ok()?.is_symlink() {
        return fs::canonicalize(&file).ok();
    }
    Some(file)
}

/// The maximum number of links to report that git revisions contain.
const MOST_LINKS: usize = 5;

/// Finds the files in a folder that may contain manifests, and the paths that cannot be read. Prints notes, for example about skipped links.
pub(crate) fn walk(folder: &Path, access: &Access, hidden: Hidden) -> anyhow::Result<Walked> {
    walk_for(folder, access, hidden, &walk::is_manifest)
}

/// Like [`walk()`], but finds the files that `is_wanted` accepts.
fn walk_for(
    folder: &Path,
    access: &Access,
    hidden: Hidden,
    is_wanted: &dyn Fn(&Path) -> bool,
) -> anyhow::Result<Walked> {
    let mut files = Vec::new();
    let walked = walk_each(folder, access, hidden, is_wanted, &mut |it| files.push(it))?;
    Ok(Walked { files, ..walked })
}

/// Like [`walk()`], but passes each file to `take` as soon as it is found, so that work on it can start.
pub(crate) fn walk_each(
    folder: &Path,
    access: &Access,
    hidden: Hidden,
    is_wanted: &dyn Fn(&Path) -> bool,
    take: &mut dyn FnMut(PathBuf),
) -> anyhow::Result<Walked> {
    let walked = match access {
        Access::Elsewhere(files) => {
            let listed = files.files(folder, is_wanted).map_err(anyhow::Error::msg)?;
            let link = |path| Problem {
                path,
                why: "a link: crd-analyzer follows links only on disk".to_owned(),
            };
            let is_collected = |it: &Path| {
                let below = it.strip_prefix(folder).unwrap_or(it);
                below.iter().any(|it| it == lock::FOLDER)
            };
            listed.files.into_iter().filter(|it| !is_collected(it)).for_each(take);
            Walked {
                notes: listed.links.into_iter().take(MOST_LINKS).map(link).collect(),
                ..Walked::default()
            }
        }
        _ => walk::each(folder, &Links::Within(roots(access)), hidden, is_wanted, take),
    };
    for note in &walked.notes {
        tell(format_args!("note: {}: {}", note.path.display(), note.why));
    }
    Ok(walked)
}

/// Whether a path that the user named is a folder, on disk or with the given access.
fn is_folder(path: &Path, access: Option<&Access>) -> bool {
    match access {
        Some(access) => matches!(read::kind(path, access), Ok((Kind::Folder, _))),
        None => read::is_folder(path),
    }
}

/// The hand-written Go files in and below a folder. Empty if the folder cannot be read.
pub(crate) fn go_files(folder: &Path, access: &Access) -> Vec<PathBuf> {
    if !read::is_folder(folder) {
        return Vec::new();
    }
    packages::files(folder, access, Hidden::Tracked).map_or_else(|_| Vec::new(), |it| it.files)
}

/// The access to files found in a folder that the user named.
pub(crate) fn found_in(folder: &Path) -> Access {
    Access::Within(Arc::new(Roots::new([folder]).and_around(folder)))
}

/// The folders that symbolic links in a repository may lead to.
pub(crate) fn roots(access: &Access) -> Arc<Roots> {
    match access {
        Access::Named | Access::Elsewhere(_) => Arc::default(),
        Access::Within(roots) => roots.clone(),
    }
}

impl From<walk::Problem> for Unreadable {
    fn from(problem: walk::Problem) -> Self {
        Self {
            label: label(&problem.path),
            why: problem.why,
        }
    }
}

/// Reads the file of an argument, or standard input for `-`.
pub(crate) fn read_argument(file: &str) -> anyhow::Result<Vec<u8>> {
    let source = if file == "-" {
        Source::Stdin(None)
    } else {
        Source::named(file)
    };
    let bytes = read(&source).with_context(|| format!("cannot read {file}"))?;
    Ok(bytes.unwrap_or_default())
}

/// Reads the file of an argument, or each possible manifest if the argument is a folder. Returns the names and contents.
pub(crate) fn read_arguments(named: &str) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    not_packages(Path::new(named))?;
    if !read::is_folder(Path::new(named)) {
        return Ok(vec![(named.to_owned(), read_argument(named)?)]);
    }
    let Collected { inputs, unreadable, .. } = collect(&[PathBuf::from(named)], &Reading::default())?;
    if let Some(first) = unreadable.first() {
        anyhow::bail!("cannot read {}: {}", first.label, first.why);
    }
    let read_input = |it: Input| {
        let bytes = read(&it.source).with_context(|| format!("cannot read {}", it.label))?;
        Ok((it.label, bytes.unwrap_or_default()))
    };
    inputs.into_iter().map(read_input).collect()
}

/// Reads a source. Returns `Ok(None)` if the source does not exist and may be missing.
pub(crate) fn read(source: &Source) -> anyhow::Result<Option<Vec<u8>>> {
    match source {
        Source::File(path, access) => Ok(Some(read::bytes(path, access, access.manifest_bytes())?)),
        Source::Stdin(_) => Ok(Some(stdin::all(read::NAMED_BYTES)?)),
        Source::Text(text) => Ok(Some(text.clone().into_bytes())),
        Source::Git { path, revision } => git_show(path, revision),
    }
}

/// Reads a file in a git revision. `None` if the revision does not contain the file.
fn git_show(path: &Path, revision: &git::Revision) -> anyhow::Result<Option<Vec<u8>>> {
    revision.read(path).map_err(|error| {
        if error.is_of_the_question() {
            UsageError(format!("--old-ref {}: {error}", revision.shown_name())).into()
        } else {
            error.into()
        }
    })
}

/// The files that a path, a folder or a glob matches, each with its access. `what` is the name of the option for error messages. `access` limits
/// where the path may lead.
pub(crate) fn expand(
    written: &str,
    folder: &Path,
    what: &str,
    access: &Access,
) -> anyhow::Result<Vec<(PathBuf, Access)>> {
    let mut path = CrdPath::parse(written, folder).map_err(|error| UsageError(format!("{what} {written}: {error}")))?;
    let none = || UsageError(format!("{what} {written}: no YAML or JSON file matches"));
    match read::kind(&path.base, access) {
        Ok((Kind::File, file)) => return Ok(vec![(file, access.clone())]),
        Ok((Kind::Folder, folder)) => path.base = folder,
        Err(why) if why.is_missing() && path.is_glob() => return Err(none().into()),
        Err(why) if why.is_missing() && packages::below(Path::new(written)).is_some() => {
            return Err(UsageError(format!(
                "{what} {written}: this names Go packages, not files with CRDs; `crd-analyzer generate crd {written}` prints their CRDs"
            ))
            .into());
        }
        Err(why) if why.is_missing() => anyhow::bail!("cannot read {what} {written}: the file does not exist"),
        Err(why @ Unread::Outside { .. }) => return Err(UsageError(format!("{what} {written}: {why}")).into()),
        Err(why) => anyhow::bail!("cannot read {what} {written}: {why}"),
    }
    let access = match access {
        Access::Named => found_in(&path.base),
        Access::Within(_) | Access::Elsewhere(_) => access.clone(),
    };
    let found = walk(&path.base, &access, Hidden::Tracked)?.files.into_iter();
    let files: Vec<_> = found
        .filter(|it| path.holds(it))
        .map(|it| (it, access.clone()))
        .collect();
    if files.is_empty() && path.is_glob() {
        return Err(none().into());
    }
    Ok(files)
}
