//! Compares the CRDs that repositories have with those that the markers of their Go types make: where controller-gen wrote them, they are the same.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_gosource::{Folders, Module, root_of};
use crd_analyzer_syntax::json::{Json, read_json_of};
use crd_analyzer_workspace::{
    index::{DefinitionText, Index, MemoryFiles, NewFile, Origin, objects},
    sources::{go_crds, manifest::Manifest},
};
use serde_json::Value;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Repositories.
    folders: Vec<PathBuf>,
    /// Print at most this many differences of a CRD.
    #[arg(long, default_value_t = 3)]
    show: usize,
}

/// The largest file that is looked at, in bytes.
const MOST_BYTES: u64 = 8 << 20;

struct Disk;

impl Folders for Disk {
    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let named = entries.filter_map(|it| Some((it.file_name().into_string().ok()?, it.file_type().ok()?.is_dir())));
        let mut names: Vec<_> = named.collect();
        names.sort();
        names
    }

    fn read(&self, file: &Path) -> Option<String> {
        fs::read_to_string(file).ok()
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let (mut made, mut in_step, mut said, mut wrong) = (0, 0, 0, 0);
    let mut modules: BTreeMap<PathBuf, Arc<Module>> = BTreeMap::new();
    for folder in &args.folders {
        let folder = fs::canonicalize(folder)?;
        let mut files = Vec::new();
        manifests(&folder, &mut files);
        for path in files {
            let bytes = fs::read(&path)?;
            let (text, objects) = objects(bytes);
            let mut index = Index::default();
            index.set(&NewFile {
                path: &path,
                origin: Origin::Workspace,
                text: &text,
                objects: &objects,
                keep_text: true,
            });
            let Some(root) = root_of(&path, &Disk) else { continue };
            let module = modules
                .entry(root.clone())
                .or_insert_with(|| Arc::new(Module::new(root, Arc::new(Disk))));
            for crd in index.definitions() {
                let Some(text) = crd.text(&MemoryFiles::default()).filter(|it| it.is_readable) else {
                    continue;
                };
                let Some(go) = go_crds::make(&text, module) else {
                    continue;
                };
                made += 1;
                said += go.manifest.parts.iter().filter(|it| it.encoding.is_some()).count();
                in_step += usize::from(go.is_in_step);
                let differences = differences(&text, &go.manifest);
                // What is in step is the same, and the other way round.
                wrong += usize::from(go.is_in_step != differences.is_empty());
                if !differences.is_empty() {
                    println!("{} ({})", path.display(), crd.name);
                    differences.iter().take(args.show).for_each(|it| println!("    {it}"));
                    if differences.len() > args.show {
                        println!("    and {} more", differences.len() - args.show);
                    }
                }
            }
        }
    }
    println!(
        "{made} CRDs, {said} values of markers: {in_step} CRDs in step; {wrong} that are in step and differ, or the other way round"
    );
    Ok(wrong == 0)
}

/// The YAML files below a folder that have a CRD of controller-gen.
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

/// Where a manifest says something else than a CRD.
fn differences(crd: &DefinitionText, manifest: &Manifest) -> Vec<String> {
    let mut found = Vec::new();
    let written = read_json_of(&crd.tree, crd.root).ok();
    let written = written
        .as_ref()
        .and_then(|it| it.root())
        .map(Json::to_value)
        .unwrap_or_default();
    let made: Value = serde_json::from_str(&manifest.text).unwrap_or(Value::Null);
    compare(&mut String::new(), (&written, &made), &mut found);
    found
}

fn compare(path: &mut String, (one, other): (&Value, &Value), found: &mut Vec<String>) {
    let length = path.len();
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let keys: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for key in keys {
                path.push('.');
                path.push_str(key);
                let of = |it: &serde_json::Map<String, Value>| it.get(key).cloned().unwrap_or(Value::Null);
                compare(path, (&of(one), &of(other)), found);
                path.truncate(length);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (n, pair) in one.iter().zip(other).enumerate() {
                let _ = write!(path, "[{n}]");
                compare(path, pair, found);
                path.truncate(length);
            }
        }
        _ if one == other || one.as_f64().is_some() && one.as_f64() == other.as_f64() => {}
        _ => found.push(format!("{path}: {one} in the file, {other} by markers")),
    }
}
