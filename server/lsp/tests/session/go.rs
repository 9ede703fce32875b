//! Go files with API types.

use serde_json::json;

use crate::{
    client::{Client, pushed},
    go_update::{CARTS, without_crd},
    older::in_step,
};

const TYPES: &str = "\
package v1

type WidgetSpec struct {
\t// +kubebuilder:validation:MaxLenght=20
\tName string `json:\"name\"`
}
";

#[tokio::test]
async fn markers_are_checked_while_somebody_types() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = format!("file://{}/api/v1/widget_types.go", folder.path().display());
    let mut client = Client::start(pushed()).await;
    client.open(&uri, 1, TYPES).await;
    let list = client.published(&uri, 1).await;
    assert_eq!(list.len(), 1, "{list:?}");
    assert_eq!(list[0]["code"], "unknown-marker");
    assert_eq!(list[0]["range"]["start"], json!({ "line": 3, "character": 5 }));
    client.change(&uri, 2, &[([3, 34, 3, 37], "gth")]).await;
    assert_eq!(client.published(&uri, 2).await.len(), 0);
    // Outside markers, and for other features, the Go language server is responsible.
    let at = |line: u32, character: u32| json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } });
    for (method, line) in [
        ("textDocument/hover", 4),
        ("textDocument/completion", 4),
        ("textDocument/definition", 3),
    ] {
        assert_eq!(client.request(method, at(line, 8)).await, json!(null), "{method}");
    }
    let of_file = json!({ "textDocument": { "uri": uri } });
    for method in [
        "textDocument/foldingRange",
        "textDocument/documentSymbol",
        "textDocument/codeLens",
    ] {
        assert_eq!(client.request(method, of_file.clone()).await, json!(null), "{method}");
    }
    client.finish_with_lists().await;
}

#[tokio::test]
async fn markers_are_completed_and_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(".crd-analyzer.yaml"), "markers: [example:size]\n").expect("a file");
    let uri = format!("file://{}/widget_types.go", folder.path().display());
    let mut capabilities = pushed();
    capabilities["textDocument"]["completion"] = json!({
        "completionItem": { "snippetSupport": true, "resolveSupport": { "properties": ["documentation"] } },
    });
    let folder = json!({ "uri": format!("file://{}", folder.path().display()), "name": "a" });
    let params = json!({ "capabilities": capabilities, "workspaceFolders": [folder] });
    let mut client = Client::start_with(params).await;
    // With `é😀` before the marker, its columns in UTF-16 are different from those in bytes.
    let text = "package v1\n\ntype A struct {\n\t/* é😀 */\n\t// +kubebuilder:validation:MaxL\n\tB string\n}\n";
    client.open(&uri, 1, text).await;
    let at =
        |character: u32| json!({ "textDocument": { "uri": uri }, "position": { "line": 4, "character": character } });
    let list = client.request("textDocument/completion", at(32)).await;
    let items = list["items"].as_array().expect("items");
    let item = |label: &str| items.iter().find(|it| it["label"] == label);
    let length = item("kubebuilder:validation:MaxLength").expect("the marker");
    assert_eq!(length["textEdit"]["newText"], "kubebuilder:validation:MaxLength=$1");
    assert_eq!(
        length["textEdit"]["range"],
        json!({ "start": { "line": 4, "character": 5 }, "end": { "line": 4, "character": 32 } })
    );
    assert_eq!(
        length["documentation"],
        "Limits the number of characters.\n\nIn the CRD: maxLength."
    );
    assert_eq!(length["data"], json!(null));
    assert!(
        item("kubebuilder:subresource:status").is_none(),
        "it does not fit a field"
    );
    assert!(item("example:size").is_some(), "it is declared");
    // The item already includes its documentation, so resolving it changes nothing.
    assert_eq!(client.request("completionItem/resolve", length.clone()).await, *length);
    client.change(&uri, 2, &[([4, 32, 4, 32], "ength=3")]).await;
    let hover = client.request("textDocument/hover", at(12)).await;
    let said = hover["contents"]["value"].as_str().unwrap_or_default();
    assert!(said.contains("Limits the number of characters."), "{hover}");
    assert_eq!(hover["range"]["end"]["character"], 37);
    client.finish_with_lists().await;
}

