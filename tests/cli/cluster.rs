//! Tests of CRDs from a cluster.

use crd_analyzer_fixtures::cluster::{Answer, Cluster, Kubectl, kubeconfig};
use serde_json::json;

use super::{Outcome, Sandbox, definition};

const SCHEMA: &str = "              type: object
              properties:
                size: {type: integer, maximum: 9}
";

const RESOURCE: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 7}\n";

/// A CRD as stored in a cluster, with `most` as the maximum of `size`.
fn stored(group: &str, most: u32) -> String {
    json!({
        "metadata": {"name": format!("widgets.{group}"), "uid": "u", "managedFields": [{"manager": "m"}]},
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "conversion": {"strategy": "None"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object",
                "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer", "maximum": most}}}},
            }}}],
        },
        "status": {"conditions": [], "storedVersions": ["v1"]},
    })
    .to_string()
}

fn run(sandbox: &Sandbox, kubectl: &Kubectl, kubeconfig: &str, args: &[&str]) -> Outcome {
    let mut command = sandbox.command(args);
    command
        .env("PATH", kubectl.path())
        .env("KUBECONFIG", sandbox.path().join(kubeconfig));
    Outcome::new(command.output().expect("crd-analyzer runs"))
}

#[test]
fn definitions_come_from_a_cluster_when_asked() {
    let sandbox = Sandbox::new(&[("one.yaml", RESOURCE)]);
    let answer = Answer::Definitions(vec![stored("other.com", 1), stored("example.com", 5)]);
    let kubectl = Kubectl::new(sandbox.path(), &answer);
    kubectl.kubeconfig(sandbox.path(), "kind-prod");
    let run = |args: &[&str]| run(&sandbox, &kubectl, "kubeconfig", args);
    run(&["check", "."]).expect(
        0,
        &["1 object is not checked, because no CRD here defines its kind: Widget (example.com)"],
    );
    assert_eq!(kubectl.asked(), 0, "the command did not ask for a cluster");
    run(&["check", ".", "--from-cluster"]).expect(
        1,
        &[
            "must be at most 5",
            "`maximum` is set here, from the cluster kind-prod",
            " cluster/kind-prod/widgets.example.com.json:",
        ],
    );
    let more = RESOURCE.replace("size: 7", "sice: 5");
    sandbox.write("two.yaml", more);
    run(&["check", "two.yaml", "--from-cluster"])
        .expect(1, &["the schema has no such property, from the cluster kind-prod"]);
    std::fs::remove_file(sandbox.path().join("two.yaml")).expect("it is there");
    // Each page contains one CRD.
    assert_eq!(kubectl.asked(), 4);
    run(&["check", ".", "--from-cluster=kind-prod"]).expect(1, &["must be at most 5"]);
}

#[test]
fn nearer_definitions_count_for_more() {
    let sandbox = Sandbox::new(&[("one.yaml", RESOURCE), ("crds/widgets.yaml", &definition(SCHEMA))]);
    let kubectl = Kubectl::new(sandbox.path(), &Answer::Definitions(vec![stored("example.com", 5)]));
    kubectl.kubeconfig(sandbox.path(), "c");
    for args in [
        &["check", ".", "--from-cluster"][..],
        &["check", "one.yaml", "--crd", "crds", "--from-cluster"],
    ] {
        let outcome = run(&sandbox, &kubectl, "kubeconfig", args);
        outcome.expect(0, &["0 errors"]);
        assert!(!outcome.stdout.contains("several-crds"), "{outcome:#?}");
    }
}

