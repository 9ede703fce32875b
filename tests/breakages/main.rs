//! Breaks a random line of a repository that contains several copies of each CRD. `check` must report each breakage at its line, for every role of
//! the file.
//!
//! `CRD_ANALYZER_BREAKAGES=0..1000` runs these seeds instead of the few seeds of a normal test run.

#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![allow(clippy::expect_used, reason = "a test says what it expected")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use crd_analyzer_fixtures::random::{Random, seeds};

/// The CRD that authors edit.
const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names:
    plural: widgets
    kind: Widget
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
              required: [size]
              properties:
                size:
                  type: integer
                color:
                  type: string
                enabled:
                  type: boolean
                ports:
                  type: array
                  items:
                    type: object
                    properties:
                      name:
                        type: string
                      port:
                        type: integer
";

const WIDGET: &str = "apiVersion: example.com/v1
kind: Widget
metadata:
  name: one
spec:
  size: 3
  color: red
  enabled: true
  ports:
    - name: http
      port: 80
    - name: https
      port: 443
";

/// A copy for tests. It accepts all objects.
const STUB: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
";

/// A file of the repository, with its role and the first line that may be broken.
struct File {
    role: &'static str,
    path: &'static str,
    text: String,
    from: &'static str,
}

fn files() -> Vec<File> {
    let file = |role, path, text: &str, from| File {
        role,
        path,
        text: text.to_owned(),
        from,
    };
    let old = CRD.replace("                color:\n                  type: string\n", "");
    let patch = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig:
        service:
          name: hook
          namespace: system
          port: 443
";
    let template = CRD.replace(
        "  name: widgets",
        "  labels:\n    {{- include \"chart.labels\" . | nindent 4 }}\n  name: widgets",
    );
    let of_chart = WIDGET.replace("name: one", "name: {{ .Release.Name }}");
    vec![
        file("source of truth", "config/crd/bases/widgets.yaml", CRD, "spec:"),
        file("packaged copy", "charts/a/crds/widgets.yaml", CRD, "spec:"),
        file("template", "charts/a/templates/crd.yaml", &template, "spec:"),
        file("template", "charts/a/templates/widget.yaml", &of_chart, "spec:"),
        file("copy of a release", "releases/v1.15.0/widgets.yaml", &old, "spec:"),
        file("copy of a release", "releases/v1.30.0/widgets.yaml", CRD, "spec:"),
        file("part", "config/crd/patches/webhook.yaml", patch, "      conversion"),
        file("sample", "config/samples/widget.yaml", WIDGET, "spec:"),
        file("documentation", "docs/releases/widget.yaml", WIDGET, "spec:"),
        file("documentation", "docs/crds/widgets.yaml", STUB, "kind: {}"),
        file("only read by tests", "pkg/testdata/widget.yaml", WIDGET, "spec:"),
        file("only read by tests", "pkg/testdata/crds/widgets.yaml", STUB, "kind: {}"),
        file("only read by tests", "pkg/testdata/crds/whole.yaml", CRD, "spec:"),
        file(
            "only read by tests",
            "charts/a/tests/__snapshot__/widget.yaml",
            WIDGET,
            "spec:",
        ),
        file(
            "only read by tests",
            "test/render/expected/widget.yaml",
            WIDGET,
            "spec:",
        ),
        file("test data", "test/e2e/00-install.yaml", WIDGET, "spec:"),
        file("assertion", "test/e2e/00-assert.yaml", WIDGET, "spec:"),
        file("manifest", "apps/widget.yaml", WIDGET, "spec:"),
    ]
}

/// The indices of the lines that may be broken.
fn breakable(file: &File) -> Vec<usize> {
    let is_scalar = |line: &str| {
        let value = line.split_once(": ").map(|it| it.1.trim());
        value.is_some_and(|it| !it.is_empty() && !it.contains(['{', '[']))
    };
    let lines = file.text.lines().enumerate();
    let after = lines.skip_while(|(_, line)| !line.starts_with(file.from));
    after.skip(1).filter(|it| is_scalar(it.1)).map(|it| it.0).collect()
}

/// A line with another key, or with a value of another type.
fn broken(line: &str, random: &mut Random) -> String {
    let (key, value) = line.split_once(": ").expect("a key and a value");
    match random.below(3) {
        0 => format!("{key}x: {value}"),
        1 => format!("{key}: [[7]]"),
        _ => format!("{key}: {{y: {value}}}"),
    }
}

/// The files and lines with diagnostics.
fn places(folder: &Path) -> BTreeSet<(String, usize)> {
    let output = Command::new(env!("CARGO_BIN_EXE_crd-analyzer"))
        .args(["check", ".", "-o", "concise", "--quiet"])
        .current_dir(folder)
        .output()
        .expect("crd-analyzer runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let place = |line: &str| {
        let mut parts = line.trim_start_matches("./").split(':');
        Some((parts.next()?.to_owned(), parts.next()?.parse().ok()?))
    };
    text.lines().filter_map(place).collect()
}

#[test]
fn breakages_are_found_at_their_place() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = files();
    fs::create_dir(folder.path().join(".git")).expect("the folder can be made");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
    };
    for it in &files {
        write(it.path, &it.text);
    }
    write("charts/a/Chart.yaml", "apiVersion: v2\nname: a\nversion: 0.1.0\n");
    let before = places(folder.path());
    let (mut missed, mut by_role) = (Vec::new(), BTreeMap::<&str, (usize, usize)>::new());
    let all = seeds("CRD_ANALYZER_BREAKAGES", 0..60);
    let count = all.end - all.start;
    for seed in all {
        let mut random = Random::new(seed);
        let breakable: Vec<(&File, Vec<usize>)> = files.iter().map(|it| (it, breakable(it))).collect();
        let breakable: Vec<_> = breakable.into_iter().filter(|it| !it.1.is_empty()).collect();
        let (file, lines) = &breakable[random.below(breakable.len())];
        let at = lines[random.below(lines.len())];
        let mut text: Vec<String> = file.text.lines().map(|it| format!("{it}\n")).collect();
        text[at] = format!("{}\n", broken(text[at].trim_end(), &mut random));
        write(file.path, &text.concat());
        let found = places(folder.path());
        write(file.path, &file.text);
        let place = (file.path.to_owned(), at + 1);
        let is_found = found.contains(&place) && !before.contains(&place);
        let (found, all) = by_role.entry(file.role).or_default();
        *found += usize::from(is_found);
        *all += 1;
        if !is_found {
            missed.push(format!(
                "seed {seed}: {}:{}: {}",
                file.path,
                at + 1,
                text[at].trim_end()
            ));
        }
    }
    for (role, (found, all)) in &by_role {
        println!("{role}: {found} of {all}");
    }
    let rate = (count - missed.len() as u64) * 100 / count.max(1);
    println!("{rate} % of {count} breakages are found at their place; missed: {missed:#?}");
    assert!(rate >= 95, "{missed:#?}");
}
