//! Tests of `convert`: output, requests to webhooks, and exit codes.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    process::{Command, Stdio},
    sync::Arc,
};

use serde_json::{Value, json};

use crate::Sandbox;

/// A CRD with two versions: v2 renames `replicas` to `size`, and has a `mode` with a default.
fn crd(conversion: &str) -> String {
    let version = |name: &str, storage: bool, properties: &str| {
        format!(
            "    - name: {name}
      served: true
      storage: {storage}
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [image]
              properties: {properties}
"
        )
    };
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: widgets, kind: Widget}}
{conversion}  versions:
{}{}",
        version(
            "v1",
            true,
            "{image: {type: string, minLength: 2}, replicas: {type: integer}}"
        ),
        version(
            "v2",
            false,
            "{image: {type: string, minLength: 2}, size: {type: integer}, mode: {type: string, default: fast}}"
        ),
    )
}

const WEBHOOK: &str = "  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {url: \"https://127.0.0.1:1/convert\"}
";

const OBJECT: &str = "apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {image: nginx, replicas: 3}
";

#[test]
fn without_a_webhook_only_the_version_changes() {
    let sandbox = Sandbox::new(&[("crd.yaml", &crd("")), ("a.yaml", OBJECT)]);
    sandbox
        .run(&["convert", "a.yaml", "--to", "v2", "--crd", "crd.yaml"])
        .expect(
            1,
            &[
                "# Widget a: v1 → v2",
                "# lost: spec.replicas: 3",
                "v2 declares a default for `spec.mode`",
                "apiVersion: example.com/v2",
                "  image: nginx",
                "  # dropped: replicas: 3",
            ],
        );
    let outcome = sandbox.run(&["convert", "a.yaml", "--to", "v2", "--crd", "crd.yaml", "-o", "json"]);
    let document: Value = serde_json::from_str(&outcome.expect(1, &[]).stdout).expect("JSON");
    let converted = &document["converted"][0];
    assert_eq!(converted["lost"], json!([{"path": "spec.replicas", "value": 3}]));
    assert_eq!(
        converted["object"],
        json!({"apiVersion": "example.com/v2", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"image": "nginx"}})
    );
    assert_eq!(converted["not_defaulted"], json!(["spec.mode"]));
    // An object that already has the target version is not converted, but gets the defaults of its stored version.
    sandbox
        .run(&["convert", "a.yaml", "--to", "v1", "--crd", "crd.yaml"])
        .expect(0, &["apiVersion: example.com/v1", "  replicas: 3"]);
    sandbox.write("b.yaml", OBJECT.replace("/v1", "/v2").replace("replicas", "size"));
    sandbox
        .run(&["convert", "b.yaml", "--to", "v2", "--crd", "crd.yaml"])
        .expect(0, &["  mode: fast  # defaulted"]);
}

#[test]
fn folders_have_crds_and_objects() {
    let crd = crd("");
    let other = crd.replace("widgets", "gadgets").replace("Widget", "Gadget");
    let object =
        |kind: &str| format!("apiVersion: example.com/v1\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{image: abc}}\n");
    let sandbox = Sandbox::new(&[
        ("crds/a.yaml", &other),
        ("crds/b.yaml", &crd),
        ("objects/a.yaml", &object("Widget")),
        ("objects/b.yaml", &object("Pod")),
    ]);
    let converted = sandbox.run(&["convert", "objects", "--to", "v2", "--crd", "crds"]);
    converted.expect(0, &["# Widget a: v1 → v2"]);
    assert!(!converted.stdout.contains("Pod"), "{converted:#?}");
    sandbox
        .run(&["convert", "--round-trips", "3", "--crd", "crds"])
        .expect(2, &["crds has 2 CRDs: one is needed"]);
    sandbox
        .run(&["convert", "objects", "--to", "v2", "--crd", "objects"])
        .expect(2, &["objects does not contain the CRD"]);
}

