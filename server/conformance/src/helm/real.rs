//! Charts of repositories, and values for them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_syntax::{
    read_json,
    split::{read_document, split},
};
use fastrand::Rng;
use serde_json::{Value, json};

use super::{
    Args,
    chart::{Case, catalog},
};
use crate::disk::Disk;
use crd_analyzer_gosource::Folders as _;

/// The maximum size of a file that is read, in bytes.
const MOST_BYTES: u64 = 8 << 20;

/// Adds the charts below the folders.
pub(super) fn add(cases: &mut Vec<Case>, args: &Args, random: &mut Rng) {
    for folder in &args.charts {
        let mut texts = Vec::new();
        for below in args.crds.iter().chain([folder]) {
            files(below, &mut |path| texts.extend(crd(path)));
        }
        let crds = Arc::new(catalog(texts));
        let mut charts = Vec::new();
        files(folder, &mut |path| {
            if path.ends_with("Chart.yaml") {
                charts.extend(path.parent().map(Path::to_owned));
            }
        });
        charts.sort();
        for chart in charts {
            let mut read = BTreeMap::new();
            files(&chart, &mut |path| {
                let text = fs::read_to_string(path)
                    .ok()
                    .filter(|_| path.metadata().is_ok_and(|it| it.len() < MOST_BYTES));
                let name = path
                    .strip_prefix(&chart)
                    .ok()
                    .map(|it| it.to_string_lossy().into_owned());
                read.extend(name.zip(text));
            });
            without_missing(&mut read);
            let defaults = read
                .get("values.yaml")
                .and_then(|it| value_of(it))
                .unwrap_or_else(|| json!({}));
            let mut values = vec![json!({})];
            values.extend((1..args.values.max(4)).map(|n| changed(&defaults, n, random)));
            cases.push(Case {
                name: chart.display().to_string(),
                files: read,
                crds: crds.clone(),
                values,
            });
        }
    }
}

/// Removes the dependencies whose charts are not there, since Helm renders no chart that lacks one.
fn without_missing(files: &mut BTreeMap<String, String>) {
    let has_charts = files.keys().any(|it| it.starts_with("charts/"));
    if let Some(text) = files.get_mut("Chart.yaml")
        && let Some(mut value) = value_of(text)
        && !has_charts
        && let Some(fields) = value.as_object_mut()
    {
        fields.remove("dependencies");
        // Helm compares it with a version of Kubernetes that is older than what charts want.
        fields.remove("kubeVersion");
        *text = value.to_string();
    }
    files.remove("Chart.lock");
}

/// Calls a function with the files below a folder.
fn files(folder: &Path, found: &mut dyn FnMut(&Path)) {
    for (name, is_folder) in Disk.list(folder) {
        let path: PathBuf = folder.join(name);
        if is_folder {
            files(&path, found);
        } else {
            found(&path);
        }
    }
}

/// The text of a file with CRDs. Templates of CRDs are left out.
fn crd(path: &Path) -> Option<String> {
    let is_yaml = path.extension().is_some_and(|it| it == "yaml" || it == "yml");
    let is_read = is_yaml && path.metadata().is_ok_and(|it| it.len() < MOST_BYTES);
    let text = fs::read_to_string(path).ok().filter(|_| is_read)?;
    (text.contains("\nkind: CustomResourceDefinition") && !text.contains("{{")).then_some(text)
}

fn value_of(text: &str) -> Option<Value> {
    let text: Arc<str> = text.into();
    let document = *split(&text).documents.first()?;
    let tree = read_document(&text, document, &[]).ok()?;
    let json = read_json(&tree).ok()?;
    Some(json.root()?.to_value())
}

/// The values of a chart with changes: other conditions, missing parts, parts that were empty.
fn changed(defaults: &Value, n: usize, random: &mut Rng) -> Value {
    let mut made = defaults.clone();
    change(&mut made, n, random);
    made
}

fn change(value: &mut Value, n: usize, random: &mut Rng) {
    match value {
        Value::Bool(flag) => {
            *flag = match n {
                1 => true,
                2 => false,
                _ => random.bool(),
            }
        }
        Value::Object(fields) if fields.is_empty() && random.u8(..4) == 0 => *value = json!({"key": "value"}),
        Value::Array(items) if items.is_empty() && random.u8(..4) == 0 => {
            *value = [json!(["one"]), json!([{"name": "one"}])][random.usize(..2)].clone();
        }
        Value::String(text) if text.is_empty() && random.u8(..3) == 0 => *value = json!("text"),
        Value::Null if random.u8(..4) == 0 => *value = json!("text"),
        Value::Object(fields) => fields.values_mut().for_each(|it| change(it, n, random)),
        _ if n > 2 && random.u8(..30) == 0 => {
            *value = [json!(null), json!(3), json!("text")][random.usize(..3)].clone();
        }
        Value::Array(items) => items.iter_mut().for_each(|it| change(it, n, random)),
        _ => {}
    }
}