#[tokio::test]
async fn markers_have_quick_fixes() {
    let uri = "file:///api/v1/widget_types.go";
    let mut capabilities = pushed();
    capabilities["textDocument"]["codeAction"] = json!({
        "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } },
        "isPreferredSupport": true,
    });
    let mut client = Client::start(capabilities).await;
    client.open(uri, 1, TYPES).await;
    client.published(uri, 1).await;
    let ask = |only: &[&str]| {
        json!({
            "textDocument": { "uri": uri },
            "range": { "start": { "line": 3, "character": 8 }, "end": { "line": 3, "character": 8 } },
            "context": { "diagnostics": [], "only": only },
        })
    };
    let actions = client.request("textDocument/codeAction", ask(&["quickfix"])).await;
    let titles: Vec<_> = actions
        .as_array()
        .expect("actions")
        .iter()
        .map(|it| &it["title"])
        .collect();
    assert_eq!(
        titles,
        [
            "Change +kubebuilder:validation:MaxLenght to +kubebuilder:validation:MaxLength",
            "Ignore unknown-marker here"
        ]
    );
    assert_eq!(actions[0]["isPreferred"], true);
    assert_eq!(actions[0]["diagnostics"][0]["code"], "unknown-marker");
    let edits = |action: &serde_json::Value| action["edit"]["changes"][uri].clone();
    assert_eq!(edits(&actions[0])[0]["newText"], "kubebuilder:validation:MaxLength");
    assert_eq!(
        edits(&actions[1])[0]["newText"],
        "\t// +crd-analyzer: ignore[unknown-marker] reason\n"
    );
    let all = client.request("textDocument/codeAction", ask(&["source.fixAll"])).await;
    assert_eq!(all.as_array().map(Vec::len), Some(1), "{all}");
    assert_eq!(edits(&all[0]), edits(&actions[0]));
    client.finish_with_lists().await;
}

#[tokio::test]
async fn hostile_go_files_keep_nobody_waiting() {
    let uri = "file:///a_types.go";
    let mut client = Client::start(pushed()).await;
    let line = |marker: &str| format!("package v1\n\ntype A struct {{\n\t// {marker}\n\tB int\n}}\n");
    let texts = [
        line(&format!("+optional{}", "a=,".repeat(340_000))),
        line(&format!("+\n{}", "\t// +optional\n".repeat(70_000))),
        format!("{}{}", line("+"), "var a = 1\n".repeat(200_000)),
    ];
    for (version, text) in texts.iter().enumerate() {
        client.open(uri, version as i32 + 1, text).await;
        let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 3, "character": 5 } });
        let begin = std::time::Instant::now();
        client.request("textDocument/completion", at.clone()).await;
        client.request("textDocument/hover", at).await;
        println!("{} bytes: {:?}", text.len(), begin.elapsed());
        client.published(uri, version as i32 + 1).await;
        println!("diagnostics: {:?}", begin.elapsed());
    }
    client.finish_with_lists().await;
}

