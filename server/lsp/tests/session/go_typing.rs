//! Typing in Go files: the server keeps results between keystrokes. After any edits, it must report the same as a new server does for the same texts.

use std::{
    ops::Range,
    path::Path,
    time::{Duration, Instant},
};

use crd_analyzer_fixtures::random::{Random, seeds};
use serde_json::{Value, json};

use crate::client::{Client, list, pulling};

/// The seeds of a normal test run. `CRD_ANALYZER_CHAOS=100..400` runs others.
const SEEDS: Range<u64> = 0..4;

/// The number of edits in a session, and the number of edits between two comparisons of the servers.
const EDITS: usize = 24;
const TOGETHER: usize = 4;

/// How long to wait for two servers to agree. The test makes no assertion about the time that they take.
const PATIENCE: Duration = Duration::from_mins(2);

/// The time between two comparisons. It is longer than the pause in typing of 0.15 s after which the server searches for hazards and checks other
/// open files.
const PAUSE: Duration = Duration::from_millis(400);

const GROUP: &str = "// +groupName=shop.example.com\npackage v1\n";

const ORDER: &str = "\
package v1

import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"

// +kubebuilder:object:root=true
type Order struct {
\tmetav1.TypeMeta `json:\",inline\"`
\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`
\tSpec OrderSpec `json:\"spec,omitempty\"`
}

// +kubebuilder:validation:XValidation:rule=\"self.price.cents <= self.limit\"
type OrderSpec struct {
\tPrice Money `json:\"price\"`
\t// +kubebuilder:validation:Maximum=100
\tLimit int32 `json:\"limit\"`
}

// +kubebuilder:object:root=true
type Refund struct {
\tmetav1.TypeMeta `json:\",inline\"`
\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`
\tSpec RefundSpec `json:\"spec,omitempty\"`
}

type RefundSpec struct {
\t// +optional
\tAmount Money `json:\"amount,omitempty\"`
}
";

const MONEY: &str = "\
package v1

// Money is an amount.
// +kubebuilder:validation:XValidation:rule=\"self.cents > 0\"
type Money struct {
\t// +kubebuilder:validation:Minimum=0
\tCents int32 `json:\"cents\"`
\t// +optional
\tCurrency Currency `json:\"currency,omitempty\"`
}

// +kubebuilder:validation:MaxLength=3
type Currency string
";

/// The edits that the test makes: a string, and its replacement. An edit may also be reversed.
const TYPED: [(&str, &str); 16] = [
    ("self.price.cents", "self.prise.cents"),
    ("self.cents > 0", "self.cents > '0'"),
    ("Maximum=100", "Maximum=x"),
    ("\tLimit int32", "\tLimit string"),
    ("\tCents int32 `json:\"cents\"`", "\tCents int32 `json:\"pennies\"`"),
    ("type Currency string", "type Currency int32"),
    ("// Money is an amount.", "// Money is an amount.\n// It may be zero."),
    ("package v1\n", "package v1\n\n"),
    (
        "type OrderSpec struct {",
        "type OrderSpec struct {\n\tNew []Money `json:\"new\"`",
    ),
    ("MaxLength=3", "MaxLenght=3"),
    (
        "type RefundSpec struct {",
        "type RefundSpec struct {\n\tMore map[string]Currency `json:\"more\"`",
    ),
    ("type Currency string\n", "type Currency strin\n"),
    (
        "\tCents int32",
        "\t// +kubebuilder:validation:Schemaless\n\tCents int32",
    ),
    (
        "type Refund struct {",
        "// +kubebuilder:skipversion\ntype Refund struct {",
    ),
    ("package v1\n", "package v1\n\nimport \"fmt\"\n"),
    (
        "// +optional\n\tAmount",
        "// +kubebuilder:validation:XValidation:rule=\"self.currency == 'EUR'\"\n\tAmount",
    ),
];

fn crd(kind: &str, spec: &str) -> String {
    let (lower, plural) = (kind.to_lowercase(), format!("{}s", kind.to_lowercase()));
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.21.0
  name: {plural}.shop.example.com
spec:
  group: shop.example.com
  names:
    kind: {kind}
    listKind: {kind}List
    plural: {plural}
    singular: {lower}
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
{spec}
        type: object
    served: true
    storage: true
"
    )
}

/// A property of the type `Money`.
fn money(name: &str) -> String {
    format!(
        "              {name}:
                properties:
                  cents:
                    format: int32
                    minimum: 0
                    type: integer
                  currency:
                    maxLength: 3
                    type: string
                required:
                - cents
                type: object
                x-kubernetes-validations:
                - rule: self.cents > 0"
    )
}

