//! Generates CRDs from a module with all forms of types, and compares them with the output of each release of controller-gen.
//!
//! `tests/made/v0.N` has the output of release 0.N, if it differs from that of the next release. To create it again, run `controller-gen crd
//! paths=./api/... output:crd:dir=../made/v0.N` in `tests/module`, whose `vendor` has substitutes for Kubernetes' own packages.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_generator::{Modules, Options, Outside, Reason, Refused, generate, yaml};
use crd_analyzer_gosource::{Folders, check::catalog::Release};

#[path = "../../conformance/src/disk.rs"]
mod disk;

use disk::Disk;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The folder with the recorded output of a release. If its output equals that of a later release, the folder of that release.
fn made_by(release: Release) -> PathBuf {
    let mut folders = (release.0..=Release::NEWEST.0).map(|it| tests().join(format!("made/v0.{it}")));
    folders.find(|it| it.is_dir()).expect("the newest release is recorded")
}

#[test]
fn crds_are_those_of_every_release() {
    let root = tests().join("module");
    let modules = Modules::open(&root, &root, Arc::new(Disk), Outside::default()).expect("a module");
    let packages = modules.matching("./api/...", &root);
    assert_eq!(packages, ["example.com/shop/api/v1", "example.com/shop/api/v1beta1"]);
    for release in (Release::OLDEST.0..=Release::NEWEST.0).map(Release) {
        let made = generate(&packages, &modules, &Options::of(release), Some("v0"));
        assert_eq!(made.missing, Vec::<String>::new());
        // 0.16 looks at types with methods for text, and releases before 0.20 do not resolve named types.
        let is_expected = |it: &Refused| match it.reason {
            Reason::Tag | Reason::Embedded => release < Release(17),
            Reason::Marker => release < Release(20),
            _ => false,
        };
        assert!(made.refused.iter().all(is_expected), "{release}: {:?}", made.refused);
        let folder = made_by(release);
        let mut files = Disk.list(&folder);
        files.sort();
        let names: Vec<&str> = made.crds.iter().map(|it| it.file.as_str()).collect();
        let recorded: Vec<&str> = files.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(names, recorded, "{release}");
        for crd in &made.crds {
            let recorded = fs::read_to_string(folder.join(&crd.file)).expect("a file");
            let own = format!("---\n{}", yaml::written(&crd.object.to_json()));
            let lines = |text: &str| -> Vec<String> {
                let is_version = |it: &&str| !it.contains("controller-gen.kubebuilder.io/version");
                text.lines().filter(is_version).map(str::to_owned).collect()
            };
            let (recorded, own) = (lines(&recorded), lines(&own));
            let different = recorded.iter().zip(&own).position(|(one, other)| one != other);
            let near = |lines: &[String]| -> Vec<String> {
                let at = different.unwrap_or_default();
                lines.iter().skip(at.saturating_sub(2)).take(5).cloned().collect()
            };
            assert_eq!(near(&own), near(&recorded), "{} of {release}", crd.file);
            assert_eq!(own.len(), recorded.len(), "{} of {release}", crd.file);
        }
    }
}

#[test]
fn types_that_are_nowhere_are_named() {
    let root = tests().join("module");
    let modules = Modules::open(&root.join("api"), &root, Arc::new(Disk), Outside::default());
    assert!(modules.is_none(), "there is no `go.mod`");
    let made = {
        let modules = Modules::open(&root, &root, Arc::new(WithoutVendor), Outside::default()).expect("a module");
        let packages = modules.matching("./api/v1beta1", &root);
        generate(&packages, &modules, &Options::of(Release::NEWEST), None)
    };
    assert_eq!(made.missing, ["k8s.io/apimachinery/pkg/apis/meta/v1.TypeMeta"]);
    assert!(made.crds.iter().all(|it| it.object.has_unknown()));
}

/// The files of the module, without those of vendored modules.
struct WithoutVendor;

impl Folders for WithoutVendor {
    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        let names = Disk.list(folder).into_iter();
        names
            .filter(|it| it.0 != "vendor" && !folder.iter().any(|it| it == "vendor"))
            .collect()
    }

    fn read(&self, file: &Path) -> Option<String> {
        Disk.read(file).filter(|_| !file.iter().any(|it| it == "vendor"))
    }
}