#[tokio::test]
async fn go_files_are_asked_for_in_projects_with_api_types() {
    let files = [
        ("PROJECT", "domain: example.com\n", true),
        ("types.go", "// +kubebuilder:object:root=true\ntype A struct {}\n", true),
        ("main.go", "package main\n", false),
    ];
    for (name, text, expected) in files {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(name), text).expect("a file");
        let mut capabilities = pushed();
        capabilities["textDocument"]["synchronization"] = json!({ "dynamicRegistration": true });
        for feature in ["completion", "hover", "documentHighlight", "rename", "codeLens"] {
            capabilities["textDocument"][feature]["dynamicRegistration"] = json!(true);
        }
        capabilities["textDocument"]["codeAction"] = json!({
            "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } },
        });
        capabilities["textDocument"]["rename"]["prepareSupport"] = json!(true);
        capabilities["workspace"] = json!({ "didChangeWatchedFiles": { "dynamicRegistration": true } });
        let folder = json!({ "uri": format!("file://{}", folder.path().display()), "name": "a" });
        let params = json!({ "capabilities": capabilities, "workspaceFolders": [folder] });
        let mut client = Client::start_with(params).await;
        let asked = client.until_asked("client/registerCapability").await;
        let asked = if asked["params"].is_null() {
            asked
        } else {
            asked["params"].clone()
        };
        let registrations = asked["registrations"].as_array().expect("a list");
        for method in [
            "didOpen",
            "completion",
            "hover",
            "documentHighlight",
            "rename",
            "codeLens",
        ] {
            let method = format!("textDocument/{method}");
            let found = registrations.iter().find(|it| it["method"] == method);
            assert_eq!(found.is_some(), expected, "{registrations:?}");
            let selector = json!([{ "language": "go", "scheme": "file" }]);
            assert!(found.is_none_or(|it| it["registerOptions"]["documentSelector"] == selector));
        }
        // The client does not support dynamic registration of these features.
        assert!(!registrations.iter().any(|it| it["method"] == "textDocument/codeAction"));
        client.finish_with_lists().await;
    }
}

/// A kubebuilder project: the types, and the CRD that controller-gen 0.21 generates from them.
pub(crate) fn project(folder: &std::path::Path) -> String {
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, text).expect("a file");
    };
    write("go.mod", "module example.com/shop\n");
    write(
        "api/v1/groupversion_info.go",
        "// +groupName=shop.example.com\npackage v1\n",
    );
    write("api/v1/order_types.go", ORDER);
    write("config/crd/bases/shop.example.com_orders.yaml", ORDERS);
    format!("file://{}/api/v1/order_types.go", folder.display())
}

pub(crate) const ORDER: &str = "\
package v1

// +kubebuilder:object:root=true
type Order struct {
\tSpec OrderSpec `json:\"spec,omitempty\"`
}

// +kubebuilder:validation:XValidation:rule=\"self.price <= self.limit\",message=\"too \\\"dear\\\"\"
type OrderSpec struct {
\tPrice int32 `json:\"price\"`
\t// +kubebuilder:validation:Maximum=100
\tLimit int32 `json:\"limit\"`
}
";

pub(crate) const ORDERS: &str = r#"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.21.0
  name: orders.shop.example.com
spec:
  group: shop.example.com
  names:
    kind: Order
    listKind: OrderList
    plural: orders
    singular: order
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          apiVersion:
            type: string
          kind:
            type: string
          metadata:
            type: object
          spec:
            properties:
              limit:
                format: int32
                maximum: 100
                type: integer
              price:
                format: int32
                type: integer
            required:
            - limit
            - price
            type: object
            x-kubernetes-validations:
            - message: too "dear"
              rule: self.price <= self.limit
        type: object
    served: true
    storage: true
"#;

#[tokio::test]
async fn rules_in_markers_are_judged_as_the_api_server_judges_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = project(folder.path());
    let mut capabilities = pushed();
    capabilities["textDocument"]["completion"] = json!({ "completionItem": { "snippetSupport": true } });
    capabilities["textDocument"]["codeAction"] = fixes();
    let of_workspace = json!({ "uri": format!("file://{}", folder.path().display()), "name": "shop" });
    let params = json!({ "capabilities": capabilities, "workspaceFolders": [of_workspace] });
    let mut client = Client::start_with(params).await;
    client.open(&uri, 1, ORDER).await;
    assert_eq!(client.published(&uri, 1).await, [] as [serde_json::Value; 0]);
    // Make the rule refer to a field that does not exist.
    client.change(&uri, 2, &[([7, 50, 7, 55], "prise")]).await;
    let list = client.published_when(&uri, |list| !list.is_empty()).await;
    assert_eq!(
        (list.len(), &list[0]["code"]),
        (1, &json!("undefined-field")),
        "{list:?}"
    );
    let start = json!({ "line": 7, "character": 50 });
    assert_eq!(
        list[0]["range"],
        json!({ "start": start, "end": { "line": 7, "character": 55 } })
    );
    // The fix changes the text inside the string.
    let edits = repairs(&mut client, &uri, &list[0]).await;
    assert!(edits.contains(&("price".to_owned(), start.clone())), "{edits:?}");
    // Completion in the rule offers the fields of the type.
    let at =
        |character: u32| json!({ "textDocument": { "uri": uri }, "position": { "line": 7, "character": character } });
    let found = client.request("textDocument/completion", at(50)).await;
    let items = found["items"].as_array().expect("items");
    let labels: Vec<_> = items.iter().filter_map(|it| it["label"].as_str()).collect();
    assert!(labels.starts_with(&["limit", "price"]), "{labels:?}");
    assert_eq!(items[1]["textEdit"]["range"]["start"], start);
    client.change(&uri, 3, &[([7, 50, 7, 55], "price")]).await;
    assert_eq!(client.published_when(&uri, <[_]>::is_empty).await.len(), 0);
    let hover = client.request("textDocument/hover", at(52)).await;
    let said = hover["contents"]["value"].as_str().unwrap_or_default();
    let line = ORDER
        .lines()
        .position(|it| it.contains("`json:\"price\"`"))
        .expect("a line")
        + 1;
    assert!(
        said.contains("int") && said.contains(&format!("declared as price on line {line}")),
        "{hover}"
    );
    assert_eq!(hover["range"]["start"], start);
    client.finish_with_lists().await;
}

