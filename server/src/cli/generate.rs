//! `crd-analyzer generate crd`: generates CRDs from Go types as controller-gen does.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::Subcommand;
use crd_analyzer_generator::{Generated, Modules, Options, Reason, Refused, generate, settled, yaml};
use crd_analyzer_gosource::{check::catalog::Release, crd_options::CrdOptions};
use crd_analyzer_io::{
    escape,
    go::{GoSources, Reach},
    print::{Terminal, tell},
    read::{self, Access},
    roots::Roots,
    write::OutputFolder,
};
use crd_analyzer_workspace::{
    documents::source::SourceText,
    sources::{change, generated::GoSources as _},
};
use similar::TextDiff;

use super::{Replacing, Status, UsageError};
use crate::output::{counted, missing_packages::FETCH, unwritten};

/// Generate CRDs from Go types, as controller-gen does, without Go.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Crd(Box<Crd>),
}

/// Generate the CRDs of the kinds in Go packages
///
/// The output is the same as that of controller-gen, byte for byte. You need neither
/// controller-gen nor Go. crd-analyzer reads types of other modules from Go's module
/// cache, which `go mod download` fills, or from `vendor`. If a type is in neither,
/// crd-analyzer names the type and skips the CRD.
///
/// The options are those with which the project's Makefile, scripts in `hack` or
/// `//go:generate` comments run controller-gen, if these set them literally. Options of
/// this command take precedence.
///
/// You can also pass arguments of controller-gen, such as `crd:maxDescLen=0
/// paths=./api/... output:crd:dir=config/crd/bases`. With an argument `crd`, the project's
/// options are not used.
///
/// If controller-gen would reject a type or marker of a CRD, the file of the CRD is not
/// written.
///
/// The exit code is 1 if controller-gen would reject a type, or if files differ with
/// --check, and 3 if a CRD cannot be generated.
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment)]
#[command(after_help = "Examples:
  crd-analyzer generate crd ./api/... --output-dir config/crd/bases
  crd-analyzer generate crd ./api/... --output-dir config/crd/bases --check")]
struct Crd {
    /// Go packages: `./api/v1`, or `./api/...` for all packages in and below a folder.
    #[arg(required = true, value_name = "PATHS")]
    arguments: Vec<String>,

    /// Write each CRD into this folder, as `GROUP_PLURAL.yaml`. Existing files are replaced. Default: print the CRDs.
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,

    /// Compare with the files in the output folder and print the differences. Write nothing.
    #[arg(long)]
    check: bool,

    /// The release of controller-gen to follow, such as `v0.20.1`. Default: the release in the repository's Makefile or `go.mod`, otherwise the
    /// newest that crd-analyzer knows.
    #[arg(long, value_name = "VERSION")]
    controller_gen_version: Option<String>,

    /// Cut descriptions to this number of bytes. 0 removes them.
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true)]
    max_desc_len: Option<i64>,

    /// Allow floating-point numbers.
    #[arg(long)]
    allow_dangerous_types: bool,

    /// Skip fields that are not exported.
    #[arg(long)]
    ignore_unexported_fields: bool,

    /// Write the schema of the metadata of embedded objects.
    #[arg(long)]
    generate_embedded_object_meta: bool,

    /// Set `spec.preserveUnknownFields`.
    #[arg(long, value_name = "BOOL")]
    deprecated_v1beta1_compatibility_preserve_unknown_fields: Option<bool>,

    /// Begin each file with the content of this file.
    #[arg(long, value_name = "FILE")]
    header_file: Option<PathBuf>,

    /// Replace ` YEAR` in the header by this text.
    #[arg(long, value_name = "YEAR", default_value = "")]
    year: String,

    /// Do not write the annotation with the version of controller-gen.
    #[arg(long)]
    omit_tool_version: bool,

    #[command(flatten)]
    replacing: Replacing,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    let What::Crd(crd) = &args.what;
    Run::of(crd)?.run()
}

/// The other generators of controller-gen. This command ignores them.
const OTHERS: [&str; 5] = ["object", "rbac", "webhook", "applyconfiguration", "schemapatch"];

/// A run as specified by flags and arguments of controller-gen.
struct Run<'a> {
    args: &'a Crd,
    paths: Vec<String>,
    output: Option<PathBuf>,
    header: Option<PathBuf>,
    year: String,
    omits_version: bool,
    /// The `crd:` options of controller-gen by name.
    options: Vec<(String, String)>,
    /// Whether an argument names controller-gen's generator of CRDs, with all of its options.
    is_complete: bool,
}

