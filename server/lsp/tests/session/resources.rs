//! Custom resources and their definitions.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, list, pulling, pushed};

pub(crate) const DEFINITION: &str = "\
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
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, maximum: 9}
              color: {type: string, default: red}
";

pub(crate) const RESOURCE: &str = "\
apiVersion: example.com/v1
kind: Widget
metadata: {name: one}
spec:
  size: 10
";

const CRD: &str = "file:///repo/crds/widgets.yaml";
const CR: &str = "file:///repo/samples/one.yaml";

/// The line and column in the definition where `maximum` has its value.
const MAXIMUM: [u64; 2] = [21, 45];

fn codes(list: &[Value]) -> Vec<&str> {
    list.iter().map(|it| it["code"].as_str().unwrap_or_default()).collect()
}

#[tokio::test]
async fn findings_follow_the_definition_as_it_is_typed() {
    let mut client = Client::start(pushed()).await;
    client.open(CR, 1, RESOURCE).await;
    assert_eq!(client.published(CR, 1).await.len(), 0, "nothing is known yet");
    client.open(CRD, 1, DEFINITION).await;
    assert_eq!(client.published(CRD, 1).await.len(), 0);
    let found = client.published(CR, 1).await;
    assert_eq!(codes(&found), ["number-too-large"]);
    let related = &found[0]["relatedInformation"][0];
    assert_eq!(related["location"]["uri"], CRD);
    let [line, column] = MAXIMUM;
    assert_eq!(
        related["location"]["range"]["start"],
        json!({ "line": line, "character": column })
    );
    // Unsaved text counts.
    client.change(CRD, 2, &[([line, column, line, column + 1], "10")]).await;
    assert_eq!(client.published(CRD, 2).await.len(), 0);
    assert_eq!(client.published(CR, 1).await.len(), 0);
    // While it is broken, the last text that could be read.
    client.change(CRD, 3, &[([22, 0, 22, 0], "  bad: [\n")]).await;
    assert_eq!(codes(&client.published(CRD, 3).await), ["invalid-yaml"]);
    client.change(CR, 2, &[([4, 8, 4, 10], "11")]).await;
    let mut found = client.published(CR, 2).await;
    if found.is_empty() {
        found = client.published(CR, 2).await;
    }
    assert_eq!(codes(&found), ["number-too-large"]);
    client
        .notify("textDocument/didClose", json!({ "textDocument": { "uri": CRD } }))
        .await;
    assert_eq!(client.published_without_version(CRD).await.len(), 0);
    assert_eq!(client.published(CR, 2).await.len(), 0, "no definition any more");
    client.forget_published();
    client.finish().await;
}

#[tokio::test]
async fn only_resources_of_the_definition_are_checked_again() {
    let mut client = Client::start(pushed()).await;
    let other = DEFINITION.replace("Widget", "Gadget").replace("widgets", "gadgets");
    let (other_crd, other_cr) = ("file:///repo/crds/gadgets.yaml", "file:///repo/samples/other.yaml");
    for (uri, text) in [(CRD, DEFINITION.to_owned()), (other_crd, other)] {
        client.open(uri, 1, &text).await;
        client.published(uri, 1).await;
    }
    client.open(other_cr, 1, &RESOURCE.replace("Widget", "Gadget")).await;
    assert_eq!(client.published(other_cr, 1).await.len(), 1);
    client.open(CR, 1, RESOURCE).await;
    assert_eq!(client.published(CR, 1).await.len(), 1);
    client.forget_published();
    let [line, column] = MAXIMUM;
    client.change(CRD, 2, &[([line, column, line, column + 1], "10")]).await;
    assert_eq!(client.published(CRD, 2).await.len(), 0);
    assert_eq!(client.published(CR, 1).await.len(), 0);
    assert!(client.other_versions().is_empty(), "the other resource is left alone");
    client.finish().await;
}

#[tokio::test]
async fn clients_that_pull_are_asked_to() {
    let mut client = Client::start(pulling()).await;
    client.open(CRD, 1, DEFINITION).await;
    client.open(CR, 1, RESOURCE).await;
    assert_eq!(
        codes(&list(client.pull(CR, None).await["items"].take())),
        ["number-too-large"]
    );
    let [line, column] = MAXIMUM;
    client.change(CRD, 2, &[([line, column, line, column + 1], "10")]).await;
    client.until_asked("workspace/diagnostic/refresh").await;
    assert_eq!(list(client.pull(CR, None).await["items"].take()).len(), 0);
    client.finish().await;
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

#[tokio::test]
async fn definitions_on_disk_count_and_are_watched() {
    let folder = tempfile::tempdir().expect("a folder");
    let (crds, elsewhere) = (folder.path().join("repo/crds"), folder.path().join("elsewhere"));
    std::fs::create_dir_all(&crds).expect("made");
    std::fs::create_dir_all(&elsewhere).expect("made");
    let gadget = DEFINITION.replace("Widget", "Gadget").replace("widgets", "gadgets");
    std::fs::write(elsewhere.join("gadgets.yaml"), gadget).expect("written");
    std::fs::write(folder.path().join("repo/.crd-analyzer.yaml"), "crds: [../elsewhere]\n").expect("written");
    let crd = crds.join("widgets.yaml");
    std::fs::write(&crd, DEFINITION).expect("written");
    let folders = json!([{ "uri": uri(&folder.path().join("repo")), "name": "repo" }]);
    let mut client = Client::start_with(json!({ "capabilities": pushed(), "workspaceFolders": folders })).await;
    let cr = uri(&folder.path().join("repo/one.yaml"));
    client.open(&cr, 1, RESOURCE).await;
    let mut found = client.published(&cr, 1).await;
    while found.is_empty() {
        found = client.published(&cr, 1).await;
    }
    let related = &found[0]["relatedInformation"][0]["location"];
    assert_eq!(related["uri"], uri(&crd));
    let configured = uri(&folder.path().join("repo/two.yaml"));
    client.open(&configured, 1, &RESOURCE.replace("Widget", "Gadget")).await;
    assert_eq!(codes(&client.published(&configured, 1).await), ["number-too-large"]);
    std::fs::write(&crd, DEFINITION.replace("maximum: 9", "maximum: 99")).expect("written");
    let changes = json!({ "changes": [{ "uri": uri(&crd), "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", changes).await;
    // A list of before may still be on its way.
    while !client.published(&cr, 1).await.is_empty() {}
    client.forget_published();
    client.finish().await;
}
