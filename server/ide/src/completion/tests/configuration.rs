//! Tests for completion in `.crd-analyzer.yaml`.

use crd_analyzer_syntax::{edit, tree::Span};

use super::{KubernetesVersion, Request};
use crate::completion::complete_configuration;

/// The labels of the items, and the text after accepting the first one.
fn offered(marked: &str) -> (Vec<String>, String) {
    let offset = marked.find("$0").expect("a cursor") as u32;
    let text = marked.replacen("$0", "", 1);
    let read = edit::read(text.as_str(), Span::new(0, text.len() as u32));
    let found = complete_configuration(&Request {
        tree: &read.tree,
        document: None,
        offset,
        version: KubernetesVersion::NEWEST,
        snippets: true,
        transforms: false,
        definitions: &(),
    });
    let Some(found) = found else {
        return (Vec::new(), text);
    };
    let typed = &text[found.insert.range()];
    let fitting: Vec<_> = found.items.iter().filter(|it| it.filter.starts_with(typed)).collect();
    let mut taken = text.clone();
    if let Some(first) = fitting.first() {
        let written = first.snippet.as_ref().unwrap_or(&first.text);
        taken.replace_range(found.replace.range(), written);
    }
    (fitting.iter().map(|it| it.label.clone()).collect(), taken)
}

#[test]
fn settings_are_offered() {
    let (labels, taken) = offered("$0");
    assert_eq!(
        labels,
        [
            "kubernetesVersion",
            "rules",
            "exclude",
            "crds",
            "partial",
            "requireCrd",
            "markers"
        ]
    );
    assert_eq!(taken, "kubernetesVersion: $0");
    let (labels, taken) = offered("rules: {}\nex$0\n");
    assert_eq!(labels, ["exclude"]);
    assert_eq!(taken, "rules: {}\nexclude:\n- $0\n");
}

#[test]
fn codes_and_values_are_offered() {
    let (labels, taken) = offered("rules:\n  missing-ty$0\n");
    assert_eq!(labels, ["missing-type"]);
    assert_eq!(taken, "rules:\n  missing-type: $0\n");
    assert_eq!(
        offered("rules:\n  missing-type: $0\n").0,
        ["off", "hint", "info", "warning", "error"]
    );
    assert_eq!(offered("requireCrd: $0\n").0, ["true", "false"]);
    assert!(offered("kubernetesVersion: $0\n").0.contains(&"all".to_owned()));
    assert_eq!(offered("exclude:\n- $0\n").0, Vec::<String>::new());
}
