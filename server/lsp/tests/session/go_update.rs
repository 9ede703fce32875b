//! Tests the errors that the API server would report if the CRDs of open Go files replaced those in git.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    client::{Client, pushed},
    go::{ORDER, fixes, project, repairs},
    update,
};

pub(crate) const CARTS: &str = "\
// +groupName=shop.example.com
package v1

import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"

// +kubebuilder:validation:XValidation:rule=\"self.mots > 0\"
type CartSpec struct {
\tMost int32 `json:\"most\"`
\tOwner Owner `json:\"owner,omitempty\"`
}

type Owner struct {
\tName string `json:\"name\"`
}

// +kubebuilder:object:root=true
type Cart struct {
\tmetav1.TypeMeta `json:\",inline\"`
\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`
\tSpec CartSpec `json:\"spec\"`
}
";

/// Creates a module whose types have no CRD. Returns the URI and the text of the file with the types.
pub(crate) fn without_crd<'t>(folder: &std::path::Path, types: &'t str) -> (String, &'t str) {
    let api = folder.join("api/v1");
    std::fs::create_dir_all(&api).expect("folders");
    std::fs::write(folder.join("go.mod"), "module example.com/shop\n\ngo 1.24\n").expect("a file");
    std::fs::write(api.join("types.go"), types).expect("a file");
    (format!("file://{}", api.join("types.go").display()), types)
}

async fn opened(folder: &TempDir, uri: &str, text: &str) -> Client {
    let mut capabilities = pushed();
    capabilities["textDocument"]["publishDiagnostics"]["relatedInformation"] = json!(true);
    capabilities["textDocument"]["codeAction"] = fixes();
    let of_workspace = json!({ "uri": format!("file://{}", folder.path().display()), "name": "shop" });
    let params = json!({ "capabilities": capabilities, "workspaceFolders": [of_workspace] });
    let mut client = Client::start_with(params).await;
    client.open(uri, 1, text).await;
    client
}

/// The first published diagnostic with a code.
async fn told(client: &mut Client, uri: &str, code: &str) -> Value {
    let is_it = |it: &&Value| it["code"] == code;
    let list = client
        .published_when(uri, |list| list.iter().any(|it| is_it(&it)))
        .await;
    list.iter().find(is_it).expect("it").clone()
}

fn messages(diagnostic: &Value) -> Vec<&str> {
    let related = diagnostic["relatedInformation"].as_array().into_iter().flatten();
    related.filter_map(|it| it["message"].as_str()).collect()
}

#[tokio::test]
async fn a_changed_type_is_an_update_of_the_crd_in_git() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = project(folder.path());
    update::init(folder.path());
    let mut client = opened(&folder, &uri, ORDER).await;
    assert_eq!(client.published(&uri, 1).await.len(), 0);
    let marker = "// +kubebuilder:resource:scope=Cluster\n";
    client.change(&uri, 2, &[([2, 0, 2, 0], marker)]).await;
    let scope = told(&mut client, &uri, "immutable-field").await;
    assert_eq!(
        scope["range"]["start"],
        json!({ "line": 2, "character": 31 }),
        "{scope}"
    );
    assert_eq!(scope["severity"], 2, "it is only supposed that the CRD is stored");
    assert!(messages(&scope).contains(&"was Namespaced in HEAD"), "{scope}");
    // When the marker is removed, all its diagnostics disappear.
    client.change(&uri, 3, &[([2, 0, 3, 0], "")]).await;
    assert_eq!(client.published_when(&uri, <[Value]>::is_empty).await.len(), 0);
    client.change(&uri, 4, &[([10, 36, 10, 39], "50")]).await;
    let limit = told(&mut client, &uri, "breaking-change").await;
    assert_eq!(
        limit["range"]["start"],
        json!({ "line": 10, "character": 36 }),
        "{limit}"
    );
    let message = limit["message"].as_str().expect("a message");
    assert!(message.contains("`maximum` changed from 100 to 50"), "{message}");
    let restored = repairs(&mut client, &uri, &limit).await;
    assert!(
        restored.contains(&("100".to_owned(), limit["range"]["start"].clone())),
        "{restored:?}"
    );
    client.change(&uri, 5, &[([10, 36, 10, 38], "100")]).await;
    assert_eq!(client.published_when(&uri, <[Value]>::is_empty).await.len(), 0);
    // A rule is restored inside its string.
    let (line, rule) = ORDER
        .lines()
        .enumerate()
        .find(|it| it.1.contains("rule="))
        .expect("a rule");
    let at = rule.find("rule=").expect("it") as u64 + 6;
    let line = line as u64;
    client
        .change(&uri, 6, &[([line, at, line, at], "self.price > 1 && ")])
        .await;
    let changed = told(&mut client, &uri, "breaking-change").await;
    let restored = repairs(&mut client, &uri, &changed).await;
    let begin = json!({ "line": line, "character": at });
    let is_it = |it: &(String, Value)| it.1 == begin && rule.contains(&it.0) && !it.0.is_empty();
    assert!(restored.iter().any(is_it), "{changed} {restored:?}");
    client.finish_with_lists().await;
}

