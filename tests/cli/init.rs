//! Tests of `init`, which sets up a repository for checks.

use crate::Sandbox;

const WORKFLOW: &str = ".github/workflows/crd-analyzer.yaml";

fn repository() -> Sandbox {
    Sandbox::new(&[
        ("config/crd/a.yaml", include_str!("../../examples/crontab.crd.yaml")),
        (".github/workflows/test.yaml", "name: test\n"),
        (".gitlab-ci.yml", "stages: [test]\n"),
        (
            ".pre-commit-config.yaml",
            "repos:\n  - repo: https://example.com/a\n    rev: v1\n    hooks: [{id: a}]\n",
        ),
    ])
}

fn read(sandbox: &Sandbox, name: &str) -> Option<String> {
    std::fs::read_to_string(sandbox.path().join(name)).ok()
}

#[test]
fn files_are_shown_and_written_on_request_only() {
    let sandbox = repository();
    let shown = [
        "This folder has",
        "+kubernetesVersion: 1.35..1.37",
        "+      - uses: crd-analyzer/crd-analyzer/integrations/github-action@v",
        "+    hooks:\n+      - id: crd-analyzer",
        "add this to `include` yourself",
        "is not released yet: until then, .pre-commit-config.yaml and .github/workflows/crd-analyzer.yaml cannot fetch it",
        "Nothing has been written yet.",
    ];
    sandbox.run(&["init"]).expect(0, &shown);
    assert_eq!(read(&sandbox, ".crd-analyzer.yaml"), None);
    assert_eq!(read(&sandbox, WORKFLOW), None);
    let written = ["written: .crd-analyzer.yaml", "written: .pre-commit-config.yaml"];
    sandbox.run(&["init", "--write"]).expect(0, &written);
    let hooks = read(&sandbox, ".pre-commit-config.yaml").expect("it is there");
    assert!(
        hooks.starts_with("repos:\n  - repo: https://example.com/a\n"),
        "{hooks}"
    );
    assert!(hooks.ends_with("    hooks:\n      - id: crd-analyzer\n"), "{hooks}");
    let workflow = read(&sandbox, WORKFLOW).expect("it is there");
    assert!(
        workflow.contains("\n    steps:\n      - uses: actions/checkout@"),
        "{workflow}"
    );
    sandbox.run(&["check"]).expect(0, &["1 CRD"]);
    // A second run reports that everything exists.
    let there = [
        "exists, and is not changed",
        "runs crd-analyzer",
        "There is nothing to write.",
    ];
    sandbox.run(&["init", "--write"]).expect(0, &there);
}

#[test]
fn what_another_program_may_run_is_not_written_through_links() {
    let sandbox = repository();
    let outside = Sandbox::new(&[("target", "")]);
    std::fs::remove_dir_all(sandbox.path().join(".github/workflows")).expect("it is there");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outside.path(), sandbox.path().join(".github/workflows")).expect("a link");
        sandbox.run(&["init", "--write"]).expect(
            3,
            &["error: cannot write .github/workflows/crd-analyzer.yaml", "is a link"],
        );
    }
    assert_eq!(read(&outside, "crd-analyzer.yaml"), None);
}

#[test]
fn a_folder_is_needed() {
    repository()
        .run(&["init", "config/crd/a.yaml"])
        .expect(2, &["`config/crd/a.yaml` is not a folder"]);
}

#[test]
fn go_types_are_checked_where_there_are_some() {
    let sandbox = repository();
    let types = "// +kubebuilder:object:generate=true\n// +groupName=example.com\npackage v1\n";
    sandbox.write("api/v1/groupversion_info.go", types);
    sandbox.write("pkg/apis/v1/doc.go", "package v1\n");
    sandbox.run(&["init", "--write"]).expect(0, &["written: "]);
    let workflow = read(&sandbox, WORKFLOW).expect("it is there");
    let paths = "        with:\n          paths: |\n            .\n            ./api/...\n";
    assert!(workflow.ends_with(paths), "{workflow}");
    assert!(!workflow.contains("setup-go"), "{workflow}");
    let hooks = read(&sandbox, ".pre-commit-config.yaml").expect("it is there");
    let arguments = "      - id: crd-analyzer\n        args: [., ./api/...]\n        files: \\.(ya?ml|json|go)$|(^|/)kustomization$\n";
    assert!(hooks.ends_with(arguments), "{hooks}");
    sandbox.run(&["check", ".", "./api/..."]).expect(0, &["2 files, 1 CRD"]);
}

#[test]
fn the_workflow_fetches_the_modules_of_go_types() {
    let root = "      - run: go mod download\n";
    let nested = "      - run: go mod download\n        working-directory: api\n";
    for (module, expected) in [
        (
            "go.mod",
            format!("{{go-version-file: go.mod}}\n{root}      - uses: crd-analyzer"),
        ),
        (
            "api/go.mod",
            format!("{{go-version-file: api/go.mod}}\n{nested}      - uses: crd-analyzer"),
        ),
    ] {
        let sandbox = repository();
        sandbox.write("api/v1/groupversion_info.go", "// +groupName=example.com\npackage v1\n");
        sandbox.write(module, "module example.com/widgets\n");
        sandbox.run(&["init", "--write"]).expect(0, &["written: "]);
        let workflow = read(&sandbox, WORKFLOW).expect("it is there");
        assert!(workflow.contains(&expected), "{workflow}");
    }
    // Vendored packages are there already.
    let sandbox = repository();
    sandbox.write("api/v1/groupversion_info.go", "// +groupName=example.com\npackage v1\n");
    sandbox.write("go.mod", "module example.com/widgets\n");
    sandbox.write("vendor/modules.txt", "");
    sandbox.run(&["init", "--write"]).expect(0, &["written: "]);
    let workflow = read(&sandbox, WORKFLOW).expect("it is there");
    assert!(!workflow.contains("go mod download"), "{workflow}");
}
