//! Tests that a format needs only a file and a row: a format that only these tests register can be chosen by name, and can write a report beside the
//! others.

mod counts;

use std::{fs, time::Duration};

use crd_analyzer_io::write::Replaceable;
use crd_analyzer_workspace::{
    config::Config,
    config::versions::VersionSet,
    findings::finding::Severity,
    judging::analysis::{Question, analyze},
};

use super::{
    File, Format, Look, Output, Outputs, Summary,
    format::{ALL, names},
};

const LOOK: Look = Look {
    color: false,
    columns: 100,
    effective: false,
    is_list: false,
    verbose: false,
    diagnostics: true,
    statistics: false,
    summary: false,
    fails: Severity::Error,
};

#[test]
fn a_registered_format_writes_a_report_beside_the_others() {
    let table: Vec<Format> = ALL.iter().copied().chain([counts::FORMAT]).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let chosen = |name: &str| Output::of(&format!("{name}={}", path(name).display()), &table).expect("a format");
    let mut outputs = Outputs::new(&[chosen("counts"), chosen("concise")], None, LOOK).expect("outputs");
    let text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b}\nspec: {}\n";
    let report = analyze(text.as_bytes().to_vec(), &Question::new(VersionSet::default()));
    let file = File::new("a.yaml", &report, &Config::default(), &[]);
    outputs.file(&file).expect("printed");
    let unwritten = outputs.end(&Summary::default(), Duration::ZERO, Replaceable::Data);
    assert_eq!(unwritten.expect("printed"), Vec::<String>::new());
    let read = |name: &str| fs::read_to_string(path(name)).expect("a report");
    let lines = read("concise").lines().count();
    assert!(lines > 0);
    assert_eq!(read("counts"), format!("{lines} a.yaml\nfiles: 1\n"));
}

#[test]
fn an_unknown_format_is_told_with_the_known_ones() {
    let error = Output::of("counts", ALL).expect_err("not registered");
    assert!(error.contains("the format `counts` does not exist"), "{error}");
    for format in ALL {
        assert!(error.contains(format.name) && names().contains(format.name));
        assert!(Output::of(format.name, ALL).is_ok_and(|it| it.file.is_none()));
    }
}
