//! `crd-analyzer eval`: runs a validation rule, or any expression, on a value.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
    sync::Arc,
};

use anyhow::Context as _;
use crd_analyzer_io::{print::Terminal, read};
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, field, rules::ExpressionSet, structural::Structural};
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    eval::{
        Definition, EvalRequest, NodePath, RuleRun, Subject, answer, as_stored, cardinality, find_sites, read_schema,
        read_value, run_rules, run_site,
    },
};
use serde_json::Value;

use super::{Status, UsageError};
use crate::{
    input,
    output::eval::{Answered, Answers, Format, json},
};

/// The stack size of the thread that evaluates, in bytes. Expressions and schemas may have hundreds of levels.
const STACK_BYTES: usize = 64 << 20;

/// Run a validation rule, or any CEL expression, on a value
///
/// crd-analyzer prints the result or the error, and the cost. Types come from the
/// schema at --path of a CRD (--crd), from --schema, or from the value itself. Without
/// an expression, crd-analyzer runs all rules of the CRD.
///
/// The exit code is 1 if an expression is false, fails, does not compile, or is too
/// expensive for the API server.
#[derive(clap::Args, Debug)]
#[allow(
    rustdoc::broken_intra_doc_links,
    reason = "the text is help for the terminal: brackets are lists"
)]
#[command(verbatim_doc_comment)]
#[command(after_help = "Examples:
  crd-analyzer eval 'self.a < size(self.b)' --value '{a: 1, b: [x]}' --explain
  crd-analyzer eval --crd crd.yaml --path 'spec.hosts[*]' 'self.size() < 64' --value cr.yaml
  crd-analyzer eval --crd crd.yaml --value cr.yaml --old before.yaml")]
pub(super) struct Args {
    /// The expression, or @FILE to read it from a file. Default: the rules of the CRD.
    #[arg(value_name = "EXPRESSION", allow_hyphen_values = true)]
    expression: Option<String>,

    /// The CRD that defines the type of `self`.
    #[arg(long, value_name = "FILE", conflicts_with = "schema")]
    crd: Option<String>,

    /// The kind of the CRD, if the file has several CRDs.
    #[arg(long, value_name = "KIND", requires = "crd")]
    kind: Option<String>,

    /// The version of the CRD. Default: the version of the object, else the storage version.
    #[arg(long = "version", value_name = "NAME", requires = "crd")]
    version_name: Option<String>,

    /// The path of `self`: in objects (`spec.hosts[*].name`, `spec.labels["app"]`), or in the schema, as in messages of the API server.
    #[arg(long, value_name = "PATH")]
    path: Option<String>,

    /// The schema that defines the type of `self`, as YAML or JSON.
    #[arg(long, value_name = "FILE|JSON")]
    schema: Option<String>,

    /// The value of `self`: a file, `-`, YAML or JSON. With --crd it can be a whole object: `self` is then its value at --path.
    #[arg(long, value_name = "FILE|JSON", visible_alias = "cr", allow_hyphen_values = true)]
    value: Option<String>,

    /// The value of `oldSelf`.
    #[arg(long, value_name = "FILE|JSON", visible_alias = "old-cr", allow_hyphen_values = true)]
    old: Option<String>,

    /// Make `oldSelf` an optional value, as `optionalOldSelf: true` does.
    #[arg(long)]
    optional_old_self: bool,

    /// Compile the rule as an already stored rule. Such a rule may use functions that new rules of this Kubernetes version may not use yet.
    #[arg(long)]
    stored: bool,

    /// Print the result of each part of the expression.
    #[arg(long)]
    explain: bool,

    /// The Kubernetes versions: `1.31`, a range `1.30..1.37`, or `all`. Default: the newest.
    #[arg(long, value_name = "VERSION")]
    kubernetes_version: Option<VersionSet>,

    /// The output format.
    #[arg(short, long, aliases = ["format", "output-format"], value_enum, default_value = "text")]
    output: &'static Format,