impl<'a> Run<'a> {
    fn of(args: &'a Crd) -> anyhow::Result<Self> {
        let mut run = Self {
            args,
            paths: Vec::new(),
            output: args.output_dir.clone(),
            header: args.header_file.clone(),
            year: args.year.clone(),
            omits_version: args.omit_tool_version,
            options: Vec::new(),
            is_complete: args.arguments.iter().any(|it| it == "crd" || it.starts_with("crd:")),
        };
        for argument in &args.arguments {
            run.argument(argument)?;
        }
        if run.paths.is_empty() {
            return Err(UsageError("name packages, such as `./api/...`".to_owned()).into());
        }
        if args.check && run.output.is_none() {
            let why = "`--check` compares with files: add `--output-dir DIR`";
            return Err(UsageError(why.to_owned()).into());
        }
        Ok(run)
    }

    fn argument(&mut self, argument: &str) -> anyhow::Result<()> {
        let plain = |it: &str| it.trim_matches(['"', '{', '}']).to_owned();
        if let Some(paths) = argument.strip_prefix("paths=") {
            self.paths.extend(paths.split(';').map(plain));
        } else if let Some(folder) = argument
            .strip_prefix("output:crd:dir=")
            .or_else(|| argument.strip_prefix("output:dir="))
        {
            self.output.get_or_insert_with(|| PathBuf::from(plain(folder)));
        } else if let Some(folder) = argument
            .strip_prefix("output:crd:artifacts:config=")
            .or_else(|| argument.strip_prefix("output:artifacts:config="))
        {
            self.output.get_or_insert_with(|| PathBuf::from(plain(folder)));
        } else if ["output:crd:stdout", "output:stdout", "crd"].contains(&argument) {
            // This argument is the default.
        } else if let Some(options) = argument.strip_prefix("crd:") {
            for option in options.split(',') {
                let (name, value) = option.split_once('=').unwrap_or((option, "true"));
                match name {
                    "headerFile" => self.header = Some(PathBuf::from(plain(value))),
                    "year" => self.year = plain(value),
                    "omitToolVersion" => self.omits_version = value == "true",
                    "crdVersions" if value != "v1" => {
                        let why = format!("`crdVersions={value}`: crd-analyzer only makes `v1`");
                        return Err(UsageError(why).into());
                    }
                    name => self.options.push((name.to_owned(), value.to_owned())),
                }
            }
        } else if OTHERS.contains(&argument.split([':', '=']).next().unwrap_or_default()) {
            tell(format_args!(
                "{}: ignored, because this command only makes CRDs",
                escape::line(argument)
            ));
        } else if argument.starts_with("output:") {
            tell(format_args!("{}: left out", escape::line(argument)));
        } else {
            self.paths.push(argument.to_owned());
        }
        Ok(())
    }

    /// The options of controller-gen: those of the project's own commands, and those of this command, which take precedence.
    fn options(&self, release: Release, project: Option<&CrdOptions>) -> anyhow::Result<Options> {
        let args = self.args;
        let mut options = Options::of(release);
        // An argument `crd` says that these are all options.
        if let Some(project) = project.filter(|_| !self.is_complete) {
            options.set_as_in(project);
        }
        options.allows_dangerous_types |= args.allow_dangerous_types;
        options.leaves_out_unexported |= args.ignore_unexported_fields;
        options.has_embedded_metadata |= args.generate_embedded_object_meta;
        options.max_description = args.max_desc_len.or(options.max_description);
        let preserves = args.deprecated_v1beta1_compatibility_preserve_unknown_fields;
        options.preserves_unknown_fields = preserves.or(options.preserves_unknown_fields);
        for (name, value) in &self.options {
            if !options.set(name, value) {
                let why = format!(
                    "`crd:{}={}` is not an option of controller-gen",
                    escape::line(name),
                    escape::line(value)
                );
                return Err(UsageError(why).into());
            }
        }
        Ok(options)
    }

