//! Renames of JSON names in Go files.

use serde_json::{Value, json};

use crate::{
    client::{Client, pushed},
    go::{ORDER, ORDERS, project},
    go_update::without_crd,
};

const RESOURCE: &str = "\
apiVersion: shop.example.com/v1
kind: Order
metadata:
  name: one
spec:
  limit: 5
  price: 3
";

const TESTS: &str = "\
crd: ../config/crd/bases/shop.example.com_orders.yaml
tests:
- name: limit
  create:
    metadata: {name: one}
    spec: {limit: 5, price: 3}
  expect:
    stored:
      spec:
        limit: 5
        price: 3
- name: no limit
  update:
    from: {spec: {price: 3, limit: 5}}
    to: {spec: {price: 3, limit: -5}}
  expect:
    rejected:
    - field: spec.limit
      contains: a limit
";

/// Tests in the format of openshift/api.
const SUITE: &str = "\
apiVersion: apiextensions.k8s.io/v1
name: orders
crdName: orders.shop.example.com
tests:
  onCreate:
  - name: limit
    initial: |
      apiVersion: shop.example.com/v1
      kind: Order
      spec:
        limit: 5 # a limit
    expected: \"apiVersion: shop.example.com/v1\\nkind: Order\\nspec:\\n  limit: 5\"
  - name: another kind
    initial: |
      apiVersion: shop.example.com/v1
      kind: Other
      spec:
        limit: 5
";

fn place(text: &str, needle: &str) -> Value {
    let at = text.find(needle).expect("the needle");
    let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    json!({ "line": text[..at].matches('\n').count(), "character": at - start })
}

/// The text after edits.
fn applied(text: &str, edits: &Value) -> String {
    let offset = |at: &Value| {
        let line = at["line"].as_u64().expect("a line") as usize;
        let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        before + at["character"].as_u64().expect("a column") as usize
    };
    let edits = edits.as_array().expect("edits").iter();
    let mut edits: Vec<_> = edits
        .map(|it| {
            (
                offset(&it["range"]["start"]),
                offset(&it["range"]["end"]),
                &it["newText"],
            )
        })
        .collect();
    edits.sort_by_key(|it| it.0);
    let mut text = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        text.replace_range(start..end, new.as_str().expect("a text"));
    }
    text
}

/// Sends a request about a place in a file, and returns the response.
async fn ask(client: &mut Client, method: &str, (uri, text): (&str, &str), needle: &str, new_name: &str) -> Value {
    let position = place(text, needle);
    let params = json!({ "textDocument": { "uri": uri }, "position": position, "newName": new_name });
    let id = client.begin(method, params).await;
    client.response(id).await
}

/// The CRD of another kind with the same fields.
fn copy_of(orders: &str) -> String {
    orders.replace("orders", "others").replace("Order", "Other")
}

#[tokio::test]
async fn a_json_name_changes_in_go_in_the_crd_in_resources_and_in_tests() {
    let folder = tempfile::tempdir().expect("a folder");
    let types = project(folder.path());
    let column = "// +kubebuilder:printcolumn:name=Limit,type=integer,JSONPath=`.spec.limit`\ntype Order struct";
    let order = ORDER.replace("type Order struct", column);
    let columns = "  - additionalPrinterColumns:\n    - jsonPath: .spec.limit\n      name: Limit\n      type: integer\n    name: v1\n    schema:";
    let orders = ORDERS.replace("  - name: v1\n    schema:", columns);
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::write(&path, text).expect("a file");
        format!("file://{}", path.display())
    };
    write("api/v1/order_types.go", &order);
    let crd = write("config/crd/bases/shop.example.com_orders.yaml", &orders);
    let resource = write("order.yaml", RESOURCE);
    std::fs::create_dir_all(folder.path().join("charts/shop/crds")).expect("folders");
    std::fs::create_dir_all(folder.path().join("tests/orders")).expect("folders");
    let tests = write("tests/order.test.yaml", TESTS);
    let suite = write("tests/orders/stable.testsuite.yaml", SUITE);
    // The tests of another CRD.
    std::fs::write(folder.path().join("tests/other.yaml"), copy_of(&orders)).expect("a file");
    write(
        "tests/other.test.yaml",
        &TESTS.replace("../config/crd/bases/shop.example.com_orders", "other"),
    );
    write("charts/shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
    let copy = write("charts/shop/crds/orders.yaml", &orders);
    let of_workspace = json!({ "uri": format!("file://{}", folder.path().display()), "name": "shop" });
    let mut client = Client::start_with(json!({ "capabilities": pushed(), "workspaceFolders": [of_workspace] })).await;
    client.open(&types, 1, &order).await;
    let tag = "limit\"`";
    let in_types = (types.as_str(), order.as_str());
    let found = ask(&mut client, "textDocument/prepareRename", in_types, tag, "").await;
    assert_eq!(found["result"]["placeholder"], "limit", "{found}");
    assert_eq!(found["result"]["range"]["start"], place(&order, tag));
    let renamed_types = order
        .replace("json:\"limit\"", "json:\"most\"")
        .replace("self.limit", "self.most")
        .replace(".spec.limit", ".spec.most");
    let texts = [
        (&types, order.as_str(), renamed_types),
        (&crd, &orders, orders.replace("limit", "most")),
        (&copy, &orders, orders.replace("limit", "most")),
        (&resource, RESOURCE, RESOURCE.replace("limit", "most")),
        (
            &tests,
            TESTS,
            TESTS.replace("limit:", "most:").replace("spec.limit", "spec.most"),
        ),
        (&suite, SUITE, SUITE.replacen("limit: 5", "most: 5", 2)),
    ];
    // From the tag, from a rule that reads the field, and from the CRD.
    for (file, needle) in [
        (in_types, tag),
        (in_types, "limit\",message"),
        ((crd.as_str(), orders.as_str()), "limit:\n"),
    ] {
        if file.0 == crd {
            client.open(&crd, 1, &orders).await;
            client.published(&crd, 1).await;
        }
        let found = ask(&mut client, "textDocument/rename", file, needle, "most").await;
        let changes = found["result"]["changes"].as_object().expect("edits");
        assert_eq!(changes.len(), texts.len(), "{needle}: {found}");
        for (uri, before, after) in &texts {
            assert_eq!(applied(before, &changes[*uri]), *after, "{needle}");
        }
        let told = client.notification("window/showMessage").await;
        let told = told["message"].as_str().expect("a message");
        assert!(
            told.starts_with("Renaming `limit` to `most` breaks the API of Order"),
            "{told}"
        );
    }
    for (new_name, why) in [
        ("price", "there is a property `price` already"),
        ("a\"b", "`a\"b` cannot be written in a JSON tag of Go"),
    ] {
        let found = ask(&mut client, "textDocument/rename", in_types, tag, new_name).await;
        assert_eq!(found["error"]["message"], why, "{found}");
    }
    // The Go language server renames the field.
    let found = ask(&mut client, "textDocument/prepareRename", in_types, "Limit int32", "").await;
    assert_eq!(found["result"], json!(null), "{found}");
    client.finish_with_lists().await;
}