#[test]
fn what_is_wrong_with_a_cluster_is_said() {
    let sandbox = Sandbox::new(&[
        ("one.yaml", RESOURCE),
        ("broken", "contexts: 3\n"),
        ("good", &kubeconfig("http://127.0.0.1:1", "c")),
        ("no-context", r#"{"contexts": [{"name": "c"}]}"#),
    ]);
    let refusal = |said: &str| Answer::Refusal(0, said.to_owned());
    let refused = refusal("error: You must be logged in to the server (Unauthorized)");
    let check = |answer: &Answer, kubeconfig: &str, flag: &str, texts: &[&str]| {
        let kubectl = Kubectl::new(sandbox.path(), answer);
        run(&sandbox, &kubectl, kubeconfig, &["check", ".", flag]).expect(3, texts);
    };
    for kubeconfig in ["none", "no-context"] {
        check(&refused, kubeconfig, "--from-cluster", &["has no current context"]);
    }
    check(
        &refused,
        "none",
        "--from-cluster=c",
        &["no context \"c\", and no other"],
    );
    let broken = "kubectl cannot read the kubeconfig: kubectl reports: error loading config file";
    check(&refused, "broken", "--from-cluster", &[broken]);
    check(
        &refused,
        "good",
        "--from-cluster=d",
        &["the kubeconfig has no context \"d\": it has c"],
    );
    let said = "the cluster c does not list its CRDs: kubectl reports: You must be logged in to the server";
    check(&refused, "good", "--from-cluster", &[said]);
    check(
        &refusal("a\u{1b}[31mb"),
        "good",
        "--from-cluster",
        &["kubectl reports: a\\u{1b}[31mb"],
    );
    check(
        &refusal(""),
        "good",
        "--from-cluster",
        &["kubectl failed (exit status: 1)"],
    );
    let no_list = Answer::Definitions(vec!["]".to_owned()]);
    check(&no_list, "good", "--from-cluster", &["is not a list of CRDs"]);
}

#[test]
fn kubectl_is_needed_and_not_taken_from_the_repository() {
    let sandbox = Sandbox::new(&[("one.yaml", RESOURCE)]);
    let kubectl = Kubectl::new(sandbox.path(), &Answer::Definitions(Vec::new()));
    kubectl.kubeconfig(sandbox.path(), "c");
    let check = |path: &std::ffi::OsStr| {
        let mut command = sandbox.command(&["check", ".", "--from-cluster"]);
        command
            .env("PATH", path)
            .env("KUBECONFIG", sandbox.path().join("kubeconfig"));
        Outcome::new(command.output().expect("crd-analyzer runs"))
    };
    for relative in ["", "bin", "./bin", "."] {
        check(relative.as_ref()).expect(3, &["asked with kubectl: the program `kubectl` is not in PATH"]);
    }
    check(&kubectl.path()).expect(0, &[]);
    // git does not accept this folder as a repository, so the folder counts as a folder of the user.
    for folder in ["refs", "objects"] {
        std::fs::create_dir_all(sandbox.path().join(".git").join(folder)).expect("a folder");
    }
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    check(sandbox.path().join("bin").as_os_str()).expect(3, &["is in the workspace, so crd-analyzer does not run it"]);
    assert_eq!(kubectl.asked(), 1);
}

/// Tests a real kubectl with a server on loopback.
#[test]
#[ignore = "needs kubectl"]
fn a_real_kubectl_lists_definitions() {
    let sandbox = Sandbox::new(&[("one.yaml", RESOURCE)]);
    let check = |answer: Answer, code: i32, asked: usize, texts: &[&str]| {
        let cluster = Cluster::start(answer);
        cluster.kubeconfig(sandbox.path(), "c");
        let mut command = sandbox.command(&["check", ".", "--from-cluster"]);
        command
            .env("KUBECONFIG", sandbox.path().join("kubeconfig"))
            .env("HOME", sandbox.path());
        Outcome::new(command.output().expect("crd-analyzer runs")).expect(code, texts);
        assert!(asked <= cluster.asked(), "{} requests", cluster.asked());
    };
    let pages = vec![stored("other.com", 1), stored("example.com", 5)];
    check(Answer::Definitions(pages), 1, 2, &["must be at most 5"]);
    let said = "the cluster c does not list its CRDs: kubectl reports: ";
    for code in [401, 403, 500] {
        let refusal = Answer::Refusal(code, "not you".to_owned());
        check(refusal, 3, 1, &[said, "not you"]);
    }
    check(Answer::Silence, 3, 1, &[said]);
}

#[test]
fn objects_of_a_cluster_are_tried() {
    let schema = |most: u32| definition(&SCHEMA.replace("maximum: 9", &format!("maximum: {most}")));
    let sandbox = Sandbox::new(&[("old.yaml", &schema(9)), ("new.yaml", &schema(5))]);
    let object = |name: &str, size: u32| {
        json!({
            "apiVersion": "example.com/v1", "kind": "Widget",
            "metadata": {"name": name, "namespace": "prod", "uid": "u", "resourceVersion": "7", "generation": 2},
            "spec": {"size": size},
        })
        .to_string()
    };
    let kubectl = Kubectl::new(
        sandbox.path(),
        &Answer::Definitions(vec![object("one", 8), object("two", 2)]),
    );
    kubectl.kubeconfig(sandbox.path(), "kind-prod");
    let run = |args: &[&str]| run(&sandbox, &kubectl, "kubeconfig", args);
    run(&["compat", "old.yaml", "new.yaml"]).expect(1, &["1 change\n"]);
    assert_eq!(kubectl.asked(), 0, "the command did not ask for a cluster");
    run(&["compat", "old.yaml", "new.yaml", "--from-cluster"]).expect(
        1,
        &[
            "2 objects: 1 tolerated, 1 kept",
            "Widget prod/one [tolerated]",
            "cluster/kind-prod: tolerated until the value changes: spec.size: Invalid value: 8",
        ],
    );
    run(&["compat", "old.yaml", "new.yaml", "--from-cluster=elsewhere"]).expect(3, &["no context \"elsewhere\""]);
}
