//! Errors that need no fix: those in test data that is invalid on purpose, and those in copies of old releases.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, list, pushed};

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, properties: {size: {type: integer}}}
";

const WRONG: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nsize: '3'\n";

const TEST: &str = "\
apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata: {name: sizes}
spec:
  steps:
  - try:
    - apply:
        file: widget.yaml
        expect:
        - check: {($error != null): true}
";

fn uri(folder: &Path, path: &str) -> String {
    format!("file://{}", folder.join(path).display())
}

/// Starts a session in a folder with these files, and opens all of them.
async fn open(files: &[(&str, &str)]) -> (Client, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join(".git")).expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }
    let mut capabilities = pushed();
    capabilities["textDocument"]["codeAction"] =
        json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix", "source.fixAll"] } } });
    let folders = json!([{ "uri": uri(folder.path(), ""), "name": "it" }]);
    let params = json!({ "capabilities": capabilities, "workspaceFolders": folders });
    let mut client = Client::start_with(params).await;
    for (path, text) in files {
        client.open(&uri(folder.path(), path), 1, text).await;
    }
    (client, folder)
}

/// Waits until a file has exactly one diagnostic with this severity.
async fn until(client: &mut Client, uri: &str, severity: u64) -> Value {
    loop {
        let list = client.published(uri, 1).await;
        if let [only] = list.as_slice()
            && only["severity"] == severity
        {
            return only.clone();
        }
    }
}

/// The number of code actions that fix the whole file.
async fn repairs(client: &mut Client, uri: &str) -> usize {
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let context = json!({ "diagnostics": [], "only": ["source.fixAll"] });
    let params = json!({ "textDocument": { "uri": uri }, "range": whole, "context": context });
    list(client.request("textDocument/codeAction", params).await).len()
}

#[tokio::test]
async fn expected_errors_are_not_red_and_say_why() {
    for (path, more, why) in [
        (
            "testdata/invalid-widget.yaml",
            ("", ""),
            "the name of this test's file contains `invalid`",
        ),
        (
            "e/widget.yaml",
            ("e/chainsaw-test.yaml", TEST),
            "a test of chainsaw expects an error",
        ),
        (
            "pkg/testdata/widget.yaml",
            (
                "pkg/load_test.go",
                "var tests = []T{{file: \"widget.yaml\", wantErr: true}}\n",
            ),
            "a Go test expects an error",
        ),
    ] {
        let mut files = vec![("crd.yaml", CRD), (path, WRONG), ("widget.yaml", WRONG)];
        files.extend(Some(more).filter(|it| !it.0.is_empty()));
        let (mut client, folder) = open(&files).await;
        let file = uri(folder.path(), path);
        let found = until(&mut client, &file, 3).await;
        assert_eq!(found["code"], "wrong-type");
        let message = found["message"].as_str().expect("words");
        assert!(message.starts_with("expected: `size` must be an integer"), "{message}");
        assert!(found.to_string().contains(why), "{found}");
        assert_eq!(
            repairs(&mut client, &file).await,
            0,
            "what is wrong on purpose stays so"
        );
        let other = uri(folder.path(), "widget.yaml");
        until(&mut client, &other, 1).await;
        assert_eq!(repairs(&mut client, &other).await, 1);
        client.finish_with_lists().await;
    }
}

#[tokio::test]
async fn errors_of_old_copies_are_hints_while_there_is_a_better_crd() {
    let broken = CRD.replace("type: integer", "type: int");
    let (mut client, folder) = open(&[("releases/v1.2.0/crd.yaml", &broken)]).await;
    let old = uri(folder.path(), "releases/v1.2.0/crd.yaml");
    until(&mut client, &old, 1).await;
    // Open the original CRD, which people edit.
    client.open(&uri(folder.path(), "crd.yaml"), 1, CRD).await;
    let found = until(&mut client, &old, 4).await;
    assert!(found.to_string().contains("the path names release 1.2.0"), "{found}");
    client.finish_with_lists().await;
}