#[tokio::test]
async fn without_a_crd_in_git_the_types_there_make_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let types = CARTS.replace("mots", "most");
    let (uri, text) = without_crd(folder.path(), &types);
    update::init(folder.path());
    // Change the file on disk after the commit.
    let now = text.replace(
        "type Owner struct {",
        "type Owner struct {\n\t// +kubebuilder:validation:MaxLength=9",
    );
    std::fs::write(folder.path().join("api/v1/types.go"), &now).expect("a file");
    let mut client = opened(&folder, &uri, &now).await;
    let limit = told(&mut client, &uri, "breaking-change").await;
    assert_eq!(
        limit["range"]["start"],
        json!({ "line": 12, "character": 38 }),
        "{limit}"
    );
    // The fix removes the line of the marker.
    let restored = repairs(&mut client, &uri, &limit).await;
    let line = json!({ "line": 12, "character": 0 });
    assert!(restored.contains(&(String::new(), line)), "{restored:?}");
    client.change(&uri, 2, &[([12, 0, 13, 0], "")]).await;
    assert_eq!(client.published_when(&uri, <[Value]>::is_empty).await.len(), 0);
    client.finish_with_lists().await;
}

#[tokio::test]
async fn a_lens_above_a_kind_counts_the_changes_of_its_crd() {
    let folder = tempfile::tempdir().expect("a folder");
    let types = CARTS.replace("mots", "most");
    let (types, owner) = types.split_once("type Owner struct {").expect("the type");
    let (owner, kind) = owner.split_once("// +kubebuilder:object").expect("the kind");
    let text = format!("{types}// +kubebuilder:object{kind}");
    let (uri, _) = without_crd(folder.path(), &text);
    let owner = format!("package v1\n\ntype Owner struct {{{owner}");
    let of_owner = format!("file://{}", folder.path().join("api/v1/owner.go").display());
    std::fs::write(folder.path().join("api/v1/owner.go"), &owner).expect("a file");
    update::init(folder.path());
    let mut capabilities = pushed();
    capabilities["textDocument"]["codeLens"] = json!({});
    capabilities["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    capabilities["window"]["showDocument"] = json!({ "support": true });
    let of_workspace = json!({ "uri": format!("file://{}", folder.path().display()), "name": "shop" });
    let params = json!({ "capabilities": capabilities, "workspaceFolders": [of_workspace] });
    let mut client = Client::start_with(params).await;
    client.open(&uri, 1, &text).await;
    assert_eq!(client.published(&uri, 1).await.len(), 0);
    let line = |text: &str, of: &str| text[..text.find(of).expect("the line")].matches('\n').count();
    let kind = line(&text, "type Cart struct");
    // The change is in another file than the kind, and a click leads there.
    let limit = "\t// +kubebuilder:validation:MaxLength=9\n";
    let name = line(&owner, "\tName string") as u64;
    client.open(&of_owner, 1, &owner).await;
    client.change(&of_owner, 2, &[([name, 0, name, 0], limit)]).await;
    let marker = told(&mut client, &of_owner, "breaking-change").await;
    let found = changes_until(&mut client, &uri, |it| !it.is_empty()).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["range"]["start"], json!({ "line": kind, "character": 0 }));
    assert_eq!(found[0]["command"]["title"], "1 change since HEAD: 1 breaks writers");
    let click = json!({
        "command": found[0]["command"]["command"], "arguments": found[0]["command"]["arguments"],
    });
    client.request("workspace/executeCommand", click).await;
    let shown = client.until_asked("window/showDocument").await;
    assert_eq!(
        (&shown["uri"], &shown["selection"]),
        (&json!(of_owner), &marker["range"])
    );
    assert_eq!(
        changes_until(&mut client, &of_owner, <[Value]>::is_empty).await.len(),
        0
    );
    // The lens moves with the type.
    client.change(&uri, 2, &[([2, 0, 2, 0], "\n")]).await;
    let moved = changes_until(&mut client, &uri, |it| !it.is_empty()).await;
    assert_eq!(moved[0]["range"]["start"], json!({ "line": kind + 1, "character": 0 }));
    // Without the change, there is no lens.
    client.change(&of_owner, 3, &[([name, 0, name + 1, 0], "")]).await;
    changes_until(&mut client, &uri, <[Value]>::is_empty).await;
    client.finish_with_lists().await;
}

