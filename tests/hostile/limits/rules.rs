//! Unusual rules, each with the answer of the newest API server's own code.

use serde_json::{Value, json};

use crate::{
    command::{Outcome, Sandbox},
    server::Server,
};

/// A rule with its name and the start of the API server's error, which is `None` if the API server accepts the rule.
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) text: String,
    pub(crate) error: Option<&'static str>,
}

/// The nesting depth of rules that test depth limits.
const DEPTH: usize = 10_000;
const RECURSION: Option<&str> =
    Some("compilation failed: ERROR: <input>:-1:0: expression recursion limit exceeded: 250");
const CHAIN: Option<&str> = Some("compilation failed: ERROR: <input>:-1:0: max recursion depth exceeded");
const LOOKAHEAD: Option<&str> = Some("error recovery token lookahead limit exceeded: 256");
const SIZE: Option<&str> = Some("compilation failed: ERROR: <input>:-1:0: expression code point size exceeds limit");

/// The rules. They apply to an object with two fields: `n` is an integer, and `l` is a list of at most three integers.
pub(crate) fn rules() -> Vec<Rule> {
    let rule = |name, text, error| Rule { name, text, error };
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        [&open.repeat(depth), inner, &close.repeat(depth)].concat()
    };
    let chain = |first: &str, next: &str, count: usize| [first, &next.repeat(count)].concat();
    let macros = |count: usize| {
        let open = (0..count).fold(String::new(), |open, n| open + &format!("self.l.all(x{n}, "));
        [&open, "true", &")".repeat(count)].concat()
    };
    vec![
        rule("100 KB", chain("self.n > 0", " && self.n > 0", 7_000), None),
        rule("a long text", format!("'{}' == ''", "x".repeat(100_000)), SIZE),
        rule("a long name", "a".repeat(99_000), Some("undeclared reference to 'aaa")),
        rule("249 parentheses", nested("(", "true", ")", 249), None),
        rule("parentheses", nested("(", "true", ")", DEPTH), RECURSION),
        rule("parentheses that stay open", "(".repeat(DEPTH), RECURSION),
        rule("calls", nested("size(", "'a'", ")", DEPTH), RECURSION),
        rule("lists", nested("[", "", "]", DEPTH), RECURSION),
        rule("maps", nested("{1:", "1", "}", DEPTH), RECURSION),
        rule("messages", nested("a{b:", "1", "}", DEPTH), RECURSION),
        rule("negations", chain("", "!", DEPTH) + "true", None),
        rule("signs", chain("", "-", DEPTH) + "1 == 1", None),
        rule("ternaries", nested("true ? ", "true", " : false", DEPTH), SIZE),
        rule(
            "ternaries in the middle",
            nested("true ? ", "true", " : false", 5_000),
            LOOKAHEAD,
        ),
        rule(
            "ternaries at the end",
            chain("", "true ? true : ", 5_000) + "true",
            RECURSION,
        ),
        rule("fields", chain("self", ".a", DEPTH), CHAIN),
        rule("methods", chain("self.n", ".f()", DEPTH), CHAIN),
        rule("indexes", chain("self.l", "[0]", DEPTH), CHAIN),
        rule("sums", chain("1", " + 1", DEPTH) + " > 0", CHAIN),
        rule("alternatives", chain("false", " || false", 9_000), None),
        rule("comparisons", chain("true", " == true", DEPTH), CHAIN),
        rule("memberships", nested("'a' in ", "[]", "", DEPTH), CHAIN),
        rule("1,000 nested all()", macros(1_000), RECURSION),
        rule("10 nested all()", macros(10), None),
        rule(
            "200 nested all()",
            macros(200),
            Some("estimated rule cost exceeds budget by factor of more than 100x"),
        ),
        rule(
            "a chain of map()",
            chain("self.l", ".map(x, x)", 1_000) + " == []",
            CHAIN,
        ),
        rule(
            "a chain of filter()",
            chain("self.l", ".filter(x, true)", 1_000) + " == []",
            CHAIN,
        ),
        rule(
            "many all()",
            chain("self.l.all(x, x > 0)", " && self.l.all(x, x > 0)", 2_000),
            None,
        ),
        rule("a long list", format!("[{}1].size() > 0", "1,".repeat(30_000)), None),
        rule("quotes", "'".repeat(DEPTH), LOOKAHEAD),
        rule(
            "no expression at all",
            "@#$%^".repeat(5_000),
            Some("token recognition error at: '@'"),
        ),
        rule(
            "a pattern",
            format!("'a'.matches('{}')", nested("(", "", ")", 5_000)),
            Some("invalid matches argument"),
        ),
    ]
}

