//! Definitions of a cluster.

use crd_analyzer_fixtures::cluster::{Answer, Cluster, kubeconfig};
use serde_json::json;

use super::{Outcome, Sandbox, definition};

const SCHEMA: &str = "              type: object
              properties:
                size: {type: integer, maximum: 9}
";

const RESOURCE: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 7}\n";

/// A definition as a server has it: `size` may be up to `most`.
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

fn run(sandbox: &Sandbox, kubeconfig: &str, args: &[&str]) -> Outcome {
    let mut command = sandbox.command(args);
    command.env("KUBECONFIG", sandbox.path().join(kubeconfig));
    for name in ["HTTPS_PROXY", "https_proxy"] {
        command.env_remove(name);
    }
    Outcome::new(command.output().expect("crd-analyzer runs"))
}

#[test]
fn definitions_come_from_a_cluster_when_asked() {
    let sandbox = Sandbox::new(&[("one.yaml", RESOURCE)]);
    let cluster = Cluster::start(Answer::Definitions(vec![
        stored("other.com", 1),
        stored("example.com", 5),
    ]));
    cluster.kubeconfig(sandbox.path(), "kind-prod");
    run(&sandbox, "kubeconfig", &["check", "."]).expect(0, &["1 object of a kind that nothing here defines"]);
    assert_eq!(cluster.asked(), 0, "nobody asked for a cluster");
    run(&sandbox, "kubeconfig", &["check", ".", "--from-cluster"]).expect(
        1,
        &[
            "should be less than or equal to 5",
            "`maximum` decides, from the cluster kind-prod",
            " cluster/kind-prod/widgets.example.com.json:",
        ],
    );
    let more = RESOURCE.replace("size: 7", "sice: 5");
    sandbox.write("two.yaml", more);
    run(&sandbox, "kubeconfig", &["check", "two.yaml", "--from-cluster"])
        .expect(1, &["this schema does not have it, from the cluster kind-prod"]);
    std::fs::remove_file(sandbox.path().join("two.yaml")).expect("it is there");
    // A page a definition.
    assert_eq!(cluster.asked(), 4);
    run(&sandbox, "kubeconfig", &["check", ".", "--from-cluster=kind-prod"]).expect(1, &["less than or equal to 5"]);
}

#[test]
fn nearer_definitions_count_for_more() {
    let sandbox = Sandbox::new(&[("one.yaml", RESOURCE), ("crds/widgets.yaml", &definition(SCHEMA))]);
    let cluster = Cluster::start(Answer::Definitions(vec![stored("example.com", 5)]));
    cluster.kubeconfig(sandbox.path(), "c");
    for args in [
        &["check", ".", "--from-cluster"][..],
        &["check", "one.yaml", "--crd", "crds", "--from-cluster"],
    ] {
        let outcome = run(&sandbox, "kubeconfig", args);
        outcome.expect(0, &["0 errors"]);
        assert!(!outcome.stdout.contains("several-definitions"), "{outcome:#?}");
    }
}

#[test]
fn what_is_wrong_with_a_cluster_is_said() {
    let sandbox = Sandbox::new(&[
        ("one.yaml", RESOURCE),
        ("empty", ""),
        ("broken", "contexts: 3\n"),
        ("closed", &kubeconfig("http://127.0.0.1:1", "c")),
        (
            "no-cluster",
            r#"{"current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "x", "user": "u"}}]}"#,
        ),
    ]);
    let check = |kubeconfig: &str, flag: &str, texts: &[&str]| {
        run(&sandbox, kubeconfig, &["check", ".", flag]).expect(3, texts);
    };
    check(
        "none",
        "--from-cluster",
        &["there is no kubeconfig: ", "none is not there"],
    );
    check("broken", "--from-cluster", &["the kubeconfig cannot be used"]);
    check("empty", "--from-cluster", &["no current context"]);
    check(
        "closed",
        "--from-cluster=d",
        &["the kubeconfig has no context \"d\": it has c"],
    );
    check(
        "closed",
        "--from-cluster",
        &["the cluster c cannot be reached at http://127.0.0.1:1/"],
    );
    check("no-cluster", "--from-cluster", &["the context c cannot be used", "x"]);
    for (code, words) in [
        (
            401,
            "the cluster c does not accept the credentials of the kubeconfig: no",
        ),
        (403, "the cluster c does not let you list definitions: no"),
        (500, "the cluster c does not list its definitions: no"),
    ] {
        let cluster = Cluster::start(Answer::Refusal(code, "no".to_owned()));
        cluster.kubeconfig(sandbox.path(), "c");
        check("kubeconfig", "--from-cluster", &[words]);
    }
}

#[test]
fn a_cluster_that_does_not_answer_is_not_waited_for() {
    let sandbox = Sandbox::new(&[("one.yaml", RESOURCE)]);
    let cluster = Cluster::start(Answer::Silence);
    cluster.kubeconfig(sandbox.path(), "c");
    run(&sandbox, "kubeconfig", &["check", ".", "--from-cluster"]).expect(
        3,
        &["the cluster c does not answer at http://127.0.0.1:", " within 10 s"],
    );
}
