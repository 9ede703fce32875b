//! The configuration in a repository: `.crd-analyzer.yaml`, and the comments that suppress findings.

use std::path::Path;

use crd_analyzer_workspace::{
    config::Config,
    config::crd_paths::CrdPath,
    config::versions::VersionSet,
    judging::analysis::{Question, analyze},
};

use crate::{
    Target,
    dictionary::{YAML, owned},
    input::{Input, input},
    spans::assert_in,
};

pub(super) const TARGET: Target = Target {
    name: "config",
    run,
    seeds: |cases| {
        let definitions = cases.definitions.iter().filter(|it| it.len() < 1500).enumerate();
        definitions
            .map(|(n, it)| {
                let text = it.replacen('\n', " # crd-analyzer: ignore[missing-type] why\n", n % 4 + 1);
                input(&[], &[CONFIG, &text, "../crds/**/a?.{yaml,json}"])
            })
            .collect()
    },
    words: || {
        let mut words = owned(YAML);
        words.extend(owned(WORDS));
        words
    },
};

const CONFIG: &str = "kubernetesVersion: 1.31..1.33\nrules:\n  missing-type: off\n  large-manifest: warning\nexclude: ['vendor/**', '*.gen.yaml']\ncrds: [../crds]\n";

const WORDS: &[&str] = &[
    "kubernetesVersion: ",
    "1.30..1.37",
    "all",
    "rules:\n  ",
    "exclude: ",
    "crds: ",
    "off",
    "hint",
    "info",
    "warning",
    "error",
    "**/",
    "[!a-z]",
    "{a,b}",
    "\\",
    "# crd-analyzer: ignore",
    "# crd-analyzer: ignore[missing-type]",
    "# crd-analyzer: ignore-file[",
    "[*]",
    "missing-type",
    "unknown-field",
];

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (written, manifest, path) = (input.text(), input.part(), input.text());
    let mut config = Config::parse(&written).unwrap_or_default();
    Path::new("/repo").clone_into(&mut config.folder);
    let file = Path::new("/repo/config").join(path.trim_start_matches('/'));
    let _ = config.excludes(&file);
    for written in config.crds.iter().map(String::as_str).chain([&*path]) {
        if let Ok(path) = CrdPath::parse(written, &config.folder) {
            let _ = (path.is_glob(), path.holds(&file), path.holds(&path.base));
        }
    }
    let versions = config.kubernetes_versions.unwrap_or_default();
    // One Kubernetes version is enough to test suppression.
    let question = Question {
        named: true,
        ..Question::new(VersionSet::one(versions.newest()))
    };
    let report = analyze(manifest.to_vec(), &question);
    let shown = report.merged_findings(&config);
    for shown in shown.iter().flatten() {
        assert_in(&report.text, shown.finding.span);
        assert!(!shown.finding.suppressed);
    }
    let _ = report.worst(&shown);
    if let Ok(json) = serde_json::from_str(&written) {
        let _ = Config::from_json(json);
    }
}