#[test]
fn round_trips_find_what_the_strategy_none_loses() {
    let sandbox = Sandbox::new(&[("crd.yaml", &crd(""))]);
    let args = ["convert", "--crd", "crd.yaml", "--round-trips", "20", "-o", "json"];
    let outcome = sandbox.run(&args);
    let document: Value = serde_json::from_str(&outcome.expect(1, &[]).stdout).expect("JSON");
    let findings = document["round_trips"]["findings"]
        .as_array()
        .expect("findings")
        .clone();
    let lossy = findings
        .iter()
        .find(|it| it["kind"] == "lossy" && it["from"] == "v1")
        .expect("a loss");
    assert_eq!(lossy["fields"], json!(["spec.replicas"]));
    let spec = lossy["objects"][0]["spec"].as_object().expect("a spec");
    assert_eq!(
        spec.keys().collect::<Vec<_>>(),
        ["image", "replicas"],
        "the smallest object"
    );
    assert!(
        findings
            .iter()
            .any(|it| it["kind"] == "not-defaulted" && it["to"] == "v2")
    );
    assert_eq!(
        sandbox.run(&args).stdout,
        outcome.stdout,
        "the same seed gives the same objects"
    );
}

/// A conversion without loss. Fields that do not exist in v1 are stored in an annotation.
fn good(object: &Value, desired: &str) -> Value {
    let mut object = object.clone();
    object["apiVersion"] = json!(desired);
    if desired.ends_with("/v2") {
        let mode = object["metadata"]["annotations"]["mode"].clone();
        object["metadata"]["annotations"]
            .as_object_mut()
            .map(|it| it.remove("mode"));
        if object["metadata"]["annotations"]
            .as_object()
            .is_none_or(serde_json::Map::is_empty)
        {
            object["metadata"].as_object_mut().map(|it| it.remove("annotations"));
        }
        if object["spec"].is_object() {
            object["spec"]["mode"] = if mode.is_null() { json!("fast") } else { mode };
            rename(&mut object["spec"], "replicas", "size");
        }
    } else if object["spec"].is_object() {
        let mode = object["spec"].as_object_mut().and_then(|it| it.remove("mode"));
        if let Some(mode) = mode {
            object["metadata"]["annotations"]["mode"] = mode;
        }
        rename(&mut object["spec"], "size", "replicas");
    }
    object
}

fn rename(object: &mut Value, from: &str, to: &str) {
    let fields = object.as_object_mut().expect("an object");
    if let Some(value) = fields.remove(from) {
        fields.insert(to.to_owned(), value);
    }
}

/// The response to a conversion review, with every object converted.
fn answered(review: &Value) -> Value {
    let request = &review["request"];
    let desired = request["desiredAPIVersion"].as_str().expect("a version");
    let objects = request["objects"].as_array().expect("objects");
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "response": {
            "uid": request["uid"], "result": {"status": "Success"},
            "convertedObjects": objects.iter().map(|it| good(it, desired)).collect::<Vec<_>>(),
        },
    })
}

/// The URL of a webhook. `fault` changes the responses of the webhook, and also gets the number of the request.
fn webhook(fault: impl Fn(&mut Value, usize) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let fault = Arc::new(fault);
    std::thread::spawn(move || {
        for (n, stream) in listener.incoming().enumerate() {
            let mut stream = stream.expect("a connection");
            let mut got = Vec::new();
            let body = loop {
                let mut buffer = [0; 4096];
                let count = stream.read(&mut buffer).expect("a request");
                got.extend_from_slice(&buffer[..count]);
                let text = String::from_utf8_lossy(&got);
                let Some((head, body)) = text.split_once("\r\n\r\n") else {
                    continue;
                };
                let length = head.lines().find_map(|it| it.strip_prefix("Content-Length: "));
                let length: usize = length.expect("a length").parse().expect("a number");
                if body.len() >= length {
                    break body.to_owned();
                }
            };
            let mut answer = answered(&serde_json::from_str(&body).expect("JSON"));
            fault(&mut answer, n);
            let answer = answer.to_string();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", answer.len());
            stream.write_all(head.as_bytes()).expect("somebody reads");
            stream.write_all(answer.as_bytes()).expect("somebody reads");
        }
    });
    format!("http://127.0.0.1:{port}/convert")
}

