//! Typing text one character at a time: diagnostics outside the typed entry stay the same.

use serde_json::{Value, json};

use crate::client::{Client, list, pushed};

const URI: &str = "file:///widgets.yaml";

/// A CRD with two errors and a valid rule. The test types a property between them.
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
        x-kubernetes-validations:
        - rule: self.count > 1
        properties:
          count:
            type: integer
            default: 3
          last:
            type: string
            maxLength: 5
            x-kubernetes-validations:
            - rule: self.other
            - rule: self.nothing
";

/// The line to type in, after `count`.
const LINE: u64 = 20;

struct Typist {
    client: Client,
    version: i32,
    line: u64,
    column: u64,
}

impl Typist {
    async fn start() -> Self {
        Self::start_in(TEXT).await
    }

    async fn start_in(text: &str) -> Self {
        let mut capabilities = pushed();
        capabilities["textDocument"]["codeLens"] = json!({});
        let mut client = Client::start(capabilities).await;
        client.open(URI, 1, text).await;
        client.published(URI, 1).await;
        let (version, line, column) = (1, LINE, 0);
        let mut typist = Self {
            client,
            version,
            line,
            column,
        };
        typist.edit([LINE, 0, LINE, 0], "\n").await;
        typist
    }

    /// Makes an edit, and returns the first list published for it.
    async fn edit(&mut self, at: [u64; 4], text: &str) -> Vec<Value> {
        self.version += 1;
        self.client.change(URI, self.version, &[(at, text)]).await;
        self.client.published(URI, self.version).await
    }

    /// Types one character.
    async fn press(&mut self, key: char) -> Vec<Value> {
        let at = [self.line, self.column, self.line, self.column];
        if key == '\n' {
            (self.line, self.column) = (self.line + 1, 0);
        } else {
            self.column += 1;
        }
        self.edit(at, &key.to_string()).await
    }

    async fn lenses(&mut self) -> Vec<Value> {
        let params = json!({ "textDocument": { "uri": URI } });
        list(self.client.request("textDocument/codeLens", params).await)
    }
}

/// The diagnostics outside the typed lines, as code and line. A line after the typed ones is counted from the end of the text.
fn outside(diagnostics: &[Value], typed: std::ops::RangeInclusive<u64>) -> Vec<(String, u64)> {
    let line = |it: &Value| it["range"]["start"]["line"].as_u64().expect("a line");
    let place = |it: u64| {
        if it > *typed.end() {
            it + 1000 - *typed.end()
        } else {
            it
        }
    };
    let found = diagnostics.iter().filter(|it| !typed.contains(&line(it)));
    let mut found: Vec<_> = found
        .map(|it| (format!("{} {}", it["code"], it["severity"]), place(line(it))))
        .collect();
    found.sort();
    found
}

/// Types a text at the beginning of [`LINE`]. After each character, the diagnostics outside the typed lines must be the same as before.
async fn check(typed: &str) {
    let mut typist = Typist::start().await;
    let before = {
        let list = typist.edit([LINE, 0, LINE, 0], "").await;
        outside(&list, LINE..=LINE)
    };
    assert_eq!(before.len(), 2, "{before:?}");
    let lenses = outside(&typist.lenses().await, LINE..=LINE);
    assert_eq!(lenses.len(), 3, "{lenses:?}");
    for (n, key) in typed.char_indices() {
        let list = typist.press(key).await;
        let lines = LINE..=typist.line;
        let so_far = &typed[..=n];
        assert_eq!(outside(&list, lines.clone()), before, "diagnostics after {so_far:?}");
        assert_eq!(
            outside(&typist.lenses().await, lines),
            lenses,
            "lenses after {so_far:?}"
        );
    }
    typist.client.finish_with_lists().await;
}

#[tokio::test]
async fn a_new_key_leaves_everything_else_in_place() {
    check("            description: how many").await;
    check("            maxLength: 5").await;
    check("            \"x-kubernetes-int-or-string\": true").await;
}

#[tokio::test]
async fn a_new_property_leaves_everything_else_in_place() {
    check("          label:\n            type: string\n            maxLength: 5\n            pattern: '^a'").await;
}

#[tokio::test]
async fn open_quotes_and_brackets_leave_everything_else_in_place() {
    check("            description: \"how many\"").await;
    check("            description: 'it''s'").await;
    check("            enum: [1, 2, 3]").await;
    check("            default: {a: [\"b\"]}").await;
}

#[tokio::test]
async fn a_new_rule_leaves_everything_else_in_place() {
    check("            x-kubernetes-validations:\n            - rule: 'self > 1'\n              message: \"is 'one' more\"").await;
}

#[tokio::test]
async fn an_error_in_a_new_property_hides_no_warning() {
    let rules = TEXT.find("            x-kubernetes-validations").expect("the rules");
    let text = format!("{}            format: int8\n", &TEXT[..rules]);
    let mut typist = Typist::start_in(&text).await;
    let mut errors = 0;
    for key in "          label:\n            maxLength: 5".chars() {
        let list = typist.press(key).await;
        let warnings = outside(&list, LINE..=typist.line);
        let codes: Vec<_> = warnings.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(codes, ["\"unrecognized-format\" 2"], "{list:?}");
        errors += usize::from(list.iter().any(|it| it["severity"] == 1));
    }
    assert!(errors > 0, "a property without a type is an error");
    typist.client.finish().await;
}

#[tokio::test]
async fn the_error_is_shown_after_a_pause() {
    let mut typist = Typist::start().await;
    let text = "            des";
    for key in text.chars() {
        let list = typist.press(key).await;
        assert!(list.iter().all(|it| it["code"] != "invalid-yaml"), "{list:?}");
    }
    let later = typist.client.published(URI, typist.version).await;
    let error = later.iter().find(|it| it["code"] == "invalid-yaml").expect("the error");
    assert!(
        error["range"]["start"]["line"]
            .as_u64()
            .is_some_and(|it| it.abs_diff(LINE) <= 1),
        "{error}"
    );
    assert!(later.iter().any(|it| it["code"] == "rule-type-error"), "{later:?}");
    typist.client.finish().await;
}
