//! Compares what crd-analyzer says of templates of Helm charts with what is refused of the objects that Helm's own code renders, for charts made at
//! random and for real ones.
//!
//! An error in a template is wrong if an object with its place is accepted for some values. A breakage is literal text that is refused for all values;
//! crd-analyzer has to find it in the template. The verdict on rendered objects is our own, which `cargo conformance resources` compares with the API
//! server's.

mod breakages;
mod chart;
mod make;
mod marks;
mod parsing;
mod real;
mod schema;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::bail;
use chart::{Case, Rendered, Told};
use crd_analyzer_apiextensions::codes;
use crd_analyzer_resource::codes::UNSERVED_VERSION;
use fastrand::Rng;
use serde_json::Value;

use crate::{choice::on_a_large_stack, peers};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The number of charts to generate.
    #[arg(long, default_value_t = 200)]
    made: usize,

    /// The seed; random by default. It is printed.
    #[arg(long)]
    seed: Option<u64>,

    /// The number of values that each chart is rendered with.
    #[arg(long, default_value_t = 8)]
    values: usize,

    /// The number of breakages that are tried on each chart.
    #[arg(long, default_value_t = 4)]
    breakages: usize,

    /// The number of mutants of templates on which our parser and Go's are compared.
    #[arg(long, default_value_t = 2_000)]
    parsed: usize,

    /// Write the table of functions that templates may call, without comparing anything.
    #[arg(long)]
    functions: bool,

    /// Also check every chart below this folder. May be repeated.
    #[arg(long, value_name = "FOLDER")]
    charts: Vec<PathBuf>,

    /// The CRDs of the charts are in this folder, besides those in the charts. May be repeated.
    #[arg(long, value_name = "FOLDER")]
    crds: Vec<PathBuf>,

    /// Print the files of each chart with a difference.
    #[arg(long)]
    verbose: bool,
}

/// The codes of errors for which the API server reads no more of an object.
const UNDECODED: [&str; 3] = [codes::DUPLICATE_KEY, codes::INVALID_YAML, UNSERVED_VERSION];

/// What Helm renders of a chart for some values: the files by path, or an error.
type Printed = Result<BTreeMap<String, String>, String>;

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    on_a_large_stack(|| run_here(args))
}

fn run_here(args: &Args) -> anyhow::Result<bool> {
    let oracle = peers::go_program("helm")?;
    if args.functions {
        let table = Command::new(&oracle).arg("functions").output()?;
        fs::write(
            peers::root().join("server/workspace/src/charts/functions.txt"),
            table.stdout,
        )?;
        return Ok(true);
    }
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    let mut random = Rng::with_seed(seed);
    let mut cases: Vec<Case> = Vec::new();
    for n in 0..args.made {
        cases.push(make::case(format!("made {n}"), args.values, &mut random));
    }
    real::add(&mut cases, args, &mut random);
    println!("{} charts (seed {seed})", cases.len());
    let are_parsed = parsing::compare(&oracle, &cases, (args.parsed, args.verbose), &mut random)?;
    let tried: Vec<breakages::Breakage> = cases
        .iter()
        .flat_map(|case| breakages::of(case, args.breakages, &mut random))
        .collect();
    let all: Vec<&Case> = cases.iter().chain(tried.iter().map(|it| &it.case)).collect();
    let are_right = errors(&oracle, &all, args.verbose)?;
    breakages::compare(&oracle, &cases, &tried, args.verbose)?;
    Ok(are_right && are_parsed)
}

/// What Helm renders of each chart.
fn ask<'c>(oracle: &Path, cases: impl IntoIterator<Item = &'c Case>) -> anyhow::Result<Vec<Vec<Printed>>> {
    let requests: Vec<String> = cases.into_iter().map(Case::request).collect();
    let answers = peers::ask_lines(&mut Command::new(oracle), &requests)?;
    if answers.len() != requests.len() {
        bail!("{} answers to {} requests", answers.len(), requests.len());
    }
    let read = |answer: &Value| {
        let all = answer["rendered"].as_array().into_iter().flatten();
        all.map(|it| match it["error"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(serde_json::from_value(it["files"].clone()).unwrap_or_default()),
        })
        .collect()
    };
    Ok(answers.iter().map(read).collect())
}

