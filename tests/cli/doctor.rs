//! Tests of `doctor`, which checks an installation and describes the content of a folder.

use std::process::Command;

use serde_json::Value;

use crate::{Outcome, Sandbox, definition};

const RESOURCE: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1}\n";

fn widgets() -> String {
    definition("              type: object\n              properties: {size: {type: integer}}\n")
}

fn doctor(sandbox: &Sandbox, args: &[&str]) -> Outcome {
    Outcome::new(command(sandbox, args).output().expect("crd-analyzer runs"))
}

/// The command with a `PATH` that contains no programs of this machine.
fn command(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = sandbox.command(&[&["doctor"], args].concat());
    command
        .env("PATH", sandbox.path().join("bin"))
        .env("HOME", sandbox.path().join("home"))
        .env_remove("KUBECONFIG");
    command
}

fn git_init(sandbox: &Sandbox) {
    let init = Command::new("git")
        .args(["init", "-q"])
        .current_dir(sandbox.path())
        .status();
    assert!(init.expect("git runs").success());
}

fn facts(outcome: &Outcome, section: &str) -> Value {
    let all: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let sections = all["sections"].as_array().expect("a list");
    let found = sections.iter().find(|it| it["name"] == section);
    found.expect("the section")["facts"].clone()
}

#[test]
fn says_what_is_found_and_where_it_comes_from() {
    let widgets = widgets();
    let sandbox = Sandbox::new(&[
        ("config/crd/bases/widgets.yaml", &widgets),
        ("charts/x/crds/widgets.yaml", &widgets),
        ("config/samples/a.yaml", RESOURCE),
        (
            "config/samples/b.yaml",
            "apiVersion: other.io/v1\nkind: Gadget\nmetadata: {name: b}\n",
        ),
        (
            "config/samples/c.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: c}\n",
        ),
        ("go.mod", "module example.com/widgets\n"),
        (
            "api/v1/types.go",
            "// +groupName=example.com\npackage v1\n\ntype Widget struct {\n\tSpec WidgetSpec `json:\"spec\"`\n}\n\ntype WidgetSpec struct {\n\tSize int `json:\"size\"`\n}\n",
        ),
    ]);
    let outcome = doctor(&sandbox, &[]);
    outcome.expect(
        0,
        &[
            "answers for Kubernetes 1.30 to 1.37",
            "the program `crd-analyzer` is not in PATH",
            "no `.crd-analyzer.yaml` here or above",
            "ok: 5 YAML or JSON files are checked, with 2 CRDs",
            "ok: 2 CRDs with a kind are found",
            "source of truth (controller-gen writes to `config/crd/bases`), 1 CRD: config/crd/bases/widgets.yaml",
            "copy (`charts` in the path names a package), 1 CRD: charts/x/crds/widgets.yaml",
            "ok: 1 custom resource is checked by a CRD",
            "note: 1 custom resource is not checked, because no CRD was found: Gadget of other.io (1)",
            "add their CRDs to the repository with `crd-analyzer crds add`",
            "1 object of built-in kinds (Pod)",
            "ok: 1 CRD is here as a Go type\n      Widget in api/v1/types.go",
            "not in a git repository",
            "the program `kubectl` is not in PATH",
            "none of VS Code, Neovim, Helix, Emacs is in PATH",
            "Nothing is broken.",
        ],
    );
    let outcome = doctor(&sandbox, &["--format", "json"]);
    let crds = facts(&outcome, "crds");
    assert_eq!(crds[0]["name"], "widgets.example.com");
    assert_eq!(crds[0]["role"], "source of truth");
    assert_eq!(crds[1]["file"], "charts/x/crds/widgets.yaml");
    let resources = facts(&outcome, "resources");
    assert_eq!(
        (&resources["checked"], &resources["not_checked"]["built_in"]),
        (&1.into(), &1.into())
    );
    assert_eq!(resources["without_crd"][0]["kind"], "Gadget");
    assert_eq!(facts(&outcome, "go")[0]["file"], "api/v1/types.go");
    assert_eq!(facts(&outcome, "files")["errors"], 0);
    // A folder can be given by name. Its CRDs may be elsewhere in the repository.
    git_init(&sandbox);
    doctor(&sandbox, &["config/samples"]).expect(
        0,
        &[
            "ok: 3 YAML or JSON files",
            "this folder has no CRD",
            "ok: 1 custom resource is checked",
        ],
    );
    doctor(&sandbox, &["go.mod"]).expect(2, &["`go.mod` is not a folder"]);
}

#[test]
fn crds_that_kustomize_builds_are_named() {
    let sandbox = Sandbox::new(&[
        ("config/crd/bases/widgets.yaml", &widgets()),
        (
            "config/crd/kustomization.yaml",
            "resources: [bases/widgets.yaml]\npatches: [{path: patch.yaml}]\n",
        ),
        (
            "config/crd/patch.yaml",
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec:\n  preserveUnknownFields: false\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object}}\n",
        ),
    ]);
    doctor(&sandbox, &[]).expect(0, &["source of truth (as kustomize builds it in `config/crd`), 1 CRD"]);
}