#[test]
fn a_webhook_converts() {
    let sandbox = Sandbox::new(&[("crd.yaml", &crd(WEBHOOK)), ("a.yaml", OBJECT)]);
    let url = webhook(|_, _| {});
    sandbox
        .run(&[
            "convert",
            "a.yaml",
            "--to",
            "v2",
            "--crd",
            "crd.yaml",
            "--webhook",
            &url,
        ])
        .expect(0, &["apiVersion: example.com/v2", "  mode: fast", "  size: 3"]);
    sandbox
        .run(&["convert", "--round-trips", "20", "--crd", "crd.yaml", "--webhook", &url])
        .expect(0, &["objects there and back: nothing is lost"]);
}

fn remove(object: &mut Value, name: &str) {
    object["spec"].as_object_mut().expect("a spec").remove(name);
}

/// Changes each converted object of a response.
fn each(answer: &mut Value, change: impl Fn(&mut Value)) {
    let objects = answer["response"]["convertedObjects"].as_array_mut().expect("objects");
    objects.iter_mut().filter(|it| it["spec"].is_object()).for_each(change);
}

#[test]
fn each_fault_of_a_webhook_is_found_with_an_object() {
    type Fault = fn(&mut Value, usize);
    let faults: [(&str, Fault, &str); 8] = [
        (
            "lossy",
            |it, _| {
                each(it, |it| remove(it, "replicas"));
            },
            "spec.size",
        ),
        (
            "failed",
            |it, _| it["response"]["uid"] = json!("1"),
            "expected response.uid=",
        ),
        (
            "failed",
            |it, _| each(it, |it| it["metadata"]["name"] = json!("other")),
            "must have the same name: example != other",
        ),
        (
            "list-failed",
            |it, _| {
                it["response"]["convertedObjects"]
                    .as_array_mut()
                    .expect("objects")
                    .reverse();
            },
            "invalid converted object at index 0: must have the same name: example-0 != example-1",
        ),
        (
            "unstable",
            |it, n| each(it, |it| it["metadata"]["annotations"]["n"] = json!(n.to_string())),
            "metadata.annotations",
        ),
        (
            "pruned",
            |it, _| each(it, |it| it["spec"]["typo"] = json!(1)),
            "spec.typo",
        ),
        (
            "refused",
            |it, _| each(it, |it| it["spec"]["image"] = json!("x")),
            "spec.image",
        ),
        ("not-defaulted", |it, _| each(it, |it| remove(it, "mode")), "spec.mode"),
    ];
    let sandbox = Sandbox::new(&[("crd.yaml", &crd(WEBHOOK))]);
    for (kind, fault, words) in faults {
        let url = webhook(fault);
        let args = [
            "convert",
            "--round-trips",
            "10",
            "--crd",
            "crd.yaml",
            "--webhook",
            &url,
            "-o",
            "json",
        ];
        let outcome = sandbox.run(&args);
        let document: Value = serde_json::from_str(&outcome.expect(1, &[]).stdout).expect("JSON");
        let findings = document["round_trips"]["findings"].as_array().expect("findings");
        let found = findings.iter().find(|it| {
            it["kind"] == kind
                && (it["words"].to_string() + &it["fields"].to_string())
                    .replace('\\', "")
                    .contains(words)
        });
        let found = found.unwrap_or_else(|| panic!("{kind} {words}: {document:#}"));
        let objects = found["objects"].as_array().expect("objects");
        assert_eq!(objects.len(), if kind == "list-failed" { 2 } else { 1 });
        assert_eq!(objects[0]["kind"], "Widget");
    }
}

#[test]
fn nothing_is_contacted_that_the_user_does_not_name() {
    let sandbox = Sandbox::new(&[("crd.yaml", &crd(WEBHOOK)), ("a.yaml", OBJECT)]);
    let to_v2 = ["convert", "a.yaml", "--to", "v2", "--crd", "crd.yaml"];
    sandbox
        .run(&to_v2)
        .expect(2, &["name it with `--webhook` or `--webhook-command`"]);
    for (url, words) in [
        ("http://example.com/convert", "is not this machine"),
        ("https://127.0.0.1/convert", "does not begin with `http://`"),
    ] {
        let args = [&to_v2[..], &["--webhook", url]].concat();
        sandbox.run(&args).expect(2, &[words]);
    }
    sandbox
        .run(&["convert", "a.yaml", "--to", "v3", "--crd", "crd.yaml"])
        .expect(2, &["does not have the version `v3`"]);
    sandbox
        .run(&["convert", "crd.yaml", "--to", "v1", "--crd", "a.yaml"])
        .expect(2, &["does not contain the CRD"]);
    sandbox.run(&["convert", "--crd", "crd.yaml"]).expect(2, &["<OBJECT>"]);
}