    /// Read requests from this file (`-`: standard input). Each line is a JSON object with `schema`, `rule` and `self`, and optionally `id`,
    /// `oldSelf`, `messageExpression`, `optionalOldSelf`, `stored` and `root`. Each answer is a line of JSON.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["expression", "crd", "schema", "value", "old", "path", "explain"])]
    list: Option<String>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let running = thread.spawn_scoped(scope, || match &args.list {
            Some(list) => answer_list(list, args),
            None => answer_arguments(args),
        });
        running?.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn answer_list(list: &str, args: &Args) -> anyhow::Result<Status> {
    let versions = args.kubernetes_version.unwrap_or_default();
    if versions.count() > 1 {
        return Err(UsageError(format!(
            "a list of requests needs one Kubernetes version, not {versions}"
        ))
        .into());
    }
    let mut out = BufWriter::new(io::stdout());
    for line in input::list_lines(list)? {
        let line = line?;
        if line.is_empty() {
            continue;
        }
        let line = String::from_utf8_lossy(&line);
        json::answer(&mut out, &answer(&line, versions.newest()))?;
        if list == "-" {
            out.flush()?;
        }
    }
    out.flush()?;
    Ok(Status::Clean)
}

/// The command-line arguments after parsing.
struct Inputs {
    expression: Option<String>,
    crd: Option<Vec<u8>>,
    schema: Option<Vec<u8>>,
    path: NodePath,
    value: Option<Value>,
    old: Option<Value>,
}

fn answer_arguments(args: &Args) -> anyhow::Result<Status> {
    let inputs = Inputs::read(args)?;
    let stdout = io::stdout();
    let columns = crate::output::columns(&stdout);
    let mut out = BufWriter::new(stdout);
    let mut is_good = true;
    let mut blocks: Vec<(VersionSet, Vec<u8>)> = Vec::new();
    let versions = args.kubernetes_version.unwrap_or_default();
    for version in versions.iter() {
        let answered = inputs.ask(args, version)?;
        is_good &= answered.iter().all(|it| it.outcome().is_good());
        let expression = inputs.expression.as_deref();
        let answers = Answers {
            version,
            expression,
            answered: &answered,
        };
        let print = |out: &mut dyn Write| (args.output.print)(out, columns, &answers);
        if args.output.names_version {
            print(&mut out)?;
            continue;
        }
        let mut printed = Vec::new();
        print(&mut printed)?;
        match blocks.last_mut() {
            Some((versions, same)) if *same == printed => *versions = versions.union(VersionSet::one(version)),
            _ => blocks.push((VersionSet::one(version), printed)),
        }
    }
    for (of, block) in &blocks {
        if versions.count() > 1 {
            Terminal::new(&mut out, false).line(format_args!("Kubernetes {of}:"))?;
        }
        out.write_all(block)?;
    }
    out.flush()?;
    Ok(if is_good { Status::Clean } else { Status::Findings })
}

impl Inputs {
    fn read(args: &Args) -> anyhow::Result<Self> {
        let expression = match args.expression.as_deref() {
            Some(text) => match text.strip_prefix('@') {
                Some(file) => {
                    let text = String::from_utf8(input::read_argument(file)?);
                    let text = text.with_context(|| format!("cannot read {file}"))?;
                    Some(text.trim_end_matches(['\r', '\n']).to_owned())
                }
                None => Some(text.to_owned()),
            },
            None => None,
        };
        if expression.is_none() && args.crd.is_none() {
            return Err(UsageError("nothing to evaluate: give an expression, or a CRD with --crd".into()).into());
        }
        let path = args.path.as_deref().unwrap_or_default();
        let path = path.parse().map_err(|why| UsageError(format!("--path: {why}")))?;
        Ok(Self {
            expression,
            crd: args.crd.as_deref().map(input::read_argument).transpose()?,
            schema: args
                .schema
                .as_deref()
                .map(|it| read_either("--schema", it))
                .transpose()?,
            path,
            value: args.value.as_deref().map(|it| one_value("--value", it)).transpose()?,
            old: args.old.as_deref().map(|it| one_value("--old", it)).transpose()?,
        })
    }

