//! Generates the CRDs of small packages, each with something that controller-gen does in a way of its own, and compares them with its output.
//!
//! `tests/small/NAME.yaml` has what controller-gen 0.23 writes for the package `tests/module/small/NAME`, after a line that says whether it rejects the
//! package. To create these files again, build `tests/conformance/go-crds` and run `UPDATE_SMALL=GO-CRDS cargo test -p crd-analyzer-generator --test
//! small`.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use crd_analyzer_generator::{Modules, Options, Outside, Reason, generate, yaml};
use crd_analyzer_gosource::{Folders, check::catalog::Release};

#[path = "../../conformance/src/disk.rs"]
mod disk;

use disk::Disk;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The text of a recorded file: whether the package is rejected, and its CRDs.
fn recorded(is_refused: bool, crds: &[String]) -> String {
    let answer = if is_refused { "rejected" } else { "accepted" };
    format!("# {answer}\n{}", crds.concat())
}

/// Runs controller-gen's own code, and writes the recorded files.
fn record(program: &str, names: &[String]) {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("small");
    let module = tests().join("module");
    for name in names {
        let output = Command::new(program)
            .args(["-each", ""])
            .args([&module, &out])
            .arg(format!("./small/{name}"))
            .env("GOFLAGS", "-mod=vendor")
            .output()
            .expect("the program runs");
        let lines = String::from_utf8(output.stdout).expect("text");
        let answer: serde_json::Value = serde_json::from_str(lines.lines().nth(1).expect("an answer")).expect("JSON");
        let is_refused = answer["refused"] != serde_json::json!([]) || answer.get("crash").is_some();
        let folder = out.join("0").join(name);
        let files = Disk.list(&folder).into_iter();
        let crds: Vec<String> = files.filter_map(|it| Disk.read(&folder.join(it.0))).collect();
        fs::write(tests().join(format!("small/{name}.yaml")), recorded(is_refused, &crds)).expect("written");
    }
}

#[test]
fn small_packages_are_those_of_controller_gen() {
    let root = tests().join("module");
    let names: Vec<String> = Disk.list(&root.join("small")).into_iter().map(|it| it.0).collect();
    assert!(!names.is_empty());
    if let Ok(program) = std::env::var("UPDATE_SMALL") {
        record(&program, &names);
    }
    let modules = Modules::open(&root, &root, Arc::new(Disk), Outside::default()).expect("a module");
    for name in names {
        let packages = [format!("example.com/shop/small/{name}")];
        let made = generate(&packages, &modules, &Options::of(Release::NEWEST), Some("(devel)"));
        assert_eq!(made.missing, Vec::<String>::new());
        assert!(
            made.refused.iter().all(|it| it.origin.is_some()),
            "{name}: {:?}",
            made.refused
        );
        let crd = |it: &crd_analyzer_generator::Crd| {
            let text = yaml::written(&it.object.to_json());
            let is_written = made.refused.iter().all(|it| it.reason != Reason::Text) || !it.is_refused;
            if is_written {
                format!("---\n{text}")
            } else {
                String::new()
            }
        };
        let crds: Vec<String> = made.crds.iter().map(crd).collect();
        let expected = fs::read_to_string(tests().join(format!("small/{name}.yaml"))).expect("a recorded file");
        assert_eq!(
            recorded(!made.refused.is_empty(), &crds),
            expected,
            "{name}: {:?}",
            made.refused
        );
    }
}
