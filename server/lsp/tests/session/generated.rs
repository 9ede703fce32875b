//! CRDs that are generated from Go.

use serde_json::{Value, json};

use crate::client::{Client, list, pulling};

const TYPES: &str = "// +groupName=example.com
package v1

type Widget struct {
\t// +kubebuilder:validation:Pattern=`[`
\tName string `json:\"name\"`
}
";

const TEXT: &str = "\
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
      openAPIV3Schema:
        type: object
        properties: {name: {type: strng, pattern: a}}
";

/// The Go files and lines in the related information of the first diagnostic.
async fn lines(client: &mut Client, uri: &str) -> Vec<(String, u64)> {
    let items = list(client.pull(uri, None).await["items"].take());
    // The help comes first.
    let related = list(items[0]["relatedInformation"].clone()).split_off(1);
    let line = |it: &Value| it["location"]["range"]["start"]["line"].as_u64().unwrap_or_default();
    let message = |it: &Value| it["message"].as_str().unwrap_or_default().to_owned();
    related.iter().map(|it| (message(it), line(it))).collect()
}

#[tokio::test]
async fn findings_and_fixes_name_the_place_in_go_as_it_is_now() {
    let folder = tempfile::tempdir().expect("a folder");
    let go = folder.path().join("api/v1/types.go");
    std::fs::create_dir_all(go.parent().expect("a folder")).expect("a folder");
    std::fs::write(folder.path().join("go.mod"), "module example.com/widgets\n").expect("a file");
    std::fs::write(&go, TYPES).expect("a file");
    let mut capabilities = pulling();
    let kinds = json!({ "codeActionKind": { "valueSet": ["quickfix"] } });
    capabilities["textDocument"]["codeAction"] = json!({ "codeActionLiteralSupport": kinds });
    let mut client = Client::start(capabilities).await;
    let uri = format!("file://{}/crd.yaml", folder.path().display());
    client.open(&uri, 1, TEXT).await;
    let expected = "`Widget.Name` declares it in Go";
    assert_eq!(lines(&mut client, &uri).await, [(expected.to_owned(), 5)]);

    let place = json!({ "line": 14, "character": 35 });
    let params = json!({
        "textDocument": { "uri": uri }, "range": { "start": place, "end": place }, "context": { "diagnostics": [] },
    });
    let actions = list(client.request("textDocument/codeAction", params).await);
    let titles: Vec<_> = actions.iter().filter_map(|it| it["title"].as_str()).collect();
    assert!(
        titles[0].ends_with(" (in the generated file; its source is types.go:6)"),
        "{titles:?}"
    );

    std::fs::write(&go, format!("// A line more.\n{TYPES}")).expect("a file");
    let change = json!({ "changes": [{ "uri": format!("file://{}", go.display()), "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", change).await;
    assert_eq!(lines(&mut client, &uri).await, [(expected.to_owned(), 6)]);
    client.finish().await;
}