    fn ask(&self, args: &Args, version: KubernetesVersion) -> anyhow::Result<Vec<Answered>> {
        let set = if args.stored {
            ExpressionSet::Stored
        } else {
            ExpressionSet::New
        };
        let asked = |text| EvalRequest {
            text,
            optional_old_self: args.optional_old_self,
            set,
            explain: args.explain,
        };
        let definition = self.definition(args, version)?;
        let failed = |why: String| anyhow::Error::from(UsageError(why));
        let Some(schema) = self.root(args, definition.as_ref(), version)? else {
            return Ok(vec![self.without_schema(args, &asked, version)]);
        };
        let root = Structural::new(&schema)
            .map_err(|_| failed("the schema is not structural: `crd-analyzer check` explains why".to_owned()))?;
        let node = self.path.find(root).map_err(|why| failed(format!("--path: {why}")))?;
        let bounds = cardinality(root, &node.steps);
        let subject = |schema, is_resource_root: bool| {
            Subject::of_schema(schema, is_resource_root && definition.is_some(), bounds, version).map_err(failed)
        };
        // The value is either a whole object, which contains `self` at the path, or `self` itself.
        let whole = |value: &Value| match &definition {
            Some(definition) => self.path.is_root() || definition.defines(value),
            None => self.path.is_root(),
        };
        let as_object = |value: &Value| match &definition {
            Some(_) => as_stored(value, root),
            None => value.clone(),
        };
        let is_whole = self.value.as_ref().is_some_and(whole);
        let is_old_whole = self.old.as_ref().is_some_and(whole);
        if self.old.is_some() && self.value.is_some() && is_whole != is_old_whole {
            let (one, other) = if is_whole {
                ("--value", "--old")
            } else {
                ("--old", "--value")
            };
            return Err(failed(format!("{one} is a whole object, and {other} is not")));
        }
        let object = self.value.as_ref().filter(|_| is_whole).map(as_object);
        let old = self.old.as_ref().filter(|_| is_whole).map(as_object);
        let mut answered = Vec::new();
        match (&self.expression, &object) {
            (Some(text), Some(object)) => {
                let sites = find_sites(root, Some(&node), object, old.as_ref());
                if sites.is_empty() {
                    let why = format!("--value has nothing at {}", args.path.as_deref().unwrap_or("the root"));
                    return Err(failed(why));
                }
                for site in sites {
                    let subject = subject(site.schema, site.is_resource_root)?;
                    let outcome = subject.try_expression(asked(text), Some(&site.value), site.old.as_ref());
                    answered.push(Answered::Expression {
                        place: place_of(&site.path),
                        value: Some(site.value),
                        outcome,
                    });
                }
            }
            (Some(text), None) => {
                let subject = subject(node.schema, node.is_resource_root)?;
                let outcome = subject.try_expression(asked(text), self.value.as_ref(), self.old.as_ref());
                answered.push(Answered::Expression {
                    place: String::new(),
                    value: self.value.clone(),
                    outcome,
                });
            }
            (None, Some(object)) => {
                let only = (!self.path.is_root()).then_some(&node);
                let runs = run_rules(root, only, object, old.as_ref(), version, args.explain).map_err(failed)?;
                answered.extend(runs.into_iter().map(Answered::of));
            }
            (None, None) => {
                let Some(value) = &self.value else {
                    return Err(failed(
                        "without an expression, `eval` needs --value, the object that the rules run on".to_owned(),
                    ));
                };
                let site = crd_analyzer_schema::rules::run::Site {
                    schema: node.schema,
                    is_resource_root: node.is_resource_root,
                    steps: node.steps.clone(),
                    path: field::Path::root(),
                    value: value.clone(),
                    old: self.old.clone(),
                };
                let runs = run_site(root, &site, version, args.explain).map_err(failed)?;
                answered.extend(runs.into_iter().map(Answered::of));
            }
        }
        Ok(answered)
    }