#[test]
fn crds_in_several_files_are_counted_once() {
    let widgets = widgets();
    let gadgets = widgets.replace("Widget", "Gadget").replace("widgets", "gadgets");
    let sandbox = Sandbox::new(&[
        ("deploy/all.yaml", &*format!("{widgets}---\n{gadgets}")),
        ("manifests/widgets.yaml", &widgets),
        ("go.mod", "module example.com/widgets\n"),
        (
            "api/v1/types.go",
            "// +groupName=example.com\npackage v1\n\ntype Widget struct {\n\tSpec WidgetSpec `json:\"spec\"`\n}\n\ntype WidgetSpec struct {\n\tSize int `json:\"size\"`\n}\n",
        ),
    ]);
    let outcome = doctor(&sandbox, &[]);
    outcome.expect(
        0,
        &[
            "ok: 1 CRD is here as a Go type, 1 is not",
            ", 2 CRDs: deploy/all.yaml, manifests/widgets.yaml\n",
        ],
    );
    assert_eq!(
        facts(&doctor(&sandbox, &["--format", "json"]), "go")
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

#[test]
fn kinds_without_a_crd_are_listed_by_their_number() {
    let object = |kind: &str| format!("apiVersion: other.io/v1\nkind: {kind}\nmetadata: {{name: b}}\n");
    let files: Vec<(String, String)> = ["A", "B", "C", "D", "E", "F", "F"]
        .iter()
        .enumerate()
        .map(|(n, kind)| (format!("{n}.yaml"), object(kind)))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    doctor(&Sandbox::new(&files), &[]).expect(
        0,
        &[
            "7 custom resources are not checked",
            "F of other.io (2)",
            "1 more kind",
            "Nothing is broken, but no custom resource is checked.",
        ],
    );
}

#[test]
fn what_is_broken_has_help_and_an_exit_code() {
    let sandbox = Sandbox::new(&[
        (".crd-analyzer.yaml", "kubernetesVersion: '1.31'\nrequireCrds: true\n"),
        ("widgets.yaml", &widgets()),
    ]);
    let broken = [
        "broken: .crd-analyzer.yaml, line 2: ",
        "requireCrd",
        "1 CRD with a kind is found",
        "1 thing is broken.",
    ];
    doctor(&sandbox, &[]).expect(1, &broken);
    let json = doctor(&sandbox, &["--format", "json"]);
    assert_eq!(facts(&json, "configuration")[0]["mistakes"][0]["line"], 2);
    assert!(json.stdout.contains("\"is_broken\": true"), "{}", json.stdout);
    // Without the configuration, `doctor` reports no problem.
    doctor(&sandbox, &["--no-config"]).expect(0, &["`--no-config`", "Nothing is broken."]);
    sandbox.write(".crd-analyzer.yaml", "kubernetesVersion: '1.31'\n");
    doctor(&sandbox, &[]).expect(0, &["ok: .crd-analyzer.yaml is valid and checks for Kubernetes 1.31"]);
    // A path in `crds` that does not exist.
    sandbox.write(".crd-analyzer.yaml", "crds: [missing.yaml]\n");
    doctor(&sandbox, &[]).expect(1, &["broken: ", "missing.yaml", "change `crds` in the configuration"]);
    // Configurations in subfolders are also checked.
    sandbox.write(".crd-analyzer.yaml", "");
    sandbox.write("a/.crd-analyzer.yaml", "kubernetesVersion: x\n");
    sandbox.write("a/b.yaml", RESOURCE);
    doctor(&sandbox, &[]).expect(
        1,
        &[
            "ok: .crd-analyzer.yaml is valid",
            "broken: a/.crd-analyzer.yaml, line 1",
        ],
    );
}

#[cfg(unix)]
#[test]
fn programs_are_looked_for_and_not_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new(&[("a.yaml", RESOURCE), ("home/.kube/config", "kind: Config\n")]);
    let place = |name: &str| {
        sandbox.write(&format!("bin/{name}"), "#!/bin/sh\ntouch ran\n");
        let path = sandbox.path().join("bin").join(name);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    };
    ["crd-analyzer", "nvim", "hx", "kubectl", "code"]
        .into_iter()
        .for_each(place);
    doctor(&sandbox, &[]).expect(
        0,
        &[
            "`crd-analyzer` in PATH is another program, and editors start that one",
            "VS Code: ",
            "Neovim: ",
            "Helix: ",
            "bin/kubectl is there, with ",
            "`doctor` does not contact a cluster",
        ],
    );
    assert!(!sandbox.path().join("ran").exists());
    let link = sandbox.path().join("bin/crd-analyzer");
    std::fs::remove_file(&link).expect("it is there");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_crd-analyzer"), link).expect("a link");
    let outcome = doctor(&sandbox, &[]);
    outcome.expect(0, &["ok: `crd-analyzer` in PATH is this program"]);
    assert_eq!(outcome.stderr.matches("leads out of").count(), 1, "{}", outcome.stderr);
    // Programs inside a repository are not trusted.
    git_init(&sandbox);
    let outcome = command(&sandbox, &[]).env("HOME", "/").output();
    let outcome = Outcome::new(outcome.expect("crd-analyzer runs"));
    outcome.expect(
        0,
        &[
            "which is in the workspace, so crd-analyzer does not run it",
            "none of VS Code",
        ],
    );
}

#[test]
fn a_bundle_has_the_diagnostic_and_no_secrets() {
    let crd = format!("# internal\n{}", widgets())
        .replace("Widget", "Rocket")
        .replace("widgets", "rockets");
    let resource = "apiVersion: example.com/v1\nkind: Rocket\nmetadata: {name: saturn, labels: {team: cape}}\nspec:\n  size: heavy # secret\n";
    let sandbox = Sandbox::new(&[
        ("config/crd/a.yaml", &crd),
        ("samples/a.yaml", resource),
        ("a.go", "package a\n"),
    ]);
    git_init(&sandbox);
    let outcome = doctor(&sandbox, &["--bundle", "samples/a.yaml", "--output", "out.yaml"]);
    outcome.expect(
        0,
        &[
            "reproduces `wrong-type` at spec.size, with ",
            "Comments are removed",
            "Look at out.yaml before you send it. `crd-analyzer check out.yaml --no-config --kubernetes-version 1.37`",
        ],
    );
    let text = std::fs::read_to_string(sandbox.path().join("out.yaml")).expect("it is written");
    for word in [
        "ocket", "saturn", "cape", "team", "heavy", "secret", "internal", "samples",
    ] {
        assert!(!text.contains(word), "{word} in\n{text}");
    }
    assert!(
        text.starts_with("# A reproduction of `wrong-type` at spec.size.\n#\n# crd-analyzer 0."),
        "{text}"
    );
    // The command in the header reproduces the output in the header.
    let command = text
        .lines()
        .find_map(|it| it.strip_prefix("# Command: crd-analyzer "))
        .expect("a command");
    let command: Vec<&str> = command.split(' ').collect();
    let reported = text.lines().find_map(|it| it.strip_prefix("#   ")).expect("its output");
    sandbox.run(&command).expect(1, &[reported, "1 CRD, 1 CR, 1 error"]);
    // Without an output file, the bundle is printed.
    let printed = doctor(&sandbox, &["--bundle", "samples/a.yaml"]);
    printed.expect(0, &["kind: Kind1\n", "Read the output before you send it."]);
    // A CRD in another folder must be given with `--crd`.
    let elsewhere = Sandbox::new(&[("a.yaml", resource)]);
    let crd = sandbox.path().join("config/crd/a.yaml");
    let crd = crd.to_str().expect("UTF-8");
    doctor(&elsewhere, &["--bundle", "a.yaml", "--crd", crd]).expect(0, &["reproduces `wrong-type`"]);
    doctor(&elsewhere, &["--bundle", "a.yaml"]).expect(2, &["`check` reports nothing about the objects of a.yaml"]);
}

#[test]
fn a_bundle_is_of_one_diagnostic() {
    let sandbox = Sandbox::new(&[("a.yaml", include_str!("../../examples/broken.crd.yaml"))]);
    let bundle = |args: &[&str]| doctor(&sandbox, &[&["--bundle", "a.yaml"], args].concat());
    bundle(&[]).expect(2, &["choose one with --code or --line", "`undefined-field` in line 32"]);
    bundle(&["--code", "undefined-field"]).expect(0, &["# A reproduction of `undefined-field` at spec.versions[0]"]);
    bundle(&["--line", "21"]).expect(0, &["# A reproduction of `unknown-column-type` at spec.versions[0]"]);
    let of_crd = bundle(&["--line", "21"]);
    of_crd.expect(
        0,
        &[
            "kind: CustomResourceDefinition\n",
            "  name: kind1s.group1.example.com\n",
        ],
    );
    assert!(!of_crd.stderr.contains("kept, because"), "{}", of_crd.stderr);
    bundle(&["--line", "1"]).expect(2, &["a.yaml does not have this diagnostic, but "]);
    // A duplicate key is an error of the text that is not visible in the object itself.
    let twice = widgets().replace("  scope: Namespaced\n", "  scope: Namespaced\n  scope: Namespaced\n");
    sandbox.write("a.yaml", twice);
    bundle(&[]).expect(
        3,
        &[
            "depends on how the YAML is written",
            "Copy the lines around it into your report",
        ],
    );
}
