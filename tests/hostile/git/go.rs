//! Go modules that refer to files elsewhere by links, `replace` and imports. Only files in the repository may be read.

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use crate::{
    Test,
    repository::{Outcome, Place},
    session, strace,
};

pub(crate) const TESTS: &[Test] = &[
    (
        "go_types_are_those_of_the_repository",
        go_types_are_those_of_the_repository,
    ),
    (
        "an_open_go_file_reads_the_repository",
        an_open_go_file_reads_the_repository,
    ),
];

const TYPES: &str = "// +groupName=example.com
package v1

import (
\tcached \"example.com/cached/v1\"
\tother \"example.com/other/v1\"
\tabove \"example.com/above/secret\"
\tworked \"example.com/worked\"
)

type Spec struct {
\tother.Secret `json:\",inline\"`
\tAbove above.Secret `json:\"above\"`
\tCached cached.Secret `json:\"cached\"`
\tWorked worked.Secret `json:\"worked\"`
\tLinked LinkedSecret `json:\"linked\"`
\t// +kubebuilder:validation:Pattern=`[`
\tName string `json:\"name\"`
}

type Widget struct {
\tSpec Spec `json:\"spec\"`
}
";

const SECRET: &str = "package v1

// +kubebuilder:validation:MaxLenght=1
type Secret struct {
\tHidden string `json:\"hidden\"`
}

type LinkedSecret string
";

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
  annotations: {controller-gen.kubebuilder.io/version: v0.21.0}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              name: {type: string, pattern: a}
              hidden: {type: string}
              linked: {type: string}
";

/// A repository `repo` whose Go files refer to files in `outside`, in every way that Go has.
fn repository() -> Place {
    let place = Place::with_repository();
    for name in [
        "other/v1",
        "secret",
        "worked",
        "cache/example.com/cached@v1.0.0/v1",
        "linked",
    ] {
        place.write(format!("outside/{name}/secret_types.go"), SECRET);
    }
    place.write("outside/other/go.mod", "module example.com/other\n");
    place.write("outside/worked/go.mod", "module example.com/worked\n");
    place.write("outside/go.mod", "module example.com/above\n");
    place.write(
        "repo/go.mod",
        "module example.com/widgets\n\nrequire (\n\texample.com/cached v1.0.0\n\texample.com/other v1.0.0\n\texample.com/above v1.0.0\n)\n\n\
         replace example.com/other => ../outside/other\n\nreplace example.com/above v1.0.0 => ../outside\n",
    );
    place.write("repo/go.work", "go 1.22\n\nuse (\n\t.\n\t../outside/worked\n)\n");
    place.write("repo/api/v1/widget_types.go", TYPES);
    place.write("repo/crd.yaml", CRD);
    let link = |target: &str, name: &str| {
        let name = place.path("repo").join(name);
        fs::create_dir_all(name.parent().expect("a folder")).expect("folders");
        symlink(target, name).expect("a link");
    };
    link("../../../outside/linked/secret_types.go", "api/v1/linked_types.go");
    link("../../outside/linked", "api/linked");
    link("../../outside", "vendor/example.com");
    link("../outside/go.mod", "Makefile");
    place
}

fn environment(place: &Place, command: &mut Command) {
    let cache = place.path("outside/cache");
    command
        .env("GOMODCACHE", &cache)
        .env("GOFLAGS", "-mod=mod")
        .env("GOPATH", &cache);
}

/// Checks that no file outside of the repository was opened.
#[track_caller]
fn expect(place: &Place) {
    let trace = strace::read(place, &place.path("repo"));
    assert!(trace.network.is_empty(), "{trace:#?}");
    let outside = fs::canonicalize(place.path("outside")).expect("it is there");
    let is_outside = |it: &&std::path::PathBuf| {
        let real = fs::canonicalize(it).unwrap_or_else(|_| (*it).clone());
        real.starts_with(&outside)
    };
    let opened: Vec<_> = trace.opened.iter().filter(is_outside).collect();
    assert!(opened.is_empty(), "{opened:#?}");
    let types = Path::new("widget_types.go");
    assert!(trace.opened.iter().any(|it| it.ends_with(types)), "{trace:#?}");
}

fn go_types_are_those_of_the_repository() {
    let place = repository();
    for args in [
        &["check", "./..."][..],
        &["check", "./api/..."],
        &["check", "api/v1/widget_types.go"],
        &["check", "."],
        &["check", "--fix", "./..."],
        &["check", "-o", "sarif", "./..."],
    ] {
        let mut command = strace::traced(&place, &place.command("repo", args));
        environment(&place, &mut command);
        let outcome = Outcome::of(&mut command);
        assert!(matches!(outcome.code, Some(0 | 1 | 3)), "{args:?}: {outcome:#?}");
        // The target of a link does not belong to the repository.
        assert!(!format!("{outcome:?}").contains("MaxLenght"), "{args:?}: {outcome:#?}");
        if args != ["check", "."] {
            expect(&place);
        }
    }
}

fn an_open_go_file_reads_the_repository() {
    let place = repository();
    for trusted in [true, false] {
        let mut command = strace::traced(&place, &place.command("repo", ["lsp"]));
        environment(&place, &mut command);
        session::run(&place, command, "repo", "api/v1/widget_types.go", trusted);
        expect(&place);
    }
}