    fn run(&self) -> anyhow::Result<Status> {
        let here = env::current_dir()?;
        let sources = GoSources::default();
        sources.set_reach(Reach::default());
        sources.read_library();
        let header = self.header()?;
        let mut status = Status::Clean;
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        let mut are_refused = false;
        // The CRDs of each module are generated separately.
        let mut of_module: Vec<(std::sync::Arc<Modules>, Vec<String>)> = Vec::new();
        for path in &self.paths {
            let folder = here.join(path.trim_end_matches("..."));
            if !read::is_folder(&folder) {
                tell(format_args!("{}: the folder does not exist", escape::line(path)));
                status = Status::Failed;
                continue;
            }
            let modules = sources.modules(&folder.join("x.go")).with_context(|| {
                format!(
                    "{}: no `go.mod` is in this folder, or above it in the repository",
                    escape::line(path)
                )
            })?;
            let found = modules.matching(path, &here);
            if found.is_empty() {
                tell(format_args!(
                    "{}: the folder does not have Go files",
                    escape::line(path)
                ));
                status = Status::Failed;
            }
            match of_module.iter_mut().find(|it| it.0.root() == modules.root()) {
                Some((_, packages)) => packages.extend(found),
                None => of_module.push((modules, found)),
            }
        }
        for (modules, packages) in &of_module {
            let (release, tool) = self.release(&sources, modules)?;
            let tool = Some(tool.as_str()).filter(|_| !self.omits_version);
            let module = sources.around(&modules.root().join("go.mod"));
            let options = self.options(release, module.as_ref().map(|it| it.crd_options()))?;
            let made = generate(packages, &**modules, &options, tool);
            let backward = made.has_choices.then(|| {
                let options = Options {
                    is_backward: true,
                    ..options
                };
                generate(packages, &**modules, &options, tool).crds
            });
            status = status.max(tell_of(&made));
            are_refused |= !made.refused.is_empty();
            if !made.missing.is_empty() || made.is_over {
                status = Status::Failed;
            }
            for crd in made.crds {
                if crd.object.has_unknown() {
                    status = status.max(Status::Failed);
                    tell(format_args!(
                        "{}: not made, because crd-analyzer does not know all of its types",
                        escape::line(&crd.file)
                    ));
                    continue;
                }
                // controller-gen writes such a CRD before it stops, without what it rejects. A file that works is not replaced by that.
                if self.output.is_some() && crd.is_refused {
                    let verb = if self.args.check { "compared" } else { "written" };
                    tell(format_args!(
                        "{}: not {verb}, because controller-gen rejects a type or marker of it",
                        escape::line(&crd.file)
                    ));
                    continue;
                }
                let backward = backward.as_ref();
                let backward = backward.and_then(|it| it.iter().find(|it| it.file == crd.file));
                let object = match (backward, self.before(&crd.file)) {
                    (Some(backward), Some(before)) => settled((&crd.object, &backward.object), &before),
                    _ => crd.object,
                };
                let text = format!("{header}---\n{}", yaml::written(&object.to_json()));
                files.insert(crd.file, text);
            }
        }
        if status == Status::Clean && files.is_empty() {
            let others = of_module.iter().flat_map(|(modules, _)| {
                let paths = self.paths.iter();
                paths.flat_map(|path| modules.other_modules(path, &here))
            });
            tell_of_nothing(&others.collect());
            return Ok(Status::Failed);
        }
        let written = match &self.output {
            None => print(&files)?,
            // If controller-gen rejects a whole package, it is unknown which kinds the package has.
            Some(_) if self.args.check && are_refused && files.is_empty() => Status::Clean,
            Some(folder) if self.args.check => compare(folder, &files)?,
            Some(folder) => self.write(folder, &files),
        };
        Ok(status.max(written))
    }

    /// The CRD in a file of the output folder.
    fn before(&self, file: &str) -> Option<serde_json::Value> {
        let path = std::path::absolute(self.output.as_ref()?.join(file)).ok()?;
        let text = read::text(&path, &Access::Named, read::FOUND_BYTES).ok()?;
        change::json(&text)
    }

    fn header(&self) -> anyhow::Result<String> {
        let Some(path) = &self.header else {
            return Ok(String::new());
        };
        let absolute = std::path::absolute(path)?;
        let text = read::text(&absolute, &Access::Named, read::SETTINGS_BYTES)
            .map_err(|why| UsageError(format!("{}: {why}", label(path))))?;
        Ok(text.replace(" YEAR", &format!(" {}", self.year)))
    }