#[cfg(unix)]
#[test]
fn a_command_gets_the_review_and_prints_the_answer() {
    let sandbox = Sandbox::new(&[("crd.yaml", &crd(WEBHOOK)), ("a.yaml", OBJECT)]);
    let converted = good(
        &json!({"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"image": "nginx", "replicas": 3},
            "metadata": {"name": "a", "uid": "00000000-0000-0000-0000-000000000001"}}),
        "example.com/v2",
    );
    let answer = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "response": {
        "uid": "00000000-0000-4000-8000-000000000001", "result": {"status": "Success"}, "convertedObjects": [converted]}});
    sandbox.write("answer.json", answer.to_string());
    sandbox.write("hook.sh", "cat > review.json\ncat \"$1\"\n");
    let args = [
        "convert",
        "a.yaml",
        "--to",
        "v2",
        "--crd",
        "crd.yaml",
        "--webhook-command",
    ];
    sandbox
        .run(&[&args[..], &["/bin/sh hook.sh answer.json"]].concat())
        .expect(0, &["  size: 3", "  mode: fast"]);
    let review = std::fs::read(sandbox.path().join("review.json")).expect("the review");
    let review: Value = serde_json::from_slice(&review).expect("JSON");
    assert_eq!(review["request"]["desiredAPIVersion"], "example.com/v2");
    assert_eq!(review["request"]["objects"][0]["spec"]["replicas"], 3);
    for (command, words) in [
        ("/bin/sh hook.sh nothing.json", "fails: cat: nothing.json"),
        ("/bin/sh hook.sh a.yaml", "the answer of the webhook is not JSON"),
        ("/nowhere/hook", "/nowhere/hook: No such file"),
    ] {
        sandbox.run(&[&args[..], &[command]].concat()).expect(1, &[words]);
    }
}

/// Tests a webhook that uses controller-runtime's conversion package.
#[test]
#[ignore = "needs Go"]
fn each_fault_of_a_controller_runtime_webhook_is_found() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/webhook/build.sh");
    let built = Command::new(script).output().expect("the script runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let program = String::from_utf8(built.stdout).expect("a path");
    let sandbox = Sandbox::new(&[("crd.yaml", &crd(WEBHOOK)), ("a.yaml", OBJECT)]);
    for (fault, kind, from, words) in [
        ("", "", "", ""),
        ("loses-field", "lossy", "v1", "spec.replicas"),
        ("no-default", "not-defaulted", "v1", "spec.mode"),
        (
            "forgets-metadata",
            "failed",
            "v1",
            "must have the same name: example != ",
        ),
        ("unstable", "unstable", "v1", "example.com/n"),
        ("refuses-value", "failed", "v1", "is negative"),
        ("invalid-value", "refused", "v2", "spec.image"),
    ] {
        let mut hook = Command::new(program.trim())
            .arg(fault)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the webhook starts");
        let mut url = String::new();
        let stdout = hook.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut url).expect("the address");
        let url = url.trim();
        let args = [
            "convert",
            "--round-trips",
            "40",
            "--crd",
            "crd.yaml",
            "--webhook",
            url,
            "-o",
            "json",
        ];
        let outcome = sandbox.run(&args);
        drop(hook.kill());
        drop(hook.wait());
        let outcome = outcome.expect(i32::from(!fault.is_empty()), &[]);
        let document: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
        let findings = document["round_trips"]["findings"].as_array().expect("findings");
        if fault.is_empty() {
            assert!(findings.is_empty(), "{findings:#?}");
            continue;
        }
        let found = findings.iter().find(|it| {
            let said = it["words"].to_string() + &it["fields"].to_string();
            it["kind"] == kind && it["from"] == from && said.contains(words)
        });
        let object = &found.unwrap_or_else(|| panic!("{fault}: {findings:#?}"))["objects"][0];
        assert_eq!(object["kind"], "Widget", "{object}");
    }
}