fn crds() -> [(&'static str, String); 2] {
    let order = format!(
        "            properties:
              limit:
                format: int32
                maximum: 100
                type: integer
{}
            required:
            - limit
            - price
            type: object
            x-kubernetes-validations:
            - rule: self.price.cents <= self.limit",
        money("price")
    );
    let refund = format!("            properties:\n{}\n            type: object", money("amount"));
    [("orders", crd("Order", &order)), ("refunds", crd("Refund", &refund))]
}

struct Project {
    folder: tempfile::TempDir,
    texts: [String; 2],
}

const FILES: [&str; 2] = ["api/v1/order_types.go", "api/v1/money_types.go"];

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            std::fs::write(path, text).expect("a file");
        };
        write("go.mod", "module example.com/shop\n");
        write("api/v1/groupversion_info.go", GROUP);
        write(FILES[0], ORDER);
        write(FILES[1], MONEY);
        for (name, crd) in crds() {
            write(&format!("config/crd/bases/shop.example.com_{name}.yaml"), &crd);
        }
        Self {
            folder,
            texts: [ORDER.to_owned(), MONEY.to_owned()],
        }
    }

    fn uri(&self, file: usize) -> String {
        format!("file://{}/{}", self.path().display(), FILES[file])
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Starts a server and opens both files.
    async fn server(&self) -> Client {
        let folder = json!({ "uri": format!("file://{}", self.path().display()), "name": "shop" });
        let params = json!({ "capabilities": pulling(), "workspaceFolders": [folder] });
        let mut client = Client::start_with(params).await;
        for (file, text) in self.texts.iter().enumerate() {
            client.open(&self.uri(file), 1, text).await;
        }
        client
    }

    async fn said(&self, client: &mut Client) -> Vec<Vec<Value>> {
        let mut said = Vec::new();
        for file in 0..FILES.len() {
            let mut items = list(client.pull(&self.uri(file), None).await["items"].take());
            // Each server writes its own pages, so their links differ.
            for item in &mut items {
                item["codeDescription"] = Value::Null;
            }
            said.push(items);
        }
        said
    }

    /// Makes a random edit. Returns the index of the changed file.
    fn edit(&mut self, random: &mut Random) -> usize {
        loop {
            let (one, other) = TYPED[random.below(TYPED.len())];
            for (file, text) in self.texts.iter_mut().enumerate() {
                // Look for the replacement first, because it usually contains the original.
                let (from, to) = if text.contains(other) {
                    (other, one)
                } else {
                    (one, other)
                };
                if text.contains(from) {
                    *text = text.replacen(from, to, 1);
                    return file;
                }
            }
        }
    }
}

/// Prints diagnostics, one per line.
fn short(said: &[Vec<Value>]) -> String {
    let lines: Vec<String> = said.iter().flatten().map(Value::to_string).collect();
    lines.join("\n")
}

#[tokio::test]
async fn what_is_kept_from_key_to_key_changes_nothing() {
    let mut count = 0;
    for seed in seeds("CRD_ANALYZER_CHAOS", SEEDS) {
        let mut random = Random::new(seed);
        let mut project = Project::new();
        let mut client = project.server().await;
        for version in 0..EDITS {
            let file = project.edit(&mut random);
            let document = json!({ "uri": project.uri(file), "version": version + 2 });
            let changes = json!([{ "text": project.texts[file] }]);
            let params = json!({ "textDocument": document, "contentChanges": changes });
            client.notify("textDocument/didChange", params).await;
            if random.once_in(2) {
                project.said(&mut client).await;
            }
            if version % TOGETHER + 1 < TOGETHER {
                continue;
            }
            let mut fresh = project.server().await;
            let begin = Instant::now();
            loop {
                tokio::time::sleep(PAUSE).await;
                let (said, expected) = (project.said(&mut client).await, project.said(&mut fresh).await);
                if said == expected {
                    count += said.iter().map(Vec::len).sum::<usize>();
                    break;
                }
                let texts = &project.texts;
                assert!(
                    begin.elapsed() < PATIENCE,
                    "seed {seed}, edit {version}: {}\ninstead of {}\nfor {texts:#?}",
                    short(&said),
                    short(&expected)
                );
            }
            fresh.finish().await;
        }
        client.finish().await;
    }
    assert!(count > 30, "only {count} diagnostics were compared");
}
