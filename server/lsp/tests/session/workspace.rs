//! Files that are not open.

use std::path::Path;

use serde_json::{Value, json};

use crate::{
    BROKEN,
    client::{Client, list, pulling, pushed},
    resources::{DEFINITION, RESOURCE, codes},
};

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Starts a session in some folders, with diagnostics for files that are not open.
async fn start(mut capabilities: Value, folders: &[&Path]) -> Client {
    capabilities["window"] = json!({ "workDoneProgress": true });
    let folders: Vec<_> = folders
        .iter()
        .map(|it| json!({ "uri": uri(it), "name": "it" }))
        .collect();
    let options = json!({ "features": { "workspaceDiagnostics": true } });
    Client::start_with(
        json!({ "capabilities": capabilities, "workspaceFolders": folders, "initializationOptions": options }),
    )
    .await
}

/// The files that have reports, each with the kind of its report, sorted.
async fn pull(client: &mut Client, known: &[(&str, &str)]) -> Vec<(String, String, String)> {
    let known: Vec<_> = known
        .iter()
        .map(|(uri, id)| json!({ "uri": uri, "value": id }))
        .collect();
    let mut answer = client
        .request("workspace/diagnostic", json!({ "previousResultIds": known }))
        .await;
    let word = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    list(answer["items"].take())
        .iter()
        .map(|it| (word(&it["uri"]), word(&it["kind"]), word(&it["resultId"])))
        .collect()
}

#[tokio::test]
async fn files_with_findings_are_reported_until_they_change() {
    let (one, two) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    let broken = one.path().join("broken.yaml");
    std::fs::write(&broken, BROKEN).expect("written");
    std::fs::write(one.path().join("good.yaml"), BROKEN.replace("strng", "string")).expect("written");
    std::fs::write(one.path().join("other.yaml"), "kind: Deployment\n").expect("written");
    std::fs::write(one.path().join("notes.txt"), BROKEN).expect("written");
    let second = two.path().join("second.yml");
    std::fs::write(&second, BROKEN).expect("written");
    let mut client = start(pulling(), &[one.path()]).await;
    let first = pull(&mut client, &[]).await;
    assert_eq!(first.len(), 1, "{first:?}");
    assert_eq!((&first[0].0, first[0].1.as_str()), (&uri(&broken), "full"));
    let again = pull(&mut client, &[(&first[0].0, &first[0].2)]).await;
    assert_eq!(again[0].1, "unchanged");
    // Add another folder, and fix the file of the first one.
    let event = json!({ "added": [{ "uri": uri(two.path()), "name": "two" }], "removed": [] });
    client
        .notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }))
        .await;
    client.until_asked("workspace/diagnostic/refresh").await;
    std::fs::write(&broken, BROKEN.replace("{type: strng}", "{type: string} ")).expect("written");
    let mut later = pull(&mut client, &[(&first[0].0, &first[0].2)]).await;
    later.sort();
    let mut expected = [uri(&broken), uri(&second)];
    expected.sort();
    assert_eq!(
        [later[0].0.clone(), later[1].0.clone()],
        expected,
        "one is told to be clean, one is new"
    );
    // The diagnostics of an open document are pulled separately, and are not in this list.
    client.open(&uri(&second), 1, BROKEN).await;
    assert_eq!(pull(&mut client, &[]).await, []);
    client.finish().await;
}

#[tokio::test]
async fn nothing_is_scanned_unless_switched_on() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("broken.yaml"), BROKEN).expect("written");
    let folders = json!([{ "uri": uri(folder.path()), "name": "it" }]);
    let mut client = Client::start_with(json!({ "capabilities": pulling(), "workspaceFolders": folders })).await;
    assert_eq!(pull(&mut client, &[]).await, []);
    client.finish().await;
}

#[tokio::test]
async fn a_long_scan_shows_its_progress() {
    let folder = tempfile::tempdir().expect("a folder");
    for n in 0..120 {
        std::fs::write(folder.path().join(format!("{n}.yaml")), BROKEN).expect("written");
    }
    let mut client = start(pulling(), &[folder.path()]).await;
    // The progress of the scan.
    let token = client.until_asked("window/workDoneProgress/create").await["token"].take();
    client.progress(&token).await;
    let params = json!({ "previousResultIds": [], "workDoneToken": "mine" });
    assert_eq!(
        list(client.request("workspace/diagnostic", params).await["items"].take()).len(),
        120
    );
    client.progress(&json!("mine")).await;
    // All results are known by now, so this request shows no progress.
    client
        .request("workspace/diagnostic", json!({ "previousResultIds": [] }))
        .await;
    // Another scan shows progress with a token that the server creates.
    client
        .notify(
            "workspace/didChangeConfiguration",
            json!({ "settings": { "features": { "workspaceDiagnostics": true } } }),
        )
        .await;
    client.until_asked("workspace/diagnostic/refresh").await;
    let scan = client
        .begin("workspace/diagnostic", json!({ "previousResultIds": [] }))
        .await;
    let token = client.until_asked("window/workDoneProgress/create").await["token"].take();
    client.response(scan).await;
    client.progress(&token).await;
    client.finish().await;
}

/// With its defaults, Neovim does not watch files on Linux.
#[tokio::test]
async fn changes_on_disk_are_found_if_the_client_does_not_watch_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let crd = folder.path().join("crd.yaml");
    std::fs::write(&crd, DEFINITION.replace("maximum: 9", "maximum: 99")).expect("written");
    let folders = json!([{ "uri": uri(folder.path()), "name": "it" }]);
    let mut client = Client::start_with(json!({ "capabilities": pushed(), "workspaceFolders": folders })).await;
    let cr = uri(&folder.path().join("cr.yaml"));
    client.open(&cr, 1, RESOURCE).await;
    assert_eq!(client.published(&cr, 1).await, [] as [Value; 0]);
    // A changed CRD, and a new one of another kind.
    std::fs::write(&crd, DEFINITION).expect("written");
    client.published_when(&cr, |it| codes(it) == ["number-too-large"]).await;
    let gadget = RESOURCE.replace("Widget", "Gadget");
    let other = uri(&folder.path().join("gadget.yaml"));
    client.open(&other, 1, &gadget).await;
    let gadgets = DEFINITION.replace("Widget", "Gadget").replace("widgets", "gadgets");
    std::fs::write(folder.path().join("gadgets.yaml"), gadgets).expect("written");
    client
        .published_when(&other, |it| codes(it) == ["number-too-large"])
        .await;
    client.finish_with_lists().await;
}