pub(crate) fn fixes() -> serde_json::Value {
    json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } } })
}

/// The edits of the fixes for a diagnostic: the new text and the start of each.
pub(crate) async fn repairs(
    client: &mut Client,
    uri: &str,
    diagnostic: &serde_json::Value,
) -> Vec<(String, serde_json::Value)> {
    let params = json!({
        "textDocument": { "uri": uri },
        "range": diagnostic["range"],
        "context": { "diagnostics": [] },
    });
    let actions = client.request("textDocument/codeAction", params).await;
    let actions = actions.as_array().cloned().unwrap_or_default();
    let edits = actions.iter().filter_map(|it| it["edit"]["changes"][uri].as_array());
    let edits = edits.flatten().map(|it| {
        let text = it["newText"].as_str().unwrap_or_default().to_owned();
        (text, it["range"]["start"].clone())
    });
    edits.collect()
}

#[tokio::test]
async fn rules_in_markers_have_a_cost_and_the_bound_that_fits() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = project(folder.path());
    let rule = "self.price <= self.limit\",message=\"too \\\"dear\\\"\"";
    let dear = ORDER
        .replace(rule, "self.tags.all(a, self.tags.exists(b, a == b))\"")
        .replace(
            "\tLimit",
            "\t// Tags says more.\n\tTags []string `json:\"tags\"`\n\tLimit",
        );
    let orders = ORDERS
        .replace("              price:", "              tags:\n                type: array\n                items:\n                  type: string\n              price:")
        .replace("- message: too \"dear\"\n              rule: self.price <= self.limit", "- rule: 'true'");
    std::fs::write(
        folder.path().join("config/crd/bases/shop.example.com_orders.yaml"),
        orders,
    )
    .expect("a file");
    let mut capabilities = pushed();
    capabilities["textDocument"]["codeAction"] = fixes();
    capabilities["textDocument"]["codeLens"] = json!({});
    let of_workspace = json!({ "uri": format!("file://{}", folder.path().display()), "name": "shop" });
    let params = json!({ "capabilities": capabilities, "workspaceFolders": [of_workspace] });
    let mut client = Client::start_with(params).await;
    client.open(&uri, 1, &dear).await;
    let list = client.published_when(&uri, |list| !list.is_empty()).await;
    assert_eq!(list[0]["code"], json!("rule-cost-over-limit"), "{list:?}");
    let lenses = client
        .request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }))
        .await;
    let lenses = lenses.to_string();
    assert!(
        lenses.contains("over the limit") && lenses.contains("Add maxItems"),
        "{lenses}"
    );
    // The fix for the missing limit adds a marker above the field.
    let edits = repairs(&mut client, &uri, &list[0]).await;
    let field = dear[..dear.find("\tTags []").expect("the field")].matches('\n').count();
    let is_bound = |it: &&(String, serde_json::Value)| {
        it.0.starts_with("\t// +kubebuilder:validation:MaxItems=") && it.1 == json!({ "line": field, "character": 0 })
    };
    assert!(edits.iter().any(|it| is_bound(&it)), "{edits:?}");
    client.finish_with_lists().await;
}