/// The lenses about changes, as soon as they are as wanted.
async fn changes_until(client: &mut Client, uri: &str, is_wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    for _ in 0..600 {
        let params = json!({ "textDocument": { "uri": uri } });
        let found = client.request("textDocument/codeLens", params).await;
        let found = found.as_array().cloned().unwrap_or_default().into_iter();
        let is_of_changes = |it: &Value| it["command"]["title"].as_str().is_some_and(|it| it.contains(" since "));
        let found: Vec<Value> = found.filter(is_of_changes).collect();
        if is_wanted(&found) {
            return found;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("the lenses stay as they are");
}

#[tokio::test]
async fn a_file_shows_the_kinds_that_need_its_types() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, carts) = without_crd(folder.path(), CARTS);
    let api = folder.path().join("api/v1");
    let carts = carts.replace("// +groupName=shop.example.com\n", "");
    let (carts, owner) = carts.split_at(carts.find("type Owner").expect("a type"));
    let (owner, kind) = owner.split_at(owner.find("// +kubebuilder:object").expect("a kind"));
    let orders = [carts, kind].concat().replace("Cart", "Order").replace("mots", "moost");
    std::fs::write(api.join("doc.go"), "// +groupName=shop.example.com\npackage v1\n").expect("a file");
    std::fs::write(api.join("types.go"), [carts, kind].concat()).expect("a file");
    std::fs::write(api.join("order_types.go"), &orders).expect("a file");
    std::fs::write(api.join("owner_types.go"), "package v1\n").expect("a file");
    let of = |name: &str| format!("file://{}", api.join(name).display());
    let workspace = json!({ "uri": format!("file://{}", folder.path().display()), "name": "shop" });
    let params = json!({ "capabilities": pushed(), "workspaceFolders": [workspace] });
    let mut client = Client::start_with(params).await;
    let is_told = |list: &[serde_json::Value]| list.iter().any(|it| it["code"] == "undefined-field");

    // The kinds need the type before any file declares it.
    client.open(&of("owner_types.go"), 1, "package v1\n").await;
    assert_eq!(client.published(&of("owner_types.go"), 1).await.len(), 0);
    let rule = "\n// +kubebuilder:validation:XValidation:rule=\"self.nome != ''\"\n";
    client
        .change(&of("owner_types.go"), 2, &[([1, 0, 1, 0], &format!("{rule}{owner}"))])
        .await;
    client.published_when(&of("owner_types.go"), is_told).await;

    // A file that is opened later has another kind.
    client.open(&of("order_types.go"), 1, &orders).await;
    client.published_when(&of("order_types.go"), is_told).await;
    client.finish_with_lists().await;
}
