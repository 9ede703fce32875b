//! Compares the CRDs that crd-analyzer updates from the markers of Go types with those of controller-gen, for real repositories and for random types.

mod random;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use anyhow::bail;

use crd_analyzer_gosource::{Folders, Module, root_of};
use crd_analyzer_syntax::json::{Json, read_json_of};
use crd_analyzer_workspace::{
    index::{CrdText, Index, MemoryFiles, NewFile, Origin, objects},
    sources::{go_crds, manifest::Manifest},
};
use fastrand::Rng;
use random::Package;
use serde_json::Value;
use tempfile::TempDir;

use crate::{disk::Disk, peers};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The repositories to compare.
    folders: Vec<PathBuf>,
    /// The number of packages with random types, whose markers change after the CRD was generated.
    #[arg(long, default_value_t = 0)]
    random: usize,
    /// The seed; random by default.
    #[arg(long)]
    seed: Option<u64>,
    /// Print at most this many differences of a CRD.
    #[arg(long, default_value_t = 3)]
    show: usize,
}

/// The maximum size of a file, in bytes.
const MOST_BYTES: u64 = 8 << 20;

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let mut is_clean = repositories(args)?;
    if args.random > 0 {
        is_clean &= compare_random(args)?;
    }
    Ok(is_clean)
}

/// Compares the CRDs of repositories with their own Go types.
fn repositories(args: &Args) -> anyhow::Result<bool> {
    let (mut made, mut in_step, mut said, mut wrong) = (0, 0, 0, 0);
    let mut modules: BTreeMap<PathBuf, Arc<Module>> = BTreeMap::new();
    for folder in &args.folders {
        let folder = fs::canonicalize(folder)?;
        let mut files = Vec::new();
        manifests(&folder, &mut files);
        for path in files {
            let Some(root) = root_of(&path, &Disk) else { continue };
            let module = modules
                .entry(root.clone())
                .or_insert_with(|| Arc::new(Module::new(root, Arc::new(Disk))));
            for (name, text) in crds_in(&path)? {
                let Some(go) = go_crds::make(&text, module) else {
                    continue;
                };
                made += 1;
                said += go.manifest.parts.iter().filter(|it| it.encoding.is_some()).count();
                in_step += usize::from(go.is_in_step);
                let differences = differences(&value_of(&text), &go.manifest);
                // A CRD has to be reported as up to date if and only if it does not differ.
                wrong += usize::from(go.is_in_step != differences.is_empty());
                if !differences.is_empty() {
                    println!("{} ({name})", path.display());
                    show(&differences, args.show);
                }
            }
        }
    }
    if made > 0 {
        println!(
            "{made} CRDs, {said} values of markers: {in_step} CRDs in step; {wrong} that are in step and differ, or the other way round"
        );
    }
    Ok(wrong == 0)
}

/// Changes the markers of random types, and compares the results with those of controller-gen.
fn compare_random(args: &Args) -> anyhow::Result<bool> {
    let oracle = peers::go_program("go-crds")?;
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed}");
    let mut random = Rng::with_seed(seed);
    let packages: Vec<Package> = (0..args.random).map(|n| Package::new(n, &mut random)).collect();
    let (before, refused_before) = generated(&oracle, &packages, false)?;
    let (after, refused_after) = generated(&oracle, &packages, true)?;
    let (mut compared, mut changed, mut wrong, mut left) = (0, 0, 0, 0);
    for package in &packages {
        let is_refused = |it: &BTreeSet<String>| it.iter().any(|it| package.path().starts_with(&format!("{it}/")));
        if is_refused(&refused_before) || is_refused(&refused_after) {
            continue;
        }
        let text = |folder: &Path| {
            let out = folder.join("out");
            let mut files = Disk.list(&out).into_iter().map(|it| it.0);
            let file = files.find(|it| it.starts_with(&package.crd()));
            let crds = file.map(|it| crds_in(&out.join(it))).transpose()?;
            Ok::<_, anyhow::Error>(crds.unwrap_or_default().pop())
        };
        let (Some(before), Some(after)) = (text(before.path())?, text(after.path())?) else {
            bail!("controller-gen made no CRD of {}", package.path());
        };
        // The changed types are used with the original CRD.
        let memory = Memory(package.path(), package.text(true));
        let module = Module::new("/m".into(), Arc::new(memory));
        let Some(go) = go_crds::make(&before.1, &module) else {
            bail!("nothing is made of {}", package.path());
        };
        let (before, after) = (value_of(&before.1), value_of(&after.1));
        compared += 1;
        changed += usize::from(before != after);
        let differences = differences(&after, &go.manifest);
        let is_wrong = |it: &&Difference| pointed(&before, &it.path) != pointed(&made(&go.manifest), &it.path);
        let wrong_here: Vec<Difference> = differences.iter().filter(is_wrong).cloned().collect();
        left += differences.len() - wrong_here.len();
        if !wrong_here.is_empty() {
            wrong += 1;
            println!("{}", package.path());
            show(&wrong_here, args.show);
            if wrong <= 1 {
                println!("{}", package.text(true));
            }
        }
    }
    println!(
        "{compared} of {} packages that controller-gen accepts, {changed} with other CRDs afterwards: {wrong} CRDs differ; {left} values are \
         left as they were",
        packages.len()
    );
    Ok(wrong == 0)
}

