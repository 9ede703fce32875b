//! CRDs of other projects that a repository collects, as listed in its lock.

use std::path::Path;

use serde_json::{Value, json};

use crate::{
    client::{Client, pushed},
    resources::{DEFINITION, RESOURCE},
};

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

fn codes(found: &[Value]) -> Vec<&str> {
    found.iter().filter_map(|it| it["code"].as_str()).collect()
}

#[tokio::test]
async fn locked_definitions_count_and_the_lock_is_watched() {
    let folder = tempfile::tempdir().expect("a folder");
    let repository = folder.path().join("repo");
    std::fs::create_dir_all(repository.join(".git")).expect("made");
    std::fs::create_dir_all(repository.join("apps")).expect("made");
    std::fs::create_dir_all(repository.join(".crd-analyzer/crds")).expect("made");
    let crd = repository.join(".crd-analyzer/crds/widgets.example.com.yaml");
    let lock = repository.join(".crd-analyzer/crds.lock");
    let line = format!(
        "widgets.example.com Widget {} sha256:{} x\n",
        DEFINITION.len(),
        "0".repeat(64)
    );
    std::fs::write(&crd, DEFINITION).expect("written");
    std::fs::write(&lock, &line).expect("written");
    // The workspace is a subfolder of the repository.
    let folders = json!([{ "uri": uri(&repository.join("apps")), "name": "apps" }]);
    let mut client = Client::start_with(json!({ "capabilities": pushed(), "workspaceFolders": folders })).await;
    let cr = uri(&repository.join("apps/one.yaml"));
    client.open(&cr, 1, RESOURCE).await;
    let mut found = client.published(&cr, 1).await;
    while found.is_empty() {
        found = client.published(&cr, 1).await;
    }
    assert_eq!(codes(&found), ["number-too-large"]);
    assert_eq!(found[0]["relatedInformation"][1]["location"]["uri"], uri(&crd));
    // The changed lock announces an added CRD, even if the editor has not yet reported the CRD's file.
    let gadgets = DEFINITION.replace("Widget", "Gadget").replace("widgets", "gadgets");
    let other = repository.join(".crd-analyzer/crds/gadgets.example.com.yaml");
    std::fs::write(&other, &gadgets).expect("written");
    let added = line.replace("widgets", "gadgets").replace("Widget", "Gadget");
    std::fs::write(&lock, format!("{added}{line}")).expect("written");
    let two = uri(&repository.join("apps/two.yaml"));
    client.open(&two, 1, &RESOURCE.replace("Widget", "Gadget")).await;
    assert_eq!(client.published(&two, 1).await, Vec::<Value>::new());
    let changes = json!({ "changes": [{ "uri": uri(&other), "type": 1 }, { "uri": uri(&lock), "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", changes).await;
    while codes(&client.published(&two, 1).await) != ["number-too-large"] {}
    // A changed CRD file also updates the diagnostics.
    std::fs::write(&crd, DEFINITION.replace("maximum: 9", "maximum: 99")).expect("written");
    let changes = json!({ "changes": [{ "uri": uri(&crd), "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", changes).await;
    while !client.published(&cr, 1).await.is_empty() {}
    client.finish_with_lists().await;
}