#[tokio::test]
async fn the_status_says_roles_and_which_crd_checks() {
    let old = CRD.replace("type: integer", "type: integer, minimum: 0");
    let (mut client, folder) = open(&[
        ("config/crd/bases/crd.yaml", CRD),
        ("releases/v1.2.0/crd.yaml", &old),
        ("testdata/invalid-widget.yaml", WRONG),
        (
            "widget.yaml",
            &format!("{WRONG}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: b}}\n"),
        ),
    ])
    .await;
    until(&mut client, &uri(folder.path(), "testdata/invalid-widget.yaml"), 3).await;
    let checked = json!({
        "file": "config/crd/bases/crd.yaml",
        "reason": "source of truth: controller-gen writes to `config/crd/bases`",
    });
    for (file, expected) in [
        (
            "config/crd/bases/crd.yaml",
            json!([{ "kind": "CustomResourceDefinition", "name": "widgets.example.com", "line": 0, "role": "source of truth",
                "reason": "controller-gen writes to `config/crd/bases`", "checkedBy": null }]),
        ),
        (
            "releases/v1.2.0/crd.yaml",
            json!([{ "kind": "CustomResourceDefinition", "name": "widgets.example.com", "line": 0,
                "role": "copy of release 1.2.0", "reason": "`releases` in the path", "checkedBy": null }]),
        ),
        (
            "testdata/invalid-widget.yaml",
            json!([{ "kind": "Widget", "name": "a", "line": 0, "role": "test data that is wrong on purpose",
                "reason": "the name of this test's file contains `invalid`", "checkedBy": checked }]),
        ),
        (
            "widget.yaml",
            json!([
                { "kind": "Widget", "name": "a", "line": 0, "role": "manifest",
                    "reason": "no folder in the path means something else", "checkedBy": checked },
                { "kind": "ConfigMap", "name": "b", "line": 5, "role": "manifest",
                    "reason": "no folder in the path means something else", "checkedBy": null },
            ]),
        ),
    ] {
        let params = json!({ "textDocument": { "uri": uri(folder.path(), file) } });
        let status = client.request("crd-analyzer/status", params).await;
        assert_eq!(status["objects"], expected, "{file}");
    }
    client.finish_with_lists().await;
}

#[tokio::test]
async fn test_data_is_told_as_information() {
    let files = [("crds/widget.yaml", CRD), ("pkg/testdata/widget.yaml", WRONG)];
    let (mut client, folder) = open(&files).await;
    let only = until(&mut client, &uri(folder.path(), "pkg/testdata/widget.yaml"), 3).await;
    let message = only["message"].as_str().expect("a message");
    assert!(message.starts_with("in test data: `size`"), "{message}");
}

#[tokio::test]
async fn a_folder_above_the_repository_says_nothing_of_its_first_diagnostics() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("testdata/project");
    std::fs::create_dir_all(root.join(".git")).expect("a folder");
    // Create many files to read before the repository is described, so that the first answer comes before the description.
    for at in 0..150 {
        let part = root.join(format!("part-{at}"));
        std::fs::create_dir(&part).expect("a folder");
        std::fs::write(part.join("Makefile"), "# a line\n".repeat(2000)).expect("written");
    }
    let path = root.join("widgets.yaml");
    let text = CRD.replace("type: integer", "type: int");
    std::fs::write(&path, &text).expect("written");
    let folders = json!([{ "uri": uri(&root, ""), "name": "it" }]);
    let params = json!({ "capabilities": pushed(), "workspaceFolders": folders });
    let mut client = Client::start_with(params).await;
    let uri = uri(&root, "widgets.yaml");
    client.open(&uri, 1, &text).await;
    let first = client.published(&uri, 1).await;
    assert_eq!(first.len(), 1, "{first:?}");
    assert_eq!(first[0]["severity"], 1, "{first:?}");
    client.finish().await;
}