/// Runs controller-gen on packages. Returns the output folder, and the packages in which controller-gen rejects a marker or type.
fn generated(oracle: &Path, packages: &[Package], is_after: bool) -> anyhow::Result<(TempDir, BTreeSet<String>)> {
    let folder = tempfile::tempdir()?;
    let module = folder.path().join("m");
    for file in ["go.mod", "go.sum"] {
        fs::create_dir_all(&module)?;
        fs::copy(
            peers::root().join("tests/conformance/go-crds").join(file),
            module.join(file),
        )?;
    }
    for package in packages {
        let path = module.join(package.path());
        fs::create_dir_all(path.parent().unwrap_or(&module))?;
        fs::write(path, package.text(is_after))?;
    }
    let out = folder.path().join("out");
    fs::create_dir_all(&out)?;
    let answer = Command::new(oracle)
        .args([&module, &out])
        .env("GOFLAGS", "-mod=mod")
        .output()?;
    if !answer.status.success() {
        bail!("controller-gen: {}", String::from_utf8_lossy(&answer.stderr));
    }
    let refused = String::from_utf8_lossy(&answer.stdout);
    let refused = refused
        .lines()
        .filter_map(|it| Some(it.split_once("go-crds/")?.1.to_owned()));
    let refused = refused.collect();
    Ok((folder, refused))
}

/// A repository with one file.
struct Memory(String, String);

impl Folders for Memory {
    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        let path = Path::new("/m").join(&self.0);
        if folder == Path::new("/m") {
            return vec![("go.mod".to_owned(), false), (first(&self.0), true)];
        }
        let Ok(rest) = path.strip_prefix(folder) else {
            return Vec::new();
        };
        let name = rest
            .components()
            .next()
            .map(|it| it.as_os_str().to_string_lossy().into_owned());
        let is_folder = rest.components().count() > 1;
        name.map(|it| (it, is_folder)).into_iter().collect()
    }

    fn read(&self, file: &Path) -> Option<String> {
        if file == Path::new("/m/go.mod") {
            return Some("module m\n".to_owned());
        }
        (file == Path::new("/m").join(&self.0)).then(|| self.1.clone())
    }
}

fn first(path: &str) -> String {
    path.split('/').next().unwrap_or_default().to_owned()
}

/// The CRDs in a file by name, if it can be read.
fn crds_in(path: &Path) -> anyhow::Result<Vec<(String, Arc<CrdText>)>> {
    let (text, objects) = objects(fs::read(path)?);
    let mut index = Index::default();
    index.set(&NewFile {
        path,
        origin: Origin::Workspace,
        text: &text,
        objects: &objects,
        keep_text: true,
    });
    let texts = index.definitions().filter_map(|crd| {
        let text = crd.text(&MemoryFiles::default()).filter(|it| it.is_readable)?;
        Some((crd.name.clone(), text))
    });
    Ok(texts.collect())
}

fn value_of(crd: &CrdText) -> Value {
    let json = read_json_of(&crd.tree, crd.root).ok();
    json.as_ref()
        .and_then(|it| it.root())
        .map(Json::to_value)
        .unwrap_or_default()
}

fn made(manifest: &Manifest) -> Value {
    serde_json::from_str(&manifest.text).unwrap_or(Value::Null)
}

fn pointed<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        other => other.get(step),
    })
}

fn show(differences: &[Difference], most: usize) {
    for it in differences.iter().take(most) {
        println!(
            "    {}: {} expected, {} by markers",
            it.path.join("."),
            it.expected,
            it.found
        );
    }
    if differences.len() > most {
        println!("    and {} more", differences.len() - most);
    }
}

/// The YAML files below a folder that contain a CRD generated by controller-gen.
fn manifests(folder: &Path, found: &mut Vec<PathBuf>) {
    for (name, is_folder) in Disk.list(folder) {
        let path = folder.join(&name);
        if is_folder {
            if !name.starts_with('.') && !["node_modules", "vendor", "testdata"].contains(&&*name) {
                manifests(&path, found);
            }
        } else if path.extension().is_some_and(|it| it == "yaml")
            && fs::metadata(&path).is_ok_and(|it| it.len() < MOST_BYTES)
            && fs::read_to_string(&path).is_ok_and(|it| it.contains("controller-gen.kubebuilder.io/version"))
        {
            found.push(path);
        }
    }
}

/// A difference between a manifest and a CRD.
#[derive(Clone)]
struct Difference {
    path: Vec<String>,
    expected: Value,
    found: Value,
}

fn differences(crd: &Value, manifest: &Manifest) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(&mut Vec::new(), (crd, &made(manifest)), &mut found);
    found
}

fn compare(path: &mut Vec<String>, (one, other): (&Value, &Value), found: &mut Vec<Difference>) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for key in keys {
                path.push(key.clone());
                let of = |it: &serde_json::Map<String, Value>| it.get(key).cloned().unwrap_or(Value::Null);
                compare(path, (&of(one), &of(other)), found);
                path.pop();
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (n, pair) in one.iter().zip(other).enumerate() {
                path.push(n.to_string());
                compare(path, pair, found);
                path.pop();
            }
        }
        _ if one == other || one.as_f64().is_some() && one.as_f64() == other.as_f64() => {}
        _ => found.push(Difference {
            path: path.clone(),
            expected: one.clone(),
            found: other.clone(),
        }),
    }
}
