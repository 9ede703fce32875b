//! The section of `doctor` about configurations: the ones that apply, and their mistakes.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use crd_analyzer_io::{
    config::{Configs, Found, read_file},
    read::{self, Access, SETTINGS_BYTES},
    roots::Roots,
};
use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::{config::check, findings::finding::Finding, findings::report::FileReport};
use serde_json::{Value, json};

use crate::{
    cli::manifests::Settings,
    input::{self, Input},
    output::{
        doctor::{Line, Section, State},
        label_of_path,
    },
};

/// A mistake in a configuration, with its line (from 1) and the necessary change.
struct Mistake {
    line: u32,
    text: String,
    help: Option<String>,
}

/// The section about configurations, and whether the configurations are valid enough to check the folder.
pub(super) fn section(folder: &Path, inputs: &[Input], settings: &Settings) -> anyhow::Result<(Section, bool)> {
    let found = counting(folder, inputs, settings)?;
    let mut lines = Vec::new();
    let mut facts: Vec<Value> = Vec::new();
    for config in &found {
        let name = label_of_path(&config.path);
        let mistakes = mistakes(config);
        let first = mistakes.first();
        lines.push(match (&config.config, first) {
            (Ok(config), None) => {
                let versions = match config.kubernetes_versions {
                    Some(versions) => format!("checks for Kubernetes {versions}"),
                    None => "names no Kubernetes version, so the newest one is checked".to_owned(),
                };
                Line::new(State::Good, format!("{name} is valid and {versions}"))
            }
            (config, Some(first)) => {
                let state = if config.is_ok() { State::Note } else { State::Broken };
                let line = Line::new(state, format!("{name}, line {}: {}", first.line, first.text));
                line.help(
                    first
                        .help
                        .clone()
                        .unwrap_or_else(|| format!("change line {} of {name}", first.line)),
                )
            }
            (Err(why), None) => {
                Line::new(State::Broken, format!("{name} cannot be used: {why}")).help(format!("change {name}"))
            }
        });
        facts.push(json!({
            "file": name,
            "is_valid": config.config.is_ok() && mistakes.is_empty(),
            "mistakes": mistakes.iter().map(|it| json!({"line": it.line, "text": it.text, "help": it.help})).collect::<Vec<_>>(),
        }));
    }
    if found.is_empty() {
        let text = if settings.reads_configs() {
            "no `.crd-analyzer.yaml` here or above: the newest Kubernetes version is checked"
        } else {
            "`--no-config`: configuration files are not read"
        };
        lines.push(Line::new(State::Good, text));
    }
    let is_usable = found.iter().all(|it| it.config.is_ok());
    if !is_usable {
        lines.push(Line::new(State::Note, "the following results ignore the configuration"));
    }
    let section = Section {
        name: "configuration",
        title: "Configuration",
        lines,
        facts: Value::Array(facts),
    };
    Ok((section, is_usable))
}

/// The configurations that apply to the folder and to the files in it.
fn counting(folder: &Path, inputs: &[Input], settings: &Settings) -> anyhow::Result<Vec<Arc<Found>>> {
    if let Some(path) = settings.named_config() {
        return Ok(vec![Arc::new(read_file(path.to_owned(), &Access::Named))]);
    }
    if !settings.reads_configs() {
        return Ok(Vec::new());
    }
    let configs = Configs::default();
    let access = input::found_in(folder);
    let roots = || Roots::clone(&input::roots(&access));
    let mut found: BTreeMap<_, Arc<Found>> = BTreeMap::new();
    let own = std::path::absolute(folder)?;
    let mut folders = BTreeSet::from([own]);
    for input in inputs {
        folders.extend(input.place()?.parent().map(Path::to_owned));
    }
    for folder in folders {
        if let Some(config) = configs.nearest(&folder, &roots) {
            found.insert(config.path.clone(), config);
        }
    }
    Ok(found.into_values().collect())
}

/// The mistakes in a configuration, with their lines. Empty if the file cannot be read.
fn mistakes(config: &Found) -> Vec<Mistake> {
    let Ok(text) = read::text(&config.path, &Access::Named, SETTINGS_BYTES) else {
        return Vec::new();
    };
    let FileReport { findings, text, .. } = check::check(text.into_bytes());
    let lines = LineIndex::new(&text);
    let mistake = |it: Finding| Mistake {
        line: lines.line_of(it.span.start) + 1,
        text: it.headline,
        help: it.help.into_iter().next(),
    };
    findings.into_iter().map(mistake).collect()
}