    /// The release of controller-gen to follow, and the version to write into the CRDs.
    fn release(&self, sources: &GoSources, modules: &Modules) -> anyhow::Result<(Release, String)> {
        let newest = Release::NEWEST;
        if let Some(version) = &self.args.controller_gen_version {
            let minor = version.trim_start_matches('v').strip_prefix("0.");
            let minor = minor
                .and_then(|it| it.split('.').next())
                .and_then(|it| it.parse::<u8>().ok());
            let release = minor.map(Release).filter(|it| (Release::OLDEST..=newest).contains(it));
            let why = || {
                let version = escape::line(version);
                UsageError(format!(
                    "controller-gen {version}: known are v{}.0 to v{newest}.0",
                    Release::OLDEST
                ))
            };
            let has_patch = version.split('.').count() > 2;
            let tool = format!(
                "v{}{}",
                version.trim_start_matches('v'),
                if has_patch { "" } else { ".0" }
            );
            return Ok((release.ok_or_else(why)?, tool));
        }
        let module = sources.around(&modules.root().join("go.mod"));
        let named = module.as_ref().and_then(|it| it.controller_gen());
        // The annotation in existing CRDs takes precedence over the versions in `go.mod` and Makefiles.
        let annotated = self.output.as_deref().and_then(annotated);
        let version = annotated.or_else(|| Some(module.as_ref()?.controller_gen_version()?.to_owned()));
        let minor = |it: &str| it.strip_prefix("v0.")?.split('.').next()?.parse::<u8>().ok();
        let release = version
            .as_deref()
            .and_then(minor)
            .map(Release)
            .or(named)
            .unwrap_or(newest);
        let release = release.clamp(Release::OLDEST, newest);
        Ok((release, version.unwrap_or_else(|| format!("v{release}.0"))))
    }

    fn write(&self, folder: &Path, files: &BTreeMap<String, String>) -> Status {
        let label = folder.display().to_string();
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let opened = match OutputFolder::open(&absolute) {
            Ok(opened) => opened,
            Err(why) => {
                tell(format_args!("{}", unwritten(&label, &why)));
                return Status::Failed;
            }
        };
        let mut status = Status::Clean;
        for (name, text) in files {
            if let Err(why) = opened.put(Path::new(name), text.as_bytes(), self.args.replacing.replaceable()) {
                tell(format_args!(
                    "{}",
                    unwritten(&folder.join(name).display().to_string(), &why)
                ));
                status = Status::Failed;
            }
        }
        status
    }
}

/// Prints the types that controller-gen rejects, and the types that cannot be found.
fn tell_of(made: &Generated) -> Status {
    for refused in &made.refused {
        tell(format_args!("{}", line(refused)));
    }
    let mut of_packages: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for missing in &made.missing {
        let (package, name) = missing.rsplit_once('.').unwrap_or((missing, ""));
        of_packages.entry(package).or_default().push(name);
    }
    for (package, names) in of_packages {
        let (package, first) = (escape::line(package), escape::line(names[0]));
        let missing = match names.len() {
            1 => format!("{package}.{first}: the type is"),
            count => format!("{package}: {first} and {} are", counted(count - 1, "other type")),
        };
        tell(format_args!(
            "{missing} not on this machine: run `{FETCH}`, or vendor the module"
        ));
    }
    if made.refused.is_empty() {
        Status::Clean
    } else {
        Status::Findings
    }
}

/// Says that no type has a CRD. `others` are the folders of modules that the patterns do not reach into.
fn tell_of_nothing(others: &BTreeSet<PathBuf>) {
    let names: Vec<String> = others
        .iter()
        .take(MAX_MODULES)
        .map(|it| format!("`{}`", label(it)))
        .collect();
    let hint = others.first().map(|first| {
        format!(
            ". A pattern does not reach into other modules: {}. Name the module with the types, such as `./{}/...`",
            names.join(", "),
            label(first)
        )
    });
    tell(format_args!(
        "no CRD is made: the packages have no API types{}",
        hint.unwrap_or_default()
    ));
}

/// The maximum number of modules to name.
const MAX_MODULES: usize = 5;

/// The controller-gen version in the annotations of the CRDs in a folder.
fn annotated(folder: &Path) -> Option<String> {
    let folder = std::path::absolute(folder).ok()?;
    let files = read::files_in(&folder, &Roots::new([folder.as_path()]));
    files.iter().take(MAX_ANNOTATED).find_map(|it| {
        let text = read::text(it, &Access::Named, read::FOUND_BYTES).ok()?;
        let version = text.split_once("controller-gen.kubebuilder.io/version: ")?.1;
        let version = version.split_whitespace().next()?;
        version.starts_with("v0.").then(|| version.to_owned())
    })
}