#[tokio::test]
async fn all_repairs_are_those_of_markers_and_of_what_they_make() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = project(folder.path());
    let order = ORDER.replace(
        "\t// +kubebuilder:validation:Maximum=100",
        "\t// +kubebuilder:validation:Maximun=100\n\t// +kubebuilder:default=\"5\"",
    );
    let mut capabilities = pushed();
    capabilities["textDocument"]["codeAction"] = json!({
        "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix", "source.fixAll"] } },
    });
    let of_workspace = json!({ "uri": format!("file://{}", folder.path().display()), "name": "shop" });
    let params = json!({ "capabilities": capabilities, "workspaceFolders": [of_workspace] });
    let mut client = Client::start_with(params).await;
    client.open(&uri, 1, &order).await;
    let list = client.published_when(&uri, |list| list.len() == 2).await;
    let params = json!({
        "textDocument": { "uri": uri },
        "range": list[0]["range"],
        "context": { "diagnostics": [], "only": ["source.fixAll"] },
    });
    let all = client.request("textDocument/codeAction", params).await;
    assert_eq!(all[0]["title"], "Repair all (2)", "{all}");
    let edits = all[0]["edit"]["changes"][&uri].as_array().expect("edits");
    let edits: Vec<_> = edits
        .iter()
        .map(|it| (&it["range"]["start"]["line"], &it["newText"]))
        .collect();
    let (name, value) = (json!("kubebuilder:validation:Maximum"), json!("5"));
    assert_eq!(edits, [(&json!(10), &name), (&json!(11), &value)]);
    client.finish_with_lists().await;
}

#[tokio::test]
async fn variables_of_rules_in_markers_get_another_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = project(folder.path());
    // The text before the names contains escapes, and characters whose UTF-16 columns differ from bytes.
    let rule = r#"rule="'é😀\"' != '' && [self.limit].all(it, it > 0 && [it].exists(o, o == it))""#;
    let text = ORDER.replacen("rule=\"self.price <= self.limit\"", rule, 1);
    let of_workspace = json!({ "uri": format!("file://{}", folder.path().display()), "name": "shop" });
    let mut client = Client::start_with(json!({ "capabilities": pushed(), "workspaceFolders": [of_workspace] })).await;
    client.open(&uri, 1, &text).await;
    let place = |needle: &str| {
        let at = text.find(needle).expect("the needle");
        let line = text[..at].matches('\n').count();
        let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
        json!({ "line": line, "character": text[start..at].encode_utf16().count() })
    };
    let mut ask = async |method: &str, needle: &str, new_name: &str| {
        let params = json!({ "textDocument": { "uri": uri }, "position": place(needle), "newName": new_name });
        let id = client.begin(method, params).await;
        client.response(id).await
    };
    let found = ask("textDocument/prepareRename", "it > 0", "").await;
    assert_eq!(found["result"]["placeholder"], "it", "{found}");
    let found = ask("textDocument/rename", "it > 0", "one").await;
    let edits = found["result"]["changes"][&uri].as_array().expect("edits").clone();
    let starts: Vec<_> = edits.iter().map(|it| it["range"]["start"].clone()).collect();
    assert_eq!(
        starts,
        [place("it, "), place("it > 0"), place("it].exists"), place("it))")],
        "{found}"
    );
    assert!(edits.iter().all(|it| it["newText"] == "one"), "{found}");
    let refused = ask("textDocument/rename", "it > 0", "o").await;
    assert_eq!(refused["error"]["message"], "`o` has another meaning in the expression");
    // The Go language server renames other names.
    let found = ask("textDocument/prepareRename", "Price int32", "").await;
    assert_eq!(found["result"], json!(null), "{found}");
    let found = ask("textDocument/rename", "Price int32", "x").await;
    assert_eq!(found["result"], json!(null), "{found}");
    client.finish_with_lists().await;
}