/// A CRD with the rule, as JSON.
pub(crate) fn definition(rule: &str) -> String {
    let schema = json!({
        "type": "object",
        "properties": { "spec": {
            "type": "object",
            "properties": {
                "n": { "type": "integer" },
                "l": { "type": "array", "maxItems": 3, "items": { "type": "integer" } },
            },
            "x-kubernetes-validations": [{ "rule": rule }],
        } },
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "plural": "widgets", "kind": "Widget" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    })
    .to_string()
}

#[test]
fn rules_that_are_too_much() {
    let rules = rules();
    let sandbox = Sandbox::new(&[]);
    let names: Vec<String> = (0..rules.len()).map(|n| format!("{n:02}.json")).collect();
    for (name, rule) in names.iter().zip(&rules) {
        sandbox.write(name, definition(&rule.text));
    }
    let run = |command: &str| {
        let mut arguments = vec![command, "--output", "jsonl"];
        arguments.extend(names.iter().map(String::as_str));
        sandbox.run(&arguments)
    };
    let lines = |outcome: &Outcome| -> Vec<Value> {
        let lines = outcome.stdout.lines();
        lines.map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let checked = run("check");
    assert_eq!(checked.code, Some(1), "{}", checked.stderr);
    for (rule, answer) in rules.iter().zip(lines(&checked)) {
        let errors = answer["errors"].as_array().expect("a list");
        let details: Vec<_> = errors.iter().filter_map(|it| it["detail"].as_str()).collect();
        let is_expected = match rule.error {
            None => details.is_empty(),
            Some(error) => details.iter().any(|it| it.contains(error)),
        };
        assert!(is_expected, "{}: {details:?}", rule.name);
    }
    let priced = run("cost");
    assert_eq!(priced.code, Some(1), "{}", priced.stderr);
    let costs = lines(&priced);
    for (name, rule) in names.iter().zip(&rules) {
        let line = costs.iter().find(|it| it["file"] == **name && it["rule"] == rule.text);
        let line = line.unwrap_or_else(|| panic!("{} has no cost", rule.name));
        let error = line["error"].as_str();
        // A rule that is too expensive still compiles, so its error is only about the cost.
        let fails = rule.error.is_some_and(|it| !it.starts_with("estimated"));
        assert_eq!(
            error.is_some_and(|it| !it.is_empty()),
            fails,
            "{}: {error:?}",
            rule.name
        );
    }
    let requests = rules.iter().map(|rule| {
        let schema = json!({"type": "object", "properties": {
            "n": {"type": "integer"},
            "l": {"type": "array", "maxItems": 3, "items": {"type": "integer"}},
        }});
        let request = json!({"schema": schema, "rule": rule.text, "self": {"n": 1, "l": [1, 2]}});
        request.to_string() + "\n"
    });
    let ran = sandbox.run_with_input(&["eval", "--list", "-"], requests.collect::<String>().as_bytes());
    let answers = lines(&ran);
    assert_eq!(answers.len(), rules.len(), "{}", ran.stderr);
    for (rule, answer) in rules.iter().zip(answers) {
        let error = answer["compile_error"].as_str().unwrap_or_default();
        let expected = rule.error.filter(|it| !it.starts_with("estimated")).unwrap_or_default();
        assert!(error.contains(expected), "{}: {error:?}", rule.name);
        assert_eq!(error.is_empty(), expected.is_empty(), "{}: {error:?}", rule.name);
    }
}

#[test]
fn rules_that_are_too_much_are_answered() {
    let mut server = Server::start(&["lsp"]);
    server.initialize();
    for rule in rules() {
        let text = definition(&rule.text);
        let uri = "file:///widgets.json";
        let document = json!({ "uri": uri, "languageId": "json", "version": 1, "text": text });
        server.notify("textDocument/didOpen", &json!({ "textDocument": document }));
        let list = server.read();
        assert_eq!(list["params"]["version"], 1, "{}", rule.name);
        let findings = list["params"]["diagnostics"].as_array().expect("a list");
        // Only rejections have the severity "error".
        let refuses = findings.iter().any(|it| it["severity"] == 1);
        assert_eq!(refuses, rule.error.is_some(), "{}: {findings:?}", rule.name);
        server.notify("textDocument/didClose", &json!({ "textDocument": { "uri": uri } }));
        assert_eq!(server.read()["params"]["diagnostics"], json!([]));
    }
    server.request(2, "shutdown", Value::Null);
    server.notify("exit", &Value::Null);
    assert_eq!(server.code(), Some(0));
}