/// The maximum number of files to read in the search for the version.
const MAX_ANNOTATED: usize = 20;

/// The line to print for a rejected type, with its location.
fn line(refused: &Refused) -> String {
    let why = match refused.reason {
        Reason::Marker => {
            "controller-gen rejects this marker: the marker does not fit the type, or its value is not valid"
        }
        Reason::Interface => "controller-gen cannot make a schema of an interface",
        Reason::NamelessStruct => "controller-gen cannot make a schema of a struct without a name",
        Reason::Type => "controller-gen cannot make a schema of this type",
        Reason::Undefined | Reason::NotInPackage => "undefined: no type of the package has this name",
        Reason::NotImported => "undefined: the file imports no package of this name",
        Reason::Tag | Reason::Embedded => "controller-gen rejects a field without a JSON tag",
        Reason::Float => {
            "controller-gen rejects floating-point numbers: use `resource.Quantity` or a string, or add `--allow-dangerous-types`"
        }
        Reason::Key => "controller-gen rejects this map: its keys are not strings",
        Reason::OneOf => {
            "controller-gen rejects this: the fields of a OneOf marker must be optional and must not be nested"
        }
        Reason::Conflict => "controller-gen rejects this: embedded types declare one field with different types",
        Reason::Versions => "controller-gen rejects this kind: no version is stored",
        Reason::Unserved => "controller-gen rejects this kind: no version is served",
        Reason::OfGo => {
            "controller-gen cannot make a schema of this struct of Go's library: its fields have no JSON tags"
        }
        Reason::Text => "controller-gen cannot write this: a comment or a marker has a control character",
        Reason::Crash => "this release of controller-gen crashes on this: change it, or use another release",
    };
    let Some(origin) = &refused.origin else {
        return why.to_owned();
    };
    let place = read::text(&origin.file, &Access::Named, 1 << 20).ok().map(|text| {
        let source = SourceText::new(origin.file.clone(), text.into());
        let (line, column) = source.lines().line_column(&source.text, origin.span.start as u32);
        format!(":{}:{}", line + 1, column + 1)
    });
    format!("{}{}: {why}", label(&origin.file), place.unwrap_or_default())
}

/// A path for output: relative to the current folder if it is inside.
fn label(path: &Path) -> String {
    let here = env::current_dir().unwrap_or_default();
    let shown = path.strip_prefix(&here).unwrap_or(path);
    escape::line(&shown.display().to_string()).into_owned()
}

fn print(files: &BTreeMap<String, String>) -> anyhow::Result<Status> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout());
    let mut terminal = Terminal::new(&mut out, false);
    files.values().try_for_each(|it| terminal.columns(it))?;
    out.flush()?;
    Ok(Status::Clean)
}

/// Prints the differences between the generated files and the files in a folder.
fn compare(folder: &Path, files: &BTreeMap<String, String>) -> anyhow::Result<Status> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout());
    let mut terminal = Terminal::new(&mut out, false);
    let mut differing = 0;
    for (file, text) in files {
        let path = folder.join(file);
        let absolute = std::path::absolute(&path)?;
        let name = label(&path);
        let written = if read::exists(&absolute) {
            match read::text(&absolute, &Access::Named, read::FOUND_BYTES) {
                Ok(text) => text,
                Err(why) => {
                    tell(format_args!("{name}: {why}"));
                    return Ok(Status::Failed);
                }
            }
        } else {
            String::new()
        };
        if written == *text {
            continue;
        }
        differing += 1;
        let difference = TextDiff::from_lines(&written, text);
        let patch = difference
            .unified_diff()
            .context_radius(3)
            .header(&name, &name)
            .to_string();
        terminal.patch(&patch)?;
    }
    let all = counted(files.len(), "CRD");
    match (differing, files.len()) {
        (0, 1) => terminal.line(format_args!("{all} matches the types"))?,
        (0, _) => terminal.line(format_args!("{all} match the types"))?,
        (_, of) => {
            let verb = if of == 1 { "does" } else { "do" };
            terminal.line(format_args!(
                "{differing} of {all} {verb} not match the types: write them with `crd-analyzer generate crd`"
            ))?;
            terminal.line(format_args!(
                "If a script changes them afterwards, use `crd-analyzer check` instead: it compares only what the types decide"
            ))?;
        }
    }
    out.flush()?;
    Ok(if differing == 0 {
        Status::Clean
    } else {
        Status::Findings
    })
}