#[tokio::test]
async fn kinds_without_a_crd_are_judged_as_their_types_make_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (uri, types) = without_crd(folder.path(), CARTS);
    let of_workspace = json!({ "uri": format!("file://{}", folder.path().display()), "name": "shop" });
    let params = json!({ "capabilities": pushed(), "workspaceFolders": [of_workspace] });
    let mut client = Client::start_with(params).await;
    client.open(&uri, 1, types).await;
    let list = client.published_when(&uri, |list| !list.is_empty()).await;
    assert_eq!(list[0]["code"], "undefined-field", "{list:?}");
    assert_eq!(
        list[0]["range"],
        json!({ "start": { "line": 5, "character": 50 }, "end": { "line": 5, "character": 54 } })
    );
    // Completion in an unfinished rule offers a field that no CRD has yet.
    client.change(&uri, 2, &[([5, 50, 5, 59], "ow")]).await;
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 5, "character": 52 } });
    let found = client.request("textDocument/completion", at).await;
    let items = found["items"].as_array().expect("items");
    assert!(items.iter().any(|it| it["label"] == "owner"), "{found}");
    client.change(&uri, 3, &[([5, 50, 5, 52], "most > 0\"")]).await;
    assert_eq!(
        client.published_when(&uri, <[serde_json::Value]>::is_empty).await.len(),
        0
    );
    client.finish_with_lists().await;
}

#[tokio::test]
async fn a_new_field_is_known_before_controller_gen_has_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let (uri, text) = in_step(folder.path());
    let of_workspace = json!({ "uri": format!("file://{}", folder.path().display()), "name": "shop" });
    let mut capabilities = pushed();
    capabilities["textDocument"]["codeAction"] = fixes();
    let params = json!({ "capabilities": capabilities, "workspaceFolders": [of_workspace] });
    let mut client = Client::start_with(params).await;
    client.open(&uri, 1, &text).await;
    let line = text
        .lines()
        .position(|it| it.contains("XValidation"))
        .expect("the rule") as u64;
    let start = text
        .lines()
        .nth(line as usize)
        .and_then(|it| it.find("self.price"))
        .expect("it") as u64
        + 5;
    client
        .change(&uri, 2, &[([line, start, line, start + 5], "extra")])
        .await;
    let list = client.published_when(&uri, |list| !list.is_empty()).await;
    assert_eq!(list[0]["code"], "undefined-field", "{list:?}");
    let field = "\tExtra int32 `json:\"extra\"`\n";
    client.change(&uri, 3, &[([line + 2, 0, line + 2, 0], field)]).await;
    let is_older = |list: &[serde_json::Value]| matches!(list, [one] if one["code"] == "stale-crd");
    let list = client.published_when(&uri, is_older).await;
    let crd = folder.path().join("config/crd/bases/shop.example.com_orders.yaml");
    let of_crd = format!("file://{}", crd.display());
    assert_eq!(list[0]["range"]["start"], json!({ "line": line, "character": 3 }));
    assert_eq!(list[0]["severity"], 2);
    let params = json!({
        "textDocument": { "uri": uri },
        "range": list[0]["range"],
        "context": { "diagnostics": [] },
    });
    let actions = client.request("textDocument/codeAction", params).await;
    let actions = actions.as_array().cloned().unwrap_or_default();
    let written = actions.iter().find_map(|it| it["edit"]["changes"][&of_crd].as_array());
    let written = written.unwrap_or_else(|| panic!("{actions:?}"))[0]["newText"]
        .as_str()
        .expect("a text");
    assert!(
        written.contains("              extra:\n                format: int32\n"),
        "{written}"
    );
    // As with controller-gen, this makes the metadata required and changes nothing else.
    assert!(
        written.contains("            - message: too \"dear\"\n              rule: self.extra <="),
        "{written}"
    );
    client.change(&uri, 4, &[([line + 2, 0, line + 3, 0], "")]).await;
    let list = client
        .published_when(&uri, |list| list.iter().any(|it| it["code"] == "undefined-field"))
        .await;
    assert_eq!(list[0]["code"], "undefined-field", "{list:?}");
    client.finish_with_lists().await;
}