/// A kind without a file of its CRD. Its markers list fields of an embedded struct.
const CARTS: &str = "\
// +groupName=shop.example.com
package v1

import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"

// +kubebuilder:validation:ExactlyOneOf=limit;most
// +kubebuilder:validation:XValidation:rule=\"!has(self.limit) || self.limit > 0\"
type CartSpec struct {
\tLimits `json:\",inline\"`
\tMost *int32 `json:\"most,omitempty\"`
}

// +kubebuilder:validation:AtMostOneOf={limit,\"price\"}
type Limits struct {
\tLimit *int32 `json:\"limit,omitempty\"`
\tPrice *int32 `json:\"price,omitempty\"`
}

// +kubebuilder:validation:AtMostOneOf=limit;other
type Other struct {
\tLimit *int32 `json:\"limit,omitempty\"`
\tOther *int32 `json:\"other,omitempty\"`
}

// +kubebuilder:object:root=true
type Cart struct {
\tmetav1.TypeMeta `json:\",inline\"`
\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`
\tSpec CartSpec `json:\"spec\"`
\tOther Other `json:\"other,omitempty\"`
}
";

#[tokio::test]
async fn markers_that_list_fields_follow_a_new_name() {
    // In this project, no file has the CRD, so the types make it with the rules of these markers.
    let folder = tempfile::tempdir().expect("a folder");
    let (types, _) = without_crd(folder.path(), CARTS);
    let of_workspace = json!({ "uri": format!("file://{}", folder.path().display()), "name": "shop" });
    let mut client = Client::start_with(json!({ "capabilities": pushed(), "workspaceFolders": [of_workspace] })).await;
    client.open(&types, 1, CARTS).await;
    let found = ask(
        &mut client,
        "textDocument/rename",
        (&types, CARTS),
        "limit,omitempty\"`\n\tPrice",
        "bound",
    )
    .await;
    let (own, other) = CARTS
        .split_once("// +kubebuilder:validation:AtMostOneOf=limit;other")
        .expect("the type");
    let renamed = own
        .replace("=limit;most", "=bound;most")
        .replace("self.limit", "self.bound")
        .replace("{limit,", "{bound,")
        .replace("\"limit,omitempty", "\"bound,omitempty");
    let renamed = format!("{renamed}// +kubebuilder:validation:AtMostOneOf=limit;other{other}");
    let changes = &found["result"]["changes"];
    assert_eq!(changes.as_object().map(serde_json::Map::len), Some(1), "{found}");
    assert_eq!(applied(CARTS, &changes[types.as_str()]), renamed);
    client.notification("window/showMessage").await;
    client.finish_with_lists().await;
    // Here, the CRD of the repository has the rules.
    let folder = tempfile::tempdir().expect("a folder");
    let types = project(folder.path());
    let order = ORDER.replace(
        "// +kubebuilder:validation:XValidation",
        "// +kubebuilder:validation:AtMostOneOf=price;limit\n// +kubebuilder:validation:XValidation",
    );
    let rule = "            - message: at most one\n              rule: '[has(self.price),has(self.limit)].filter(x,x==true).size() <= 1'\n";
    let orders = ORDERS.replace(
        "            - message: too",
        &format!("{rule}            - message: too"),
    );
    std::fs::write(folder.path().join("api/v1/order_types.go"), &order).expect("a file");
    let crd = folder.path().join("config/crd/bases/shop.example.com_orders.yaml");
    std::fs::write(&crd, &orders).expect("a file");
    let of_workspace = json!({ "uri": format!("file://{}", folder.path().display()), "name": "shop" });
    let mut client = Client::start_with(json!({ "capabilities": pushed(), "workspaceFolders": [of_workspace] })).await;
    client.open(&types, 1, &order).await;
    let found = ask(&mut client, "textDocument/rename", (&types, &order), "limit\"`", "most").await;
    let changes = &found["result"]["changes"];
    let renamed = order
        .replace("json:\"limit\"", "json:\"most\"")
        .replace("self.limit", "self.most")
        .replace("=price;limit", "=price;most");
    assert_eq!(applied(&order, &changes[types.as_str()]), renamed, "{found}");
    let crd = format!("file://{}", crd.display());
    assert_eq!(
        applied(&orders, &changes[crd.as_str()]),
        orders.replace("limit", "most")
    );
    client.notification("window/showMessage").await;
    client.finish_with_lists().await;
}
