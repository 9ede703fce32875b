//! Workspaces that the user does not trust.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    client::{Client, pushed},
    update::{RESOURCE, repository, uri},
};

async fn start(options: Value) -> Client {
    Client::start_with(json!({"capabilities": pushed(), "initializationOptions": options})).await
}

#[tokio::test]
async fn git_is_asked_once_the_workspace_is_trusted() {
    let folder = repository();
    let mut client = start(json!({"trusted": false, "crd-analyzer": {"trusted": true, "updateAgainst": "HEAD"}})).await;
    let crd = std::fs::read_to_string(folder.path().join("crd.yaml")).expect("it is there");
    client.open(&uri(&folder, "crd.yaml"), 1, &crd).await;
    client.published(&uri(&folder, "crd.yaml"), 1).await;
    let one = uri(&folder, "one.yaml");
    client.open(&one, 1, &RESOURCE.replace('3', "4")).await;
    assert_eq!(client.published(&one, 1).await.len(), 0);
    // Settings, which a workspace may contain, cannot grant trust.
    let settings = json!({"crd-analyzer": {"trusted": true}, "trusted": true});
    client
        .notify("workspace/didChangeConfiguration", json!({"settings": settings}))
        .await;
    assert_eq!(client.published(&one, 1).await.len(), 0);
    // In a trusted workspace, an edit would start git.
    client.change(&one, 2, &[([4, 8, 4, 9], "5")]).await;
    assert_eq!(client.published(&one, 2).await.len(), 0);
    client.notify("crd-analyzer/trustGranted", json!({})).await;
    loop {
        let list = client.published(&one, 2).await;
        if !list.is_empty() {
            assert_eq!(list[0]["code"], "rule-failed");
            break;
        }
    }
}

#[tokio::test]
async fn no_cluster_is_asked_for_a_workspace_that_is_not_trusted() {
    let mut client = start(json!({"trusted": false, "crd-analyzer": {"cluster": "kind-a"}})).await;
    let arguments = json!({"command": "crd-analyzer.readCluster", "arguments": []});
    client.request("workspace/executeCommand", arguments).await;
    let message = client.notification("window/showMessage").await;
    assert_eq!(
        message["message"],
        "crd-analyzer does not read CRDs from the cluster, because the workspace is not trusted"
    );
}

#[tokio::test]
async fn go_files_outside_the_folder_are_read_once_the_workspace_is_trusted() {
    let folder = TempDir::new().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write(".git/HEAD", "");
    write("go.mod", "module example.com/x\n");
    write(
        "api/v1/widget_types.go",
        "// +groupName=example.com\npackage v1\n\n// +kubebuilder:object:root=true\ntype Widget struct {\n\
         \tSpec WidgetSpec `json:\"spec\"`\n}\n\ntype WidgetSpec struct {\n\t// +kubebuilder:validation:Pattern=`(`\n\
         \tName string `json:\"name\"`\n}\n",
    );
    let crd = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
  annotations: {controller-gen.kubebuilder.io/version: v0.19.0}
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
              name: {type: string, pattern: \"(\"}
";
    write("config/crd/widgets.yaml", crd);
    let mut capabilities = pushed();
    capabilities["textDocument"]["publishDiagnostics"]["relatedInformation"] = json!(true);
    let workspace = format!("file://{}/config", folder.path().display());
    let mut client = Client::start_with(json!({
        "capabilities": capabilities,
        "workspaceFolders": [{"uri": workspace, "name": "config"}],
        "initializationOptions": {"trusted": false},
    }))
    .await;
    let uri = format!("{workspace}/crd/widgets.yaml");
    client.open(&uri, 1, crd).await;
    let names_go = |list: &[Value]| list.iter().any(|it| it.to_string().contains("widget_types.go"));
    let list = client.published(&uri, 1).await;
    assert!(!list.is_empty() && !names_go(&list), "{list:?}");
    client.notify("crd-analyzer/trustGranted", json!({})).await;
    while !names_go(&client.published(&uri, 1).await) {}
}