/// The documents in which a mark was printed, each with the lines of the mark.
fn with_mark(case: &Case, printed: &Printed, mark: &str) -> Vec<(Rendered, Vec<usize>)> {
    let files = printed.iter().flat_map(BTreeMap::values);
    let documents = files.filter(|it| it.contains(mark)).flat_map(|it| case.rendered(it));
    documents
        .filter_map(|it| {
            let lines = it.text.lines().enumerate().filter(|it| it.1.contains(mark));
            let lines: Vec<usize> = lines.map(|it| it.0).collect();
            (!lines.is_empty()).then_some((it, lines))
        })
        .collect()
}

/// Compares the errors in templates with the objects that are rendered. Returns whether no error is wrong.
fn errors(oracle: &Path, cases: &[&Case], is_verbose: bool) -> anyhow::Result<bool> {
    let mut asked: Vec<(Case, Vec<(usize, Told)>)> = Vec::new();
    let (mut all, mut unmarked) = (0, 0);
    for case in cases {
        let told = case.told();
        all += told.len();
        let mut marked = Case::clone(case);
        let mut kept = Vec::new();
        for (file, text) in &case.files {
            let of_file = told.iter().enumerate().filter(|it| it.1.file == *file);
            let places: Vec<(usize, usize)> = of_file.map(|(n, it)| (n, it.end)).collect();
            if places.is_empty() {
                continue;
            }
            let (text, numbers) = marks::marked(text, &places);
            marked.files.insert(file.clone(), text);
            unmarked += places.len() - numbers.len();
            kept.extend(numbers.into_iter().map(|n| (n, told[n].clone())));
        }
        if !kept.is_empty() {
            asked.push((marked, kept));
        }
    }
    let answers = ask(oracle, asked.iter().map(|it| &it.0))?;
    let (mut right, mut wrong, mut unprinted) = (0, 0, 0);
    for ((case, told), printed) in asked.iter().zip(&answers) {
        for (number, error) in told {
            let mark = marks::mark(*number);
            let documents = printed.iter().flat_map(|it| with_mark(case, it, &mark));
            let mut is_printed = false;
            let mut accepted = None;
            let mut others = Vec::new();
            let mut is_given = false;
            // An object that cannot be decoded, for example because a key is printed twice, decides nothing.
            let is_decoded = |it: &Rendered| !it.errors.iter().any(|it| UNDECODED.contains(&it.1));
            for (document, lines) in documents.filter(|it| is_decoded(&it.0)) {
                is_printed = true;
                is_given |= document
                    .errors
                    .iter()
                    .any(|(line, code)| (error.is_around || lines.contains(line)) && *code == error.code);
                if document.is_accepted {
                    accepted = Some(document.text);
                } else {
                    others.push(document.errors);
                }
            }
            if !is_printed {
                unprinted += 1;
            } else if is_given && accepted.is_none() {
                right += 1;
            } else {
                wrong += 1;
                println!(
                    "wrong: {} {}:{}: {} [{}]",
                    case.name,
                    error.file,
                    error.line + 1,
                    error.headline,
                    error.code
                );
                if is_verbose {
                    println!("{}", case.files[&error.file]);
                    match accepted {
                        Some(text) => println!("-- accepted --\n{text}"),
                        None => println!("-- refused for {others:?}"),
                    }
                }
            }
        }
    }
    println!(
        "{all} errors in templates: {right} are refused wherever they are printed, {wrong} are wrong, {unprinted} were never printed, {unmarked} cannot \
         be marked"
    );
    Ok(wrong == 0)
}