    /// Evaluates the expression without a schema. The values determine the types.
    fn without_schema<'a>(
        &'a self,
        args: &Args,
        asked: &impl Fn(&'a str) -> EvalRequest<'a>,
        version: KubernetesVersion,
    ) -> Answered {
        let at = |value: &Value| self.path.value_in(value).cloned();
        let (value, old) = (self.value.as_ref().and_then(at), self.old.as_ref().and_then(at));
        let subject = Subject::of_values(value.iter().chain(&old), version);
        let text = self.expression.as_deref().unwrap_or_default();
        let outcome = subject.try_expression(asked(text), value.as_ref(), old.as_ref());
        Answered::Expression {
            place: args.path.clone().unwrap_or_default(),
            value,
            outcome,
        }
    }

    fn definition(&self, args: &Args, version: KubernetesVersion) -> anyhow::Result<Option<Definition>> {
        let Some(bytes) = &self.crd else { return Ok(None) };
        let file = args.crd.as_deref().unwrap_or_default();
        let mut found =
            Definition::read(bytes.clone(), version).map_err(|why| anyhow::anyhow!("cannot read {file}: {why}"))?;
        if let Some(kind) = &args.kind {
            found.retain(|it| it.kind == *kind);
        } else if found.len() > 1
            && let Some(value) = &self.value
        {
            found.retain(|it| it.defines(value));
        }
        match found.len() {
            1 => Ok(found.pop()),
            0 => Err(UsageError(format!("{file} does not contain this CRD")).into()),
            _ => {
                let kinds: Vec<_> = found.iter().map(|it| it.kind.as_str()).collect();
                let kinds = kinds.join(", ");
                Err(UsageError(format!("{file} defines {kinds}: choose one with --kind")).into())
            }
        }
    }

    /// The schema at the start of the path, if any.
    fn root(
        &self,
        args: &Args,
        definition: Option<&Definition>,
        version: KubernetesVersion,
    ) -> anyhow::Result<Option<Arc<JsonSchemaProps>>> {
        if let Some(bytes) = &self.schema {
            let schema = read_schema(bytes.clone(), version).map_err(|why| UsageError(format!("--schema: {why}")))?;
            return Ok(Some(Arc::new(schema)));
        }
        let Some(definition) = definition else {
            return Ok(None);
        };
        let value = self.value.as_ref().filter(|it| definition.defines(it));
        let found = definition
            .version(args.version_name.as_deref(), value)
            .map_err(UsageError)?;
        let schema = found.schema.clone();
        let why = || UsageError(format!("version {} of {} has no schema", found.name, definition.name));
        Ok(Some(schema.ok_or_else(why)?))
    }
}

/// A path as text. The API server names the root `<nil>`; here it has no name.
fn place_of(path: &field::Path) -> String {
    if path.segments().is_empty() {
        String::new()
    } else {
        path.to_string()
    }
}

impl Answered {
    fn of(run: RuleRun<'_>) -> Self {
        Self::Rule {
            place: place_of(&run.path),
            index: run.index,
            rule: run.rule.rule.clone(),
            message: run.rule.message.clone(),
            value: run.value,
            outcome: run.outcome,
            errors: run.errors,
        }
    }
}

/// Reads the file with the name in the argument, or returns the argument itself if no such file exists.
fn read_either(option: &str, text: &str) -> anyhow::Result<Vec<u8>> {
    if text == "-" || read::is_file(Path::new(text)) {
        return input::read_argument(text);
    }
    let names_file = [".yaml", ".yml", ".json"].iter().any(|it| text.ends_with(it)) && !text.contains(['{', ' ', '\n']);
    if names_file {
        return Err(anyhow::anyhow!("{option}: cannot read {text}: the file does not exist"));
    }
    Ok(text.as_bytes().to_vec())
}

fn one_value(option: &str, text: &str) -> anyhow::Result<Value> {
    let bytes = read_either(option, text)?;
    let mut values = read_value(bytes).map_err(|why| UsageError(format!("{option}: {why}")))?;
    match values.len() {
        1 => Ok(values.swap_remove(0)),
        0 => Ok(Value::Null),
        n => Err(UsageError(format!("{option} has {n} documents; one is needed")).into()),
    }
}
